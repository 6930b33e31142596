//! The first row of a job. That of a brief job with a waiting client is deferred until the job ends, because no other
//! client knows of the job before. That saves two of three waits for the disk.

use std::sync::OnceLock;

use super::cpu_yield::BriefJobGuard;
use crate::error::ApiProblem;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::RequestRow;

/// The data that is written only with the first row of a job.
#[derive(Debug)]
pub struct FirstRow {
    /// Hash of the token with which the creator can delete the job.
    pub owner: ContentHash,
    /// Rows that let a repeated request find this job.
    pub requests: Vec<RequestRow>,
    /// Contents of texts that are not stored as files yet.
    pub texts: Vec<Vec<u8>>,
}

/// The first row of a job that only its waiting request knows. It is written when the job ends or when another client
/// learns of the job.
#[derive(Debug)]
pub(super) struct DeferredRow {
    pub(super) first: FirstRow,
    /// Set once: `Ok` if a client learned of the job, or the reason why the job could not be written.
    commit_state: OnceLock<Result<(), ApiProblem>>,
    /// Guard that counts the job as a pending brief one while it exists.
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

    /// Commits to the row, because a client learns of the job. From then on the end of the job must be stored.
    ///
    /// # Errors
    /// Returns the reason if the job was abandoned.
    pub(super) fn commit(&self) -> Result<(), ApiProblem> {
        self.commit_state.get_or_init(|| Ok(())).clone()
    }

    /// Abandons the job because it could not be written. `why` creates the reason for the waiting request. Returns
    /// `false` if a client knows of the job already.
    pub(super) fn abandon(&self, why: impl FnOnce() -> ApiProblem) -> bool {
        self.commit_state.get_or_init(|| Err(why())).is_err()
    }
}
