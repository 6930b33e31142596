//! Messages between the page and the solver in its worker: the page sends [`WorkerRequest`]s, and the solver answers
//! with [`ReplyEnvelope`]s. Bytes that may be megabytes travel beside the message: both texts, a CIGAR, the reply to a
//! query.
//!
//! ```text
//! Ready → (Solve → [Read] Event* [Waiting] | Measure → Event Waiting | Collection → Event* Found or Refused |
//!          query → Found, Refused or Gone)*
//! ```
//!
//! The solver stores its last result, or an alignment that it received, and answers queries about it.
//!
//! - [`query`]: queries and their replies
//! - [`collection`]: the request to compare many texts, and its reply
//! - [`patterns`]: the request to search for many patterns, and its replies

use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, RecordChoice, Task};
use kernels::plan::{PlannerOffer, known};
use kernels::reading::{ReadReport, ReadWarning};
use kernels::{cbor_enum, cbor_struct};
use serde::{Deserialize, Serialize};

use self::query::{AlignmentQuery, HitQuery, LayoutQuery, ToolQuery};
use crate::format::ExportFormat;

pub mod collection;
pub mod patterns;
pub mod query;

/// Message of the failure if a part of the solver could not be loaded, because the network is down or the server has a
/// newer page. The page recognises this text and shows its own translation.
pub const PART_MISSING: &str = "A part of the solver did not load. Look at the connection and try again.";

/// A numbered request of the page to the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerRequest {
    /// Number of the request, which its replies repeat.
    pub number: u64,
    /// The result that a query is about; if `None`, any result that the solver has.
    pub of: Option<ResultId>,
    /// The kind of request with its parameters.
    pub what: RequestKind,
}

cbor_struct!(WorkerRequest { number, of, what });

/// The id of a result that the solver stores. Queries contain this id, so that they are not answered from another
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultId {
    /// Number of the request of kind `Solve` or `Keep` that made the result.
    pub ask: u64,
    /// The alignment of a hit or an offset that was opened in the result, if the query is about one.
    pub opened: Option<OpenedAlignment>,
}

cbor_struct!(ResultId { ask, opened });

/// An alignment that a query has opened in a search result: of the pattern with one place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedAlignment {
    /// The alignment of the hit with this number, from 0.
    Hit(u64),
    /// The alignment of `a` with `b` at this offset.
    Offset(u64),
}

cbor_enum!(OpenedAlignment { 0 Hit(number), 1 Offset(offset) });

/// The kind of a request, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestKind {
    /// Parses the two texts beside this message, plans the run, and solves the task if `when` allows.
    Solve {
        /// The task to solve.
        task: Task,
        /// Options of the task.
        options: JobOptions,
        /// The records to use of `a` and of `b`.
        choices: [RecordChoice; 2],
        /// The engines that the server offers, as JSON; empty if the page did not fetch them.
        offers: String,
        /// The condition on which the task is solved right after planning.
        when: SolveCondition,
    },
    /// Plans a run for texts whose contents the solver does not have, given only their sizes.
    Measure {
        /// The task to plan.
        task: Task,
        /// Options of the task.
        options: JobOptions,
        /// The engines that the server offers, as JSON; only these can solve the task.
        offers: String,
        /// Number of symbols of `a`, or its number of bytes if the number of symbols is not known.
        a: u64,
        /// Number of symbols of `b`, or its number of bytes if the number of symbols is not known.
        b: u64,
        /// Number of bytes of the texts that must still be sent to the server.
        bytes: u64,
    },
    /// A query that needs no stored result, for example about a QR code.
    Tool(ToolQuery),
    /// A query about the stored alignment.
    Alignment(AlignmentQuery),
    /// A query about the hits or scores of the last run.
    Hits(HitQuery),
    /// A query that computes a layout of the stored result: matrix, dot plot, or both texts side by side.
    Layout(LayoutQuery),
    /// Writes the stored result as a file, whose bytes are beside the reply.
    Export {
        /// Format of the file.
        format: ExportFormat,
        /// First column and number of columns; used for a picture only.
        columns: (u64, u64),
    },
    /// Compares all texts of a collection, or writes the last answer as a file. Beside this message are a
    /// [`CollectionAsk`](collection::CollectionAsk) in CBOR as `a`, and the bytes of all texts as `b`. The reply has a
    /// [`CollectionReport`](collection::CollectionReport) with the scores, or the bytes of the file.
    Collection,
    /// Searches for many patterns, or requests a part of the last answer. Beside this message are a
    /// [`PatternAsk`](patterns::PatternAsk) in CBOR as `a`, and the bytes of all texts as `b`. The reply has a
    /// [`PatternReport`](patterns::PatternReport), a [`PlaceReport`](patterns::PlaceReport), or the bytes of the file.
    Patterns,
}

cbor_enum!(RequestKind {
    0 Solve { task, options, choices, offers, when },
    1 Measure { task, options, offers, a, b, bytes },
    2 Tool(query),
    3 Alignment(query),
    4 Hits(query),
    5 Layout(query),
    6 Export { format, columns },
    7 Collection,
    8 Patterns,
});

/// The engines that a server offers, in their JSON form. The page passes the JSON to the solver without parsing it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineOffers {
    /// One offer per engine; engines that this version does not know are left out.
    #[serde(deserialize_with = "known")]
    pub offers: Vec<PlannerOffer>,
}

/// The condition on which a plan is carried out right after planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveCondition {
    /// Only if the plan chooses the solver in this worker and expects an almost immediate answer.
    Quick,
    /// Always, because the user requested it.
    Always,
}

cbor_enum!(SolveCondition { 0 Quick, 1 Always });

/// A summary of one text that the solver has parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedTextInfo {
    /// Header of the only record of the text, for example of a FASTA file, without `>`. `None` for plain text and for
    /// several records.
    pub name: Option<String>,
    /// Number of symbols.
    pub symbols: u64,
    /// The format that was recognised, and how the text was read.
    pub read_as: ReadReport,
}

cbor_struct!(ParsedTextInfo { name, symbols, read_as });

/// A reply of the solver, with the number of its request.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyEnvelope {
    /// Number of the request; 0 for `Ready`.
    pub number: u64,
    /// Content of the reply.
    pub say: WorkerReply,
}

cbor_struct!(ReplyEnvelope { number, say });

/// The content of a reply of the solver.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerReply {
    /// The solver is ready.
    Ready,
    /// Both texts of a `Solve` request are parsed.
    Read {
        /// The first text.
        a: ParsedTextInfo,
        /// The second text.
        b: ParsedTextInfo,
        /// Number of distinct symbols in both texts.
        alphabet: u64,
        /// Doubts about how the texts were parsed.
        warnings: Vec<ReadWarning>,
    },
    /// An event of the run.
    Event(JobEvent),
    /// The last reply to a `Solve` or `Measure` request after which nothing is computed. An event with the plan, or
    /// with the failure of planning, was sent before.
    Waiting,
    /// The query is answered. The reply's content is beside this message: in CBOR, or as the bytes of the requested
    /// file.
    Found,
    /// The query failed. If a `Solve` or `Measure` request fails, the reply is an event instead.
    Refused(JobFailure),
    /// The queried result is not stored any more, because another result or alignment has replaced it.
    Gone,
}

cbor_enum!(WorkerReply {
    0 Ready,
    1 Read { a, b, alphabet, warnings },
    2 Event(event),
    3 Waiting,
    4 Found,
    5 Refused(failure),
    6 Gone,
});

impl WorkerReply {
    /// Returns whether this reply is the last one to its request.
    pub fn is_last(&self) -> bool {
        match self {
            Self::Ready | Self::Read { .. } => false,
            Self::Event(event) => event.is_last(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use kernels::alignment::{AlignmentSummary, EditKind};
    use kernels::cbor::{from_bytes, to_bytes};
    use kernels::found::{Hit, RecordRange, ScoreSpan};
    use kernels::job::{ChosenRecord, PaperMethod, Points};
    use kernels::plan::EngineName;
    use kernels::strand::Strand;

    use super::query::*;
    use super::*;
    use crate::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
    use crate::dots::{DotPlot, DotPlotFrame};
    use crate::hit_page::{HitPage, TextPassage};
    use crate::points::{LetterPair, PointsSummary, PointsWindow};
    use crate::side_by_side::{MarkedLine, RowMove, RowPair, SideBySideOutline};
    use crate::window::AlignmentWindow;

    fn offer(engine: &str, tasks: &str) -> String {
        format!(
            r#"{{"engine": "{engine}", "place": "server", "device": "", "tasks": [{tasks}], "start_ms": 1, "bytes_per_second": 1,
                "limits": {{"cells": 1, "symbols": 1, "alphabet": 1}}, "version": "9", "colour": "red"}}"#
        )
    }

    #[test]
    fn request_encodes_the_result_that_it_refers_to() {
        let of = Some(ResultId { ask: 3, opened: Some(OpenedAlignment::Hit(2)) });
        let ask = WorkerRequest { number: 4, of, what: WindowQuery { from: 7, len: 9 }.into() };
        assert_eq!(to_bytes(&ask), [0x83, 4, 0x82, 3, 0x82, 0, 2, 0x82, 3, 0x82, 0, 0x82, 7, 9]);
        assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask.clone()));
        let plain = WorkerRequest { of: None, ..ask };
        assert_eq!(from_bytes(&to_bytes(&plain)), Some(plain));
    }

    /// Checks that every kind of message survives encoding and decoding.
    #[test]
    fn every_request_and_reply_is_decoded_as_encoded() {
        let formats = ExportFormat::ALL.map(|format| RequestKind::Export { format, columns: (1, 300) });
        let kinds = ["", "X", "ID", "XID"].map(|kinds| PlaceQuery { kinds: kinds.parse().unwrap(), which: DifferenceQuery::At(7) }.into());
        let choice = RecordChoice { record: Some(ChosenRecord::Name("chr1".into())), joined: false };
        let options = JobOptions { method: Some(PaperMethod::Kmp), max_distance: Some(0), ..JobOptions::default() };
        let solve = RequestKind::Solve {
            task: Task::ExactSearch,
            options,
            choices: [choice, RecordChoice::default()],
            offers: "{}".into(),
            when: SolveCondition::Always,
        };
        let frame = DotPlotFrame { to_a: 5, to_b: 6, width: 2, height: 3, word: Some(4), ..DotPlotFrame::default() };
        for what in formats.into_iter().chain(kinds).chain([
            solve,
            RequestKind::Collection,
            RequestKind::Patterns,
            DotsQuery { frame }.into(),
            MatrixQuery {}.into(),
        ]) {
            let ask = WorkerRequest { number: 1 << 40, of: None, what };
            assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask));
        }
        let says = [
            WorkerReply::Ready,
            WorkerReply::Read { a: ParsedTextInfo::default(), b: ParsedTextInfo::default(), alphabet: 2, warnings: Vec::new() },
            WorkerReply::Found,
            WorkerReply::Refused(JobFailure::OutOfTime { seconds: 3, reached: Some([1, 2]) }),
            WorkerReply::Gone,
        ];
        let replies: Vec<ReplyEnvelope> = says.into_iter().map(|say| ReplyEnvelope { number: 7, say }).collect();
        assert_eq!(from_bytes(&to_bytes(&replies)), Some(replies));
    }

    #[test]
    fn replies_to_queries_are_decoded_as_encoded() {
        fn arrives<Q: WorkerQuery<Reply: Clone + Debug + PartialEq>>(query: Q, reply: Q::Reply) {
            assert_eq!(Q::decode(&query.encode(&reply)), Some(reply));
        }
        let window = AlignmentWindow { from: 3, a: vec!["x".into()], previous_difference: Some(1), ..AlignmentWindow::default() };
        arrives(WindowQuery { from: 3, len: 1 }, window);
        let place = || PlaceQuery { kinds: EditKinds::ALL, which: DifferenceQuery::Number(1) };
        arrives(place(), None);
        arrives(place(), Some(DifferencePosition { number: 1, column: 2, of: 3 }));
        let pieces = vec![(EditKind::Equal, "one ".to_owned()), (EditKind::Delete, "two".to_owned())];
        let twin = RowPair { a: Some(MarkedLine { line: 0, continues: true, pieces }), b: None, changed: true, coarse: false };
        arrives(RowPairsQuery { from: 0, len: 1 }, vec![twin]);
        let moved = RowMove { symbols: 9, from_row: 1, from_line: 0, to_row: 3, to_line: 2 };
        arrives(OutlineQuery {}, SideBySideOutline { rows: 4, changes: vec![(1, 2)], sentences: true, moves: vec![moved] });
        let record = Some(RecordRange { number: 1, start: 2, end: 3 });
        let hit = Hit { record, strand: Some(Strand::Reverse), ..Hit::new(1, 2, 3) };
        arrives(OpenHitQuery { hit: 0 }, (hit, AlignmentSummary::default()));
        let passages = vec![TextPassage { from: 1, line: 2, letters: vec!["a".into()] }];
        arrives(NearestQuery { context: 1 }, HitPage { hits: vec![hit], passages, ..HitPage::default() });
        arrives(ProfileQuery { from: 0, len: 1, points: 1 }, vec![ScoreSpan::EMPTY]);
        arrives(
            PointsQuery { from: 2, len: 2 },
            PointsWindow { from: 2, before: Points::whole(-3), points: vec![Points::whole(4), Points::from_tenths(-125)] },
        );
        let pairs = vec![LetterPair { a: "V".into(), b: "L".into(), points: Points::whole(1), count: 2, columns: vec![7, 9] }];
        arrives(
            PointSumsQuery {},
            PointsSummary {
                equal: Points::whole(9),
                deleted: Points::whole(-13),
                a_itself: Points::whole(20),
                pairs,
                ..PointsSummary::default()
            },
        );
        let frame = DotPlotFrame { to_a: 5, to_b: 6, width: 2, height: 3, word: Some(4), ..DotPlotFrame::default() };
        arrives(DotsQuery { frame }, DotPlot { frame, one_in: 9, counts: vec![7; 6], a: vec!["ä".into()], ..DotPlot::default() });
    }

    #[test]
    fn unknown_engines_and_tasks_of_newer_servers_are_ignored() {
        let rate = |task: &str| format!(r#"{{"task": "{task}", "cells_per_second": 5}}"#);
        let tasks = [rate("lcs"), rate("sort"), rate("edit-distance")].join(", ");
        let wire = format!(r#"{{"offers": [{}, {}], "limits": {{}}}}"#, offer("quantum", &tasks), offer("cpu", &tasks));
        let EngineOffers { offers } = serde_json::from_str(&wire).unwrap();
        assert_eq!(offers.iter().map(|offer| offer.engine).collect::<Vec<_>>(), [EngineName::Cpu]);
        assert_eq!(offers[0].tasks.iter().map(|rate| rate.task).collect::<Vec<_>>(), [Task::Lcs, Task::EditDistance]);
        assert!(serde_json::from_str::<EngineOffers>(r#"{"offers": {}}"#).is_err());
    }
}
