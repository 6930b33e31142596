//! A lane's rows on one carry chain.

use crate::gpu::bands::{Kernel, Layout};

const KERNEL: Kernel = Kernel {
    name: "edit-distance-carried",
    text: concat!(include_str!("../../../gpu/digits.cuh"), include_str!("../carried.cu"), include_str!("../../../gpu/bands.cuh")),
};

/// Bits of a digit of symbol numbers, digits, and words that a lane may keep.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[1, 2, 4, 8]), (4, 1, &[1, 2, 4, 8]), (4, 2, &[1, 2, 4, 8]), (4, 3, &[1, 2, 4]), (4, 4, &[1, 2, 4]), (4, 6, &[1, 2])];

/// Columns that a lane works on before it hands over.
const GROUP: u32 = 16;
/// Warps of the largest block, and bytes of shared memory that all its warps may take.
const WARPS: u32 = 8;
const SHARED: u32 = 227 << 10;

pub(super) fn layouts() -> impl Iterator<Item = Layout> {
    VARIANTS.iter().flat_map(|&(bits, digits, words)| words.iter().map(move |&words| layout(words, bits, digits)))
}

/// Clocks are fitted to an H200 with one and two digits.
fn layout(words: u32, bits: u32, digits: u32) -> Layout {
    let shared = digits * (1 << bits) * words * 128;
    let (k, d) = (f64::from(words), f64::from(digits));
    Layout {
        kernel: KERNEL,
        words,
        planes: bits * digits,
        bits,
        group: GROUP,
        lag: 16,
        text_words: 2 * digits * GROUP * bits / 32,
        row_planes: bits * digits,
        record_words: 64 * words,
        warps: WARPS.min(SHARED / shared),
        shared,
        alone: 19.0 + 18.5 * k + (d - 1.0) * (6.0 + 2.0 * k),
        busy: 7.0 + 12.0 / k + 16.0 * k + (d - 1.0) * (4.0 + 2.0 * k),
    }
}
