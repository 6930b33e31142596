//! Fault injection for tests: wrappers of files, rows and the event bus that forward calls until a test lets them fail
//! ([`Faults`]).

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use kernels::event::JobEvent;

use super::StorageError;
use super::bus::ring::Ring;
use super::bus::{EventBatchStream, EventBus, StopReason};
use super::files::{BoxedFileWriter, ContentHash, FileStore, FileWriter, ReadableFile, StorageUsage};
use super::rows::{
    ClassCodeRow, DbFuture, DeleteOutcome, JobRow, LinkRow, OwnedKind, PutOutcome, RequestRow, RowLookup, RowStore, TextRow,
};
use crate::id::Id;

/// The kind of a call: whether it changes stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// The call changes stored data or publishes.
    Write,
    /// The call only reads.
    Read,
}

/// The plan of a test for the calls that fail. Clones share one plan.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<Option<FaultPlan>>>,
}

#[derive(Debug)]
struct FaultPlan {
    access: AccessKind,
    /// Number of calls that still succeed before the failing calls.
    first: u64,
    /// Number of calls that still fail, after those that succeed.
    failing: u64,
    kind: io::ErrorKind,
}

impl Faults {
    /// Plans failures of calls of kind `access`: the first `first` calls succeed, the next `failing` fail with an error
    /// of `kind`, and later ones succeed.
    pub fn fail(&self, access: AccessKind, first: u64, failing: u64, kind: io::ErrorKind) {
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

    /// Counts one call of kind `access`.
    ///
    /// # Errors
    /// Returns the planned error if this call must fail.
    pub fn check_call(&self, access: AccessKind) -> io::Result<()> {
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

/// A file store that forwards to `files` and fails as planned in `faults`.
#[derive(Clone, Debug)]
pub struct FaultyFiles {
    files: Arc<dyn FileStore>,
    faults: Faults,
}

impl FaultyFiles {
    /// Wraps `files`, so that calls fail as planned in `faults`.
    pub fn new(files: Arc<dyn FileStore>, faults: Faults) -> Self {
        Self { files, faults }
    }
}

/// A file that is being written and whose writes fail as planned in `faults`.
struct FaultyFileWriter {
    file: BoxedFileWriter,
    faults: Faults,
}

impl FileStore for FaultyFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        self.faults.check_call(AccessKind::Write)?;
        Ok(Box::new(FaultyFileWriter { file: self.files.create()?, faults: self.faults.clone() }))
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.faults.check_call(AccessKind::Read)?;
        self.files.bytes(key)
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        self.faults.check_call(AccessKind::Read)?;
        self.files.range(key, from, len)
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        self.faults.check_call(AccessKind::Read)?;
        self.files.open(key)
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.faults.check_call(AccessKind::Write)?;
        self.files.renew(key)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        self.faults.check_call(AccessKind::Write)?;
        self.files.remove_old(key, grace)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.faults.check_call(AccessKind::Read)?;
        self.files.old(grace)
    }

    fn usage(&self) -> StorageUsage {
        self.files.usage()
    }
}

impl FileWriter for FaultyFileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.faults.check_call(AccessKind::Write)?;
        self.file.write(bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<ContentHash> {
        self.faults.check_call(AccessKind::Write)?;
        self.file.finish()
    }
}

/// A row store that forwards to `rows` and fails as planned in `faults`.
#[derive(Clone, Debug)]
pub struct FaultyRows {
    rows: Arc<dyn RowStore>,
    faults: Faults,
}

impl FaultyRows {
    /// Wraps `rows`, so that calls fail as planned in `faults`.
    pub fn new(rows: Arc<dyn RowStore>, faults: Faults) -> Self {
        Self { rows, faults }
    }

    /// Returns `answer`, or instead the error that is planned for a call of kind `access`.
    fn or_fault<T: Send + 'static>(&self, access: AccessKind, answer: DbFuture<T>) -> DbFuture<T> {
        let faults = self.faults.clone();
        Box::pin(async move {
            faults.check_call(access).map_err(StorageError::from)?;
            answer.await
        })
    }
}

impl RowStore for FaultyRows {
    fn add_text(&self, id: Id, row: TextRow) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.add_text(id, row))
    }

    fn text(&self, id: Id) -> DbFuture<Option<TextRow>> {
        self.or_fault(AccessKind::Read, self.rows.text(id))
    }

    fn put_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome> {
        self.or_fault(AccessKind::Write, self.rows.put_job(id, row))
    }

    fn reopen_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome> {
        self.or_fault(AccessKind::Write, self.rows.reopen_job(id, row))
    }

    fn drop_job(&self, id: Id) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.drop_job(id))
    }

    fn job(&self, id: Id) -> DbFuture<RowLookup<JobRow>> {
        self.or_fault(AccessKind::Read, self.rows.job(id))
    }

    fn jobs(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, JobRow)>> {
        self.or_fault(AccessKind::Read, self.rows.jobs(after, most))
    }

    fn request(&self, name: ContentHash) -> DbFuture<Option<(RequestRow, Id)>> {
        self.or_fault(AccessKind::Read, self.rows.request(name))
    }

    fn trim_requests(&self, most: u32) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.trim_requests(most))
    }

    fn open_jobs(&self) -> DbFuture<Vec<Id>> {
        self.or_fault(AccessKind::Read, self.rows.open_jobs())
    }

    fn add_link(&self, id: Id, row: LinkRow, files: Vec<ContentHash>) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.add_link(id, row, files))
    }

    fn link(&self, id: Id) -> DbFuture<RowLookup<LinkRow>> {
        self.or_fault(AccessKind::Read, self.rows.link(id))
    }

    fn links(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, LinkRow)>> {
        self.or_fault(AccessKind::Read, self.rows.links(after, most))
    }

    fn delete_link(&self, id: Id) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.delete_link(id))
    }

    fn delete_owned(&self, kind: OwnedKind, id: Id, owner: ContentHash, now: u64) -> DbFuture<DeleteOutcome> {
        self.or_fault(AccessKind::Write, self.rows.delete_owned(kind, id, owner, now))
    }

    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> DbFuture<PutOutcome> {
        self.or_fault(AccessKind::Write, self.rows.add_class_code(row, now, max_live))
    }

    fn class_code(&self, code: String) -> DbFuture<Option<ClassCodeRow>> {
        self.or_fault(AccessKind::Read, self.rows.class_code(code))
    }

    fn expire(&self, now: u64, forget: u64, most: u32) -> DbFuture<u64> {
        self.or_fault(AccessKind::Write, self.rows.expire(now, forget, most))
    }

    fn unreferenced_files(&self, after: Option<ContentHash>, most: u32) -> DbFuture<Vec<ContentHash>> {
        self.or_fault(AccessKind::Read, self.rows.unreferenced_files(after, most))
    }

    fn delete_unreferenced(&self, keys: Vec<ContentHash>) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.delete_unreferenced(keys))
    }

    fn unused(&self, keys: Vec<ContentHash>) -> DbFuture<Vec<ContentHash>> {
        self.or_fault(AccessKind::Read, self.rows.unused(keys))
    }

    fn bytes(&self) -> DbFuture<Option<u64>> {
        self.or_fault(AccessKind::Read, self.rows.bytes())
    }

    fn probe(&self) -> DbFuture<()> {
        self.or_fault(AccessKind::Write, self.rows.probe())
    }
}

/// An event bus that forwards to another bus and fails as planned: then published events are lost, and subscriptions
/// return `None`.
#[derive(Clone, Debug)]
pub struct FaultyBus {
    bus: Arc<dyn EventBus>,
    faults: Faults,
}

impl FaultyBus {
    /// Wraps `bus`, so that calls fail as planned in `faults`.
    pub fn new(bus: Arc<dyn EventBus>, faults: Faults) -> Self {
        Self { bus, faults }
    }

    fn works(&self, access: AccessKind) -> bool {
        self.faults.check_call(access).is_ok()
    }
}

impl EventBus for FaultyBus {
    fn register(&self, job: Id, events: Ring) {
        self.bus.register(job, events);
    }

    fn share(&self, job: Id) {
        self.bus.share(job);
    }

    fn follow(&self, job: Id, known: Ring) -> bool {
        self.bus.follow(job, known)
    }

    fn publish_event(&self, job: Id, number: u64, event: JobEvent) -> bool {
        self.works(AccessKind::Write) && self.bus.publish_event(job, number, event)
    }

    fn unregister(&self, job: Id) {
        self.bus.unregister(job);
    }

    fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream> {
        if self.works(AccessKind::Read) { self.bus.listen(job, after) } else { None }
    }

    fn wait_for_end(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        if self.works(AccessKind::Read) { self.bus.wait_for_end(job) } else { None }
    }

    fn stop(&self, job: Id, why: StopReason) {
        self.bus.stop(job, why);
    }

    fn stop_reason(&self, job: Id) -> Option<StopReason> {
        self.bus.stop_reason(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::bus;
    use crate::storage::ports::bus::local::LocalBus;
    use crate::storage::ports::clock::SystemClock;
    use crate::storage::ports::files::conformance;
    use crate::storage::ports::files::folder::FolderFiles;

    fn faulty(folder: &std::path::Path, capacity: u64, clock: Arc<dyn super::super::clock::Clock>) -> (FaultyFiles, Faults) {
        let faults = Faults::default();
        (FaultyFiles::new(Arc::new(FolderFiles::open(folder, capacity, clock).unwrap()), faults.clone()), faults)
    }

    #[tokio::test]
    async fn bus_fails_only_as_configured() {
        let faults = Faults::default();
        let bus = FaultyBus::new(Arc::new(LocalBus::default()), faults.clone());
        bus::conformance::check(&bus).await;
        let job = Id::random();
        bus.register(job, Ring::default());
        faults.fail(AccessKind::Write, 1, 1, io::ErrorKind::BrokenPipe);
        let told = [1, 2, 3].map(|number| bus.publish_event(job, number, JobEvent::Cancelled));
        assert_eq!(told, [true, false, true]);
        faults.fail(AccessKind::Read, 0, 1, io::ErrorKind::BrokenPipe);
        assert!(bus.listen(job, 0).is_none() && bus.listen(job, 0).is_some());
    }

    #[test]
    fn storage_without_configured_faults_conforms() {
        conformance::check(|capacity, clock| {
            let folder = tempfile::tempdir().unwrap();
            (faulty(folder.path(), capacity, clock).0, folder)
        });
    }

    #[test]
    fn failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let (files, faults) = faulty(folder.path(), 1000, Arc::new(SystemClock::default()));
        let kept = files.put(b"kept").unwrap();
        // The four writes are: look up the file, create it, write it, finish it.
        for first in 0..4 {
            faults.fail(AccessKind::Write, first, 1, io::ErrorKind::StorageFull);
            assert_eq!(files.put(b"kitten").unwrap_err().kind(), io::ErrorKind::StorageFull);
            assert_eq!(files.usage().used_bytes, 4, "after {first} calls");
            assert_eq!(files.read(&kept).unwrap(), b"kept");
        }
        files.put(b"kitten").expect("only one write was configured to fail");
        faults.fail(AccessKind::Read, 0, u64::MAX, io::ErrorKind::PermissionDenied);
        assert_eq!(files.read(&kept).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        faults.heal();
        assert_eq!(files.read(&kept).unwrap(), b"kept");
    }
}
