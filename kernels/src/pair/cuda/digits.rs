//! Digits: the host's side of `digits.cuh`, which kernels share whose lanes look up the rows of a column by the digits of its symbol.

use super::{Kernel, Layout};

/// Columns that a lane works on before it hands over, and blocks of 32 columns that the last of 32 lanes is behind the first one then.
const GROUP: u32 = 16;
const LAG: u32 = 16;

/// Warps of the largest block, and bytes of shared memory that a device has at most. One that has less gets fewer of these warps.
const WARPS: u32 = 8;
const SHARED: u32 = 227 << 10;

/// A variant: bits of a digit, digits of a symbol number, and words of rows that a lane keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    pub(crate) bits: u32,
    pub(crate) digits: u32,
    pub(crate) words: u32,
}

impl Digits {
    /// All of a table of bits, digits, and every number of words for these.
    pub(crate) fn all(table: &'static [(u32, u32, &'static [u32])]) -> impl Iterator<Item = Self> {
        table.iter().flat_map(|&(bits, digits, all)| all.iter().map(move |&words| Self { bits, digits, words }))
    }

    /// Its layout with nothing beside: a bit plane for each bit of a symbol, a word of record for each of a lane, no clocks.
    pub(crate) fn layout(self, kernel: Kernel) -> Layout {
        let Self { bits, digits, words } = self;
        // Masks of every value of every digit.
        let shared = digits * (1 << bits) * words * 128;
        Layout {
            kernel,
            words,
            planes: bits * digits,
            bits,
            group: GROUP,
            lag: LAG,
            text_words: 2 * digits * GROUP * bits / 32,
            row_planes: bits * digits,
            record_words: 32 * words,
            warps: WARPS.min(SHARED / shared),
            shared,
            alone: 0.0,
            busy: 0.0,
        }
    }
}
