//! Kept edges: the edges of square tiles that a sweep keeps on the GPU for the traceback.
//!
//! A word holds two differences of a cell, as the cost of a gap minus the difference: z in its upper half, and in its
//! lower half h along rows or v along columns.

use std::ops::Range;

use super::super::sweep::{Edges, Matrix};
use crate::pair::cells::Cell;
use crate::run::Halt;

/// The places of the edges of square tiles in two buffers of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptTiles {
    /// Height and width of a tile, a multiple of the height of a band.
    pub(super) tile: u32,
    /// Number of rows of a band.
    pub(super) height: u32,
    /// Number of bands.
    pub(super) bands: u32,
    /// Number of words of a row.
    pub(super) stride: u32,
}

/// The buffer that has a word of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptBuffer {
    /// Words along the last row of each row of tiles, except the last one.
    Rows,
    /// Words along the last column of each column of tiles, except the last one.
    Columns,
}

impl KeptTiles {
    /// Returns the number of bands in a row of tiles.
    pub(super) fn strip(&self) -> u32 {
        self.tile / self.height
    }

    /// Returns the number of words of `buffer`.
    pub(super) fn words(&self, buffer: KeptBuffer) -> usize {
        match buffer {
            KeptBuffer::Rows => (self.bands.div_ceil(self.strip()) - 1) as usize * self.stride as usize,
            KeptBuffer::Columns => (self.stride.div_ceil(self.tile) - 1) as usize * self.padded_rows(),
        }
    }

    /// Returns the memory of both buffers in bytes.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.words(KeptBuffer::Rows) + self.words(KeptBuffer::Columns)) as u64
    }

    fn padded_rows(&self) -> usize {
        self.bands as usize * self.height as usize
    }

    /// Returns the edges of the tile in the row of tiles `strip` and the column of tiles `number`. `fetch` returns a range
    /// of words of a buffer. `gap` is the cost of a gap.
    ///
    /// # Errors
    /// Returns the errors of `fetch`.
    pub(super) fn edges<C: Cell>(
        &self,
        matrix: &Matrix<C>,
        gap: u32,
        [strip, number]: [usize; 2],
        fetch: impl Fn(KeptBuffer, Range<usize>) -> Result<Vec<u32>, Halt>,
    ) -> Result<Edges<C>, Halt> {
        let lower = |word: u32| C::from_number(gap as i32 - (word & 0xffff) as i32);
        let upper = |word: u32| C::from_number(gap as i32 - (word >> 16) as i32);
        let rectangle = matrix.tile(self.tile as usize, strip, number);
        let mut edges = matrix.gaps(&rectangle.rows, &rectangle.columns);
        if let Some(above) = strip.checked_sub(1) {
            let start = above * self.stride as usize;
            let words = fetch(KeptBuffer::Rows, start + rectangle.columns.start..start + rectangle.columns.end)?;
            edges.h.iter_mut().rev().zip(&words).for_each(|(h, word)| *h = lower(*word));
            edges.above.iter_mut().zip(&words).for_each(|(z, word)| *z = upper(*word));
        }
        if let Some(before) = number.checked_sub(1) {
            // The word before the first row has the difference z of the corner.
            let corners = usize::from(strip > 0);
            let start = before * self.padded_rows();
            let words = fetch(KeptBuffer::Columns, start + rectangle.rows.start - corners..start + rectangle.rows.end)?;
            let (corner, words) = words.split_at(corners);
            edges.corner = corner.first().map_or(edges.corner, |word| upper(*word));
            edges.v.iter_mut().zip(words).for_each(|(v, word)| *v = lower(*word));
            edges.left.iter_mut().zip(words).for_each(|(z, word)| *z = upper(*word));
        }
        Ok(edges)
    }
}
