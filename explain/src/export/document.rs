//! The result of a job as JSON for programs, without the texts: [`ResultDocument`]. Server and worker write the same
//! document.

use std::collections::BTreeMap;

use kernels::alignment::Alignment;
use kernels::event::{PairReadReport, TaskAnswer};
use kernels::job::{JobOptions, Task};
use serde::{Serialize, Serializer};

use crate::snapshot::TextInfo;

/// The JSON document of a job's result: the job, its answer and metrics, and the alignment.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ResultDocument<'a> {
    /// Task of the job.
    pub task: Task,
    /// Options of the job.
    pub options: JobOptions,
    /// The first text.
    pub a: TextInfo,
    /// The second text.
    pub b: TextInfo,
    /// The format that was recognised in each text, such as plain text or FASTA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<PairReadReport>,
    /// The answer of the job.
    pub answer: Option<TaskAnswer>,
    /// Measured metrics by name.
    pub metrics: BTreeMap<String, f64>,
    /// Number of the hit that `cigar` belongs to, from 0; absent if it belongs to no hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit: Option<u64>,
    /// Position in `b` at which the alignment `cigar` begins; absent if it aligns the whole texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_start: Option<u64>,
    /// The alignment as a CIGAR, with `=` for a match and `X` for a mismatch; absent if there is no alignment.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_cigar")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub cigar: Option<&'a Alignment>,
}

fn as_cigar<S: Serializer>(alignment: &Option<&Alignment>, serializer: S) -> Result<S::Ok, S::Error> {
    match alignment {
        Some(alignment) => serializer.collect_str(alignment),
        None => serializer.serialize_none(),
    }
}
