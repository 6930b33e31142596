//! An optimal alignment from the edges of tiles that a GPU has kept.

use super::trace::Path;
use super::{FreeEdges, Matrix, RectangleEdges};
use crate::alignment::Alignment;
use crate::pair::cells::Cell;
use crate::pair::cells::cuda::kept_edges::{FetchWords, KeptTiles, KeptWords, TileWords};
use crate::run::{Halt, Run};

impl<C: Cell> Matrix<C> {
    /// Finds an optimal alignment of both whole texts from the edges that a GPU has kept as `words`, on at most `threads`
    /// threads. In the alignment, `Equal` stands for all pairs.
    ///
    /// # Errors
    /// Returns an error if the words cannot be fetched or the run is stopped.
    pub(in super::super) fn align_from_words(
        &self,
        words: &KeptWords<impl FetchWords>,
        threads: usize,
        run: &Run,
    ) -> Result<Alignment, Halt> {
        let outer = self.outer_edges(FreeEdges::NONE);
        let tile = words.tiles.tile as usize;
        let twice_level = 2 * (i64::from(self.open.number()) + self.extend);
        words.trace(twice_level, threads, |threads| {
            let (outer, mut path) = (&outer, Path::new(self, threads, run));
            move |place| {
                let edges = |strip, number| Ok(self.edges_of(outer, &words.tiles, [strip, number], &words.tile([strip, number])?));
                path.trace_tile_at(place, tile, edges)
            }
        })
    }

    /// Returns the edges of a tile. Those that the GPU has not kept are parts of `outer`.
    fn edges_of(&self, outer: &RectangleEdges<C>, tiles: &KeptTiles, place: [usize; 2], words: &TileWords) -> RectangleEdges<C> {
        let open = self.open.number();
        let (m, n) = (self.texts.m, self.texts.n);
        let rectangle = tiles.rectangle([m, n], place);
        let lower = |word: u32| C::from_number((word & 0xffff) as i32 - open);
        // Without a cost of opening, both differences are equal and the GPU keeps only one.
        let upper = |word: u32| if open == 0 { lower(word) } else { C::from_number((word >> 16) as i32 - 2 * open) };
        let mut edges = RectangleEdges { left: outer.left.part(&rectangle.rows), above: outer.above.part(&rectangle.columns, n) };
        if let Some(words) = &words.above {
            let columns = rectangle.columns.len();
            let (h, e) = (&mut edges.above.h[..columns], &mut edges.above.e[..columns]);
            for ((h, e), word) in h.iter_mut().zip(e).rev().zip(words) {
                (*h, *e) = (lower(*word), upper(*word));
            }
        }
        if let Some(words) = &words.left {
            for ((v, f), word) in edges.left.v.iter_mut().zip(&mut edges.left.f).zip(words) {
                (*v, *f) = (lower(*word), upper(*word));
            }
        }
        edges
    }
}
