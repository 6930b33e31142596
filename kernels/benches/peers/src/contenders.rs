//! Contenders: the crates that solve each task, and the reference code of [`scalar`], as functions to be timed.

use std::cell::RefCell;
use std::hint::black_box;

use sassy::Searcher;
use sassy::profiles::{Ascii, Dna, Profile};
use similar::algorithms::Algorithm;
use triple_accel::SearchType;

use crate::scalar;
use crate::turns::{Contender, contender};

/// Maximum number of cells for algorithms that compute all cells. With more cells, a call would take more than half a
/// minute.
const MAX_QUADRATIC_CELLS: usize = 200_000_000_000;

/// Maximum length of the first text for `similar`, whose exact algorithm takes O(distance²) time.
const MAX_SIMILAR_LEN: usize = 200_000;

/// Returns the contenders for the task named `task` that suit the lengths and the alphabet of the texts `a` and `b`.
/// `k` is the maximum number of edits of a search. Returns none for an unknown task.
pub(crate) fn of(task: &str, (a, b): (&[u8], &[u8]), k: usize) -> Vec<Contender> {
    let small = a.len() * b.len() <= MAX_QUADRATIC_CELLS;
    let mut all = match task {
        "edit-distance" if small => distance(),
        "lcs" if small => lcs(),
        "approximate-search" if a.iter().chain(b).all(|byte| b"ACGT".contains(byte)) => search::<Dna>(k),
        "approximate-search" => search::<Ascii>(k),
        "match-count" => matches(),
        "exact-search" => exact(a),
        "all-edit-distance" => vec![contender("rapidfuzz-rs batch", |a, b| {
            sum_of_pairs(a, b, |row| {
                let batch = rapidfuzz::distance::levenshtein::BatchComparator::new(bytes(row));
                move |column| batch.distance(bytes(column)) as u64
            })
        })],
        "all-osa" => vec![contender("rapidfuzz-rs batch", |a, b| {
            sum_of_pairs(a, b, |row| {
                let batch = rapidfuzz::distance::osa::BatchComparator::new(bytes(row));
                move |column| batch.distance(bytes(column)) as u64
            })
        })],
        "all-lcs" => vec![contender("rapidfuzz-rs batch", |a, b| {
            sum_of_pairs(a, b, |row| {
                let batch = rapidfuzz::distance::lcs_seq::BatchComparator::new(bytes(row));
                move |column| batch.similarity(bytes(column)) as u64
            })
        })],
        "within-edit-distance" => vec![contender("symscan", move |a, _| {
            let texts: Vec<&str> = std::str::from_utf8(a).ok()?.split('\n').collect();
            symscan::get_neighbors_within(&texts, k as u8).ok().map(|pairs| pairs.len() as u64)
        })],
        _ => Vec::new(),
    };
    if a.len() > MAX_SIMILAR_LEN {
        all.retain(|contender| !contender.name.starts_with("similar"));
    }
    all
}

fn distance() -> Vec<Contender> {
    vec![
        contender("rapidfuzz-rs", |a, b| Some(rapidfuzz::distance::levenshtein::distance(bytes(a), bytes(b)) as u64)),
        contender("triple_accel", |a, b| Some(triple_accel::levenshtein_exp(a, b).into())),
        contender("scalar reference", |a, b| Some(scalar::distance(a, b))),
    ]
}

fn lcs() -> Vec<Contender> {
    vec![
        contender("rapidfuzz-rs", |a, b| Some(rapidfuzz::distance::lcs_seq::similarity(bytes(a), bytes(b)) as u64)),
        contender("scalar reference", |a, b| Some(scalar::lcs(a, b))),
        contender("similar RawMyers+path", |a, b| {
            let script = similar::capture_diff_slices(Algorithm::RawMyers, a, b);
            let kept = |op: &similar::DiffOp| if op.tag() == similar::DiffTag::Equal { op.old_range().len() as u64 } else { 0 };
            Some(script.iter().map(kept).sum())
        }),
    ]
}

/// Returns contenders for an approximate search within `k` edits. The result of each is the minimum distance. `sassy`
/// finds the local minima with their alignments, the scalar reference all ends.
fn search<P: Profile + 'static>(k: usize) -> Vec<Contender> {
    let searcher = RefCell::new(Searcher::<P>::new_fwd());
    vec![
        contender("sassy, k given", move |a, b| searcher.borrow_mut().search(a, b, k).iter().map(|hit| hit.cost as u64).min()),
        contender("scalar reference", move |a, b| {
            let mut least = a.len() as u64;
            scalar::ends(a, b, |distance| least = least.min(distance));
            Some(least).filter(|least| *least <= k as u64)
        }),
    ]
}

/// Returns contenders that count unequal symbols at every offset. The result of each is the maximum number of equal
/// symbols.
fn matches() -> Vec<Contender> {
    vec![contender("triple_accel", |a, b| {
        let all = a.len() as u32;
        let hits = triple_accel::hamming::hamming_search_simd_with_opts(a, b, all, SearchType::All);
        let counts: Vec<u32> = hits.map(|hit| hit.k).collect();
        counts.iter().min().map(|least| u64::from(all - least))
    })]
}

/// Returns contenders that find all positions of `a`, including overlapping ones. The result of each is the number of
/// positions.
fn exact(a: &[u8]) -> Vec<Contender> {
    let number = |positions: Vec<usize>| Some(black_box(positions).len() as u64);
    let mut all = vec![
        contender("memchr memmem", move |a, b| {
            let finder = memchr::memmem::Finder::new(a);
            let mut positions = Vec::new();
            let mut from = 0;
            while let Some(at) = finder.find(&b[from..]) {
                positions.push(from + at);
                from += at + 1;
            }
            number(positions)
        }),
        contender("StringZilla", move |a, b| {
            let mut positions = Vec::new();
            let mut from = 0;
            while let Some(at) = stringzilla::sz::find(&b[from..], a) {
                positions.push(from + at);
                from += at + 1;
            }
            number(positions)
        }),
        contender("aho-corasick", move |a, b| {
            let automaton = aho_corasick::AhoCorasick::new([a]).ok()?;
            number(automaton.find_overlapping_iter(b).map(|hit| hit.start()).collect())
        }),
    ];
    if a.len() == 1 {
        all.push(contender("memchr_iter", move |a, b| number(memchr::memchr_iter(a[0], b).collect())));
    }
    all
}

/// Returns the sum of the scores of each line of `a` with each line of `b`. `compare` prepares the lines of `a`.
fn sum_of_pairs<'t, F: Fn(&'t [u8]) -> u64>(a: &'t [u8], b: &'t [u8], compare: impl Fn(&'t [u8]) -> F) -> Option<u64> {
    let lines = |text: &'t [u8]| text.split(|byte| *byte == b'\n').collect::<Vec<_>>();
    let (rows, columns) = (lines(a), lines(b));
    Some(rows.into_iter().map(|row| columns.iter().copied().map(compare(row)).sum::<u64>()).sum())
}

/// Iterates over bytes, because `rapidfuzz` compares iterators.
fn bytes(text: &[u8]) -> std::iter::Copied<std::slice::Iter<'_, u8>> {
    text.iter().copied()
}
