//! Ask: what the page says to the solver in its worker, and what it is answered. Both texts, a CIGAR, a list of rows and the counts
//! of dots travel beside the message as plain bytes, since they may be megabytes.
//!
//! ```text
//! Ready → (Solve → Read, Event* | Measure → Event | Keep | look at what is kept)*
//! ```
//!
//! The solver keeps its last run, or an alignment that it was given, and answers looks at it: windows, overview, rows, differences
//! of the alignment; pages of hits, the text around them, and the alignment of one of them; the profile; the matrix; the dots.

use kernels::alignment::{Side, Summary};
use kernels::event::Event;
use kernels::failure::Failure;
use kernels::found::{Hit, Span};
use kernels::job::{Choice, Options, Task};
use kernels::plan::{Offer, known};
use kernels::reading::{ReadAs, Warning};
use kernels::{cbor_enum, cbor_struct};
use serde::{Deserialize, Serialize};

use crate::dots::{Dots, Frame};
use crate::editions::{Outline, Twin};
use crate::format::Format;
use crate::kinds::{Kinds, Place, Which};
use crate::matrix::document::Sheet;
use crate::seen::Seen;
use crate::window::{Bin, Window};

/// What the solver says where a part of it cannot be fetched: the network is gone, or the server has a newer page. The page has its own words for it.
pub const PART_MISSING: &str = "A part of the solver did not load. Look at the connection and try again.";

/// One message to the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Number that the replies bear.
    pub number: u64,
    /// Whose result is looked at; whatever is kept where this is not said.
    pub of: Option<Of>,
    /// What is asked.
    pub what: What,
}

cbor_struct!(Ask { number, of, what });

/// A result that the solver keeps. It is looked at under this name only, so that no look is answered from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of {
    /// Number of the ask that made it: `Solve` or `Keep`.
    pub ask: u64,
    /// The alignment that was opened in it, if that is looked at.
    pub opened: Option<Opened>,
}

cbor_struct!(Of { ask, opened });

/// An alignment inside of a search's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// That of the hit of this number.
    Hit(u64),
    /// The one at this offset.
    Offset(u64),
}

cbor_enum!(Opened { 0 Hit(number), 1 Offset(offset) });

/// What is asked of the solver.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Read the two texts beside this message, plan, and solve if `when` allows.
    Solve {
        /// What to compute.
        task: Task,
        /// How.
        options: Options,
        /// Which records of both.
        choices: [Choice; 2],
        /// What the server offers, in its own words; empty when it was not asked.
        offers: String,
        /// When to go on after planning.
        when: When,
    },
    /// Plan for texts of these sizes, which are elsewhere.
    Measure {
        /// What to compute.
        task: Task,
        /// How.
        options: Options,
        /// What the server offers, in its own words; this solver does not have the texts.
        offers: String,
        /// Symbols of `a`, or its bytes where symbols are not known.
        a: u64,
        /// The same of `b`.
        b: u64,
        /// Bytes that must still be sent.
        bytes: u64,
    },
    /// Keep the alignment whose CIGAR is beside this message; answered by `Kept`.
    Keep,
    /// A window of what is kept.
    Window {
        /// First column.
        from: u64,
        /// Columns.
        len: u64,
    },
    /// The overview of what is kept.
    Overview {
        /// Number of parts.
        points: usize,
    },
    /// The rows that have a difference, when `width` columns make a row.
    Rows {
        /// Columns of a row, at least 1.
        width: u64,
    },
    /// Where a difference begins.
    Place {
        /// Which kinds of edits count.
        kinds: Kinds,
        /// Which difference.
        which: Which,
    },
    /// The column of a symbol.
    Column {
        /// Of this text.
        side: Side,
        /// Its position.
        position: u64,
    },
    /// How many rows both editions have side by side, and which of them differ.
    Outline,
    /// Rows of both editions.
    Editions {
        /// The first one.
        from: u64,
        /// How many.
        len: u64,
    },
    /// A page of the hits of the last run.
    Hits {
        /// The first one's number.
        from: u64,
        /// How many.
        len: u64,
    },
    /// Keep the alignment of a hit of the last run: windows and the like are of it from then on; answered by `Opened`.
    Open {
        /// Its number, from 0.
        hit: u64,
    },
    /// A page of the hits of the last run, with the text around them.
    Seen {
        /// The first one's number.
        from: u64,
        /// How many.
        len: u64,
        /// Symbols before and after each.
        context: u64,
    },
    /// The first of the nearest pieces that approximate search finds in the texts of the last run, with the text around it; none where
    /// that takes too long.
    Nearest {
        /// Symbols before and after it.
        context: u64,
    },
    /// Keep the alignment of `a` laid over `b` at an offset of match count; answered by `Opened`.
    Lay {
        /// Where in `b` it begins.
        offset: u64,
    },
    /// The score over a range of offsets.
    Profile {
        /// First offset.
        from: u64,
        /// Offsets.
        len: u64,
        /// Number of parts.
        points: usize,
    },
    /// Number of offsets with each distance.
    Counts,
    /// The symbols of the last run's matrix, where its texts are short enough.
    Matrix,
    /// Where the last run's texts have a word in common.
    Dots(Frame),
    /// A QR code of this text.
    Code {
        /// Usually a link.
        text: String,
    },
    /// The BLAKE3 of the two texts beside this message.
    Digest,
    /// What is kept, as a file.
    Export {
        /// Written like this.
        format: Format,
        /// First column and number of columns, for a picture.
        columns: (u64, u64),
    },
}

cbor_enum!(What {
    0 Solve { task, options, choices, offers, when },
    1 Measure { task, options, offers, a, b, bytes },
    2 Keep,
    3 Window { from, len },
    4 Overview { points },
    5 Rows { width },
    6 Place { kinds, which },
    7 Column { side, position },
    8 Outline,
    9 Editions { from, len },
    10 Hits { from, len },
    11 Open { hit },
    12 Seen { from, len, context },
    13 Nearest { context },
    14 Lay { offset },
    15 Profile { from, len, points },
    16 Counts,
    17 Matrix,
    18 Dots(frame),
    19 Code { text },
    20 Digest,
    21 Export { format, columns },
});

/// What a server offers, as it stands on the wire. The page hands it to the solver unread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offers {
    /// One for each engine; those that this version does not know are left out.
    #[serde(deserialize_with = "known")]
    pub offers: Vec<Offer>,
}

/// When a plan is followed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When this solver is the planned one and quick enough that nobody waits.
    Quick,
    /// Always: the visitor asked for it.
    Always,
}

cbor_enum!(When { 0 Quick, 1 Always });

/// What was read of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Name in a FASTA header.
    pub name: Option<String>,
    /// Symbols.
    pub symbols: u64,
    /// What it was read as.
    pub read_as: ReadAs,
}

cbor_struct!(Content { name, symbols, read_as });

/// One reply; `number` is that of the ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Number of the ask, 0 for `Ready`.
    pub number: u64,
    /// What is said.
    pub say: Say,
}

cbor_struct!(Reply { number, say });

/// What the solver says.
#[derive(Clone, Debug, PartialEq)]
pub enum Say {
    /// It is there and has measured its own rate.
    Ready,
    /// Both texts are read.
    Read {
        /// The first text.
        a: Content,
        /// The second.
        b: Content,
        /// Distinct symbols in both.
        alphabet: u64,
        /// Doubts about how they were read.
        warnings: Vec<Warning>,
    },
    /// An event of the run.
    Event(Event),
    /// A plan that is not followed yet, or why there is none, ends the ask.
    Waiting,
    /// What the kept alignment consists of.
    Kept(Summary),
    /// A window.
    Window(Window),
    /// The overview.
    Overview(Vec<Bin>),
    /// The rows are beside this message, 4 bytes each, little-endian.
    Rows,
    /// The difference, if there is one.
    Place(Option<Place>),
    /// A column.
    Column(u64),
    /// What both editions consist of.
    Outline(Outline),
    /// Rows of both editions.
    Editions(Vec<Twin>),
    /// A page of hits.
    Hits(Vec<Hit>),
    /// The alignment of this hit is kept, and consists of this.
    Opened {
        /// The hit.
        hit: Hit,
        /// What its alignment consists of.
        summary: Summary,
    },
    /// A page of hits with the text around them.
    Seen(Seen),
    /// The score in equal parts of the range.
    Profile(Vec<Span>),
    /// Number of offsets with each distance, from 0.
    Counts(Vec<u64>),
    /// The symbols of the matrix.
    Matrix(Sheet),
    /// The dots, without their counts: these are beside this message, 4 bytes each, little-endian; those of inverted words follow them.
    Dots(Dots),
    /// The QR code.
    Code {
        /// Modules a side.
        size: u32,
        /// The outline of the dark ones, as an SVG path.
        path: String,
    },
    /// The BLAKE3 of both texts, in hexadecimal.
    Digest {
        /// Of the first.
        a: String,
        /// Of the second.
        b: String,
    },
    /// The file is beside this message.
    Export,
    /// There is no answer to this ask.
    Refused(Failure),
    /// What is looked at is not kept any more: another result has taken its place.
    Gone,
}

cbor_enum!(Say {
    0 Ready,
    1 Read { a, b, alphabet, warnings },
    2 Event(event),
    3 Waiting,
    4 Kept(summary),
    5 Window(window),
    6 Overview(bins),
    7 Rows,
    8 Place(place),
    9 Column(column),
    10 Outline(outline),
    11 Editions(twins),
    12 Hits(hits),
    13 Opened { hit, summary },
    14 Seen(seen),
    15 Profile(spans),
    16 Counts(counts),
    17 Matrix(sheet),
    18 Dots(dots),
    19 Code { size, path },
    20 Digest { a, b },
    21 Export,
    22 Refused(failure),
    23 Gone,
});

impl Say {
    /// Whether nothing follows for the same ask.
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
    use kernels::alignment::Edit;
    use kernels::cbor::{from_bytes, to_bytes};
    use kernels::found::InRecord;
    use kernels::job::{Method, Record};
    use kernels::plan::EngineName;
    use kernels::strand::Strand;

    use super::*;
    use crate::editions::{Marked, Move};
    use crate::seen::Passage;

    fn offer(engine: &str, tasks: &str) -> String {
        format!(
            r#"{{"engine": "{engine}", "place": "server", "device": "", "tasks": [{tasks}], "start_ms": 1, "bytes_per_second": 1,
                "limits": {{"cells": 1, "symbols": 1, "alphabet": 1}}, "version": "9", "colour": "red"}}"#
        )
    }

    #[test]
    fn an_ask_names_the_result_that_it_looks_at_or_none() {
        let of = Some(Of { ask: 3, opened: Some(Opened::Hit(2)) });
        let ask = Ask { number: 4, of, what: What::Outline };
        assert_eq!(to_bytes(&ask), [0x83, 4, 0x82, 3, 0x82, 0, 2, 8]);
        assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask.clone()));
        let plain = Ask { of: None, ..ask };
        assert_eq!(from_bytes(&to_bytes(&plain)), Some(plain));
    }

    /// Every kind of format, set and page has a way there and back.
    #[test]
    fn what_is_asked_and_said_arrives() {
        let formats = Format::ALL.map(|format| What::Export { format, columns: (1, 300) });
        let kinds = ["", "X", "ID", "XID"].map(|kinds| What::Place { kinds: kinds.parse().unwrap(), which: Which::At(7) });
        let choice = Choice { record: Some(Record::Name("chr1".into())), joined: false };
        let options = Options { method: Some(Method::Kmp), max_distance: Some(0), ..Options::default() };
        let solve =
            What::Solve { task: Task::ExactSearch, options, choices: [choice, Choice::default()], offers: "{}".into(), when: When::Always };
        let frame = Frame { to_a: 5, to_b: 6, width: 2, height: 3, word: Some(4), ..Frame::default() };
        for what in formats.into_iter().chain(kinds).chain([solve, What::Dots(frame)]) {
            let ask = Ask { number: 1 << 40, of: None, what };
            assert_eq!(from_bytes(&to_bytes(&ask)), Some(ask));
        }
        let window = Window { from: 3, a: vec!["x".into()], previous_difference: Some(1), ..Window::default() };
        let pieces = vec![(Edit::Equal, "one ".to_owned()), (Edit::Delete, "two".to_owned())];
        let moved = Move { symbols: 9, from_row: 1, from_line: 0, to_row: 3, to_line: 2 };
        let twin = Twin { a: Some(Marked { line: 0, continues: true, pieces }), b: None, changed: true, coarse: false };
        let record = Some(InRecord { number: 1, start: 2, end: 3 });
        let hit = Hit { record, strand: Some(Strand::Reverse), ..Hit::new(1, 2, 3) };
        let passages = vec![Passage { from: 1, line: 2, letters: vec!["a".into()] }];
        let seen = Seen { hits: vec![hit], passages, ..Seen::default() };
        let dots = Dots { frame, one_in: 9, a: vec!["ä".into()], ..Dots::default() };
        let says = [
            Say::Ready,
            Say::Read { a: Content::default(), b: Content::default(), alphabet: 2, warnings: Vec::new() },
            Say::Window(window),
            Say::Place(None),
            Say::Place(Some(Place { number: 1, column: 2, of: 3 })),
            Say::Editions(vec![twin]),
            Say::Outline(Outline { rows: 4, changes: vec![(1, 2)], sentences: true, moves: vec![moved] }),
            Say::Opened { hit, summary: Summary::default() },
            Say::Seen(seen),
            Say::Profile(vec![Span::EMPTY]),
            Say::Dots(dots),
            Say::Refused(Failure::OutOfTime { seconds: 3, reached: Some([1, 2]) }),
            Say::Gone,
        ];
        let replies: Vec<Reply> = says.into_iter().map(|say| Reply { number: 7, say }).collect();
        assert_eq!(from_bytes(&to_bytes(&replies)), Some(replies));
    }

    #[test]
    fn engines_and_tasks_of_newer_servers_leave_the_others_readable() {
        let rate = |task: &str| format!(r#"{{"task": "{task}", "cells_per_second": 5}}"#);
        let tasks = [rate("lcs"), rate("sort"), rate("edit-distance")].join(", ");
        let wire = format!(r#"{{"offers": [{}, {}], "limits": {{}}}}"#, offer("quantum", &tasks), offer("cpu", &tasks));
        let Offers { offers } = serde_json::from_str(&wire).unwrap();
        assert_eq!(offers.iter().map(|offer| offer.engine).collect::<Vec<_>>(), [EngineName::Cpu]);
        assert_eq!(offers[0].tasks.iter().map(|rate| rate.task).collect::<Vec<_>>(), [Task::Lcs, Task::EditDistance]);
        assert!(serde_json::from_str::<Offers>(r#"{"offers": {}}"#).is_err());
    }
}
