//! Every task on every engine agrees with its oracle: tables of edge cases, and random texts with shrinking.

use kernels::job::{AlignmentMode, FreeEnds, GapPoints, JobOptions, Points, Task};
use kernels::text::{Pair, Unit};
use oracle::{agree, bytes, mutated, processors, random};
use proptest::prelude::*;

/// Returns options that change the behaviour of the task.
pub(crate) fn choices(task: Task) -> Vec<JobOptions> {
    let plain = JobOptions::default();
    match task {
        Task::EditDistance => {
            let without = JobOptions { alignment: false, ..JobOptions::DEFAULT };
            let limits = [0, 1, 3, 40, u64::MAX].map(|k| JobOptions { max_distance: Some(k), ..JobOptions::DEFAULT });
            [&[plain, without.clone(), JobOptions { max_distance: Some(2), ..without.clone() }], &limits[..]].concat()
        }
        Task::Lcs => vec![plain.clone(), JobOptions { alignment: false, ..JobOptions::DEFAULT }],
        Task::ApproximateSearch => {
            let with = |k| JobOptions { max_distance: Some(k), ..JobOptions::DEFAULT };
            let minima = |options| JobOptions { local_minima: true, ..options };
            vec![
                plain.clone(),
                with(0),
                with(1),
                with(3),
                with(40),
                with(u64::MAX),
                minima(plain.clone()),
                minima(with(3)),
                JobOptions { count_only: true, ..with(2) },
            ]
        }
        Task::MatchCount => {
            let with = |k| JobOptions { max_mismatches: Some(k), ..JobOptions::DEFAULT };
            vec![plain, with(0), with(2), with(u64::MAX), JobOptions { count_only: true, ..with(1) }]
        }
        Task::ExactSearch => vec![plain.clone(), JobOptions { count_only: true, ..JobOptions::DEFAULT }],
        Task::SequenceAlignment => {
            let affine =
                JobOptions { equal: Points::whole(5), different: Points::whole(-4), gap: GapPoints::whole(10, 1), ..JobOptions::DEFAULT };
            let local = |options| JobOptions { mode: AlignmentMode::Local, ..options };
            let free = |free_ends| JobOptions { mode: AlignmentMode::SemiGlobal, free_ends, ..affine.clone() };
            vec![
                plain.clone(),
                affine.clone(),
                local(plain.clone()),
                local(affine.clone()),
                free(FreeEnds::FIT),
                free(FreeEnds::OVERLAP),
                JobOptions { alignment: false, ..local(affine.clone()) },
                JobOptions { equal: Points::whole(0), different: Points::whole(3), gap: GapPoints::whole(0, 0), ..JobOptions::DEFAULT },
            ]
        }
    }
}

fn check(pair: &Pair) {
    for task in Task::ALL {
        for options in choices(task) {
            processors().iter().for_each(|engine| drop(agree(engine, task, pair, &options)));
        }
    }
}

/// Pairs with special cases at their ends.
pub(crate) const EDGES: [(&[u8], &[u8]); 14] = [
    (b"", b""),
    (b"", b"abc"),
    (b"abc", b""),
    (b"a", b"a"),
    (b"a", b"b"),
    (b"abc", b"abc"),
    (b"abcd", b"abc"),
    (b"aba", b"ababa"),
    (b"aaaa", b"aaaaaaaaaa"),
    (b"annual", b"any annealing"),
    (b"abba", b"acbabaccb"),
    (b"xyz", b"abcabcabc"),
    (b"ab", b"ba"),
    (b"z", b"zaaaaaaz"),
];

#[test]
fn edge_cases_agree_with_the_oracle() {
    EDGES.iter().for_each(|(a, b)| check(&bytes(a, b)));
}

#[test]
fn lengths_around_words_and_vectors_agree_with_the_oracle() {
    for (seed, len) in (0..).zip([31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257]) {
        for letters in [&b"01"[..], b"ACGT", &(0..=255).collect::<Vec<u8>>()] {
            let a = random(letters, len, seed);
            let middle = mutated(&a, letters, 0.1, 7);
            let b = [random(letters, 70, 8), middle, random(letters, 45, 9)].concat();
            check(&bytes(&a, &b));
            check(&bytes(&b, &a));
        }
    }
}

#[test]
fn more_than_256_symbols_agree_with_the_oracle() {
    let letters: Vec<char> = ('\u{4e00}'..).take(800).collect();
    let text = |len: usize, seed: u64, shift: usize| -> String { random(&letters[shift..shift + 400], len, seed).into_iter().collect() };
    let options = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    for (m, n) in [(1, 300), (40, 600), (300, 700), (700, 300)] {
        let b = text(n, 1, 0);
        let part: String = b.chars().skip(n / 3).take(m).collect();
        for a in [text(m, 2, 0), text(m, 3, 390), part] {
            check(&Pair::parse(a.into_bytes(), b.clone().into_bytes(), &options.reading()).unwrap());
        }
    }
}

fn unit() -> impl Strategy<Value = Unit> {
    prop::sample::select(Unit::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_unit_agrees_with_the_oracle(
        a in "[ab é\n👍]{0,40}", b in "[ab é\n👍]{0,90}", unit in unit(), fold: bool, space: bool,
    ) {
        let options = JobOptions { unit, case_insensitive: fold, ignore_whitespace: space, ..JobOptions::default() };
        check(&Pair::parse(a.into_bytes(), b.into_bytes(), &options.reading()).unwrap());
    }

    #[test]
    fn repetitions_agree_with_the_oracle(period in "[abc]{1,5}", m in 0usize..150, n in 0usize..300, at in 0usize..300) {
        let mut b = period.repeat(n / period.len() + 1).into_bytes();
        b.truncate(n);
        let a: Vec<u8> = b.iter().cycle().take(if n == 0 { 0 } else { m }).copied().collect();
        if let Some(byte) = b.get_mut(at) {
            *byte = b'x';
        }
        check(&bytes(&a, &b));
    }
    /// Texts that are long enough for a search that starts with pieces of the pattern.
    #[test]
    fn few_edits_in_long_texts_agree_with_the_oracle(
        m in 8usize..40, n in 4000usize..9000, k in 0u64..5, seed: u64, rate in 0.0f64..0.3, at in 0.0f64..1.0, local_minima: bool, count_only: bool,
    ) {
        let a = random(b"ACGT", m, seed);
        let mut b = random(b"ACGT", n, seed ^ 1);
        let planted = mutated(&a, b"ACGT", rate, seed ^ 2);
        let from = ((n - planted.len()) as f64 * at).round() as usize;
        b[from..from + planted.len()].copy_from_slice(&planted);
        let options = JobOptions { max_distance: Some(k), local_minima, count_only, ..JobOptions::default() };
        processors().iter().for_each(|engine| drop(agree(engine, Task::ApproximateSearch, &bytes(&a, &b), &options)));
    }
}
