//! The distance at every end, for profiles: the whole matrix, word by word down each column of the text.
//!
//! A search leaves out parts of the matrix without hits, so that it knows few of these distances. They are computed
//! again for the requested ends, on one thread, up to a limit of cells. A substring with the least distance at an end
//! has at most 2 m symbols. The sweep therefore begins 2 m symbols before the first end, where its distances are exact.

use std::ops::Range;

use crate::base_set::SymbolMatch;
use crate::failure::{JobFailure, large};
use crate::pair::cpu::recurrence::unit_cost::VerticalWord;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum number of matrix cells that one request may sweep, which takes some tenths of a second.
const MAX_DISTANCE_CELLS: u64 = 1 << 32;

/// Maximum size of the pattern's equality masks, in machine words: 8 MiB.
const MAX_MASK_WORDS: usize = 1 << 20;

/// Number of matrix cells between two progress reports.
const TICK: u64 = 1 << 24;

/// A request for the distances at ends: the texts, and the run to which it reports its progress.
pub(in crate::task::approximate_search) struct EndDistances<'t, T> {
    pub(in crate::task::approximate_search) a: &'t [T],
    pub(in crate::task::approximate_search) b: &'t [T],
    /// Exclusive upper bound of the symbols of both texts.
    pub(in crate::task::approximate_search) alphabet: u32,
    /// The rule by which symbols match.
    pub(in crate::task::approximate_search) symbol_match: SymbolMatch,
    pub(in crate::task::approximate_search) run: &'t Run<'t>,
}

impl<T: Symbol> EndDistances<'_, T> {
    /// Calls `with` for each end in `ends`, with the end and its distance. Ends beyond the text are ignored. Takes O(m
    /// · (ends + 2 m) / 64) time.
    ///
    /// # Errors
    /// Returns `TooLarge`, before any distance is computed, if the sweep would take too many cells or the masks too
    /// much memory. Returns an error if the run is stopped.
    pub(in crate::task::approximate_search) fn for_each_end(&self, ends: Range<u64>, mut with: impl FnMut(u64, u64)) -> Result<(), Halt> {
        let (m, all) = (self.a.len(), self.b.len() as u64 + 1);
        let (from, end) = (ends.start.min(all), ends.end.min(all));
        if from >= end {
            return Ok(());
        }
        let before = from.saturating_sub(2 * m as u64);
        let cells = (end - before).saturating_mul(m as u64);
        if cells > MAX_DISTANCE_CELLS {
            return Err(too_large(large::DISTANCES, cells, MAX_DISTANCE_CELLS));
        }
        self.run.raise_expected(cells);
        if before >= from {
            with(before, m as u64);
        }
        if m == 0 {
            (from + 1..end).for_each(|at| with(at, 0));
            return Ok(());
        }
        let words = m.div_ceil(64);
        let (slots, masks) = self.masks(words)?;
        let mut column = vec![VerticalWord::FIRST; words];
        let last = (m - 1) % 64;
        let mut distance = m as u64;
        let mut since = 0;
        for (symbol, at) in self.b[before as usize..end as usize - 1].iter().zip(before + 1..) {
            let slot = slots[symbol.number() as usize] as usize;
            let mut out = [0; 2];
            for (word, eq) in column.iter_mut().zip(&masks[slot * words..]) {
                out = word.step(*eq, out.map(|side| side >> 63));
            }
            let [rise, fall] = out.map(|side| side >> last & 1);
            distance = distance + rise - fall;
            if at >= from {
                with(at, distance);
            }
            since += m as u64;
            if since >= TICK {
                self.run.tick(since)?;
                since = 0;
            }
        }
        self.run.tick(since)
    }

    /// Computes the equality masks of the pattern: for each of its distinct symbols, `words` machine words with a bit
    /// for each row. Returns the mask number of each symbol of the alphabet, and all masks. Mask number 0 is for
    /// symbols that are not in the pattern.
    ///
    /// # Errors
    /// Returns `TooLarge` if the masks would take too much memory.
    fn masks(&self, words: usize) -> Result<(Vec<u32>, Vec<u64>), Halt> {
        if self.symbol_match == SymbolMatch::Overlap {
            return Ok(self.masks_of_sets(words));
        }
        let mut slots = vec![0u32; self.alphabet as usize];
        let mut distinct = 1;
        for symbol in self.a {
            let slot = &mut slots[symbol.number() as usize];
            if *slot == 0 {
                *slot = distinct;
                distinct += 1;
            }
        }
        let all = distinct as usize * words;
        if all > MAX_MASK_WORDS {
            return Err(too_large(large::PATTERN, self.a.len() as u64, 1 << 13));
        }
        let mut masks = vec![0; all];
        for (row, symbol) in self.a.iter().enumerate() {
            masks[slots[symbol.number() as usize] as usize * words + row / 64] |= 1 << (row % 64);
        }
        Ok((slots, masks))
    }

    /// Computes masks like [`masks`](Self::masks), one for each set of bases: a bit for each row whose set overlaps.
    fn masks_of_sets(&self, words: usize) -> (Vec<u32>, Vec<u64>) {
        let mut masks = vec![0; self.alphabet as usize * words];
        for (set, masks) in (0..self.alphabet).zip(masks.chunks_exact_mut(words)) {
            for (row, symbol) in self.a.iter().enumerate() {
                masks[row / 64] |= u64::from(self.symbol_match.matches(symbol.number(), set)) << (row % 64);
            }
        }
        ((0..self.alphabet).collect(), masks)
    }
}

fn too_large(what: &str, got: u64, limit: u64) -> Halt {
    JobFailure::TooLarge { what: what.into(), got, limit }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random, serial};
    use crate::run::NoObserver;
    use crate::text::SymbolSlices;

    /// Returns the distances at `ends`, which must be consecutive.
    fn distances(a: &[u8], b: &[u8], ends: Range<u64>) -> Vec<u64> {
        let pair = bytes(a, b);
        let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
        let mut found = Vec::new();
        let run = Run::new(&NoObserver);
        let mut next = ends.start;
        let each = EndDistances { a, b, alphabet: pair.alphabet(), symbol_match: pair.symbol_match, run: &run }.for_each_end(
            ends,
            |at, distance| {
                assert_eq!(at, next);
                next += 1;
                found.push(distance);
            },
        );
        each.unwrap();
        found
    }

    #[test]
    fn distances_agree_with_the_oracle_for_every_range() {
        for m in [0, 1, 2, 63, 64, 65, 127, 128, 129, 200] {
            let b = random(b"ACGT", 700, m as u64);
            let a = mutated(&b[..m], b"ACGT", 0.2, 7);
            let expected: Vec<u64> = serial::approximate_search::ends(&bytes(&a, &b)).iter().map(|hit| hit.distance).collect();
            assert_eq!(distances(&a, &b, 0..u64::MAX), expected, "{m}");
            for (from, end) in [(0, 1), (1, 2), (650, 701), (500, 600), (700, 701), (701, 800)] {
                let expected = &expected[expected.len().min(from)..expected.len().min(end)];
                assert_eq!(distances(&a, &b, from as u64..end as u64), expected, "{m}: {from}..{end}");
            }
        }
    }

    #[test]
    fn query_that_would_take_too_long_is_refused_first() {
        let symbols = vec![0u8; 1 << 17];
        let run = Run::new(&NoObserver);
        let all = EndDistances { a: &symbols[..1 << 16], b: &symbols, alphabet: 1, symbol_match: SymbolMatch::Equal, run: &run };
        assert!(matches!(all.for_each_end(0..u64::MAX, |_, _| ()), Err(Halt::Failed(JobFailure::TooLarge { .. }))));
        let distinct: Vec<u32> = (0..1 << 14).collect();
        let wide = EndDistances { a: &distinct, b: &distinct, alphabet: 1 << 14, symbol_match: SymbolMatch::Equal, run: &run };
        assert!(matches!(wide.for_each_end(0..u64::MAX, |_, _| ()), Err(Halt::Failed(JobFailure::TooLarge { .. }))));
        assert_eq!(run.cells(), 0);
    }
}
