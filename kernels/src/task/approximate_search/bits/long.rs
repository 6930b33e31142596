//! Long patterns: the whole matrix as one wavefront, where pieces of the text would overlap by more than they are long.
//!
//! Rows are the text's, columns the pattern's, so that the last column holds the distances at the ends.

use super::ends::{Ends, Want};
use super::letter::Letter;
use crate::run::{Halt, Run};
use crate::task::edit_distance::Myers;
use crate::wavefront::border::Border;
use crate::wavefront::grid::{Band, Grid, Keep};
use crate::wavefront::tile::Tiling;
use crate::wavefront::{self, Differences, WORD};

/// The ends in the whole text, none of the texts empty. Time O(m n / 64), memory O(m + n).
///
/// # Errors
/// When the run is stopped.
pub(super) fn sweep<T: Letter>(a: &[T], b: &[T], want: Want, bound: u64, threads: usize, run: &Run) -> Result<Ends, Halt> {
    let (m, n) = (a.len(), b.len());
    let mut grid = Grid::<T, Myers, 2>::new(b, a, Tiling::fitting::<Myers, 2>(m.min(n), wavefront::Want::Distance, None), threads);
    grid.left = Differences([0, 0]);
    let bytes = grid.bytes() + n as u64 / 4;
    run.hold(bytes);
    let band = Band::within((m + n) as u64, n, m);
    let sweep = grid.sweep(0..grid.strips(), Border::top(), band, m, Keep::Right, run)?;
    let mut ends = Ends::new(want, bound, 0);
    // Row i is the end after i + 1 symbols: a word of ends begins one row early.
    let (mut value, mut before) = (m as u64, [0; 2]);
    let rows = sweep.right().flatten().map(|word| word.0).chain([[0; 2]]);
    for (word, differences) in rows.take(n / WORD + 1).enumerate() {
        let side = |side: usize| differences[side] << 1 | before[side] >> (WORD - 1);
        let [p, n] = [side(0), side(1)];
        ends.take(word, value, [p, n], super::sweep::valid(b.len(), word));
        value = value + u64::from(p.count_ones()) - u64::from(n.count_ones());
        before = differences;
    }
    ends.finish(n);
    run.release(bytes);
    Ok(ends)
}
