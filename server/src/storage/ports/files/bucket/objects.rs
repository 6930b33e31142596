//! Objects: the contents in the bucket, with the names of their objects and their ages ([`BucketObjects`]).
//!
//! The server sets the time of an object. The current time of the server is computed as the time of an object that was
//! just written, plus the monotonic time since then. The time of day of this machine is not used, because it may be
//! wrong or be set. An object may appear younger than it is by the duration of one request.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};

use crate::cache::SyncCache;
use crate::id::Id;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::ContentHash;

/// Maximum number of contents for which the object is cached. Each entry takes about 300 bytes.
const MAX_CACHED_OBJECTS: u64 = 1 << 16;

/// Time for which the object of a content is cached. If the object no longer exists, the content is looked up again.
const OBJECT_CACHE_TTL: Duration = Duration::from_secs(3600);

/// Age at which the stored time of the server is outdated, so that the time is queried again.
const MAX_SERVER_TIME_AGE: Duration = Duration::from_secs(3600);

/// Age at which an unfinished upload is considered abandoned.
const ABANDONED_UPLOAD_AGE: Duration = Duration::from_secs(86_400);

/// An object of the bucket that stores a content.
#[derive(Clone, Debug)]
pub(super) struct StoredObject {
    pub(super) path: Path,
    pub(super) bytes: u64,
    /// Time at which the object was written, by the server's clock.
    pub(super) written: SystemTime,
}

impl From<ObjectMeta> for StoredObject {
    fn from(about: ObjectMeta) -> Self {
        Self { path: about.location, bytes: about.size, written: about.last_modified.into() }
    }
}

/// The objects of a bucket, with a cache of their names, and the server's time.
pub(super) struct BucketObjects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    clock: Arc<dyn Clock>,
    /// Cached object of each content. Another process may have moved the content to another object since.
    places: SyncCache<ContentHash, StoredObject>,
    /// Last known time of the server, and the monotonic time when it was received.
    time: Mutex<(SystemTime, Duration)>,
}

impl BucketObjects {
    /// Opens the bucket of the client `store`, with object names that begin with `prefix`, and queries the server's
    /// time.
    ///
    /// # Errors
    /// Returns an error if the bucket cannot be written.
    pub(super) async fn open(store: Arc<dyn ObjectStore>, prefix: Path, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let places = SyncCache::of_count(MAX_CACHED_OBJECTS, OBJECT_CACHE_TTL);
        let objects = Self { store, prefix, clock, places, time: Mutex::new((SystemTime::UNIX_EPOCH, Duration::ZERO)) };
        objects.ask_time().await?;
        Ok(objects)
    }

    /// Fetches the bucket server's time if it was last fetched more than [`MAX_SERVER_TIME_AGE`] ago.
    pub(super) async fn set_time(&self) -> io::Result<()> {
        let asked = self.time().1;
        if self.elapsed().saturating_sub(asked) < MAX_SERVER_TIME_AGE { Ok(()) } else { self.ask_time().await }
    }

    async fn ask_time(&self) -> io::Result<()> {
        let path = self.prefix.clone().join("clock");
        self.store.put(&path, Vec::new().into()).await.map_err(failed)?;
        let about = self.store.head(&path).await.map_err(failed)?;
        *self.time.lock().unwrap_or_else(PoisonError::into_inner) = (about.last_modified.into(), self.elapsed());
        Ok(())
    }

    fn time(&self) -> (SystemTime, Duration) {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the monotonic time of this process.
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// Returns the age of `object` by the server's clock.
    pub(super) fn age(&self, object: &StoredObject) -> Duration {
        let (then, elapsed) = self.time();
        let now = then + self.elapsed().saturating_sub(elapsed);
        now.duration_since(object.written).unwrap_or_default()
    }

    /// Returns whether `owner` owns the bucket. Stores it as the owner if there is none.
    pub(super) async fn claim(&self, owner: &str) -> io::Result<bool> {
        let path = self.prefix.clone().join("owner");
        match self.store.get(&path).await {
            Ok(noted) => Ok(noted.bytes().await.map_err(failed)? == owner.as_bytes()),
            Err(object_store::Error::NotFound { .. }) => {
                self.store.put(&path, owner.to_owned().into()).await.map_err(failed)?;
                Ok(true)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn folder(&self, key: &ContentHash) -> Path {
        self.prefix.clone().join("files").join(key.to_string())
    }

    /// Returns a new temporary name for an object whose upload is not finished.
    pub(super) fn unfinished(&self) -> Path {
        self.prefix.clone().join("unfinished").join(Id::random().to_string())
    }

    /// Lists the objects that store the content `key`.
    pub(super) async fn list(&self, key: &ContentHash) -> io::Result<Vec<StoredObject>> {
        self.store.list(Some(&self.folder(key))).map_ok(StoredObject::from).try_collect().await.map_err(failed)
    }

    /// Returns the youngest object that stores the content `key`, or `None` if there is none.
    pub(super) async fn youngest(&self, key: &ContentHash) -> io::Result<Option<StoredObject>> {
        let youngest = self.list(key).await?.into_iter().max_by_key(|object| object.written);
        match &youngest {
            Some(object) => self.places.insert(key, Arc::new(object.clone())),
            None => self.forget(key),
        }
        Ok(youngest)
    }

    /// Calls `work` with an object that stores the content `key`, and returns its result. If the cached object no
    /// longer exists, calls `work` again with the youngest object.
    ///
    /// # Errors
    /// Returns `NotFound` if there is no object, or the error of `work`.
    pub(super) async fn with_object<T>(&self, key: &ContentHash, work: impl AsyncFn(&StoredObject) -> io::Result<T>) -> io::Result<T> {
        if let Some(object) = self.places.get(key) {
            match work(&object).await {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => return done,
            }
        }
        work(&self.youngest(key).await?.ok_or(io::ErrorKind::NotFound)?).await
    }

    /// Reads at most `len` bytes of `object` from byte `from` on.
    pub(super) async fn range(&self, object: &StoredObject, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let from = from.min(object.bytes);
        let to = from.saturating_add(len).min(object.bytes);
        if from == to {
            return Ok(Vec::new());
        }
        Ok(self.store.get_range(&object.path, from..to).await.map_err(failed)?.into())
    }

    /// Returns the content of `object` as a stream of pieces.
    pub(super) async fn stream(&self, object: &StoredObject) -> io::Result<BoxStream<'static, io::Result<Vec<u8>>>> {
        let got = self.store.get(&object.path).await.map_err(failed)?;
        Ok(got.into_stream().map(|piece| piece.map(Vec::from).map_err(failed)).boxed())
    }

    /// Stores the content `key` in a new object.
    pub(super) async fn put(&self, key: &ContentHash, content: Vec<u8>) -> io::Result<()> {
        let path = self.folder(key).join(Id::random().to_string());
        self.store.put(&path, content.into()).await.map_err(failed)?;
        self.forget(key);
        Ok(())
    }

    /// Moves an upload from its temporary name `unfinished` to a new object of the content `key`.
    pub(super) async fn adopt(&self, key: &ContentHash, unfinished: &Path) -> io::Result<()> {
        self.store.copy(unfinished, &self.folder(key).join(Id::random().to_string())).await.map_err(failed)?;
        self.forget(key);
        self.remove(unfinished).await
    }

    /// Moves an object of the content `key` to a new name, which makes it young. Returns `false` if the object no
    /// longer exists.
    pub(super) async fn copy_anew(&self, key: &ContentHash, object: &StoredObject) -> io::Result<bool> {
        match self.store.copy(&object.path, &self.folder(key).join(Id::random().to_string())).await {
            Ok(()) => {
                self.forget(key);
                self.remove(&object.path).await?;
                Ok(true)
            }
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Removes the object `path`, if it still exists.
    pub(super) async fn remove(&self, path: &Path) -> io::Result<()> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Removes the object of the content `key` from the cache. The bucket does not change.
    pub(super) fn forget(&self, key: &ContentHash) {
        self.places.forget(key);
    }

    /// Returns a stream of all objects in the order of their names, each after the hash of its content.
    pub(super) fn all(&self) -> BoxStream<'static, io::Result<(ContentHash, StoredObject)>> {
        let listed = self.store.list(Some(&self.prefix.clone().join("files"))).map_err(failed);
        let with_key = |about: ObjectMeta| async move {
            let key = about.location.parts().rev().nth(1).and_then(|part| part.as_ref().parse().ok());
            Ok(key.map(|key| (key, StoredObject::from(about))))
        };
        listed.try_filter_map(with_key).boxed()
    }

    /// Removes uploads that earlier processes left unfinished more than [`ABANDONED_UPLOAD_AGE`] ago.
    pub(super) async fn remove_unfinished(&self) -> io::Result<()> {
        let mut all = self.store.list(Some(&self.prefix.clone().join("unfinished"))).map_ok(StoredObject::from);
        while let Some(object) = all.try_next().await.map_err(failed)? {
            if self.age(&object) > ABANDONED_UPLOAD_AGE {
                self.remove(&object.path).await?;
            }
        }
        Ok(())
    }

    /// Begins an upload in parts to the object `path`.
    pub(super) async fn upload(&self, path: &Path) -> io::Result<Box<dyn object_store::MultipartUpload>> {
        self.store.put_multipart(path).await.map_err(failed)
    }
}

/// Converts `error` of the object store. Hashes are removed from its text, so that a reader of the log cannot test
/// which texts users have stored.
pub(super) fn failed(error: object_store::Error) -> io::Error {
    use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
    const STORAGE_FULL_CODES: [&str; 3] = ["QuotaExceeded", "StorageFull", "InsufficientStorage"];
    let text = without_names(&error.to_string());
    let kind = match error {
        NotFound { .. } => io::ErrorKind::NotFound,
        PermissionDenied { .. } | Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        _ if STORAGE_FULL_CODES.iter().any(|code| text.contains(code)) => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, text)
}

/// Replaces each hash in `text` by a placeholder.
fn without_names(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    for word in text.split_inclusive(|letter: char| !letter.is_ascii_hexdigit()) {
        let digits = word.trim_end_matches(|letter: char| !letter.is_ascii_hexdigit());
        left.push_str(if digits.len() >= 64 { "HASH" } else { digits });
        left.push_str(&word[digits.len()..]);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_contain_no_content_hash() {
        let key = ContentHash::from_content(b"kitten").to_string();
        assert_eq!(
            without_names(&format!("GET http://host/bucket/files/{key}/abc failed: dead beef")),
            "GET http://host/bucket/files/HASH/abc failed: dead beef"
        );
        let error = |source: &str| object_store::Error::Generic { store: "S3", source: source.to_owned().into() };
        assert_eq!(failed(error("<Code>XMinioStorageFull</Code>")).kind(), io::ErrorKind::StorageFull);
        assert_eq!(failed(error("no route")).kind(), io::ErrorKind::Other);
    }
}
