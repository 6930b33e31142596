//! Snapshot: the state of a comparison of many texts on a server, as one document, and a part of its answer as a map.

use std::collections::BTreeMap;

use kernels::collection::MemberSplit;
use kernels::event::{RunProgress, RunStage};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, Points, Task};
use kernels::plan::JobPlan;
use kernels::reading::ReadWarning;
use serde::{Deserialize, Serialize};

use super::request::KeepRule;
use crate::snapshot::JobStatus;

/// The state of a comparison of many texts after its event number `seq`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CollectionSnapshot {
    /// Id of the comparison.
    pub id: String,
    /// Task that compares two texts, or finds patterns.
    pub task: Task,
    /// Options of the task.
    pub options: JobOptions,
    /// Pairs of the answer.
    pub keep: KeepRule,
    /// State of the comparison.
    pub state: JobStatus,
    /// Number of jobs ahead of this one while it waits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub queue_position: Option<u64>,
    /// Expected time until the start, in milliseconds, as last reported.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub queue_wait_ms: Option<f64>,
    /// The engine that runs the comparison, and the reason for this choice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan: Option<JobPlan>,
    /// Last stage that the run reached.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stage: Option<RunStage>,
    /// Progress of the run. After a restart, it counts the work that was left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress: Option<RunProgress>,
    /// Number of rows of the answer: distinct texts of `a`, or patterns.
    pub rows: u64,
    /// Number of rows whose answers are stored. After a restart, the comparison continues behind them.
    pub stored_rows: u64,
    /// Measured metrics by name.
    pub metrics: BTreeMap<String, f64>,
    /// Number of the last event that the snapshot includes.
    pub seq: u64,
    /// Size of the answer, if the comparison has succeeded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<CollectionSummary>,
    /// The reason why the comparison failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<JobFailure>,
    /// Doubts about how the texts were read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<ReadWarning>,
    /// The texts of `a`.
    pub a: CollectionTextsInfo,
    /// The texts of `b`, if there is a second side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub b: Option<CollectionTextsInfo>,
    /// Addresses of the parts of the comparison.
    pub links: CollectionLinks,
}

/// The size of the answer about a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CollectionSummary {
    /// Number of distinct texts, of both sides. For a search, number of patterns.
    pub distinct: u64,
    /// Number of pairs of texts with a score in the answer. For a search, number of hits.
    pub kept: u64,
}

/// A description of the texts of a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CollectionTextsInfo {
    /// Number of texts, after the division by `split`.
    pub texts: u64,
    /// Size of the texts as they were given, in bytes.
    pub bytes: u64,
    /// Rule by which the given texts were divided.
    pub split: MemberSplit,
    /// Id of the upload with the texts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub upload: Option<String>,
}

/// Addresses of the parts of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CollectionLinks {
    /// Address of the snapshot.
    pub status: String,
    /// Address of the event stream.
    pub events: String,
    /// Address of the answer as a file.
    pub export: String,
    /// Address of rectangles of the answer.
    pub tiles: String,
}

impl CollectionLinks {
    /// Creates the addresses of the comparison `id`.
    pub fn new(id: &str) -> Self {
        let status = format!("/api/v1/collections/{id}");
        let part = |name: &str| format!("{status}/{name}");
        Self { events: part("events"), export: part("export"), tiles: part("tiles"), status }
    }
}

/// The answer to a request that starts a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StartedCollection {
    /// State of the comparison.
    #[serde(flatten)]
    pub snapshot: CollectionSnapshot,
    /// Token that deletes the comparison with its answer. The server shows it only once.
    pub delete_token: String,
    /// Time that the answer is kept after the comparison has ended, in seconds.
    pub keep_seconds: u64,
}

/// A rectangle of the answer as a map. Cell i of n covers the texts from start + ⌈i · length / n⌉ on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CollectionTile {
    /// Texts of `a` in the rows.
    pub rows: TextRange,
    /// Texts of the other side in the columns.
    pub columns: TextRange,
    /// Distance, length or score of each cell, row by row. `null` if no pair of the cell is kept. A cell with several pairs
    /// has the most similar one, or for alignments the greatest score.
    pub scores: Vec<Vec<Option<Points>>>,
    /// Similarity of each cell. Scores of alignments have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub similarities: Option<Vec<Vec<Option<f64>>>>,
}

/// A range of texts of a side, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TextRange {
    /// Number of the first text.
    pub start: u64,
    /// Number after the last text.
    pub end: u64,
}
