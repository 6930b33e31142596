//! Exact search by its plain definition.

use kernels::event::{FIRST_PAGE_HITS, TaskAnswer};
use kernels::found::{PositionSet, SearchResult};
use kernels::job::JobOptions;
use kernels::task::Solution;
use kernels::text::Pair;

use super::matches;

/// Returns the positions in `b` at which `a` occurs. Takes O(|a||b|) time.
pub fn positions(pair: &Pair) -> Vec<u64> {
    let (m, n) = (pair.a_symbols().len(), pair.b_symbols().len());
    let occurs = |s: usize| (0..m).all(|i| matches(pair, i, s + i));
    (0..(n + 1).saturating_sub(m)).filter(|&s| occurs(s)).map(|s| s as u64).collect()
}

/// Solves exact search by its definition, with one thread and without any optimization.
pub fn solve(pair: &Pair, options: &JobOptions) -> Solution {
    let positions = positions(pair);
    let answer = TaskAnswer::ExactSearch {
        total: positions.len() as u64,
        positions: positions.iter().copied().take(if options.count_only { 0 } else { FIRST_PAGE_HITS }).collect(),
        records: Vec::new(),
        strands: Vec::new(),
        reverse: None,
    };
    let found = SearchResult { positions: PositionSet::from_list(positions), profile: None };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(found) }
}
