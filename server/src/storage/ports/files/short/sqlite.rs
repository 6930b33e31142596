//! Table of short contents in SQLite ([`SqliteShortFileTable`]), in a database file that only one process uses.
//!
//! The age of a content is measured by the monotonic time since the start, so that a machine's clock that is set
//! forward makes nothing old.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, UNIX_EPOCH};

use futures::FutureExt as _;
use sqlx::sqlite::{SqlitePool, SqliteSynchronous};
use sqlx::{QueryBuilder, Sqlite};

use super::SHORT_FILE_FRESH_AGE;
use super::table::{RemovalOutcome, ShortFileTable, TableFuture};
use crate::storage::ports::StorageError;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::sqlite::{begin, checkpoint, connections, list, options};

/// Size of the page cache of the writing connection, in SQLite's notation: a negative number is in KiB.
const SHORT_FILE_PAGE_CACHE: &str = "-8192";

/// Number of connections that read, renew and remove contents.
const OTHER_CONNECTIONS: u32 = 8;

/// Maximum number of contents in one SQL statement, because SQLite allows 32,766 parameters.
const MAX_STATEMENT_CONTENTS: usize = 2000;

/// Delay after a removal before the write-ahead log is emptied.
const LOG_DELAY: Duration = Duration::from_secs(1);

/// SQL that creates the table. The column `written` is the time of the last renewal in milliseconds since 1970.
const CREATE: &str = "CREATE TABLE IF NOT EXISTS files (hash BLOB NOT NULL UNIQUE, content BLOB NOT NULL, written INTEGER NOT NULL)";

/// A table of short contents in SQLite.
#[derive(Debug)]
pub struct SqliteShortFileTable {
    /// Connection that writes contents. A commit is on disk when it returns.
    writer: SqlitePool,
    /// Connections that read, renew and remove contents. Their changes may reach the disk later.
    others: SqlitePool,
    clock: Arc<dyn Clock>,
    /// Time of day at which the clock was created, in milliseconds since 1970.
    began: i64,
    /// Whether a task that empties the write-ahead log is about to run.
    is_log_due: Arc<AtomicBool>,
}

impl SqliteShortFileTable {
    /// Opens the table in the database `file`, and creates the file and the table if they are missing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub async fn open(file: &Path, clock: Arc<dyn Clock>) -> Result<Self, StorageError> {
        let options = options(file);
        let writer = connections(1).connect_with(options.clone().pragma("cache_size", SHORT_FILE_PAGE_CACHE)).await?;
        sqlx::query(CREATE).execute(&writer).await?;
        let others = connections(OTHER_CONNECTIONS).connect_lazy_with(options.synchronous(SqliteSynchronous::Normal));
        let began = millis(clock.now().duration_since(UNIX_EPOCH).unwrap_or_default()) - millis(clock.elapsed());
        let table = Self { writer, others, clock, began, is_log_due: Arc::default() };
        // A killed process may have left removed contents in the log.
        table.empty_log_soon();
        Ok(table)
    }

    /// Returns the time in milliseconds since 1970, computed from the monotonic time since the start.
    fn now(&self) -> i64 {
        self.began + millis(self.clock.elapsed())
    }

    /// Starts a task that empties the write-ahead log after [`LOG_DELAY`], because the log still has the removed
    /// contents. If the database is busy, the task tries again later.
    fn empty_log_soon(&self) {
        if self.is_log_due.swap(true, Relaxed) {
            return;
        }
        let (others, is_due) = (self.others.clone(), self.is_log_due.clone());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOG_DELAY).await;
                is_due.store(false, Relaxed);
                let busy: Result<i64, _> = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&others).await;
                // A later removal may have started another task.
                if busy.is_ok_and(|busy| busy == 0) || is_due.swap(true, Relaxed) {
                    return;
                }
            }
        });
    }
}

impl ShortFileTable for SqliteShortFileTable {
    fn put<'a>(&'a self, contents: BTreeMap<[u8; 32], &'a [u8]>) -> TableFuture<'a, HashSet<ContentHash>> {
        async move {
            let now = self.now();
            let contents: Vec<(ContentHash, &[u8])> =
                contents.into_iter().map(|(key, content)| (ContentHash::from(blake3::Hash::from_bytes(key)), content)).collect();
            let (mut new, mut step) = (HashSet::new(), begin(&self.writer).await?);
            for some in contents.chunks(MAX_STATEMENT_CONTENTS) {
                let mut insert = QueryBuilder::<Sqlite>::new("INSERT INTO files (hash, content, written) ");
                insert.push_values(some, |mut values, (key, content)| {
                    values.push_bind(*key).push_bind(content.to_vec()).push_bind(now);
                });
                insert.push(" ON CONFLICT (hash) DO NOTHING RETURNING hash");
                new.extend(insert.build_query_scalar::<ContentHash>().persistent(false).fetch_all(&mut *step).await?);
            }
            let known: Vec<ContentHash> = contents.iter().map(|(key, _)| *key).filter(|key| !new.contains(key)).collect();
            if !known.is_empty() {
                sqlx::query("UPDATE files SET written = ?1 WHERE written < ?2 AND hash IN (SELECT unhex(value) FROM json_each(?3))")
                    .bind(now)
                    .bind(now - millis(SHORT_FILE_FRESH_AGE))
                    .bind(list(&known)?)
                    .execute(&mut *step)
                    .await?;
            }
            step.commit().await?;
            Ok(new)
        }
        .boxed()
    }

    fn content<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, Option<Vec<u8>>> {
        async { Ok(sqlx::query_scalar("SELECT content FROM files WHERE hash = ?1").bind(*key).fetch_optional(&self.others).await?) }.boxed()
    }

    fn renew<'a>(&'a self, key: &'a ContentHash) -> TableFuture<'a, bool> {
        async move {
            let now = self.now();
            let written: Option<i64> =
                sqlx::query_scalar("SELECT written FROM files WHERE hash = ?1").bind(*key).fetch_optional(&self.others).await?;
            if written.is_none_or(|written| written >= now - millis(SHORT_FILE_FRESH_AGE)) {
                return Ok(written.is_some());
            }
            // The row may be removed between the two statements.
            let renewed = sqlx::query("UPDATE files SET written = ?2 WHERE hash = ?1").bind(*key).bind(now).execute(&self.others).await?;
            Ok(renewed.rows_affected() > 0)
        }
        .boxed()
    }

    fn remove_old<'a>(&'a self, key: &'a ContentHash, grace: Duration) -> TableFuture<'a, RemovalOutcome> {
        async move {
            let gone: Vec<i64> = sqlx::query_scalar("DELETE FROM files WHERE hash = ?1 AND written < ?2 RETURNING length(content)")
                .bind(*key)
                .bind(self.now() - millis(grace))
                .fetch_all(&self.others)
                .await?;
            if let [bytes] = gone[..] {
                self.empty_log_soon();
                return Ok(RemovalOutcome::Gone(bytes.unsigned_abs()));
            }
            let is_there: bool =
                sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM files WHERE hash = ?1)").bind(*key).fetch_one(&self.others).await?;
            Ok(if is_there { RemovalOutcome::Stays } else { RemovalOutcome::NotThere })
        }
        .boxed()
    }

    fn old(&self, grace: Duration) -> TableFuture<'_, Vec<ContentHash>> {
        async move {
            let before = self.now() - millis(grace);
            Ok(sqlx::query_scalar("SELECT hash FROM files WHERE written < ?1").bind(before).fetch_all(&self.others).await?)
        }
        .boxed()
    }

    fn bytes_of_all(&self) -> TableFuture<'_, u64> {
        async {
            let bytes: i64 = sqlx::query_scalar("SELECT coalesce(sum(length(content)), 0) FROM files").fetch_one(&self.others).await?;
            Ok(bytes.unsigned_abs())
        }
        .boxed()
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn on_idle(&self) {
        checkpoint(&self.others);
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;

    use tempfile::TempDir;
    use tokio::runtime::Runtime;

    use super::super::{MAX_SHORT_FILE_BYTES, ShortFiles};
    use super::*;
    use crate::storage::ports::clock::ManualClock;
    use crate::storage::ports::files::folder::FolderFiles;
    use crate::storage::ports::files::{FileStore as _, StorageUsage, conformance};

    async fn open_with(folder: &Path, capacity: u64, clock: Arc<dyn Clock>, most_short: usize) -> ShortFiles {
        let long = Arc::new(FolderFiles::open(folder, capacity, clock.clone()).unwrap());
        let table = SqliteShortFileTable::open(&folder.join("files.sqlite"), clock).await.unwrap();
        ShortFiles::open_with(table, long, capacity, most_short).await.unwrap()
    }

    async fn open(folder: &Path, clock: &Arc<ManualClock>) -> Arc<ShortFiles> {
        Arc::new(open_with(folder, 20_000, clock.clone(), MAX_SHORT_FILE_BYTES).await)
    }

    #[test]
    fn sqlite_for_short_files_and_a_folder_for_long_ones_conform() {
        for most_short in [0, 500, MAX_SHORT_FILE_BYTES] {
            conformance::check(|capacity, clock| {
                let (runtime, folder): (Runtime, TempDir) = (Runtime::new().unwrap(), tempfile::tempdir().unwrap());
                (runtime.block_on(open_with(folder.path(), capacity, clock, most_short)), (runtime, folder))
            });
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn contents_put_together_are_stored_and_counted_once() {
        let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::default());
        let files = open(folder.path(), &clock).await;
        let contents = || vec![b"kitten".to_vec(), b"sitting".to_vec(), b"kitten".to_vec(), Vec::new()];
        let many = (0..200).map(|_| files.clone().put_soon(contents()));
        for keys in futures::future::join_all(many).await {
            assert_eq!(keys.unwrap(), contents().iter().map(|content| ContentHash::from_content(content)).collect::<Vec<_>>());
        }
        let long = files.clone().put_soon(vec![vec![7; 9000], b"kitten".to_vec()]).await.unwrap();
        assert_eq!(files.usage().used_bytes, 9013);
        let full = files.clone().put_soon(vec![vec![8; 3000], vec![9; 4000], vec![10; 4000]]).await;
        assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(files.usage().used_bytes, 9013, "refused contents take no space");
        drop(files);
        let again = open(folder.path(), &clock).await;
        assert_eq!(again.usage(), StorageUsage { used_bytes: 9013, capacity: 20_000 });
        assert_eq!((again.read(&long[0]).unwrap().len(), again.read(&long[1]).unwrap()), (9000, b"kitten".to_vec()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn contents_of_several_statements_are_written_together() {
        let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::default());
        let files = open(folder.path(), &clock).await;
        let contents = (0..5000_u16).map(|number| number.to_le_bytes().to_vec()).collect();
        assert_eq!(files.clone().put_soon(contents).await.unwrap().len(), 5000);
        assert_eq!(files.usage().used_bytes, 10_000);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn contents_of_earlier_versions_are_read_renewed_and_removed() {
        const GRACE: Duration = Duration::from_secs(600);
        let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::<ManualClock>::default());
        // The earliest versions stored short contents as files, later ones in this table with times of day.
        let as_file = FolderFiles::open(folder.path(), 1000, clock.clone()).unwrap().put(b"kitten").unwrap();
        let pool = connections(1).connect_with(options(&folder.path().join("files.sqlite"))).await.unwrap();
        sqlx::query(CREATE).execute(&pool).await.unwrap();
        let rows = [&b"sitting"[..], b"mitten"].map(|content| (ContentHash::from_content(content), content.to_vec()));
        for (key, content) in rows.clone() {
            let insert = sqlx::query("INSERT INTO files (hash, content, written) VALUES (?1, ?2, ?3)");
            let written = clock.now().duration_since(UNIX_EPOCH).unwrap();
            insert.bind(key).bind(content).bind(millis(written)).execute(&pool).await.unwrap();
        }
        pool.close().await;
        clock.advance(2 * GRACE);
        let files = open(folder.path(), &clock).await;
        assert_eq!((files.read(&as_file).unwrap(), files.usage().used_bytes), (b"kitten".to_vec(), 19));
        assert_eq!(rows.clone().map(|(key, _)| files.read(&key).unwrap()), rows.clone().map(|(_, content)| content));
        assert!(files.renew(&rows[0].0).unwrap());
        let mut old = files.old(GRACE).unwrap();
        old.sort_by_key(|key| *key != rows[1].0);
        assert_eq!(old, [rows[1].0, as_file]);
        assert!(old.iter().all(|key| files.remove_old(key, GRACE).unwrap()));
        assert!(!files.remove_old(&rows[0].0, GRACE).unwrap());
        assert_eq!((files.usage().used_bytes, files.renew(&as_file).unwrap()), (7, false));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn idle_checkpoint_empties_the_log_and_erases_removed_contents() {
        let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::<ManualClock>::default());
        let files = open(folder.path(), &clock).await;
        let secret = b"what somebody has typed";
        let holds = |name: &str| fs::read(folder.path().join(name)).unwrap().windows(secret.len()).any(|part| part == secret);
        let comes = async |is_so: &dyn Fn() -> bool| {
            let wait = async {
                while !is_so() {
                    tokio::time::sleep(LOG_DELAY / 20).await;
                }
            };
            tokio::time::timeout(20 * LOG_DELAY, wait).await.expect("the condition is met in time");
        };
        let key = files.put(secret).unwrap();
        comes(&|| holds("files.sqlite")).await;
        clock.advance(Duration::from_secs(60));
        assert!(files.remove_old(&key, Duration::from_secs(10)).unwrap());
        comes(&|| !holds("files.sqlite") && !holds("files.sqlite-wal")).await;
    }
}
