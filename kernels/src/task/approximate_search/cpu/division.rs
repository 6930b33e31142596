//! Division of the text into shares for engines without shared memory. A share has the words of a part of the text, as
//! threads have them, so that the results of shares are joined like those of threads.

use super::ends::{self, PieceEnds, PieceRecord};
use super::sweep::ApproximateQuery;
use super::{MIN_WAVEFRONT_PATTERN, end_filter, filter, first_bound, is_long, long, query_of};
use crate::base_set::SymbolMatch;
use crate::cbor::{from_bytes, to_bytes};
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::approximate_search::ApproximateHits;
use crate::task::shares::{JobShare, SHARES_PER_ENGINE, ShareKind, malformed, ranges, speedup_of_shares};

/// Minimum speedup for which a text is divided in a search for a long pattern. Shares repeat much of each other's work.
const MIN_LONG_SPEEDUP: f64 = 1.25;

/// The division of a text into shares for engines without shared memory.
struct TextDivision {
    /// Number of 64-column words of a share.
    words: usize,
    speedup: f64,
    kind: ShareKind,
}

impl<T: Symbol> ApproximateQuery<'_, T> {
    /// Chooses the size of shares for `engines` engines. Many shares balance the engines, but the columns before each share
    /// are swept too. Returns `None` if the text is not divided.
    fn division(&self, engines: usize, symbol_match: SymbolMatch) -> Option<TextDivision> {
        let (m, words) = (self.pattern.rows.len() as u64, self.words());
        let whole = self.cells(words) as f64;
        let division = |per_engine: usize| {
            let each = words.div_ceil(per_engine * engines);
            let speedup = speedup_of_shares(whole, self.cells(each) as f64, words.div_ceil(each), engines);
            TextDivision { words: each, speedup, kind: ShareKind::Text }
        };
        let best = (1..=SHARES_PER_ENGINE).map(division).max_by(|one, other| one.speedup.total_cmp(&other.speedup))?;
        let cells = self.cells(best.words) * words.div_ceil(best.words) as u64;
        let is_wavefront = m >= MIN_WAVEFRONT_PATTERN
            && symbol_match.is_equality()
            && is_long(m, self.text.len() as u64, self.cuts.then_some(self.limit), cells);
        if !is_wavefront {
            return (words > best.words).then_some(best);
        }
        let each = words.div_ceil(engines);
        let swept = (each + self.warm_up_words()).min(words);
        let speedup = speedup_of_shares(words as f64, swept as f64, words.div_ceil(each), engines);
        (speedup >= MIN_LONG_SPEEDUP).then_some(TextDivision { words: each, speedup, kind: ShareKind::LongPattern })
    }
}

/// Estimates the speedup of a search that `engines` engines without shared memory share. Takes O(m) time.
pub(in crate::task::approximate_search) fn speedup<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    engines: usize,
) -> f64 {
    let query = query_of(a, b, (alphabet, symbol_match), options);
    query.division(engines, symbol_match).map_or(1.0, |division| division.speedup)
}

/// Divides a search among `engines` engines without shared memory. A share is a range of 64-column words. A first bound of
/// the least distance belongs to every share, because no share learns the distances of the others.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(in crate::task::approximate_search) fn divide<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    engines: usize,
    run: &Run,
) -> Result<Vec<JobShare>, Halt> {
    let mut query = query_of(a, b, (alphabet, symbol_match), options);
    let bound = first_bound(&query, a, (alphabet, symbol_match), 1, run)?;
    if let Some(bound) = bound {
        query = query.within(bound);
    }
    let Some(division) = query.division(engines, symbol_match) else { return Ok(Vec::new()) };
    let share = |words| JobShare { bound, ..JobShare::of_text(division.kind, words) };
    Ok(ranges(query.words() as u64, division.words as u64).map(share).collect())
}

/// Sweeps the words of a share on this thread. Returns the ends in CBOR.
///
/// # Errors
/// Returns an error if the run is stopped, or if there are no such words.
pub(in crate::task::approximate_search) fn solve_share<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    share: &JobShare,
    run: &Run,
) -> Result<Vec<u8>, Halt> {
    let mut query = query_of(a, b, (alphabet, symbol_match), options);
    if let Some(bound) = share.bound {
        query = query.within(bound);
    }
    let words = share.range();
    let is_part = !words.is_empty() && words.end <= query.words();
    if share.kind == ShareKind::LongPattern && is_part && !b.is_empty() && !a.is_empty() && symbol_match.is_equality() {
        return Ok(to_bytes(&vec![long::sweep(&query, a, words, 1, run)?.record()]));
    }
    if share.kind != ShareKind::Text || !is_part {
        return Err(malformed().into());
    }
    let has_seeds = query.limit < a.len() as u64 && symbol_match.is_equality();
    run.hold(query.bytes());
    let pieces = match has_seeds.then(|| filter::pieces(a, b, alphabet, query.limit)).flatten() {
        Some(seeds) => query.filtered(&seeds, &words, run)?,
        None => query.sweep(&words, run)?,
    };
    run.hold(pieces.iter().map(PieceEnds::bytes).sum());
    Ok(to_bytes(&pieces.iter().map(PieceEnds::record).collect::<Vec<_>>()))
}

/// Joins the results of all shares, which are in the order of the text.
///
/// # Errors
/// Returns an error if a result is malformed.
pub(in crate::task::approximate_search) fn join_shares<'r>(
    results: impl Iterator<Item = &'r [u8]>,
    options: &JobOptions,
) -> Result<ApproximateHits, Halt> {
    let mut pieces = Vec::new();
    for result in results {
        let records: Vec<PieceRecord> = from_bytes(result).ok_or_else(malformed)?;
        pieces.extend(records.into_iter().map(|record| PieceEnds::of_record(end_filter(options), record)));
    }
    Ok(ends::join(pieces))
}
