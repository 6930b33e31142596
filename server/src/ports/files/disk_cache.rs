//! A cache on the disk: copies of contents that lie far away, in a bucket say, in a folder of this machine. A content that is read whole is kept there, and
//! read from there the next time, so that a text which ten jobs compare comes over the network once.
//!
//! - `shared`: how a content is read, and its copy made
//! - `copies`: which copies there are, and which one goes
//! - `fetches`: who fetches a content, for all that ask for it meanwhile
//! - `fetch_rate`: how fast contents come from afar
//!
//! A content never changes, so that a copy is as good as what it was made of. It is one as long as it is what its key says: a copy that is read
//! whole is hashed, and one that was torn or changed is removed and fetched again. For that it need not be brought to the disk. Of windows, which
//! are read to be quick, only the length of the copy is looked at, as everywhere.
//!
//! Nothing depends on the folder: where it is full or fails, what is far is read as if there were none.
//!
//! What a visitor deletes must not live on here for long, and whoever deletes it far away does not know who has copies. So a copy goes
//! [`LONGEST`] after it was last read, and all of them when the process ends and when it begins: which there are is known in memory alone, and
//! names on the disk say nothing.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::Handle;

use self::copies::Copies;
use self::fetch_rate::FetchRate;
use self::fetches::Fetches;
use self::shared::Shared;
use super::{Files, Hash, HashPrefix, Opened, Room, Unfinished};
use crate::disk;
use crate::ports::clock::Clock;

mod copies;
mod fetch_rate;
mod fetches;
mod shared;
#[cfg(test)]
mod tests;

/// How long a copy is kept that nobody reads.
pub const LONGEST: Duration = Duration::from_secs(600);

/// How often it is looked for such copies.
const LOOK: Duration = Duration::from_secs(30);

/// A shorter content is not worth a file: the request that asks for it takes longer than its bytes.
pub const LEAST: u64 = 64 << 10;

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
pub struct DiskCache {
    shared: Arc<Shared>,
}

impl DiskCache {
    /// Keeps copies of what is read from `far` in this folder, which is made for nobody else's eyes. What an earlier process has left there is removed.
    ///
    /// # Errors
    /// When the folder cannot be made or emptied.
    pub fn open(far: Arc<dyn Files>, folder: PathBuf, limits: Limits, clock: Arc<dyn Clock>) -> io::Result<Self> {
        disk::make_private(&folder)?;
        let copies = Mutex::new(Copies::new(limits.bytes));
        let cache = Self {
            shared: Arc::new(Shared {
                far,
                folder,
                limits,
                clock,
                copies,
                fetches: Fetches::default(),
                fetch_rate: FetchRate::default(),
                has_warned: AtomicBool::new(false),
            }),
        };
        cache.remove_all()?;
        Ok(cache)
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
    pub fn lately(&self, bytes: u64, most: usize) -> Vec<HashPrefix> {
        let mut lately = self.shared.copies().lately(bytes, most);
        lately.sort();
        lately
    }

    /// How fast large contents came from afar lately. None before one has.
    pub fn bytes_per_second(&self) -> Option<f64> {
        self.shared.fetch_rate.bytes_per_second()
    }

    /// Whether there are copies of all of these.
    pub fn has_all(&self, contents: &[HashPrefix]) -> bool {
        self.shared.copies().has_all(contents)
    }
}

impl Files for DiskCache {
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

    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        self.shared.far.clone().probe()
    }
}
