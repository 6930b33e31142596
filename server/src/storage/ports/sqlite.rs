//! Connections to SQLite databases, shared by the ports that have an implementation with SQLite: their options, the
//! begin of a transaction, and checkpoints.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, Transaction};

use super::hash::ContentHash;
use super::{StorageError, StorageErrorKind};

/// Time for which a write waits for the lock of another program.
pub(super) const SQLITE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time for which a call waits for a free connection.
const SQLITE_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Size of the write-ahead log, in pages, at which a commit copies the log into the database, while its callers wait.
/// In idle moments, [`checkpoint`] copies the log earlier.
const LOG_PAGES: &str = "16384";

/// Returns the options of connections to the database in `file`. A commit is on disk when it returns, so that answers
/// with status 201 survive a power failure. Deleted data is overwritten.
pub(super) fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("secure_delete", "ON")
        // The changes of a statement are stored until it succeeds, for a rollback. Memory avoids writing them to a file.
        .pragma("temp_store", "MEMORY")
        .pragma("wal_autocheckpoint", LOG_PAGES)
        .busy_timeout(SQLITE_LOCK_TIMEOUT)
}

/// Returns the options of a pool of `number` connections, which stay open for the lifetime of the pool.
pub(super) fn connections(number: u32) -> SqlitePoolOptions {
    let options = SqlitePoolOptions::new().max_connections(number).acquire_timeout(SQLITE_CONNECT_TIMEOUT);
    options.idle_timeout(None).max_lifetime(None).test_before_acquire(false)
}

/// Begins a writing transaction, which acquires the write lock immediately.
pub(super) async fn begin(writer: &SqlitePool) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
    writer.begin_with("BEGIN IMMEDIATE").await
}

/// Copies the write-ahead log into the database in the background, without blocking the writer. If a reader prevents
/// the copy, a later call makes it.
pub(super) fn checkpoint(readers: &SqlitePool) {
    let readers = readers.clone();
    tokio::spawn(async move { sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&readers).await });
}

/// Converts `keys` to a JSON list of strings with their hexadecimal digits.
pub(super) fn list(keys: &[ContentHash]) -> Result<String, StorageError> {
    serde_json::to_string(keys).map_err(|cause| StorageError::new(StorageErrorKind::Broken, cause))
}
