//! Long patterns: the whole matrix as one wavefront, where pieces of the text would overlap by more than they are long.
//!
//! Rows are the text's, columns the pattern's, so that the last column holds the distances at the ends.

use super::ends::{Ends, Want};
use super::letter::Letter;
use crate::found::Hit;
use crate::run::{Halt, Run, Silent};
use crate::task::edit_distance::Myers;
use crate::wavefront::border::Border;
use crate::wavefront::grid::{Band, Grid, Keep};
use crate::wavefront::tile::Tiling;
use crate::wavefront::{self, Differences, WORD};

/// Edits that the first band of a start allows; it grows by a factor where they are not enough.
const FIRST_BAND: usize = 512;
const GROWTH: usize = 4;

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

/// The hit of `a` at an end in `b`, in the bands of growing numbers of edits. Time O(m d / 64), d the distance.
///
/// # Errors
/// None, since nobody can stop it.
pub(super) fn hit<T: Letter>(a: &[T], b: &[T], end: u64) -> Result<Hit, Halt> {
    let m = a.len();
    let pattern: Vec<T> = a.iter().rev().copied().collect();
    let mut k = FIRST_BAND.min(m);
    loop {
        let text: Vec<T> = b[(end as usize).saturating_sub(m + k)..end as usize].iter().rev().copied().collect();
        let (least, length) = nearest(&pattern, &text, k)?;
        if least <= k as u64 || k >= m {
            return Ok(Hit { start: end - length, end, distance: least });
        }
        k = (GROWTH * k).min(m);
    }
}

/// The least distance of a pattern to a prefix of a text, and the length of the shortest such prefix; exact where it is within `k`.
fn nearest<T: Letter>(pattern: &[T], text: &[T], k: usize) -> Result<(u64, u64), Halt> {
    let (m, n) = (pattern.len(), text.len());
    let nothing = (m as u64, 0);
    if n + k < m || n == 0 {
        return Ok(nothing);
    }
    let grid = Grid::<T, Myers, 2>::new(text, pattern, Tiling::fitting::<Myers, 2>(m.min(n), wavefront::Want::Distance, None), 1);
    let band = Band::within((2 * k + m.abs_diff(n)) as u64, n, m);
    let sweep = grid.sweep(0..grid.strips(), Border::top(), band, m, Keep::Right, &Run::new(&Silent))?;
    // The last column from the bottom up, as far as the band reaches it.
    let words: Vec<[u64; 2]> = sweep.right().flatten().map(|word| word.0).collect();
    let filled = sweep.right().map(|words| words.len() * WORD).sum::<usize>();
    let rows = grid.strips() * grid.height.rows();
    let (mut value, mut best) = (sweep.corner, nothing);
    for row in (rows - filled..n).rev() {
        if value <= best.0 {
            best = (value, row as u64 + 1);
        }
        let at = row - (rows - filled);
        let [p, n] = words[at / WORD];
        value = value + (n >> (at % WORD) & 1) - (p >> (at % WORD) & 1);
    }
    // No symbol at all is the shortest prefix.
    Ok(if best.0 >= nothing.0 { nothing } else { best })
}
