//! First bound of the least distance, used if no maximum is given: exact occurrences of pieces of the pattern suggest
//! positions of the whole pattern.
//!
//! A bound that is small compared with the pattern leaves out most rows of the sweep. The search for pieces costs
//! little compared with a sweep of all rows of a long pattern. The text around the most promising occurrences is swept
//! for the actual distances.

use std::ops::Range;

use super::rows::{LANES, WORD};
use super::seeds::{self, GROUPS, MIN_ROW_SYMBOLS, PatternSeeds, SeedScratch, SymbolFrequencies};
use super::sweep::{ApproximateQuery, LanePieces};
use crate::cpu::try_spread;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Minimum pattern length for which pieces are searched. For a shorter pattern, a sweep of all rows takes little longer
/// than the search.
const MIN_SEEDED_PATTERN: usize = 256;

/// Minimum ratio of the text length to the pattern length. Below it, the sweeps around occurrences take too long.
const MIN_TEXT_RATIO: usize = 256;

/// Maximum expected number of chance occurrences of a piece in the whole text.
const MAX_CHANCE_OCCURRENCES: f64 = 0.02;

/// Number of positions of the text between two checks for a stop.
const SEED_CHECK_INTERVAL: usize = 1 << 20;
/// Maximum number of occurrences of pieces that are used in [`SEED_CHECK_INTERVAL`] positions of the text.
const MAX_TAKEN_OCCURRENCES: usize = 64;

/// Divisor of the pattern length: a hit is expected to differ in length from the pattern by at most
/// 1/`LENGTH_SLACK_DIVISOR` of the pattern.
const LENGTH_SLACK_DIVISOR: usize = 8;

/// Returns the distance of `a` to some substring of the text, which is an upper bound of the least distance. Returns
/// `None` if the distance is more than a quarter of the pattern length, because such a bound would save too little.
/// Also returns `None` if the pattern or the text is short, or if no promising substring was found. Takes O(n / lanes +
/// m²) time.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn bound<T: Symbol>(
    query: &ApproximateQuery<T>,
    a: &[T],
    alphabet: u32,
    threads: usize,
    run: &Run,
) -> Result<Option<u64>, Halt> {
    let (m, n) = (a.len(), query.text.len());
    let b = query.text;
    if !seeds::are_quick() || m < MIN_SEEDED_PATTERN || n / MIN_TEXT_RATIO < m {
        return Ok(None);
    }
    let frequencies = SymbolFrequencies::of(b);
    let expected = MAX_CHANCE_OCCURRENCES / (GROUPS as f64 * n as f64);
    let piece = |at: usize| {
        let place = m * at / GROUPS..m * (at + 1) / GROUPS;
        frequencies.rare(&a[place.clone()], expected).map(|len| place.start..place.start + len.max(MIN_ROW_SYMBOLS))
    };
    let places: Vec<Range<usize>> = (0..GROUPS).filter_map(piece).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let seeds = PatternSeeds::new(a, &places, alphabet, &frequencies);
    let parts: Vec<Range<isize>> = (0..n)
        .step_by(SEED_CHECK_INTERVAL)
        .map(|from| from as isize - if from == 0 { m as isize } else { 0 }..(from + SEED_CHECK_INTERVAL) as isize)
        .collect();
    let starts = try_spread(&parts, threads, |part| {
        run.tick(0)?;
        let mut starts = Vec::new();
        seeds.find(b, part.clone(), &mut SeedScratch::default(), |start| {
            if starts.len() < MAX_TAKEN_OCCURRENCES {
                starts.push(start);
            }
        });
        Ok::<_, Halt>(starts)
    })?;
    let pieces = promising(starts.concat(), m, query.words());
    if pieces.iter().all(Range::is_empty) {
        return Ok(None);
    }
    let ends = query.pieces(&pieces, &mut |_, _| {
        run.tick(0)?;
        Ok(query.limit)
    })?;
    Ok(ends.iter().map(|ends| ends.bound).min().filter(|bound| *bound <= (m / 4) as u64))
}

/// Selects the words in which hits most probably end, one range of words for each lane. They lie about `m`, the pattern
/// length, behind a start that many pieces suggest. `starts` are the starts of the whole pattern that occurrences of
/// pieces suggest, and `words` is the number of words of the text.
fn promising(mut starts: Vec<isize>, m: usize, words: usize) -> LanePieces {
    let slack = m / LENGTH_SLACK_DIVISOR;
    starts.sort_unstable();
    let mut places: Vec<&[isize]> = starts.chunk_by(|one, next| next - one <= slack as isize / 2).collect();
    places.sort_by_key(|starts| std::cmp::Reverse(starts.len()));
    std::array::from_fn::<_, LANES, _>(|lane| match places.get(lane).and_then(|starts| starts.first()) {
        Some(&start) => {
            let end = (start + m as isize).max(0) as usize;
            (end.saturating_sub(slack) / WORD).min(words)..((end + slack) / WORD + 1).min(words)
        }
        None => 0..0,
    })
}
