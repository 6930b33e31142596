//! The database: one SQLite connection on a thread of its own, and the tables in it.

use std::path::Path;
use std::sync::mpsc;
use std::thread;

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

/// Tables of version 1. A row whose `body` is null stands for something that was here and is gone.
const TABLES: &str = "
    CREATE TABLE texts (id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE jobs (id TEXT PRIMARY KEY, body TEXT, ended INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE links (id TEXT PRIMARY KEY, body TEXT, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
    CREATE TABLE uses (owner TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
    PRAGMA user_version = 1;
";

type Call = Box<dyn FnOnce(&mut Connection) + Send>;

/// Handle to the database's thread. The thread ends when the last handle is dropped.
#[derive(Clone, Debug)]
pub struct Db {
    calls: mpsc::Sender<Call>,
}

impl Db {
    /// Opens the file, creates it with its tables if it is not there.
    ///
    /// # Errors
    /// When it cannot be opened, or was written by a newer version of this program.
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(file, flags).with_context(|| format!("cannot open {}", file.display()))?;
        // A commit is on the disk when it returns: what was answered with 201 outlives a power cut.
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;")?;
        match connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? {
            0 => {
                let tables = connection.transaction()?;
                tables.execute_batch(TABLES)?;
                tables.commit()?;
            }
            1 => {}
            newer => anyhow::bail!("{} was written by a newer version (tables {newer})", file.display()),
        }
        let (calls, inbox) = mpsc::channel::<Call>();
        thread::Builder::new().name("database".into()).spawn(move || inbox.into_iter().for_each(|call| call(&mut connection)))?;
        Ok(Self { calls })
    }

    /// Runs `work` on the database's thread. Await the answer, or take it with [`Answer::wait`] on a thread that may block.
    pub fn call<T: Send + 'static>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static) -> Answer<T> {
        let (send, answer) = oneshot::channel();
        // Fails only when the thread has died, and then the answer says so.
        let _ = self.calls.send(Box::new(move |connection| drop(send.send(work(connection)))));
        Answer(answer)
    }
}

/// An answer that is on its way.
pub struct Answer<T>(oneshot::Receiver<rusqlite::Result<T>>);

impl<T> Answer<T> {
    /// Awaits it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn get(self) -> anyhow::Result<T> {
        Ok(self.0.await.context("the database has stopped")??)
    }

    /// Waits for it on a thread that may block.
    ///
    /// # Errors
    /// When the database fails.
    pub fn wait(self) -> anyhow::Result<T> {
        Ok(self.0.blocking_recv().context("the database has stopped")??)
    }
}
