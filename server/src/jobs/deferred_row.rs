//! The first row of a job: `FirstRow` has the data that only this row stores, and `DeferredRow` delays its writing.
//!
//! The first row of a brief job whose client waits is written when the job ends, because no other client knows of the
//! job before. The delay saves two of three waits for the disk.

use std::sync::OnceLock;

use super::cpu_yield::BriefJobGuard;
use crate::error::ApiProblem;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::RequestRow;

/// The data that is written with the first row of a job and not with its later rows.
#[derive(Debug)]
pub struct FirstRow {
    /// Hash of the token with which the creator can delete the job.
    pub owner: ContentHash,
    /// Rows by which a repeated request (one with an idempotency key that was used before) finds this job.
    pub requests: Vec<RequestRow>,
    /// Contents of texts that are not stored as files yet.
    pub texts: Vec<Vec<u8>>,
}

/// The first row of a job of which only the waiting request knows so far. The row is written when the job ends or when
/// another client learns of the job.
#[derive(Debug)]
pub(super) struct DeferredRow {
    pub(super) first: FirstRow,
    /// Decision about the row, set once: `Ok` if another client has learned of the job, or the reason why the job could
    /// not be written.
    commit_state: OnceLock<Result<(), ApiProblem>>,
    /// Guard that counts the job as a pending brief job for as long as this value exists.
    _brief: BriefJobGuard,
}

impl DeferredRow {
    pub(super) fn new(first: FirstRow, brief: BriefJobGuard) -> Self {
        Self { first, commit_state: OnceLock::new(), _brief: brief }
    }

    /// Returns whether only the waiting request knows of the job.
    pub(super) fn is_private(&self) -> bool {
        self.commit_state.get().is_none()
    }

    /// Decides that the row will be written, because another client learns of the job. From then on the end of the job
    /// must be stored.
    ///
    /// # Errors
    /// Returns the reason if the job was abandoned.
    pub(super) fn commit(&self) -> Result<(), ApiProblem> {
        self.commit_state.get_or_init(|| Ok(())).clone()
    }

    /// Decides that the row is not written, because writing has failed, and gives the job up. `why` creates the reason,
    /// which the waiting request receives. Returns `false` if the job was committed before, because another client
    /// knows of it.
    pub(super) fn abandon(&self, why: impl FnOnce() -> ApiProblem) -> bool {
        self.commit_state.get_or_init(|| Err(why())).is_err()
    }
}
