//! Pairs of symbols that no further piece of a local alignment may have, because a better piece has them (Waterman and
//! Eggert 1987).

use std::ops::Range;

use super::coded::Direction;
use crate::alignment::{Alignment, CigarOp};

/// Pairs of neighbouring symbols: the symbols at `a` + k and at `b` + k, for each k below `len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairRun {
    a: usize,
    b: usize,
    len: usize,
}

/// The pairs of all better pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedPairs {
    /// For each piece its runs of pairs, in the order of both texts.
    pieces: Vec<Vec<PairRun>>,
}

impl ExcludedPairs {
    /// Adds the pairs of an alignment. Takes O(runs of columns) time.
    pub(crate) fn add(&mut self, alignment: &Alignment) {
        let (mut a, mut b) = (alignment.a_start() as usize, alignment.b_start() as usize);
        let mut runs: Vec<PairRun> = Vec::new();
        for &CigarOp { edit, len } in alignment.cigar_ops() {
            let (rows, columns) = edit.consumed_symbols();
            let len = len as usize;
            match runs.last_mut() {
                _ if rows + columns < 2 => {}
                Some(last) if (last.a + last.len, last.b + last.len) == (a, b) => last.len += len,
                _ => runs.push(PairRun { a, b, len }),
            }
            (a, b) = (a + rows as usize * len, b + columns as usize * len);
        }
        self.pieces.push(runs);
    }

    /// Returns whether no pair is excluded.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Lists the excluded pairs of symbols in a range of each text.
    pub(crate) fn within<'t>(&'t self, a: &Range<usize>, b: &Range<usize>) -> impl Iterator<Item = (usize, usize)> + use<'t> {
        let (a, b) = (a.clone(), b.clone());
        self.pieces.iter().flat_map(move |runs| {
            let first = runs.partition_point(|run| run.a + run.len <= a.start);
            let (a, b) = (a.clone(), b.clone());
            runs[first..].iter().take_while(move |run| run.a < a.end).flat_map({
                let a = a.clone();
                move |run| {
                    let from = a.start.saturating_sub(run.a).max(b.start.saturating_sub(run.b));
                    let to = run.len.min(a.end - run.a).min(b.end.saturating_sub(run.b));
                    (from..to).map(|at| (run.a + at, run.b + at))
                }
            })
        })
    }
}

/// The excluded pairs as cells of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExcludedCells<'t> {
    pub(super) pairs: &'t ExcludedPairs,
    pub(super) direction: Direction,
    /// Positions in both texts where the rows and the columns begin. If the texts are read backwards, the first row has the
    /// symbol before that position.
    pub(super) origin: [usize; 2],
}

impl ExcludedCells<'_> {
    /// Lists the excluded cells of the rectangle `rows` × `columns` as row and column in this rectangle, in the order of rows.
    pub(super) fn within(&self, rows: &Range<usize>, columns: &Range<usize>) -> Vec<(usize, usize)> {
        let [a, b] = self.origin;
        let mut cells: Vec<(usize, usize)> = match self.direction {
            Direction::Forwards => {
                let (a, b) = (a + rows.start..a + rows.end, b + columns.start..b + columns.end);
                self.pairs.within(&a, &b).map(|(i, j)| (i - a.start, j - b.start)).collect()
            }
            Direction::Backwards => {
                let (a, b) = (a - rows.end..a - rows.start, b - columns.end..b - columns.start);
                self.pairs.within(&a, &b).map(|(i, j)| (a.end - 1 - i, b.end - 1 - j)).collect()
            }
        };
        cells.sort_unstable();
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_both_directions() {
        let mut pairs = ExcludedPairs::default();
        pairs.add(&"2=1X1D2=".parse::<Alignment>().unwrap().starting_at(10, 20));
        pairs.add(&"1I3=".parse::<Alignment>().unwrap().starting_at(10, 21));
        let all: Vec<_> = pairs.within(&(0..100), &(0..100)).collect();
        let first = [(10, 20), (11, 21), (12, 22), (14, 23), (15, 24)];
        assert_eq!(all, [&first[..], &[(10, 22), (11, 23), (12, 24)]].concat());
        assert_eq!(pairs.within(&(11..15), &(22..24)).collect::<Vec<_>>(), [(12, 22), (14, 23), (11, 23)]);
        let cells = |direction, origin| ExcludedCells { pairs: &pairs, direction, origin }.within(&(1..5), &(2..4));
        assert_eq!(cells(Direction::Forwards, [10, 20]), [(0, 1), (1, 0), (3, 1)]);
        // The rows 1 to 4 are the symbols 14 to 11, and the columns 2 and 3 the symbols 22 and 21.
        assert_eq!(cells(Direction::Backwards, [16, 25]), [(2, 0), (3, 1)]);
    }
}
