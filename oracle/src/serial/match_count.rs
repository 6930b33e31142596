//! Match count, which has a score at every offset, by its plain definition.

use kernels::event::{FIRST_PAGE_HITS, TaskAnswer};
use kernels::found::{Hit, PositionSet, ScoreProfile, ScoreSpan, SearchResult};
use kernels::job::JobOptions;
use kernels::task::Solution;
use kernels::task::match_count::TOP_OFFSETS;
use kernels::text::Pair;

use super::matches;

/// Returns the score at every offset of `a` in `b`, which is the number of equal symbols. Takes O(|a||b|) time.
pub fn scores(pair: &Pair) -> Vec<u64> {
    let (m, n) = (pair.a_symbols().len(), pair.b_symbols().len());
    let score = |s: usize| (0..m).filter(|&i| matches(pair, i, s + i)).count() as u64;
    (0..(n + 1).saturating_sub(m)).map(score).collect()
}

/// Returns the profile of the offsets `from..from + len`: their scores in `scores`, summarized in at most `points`
/// spans of equal width. The last span may be shorter.
pub fn profile(scores: &[u64], from: u64, len: u64, points: usize) -> Vec<ScoreSpan> {
    let all = scores.len() as u64;
    let from = from.min(all);
    let wanted = &scores[from as usize..from.saturating_add(len).min(all) as usize];
    let width = wanted.len().div_ceil(points.max(1)).max(1);
    wanted.chunks(width).map(|part| part.iter().map(|&score| ScoreSpan::of(score)).fold(ScoreSpan::EMPTY, ScoreSpan::join)).collect()
}

/// Solves match count by the definition of the task, with one thread and without any optimization.
pub fn solve(pair: &Pair, options: &JobOptions) -> Solution {
    let scores = scores(pair);
    let m = pair.a_symbols().len() as u64;
    let best = scores.iter().copied().max();
    let offsets =
        |wanted: &dyn Fn(u64) -> bool| -> Vec<u64> { (0..).zip(&scores).filter(|(_, score)| wanted(**score)).map(|(s, _)| s).collect() };
    let best_offsets = offsets(&|score| Some(score) == best);
    let within = options.max_mismatches.map(|most| offsets(&|score| m - score <= most));
    let mut top: Vec<Hit> = (0..).zip(&scores).map(|(s, score)| Hit::new(s, s + m, m - score)).collect();
    top.sort_by_key(|hit| (hit.distance, hit.start));
    top.truncate(TOP_OFFSETS);
    let answer = TaskAnswer::MatchCount {
        best,
        total_best: best_offsets.len() as u64,
        offsets: best_offsets.iter().copied().take(if options.count_only { 0 } else { FIRST_PAGE_HITS }).collect(),
        within: within.as_ref().map(|within| within.len() as u64),
        top: if options.count_only { Vec::new() } else { top },
        records: Vec::new(),
    };
    let width = ScoreProfile::width_for(scores.len() as u64);
    let spans = scores
        .chunks(width as usize)
        .map(|part| part.iter().map(|&score| ScoreSpan::of(score)).fold(ScoreSpan::EMPTY, ScoreSpan::join))
        .collect();
    let found =
        SearchResult { positions: PositionSet::from_list(within.unwrap_or(best_offsets)), profile: Some(ScoreProfile { width, spans }) };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(found) }
}
