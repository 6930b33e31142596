//! The fast engine on the CPU: the pattern is prepared once, and the text is processed in pieces on all cores.
//!
//! - [`pattern`]: `a`, prepared for counting
//! - [`symbol_counts`], [`cost_model`]: choose the method
//! - [`codes`]: codes (bytes) of the pattern's symbols
//! - [`compare`]: compares the symbols of a short pattern
//! - [`adders`]: adds bits of equality, for longer patterns
//! - [`spectrum`]: Fourier transforms, for very long patterns
//! - [`lists`]: lists of occurrences, if pairs of equal symbols are few
//! - [`score`]: scores as numbers of 8, 16 or 32 bits
//! - [`stream`]: a text in pieces
//! - [`sweep`], [`score_summary`]: the whole text on all cores, and the summary of its scores
//! - [`pages`]: hits and profiles after a run

use super::{ScoreRequest, TOP_OFFSETS, score_request};
use crate::base_set::SymbolMatch;
use crate::cbor::{from_bytes, to_bytes};
use crate::cpu::Cpu;
use crate::event::{FIRST_PAGE_HITS, TaskAnswer};
use crate::found::{Hit, PositionSet, ScoreProfile, SearchResult};
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::Solution;
use crate::task::shares::{JobShare, SHARES_PER_ENGINE, ShareKind, malformed, ranges, speedup_of_shares};
use pattern::{ExpectedText, PreparedPattern};
use score::ScoreSlice;
use score_summary::{ScoreSummary, SharedScoreState, SummaryRecord};
#[cfg(not(target_family = "wasm"))]
pub(super) use sweep::offsets;

mod adders;
mod codes;
mod compare;
pub(super) mod cost_model;
mod lists;
pub(super) mod pages;
pub(super) mod pattern;
pub(super) mod score;
mod score_summary;
mod spectrum;
pub(super) mod stream;
mod sweep;
mod symbol_counts;

/// Counts equal symbols at all offsets of `a` in `b`, on the threads of `cpu`, and builds the solution. The symbols of
/// both texts are below `alphabet` and match by `symbol_match`. Takes O(|a| + 16,384 spans) memory, plus O(|b| / 4) bytes
/// if nearly all offsets are hits.
pub(super) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    cpu: &Cpu,
    options: &JobOptions,
    run: &Run,
) -> Result<Solution, Halt> {
    let all = sweep::offsets(a.len(), b.len());
    let wanted = score_request(a.len(), all, options);
    run.raise_expected(wanted.m * all);
    let expected = ExpectedText { alphabet: Some(alphabet), ..pages::expected(b, all, symbol_match) };
    let shared = SharedScoreState::default();
    let summaries = sweep::sweep(&PreparedPattern::new(a, &expected), b, wanted, cpu.threads, &shared, run)?;
    Ok(merge_summaries(summaries.into_iter().map(ScoreSummary::record).collect(), wanted))
}

/// Returns the number of all offsets, and that of a share if `engines` engines without shared memory share the count. A share
/// has whole spans of the profile.
fn divided_offsets<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    engines: usize,
) -> (u64, u64) {
    let all = sweep::offsets(a.len(), b.len());
    let expected = ExpectedText { alphabet: Some(alphabet), ..pages::expected(b, all, symbol_match) };
    let least =
        sweep::slice_len(&PreparedPattern::new(a, &expected), score_request(a.len(), all, options), SHARES_PER_ENGINE * engines, all);
    (all, least)
}

/// Estimates the speedup of a count that `engines` engines without shared memory share. Takes O(m) time.
pub(super) fn speedup<T: Symbol>(a: &[T], b: &[T], symbols: (u32, SymbolMatch), options: &JobOptions, engines: usize) -> f64 {
    let (all, each) = divided_offsets(a, b, symbols, options, engines);
    speedup_of_shares(all as f64, each as f64, all.div_ceil(each.max(1)) as usize, engines)
}

/// Divides a count among `engines` engines without shared memory. A share is a range of offsets.
pub(super) fn divide<T: Symbol>(a: &[T], b: &[T], symbols: (u32, SymbolMatch), options: &JobOptions, engines: usize) -> Vec<JobShare> {
    let (all, each) = divided_offsets(a, b, symbols, options, engines);
    let shares: Vec<_> = ranges(all, each).map(|range| JobShare::of_text(ShareKind::Text, range)).collect();
    if shares.len() > 1 { shares } else { Vec::new() }
}

/// Counts at the offsets of a share on this thread. Returns their summary in CBOR.
///
/// # Errors
/// Returns an error if the run is stopped, or if there are no such offsets.
pub(super) fn solve_share<T: Symbol>(
    a: &[T],
    b: &[T],
    (alphabet, symbol_match): (u32, SymbolMatch),
    options: &JobOptions,
    share: &JobShare,
    run: &Run,
) -> Result<Vec<u8>, Halt> {
    let all = sweep::offsets(a.len(), b.len());
    let [from, end] = share.b;
    if share.kind != ShareKind::Text || from >= end || end > all {
        return Err(malformed().into());
    }
    let wanted = score_request(a.len(), all, options);
    let expected = ExpectedText { alphabet: Some(alphabet), ..pages::expected(b, all, symbol_match) };
    let shared = SharedScoreState::default();
    let summary = sweep::sweep_part(&PreparedPattern::new(a, &expected), b, from..end, ScoreSummary::new(wanted, &shared), run)?;
    Ok(to_bytes(&summary.record()))
}

/// Joins the results of all shares of a count in a text with `n` symbols, for a pattern of `m` symbols.
///
/// # Errors
/// Returns an error if a result is malformed.
pub(super) fn join_shares<'r>(
    results: impl Iterator<Item = &'r [u8]>,
    (m, n): (usize, usize),
    options: &JobOptions,
) -> Result<Solution, Halt> {
    let summaries = results.map(|result| from_bytes(result).ok_or_else(malformed)).collect::<Result<Vec<SummaryRecord>, _>>()?;
    Ok(merge_summaries(summaries, score_request(m, sweep::offsets(m, n), options)))
}

/// Estimated time for one cell (one symbol of the pattern at one offset) with the reference pattern, in nanoseconds.
/// The reference pattern has 1,000 letters of DNA; the rates of engines are measured with it. The time is that of the
/// cost model, [`offset_ns`](pattern::offset_ns).
const REFERENCE_CELL_NS: f64 = 1.27e-3;

/// Returns the work of counting `a` in `b`, by the method that is probably chosen. The unit is one cell of the
/// reference pattern ([`REFERENCE_CELL_NS`]). The symbols of both texts are below `alphabet` and match by `symbol_match`.
/// Takes O(|a|) time.
pub(super) fn cost_cells<T: Symbol>(a: &[T], b: &[T], alphabet: u32, symbol_match: SymbolMatch) -> u64 {
    let all = sweep::offsets(a.len(), b.len());
    let expected = ExpectedText { alphabet: Some(alphabet), ..pages::expected(b, all, symbol_match) };
    (all as f64 * pattern::offset_ns(a, &expected) / REFERENCE_CELL_NS) as u64
}

/// Builds the solution for a pattern of `m` symbols from `scores`, the scores at all offsets.
pub(super) fn solution_of_scores(m: usize, scores: &[u32], options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
    let wanted = score_request(m, scores.len() as u64, options);
    let shared = SharedScoreState::default();
    let mut summary = ScoreSummary::new(wanted, &shared);
    summary.add_scores(0, ScoreSlice::Wide(scores), run)?;
    summary.report(run)?;
    Ok(merge_summaries(vec![summary.record()], wanted))
}

/// Builds the solution of the request `wanted` from the summaries of all threads.
fn merge_summaries(summaries: Vec<SummaryRecord>, wanted: ScoreRequest) -> Solution {
    let best = summaries.iter().filter_map(|score_summary| score_summary.best).max();
    let is_best = |score_summary: &SummaryRecord| score_summary.best == best;
    let total_best = summaries.iter().filter(|score_summary| is_best(score_summary)).map(|score_summary| score_summary.total_best).sum();
    let within = wanted.max_mismatches.map(|_| summaries.iter().map(|score_summary| score_summary.within).sum());
    let mut top: Vec<(u64, u64)> = summaries.iter().flat_map(|score_summary| score_summary.top.iter().copied()).collect();
    top.sort_unstable();
    top.truncate(TOP_OFFSETS);
    let best_distance = best.map(|best| wanted.m - u64::from(best));
    const { assert!(TOP_OFFSETS >= FIRST_PAGE_HITS) };
    let offsets =
        top.iter().take_while(|(distance, _)| Some(*distance) == best_distance).map(|(_, start)| *start).take(FIRST_PAGE_HITS).collect();
    let top = top.into_iter().map(|(distance, start)| Hit::new(start, start + wanted.m, distance)).collect();
    let answer = TaskAnswer::MatchCount { best: best.map(u64::from), total_best, offsets, within, top, records: Vec::new() };
    let mut kept = Vec::new();
    let mut spans = Vec::new();
    for score_summary in summaries {
        if wanted.max_mismatches.is_some() || is_best(&score_summary) {
            kept.extend(score_summary.hit_words);
        }
        spans.extend(score_summary.spans);
    }
    kept.sort_unstable();
    spans.sort_unstable_by_key(|(number, _)| *number);
    let profile = ScoreProfile { width: wanted.width, spans: spans.into_iter().map(|(_, span)| span).collect() };
    let found = SearchResult { positions: positions(&kept), profile: Some(profile) };
    Solution { answer, alignment: None, found: (!wanted.count_only).then_some(found) }
}

/// Converts a bit set to positions. `words` holds its nonzero words of 64 bits: the number of each word, ascending, and
/// its bits.
fn positions(words: &[(u64, u64)]) -> PositionSet {
    let len: u64 = words.iter().map(|(_, bits)| u64::from(bits.count_ones())).sum();
    let Some(&(last, _)) = words.last() else { return PositionSet::default() };
    let mut set = vec![0; if len > last { last as usize + 1 } else { 0 }];
    if !set.is_empty() {
        words.iter().for_each(|&(at, bits)| set[at as usize] = bits);
        return PositionSet::from_bits(set);
    }
    let ones = |&(at, bits): &(u64, u64)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * at + bit);
    PositionSet::from_list(words.iter().flat_map(ones).collect())
}
