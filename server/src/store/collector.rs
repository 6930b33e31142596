//! Collector: removes expired rows and the files that no row uses any more ([`Store::collect`]).
//!
//! It queries changes only and reads no other rows. Killed processes and refused requests leave files that never had a
//! row. To find these files, all files are searched, but less often.

use std::sync::PoisonError;

use tracing::warn;

use super::Store;
use crate::storage::ports::StorageError;
use crate::storage::ports::files::ContentHash;

/// Time in seconds for which the id of a deleted or expired job stays recorded. The ids of links stay recorded forever.
const JOB_TOMBSTONE_SECONDS: u64 = 30 * 86_400;

/// Maximum number of stored requests, which take about 20 MB. If there are more, those that expire first are deleted.
const MAX_REMEMBERED_REQUESTS: u32 = 1 << 16;

/// Number of rows or files that one step handles. Other tasks may run between two steps.
const ROWS_PER_STEP: u32 = 500;

impl Store {
    /// Removes all expired rows and unused files. Returns the number of files removed. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if rows or files fail. Files are removed even if rows cannot be written, as on a full disk.
    pub fn collect(&self) -> Result<usize, StorageError> {
        let expired = self.expire();
        if let Err(cause) = &expired {
            warn!("expired rows could not be removed: {cause}");
        }
        if let Err(cause) = self.measure_rows().wait() {
            warn!("size of rows could not be measured: {cause}");
        }
        let mut removed = self.remove_dropped()?;
        if self.is_to_be_swept() {
            removed += self.remove_unused()?;
        }
        expired.map(|()| removed)
    }

    /// Counts the stored bytes of all files again, because other processes of a cluster also write and remove files.
    /// The collecting process counts when it searches all files. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the files cannot be counted.
    pub fn count(&self) -> Result<(), StorageError> {
        self.files.old(self.grace)?;
        Ok(())
    }

    fn expire(&self) -> Result<(), StorageError> {
        let now = self.clock.seconds();
        while self.answer(self.rows.expire(now, now.saturating_sub(JOB_TOMBSTONE_SECONDS), ROWS_PER_STEP)).wait()? > 0 {}
        self.answer(self.rows.trim_requests(MAX_REMEMBERED_REQUESTS)).wait()
    }

    /// Removes files that a row once used and no row uses now. Returns the number of removed files.
    fn remove_dropped(&self) -> Result<usize, StorageError> {
        let (mut removed, mut after) = (0, None);
        loop {
            let keys = self.answer(self.rows.unreferenced_files(after, ROWS_PER_STEP)).wait()?;
            let Some(last) = keys.last() else { return Ok(removed) };
            after = Some(*last);
            let gone = self.remove_old(&keys)?;
            removed += gone.len();
            if !gone.is_empty() {
                self.answer(self.rows.delete_unreferenced(gone)).wait()?;
            }
        }
    }

    /// Returns whether the last search of all files is longer ago than the grace period. If so, records that a new
    /// search begins.
    fn is_to_be_swept(&self) -> bool {
        let now = self.clock.elapsed();
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = swept.is_none_or(|at| now.saturating_sub(at) > self.grace);
        if is_due {
            *swept = Some(now);
        }
        is_due
    }

    /// Removes files that no row uses, including files that never had a row. Returns the number of removed files.
    fn remove_unused(&self) -> Result<usize, StorageError> {
        let mut removed = 0;
        for keys in self.files.old(self.grace)?.chunks(ROWS_PER_STEP as usize) {
            let unused = self.answer(self.rows.unused(keys.to_vec())).wait()?;
            removed += self.remove_old(&unused)?.len();
        }
        Ok(removed)
    }

    /// Removes the files among `keys` that were neither written nor renewed within the grace period, and returns their
    /// hashes. The other files are removed in a later call.
    fn remove_old(&self, keys: &[ContentHash]) -> Result<Vec<ContentHash>, StorageError> {
        let mut gone = Vec::new();
        for key in keys {
            if self.files.remove_old(key, self.grace)? {
                gone.push(*key);
            }
        }
        Ok(gone)
    }
}
