//! Event: what a run says, in one grammar for browser and server.
//!
//! ```text
//! queued → planned → (read | progress | stage | metric | partial)* → exactly one of answer, failed, cancelled
//! ```
//!
//! Kernels have no clock. They send a [`Signal`]; whoever has one makes events of them.

use serde::{Deserialize, Serialize};

use crate::alignment::Summary;
use crate::failure::Failure;
use crate::found::{Hit, InRecord};
use crate::job::Task;
use crate::plan::Plan;
use crate::reading::{ReadAs, Warning};
use crate::strand::Strand;
use crate::text::Pair;
use crate::{cbor_enum, cbor_struct};

/// One event, `{"type": "progress", …}` on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The job waits; `position` jobs are ahead of it.
    Queued {
        /// Jobs ahead of this one.
        position: u64,
        /// About how long until it starts, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        wait_ms: Option<f64>,
    },
    /// Which engine takes the job, and why.
    Planned(Plan),
    /// What both texts were read as.
    Read(ReadTexts),
    /// The run has reached a stage.
    Stage {
        /// Which one.
        stage: Stage,
    },
    /// How far the run is.
    Progress(Progress),
    /// A measured figure.
    Metric(Metric),
    /// A part of the answer that is known already.
    Partial(Partial),
    /// The answer. Nothing follows it.
    Answer(Answer),
    /// The run failed. Nothing follows it.
    Failed(Failure),
    /// The run was cancelled. Nothing follows it.
    Cancelled,
}

cbor_enum!(Event {
    0 Queued { position, wait_ms },
    1 Planned(plan),
    2 Read(texts),
    3 Stage { stage },
    4 Progress(progress),
    5 Metric(metric),
    6 Partial(partial),
    7 Answer(answer),
    8 Failed(failure),
    9 Cancelled,
});

impl Event {
    /// Whether nothing may follow this event.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Failed(_) | Self::Cancelled)
    }
}

/// What the texts of a job were read as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadTexts {
    /// The first.
    pub a: ReadAs,
    /// The second.
    pub b: ReadAs,
    /// Doubts about that.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

cbor_struct!(ReadTexts { a, b, warnings });

impl From<&Pair> for ReadTexts {
    fn from(pair: &Pair) -> Self {
        Self { a: pair.a.read_as().clone(), b: pair.b.read_as().clone(), warnings: pair.warnings().to_vec() }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Progress {
    /// Cells solved.
    pub done: u64,
    /// Cells that the run expects to solve; it may change while the run learns more about the texts.
    pub total: u64,
    /// Rate over the time since the computation began.
    pub cells_per_second: f64,
    /// Time left at this rate, in milliseconds.
    pub eta_ms: f64,
}

cbor_struct!(Progress { done, total, cells_per_second, eta_ms });

/// A measured figure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Metric {
    /// What was measured: `cells`, `compute_ms`, `peak_bytes`, …
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit: `cells`, `ms`, `bytes`, `cells/s`.
    pub unit: String,
}

cbor_struct!(Metric { name, value, unit });

/// The parts of a run, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Texts become symbols.
    Read,
    /// Texts go to the engine.
    Transfer,
    /// The score is computed.
    Compute,
    /// The alignment is traced.
    Traceback,
}

cbor_enum!(Stage { 0 Read, 1 Transfer, 2 Compute, 3 Traceback });

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Transfer, Self::Compute, Self::Traceback];

    /// Name of the metric that holds the stage's duration.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Read => "read_ms",
            Self::Transfer => "transfer_ms",
            Self::Compute => "compute_ms",
            Self::Traceback => "traceback_ms",
        }
    }
}

/// A part of the answer that is known before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Partial {
    /// The distance lies between these, both included.
    Bounds {
        /// It is not less.
        at_least: u64,
        /// It is not more.
        at_most: u64,
    },
    /// So many hits are found so far, and this is the latest.
    Found {
        /// Hits so far.
        total: u64,
        /// The one that was found last.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        latest: Option<Hit>,
    },
    /// The best score so far: a least distance, or a greatest number of equal symbols.
    Best {
        /// The score.
        score: u64,
    },
}

cbor_enum!(Partial { 0 Bounds { at_least, at_most }, 1 Found { total, latest }, 2 Best { score } });

/// Hits that an answer holds itself; the others are fetched in pages.
pub const FIRST_PAGE: usize = 100;

/// The answer of a task; large parts (the alignment's columns) are fetched in windows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Answer {
    /// Of `edit-distance`.
    EditDistance {
        /// Least number of substitutions, insertions and deletions.
        distance: u64,
        /// What the alignment consists of, when one was asked for.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        alignment: Option<Summary>,
    },
    /// Of `approximate-search`.
    ApproximateSearch {
        /// Least distance of `a` to a substring of `b`; none when nothing is within `max_distance`.
        distance: Option<u64>,
        /// Number of hits.
        total: u64,
        /// The first of them, ascending by their ends.
        hits: Vec<Hit>,
        /// Number of those that lie on the other strand, where both are searched.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverse: Option<u64>,
    },
    /// Of `lcs`.
    Lcs {
        /// Symbols of a longest common subsequence.
        length: u64,
        /// What the alignment consists of, when one was asked for: its equal columns are the subsequence.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        alignment: Option<Summary>,
    },
    /// Of `match-count`.
    MatchCount {
        /// Most equal symbols at one offset; none when `a` is longer than `b`, which leaves no offset.
        best: Option<u64>,
        /// Number of offsets that attain it.
        total_best: u64,
        /// The first of them, ascending.
        offsets: Vec<u64>,
        /// Number of offsets within `max_mismatches`, when that is given.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        within: Option<u64>,
        /// The best offsets, by their number of unequal symbols and then ascending.
        top: Vec<Hit>,
        /// Where in its record each of `offsets` lies, where `b` has several.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        records: Vec<InRecord>,
    },
    /// Of `exact-search`.
    ExactSearch {
        /// Number of occurrences; they may overlap.
        total: u64,
        /// Where the first of them begin, ascending.
        positions: Vec<u64>,
        /// Where in its record each of these lies, where `b` has several.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        records: Vec<InRecord>,
        /// On which strand each of these lies, where both are searched.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        strands: Vec<Strand>,
        /// Number of occurrences on the other strand, where both are searched.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverse: Option<u64>,
    },
}

cbor_enum!(Answer {
    0 EditDistance { distance, alignment },
    1 ApproximateSearch { distance, total, hits, reverse },
    2 Lcs { length, alignment },
    3 MatchCount { best, total_best, offsets, within, top, records },
    4 ExactSearch { total, positions, records, strands, reverse },
});

impl Answer {
    /// The task that it answers.
    pub fn task(&self) -> Task {
        match self {
            Self::EditDistance { .. } => Task::EditDistance,
            Self::ApproximateSearch { .. } => Task::ApproximateSearch,
            Self::Lcs { .. } => Task::Lcs,
            Self::MatchCount { .. } => Task::MatchCount,
            Self::ExactSearch { .. } => Task::ExactSearch,
        }
    }

    /// What its alignment of both whole texts consists of, if it has one.
    pub fn alignment(&self) -> Option<Summary> {
        match self {
            Self::EditDistance { alignment, .. } | Self::Lcs { alignment, .. } => *alignment,
            Self::ApproximateSearch { .. } | Self::MatchCount { .. } | Self::ExactSearch { .. } => None,
        }
    }

    /// Number of hits that can be looked at; none for a task without hits.
    pub fn hits(&self) -> Option<u64> {
        match self {
            Self::EditDistance { .. } | Self::Lcs { .. } => None,
            Self::ApproximateSearch { total, .. } | Self::ExactSearch { total, .. } => Some(*total),
            Self::MatchCount { total_best, within, .. } => Some(within.unwrap_or(*total_best)),
        }
    }
}

/// What a task tells its run. It carries no time: kernels have no clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// A stage begins.
    Stage(Stage),
    /// So many of so many cells are solved.
    Progress {
        /// Cells solved.
        done: u64,
        /// Cells expected in all.
        total: u64,
    },
    /// A part of the answer.
    Partial(Partial),
}
