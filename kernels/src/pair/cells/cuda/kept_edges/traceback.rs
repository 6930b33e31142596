//! Traceback: an alignment from kept edges on several threads.
//!
//! An alignment is traced tile by tile from the last cell to the first. Where it leaves a tile depends only on the cell in
//! which it enters. So each thread traces a part of the rows, from the cell where the alignment probably enters them. From
//! any other cell, the best alignment usually joins the requested one after few rows. The requested alignment is then put
//! together from the tiles that were traced, and only those that it enters in other cells are traced again.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::{FetchWords, KeptWords};
use crate::alignment::{Alignment, EditKind};
use crate::cpu::try_spread;
use crate::run::Halt;

/// Minimum number of rows of tiles in a part.
const MIN_STRIPS: usize = 4;

/// Maximum number of tiles that a thread traces in a part, for each row of tiles. An alignment from a wrong cell may cross
/// many tiles of a row.
const MAX_TILES_PER_STRIP: usize = 4;

/// A place on an alignment, which is traced backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PathPlace<L> {
    /// Number of symbols of the rows that are not aligned yet.
    pub(crate) i: usize,
    /// Number of symbols of the columns that are not aligned yet.
    pub(crate) j: usize,
    /// What the traceback needs to know about the alignment so far.
    pub(crate) last: L,
}

/// Parts of an alignment, each with the cell at which it ends.
type TracedTiles<L> = Vec<(PathPlace<L>, TracedTile<L>)>;

/// The part of an alignment in a tile.
#[derive(Clone, Debug)]
pub(crate) struct TracedTile<L> {
    /// Columns of the alignment, from the last to the first.
    pub(crate) backwards: Alignment,
    /// The place where the alignment leaves the tile.
    pub(crate) next: PathPlace<L>,
}

impl<F: FetchWords> KeptWords<F> {
    /// Finds an alignment of both whole texts on at most `threads` threads. `tracer` returns a function that traces an
    /// alignment through a tile, from a place in it. This function may use the given number of threads. Two neighbours of a
    /// row with equal values have the difference h = `twice_level` / 2 in their word.
    ///
    /// # Errors
    /// Returns the errors of the functions.
    pub(crate) fn trace<L, T>(&self, twice_level: i64, threads: usize, tracer: impl Fn(usize) -> T + Sync) -> Result<Alignment, Halt>
    where
        L: Copy + Default + Eq + Hash + Send,
        T: FnMut(PathPlace<L>) -> Result<TracedTile<L>, Halt>,
    {
        let [m, n] = self.lengths;
        let tile = self.tiles.tile as usize;
        let strips = m.div_ceil(tile);
        let part = strips.div_ceil(threads).max(MIN_STRIPS);
        let parts: Vec<Range<usize>> = (0..strips).step_by(part).map(|start| start..(start + part).min(strips)).collect();
        let trace_part = |strips: &Range<usize>| -> Result<TracedTiles<L>, Halt> {
            let mut trace = tracer(1);
            let row = strips.end * tile;
            let (i, j) = if row < m { (row, self.likely_columns(strips.end - 1, twice_level)?) } else { (m, n) };
            let mut place = PathPlace { i, j, last: L::default() };
            let mut traced = Vec::new();
            while place.i > strips.start * tile && place.j > 0 && traced.len() < strips.len() * MAX_TILES_PER_STRIP {
                let through = trace(place)?;
                let next = through.next;
                traced.push((place, through));
                place = next;
            }
            Ok(traced)
        };
        let traced = if parts.len() > 1 { try_spread(&parts, threads, trace_part)? } else { Vec::new() };
        let traced: HashMap<PathPlace<L>, TracedTile<L>> = traced.into_iter().flatten().collect();
        let mut trace = tracer(threads);
        let mut place = PathPlace { i: m, j: n, last: L::default() };
        let mut backwards = Alignment::default();
        while place.i > 0 && place.j > 0 {
            let through = match traced.get(&place) {
                Some(through) => through.clone(),
                None => trace(place)?,
            };
            backwards.extend(&through.backwards);
            place = through.next;
        }
        backwards.push(EditKind::Delete, place.i as u64);
        backwards.push(EditKind::Insert, place.j as u64);
        Ok(backwards.reversed())
    }
}
