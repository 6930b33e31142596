//! Table: the port of short contents in a database. Contents that arrive together are written in one transaction.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::storage::ports::StorageError;
use crate::storage::ports::batches::BatchWriter;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::files::quota::Reservation;

/// A pending answer of a table.
pub type TableFuture<'a, T> = BoxFuture<'a, Result<T, StorageError>>;

/// A table of short contents. The row of a content has the time of its last renewal.
pub trait ShortFileTable: fmt::Debug + Send + Sync + 'static {
    /// Writes or renews contents, in the order of their hashes. Returns those that were not in the table before. If it
    /// fails, none is written.
    fn put<'a>(&'a self, contents: BTreeMap<[u8; 32], &'a [u8]>) -> TableFuture<'a, HashSet<ContentHash>>;

    /// Returns a content, if the table has it.
    fn content<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, Option<Vec<u8>>>;

    /// Renews a content. Returns whether the table has it.
    fn renew<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, bool>;

    /// Removes a content whose last renewal is more than `grace` ago.
    fn remove_old<'a>(&'a self, key: &'a ContentHash, grace: Duration) -> TableFuture<'a, RemovalOutcome>;

    /// Returns all contents that [`remove_old`](Self::remove_old) would remove.
    fn old(&self, grace: Duration) -> TableFuture<'_, Vec<ContentHash>>;

    /// Returns the bytes of all contents.
    fn bytes_of_all(&self) -> TableFuture<'_, u64>;

    /// Returns whether other processes write the table too, so that its bytes must be counted again from time to time.
    fn is_shared(&self) -> bool;

    /// Called once when no content was written for a while.
    fn on_idle(&self) {}
}

/// Result of the removal of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalOutcome {
    /// The content was removed; the field is its size in bytes.
    Gone(u64),
    /// The content is not old, or another process has just removed it.
    Stays,
    /// The table does not have the content.
    NotThere,
}

/// Contents that a caller writes together.
#[derive(Debug)]
pub(super) struct ShortFileWrite {
    pub(super) contents: Vec<(ContentHash, Vec<u8>)>,
    /// Capacity reserved for the contents. The bytes of those that existed already are released.
    pub(super) reserved: Reservation,
}

impl BatchWriter<ShortFileWrite, ()> for Arc<dyn ShortFileTable> {
    fn write<'a>(&'a self, writes: &'a mut [ShortFileWrite]) -> TableFuture<'a, Vec<()>> {
        async move {
            let contents = writes.iter().flat_map(|write| &write.contents);
            let mut new = self.put(contents.map(|(key, content)| (*key.as_bytes(), content.as_slice())).collect()).await?;
            for ShortFileWrite { contents, reserved } in &mut *writes {
                // The bytes of a new content count for the first call that has it.
                reserved.keep_of(contents.iter().filter(|(key, _)| new.remove(key)).map(|(_, content)| content.len() as u64).sum());
            }
            Ok(vec![(); writes.len()])
        }
        .boxed()
    }

    fn on_idle(&self) {
        (**self).on_idle();
    }
}
