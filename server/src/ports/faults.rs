//! Fault injection for tests: ports that forward to another port until told to fail.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use kernels::event::Event;

use super::Error;
use super::bus::ring::Ring;
use super::bus::{Bus, Listener, Stop};
use super::files::{Files, Hash, NewFile, Opened, Room, Unfinished};
use super::rows::{Answer, ClassCodeRow, Deleted, Found, JobRow, LinkRow, Owned, Put, RequestRow, Rows, TextRow};
use crate::id::Id;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The call changes something.
    Write,
    /// The call only reads.
    Read,
}

/// A plan of failing calls. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<Option<FaultPlan>>>,
}

#[derive(Debug)]
struct FaultPlan {
    access: Access,
    /// Number of calls that still succeed.
    first: u64,
    /// Number of calls that fail after the first ones.
    failing: u64,
    kind: io::ErrorKind,
}

impl Faults {
    /// Lets calls of kind `access` fail with an error of `kind`: the first `first` succeed, the next `failing` fail,
    /// and later ones succeed.
    pub fn fail(&self, access: Access, first: u64, failing: u64, kind: io::ErrorKind) {
        *self.plan() = Some(FaultPlan { access, first, failing, kind });
    }

    /// Lets all calls succeed from now on.
    pub fn heal(&self) {
        *self.plan() = None;
    }

    /// Returns whether all planned failures have happened.
    pub fn are_over(&self) -> bool {
        self.plan().as_ref().is_none_or(|plan| plan.failing == 0)
    }

    /// Accounts for one call of kind `access`.
    ///
    /// # Errors
    /// Returns the planned error if this call is to fail.
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

    fn plan(&self) -> MutexGuard<'_, Option<FaultPlan>> {
        // A poisoned lock is usable, because each change is of a single number.
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files that fail on demand.
#[derive(Clone, Debug)]
pub struct FaultyFiles {
    files: Arc<dyn Files>,
    faults: Faults,
}

impl FaultyFiles {
    /// Wraps `files`; calls fail as planned in `faults`.
    pub fn new(files: Arc<dyn Files>, faults: Faults) -> Self {
        Self { files, faults }
    }
}

/// A file whose writes fail on demand.
struct FaultyFileWriter {
    file: Unfinished,
    faults: Faults,
}

impl Files for FaultyFiles {
    fn create(&self) -> io::Result<Unfinished> {
        self.faults.meet(Access::Write)?;
        Ok(Box::new(FaultyFileWriter { file: self.files.create()?, faults: self.faults.clone() }))
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

impl NewFile for FaultyFileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.faults.meet(Access::Write)?;
        self.file.write(bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Hash> {
        self.faults.meet(Access::Write)?;
        self.file.finish()
    }
}

/// Rows that fail on demand.
#[derive(Clone, Debug)]
pub struct FaultyRows {
    rows: Arc<dyn Rows>,
    faults: Faults,
}

impl FaultyRows {
    /// Wraps `rows`; calls fail as planned in `faults`.
    pub fn new(rows: Arc<dyn Rows>, faults: Faults) -> Self {
        Self { rows, faults }
    }

    /// Returns `answer`, or the planned error.
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

    fn reopen_job(&self, id: Id, row: JobRow) -> Answer<Put> {
        self.or(Access::Write, self.rows.reopen_job(id, row))
    }

    fn drop_job(&self, id: Id) -> Answer<()> {
        self.or(Access::Write, self.rows.drop_job(id))
    }

    fn job(&self, id: Id) -> Answer<Found<JobRow>> {
        self.or(Access::Read, self.rows.job(id))
    }

    fn jobs(&self, after: Option<Id>, most: u32) -> Answer<Vec<(Id, JobRow)>> {
        self.or(Access::Read, self.rows.jobs(after, most))
    }

    fn request(&self, name: Hash) -> Answer<Option<(RequestRow, Id)>> {
        self.or(Access::Read, self.rows.request(name))
    }

    fn trim_requests(&self, most: u32) -> Answer<()> {
        self.or(Access::Write, self.rows.trim_requests(most))
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

    fn links(&self, after: Option<Id>, most: u32) -> Answer<Vec<(Id, LinkRow)>> {
        self.or(Access::Read, self.rows.links(after, most))
    }

    fn delete_link(&self, id: Id) -> Answer<()> {
        self.or(Access::Write, self.rows.delete_link(id))
    }

    fn delete_owned(&self, kind: Owned, id: Id, owner: Hash, now: u64) -> Answer<Deleted> {
        self.or(Access::Write, self.rows.delete_owned(kind, id, owner, now))
    }

    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> Answer<Put> {
        self.or(Access::Write, self.rows.add_class_code(row, now, max_live))
    }

    fn class_code(&self, code: String) -> Answer<Option<ClassCodeRow>> {
        self.or(Access::Read, self.rows.class_code(code))
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

    fn bytes(&self) -> Answer<Option<u64>> {
        self.or(Access::Read, self.rows.bytes())
    }

    fn probe(&self) -> Answer<()> {
        self.or(Access::Write, self.rows.probe())
    }
}

/// A bus that fails on demand: published events are lost, and subscriptions return `None`.
#[derive(Clone, Debug)]
pub struct FaultyBus {
    bus: Arc<dyn Bus>,
    faults: Faults,
}

impl FaultyBus {
    /// Wraps `bus`; calls fail as planned in `faults`.
    pub fn new(bus: Arc<dyn Bus>, faults: Faults) -> Self {
        Self { bus, faults }
    }

    fn works(&self, access: Access) -> bool {
        self.faults.meet(access).is_ok()
    }
}

impl Bus for FaultyBus {
    fn open(&self, job: Id, events: Ring) {
        self.bus.open(job, events);
    }

    fn share(&self, job: Id) {
        self.bus.share(job);
    }

    fn follow(&self, job: Id, known: Ring) -> bool {
        self.bus.follow(job, known)
    }

    fn tell(&self, job: Id, number: u64, event: Event) -> bool {
        self.works(Access::Write) && self.bus.tell(job, number, event)
    }

    fn close(&self, job: Id) {
        self.bus.close(job);
    }

    fn listen(&self, job: Id, after: u64) -> Option<Listener> {
        if self.works(Access::Read) { self.bus.listen(job, after) } else { None }
    }

    fn ended(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        if self.works(Access::Read) { self.bus.ended(job) } else { None }
    }

    fn stop(&self, job: Id, why: Stop) {
        self.bus.stop(job, why);
    }

    fn stopped(&self, job: Id) -> Option<Stop> {
        self.bus.stopped(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::bus;
    use crate::ports::bus::local::LocalBus;
    use crate::ports::clock::SystemClock;
    use crate::ports::files::conformance;
    use crate::ports::files::folder::Folder;

    fn faulty(folder: &std::path::Path, capacity: u64, clock: Arc<dyn super::super::clock::Clock>) -> (FaultyFiles, Faults) {
        let faults = Faults::default();
        (FaultyFiles::new(Arc::new(Folder::open(folder, capacity, clock).unwrap()), faults.clone()), faults)
    }

    #[tokio::test]
    async fn a_bus_fails_when_it_is_told_to() {
        let faults = Faults::default();
        let bus = FaultyBus::new(Arc::new(LocalBus::default()), faults.clone());
        bus::conformance::check(&bus).await;
        let job = Id::random();
        bus.open(job, Ring::default());
        faults.fail(Access::Write, 1, 1, io::ErrorKind::BrokenPipe);
        let told = [1, 2, 3].map(|number| bus.tell(job, number, Event::Cancelled));
        assert_eq!(told, [true, false, true]);
        faults.fail(Access::Read, 0, 1, io::ErrorKind::BrokenPipe);
        assert!(bus.listen(job, 0).is_none() && bus.listen(job, 0).is_some());
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
        // The four writes are: look up the file, create it, write it, finish it.
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
