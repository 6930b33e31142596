//! Faults that tests inject: a port that does what another one does, until it is told to fail.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Error;
use super::files::{Files, Hash, NewFile, Opened, Room, Unfinished};
use super::rows::{Answer, Deleted, Found, JobRow, LinkRow, Owned, Put, Rows, TextRow};
use crate::id::Id;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It changes something.
    Write,
    /// It looks at something.
    Read,
}

/// Says which calls fail. Shared by the ports that it was given to.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<Option<Plan>>>,
}

#[derive(Debug)]
struct Plan {
    access: Access,
    /// Calls that still succeed.
    first: u64,
    /// Calls that fail after them.
    failing: u64,
    kind: io::ErrorKind,
}

impl Faults {
    /// Lets calls of this kind fail: `first` succeed, the next `failing` do not, those after them do again.
    pub fn fail(&self, access: Access, first: u64, failing: u64, kind: io::ErrorKind) {
        *self.plan() = Some(Plan { access, first, failing, kind });
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        *self.plan() = None;
    }

    /// What a call of this kind meets now.
    ///
    /// # Errors
    /// The one that was asked for, when it is this call's turn.
    pub fn meet(&self, access: Access) -> io::Result<()> {
        let mut plan = self.plan();
        let Some(plan) = plan.as_mut().filter(|plan| plan.access == access) else { return Ok(()) };
        if plan.first > 0 {
            plan.first -= 1;
            return Ok(());
        }
        if plan.failing == 0 {
            return Ok(());
        }
        plan.failing -= 1;
        Err(io::Error::new(plan.kind, "a test lets this call fail"))
    }

    fn plan(&self) -> MutexGuard<'_, Option<Plan>> {
        // Each change is of one number.
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files that fail when they are told to.
#[derive(Clone, Debug)]
pub struct FaultyFiles {
    files: Arc<dyn Files>,
    faults: Faults,
}

impl FaultyFiles {
    /// `files`, which fail when `faults` say so.
    pub fn new(files: Arc<dyn Files>, faults: Faults) -> Self {
        Self { files, faults }
    }
}

/// A file whose writing may fail.
struct FaultyFile {
    file: Unfinished,
    faults: Faults,
}

impl Files for FaultyFiles {
    fn create(&self) -> io::Result<Unfinished> {
        self.faults.meet(Access::Write)?;
        Ok(Box::new(FaultyFile { file: self.files.create()?, faults: self.faults.clone() }))
    }

    fn bytes(&self, key: &Hash) -> io::Result<u64> {
        self.faults.meet(Access::Read)?;
        self.files.bytes(key)
    }

    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        self.faults.meet(Access::Read)?;
        self.files.range(key, from, len)
    }

    fn open(&self, key: &Hash) -> io::Result<Opened> {
        self.faults.meet(Access::Read)?;
        self.files.open(key)
    }

    fn renew(&self, key: &Hash) -> io::Result<bool> {
        self.faults.meet(Access::Write)?;
        self.files.renew(key)
    }

    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool> {
        self.faults.meet(Access::Write)?;
        self.files.remove_old(key, grace)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>> {
        self.faults.meet(Access::Read)?;
        self.files.old(grace)
    }

    fn room(&self) -> Room {
        self.files.room()
    }
}

impl NewFile for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.faults.meet(Access::Write)?;
        self.file.write(bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Hash> {
        self.faults.meet(Access::Write)?;
        self.file.finish()
    }
}

/// Rows that fail when they are told to.
#[derive(Clone, Debug)]
pub struct FaultyRows {
    rows: Arc<dyn Rows>,
    faults: Faults,
}

impl FaultyRows {
    /// `rows`, which fail when `faults` say so.
    pub fn new(rows: Arc<dyn Rows>, faults: Faults) -> Self {
        Self { rows, faults }
    }

    /// The answer, unless a fault comes before it.
    fn or<T: Send + 'static>(&self, access: Access, answer: Answer<T>) -> Answer<T> {
        let faults = self.faults.clone();
        Box::pin(async move {
            faults.meet(access).map_err(Error::from)?;
            answer.await
        })
    }
}

impl Rows for FaultyRows {
    fn add_text(&self, id: Id, row: TextRow) -> Answer<()> {
        self.or(Access::Write, self.rows.add_text(id, row))
    }

    fn text(&self, id: Id) -> Answer<Option<TextRow>> {
        self.or(Access::Read, self.rows.text(id))
    }

    fn put_job(&self, id: Id, row: JobRow) -> Answer<Put> {
        self.or(Access::Write, self.rows.put_job(id, row))
    }

    fn drop_job(&self, id: Id) -> Answer<()> {
        self.or(Access::Write, self.rows.drop_job(id))
    }

    fn job(&self, id: Id) -> Answer<Found<JobRow>> {
        self.or(Access::Read, self.rows.job(id))
    }

    fn open_jobs(&self) -> Answer<Vec<Id>> {
        self.or(Access::Read, self.rows.open_jobs())
    }

    fn add_link(&self, id: Id, row: LinkRow, files: Vec<Hash>) -> Answer<()> {
        self.or(Access::Write, self.rows.add_link(id, row, files))
    }

    fn link(&self, id: Id) -> Answer<Found<LinkRow>> {
        self.or(Access::Read, self.rows.link(id))
    }

    fn delete_link(&self, id: Id) -> Answer<()> {
        self.or(Access::Write, self.rows.delete_link(id))
    }

    fn delete_owned(&self, kind: Owned, id: Id, owner: Hash, now: u64) -> Answer<Deleted> {
        self.or(Access::Write, self.rows.delete_owned(kind, id, owner, now))
    }

    fn expire(&self, now: u64, forget: u64, most: u32) -> Answer<u64> {
        self.or(Access::Write, self.rows.expire(now, forget, most))
    }

    fn dropped(&self, after: Option<Hash>, most: u32) -> Answer<Vec<Hash>> {
        self.or(Access::Read, self.rows.dropped(after, most))
    }

    fn forget_dropped(&self, keys: Vec<Hash>) -> Answer<()> {
        self.or(Access::Write, self.rows.forget_dropped(keys))
    }

    fn unused(&self, keys: Vec<Hash>) -> Answer<Vec<Hash>> {
        self.or(Access::Read, self.rows.unused(keys))
    }

    fn probe(&self) -> Answer<()> {
        self.or(Access::Write, self.rows.probe())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::SystemClock;
    use crate::ports::files::conformance;
    use crate::ports::files::folder::Folder;

    fn faulty(folder: &std::path::Path, capacity: u64, clock: Arc<dyn super::super::clock::Clock>) -> (FaultyFiles, Faults) {
        let faults = Faults::default();
        (FaultyFiles::new(Arc::new(Folder::open(folder, capacity, clock).unwrap()), faults.clone()), faults)
    }

    #[test]
    fn nothing_fails_unasked() {
        conformance::check(|capacity, clock| {
            let folder = tempfile::tempdir().unwrap();
            (faulty(folder.path(), capacity, clock).0, folder)
        });
    }

    #[test]
    fn the_nth_write_fails_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let (files, faults) = faulty(folder.path(), 1000, Arc::new(SystemClock::default()));
        let kept = files.put(b"kept").unwrap();
        // To look for the file, to begin it, to write it, to finish it.
        for first in 0..4 {
            faults.fail(Access::Write, first, 1, io::ErrorKind::StorageFull);
            assert_eq!(files.put(b"kitten").unwrap_err().kind(), io::ErrorKind::StorageFull);
            assert_eq!(files.room().held, 4, "after {first} calls");
            assert_eq!(files.read(&kept).unwrap(), b"kept");
        }
        files.put(b"kitten").expect("only one was to fail");
        faults.fail(Access::Read, 0, u64::MAX, io::ErrorKind::PermissionDenied);
        assert_eq!(files.read(&kept).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        faults.heal();
        assert_eq!(files.read(&kept).unwrap(), b"kept");
    }
}
