//! FewEnds edits: of k + 1 pieces of the pattern one occurs as it is within every substring that is k edits away (Wu and Manber 1992).
//!
//! ```text
//! piece a[o..o + l] at b[p..p + l]     ⇒ an end within k edits lies in  p − o + m − k ..= p − o + m + k
//! words with such ends                 are swept
//! all others                           hold greater values only
//! ```
//!
//! Where minima are wanted, the column after such an end is swept too: the rise that shows a minimum may be the first of the next word.
//!
//! Looking for pieces runs near the speed of reading. Where so many words may hold ends that sweeping them one by one costs more
//! than sweeping all, as in repetitions, all are swept, and the next look is taken later and later while that stays so.

use std::ops::Range;

use super::best_so_far::Shared;
use super::ends::Ends;
use super::rows::{LANES, WORD};
use super::seeds::{self, Frequencies, MOST, SHORTEST, Scratch, Seeds};
use super::sweep::{Pieces, Query, TICK, split};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Longest pattern: what is swept for one word grows with its square.
const LONGEST: usize = 1 << 12;

/// Shortest text: the seeds take some time to be made.
const SHORTEST_TEXT: usize = 1 << 12;

/// Words between two looks, and the most that a look may be put off to.
const WORDS: usize = 1 << 10;
const PUT_OFF: usize = 1 << 6;

/// Most pieces that are compared for a position: more take as long as looking for them.
const COMPARED: f64 = 0.01;

/// Words that are swept one by one cost so many times as much as words in a row, for the columns before each.
const ONE_BY_ONE: usize = 4;

/// The pieces of a pattern, where looking for them first is expected to pay for `k` edits. Symbols are below `alphabet`.
pub(super) fn pieces<'t, T: Symbol>(a: &'t [T], b: &[T], alphabet: u32, k: u64) -> Option<Seeds<'t, T>> {
    let number = usize::try_from(k).ok()? + 1;
    if !seeds::are_quick() || number > MOST || a.len() < number * SHORTEST || a.len() > LONGEST || b.len() < SHORTEST_TEXT {
        return None;
    }
    let places: Vec<Range<usize>> = (0..number).map(|at| a.len() * at / number..a.len() * (at + 1) / number).collect();
    let seeds = Seeds::new(a, &places, alphabet, &Frequencies::of(b));
    let early = (a.len() + 2 * number).div_ceil(WORD);
    let words = seeds.expected() * (WORD + 2 * number) as f64;
    let few = words * (2 * ONE_BY_ONE * (early + 1)) as f64 <= 1.0 && seeds.compared() <= COMPARED;
    few.then_some(seeds)
}

impl<T: Symbol> Query<'_, T> {
    /// As [`sweep`](Self::sweep), by the pieces that occur.
    ///
    /// # Errors
    /// When the run is stopped.
    pub(super) fn filtered(&self, seeds: &Seeds<T>, words: &Range<usize>, run: &Run) -> Result<Vec<Ends>, Halt> {
        let mut all: Vec<Ends> = Vec::new();
        let mut scratch = Scratch::default();
        let (mut put_off, mut cells, mut shared) = (0, 0, 0);
        let mut at = words.start;
        while at < words.end {
            let blind = at..(at + put_off * WORDS).min(words.end);
            if !blind.is_empty() {
                self.together(&[split(&blind)], &mut all, run)?;
            }
            let part = blind.end..(blind.end + WORDS.max(8 * self.early())).min(words.end);
            let near = self.near(seeds, &part, &mut scratch);
            let number: usize = near.iter().map(ExactSizeIterator::len).sum();
            let cost = (number + near.len() * self.early()) * ONE_BY_ONE;
            if cost > part.len() + LANES * self.early() {
                self.together(&[split(&part)], &mut all, run)?;
                put_off = (2 * put_off).clamp(1, PUT_OFF);
            } else {
                let groups = near.chunks(LANES).map(|group| std::array::from_fn(|lane| group.get(lane).cloned().unwrap_or(0..0)));
                self.together(&groups.collect::<Vec<_>>(), &mut all, run)?;
                put_off = 0;
            }
            // Words that are left out count as swept.
            cells += ((part.end - at) * WORD * self.pattern.rows.len()) as u64;
            at = part.end;
            if cells >= TICK || at == words.end {
                self.best_so_far.share(&all[shared..], &mut Shared::default());
                run.tick(cells)?;
                self.best_so_far.report(run)?;
                (cells, shared) = (0, all.len());
            }
        }
        Ok(all)
    }

    /// The words of a part that may hold ends, or show that those are minima; neighbouring ones together.
    fn near(&self, seeds: &Seeds<T>, part: &Range<usize>, scratch: &mut Scratch) -> Vec<Range<usize>> {
        let (m, k) = (self.pattern.rows.len() as isize, self.best_so_far.bound() as isize);
        let columns = (part.start * WORD) as isize..(part.end * WORD) as isize;
        // An end in the last column before this part is a minimum by the first word of it.
        let after = isize::from(self.want.minima);
        let mut words = Vec::new();
        seeds.find(self.text, columns.start - m - k - after..columns.end - m + k, scratch, |start| {
            let first = (start + m - k).max(columns.start) as usize / WORD;
            let last = (start + m + k + after).min(columns.end - 1) as usize / WORD;
            words.push(first..last + 1);
        });
        words.sort_unstable_by_key(|words: &Range<usize>| words.start);
        words.dedup_by(|next, words| {
            let joins = next.start <= words.end;
            if joins {
                words.end = words.end.max(next.end);
            }
            joins
        });
        words
    }

    /// Appends the ends in some pieces.
    fn together(&self, groups: &[Pieces], all: &mut Vec<Ends>, run: &Run) -> Result<(), Halt> {
        for pieces in groups {
            let ends = self.pieces(pieces, &mut |cells, _| {
                if cells >= TICK {
                    run.tick(0)?;
                }
                Ok(self.best_so_far.bound())
            })?;
            // Words without ends are as good as words that were left out.
            all.extend(ends.into_iter().filter(|ends| ends.least() <= ends.bound));
        }
        Ok(())
    }
}
