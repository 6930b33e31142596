//! The papers' methods on a CUDA device return the oracle's answers, and stop on request.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kernels::alignment::Alignment;
use kernels::engine::{Cpu, Engine};
use kernels::event::RunSignal;
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, PairRecordChoices, PaperMethod, Task, Unit};
use kernels::methods::cuda::measure;
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::text::{Pair, ReadingOptions};
use oracle::{agree, bytes, mutated, random};

use crate::device::cuda;
use crate::methods::{by_method, in_pieces, pairs};
use crate::tasks::EDGES;

const DNA: &[u8] = b"ACGT";
const BINARY: &[u8] = b"01";

fn check(engine: &Engine, pair: &Pair, task: Task) {
    for options in by_method(task) {
        agree(engine, task, pair, &options);
    }
}

/// Returns two random texts of these lengths. For every third seed, `a` is a mutated piece of `b`.
fn texts(letters: &[u8], m: usize, n: usize, seed: u64) -> Pair {
    let b = random(letters, n, seed);
    let a = random(letters, m, seed + 1);
    let planted = mutated(&b[..m.min(n)], letters, 0.1, seed + 2);
    bytes(if seed.is_multiple_of(3) { &planted } else { &a }, &b)
}

#[test]
fn edge_cases_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for task in Task::ALL {
        EDGES.iter().for_each(|(a, b)| check(engine, &bytes(a, b), task));
    }
}

#[test]
fn random_texts_of_few_and_many_letters_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let all: Vec<u8> = (0..=255).collect();
    for (seed, letters) in [BINARY, DNA, &all, b"A"].into_iter().enumerate() {
        for (at, (m, n)) in [(1, 1), (1, 300), (7, 64), (31, 33), (64, 32), (65, 200), (130, 129), (300, 301)].into_iter().enumerate() {
            let pair = texts(letters, m, n, (10 * seed + at) as u64);
            Task::ALL.into_iter().for_each(|task| check(engine, &pair, task));
        }
    }
}

#[test]
fn text_in_pieces_has_the_scores_of_the_whole_on_a_device() {
    let Some(engine) = cuda() else { return };
    in_pieces(engine, &[PaperMethod::ParallelShiftAdd], 200);
}

#[test]
fn every_method_agrees_with_the_oracle_on_1000_random_pairs() {
    let Some(engine) = cuda() else { return };
    for (at, (_, _, pair)) in pairs(8, 70, 140).enumerate() {
        for task in Task::ALL {
            for method in PaperMethod::for_task(task) {
                // Every tenth pair has an alignment, which needs many calls of the device.
                let alignment = at % 10 == 0 && matches!(task, Task::EditDistance | Task::Lcs);
                agree(engine, task, &pair, &JobOptions { method: Some(*method), alignment, ..JobOptions::default() });
            }
        }
    }
}

#[test]
fn symbols_wider_than_bytes_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let letters: Vec<char> = ('\u{4e00}'..).take(400).collect();
    let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    for (m, n) in [(33, 600), (300, 700), (1024, 1100)] {
        let b = random(&letters, n, 1);
        let a: String = mutated(&b[n - m..], &letters, 0.1, 2).into_iter().collect();
        let b: String = b.into_iter().collect();
        let pair = Pair::parse(a.into_bytes(), b.into_bytes(), &reading).unwrap();
        for task in Task::ALL {
            for options in by_method(task) {
                agree(engine, task, &pair, &JobOptions { unit: Unit::Chars, ..options });
            }
        }
    }
}

/// Sizes around warps, blocks, slices, and pieces of 1,024 symbols of a slice.
#[test]
fn approximate_search_agrees_around_the_limits_of_the_paper() {
    let Some(engine) = cuda() else { return };
    for (seed, m) in [1, 31, 32, 33, 1023, 1024, 1025, 2100].into_iter().enumerate() {
        for (n, letters) in [(2 * m, DNA), (2 * m + 1, DNA), (5000, BINARY)] {
            let pair = texts(letters, m, n, seed as u64);
            for method in [PaperMethod::Diagonal, PaperMethod::Slices] {
                let of = JobOptions { method: Some(method), ..JobOptions::default() };
                for blocks in [1, 16, 2048].into_iter().take(if method == PaperMethod::Slices { 3 } else { 1 }) {
                    let blocks = (method == PaperMethod::Slices).then_some(blocks);
                    for options in
                        [JobOptions { blocks, ..of.clone() }, JobOptions { blocks, max_distance: Some(m as u64 / 3), ..of.clone() }]
                    {
                        agree(engine, Task::ApproximateSearch, &pair, &options);
                    }
                }
            }
        }
    }
}

#[test]
fn minimum_without_positions_equals_the_distance() {
    let Some(Engine::Cuda(gpu)) = cuda() else { return };
    for (m, n, blocks) in [(32, 70_000, 16), (1024, 50_000, 2048), (1024, 3000, 1), (33, 33, 7)] {
        let pair = bytes(&random(BINARY, m, 1), &random(BINARY, n, 2));
        let of = |options| agree(&Engine::Cpu(Cpu::SINGLE), Task::ApproximateSearch, &pair, &options).answer;
        let distance = match of(JobOptions { count_only: true, ..JobOptions::default() }) {
            kernels::event::TaskAnswer::ApproximateSearch { distance, .. } => distance,
            answer => panic!("{answer:?}"),
        };
        let timed = measure::slices(gpu, &pair, blocks, 2).unwrap();
        assert_eq!((distance, timed.ms.len()), (Some(timed.least.into()), 2));
    }
}

#[test]
fn edit_distances_around_warps_and_blocks_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for (seed, (m, n)) in
        [(31, 1000), (32, 33), (33, 32), (1023, 1024), (1024, 1024), (1024, 1023), (1025, 2500), (3000, 1100)].into_iter().enumerate()
    {
        let pair = texts(DNA, m, n, seed as u64);
        for method in PaperMethod::for_task(Task::EditDistance) {
            for alignment in [false, true] {
                agree(engine, Task::EditDistance, &pair, &JobOptions { method: Some(*method), alignment, ..JobOptions::default() });
            }
        }
    }
}

/// Halves of 64 symbols are the shortest that the device fills. Its alignments are those of the CPU, because their last
/// rows are equal: both divide the shorter text.
#[test]
fn alignments_of_edit_distances_agree_with_the_processor() {
    let Some(engine) = cuda() else { return };
    for (seed, (m, n)) in [(127, 300), (128, 128), (129, 1000), (255, 256), (1000, 5000), (5000, 1000), (256, 1)].into_iter().enumerate() {
        for pair in [texts(DNA, m, n, seed as u64), texts(b"A", m, n, seed as u64)] {
            for method in PaperMethod::for_task(Task::EditDistance) {
                let options = JobOptions { method: Some(*method), alignment: true, ..JobOptions::default() };
                let on_device = agree(engine, Task::EditDistance, &pair, &options);
                if m <= n {
                    assert_eq!(on_device, agree(&Engine::Cpu(Cpu::SINGLE), Task::EditDistance, &pair, &options), "{m} {n}");
                }
            }
        }
    }
}

/// Sizes around words of 32 bits, blocks of 1,024, and steps of 1,024 columns. Tables of 4,096 symbols or more are
/// filled on the device.
#[test]
fn lcs_around_words_blocks_and_steps_agrees_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let sizes =
        [(31, 33), (32, 32), (33, 31), (1023, 1025), (1024, 1024), (1025, 1023), (2049, 40), (40, 2049), (4096, 1100), (4097, 2100)];
    for (seed, (m, n)) in sizes.into_iter().enumerate() {
        for pair in [texts(DNA, m, n, seed as u64), bytes(&vec![1; m], &vec![1; n])] {
            for method in PaperMethod::for_task(Task::Lcs) {
                for alignment in [false, true] {
                    agree(engine, Task::Lcs, &pair, &JobOptions { method: Some(*method), alignment, ..JobOptions::default() });
                }
            }
        }
    }
}

#[test]
fn scores_around_words_and_text_pieces_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    let all: Vec<u8> = (0..=255).collect();
    for (seed, m) in [31, 32, 33, 63, 64, 1023, 1024, 1025].into_iter().enumerate() {
        for letters in [BINARY, DNA, &all] {
            check(engine, &texts(letters, m, 2000, seed as u64), Task::MatchCount);
        }
    }
    // The text needs several pieces: a stream of 32 words processes 32,768 symbols at a time.
    let pair = texts(DNA, 1024, 70_000, 1);
    agree(engine, Task::MatchCount, &pair, &JobOptions { method: Some(PaperMethod::ParallelShiftAdd), ..JobOptions::default() });
}

#[test]
fn positions_in_pieces_of_every_size_agree_with_the_oracle() {
    let Some(engine) = cuda() else { return };
    for (m, n) in [(1, 5000), (3, 70_000), (31, 4000), (1024, 9000), (2000, 3999), (2000, 4000), (2000, 4001)] {
        let b = random(BINARY, n, 1);
        for pair in [bytes(&b[n / 2..n / 2 + m.min(n / 2)], &b), bytes(&vec![7; m], &vec![7; n]), bytes(&b[n - m..], &b)] {
            check(engine, &pair, Task::ExactSearch);
        }
    }
}

#[test]
fn search_finds_no_hit_across_records() {
    let Some(engine) = cuda() else { return };
    let file = b">one\nACGTACGTTT\n>two\nTTACGAACGT\n>three\nACG\n";
    for task in Task::SEARCHES {
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let pair = Pair::parse_records(&b"TTAC"[..], &file[..], &ReadingOptions::default(), &choices).unwrap();
        for options in by_method(task) {
            let solved = |engine: &Engine, options: &JobOptions| engine.run(task, options, &pair, &Run::new(&NoObserver)).unwrap();
            assert_eq!(
                solved(engine, &options),
                solved(&Engine::Cpu(Cpu::SINGLE), &JobOptions { method: None, blocks: None, ..options.clone() }),
                "{options:?}"
            );
        }
    }
}

#[test]
fn larger_texts_agree_with_the_default_engine() {
    let Some(engine) = cuda() else { return };
    let (a, b) = (random(DNA, 20_000, 1), random(DNA, 30_000, 2));
    let cases = [
        (Task::Lcs, PaperMethod::BitParallelBlocks, bytes(&a, &b)),
        (Task::EditDistance, PaperMethod::Diagonal, bytes(&a[..9000], &b)),
        (Task::ApproximateSearch, PaperMethod::Slices, bytes(&a[..1024], &random(DNA, 3_000_000, 3))),
        (Task::ExactSearch, PaperMethod::KmpBlocks, bytes(&a[..12], &random(DNA, 9_000_000, 4))),
        (Task::MatchCount, PaperMethod::ParallelShiftAdd, bytes(&a[..200], &random(DNA, 400_000, 5))),
    ];
    for (task, method, pair) in cases {
        let plain = JobOptions { alignment: matches!(task, Task::Lcs | Task::EditDistance), ..JobOptions::default() };
        let solved = |method| engine.run(task, &JobOptions { method, ..plain.clone() }, &pair, &Run::new(&NoObserver)).unwrap();
        let (by_method, ours) = (solved(Some(method)), solved(None));
        assert_eq!(by_method.found, ours.found, "{}", method.name());
        // The alignments may differ, because several are optimal.
        let summaries = [&by_method, &ours].map(|solution| solution.alignment.as_ref().map(Alignment::summary));
        match task {
            Task::Lcs => assert_eq!(summaries[0].map(|one| one.matches), summaries[1].map(|one| one.matches)),
            Task::EditDistance => assert_eq!(summaries[0].map(|one| one.distance()), summaries[1].map(|one| one.distance())),
            _ => assert_eq!(by_method.answer, ours.answer, "{}", method.name()),
        }
    }
}

#[test]
fn pattern_that_does_not_fit_is_refused() {
    let Some(engine) = cuda() else { return };
    let pair = bytes(&random(DNA, 100_000, 1), &random(DNA, 100_000, 2));
    for (task, method) in [(Task::ApproximateSearch, PaperMethod::Slices), (Task::EditDistance, PaperMethod::Diagonal)] {
        for alignment in [false, true] {
            let options = JobOptions { method: Some(method), alignment, ..JobOptions::default() };
            match engine.run(task, &options, &pair, &Run::new(&NoObserver)) {
                Err(Halt::Failed(JobFailure::BadInput { message, .. })) => {
                    assert!(message.contains("100000 symbols") && message.contains("on this GPU"), "{message}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// An observer that stops the run at the first reported cells and remembers the time.
struct Stopper(Mutex<Option<Instant>>);

impl Observer for Stopper {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        match signal {
            RunSignal::Progress { done, total } if done > 0 && done < total => {
                self.0.lock().unwrap().get_or_insert_with(Instant::now);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn every_method_reports_progress_and_can_be_stopped() {
    let Some(engine) = cuda() else { return };
    let (long, longer) = (random(BINARY, 200_000, 1), random(BINARY, 20_000_000, 2));
    for task in Task::ALL {
        for method in PaperMethod::for_task(task) {
            let pair = match (task, method) {
                (Task::EditDistance, PaperMethod::Diagonal) => bytes(&long[..9000], &longer),
                (Task::EditDistance | Task::Lcs, _) => bytes(&long, &longer[..1_000_000]),
                (Task::ExactSearch, _) => bytes(&vec![7; 4_000_000], &vec![7; 20_000_000]),
                _ => bytes(&long[..4000], &longer),
            };
            let stopper = Stopper(Mutex::default());
            let options = JobOptions { method: Some(*method), ..JobOptions::default() };
            let halt = engine.run(task, &options, &pair, &Run::new(&stopper)).unwrap_err();
            assert_eq!(halt, Halt::Stopped, "{} {}", task.name(), method.name());
            let since = stopper.0.lock().unwrap().expect("the run was stopped").elapsed();
            // Alone on the device this takes a quarter of the limit, but other tests use the device at the same time.
            assert!(since < Duration::from_secs(1), "{} {}: {since:?}", task.name(), method.name());
        }
    }
}
