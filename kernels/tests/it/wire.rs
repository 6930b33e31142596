//! The wire format, because changes to it break clients, and the choices of the planner.

use insta::assert_snapshot;
use kernels::alignment::{ScoredColumns, SymbolRange};
use kernels::event::{JobEvent, LocalPiece, PairReadReport, PartialAnswer, RunMetric, RunProgress, RunStage, TaskAnswer};
use kernels::failure::{JobFailure, large};
use kernels::found::{Hit, RecordRange};
use kernels::job::{
    AlignmentMode, ChosenRecord, EditCosts, FastaMode, FreeEnds, GapPoints, JobOptions, JobRequest, JobText, Points, RecordChoice,
    ScoringMatrix, Task, TextSource,
};
use kernels::plan::{EngineEffort, EngineLimits, EngineName, EnginePlace, JobWork, PlannerOffer, TaskRate, plan};
use kernels::reading::{ReadFormat, ReadReport, ReadingOptions, Unit};
use kernels::task::{InputSize, solver};
use kernels::text::Pair;

fn offers() -> Vec<PlannerOffer> {
    let offer = |engine, place, cells_per_second, start_ms, cells| PlannerOffer {
        engine,
        place,
        device: "a device".into(),
        tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second }).to_vec(),
        start_ms,
        bytes_per_second: if place == EnginePlace::Browser { 1e12 } else { 1e8 },
        limits: EngineLimits { cells, ..EngineLimits::NONE },
        version: "0.1.0".into(),
    };
    vec![
        offer(EngineName::Cpu, EnginePlace::Browser, 3e10, 0.0, 1_000_000_000_000),
        offer(EngineName::Cpu, EnginePlace::Server, 2e11, 20.0, 100_000_000_000_000),
        offer(EngineName::Cuda, EnginePlace::Server, 2e13, 30.0, 10_000_000_000_000_000),
    ]
}

const HIT: Hit = Hit::new(4, 10, 1);

const PLACE: RecordRange = RecordRange { number: 1, start: 0, end: 6 };

fn file() -> ReadReport {
    let names = vec!["chr1 the first".into(), "chr2".into()];
    ReadReport {
        format: ReadFormat::Fasta,
        folded: true,
        byte_order_mark: true,
        records: 2,
        names,
        record: Some(1),
        joined: false,
        encoding: None,
    }
}

/// Returns the report on a UTF-16 text, and on one with other line ends.
fn doubted() -> PairReadReport {
    let utf16: Vec<u8> = "\u{feff}one\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    (&Pair::parse(utf16, &b"one\r\n"[..], &ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() }).unwrap()).into()
}

fn size(side: u64) -> InputSize {
    InputSize { a: side, b: side, alphabet: 4, bytes: 2 * side }
}

#[test]
fn events_have_a_stable_wire_format() {
    let work = solver(Task::EditDistance).work(&size(1_000_000), &JobOptions::default());
    let alignment = "1X3=1X1=1I".parse::<kernels::alignment::Alignment>().unwrap().summary();
    let events = [
        JobEvent::Queued { position: 2, wait_ms: Some(6e3) },
        JobEvent::Planned(plan(&work, &offers()).unwrap()),
        JobEvent::Read(PairReadReport { a: ReadReport::default(), b: file(), warnings: vec![] }),
        JobEvent::Read(doubted()),
        JobEvent::Stage { stage: RunStage::Compute },
        JobEvent::Progress(RunProgress { done: 10, total: 40, cells_per_second: 2e9, eta_ms: 1.5 }),
        JobEvent::Metric(RunMetric { name: "compute_ms".into(), value: 12.5, unit: "ms".into() }),
        JobEvent::Partial(PartialAnswer::Bounds { at_least: 3, at_most: 9 }),
        JobEvent::Partial(PartialAnswer::Found { total: 2, latest: Some(HIT) }),
        JobEvent::Partial(PartialAnswer::Found { total: 0, latest: None }),
        JobEvent::Partial(PartialAnswer::Best { score: 61 }),
        JobEvent::Answer(TaskAnswer::from_distance(3, Some(alignment))),
        JobEvent::Answer(TaskAnswer::from_distance(3, None)),
        JobEvent::Answer(TaskAnswer::above_distance(50)),
        JobEvent::Answer(TaskAnswer::from_distance(3, Some(alignment)).with_rates((6, 8), &EditCosts::LEVENSHTEIN)),
        JobEvent::Answer(TaskAnswer::ApproximateSearch { distance: Some(1), total: 1, hits: vec![HIT], reverse: None }),
        JobEvent::Answer(TaskAnswer::ApproximateSearch { distance: None, total: 0, hits: vec![], reverse: None }),
        JobEvent::Answer(TaskAnswer::Lcs { length: 4, alignment: Some(alignment) }),
        JobEvent::Answer(TaskAnswer::MatchCount {
            best: Some(5),
            total_best: 1,
            offsets: vec![4],
            within: Some(1),
            top: vec![HIT],
            records: vec![],
        }),
        JobEvent::Answer(TaskAnswer::MatchCount { best: None, total_best: 0, offsets: vec![], within: None, top: vec![], records: vec![] }),
        JobEvent::Answer(TaskAnswer::ExactSearch { total: 2, positions: vec![0, 4], records: vec![], strands: vec![], reverse: None }),
        JobEvent::Answer(TaskAnswer::ExactSearch { total: 1, positions: vec![4], records: vec![PLACE], strands: vec![], reverse: None }),
        JobEvent::Answer(TaskAnswer::ApproximateSearch {
            distance: Some(1),
            total: 1,
            hits: vec![Hit { record: Some(PLACE), ..HIT }],
            reverse: None,
        }),
        JobEvent::Answer(TaskAnswer::SequenceAlignment {
            score: Points::from_tenths(-45),
            a: SymbolRange { start: 0, end: 6 },
            b: SymbolRange { start: 0, end: 7 },
            alignment: Some(alignment),
            scored: Some(ScoredColumns { positives: 4, gaps: 1, gap_openings: 1 }),
            next: vec![],
        }),
        JobEvent::Answer(TaskAnswer::SequenceAlignment {
            score: Points::from(3),
            a: SymbolRange { start: 1, end: 4 },
            b: SymbolRange { start: 1, end: 4 },
            alignment: None,
            scored: None,
            next: vec![LocalPiece {
                score: Points::from(2),
                a: SymbolRange { start: 4, end: 6 },
                b: SymbolRange { start: 0, end: 2 },
                alignment,
                scored: ScoredColumns { positives: 2, gaps: 0, gap_openings: 0 },
                cigar: Some("2=".into()),
            }],
        }),
        JobEvent::Compared,
        JobEvent::Failed(JobFailure::TooLarge { what: "The number of cells".into(), got: 9, limit: 4 }),
        JobEvent::Failed(JobFailure::bad_input("a is not valid UTF-8 at byte 3.")),
        JobEvent::Failed(JobFailure::Interrupted),
        JobEvent::Failed(JobFailure::OutOfTime { seconds: 600, reached: Some([3, 25]) }),
        JobEvent::Cancelled,
    ];
    let lines: String = events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect();
    for (line, event) in lines.lines().zip(&events) {
        assert_eq!(&serde_json::from_str::<JobEvent>(line).unwrap(), event);
    }
    assert_snapshot!(lines);
}

#[test]
fn jobs_have_a_stable_wire_format() {
    let job = JobRequest {
        task: Task::EditDistance,
        options: JobOptions::default(),
        a: TextSource::Text("kitten".into()).into(),
        b: TextSource::Upload("1f".into()).into(),
    };
    let search = |task, options| JobRequest { task, options, ..job.clone() };
    let of = |choice| JobText { given: TextSource::Upload("1f".into()), choice };
    let plain = JobOptions::default();
    let jobs = [
        job.clone(),
        search(Task::ApproximateSearch, JobOptions { max_distance: Some(3), local_minima: true, ..plain.clone() }),
        search(Task::Lcs, JobOptions { alignment: false, ..plain.clone() }),
        search(Task::MatchCount, JobOptions { max_mismatches: Some(2), ..plain.clone() }),
        search(Task::ExactSearch, JobOptions { count_only: true, ..plain.clone() }),
        search(Task::Lcs, JobOptions { fasta: FastaMode::Never, ..plain.clone() }),
        search(
            Task::SequenceAlignment,
            JobOptions {
                mode: AlignmentMode::SemiGlobal,
                free_ends: FreeEnds::OVERLAP,
                equal: Points::whole(5),
                different: Points::whole(-4),
                gap: GapPoints { open: Points::from_tenths(95), extend: Points::from_tenths(5) },
                ..plain.clone()
            },
        ),
        search(Task::SequenceAlignment, JobOptions { mode: AlignmentMode::Local, matrix: Some(ScoringMatrix::BLOSUM62), ..plain }),
        JobRequest {
            a: of(RecordChoice { record: Some(ChosenRecord::Number(2)), joined: false }),
            b: of(RecordChoice { record: None, joined: true }),
            ..job.clone()
        },
        JobRequest { a: of(RecordChoice { record: Some(ChosenRecord::Name("chr3".into())), joined: false }), ..job.clone() },
    ];
    let lines: String = jobs.iter().map(|job| serde_json::to_string(job).unwrap() + "\n").collect();
    for (line, job) in lines.lines().zip(&jobs) {
        assert_eq!(&serde_json::from_str::<JobRequest>(line).unwrap(), job);
    }
    assert_snapshot!(lines);
    for wrong in [
        r#"{"task": "edit-distances", "a": {"text": ""}, "b": {"text": ""}}"#,
        r#"{"task": "edit-distance", "a": {"text": ""}}"#,
        r#"{"task": "edit-distance", "a": {"text": "", "upload": ""}, "b": {"text": ""}}"#,
        r#"{"task": "edit-distance", "a": {}, "b": {"text": ""}}"#,
        r#"{"task": "edit-distance", "a": {"text": "", "record": -1}, "b": {"text": ""}}"#,
        r#"{"task": "edit-distance", "options": {"fasta": "sometimes"}, "a": {"text": ""}, "b": {"text": ""}}"#,
        r#"{"task": "edit-distance", "options": {"units": "bytes"}, "a": {"text": ""}, "b": {"text": ""}}"#,
        r#"{"task": "sequence-alignment", "options": {"matrix": "BLOSUM1"}, "a": {"text": ""}, "b": {"text": ""}}"#,
        r#"{"task": "sequence-alignment", "options": {"free_ends": ["start"]}, "a": {"text": ""}, "b": {"text": ""}}"#,
        r#"{"task": "match-count", "options": {"max_mismatches": -1}, "a": {"text": ""}, "b": {"text": ""}}"#,
    ] {
        assert!(serde_json::from_str::<JobRequest>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn planner_chooses_the_engine_that_answers_first() {
    let rows: String = [1, 100, 50_000, 200_000, 2_000_000, 40_000_000, 200_000_000]
        .map(|side| {
            let work = JobWork { is_known: true, ..solver(Task::EditDistance).work(&size(side), &JobOptions::default()) };
            match plan(&work, &offers()) {
                Ok(plan) => format!("{side}: {:?} in the {:?}, {}\n", plan.engine, plan.place, plan.because),
                Err(failure) => format!("{side}: {failure}\n"),
            }
        })
        .concat();
    assert_snapshot!(rows);
}

/// Texts are not refused for their lengths alone, because they may be similar. Neither are jobs that may end in time.
#[test]
fn only_jobs_that_certainly_exceed_a_limit_are_refused() {
    let unread = solver(Task::EditDistance).work(&size(200_000_000), &JobOptions::default());
    assert_eq!(plan(&unread, &offers()).unwrap().engine, EngineName::Cuda);
    let limits = EngineLimits { seconds: 600, ..EngineLimits::NONE };
    let server = offers().into_iter().skip(1).map(|offer| PlannerOffer { limits, ..offer }).collect::<Vec<_>>();
    // The device is the faster engine; it computes 4.8 × 10¹⁶ cells in 2,400 s.
    let work = |cells| JobWork::from_cells(Task::EditDistance, cells);
    assert!(plan(&work(48_000_000_000_000_000), &server).is_ok());
    let refused = plan(&work(49_000_000_000_000_000), &server).unwrap_err();
    assert_eq!(refused, JobFailure::TooLarge { what: large::SECONDS.into(), got: 2450, limit: 600 });
    // For similar texts, the computed cells count instead of those of the matrix.
    let similar = JobWork { cpu: EngineEffort::from_cells(1_000_000_000), cuda: EngineEffort::from_cells(2_000_000_000), ..work(u64::MAX) };
    let quick = plan(&similar, &offers()).unwrap();
    assert_eq!((quick.place, quick.because.as_str()), (EnginePlace::Browser, "because 10⁹ cells take it about 33 ms"));
}

#[test]
fn plan_states_the_counted_work() {
    let cells = [0, 1, 999_999, 9_960_000, 42_000_008, 1_500_000_000];
    let rows: String = Task::ALL
        .iter()
        .flat_map(|task| cells.map(|cells| size(1).work(*task, cells, 1)))
        .map(|work| format!("{}: {}\n", work.task.name(), plan(&work, &offers()[..1]).unwrap().because))
        .collect();
    assert_snapshot!(rows);
}

#[test]
fn options_belong_to_their_tasks() {
    let plain = JobOptions::default();
    let options = [
        JobOptions { alignment: false, ..plain.clone() },
        JobOptions { max_distance: Some(0), ..plain.clone() },
        JobOptions { local_minima: true, ..plain.clone() },
        JobOptions { max_mismatches: Some(0), ..plain.clone() },
        JobOptions { count_only: true, ..plain.clone() },
    ];
    let rows: String = Task::ALL
        .iter()
        .map(|task| format!("{}: {:?}\n", task.name(), options.each_ref().map(|options| options.check(*task).is_ok())))
        .collect();
    assert_snapshot!(rows);
}
