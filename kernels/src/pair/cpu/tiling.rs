//! Tiling: chooses the tile size for given texts. High tiles hide the latency of a step. Low tiles waste less for short
//! texts and narrow bands.

use super::{PairOutput, Recurrence, WORD};

/// Minimum number of symbols at which an alignment uses high tiles.
#[cfg(not(target_family = "wasm"))]
const MIN_HIGH_ALIGNMENT_SYMBOLS: usize = 32 * 1024;

/// Maximum number of symbols at which a distance uses low tiles, because one such tile is enough.
#[cfg(not(target_family = "wasm"))]
const MAX_LOW_DISTANCE_SYMBOLS: usize = 512;

/// Maximum number of symbols at which an alignment uses low tiles. Whole tiles are recorded, and for short texts this
/// memory costs more than the steps.
#[cfg(not(target_family = "wasm"))]
const MAX_LOW_ALIGNMENT_SYMBOLS: usize = 2048;

/// Maximum number of edits at which a sweep is so narrow that high tiles cover many cells outside of it.
#[cfg(not(target_family = "wasm"))]
const MAX_NARROW_EDITS: u64 = 24 * 1024;

/// Minimum symbols per edit at which a traceback meets few edits in a tile, provided that tiles are short.
#[cfg(not(target_family = "wasm"))]
const MIN_SYMBOLS_PER_EDIT: u64 = 8;

/// Height of a tile, in words. A vector has 8 words, and a tile has one, two or four vectors to hide the latency of a
/// step. Wasm has only one height, because its vectors are so short that 8 words fill four of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TileHeight {
    /// 8 words, 512 rows: for texts that fit one tile.
    Low,
    /// 16 words, 1024 rows: for texts that fit a few tiles.
    #[cfg(not(target_family = "wasm"))]
    Middle,
    /// 32 words, 2048 rows: for long texts.
    #[cfg(not(target_family = "wasm"))]
    High,
}

impl TileHeight {
    /// Number of words in the highest tile.
    #[cfg(not(target_family = "wasm"))]
    pub(super) const MAX_TILE_WORDS: usize = 32;
    #[cfg(target_family = "wasm")]
    pub(super) const MAX_TILE_WORDS: usize = 8;

    /// Returns the number of words in a tile.
    pub(crate) fn words(self) -> usize {
        match self {
            Self::Low => 8,
            #[cfg(not(target_family = "wasm"))]
            Self::Middle => 16,
            #[cfg(not(target_family = "wasm"))]
            Self::High => 32,
        }
    }

    /// Returns the number of rows in a tile.
    pub(crate) fn rows(self) -> usize {
        self.words() * WORD
    }
}

/// The size of the tiles that a matrix is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    pub(crate) height: TileHeight,
    /// Columns of a tile, a multiple of 64. Short tiles let threads follow each other closely and record little beside
    /// a path. Long tiles reduce the share of steps in which lanes fill up.
    pub(super) columns: usize,
}

impl Tiling {
    /// Chooses a tiling for a shorter text of `symbols` symbols. `known` is the number of edits of a known alignment.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn fitting<R: Recurrence<K>, const K: usize>(symbols: usize, want: PairOutput, known: Option<u64>) -> Self {
        let few = known.filter(|edits| *edits <= symbols as u64 / MIN_SYMBOLS_PER_EDIT);
        let tiling = |height, columns| Self { height, columns };
        match (want, symbols) {
            (PairOutput::Distance, symbols) if symbols <= MAX_LOW_DISTANCE_SYMBOLS => tiling(TileHeight::Low, 1024),
            (PairOutput::Alignment, symbols) if symbols <= MAX_LOW_ALIGNMENT_SYMBOLS => tiling(TileHeight::Low, 256),
            _ if few.is_some_and(|edits| edits <= MAX_NARROW_EDITS) => tiling(TileHeight::Middle, 512),
            (PairOutput::Distance, symbols) if symbols >= R::MIN_HIGH_DISTANCE_SYMBOLS => tiling(TileHeight::High, 1024),
            (PairOutput::Alignment, MIN_HIGH_ALIGNMENT_SYMBOLS..) => tiling(TileHeight::High, if few.is_some() { 512 } else { 1024 }),
            _ => tiling(TileHeight::Middle, 512),
        }
    }

    /// Chooses a tiling for any text. There is only one height.
    #[cfg(target_family = "wasm")]
    pub(crate) fn fitting<R: Recurrence<K>, const K: usize>(_symbols: usize, want: PairOutput, _known: Option<u64>) -> Self {
        Self { height: TileHeight::Low, columns: if want == PairOutput::Alignment { 256 } else { 1024 } }
    }

    /// Tiles of the lowest height.
    #[cfg(test)]
    pub(crate) const LOW: Self = Self { height: TileHeight::Low, columns: 1024 };
}
