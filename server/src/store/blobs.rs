//! Blobs: files named by the hash of their content, so that the same text is stored once.
//!
//! A file is written under another name, brought to disk and renamed, so that under its own name it is always whole.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::id::Id;

/// BLAKE3 of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash(blake3::Hash);

impl Hash {
    /// The hash of these bytes. Comparing hashes takes the same time wherever they differ.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl FromStr for Hash {
    type Err = blake3::HexError;

    fn from_str(hex: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(hex).map(Self)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A folder of blobs. Every call blocks on the disk.
#[derive(Clone, Debug)]
pub struct Blobs {
    files: PathBuf,
    unfinished: PathBuf,
    capacity: u64,
    /// Bytes of all files, those that are being written too.
    held: Arc<AtomicU64>,
    /// Held while a file gets its name and while unused ones are removed: one must not happen inside the other.
    naming: Arc<Mutex<()>>,
}

/// A blob that is being written. Dropped without [`finish`](Self::finish) it leaves nothing behind.
pub struct Unfinished {
    blobs: Blobs,
    path: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Blobs {
    /// Opens the folder for `capacity` bytes, creates it if it is not there, and removes what an earlier process did not finish.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: &Path, capacity: u64) -> io::Result<Self> {
        let (files, unfinished) = (folder.join("files"), folder.join("unfinished"));
        let blobs = Self { files, unfinished, capacity, held: Arc::default(), naming: Arc::default() };
        fs::create_dir_all(&blobs.files)?;
        fs::create_dir_all(&blobs.unfinished)?;
        for entry in fs::read_dir(&blobs.files)? {
            blobs.held.fetch_add(entry?.metadata()?.len(), Relaxed);
        }
        for entry in fs::read_dir(&blobs.unfinished)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(blobs)
    }

    /// Bytes of all files, those that are being written too.
    pub fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// Begins a blob.
    ///
    /// # Errors
    /// When no file can be made.
    pub fn create(&self) -> io::Result<Unfinished> {
        let path = self.unfinished.join(Id::random().to_string());
        let file = File::create_new(&path)?;
        Ok(Unfinished { blobs: self.clone(), path, file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    /// Stores `bytes`.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Hash> {
        let hash = Hash::of(bytes);
        if self.keep(&hash)? {
            return Ok(hash);
        }
        let mut unfinished = self.create()?;
        unfinished.write(bytes)?;
        unfinished.finish()
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// When it is not there.
    pub fn read(&self, hash: &Hash) -> io::Result<Vec<u8>> {
        fs::read(self.path(hash))
    }

    /// A blob, to be read piece by piece.
    ///
    /// # Errors
    /// When it is not there.
    pub fn open_file(&self, hash: &Hash) -> io::Result<File> {
        File::open(self.path(hash))
    }

    /// Removes the files that are not `used` and were last asked for longer than `grace` ago: whoever stored one has had so
    /// long to say that it is used. Returns how many.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn sweep(&self, used: &HashSet<Hash>, grace: Duration) -> io::Result<usize> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.files)? {
            let entry = entry?;
            let hash: Option<Hash> = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if hash.is_none_or(|hash| used.contains(&hash)) {
                continue;
            }
            let _naming = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
            let about = entry.metadata()?;
            let age = SystemTime::now().duration_since(about.modified()?).unwrap_or_default();
            if age > grace {
                fs::remove_file(entry.path())?;
                self.held.fetch_sub(about.len(), Relaxed);
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Whether the blob is there; if so, it is young again.
    fn keep(&self, hash: &Hash) -> io::Result<bool> {
        let _naming = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
        self.renew(hash)
    }

    /// As [`keep`](Self::keep), for whoever holds `naming`.
    fn renew(&self, hash: &Hash) -> io::Result<bool> {
        match File::options().append(true).open(self.path(hash)) {
            Ok(file) => file.set_modified(SystemTime::now()).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        self.files.join(hash.to_string())
    }
}

impl Unfinished {
    /// Appends bytes.
    ///
    /// # Errors
    /// `StorageFull` when all files together would have more bytes than they may, or when the disk says so.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        if self.blobs.held.fetch_add(more, Relaxed) + more > self.blobs.capacity {
            self.blobs.held.fetch_sub(more, Relaxed);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes += more;
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    /// Gives the blob its name. When this returns, it is on the disk.
    ///
    /// # Errors
    /// When the disk takes it not.
    pub fn finish(mut self) -> io::Result<Hash> {
        let hash = Hash(self.hasher.finalize());
        if self.blobs.keep(&hash)? {
            return Ok(hash);
        }
        self.file.sync_all()?;
        let _naming = self.blobs.naming.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have finished the same content meanwhile.
        if self.blobs.renew(&hash)? {
            return Ok(hash);
        }
        fs::rename(&self.path, self.blobs.path(&hash))?;
        // Its bytes count on, as those of the file.
        self.bytes = 0;
        File::open(&self.blobs.files)?.sync_all()?;
        Ok(hash)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.blobs.held.fetch_sub(self.bytes, Relaxed);
        // After `finish` has renamed the file there is nothing to remove, and that is fine.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        let first = blobs.put(b"kitten").unwrap();
        let mut second = blobs.create().unwrap();
        second.write(b"kit").unwrap();
        second.write(b"ten").unwrap();
        assert_eq!(second.finish().unwrap(), first);
        let empty = blobs.put(b"").unwrap();
        assert_eq!(fs::read_dir(&blobs.files).unwrap().count(), 2);
        assert_eq!((blobs.read(&first).unwrap(), blobs.read(&empty).unwrap()), (b"kitten".to_vec(), vec![]));
    }

    #[test]
    fn there_is_room_for_so_much() {
        let folder = tempfile::tempdir().unwrap();
        let (used, grace) = (HashSet::new(), Duration::ZERO);
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        blobs.put(&[1; 600]).unwrap();
        assert_eq!(blobs.put(&[2; 401]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        blobs.put(&[2; 400]).unwrap();
        blobs.put(&[1; 600]).expect("it is there already");
        assert_eq!(Blobs::open(folder.path(), 1000).unwrap().put(&[3]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(blobs.sweep(&used, grace).unwrap(), 2);
        blobs.put(&[4; 1000]).unwrap();
    }

    #[test]
    fn room_is_taken_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        let [mut one, mut other] = [blobs.create().unwrap(), blobs.create().unwrap()];
        one.write(&[1; 600]).unwrap();
        assert_eq!(other.write(&[2; 600]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        other.write(&[2; 400]).unwrap();
        drop(one);
        other.write(&[2; 600]).expect("who breaks off leaves its room to others");
        other.finish().unwrap();
        assert_eq!(blobs.put(&[3]).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn the_same_content_at_the_same_time_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        let writers: Vec<Unfinished> = (0..2)
            .map(|_| {
                let mut writer = blobs.create().unwrap();
                writer.write(&[1; 400]).unwrap();
                writer
            })
            .collect();
        let barrier = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for writer in writers {
                scope.spawn(|| {
                    barrier.wait();
                    writer.finish().unwrap();
                });
            }
        });
        assert_eq!(blobs.held.load(Relaxed), 400);
    }

    #[test]
    fn what_is_not_finished_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        blobs.create().unwrap().write(b"kit").unwrap();
        assert_eq!(fs::read_dir(&blobs.unfinished).unwrap().count(), 0);
        fs::write(blobs.unfinished.join("of-a-killed-process"), b"kit").unwrap();
        Blobs::open(folder.path(), 1000).unwrap();
        assert_eq!(fs::read_dir(&blobs.unfinished).unwrap().count(), 0);
    }

    #[test]
    fn what_is_used_or_young_stays() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path(), 1000).unwrap();
        let (used, unused) = (blobs.put(b"used").unwrap(), blobs.put(b"unused").unwrap());
        assert_eq!(blobs.sweep(&HashSet::from([used]), Duration::from_secs(60)).unwrap(), 0);
        assert_eq!(blobs.sweep(&HashSet::from([used]), Duration::ZERO).unwrap(), 1);
        assert!(blobs.read(&used).is_ok() && blobs.read(&unused).is_err());
    }
}
