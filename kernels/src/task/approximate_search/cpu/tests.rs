//! Tests beyond those of all tasks: borders of pieces and threads, and code paths that only large texts take.

use proptest::prelude::*;

use super::*;
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::found::Hit;
use crate::oracle::{bytes, mutated, random, serial};
use crate::run::NoObserver;
use crate::text::{Pair, ReadingOptions, SymbolSlices, Unit};

/// Checks the hits for all combinations of options on the numbers of threads in `threads`. `bounds` are the maximum
/// distances to test.
fn check(pair: &Pair, threads: &[usize], bounds: &[u64]) {
    let choices = [None].into_iter().chain(bounds.iter().map(|&k| Some(k)));
    for options in choices
        .flat_map(|max_distance| [false, true].map(|local_minima| JobOptions { max_distance, local_minima, ..JobOptions::default() }))
    {
        let expected = serial::approximate_search::hits(pair, &options);
        let solution = serial::approximate_search::solve(pair, &options);
        let TaskAnswer::ApproximateSearch { distance, total, .. } = solution.answer else { panic!("an answer of another task") };
        let who = || format!("{:?} in {:?}: {options:?}", cut(pair.a.bytes()), cut(pair.b.bytes()));
        for &threads in threads {
            let hits = match pair.symbol_slices().unwrap() {
                SymbolSlices::Narrow(a, b) => {
                    search(a, b, (pair.alphabet(), SymbolMatch::Equal), &options, threads, &Run::new(&NoObserver))
                }
                SymbolSlices::Wide(a, b) => search(a, b, (pair.alphabet(), SymbolMatch::Equal), &options, threads, &Run::new(&NoObserver)),
            };
            let positions = solution.found.clone().unwrap().positions;
            assert_eq!(hits.unwrap(), ApproximateHits { distance, total, positions }, "{threads} threads on {}", who());
        }
        let some: Vec<Hit> = expected.into_iter().step_by(1 + total as usize / 50).collect();
        let ends: Vec<u64> = some.iter().map(|hit| hit.end).collect();
        let least = distance.unwrap_or_default();
        let known = least..=options.max_distance.unwrap_or(least);
        for distances in [known, 0..=u64::MAX] {
            let (cpu, run) = (Cpu { threads: 2 }, Run::new(&NoObserver));
            let hits = match pair.symbol_slices().unwrap() {
                SymbolSlices::Narrow(a, b) => EndPage { a, b, ends: &ends, distances, symbol_match: SymbolMatch::Equal }.hits(&cpu, &run),
                SymbolSlices::Wide(a, b) => EndPage { a, b, ends: &ends, distances, symbol_match: SymbolMatch::Equal }.hits(&cpu, &run),
            };
            assert_eq!(hits.unwrap(), some, "{}", who());
        }
    }
}

fn cut(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned()
}

#[test]
fn lengths_around_words_lanes_and_threads_agree_with_the_oracle() {
    for n in [1, 62, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024, 4095, 4096] {
        for (m, letters) in [(1, b"ab".as_slice()), (9, b"ab"), (30, b"ACGT"), (65, b"ab")] {
            check(&bytes(&random(letters, m, n as u64), &random(letters, n, 3)), &[1, 2, 5, 40], &[0, 1, 4, 20]);
        }
    }
}

/// Blocks of several words, with rows that end early and rows that do not.
#[test]
fn planted_pieces_in_long_texts_are_found() {
    let a = random(b"ACGT", 200, 1);
    for (seed, n) in [(2, 9000), (3, 12_345)] {
        let mut b = random(b"ACGT", n, seed);
        // At the borders of pieces of one and of three threads, and at both ends.
        for (at, rate) in [(0, 0.02), (n / 8 - 100, 0.05), (n / 3 - 30, 0.0), (n / 2, 0.1), (7 * n / 8 - 190, 0.03), (n - 195, 0.02)] {
            let piece = mutated(&a, b"ACGT", rate, at as u64);
            let end = (at + piece.len()).min(n);
            b[at..end].copy_from_slice(&piece[..end - at]);
        }
        check(&bytes(&a, &b), &[1, 3], &[0, 3, 12, 30, 90, 150, 1000]);
        check(&bytes(&a[..40], &b), &[1, 3], &[0, 1, 2, 6, 15]);
        check(&bytes(&a[..12], &b), &[1, 3], &[1, 5]);
    }
}

/// Runs of equal distances that are longer than pieces.
#[test]
fn equal_distances_across_pieces_agree_with_the_oracle() {
    for threads in [1, 4, 30] {
        check(&bytes(&[b'a'; 20], &[b'a'; 3000]), &[threads], &[0, 3, 20]);
        check(&bytes(b"b", &[b'a'; 3000]), &[threads], &[0, 1]);
        check(&bytes(&b"ab".repeat(20), &b"ab".repeat(1500)), &[threads], &[0, 1, 3]);
        for at in [0, 1, 374, 375, 383, 384, 385, 2998, 2999] {
            let mut b = vec![b'a'; 3000];
            b[at] = b'b';
            check(&bytes(b"aaab", &b), &[threads], &[1, 2]);
            check(&bytes(b"b", &b), &[threads], &[0, 1]);
        }
    }
}

#[test]
fn any_alphabet_agrees_with_the_oracle() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut text = |len: usize, letters: u32| -> String { (0..len).filter_map(|_| char::from_u32(0x4e00 + rng.u32(..letters))).collect() };
    let options = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    for (m, n, letters) in [(20, 3000, 300), (150, 6000, 400), (200, 3000, 3), (300, 200, 900)] {
        let b = text(n, letters);
        let piece: String = b.chars().skip(n / 4).take(m).collect();
        for a in [text(m, letters), piece] {
            let wide = text(600, 2000);
            let pair = Pair::parse(a.into_bytes(), (b.clone() + &wide).into_bytes(), &options.reading()).unwrap();
            check(&pair, &[1, 3], &[0, 2, 15, 200]);
        }
    }
}

/// The wavefront gives the same results as the pieces, and single hits are those of the oracle.
#[test]
fn long_patterns_agree_with_the_oracle() {
    let run = Run::new(&NoObserver);
    for (m, n, rate) in [(700, 500, 0.2), (1500, 1600, 0.1), (600, 2100, 0.7), (2100, 513, 0.9), (520, 520, 0.0)] {
        let a = random(b"ACG", m, 8);
        let mut b = mutated(&a, b"ACG", rate, 9);
        b.extend(random(b"ACG", n, 10));
        b.rotate_right(n / 3);
        b.truncate(n);
        let pair = bytes(&a, &b);
        let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
        for bound in [0, 60, 200, m as u64] {
            for (tighten, minima) in [(false, false), (true, false), (false, true), (true, true)] {
                let options = JobOptions { max_distance: (!tighten).then_some(bound), local_minima: minima, ..JobOptions::default() };
                let want = EndFilter { tighten, minima, places: true };
                let bound = if tighten { m as u64 } else { bound };
                for threads in [1, 3] {
                    let pattern = EncodedPattern::new(a.iter().copied(), pair.alphabet(), SymbolMatch::Equal);
                    let query = ApproximateQuery {
                        pattern,
                        text: b,
                        want,
                        limit: bound,
                        cuts: false,
                        best_so_far: SharedBestEnds::new(tighten, bound),
                    };
                    let hits = ends::join(vec![long::sweep(&query, a, 0..query.words(), threads, &run).unwrap()]);
                    let expected: Vec<Hit> = serial::approximate_search::hits(&pair, &options);
                    let ends: Vec<u64> = expected.iter().map(|hit| hit.end).collect();
                    assert_eq!(hits.positions.iter().collect::<Vec<_>>(), ends, "{m} in {n}, {options:?}");
                    assert_eq!(hits.distance, expected.iter().map(|hit| hit.distance).min());
                }
            }
        }
    }
}

#[test]
fn patterns_longer_than_pieces_use_the_wavefront() {
    let cells = |m: u64, n: u64| (n.div_ceil(8) + 2 * m).next_multiple_of(256) * 8 * m;
    assert!(is_long(10_000, 50_000, None, cells(10_000, 50_000)));
    assert!(!is_long(10_000, 50_000, Some(10), cells(10_000, 50_000)));
    assert!(!is_long(1024, 1 << 22, None, cells(1024, 1 << 22)));
    assert!(is_long(1 << 20, 1 << 30, None, cells(1 << 20, 1 << 30)));
}

/// A page in the middle of many ends, of which the answer holds only the first ones.
#[test]
fn pages_of_many_hits_agree_with_the_whole_result() {
    let pair = bytes(b"ACA", &random(b"ACGT", 200_000, 3));
    let options = JobOptions { max_distance: Some(1), ..JobOptions::default() };
    let expected = serial::approximate_search::hits(&pair, &options);
    let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
    let found = search(a, b, (pair.alphabet(), SymbolMatch::Equal), &options, 2, &Run::new(&NoObserver)).unwrap();
    assert_eq!(found.total, expected.len() as u64);
    let from = expected.len() / 2;
    let ends: Vec<u64> = found.positions.iter_from(from as u64).take(30).collect();
    let page = EndPage { a, b, ends: &ends, distances: 0..=1, symbol_match: SymbolMatch::Equal };
    assert_eq!(page.hits(&Cpu::SINGLE, &Run::new(&NoObserver)).unwrap(), expected[from..from + 30]);
}

/// Pages of long patterns: ends that share starts and ends that do not, with all possible knowledge about their
/// distances.
#[test]
fn pages_of_long_patterns_agree_with_the_whole_result() {
    let a = random(b"ACG", 1400, 1);
    let near = [mutated(&a, b"ACG", 0.05, 2), random(b"ACG", 300, 3), mutated(&a, b"ACG", 0.1, 4), a[..700].to_vec()].concat();
    let far = random(b"ACG", 1900, 5);
    let cases: [(&[u8], &[u8], &[u64]); 5] = [
        (&a, &near, &[75, 90, 160, 900, 1400]),
        (&a, &far, &[650, 1400]),
        (&a, &a[200..900], &[701, 1400]),
        (&[b'a'; 900], &[b'a'; 1000], &[0, 3, 600]),
        (&b"ab".repeat(500), &b"aab".repeat(600), &[340, 500]),
    ];
    for (a, b, bounds) in cases {
        let pair = bytes(a, b);
        let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
        for max_distance in bounds.iter().map(|&k| Some(k)).chain([None]) {
            let options = JobOptions { max_distance, ..JobOptions::default() };
            let all = serial::approximate_search::hits(&pair, &options);
            let least = all.iter().map(|hit| hit.distance).min().unwrap_or_default();
            let starts = all.chunk_by(|one, next| one.start == next.start).count();
            for (expected, sparse) in [(all.clone(), false), (all.iter().copied().step_by(1 + all.len() / 40).collect(), true)] {
                let ends: Vec<u64> = expected.iter().map(|hit: &Hit| hit.end).collect();
                for distances in [least..=max_distance.unwrap_or(least), 0..=u64::MAX] {
                    let run = Run::new(&NoObserver);
                    let page = EndPage { a, b, ends: &ends, distances, symbol_match: SymbolMatch::Equal };
                    for threads in [1, 3] {
                        let hits = bands::BandedHits::new(page.a, page.b, &page.distances, &run).hits(&ends, threads).unwrap();
                        assert_eq!(hits, expected, "{:?} in {:?}, {options:?}", cut(pair.a.bytes()), cut(pair.b.bytes()));
                    }
                    let sweeps = run.cells() / 2 / (a.len() * a.len().min(b.len())) as u64;
                    assert!(sparse || sweeps <= 24 * (starts as u64 + 1), "{sweeps} sweeps for {starts} starts");
                }
            }
        }
    }
}

/// A page requested with another text is an error.
#[test]
fn end_positions_of_another_text_are_refused() {
    let (a, b) = (random(b"ACG", 900, 1), random(b"TUV", 900, 2));
    let run = Run::new(&NoObserver);
    let page = EndPage { a: &a[..], b: &b[..], ends: &[800, 901], distances: 3..=3, symbol_match: SymbolMatch::Equal };
    assert!(matches!(page.hits(&Cpu::SINGLE, &run), Err(Halt::Failed(_))));
    let page = EndPage { ends: &[800], ..page };
    assert!(matches!(bands::BandedHits::new(page.a, page.b, &page.distances, &run).hits(&[800], 1), Err(Halt::Failed(_))));
}

/// Searches for hits within `k` edits by pieces of the pattern, even if this is not expected to save time.
fn filtered(pair: &Pair, k: u64, threads: usize) {
    match pair.symbol_slices().unwrap() {
        SymbolSlices::Narrow(a, b) => filtered_in(pair, [a, b], k, threads),
        SymbolSlices::Wide(a, b) => filtered_in(pair, [a, b], k, threads),
    }
}

fn filtered_in<T: Symbol>(pair: &Pair, [a, b]: [&[T]; 2], k: u64, threads: usize) {
    let number = k as usize + 1;
    let places: Vec<Range<usize>> = (0..number).map(|at| a.len() * at / number..a.len() * (at + 1) / number).collect();
    let seeds = seeds::PatternSeeds::new(a, &places, pair.alphabet(), &seeds::SymbolFrequencies::of(b));
    for (minima, count_only) in [(false, false), (true, false), (false, true), (true, true)] {
        let options = JobOptions { max_distance: Some(k), local_minima: minima, count_only, ..JobOptions::default() };
        let expected = serial::approximate_search::solve(pair, &options);
        let TaskAnswer::ApproximateSearch { distance, total, .. } = expected.answer else { panic!("an answer of another task") };
        let want = EndFilter { tighten: false, minima, places: !count_only };
        let pattern = EncodedPattern::new(a.iter().copied(), pair.alphabet(), SymbolMatch::Equal);
        let query = ApproximateQuery { pattern, text: b, want, limit: k, cuts: true, best_so_far: SharedBestEnds::new(false, k) };
        let each = query.words().div_ceil(threads);
        let parts: Vec<Range<usize>> = (0..query.words()).step_by(each).map(|from| from..(from + each).min(query.words())).collect();
        let run = Run::new(&NoObserver);
        let hits = ends::join(try_spread(&parts, threads, |words| query.filtered(&seeds, words, &run)).unwrap().concat());
        let positions = expected.found.map(|found| found.positions).unwrap_or_default();
        let who = || format!("{:?} in {:?}, {k} edits, {threads} threads", cut(pair.a.bytes()), cut(pair.b.bytes()));
        assert_eq!(hits, ApproximateHits { distance, total, positions }, "{}", who());
        assert_eq!(run.cells(), (query.words() * rows::WORD * a.len()) as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn search_by_exact_pieces_agrees_with_the_oracle(
        letters in 1usize..5, m in 20usize..70, n in 0usize..700, k in 0u64..5, seed: u64, rates in prop::collection::vec(0.0f64..0.2, 0..6), threads in 1usize..4,
    ) {
        let letters = &b"ACGT"[..letters];
        let a = random(letters, m, seed);
        let mut b = random(letters, n, seed ^ 1);
        for (at, rate) in rates.iter().enumerate() {
            b.extend(mutated(&a, letters, *rate, seed ^ at as u64));
            b.extend(random(letters, at * 30, seed ^ 7));
        }
        filtered(&bytes(&a, &b), k, threads);
    }
}

/// Minima in the last columns of words, of parts of the text and of the text. The next column shows that an end is a
/// minimum, and may lie in a word without a piece of the pattern nearby.
#[test]
fn minima_at_word_borders_agree_with_the_oracle() {
    let a = random(b"ACGT", 24, 1);
    let planted = [a.clone(), [&a[..18], b"N", &a[18..]].concat(), [&a[..20], b"NN", &a[20..]].concat()];
    for n in [140_030, 140_031, 140_032] {
        for (k, piece) in planted.iter().enumerate() {
            let mut b = random(b"ACGT", n, 2);
            for end in [63, 32_063, 65_535, 70_015, 140_031].map(|end| n.min(end)) {
                b[end - piece.len()..end].copy_from_slice(piece);
            }
            for threads in [1, 2] {
                filtered(&bytes(&a, &b), k as u64, threads);
            }
        }
    }
}

/// A case with such a minimum, found by random tests.
#[test]
fn whole_patterns_of_two_letters_agree_with_the_oracle() {
    let letters = &b"ACGT"[..2];
    let seed = 17_244_902_772_644_597_366;
    let a = random(letters, 62, seed);
    let mut b = random(letters, 450, seed ^ 1);
    for (at, rate) in [0.167, 0.0].into_iter().enumerate() {
        b.extend(mutated(&a, letters, rate, seed ^ at as u64));
        b.extend(random(letters, at * 30, seed ^ 7));
    }
    filtered(&bytes(&a, &b), 0, 1);
}

/// More symbols than fit a byte: those of the pattern, and others with the same lowest bytes.
#[test]
fn few_edits_in_wide_texts_agree_with_the_oracle() {
    let letters: Vec<char> = ('\u{4e00}'..'\u{5000}').collect();
    for (m, k, seed) in [(24, 3, 1), (60, 2, 2), (90, 20, 3), (400, 63, 4)] {
        let some: Vec<char> = [&letters[..4], &letters[256..260]].concat();
        let a = [&letters[..4], &random(&letters[..4], m, seed)].concat();
        let mut b = letters.clone();
        for at in 0..6 {
            b.extend(random(&some, 300, seed + at));
            b.extend(mutated(&a, &some, 0.02 * at as f64, seed + at));
        }
        let texts = [a, b].map(|text| text.into_iter().collect::<String>());
        let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
        let pair = Pair::parse(texts[0].as_bytes(), texts[1].as_bytes(), &reading).unwrap();
        assert!(matches!(pair.symbol_slices().unwrap(), SymbolSlices::Wide(..)));
        filtered(&pair, k, 2);
        check(&pair, &[1, 3], &[k]);
    }
}

/// Repetitions, in which every word may hold an end, between stretches without any.
#[test]
fn few_edits_in_repetitions_agree_with_the_oracle() {
    let repeated = b"ACGTTGCAACGTAAGTC".repeat(7000);
    let random = random(b"ACGT", 200_000, 1);
    let b = [&random[..100_000], &repeated, &random[100_000..], &repeated[..50]].concat();
    for (m, k, threads) in [(17, 0, 2), (20, 1, 1), (12, 2, 3)] {
        filtered(&bytes(&repeated[..m], &b), k, threads);
    }
    filtered(&bytes(&[b'a'; 20], &[b'a'; 150_000]), 1, 2);
}

/// The choice of the method depends only on the expected cost.
#[test]
fn pieces_are_searched_if_few_candidates_are_expected() {
    if !seeds::are_quick() {
        return;
    }
    let (dna, binary) = (random(&[0, 1, 2, 3], 10_000, 1), random(&[0, 1], 10_000, 2));
    let pays = |text: &[u8], m: usize, k| filter::pieces(&text[..m], text, 4, k).is_some();
    assert!(pays(&dna, 20, 0) && pays(&dna, 20, 1) && pays(&dna, 100, 3) && pays(&dna, 1000, 7));
    assert!(pays(&dna, 1000, 15) && !pays(&dna, 1000, 50));
    assert!(!pays(&dna, 20, 3) && !pays(&dna, 8, 1) && !pays(&dna, 5000, 1));
    assert!(!pays(&binary, 20, 1) && pays(&binary, 100, 1) && !pays(&dna[..1000], 20, 1));
    let wide = random(&(0..1000).collect::<Vec<u32>>(), 10_000, 3);
    let pays = |m: usize, k| filter::pieces(&wide[..m], &wide, 1000, k).is_some();
    assert!(pays(20, 1) && pays(100, 3) && pays(1000, 50) && !pays(1000, 64));
}

/// The bound from pieces of a long pattern leaves out rows, and never an end.
#[test]
fn initial_bound_does_not_change_the_result() {
    let a = random(b"ACGT", 256, 1);
    let mut b = random(b"ACGT", 66_000, 2);
    let run = Run::new(&NoObserver);
    let options = JobOptions::default();
    let bound = |pair: &Pair| {
        let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
        let want = EndFilter { tighten: true, minima: false, places: true };
        let (pattern, m) = (EncodedPattern::new(a.iter().copied(), pair.alphabet(), SymbolMatch::Equal), a.len() as u64);
        let query = ApproximateQuery { pattern, text: b, want, limit: m, cuts: false, best_so_far: SharedBestEnds::new(true, m) };
        first::bound(&query, a, pair.alphabet(), 2, &run).unwrap()
    };
    if !seeds::are_quick() {
        return;
    }
    assert_eq!(bound(&bytes(&a, &b)), None);
    for (at, rate) in [(0, 0.06), (65_750, 0.03), (20_000, 0.0)] {
        let piece = mutated(&a, b"ACGT", rate, at as u64);
        let end = (at + piece.len()).min(b.len());
        b[at..end].copy_from_slice(&piece[..end - at]);
        let pair = bytes(&a, &b);
        let least = serial::approximate_search::hits(&pair, &options)[0].distance;
        assert!(bound(&pair).is_some_and(|bound| (least..=64).contains(&bound)), "at {at}: {:?} for {least}", bound(&pair));
        check(&pair, &[1, 3], &[]);
    }
}
