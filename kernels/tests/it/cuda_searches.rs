//! The searches on a CUDA device agree with their oracles.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kernels::engine::Engine;
use kernels::event::{RunSignal, TaskAnswer};
use kernels::job::{JobOptions, Task, Unit};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::text::Pair;
use oracle::{agree, bytes, mutated, random, solve_and_verify};
use proptest::prelude::*;

use crate::device::cuda;
use crate::tasks::choices;

const DNA: &[u8] = b"ACGT";

fn searches(engine: &Engine) -> impl Iterator<Item = Task> {
    Task::SEARCHES.into_iter().filter(|task| engine.solves(*task))
}

fn check(engine: &Engine, pair: &Pair) {
    for task in searches(engine) {
        choices(task).iter().for_each(|options| drop(agree(engine, task, pair, options)));
    }
}

#[test]
fn edge_cases_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    crate::tasks::EDGES.iter().for_each(|(a, b)| check(engine, &bytes(a, b)));
}

#[test]
fn lengths_around_words_and_warps_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let all: Vec<u8> = (0..=255).collect();
    for (seed, len) in (0..).zip([31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257]) {
        for letters in [&b"01"[..], DNA, b"ACGTN", &all] {
            let a = random(letters, len, seed);
            let middle = mutated(&a, letters, 0.1, 7);
            let b = [random(letters, 70, 8), middle, random(letters, 45, 9)].concat();
            check(engine, &bytes(&a, &b));
            check(engine, &bytes(&b, &a));
        }
    }
}

#[test]
fn long_patterns_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for (m, n) in [(600, 2000), (1024, 3000), (1025, 1500), (2500, 4000)] {
        let b = random(DNA, n, 1);
        let a = mutated(&b[n / 4..n / 4 + m.min(n / 2)], DNA, 0.1, 2);
        let a = [a, random(DNA, m, 3)].concat()[..m].to_vec();
        check(engine, &bytes(&a, &b));
    }
}

/// A warp has 8,192 rows of an approximate search; longer patterns take several warps.
#[test]
fn patterns_of_several_warps_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for (m, n, letters) in [(8192, 20_000, DNA), (8193, 20_000, DNA), (20_000, 15_000, b"01"), (30_000, 300_000, DNA)] {
        let mut b = random(letters, n, 1);
        let a = random(letters, m, 2);
        let planted = mutated(&a, letters, 0.05, 3);
        let len = planted.len().min(n / 2);
        b[n - len..].copy_from_slice(&planted[..len]);
        let pair = bytes(&a, &b);
        for task in searches(engine) {
            choices(task).iter().for_each(|options| drop(solve_and_verify(engine, task, &pair, options)));
        }
    }
}

#[test]
fn texts_longer_than_a_block_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for (m, n, letters) in [(1, 40_000, DNA), (3, 70_001, b"01"), (20, 66_000, DNA), (70, 33_000, DNA)] {
        let b = random(letters, n, 1);
        check(engine, &bytes(&b[n - m..], &b));
        check(engine, &bytes(&mutated(&b[..m], letters, 0.2, 5), &b));
    }
}

#[test]
fn repetitive_texts_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let period = |letters: &[u8], len: usize| -> Vec<u8> { letters.iter().copied().cycle().take(len).collect() };
    let mut broken = period(b"aab", 9000);
    broken[5000] = b'c';
    let texts = [period(b"a", 9000), period(b"ab", 9000), broken, [period(b"a", 5000), vec![b'b'], period(b"a", 4000)].concat()];
    for text in texts {
        for m in [1, 33, 64, 700] {
            let mut last = text[..m].to_vec();
            last[m - 1] = b'b';
            for pattern in [&text[..m], &last, &text[text.len() / 2 - m / 2..][..m]] {
                check(engine, &bytes(pattern, &text));
            }
        }
    }
}

#[test]
fn more_than_256_symbols_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let letters: Vec<char> = ('\u{4e00}'..).take(800).collect();
    let text = |len: usize, seed: u64, shift: usize| -> String { random(&letters[shift..shift + 400], len, seed).into_iter().collect() };
    let options = JobOptions { unit: Unit::Chars, ..JobOptions::default() };
    for (m, n) in [(1, 300), (40, 600), (300, 700), (700, 300)] {
        let b = text(n, 1, 0);
        let part: String = b.chars().skip(n / 3).take(m).collect();
        for a in [text(m, 2, 0), text(m, 3, 390), part] {
            check(engine, &Pair::parse(a.into_bytes(), b.clone().into_bytes(), &options.reading()).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_lengths_and_letters_agree_with_the_oracle(
        m in 1usize..300, n in 0usize..3000, letters in 1usize..30, seed: u64, rate in 0.0f64..0.5, at in 0.0f64..1.0,
    ) {
        let Some(engine) = cuda() else { return Ok(()) };
        let letters = &b"ACGTNRYKMSWBDHVacgtnrykmswbdhv"[..letters];
        let a = random(letters, m, seed);
        let mut b = random(letters, n, seed ^ 1);
        let planted = mutated(&a, letters, rate, seed ^ 2);
        let from = (n as f64 * at) as usize;
        b.splice(from..(from + planted.len()).min(n), planted);
        check(engine, &bytes(&a, &b));
    }
}

/// Larger texts, for which the CPU engine replaces the oracle.
#[test]
fn large_texts_agree_with_the_processor() {
    let Some(engine) = cuda() else { return };
    let alnum = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (m, n, letters) in [(3, 5_000_000, &alnum[..]), (100, 3_000_000, DNA), (1000, 1_000_000, b"01"), (1, 1_000_000, b"01")] {
        let b = random(letters, n, 1);
        let pair = bytes(&mutated(&b[n / 2..n / 2 + m], letters, 0.05, 2), &b);
        for task in searches(engine) {
            solve_and_verify(engine, task, &pair, &JobOptions::default());
        }
    }
}

/// An observer that stops the run during the computation and remembers the time.
struct Stopper(Mutex<Option<Instant>>);

impl Observer for Stopper {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        match signal {
            RunSignal::Progress { done, total } if done > 0 && done < total => {
                self.0.lock().expect("no thread panics while the lock is taken").get_or_insert_with(Instant::now);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_long_search_stops_within_a_quarter_of_a_second() {
    let Some(engine) = cuda() else { return };
    for (task, m, n) in
        [(Task::ApproximateSearch, 4000, 64 << 20), (Task::ApproximateSearch, 1_000_000, 64 << 20), (Task::MatchCount, 200_000, 20_000_000)]
    {
        if !engine.solves(task) {
            continue;
        }
        let pair = bytes(&random(DNA, m, 1), &random(DNA, n, 2));
        let stopper = Stopper(Mutex::default());
        let halt = engine.run(task, &JobOptions::default(), &pair, &Run::new(&stopper)).unwrap_err();
        assert_eq!(halt, Halt::Stopped);
        let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
        assert!(since < Duration::from_millis(250), "{task:?}: {since:?}");
    }
}

#[test]
fn concurrent_searches_have_the_results_of_single_searches() {
    let Some(engine) = cuda() else { return };
    let b = random(DNA, 2_000_000, 7);
    let patterns: Vec<Vec<u8>> = (0..4).map(|number| mutated(&b[number * 1000..][..60], DNA, 0.1, 8)).collect();
    let pairs: Vec<Pair> = patterns.iter().map(|a| bytes(a, &b)).collect();
    for task in searches(engine) {
        let solve = |pair: &Pair| -> TaskAnswer { engine.run(task, &JobOptions::default(), pair, &Run::new(&NoObserver)).unwrap().answer };
        let alone: Vec<TaskAnswer> = pairs.iter().map(solve).collect();
        std::thread::scope(|scope| {
            for (pair, alone) in pairs.iter().zip(&alone) {
                scope.spawn(move || (0..3).for_each(|_| assert_eq!(solve(pair), *alone)));
            }
        });
    }
}
