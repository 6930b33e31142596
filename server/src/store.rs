//! Store: the persistent data ([`Store`]), namely rows ([`RowStore`]) and the files ([`FileStore`]) that they name,
//! behind ports.
//!
//! By default, they are a database and a folder on this machine, created on the first start. The configuration may name
//! PostgreSQL and a bucket instead. Short files are rows of SQLite beside the folder, and of PostgreSQL beside a
//! bucket.
//!
//! - [`record`]: a stored result; [`class_codes`]: short codes of links
//! - `collector`: removal of expired rows and unused files
//! - [`row_quota`]: size limit of rows
//! - [`unreadable`]: rows written by another version
//! - `remote`: a database and a bucket on other machines
//! - [`secret`]: a key of this server, for data that is looked up but never read
//!
//! A file is stored as long as a row uses it. Before writing a row, the caller renews the file (resets its age),
//! because the collector skips recently used files.

use std::fs::File;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tracing::warn;

use self::row_quota::RowQuota;
use self::secret::SecretKey;
use self::unreadable::UnreadableRows;
use crate::config::Config;
use crate::config::locations::{FileStorage, ProcessRoles, RowDatabase};
use crate::id::Id;
use crate::ops::disk::make_private;
use crate::storage::ports::clock::{Clock, SystemClock};
use crate::storage::ports::files::disk_cache::{DiskCache, DiskCacheLimits, MIN_COPY_BYTES};
use crate::storage::ports::files::folder::FolderFiles;
use crate::storage::ports::files::short::ShortFiles;
use crate::storage::ports::files::short::sqlite::SqliteShortFileTable;
use crate::storage::ports::files::{ContentHash, FileStore};
use crate::storage::ports::rows::sqlite::SqliteRows;
use crate::storage::ports::rows::{ClassCodeRow, DeleteOutcome, JobRow, OwnedKind, PutOutcome, RequestRow, RowStore, TextRow};
use crate::storage::ports::{StorageError, StorageErrorKind};

pub use crate::storage::ports::rows::{LinkRow as Link, RowLookup};

pub mod class_codes;
mod collector;
pub mod record;
#[cfg_attr(not(feature = "cluster"), path = "store/no_remote.rs")]
mod remote;
pub mod row_quota;
pub mod secret;
#[cfg(test)]
mod tests;
pub mod unreadable;

/// Minimum age at which a file without a row is removed. Its row must be written within this time.
pub const UNUSED_FILE_GRACE: Duration = Duration::from_secs(600);

/// Name of the database file in the data folder.
const DATABASE_FILE_NAME: &str = "editscope.sqlite";

/// Name of the SQLite database with the contents of short files, in the data folder.
const SHORT_FILES_NAME: &str = "files.sqlite";

/// The services that a store uses.
#[derive(Clone, Debug)]
pub struct Ports {
    /// Database of uploads, jobs and links.
    pub rows: Arc<dyn RowStore>,
    /// Files with texts, alignments and found positions.
    pub files: Arc<dyn FileStore>,
    pub clock: Arc<dyn Clock>,
    /// Minimum age at which an unused file is removed.
    pub grace: Duration,
    /// Key with which data that identifies clients is hashed before it is stored in rows.
    pub secret: SecretKey,
}

#[derive(Clone, Debug)]
pub struct Store {
    rows: Arc<dyn RowStore>,
    pub files: Arc<dyn FileStore>,
    /// Cache of local copies of remote files, if files are remote and the cache is enabled.
    pub disk_cache: Option<DiskCache>,
    pub clock: Arc<dyn Clock>,
    /// Key with which data that identifies clients is hashed before it is stored in rows.
    pub secret: SecretKey,
    /// Memory of the rows that could not be read, so that each is logged once.
    pub unreadable: UnreadableRows,
    row_quota: Arc<RowQuota>,
    grace: Duration,
    /// Monotonic time of the last search for files without rows.
    swept: Arc<Mutex<Option<Duration>>>,
    runtime: Handle,
    /// Lock of the data folder, held as long as the process lives. Two servers in one folder would treat each other's
    /// jobs as interrupted.
    _lock: Option<Arc<File>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadContent {
    pub hash: ContentHash,
    pub bytes: u64,
}

/// A pending answer of the store. A caller awaits it with [`get`](Self::get), or blocks on it with
/// [`wait`](Self::wait). If it is dropped, its change is made either completely or not at all.
pub struct StoreFuture<T> {
    answer: BoxFuture<'static, Result<T, StorageError>>,
    runtime: Handle,
}

impl<T> StoreFuture<T> {
    /// Awaits the answer.
    ///
    /// # Errors
    /// Returns an error if rows or files fail.
    pub async fn get(self) -> Result<T, StorageError> {
        self.answer.await
    }

    /// Blocks the calling thread until the answer is ready, and returns it.
    ///
    /// # Errors
    /// Returns an error if rows or files fail.
    ///
    /// # Panics
    /// Panics on an asynchronous thread, such as those that serve requests.
    pub fn wait(self) -> Result<T, StorageError> {
        self.runtime.block_on(self.answer)
    }
}

impl Ports {
    /// Opens the services that the settings `config` name. Creates the data folder if it is used and missing. Locks a
    /// PostgreSQL database until the rows are dropped; only servers connected by NATS share it.
    ///
    /// # Errors
    /// Returns an error if a service cannot be reached or written, if a newer version wrote its data, or if another
    /// server has locked the database.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let (folder, clock) = (&config.data, Arc::new(SystemClock::default()));
        if matches!(config.database, RowDatabase::Sqlite) || matches!(config.files, FileStorage::Folder) {
            make_private(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        }
        let (rows, secret, database): (Arc<dyn RowStore>, _, _) = match &config.database {
            RowDatabase::Sqlite => {
                let rows = SqliteRows::open(&folder.join(DATABASE_FILE_NAME)).await?;
                let secret = SecretKey::read_or_create(folder).with_context(|| format!("cannot keep a secret in {}", folder.display()))?;
                (Arc::new(rows), secret, None)
            }
            RowDatabase::Postgres(address) => {
                // Processes connected by NATS share the database.
                let (rows, secret, database) = remote::open_database(address, config.nats.is_some()).await?;
                (rows, secret, Some(database))
            }
        };
        let (capacity, time) = (config.max_data_bytes, clock.clone());
        let files: Arc<dyn FileStore> = match &config.files {
            FileStorage::Folder => {
                let files = async {
                    let table = SqliteShortFileTable::open(&folder.join(SHORT_FILES_NAME), time.clone()).await?;
                    ShortFiles::open(table, Arc::new(FolderFiles::open(folder, capacity, time)?), capacity).await
                };
                Arc::new(files.await.with_context(|| format!("cannot write in {}", folder.display()))?)
            }
            FileStorage::Bucket(place) => remote::open_bucket(place, capacity, time, &secret, database).await?,
        };
        Ok(Self { rows, files, clock, grace: UNUSED_FILE_GRACE, secret })
    }
}

/// Opens the rows for an administration command, while a server of the same version uses them.
///
/// # Errors
/// Returns an error if the rows are missing or cannot be opened.
pub async fn rows_beside_a_server(config: &Config) -> anyhow::Result<Arc<dyn RowStore>> {
    match &config.database {
        RowDatabase::Sqlite => {
            let file = config.data.join(DATABASE_FILE_NAME);
            anyhow::ensure!(file.is_file(), "there is no {}: EDITSCOPE_DATA names the data folder of a server", file.display());
            Ok(Arc::new(SqliteRows::open(&file).await?))
        }
        RowDatabase::Postgres(address) => remote::open_rows(address).await,
    }
}

impl Store {
    /// Opens the store that the settings `config` name. Creates the data folder if it is missing.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, if another server uses the folder or the database, or if the
    /// database or bucket cannot be reached.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let folder = &config.data;
        make_private(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        let lock = File::create(folder.join("lock")).with_context(|| format!("cannot write in {}", folder.display()))?;
        lock.try_lock().with_context(|| format!("another server uses {}; give this one a folder of its own", folder.display()))?;
        let mut ports = Ports::open(config).await?;
        // The data folder is locked, so that no other process has copies in it.
        let disk_cache = disk_cache(config, &ports);
        if let Some(disk_cache) = &disk_cache {
            ports.files = Arc::new(disk_cache.clone());
        }
        let row_quota = Arc::new(RowQuota::new(config.max_database_bytes));
        let store = Self { disk_cache, row_quota, _lock: Some(Arc::new(lock)), ..Self::from_ports(ports) };
        store.measure_rows().get().await?;
        Ok(store)
    }

    /// Creates a store that uses the services `ports`.
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime.
    pub fn from_ports(ports: Ports) -> Self {
        let Ports { rows, files, clock, grace, secret } = ports;
        Self {
            rows,
            files,
            disk_cache: None,
            clock,
            secret,
            unreadable: UnreadableRows::default(),
            row_quota: Arc::new(RowQuota::new(u64::MAX)),
            grace,
            swept: Arc::default(),
            runtime: Handle::current(),
            _lock: None,
        }
    }

    /// Checks whether there is room for a new job, upload or link.
    ///
    /// # Errors
    /// Returns `Full` if rows have reached their size limit. Rows of accepted jobs are written nevertheless.
    pub fn check_row_quota(&self) -> Result<(), StorageError> {
        self.row_quota.check()
    }

    /// Returns the size of all rows in bytes, at most a minute old. Returns 0 if the database has its own operator, who
    /// watches its size.
    pub fn row_bytes(&self) -> u64 {
        self.row_quota.used_bytes()
    }

    /// Measures the size of all rows for [`row_bytes`](Self::row_bytes).
    fn measure_rows(&self) -> StoreFuture<()> {
        let (bytes, room) = (self.rows.bytes(), self.row_quota.clone());
        self.answer(Box::pin(async move {
            // If the database has its own operator, its size is not limited here.
            room.set(bytes.await?.unwrap_or(0));
            Ok(())
        }))
    }

    /// Stores the upload `id` until `expires_at`, in seconds since 1970. A client whose token has the hash `owner` may
    /// delete it.
    pub fn add_text(&self, id: Id, upload: UploadContent, expires_at: u64, owner: Option<ContentHash>) -> StoreFuture<()> {
        self.answer(self.rows.add_text(id, TextRow { hash: upload.hash, bytes: upload.bytes, expires_at, owner }))
    }

    /// Returns the upload `id`, or `None` if it has expired or does not exist. Resets the age of its file, so that the
    /// caller has time to write a row that uses the file.
    pub fn text(&self, id: Id) -> StoreFuture<Option<UploadContent>> {
        let (row, store) = (self.rows.text(id), self.clone());
        self.answer(Box::pin(async move {
            let Some(row) = row.await?.filter(|row| row.expires_at > store.clock.seconds()) else { return Ok(None) };
            Ok(store.renew_files(vec![row.hash]).await?.then_some(UploadContent { hash: row.hash, bytes: row.bytes }))
        }))
    }

    /// Deletes the upload `id`, if `owner` is the hash of its token. The collector removes its file if no other row
    /// uses the file.
    pub fn delete_upload(&self, id: Id, owner: ContentHash) -> StoreFuture<DeleteOutcome> {
        self.answer(self.rows.delete_owned(OwnedKind::Text, id, owner, self.clock.seconds()))
    }

    /// Writes the row of the job `id`. Refused if a later attempt has written the row, or if the job has ended or was
    /// deleted.
    pub fn put_job(&self, id: Id, row: JobRow) -> StoreFuture<PutOutcome> {
        self.row_quota.add(&row.body);
        self.answer(self.rows.put_job(id, row))
    }

    /// Removes the row of the job `id`, which was not accepted after all.
    pub fn drop_job(&self, id: Id) -> StoreFuture<()> {
        self.answer(self.rows.drop_job(id))
    }

    /// Deletes the job `id`, if `owner` is the hash of its token, and its result unless a link uses it too. The caller
    /// must also cancel a running job. From now on, writes of its row are refused.
    pub fn delete_job(&self, id: Id, owner: ContentHash) -> StoreFuture<DeleteOutcome> {
        self.answer(self.rows.delete_owned(OwnedKind::Job, id, owner, self.clock.seconds()))
    }

    /// Returns the JSON body of the row of the job `id`, unless it has expired.
    pub fn job(&self, id: Id) -> StoreFuture<RowLookup<String>> {
        let row = self.job_row(id);
        self.answer(Box::pin(async move {
            Ok(match row.get().await? {
                RowLookup::Here(row) => RowLookup::Here(row.body),
                RowLookup::Gone => RowLookup::Gone,
                RowLookup::Never => RowLookup::Never,
            })
        }))
    }

    /// Returns the row of the job `id` without its files, unless it has expired.
    pub fn job_row(&self, id: Id) -> StoreFuture<RowLookup<JobRow>> {
        let (row, clock) = (self.rows.job(id), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|row| row.ended_until.is_none_or(|until| until > clock.seconds()))) }))
    }

    /// Returns at most `most` jobs with their ids, newest first. If `after` is given, returns only jobs older than
    /// `after`.
    pub fn jobs(&self, after: Option<Id>, most: u32) -> StoreFuture<Vec<(Id, JobRow)>> {
        self.answer(self.rows.jobs(after, most))
    }

    /// Reopens the ended job `id` for a later attempt, whose number is in `row`.
    pub fn reopen_job(&self, id: Id, row: JobRow) -> StoreFuture<PutOutcome> {
        self.answer(self.rows.reopen_job(id, row))
    }

    /// Returns the earlier request with the name `name` and the id of the job to which it led, unless the request has
    /// expired.
    pub fn request(&self, name: ContentHash) -> StoreFuture<Option<(RequestRow, Id)>> {
        let (row, clock) = (self.rows.request(name), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|(row, _)| row.expires_at > clock.seconds())) }))
    }

    /// Returns the ids of the jobs that have not ended, such as those of a process that was stopped.
    pub fn open_jobs(&self) -> StoreFuture<Vec<Id>> {
        self.answer(self.rows.open_jobs())
    }

    /// Stores the link `id`, which uses `files`.
    ///
    /// # Errors
    /// Returns `Missing` if one of its files was removed meanwhile.
    pub fn add_link(&self, id: Id, link: Link, files: Vec<ContentHash>) -> StoreFuture<()> {
        let store = self.clone();
        self.answer(Box::pin(async move {
            if !store.renew_files(files.clone()).await? {
                return Err(StorageError::new(StorageErrorKind::Missing, "a file of the link is gone"));
            }
            store.row_quota.add(&link.body);
            store.rows.add_link(id, link, files).await
        }))
    }

    /// Returns the link `id`, unless it has expired.
    pub fn link(&self, id: Id) -> StoreFuture<RowLookup<Link>> {
        let (row, clock) = (self.rows.link(id), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|link| link.expires_at.is_none_or(|at| at > clock.seconds()))) }))
    }

    /// Stores a class code of a link. Refused if the code is taken, or if `max_live` codes of its length are in use.
    pub fn add_class_code(&self, row: ClassCodeRow, max_live: u64) -> StoreFuture<PutOutcome> {
        self.answer(self.rows.add_class_code(row, self.clock.seconds(), max_live))
    }

    /// Returns the id of the link with the class code `code`, unless the code has expired.
    pub fn link_of_code(&self, code: String) -> StoreFuture<Option<Id>> {
        let (row, clock) = (self.rows.class_code(code), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|row| row.expires_at > clock.seconds()).map(|row| row.link)) }))
    }

    /// Deletes the content of the link `id`. The fact that the link existed stays recorded.
    pub fn delete_link(&self, id: Id) -> StoreFuture<()> {
        self.answer(self.rows.delete_link(id))
    }

    /// Removes all local copies of remote files, because the process is about to end.
    pub async fn empty_disk_cache(&self) {
        let Some(disk_cache) = self.disk_cache.clone() else { return };
        if let Err(cause) = on_disk(move || disk_cache.remove_all()).await {
            warn!("cached texts could not be removed; the next start removes them: {cause}");
        }
    }

    /// Checks that rows and files work: writes a file, a short content and a row, and reads the row.
    pub fn probe(&self) -> StoreFuture<()> {
        let (rows, files) = (self.rows.probe(), self.files.clone());
        self.answer(Box::pin(async move {
            files.probe().await?;
            rows.await
        }))
    }

    /// Resets the ages of the files `keys`, and returns whether all of them exist.
    pub(crate) async fn renew_files(&self, keys: Vec<ContentHash>) -> Result<bool, StorageError> {
        let files = self.files.clone();
        on_disk(move || {
            for key in &keys {
                if !files.renew(key)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
        .await
    }

    fn answer<T>(&self, answer: BoxFuture<'static, Result<T, StorageError>>) -> StoreFuture<T> {
        StoreFuture { answer, runtime: self.runtime.clone() }
    }
}

/// Opens the cache of remote files on this machine. Returns `None` if files are local, if this process reads no texts,
/// if the cache is disabled, or if its folder fails.
fn disk_cache(config: &Config, ports: &Ports) -> Option<DiskCache> {
    let reads = |ProcessRoles { web, worker, .. }| web || worker;
    if !matches!(config.files, FileStorage::Bucket(_)) || !reads(config.roles) || config.disk_cache_bytes == 0 {
        return None;
    }
    let limits = DiskCacheLimits { bytes: config.disk_cache_bytes, min_copy_bytes: MIN_COPY_BYTES, free: config.min_free_bytes };
    match DiskCache::open(ports.files.clone(), config.data.join("disk-cache"), limits, ports.clock.clone()) {
        Ok(disk_cache) => {
            disk_cache.remove_old_copies(&Handle::current());
            Some(disk_cache)
        }
        Err(cause) => {
            warn!("remote texts cannot be cached in the data folder: {cause}");
            None
        }
    }
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, StorageError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|panic| StorageError::new(StorageErrorKind::Broken, panic))?;
    Ok(done?)
}
