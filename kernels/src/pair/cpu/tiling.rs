//! Tiling: which tiles suit which texts. High tiles hide the latency of a step, low ones waste less where texts are short or bands
//! narrow.

use super::{Recurrence, WORD, Want};

/// Symbols from which tiles are high for an alignment.
#[cfg(not(target_family = "wasm"))]
const HIGH_FROM: usize = 32 * 1024;

/// Symbols up to which tiles are low for a distance: one of them is enough.
#[cfg(not(target_family = "wasm"))]
const LOW_TO: usize = 512;

/// The same for an alignment, which records whole tiles: more memory for short texts costs more than the steps.
#[cfg(not(target_family = "wasm"))]
const LOW_TO_ALIGNED: usize = 2048;

/// Edits up to which a sweep is so narrow that high tiles cover much beside it.
#[cfg(not(target_family = "wasm"))]
const NARROW_TO: u64 = 24 * 1024;

/// Symbols an edit from which on the way back has few edits a tile, if that is short.
#[cfg(not(target_family = "wasm"))]
const FEW: u64 = 8;

/// Words in a tile: 8 to a vector, and one, two or four vectors, which hide the latency of a step. Only one in wasm, whose vectors
/// are so short that 8 words are four of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Height {
    /// 8 words, 512 rows: for texts that fit one.
    Low,
    /// 16 words, 1024 rows: for texts that fit a few of them.
    #[cfg(not(target_family = "wasm"))]
    Middle,
    /// 32 words, 2048 rows: for long texts.
    #[cfg(not(target_family = "wasm"))]
    High,
}

impl Height {
    /// Words in the highest tile.
    #[cfg(not(target_family = "wasm"))]
    pub(super) const MOST_WORDS: usize = 32;
    #[cfg(target_family = "wasm")]
    pub(super) const MOST_WORDS: usize = 8;

    /// Words in a tile.
    pub(crate) fn words(self) -> usize {
        match self {
            Self::Low => 8,
            #[cfg(not(target_family = "wasm"))]
            Self::Middle => 16,
            #[cfg(not(target_family = "wasm"))]
            Self::High => 32,
        }
    }

    /// Rows in a tile.
    pub(crate) fn rows(self) -> usize {
        self.words() * WORD
    }
}

/// How a matrix is cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    pub(crate) height: Height,
    /// Columns of a tile, a multiple of 64: short enough for threads to follow each other closely and for little to be recorded
    /// beside a path, long beside the lanes' filling.
    pub(super) columns: usize,
}

impl Tiling {
    /// What suits texts whose shorter one has `symbols`, and of which an alignment with so many edits is known.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn fitting<R: Recurrence<K>, const K: usize>(symbols: usize, want: Want, known: Option<u64>) -> Self {
        let few = known.filter(|edits| *edits <= symbols as u64 / FEW);
        let tiling = |height, columns| Self { height, columns };
        match (want, symbols) {
            (Want::Distance, symbols) if symbols <= LOW_TO => tiling(Height::Low, 1024),
            (Want::Alignment, symbols) if symbols <= LOW_TO_ALIGNED => tiling(Height::Low, 256),
            _ if few.is_some_and(|edits| edits <= NARROW_TO) => tiling(Height::Middle, 512),
            (Want::Distance, symbols) if symbols >= R::HIGH_FROM => tiling(Height::High, 1024),
            (Want::Alignment, HIGH_FROM..) => tiling(Height::High, if few.is_some() { 512 } else { 1024 }),
            _ => tiling(Height::Middle, 512),
        }
    }

    /// What suits any text: there is only one height.
    #[cfg(target_family = "wasm")]
    pub(crate) fn fitting<R: Recurrence<K>, const K: usize>(_symbols: usize, want: Want, _known: Option<u64>) -> Self {
        Self { height: Height::Low, columns: if want == Want::Alignment { 256 } else { 1024 } }
    }

    /// The lowest tiles.
    #[cfg(test)]
    pub(crate) const LOW: Self = Self { height: Height::Low, columns: 1024 };
}
