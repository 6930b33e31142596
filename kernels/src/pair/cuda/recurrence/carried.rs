//! A lane's rows on one carry chain: for two whole texts, and for a search, where every start is free and the last row is what is
//! asked for.

use super::super::{Digits, Kernel, Layout};

const KERNEL: Kernel = Kernel {
    name: "edit-distance-carried",
    text: concat!(include_str!("../digits.cuh"), include_str!("carried.cu"), include_str!("../bands.cuh"), include_str!("../paths.cuh")),
};

const SEARCH: Kernel = Kernel {
    name: "approximate-search-long",
    text: concat!("#define FREE\n", include_str!("../digits.cuh"), include_str!("carried.cu"), include_str!("../bands.cuh")),
};

/// Bits of a digit of symbol numbers, digits, and words that a lane may keep.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[1, 2, 4, 8]), (4, 1, &[1, 2, 4, 8]), (4, 2, &[1, 2, 4, 8]), (4, 3, &[1, 2, 4]), (4, 4, &[1, 2, 4]), (4, 6, &[1, 2])];

/// Those of a search. One word a lane is for bands that wait for each other, which slices of a text do not.
const SEARCHES: [(u32, u32, &[u32]); 5] = [(2, 1, &[2, 4, 8]), (4, 1, &[2, 4, 8]), (4, 2, &[2, 4, 8]), (4, 4, &[2, 4]), (4, 6, &[2])];

pub(crate) fn layouts() -> impl Iterator<Item = Layout> {
    Digits::all(&VARIANTS).map(|digits| layout(digits, KERNEL))
}

/// The layouts of a search. A plane more marks rows that are none.
pub(crate) fn searches() -> Vec<Layout> {
    let search = |digits| {
        let layout = layout(digits, SEARCH);
        Layout { row_planes: layout.planes + 1, ..layout }
    };
    Digits::all(&SEARCHES).map(search).collect()
}

/// Clocks are fitted to an H200 with one and two digits.
fn layout(digits: Digits, kernel: Kernel) -> Layout {
    let (k, more) = (f64::from(digits.words), f64::from(digits.digits - 1));
    Layout {
        record_words: 64 * digits.words,
        alone: 19.0 + 18.5 * k + more * (6.0 + 2.0 * k),
        busy: 7.0 + 12.0 / k + 16.0 * k + more * (4.0 + 2.0 * k),
        ..digits.layout(kernel)
    }
}
