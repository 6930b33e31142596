//! The papers' methods compared with the oracles of their tasks.

use std::ops::ControlFlow;

use kernels::engine::{Cpu, Engine};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, PairRecordChoices, PaperMethod, Task, Unit};
use kernels::methods::{approximate_search, edit_distance, exact_search, lcs, match_count};
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate, plan};
use kernels::run::{Halt, NoObserver, Run};
use kernels::streaming::count_stream;
use kernels::task::{InputSize, solver};
use kernels::text::{Pair, ReadingOptions};
use oracle::{agree, bytes, random, serial};

use crate::tasks::{EDGES, choices};

/// Returns random texts of fewer than `m` and `n` symbols, over small and large alphabets.
pub(crate) fn pairs(seed: u64, m: usize, n: usize) -> impl Iterator<Item = (Vec<u8>, Vec<u8>, Pair)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..1000).map(move |_| {
        let letters = &b"ACGTMRWSYKVHDBN*"[..rng.usize(1..=16)];
        let (a, b) = (random(letters, rng.usize(..m), rng.u64(..)), random(letters, rng.usize(..n), rng.u64(..)));
        let pair = bytes(&a, &b);
        (a, b, pair)
    })
}

fn go_on(_: u64) -> Result<(), Halt> {
    Ok(())
}

#[test]
fn edit_distances_agree_with_the_oracle() {
    for (a, b, pair) in pairs(1, 80, 80) {
        let (distance, _) = serial::edit_distance::align(&pair);
        assert_eq!(u64::from(edit_distance::sequential::sequential(&a, &b, &mut go_on).unwrap()), distance, "{a:?} {b:?}");
        assert_eq!(u64::from(edit_distance::diagonal::diagonal(&a, &b, &mut go_on).unwrap()), distance, "{a:?} {b:?}");
    }
}

/// Lengths up to 40, and some up to 200, over one to four letters.
#[test]
fn alignments_of_every_method_fit_and_cost_the_distance() {
    let mut rng = fastrand::Rng::with_seed(9);
    for round in 0..1000 {
        let letters = &b"ACGT"[..rng.usize(1..=4)];
        let longest = if round % 10 == 0 { 200 } else { 40 };
        let text = |rng: &mut fastrand::Rng| random(letters, rng.usize(..=longest), rng.u64(..));
        let pair = bytes(&text(&mut rng), &text(&mut rng));
        for method in PaperMethod::for_task(Task::EditDistance) {
            let options = JobOptions { method: Some(*method), alignment: true, ..JobOptions::default() };
            let solution = agree(&Engine::Cpu(Cpu::SINGLE), Task::EditDistance, &pair, &options);
            assert!(solution.alignment.is_some());
        }
    }
}

#[test]
fn distances_at_all_ends_agree_with_the_oracle() {
    for (at, (a, b, pair)) in pairs(2, 30, 200).enumerate() {
        let expected: Vec<u32> = serial::approximate_search::ends(&pair).iter().map(|hit| hit.distance as u32).collect();
        assert_eq!(approximate_search::sequential::sequential(&a, &b, &mut go_on).unwrap().distances, expected, "{a:?} {b:?}");
        assert_eq!(approximate_search::diagonal::diagonal(&a, &b, &mut go_on).unwrap().distances, expected, "{a:?} {b:?}");
        let slices = approximate_search::slices::slices(&a, &b, 1 + at % 20, &mut go_on).unwrap();
        assert_eq!(slices.ends.distances, expected, "{a:?} {b:?} {}", 1 + at % 20);
    }
}

#[test]
fn lcs_lengths_agree_with_the_oracle() {
    for (a, b, pair) in pairs(3, 150, 150) {
        let (length, _) = serial::lcs::align(&pair);
        let length = usize::try_from(length).unwrap();
        assert_eq!(lcs::hirschberg::hirschberg(&a, &b, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel::bit_parallel(&a, &b, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel_blocks::bit_parallel_blocks(&a, &b, 0, &mut go_on).unwrap().len(), length, "{a:?} {b:?}");
        assert_eq!(lcs::bit_parallel_blocks::length(&a, &b, &mut go_on).unwrap() as usize, length, "{a:?} {b:?}");
    }
}

#[test]
fn match_counts_agree_with_the_oracle() {
    for (a, b, pair) in pairs(4, 140, 300) {
        let expected: Vec<u32> = serial::match_count::scores(&pair).iter().map(|score| *score as u32).collect();
        assert_eq!(match_count::naive::naive(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(match_count::shift_add::shift_add(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(match_count::parallel_shift_add::parallel_shift_add(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
    }
}

#[test]
fn positions_agree_with_the_oracle() {
    for (a, b, pair) in pairs(5, 6, 300) {
        let expected: Vec<usize> = serial::exact_search::positions(&pair).iter().map(|at| *at as usize).collect();
        assert_eq!(exact_search::naive::naive(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(exact_search::kmp::kmp(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
        assert_eq!(exact_search::kmp_blocks::kmp_blocks(&a, &b, &mut go_on).unwrap(), expected, "{a:?} {b:?}");
    }
}

/// Returns options for jobs with each method of the task.
pub(crate) fn by_method(task: Task) -> Vec<JobOptions> {
    let named = |method: &PaperMethod| {
        let method = Some(*method);
        choices(task).into_iter().map(move |of| JobOptions { method, ..of })
    };
    PaperMethod::for_task(task).iter().flat_map(named).collect()
}

fn check(pair: &Pair, task: Task) {
    for options in by_method(task) {
        agree(&Engine::Cpu(Cpu::SINGLE), task, pair, &options);
    }
}

#[test]
fn jobs_that_name_a_method_agree_with_the_oracle() {
    for task in Task::ALL {
        EDGES.iter().for_each(|(a, b)| check(&bytes(a, b), task));
        pairs(7, 70, 140).take(100).for_each(|(_, _, pair)| check(&pair, task));
    }
    // The alphabet is too large for symbols of one byte.
    let wide: String = (0..700).map(|at| char::from_u32(0x4e00 + at * 7 % 400).unwrap()).collect();
    let reading = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
    let pair = Pair::parse(&wide.as_bytes()[300..600], wide.as_bytes(), &reading).unwrap();
    Task::ALL.into_iter().for_each(|task| check(&pair, task));
}

#[test]
fn search_by_a_method_finds_no_hit_across_records() {
    let file = b">one\nACGTACGTTT\n>two\nTTACGAACGT\n>three\nACG\n";
    for task in Task::SEARCHES {
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let pair = Pair::parse_records(&b"TTAC"[..], &file[..], &ReadingOptions::default(), &choices).unwrap();
        for options in by_method(task) {
            let solved = |options: &JobOptions| Engine::Cpu(Cpu::SINGLE).run(task, options, &pair, &Run::new(&NoObserver)).unwrap();
            assert_eq!(solved(&options), solved(&JobOptions { method: None, ..options.clone() }), "{options:?}");
        }
    }
}

#[test]
fn job_that_names_a_method_runs_on_the_faster_engine() {
    let offer = |engine| PlannerOffer {
        engine,
        place: EnginePlace::Server,
        device: String::new(),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second: 1e12 }).to_vec(),
        start_ms: 0.0,
        bytes_per_second: 1e9,
        limits: EngineLimits::NONE,
        version: String::new(),
    };
    let offers = [offer(EngineName::Cuda), offer(EngineName::Cpu)];
    let planned = |task: Task, method, size: &InputSize| {
        plan(&solver(task).work(size, &JobOptions { method, ..JobOptions::default() }), &offers).unwrap().engine
    };
    let size = |a, b| InputSize { a, b, alphabet: 4, bytes: 0 };
    let small = size(10, 1000);
    for task in Task::ALL {
        let large = if task == Task::Lcs { size(100_000, 100_000) } else { size(1000, 4_000_000) };
        for method in PaperMethod::for_task(task) {
            let is_parallel =
                matches!(method, PaperMethod::Slices | PaperMethod::Diagonal | PaperMethod::BitParallelBlocks | PaperMethod::KmpBlocks);
            let expected = if is_parallel { EngineName::Cuda } else { EngineName::Cpu };
            let where_it_runs = planned(task, Some(*method), &large);
            // The number of streams is that of the pattern's distinct symbols, so the faster engine depends on the
            // text.
            if *method != PaperMethod::ParallelShiftAdd {
                assert_eq!(where_it_runs, expected, "{} {}", task.name(), method.name());
            }
            assert_eq!(planned(task, Some(*method), &small), EngineName::Cpu, "{} {}", task.name(), method.name());
        }
    }
    // Not every device has enough memory for these rows.
    for (task, method) in [(Task::EditDistance, PaperMethod::Diagonal), (Task::ApproximateSearch, PaperMethod::Slices)] {
        assert_eq!(planned(task, Some(method), &size(100_000, 4_000_000)), EngineName::Cpu);
    }
}

/// Checks that a text in random pieces, some of them empty, has the scores of the whole text. Each score must be
/// reported with the piece in which its offset ends.
pub(crate) fn in_pieces(engine: &Engine, methods: &[PaperMethod], rounds: usize) {
    let mut rng = fastrand::Rng::with_seed(61);
    for round in 0..rounds {
        let letters = &b"ACGTMRWSYKVHDBN*"[..rng.usize(1..=16)];
        // Lengths around words, and longer than most pieces.
        let m = [1, 2, 31, 32, 33, 63, 64, 65, 200][round % 9];
        let (p, t) = (random(letters, m, rng.u64(..)), random(letters, rng.usize(..600), rng.u64(..)));
        let expected: Vec<u32> = t.windows(m).map(|w| w.iter().zip(&p).map(|(x, y)| u32::from(x == y)).sum()).collect();
        for method in methods {
            let (mut rest, mut pieces) = (t.as_slice(), Vec::new());
            while !rest.is_empty() {
                let (piece, left) = rest.split_at(rng.usize(..=rest.len().min(90)));
                pieces.push(piece.to_vec());
                rest = left;
            }
            let (mut scores, mut read, mut lens) = (Vec::<u32>::new(), 0, pieces.iter().map(Vec::len).collect::<Vec<_>>().into_iter());
            let mut told = |some: &[u32]| {
                read += lens.next().unwrap();
                scores.extend(some);
                assert_eq!(scores.len(), (read + 1usize).saturating_sub(m), "a score is sent as soon as its last symbol is read");
                ControlFlow::Continue(())
            };
            count_stream(engine, *method, &p, &Run::new(&NoObserver), &mut pieces.clone().into_iter(), &mut told).unwrap();
            assert_eq!(scores, expected, "{} {p:?} {pieces:?}", method.name());
        }
    }
}

#[test]
fn a_text_in_pieces_has_the_scores_of_the_whole() {
    let cpu = Engine::Cpu(Cpu::SINGLE);
    in_pieces(&cpu, &[PaperMethod::ShiftAdd, PaperMethod::ParallelShiftAdd], 1000);
    // An endless text is read until the callback stops it.
    let (mut endless, mut left) = (std::iter::repeat_with(|| b"kitten".to_vec()), 3);
    let mut told = |_: &[u32]| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let run = Run::new(&NoObserver);
    assert_eq!(count_stream(&cpu, PaperMethod::ShiftAdd, b"tt", &run, &mut endless, &mut told), Err(Halt::Stopped));
    let refused = |method, p: &[u8]| count_stream(&cpu, method, p, &run, &mut std::iter::empty(), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(refused(PaperMethod::Naive, b"tt"), Err(Halt::Failed(JobFailure::BadInput { .. }))));
    assert!(matches!(refused(PaperMethod::ShiftAdd, b""), Err(Halt::Failed(JobFailure::BadInput { .. }))));
}

/// Plan and progress count about two matrices with an alignment, and one without.
#[test]
fn edit_distance_with_an_alignment_counts_the_matrix_twice() {
    let pair = bytes(&random(b"ACGT", 512, 7), &random(b"ACGT", 700, 8));
    for method in PaperMethod::for_task(Task::EditDistance) {
        for alignment in [false, true] {
            let options = JobOptions { method: Some(*method), alignment, ..JobOptions::default() };
            let expected = solver(Task::EditDistance).work_for(&pair, &options).cpu.cells;
            assert_eq!(expected, if alignment { 2 * pair.cells() } else { pair.cells() });
            let run = Run::new(&NoObserver);
            Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &options, &pair, &run).unwrap();
            // The last divisions have a single symbol and are not divided further, so that a row of each is missing
            // from twice the matrix.
            assert_eq!(run.cells(), if alignment { expected - 700 } else { expected }, "{}", method.name());
        }
    }
}

#[test]
fn stopped_method_ends_at_once() {
    let text = random(b"ACGT", 10_000, 6);
    let mut ticks = 0;
    let stopped = lcs::hirschberg::hirschberg(&text, &text, &mut |_| {
        ticks += 1;
        if ticks == 3 { Err(Halt::Stopped) } else { Ok(()) }
    });
    assert_eq!((stopped, ticks), (Err(Halt::Stopped), 3));
}
