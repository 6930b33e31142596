//! Conformance tests in memory and on an S3 server, several machines on one bucket, and a failing server.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use object_store::ObjectStoreExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::memory::InMemory;
use services::S3;
use tokio::runtime::Runtime;

use super::*;
use crate::id::Id;
use crate::storage::ports::clock::{ManualClock, SystemClock};
use crate::storage::ports::files::conformance;
use crate::storage::ports::files::disk_cache::{DiskCache, DiskCacheLimits};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A new bucket that several machines can open.
struct Test {
    runtime: Runtime,
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl Test {
    fn on(store: Arc<dyn ObjectStore>) -> Self {
        Self { runtime: runtime(), store, prefix: Path::from(Id::random().to_string()) }
    }

    fn in_memory() -> Self {
        Self::on(Arc::new(InMemory::new()))
    }

    fn on_s3() -> Option<Self> {
        static MADE: std::sync::Once = std::sync::Once::new();
        let s3 = S3::shared()?;
        MADE.call_once(|| s3.bucket("texts"));
        Some(Self::on(client(s3)))
    }

    fn open_with(&self, capacity: u64, clock: Arc<dyn Clock>, fresh: Duration) -> BucketFiles {
        self.runtime.block_on(BucketFiles::open_on(self.store.clone(), self.prefix.clone(), capacity, clock, fresh)).unwrap()
    }

    fn open(&self, clock: Arc<dyn Clock>) -> BucketFiles {
        self.open_with(1 << 30, clock, BUCKET_FRESH_AGE)
    }

    fn names(&self) -> Vec<String> {
        let all = self.store.list(Some(&self.prefix)).map_ok(|about| about.location.to_string()).try_collect();
        self.runtime.block_on(all).unwrap()
    }
}

/// Returns files on a real S3 server and their runtime, or `None` if no server is installed.
pub(in crate::storage::ports::files) fn on_s3() -> Option<(Runtime, BucketFiles)> {
    let test = Test::on_s3()?;
    let files = test.open(Arc::new(SystemClock::default()));
    Some((test.runtime, files))
}

const SECRET: &str = "correct-horse-battery";

fn client(s3: &S3) -> Arc<dyn ObjectStore> {
    let builder = AmazonS3Builder::new().with_endpoint(format!("http://127.0.0.1:{}", s3.port)).with_region("us-east-1");
    let place: BucketAddress = "s3://texts".parse().unwrap();
    place.store_by(builder.with_access_key_id("someone").with_secret_access_key(SECRET)).unwrap()
}

fn conforms(test: impl Fn() -> Test) {
    conformance::check(|capacity, clock| {
        let test = test();
        (test.open_with(capacity, clock, BUCKET_FRESH_AGE), test)
    });
}

#[test]
fn bucket_in_memory_conforms() {
    conforms(Test::in_memory);
}

#[test]
fn s3_bucket_conforms() {
    if Test::on_s3().is_some() {
        conforms(|| Test::on_s3().unwrap());
    }
}

#[test]
fn long_content_is_uploaded_in_parts_and_read_in_ranges() {
    let Some(test) = Test::on_s3() else { return };
    let files = test.open(Arc::new(SystemClock::default()));
    let content: Vec<u8> = (0..(20 << 20) + 7u32).map(|at| (at / 251) as u8).collect();
    let write = || {
        let mut file = files.create().unwrap();
        content.chunks(3 << 20).for_each(|part| file.write(part).unwrap());
        file
    };
    let key = write().finish().unwrap();
    assert_eq!(key, ContentHash::from_content(&content));
    assert_eq!(files.range(&key, 9 << 20, 5).unwrap(), content[9 << 20..(9 << 20) + 5]);
    let mut read = Vec::new();
    let mut opened = files.open(&key).unwrap();
    opened.content.read_to_end(&mut read).unwrap();
    assert!(opened.bytes == content.len() as u64 && read == content);
    assert_eq!(write().finish().unwrap(), key, "the content is stored already");
    drop(write());
    assert_eq!(files.usage().used_bytes, content.len() as u64);
    let names = test.names();
    assert_eq!(names.len(), 2, "the content and the clock: {names:?}");
}

#[test]
fn contents_put_together_are_stored_and_counted_once() {
    let test = Test::in_memory();
    let files = Arc::new(test.open_with(20_000, Arc::new(SystemClock::default()), BUCKET_FRESH_AGE));
    let contents = || vec![b"kitten".to_vec(), b"sitting".to_vec(), b"kitten".to_vec(), Vec::new()];
    let put = |contents| test.runtime.block_on(files.clone().put_soon(contents));
    assert_eq!(put(contents()).unwrap(), contents().iter().map(|content| ContentHash::from_content(content)).collect::<Vec<_>>());
    assert_eq!(put(vec![vec![7; 15_000], vec![8; 5_000]]).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(files.usage().used_bytes, 13, "refused contents take no space");
}

#[test]
fn renewal_and_writes_of_another_machine_are_respected() {
    let both = [Some(Test::in_memory()), Test::on_s3()];
    for test in both.into_iter().flatten() {
        let clock = Arc::new(ManualClock::default());
        let [one, other] = [(); 2].map(|()| test.open(clock.clone()));
        let key = one.put(b"kitten").unwrap();
        assert_eq!((other.read(&key).unwrap(), other.usage().used_bytes), (b"kitten".to_vec(), 0));
        clock.advance(Duration::from_secs(600));
        // The other machine's clock stands still, so the server's time stays that of the query.
        let late = test.open(Arc::new(ManualClock::default()));
        assert!(late.renew(&key).unwrap() && !late.remove_old(&key, BUCKET_FRESH_AGE).unwrap());
        assert_eq!(other.old(BUCKET_FRESH_AGE).unwrap(), [key]);
        assert_eq!(other.usage().used_bytes, 6);
        assert!(other.renew(&key).unwrap());
        let names = test.names();
        assert_eq!(names.len(), 2, "the renewed copy replaces the old one: {names:?}");
        assert_eq!(one.read(&key).unwrap(), b"kitten", "the content is found under its new name");
        assert!(!other.remove_old(&key, BUCKET_FRESH_AGE).unwrap(), "the content was renewed just now");
        clock.advance(Duration::from_secs(600));
        assert!(other.remove_old(&key, BUCKET_FRESH_AGE).unwrap() && !one.renew(&key).unwrap());
        assert_eq!(one.bytes(&key).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

/// Checks that no content is removed while a writer relies on it. Writers put contents and rely on them for a while;
/// others remove contents as soon as they are old.
#[test]
fn content_that_a_writer_relies_on_is_never_removed() {
    const GRACE: Duration = Duration::from_millis(120);
    let test = Test::in_memory();
    let machines: Vec<BucketFiles> = (0..4).map(|_| test.open_with(1 << 20, Arc::new(SystemClock::default()), GRACE / 4)).collect();
    let (is_over, removed) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for machine in &machines[..2] {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    if machine.remove_old(&ContentHash::from_content(b"kitten"), GRACE).unwrap() {
                        removed.fetch_add(1, Relaxed);
                    }
                }
            });
        }
        let writers: Vec<_> = machines[2..]
            .iter()
            .zip([97, 131])
            .map(|(machine, pause)| {
                scope.spawn(move || {
                    for round in 0..20 {
                        let begin = Instant::now();
                        let key = machine.put(b"kitten").unwrap();
                        while begin.elapsed() < GRACE / 2 {
                            let there = machine.renewable(&key);
                            assert!(there || begin.elapsed() >= GRACE / 2, "the content is missing after {:?}", begin.elapsed());
                        }
                        thread::sleep(Duration::from_millis(pause + round));
                    }
                })
            })
            .collect();
        for writer in writers {
            let ended = writer.join();
            if ended.is_err() {
                is_over.store(true, Relaxed);
            }
            ended.unwrap();
        }
        is_over.store(true, Relaxed);
    });
    assert!(removed.load(Relaxed) > 3, "the content was removed several times");
}

impl BucketFiles {
    /// Returns whether the content exists, without renewing it.
    fn renewable(&self, key: &ContentHash) -> bool {
        !self.shared.wait(self.shared.objects.list(key)).unwrap().is_empty()
    }
}

#[test]
fn unfinished_uploads_are_removed_after_a_day() {
    let test = Test::in_memory();
    let clock = Arc::new(ManualClock::default());
    let files = test.open(clock.clone());
    let path = test.prefix.clone().join("unfinished").join("of-a-killed-process");
    test.runtime.block_on(test.store.put(&path, b"kit".to_vec().into())).unwrap();
    files.old(BUCKET_FRESH_AGE).unwrap();
    assert_eq!(test.names().len(), 2);
    clock.advance(Duration::from_secs(90_000));
    files.shared.wait(files.shared.objects.remove_unfinished()).unwrap();
    assert_eq!(test.names().len(), 1);
}

#[test]
fn calls_fail_during_an_outage_without_revealing_secrets() {
    let Some(mut s3) = S3::start() else { return };
    s3.bucket("texts");
    let test = Test::on(client(&s3));
    let files = test.open(Arc::new(SystemClock::default()));
    let key = files.put(b"kitten").unwrap();
    s3.stop();
    for error in [files.put(b"sitting").unwrap_err(), files.read(&key).unwrap_err(), files.renew(&key).unwrap_err()] {
        assert_eq!(
            crate::storage::ports::StorageError::from(io::Error::new(error.kind(), "")).kind,
            crate::storage::ports::StorageErrorKind::Unavailable
        );
        let said = format!("{error} {error:?} {files:?}");
        assert!(!said.contains(SECRET) && !said.contains(&key.to_string()), "{said}");
    }
    assert_eq!(files.usage().used_bytes, 6, "failed writes take no space");
    s3.restart();
    s3.bucket("texts");
    let again = files.put(b"sitting").unwrap();
    assert_eq!(files.read(&again).unwrap(), b"sitting");
}

#[test]
fn disk_cache_of_a_bucket_conforms() {
    conformance::check(|capacity, clock| {
        let (test, folder) = (Test::in_memory(), tempfile::tempdir().unwrap());
        let far = Arc::new(test.open_with(capacity, clock.clone(), BUCKET_FRESH_AGE));
        let limits = DiskCacheLimits { bytes: 1 << 20, min_copy_bytes: 0, free: 0 };
        (DiskCache::open(far, folder.path().join("disk-cache"), limits, clock).unwrap(), (test, folder))
    });
}
