//! Tiles against the serial definitions, and a measurement of their speed.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::*;
use crate::base_set::SymbolMatch;
use crate::event::RunSignal;
use crate::job::{AlignmentMode, FreeEnds, GapCosts};
use crate::oracle::{bytes, mutated, random, serial};
use crate::run::{NoObserver, Observer};
use crate::task::cost_model::CostPoints;
use crate::task::sequence_alignment::engine::{AlignmentModel, SymbolPoints};
use crate::text::TextSymbols;

/// Costs that neither Levenshtein nor a longest common subsequence has.
const WEIGHTS: EditCosts = EditCosts { substitute: 3, insert: 2, delete: 2, transpose: None };

/// Creates a corpus of members whose symbols are below `alphabet`.
pub(in crate::collection) fn corpus_of(members: &[Vec<u32>], alphabet: u32) -> Corpus {
    let symbols = members.concat();
    let ends = members.iter().scan(0, |end, member| {
        *end += member.len();
        Some(*end)
    });
    let symbols = match alphabet {
        ..=256 => TextSymbols::Narrow(symbols.into_iter().map(|symbol| symbol as u8).collect()),
        _ => TextSymbols::Wide(symbols),
    };
    Corpus::new(symbols, ends.collect(), alphabet)
}

fn solve(corpus: &Corpus, tile: &Tile, score: &PairScore, threads: usize) -> Vec<i32> {
    scores(corpus, tile, score, &Cpu { threads }, &Run::new(&NoObserver)).unwrap()
}

/// Computes the edit distance by its definition.
pub(in crate::collection) fn edit_distance_of(a: &[u32], b: &[u32]) -> i32 {
    let mut row: Vec<i32> = (0..=b.len() as i32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as i32 + 1;
        for (j, y) in b.iter().enumerate() {
            let best = (diagonal + i32::from(x != y)).min(row[j].min(row[j + 1]) + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

/// Computes the edit distance with exchanges of neighbouring symbols by its definition.
pub(in crate::collection) fn string_alignment_of(a: &[u32], b: &[u32]) -> i32 {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, j) in (0..=a.len()).flat_map(|i| (0..=b.len()).map(move |j| (i, j))) {
        let mut best = if i == 0 || j == 0 { (i + j) as i32 } else { rows[i - 1][j - 1] + i32::from(a[i - 1] != b[j - 1]) };
        if i > 0 && j > 0 {
            best = best.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
        }
        if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
            best = best.min(rows[i - 2][j - 2] + 1);
        }
        rows[i][j] = best;
    }
    rows[a.len()][b.len()]
}

/// Computes the length of a longest common subsequence by its definition.
fn lcs_of(a: &[u32], b: &[u32]) -> i32 {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let best = if x == y { diagonal + 1 } else { row[j].max(row[j + 1]) };
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

/// Returns members of ragged lengths, among them empty, equal and similar ones.
pub(super) fn ragged(count: usize, longest: usize, alphabet: u32, seed: u64) -> Vec<Vec<u32>> {
    let letters: Vec<u32> = (0..alphabet).collect();
    let borders = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 199, 200];
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut members: Vec<Vec<u32>> = Vec::new();
    for number in 0..count {
        let len = if number % 2 == 0 { borders[rng.usize(..borders.len())].min(longest) } else { rng.usize(..=longest) };
        members.push(match number % 7 {
            5 => members[rng.usize(..number)].clone(),
            6 => mutated(&members[rng.usize(..number)], &letters, 0.1, rng.u64(..)),
            _ => random(&letters, len, rng.u64(..)),
        });
    }
    members
}

/// Checks tiles of `members` for all scores without a limit.
fn check(members: &[Vec<u32>], alphabet: u32, tile: Tile, threads: usize) {
    let corpus = corpus_of(members, alphabet);
    let distances = solve(&corpus, &tile, &PairScore::EditDistance { within: None }, threads);
    let lengths = solve(&corpus, &tile, &PairScore::Lcs, threads);
    let alignments = solve(&corpus, &tile, &PairScore::StringAlignment, threads);
    assert_eq!([distances.len(), lengths.len(), alignments.len()], [tile.pairs(); 3]);
    let pairs = tile.rows.clone().flat_map(|row| tile.columns.clone().map(move |column| (row, column)));
    for ((row, column), ((distance, length), with_exchanges)) in pairs.zip(distances.into_iter().zip(lengths).zip(alignments)) {
        let (a, b) = (&members[row], &members[column]);
        assert_eq!(with_exchanges, string_alignment_of(a, b), "distance with exchanges of {a:?} and {b:?}");
        assert_eq!(distance, edit_distance_of(a, b), "distance of {a:?} and {b:?}");
        assert_eq!(length, lcs_of(a, b), "LCS of {a:?} and {b:?}");
    }
}

#[test]
fn scores_of_ragged_members_agree_with_the_definition() {
    for (alphabet, seed) in [1, 2, 4, 26, 256, 300, 1000].into_iter().zip(0..) {
        let members = ragged(150, 200, alphabet, seed);
        check(&members, alphabet, Tile { rows: 0..150, columns: 0..150 }, 1);
        check(&members, alphabet, Tile { rows: 20..60, columns: 50..150 }, 3);
    }
}

#[test]
fn scores_of_tiles_of_any_shape_agree_with_the_definition() {
    let members = ragged(1200, 24, 4, 8);
    for (rows, columns) in [(0..1, 0..1200), (0..1200, 3..4), (0..20, 0..1100), (0..1100, 5..30), (7..7, 0..9), (100..640, 80..610)] {
        check(&members, 4, Tile { rows, columns }, 2);
    }
    check(&vec![Vec::new(); 40], 1, Tile { rows: 0..40, columns: 0..40 }, 1);
}

#[test]
fn mirrored_scores_are_those_of_a_tile_that_is_not_square() {
    let count = 1150;
    let mut members: Vec<Vec<u32>> = ragged(count + 1, 60, 4, 11);
    members.iter_mut().for_each(|member| member.extend([0, 1, 2, 3].repeat(12)));
    members[1000] = Vec::new();
    let corpus = corpus_of(&members, 4);
    for score in [
        PairScore::EditDistance { within: None },
        PairScore::EditDistance { within: Some(9) },
        PairScore::StringAlignment,
        PairScore::Lcs,
        PairScore::Alignment(alignment_of_dna(AlignmentMode::Local)),
        PairScore::Alignment(AlignmentModel::of_costs(&CostPoints::new(&WEIGHTS))),
    ] {
        let mirrored = solve(&corpus, &Tile { rows: 0..count, columns: 0..count }, &score, 2);
        let wider = solve(&corpus, &Tile { rows: 0..count, columns: 0..count + 1 }, &score, 1);
        for (row, (found, expected)) in mirrored.chunks_exact(count).zip(wider.chunks_exact(count + 1)).enumerate() {
            for (column, (found, expected)) in found.iter().zip(expected).enumerate() {
                // Both orders of a pair may have different numbers above the limit.
                let is_equal = found == expected || score == PairScore::EditDistance { within: Some(9) } && *found.min(expected) > 9;
                assert!(is_equal, "{found} and {expected} in row {row}, column {column}");
            }
        }
    }
}

#[test]
fn scores_of_long_members_agree_with_the_definition() {
    let letters: Vec<u32> = (0..4).collect();
    let mut members: Vec<Vec<u32>> = (0..40).map(|seed| random(&letters, 700 + 3 * seed as usize, seed)).collect();
    members[7] = mutated(&members[3], &letters, 0.02, 1);
    members[8] = Vec::new();
    check(&members, 4, Tile { rows: 0..9, columns: 0..40 }, 1);
}

#[test]
fn distances_within_a_limit_are_exact_up_to_the_limit() {
    for (alphabet, within) in [(1, 0), (2, 1), (4, 2), (4, 5), (4, 40), (26, 3), (300, 12), (4, 199), (4, 1000)] {
        let members = ragged(120, 200, alphabet, u64::from(within));
        let corpus = corpus_of(&members, alphabet);
        let tile = Tile { rows: 0..120, columns: 10..110 };
        let limited = solve(&corpus, &tile, &PairScore::EditDistance { within: Some(within) }, 1);
        let pairs = tile.rows.clone().flat_map(|row| tile.columns.clone().map(move |column| (row, column)));
        for ((row, column), found) in pairs.zip(limited) {
            let (a, b) = (&members[row], &members[column]);
            let expected = edit_distance_of(a, b);
            match expected <= within as i32 {
                true => assert_eq!(found, expected, "within {within}: {a:?} and {b:?}"),
                false => assert!(found > within as i32, "{found} within {within}: {a:?} and {b:?}"),
            }
        }
    }
}

/// An observer that counts cells and stops the run after `limit` of them.
struct StopAfter {
    limit: u64,
    cells: AtomicU64,
}

impl Observer for StopAfter {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let RunSignal::Progress { done, .. } = signal else { return ControlFlow::Continue(()) };
        self.cells.fetch_max(done, Relaxed);
        if done >= self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn tile_stops_when_the_observer_stops_it() {
    let members: Vec<Vec<u32>> = (0..600).map(|seed| random(&[0, 1, 2, 3], 300, seed)).collect();
    let corpus = corpus_of(&members, 4);
    let tile = Tile { rows: 0..600, columns: 0..600 };
    for threads in [1, 3] {
        let observer = StopAfter { limit: 1 << 30, cells: 0.into() };
        let run = Run::new(&observer);
        let stopped = scores(&corpus, &tile, &PairScore::EditDistance { within: None }, &Cpu { threads }, &run);
        assert_eq!(stopped, Err(Halt::Stopped));
        assert!(run.cells() < 3 << 30, "{} of {} cells", run.cells(), 600 * 600 * 300 * 300u64);
    }
    let observer = StopAfter { limit: u64::MAX, cells: 0.into() };
    scores(&corpus, &tile, &PairScore::Lcs, &Cpu { threads: 2 }, &Run::new(&observer)).unwrap();
    // The diagonal is computed on both sides, and other scores on one side.
    let cells = observer.cells.load(Relaxed);
    assert!(cells <= 600 * 600 * 300 * 300 && 2 * cells >= 600 * 600 * 300 * 300, "{cells} cells");
}

#[test]
fn definitions_of_these_tests_agree_with_the_oracle() {
    let members = ragged(20, 60, 26, 4);
    let letters = |member: &[u32]| member.iter().map(|&symbol| b'a' + symbol as u8).collect::<Vec<u8>>();
    for (a, b) in members.iter().flat_map(|a| members.iter().map(move |b| (a, b))) {
        let pair = bytes(&letters(a), &letters(b));
        assert_eq!(edit_distance_of(a, b) as u64, serial::edit_distance::align(&pair).0, "{a:?} and {b:?}");
        let with_exchanges = serial::edit_distance::align_with_costs(&pair, EditCosts::OSA).0;
        assert_eq!(string_alignment_of(a, b) as u64, with_exchanges, "{a:?} and {b:?}");
        assert_eq!(lcs_of(a, b) as u64, serial::lcs::align(&pair).0, "{a:?} and {b:?}");
    }
}

/// Returns the time that this thread has run, in seconds. Other programs on the machine do not add to it.
pub(in crate::collection) fn thread_seconds() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    statistics.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Returns a model with usual points for DNA.
fn alignment_of_dna(mode: AlignmentMode) -> AlignmentModel {
    let points = SymbolPoints::Equality { equal: 2, different: -1 };
    AlignmentModel { symbol_match: SymbolMatch::Equal, points, gap: GapCosts { open: 4, extend: 1 }, mode, free_ends: FreeEnds::NONE }
}

/// Prints the speed of tiles in 10⁹ cells a second.
#[test]
#[ignore = "measures time"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn measure_tiles() {
    let dna = |len: usize, count: u64| -> (Vec<Vec<u32>>, u32) { ((0..count).map(|seed| random(&[0, 1, 2, 3], len, seed)).collect(), 4) };
    let letters: Vec<u32> = (0..26).collect();
    let mut rng = fastrand::Rng::with_seed(1);
    let words = (0..4096).map(|seed| random(&letters, 2 + rng.usize(..7) + rng.usize(..7), seed)).collect();
    let lines = (0..1024).map(|seed| random(&letters, rng.usize(20..4000), seed)).collect();
    let mut cases = vec![("words", (words, 26)), ("lines", (lines, 26))];
    for (name, len, count) in [
        ("dna 16", 16, 4096),
        ("dna 32", 32, 4096),
        ("dna 64", 64, 4096),
        ("dna 100", 100, 2048),
        ("dna 150", 150, 2048),
        ("dna 1000", 1000, 512),
        ("dna 1000, 100 members", 1000, 100),
        ("dna 10000", 10_000, 30),
    ] {
        cases.push((name, dna(len, count)));
    }
    let names = [
        ("distance", PairScore::EditDistance { within: None }),
        ("within 10", PairScore::EditDistance { within: Some(10) }),
        ("exchanges", PairScore::StringAlignment),
        ("lcs", PairScore::Lcs),
        ("weights", PairScore::Alignment(AlignmentModel::of_costs(&CostPoints::new(&WEIGHTS)))),
        ("weights by pair", PairScore::Weighted(WEIGHTS)),
        ("local", PairScore::Alignment(alignment_of_dna(AlignmentMode::Local))),
        ("global", PairScore::Alignment(alignment_of_dna(AlignmentMode::Global))),
    ];
    for (case, (members, alphabet)) in &cases {
        let corpus = corpus_of(members, *alphabet);
        // Larger results take as long to be allocated as short members to be compared.
        let tile = Tile { rows: 0..members.len().min(2000), columns: 0..members.len() };
        for (name, score) in &names {
            if name.len() <= 6 && matches!(score, PairScore::Alignment(_)) && !case.ends_with(" 150") && !case.ends_with(" 1000") {
                continue;
            }
            // One pair at a time takes minutes for long members.
            if matches!(score, PairScore::Weighted(_)) && members.concat().len() > 1 << 17 {
                continue;
            }
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let start = thread_seconds();
                std::hint::black_box(solve(&corpus, &tile, score, 1));
                best = best.min(thread_seconds() - start);
            }
            let [rows, columns] = [&tile.rows, &tile.columns].map(|side| members[side.clone()].concat().len() as f64);
            let pairs = tile.pairs() as f64;
            println!("{case:22} {name:10} {:8.1} G cells/s {:8.2} ns a pair", rows * columns / best / 1e9, best / pairs * 1e9);
        }
    }
}
