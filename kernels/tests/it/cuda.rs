//! The CUDA engine compared with the oracle, and with itself for texts that are too large for the oracle.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::event::{RunSignal, TaskAnswer};
use kernels::job::{EditCosts, JobOptions, ReadingOptions, Task, Unit};
use kernels::run::{Halt, Observer, Run};
use kernels::text::Pair;
use oracle::{agree, bytes, check, mutated, random, solve_and_verify, solve_edit_distance};

use crate::device::cuda;

const DNA: &[u8] = b"ACGT";

/// Tasks that sweep the whole matrix.
const PAIRS: [Task; 2] = [Task::EditDistance, Task::Lcs];

/// Checks that the engine finds the same distance or length as the CPU, with and without an alignment. An alignment
/// must fit the texts.
#[track_caller]
fn as_the_processor(engine: &Engine, task: Task, pair: &Pair) {
    let value = |alignment| match solve_and_verify(engine, task, pair, &JobOptions { alignment, ..JobOptions::default() }).answer {
        TaskAnswer::EditDistance { distance: Some(distance), .. } => distance,
        TaskAnswer::Lcs { length, .. } => length,
        answer => panic!("{answer:?}"),
    };
    // Without an alignment, `verified` compares the value with that of the CPU.
    assert_eq!(value(true), value(false));
}

#[test]
fn lengths_around_words_and_bands_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for m in [0, 1, 31, 32, 33, 1023, 1024, 1025] {
        for n in [0, 1, 31, 32, 33, 1023, 1024, 1025] {
            check(engine, &bytes(&random(DNA, m, 1), &random(DNA, n, 2)));
        }
    }
}

#[test]
fn every_alphabet_agrees_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for alphabet in [1u16, 2, 3, 4, 5, 16, 17, 200, 256] {
        let letters: Vec<u8> = (0..alphabet).map(|letter| letter as u8).collect();
        let a = random(&letters, 3000, alphabet.into());
        let b = mutated(&a, &letters, 0.2, 3);
        check(engine, &bytes(&a, &b));
        check(engine, &bytes(&b[..2500], &a));
    }
}

#[test]
fn equal_disjoint_and_reversed_texts_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let a = random(DNA, 2500, 3);
    let reversed: Vec<u8> = a.iter().rev().copied().collect();
    for b in [&a[..], &reversed, &a.to_ascii_lowercase(), &[b'A'; 2500], &[b'-'; 100], b"G"] {
        check(engine, &bytes(&a, b));
    }
    check(engine, &bytes(&[b'A'; 3000], &[b'A'; 1100]));
}

#[test]
fn results_of_larger_pairs_are_consistent() {
    let Some(engine) = cuda() else { return };
    let all: Vec<u8> = (0..=255).collect();
    for (len, letters) in [(20_000, DNA), (100_000, b"01"), (150_000, &all), (300_000, DNA)] {
        let a = random(letters, len, 5);
        let mut texts = [mutated(&a, letters, 0.3, 6), a];
        let distance =
            solve_edit_distance(engine, &bytes(&texts[0], &texts[1]), &JobOptions { alignment: false, ..JobOptions::default() }).0;
        assert_eq!(solve_edit_distance(engine, &bytes(&texts[1], &texts[0]), &JobOptions::default()).0, distance);
        texts.iter_mut().for_each(|text| text.reverse());
        assert_eq!(solve_edit_distance(engine, &bytes(&texts[0], &texts[1]), &JobOptions::default()).0, distance);
    }
}

#[test]
fn concurrent_jobs_have_the_results_of_single_jobs() {
    let Some(engine) = cuda() else { return };
    let a = random(DNA, 200_000, 7);
    let pairs = [0.1, 0.2, 0.3, 0.4].map(|rate| bytes(&a, &mutated(&a, DNA, rate, 8)));
    let alone = pairs.each_ref().map(|pair| solve_edit_distance(engine, pair, &JobOptions { alignment: false, ..JobOptions::default() }).0);
    std::thread::scope(|scope| {
        for (pair, distance) in pairs.iter().zip(alone) {
            scope.spawn(move || assert_eq!(solve_edit_distance(engine, pair, &JobOptions::default()).0, distance));
        }
    });
}

/// An observer that stops the run at the first progress and remembers the time.
struct Stopper(Mutex<Option<Instant>>);

impl Observer for Stopper {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        match signal {
            RunSignal::Progress { done, total } if done < total => {
                self.0.lock().expect("no thread panics while the lock is taken").get_or_insert_with(Instant::now);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_long_run_stops_within_a_quarter_of_a_second() {
    let Some(engine) = cuda() else { return };
    let pair = bytes(&random(DNA, 3_000_000, 1), &random(DNA, 3_000_000, 2));
    for (task, alignment) in PAIRS.into_iter().flat_map(|task| [(task, false), (task, true)]) {
        let stopper = Stopper(Mutex::default());
        let halt = engine.run(task, &JobOptions { alignment, ..JobOptions::default() }, &pair, &Run::new(&stopper)).unwrap_err();
        assert_eq!(halt, Halt::Stopped);
        let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
        assert!(since < Duration::from_millis(250), "{since:?}");
    }
}

#[test]
fn symbols_wider_than_bytes_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for alphabet in [257, 1000, 5000] {
        let letters: Vec<char> = ('\u{4e00}'..).take(alphabet).collect();
        let a = random(&letters, 12_000, 1);
        let b = mutated(&a, &letters, 0.2, 2);
        let [a, b]: [String; 2] = [a, b].map(|text| text.into_iter().collect());
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() }).unwrap();
        for task in PAIRS {
            as_the_processor(engine, task, &pair);
        }
    }
}

#[test]
fn subsequences_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for m in [0, 1, 31, 33, 1023, 4095, 4096, 4097, 9000] {
        for n in [0, 1, 15, 16, 17, 33, 1025] {
            agree(engine, Task::Lcs, &bytes(&random(DNA, m, 1), &random(DNA, n, 2)), &JobOptions::default());
        }
    }
    for alphabet in [1u16, 2, 4, 5, 16, 17, 256] {
        let letters: Vec<u8> = (0..alphabet).map(|letter| letter as u8).collect();
        let a = random(&letters, 9000, alphabet.into());
        agree(engine, Task::Lcs, &bytes(&a, &mutated(&a, &letters, 0.2, 3)), &JobOptions::default());
    }
}

#[test]
fn similar_pairs_agree_with_the_processor() {
    let Some(engine) = cuda() else { return };
    let a = random(DNA, 400_000, 5);
    for (rate, cut) in [(0.0, 0), (0.001, 0), (0.05, 3000), (0.2, 100_000)] {
        let b = mutated(&a, DNA, rate, 6);
        for (a, b) in [(&a[..], &b[cut..]), (&b[cut..], &a[..])] {
            for task in PAIRS {
                as_the_processor(engine, task, &bytes(a, b));
            }
        }
    }
}

/// Checks the least sum of random costs, with and without transpositions. Some of these costs need no kernel of their own.
#[test]
fn random_costs_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for seed in 0..40 {
        let most = [2, 3, 10, 60, 1000][seed as usize % 5];
        let [substitute, insert, delete, transpose] = random(&(0..=most).collect::<Vec<u32>>(), 4, seed)[..] else { unreachable!() };
        let transpose = (seed % 3 > 0).then_some(transpose);
        let letters = [&b"ab"[..], DNA, b"abcdefghijklmnopqrstuvwxyz"][seed as usize % 3];
        let a = random(letters, [0, 1, 40, 300, 700, 1100][seed as usize % 6], seed);
        let mut b = mutated(&a, letters, 0.3, seed);
        b.extend(random(letters, seed as usize % 90, seed + 1));
        let costs = EditCosts { substitute, insert, delete, transpose };
        for alignment in [false, true] {
            let options = JobOptions { alignment, costs, ..JobOptions::default() };
            agree(engine, Task::EditDistance, &bytes(&a, &b), &options);
            agree(engine, Task::EditDistance, &bytes(&b, &a), &options);
        }
    }
}

#[test]
fn costs_of_larger_pairs_agree_with_the_processor() {
    let Some(engine) = cuda() else { return };
    let a = random(DNA, 50_000, 5);
    let b = mutated(&a[3000..], DNA, 0.2, 6);
    for costs in [EditCosts::OSA, EditCosts { substitute: 3, insert: 2, delete: 2, transpose: None }] {
        for (a, b) in [(&a, &b), (&b, &a)] {
            let sum = |engine: &Engine, alignment| {
                solve_edit_distance(engine, &bytes(a, b), &JobOptions { alignment, costs, ..JobOptions::default() }).0
            };
            let expected = sum(&Engine::Cpu(Cpu::all_cores()), false);
            assert_eq!([sum(engine, false), sum(engine, true)], [expected; 2], "{costs:?}");
        }
    }
}

#[test]
fn a_long_run_with_costs_stops_within_a_quarter_of_a_second() {
    let Some(engine) = cuda() else { return };
    let pair = bytes(&random(DNA, 2_000_000, 1), &random(DNA, 2_000_000, 2));
    for alignment in [false, true] {
        let stopper = Stopper(Mutex::default());
        let options = JobOptions { alignment, costs: EditCosts::OSA, ..JobOptions::default() };
        let halt = engine.run(Task::EditDistance, &options, &pair, &Run::new(&stopper)).unwrap_err();
        assert_eq!(halt, Halt::Stopped);
        let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
        assert!(since < Duration::from_millis(250), "{since:?}");
    }
}
