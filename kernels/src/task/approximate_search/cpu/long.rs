//! Long patterns: the whole matrix as one wavefront, because pieces of the text would overlap by more than they are
//! long.
//!
//! Rows belong to the text and columns to the pattern, so that the last column holds the distances at the ends.

use std::ops::Range;

use super::best_so_far::SharedEndCount;
use super::ends::{EndFilter, PieceEnds};
use super::sweep::ApproximateQuery;
use crate::pair::cpu::band::Band;
use crate::pair::cpu::border::StripBorder;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::pair::cpu::sweep::KeptBorders;
use crate::pair::cpu::tiling::Tiling;
use crate::pair::cpu::{WORD, WordDifferences};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Finds the ends of hits of the pattern `a` in the 64-column words `words` of the text. Neither text may be empty. Takes
/// O(m n / 64) time and O(m + n) memory for n columns, which include those that are swept before `words`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn sweep<T: Symbol>(
    query: &ApproximateQuery<T>,
    a: &[T],
    words: Range<usize>,
    threads: usize,
    run: &Run,
) -> Result<PieceEnds, Halt> {
    let want = query.want;
    let first = words.start.saturating_sub(query.warm_up_words());
    let b = &query.text[first * WORD..(words.end * WORD - 1).min(query.text.len())];
    let (m, n) = (a.len(), b.len());
    let observer = |corner: u64, border: &[WordDifferences<2>], rows: usize| {
        let ends = part(PieceEnds::new(EndFilter { places: false, ..want }, query.best_so_far.bound(), 1), corner, border, rows);
        query.best_so_far.share(&[ends], &mut SharedEndCount::default());
        query.best_so_far.report(run)
    };
    let mut grid = StripGrid::<T, MyersRecurrence, 2>::new(
        b,
        a,
        Tiling::fitting::<MyersRecurrence, 2>(m.min(n), crate::pair::cpu::PairOutput::Distance, None),
        threads,
    );
    grid.left = WordDifferences([0, 0]);
    grid.observer = Some(&observer);
    let bytes = grid.bytes() + n as u64 / 4;
    run.hold(bytes);
    let band = Band::for_edits((m + n) as u64, n, m);
    let sweep = grid.sweep(0..grid.strips(), StripBorder::top(), band, m, KeptBorders::Right, run)?;
    let mut ends = PieceEnds::new(want, query.limit, words.start);
    // Row i is the end after i + 1 symbols, so that a word of ends begins one row before a word of rows.
    let (mut value, mut before) = (m as u64, [0; 2]);
    let rows = sweep.right().flatten().map(|word| word.0).chain([[0; 2]]);
    for (word, differences) in (first..words.end).zip(rows) {
        let side = |side: usize| differences[side] << 1 | before[side] >> (WORD - 1);
        let [p, n] = [side(0), side(1)];
        if words.contains(&word) {
            ends.take(word, value, [p, n], super::sweep::valid(query.text.len(), word));
        }
        value = value + u64::from(p.count_ones()) - u64::from(n.count_ones());
        before = differences;
    }
    if words.end == query.words() {
        ends.finish(query.text.len());
    }
    run.release(bytes);
    Ok(ends)
}

/// Returns `ends` with the hits in a strip (`rows` rows of the matrix) added, for a progress report. `last` is the
/// distance at the last row in the last column, and `border` holds the differences down this column.
fn part(mut ends: PieceEnds, last: u64, border: &[WordDifferences<2>], rows: usize) -> PieceEnds {
    let valid = |word: usize| if rows >= (word + 1) * WORD { !0 } else { (1 << (rows % WORD)) - 1 };
    let words = || border.iter().take(rows.div_ceil(WORD)).enumerate().map(|(word, side)| side.0.map(|side| side & valid(word)));
    let ones = |side: u64| u64::from(side.count_ones());
    let mut value = last + words().map(|[_, n]| ones(n)).sum::<u64>() - words().map(|[p, _]| ones(p)).sum::<u64>();
    for (word, [p, n]) in words().enumerate() {
        // Numbers the words from 1, so that a change at the first column is a change from the column before.
        ends.take(word + 1, value, [p, n], valid(word));
        value = value + ones(p) - ones(n);
    }
    ends
}
