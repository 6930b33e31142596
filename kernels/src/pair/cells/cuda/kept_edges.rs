//! Kept edges: the edges of square tiles that a sweep keeps on the GPU for the traceback.

use std::ops::Range;

use crate::pair::cells::wavefront::Rectangle;
use crate::run::Halt;

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

    /// Returns the words along the edges of a tile of a matrix of `m` rows and `n` columns, by the numbers of its row and
    /// of its column of tiles. `fetch` returns a range of words of a buffer.
    ///
    /// # Errors
    /// Returns the errors of `fetch`.
    pub(crate) fn words_of(
        &self,
        lengths: [usize; 2],
        [strip, number]: [usize; 2],
        fetch: impl Fn(KeptBuffer, Range<usize>) -> Result<Vec<u32>, Halt>,
    ) -> Result<TileWords, Halt> {
        let rectangle = self.rectangle(lengths, [strip, number]);
        let mut words = TileWords { above: None, left: None, corner: None };
        if let Some(above) = strip.checked_sub(1) {
            let start = above * self.stride as usize;
            words.above = Some(fetch(KeptBuffer::Rows, start + rectangle.columns.start..start + rectangle.columns.end)?);
        }
        if let Some(before) = number.checked_sub(1) {
            let corners = usize::from(strip > 0);
            let start = before * self.padded_rows();
            let mut left = fetch(KeptBuffer::Columns, start + rectangle.rows.start - corners..start + rectangle.rows.end)?;
            words.corner = left.drain(..corners).next();
            words.left = Some(left);
        }
        Ok(words)
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
