//! Searches on both strands as two searches: for `a` in `b`, and for the reverse complement of `a` in `b`.

use kernels::event::{FIRST_PAGE_HITS, TaskAnswer};
use kernels::found::{Hit, PositionSet, SearchResult};
use kernels::job::{JobOptions, Task};
use kernels::strand::{SearchStrands, Strand};
use kernels::task::Solution;
use kernels::text::{Pair, ReadingOptions};

/// Returns the reverse complement of `letters`, by a table of nucleotide pairs. Uses the letters of RNA if `letters`
/// has U and no T.
pub fn reversed(letters: &str) -> String {
    reversed_beside(letters, "")
}

/// Returns the reverse complement of `letters`. Uses the letters of RNA if `letters` and `text` together have U and no
/// T.
fn reversed_beside(letters: &str, text: &str) -> String {
    const PAIRS: &str = "AT CG GC TA UA RY YR SS WW KM MK BV VB DH HD NN at cg gc ta ua ry yr ss ww km mk bv vb dh hd nn";
    let paired = |letter: char| {
        let pair = PAIRS.split(' ').find(|pair| pair.starts_with(letter));
        pair.and_then(|pair| pair.chars().nth(1)).unwrap_or('?')
    };
    let has = |cases: [char; 2]| letters.contains(cases) || text.contains(cases);
    let is_rna = has(['U', 'u']) && !has(['T', 't']);
    let paired: String = letters.chars().rev().map(paired).collect();
    if is_rna { paired.replace('T', "U").replace('t', "u") } else { paired }
}

/// Returns the pair whose first text is the reverse complement of `a` and whose second text is `b`. Both are parsed
/// again with `options`.
///
/// # Panics
/// Panics if the options cannot read the new pair.
pub fn reverse_pair(pair: &Pair, options: &JobOptions) -> Pair {
    let [letters, text] = [&pair.a, &pair.b].map(|text| (0..text.len()).map(|at| text.display_unit(at)).collect::<String>());
    let reading = ReadingOptions { strands: SearchStrands::Forward, ..options.reading() };
    Pair::parse(reversed_beside(&letters, &text).as_bytes(), pair.b.bytes(), &reading).expect("letters are a text")
}

/// Returns the hits of `task` on both strands, in the order of the text.
pub fn hits(task: Task, pair: &Pair, options: &JobOptions) -> Vec<Hit> {
    let forward = JobOptions { strands: SearchStrands::Forward, ..options.clone() };
    let found = |pair: &Pair, strand: Strand| -> Vec<Hit> {
        let hits = match task {
            Task::ApproximateSearch => super::approximate_search::hits(pair, &forward),
            _ => {
                let m = pair.a.len() as u64;
                super::exact_search::positions(pair).into_iter().map(|start| Hit::new(start, start + m, 0)).collect()
            }
        };
        hits.into_iter().map(|hit| Hit { strand: Some(strand), ..hit }).collect()
    };
    let mut hits = [found(pair, Strand::Forward), found(&reverse_pair(pair, options), Strand::Reverse)].concat();
    if options.max_distance.is_none() {
        let least = hits.iter().map(|hit| hit.distance).min();
        hits.retain(|hit| Some(hit.distance) == least);
    }
    hits.sort_by_key(|hit| (hit.end, hit.strand));
    hits
}

/// Solves a search on the strands that `options` select, by the definition of `task`.
pub fn solve(task: Task, pair: &Pair, options: &JobOptions) -> Solution {
    let hits = hits(task, pair, options);
    let first = || hits.iter().take(if options.count_only { 0 } else { FIRST_PAGE_HITS });
    let (total, reverse) = (hits.len() as u64, Some(hits.iter().filter(|hit| hit.strand == Some(Strand::Reverse)).count() as u64));
    let (answer, position): (_, fn(&Hit) -> u64) = match task {
        Task::ApproximateSearch => {
            let distance = hits.iter().map(|hit| hit.distance).min();
            (TaskAnswer::ApproximateSearch { distance, total, hits: first().copied().collect(), reverse }, |hit| hit.end)
        }
        _ => {
            let positions = first().map(|hit| hit.start).collect();
            let strands = first().filter_map(|hit| hit.strand).collect();
            (TaskAnswer::ExactSearch { total, positions, records: Vec::new(), strands, reverse }, |hit| hit.start)
        }
    };
    let number = |hit: &Hit| hit.strand.map_or(0, |strand| strand.encode_position(position(hit)));
    let found = SearchResult { positions: PositionSet::from_list(hits.iter().map(number).collect()), profile: None };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(found) }
}
