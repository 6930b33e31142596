//! Commits: short contents that arrive together are written by one statement, so that they share one disk flush.

use std::collections::BTreeMap;
use std::io;

use tokio::sync::{mpsc, oneshot};

use super::table::ShortFileTable;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::files::quota::Reservation;

/// Maximum number of calls whose contents are written by one statement. More would delay callers, because all wait for
/// the whole statement.
const MAX_SHORT_FILE_BATCH: usize = 512;

/// The queue of contents to write.
#[derive(Clone, Debug)]
pub(super) struct ShortWriteQueue(mpsc::UnboundedSender<ShortFileWrite>);

/// Contents to write together, with the channel of their caller.
#[derive(Debug)]
struct ShortFileWrite {
    contents: Vec<(ContentHash, Vec<u8>)>,
    /// Capacity reserved for the contents.
    reserved: Reservation,
    done: oneshot::Sender<io::Result<()>>,
}

impl ShortWriteQueue {
    /// Starts the task that writes queued contents. It ends once all clones are dropped.
    pub(super) fn start(table: ShortFileTable) -> Self {
        let (commits, mut wanted) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut all = Vec::new();
            while wanted.recv_many(&mut all, MAX_SHORT_FILE_BATCH).await > 0 {
                commit(&table, std::mem::take(&mut all)).await;
            }
        });
        Self(commits)
    }

    /// Writes or renews contents, and returns once they are on disk. Reserved bytes of contents that existed already
    /// are released.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub(super) async fn put(&self, contents: Vec<(ContentHash, Vec<u8>)>, reserved: Reservation) -> io::Result<()> {
        if contents.is_empty() {
            return Ok(());
        }
        let (done, written) = oneshot::channel();
        let ended = || io::Error::other("nobody writes short contents any more");
        self.0.send(ShortFileWrite { contents, reserved, done }).map_err(|_| ended())?;
        written.await.map_err(|_| ended())?
    }
}

/// Writes the contents of the calls `all`, and notifies their callers. No content can make another one fail, because
/// all are short byte strings under their own hashes.
async fn commit(table: &ShortFileTable, all: Vec<ShortFileWrite>) {
    let contents: BTreeMap<[u8; 32], &[u8]> =
        all.iter().flat_map(|wanted| &wanted.contents).map(|(key, content)| (*key.as_bytes(), content.as_slice())).collect();
    let mut written = table.put(&contents).await;
    for ShortFileWrite { contents, reserved, done } in all {
        let said = match &mut written {
            Ok(new) => {
                // The bytes of a new content count for the first call that has it.
                let kept = contents.iter().filter(|(key, _)| new.remove(key)).map(|(_, content)| content.len() as u64).sum();
                reserved.keep_of(kept);
                Ok(())
            }
            Err(error) => {
                // Unused reservations are released before any caller continues.
                drop(reserved);
                Err(io::Error::new(error.kind(), error.to_string()))
            }
        };
        // If the caller has gone, the result is discarded.
        let _ = done.send(said);
    }
}
