//! Small files: contents of a few kilobytes, stored in a database of their own. A file needs a dozen system calls and a
//! disk flush. Rows that arrive together share one commit.
//!
//! One thread writes; readers share a pool of connections. Another thread checkpoints the log in idle moments, without
//! blocking the writer.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, params};

use super::{ContentHash, FolderReservation};

/// Maximum number of calls whose contents are written in one commit. More would delay callers, because all wait for the
/// whole commit.
const MAX_SMALL_FILE_BATCH: usize = 512;

/// Size of the page cache of the writing connection. In SQLite's notation, a negative number is in KiB.
const SMALL_FILE_PAGE_CACHE: &str = "-8192";

/// Maximum number of pooled connections for readers.
const MAX_SMALL_FILE_READERS: usize = 8;

/// Time for which a write waits for the lock of another program.
const SMALL_FILE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Delay before a commit, if the previous one had several calls. More calls may join, because a commit costs one disk
/// flush regardless of its size.
const COMMIT_DELAY: Duration = Duration::from_millis(2);

/// Idle time after which the log is checkpointed. If rows were removed, the log is emptied too.
const CHECKPOINT_IDLE_DELAY: Duration = Duration::from_secs(1);

/// Log size in pages at which a commit checkpoints the log. The callers of that commit wait for it.
const LOG_PAGES: u32 = 16_384;

/// SQL that creates the table of contents. Column `written` is in milliseconds since 1970.
const SMALL_FILE_TABLE_SQL: &str =
    "CREATE TABLE IF NOT EXISTS files (hash BLOB NOT NULL UNIQUE, content BLOB NOT NULL, written INTEGER NOT NULL)";

#[derive(Debug)]
pub(super) struct SmallFileTable {
    wanted: mpsc::Sender<SmallFileWrite>,
    readers: Mutex<Vec<Connection>>,
    remover: Mutex<Connection>,
    /// Whether rows were removed whose contents may still be in the log.
    removed: Arc<AtomicBool>,
    file: Box<Path>,
}

/// Contents to store together, with the callback of their caller.
struct SmallFileWrite {
    contents: Vec<(ContentHash, Vec<u8>)>,
    /// Capacity reserved for the contents.
    reserved: FolderReservation,
    /// Time of writing in milliseconds since 1970.
    written: i64,
    done: WriteCallback,
}

/// Callback that receives the result once contents are on disk. It is dropped if the writing thread has ended.
pub(super) type WriteCallback = Box<dyn FnOnce(io::Result<()>) + Send>;

impl SmallFileTable {
    /// Opens the database, and creates it if it is missing.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened.
    pub(super) fn open(file: &Path) -> io::Result<Self> {
        // A commit of the writer is durable when it returns. A deletion overwrites the content, but may reach the disk
        // later.
        let writer = connect(file, "FULL")?;
        writer.execute_batch(SMALL_FILE_TABLE_SQL).map_err(failed)?;
        writer.pragma_update(None, "wal_autocheckpoint", LOG_PAGES).map_err(failed)?;
        writer.pragma_update(None, "cache_size", SMALL_FILE_PAGE_CACHE).map_err(failed)?;
        let remover = connect(file, "NORMAL")?;
        let (wanted, to_write) = mpsc::channel();
        let (quiet, quiet_moments) = mpsc::channel();
        // A killed process may have left removed contents in the log.
        let removed = Arc::new(AtomicBool::new(true));
        let (log, removed_then, removed_since) = (connect(file, "NORMAL")?, removed.clone(), removed.clone());
        thread::Builder::new()
            .name("small-files-log".into())
            .spawn(move || quiet_moments.iter().for_each(|()| checkpoint_log(&log, &removed_then)))?;
        thread::Builder::new().name("small-files".into()).spawn(move || write_all(writer, &to_write, &quiet, &removed_since))?;
        Ok(Self { wanted, readers: Mutex::default(), remover: Mutex::new(remover), removed, file: file.into() })
    }

    /// Returns the number of bytes of all contents.
    ///
    /// # Errors
    /// Returns an error if they cannot be counted.
    pub(super) fn bytes_of_all(&self) -> io::Result<u64> {
        self.read(|rows| rows.query_row("SELECT coalesce(sum(length(content)), 0) FROM files", [], |row| row.get(0)))
    }

    /// Queues contents for writing and returns at once. `written` is their time in milliseconds since 1970. Calls
    /// `done` once they are on disk. Reserved bytes of contents that existed already are released.
    pub(super) fn put(&self, contents: Vec<(ContentHash, Vec<u8>)>, reserved: FolderReservation, written: i64, done: WriteCallback) {
        let _ = self.wanted.send(SmallFileWrite { contents, reserved, written, done });
    }

    /// Returns the content of a file, if it is stored here.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub(super) fn content(&self, key: &ContentHash) -> io::Result<Option<Vec<u8>>> {
        self.select_content("SELECT content FROM files WHERE hash = ?1", key, |row| row.get(0))
    }

    /// Returns the size of a file in bytes, if it is stored here.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub(super) fn size(&self, key: &ContentHash) -> io::Result<Option<u64>> {
        self.select_content("SELECT length(content) FROM files WHERE hash = ?1", key, |row| row.get(0))
    }

    /// Returns the size of a file in bytes and its time of writing in milliseconds since 1970.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub(super) fn about(&self, key: &ContentHash) -> io::Result<Option<(u64, i64)>> {
        self.select_content("SELECT length(content), written FROM files WHERE hash = ?1", key, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the files written before `time`, in milliseconds since 1970. Scans the whole table.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub(super) fn written_before(&self, time: i64) -> io::Result<Vec<ContentHash>> {
        self.read(|rows| {
            let mut select = rows.prepare_cached("SELECT hash FROM files WHERE written < ?1")?;
            let keys = select.query_map([time], |row| row.get(0))?;
            keys.map(|key| key.map(|key: [u8; 32]| ContentHash::from(blake3::Hash::from_bytes(key)))).collect()
        })
    }

    /// Removes a file, if it is stored here.
    ///
    /// # Errors
    /// Returns an error if it cannot be removed.
    pub(super) fn remove(&self, key: &ContentHash) -> io::Result<()> {
        let remover = lock(&self.remover);
        let mut delete = remover.prepare_cached("DELETE FROM files WHERE hash = ?1").map_err(failed)?;
        delete.execute(params![key.as_bytes()]).map_err(failed)?;
        self.removed.store(true, Relaxed);
        Ok(())
    }

    fn select_content<T>(&self, select: &str, key: &ContentHash, read: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> io::Result<Option<T>> {
        self.read(|rows| rows.prepare_cached(select)?.query_row(params![key.as_bytes()], &read).optional())
    }

    fn read<T>(&self, read: impl Fn(&Connection) -> rusqlite::Result<T>) -> io::Result<T> {
        let waiting = lock(&self.readers).pop();
        let reader = match waiting {
            Some(reader) => reader,
            None => connect(&self.file, "NORMAL")?,
        };
        let found = read(&reader).map_err(failed)?;
        let mut readers = lock(&self.readers);
        if readers.len() < MAX_SMALL_FILE_READERS {
            readers.push(reader);
        }
        Ok(found)
    }
}

fn connect(file: &Path, synchronous: &str) -> io::Result<Connection> {
    let connect = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(SMALL_FILE_LOCK_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        Ok(connection)
    };
    connect().map_err(failed)
}

/// Checkpoints the log, without blocking writers. If rows were removed, also empties the log, for which writers wait.
/// If a reader prevents that, it is tried again later.
fn checkpoint_log(log: &Connection, removed: &AtomicBool) {
    let brought = log.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if brought.is_ok() && removed.swap(false, Relaxed) {
        let emptied = log.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        // The database was busy, or the checkpoint failed.
        if emptied != Ok(0) {
            removed.store(true, Relaxed);
        }
    }
}

/// Writes queued contents until all senders are dropped. Sends to `quiet` when nothing was queued for
/// [`CHECKPOINT_IDLE_DELAY`].
fn write_all(mut writer: Connection, wanted: &mpsc::Receiver<SmallFileWrite>, quiet: &mpsc::Sender<()>, removed: &AtomicBool) {
    let (mut is_quiet, mut last) = (false, 0);
    loop {
        let first = match wanted.recv_timeout(CHECKPOINT_IDLE_DELAY) {
            Ok(first) => first,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                if !std::mem::replace(&mut is_quiet, true) || removed.load(Relaxed) {
                    let _ = quiet.send(());
                }
                continue;
            }
        };
        is_quiet = false;
        if last > 1 {
            thread::sleep(COMMIT_DELAY);
        }
        let all: Vec<SmallFileWrite> = std::iter::once(first).chain(wanted.try_iter().take(MAX_SMALL_FILE_BATCH)).collect();
        last = all.len();
        let stored = commit(&mut writer, &all);
        for (number, SmallFileWrite { mut reserved, done, .. }) in all.into_iter().enumerate() {
            let said = match &stored {
                Ok(new) => {
                    reserved.keep(new[number]);
                    Ok(())
                }
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            };
            // The unused reservation is released before the caller continues.
            drop(reserved);
            done(said);
        }
    }
}

/// Creates the error of calls made after the writing thread has ended.
pub(super) fn closed() -> io::Error {
    io::Error::other("nobody writes short files any more")
}

/// Writes the contents of the calls `all` in one transaction. Returns for each call the bytes of those contents that
/// were new.
fn commit(writer: &mut Connection, all: &[SmallFileWrite]) -> io::Result<Vec<u64>> {
    let mut commit = || {
        let step = writer.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut insert = step.prepare_cached("INSERT OR IGNORE INTO files (hash, content, written) VALUES (?1, ?2, ?3)")?;
        let mut put = |(key, content): &(ContentHash, Vec<u8>), written: i64| -> rusqlite::Result<u64> {
            let new = insert.execute(params![key.as_bytes(), content, written])?;
            Ok((new * content.len()) as u64)
        };
        let stored: rusqlite::Result<Vec<u64>> =
            all.iter().map(|one| one.contents.iter().map(|content| put(content, one.written)).sum()).collect();
        drop(insert);
        let stored = stored?;
        step.commit()?;
        Ok(stored)
    };
    commit().map_err(failed)
}

fn failed(error: rusqlite::Error) -> io::Error {
    use ErrorCode::{DatabaseCorrupt, DiskFull, NotADatabase, OutOfMemory};
    let kind = match error.sqlite_error_code() {
        Some(DiskFull) => io::ErrorKind::StorageFull,
        Some(DatabaseCorrupt | NotADatabase) => io::ErrorKind::InvalidData,
        Some(OutOfMemory) => io::ErrorKind::OutOfMemory,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is usable, because each change is a single push, removal or statement.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::super::{FolderFiles, MAX_SMALL_FILE_BYTES};
    use super::*;
    use crate::storage::ports::clock::ManualClock;
    use crate::storage::ports::files::FileStore as _;

    #[test]
    fn in_quiet_moments_the_log_goes_into_the_table_and_what_was_removed_is_in_neither() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::default());
        let files = FolderFiles::open_with(folder.path(), 10_000, clock.clone(), MAX_SMALL_FILE_BYTES).unwrap();
        let secret = b"what somebody has typed";
        let holds = |name: &str| fs::read(folder.path().join(name)).unwrap().windows(secret.len()).any(|part| part == secret);
        let comes = |is_so: &dyn Fn() -> bool| {
            let begin = Instant::now();
            while !is_so() {
                assert!(begin.elapsed() < 20 * CHECKPOINT_IDLE_DELAY, "it does not come");
                thread::sleep(CHECKPOINT_IDLE_DELAY / 20);
            }
        };
        let key = files.put(secret).unwrap();
        comes(&|| holds("files.sqlite"));
        clock.advance(Duration::from_secs(60));
        assert!(files.remove_old(&key, Duration::from_secs(10)).unwrap());
        comes(&|| !holds("files.sqlite") && !holds("files.sqlite-wal"));
    }
}
