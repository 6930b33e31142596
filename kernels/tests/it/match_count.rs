//! Match count beyond the tests of all tasks: each method alone, texts in pieces, borders of sums and blocks.

use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::symbol::Symbol;
use kernels::task::match_count::{ExpectedText, PreparedPattern, ScoreMethod, ScoreStream};
use kernels::task::{FinishedSearch, searcher};
use kernels::text::{Pair, SymbolSlices, Unit};
use oracle::{agree, bytes, random, serial};
use proptest::prelude::*;

const METHODS: [ScoreMethod; 3] = [ScoreMethod::Compare, ScoreMethod::Add, ScoreMethod::Transform];

/// Returns all scores of a text that is divided into pieces at the positions `cuts`.
fn streamed<T: Symbol>(a: &[T], b: &[T], alphabet: Option<u32>, method: Option<ScoreMethod>, cuts: &[usize]) -> Vec<u64> {
    let pattern = PreparedPattern::new(a, &ExpectedText { alphabet, sample: b, method, ..ExpectedText::default() });
    let mut stream = ScoreStream::new(&pattern);
    let mut all = Vec::new();
    let mut from = 0;
    for &cut in cuts.iter().chain([&b.len()]) {
        let piece = &b[from..cut];
        from = cut;
        stream.push(piece, |at, scores| (at == all.len() as u64).then(|| all.extend(scores.iter())).ok_or(at)).unwrap();
    }
    stream.finish(|at, scores| (at == all.len() as u64).then(|| all.extend(scores.iter())).ok_or(at)).unwrap();
    all
}

/// Checks that every method returns the oracle's scores.
fn check(pair: &Pair) {
    let expected = serial::match_count::scores(pair);
    for method in METHODS {
        for alphabet in [Some(pair.alphabet()), None] {
            let found = match pair.symbol_slices().unwrap() {
                SymbolSlices::Narrow(a, b) => streamed(a, b, alphabet, Some(method), &[]),
                SymbolSlices::Wide(a, b) => streamed(a, b, alphabet, Some(method), &[]),
            };
            assert!(found == expected, "{method:?} of {} symbols in {}", pair.a.len(), pair.b.len());
        }
    }
}

#[test]
fn sums_do_not_overflow() {
    for m in [1, 2, 251, 252, 253, 254, 255, 256, 257, 509, 510, 511, 1000] {
        check(&bytes(&vec![b'a'; m], &vec![b'a'; m + 700]));
        for letters in [&b"ab"[..], b"abc", b"ACGT", b"ACGTN", b"abcdefgh", b"abcdefghijklmnopq"] {
            check(&bytes(&random(letters, m, 1), &random(letters, m + 1100, 2)));
            check(&bytes(&random(&letters[..letters.len() - 1], m, 1), &random(letters, m + 600, 2)));
        }
    }
    for m in [65_534, 65_535, 65_536, 65_600] {
        check(&bytes(&vec![b'a'; m], &vec![b'a'; m + 300]));
        check(&bytes(&random(b"ACGT", m, 1), &random(b"ACGT", m + 300, 2)));
    }
}

#[test]
fn block_and_slice_borders_agree_with_the_oracle() {
    for n in [16_383, 16_384, 16_385, 16_895, 16_896, 33_000, 70_000] {
        check(&bytes(&random(b"01", 20, 1), &random(b"01", n, 2)));
        check(&bytes(&random(b"ACGT", 300, 1), &random(b"ACGT", n, 2)));
    }
}

/// Both numbers of bits, and texts with the largest errors of a transform.
#[test]
fn transforms_round_to_the_exact_score() {
    for m in [4000, 8000, 12_000, 40_000] {
        let n = 2 * m + 5000;
        for (a, b) in [
            (vec![b'a'; m], vec![b'a'; n]),
            (b"ab".repeat(m / 2), b"ab".repeat(n / 2)),
            (random(b"01", m, 1), random(b"01", n, 2)),
            (random(b"ACGT", m, 1), random(b"ACGT", n, 2)),
            (random(b"ACGTN", m, 1), random(b"ACGTNX", n, 2)),
        ] {
            let all = |method| streamed(&a, &b, None, Some(method), &[]);
            assert!(all(ScoreMethod::Compare) == all(ScoreMethod::Transform), "{m} symbols");
            let pair = bytes(&a, &b);
            let SymbolSlices::Narrow(a, b) = pair.symbol_slices().unwrap() else { panic!("the symbols are wide") };
            let all = |method| streamed(a, b, Some(pair.alphabet()), Some(method), &[]);
            assert!(all(ScoreMethod::Compare) == all(ScoreMethod::Transform), "{m} symbols, numbered");
        }
    }
}

#[test]
fn rare_symbols_are_counted_by_lists() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (m, n, symbols) in [(30, 3000, 5000), (400, 3000, 300), (2000, 30_000, 900), (3000, 9000, 100_000)] {
        // Few symbols are frequent, and most are rare.
        let mut text = |len: usize| -> Vec<u32> { (0..len).map(|_| (f64::from(symbols) * rng.f64().powi(4)) as u32).collect() };
        let (a, b) = (text(m), text(n));
        let score = |s: usize| a.iter().zip(&b[s..]).filter(|(x, y)| x == y).count() as u64;
        let expected: Vec<u64> = (0..=n - m).map(score).collect();
        for method in [Some(ScoreMethod::Compare), Some(ScoreMethod::Add), Some(ScoreMethod::Transform), None] {
            assert!(streamed(&a, &b, None, method, &[]) == expected, "{method:?} of {m} in {n}");
        }
    }
}

#[test]
fn pages_and_windows_of_a_long_text_agree_with_the_oracle() {
    let (a, b) = (random(b"ACGT", 5, 1), random(b"ACGT", 5_000_000, 2));
    let pair = bytes(&a, &b);
    let options = JobOptions { max_mismatches: Some(3), ..JobOptions::default() };
    agree(&Engine::Cpu(Cpu { threads: 2 }), Task::MatchCount, &pair, &options);
    let scores = serial::match_count::scores(&pair);
    let run = kernels::run::Run::new(&kernels::run::NoObserver);
    let solution = Engine::Cpu(Cpu::SINGLE).run(Task::MatchCount, &options, &pair, &run).unwrap();
    let found = solution.found.unwrap();
    let searched = FinishedSearch { pair: &pair, options: &options, answer: &solution.answer, found: &found };
    let solver = searcher(Task::MatchCount).unwrap();
    let all = scores.len() as u64;
    for (from, len, points) in
        [(0, all, 1000), (0, all, 64), (77, 1_000_000, 500), (128, 128 * 300, 300), (999_999, 3, 10), (all - 5, 99, 2), (all, 9, 9)]
    {
        assert_eq!(
            solver.profile(&searched, from..from + len, points, &run),
            Ok(serial::match_count::profile(&scores, from, len, points)),
            "{from} {len} {points}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn text_in_pieces_has_the_scores_of_the_whole(
        m in 0usize..700, n in 0usize..20_000, seed: u64, method in 0..METHODS.len(),
        cuts in prop::collection::vec(0usize..20_000, 0..40), wide: bool,
    ) {
        let (a, b) = (random(b"abcdefg", m, seed), random(b"abcdefgh", n, seed ^ 1));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(n)).collect();
        cuts.sort_unstable();
        let method = Some(METHODS[method]);
        let expected = serial::match_count::scores(&bytes(&a, &b));
        let found = if wide {
            let widened = |text: &[u8]| text.iter().map(|&byte| 1000 + u32::from(byte)).collect::<Vec<u32>>();
            streamed(&widened(&a), &widened(&b), None, method, &cuts)
        } else {
            streamed(&a, &b, None, method, &cuts)
        };
        prop_assert!(found == expected);
    }
}

#[test]
fn more_than_256_symbols_agree_by_every_method() {
    let text = |len: usize, seed: u64| -> String {
        let mut rng = fastrand::Rng::with_seed(seed);
        (0..len).filter_map(|_| char::from_u32(0x4e00 + rng.u32(..1000))).collect()
    };
    let options = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    for (m, n) in [(3, 9000), (300, 9000), (4000, 9000)] {
        check(&Pair::parse(text(m, 1).into_bytes(), text(n, 2).into_bytes(), &options.reading()).unwrap());
    }
}

/// The pattern is longer than a transform, so that scores of its parts are added.
#[test]
fn pattern_in_parts_has_the_scores_of_the_whole() {
    let a = random(b"ACGT", 1_100_000, 1);
    let b = [&random(b"ACGT", 900, 2)[..], &a, &random(b"ACGT", 700, 3)].concat();
    let run = Run::new(&NoObserver);
    let solution = Engine::Cpu(Cpu { threads: 2 }).run(Task::MatchCount, &JobOptions::default(), &bytes(&a, &b), &run).unwrap();
    let TaskAnswer::MatchCount { best, offsets, .. } = solution.answer else { panic!("{:?}", solution.answer) };
    assert_eq!((best, offsets), (Some(a.len() as u64), vec![900]));
    let profile = solution.found.unwrap().profile.unwrap();
    assert_eq!((profile.width, profile.spans.len()), (1, 1601));
    for at in (0..1601).step_by(97) {
        let score = a.iter().zip(&b[at..]).filter(|(x, y)| x == y).count() as u64;
        assert_eq!(profile.spans[at].sum, score, "at {at}");
    }
}
