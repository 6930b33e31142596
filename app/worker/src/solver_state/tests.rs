use std::cell::{Cell, RefCell};

use explain::collection::CollectionFormat;
use explain::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
use explain::dots::DotPlotFrame;
use explain::format::{AlignmentFormat, ExportFormat, FindingsFormat};
use explain::side_by_side::SideBySideOutline;
use explain::worker_protocol::collection::{CollectionAsk, CollectionReport, CollectionRequest, MAX_PAIRS, SideInfo, SourceInfo};
use explain::worker_protocol::patterns::{PatternAsk, PatternReport, PatternRequest, PlaceReport};
use explain::worker_protocol::query::*;
use explain::worker_protocol::{OpenedAlignment, ReplyEnvelope, ResultId};
use kernels::alignment::Alignment;
use kernels::alignment::PairSide;
use kernels::cbor::{from_bytes, to_bytes};
use kernels::collection::MemberSplit;
use kernels::event::TaskAnswer;
use kernels::found::{Hit, ScoreSpan};
use kernels::job::{EditCosts, SearchStrands, Unit};

use super::*;
use crate::kept_result::rows;

const CIGAR: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Cigar);
const HITS: ExportFormat = ExportFormat::Listed(FindingsFormat::Hits);

thread_local! {
    static POSTED_REPLIES: RefCell<Vec<(ReplyEnvelope, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
    static NOW: RefCell<f64> = const { RefCell::new(0.0) };
    /// Number of posted messages.
    static MESSAGES: Cell<usize> = const { Cell::new(0) };
    /// Time by which the clock advances at each call.
    static STEP: RefCell<f64> = const { RefCell::new(5.0) };
}

fn world() -> WorkerEnvironment {
    let now = || {
        NOW.with_borrow_mut(|now| {
            *now += STEP.with_borrow(|step| *step);
            *now
        })
    };
    WorkerEnvironment {
        now,
        post: |replies, bytes| {
            POSTED_REPLIES.with_borrow_mut(|said| {
                MESSAGES.set(MESSAGES.get() + 1);
                said.extend(replies.iter().map(|reply| (reply.clone(), bytes.to_vec())));
            })
        },
    }
}

fn said(desk: &mut SolverState, what: RequestKind, a: &str, b: &str) -> Vec<(ReplyEnvelope, Vec<u8>)> {
    POSTED_REPLIES.take();
    desk.answer(WorkerRequest { number: 7, of: None, what }, RequestBytes { a: a.into(), b: b.into() }, 0);
    POSTED_REPLIES.take()
}

fn solve(when: SolveCondition) -> RequestKind {
    RequestKind::Solve {
        task: Task::EditDistance,
        options: JobOptions::default(),
        choices: Default::default(),
        offers: String::new(),
        when,
    }
}

/// Solves a pair, and returns the solver with the answer.
fn solved(task: Task, options: JobOptions, a: &str, b: &str) -> (SolverState, TaskAnswer) {
    let mut desk = SolverState::open(world());
    let replies = said(
        &mut desk,
        RequestKind::Solve { task, options, choices: Default::default(), offers: String::new(), when: SolveCondition::Always },
        a,
        b,
    );
    let Some(WorkerReply::Event(JobEvent::Answer(answer))) = replies.last().map(|(reply, _)| reply.say.clone()) else {
        panic!("{replies:?}")
    };
    (desk, answer)
}

/// Creates a solver whose rate for edit distances is known.
fn measured() -> SolverState {
    let mut desk = SolverState::open(world());
    desk.offer_task(Task::EditDistance);
    desk
}

/// Returns the only reply to a request, with the bytes beside it.
fn only_reply(desk: &mut SolverState, what: RequestKind) -> (WorkerReply, Vec<u8>) {
    let mut replies = said(desk, what, "", "");
    assert_eq!(replies.len(), 1);
    let (reply, bytes) = replies.remove(0);
    (reply.say, bytes)
}

/// Returns the reply to a query.
fn look<Q: WorkerQuery>(desk: &mut SolverState, query: Q) -> Q::Reply {
    let (say, bytes) = only_reply(desk, query.into());
    assert_eq!(say, WorkerReply::Found);
    Q::decode(&bytes).unwrap()
}

/// Returns the failure of a request.
fn refused(desk: &mut SolverState, what: impl Into<RequestKind>) -> JobFailure {
    let (say, _) = only_reply(desk, what.into());
    let WorkerReply::Refused(failure) = say else { panic!("{say:?}") };
    failure
}

/// Returns an export as text.
fn file(desk: &mut SolverState, format: ExportFormat) -> String {
    String::from_utf8(only_reply(desk, RequestKind::Export { format, columns: (0, 100) }).1).unwrap()
}

#[test]
fn fast_answer_is_one_message_and_a_slow_one_several() {
    let mut desk = SolverState::open(world());
    let mut messages = |step: f64| {
        STEP.set(step);
        MESSAGES.set(0);
        let replies = said(&mut desk, solve(SolveCondition::Always), "kitten", "sitting");
        STEP.set(5.0);
        (replies.len(), MESSAGES.get())
    };
    let (replies, quick) = messages(0.0);
    assert!(replies > 10 && quick == 1, "{replies} replies in {quick} messages");
    assert!(messages(REPLY_BATCH_MS).1 > 5);
}

#[test]
fn query_names_its_result_and_fails_after_the_next_request() {
    let outline = |desk: &mut SolverState, of| {
        POSTED_REPLIES.take();
        desk.answer(
            WorkerRequest { number: 9, of: Some(of), what: OverviewQuery { points: 1 }.into() },
            RequestBytes { a: Vec::new(), b: Vec::new() },
            0,
        );
        POSTED_REPLIES.take().remove(0).0.say
    };
    let of = |ask, opened| ResultId { ask, opened };
    let mut desk = SolverState::open(world());
    said(&mut desk, solve(SolveCondition::Always), "kitten", "sitting");
    assert_eq!(outline(&mut desk, of(7, None)), WorkerReply::Found);
    assert_eq!(outline(&mut desk, of(6, None)), WorkerReply::Gone);
    let (mut desk, _) = solved(Task::MatchCount, JobOptions::default(), "ab", "abcb");
    look(&mut desk, OverlayQuery { offset: 1 });
    assert_eq!(outline(&mut desk, of(7, Some(OpenedAlignment::Offset(1)))), WorkerReply::Found);
    assert_eq!(outline(&mut desk, of(7, Some(OpenedAlignment::Offset(0)))), WorkerReply::Gone);
    assert_eq!(outline(&mut desk, of(7, Some(OpenedAlignment::Hit(1)))), WorkerReply::Gone);
}

#[test]
fn long_run_lowers_the_rate_of_the_device_and_a_short_one_does_not() {
    let mut desk = measured();
    let measured = desk.offer.rate(Task::EditDistance).unwrap();
    let mut after = |learnt: f64, took_ms: f64| {
        desk.learn(Task::EditDistance, learnt, took_ms);
        desk.offer.rate(Task::EditDistance).unwrap()
    };
    assert_eq!(after(measured / 2.0, MIN_RATED_RUN_MS - 1.0), measured);
    assert_eq!(after(measured / 2.0, MIN_RATED_RUN_MS), measured / 2.0);
    assert_eq!(after(0.0, MIN_RATED_RUN_MS), measured / 2.0);
    assert_eq!(after(measured, 1.0), measured);
}

#[test]
fn texts_are_identified_by_their_hash() {
    let mut desk = SolverState::open(world());
    let [a, b] = DigestQuery::decode(&said(&mut desk, DigestQuery {}.into(), "kitten", "")[0].1).unwrap();
    assert_eq!(a, blake3::hash(b"kitten").to_hex().as_str());
    // This is the BLAKE3 of no bytes, as in its test vectors.
    assert_eq!(b, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
}

#[test]
fn kitten_is_read_planned_answered_and_queried() {
    let mut desk = SolverState::open(world());
    let replies = said(&mut desk, solve(SolveCondition::Quick), "kitten", "sitting");
    assert!(replies.iter().all(|(reply, _)| reply.number == 7));
    assert!(matches!(
        &replies[0].0.say,
        WorkerReply::Read { a: ParsedTextInfo { symbols: 6, .. }, b: ParsedTextInfo { symbols: 7, .. }, alphabet: 7, .. }
    ));
    assert!(matches!(&replies[1].0.say, WorkerReply::Event(JobEvent::Planned(plan)) if plan.place == EnginePlace::Browser));
    let lasts = replies.iter().filter(|(reply, _)| matches!(&reply.say, WorkerReply::Event(event) if event.is_last())).count();
    assert_eq!(lasts, 1);
    let WorkerReply::Event(JobEvent::Answer(TaskAnswer::EditDistance { distance: Some(3), alignment: Some(summary), .. })) =
        replies.last().unwrap().0.say
    else {
        panic!("{replies:?}")
    };
    assert_eq!((summary.columns, summary.mismatches, summary.insertions), (7, 2, 1));

    let window = look(&mut desk, WindowQuery { from: 0, len: 100 });
    assert_eq!((window.a.concat().as_str(), window.b.concat().as_str()), ("kitten", "sitting"));
    assert_eq!(file(&mut desk, CIGAR), "1X3=1X1=1I\n");
    assert_eq!(look(&mut desk, ChangedRowsQuery { width: 3 }), [0, 1, 2]);
    let place = PlaceQuery { kinds: EditKinds::ALL, which: DifferenceQuery::Number(1) };
    assert_eq!(look(&mut desk, place), Some(DifferencePosition { number: 1, column: 4, of: 3 }));
    let place = PlaceQuery { kinds: "I".parse().unwrap(), which: DifferenceQuery::At(0) };
    assert_eq!(look(&mut desk, place), Some(DifferencePosition { number: 0, column: 6, of: 1 }));
    assert_eq!(look(&mut desk, ColumnQuery { side: PairSide::B, position: 6 }), 6);
    // Letters have no editions.
    refused(&mut desk, OutlineQuery {});
}

#[test]
fn slow_work_waits_until_the_visitor_confirms() {
    let mut desk = measured();
    desk.offer.tasks.iter_mut().for_each(|rate| rate.cells_per_second = 1.0);
    STEP.set(1e9);
    let long = "kitten".repeat(2_000);
    let replies = said(&mut desk, solve(SolveCondition::Quick), &long, &"sitting".repeat(2_000));
    assert!(matches!(replies.last().unwrap().0.say, WorkerReply::Waiting), "{replies:?}");
    let replies = said(&mut desk, solve(SolveCondition::Always), "kitten", "sitting");
    assert!(matches!(replies.last().unwrap().0.say, WorkerReply::Event(JobEvent::Answer(_))), "{replies:?}");
}

/// Tests a million letters and a copy with an edit at every 1,000th letter: 10¹² cells, of which few are computed.
#[test]
fn long_pair_of_similar_texts_counts_as_fast() {
    let mut desk = measured();
    desk.offer.tasks.iter_mut().for_each(|rate| rate.cells_per_second = 1e9);
    let mut state = 1u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ACGT"[(state >> 30) as usize] as char
    };
    let text: String = (0..1_000_000).map(|_| letter()).collect();
    let copy: String = text.chars().enumerate().map(|(at, letter)| if at % 1000 == 500 { 'N' } else { letter }).collect();
    let replies = said(&mut desk, solve(SolveCondition::Quick), &text, &copy);
    let WorkerReply::Event(JobEvent::Answer(TaskAnswer::EditDistance { distance, .. })) = replies.last().unwrap().0.say else {
        panic!("{:?}", replies.iter().map(|(reply, _)| &reply.say).collect::<Vec<_>>())
    };
    assert_eq!(distance, Some(1000));
}

#[test]
fn distorted_measurement_does_not_delay_a_small_job() {
    let mut desk = measured();
    desk.offer.tasks.iter_mut().for_each(|rate| rate.cells_per_second = 1.0);
    let replies = said(&mut desk, solve(SolveCondition::Quick), "kitten", "sitting");
    assert!(matches!(replies.last().unwrap().0.say, WorkerReply::Event(JobEvent::Answer(_))), "{replies:?}");
}

#[test]
fn bad_input_gives_one_failure_and_no_further_reply() {
    let mut desk = SolverState::open(world());
    POSTED_REPLIES.take();
    let options = JobOptions { unit: kernels::text::Unit::Chars, ..JobOptions::default() };
    let what = RequestKind::Solve {
        task: Task::EditDistance,
        options,
        choices: Default::default(),
        offers: String::new(),
        when: SolveCondition::Quick,
    };
    desk.answer(WorkerRequest { number: 1, of: None, what }, RequestBytes { a: vec![b'a', 0xFF], b: Vec::new() }, 0);
    let replies = POSTED_REPLIES.take();
    assert!(
        matches!(&replies[..], [(ReplyEnvelope { say: WorkerReply::Event(JobEvent::Failed(JobFailure::BadInput { message, .. })), .. }, _)] if message.contains("byte 1"))
    );
}

#[test]
fn cigar_is_stored_without_texts() {
    let mut desk = SolverState::open(world());
    let summary = KeepQuery::decode(&said(&mut desk, KeepQuery {}.into(), "2=1X3=2I\n", "")[0].1).unwrap();
    assert_eq!((summary.distance(), summary.columns), (3, 8));
    assert_eq!(look(&mut desk, OverviewQuery { points: 2 })[1].insertions, 2);
    refused(&mut desk, WindowQuery { from: 0, len: 1 });
    assert!(matches!(said(&mut desk, KeepQuery {}.into(), "nonsense", "")[0].0.say, WorkerReply::Refused(_)));
}

#[test]
fn every_row_with_an_edit_is_listed_once() {
    let alignment: Alignment = "5=1X1I20=12D1=".parse().unwrap();
    assert_eq!(rows(&alignment, 3), [1, 2, 9, 10, 11, 12]);
    assert_eq!(rows(&alignment, 100), [0]);
    assert!(rows(&Alignment::default(), 3).is_empty());
}

#[test]
fn hit_is_opened_at_its_position() {
    let (mut desk, answer) =
        solved(Task::ApproximateSearch, JobOptions { max_distance: Some(3), ..JobOptions::default() }, "annual", "any annealing");
    let TaskAnswer::ApproximateSearch { distance: Some(1), total, hits, .. } = answer else { panic!("{answer:?}") };
    assert!(total > 1 && hits.contains(&Hit::new(4, 10, 1)), "{hits:?}");
    let all = look(&mut desk, HitPageQuery { from: 0, len: 100, context: 0 }).hits;
    assert_eq!(all.len() as u64, total);
    let last = all.len() as u64 - 1;
    assert_eq!(look(&mut desk, HitPageQuery { from: last, len: 5, context: 0 }).hits, all[last as usize..]);
    let (hit, summary) = look(&mut desk, OpenHitQuery { hit: last });
    assert_eq!((hit, summary.distance()), (all[last as usize], hit.distance));
    let window = look(&mut desk, WindowQuery { from: 0, len: 100 });
    assert_eq!((window.b_start, window.a.concat().as_str()), (hit.start, "annual"));
    assert_eq!(window.b.concat(), "any annealing"[hit.start as usize..hit.end as usize]);
    let seen = look(&mut desk, HitPageQuery { from: last, len: 1, context: 3 });
    let passage = &"any annealing"[hit.start as usize - 3..(hit.end as usize + 3).min(13)];
    assert_eq!((seen.hits[0], seen.passages[0].letters.concat().as_str()), (hit, passage));
    let counts = look(&mut desk, CountsQuery {});
    assert_eq!((counts.iter().sum::<u64>(), counts[..=3].iter().sum()), (14, total));
    assert!(file(&mut desk, HITS).starts_with("start,end,distance\n"));
    assert_eq!(file(&mut desk, HITS).lines().count() as u64, total + 1);
    assert_eq!(file(&mut desk, CIGAR).trim().parse::<Alignment>().unwrap().summary(), summary);
    // The server writes the same document, with the hit by its number.
    let document: serde_json::Value = serde_json::from_str(&file(&mut desk, ExportFormat::Json)).unwrap();
    assert_eq!((document["hit"].as_u64(), document["b_start"].as_u64()), (Some(last), Some(hit.start)), "{document}");
    assert_eq!((document["a"]["symbols"].as_u64(), document["b"]["bytes"].as_u64()), (Some(6), Some(13)), "{document}");
    assert_eq!(document["a"]["blake3"], blake3::hash(b"annual").to_hex().to_string());
    assert!(document["metrics"]["cells"].as_f64().unwrap() > 0.0, "{document}");
    assert!(file(&mut desk, ExportFormat::Aligned(AlignmentFormat::Text)).contains("annual"));
    refused(&mut desk, OpenHitQuery { hit: total });
}

#[test]
fn hit_of_ambiguity_codes_is_opened_and_the_nearest_place_is_found() {
    let options = JobOptions { ambiguity: true, ..JobOptions::default() };
    let (mut desk, answer) = solved(Task::ApproximateSearch, options.clone(), "GTRNAAC", "TTGTACAACTT");
    assert!(matches!(answer, TaskAnswer::ApproximateSearch { distance: Some(0), total: 1, .. }), "{answer:?}");
    let (hit, summary) = look(&mut desk, OpenHitQuery { hit: 0 });
    assert_eq!((hit, summary.matches), (Hit::new(2, 9, 0), 7));
    assert_eq!(file(&mut desk, CIGAR).trim(), "7=");
    let (mut desk, answer) = solved(Task::ExactSearch, options.clone(), "RA", "GC");
    assert!(matches!(answer, TaskAnswer::ExactSearch { total: 0, .. }), "{answer:?}");
    let nearest = look(&mut desk, NearestQuery { context: 9 });
    assert_eq!((nearest.hits[0].distance, nearest.cigars[0].as_str()), (1, "1=1D"));
    let (mut desk, answer) = solved(Task::MatchCount, options, "RN", "GCTT");
    assert!(matches!(answer, TaskAnswer::MatchCount { best: Some(2), total_best: 1, .. }), "{answer:?}");
    assert_eq!(look(&mut desk, OpenHitQuery { hit: 0 }).1.matches, 2);
    assert_eq!(look(&mut desk, OverlayQuery { offset: 1 }).mismatches, 1);
}

#[test]
fn pairs_of_ambiguity_codes_are_kept_with_their_alignments() {
    let options = JobOptions { ambiguity: true, ..JobOptions::default() };
    for (task, value) in [(Task::EditDistance, 1), (Task::Lcs, 4), (Task::SequenceAlignment, 3)] {
        let (mut desk, answer) = solved(task, options.clone(), "GRTCN", "GACA");
        let found = match answer {
            TaskAnswer::EditDistance { distance, .. } => distance.unwrap() as i64,
            TaskAnswer::Lcs { length, .. } => length as i64,
            TaskAnswer::SequenceAlignment { score, .. } => score.rounded(),
            other => panic!("{other:?}"),
        };
        assert_eq!((found, file(&mut desk, CIGAR).trim()), (value, "2=1D2="), "{task:?}");
    }
}

#[test]
fn scores_have_a_profile_and_the_best_offsets_are_listed() {
    let options = JobOptions { max_mismatches: Some(3), ..JobOptions::default() };
    let (mut desk, answer) = solved(Task::MatchCount, options, "abba", "acbabaccb");
    assert!(matches!(answer, TaskAnswer::MatchCount { best: Some(3), total_best: 1, within: Some(5), .. }), "{answer:?}");
    let spans = look(&mut desk, ProfileQuery { from: 0, len: 100, points: 100 });
    assert_eq!(spans.iter().map(|span| span.most).collect::<Vec<_>>(), [3, 1, 2, 2, 0, 1]);
    let spans = look(&mut desk, ProfileQuery { from: 3, len: 3, points: 1 });
    assert_eq!(spans, [ScoreSpan { offsets: 3, least: 0, most: 2, sum: 3 }]);
    let csv = file(&mut desk, HITS);
    assert!(csv.starts_with("start,end,distance\n0,4,1\n"), "{csv}");
    assert_eq!(file(&mut desk, ExportFormat::Listed(FindingsFormat::Scores)), "offset,matches\n0,3\n1,1\n2,2\n3,2\n4,0\n5,1\n");
    assert_eq!(look(&mut desk, OpenHitQuery { hit: 0 }).1.mismatches, 1);
    assert_eq!(look(&mut desk, OverlayQuery { offset: 4 }).mismatches, 4);
    let window = look(&mut desk, WindowQuery { from: 0, len: 9 });
    assert_eq!((window.b_start, window.b.concat().as_str()), (4, "bacc"));
    refused(&mut desk, OverlayQuery { offset: 6 });
}

#[test]
fn overlapping_occurrences_are_found_and_none_is_an_answer() {
    let (mut desk, answer) = solved(Task::ExactSearch, JobOptions::default(), "aba", "ababa");
    assert!(matches!(answer, TaskAnswer::ExactSearch { total: 2, ref positions, .. } if *positions == [0, 2]));
    assert_eq!(look(&mut desk, OpenHitQuery { hit: 1 }).1.matches, 3);
    let (mut desk, answer) = solved(Task::ExactSearch, JobOptions::default(), "winter", "summer");
    assert!(matches!(answer, TaskAnswer::ExactSearch { total: 0, .. }));
    let page = HitPageQuery { from: 0, len: 10, context: 0 };
    assert!(look(&mut desk, page.clone()).hits.is_empty());
    assert_eq!(file(&mut desk, HITS), "start,end,distance\n");
    let nearest = look(&mut desk, NearestQuery { context: 9 });
    assert_eq!((nearest.hits, nearest.cigars), (vec![Hit::new(4, 6, 4)], vec!["4D2=".to_owned()]));
    refused(&mut desk, OverlayQuery { offset: 0 });
    refused(&mut desk, CountsQuery {});
    let count = JobOptions { count_only: true, ..JobOptions::default() };
    let (mut desk, answer) = solved(Task::ExactSearch, count, "aba", "ababa");
    assert!(matches!(answer, TaskAnswer::ExactSearch { total: 2, ref positions, .. } if positions.is_empty()));
    refused(&mut desk, page);
}

#[test]
fn subsequence_has_the_queries_of_an_alignment() {
    let (mut desk, answer) = solved(Task::Lcs, JobOptions::default(), "kitten", "sitting");
    assert!(matches!(answer, TaskAnswer::Lcs { length: 4, alignment: Some(summary) } if summary.matches == 4 && summary.mismatches == 0));
    assert_eq!(look(&mut desk, WindowQuery { from: 0, len: 100 }).columns, 9);
}

#[test]
fn matrix_is_sent_as_symbols() {
    let options = JobOptions { unit: kernels::text::Unit::Graphemes, case_insensitive: true, ..JobOptions::default() };
    let (mut desk, _) = solved(Task::EditDistance, options, "Sunday", "SATURDAY");
    let sheet = look(&mut desk, MatrixQuery {});
    assert_eq!((sheet.a.concat().as_str(), sheet.b.concat().as_str(), sheet.optimal.as_deref()), ("Sunday", "SATURDAY", Some("1")));
    let matrix = sheet.matrix().unwrap();
    assert_eq!(matrix.value(matrix.last()), 3);
    let (mut desk, _) = solved(Task::Lcs, JobOptions::default(), "a", &"b".repeat(2_001));
    assert!(matches!(refused(&mut desk, MatrixQuery {}), JobFailure::TooLarge { limit: 2_000, .. }));
}

#[test]
fn task_is_measured_on_its_first_use() {
    let (desk, _) = solved(Task::Lcs, JobOptions::default(), "a", "b");
    let measured: Vec<Task> = desk.offer.tasks.iter().map(|rate| rate.task).collect();
    assert_eq!(measured, [Task::Lcs]);
}

#[test]
fn every_suitable_format_is_written() {
    let lines = JobOptions { unit: kernels::text::Unit::Lines, ..JobOptions::default() };
    let (text, dna) = (["one\ntwo\n", "one\n2\n"], ["ACGT", "AGGT"]);
    for (task, options, [a, b]) in
        [(Task::EditDistance, JobOptions::default(), dna), (Task::EditDistance, lines.clone(), text), (Task::Lcs, lines, text)]
    {
        let (mut desk, _) = solved(task, options.clone(), a, b);
        for format in ExportFormat::ALL.into_iter().filter(|format| format.suits(task, &options)) {
            assert!(!file(&mut desk, format).is_empty(), "{format:?} of {task:?}");
        }
    }
    // VCF has no meaning for changes of texts that are not sequences.
    let (mut desk, _) = solved(Task::EditDistance, JobOptions::default(), text[0], text[1]);
    for format in [AlignmentFormat::Vcf, AlignmentFormat::Fasta].map(ExportFormat::Aligned) {
        assert!(matches!(refused(&mut desk, RequestKind::Export { format, columns: (0, 0) }), JobFailure::BadInput { .. }));
    }
    let (mut desk, _) = solved(Task::ExactSearch, JobOptions { strands: SearchStrands::Both, ..JobOptions::default() }, "GATC", "GATCC");
    assert_eq!(file(&mut desk, ExportFormat::Listed(FindingsFormat::Bed)), "b\t0\t4\ta\t1000\t+\nb\t0\t4\ta\t1000\t-\n");
    let (mut desk, _) = solved(Task::MatchCount, JobOptions::default(), "aba", "abaab");
    assert_eq!(file(&mut desk, ExportFormat::Listed(FindingsFormat::Scores)), "offset,matches\n0,3\n1,1\n2,1\n");
    refused(&mut desk, RequestKind::Export { format: CIGAR, columns: (0, 0) });
}

#[test]
fn lines_are_sent_side_by_side() {
    let lines = JobOptions { unit: kernels::text::Unit::Lines, ..JobOptions::default() };
    let (mut desk, _) = solved(Task::EditDistance, lines, "one\nport 80\n", "one\nport 8080\nmore\n");
    let outline = SideBySideOutline { rows: 3, changes: vec![(1, 3)], ..SideBySideOutline::default() };
    assert_eq!(look(&mut desk, OutlineQuery {}), outline);
    let twins = look(&mut desk, RowPairsQuery { from: 1, len: 9 });
    assert_eq!(twins.len(), 2);
    assert!(twins[0].changed && twins[1].a.is_none(), "{twins:?}");
}

#[test]
fn dots_are_sent_with_their_counts() {
    let (mut desk, _) = solved(Task::EditDistance, JobOptions::default(), "abca", "bcb");
    let frame = DotPlotFrame { to_a: 4, to_b: 3, width: 3, height: 2, ..DotPlotFrame::default() };
    let dots = look(&mut desk, DotsQuery { frame });
    assert_eq!((dots.frame, dots.one_in), (DotPlotFrame { word: Some(1), ..frame }, 1));
    assert_eq!(dots.counts, [1, 0, 1, 0, 1, 0]);
    assert!(matches!(refused(&mut desk, DotsQuery { frame: DotPlotFrame { width: 0, ..frame } }), JobFailure::BadInput { .. }));
}

/// Sends a request about a collection with the texts `bytes`.
fn ask_collection(desk: &mut SolverState, ask: &CollectionAsk, bytes: &[u8]) -> Vec<(ReplyEnvelope, Vec<u8>)> {
    POSTED_REPLIES.take();
    let request = WorkerRequest { number: 7, of: None, what: RequestKind::Collection };
    desk.answer(request, RequestBytes { a: to_bytes(ask), b: bytes.to_vec() }, 0);
    POSTED_REPLIES.take()
}

fn side(split: MemberSplit, sources: &[(&str, &[u8])]) -> SideInfo {
    SideInfo {
        split,
        sources: sources.iter().map(|(name, bytes)| SourceInfo { name: (*name).into(), bytes: bytes.len() as u64 }).collect(),
    }
}

fn compare(task: Task, split: MemberSplit, max_cells: u64, sources: &[(&str, &[u8])]) -> (CollectionAsk, Vec<u8>) {
    let request = CollectionRequest {
        task,
        options: JobOptions { unit: Unit::Graphemes, alignment: false, ..JobOptions::default() },
        max_cells,
        a: side(split, sources),
        b: None,
        template: Vec::new(),
    };
    (CollectionAsk::Compare(request), sources.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect())
}

/// Compares the lines of `a` with those of `b`.
fn compare_two(task: Task, a: &str, b: &str) -> (CollectionAsk, Vec<u8>) {
    let (CollectionAsk::Compare(request), bytes) = compare(task, MemberSplit::Lines, 1_000_000, &[("a", a.as_bytes())]) else {
        panic!("the request compares")
    };
    let request = CollectionRequest { b: Some(side(MemberSplit::Lines, &[("b", b.as_bytes())])), ..request };
    (CollectionAsk::Compare(request), [&bytes, b.as_bytes()].concat())
}

#[test]
fn each_text_of_a_collection_is_compared_with_each_of_another() {
    let mut desk = SolverState::open(world());
    let (ask, bytes) = compare_two(Task::EditDistance, "kitten\nsitting", "mitten\nkitten\nmitten\n");
    let (last, reply) = ask_collection(&mut desk, &ask, &bytes).pop().unwrap();
    assert_eq!(last.say, WorkerReply::Found);
    let (report, scores) = CollectionReport::decode(&reply).unwrap();
    let members: Vec<_> = report.members.iter().map(|member| (member.name.as_str(), member.text, member.start)).collect();
    assert_eq!(members, [("kitten", 0, 0), ("sitting", 1, 7), ("mitten", 0, 0), ("kitten", 1, 7), ("mitten", 0, 14)]);
    assert_eq!((report.first, report.distinct, report.by_similarity.order.len(), report.by_edits), (Some(2), [2, 2], 0, None));
    let scores: Vec<i32> = scores.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!((scores, report.cells, report.twins), (vec![1, 0, 3, 3], 13 * 12, vec![None, Some(0)]));
    let (reply, file) = ask_collection(&mut desk, &CollectionAsk::export(CollectionFormat::Pairs, true), b"").pop().unwrap();
    assert_eq!(reply.say, WorkerReply::Found);
    let file = String::from_utf8(file).unwrap();
    assert_eq!(file.lines().nth(2), Some("0,1,kitten,kitten,0,1.000000"), "{file}");
    assert_eq!(file.lines().count(), 7, "{file}");

    let (ask, bytes) = compare_two(Task::Lcs, &"\n".repeat(6_000), &"\n".repeat(5_000));
    let reply = ask_collection(&mut desk, &ask, &bytes).pop().map(|(reply, _)| reply.say);
    let refused = format!("The number of pairs of texts is 30000000, and the limit here is {MAX_PAIRS}.");
    assert!(matches!(&reply, Some(WorkerReply::Refused(failure)) if failure.to_string() == refused), "{reply:?}");
}

#[test]
fn collection_is_answered_with_all_scores_and_the_order_of_the_tree() {
    let mut desk = SolverState::open(world());
    let text = "kitten\nsitting\nmitten\n\nkitten\n";
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Lines, 1_000, &[("lines", text.as_bytes())]);
    let replies = ask_collection(&mut desk, &ask, &bytes);
    let (last, reply) = replies.last().unwrap();
    assert_eq!(last.say, WorkerReply::Found);
    let (report, scores) = CollectionReport::decode(reply).unwrap();
    let members: Vec<_> = report.members.iter().map(|member| (member.name.as_str(), member.symbols, member.text)).collect();
    assert_eq!(members, [("kitten", 6, 0), ("sitting", 7, 1), ("mitten", 6, 2), ("", 0, 3), ("kitten", 6, 0)]);
    let places: Vec<_> = report.members.iter().map(|member| &text[member.start as usize..member.end as usize]).collect();
    assert_eq!(places, ["kitten", "sitting", "mitten", "", "kitten"]);
    let scores: Vec<i32> = scores.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(scores, [0, 3, 1, 6, 3, 0, 3, 7, 1, 3, 0, 6, 6, 7, 6, 0]);
    assert_eq!(report.by_similarity.order, [0, 4, 2, 1, 3]);
    assert_eq!(report.by_edits.unwrap().links, [0.0, -1.0, -3.0, -6.0]);
    // Cells of pairs of distinct texts.
    assert_eq!(report.cells, 6 * 7 + 6 * 6 + 7 * 6);

    let (ask, bytes) = compare(Task::Lcs, MemberSplit::Files, 1_000, &[("a.txt", b"kitten"), ("b.txt", b"sitting")]);
    let (report, scores) = ask_collection(&mut desk, &ask, &bytes)
        .last()
        .and_then(|(_, reply)| CollectionReport::decode(reply).map(|(report, scores)| (report, scores.to_vec())))
        .unwrap();
    assert_eq!((report.members[1].name.as_str(), scores[4], report.by_edits), ("b.txt", 4, None));
}

/// Compares lines with `options`, and returns the report with the scores.
fn compared_lines(task: Task, options: JobOptions, lines: &str) -> (CollectionReport, Vec<i32>) {
    let mut desk = SolverState::open(world());
    let (CollectionAsk::Compare(request), bytes) = compare(task, MemberSplit::Lines, 1_000, &[("lines", lines.as_bytes())]) else {
        panic!("the request compares")
    };
    let ask =
        CollectionAsk::Compare(CollectionRequest { options: JobOptions { unit: Unit::Graphemes, alignment: false, ..options }, ..request });
    let (last, reply) = ask_collection(&mut desk, &ask, &bytes).pop().unwrap();
    assert_eq!(last.say, WorkerReply::Found);
    let (report, scores) = CollectionReport::decode(&reply).unwrap();
    (report, scores.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect())
}

#[test]
fn collection_has_the_costs_and_points_of_the_request() {
    let lines = "abcd\nabdc\nxy\n";
    let costs = |costs| JobOptions { costs, ..JobOptions::default() };
    let (report, scores) = compared_lines(Task::EditDistance, costs(EditCosts::OSA), lines);
    assert_eq!(scores, [0, 1, 4, 1, 0, 4, 4, 4, 0]);
    assert_eq!((report.by_similarity.links, report.by_edits.unwrap().links), (vec![0.75, 0.0], vec![-1.0, -4.0]));
    // The text given first is changed into the other one.
    let own = EditCosts { substitute: 9, insert: 1, delete: 3, transpose: None };
    let (report, scores) = compared_lines(Task::EditDistance, costs(own), lines);
    assert_eq!(scores, [0, 4, 14, 4, 0, 14, 10, 10, 0]);
    assert_eq!((report.by_similarity.links, report.by_edits.unwrap().links), (vec![1.0 - 4.0 / 16.0, 0.0], vec![-4.0, -14.0]));
    let (report, scores) = compared_lines(Task::SequenceAlignment, JobOptions::default(), lines);
    assert_eq!(scores, [4, 1, -4, 1, 4, -4, -4, -4, 2]);
    assert_eq!((report.by_similarity.order, report.by_similarity.links, report.by_edits), (vec![0, 1, 2], vec![1.0, -4.0], None));
    assert!(report.twins.is_empty());
}

#[test]
fn words_of_a_template_do_not_count() {
    let mut desk = SolverState::open(world());
    let starter = "def main():\n    pass\n";
    let files = [("a.py", "def main():\n    print(1)\n    pass\n"), ("b.py", starter), ("c.py", "print(2)\n")];
    let sources = files.map(|(name, text)| (name, text.as_bytes()));
    let (CollectionAsk::Compare(request), bytes) = compare(Task::EditDistance, MemberSplit::Files, 1_000_000, &sources) else {
        panic!("the request compares")
    };
    let template = side(MemberSplit::Files, &[("starter.py", starter.as_bytes())]).sources;
    let options = JobOptions { unit: Unit::Words, ..request.options.clone() };
    let ask = CollectionAsk::Compare(CollectionRequest { template: template.clone(), options, ..request.clone() });
    let (last, reply) = ask_collection(&mut desk, &ask, &[&bytes, starter.as_bytes()].concat()).pop().unwrap();
    assert_eq!(last.say, WorkerReply::Found);
    let (report, _) = CollectionReport::decode(&reply).unwrap();
    let counts: Vec<_> = report.members.iter().map(|member| member.symbols > 0).collect();
    assert_eq!(counts, [true, false, true]);
    assert_eq!(report.members[1].left_out, report.members[0].left_out);
    let place = &report.members[0];
    assert_eq!(&files[0].1[place.start as usize..place.end as usize], files[0].1.trim_end(), "the whole text is opened");
    // Records cannot lose lines.
    let ask = CollectionAsk::Compare(CollectionRequest { template, a: side(MemberSplit::Blank, &sources), ..request });
    let reply = ask_collection(&mut desk, &ask, &[&bytes, starter.as_bytes()].concat()).pop().unwrap().0.say;
    assert!(matches!(&reply, WorkerReply::Refused(failure) if failure.to_string().starts_with("A template needs")), "{reply:?}");
}

#[test]
fn long_comparison_of_a_collection_reports_its_progress() {
    let mut desk = SolverState::open(world());
    let lines: String = (0..200).map(|number| format!("{}\n", format!("{number:08b}").repeat(50))).collect();
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Lines, 10_000_000_000, &[("lines", lines.as_bytes())]);
    STEP.set(50.0);
    let replies = ask_collection(&mut desk, &ask, &bytes);
    STEP.set(5.0);
    let shares: Vec<f64> = replies
        .iter()
        .filter_map(|(reply, _)| match &reply.say {
            WorkerReply::Event(JobEvent::Progress(progress)) => Some(progress.done as f64 / progress.total as f64),
            _ => None,
        })
        .collect();
    assert!(shares.len() > 3 && shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
}

#[test]
fn refused_collections_name_the_text_or_the_limit() {
    let mut desk = SolverState::open(world());
    let mut refused = |ask: &CollectionAsk, bytes: &[u8]| match ask_collection(&mut desk, ask, bytes).pop() {
        Some((ReplyEnvelope { say: WorkerReply::Refused(failure), .. }, _)) => failure.to_string(),
        other => panic!("{other:?}"),
    };
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Files, 1_000, &[("a.txt", b"fine"), ("b.txt", b"ab\xff")]);
    assert_eq!(refused(&ask, &bytes), "b.txt is not valid UTF-8 at byte 2. Count in bytes, or save the file as UTF-8.");
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Lines, 5, &[("lines", b"abc\nabd")]);
    assert_eq!(refused(&ask, &bytes), "The number of cells is 9, and the limit here is 5.");
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Lines, 5, &[("lines", "\n".repeat(5_001).as_bytes())]);
    assert_eq!(refused(&ask, &bytes), "The number of texts is 5001, and the limit here is 5000.");
    assert_eq!(refused(&ask, b""), "The request for a collection is malformed.");
    assert_eq!(refused(&CollectionAsk::export(CollectionFormat::Pairs, true), b""), "There is no result here any more. Run it again.");
}

#[test]
fn answer_about_a_collection_is_written_as_a_file() {
    let mut desk = SolverState::open(world());
    let (ask, bytes) = compare(Task::EditDistance, MemberSplit::Lines, 1_000, &[("lines", b"kitten\nsitting")]);
    ask_collection(&mut desk, &ask, &bytes);
    let mut file = |format| {
        let (reply, bytes) = ask_collection(&mut desk, &CollectionAsk::export(format, true), b"").pop().unwrap();
        assert_eq!(reply.say, WorkerReply::Found);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    assert!(file(CollectionFormat::Pairs).contains("0,1,kitten,sitting,3,"));
    assert!(file(CollectionFormat::Newick).ends_with(";\n"));
}

/// Sends a request about many patterns with the texts `bytes`.
fn ask_patterns(desk: &mut SolverState, ask: &PatternAsk, bytes: &[u8]) -> (WorkerReply, Vec<u8>) {
    POSTED_REPLIES.take();
    let request = WorkerRequest { number: 7, of: None, what: RequestKind::Patterns };
    desk.answer(request, RequestBytes { a: to_bytes(ask), b: bytes.to_vec() }, 0);
    let (reply, bytes) = POSTED_REPLIES.take().pop().unwrap();
    (reply.say, bytes)
}

/// Creates the request to search for `patterns`, with at most one edit each, in `text`.
fn search(patterns: &str, text: &str, strands: SearchStrands, max_cells: u64) -> (PatternAsk, Vec<u8>) {
    let request = PatternRequest {
        task: Task::ApproximateSearch,
        options: JobOptions { unit: Unit::Chars, max_distance: Some(1), local_minima: true, strands, ..JobOptions::default() },
        pattern_split: MemberSplit::Lines,
        split: MemberSplit::Files,
        labels: Vec::new(),
        max_cells,
        patterns: SourceInfo { name: "patterns".into(), bytes: patterns.len() as u64 },
        texts: vec![SourceInfo { name: "text".into(), bytes: text.len() as u64 }],
    };
    (PatternAsk::Search(request), [patterns, text].concat().into_bytes())
}

#[test]
fn patterns_are_answered_with_hits_places_and_files() {
    let mut desk = SolverState::open(world());
    let text = format!("{}GATTACA{}TGTATTC\n", "C".repeat(250), "C".repeat(70));
    let (ask, bytes) = search("GATTACA\nAAAAAAAA", &text, SearchStrands::Both, 20_000);
    let (reply, bytes) = ask_patterns(&mut desk, &ask, &bytes);
    assert_eq!(reply, WorkerReply::Found);
    let report: PatternReport = from_bytes(&bytes).unwrap();
    let hits: Vec<_> = report.patterns[0].hits.iter().map(|hit| (hit.start, hit.end, hit.distance, hit.strand.unwrap().sign())).collect();
    assert_eq!(hits, [(250, 257, 0, '+'), (327, 334, 1, '-')]);
    let other = &report.patterns[1];
    assert_eq!((other.hits.len(), other.nearest.map(|hit| hit.distance), other.letters.as_str()), (0, Some(4), "AAAAAAAA"));
    assert_eq!((report.texts.len(), report.texts[0].symbols), (1, text.len() as u64));

    let place = |desk: &mut SolverState, pattern, hit| {
        let (reply, bytes) = ask_patterns(desk, &PatternAsk::Place { pattern, hit }, b"");
        assert_eq!(reply, WorkerReply::Found);
        from_bytes::<PlaceReport>(&bytes).unwrap()
    };
    let exact = place(&mut desk, 0, 0);
    assert_eq!(exact.columns.iter().map(|column| column.text.as_str()).collect::<String>(), "GATTACA");
    assert!(exact.columns.iter().all(|column| column.edit == "=" && column.pattern == column.text));
    let marked: Vec<_> = exact.lines.iter().filter(|line| !line.marked.is_empty()).map(|line| (line.start, line.marked.as_str())).collect();
    assert_eq!(marked, [(240, "GATTACA")]);
    assert_eq!(exact.lines[0].start, 60);
    // On the reverse strand, the reverse complement of the pattern, TGTAATC, lies above the text.
    let reverse = place(&mut desk, 0, 1);
    assert_eq!(reverse.columns.iter().map(|column| column.pattern.as_str()).collect::<String>(), "TGTAATC");
    assert_eq!(reverse.columns.iter().filter(|column| column.edit != "=").count(), 1);
    assert_eq!(place(&mut desk, 1, 0).columns.iter().filter(|column| column.edit != "=").count(), 4);

    let (reply, bytes) = ask_patterns(&mut desk, &PatternAsk::Export { format: "bed".into() }, b"");
    assert_eq!(reply, WorkerReply::Found);
    assert_eq!(String::from_utf8_lossy(&bytes).lines().count(), 2);
}

#[test]
fn empty_patterns_have_neither_hits_nor_a_nearest_part() {
    let mut desk = SolverState::open(world());
    let (ask, bytes) = search("GATTACA\n\nAAAAAAAA", "CCGATTACACC", SearchStrands::Both, 20_000);
    let report: PatternReport = from_bytes(&ask_patterns(&mut desk, &ask, &bytes).1).unwrap();
    let found: Vec<_> = report.patterns.iter().map(|pattern| (pattern.hits.is_empty(), pattern.nearest.is_none())).collect();
    assert_eq!(found, [(false, true), (true, true), (true, false)]);
}

#[test]
fn refused_patterns_name_the_limit() {
    let mut desk = SolverState::open(world());
    let mut refused = |ask: &PatternAsk, bytes: &[u8]| match ask_patterns(&mut desk, ask, bytes) {
        (WorkerReply::Refused(failure), _) => failure.to_string(),
        other => panic!("{other:?}"),
    };
    let (ask, bytes) = search("abc\nabd", "abcdefgh", SearchStrands::Forward, 5);
    assert_eq!(refused(&ask, &bytes), "The number of cells is 48, and the limit here is 5.");
    assert_eq!(refused(&ask, b""), "The request for patterns is malformed.");
    let place = PatternAsk::Place { pattern: 0, hit: 0 };
    assert_eq!(refused(&place, b""), "There is no result here any more. Run it again.");
    let (ask, bytes) = search("xyz", "abcdefgh", SearchStrands::Both, 500);
    assert!(refused(&ask, &bytes).contains("DNA and RNA only"), "{}", refused(&ask, &bytes));
}

/// Sends a request to a solver with three helpers, of which a third of the results is lost. Returns the last reply.
fn answer_with_helpers(what: RequestKind, ask: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    let mut desk = SolverState::open(world());
    let beside = || RequestBytes { a: ask.clone(), b: bytes.to_vec() };
    let shares = desk.answer(WorkerRequest { number: 7, of: None, what: what.clone() }, beside(), 3);
    assert!(shares > 3, "{shares} shares");
    let begun = POSTED_REPLIES.take();
    let begun = begun.last().map(|(reply, _)| &reply.say);
    assert!(matches!(begun, Some(WorkerReply::Event(JobEvent::Progress(begun))) if begun.done == 0), "{begun:?}");
    let mut helper = SolverState::new(world());
    helper.begin_shares(what, beside(), 3).unwrap();
    let computed: Vec<usize> = (0..shares).rev().filter(|share| share % 3 > 0).collect();
    computed.iter().for_each(|share| desk.add_result(*share, helper.solve_share(*share, &[]).ok()));
    assert_eq!(desk.finish(4), 0);
    let replies = POSTED_REPLIES.take();
    assert_eq!(replies.len(), computed.len() + 1);
    let WorkerReply::Event(JobEvent::Progress(progress)) = &replies[1].0.say else { panic!("{replies:?}") };
    assert_eq!(progress.done, (progress.total as f64 * (2.0 / shares as f64)) as u64);
    let (last, reply) = replies.last().unwrap();
    assert_eq!((last.number, &last.say), (7, &WorkerReply::Found));
    assert_eq!(desk.answer(WorkerRequest { number: 8, of: None, what: DigestQuery {}.into() }, beside(), 3), 0);
    reply.clone()
}

#[test]
fn divided_comparison_has_the_answer_of_one_worker() {
    let lines: Vec<String> =
        (0..40_usize).map(|line| "kitten sitting mitten".chars().cycle().skip(line * 5).take(line % 13).collect()).collect();
    let text = lines.join("\n");
    for task in [Task::EditDistance, Task::Lcs] {
        let one = compare(task, MemberSplit::Lines, 1_000_000, &[("lines", text.as_bytes())]);
        for (ask, bytes) in [one, compare_two(task, &text, "kitten\nsitting\n\nmitten")] {
            let decoded = |reply: &[u8]| {
                let (report, scores) = CollectionReport::decode(reply).unwrap();
                (CollectionReport { took_ms: 0.0, ..report }, scores.to_vec())
            };
            let alone = ask_collection(&mut SolverState::open(world()), &ask, &bytes).pop().unwrap().1;
            let divided = answer_with_helpers(RequestKind::Collection, to_bytes(&ask), &bytes);
            assert_eq!(decoded(&divided), decoded(&alone), "{task:?}");
        }
    }
}

#[test]
fn divided_search_has_the_answer_of_one_worker() {
    let patterns: Vec<String> =
        (0..30_usize).map(|number| "GATTACAGGT".chars().cycle().skip(number * 3).take(4 + number % 7).collect()).collect();
    let text = format!("{}GATTACA{}TGTATTC\n", "C".repeat(250), "CA".repeat(70));
    let (ask, bytes) = search(&patterns.join("\n"), &text, SearchStrands::Both, 1_000_000);
    let decoded = |reply: &[u8]| PatternReport { took_ms: 0.0, ..from_bytes(reply).unwrap() };
    let alone = ask_patterns(&mut SolverState::open(world()), &ask, &bytes).1;
    assert_eq!(decoded(&answer_with_helpers(RequestKind::Patterns, to_bytes(&ask), &bytes)), decoded(&alone));
}

#[test]
fn refusals_of_divided_requests_are_sent() {
    let mut desk = SolverState::open(world());
    let (ask, bytes) = search("abc\nabd", "abcdefgh", SearchStrands::Forward, 5);
    POSTED_REPLIES.take();
    let request = WorkerRequest { number: 7, of: None, what: RequestKind::Patterns };
    assert_eq!(desk.answer(request, RequestBytes { a: to_bytes(&ask), b: bytes }, 4), 0);
    let reply = POSTED_REPLIES.take().pop().unwrap().0.say;
    assert!(matches!(&reply, WorkerReply::Refused(failure) if failure.to_string().contains("the limit here is 5")), "{reply:?}");
}

fn letters(len: usize, mut state: u32) -> String {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b"ACGT"[(state >> 30) as usize])
    };
    (0..len).map(|_| next()).collect()
}

/// Solves a pair in a solver with three helpers, of which one returns nothing. Returns the solver and its replies.
fn solved_with_helpers(task: Task, options: &JobOptions, a: &str, b: &str) -> (SolverState, Vec<WorkerReply>) {
    let mut desk = SolverState::open(world());
    let what = RequestKind::Solve {
        task,
        options: options.clone(),
        choices: Default::default(),
        offers: String::new(),
        when: SolveCondition::Always,
    };
    let beside = || RequestBytes { a: a.into(), b: b.into() };
    POSTED_REPLIES.take();
    let mut shares = desk.answer(WorkerRequest { number: 7, of: None, what: what.clone() }, beside(), 3);
    assert!(shares > 1, "{task:?} has {shares} shares");
    let mut helper = SolverState::new(world());
    helper.begin_shares(what, beside(), 3).unwrap();
    while shares > 0 {
        for share in (0..shares).rev() {
            match share % 3 {
                0 => desk.add_result(share, None),
                1 => desk.add_result(share, Some(helper.solve_share(share, &desk.share_details(share)).unwrap())),
                _ => {}
            }
        }
        shares = desk.finish(3);
    }
    let replies = POSTED_REPLIES.take().into_iter().map(|(reply, _)| reply.say).collect();
    (desk, replies)
}

#[test]
fn divided_pair_has_the_answer_of_one_worker() {
    let (a, b) = (letters(6000, 1), letters(7000, 2));
    let text = format!("{b}{}{b}", &a[..100]);
    let both = JobOptions { strands: SearchStrands::Both, max_distance: Some(30), local_minima: true, ..JobOptions::default() };
    let plain = JobOptions::default();
    let score = JobOptions { alignment: false, ..JobOptions::default() };
    let jobs = [
        (Task::ApproximateSearch, &plain, &a[..100], &text),
        (Task::ApproximateSearch, &both, &a[..90], &text),
        (Task::ExactSearch, &plain, &a[..9], &text),
        (Task::Lcs, &plain, &a, &b),
        (Task::EditDistance, &plain, &a, &b),
        (Task::EditDistance, &score, &a, &b),
    ];
    for (task, options, a, b) in jobs {
        let (mut alone, expected) = solved(task, options.clone(), a, b);
        let (mut desk, replies) = solved_with_helpers(task, options, a, b);
        let Some(WorkerReply::Event(JobEvent::Answer(answer))) = replies.last() else { panic!("{replies:?}") };
        match (answer, &expected) {
            (TaskAnswer::EditDistance { distance, .. }, TaskAnswer::EditDistance { distance: of_one, .. }) => assert_eq!(distance, of_one),
            (TaskAnswer::Lcs { length, .. }, TaskAnswer::Lcs { length: of_one, .. }) => assert_eq!(length, of_one),
            (answer, expected) => {
                assert_eq!(answer, expected);
                assert_eq!(file(&mut desk, HITS), file(&mut alone, HITS));
            }
        }
        let has =
            |wanted: &dyn Fn(&JobEvent) -> bool| replies.iter().any(|reply| matches!(reply, WorkerReply::Event(event) if wanted(event)));
        assert!(has(&|event| matches!(event, JobEvent::Planned(plan) if plan.device == "WebAssembly, 4 workers")), "{replies:?}");
        assert!(has(&|event| matches!(event, JobEvent::Metric(metric) if metric.name == "threads" && metric.value == 3.0)), "{replies:?}");
        let shares = replies.iter().filter_map(|reply| match reply {
            WorkerReply::Event(JobEvent::Progress(progress)) => Some(progress.done as f64 / progress.total as f64),
            _ => None,
        });
        assert!(shares.is_sorted(), "{replies:?}");
    }
}

#[test]
fn short_pairs_and_methods_are_not_divided() {
    let text = letters(7000, 3);
    let method = JobOptions { method: Some(kernels::job::PaperMethod::Kmp), ..JobOptions::default() };
    let jobs = [(Task::ExactSearch, method, "ACGT"), (Task::SequenceAlignment, JobOptions::default(), &text[..90])];
    for (task, options, a) in jobs {
        let what = RequestKind::Solve { task, options, choices: Default::default(), offers: String::new(), when: SolveCondition::Always };
        let beside = RequestBytes { a: a.into(), b: text.clone().into() };
        assert_eq!(SolverState::open(world()).answer(WorkerRequest { number: 7, of: None, what }, beside, 3), 0, "{task:?}");
    }
}

#[test]
fn helper_refuses_unreadable_texts_and_shares() {
    let what = RequestKind::Solve {
        task: Task::Lcs,
        options: JobOptions { unit: Unit::Chars, ..JobOptions::default() },
        choices: Default::default(),
        offers: String::new(),
        when: SolveCondition::Always,
    };
    let mut helper = SolverState::new(world());
    assert!(helper.begin_shares(what.clone(), RequestBytes { a: vec![0xff], b: Vec::new() }, 1).is_err());
    helper.begin_shares(what, RequestBytes { a: b"kitten".to_vec(), b: b"sitting".to_vec() }, 1).unwrap();
    assert!(helper.solve_share(0, b"").is_err());
}
