//! The wire format, because changes to it break clients, and the choices of the planner.

use insta::assert_snapshot;
use kernels::event::{Answer, Event, Metric, Partial, Progress, ReadTexts, Stage};
use kernels::failure::{Failure, large};
use kernels::found::{Hit, InRecord};
use kernels::job::{Choice, Fasta, Given, Job, Options, Record, Source, Task};
use kernels::plan::{Effort, EngineName, Limits, Offer, Place, Rate, Work, plan};
use kernels::reading::{Format, ReadAs, Reading, Unit};
use kernels::task::{Size, solver};
use kernels::text::Pair;

fn offers() -> Vec<Offer> {
    let offer = |engine, place, cells_per_second, start_ms, cells| Offer {
        engine,
        place,
        device: "a device".into(),
        tasks: Task::ALL.map(|task| Rate { task, cells_per_second }).to_vec(),
        start_ms,
        bytes_per_second: if place == Place::Browser { 1e12 } else { 1e8 },
        limits: Limits { cells, ..Limits::NONE },
        version: "0.1.0".into(),
    };
    vec![
        offer(EngineName::Cpu, Place::Browser, 3e10, 0.0, 1_000_000_000_000),
        offer(EngineName::Cpu, Place::Server, 2e11, 20.0, 100_000_000_000_000),
        offer(EngineName::Cuda, Place::Server, 2e13, 30.0, 10_000_000_000_000_000),
    ]
}

const HIT: Hit = Hit::new(4, 10, 1);

const PLACE: InRecord = InRecord { number: 1, start: 0, end: 6 };

fn file() -> ReadAs {
    let names = vec!["chr1 the first".into(), "chr2".into()];
    ReadAs { format: Format::Fasta, folded: true, byte_order_mark: true, records: 2, names, record: Some(1), joined: false, encoding: None }
}

/// Returns the report on a UTF-16 text, and on one with other line ends.
fn doubted() -> ReadTexts {
    let utf16: Vec<u8> = "\u{feff}one\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    (&Pair::parse(utf16, &b"one\r\n"[..], &Reading { unit: Unit::Lines, ..Reading::default() }).unwrap()).into()
}

fn size(side: u64) -> Size {
    Size { a: side, b: side, alphabet: 4, bytes: 2 * side }
}

#[test]
fn events() {
    let work = solver(Task::EditDistance).work(&size(1_000_000), &Options::default());
    let alignment = "1X3=1X1=1I".parse::<kernels::alignment::Alignment>().unwrap().summary();
    let events = [
        Event::Queued { position: 2, wait_ms: Some(6e3) },
        Event::Planned(plan(&work, &offers()).unwrap()),
        Event::Read(ReadTexts { a: ReadAs::default(), b: file(), warnings: vec![] }),
        Event::Read(doubted()),
        Event::Stage { stage: Stage::Compute },
        Event::Progress(Progress { done: 10, total: 40, cells_per_second: 2e9, eta_ms: 1.5 }),
        Event::Metric(Metric { name: "compute_ms".into(), value: 12.5, unit: "ms".into() }),
        Event::Partial(Partial::Bounds { at_least: 3, at_most: 9 }),
        Event::Partial(Partial::Found { total: 2, latest: Some(HIT) }),
        Event::Partial(Partial::Found { total: 0, latest: None }),
        Event::Partial(Partial::Best { score: 61 }),
        Event::Answer(Answer::EditDistance { distance: 3, alignment: Some(alignment) }),
        Event::Answer(Answer::EditDistance { distance: 3, alignment: None }),
        Event::Answer(Answer::ApproximateSearch { distance: Some(1), total: 1, hits: vec![HIT], reverse: None }),
        Event::Answer(Answer::ApproximateSearch { distance: None, total: 0, hits: vec![], reverse: None }),
        Event::Answer(Answer::Lcs { length: 4, alignment: Some(alignment) }),
        Event::Answer(Answer::MatchCount {
            best: Some(5),
            total_best: 1,
            offsets: vec![4],
            within: Some(1),
            top: vec![HIT],
            records: vec![],
        }),
        Event::Answer(Answer::MatchCount { best: None, total_best: 0, offsets: vec![], within: None, top: vec![], records: vec![] }),
        Event::Answer(Answer::ExactSearch { total: 2, positions: vec![0, 4], records: vec![], strands: vec![], reverse: None }),
        Event::Answer(Answer::ExactSearch { total: 1, positions: vec![4], records: vec![PLACE], strands: vec![], reverse: None }),
        Event::Answer(Answer::ApproximateSearch {
            distance: Some(1),
            total: 1,
            hits: vec![Hit { record: Some(PLACE), ..HIT }],
            reverse: None,
        }),
        Event::Failed(Failure::TooLarge { what: "The number of cells".into(), got: 9, limit: 4 }),
        Event::Failed(Failure::bad_input("a is not valid UTF-8 at byte 3.")),
        Event::Failed(Failure::Interrupted),
        Event::Failed(Failure::OutOfTime { seconds: 600, reached: Some([3, 25]) }),
        Event::Cancelled,
    ];
    let lines: String = events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect();
    for (line, event) in lines.lines().zip(&events) {
        assert_eq!(&serde_json::from_str::<Event>(line).unwrap(), event);
    }
    assert_snapshot!(lines);
}

#[test]
fn jobs() {
    let job = Job {
        task: Task::EditDistance,
        options: Options::default(),
        a: Given::Text("kitten".into()).into(),
        b: Given::Upload("1f".into()).into(),
    };
    let search = |task, options| Job { task, options, ..job.clone() };
    let of = |choice| Source { given: Given::Upload("1f".into()), choice };
    let plain = Options::default();
    let jobs = [
        job.clone(),
        search(Task::ApproximateSearch, Options { max_distance: Some(3), local_minima: true, ..plain }),
        search(Task::Lcs, Options { alignment: false, ..plain }),
        search(Task::MatchCount, Options { max_mismatches: Some(2), ..plain }),
        search(Task::ExactSearch, Options { count_only: true, ..plain }),
        search(Task::Lcs, Options { fasta: Fasta::Never, ..plain }),
        Job {
            a: of(Choice { record: Some(Record::Number(2)), joined: false }),
            b: of(Choice { record: None, joined: true }),
            ..job.clone()
        },
        Job { a: of(Choice { record: Some(Record::Name("chr3".into())), joined: false }), ..job.clone() },
    ];
    let lines: String = jobs.iter().map(|job| serde_json::to_string(job).unwrap() + "\n").collect();
    for (line, job) in lines.lines().zip(&jobs) {
        assert_eq!(&serde_json::from_str::<Job>(line).unwrap(), job);
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
        r#"{"task": "match-count", "options": {"max_mismatches": -1}, "a": {"text": ""}, "b": {"text": ""}}"#,
    ] {
        assert!(serde_json::from_str::<Job>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_planner_goes_where_the_answer_is_first() {
    let rows: String = [1, 100, 50_000, 200_000, 2_000_000, 40_000_000, 200_000_000]
        .map(|side| {
            let work = Work { is_known: true, ..solver(Task::EditDistance).work(&size(side), &Options::default()) };
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
fn only_what_is_surely_too_much_is_refused() {
    let unread = solver(Task::EditDistance).work(&size(200_000_000), &Options::default());
    assert_eq!(plan(&unread, &offers()).unwrap().engine, EngineName::Cuda);
    let limits = Limits { seconds: 600, ..Limits::NONE };
    let server = offers().into_iter().skip(1).map(|offer| Offer { limits, ..offer }).collect::<Vec<_>>();
    // The device is the faster engine; it computes 4.8 × 10¹⁶ cells in 2,400 s.
    let work = |cells| Work::of(Task::EditDistance, cells);
    assert!(plan(&work(48_000_000_000_000_000), &server).is_ok());
    let refused = plan(&work(49_000_000_000_000_000), &server).unwrap_err();
    assert_eq!(refused, Failure::TooLarge { what: large::SECONDS.into(), got: 2450, limit: 600 });
    // For similar texts, the computed cells count instead of those of the matrix.
    let similar = Work { cpu: Effort::of(1_000_000_000), cuda: Effort::of(2_000_000_000), ..work(u64::MAX) };
    let quick = plan(&similar, &offers()).unwrap();
    assert_eq!((quick.place, quick.because.as_str()), (Place::Browser, "because 10⁹ cells take it about 33 ms"));
}

#[test]
fn every_plan_says_what_it_counts() {
    let cells = [0, 1, 999_999, 9_960_000, 42_000_008, 1_500_000_000];
    let rows: String = Task::ALL
        .iter()
        .flat_map(|task| cells.map(|cells| size(1).work(*task, cells, 1)))
        .map(|work| format!("{}: {}\n", work.task.name(), plan(&work, &offers()[..1]).unwrap().because))
        .collect();
    assert_snapshot!(rows);
}

#[test]
fn options_belong_to_tasks() {
    let plain = Options::default();
    let options = [
        Options { alignment: false, ..plain },
        Options { max_distance: Some(0), ..plain },
        Options { local_minima: true, ..plain },
        Options { max_mismatches: Some(0), ..plain },
        Options { count_only: true, ..plain },
    ];
    let rows: String =
        Task::ALL.iter().map(|task| format!("{}: {:?}\n", task.name(), options.map(|options| options.check(*task).is_ok()))).collect();
    assert_snapshot!(rows);
}
