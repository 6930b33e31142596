//! A run whose observer stops it ends at the next tile, and reports signals in order before that.

use std::ops::ControlFlow;
use std::sync::Mutex;

use kernels::engine::{Cpu, Engine};
use kernels::event::{PartialAnswer, RunSignal, RunStage, TaskAnswer};
use kernels::job::{JobOptions, Task};
use kernels::run::{Halt, Observer, Run};
use kernels::task::{FinishedSearch, searcher};
use oracle::serial;
use oracle::{bytes, mutated, random};

/// An observer that records every signal, and stops the run after `stop_after` signals.
struct Recorder {
    signals: Mutex<Vec<RunSignal>>,
    stop_after: usize,
}

impl Observer for Recorder {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let mut signals = self.signals.lock().unwrap();
        signals.push(signal);
        if signals.len() > self.stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Tasks that fill the matrix of two texts.
const TASKS: [Task; 2] = [Task::EditDistance, Task::Lcs];

fn run(task: Task, threads: usize, stop_after: usize) -> (Result<u64, Halt>, Vec<RunSignal>) {
    let a = random(b"ACGT", 30_000, 1);
    let pair = bytes(&a, &mutated(&a, b"ACGT", 0.2, 2));
    let recorder = Recorder { signals: Mutex::default(), stop_after };
    let run = Run::new(&recorder);
    let solution = Engine::Cpu(Cpu { threads }).run(task, &JobOptions::default(), &pair, &run);
    (solution.map(|_| run.cells()), recorder.signals.into_inner().unwrap())
}

fn count(threads: usize, stop_after: usize) -> (Result<u64, Halt>, Vec<RunSignal>) {
    let pair = bytes(&random(b"ACGT", 300, 1), &random(b"ACGT", 1_000_000, 2));
    let recorder = Recorder { signals: Mutex::default(), stop_after };
    let run = Run::new(&recorder);
    let options = JobOptions { max_mismatches: Some(220), ..JobOptions::default() };
    let solution = Engine::Cpu(Cpu { threads }).run(Task::MatchCount, &options, &pair, &run);
    (solution.map(|_| run.cells()), recorder.signals.into_inner().unwrap())
}

fn search(threads: usize, k: Option<u64>, stop_after: usize) -> (Result<u64, Halt>, Vec<RunSignal>) {
    let pair = bytes(&random(b"ACGT", 300, 1), &random(b"ACGT", 3_000_000, 2));
    let recorder = Recorder { signals: Mutex::default(), stop_after };
    let run = Run::new(&recorder);
    let options = JobOptions { max_distance: k, ..JobOptions::default() };
    let solution = Engine::Cpu(Cpu { threads }).run(Task::ApproximateSearch, &options, &pair, &run);
    (solution.map(|_| run.cells()), recorder.signals.into_inner().unwrap())
}

/// A run of one word against a long text reports its progress, and stops.
#[test]
fn comparison_of_a_word_and_a_long_text_can_be_stopped() {
    let pair = bytes(&random(b"ACGT", 60, 1), &random(b"ACGT", 9_000_000, 2));
    for task in TASKS {
        let solve = |stop_after| {
            let recorder = Recorder { signals: Mutex::default(), stop_after };
            let run = Run::new(&recorder);
            let options = JobOptions { alignment: false, ..JobOptions::default() };
            let solution = Engine::Cpu(Cpu::SINGLE).run(task, &options, &pair, &run);
            (solution.is_ok(), run.cells(), recorder.signals.into_inner().unwrap().len())
        };
        let (solved, all, signals) = solve(usize::MAX);
        assert!(solved && all > 400_000_000 && signals > 8, "{task:?}: {signals} signals");
        let (solved, cells, _) = solve(4);
        assert!(!solved && cells < all / 2, "{task:?}: {cells} of {all}");
    }
}

#[test]
fn stopped_search_ends_within_some_blocks_per_thread() {
    for threads in [1, 2, 4] {
        for stop_after in [0, 1, 5, 20] {
            let (result, signals) = search(threads, None, stop_after);
            assert_eq!(result, Err(Halt::Stopped));
            assert!(signals.len() <= stop_after + 1 + threads, "{} signals after a stop at {stop_after}", signals.len());
        }
    }
}

#[test]
fn approximate_search_reports_its_hits() {
    let (mut reached, mut expected) = (0, 1);
    let (cells, signals) = search(2, None, usize::MAX);
    for signal in signals {
        if let RunSignal::Progress { done, total } = signal {
            (reached, expected) = (done.max(reached), total);
        }
    }
    assert_eq!((reached, Ok(reached)), (expected, cells));
}

/// The last partial answers equal the answer: with and without a bound, for patterns in pieces, by seeds and as a
/// whole.
#[test]
fn best_distance_and_number_of_ends_are_reported() {
    let text = random(b"ACGT", 400_000, 2);
    let random = |m| random(b"ACGT", m, 1);
    let planted = mutated(&text[100_000..100_300], b"ACGT", 0.05, 3);
    let rows = [(random(300), 400_000), (random(20_000), 30_000), (random(14), 400_000), (planted, 400_000)];
    for (a, n) in rows {
        let pair = bytes(&a, &text[..n]);
        let mut least = None;
        for more in [None, Some(0), Some(1)] {
            let recorder = Recorder { signals: Mutex::default(), stop_after: usize::MAX };
            let options =
                JobOptions { max_distance: more.map(|more| least.unwrap_or(0) + more), count_only: true, ..JobOptions::default() };
            let solution = Engine::Cpu(Cpu { threads: 2 }).run(Task::ApproximateSearch, &options, &pair, &Run::new(&recorder));
            let TaskAnswer::ApproximateSearch { distance, total, .. } = solution.unwrap().answer else { panic!("the wrong task") };
            let (mut best, mut found) = (u64::MAX, 0);
            for signal in recorder.signals.into_inner().unwrap() {
                match signal {
                    RunSignal::Partial(PartialAnswer::Best { score }) => best = score.min(best),
                    RunSignal::Partial(PartialAnswer::Found { total, .. }) => found = total,
                    _ => {}
                }
            }
            assert_eq!((Some(best), found), (distance, total), "{} in {n}, {options:?}", a.len());
            least = distance;
        }
    }
}

/// Aligning the hits of a long pattern takes as long as the search.
#[test]
fn stopped_page_of_long_hits_ends_within_a_tile_per_thread() {
    let pair = bytes(&random(b"ACGT", 12_000, 1), &random(b"ACGT", 30_000, 2));
    let task = Task::ApproximateSearch;
    for threads in [1, 2] {
        let engine = Engine::Cpu(Cpu { threads });
        let signals = |options: &JobOptions, stop_after| {
            let recorder = Recorder { signals: Mutex::default(), stop_after };
            let run = Run::new(&recorder);
            let solution = engine.run(task, options, &pair, &run);
            (solution, recorder.signals.into_inner().unwrap().len())
        };
        let options = JobOptions::default();
        let (solution, all) = signals(&options, usize::MAX);
        let solution = solution.unwrap();
        let (_, without) = signals(&JobOptions { count_only: true, ..options.clone() }, usize::MAX);
        assert!(all > without + 10, "{all} signals, {without} without hits");
        let (stopped, after) = signals(&options, without + 5);
        assert_eq!(stopped, Err(Halt::Stopped));
        assert!(after <= without + 6 + threads);
        let found = solution.found.unwrap();
        let searched = FinishedSearch { pair: &pair, options: &options, answer: &solution.answer, found: &found };
        for stop_after in [0, 1, 9] {
            let recorder = Recorder { signals: Mutex::default(), stop_after };
            let page = searcher(task).unwrap().hits(&searched, 0..10, &Cpu { threads }, &Run::new(&recorder));
            assert_eq!(page, Err(Halt::Stopped));
            assert!(recorder.signals.into_inner().unwrap().len() <= stop_after + 1 + threads);
        }
    }
}

#[test]
fn stopped_count_ends_within_a_block_per_thread() {
    for threads in [1, 2, 4] {
        for stop_after in [0, 1, 5, 12] {
            let (result, signals) = count(threads, stop_after);
            assert_eq!(result, Err(Halt::Stopped));
            assert!(signals.len() <= stop_after + 1 + threads, "{} signals after a stop at {stop_after}", signals.len());
        }
    }
}

#[test]
fn match_count_reports_its_hits() {
    let (cells, signals) = count(2, usize::MAX);
    assert_eq!(cells, Ok(300 * 999_701));
    let (mut best, mut found, mut cells) = (0, 0, 0);
    for signal in signals {
        match signal {
            RunSignal::Partial(PartialAnswer::Best { score }) => best = score.max(best),
            RunSignal::Partial(PartialAnswer::Found { total, latest }) => {
                assert!(latest.is_some_and(|hit| hit.distance <= 220));
                found = total.max(found);
            }
            RunSignal::Progress { done, total } => {
                assert_eq!(total, 300 * 999_701);
                cells = done.max(cells);
            }
            _ => {}
        }
    }
    assert_eq!(cells, 300 * 999_701);
    let pair = bytes(&random(b"ACGT", 300, 1), &random(b"ACGT", 1_000_000, 2));
    let scores = serial::match_count::scores(&pair);
    assert_eq!(Some(&best), scores.iter().max());
    assert_eq!(found, scores.iter().filter(|score| **score >= 80).count() as u64);
}

fn find(threads: usize, stop_after: usize) -> (Result<u64, Halt>, Vec<RunSignal>) {
    let pair = bytes(&[b'a'; 300], &[b'a'; 8 << 20]);
    let recorder = Recorder { signals: Mutex::default(), stop_after };
    let run = Run::new(&recorder);
    let solution = Engine::Cpu(Cpu { threads }).run(Task::ExactSearch, &JobOptions::default(), &pair, &run);
    (solution.map(|_| run.cells()), recorder.signals.into_inner().unwrap())
}

#[test]
fn stopped_exact_search_ends_within_a_span_per_thread() {
    for threads in [1, 2, 4] {
        for stop_after in [0, 1, 5, 12] {
            let (result, signals) = find(threads, stop_after);
            assert_eq!(result, Err(Halt::Stopped));
            assert!(signals.len() <= stop_after + 1 + threads, "{} signals after a stop at {stop_after}", signals.len());
        }
    }
}

#[test]
fn exact_search_reports_its_hits() {
    let cells = 300 + (8 << 20);
    for threads in [1, 2] {
        let (result, signals) = find(threads, usize::MAX);
        assert_eq!(result, Ok(cells));
        let (mut found, mut progress) = (vec![], 0);
        for signal in signals {
            match signal {
                RunSignal::Partial(PartialAnswer::Found { total, latest }) => {
                    assert!(latest.is_some_and(|hit| hit.end == hit.start + 300 && hit.end <= 8 << 20));
                    found.push(total);
                }
                RunSignal::Progress { done, total } => {
                    assert_eq!(total, cells);
                    progress = done.max(progress);
                }
                _ => {}
            }
        }
        assert_eq!((found.len(), progress), (8, cells));
        assert!(found.is_sorted() && found.last() == Some(&((8 << 20) - 299)), "{found:?}");
    }
}

#[test]
fn stopped_run_ends_within_a_tile_per_thread() {
    for task in TASKS {
        for threads in [1, 2, 4] {
            for stop_after in [0, 1, 5, 40] {
                let (result, signals) = run(task, threads, stop_after);
                assert_eq!(result, Err(Halt::Stopped));
                assert!(signals.len() <= stop_after + 1 + threads, "{} signals after a stop at {stop_after}", signals.len());
            }
        }
    }
}

#[test]
fn progress_rises_to_its_total() {
    TASKS.into_iter().for_each(progress);
}

fn progress(task: Task) {
    let (cells, signals) = run(task, 2, usize::MAX);
    let cells = cells.unwrap();
    let (mut last, mut stages) = (0, Vec::new());
    for signal in signals {
        match signal {
            RunSignal::Progress { done, total } => {
                assert!(done <= total);
                last = last.max(done);
            }
            RunSignal::Stage(stage) => stages.push(stage),
            RunSignal::Partial(_) => {}
        }
    }
    assert_eq!(stages, [RunStage::Compute, RunStage::Traceback]);
    assert_eq!(last, cells);
}
