//! A lane's rows on one carry chain.

use crate::gpu::bands::{Digits, Kernel, Layout};

const KERNEL: Kernel = Kernel {
    name: "edit-distance-carried",
    text: concat!(include_str!("../../../gpu/digits.cuh"), include_str!("../carried.cu"), include_str!("../../../gpu/bands.cuh")),
};

/// Bits of a digit of symbol numbers, digits, and words that a lane may keep.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[1, 2, 4, 8]), (4, 1, &[1, 2, 4, 8]), (4, 2, &[1, 2, 4, 8]), (4, 3, &[1, 2, 4]), (4, 4, &[1, 2, 4]), (4, 6, &[1, 2])];

pub(super) fn layouts() -> impl Iterator<Item = Layout> {
    Digits::all(&VARIANTS).map(layout)
}

/// Clocks are fitted to an H200 with one and two digits.
fn layout(digits: Digits) -> Layout {
    let (k, more) = (f64::from(digits.words), f64::from(digits.digits - 1));
    Layout {
        record_words: 64 * digits.words,
        alone: 19.0 + 18.5 * k + more * (6.0 + 2.0 * k),
        busy: 7.0 + 12.0 / k + 16.0 * k + more * (4.0 + 2.0 * k),
        ..digits.layout(KERNEL)
    }
}
