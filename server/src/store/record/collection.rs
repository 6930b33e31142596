//! Collection: the stored form of a question about many texts, with the parts of its answer ([`StoredCollection`]).

use std::ops::Range;

use explain::collection::snapshot::CollectionSummary;
use kernels::collection::{KeptPairs, MemberSplit};
use kernels::plan::{EngineEffort, JobWork};
use serde::{Deserialize, Serialize};

use crate::storage::ports::files::ContentHash;

/// The stored form of a question about many texts, beside the task and options of its job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredCollection {
    pub keep: KeptPairs,
    pub a: StoredSide,
    /// Second side, or `None` if the texts of `a` are compared with each other.
    pub b: Option<StoredSide>,
    /// Number of rows of the answer: distinct texts of `a`, or patterns.
    pub rows: u64,
    /// Work of all rows.
    pub work: JobWork,
    /// Parts of the answer, in the order of their rows. Together they are the answer when the job has succeeded.
    pub parts: Vec<StoredPart>,
    /// Size of the answer, if the job has succeeded.
    pub summary: Option<CollectionSummary>,
}

/// The texts of a side, which are in a file of their own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StoredSide {
    /// Whether the file is a list of texts in JSON. Otherwise it is an upload.
    pub is_list: bool,
    pub split: MemberSplit,
    /// Number of members.
    pub texts: u64,
}

/// A file with the answer for some rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredPart {
    pub rows: Range<u64>,
    pub file: ContentHash,
    /// Share of the whole work that is left after these rows, from 0 to 1.
    pub left: f64,
}

impl StoredCollection {
    /// Adds `part`, which replaces all parts that begin with its first row or a later one.
    pub fn add_part(&mut self, part: StoredPart) {
        self.parts.retain(|other| other.rows.start < part.rows.start);
        self.parts.push(part);
    }

    /// Returns the number of rows whose answers are stored.
    pub fn stored_rows(&self) -> u64 {
        self.parts.last().map_or(0, |last| last.rows.end)
    }

    /// Returns the share of the work that is left after the stored rows, from 0 to 1.
    pub fn share_left(&self) -> f64 {
        self.parts.last().map_or(1.0, |last| last.left)
    }

    /// Returns the work that is left after the stored rows.
    pub fn work_left(&self) -> JobWork {
        let left = self.share_left();
        let part = |all: u64| (all as f64 * left) as u64;
        let effort = |all: EngineEffort| EngineEffort {
            cells: part(all.cells),
            cost_cells: part(all.cost_cells),
            overhead_ns: part(all.overhead_ns),
        };
        JobWork { cells: part(self.work.cells), cpu: effort(self.work.cpu), cuda: effort(self.work.cuda), ..self.work }
    }

    /// Returns the hashes of the files with the parts.
    pub(super) fn files(&self) -> impl Iterator<Item = ContentHash> {
        self.parts.iter().map(|part| part.file)
    }
}
