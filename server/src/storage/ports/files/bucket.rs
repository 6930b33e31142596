//! Files in a bucket of an S3 server, which many machines can reach ([`BucketFiles`]). A completed upload or copy is as
//! durable as the server promises.
//!
//! - [`place`]: address of the bucket, and its client
//! - `objects`: objects and their ages
//! - `writer`: contents that are being written
//!
//! A content (the bytes of one file) is an object `files/HASH/NAME`, where NAME is random. To renew a content (to reset
//! its age), the server copies it to a new name, and the older object is removed. S3 can neither change the time of an
//! object nor delete one on the condition that no process copied it meanwhile.
//!
//! Therefore, deleting an object that was seen as old never deletes a later renewal. A renewal that races with a
//! deletion either fails with "not found" or creates a copy that stays. This requires only that a listing contains all
//! earlier writes, as S3 promises.
//!
//! The age of an object follows from the server's time ([`BucketObjects`]), which is the same for all machines. The age
//! of this process's own requests follows from its monotonic clock.
//!
//! Bytes are counted before they are written. The count is set by listing all objects, at the start and in each search
//! for old ones, and updated by the writes and removals of this process. Writes of other machines are missing until the
//! next listing: *n* machines may exceed the capacity by the bytes that *n* − 1 of them write between two listings. A
//! content that two machines write at the same time takes double room until it is removed or renewed.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use self::objects::{BucketObjects, StoredObject};
pub use self::place::BucketAddress;
use self::writer::BucketWriter;
use super::quota::{Quota, Reservation};
use super::{BoxedFileWriter, ContentHash, FileStore, ReadableFile, StorageUsage};
use crate::storage::ports::clock::Clock;

mod objects;
mod place;
#[cfg(test)]
#[cfg(unix)]
pub(super) mod tests;
mod writer;

/// Age up to which an object counts as new, so that it is not copied when its content is renewed. This shortens the
/// grace period before a removal by at most a tenth.
const BUCKET_FRESH_AGE: Duration = Duration::from_secs(60);

/// Maximum number of contents that one call stores at the same time.
const MAX_CONCURRENT_PUTS: usize = 8;

/// Number of locks that serialize calls of this process on one content. Several contents share a lock.
const CONTENT_LOCKS: usize = 256;

#[derive(Clone)]
pub struct BucketFiles {
    shared: Arc<BucketState>,
}

struct BucketState {
    objects: BucketObjects,
    quota: Arc<Quota>,
    runtime: Handle,
    /// Age up to which an object counts as new: [`BUCKET_FRESH_AGE`], except in tests.
    fresh: Duration,
    /// Monotonic time at which this process last wrote or renewed each content.
    renewal_times: Mutex<HashMap<ContentHash, Duration>>,
    /// Locks that serialize calls on one content. The first byte of its hash chooses the lock.
    turns: Vec<tokio::sync::Mutex<()>>,
}

impl fmt::Debug for BucketFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.shared.quota.usage()).finish()
    }
}

impl BucketFiles {
    /// Connects to the bucket at `place`, which may store `capacity` bytes, and lists its objects, some ten thousand
    /// per second. Credentials and the server's address come from the usual S3 variables, such as `AWS_ACCESS_KEY_ID`
    /// and `AWS_ENDPOINT_URL`.
    ///
    /// # Errors
    /// Returns an error if the bucket cannot be read and written.
    pub async fn open(place: &BucketAddress, capacity: u64, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Self::open_on(place.store()?, place.prefix(), capacity, clock, BUCKET_FRESH_AGE).await
    }

    /// Stores `owner`, a hash that identifies a database, as the owner of the bucket, unless the bucket has an owner.
    /// Returns whether `owner` is the owner. Only a process that knows all rows may remove unused files.
    ///
    /// # Errors
    /// Returns an error if the owner can neither be read nor written.
    pub async fn claim(&self, owner: &ContentHash) -> io::Result<bool> {
        self.shared.objects.claim(&owner.to_string()).await
    }

    /// Opens a bucket in memory, for tests of other ports.
    #[cfg(test)]
    pub(super) async fn in_memory(capacity: u64, clock: Arc<dyn Clock>) -> Self {
        let store = Arc::new(object_store::memory::InMemory::new());
        Self::open_on(store, Path::default(), capacity, clock, BUCKET_FRESH_AGE).await.unwrap()
    }

    async fn open_on(store: Arc<dyn ObjectStore>, prefix: Path, capacity: u64, clock: Arc<dyn Clock>, fresh: Duration) -> io::Result<Self> {
        let objects = BucketObjects::open(store, prefix, clock).await?;
        let held = Arc::new(Quota::new(capacity));
        let shared = BucketState {
            objects,
            quota: held,
            runtime: Handle::current(),
            fresh,
            renewal_times: Mutex::default(),
            turns: (0..CONTENT_LOCKS).map(|_| tokio::sync::Mutex::default()).collect(),
        };
        shared.scan_objects(Duration::MAX).await?;
        Ok(Self { shared: Arc::new(shared) })
    }
}

impl FileStore for BucketFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        Ok(Box::new(BucketWriter::new(self.shared.clone())))
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.shared.wait(self.shared.objects.with_object(key, async |object| Ok(object.bytes)))
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        self.shared.wait(self.shared.objects.with_object(key, async |object| self.shared.objects.range(object, from, len).await))
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        let opened = self.shared.objects.with_object(key, async |object| {
            let content = self.shared.objects.stream(object).await?;
            Ok((object.bytes, content))
        });
        let (bytes, content) = self.shared.wait(opened)?;
        Ok(ReadableFile {
            bytes,
            content: Box::new(BucketReader { content, piece: Vec::new(), read: 0, runtime: self.shared.runtime.clone() }),
        })
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.shared.wait(async {
            let _turn = self.shared.turn(key).lock().await;
            self.shared.renew(key).await
        })
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        self.shared.wait(self.shared.remove_old(key, grace))
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.shared.wait(self.shared.scan_objects(grace))
    }

    fn usage(&self) -> StorageUsage {
        self.shared.quota.usage()
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        async move {
            // Reserves room for all contents before the first is stored.
            let reserve =
                |content: Vec<u8>| Reservation::reserve(&self.shared.quota, content.len() as u64).map(|reserved| (content, reserved));
            let contents = contents.into_iter().map(reserve).collect::<io::Result<Vec<_>>>()?;
            let put = |(content, reserved)| self.shared.put(content, reserved);
            stream::iter(contents).map(put).buffered(MAX_CONCURRENT_PUTS).try_collect().await
        }
        .boxed()
    }
}

impl BucketState {
    /// Blocks the calling thread until `answer` is ready, and returns its value.
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        block_in_place(|| self.runtime.block_on(answer))
    }

    fn turn(&self, key: &ContentHash) -> &tokio::sync::Mutex<()> {
        &self.turns[usize::from(key.as_bytes()[0]) % CONTENT_LOCKS]
    }

    fn lock_renewal_times(&self) -> MutexGuard<'_, HashMap<ContentHash, Duration>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.renewal_times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether more than `grace` has passed since this process last wrote or renewed the content `key`.
    fn has_passed(&self, key: &ContentHash, grace: Duration) -> bool {
        self.lock_renewal_times().get(key).is_none_or(|at| self.objects.elapsed().saturating_sub(*at) > grace)
    }

    /// Returns whether the content `key` exists, and if so, resets its age. The caller must hold the lock of `key`.
    async fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        loop {
            let Some(object) = self.objects.youngest(key).await? else { return Ok(false) };
            self.lock_renewal_times().insert(*key, self.objects.elapsed());
            // If the copy finds no object, another machine has just copied or removed it.
            if self.objects.age(&object) <= self.fresh || self.objects.copy_anew(key, &object).await? {
                return Ok(true);
            }
        }
    }

    /// Stores `content` and returns its hash. `reserved` is the capacity reserved for its bytes.
    async fn put(&self, content: Vec<u8>, mut reserved: Reservation) -> io::Result<ContentHash> {
        let key = ContentHash::from_content(&content);
        let _turn = self.turn(&key).lock().await;
        if !self.renew(&key).await? {
            self.lock_renewal_times().insert(key, self.objects.elapsed());
            self.objects.put(&key, content).await?;
            reserved.commit();
        }
        Ok(key)
    }

    /// Stores the content `key`, which was uploaded under the temporary name `unfinished`. `reserved` is the capacity
    /// reserved for its bytes. The caller must hold the lock of `key`.
    async fn adopt(&self, key: &ContentHash, unfinished: &Path, mut reserved: Reservation) -> io::Result<()> {
        self.lock_renewal_times().insert(*key, self.objects.elapsed());
        self.objects.adopt(key, unfinished).await?;
        reserved.commit();
        Ok(())
    }

    async fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        let _turn = self.turn(key).lock().await;
        let objects = self.objects.list(key).await?;
        if !objects.is_empty() {
            if objects.iter().any(|object| self.objects.age(object) <= grace) || !self.has_passed(key, grace) {
                return Ok(false);
            }
            for object in &objects {
                self.objects.remove(&object.path).await?;
                self.quota.subtract_removed(object.bytes);
            }
            // Another machine may have copied one of the objects just before.
            if self.objects.youngest(key).await?.is_some() {
                return Ok(false);
            }
        }
        self.objects.forget(key);
        self.lock_renewal_times().remove(key);
        Ok(true)
    }

    /// Lists all objects and returns the contents older than `grace`. Also counts the bytes of all contents, removes
    /// older copies of the same content, and removes abandoned uploads.
    async fn scan_objects(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.objects.set_time().await?;
        let counted = self.quota.begin_count();
        let (mut old, mut bytes, mut last): (Vec<ContentHash>, u64, Option<(ContentHash, StoredObject)>) = (Vec::new(), 0, None);
        let mut all = self.objects.all();
        // Objects come in the order of their names, so those of one content follow each other.
        while let Some((key, object)) = all.try_next().await? {
            bytes += object.bytes;
            last = Some(match last {
                Some((of, other)) if of == key => {
                    let (older, younger) = if other.written <= object.written { (other, object) } else { (object, other) };
                    if self.objects.age(&older) > grace {
                        self.objects.remove(&older.path).await?;
                        bytes -= older.bytes;
                    }
                    (key, younger)
                }
                other => {
                    old.extend(other.filter(|(key, object)| self.is_old(key, object, grace)).map(|(key, _)| key));
                    (key, object)
                }
            });
        }
        old.extend(last.filter(|(key, object)| self.is_old(key, object, grace)).map(|(key, _)| key));
        self.quota.count(counted, bytes);
        self.objects.remove_unfinished().await?;
        let now = self.objects.elapsed();
        self.lock_renewal_times().retain(|_, at| now.saturating_sub(*at) <= grace);
        Ok(old)
    }

    fn is_old(&self, key: &ContentHash, object: &StoredObject, grace: Duration) -> bool {
        self.objects.age(object) > grace && self.has_passed(key, grace)
    }
}

/// A blocking reader of an object, which arrives as a stream of pieces.
struct BucketReader {
    content: BoxStream<'static, io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    /// Number of bytes of `piece` that were read already.
    read: usize,
    runtime: Handle,
}

impl Read for BucketReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            let Some(piece) = block_in_place(|| self.runtime.block_on(self.content.next())) else { return Ok(0) };
            (self.piece, self.read) = (piece?, 0);
        }
        let part = &self.piece[self.read..];
        let len = part.len().min(into.len());
        into[..len].copy_from_slice(&part[..len]);
        self.read += len;
        Ok(len)
    }
}
