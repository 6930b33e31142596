//! Short contents (the bytes of short files) as rows of a database, beside another store (a folder or a bucket) for
//! longer ones: [`ShortFiles`]. A file needs a dozen system calls and a disk flush. An object needs a list and a write
//! over the network, each as slow as ten commits. Rows that arrive together share one commit.
//!
//! - [`postgres`]: a table beside the rows in PostgreSQL
//! - [`sqlite`]: a table in an SQLite file
//! - [`table`]: the trait of such a table
//! - `writer`: contents that are being written
//!
//! A content of up to [`MAX_SHORT_FILE_BYTES`] bytes is stored in the table, a longer one in the other store. A lookup
//! tries the table first, and then the other store, because older versions stored short contents there too. If one of
//! these is stored again, it takes room twice until it is removed. The table removes it when no row uses it, the other
//! store when it is searched for old contents.
//!
//! One statement removes a content if it is old. A concurrent renewal therefore comes either before, so that the
//! content stays, or after, and finds it missing.
//!
//! Bytes are counted before they are written: all contents at the start, plus the writes and removals of this process.
//! In a table that other processes write too, each search for old contents counts all again, as in a bucket.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, try_join};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use self::table::{RemovalOutcome, ShortFileTable, ShortFileWrite};
use self::writer::ShortFileWriter;
use super::quota::{Quota, Reservation};
use super::{BoxedFileWriter, ContentHash, FileStore, ReadableFile, StorageUsage};
use crate::cache::SyncCache;
use crate::storage::ports::StorageError;
use crate::storage::ports::batches::Batcher;

#[cfg(feature = "cluster")]
pub mod postgres;
pub mod sqlite;
pub mod table;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod writer;

/// Maximum size in bytes of a content stored as a row. With its other columns, such a row fits into a page of SQLite,
/// and two of them fit into a page of PostgreSQL.
const MAX_SHORT_FILE_BYTES: usize = 4000;

/// Age up to which a content counts as new, so that it is not renewed. Therefore, most contents that are stored again
/// soon need no write.
const SHORT_FILE_FRESH_AGE: Duration = Duration::from_secs(60);

/// Maximum number of contents that are remembered as stored in the store of long contents.
const MAX_REMEMBERED_CONTENTS: u64 = 1 << 16;

/// Time for which a content is remembered as stored in the store of long contents.
const REMEMBERED_CONTENT_TTL: Duration = Duration::from_secs(3600);

/// A file store whose short contents are rows of a database, and whose longer ones are in another store.
#[derive(Clone)]
pub struct ShortFiles {
    shared: Arc<ShortFilesState>,
}

struct ShortFilesState {
    table: Arc<dyn ShortFileTable>,
    commits: Batcher<ShortFileWrite, ()>,
    long: Arc<dyn FileStore>,
    quota: Arc<Quota>,
    /// Maximum size in bytes of a content stored as a row: [`MAX_SHORT_FILE_BYTES`], except in tests.
    most_short: usize,
    /// Contents that are known to be in the store `long`. After such a content is removed there, the table may still
    /// have it.
    known_long: SyncCache<ContentHash, ()>,
    runtime: Handle,
}

impl fmt::Debug for ShortFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortFiles").field("room", &self.shared.quota.usage()).field("long", &self.shared.long).finish()
    }
}

impl ShortFiles {
    /// Opens a store with short contents in `table` and others in `long`. `capacity` is the maximum number of bytes of
    /// both together. Counts the stored contents, about a million per second.
    ///
    /// # Errors
    /// Returns an error if the database cannot be reached.
    pub async fn open(table: impl ShortFileTable, long: Arc<dyn FileStore>, capacity: u64) -> io::Result<Self> {
        Self::open_with(table, long, capacity, MAX_SHORT_FILE_BYTES).await
    }

    async fn open_with(table: impl ShortFileTable, long: Arc<dyn FileStore>, capacity: u64, most_short: usize) -> io::Result<Self> {
        let table: Arc<dyn ShortFileTable> = Arc::new(table);
        let held = Arc::new(Quota::with_other_store(long.clone(), capacity));
        held.count(0, table.bytes_of_all().await?);
        let commits = Batcher::start("short-files", table.clone())?;
        let elsewhere = SyncCache::of_count(MAX_REMEMBERED_CONTENTS, REMEMBERED_CONTENT_TTL);
        let shared = ShortFilesState { table, commits, long, quota: held, most_short, known_long: elsewhere, runtime: Handle::current() };
        Ok(Self { shared: Arc::new(shared) })
    }
}

impl FileStore for ShortFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        Ok(Box::new(ShortFileWriter::new(self.shared.clone())))
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.shared.find(key, |content| content.len() as u64, |long| long.bytes(key))
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let part = |content: Vec<u8>| {
            let from = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
            let len = usize::try_from(len).unwrap_or(usize::MAX).min(content.len() - from);
            content[from..from + len].to_vec()
        };
        self.shared.find(key, part, |long| long.range(key, from, len))
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        let opened = |content: Vec<u8>| ReadableFile { bytes: content.len() as u64, content: Box::new(io::Cursor::new(content)) };
        self.shared.find(key, opened, |long| long.open(key))
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        let shared = &self.shared;
        if shared.known_long.contains(key) {
            if shared.long.renew(key)? {
                return Ok(true);
            }
            shared.known_long.forget(key);
        }
        if shared.wait(shared.table.renew(key))? {
            return Ok(true);
        }
        let is_there = shared.long.renew(key)?;
        if is_there {
            shared.remember_long(key);
        }
        Ok(is_there)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        match self.shared.wait(self.shared.table.remove_old(key, grace))? {
            RemovalOutcome::Gone(bytes) => {
                self.shared.quota.subtract_removed(bytes);
                Ok(true)
            }
            RemovalOutcome::Stays => Ok(false),
            RemovalOutcome::NotThere => {
                let is_gone = self.shared.long.remove_old(key, grace)?;
                if is_gone {
                    self.shared.known_long.forget(key);
                }
                Ok(is_gone)
            }
        }
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        let shared = &self.shared;
        let mut old = shared.wait::<_, StorageError>(async {
            if shared.table.is_shared() {
                let counted = shared.quota.begin_count();
                shared.quota.count(counted, shared.table.bytes_of_all().await?);
            }
            shared.table.old(grace).await
        })?;
        // A content stored in both is listed twice, so that it is removed from one after the other.
        old.extend(shared.long.old(grace)?);
        Ok(old)
    }

    fn usage(&self) -> StorageUsage {
        self.shared.quota.usage()
    }

    fn put(&self, bytes: &[u8]) -> io::Result<ContentHash> {
        let (shared, is_short) = (&self.shared, bytes.len() <= self.shared.most_short);
        let reserved = match Reservation::reserve(&shared.quota, bytes.len() as u64) {
            Ok(reserved) => reserved,
            // A content that exists already needs no room.
            Err(full) => {
                let key = ContentHash::from_content(bytes);
                return if self.renew(&key)? { Ok(key) } else { Err(full) };
            }
        };
        if is_short {
            let key = ContentHash::from_content(bytes);
            shared.wait(shared.put_short(vec![(key, bytes.to_vec())], reserved))?;
            return Ok(key);
        }
        let key = shared.long.put(bytes)?;
        shared.remember_long(&key);
        Ok(key)
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        async move {
            let shared = &self.shared;
            let (mut keys, mut short, mut long, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), [0, 0]);
            for content in contents {
                let is_short = content.len() <= shared.most_short;
                bytes[usize::from(is_short)] += content.len() as u64;
                let key = is_short.then(|| ContentHash::from_content(&content));
                keys.push(key);
                match key {
                    Some(key) => short.push((key, content)),
                    None => long.push(content),
                }
            }
            // Reserves room for all contents before the first is stored. Contents for the other files are counted there
            // while they are reserved here.
            let [_on_its_way, reserved] = [Reservation::reserve(&shared.quota, bytes[0])?, Reservation::reserve(&shared.quota, bytes[1])?];
            let put_long = async { if long.is_empty() { Ok(Vec::new()) } else { shared.long.clone().put_soon(long).await } };
            let ((), long) = try_join(shared.put_short(short, reserved), put_long).await?;
            let mut long = long.into_iter().inspect(|key| shared.remember_long(key));
            let all: Option<Vec<ContentHash>> = keys.into_iter().map(|key| key.or_else(|| long.next())).collect();
            all.ok_or_else(|| io::Error::other("a long file was stored without a hash"))
        }
        .boxed()
    }

    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        async move {
            let long = self.shared.long.clone();
            try_join(super::probe_short(self), long.probe()).await.map(|((), ())| ())
        }
        .boxed()
    }
}

impl ShortFilesState {
    /// Blocks the calling thread until `answer` is ready, and returns its value.
    fn wait<T, E: Into<io::Error>>(&self, answer: impl Future<Output = Result<T, E>>) -> io::Result<T> {
        block_in_place(|| self.runtime.block_on(answer)).map_err(Into::into)
    }

    /// Writes or renews short `contents`, each after its hash, and returns when they are on disk. `reserved` is the
    /// capacity reserved for their bytes.
    async fn put_short(&self, contents: Vec<(ContentHash, Vec<u8>)>, reserved: Reservation) -> io::Result<()> {
        if contents.is_empty() {
            return Ok(());
        }
        Ok(self.commits.write(ShortFileWrite { contents, reserved }).await?)
    }

    /// Remembers that the store `long` has the content `key`.
    fn remember_long(&self, key: &ContentHash) {
        self.known_long.insert(key, Arc::new(()));
    }

    /// Returns the result of `short` for the content `key` if the table has it. Otherwise, returns the result of
    /// `long` for the store of long contents.
    fn find<T>(
        &self,
        key: &ContentHash,
        short: impl FnOnce(Vec<u8>) -> T,
        long: impl Fn(&dyn FileStore) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.known_long.contains(key) {
            match long(&*self.long) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.known_long.forget(key),
                done => return done,
            }
        }
        if let Some(content) = self.wait(self.table.content(key))? {
            return Ok(short(content));
        }
        let found = long(&*self.long)?;
        self.remember_long(key);
        Ok(found)
    }
}
