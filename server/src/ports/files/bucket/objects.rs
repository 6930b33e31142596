//! Objects: what lies where in the bucket, and how old it is.
//!
//! An object's time is the server's. What time it is there now follows from an object that is written and looked at, and from the time that has passed in this
//! process since: the time of day of this machine, which may be wrong or be set, is not asked. As long as the answer took, an object is taken for younger than it is.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};

use crate::cache::Blocking;
use crate::id::Id;
use crate::ports::clock::Clock;
use crate::ports::files::Hash;

/// Contents whose place is remembered. A place takes some 300 bytes.
const PLACES: u64 = 1 << 16;

/// How long. One that has gone meanwhile is looked for again.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// After so long the server is asked again what time it is.
const SURE: Duration = Duration::from_secs(3600);

/// What was not finished after so long never will be.
const UNFINISHED: Duration = Duration::from_secs(86_400);

/// One of the objects that have a content.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) path: Path,
    pub(super) bytes: u64,
    /// By the server's time.
    pub(super) written: SystemTime,
}

impl From<ObjectMeta> for Object {
    fn from(about: ObjectMeta) -> Self {
        Self { path: about.location, bytes: about.size, written: about.last_modified.into() }
    }
}

/// All of a bucket.
pub(super) struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    clock: Arc<dyn Clock>,
    /// Where contents were found. Somebody else may have copied them to another name since.
    places: Blocking<Hash, Object>,
    /// A time of the server, and how much had passed here when it was over.
    time: Mutex<(SystemTime, Duration)>,
}

impl Objects {
    /// Asks the server what time it is.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub(super) async fn open(store: Arc<dyn ObjectStore>, prefix: Path, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let places = Blocking::of_count(PLACES, REMEMBERED);
        let objects = Self { store, prefix, clock, places, time: Mutex::new((SystemTime::UNIX_EPOCH, Duration::ZERO)) };
        objects.ask_time().await?;
        Ok(objects)
    }

    /// Asks again what time it is, where the last time was long ago.
    pub(super) async fn set_time(&self) -> io::Result<()> {
        let asked = self.time().1;
        if self.elapsed().saturating_sub(asked) < SURE { Ok(()) } else { self.ask_time().await }
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

    /// The time that has passed in this process.
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// How long ago it was written.
    pub(super) fn age(&self, object: &Object) -> Duration {
        let (then, elapsed) = self.time();
        let now = then + self.elapsed().saturating_sub(elapsed);
        now.duration_since(object.written).unwrap_or_default()
    }

    /// Whether this is the owner of all; it is from now on where there is none.
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

    fn folder(&self, key: &Hash) -> Path {
        self.prefix.clone().join("files").join(key.to_string())
    }

    /// A name for a content that nobody else gives.
    pub(super) fn unfinished(&self) -> Path {
        self.prefix.clone().join("unfinished").join(Id::random().to_string())
    }

    /// Those that have this content.
    pub(super) async fn list(&self, key: &Hash) -> io::Result<Vec<Object>> {
        self.store.list(Some(&self.folder(key))).map_ok(Object::from).try_collect().await.map_err(failed)
    }

    /// The youngest that has this content.
    pub(super) async fn youngest(&self, key: &Hash) -> io::Result<Option<Object>> {
        let youngest = self.list(key).await?.into_iter().max_by_key(|object| object.written);
        match &youngest {
            Some(object) => self.places.insert(key, Arc::new(object.clone())),
            None => self.forget(key),
        }
        Ok(youngest)
    }

    /// Does something with an object that has this content, with another one where it has gone meanwhile.
    ///
    /// # Errors
    /// `NotFound` when there is none.
    pub(super) async fn of<T>(&self, key: &Hash, work: impl AsyncFn(&Object) -> io::Result<T>) -> io::Result<T> {
        if let Some(object) = self.places.get(key) {
            match work(&object).await {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => return done,
            }
        }
        work(&self.youngest(key).await?.ok_or(io::ErrorKind::NotFound)?).await
    }

    /// Bytes of an object from `from` on, at most `len`.
    pub(super) async fn range(&self, object: &Object, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let from = from.min(object.bytes);
        let to = from.saturating_add(len).min(object.bytes);
        if from == to {
            return Ok(Vec::new());
        }
        Ok(self.store.get_range(&object.path, from..to).await.map_err(failed)?.into())
    }

    /// Its content as it comes.
    pub(super) async fn stream(&self, object: &Object) -> io::Result<BoxStream<'static, io::Result<Vec<u8>>>> {
        let got = self.store.get(&object.path).await.map_err(failed)?;
        Ok(got.into_stream().map(|piece| piece.map(Vec::from).map_err(failed)).boxed())
    }

    /// Stores a content.
    pub(super) async fn put(&self, key: &Hash, content: Vec<u8>) -> io::Result<()> {
        let path = self.folder(key).join(Id::random().to_string());
        self.store.put(&path, content.into()).await.map_err(failed)?;
        self.forget(key);
        Ok(())
    }

    /// Makes a content of what was uploaded under another name.
    pub(super) async fn adopt(&self, key: &Hash, unfinished: &Path) -> io::Result<()> {
        self.store.copy(unfinished, &self.folder(key).join(Id::random().to_string())).await.map_err(failed)?;
        self.forget(key);
        self.remove(unfinished).await
    }

    /// Copies an object to another name, and removes it. False when it is not there any more.
    pub(super) async fn copy_anew(&self, key: &Hash, object: &Object) -> io::Result<bool> {
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

    /// Removes an object, unless somebody else has.
    pub(super) async fn remove(&self, path: &Path) -> io::Result<()> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Forgets where a content was found.
    pub(super) fn forget(&self, key: &Hash) {
        self.places.forget(key);
    }

    /// Every object that has a content, with it.
    pub(super) fn all(&self) -> BoxStream<'static, io::Result<(Hash, Object)>> {
        let listed = self.store.list(Some(&self.prefix.clone().join("files"))).map_err(failed);
        let with_key = |about: ObjectMeta| async move {
            let key = about.location.parts().rev().nth(1).and_then(|part| part.as_ref().parse().ok());
            Ok(key.map(|key| (key, Object::from(about))))
        };
        listed.try_filter_map(with_key).boxed()
    }

    /// Removes what a process that has ended was uploading.
    pub(super) async fn remove_unfinished(&self) -> io::Result<()> {
        let mut all = self.store.list(Some(&self.prefix.clone().join("unfinished"))).map_ok(Object::from);
        while let Some(object) = all.try_next().await.map_err(failed)? {
            if self.age(&object) > UNFINISHED {
                self.remove(&object.path).await?;
            }
        }
        Ok(())
    }

    /// Begins an upload in parts.
    pub(super) async fn upload(&self, path: &Path) -> io::Result<Box<dyn object_store::MultipartUpload>> {
        self.store.put_multipart(path).await.map_err(failed)
    }
}

/// What an error means. Its text names no content: whoever reads the log shall not be able to try what somebody has stored.
pub(super) fn failed(error: object_store::Error) -> io::Error {
    use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
    const FULL: [&str; 3] = ["QuotaExceeded", "StorageFull", "InsufficientStorage"];
    let text = without_names(&error.to_string());
    let kind = match error {
        NotFound { .. } => io::ErrorKind::NotFound,
        PermissionDenied { .. } | Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        _ if FULL.iter().any(|code| text.contains(code)) => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, text)
}

/// The text with each hash replaced.
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
    fn errors_name_no_content() {
        let key = Hash::of(b"kitten").to_string();
        assert_eq!(
            without_names(&format!("GET http://host/bucket/files/{key}/abc failed: dead beef")),
            "GET http://host/bucket/files/HASH/abc failed: dead beef"
        );
        let error = |source: &str| object_store::Error::Generic { store: "S3", source: source.to_owned().into() };
        assert_eq!(failed(error("<Code>XMinioStorageFull</Code>")).kind(), io::ErrorKind::StorageFull);
        assert_eq!(failed(error("no route")).kind(), io::ErrorKind::Other);
    }
}
