//! Store: what outlives the process: [`Rows`] and the [`Files`] that they name, on ports; by default a database and a folder of this
//! machine, created on the first start, otherwise PostgreSQL and a bucket, each where the configuration says so. Where both are, short files lie in PostgreSQL too.
//!
//! - `collector`: what is removed when its time is over
//! - [`row_room`]: how much room rows have
//! - [`unreadable`]: rows that another version wrote
//! - [`secret`]: a key of this server, for what is found again and not read
//!
//! A file is kept while a row uses it. Whoever is about to write such a row makes the file young before: the collector leaves young ones.

use std::fs::File;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tracing::warn;

use self::row_room::RowRoom;
use self::secret::Secret;
use self::unreadable::Unreadable;
use crate::config::Config;
use crate::config::places::{Database, Roles, Storage};
use crate::disk::make_private;
use crate::id::Id;
use crate::ports::clock::{Clock, SystemClock};
use crate::ports::files::bucket::Bucket;
use crate::ports::files::disk_cache::{DiskCache, LEAST, Limits};
use crate::ports::files::folder::Folder;
use crate::ports::files::short::ShortFiles;
use crate::ports::files::{Files, Hash};
use crate::ports::rows::postgres::PostgresRows;
use crate::ports::rows::sqlite::SqliteRows;
use crate::ports::rows::{ClassCodeRow, Deleted, JobRow, Owned, Put, RequestRow, Rows, TextRow};
use crate::ports::{Error, Trouble};

pub use crate::ports::rows::{Found, LinkRow as Link};

mod collector;
pub mod row_room;
pub mod secret;
#[cfg(test)]
mod tests;
pub mod unreadable;

/// A file that no row names is removed after this time: whoever stored it has had so long to write the row.
pub const GRACE: Duration = Duration::from_secs(600);

/// The file of the rows in the data folder.
const ROWS: &str = "editscope.sqlite";

/// What the owner of a bucket's files is named by, under its secret.
const FILES: &[u8] = b"files";

/// What a store is made of.
#[derive(Clone, Debug)]
pub struct Ports {
    /// Uploads, jobs and links.
    pub rows: Arc<dyn Rows>,
    /// Texts, alignments and what was found.
    pub files: Arc<dyn Files>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How long a file that no row uses is left alone.
    pub grace: Duration,
    /// What hashes in rows are made with.
    pub secret: Secret,
}

/// Rows and files.
#[derive(Clone, Debug)]
pub struct Store {
    rows: Arc<dyn Rows>,
    /// The files.
    pub files: Arc<dyn Files>,
    /// Those of them that are kept on this machine, where they lie far away.
    pub disk_cache: Option<DiskCache>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// What hashes in rows are made with.
    pub secret: Secret,
    /// Rows that could not be read.
    pub unreadable: Unreadable,
    row_room: Arc<RowRoom>,
    grace: Duration,
    /// When files without rows were looked for, in time that has passed.
    swept: Arc<Mutex<Option<Duration>>>,
    runtime: Handle,
    /// Locked as long as the process lives: two servers in one folder would take each other's jobs for interrupted.
    _lock: Option<Arc<File>>,
}

/// An upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its content.
    pub hash: Hash,
    /// Its size.
    pub bytes: u64,
}

/// An answer that is on its way: await it, or take it on a thread that may block. Dropped before, it leaves nothing half written.
pub struct Answer<T> {
    answer: BoxFuture<'static, Result<T, Error>>,
    runtime: Handle,
}

impl<T> Answer<T> {
    /// Awaits it.
    ///
    /// # Errors
    /// When rows or files fail.
    pub async fn get(self) -> Result<T, Error> {
        self.answer.await
    }

    /// Waits for it.
    ///
    /// # Errors
    /// When rows or files fail.
    ///
    /// # Panics
    /// On a thread that answers requests.
    pub fn wait(self) -> Result<T, Error> {
        self.runtime.block_on(self.answer)
    }
}

impl Ports {
    /// Those that the configuration names. The data folder is made where it is not there and one of them is in it. A database of PostgreSQL is this server's alone until the rows are dropped.
    ///
    /// # Errors
    /// When one of them cannot be reached or written, was written by a newer version, or another server has the database.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let (folder, clock) = (&config.data, Arc::new(SystemClock::default()));
        if matches!(config.database, Database::Sqlite) || matches!(config.files, Storage::Folder) {
            make_private(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        }
        let (rows, secret, postgres): (Arc<dyn Rows>, _, _) = match &config.database {
            Database::Sqlite => {
                let rows = SqliteRows::open(&folder.join(ROWS)).await?;
                let secret = Secret::kept(folder).with_context(|| format!("cannot keep a secret in {}", folder.display()))?;
                (Arc::new(rows), secret, None)
            }
            Database::Postgres(address) => {
                // Processes that hear of each other's jobs share the database.
                let rows = match &config.nats {
                    None => PostgresRows::open_alone(address).await?,
                    Some(_) => PostgresRows::open_shared(address).await?,
                };
                let secret = Secret::shared(&rows).await.with_context(|| format!("cannot keep a secret in {address}"))?;
                (Arc::new(rows.clone()), secret, Some((rows, address)))
            }
        };
        let (capacity, time) = (config.max_data_bytes, clock.clone());
        let files: Arc<dyn Files> = match &config.files {
            Storage::Folder => {
                let files = Folder::open(folder, capacity, time);
                Arc::new(files.with_context(|| format!("cannot write in {}", folder.display()))?)
            }
            Storage::Bucket(place) => {
                let files = Bucket::open(place, capacity, time.clone()).await.with_context(|| format!("cannot use {place}"))?;
                let is_own = files.claim(&secret.hash(&[FILES])).await.with_context(|| format!("cannot use {place}"))?;
                anyhow::ensure!(is_own, "{place} has the files of another database; where that is gone, remove {place}/owner");
                match postgres {
                    None => Arc::new(files),
                    Some((rows, address)) => {
                        let files = ShortFiles::open(&rows, Arc::new(files), capacity, time).await;
                        Arc::new(files.with_context(|| format!("cannot count the short files in {address}"))?)
                    }
                }
            }
        };
        Ok(Self { rows, files, clock, grace: GRACE, secret })
    }
}

/// The rows that the configuration names, for whoever looks after them while a server of the same version uses them.
///
/// # Errors
/// When they are not there, or cannot be opened.
pub async fn rows_beside_a_server(config: &Config) -> anyhow::Result<Arc<dyn Rows>> {
    match &config.database {
        Database::Sqlite => {
            let file = config.data.join(ROWS);
            anyhow::ensure!(file.is_file(), "there is no {}: EDITSCOPE_DATA names the data folder of a server", file.display());
            Ok(Arc::new(SqliteRows::open(&file).await?))
        }
        Database::Postgres(address) => Ok(Arc::new(PostgresRows::open(address).await?)),
    }
}

impl Store {
    /// Opens what the configuration names, and makes the data folder where it is not there.
    ///
    /// # Errors
    /// When the folder cannot be written, another server uses it or the database, or one of both or the bucket cannot be reached.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let folder = &config.data;
        make_private(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        let lock = File::create(folder.join("lock")).with_context(|| format!("cannot write in {}", folder.display()))?;
        lock.try_lock().with_context(|| format!("another server uses {}; give this one a folder of its own", folder.display()))?;
        let mut ports = Ports::open(config).await?;
        // In the folder that is this process's alone.
        let disk_cache = disk_cache(config, &ports);
        if let Some(disk_cache) = &disk_cache {
            ports.files = Arc::new(disk_cache.clone());
        }
        let row_room = Arc::new(RowRoom::of(config.max_database_bytes));
        let store = Self { disk_cache, row_room, _lock: Some(Arc::new(lock)), ..Self::of(ports) };
        store.measure_rows().get().await?;
        Ok(store)
    }

    /// A store on these ports.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn of(ports: Ports) -> Self {
        let Ports { rows, files, clock, grace, secret } = ports;
        Self {
            rows,
            files,
            disk_cache: None,
            clock,
            secret,
            unreadable: Unreadable::default(),
            row_room: Arc::new(RowRoom::of(u64::MAX)),
            grace,
            swept: Arc::default(),
            runtime: Handle::current(),
            _lock: None,
        }
    }

    /// Whether there is room for a job, an upload or a link that somebody wants to add.
    ///
    /// # Errors
    /// `Full` when rows take as much as they may. Those of jobs that were taken are written nevertheless.
    pub fn has_room_for_rows(&self) -> Result<(), Error> {
        self.row_room.check()
    }

    /// Bytes that rows take, as of the last minute; none where the database has an operator of its own.
    pub fn row_bytes(&self) -> u64 {
        self.row_room.held()
    }

    /// Looks up how much rows take.
    fn measure_rows(&self) -> Answer<()> {
        let (bytes, room) = (self.rows.bytes(), self.row_room.clone());
        self.answer(Box::pin(async move {
            // What has an operator of its own has room.
            room.set(bytes.await?.unwrap_or(0));
            Ok(())
        }))
    }

    /// Remembers an upload until `expires_at`; whoever has the token with the hash `owner` may delete it.
    pub fn add_text(&self, id: Id, upload: Upload, expires_at: u64, owner: Option<Hash>) -> Answer<()> {
        self.answer(self.rows.add_text(id, TextRow { hash: upload.hash, bytes: upload.bytes, expires_at, owner }))
    }

    /// An upload, unless its time is over. Its file stays for as long as it takes to write a row that uses it.
    pub fn text(&self, id: Id) -> Answer<Option<Upload>> {
        let (row, store) = (self.rows.text(id), self.clone());
        self.answer(Box::pin(async move {
            let Some(row) = row.await?.filter(|row| row.expires_at > store.clock.seconds()) else { return Ok(None) };
            Ok(store.renewed(vec![row.hash]).await?.then_some(Upload { hash: row.hash, bytes: row.bytes }))
        }))
    }

    /// Deletes an upload of `owner`. Its file goes with the collector, if nothing else uses it.
    pub fn delete_upload(&self, id: Id, owner: Hash) -> Answer<Deleted> {
        self.answer(self.rows.delete_owned(Owned::Text, id, owner, self.clock.seconds()))
    }

    /// Writes a job's row.
    pub fn put_job(&self, id: Id, row: JobRow) -> Answer<Put> {
        self.row_room.add(&row.body);
        self.answer(self.rows.put_job(id, row))
    }

    /// Removes the row of a job that was not taken in the end.
    pub fn drop_job(&self, id: Id) -> Answer<()> {
        self.answer(self.rows.drop_job(id))
    }

    /// Deletes a job of `owner`, and its result unless a link uses it too. One that runs still is to be cancelled as well: what it
    /// writes from now on is refused.
    pub fn delete_job(&self, id: Id, owner: Hash) -> Answer<Deleted> {
        self.answer(self.rows.delete_owned(Owned::Job, id, owner, self.clock.seconds()))
    }

    /// A job's body.
    pub fn job(&self, id: Id) -> Answer<Found<String>> {
        let row = self.job_row(id);
        self.answer(Box::pin(async move {
            Ok(match row.get().await? {
                Found::Here(row) => Found::Here(row.body),
                Found::Gone => Found::Gone,
                Found::Never => Found::Never,
            })
        }))
    }

    /// A job's row, without its files.
    pub fn job_row(&self, id: Id) -> Answer<Found<JobRow>> {
        let (row, clock) = (self.rows.job(id), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|row| row.ended_until.is_none_or(|until| until > clock.seconds()))) }))
    }

    /// At most `most` jobs, the last one first, after this one where it is named.
    pub fn jobs(&self, after: Option<Id>, most: u32) -> Answer<Vec<(Id, JobRow)>> {
        self.answer(self.rows.jobs(after, most))
    }

    /// Has a job that has ended go on, by a later attempt.
    pub fn reopen_job(&self, id: Id, row: JobRow) -> Answer<Put> {
        self.answer(self.rows.reopen_job(id, row))
    }

    /// A request that came before, and its job, unless its time is over.
    pub fn request(&self, name: Hash) -> Answer<Option<(RequestRow, Id)>> {
        let (row, clock) = (self.rows.request(name), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|(row, _)| row.expires_at > clock.seconds())) }))
    }

    /// Jobs that had not ended when the process did.
    pub fn open_jobs(&self) -> Answer<Vec<Id>> {
        self.answer(self.rows.open_jobs())
    }

    /// Stores a link.
    ///
    /// # Errors
    /// `Missing` when one of its files was removed since it was found.
    pub fn add_link(&self, id: Id, link: Link, files: Vec<Hash>) -> Answer<()> {
        let store = self.clone();
        self.answer(Box::pin(async move {
            if !store.renewed(files.clone()).await? {
                return Err(Error::new(Trouble::Missing, "a file of the link is gone"));
            }
            store.row_room.add(&link.body);
            store.rows.add_link(id, link, files).await
        }))
    }

    /// A link.
    pub fn link(&self, id: Id) -> Answer<Found<Link>> {
        let (row, clock) = (self.rows.link(id), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|link| link.expires_at.is_none_or(|at| at > clock.seconds()))) }))
    }

    /// Gives a link a class code: refused if the code is taken or too many of its length are live.
    pub fn add_class_code(&self, row: ClassCodeRow, max_live: u64) -> Answer<Put> {
        self.answer(self.rows.add_class_code(row, self.clock.seconds(), max_live))
    }

    /// Returns the link of a class code whose time is not over.
    pub fn link_of_code(&self, code: String) -> Answer<Option<Id>> {
        let (row, clock) = (self.rows.class_code(code), self.clock.clone());
        self.answer(Box::pin(async move { Ok(row.await?.filter(|row| row.expires_at > clock.seconds()).map(|row| row.link)) }))
    }

    /// Forgets a link's content; that it was there stays known.
    pub fn delete_link(&self, id: Id) -> Answer<()> {
        self.answer(self.rows.delete_link(id))
    }

    /// Removes the copies that this process has of what lies far away: it is about to end.
    pub async fn empty_disk_cache(&self) {
        let Some(disk_cache) = self.disk_cache.clone() else { return };
        if let Err(cause) = on_disk(move || disk_cache.remove_all()).await {
            warn!("copies of texts could not be removed, and will be when the server begins again: {cause}");
        }
    }

    /// Writes a file, a short one as jobs have it, and a row, brings that to disk and reads it.
    pub fn probe(&self) -> Answer<()> {
        let (rows, files) = (self.rows.probe(), self.files.clone());
        self.answer(Box::pin(async move {
            files.probe().await?;
            rows.await
        }))
    }

    /// Whether all of these files are there; if so, they are young.
    pub(crate) async fn renewed(&self, keys: Vec<Hash>) -> Result<bool, Error> {
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

    fn answer<T>(&self, answer: BoxFuture<'static, Result<T, Error>>) -> Answer<T> {
        Answer { answer, runtime: self.runtime.clone() }
    }
}

/// Copies of the texts that this process reads, where they lie far away. None where it reads none, where nobody wants them, and where the folder fails.
fn disk_cache(config: &Config, ports: &Ports) -> Option<DiskCache> {
    let reads = |Roles { web, worker, .. }| web || worker;
    if !matches!(config.files, Storage::Bucket(_)) || !reads(config.roles) || config.disk_cache_bytes == 0 {
        return None;
    }
    let limits = Limits { bytes: config.disk_cache_bytes, least: LEAST, free: config.min_free_bytes };
    match DiskCache::open(ports.files.clone(), config.data.join("disk-cache"), limits, ports.clock.clone()) {
        Ok(disk_cache) => {
            disk_cache.remove_old_copies(&Handle::current());
            Some(disk_cache)
        }
        Err(cause) => {
            warn!("texts are read from afar each time, since none can be kept in the data folder: {cause}");
            None
        }
    }
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|panic| Error::new(Trouble::Broken, panic))?;
    Ok(done?)
}
