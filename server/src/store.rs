//! Store: what outlives the process. Rows in SQLite, contents in files; created on the first start.
//!
//! - [`sqlite`]: the database's thread and its tables
//! - [`blobs`]: files named by the hash of their content
//!
//! A file is kept while a row of `uses` names it. Texts, jobs and links each have an owner's id there.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use self::blobs::{Blobs, Hash};
use self::sqlite::{Answer, Db};
use crate::id::Id;
use crate::time::now;

pub mod blobs;
pub mod sqlite;

/// A file that no row names is removed after this time: whoever stored it has had so long to write the row.
const GRACE: Duration = Duration::from_secs(600);

/// How long it is remembered that a job was here, in seconds. Links are remembered for good.
const REMEMBER_JOBS: i64 = 30 * 86_400;

/// The database and the files.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
    /// The files.
    pub blobs: Blobs,
    /// Locked as long as the process lives: two servers in one folder would take each other's jobs for interrupted.
    _lock: Arc<File>,
}

/// What is stored under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// This.
    Here(T),
    /// Something that was deleted or whose time is over.
    Gone,
    /// Nothing, ever.
    Never,
}

/// An upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its content.
    pub hash: Hash,
    /// Its size.
    pub bytes: u64,
}

/// A link's row.
#[derive(Clone, Debug)]
pub struct Link {
    /// The record, as JSON.
    pub body: String,
    /// Hash of the token that deletes it.
    pub token: Hash,
    /// When it was made, in seconds since 1970.
    pub created_at: u64,
    /// When its time is over; `None` when it stays until somebody deletes it.
    pub expires_at: Option<u64>,
}

/// A job's row as it was found at the start.
#[derive(Clone, Debug)]
pub struct Unended {
    /// Its id.
    pub id: String,
    /// The job, as JSON.
    pub body: String,
}

impl Store {
    /// Opens the folder, or makes it. Its files may have `capacity` bytes together.
    ///
    /// # Errors
    /// When the folder cannot be written, or another server uses it.
    pub fn open(folder: &Path, capacity: u64) -> anyhow::Result<Self> {
        make_private(folder).with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        let lock = File::create(folder.join("lock")).with_context(|| format!("cannot write in {}", folder.display()))?;
        lock.try_lock().with_context(|| format!("another server uses {}; give this one a folder of its own", folder.display()))?;
        let blobs = Blobs::open(folder, capacity).with_context(|| format!("cannot write in {}", folder.display()))?;
        Ok(Self { db: Db::open(&folder.join("editscope.sqlite"))?, blobs, _lock: Arc::new(lock) })
    }

    /// Remembers an upload until `expires_at`.
    pub fn add_text(&self, id: Id, upload: Upload, expires_at: u64) -> Answer<()> {
        self.db.call(move |db| {
            let step = db.transaction()?;
            step.execute(
                "INSERT INTO texts (id, bytes, expires_at) VALUES (?1, ?2, ?3)",
                params![id.to_string(), upload.bytes as i64, expires_at as i64],
            )?;
            set_uses(&step, id, [upload.hash])?;
            step.commit()
        })
    }

    /// An upload, unless its time is over.
    pub fn text(&self, id: Id) -> Answer<Option<Upload>> {
        self.db.call(move |db| {
            let row = db.query_row(
                "SELECT hash, bytes FROM texts JOIN uses ON owner = id WHERE id = ?1 AND expires_at > ?2",
                params![id.to_string(), now() as i64],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)),
            );
            Ok(row.optional()?.and_then(|(hash, bytes)| Some(Upload { hash: hash.parse().ok()?, bytes: bytes as u64 })))
        })
    }

    /// Writes a job's row: `ended_until` is the end of its time once it has ended.
    pub fn put_job(&self, id: Id, body: String, files: Vec<Hash>, ended_until: Option<u64>) -> Answer<()> {
        self.db.call(move |db| {
            let step = db.transaction()?;
            step.execute(
                "INSERT INTO jobs (id, body, ended, expires_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET body = ?2, ended = ?3, expires_at = ?4",
                params![id.to_string(), body, ended_until.is_some(), ended_until.map_or(i64::MAX, |until| until as i64)],
            )?;
            set_uses(&step, id, files)?;
            step.commit()
        })
    }

    /// Removes the row of a job that was not taken in the end.
    pub fn drop_job(&self, id: Id) -> Answer<()> {
        self.db.call(move |db| {
            let step = db.transaction()?;
            step.execute("DELETE FROM jobs WHERE id = ?1", [id.to_string()])?;
            set_uses(&step, id, [])?;
            step.commit()
        })
    }

    /// A job's body.
    pub fn job(&self, id: Id) -> Answer<Found<String>> {
        self.db.call(move |db| {
            let row = db.query_row("SELECT body, expires_at FROM jobs WHERE id = ?1", [id.to_string()], |row| {
                Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?))
            });
            Ok(match row.optional()? {
                Some((Some(body), expires_at)) if expires_at > now() as i64 => Found::Here(body),
                Some(_) => Found::Gone,
                None => Found::Never,
            })
        })
    }

    /// Jobs that had not ended when the process did.
    pub fn unended_jobs(&self) -> Answer<Vec<Unended>> {
        self.db.call(|db| {
            let mut query = db.prepare("SELECT id, body FROM jobs WHERE ended = 0 AND body IS NOT NULL")?;
            let rows = query.query_map([], |row| Ok(Unended { id: row.get(0)?, body: row.get(1)? }))?;
            rows.collect()
        })
    }

    /// Stores a link.
    pub fn add_link(&self, id: Id, link: Link, files: Vec<Hash>) -> Answer<()> {
        self.db.call(move |db| {
            let step = db.transaction()?;
            step.execute(
                "INSERT INTO links (id, body, token, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id.to_string(), link.body, link.token.to_string(), link.created_at as i64, link.expires_at.map(|at| at as i64)],
            )?;
            set_uses(&step, id, files)?;
            step.commit()
        })
    }

    /// A link.
    pub fn link(&self, id: Id) -> Answer<Found<Link>> {
        self.db.call(move |db| {
            let row = db.query_row("SELECT body, token, created_at, expires_at FROM links WHERE id = ?1", [id.to_string()], |row| {
                let body: Option<String> = row.get(0)?;
                let token: String = row.get(1)?;
                let (created_at, expires_at): (i64, Option<i64>) = (row.get(2)?, row.get(3)?);
                let link = body.zip(token.parse().ok()).map(|(body, token)| Link {
                    body,
                    token,
                    created_at: created_at as u64,
                    expires_at: expires_at.map(|at| at as u64),
                });
                Ok(link.filter(|link| link.expires_at.is_none_or(|at| at > now())))
            });
            Ok(row.optional()?.map_or(Found::Never, |link| link.map_or(Found::Gone, Found::Here)))
        })
    }

    /// Forgets a link's content; that it was there stays known.
    pub fn delete_link(&self, id: Id) -> Answer<()> {
        self.db.call(move |db| {
            let step = db.transaction()?;
            step.execute("UPDATE links SET body = NULL WHERE id = ?1", [id.to_string()])?;
            set_uses(&step, id, [])?;
            step.commit()
        })
    }

    /// Whether rows and files can be written.
    ///
    /// # Errors
    /// When they cannot.
    pub fn check(&self) -> anyhow::Result<()> {
        self.blobs.create()?.write(b"ready")?;
        // An update of nothing would not write.
        let row = self.db.call(|db| {
            let written = db.transaction()?;
            written.execute("INSERT OR REPLACE INTO texts (id, bytes, expires_at) VALUES ('', 0, 0)", [])?;
            written.execute("DELETE FROM texts WHERE id = ''", [])?;
            written.commit()
        });
        row.wait()
    }

    /// Removes everything whose time is over. Returns the number of files removed.
    ///
    /// # Errors
    /// When the database or the folder fails.
    pub fn collect(&self) -> anyhow::Result<usize> {
        let used = self.db.call(|db| {
            forget(db)?;
            let mut query = db.prepare("SELECT DISTINCT hash FROM uses")?;
            let rows = query.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        });
        let used: HashSet<Hash> = used.wait()?.iter().filter_map(|hash| hash.parse().ok()).collect();
        Ok(self.blobs.sweep(&used, GRACE)?)
    }
}

/// Makes the folder, for nobody else's eyes: visitors' texts lie in it.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn set_uses(step: &Transaction<'_>, owner: Id, files: impl IntoIterator<Item = Hash>) -> rusqlite::Result<()> {
    step.execute("DELETE FROM uses WHERE owner = ?1", [owner.to_string()])?;
    for hash in files {
        step.execute("INSERT OR IGNORE INTO uses (owner, hash) VALUES (?1, ?2)", params![owner.to_string(), hash.to_string()])?;
    }
    Ok(())
}

fn forget(db: &mut Connection) -> rusqlite::Result<()> {
    let now = now() as i64;
    let step = db.transaction()?;
    step.execute("DELETE FROM texts WHERE expires_at <= ?1", [now])?;
    step.execute("UPDATE jobs SET body = NULL WHERE expires_at <= ?1", [now])?;
    step.execute("DELETE FROM jobs WHERE expires_at <= ?1", [now - REMEMBER_JOBS])?;
    step.execute("UPDATE links SET body = NULL WHERE expires_at <= ?1", [now])?;
    step.execute(
        "DELETE FROM uses WHERE owner NOT IN (SELECT id FROM texts
         UNION SELECT id FROM jobs WHERE body IS NOT NULL UNION SELECT id FROM links WHERE body IS NOT NULL)",
        [],
    )?;
    step.commit()
}
