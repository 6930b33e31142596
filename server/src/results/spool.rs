//! Spools: what is written of a file sooner than its reader takes it, in files without a name, so that no thread waits for a reader that sleeps.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::warn;

use crate::disk::free_bytes;

/// Bytes on the disk for one file that is taken slowly, and for all of them.
const EACH: u64 = 256 << 20;
const ALL: u64 = 2 << 30;

/// How many bytes are reserved at a time.
const STEP: u64 = 16 << 20;

/// All spools of a server.
#[derive(Debug)]
pub(super) struct Spools {
    folder: PathBuf,
    /// Bytes that stay free on the disk.
    free: u64,
    reserved: AtomicU64,
}

/// What waits for one reader. Its file goes, and counts no more, once all of it is read or nobody will.
#[derive(Debug)]
pub struct Spool {
    spools: Arc<Spools>,
    kept: Option<Arc<Kept>>,
    /// Where the next piece goes.
    end: u64,
}

/// A file of pieces.
#[derive(Debug)]
struct Kept {
    spools: Arc<Spools>,
    file: Mutex<File>,
    reserved: AtomicU64,
    unread: AtomicU64,
}

/// A piece that was written and not yet read.
#[derive(Debug)]
pub struct Spooled {
    kept: Arc<Kept>,
    from: u64,
    len: usize,
}

impl Spools {
    /// In a folder whose disk keeps so many bytes free.
    pub(super) fn new(folder: PathBuf, free: u64) -> Self {
        Self { folder, free, reserved: AtomicU64::new(0) }
    }

    /// Whether [`STEP`] more bytes may be written, which count from now on.
    fn reserve(&self) -> bool {
        let more = |all: u64| all.checked_add(STEP).filter(|all| *all <= ALL);
        let has_room = || free_bytes(&self.folder).is_none_or(|free| free >= self.free.saturating_add(STEP));
        has_room() && self.reserved.fetch_update(AcqRel, Acquire, more).is_ok()
    }
}

impl Spool {
    /// Nothing waits.
    pub(super) fn new(spools: Arc<Spools>) -> Self {
        Self { spools, kept: None, end: 0 }
    }

    /// Whether something in it waits to be read.
    pub fn has_unread(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.unread.load(Acquire) > 0)
    }

    /// Writes a piece; nothing where there is no room for it, or no disk that takes it.
    pub fn keep(&mut self, piece: &[u8]) -> Option<Spooled> {
        if !self.has_unread() {
            self.end = 0;
        }
        let kept = self.write(piece).inspect_err(|cause| warn!("what a slow reader has not taken cannot be written: {cause}")).ok()??;
        let len = piece.len();
        kept.unread.fetch_add(len as u64, AcqRel);
        let from = self.end;
        self.end += len as u64;
        Some(Spooled { kept, from, len })
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<Option<Arc<Kept>>> {
        let kept = match &self.kept {
            Some(kept) => kept.clone(),
            None => self.kept.insert(Arc::new(Kept::new(self.spools.clone())?)).clone(),
        };
        if !kept.reaches(self.end + piece.len() as u64) {
            return Ok(None);
        }
        let mut file = kept.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(piece)?;
        drop(file);
        Ok(Some(kept))
    }
}

impl Kept {
    fn new(spools: Arc<Spools>) -> io::Result<Self> {
        let file = Mutex::new(tempfile::tempfile_in(&spools.folder)?);
        Ok(Self { spools, file, reserved: AtomicU64::new(0), unread: AtomicU64::new(0) })
    }

    /// Whether it may be so long. One thread asks.
    fn reaches(&self, end: u64) -> bool {
        while self.reserved.load(Acquire) < end {
            if self.reserved.load(Acquire) + STEP > EACH || !self.spools.reserve() {
                return false;
            }
            self.reserved.fetch_add(STEP, AcqRel);
        }
        true
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.spools.reserved.fetch_sub(*self.reserved.get_mut(), AcqRel);
    }
}

impl Spooled {
    /// The piece. Blocks on the disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(self) -> io::Result<Vec<u8>> {
        let mut piece = vec![0; self.len];
        let mut file = self.kept.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.from))?;
        file.read_exact(&mut piece)?;
        drop(file);
        self.kept.unread.fetch_sub(self.len as u64, AcqRel);
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spools() -> (tempfile::TempDir, Arc<Spools>) {
        let folder = tempfile::tempdir().unwrap();
        let spools = Arc::new(Spools::new(folder.path().to_owned(), 0));
        (folder, spools)
    }

    fn reserved(spools: &Spools) -> u64 {
        spools.reserved.load(Acquire)
    }

    #[test]
    fn pieces_are_read_as_they_were_written_and_their_room_is_used_again() {
        let (folder, spools) = spools();
        let mut spool = Spool::new(spools.clone());
        let [one, other] = [b"one".as_slice(), b"other"].map(|piece| spool.keep(piece).unwrap());
        assert!(spool.has_unread());
        assert_eq!([one.read().unwrap(), other.read().unwrap()], [b"one".to_vec(), b"other".to_vec()]);
        assert!(!spool.has_unread());
        let again = spool.keep(b"again").unwrap();
        assert_eq!(again.from, 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no name that would stay after a crash");
        drop(spool);
        assert_eq!(reserved(&spools), STEP, "somebody will read");
        assert_eq!(again.read().unwrap(), b"again");
        assert_eq!(reserved(&spools), 0);
    }

    #[test]
    fn one_has_its_share_and_all_have_a_bound() {
        let (_folder, spools) = spools();
        let piece = vec![7; STEP as usize];
        let mut spool = Spool::new(spools.clone());
        let kept: Vec<_> = std::iter::from_fn(|| spool.keep(&piece)).collect();
        assert_eq!(kept.len() as u64, EACH / STEP);
        assert_eq!(reserved(&spools), EACH);
        while spools.reserve() {}
        assert_eq!(reserved(&spools), ALL);
        assert!(Spool::new(spools).keep(b"x").is_none());
    }

    #[test]
    fn a_disk_that_is_nearly_full_takes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let spools = Spools::new(folder.path().to_owned(), u64::MAX - STEP);
        assert!(Spool::new(Arc::new(spools)).keep(b"x").is_none());
    }

    #[test]
    fn a_folder_that_is_gone_takes_nothing() {
        let (folder, spools) = spools();
        drop(folder);
        assert!(Spool::new(spools).keep(b"x").is_none());
    }
}
