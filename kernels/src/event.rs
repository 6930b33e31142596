//! Event: the messages of a run to its client ([`JobEvent`]), the same in the browser and on the server.
//!
//! ```text
//! queued → planned → (read | progress | stage | metric | partial)* → exactly one of answer, failed, cancelled
//! ```
//!
//! Kernels have no clock. They send a [`RunSignal`], and a caller with a clock turns signals into events.

use serde::{Deserialize, Serialize};

use crate::alignment::{AlignmentSummary, ScoredColumns, SymbolRange};
use crate::failure::JobFailure;
use crate::found::{Hit, RecordRange};
use crate::humanize::grouped;
use crate::job::{EditCosts, Points, Task};
use crate::plan::JobPlan;
use crate::rates::{self, ErrorRate};
use crate::reading::{ReadReport, ReadWarning};
use crate::strand::Strand;
use crate::text::Pair;
use crate::{cbor_enum, cbor_struct};

/// A message about the course of a job, such as its progress or its answer. In JSON, the field `type` names the kind:
/// `{"type": "progress", …}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schema(as = Event))]
pub enum JobEvent {
    /// The job waits in the queue.
    Queued {
        /// Number of jobs ahead of this one.
        position: u64,
        /// Estimated time until the job starts, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        wait_ms: Option<f64>,
    },
    /// An engine was chosen for the job.
    Planned(JobPlan),
    /// Both texts were read.
    Read(PairReadReport),
    /// The run has reached a stage.
    Stage {
        /// The stage that begins.
        stage: RunStage,
    },
    /// The progress of the run.
    Progress(RunProgress),
    /// A measured figure of the run.
    Metric(RunMetric),
    /// A part of the answer is already known.
    Partial(PartialAnswer),
    /// The answer. Nothing follows it.
    Answer(TaskAnswer),
    /// The texts of a collection are compared, and the answer is stored. Nothing follows it.
    Compared,
    /// The run failed. Nothing follows it.
    Failed(JobFailure),
    /// The run was cancelled. Nothing follows it.
    Cancelled,
}

cbor_enum!(JobEvent {
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
    10 Compared,
});

impl JobEvent {
    /// Returns whether the event is an answer, the end of a comparison, a failure or a cancellation, so that no event follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Compared | Self::Failed(_) | Self::Cancelled)
    }
}

/// The report on how both texts of a job were read: the format of each text, and doubts about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ReadTexts))]
pub struct PairReadReport {
    /// Format of the first text.
    pub a: ReadReport,
    /// Format of the second text.
    pub b: ReadReport,
    /// Doubts about how the texts were read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<ReadWarning>,
}

cbor_struct!(PairReadReport { a, b, warnings });

impl From<&Pair> for PairReadReport {
    fn from(pair: &Pair) -> Self {
        Self { a: pair.a.read_as().clone(), b: pair.b.read_as().clone(), warnings: pair.warnings().to_vec() }
    }
}

/// The progress of a run in cells, the units of its work: cells of the matrix, or symbols for `exact-search`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Progress))]
pub struct RunProgress {
    /// Cells computed so far.
    pub done: u64,
    /// Cells that the run expects to compute. The number may change while the run learns more about the texts.
    pub total: u64,
    /// Cells per second since the computation began.
    pub cells_per_second: f64,
    /// Estimated remaining time at the rate `cells_per_second`, in milliseconds.
    pub eta_ms: f64,
}

cbor_struct!(RunProgress { done, total, cells_per_second, eta_ms });

/// One measurement of a run, such as the duration of a stage: name, value and unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Metric))]
pub struct RunMetric {
    /// Name of the quantity: `cells`, `compute_ms`, `peak_bytes`, …
    pub name: String,
    /// Measured value, in `unit`.
    pub value: f64,
    /// Unit of the value: `cells`, `ms`, `bytes`, `cells/s`.
    pub unit: String,
}

cbor_struct!(RunMetric { name, value, unit });

/// A stage of a run. A run passes its stages in the order of these values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schema(as = Stage))]
pub enum RunStage {
    /// Texts are converted to symbols.
    Read,
    /// Texts are copied to the engine.
    Transfer,
    /// The score is computed.
    Compute,
    /// The alignment is traced back.
    Traceback,
}

cbor_enum!(RunStage { 0 Read, 1 Transfer, 2 Compute, 3 Traceback });

impl RunStage {
    /// All stages of a run, in order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Transfer, Self::Compute, Self::Traceback];

    /// Returns the name of the [`RunMetric`] that holds the duration of this stage.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Read => "read_ms",
            Self::Transfer => "transfer_ms",
            Self::Compute => "compute_ms",
            Self::Traceback => "traceback_ms",
        }
    }
}

/// A part of the answer that is already known while the job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schema(as = Partial))]
pub enum PartialAnswer {
    /// Bounds of the distance, both inclusive.
    Bounds {
        /// Lower bound of the distance.
        at_least: u64,
        /// Upper bound of the distance.
        at_most: u64,
    },
    /// Hits found so far: their number and the most recent one.
    Found {
        /// Number of hits found so far.
        total: u64,
        /// The most recent hit.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        latest: Option<Hit>,
    },
    /// The best score so far: the lowest distance, or the highest number of equal symbols.
    Best {
        /// Best score so far.
        score: u64,
    },
}

cbor_enum!(PartialAnswer { 0 Bounds { at_least, at_most }, 1 Found { total, latest }, 2 Best { score } });

/// Maximum number of hits in an answer. Clients fetch further hits in pages.
pub const FIRST_PAGE_HITS: usize = 100;

/// The answer of a task. Large parts, such as the columns of an alignment, are fetched in windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "task", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Answer))]
pub enum TaskAnswer {
    /// The answer of `edit-distance`.
    EditDistance {
        /// Minimum number of substitutions, insertions and deletions, or the least sum of costs. Absent if it exceeds
        /// `max_distance`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        distance: Option<u64>,
        /// Value of `max_distance`, if the distance exceeds it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        more_than: Option<u64>,
        /// Normalised similarity from 0 to 1: 1 − distance / length of the longer text, or 1 if both texts are empty.
        /// Absent if an edit has another cost than 1, and if `distance` is absent.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        similarity: Option<f64>,
        /// Error rate with `a` as the reference: (substitutions + deletions + insertions) / `reference_length`, counted
        /// in `alignment`. For words it is the word error rate, for characters the character error rate. Absent
        /// without an alignment, with transpositions, and if `a` is empty.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error_rate: Option<f64>,
        /// Length of the reference `a` in symbols, if there is an `error_rate`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reference_length: Option<u64>,
        /// Column counts of the alignment, if the job asked for one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        alignment: Option<AlignmentSummary>,
    },
    /// The answer of `approximate-search`.
    ApproximateSearch {
        /// Minimum distance between `a` and a substring of `b`. Absent if no substring is within `max_distance`.
        distance: Option<u64>,
        /// Number of hits.
        total: u64,
        /// First hits, at most 100, in ascending order of their ends. Empty if the job only asked for the number of
        /// hits.
        hits: Vec<Hit>,
        /// Number of hits on the reverse strand, if both strands were searched.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverse: Option<u64>,
    },
    /// The answer of `lcs`.
    Lcs {
        /// Length of a longest common subsequence, in symbols.
        length: u64,
        /// Column counts of the alignment, if the job asked for one. Its equal columns form the subsequence.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        alignment: Option<AlignmentSummary>,
    },
    /// The answer of `match-count`.
    MatchCount {
        /// Maximum number of equal symbols at one offset. Absent if `a` is longer than `b`, because no offset exists
        /// then.
        best: Option<u64>,
        /// Number of offsets with the maximum.
        total_best: u64,
        /// First offsets with the maximum, at most 100, in ascending order. Empty if the job only asked for the number
        /// of hits.
        offsets: Vec<u64>,
        /// Number of offsets with at most `max_mismatches` unequal symbols, if that option is set.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        within: Option<u64>,
        /// Best offsets, at most 100: those with the fewest unequal symbols first, and in ascending order if these
        /// numbers are equal. Empty if the job only asked for the number of hits.
        top: Vec<Hit>,
        /// Position of each of `offsets` within its record, if `b` has several records.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        records: Vec<RecordRange>,
    },
    /// The answer of `exact-search`.
    ExactSearch {
        /// Number of occurrences, which may overlap.
        total: u64,
        /// Start positions of the first occurrences, at most 100, in ascending order. Empty if the job only asked for
        /// the number of hits.
        positions: Vec<u64>,
        /// Position of each of `positions` within its record, if `b` has several records.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        records: Vec<RecordRange>,
        /// Strand of each of `positions`, if both strands were searched.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        strands: Vec<Strand>,
        /// Number of occurrences on the reverse strand, if both strands were searched.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverse: Option<u64>,
    },
    /// The answer of `sequence-alignment`.
    SequenceAlignment {
        /// Highest score of an alignment. It has at most one decimal.
        score: Points,
        /// Range of `a` that the alignment covers.
        a: SymbolRange,
        /// Range of `b` that the alignment covers.
        b: SymbolRange,
        /// Column counts of the alignment, if the job asked for one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        alignment: Option<AlignmentSummary>,
        /// Counts of positive columns and of gaps, if the job asked for an alignment.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        scored: Option<ScoredColumns>,
        /// Further pieces of a local alignment, by falling score. There are fewer than requested if no other piece scores
        /// above 0.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        next: Vec<LocalPiece>,
    },
}

/// A further piece of a local alignment, without the symbol pairs of all better pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LocalPiece {
    /// Score of the alignment.
    pub score: Points,
    /// Range of `a` that the alignment covers.
    pub a: SymbolRange,
    /// Range of `b` that the alignment covers.
    pub b: SymbolRange,
    /// Column counts of the alignment.
    pub alignment: AlignmentSummary,
    /// Counts of positive columns and of gaps.
    pub scored: ScoredColumns,
    /// The alignment as a CIGAR. Absent if the CIGARs of all pieces would have more than 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cigar: Option<String>,
}

cbor_struct!(LocalPiece { score, a, b, alignment, scored, cigar });

impl LocalPiece {
    /// Maximum length of the [`cigar`](Self::cigar)s of all pieces together, in characters.
    pub const MAX_CIGARS: usize = 100_000;
}

cbor_enum!(TaskAnswer {
    0 EditDistance { distance, more_than, similarity, error_rate, reference_length, alignment },
    1 ApproximateSearch { distance, total, hits, reverse },
    2 Lcs { length, alignment },
    3 MatchCount { best, total_best, offsets, within, top, records },
    4 ExactSearch { total, positions, records, strands, reverse },
    5 SequenceAlignment { score, a, b, alignment, scored, next },
});

impl TaskAnswer {
    /// Creates the answer of `edit-distance` with the distance itself.
    pub fn from_distance(distance: u64, alignment: Option<AlignmentSummary>) -> Self {
        let (distance, more_than, similarity, error_rate, reference_length) = (Some(distance), None, None, None, None);
        Self::EditDistance { distance, more_than, similarity, error_rate, reference_length, alignment }
    }

    /// Creates the answer of `edit-distance` if the distance is above the maximum `most`.
    pub fn above_distance(most: u64) -> Self {
        let (distance, more_than, similarity, error_rate, reference_length) = (None, Some(most), None, None, None);
        Self::EditDistance { distance, more_than, similarity, error_rate, reference_length, alignment: None }
    }

    /// Adds similarity and error rate to an answer of `edit-distance` for texts of the lengths `m` and `n` with `costs`.
    /// Returns other answers unchanged.
    pub fn with_rates(self, (m, n): (u64, u64), costs: &EditCosts) -> Self {
        let Self::EditDistance { distance, more_than, alignment, .. } = self else { return self };
        let similarity = distance.filter(|_| costs.is_levenshtein()).map(|distance| rates::similarity(distance, (m, n)));
        let rate = alignment.and_then(|summary| ErrorRate::new(&summary, m, costs));
        let (error_rate, reference_length) = (rate.map(ErrorRate::share), rate.map(|rate| rate.reference_length));
        Self::EditDistance { distance, more_than, similarity, error_rate, reference_length, alignment }
    }

    /// Returns the task that this answer belongs to.
    pub fn task(&self) -> Task {
        match self {
            Self::EditDistance { .. } => Task::EditDistance,
            Self::ApproximateSearch { .. } => Task::ApproximateSearch,
            Self::Lcs { .. } => Task::Lcs,
            Self::MatchCount { .. } => Task::MatchCount,
            Self::ExactSearch { .. } => Task::ExactSearch,
            Self::SequenceAlignment { .. } => Task::SequenceAlignment,
        }
    }

    /// Returns the column counts of the alignment of `a` to `b`, if the task and the job's options include one.
    pub fn alignment(&self) -> Option<AlignmentSummary> {
        match self {
            Self::EditDistance { alignment, .. } | Self::Lcs { alignment, .. } | Self::SequenceAlignment { alignment, .. } => *alignment,
            Self::ApproximateSearch { .. } | Self::MatchCount { .. } | Self::ExactSearch { .. } => None,
        }
    }

    /// Returns the positions in `a` and in `b` at which the alignment begins: 0 and 0 for all tasks that align whole texts.
    pub fn alignment_start(&self) -> (u64, u64) {
        match self {
            Self::SequenceAlignment { a, b, .. } => (a.start, b.start),
            Self::EditDistance { .. }
            | Self::Lcs { .. }
            | Self::ApproximateSearch { .. }
            | Self::MatchCount { .. }
            | Self::ExactSearch { .. } => (0, 0),
        }
    }

    /// Returns the score of an alignment with points, or `None` for tasks without points.
    pub fn alignment_score(&self) -> Option<Points> {
        match self {
            Self::SequenceAlignment { score, .. } => Some(*score),
            Self::EditDistance { .. }
            | Self::Lcs { .. }
            | Self::ApproximateSearch { .. }
            | Self::MatchCount { .. }
            | Self::ExactSearch { .. } => None,
        }
    }

    /// Returns the further pieces of a local alignment.
    pub fn next_pieces(&self) -> &[LocalPiece] {
        match self {
            Self::SequenceAlignment { next, .. } => next,
            Self::EditDistance { .. }
            | Self::Lcs { .. }
            | Self::ApproximateSearch { .. }
            | Self::MatchCount { .. }
            | Self::ExactSearch { .. } => &[],
        }
    }

    /// Returns the reason why the answer has no alignment, as a sentence, or `None` if only the options of the job exclude
    /// one.
    pub fn no_alignment_reason(&self) -> Option<String> {
        let Self::EditDistance { more_than: Some(most), .. } = self else { return None };
        Some(format!("The distance is more than {}, the `max_distance` of the job, so that there is no alignment.", grouped(*most)))
    }

    /// Returns the number of hits that clients can fetch, or `None` for a task without hits.
    pub fn hits(&self) -> Option<u64> {
        match self {
            Self::EditDistance { .. } | Self::Lcs { .. } | Self::SequenceAlignment { .. } => None,
            Self::ApproximateSearch { total, .. } | Self::ExactSearch { total, .. } => Some(*total),
            Self::MatchCount { total_best, within, .. } => Some(within.unwrap_or(*total_best)),
        }
    }
}

/// A message from a running task to its [`Observer`](crate::run::Observer). It contains no time, because kernels have
/// no clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunSignal {
    /// A stage begins.
    Stage(RunStage),
    /// The number of cells (units of work, usually cells of the matrix) computed so far.
    Progress {
        /// Number of cells computed so far.
        done: u64,
        /// Number of cells that the run expects to compute.
        total: u64,
    },
    /// A part of the answer is known.
    Partial(PartialAnswer),
}
