//! Kernel with rows skewed bit by bit: each bit of a lane's words is one column behind the bit above it.

use super::super::{KernelTemplate, KernelVariant};

const KERNEL: KernelTemplate = KernelTemplate {
    name: "edit-distance",
    text: concat!(include_str!("skewed.cu"), include_str!("../bands.cuh"), include_str!("../paths.cuh")),
};

/// Table of the kernel variants. A row holds the bits of a symbol number, and the possible numbers of 32-row words of a
/// lane. The product of both is limited, because registers hold all words of all bit planes of a lane.
const VARIANTS: [(u32, &[u32]); 9] = [
    (2, &[1, 2, 4, 8, 16]),
    (3, &[1, 2, 4, 8, 16]),
    (4, &[1, 2, 4, 8, 16]),
    (5, &[1, 2, 4, 8, 16]),
    (6, &[1, 2, 4, 8, 16]),
    (8, &[1, 2, 4, 8]),
    (12, &[1, 4, 8]),
    (16, &[1, 4]),
    (24, &[1, 2]),
];

/// Maximum number of warps in a block. With more warps a lane would have too few registers.
const MAX_SKEWED_WARPS: u32 = 8;

pub(crate) fn layouts() -> impl Iterator<Item = KernelVariant> {
    VARIANTS.iter().flat_map(|&(planes, words)| words.iter().map(move |&words| layout(words, planes)))
}

/// Describes the variant of the kernel with `words` words per lane and `planes` bit planes: its memory, and the clock
/// cycles per column. The cycles follow from measurements on an H200 with 2 and 8 bit planes. They are at most 10 %
/// off, except 23 % for a lone warp of 16 words and 8 bit planes.
fn layout(words: u32, planes: u32) -> KernelVariant {
    // The group is a power of 2 below 32. A larger group makes steps cheaper, but delays the next band more. This delay
    // matters less with more words, because there are fewer bands.
    let group = match words {
        1 | 2 => 2,
        4 | 8 => 4,
        _ => 8,
    };
    let (k, p) = (f64::from(words), f64::from(planes));
    let logic = 2.0 * (3.0 + p) * k;
    KernelVariant {
        kernel: KERNEL,
        words,
        planes,
        bits: 1,
        group,
        lag: 32 + group,
        text_words: planes,
        row_planes: planes,
        record_words: 64 * words,
        warps: MAX_SKEWED_WARPS,
        shared: 0,
        alone: 21.0 + 2.5 * p + 4.2 * k + logic,
        busy: 17.5 + 2.5 * p + 2.3 * k + logic,
    }
}
