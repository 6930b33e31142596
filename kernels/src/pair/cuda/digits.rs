//! Digits: the host's side of `digits.cuh`, for kernels that find equal symbols by their digits. A lane splits the
//! symbol number of a column into digits. For each digit it looks up a mask of its rows whose symbols have the same
//! digit.

use super::{KernelTemplate, KernelVariant};

/// Number of columns that a lane processes between two exchanges of results with its neighbours.
const COLUMNS_PER_EXCHANGE: u32 = 16;
/// Number of 32-column blocks by which the last of a warp's 32 lanes lags behind the first one, because of these
/// exchanges.
const LANE_LAG_BLOCKS: u32 = 16;

/// Maximum number of warps in a block.
const MAX_DIGIT_WARPS: u32 = 8;
/// Maximum shared memory of a block on any GPU, in bytes. On a GPU with less, blocks have fewer warps.
const MAX_SHARED_BYTES: u32 = 227 << 10;

/// A variant of a kernel that divides symbol numbers into digits, which are groups of bits. The fields are the number
/// of bits of a digit, of digits of a symbol number, and of 32-row words of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DigitVariant {
    pub(crate) bits: u32,
    pub(crate) digits: u32,
    pub(crate) words: u32,
}

impl DigitVariant {
    /// Lists all variants in `table`. A row of the table has the number of bits of a digit (a part of a symbol number),
    /// the number of digits of a symbol number, and the possible numbers of 32-row words of a lane.
    pub(crate) fn all(table: &'static [(u32, u32, &'static [u32])]) -> impl Iterator<Item = Self> {
        table.iter().flat_map(|&(bits, digits, all)| all.iter().map(move |&words| Self { bits, digits, words }))
    }

    /// Returns the description of this variant of `kernel`, with a bit plane for each bit of a symbol number and a
    /// record word for each word of a lane. Its speed (`alone`, `busy`) is 0, so that the caller sets it.
    pub(crate) fn layout(self, kernel: KernelTemplate) -> KernelVariant {
        let Self { bits, digits, words } = self;
        // Memory for a mask of each value of each digit, in every lane.
        let shared = digits * (1 << bits) * words * 128;
        KernelVariant {
            kernel,
            words,
            planes: bits * digits,
            bits,
            group: COLUMNS_PER_EXCHANGE,
            lag: LANE_LAG_BLOCKS,
            text_words: 2 * digits * COLUMNS_PER_EXCHANGE * bits / 32,
            row_planes: bits * digits,
            record_words: 32 * words,
            warps: MAX_DIGIT_WARPS.min(MAX_SHARED_BYTES / shared),
            shared,
            alone: 0.0,
            busy: 0.0,
        }
    }
}
