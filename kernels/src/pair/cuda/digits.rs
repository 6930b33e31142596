//! Digits: the host side of `digits.cuh`, which is shared by kernels whose lanes look up the rows of a column by the
//! digits of its symbol.

use super::{KernelTemplate, KernelVariant};

/// Columns that a lane processes before it exchanges results, and the number of 32-column blocks by which the last of
/// 32 lanes then follows the first.
const COLUMNS_PER_EXCHANGE: u32 = 16;
const LANE_LAG_BLOCKS: u32 = 16;

/// Warps of the largest block, and the maximum bytes of shared memory of a device. A device with less gets fewer warps.
const MAX_DIGIT_WARPS: u32 = 8;
const MAX_SHARED_BYTES: u32 = 227 << 10;

/// A variant of a kernel: bits of a digit, digits of a symbol number, and words of rows that a lane keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DigitVariant {
    pub(crate) bits: u32,
    pub(crate) digits: u32,
    pub(crate) words: u32,
}

impl DigitVariant {
    /// Lists all variants of a table of bits, digits and numbers of words.
    pub(crate) fn all(table: &'static [(u32, u32, &'static [u32])]) -> impl Iterator<Item = Self> {
        table.iter().flat_map(|&(bits, digits, all)| all.iter().map(move |&words| Self { bits, digits, words }))
    }

    /// Returns the basic layout of the variant: a bit plane for each bit of a symbol, a record word for each word of a
    /// lane, and clocks of 0.
    pub(crate) fn layout(self, kernel: KernelTemplate) -> KernelVariant {
        let Self { bits, digits, words } = self;
        // Masks of every value of every digit.
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
