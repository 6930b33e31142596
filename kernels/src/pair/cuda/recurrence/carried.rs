//! Kernels with a lane's rows on one carry chain: one for two whole texts, and one for a search. In a search, a path
//! may start at any column, and the result is the last row.

use super::super::{DigitVariant, KernelTemplate, KernelVariant};

const KERNEL: KernelTemplate = KernelTemplate {
    name: "edit-distance-carried",
    text: concat!(include_str!("../digits.cuh"), include_str!("carried.cu"), include_str!("../bands.cuh"), include_str!("../paths.cuh")),
};

const SEARCH_KERNEL: KernelTemplate = KernelTemplate {
    name: "approximate-search-long",
    text: concat!("#define FREE\n", include_str!("../digits.cuh"), include_str!("carried.cu"), include_str!("../bands.cuh")),
};

/// Table of the kernel variants for two whole texts. A row has the number of bits of a digit (a part of a symbol
/// number), the number of digits of a symbol number, and the possible numbers of 32-row words of a lane.
const VARIANTS: [(u32, u32, &[u32]); 6] =
    [(2, 1, &[1, 2, 4, 8]), (4, 1, &[1, 2, 4, 8]), (4, 2, &[1, 2, 4, 8]), (4, 3, &[1, 2, 4]), (4, 4, &[1, 2, 4]), (4, 6, &[1, 2])];

/// Table of the kernel variants for searches. A row has the number of bits of a digit (a part of a symbol number), the
/// number of digits of a symbol number, and the possible numbers of 32-row words of a lane. It lacks one-word lanes,
/// which pay off only if bands wait for each other. Slices of a text do not wait for each other.
const SEARCH_VARIANTS: [(u32, u32, &[u32]); 5] =
    [(2, 1, &[2, 4, 8]), (4, 1, &[2, 4, 8]), (4, 2, &[2, 4, 8]), (4, 4, &[2, 4]), (4, 6, &[2])];

pub(crate) fn layouts() -> impl Iterator<Item = KernelVariant> {
    DigitVariant::all(&VARIANTS).map(|digits| layout(digits, KERNEL))
}

/// Lists the kernel variants for searches. They have an additional bit plane that marks padding rows.
pub(crate) fn searches() -> Vec<KernelVariant> {
    let search = |digits| {
        let layout = layout(digits, SEARCH_KERNEL);
        KernelVariant { row_planes: layout.planes + 1, ..layout }
    };
    DigitVariant::all(&SEARCH_VARIANTS).map(search).collect()
}

/// Describes the variant `digits` of `kernel`: its memory, and the clock cycles per column. The cycles follow from
/// measurements on an H200 with one and two digits.
fn layout(digits: DigitVariant, kernel: KernelTemplate) -> KernelVariant {
    let (k, more) = (f64::from(digits.words), f64::from(digits.digits - 1));
    KernelVariant {
        record_words: 64 * digits.words,
        alone: 19.0 + 18.5 * k + more * (6.0 + 2.0 * k),
        busy: 7.0 + 12.0 / k + 16.0 * k + more * (4.0 + 2.0 * k),
        ..digits.layout(kernel)
    }
}
