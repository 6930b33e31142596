//! Short contents as rows of PostgreSQL, where longer ones are in a bucket. An object of a few hundred bytes costs a list and a write over the network, each of which
//! takes as long as ten commits; rows that come at the same moment are one statement and one commit.
//!
//! - `commits`: contents that come at the same moment are written together
//! - `table`: the statements
//! - `writer`: contents that are being written
//!
//! A content of up to [`MOST_SHORT`] bytes is written into the table, a longer one into the other files. Whoever looks for one tries the table first and the
//! others then: a site that comes from an earlier version has short contents there too. Such a one that is stored again is in both; it takes room twice until it is
//! removed, from the table when no row uses it, and from the others when they are looked at for old ones.
//!
//! How old a content is, the database says ([`Table`]): it is one for all machines. What is removed is removed by one statement on the condition that it is old when the
//! row is locked, so that whoever makes it young at the same moment comes before, and it stays, or after, and is told that it is not there or writes it anew. No statement
//! locks rows in another order than by their hashes.
//!
//! Its connections are those of the rows: a process has 17 of the 100 that PostgreSQL has by default, and what is asked here takes a connection for one statement.
//!
//! Bytes are counted before they are written, as in a bucket: all at the start and whenever old ones are looked for, and what this process writes and removes since.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, try_join};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use self::commits::Commits;
use self::table::{Removed, Table};
use self::writer::Writer;
use super::held::{Held, Reserved};
use super::{Files, Hash, Opened, Room, Unfinished};
use crate::cache::Blocking;
use crate::ports::clock::Clock;
use crate::ports::rows::postgres::PostgresRows;

mod commits;
mod table;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod writer;

/// Bytes of a content that is a row, at most, as in a folder: two of them fit into a page of the database.
const MOST_SHORT: usize = 4000;

/// A content that was made young no longer ago is young enough, as in a bucket: most that come again so soon write nothing.
const FRESH: Duration = Duration::from_secs(60);

/// What tests change.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    most_short: usize,
    fresh: Duration,
}

impl Bounds {
    const USUAL: Self = Self { most_short: MOST_SHORT, fresh: FRESH };
}

/// Contents of which it is remembered that they are not in the table.
const ELSEWHERE: u64 = 1 << 16;

/// How long.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// Files whose short contents are rows.
#[derive(Clone)]
pub struct ShortFiles {
    shared: Arc<Shared>,
}

struct Shared {
    table: Table,
    commits: Commits,
    long: Arc<dyn Files>,
    held: Arc<Held>,
    most_short: usize,
    /// Contents that were found in the other files. One that has gone from there may be in the table.
    elsewhere: Blocking<Hash, ()>,
    runtime: Handle,
}

impl fmt::Debug for ShortFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortFiles").field("room", &self.shared.held.room()).field("long", &self.shared.long).finish()
    }
}

impl ShortFiles {
    /// Short contents in the database of these rows, others in `long`, all together of so many bytes. Counts what is there: a second for some million contents.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn open(rows: &PostgresRows, long: Arc<dyn Files>, capacity: u64, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Self::open_with(rows, long, capacity, clock, Bounds::USUAL).await
    }

    async fn open_with(
        rows: &PostgresRows,
        long: Arc<dyn Files>,
        capacity: u64,
        clock: Arc<dyn Clock>,
        Bounds { most_short, fresh }: Bounds,
    ) -> io::Result<Self> {
        let table = Table::open(rows.pool(), clock, fresh).await?;
        let held = Arc::new(Held::beside(long.clone(), capacity));
        held.count(0, table.bytes_of_all().await?);
        let (commits, elsewhere) = (Commits::start(table.clone()), Blocking::of_count(ELSEWHERE, REMEMBERED));
        let shared = Shared { table, commits, long, held, most_short, elsewhere, runtime: Handle::current() };
        Ok(Self { shared: Arc::new(shared) })
    }
}

impl Files for ShortFiles {
    fn create(&self) -> io::Result<Unfinished> {
        Ok(Box::new(Writer::new(self.shared.clone())))
    }

    fn bytes(&self, key: &Hash) -> io::Result<u64> {
        self.shared.find(key, |content| content.len() as u64, |long| long.bytes(key))
    }

    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let part = |content: Vec<u8>| {
            let from = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
            let len = usize::try_from(len).unwrap_or(usize::MAX).min(content.len() - from);
            content[from..from + len].to_vec()
        };
        self.shared.find(key, part, |long| long.range(key, from, len))
    }

    fn open(&self, key: &Hash) -> io::Result<Opened> {
        let opened = |content: Vec<u8>| Opened { bytes: content.len() as u64, content: Box::new(io::Cursor::new(content)) };
        self.shared.find(key, opened, |long| long.open(key))
    }

    fn renew(&self, key: &Hash) -> io::Result<bool> {
        let shared = &self.shared;
        if shared.elsewhere.contains(key) {
            if shared.long.renew(key)? {
                return Ok(true);
            }
            shared.elsewhere.forget(key);
        }
        if shared.wait(shared.table.renew(key))? {
            return Ok(true);
        }
        let is_there = shared.long.renew(key)?;
        if is_there {
            shared.is_elsewhere(key);
        }
        Ok(is_there)
    }

    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool> {
        match self.shared.wait(self.shared.table.remove_old(key, grace))? {
            Removed::Gone(bytes) => {
                self.shared.held.removed(bytes);
                Ok(true)
            }
            Removed::Stays => Ok(false),
            Removed::NotThere => {
                let is_gone = self.shared.long.remove_old(key, grace)?;
                if is_gone {
                    self.shared.elsewhere.forget(key);
                }
                Ok(is_gone)
            }
        }
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>> {
        let shared = &self.shared;
        let mut old = shared.wait(async {
            let counted = shared.held.begin_count();
            shared.held.count(counted, shared.table.bytes_of_all().await?);
            shared.table.old(grace).await
        })?;
        // One that is in both comes twice, and is removed from one after the other.
        old.extend(shared.long.old(grace)?);
        Ok(old)
    }

    fn room(&self) -> Room {
        self.shared.held.room()
    }

    fn put(&self, bytes: &[u8]) -> io::Result<Hash> {
        let (shared, is_short) = (&self.shared, bytes.len() <= self.shared.most_short);
        let reserved = match Reserved::of(&shared.held, bytes.len() as u64) {
            Ok(reserved) => reserved,
            // What is there already needs no room.
            Err(full) => {
                let key = Hash::of(bytes);
                return if self.renew(&key)? { Ok(key) } else { Err(full) };
            }
        };
        if is_short {
            let key = Hash::of(bytes);
            shared.wait(shared.commits.put(vec![(key, bytes.to_vec())], reserved))?;
            return Ok(key);
        }
        let key = shared.long.put(bytes)?;
        shared.is_elsewhere(&key);
        Ok(key)
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<Hash>>> {
        async move {
            let shared = &self.shared;
            let (mut keys, mut short, mut long, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), [0, 0]);
            for content in contents {
                let is_short = content.len() <= shared.most_short;
                bytes[usize::from(is_short)] += content.len() as u64;
                let key = is_short.then(|| Hash::of(&content));
                keys.push(key);
                match key {
                    Some(key) => short.push((key, content)),
                    None => long.push(content),
                }
            }
            // Room for all of them, or none is begun. What goes elsewhere is counted there while it is reserved here.
            let [_on_its_way, reserved] = [Reserved::of(&shared.held, bytes[0])?, Reserved::of(&shared.held, bytes[1])?];
            let put_long = async { if long.is_empty() { Ok(Vec::new()) } else { shared.long.clone().put_soon(long).await } };
            let ((), long) = try_join(shared.commits.put(short, reserved), put_long).await?;
            let mut long = long.into_iter().inspect(|key| shared.is_elsewhere(key));
            let all: Option<Vec<Hash>> = keys.into_iter().map(|key| key.or_else(|| long.next())).collect();
            all.ok_or_else(|| io::Error::other("not every content has a name"))
        }
        .boxed()
    }

    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        async move {
            let long = self.shared.long.clone();
            try_join(super::probe_short(self), long.probe()).await.map(|((), ())| ())
        }
        .boxed()
    }
}

impl Shared {
    /// Waits for the network.
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        block_in_place(|| self.runtime.block_on(answer))
    }

    /// It is remembered that the content is in the other files.
    fn is_elsewhere(&self, key: &Hash) {
        self.elsewhere.insert(key, Arc::new(()));
    }

    /// What `short` makes of a content in the table, or else `long` of the other files.
    fn find<T>(&self, key: &Hash, short: impl FnOnce(Vec<u8>) -> T, long: impl Fn(&dyn Files) -> io::Result<T>) -> io::Result<T> {
        if self.elsewhere.contains(key) {
            match long(&*self.long) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.elsewhere.forget(key),
                done => return done,
            }
        }
        if let Some(content) = self.wait(self.table.content(key))? {
            return Ok(short(content));
        }
        let found = long(&*self.long)?;
        self.is_elsewhere(key);
        Ok(found)
    }
}
