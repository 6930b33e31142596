//! Searches in files of several records. Their results are those of each record alone, and no hit crosses a border.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kernels::engine::{Cpu, Engine};
use kernels::event::{FIRST_PAGE_HITS, RunSignal, TaskAnswer};
use kernels::found::{Hit, RecordRange, ScoreSpan};
use kernels::job::{ChosenRecord, JobOptions, PairRecordChoices, RecordChoice, Task};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::task::{FinishedSearch, match_count, searcher};
use kernels::text::{Pair, ReadingOptions};
use oracle::serial;
use proptest::prelude::*;

use crate::device::cuda;

fn file(records: &[String]) -> String {
    (0..).zip(records).map(|(number, letters)| format!(">r{number} of some\n{letters}\n")).collect()
}

fn whole(a: &str, records: &[String]) -> Pair {
    let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
    Pair::parse_records(a.as_bytes(), file(records).into_bytes(), &ReadingOptions::default(), &choices).unwrap()
}

/// Returns the pair of each record, with its position in the whole text.
fn alone(a: &str, records: &[String]) -> Vec<(u64, Pair)> {
    let mut from = 0;
    let pair = |number: usize| {
        let b = RecordChoice { record: Some(ChosenRecord::Number(number as u64)), joined: false };
        Pair::parse_records(
            a.as_bytes(),
            file(records).into_bytes(),
            &ReadingOptions::default(),
            &PairRecordChoices { b, ..PairRecordChoices::default() },
        )
        .unwrap()
    };
    let place = |(number, letters): (usize, &String)| {
        let place = (from, pair(number));
        from += letters.len() as u64 + 1;
        place
    };
    records.iter().enumerate().map(place).collect()
}

/// Returns the oracle's hits in each record, and its score at every position of the whole text that has one.
fn expected(task: Task, a: &str, records: &[String], options: &JobOptions) -> (Vec<Hit>, Vec<(u64, u64)>) {
    let (mut hits, mut scores) = (Vec::new(), Vec::new());
    for (from, pair) in alone(a, records) {
        let moved = |hit: Hit| Hit { start: hit.start + from, end: hit.end + from, ..hit };
        let m = pair.a.len() as u64;
        match task {
            Task::ApproximateSearch => {
                hits.extend(serial::approximate_search::hits(&pair, options).into_iter().map(moved));
                scores.extend((from..).zip(serial::approximate_search::ends(&pair)).map(|(at, hit)| (at, hit.distance)));
            }
            Task::MatchCount => {
                let here: Vec<(u64, u64)> = (from..).zip(serial::match_count::scores(&pair)).collect();
                let hit = |&(start, score): &(u64, u64)| Hit::new(start, start + m, m - score);
                hits.extend(here.iter().map(hit).filter(|hit| options.max_mismatches.is_none_or(|most| hit.distance <= most)));
                scores.extend(here);
            }
            _ => {
                let Some(found) = serial::solve(task, &pair, options).found else { continue };
                hits.extend(found.positions.iter().map(|start| moved(Hit::new(start, start + m, 0))));
            }
        }
    }
    // Without a bound, only the best hits of all records count.
    let best = hits.iter().map(|hit| hit.distance).min();
    if options.max_distance.is_none() && options.max_mismatches.is_none() {
        hits.retain(|hit| Some(hit.distance) == best);
    }
    (hits, scores)
}

/// Returns the position of a range of the whole text within its record.
fn place(records: &[String], start: u64, end: u64) -> Option<RecordRange> {
    let mut from = 0;
    for (number, letters) in (0..).zip(records) {
        let next = from + letters.len() as u64 + 1;
        if start < next {
            return Some(RecordRange { number, start: start - from, end: end - from });
        }
        from = next;
    }
    None
}

fn spans(scores: &[(u64, u64)], from: u64, len: u64, points: usize) -> Vec<ScoreSpan> {
    let width = len.div_ceil(points.max(1) as u64).max(1);
    let mut spans = vec![ScoreSpan::EMPTY; len.div_ceil(width) as usize];
    for &(at, score) in scores.iter().filter(|(at, _)| (from..from + len).contains(at)) {
        let span = &mut spans[((at - from) / width) as usize];
        *span = span.join(ScoreSpan::of(score));
    }
    let covered = |number: u64| width.min(len - number * width);
    let wide = |(number, span): (u64, ScoreSpan)| ScoreSpan {
        offsets: covered(number),
        least: if span.offsets == 0 { 0 } else { span.least },
        ..span
    };
    (0..).zip(spans).map(wide).collect()
}

fn check(task: Task, a: &str, records: &[String], options: &JobOptions, threads: usize) {
    check_on(&Engine::Cpu(Cpu { threads }), task, a, records, options);
}

fn check_on(engine: &Engine, task: Task, a: &str, records: &[String], options: &JobOptions) {
    let who = format!("{} of {a:?} in {records:?} with {options:?} on {engine:?}", task.name());
    let (pair, run) = (whole(a, records), Run::new(&NoObserver));
    let (mut hits, scores) = expected(task, a, records, options);
    hits.iter_mut().for_each(|hit| hit.record = place(records, hit.start, hit.end));
    let at = |starts: &[u64]| starts.iter().filter_map(|&start| place(records, start, start + a.len() as u64)).collect();
    let cpu = match engine {
        Engine::Cpu(cpu) => *cpu,
        Engine::Cuda(_) => Cpu::all_cores(),
    };
    let solution = engine.run(task, options, &pair, &run).unwrap();
    let m = a.len() as u64;
    let first: Vec<Hit> = hits.iter().copied().take(FIRST_PAGE_HITS).collect();
    let starts: Vec<u64> = first.iter().map(|hit| hit.start).collect();
    let total = hits.len() as u64;
    let answer = match task {
        Task::ApproximateSearch => {
            TaskAnswer::ApproximateSearch { distance: hits.iter().map(|hit| hit.distance).min(), total, hits: first, reverse: None }
        }
        Task::MatchCount => {
            let best = scores.iter().map(|(_, score)| *score).max();
            let at_best: Vec<u64> = scores.iter().filter(|(_, score)| Some(*score) == best).map(|(at, _)| *at).collect();
            let offsets: Vec<u64> = at_best.iter().copied().take(FIRST_PAGE_HITS).collect();
            let mut top: Vec<Hit> = scores.iter().map(|&(start, score)| Hit::new(start, start + m, m - score)).collect();
            top.sort_by_key(|hit| (hit.distance, hit.start));
            top.truncate(match_count::TOP_OFFSETS);
            top.iter_mut().for_each(|hit| hit.record = place(records, hit.start, hit.end));
            let within = options.max_mismatches.map(|_| total);
            let total_best = at_best.len() as u64;
            TaskAnswer::MatchCount { best, total_best, offsets: offsets.clone(), within, top, records: at(&offsets) }
        }
        _ => TaskAnswer::ExactSearch { total, records: at(&starts), positions: starts, strands: vec![], reverse: None },
    };
    assert_eq!(solution.answer, answer, "{who}");
    let found = solution.found.unwrap();
    let searched = FinishedSearch { pair: &pair, options, answer: &solution.answer, found: &found };
    let solver = searcher(task).unwrap();
    assert_eq!(solver.hits(&searched, 0..u64::MAX, &cpu, &run).unwrap(), hits, "{who}");
    for at in (0..total).step_by(1 + hits.len() / 5) {
        let page = solver.hits(&searched, at..at + 2, &cpu, &run).unwrap();
        assert_eq!(page, hits[at as usize..hits.len().min(at as usize + 2)], "{who}");
        let alignment = solver.align(&pair, page[0], options.gaps, &cpu, &run).unwrap();
        assert_eq!(alignment.summary().distance(), page[0].distance, "{who}");
    }
    let mut borders = (1..pair.b.record_count()).map(|record| pair.b.record_range(record).start as u64 - 1);
    assert!(borders.all(|border| hits.iter().all(|hit| !(hit.start..hit.end).contains(&border))), "{who}");
    if task == Task::ExactSearch {
        return;
    }
    let all = solver.offsets(&searched).unwrap();
    for (from, len, points) in [(0, all, 10), (0, all, usize::MAX), (all / 3, all / 2, 7), (all / 2, 3.min(all - all / 2), 100)] {
        assert_eq!(
            solver.profile(&searched, from..from + len, points, &run).unwrap(),
            spans(&scores, from, len, points),
            "{from} {len} {who}"
        );
    }
    if task == Task::ApproximateSearch {
        let counts = solver.counts(&searched, &run).unwrap();
        let count = |distance| scores.iter().filter(|(_, score)| *score == distance).count() as u64;
        assert_eq!(counts, (0..counts.len() as u64).map(count).collect::<Vec<_>>(), "{who}");
        assert_eq!(counts.iter().sum::<u64>(), scores.len() as u64, "{who}");
    }
}

fn bounds(task: Task, bound: Option<u64>, local_minima: bool) -> JobOptions {
    let of = |wanted| bound.filter(|_| task == wanted);
    let local_minima = local_minima && task == Task::ApproximateSearch;
    JobOptions { max_distance: of(Task::ApproximateSearch), max_mismatches: of(Task::MatchCount), local_minima, ..JobOptions::default() }
}

#[test]
fn match_across_a_record_border_is_not_found() {
    let records = ["ACGTACGTTT", "GGGTTTCC", "GATTACA"].map(str::to_owned);
    let pair = whole("TTTGGG", &records);
    let run = |task, options| Engine::Cpu(Cpu::SINGLE).run(task, &options, &pair, &Run::new(&NoObserver)).unwrap().answer;
    assert_eq!(
        run(Task::ExactSearch, JobOptions::default()),
        TaskAnswer::ExactSearch { total: 0, positions: vec![], records: vec![], strands: vec![], reverse: None }
    );
    let near = run(Task::ApproximateSearch, JobOptions { max_distance: Some(2), ..JobOptions::default() });
    assert_eq!(near, TaskAnswer::ApproximateSearch { distance: None, total: 0, hits: vec![], reverse: None });
    check(Task::ExactSearch, "GATTACA", &records, &JobOptions::default(), 1);
}

#[test]
fn empty_records_and_patterns_can_be_searched() {
    for task in Task::SEARCHES {
        for a in ["", "A", "ACGTACGT"] {
            for records in [["", "A", ""], ["", "", "A"], ["ACGTACGTA", "A", "CGT"]] {
                let records = records.map(str::to_owned);
                // Headers alone are not a file.
                if a.is_empty() && records.concat().is_empty() {
                    continue;
                }
                for bound in [None, Some(0), Some(3), Some(100)] {
                    check(task, a, &records, &bounds(task, bound, false), 2);
                }
            }
        }
    }
}

fn letters(rng: &mut fastrand::Rng, len: usize) -> String {
    (0..len).map(|_| char::from(b"ACGT"[rng.usize(..4)])).collect()
}

fn check_all_sizes_on(engine: &Engine) {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut records: Vec<String> = (0..300)
        .map(|_| {
            let len = rng.usize(..60);
            letters(&mut rng, len)
        })
        .collect();
    // A large record that all threads search together.
    records.insert(150, letters(&mut rng, 40_000));
    let a = records[150][20_000..21_800].to_owned();
    check_on(engine, Task::MatchCount, &a, &records, &bounds(Task::MatchCount, Some(1300), false));
    check_on(engine, Task::ExactSearch, &a[..9], &records, &JobOptions::default());
    check_on(engine, Task::ApproximateSearch, &a[..20], &records, &bounds(Task::ApproximateSearch, Some(6), true));
}

#[test]
fn records_of_mixed_sizes_are_searched_together() {
    check_all_sizes_on(&Engine::Cpu(Cpu { threads: 3 }));
}

#[test]
fn device_searches_records_one_by_one() {
    let Some(engine) = cuda() else { return };
    check_all_sizes_on(engine);
    let mut rng = fastrand::Rng::with_seed(8);
    for task in Task::SEARCHES {
        for (bound, local_minima) in [(None, false), (Some(0), false), (Some(3), true), (Some(100), true)] {
            for records in 2..8 {
                let lens: Vec<usize> = (0..records).map(|_| rng.usize(..25)).collect();
                let records: Vec<String> = lens.iter().map(|&len| letters(&mut rng, len)).collect();
                let m = rng.usize(1..8);
                check_on(engine, task, &letters(&mut rng, m), &records, &bounds(task, bound, local_minima));
            }
        }
    }
}

/// An observer that stops the run after some signals.
struct Impatient(AtomicU64);

impl Observer for Impatient {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.0.fetch_add(1, Relaxed) > 50 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn search_of_many_records_can_be_stopped() {
    let records: Vec<String> = (0..2_000).map(|_| "ACGTTGCA".repeat(4)).collect();
    let pair = whole("ACGTTGG", &records);
    for task in [Task::ApproximateSearch, Task::MatchCount] {
        let observer = Impatient(0.into());
        let stopped = Engine::Cpu(Cpu { threads: 2 }).run(task, &JobOptions::default(), &pair, &Run::new(&observer));
        assert_eq!(stopped.map(|solution| solution.answer), Err(Halt::Stopped));
        assert!(observer.0.load(Relaxed) < 100, "the search continues for too long");
    }
}

proptest! {
    #[test]
    fn search_of_records_equals_searches_of_each_record(
        task in prop::sample::select(&Task::SEARCHES[..]),
        a in "[AC]{0,7}",
        records in prop::collection::vec("[AC]{0,20}", 2..7),
        bound in prop::option::of(0u64..6),
        local_minima in any::<bool>(),
        threads in 1usize..4,
    ) {
        prop_assume!(!records.concat().is_empty());
        check(task, &a, &records, &bounds(task, bound, local_minima), threads);
    }
}
