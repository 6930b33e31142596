//! Approximate search by its plain recurrence.

use kernels::event::{FIRST_PAGE_HITS, TaskAnswer};
use kernels::found::{Hit, PositionSet, SearchResult};
use kernels::job::JobOptions;
use kernels::task::Solution;
use kernels::text::Pair;

use super::matches;

/// Returns a hit for each end position from 0 to |b|: the least distance of a substring of `b` that ends there, with
/// the greatest start that has this distance. Takes O(|a||b|) time and memory.
pub fn ends(pair: &Pair) -> Vec<Hit> {
    let (m, n) = (pair.a_symbols().len(), pair.b_symbols().len());
    let equal = |i: usize, j: usize| matches(pair, i - 1, j - 1);
    // Each cell holds the least distance, and the greatest start that attains it.
    let mut d = vec![vec![(0u64, 0u64); n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            let step = |(distance, start): (u64, u64), cost: u64| (distance + cost, start);
            d[i][j] = match (i, j) {
                (0, j) => (0, j as u64),
                (i, 0) => (i as u64, 0),
                (i, j) => [step(d[i - 1][j - 1], u64::from(!equal(i, j))), step(d[i - 1][j], 1), step(d[i][j - 1], 1)]
                    .into_iter()
                    .min_by_key(|&(distance, start)| (distance, u64::MAX - start))
                    .unwrap_or_default(),
            };
        }
    }
    d[m].iter().zip(0..).map(|(&(distance, start), end)| Hit::new(start, end, distance)).collect()
}

/// Returns all hits of an approximate search with `options`: ends within `max_distance` edits, or ends with the least
/// distance if this option is not set. With `local_minima`, only those that are local minima.
pub fn hits(pair: &Pair, options: &JobOptions) -> Vec<Hit> {
    let ends = ends(pair);
    let least = ends.iter().map(|hit| hit.distance).min().unwrap_or_default();
    let within = |at: usize| ends[at].distance <= options.max_distance.unwrap_or(least);
    // On each side of a local minimum, the nearest end with a different distance has a greater one, or there is none.
    let lowest = |at: usize| {
        let farther = |other: Option<&Hit>| other.is_none_or(|other| other.distance > ends[at].distance);
        let before = ends[..at].iter().rev().find(|hit| hit.distance != ends[at].distance);
        farther(before) && farther(ends.get(at + 1))
    };
    (0..ends.len()).filter(|&at| within(at) && (!options.local_minima || lowest(at))).map(|at| ends[at]).collect()
}

/// Solves approximate search by its definition, with one thread and without any optimization.
pub fn solve(pair: &Pair, options: &JobOptions) -> Solution {
    let hits = hits(pair, options);
    let answer = TaskAnswer::ApproximateSearch {
        distance: hits.iter().map(|hit| hit.distance).min(),
        total: hits.len() as u64,
        hits: hits.iter().copied().take(if options.count_only { 0 } else { FIRST_PAGE_HITS }).collect(),
        reverse: None,
    };
    let positions = PositionSet::from_list(hits.iter().map(|hit| hit.end).collect());
    let found = (!options.count_only).then_some(SearchResult { positions, profile: None });
    Solution { answer, alignment: None, found }
}
