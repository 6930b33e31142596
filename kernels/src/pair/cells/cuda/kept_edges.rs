//! Kept edges: the edges of square tiles that a sweep keeps on the GPU for the traceback.
//!
//! - [`traceback`]: traces an alignment from the edges on several threads

use std::ops::Range;

use crate::pair::cells::wavefront::Rectangle;
use crate::run::Halt;

pub(crate) mod traceback;

/// Maximum distance of the column where an alignment probably leaves a row from the straight line between both corners.
const MAX_DEVIATION: usize = 1 << 16;

/// The places of the edges of square tiles in two buffers of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptTiles {
    /// Height and width of a tile, a multiple of the height of a band.
    pub(crate) tile: u32,
    /// Number of rows of a band.
    pub(crate) height: u32,
    /// Number of bands.
    pub(crate) bands: u32,
    /// Number of words of a row.
    pub(crate) stride: u32,
}

/// The buffer that has a word of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptBuffer {
    /// Words along the last row of each row of tiles, except the last one.
    Rows,
    /// Words along the last column of each column of tiles, except the last one.
    Columns,
}

impl KeptTiles {
    /// Returns the number of bands in a row of tiles.
    pub(crate) fn strip(&self) -> u32 {
        self.tile / self.height
    }

    /// Returns the number of words of `buffer`.
    pub(crate) fn words(&self, buffer: KeptBuffer) -> usize {
        match buffer {
            KeptBuffer::Rows => (self.bands.div_ceil(self.strip()) - 1) as usize * self.stride as usize,
            KeptBuffer::Columns => (self.stride.div_ceil(self.tile) - 1) as usize * self.padded_rows(),
        }
    }

    /// Returns the memory of both buffers in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.words(KeptBuffer::Rows) + self.words(KeptBuffer::Columns)) as u64
    }

    fn padded_rows(&self) -> usize {
        self.bands as usize * self.height as usize
    }

    /// Returns a tile of a matrix of `m` rows and `n` columns, by the numbers of its row and of its column of tiles.
    pub(crate) fn rectangle(&self, [m, n]: [usize; 2], [strip, number]: [usize; 2]) -> Rectangle {
        let tile = self.tile as usize;
        let part = |number: usize, end: usize| number * tile..((number + 1) * tile).min(end);
        Rectangle { rows: part(strip, m), columns: part(number, n) }
    }
}

/// A function that returns a range of words of a buffer, for any thread.
pub(crate) trait FetchWords: Fn(KeptBuffer, Range<usize>) -> Result<Vec<u32>, Halt> + Sync {}

impl<F: Fn(KeptBuffer, Range<usize>) -> Result<Vec<u32>, Halt> + Sync> FetchWords for F {}

/// The kept edges of a matrix, whose words the function `fetch` returns.
pub(crate) struct KeptWords<F> {
    pub(crate) tiles: KeptTiles,
    /// Numbers of rows and columns of the matrix.
    pub(crate) lengths: [usize; 2],
    pub(crate) fetch: F,
}

impl<F: FetchWords> KeptWords<F> {
    /// Returns the words along the edges of a tile, by the numbers of its row and of its column of tiles.
    ///
    /// # Errors
    /// Returns the errors of `fetch`.
    pub(crate) fn tile(&self, [strip, number]: [usize; 2]) -> Result<TileWords, Halt> {
        let Self { tiles, fetch, .. } = self;
        let rectangle = tiles.rectangle(self.lengths, [strip, number]);
        let mut words = TileWords { above: None, left: None, corner: None };
        if let Some(above) = strip.checked_sub(1) {
            let start = above * tiles.stride as usize;
            words.above = Some(fetch(KeptBuffer::Rows, start + rectangle.columns.start..start + rectangle.columns.end)?);
        }
        if let Some(before) = number.checked_sub(1) {
            let corners = usize::from(strip > 0);
            let start = before * tiles.padded_rows();
            let mut left = fetch(KeptBuffer::Columns, start + rectangle.rows.start - corners..start + rectangle.rows.end)?;
            words.corner = left.drain(..corners).next();
            words.left = Some(left);
        }
        Ok(words)
    }

    /// Returns the number of columns before the place where an alignment probably crosses the end of a row of tiles that is
    /// not the last one. The value is highest there, near the straight line between both corners. Two neighbours with equal
    /// values have the difference h = `twice_level` / 2 in their word.
    ///
    /// # Errors
    /// Returns the errors of `fetch`.
    fn likely_columns(&self, strip: usize, twice_level: i64) -> Result<usize, Halt> {
        let [m, n] = self.lengths;
        let row = (strip + 1) * self.tiles.tile as usize;
        let line = (n as u64 * row as u64 / m as u64) as usize;
        let columns = line.saturating_sub(MAX_DEVIATION)..(line + MAX_DEVIATION).min(n);
        let start = strip * self.tiles.stride as usize;
        let words = (self.fetch)(KeptBuffer::Rows, start + columns.start..start + columns.end)?;
        let values = words.iter().scan(0, |value, word| {
            *value += 2 * i64::from(word & 0xffff) - twice_level;
            Some(*value)
        });
        let best = values.enumerate().max_by_key(|(_, value)| *value);
        Ok(columns.start + best.map_or(0, |(place, _)| place + 1))
    }
}

/// The words along the edges of a tile. A word holds two differences of a cell as in `differences.cu`. Its lower half has h
/// along rows or v along columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TileWords {
    /// Words along the row above the tile, or `None` for a tile in the first row.
    pub(crate) above: Option<Vec<u32>>,
    /// Words along the column before the tile, or `None` for a tile in the first column.
    pub(crate) left: Option<Vec<u32>>,
    /// The word of the column before the tile in the row above, if there are both.
    pub(crate) corner: Option<u32>,
}
