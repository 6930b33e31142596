//! Table: the trait [`ShortFileTable`] of short contents in a database. Contents that arrive together are written in
//! one transaction.

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

/// A pending answer of a [`ShortFileTable`].
pub type TableFuture<'a, T> = BoxFuture<'a, Result<T, StorageError>>;

/// A table of short contents in a database. The row of a content has the time of its last renewal, from which its age
/// follows.
pub trait ShortFileTable: fmt::Debug + Send + Sync + 'static {
    /// Writes `contents`, given by their hashes, or renews those that exist, in the order of the hashes. Returns the
    /// hashes that were not in the table before. If it fails, no content is written.
    fn put<'a>(&'a self, contents: BTreeMap<[u8; 32], &'a [u8]>) -> TableFuture<'a, HashSet<ContentHash>>;

    /// Returns the content `key`, or `None` if the table does not have it.
    fn content<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, Option<Vec<u8>>>;

    /// Returns whether the table has the content `key`, and if so, resets its age.
    fn renew<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, bool>;

    /// Removes the content `key` if its last renewal is more than `grace` ago.
    fn remove_old<'a>(&'a self, key: &'a ContentHash, grace: Duration) -> TableFuture<'a, RemovalOutcome>;

    /// Returns the hashes of all contents that [`remove_old`](Self::remove_old) would remove.
    fn old(&self, grace: Duration) -> TableFuture<'_, Vec<ContentHash>>;

    /// Returns the size of all contents together, in bytes.
    fn bytes_of_all(&self) -> TableFuture<'_, u64>;

    /// Returns whether other processes write the table too, so that its bytes must be counted again from time to time.
    fn is_shared(&self) -> bool;

    /// Performs idle work. Called once when no content was written for a while.
    fn on_idle(&self) {}
}

/// The result of [`ShortFileTable::remove_old`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalOutcome {
    /// The content was removed; the field is its size in bytes.
    Gone(u64),
    /// The content is not old, or another process has just removed it.
    Stays,
    /// The table does not have the requested content.
    NotThere,
}

/// A write to the table: contents that one caller writes together.
#[derive(Debug)]
pub(super) struct ShortFileWrite {
    pub(super) contents: Vec<(ContentHash, Vec<u8>)>,
    /// Capacity reserved for the contents. The bytes of contents that existed already are released after the write.
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
