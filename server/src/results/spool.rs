//! Spools: disk buffers for exports that are computed faster than their clients read ([`ExportSpool`]). With them, no
//! thread waits for a slow client. A spool is an unnamed file, which the system removes even after a crash.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::warn;

use crate::ops::disk::free_bytes;

/// Maximum size of one spool, in bytes.
const MAX_SPOOL_BYTES: u64 = 256 << 20;
/// Maximum size of all spools together, in bytes.
const MAX_TOTAL_SPOOL_BYTES: u64 = 2 << 30;

/// Number of bytes by which a spool enlarges its reservation of disk space.
const SPOOL_STEP_BYTES: u64 = 16 << 20;

/// The folder of all spools (disk buffers of exports), with the number of bytes that they have reserved.
#[derive(Debug)]
pub(super) struct SpoolFolder {
    folder: PathBuf,
    /// Number of free bytes that the spools must leave on the disk.
    free: u64,
    /// Bytes reserved by all spools together.
    reserved: AtomicU64,
}

/// The disk buffer of one export. Its file is removed, and its reserved bytes are released, when the spool and all
/// unread pieces are dropped.
#[derive(Debug)]
pub struct ExportSpool {
    spools: Arc<SpoolFolder>,
    file: Option<Arc<SpoolFile>>,
    /// Byte offset in the file at which the next piece of export data is written.
    end: u64,
}

/// The unnamed file with the buffered data of one export.
#[derive(Debug)]
struct SpoolFile {
    spools: Arc<SpoolFolder>,
    file: Mutex<File>,
    reserved: AtomicU64,
    unread: AtomicU64,
}

/// A handle of a piece of export data that was written to the spool's file and not yet read.
#[derive(Debug)]
pub struct SpooledPiece {
    file: Arc<SpoolFile>,
    from: u64,
    len: usize,
}

impl SpoolFolder {
    /// Creates a manager of spools in `folder`. They leave at least `free` bytes of its disk free.
    pub(super) fn new(folder: PathBuf, free: u64) -> Self {
        Self { folder, free, reserved: AtomicU64::new(0) }
    }

    /// Reserves [`SPOOL_STEP_BYTES`] more bytes of disk space. Returns `false` if the disk or the limit of all spools
    /// has no room for them.
    fn reserve(&self) -> bool {
        let more = |all: u64| all.checked_add(SPOOL_STEP_BYTES).filter(|all| *all <= MAX_TOTAL_SPOOL_BYTES);
        let has_room = || free_bytes(&self.folder).is_none_or(|free| free >= self.free.saturating_add(SPOOL_STEP_BYTES));
        has_room() && self.reserved.fetch_update(AcqRel, Acquire, more).is_ok()
    }
}

impl ExportSpool {
    /// Creates an empty spool. Its file is created when the first piece is written.
    pub(super) fn new(spools: Arc<SpoolFolder>) -> Self {
        Self { spools, file: None, end: 0 }
    }

    /// Returns whether the spool has data that were written but not yet read.
    pub fn has_unread(&self) -> bool {
        self.file.as_ref().is_some_and(|kept| kept.unread.load(Acquire) > 0)
    }

    /// Writes the export data `piece` to the file, and returns a handle with which it can be read. Returns `None` if
    /// there is no room or the disk fails. Overwrites old data if all of it was read.
    pub fn write_piece(&mut self, piece: &[u8]) -> Option<SpooledPiece> {
        if !self.has_unread() {
            self.end = 0;
        }
        let kept = self.write(piece).inspect_err(|cause| warn!("export data for a slow client cannot be buffered: {cause}")).ok()??;
        let len = piece.len();
        kept.unread.fetch_add(len as u64, AcqRel);
        let from = self.end;
        self.end += len as u64;
        Some(SpooledPiece { file: kept, from, len })
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<Option<Arc<SpoolFile>>> {
        let kept = match &self.file {
            Some(kept) => kept.clone(),
            None => self.file.insert(Arc::new(SpoolFile::new(self.spools.clone())?)).clone(),
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

impl SpoolFile {
    fn new(spools: Arc<SpoolFolder>) -> io::Result<Self> {
        let file = Mutex::new(tempfile::tempfile_in(&spools.folder)?);
        Ok(Self { spools, file, reserved: AtomicU64::new(0), unread: AtomicU64::new(0) })
    }

    /// Reserves disk space up to the offset `end` of the file. Returns whether that succeeded. Only one thread may call
    /// this method.
    fn reaches(&self, end: u64) -> bool {
        while self.reserved.load(Acquire) < end {
            if self.reserved.load(Acquire) + SPOOL_STEP_BYTES > MAX_SPOOL_BYTES || !self.spools.reserve() {
                return false;
            }
            self.reserved.fetch_add(SPOOL_STEP_BYTES, AcqRel);
        }
        true
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        self.spools.reserved.fetch_sub(*self.reserved.get_mut(), AcqRel);
    }
}

impl SpooledPiece {
    /// Returns the data of this piece. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn read(self) -> io::Result<Vec<u8>> {
        let mut piece = vec![0; self.len];
        let mut file = self.file.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.from))?;
        file.read_exact(&mut piece)?;
        drop(file);
        self.file.unread.fetch_sub(self.len as u64, AcqRel);
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spools() -> (tempfile::TempDir, Arc<SpoolFolder>) {
        let folder = tempfile::tempdir().unwrap();
        let spools = Arc::new(SpoolFolder::new(folder.path().to_owned(), 0));
        (folder, spools)
    }

    fn reserved(spools: &SpoolFolder) -> u64 {
        spools.reserved.load(Acquire)
    }

    #[test]
    fn spooled_pieces_are_read_as_written_and_their_space_is_reused() {
        let (folder, spools) = spools();
        let mut spool = ExportSpool::new(spools.clone());
        let [one, other] = [b"one".as_slice(), b"other"].map(|piece| spool.write_piece(piece).unwrap());
        assert!(spool.has_unread());
        assert_eq!([one.read().unwrap(), other.read().unwrap()], [b"one".to_vec(), b"other".to_vec()]);
        assert!(!spool.has_unread());
        let again = spool.write_piece(b"again").unwrap();
        assert_eq!(again.from, 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the spool has no file name, which a crash would leave behind");
        drop(spool);
        assert_eq!(reserved(&spools), SPOOL_STEP_BYTES, "space of an unread piece stays reserved");
        assert_eq!(again.read().unwrap(), b"again");
        assert_eq!(reserved(&spools), 0);
    }

    #[test]
    fn each_spool_and_all_spools_are_limited() {
        let (_folder, spools) = spools();
        let piece = vec![7; SPOOL_STEP_BYTES as usize];
        let mut spool = ExportSpool::new(spools.clone());
        let kept: Vec<_> = std::iter::from_fn(|| spool.write_piece(&piece)).collect();
        assert_eq!(kept.len() as u64, MAX_SPOOL_BYTES / SPOOL_STEP_BYTES);
        assert_eq!(reserved(&spools), MAX_SPOOL_BYTES);
        while spools.reserve() {}
        assert_eq!(reserved(&spools), MAX_TOTAL_SPOOL_BYTES);
        assert!(ExportSpool::new(spools).write_piece(b"x").is_none());
    }

    #[test]
    fn nearly_full_disk_accepts_no_spool() {
        let folder = tempfile::tempdir().unwrap();
        let spools = SpoolFolder::new(folder.path().to_owned(), u64::MAX - SPOOL_STEP_BYTES);
        assert!(ExportSpool::new(Arc::new(spools)).write_piece(b"x").is_none());
    }

    #[test]
    fn missing_folder_accepts_no_spool() {
        let (folder, spools) = spools();
        drop(folder);
        assert!(ExportSpool::new(spools).write_piece(b"x").is_none());
    }
}
