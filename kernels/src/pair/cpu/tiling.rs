//! Tiling: chooses the tile size for given texts. High tiles hide the latency of a step. Low tiles waste less for short
//! texts and narrow bands.

use super::{PairOutput, Recurrence, WORD};

/// Minimum number of symbols of the shorter text from which high tiles are used for an alignment.
#[cfg(not(target_family = "wasm"))]
const MIN_HIGH_ALIGNMENT_SYMBOLS: usize = 32 * 1024;

/// Maximum number of symbols of the shorter text up to which low tiles are used for a distance, because one low tile is
/// as high as the matrix.
#[cfg(not(target_family = "wasm"))]
const MAX_LOW_DISTANCE_SYMBOLS: usize = 512;

/// Maximum number of symbols of the shorter text up to which low tiles are used for an alignment. The traceback records
/// whole tiles, and for short texts this memory costs more time than low tiles do.
#[cfg(not(target_family = "wasm"))]
const MAX_LOW_ALIGNMENT_SYMBOLS: usize = 2048;

/// Maximum number of edits of a known alignment up to which high tiles are not used. The band is then so narrow that
/// high tiles would cover many cells outside of it.
pub(in crate::pair) const MAX_NARROW_EDITS: u64 = 24 * 1024;

/// Minimum number of symbols per edit from which the edits of a known alignment are regarded as few. High tiles then
/// have fewer columns in an alignment, so that a traceback meets few edits in each tile.
#[cfg(not(target_family = "wasm"))]
const MIN_SYMBOLS_PER_EDIT: u64 = 8;

/// Height of a tile, in words of 64 rows. A vector has 8 words, and a tile has one, two or four vectors to hide the
/// latency of a step. Wasm has only one height, because its vectors are so short that 8 words fill four of them.
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

/// The height and width of the tiles that a matrix is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    pub(crate) height: TileHeight,
    /// Number of columns in a tile, a multiple of 64. If tiles are short, threads follow each other closely and little
    /// is recorded beside a path. If they are long, lanes fill up and run empty in a smaller share of the steps.
    pub(super) columns: usize,
}

impl Tiling {
    /// Chooses a tiling for two texts, the shorter of which has `symbols` symbols. `want` is the requested result.
    /// `known` is the number of edits of a known alignment, or `None`.
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

    /// Chooses a tiling for any texts by the requested result `want`. Wasm has only one tile height.
    #[cfg(target_family = "wasm")]
    pub(crate) fn fitting<R: Recurrence<K>, const K: usize>(_symbols: usize, want: PairOutput, _known: Option<u64>) -> Self {
        Self { height: TileHeight::Low, columns: if want == PairOutput::Alignment { 256 } else { 1024 } }
    }

    /// Tiles of the lowest height.
    #[cfg(test)]
    pub(crate) const LOW: Self = Self { height: TileHeight::Low, columns: 1024 };
}
