//! Filter for few edits: every substring within k edits contains at least one of k + 1 pieces of the pattern unchanged
//! (Wu and Manber 1992).
//!
//! ```text
//! piece a[o..o + l] at b[p..p + l]     ⇒ an end within k edits lies in  p − o + m − k ..= p − o + m + k
//! words with such ends                 are swept
//! all other words                      hold greater distances only
//! ```
//!
//! If local minima are requested, the column after such an end is swept too, because the rise that shows a minimum may
//! be the first of the next word.
//!
//! The search for pieces runs near the speed of reading. If many words may hold ends, as in repetitions, it costs more
//! to sweep them one by one than to sweep all words. Then all words are swept, and the next search for pieces is
//! delayed more and more while this continues.

use std::ops::Range;

use super::best_so_far::SharedEndCount;
use super::ends::PieceEnds;
use super::rows::{LANES, WORD};
use super::seeds::{self, MAX_PATTERN_PIECES, MIN_ROW_SYMBOLS, PatternSeeds, SeedScratch, SymbolFrequencies};
use super::sweep::{ApproximateQuery, LanePieces, TICK, split};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum length of a pattern that is searched by its pieces, because the cost of sweeping a single word grows with
/// the square of the length.
const MAX_FILTERED_PATTERN: usize = 1 << 12;

/// Minimum number of symbols in a text that is searched for pieces of the pattern, because their preparation takes
/// time.
const MIN_FILTERED_TEXT: usize = 1 << 12;

/// Number of 64-column words in which pieces are searched at a time.
const WORDS_PER_SEED_SEARCH: usize = 1 << 10;
/// Maximum delay of the next search for pieces, in units of `WORDS_PER_SEED_SEARCH` words.
const MAX_SEARCH_DELAY: usize = 1 << 6;

/// Maximum expected number of pieces that are compared in full per position of the text. More comparisons would take as
/// long as the search for candidates.
const MAX_COMPARED_PIECES: f64 = 0.01;

/// Cost of a word that is swept alone, relative to a word in a long row of words. It is greater because of the columns
/// before the word that are swept to make its distances exact.
const SINGLE_WORD_COST_FACTOR: usize = 4;

/// Divides the pattern `a` into `k` + 1 pieces, where `k` is the maximum distance of a hit. Returns `None` if the
/// search for them in `b` is not expected to save time. The symbols of both texts are below `alphabet`.
pub(super) fn pieces<'t, T: Symbol>(a: &'t [T], b: &[T], alphabet: u32, k: u64) -> Option<PatternSeeds<'t, T>> {
    let number = usize::try_from(k).ok()? + 1;
    if !seeds::are_quick()
        || number > MAX_PATTERN_PIECES
        || a.len() < number * MIN_ROW_SYMBOLS
        || a.len() > MAX_FILTERED_PATTERN
        || b.len() < MIN_FILTERED_TEXT
    {
        return None;
    }
    let places: Vec<Range<usize>> = (0..number).map(|at| a.len() * at / number..a.len() * (at + 1) / number).collect();
    let seeds = PatternSeeds::new(a, &places, alphabet, &SymbolFrequencies::of(b));
    let early = (a.len() + 2 * number).div_ceil(WORD);
    let words = seeds.expected() * (WORD + 2 * number) as f64;
    let few = words * (2 * SINGLE_WORD_COST_FACTOR * (early + 1)) as f64 <= 1.0 && seeds.compared() <= MAX_COMPARED_PIECES;
    few.then_some(seeds)
}

impl<T: Symbol> ApproximateQuery<'_, T> {
    /// Finds the ends of hits in `words` like [`sweep`](Self::sweep), but sweeps only near occurrences of the pieces
    /// `seeds`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn filtered(&self, seeds: &PatternSeeds<T>, words: &Range<usize>, run: &Run) -> Result<Vec<PieceEnds>, Halt> {
        let mut all: Vec<PieceEnds> = Vec::new();
        let mut scratch = SeedScratch::default();
        let (mut put_off, mut cells, mut shared) = (0, 0, 0);
        let mut at = words.start;
        while at < words.end {
            let blind = at..(at + put_off * WORDS_PER_SEED_SEARCH).min(words.end);
            if !blind.is_empty() {
                self.together(&[split(&blind)], &mut all, run)?;
            }
            let part = blind.end..(blind.end + WORDS_PER_SEED_SEARCH.max(8 * self.warm_up_words())).min(words.end);
            let near = self.near(seeds, &part, &mut scratch);
            let number: usize = near.iter().map(ExactSizeIterator::len).sum();
            let cost = (number + near.len() * self.warm_up_words()) * SINGLE_WORD_COST_FACTOR;
            if cost > part.len() + LANES * self.warm_up_words() {
                self.together(&[split(&part)], &mut all, run)?;
                put_off = (2 * put_off).clamp(1, MAX_SEARCH_DELAY);
            } else {
                let groups = near.chunks(LANES).map(|group| std::array::from_fn(|lane| group.get(lane).cloned().unwrap_or(0..0)));
                self.together(&groups.collect::<Vec<_>>(), &mut all, run)?;
                put_off = 0;
            }
            // Words that are left out are reported as swept.
            cells += ((part.end - at) * WORD * self.pattern.rows.len()) as u64;
            at = part.end;
            if cells >= TICK || at == words.end {
                self.best_so_far.share(&all[shared..], &mut SharedEndCount::default());
                run.tick(cells)?;
                self.best_so_far.report(run)?;
                (cells, shared) = (0, all.len());
            }
        }
        Ok(all)
    }

    /// Returns the ranges of words of `part` that must be swept, found by the occurrences of the pieces `seeds`. Hits
    /// may end in these words, or they show that an end just before them is a local minimum. Adjacent words are joined.
    /// `scratch` is a buffer.
    fn near(&self, seeds: &PatternSeeds<T>, part: &Range<usize>, scratch: &mut SeedScratch) -> Vec<Range<usize>> {
        let (m, k) = (self.pattern.rows.len() as isize, self.best_so_far.bound() as isize);
        let columns = (part.start * WORD) as isize..(part.end * WORD) as isize;
        // The first word of this part may show that an end in the last column before it is a local minimum.
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

    /// Sweeps groups of pieces of the text, one piece per lane. Appends the results of the pieces that have hits to
    /// `all`.
    fn together(&self, groups: &[LanePieces], all: &mut Vec<PieceEnds>, run: &Run) -> Result<(), Halt> {
        for pieces in groups {
            let ends = self.pieces(pieces, &mut |cells, _| {
                if cells >= TICK {
                    run.tick(0)?;
                }
                Ok(self.best_so_far.bound())
            })?;
            // A piece without hits is equivalent to words that were left out.
            all.extend(ends.into_iter().filter(|ends| ends.least() <= ends.bound));
        }
        Ok(())
    }
}
