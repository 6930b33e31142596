//! Near: copies of contents that lie far away, in a bucket say, in a folder of this machine. A content that is read whole is kept there, and read from there
//! the next time, so that a text which ten jobs compare comes over the network once.
//!
//! - [`copies`]: which copies there are, and which one goes
//! - [`fetches`]: who fetches a content, for all that ask for it meanwhile
//!
//! A content never changes, so that a copy is as good as what it was made of. It is one as long as it is what its key says: a copy that is read whole is hashed, and one
//! that was torn or changed is removed and fetched again. For that it need not be brought to the disk. Of windows, which are read to be quick, only the length of the copy is
//! looked at, as everywhere.
//!
//! Nothing depends on the folder: where it is full or fails, what is far is read as if there were none.
//!
//! What a visitor deletes must not live on here for long, and whoever deletes it far away does not know who has copies. So a copy goes [`LONGEST`] after it was last read, and all of
//! them when the process ends and when it begins: which there are is known in memory alone, and names on the disk say nothing.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tracing::warn;

use self::copies::{Copied, Copies};
use self::fetches::Fetches;
use super::{Files, Hash, Opened, Room, Short, Unfinished};
use crate::disk;
use crate::metrics;
use crate::ports::clock::Clock;

mod copies;
mod fetches;
#[cfg(test)]
mod tests;

/// How long a copy is kept that nobody reads.
pub const LONGEST: Duration = Duration::from_secs(600);

/// How often it is looked for such copies.
const LOOK: Duration = Duration::from_secs(30);

/// A shorter content is not worth a file: the request that asks for it takes longer than its bytes.
pub const LEAST: u64 = 64 << 10;

/// A content that takes more than this part of the folder is not kept: it would drive out all others.
const LARGEST: u64 = 2;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all copies.
    pub bytes: u64,
    /// Bytes of a content that is kept, at least.
    pub least: u64,
    /// Bytes that are left free on the disk.
    pub free: u64,
}

/// Files that lie far away, and copies of those that were read lately.
#[derive(Clone, Debug)]
pub struct Near {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    far: Arc<dyn Files>,
    folder: PathBuf,
    limits: Limits,
    clock: Arc<dyn Clock>,
    /// Locked for moments; never while the disk is waited for.
    copies: Mutex<Copies>,
    fetches: Fetches,
    /// Whether it was said that the folder fails.
    has_warned: AtomicBool,
}

impl Near {
    /// Keeps copies of what is read from `far` in this folder, which is made for nobody else's eyes. What an earlier process has left there is removed.
    ///
    /// # Errors
    /// When the folder cannot be made or emptied.
    pub fn open(far: Arc<dyn Files>, folder: PathBuf, limits: Limits, clock: Arc<dyn Clock>) -> io::Result<Self> {
        disk::make_private(&folder)?;
        let copies = Mutex::new(Copies::new(limits.bytes));
        let near = Self {
            shared: Arc::new(Shared {
                far,
                folder,
                limits,
                clock,
                copies,
                fetches: Fetches::default(),
                has_warned: AtomicBool::new(false),
            }),
        };
        near.remove_all()?;
        Ok(near)
    }

    /// Removes what nobody has read for [`LONGEST`] from now on, as long as something else holds on to it.
    pub fn remove_old_copies(&self, runtime: &Handle) {
        self.look_each(LOOK, runtime);
    }

    fn look_each(&self, time: Duration, runtime: &Handle) {
        let shared = Arc::downgrade(&self.shared);
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(time).await;
                let Some(shared) = shared.upgrade() else { return };
                let _ = tokio::task::spawn_blocking(move || shared.remove_expired()).await;
            }
        });
    }

    /// Removes all copies, those too that nobody knows of.
    ///
    /// # Errors
    /// When the folder cannot be emptied.
    pub fn remove_all(&self) -> io::Result<()> {
        let names = self.shared.copies().clear();
        self.shared.remove(names);
        for entry in fs::read_dir(&self.shared.folder)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(())
    }

    /// Bytes of all copies.
    pub fn bytes_of_copies(&self) -> u64 {
        self.shared.copies().bytes()
    }

    /// The contents of so many bytes or more that were read last, at most `most` of them, in no order that says more.
    pub fn lately(&self, bytes: u64, most: usize) -> Vec<Short> {
        let mut lately = self.shared.copies().lately(bytes, most);
        lately.sort();
        lately
    }

    /// Whether there are copies of all of these.
    pub fn has_all(&self, contents: &[Short]) -> bool {
        self.shared.copies().has_all(contents)
    }
}

impl Files for Near {
    fn create(&self) -> io::Result<Unfinished> {
        self.shared.far.create()
    }

    fn bytes(&self, key: &Hash) -> io::Result<u64> {
        self.shared.far.bytes(key)
    }

    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        if (from, len) == (0, u64::MAX) {
            return self.shared.read(key);
        }
        self.shared.window(key, from, len).map_or_else(|| self.shared.far.range(key, from, len), Ok)
    }

    fn open(&self, key: &Hash) -> io::Result<Opened> {
        match self.shared.open_copy(key) {
            Some((file, bytes)) => Ok(Opened { bytes, content: Box::new(file) }),
            None => self.shared.far.open(key),
        }
    }

    fn renew(&self, key: &Hash) -> io::Result<bool> {
        self.shared.far.renew(key)
    }

    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool> {
        let is_gone = self.shared.far.remove_old(key, grace)?;
        if is_gone {
            let name = self.shared.copies().remove(key, None);
            self.shared.remove(name);
        }
        Ok(is_gone)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>> {
        self.shared.far.old(grace)
    }

    fn room(&self) -> Room {
        self.shared.far.room()
    }

    fn put(&self, bytes: &[u8]) -> io::Result<Hash> {
        self.shared.far.put(bytes)
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<Hash>>> {
        self.shared.far.clone().put_soon(contents)
    }
}

impl Shared {
    fn copies(&self) -> MutexGuard<'_, Copies> {
        // Each change is whole before anything can panic.
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, name: u64) -> PathBuf {
        self.folder.join(name.to_string())
    }

    /// A whole content, from its copy or from afar.
    fn read(&self, key: &Hash) -> io::Result<Vec<u8>> {
        if let Some(content) = self.read_copy(key) {
            metrics::near_read(true);
            return Ok(content);
        }
        let mut is_own = false;
        let content = self.fetches.once(key, || {
            // Somebody may have fetched it just before.
            if let Some(content) = self.read_copy(key) {
                return Ok(content);
            }
            is_own = true;
            let content = self.far.read(key)?;
            self.keep(key, &content);
            Ok(content)
        })?;
        if content.len() as u64 >= self.limits.least {
            metrics::near_read(!is_own);
        }
        Ok(content)
    }

    /// A whole content of which there is a copy.
    fn read_copy(&self, key: &Hash) -> Option<Vec<u8>> {
        let copied = self.copied(key)?;
        match fs::read(self.path(copied.name)) {
            Ok(content) if Hash::of(&content) == *key => Some(content),
            read => {
                self.drop_copy(key, copied);
                // Where it is not there, somebody has removed it just now.
                if read.is_ok() {
                    warn!("a copy in {} was not what it was made of: it is fetched again", self.folder.display());
                }
                None
            }
        }
    }

    /// A part of a content of which there is a copy.
    fn window(&self, key: &Hash, from: u64, len: u64) -> Option<Vec<u8>> {
        let (mut file, bytes) = self.open_copy(key)?;
        let there = bytes.saturating_sub(from).min(len);
        let mut part = Vec::with_capacity(usize::try_from(there).ok()?);
        if there > 0 {
            file.seek(SeekFrom::Start(from)).ok()?;
            file.take(there).read_to_end(&mut part).ok()?;
        }
        (part.len() as u64 == there).then_some(part)
    }

    /// A copy that is as long as it should be.
    fn open_copy(&self, key: &Hash) -> Option<(File, u64)> {
        let copied = self.copied(key)?;
        let file = File::open(self.path(copied.name)).ok();
        let file = file.filter(|file| file.metadata().is_ok_and(|about| about.len() == copied.bytes));
        if file.is_none() {
            self.drop_copy(key, copied);
        }
        Some((file?, copied.bytes))
    }

    /// The copy of a content that is about to be read, if there is one whose time is not over.
    fn copied(&self, key: &Hash) -> Option<Copied> {
        self.remove_expired();
        self.copies().read(key, self.clock.elapsed())
    }

    /// Removes a copy that cannot be used.
    fn drop_copy(&self, key: &Hash, copied: Copied) {
        let name = self.copies().remove(key, Some(copied));
        self.remove(name);
    }

    /// Makes a copy. Where that fails there is none.
    fn keep(&self, key: &Hash, content: &[u8]) {
        let bytes = content.len() as u64;
        if bytes < self.limits.least || bytes > self.limits.bytes / LARGEST {
            return;
        }
        if Hash::of(content) != *key {
            return warn!("a content is not what its name says");
        }
        if disk::free_bytes(&self.folder).is_some_and(|free| free < bytes.saturating_add(self.limits.free)) {
            return self.warn_once("there is no room on its disk");
        }
        // Outside of the lock.
        let reserved = self.copies().reserve(bytes);
        let Some((name, driven_out)) = reserved else { return };
        self.remove(driven_out);
        match File::create_new(self.path(name)).and_then(|mut file| file.write_all(content)) {
            Ok(()) => {
                let other = self.copies().insert(key, Copied { name, bytes }, self.clock.elapsed());
                self.remove(other);
            }
            Err(cause) => {
                self.remove([name]);
                self.copies().release(bytes);
                self.warn_once(&cause.to_string());
            }
        }
    }

    /// Removes copies that nobody has read for too long.
    fn remove_expired(&self) {
        let before = self.clock.elapsed().checked_sub(LONGEST);
        let expired = before.map(|before| self.copies().expired(before)).unwrap_or_default();
        self.remove(expired);
    }

    /// Removes the files of copies that are known no more. Whoever reads one of them reads on.
    fn remove(&self, names: impl IntoIterator<Item = u64>) {
        for name in names {
            // What cannot be removed now is when the process ends or the next one begins.
            let _ = fs::remove_file(self.path(name));
        }
    }

    fn warn_once(&self, cause: &str) {
        if !self.has_warned.swap(true, Relaxed) {
            warn!("not all that is read from afar is kept in {}, from where it is read quicker: {cause}", self.folder.display());
        }
    }
}
