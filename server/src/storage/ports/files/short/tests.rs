//! Conformance tests on a real PostgreSQL beside a folder and a bucket, several processes on one table, and a failing
//! database.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use services::{PASSWORD, Postgres};
use sqlx::postgres::PgPool;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::postgres::PostgresShortFileTable;
use super::*;
use crate::storage::ports::StorageErrorKind;
use crate::storage::ports::clock::{Clock, ManualClock, SystemClock};
use crate::storage::ports::files::bucket::BucketFiles;
use crate::storage::ports::files::conformance;
use crate::storage::ports::files::folder::FolderFiles;
use crate::storage::ports::rows::postgres::{PostgresAddress, PostgresRows};

/// Maximum size of a short content and the age up to which it is not renewed, as the program has them.
const USUAL: (usize, Duration) = (MAX_SHORT_FILE_BYTES, SHORT_FILE_FRESH_AGE);

/// A database and a folder that several processes can open.
struct Test {
    runtime: Runtime,
    address: PostgresAddress,
    pool: PgPool,
    folder: TempDir,
}

impl Test {
    fn new() -> Option<Self> {
        Some(Self::on(Postgres::shared()?))
    }

    fn on(postgres: &Postgres) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let address = postgres.database().parse().unwrap();
        let pool = runtime.block_on(async { PostgresRows::open(&address).await.unwrap().pool() });
        Self { runtime, address, pool, folder: tempfile::tempdir().unwrap() }
    }

    fn long(&self, capacity: u64, clock: Arc<dyn Clock>) -> FolderFiles {
        FolderFiles::open(self.folder.path(), capacity, clock).unwrap()
    }

    /// Opens files as another process would.
    fn open_with(
        &self,
        long: Arc<dyn FileStore>,
        capacity: u64,
        clock: Arc<dyn Clock>,
        (most_short, fresh): (usize, Duration),
    ) -> ShortFiles {
        self.runtime.block_on(async {
            let rows = PostgresRows::open(&self.address).await.unwrap();
            let table = PostgresShortFileTable::open_with(&rows, clock, fresh).await.unwrap();
            ShortFiles::open_with(table, long, capacity, most_short).await.unwrap()
        })
    }

    fn open(&self, clock: Arc<dyn Clock>) -> Arc<ShortFiles> {
        let long = self.long(1 << 30, clock.clone());
        Arc::new(self.open_with(Arc::new(long), 1 << 30, clock, USUAL))
    }

    fn count(&self) -> i64 {
        self.runtime.block_on(async { sqlx::query_scalar("SELECT count(*) FROM files").fetch_one(&self.pool).await.unwrap() })
    }

    /// Makes all rows older by `by`.
    fn age(&self, by: Duration) {
        age(&self.pool, self.runtime.handle(), by);
    }
}

fn age(pool: &PgPool, runtime: &Handle, by: Duration) {
    let age = sqlx::query("UPDATE files SET written = written - make_interval(secs => $1)").bind(by.as_secs_f64());
    runtime.block_on(age.execute(pool)).unwrap();
}

/// Files whose rows age with a manual clock, because the test does not control the database's clock.
#[derive(Clone, Debug)]
struct Aged {
    files: ShortFiles,
    pool: PgPool,
    clock: Arc<dyn Clock>,
    aged: Arc<Mutex<Duration>>,
}

impl Aged {
    fn of(files: ShortFiles, pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        let aged = Arc::new(Mutex::new(clock.elapsed()));
        Self { files, pool, clock, aged }
    }

    fn now(&self) -> &ShortFiles {
        let mut aged = self.aged.lock().unwrap();
        let by = self.clock.elapsed() - *aged;
        if !by.is_zero() {
            *aged += by;
            age(&self.pool, &self.files.shared.runtime, by);
        }
        &self.files
    }
}

impl FileStore for Aged {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        self.now().create()
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.now().bytes(key)
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        self.now().range(key, from, len)
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        self.now().open(key)
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.now().renew(key)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        self.now().remove_old(key, grace)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.now().old(grace)
    }

    fn usage(&self) -> StorageUsage {
        self.files.usage()
    }

    fn put(&self, bytes: &[u8]) -> io::Result<ContentHash> {
        self.now().put(bytes)
    }
}

#[test]
fn postgres_for_short_files_and_others_for_long_ones_conform() {
    if Postgres::shared().is_none() {
        return;
    }
    // With these limits, only the empty content is short, or some are, or all.
    for (most_short, in_bucket) in [0, 500, MAX_SHORT_FILE_BYTES].into_iter().flat_map(|most| [(most, false), (most, true)]) {
        conformance::check(|capacity, clock| {
            let test = Test::new().unwrap();
            let long: Arc<dyn FileStore> = if in_bucket {
                Arc::new(test.runtime.block_on(BucketFiles::in_memory(capacity, clock.clone())))
            } else {
                Arc::new(test.long(capacity, clock.clone()))
            };
            let files = test.open_with(long, capacity, clock.clone(), (most_short, SHORT_FILE_FRESH_AGE));
            (Aged::of(files, test.pool.clone(), clock), test)
        });
    }
}

#[test]
fn content_is_stored_by_its_length() {
    let Some(test) = Test::new() else { return };
    let clock = Arc::new(ManualClock::default());
    let long = Arc::new(test.long(1 << 20, clock.clone()));
    let files = test.open_with(long.clone(), 1 << 20, clock, USUAL);
    for (len, is_long) in [(0, false), (MAX_SHORT_FILE_BYTES, false), (MAX_SHORT_FILE_BYTES + 1, true), (50_000, true)] {
        let content: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
        for piece in [1000, usize::MAX] {
            let mut file = files.create().unwrap();
            content.chunks(piece).for_each(|part| file.write(part).unwrap());
            let key = file.finish().unwrap();
            assert_eq!((key, files.put(&content).unwrap()), (ContentHash::from_content(&content), key));
            assert_eq!(long.bytes(&key).is_ok(), is_long, "{len}");
            assert_eq!((files.read(&key).unwrap(), files.bytes(&key).unwrap()), (content.clone(), len as u64));
        }
    }
    assert_eq!((files.usage().used_bytes, long.usage().used_bytes, test.count()), (2 * 4000 + 1 + 50_000, 4001 + 50_000, 2));
}

#[test]
fn contents_put_together_are_stored_and_counted_once() {
    let Some(test) = Test::new() else { return };
    let clock = Arc::new(SystemClock::default());
    let long = Arc::new(test.long(20_000, clock.clone()));
    let files = Arc::new(test.open_with(long, 20_000, clock.clone(), USUAL));
    let contents = || vec![b"kitten".to_vec(), vec![7; 9000], b"sitting".to_vec(), b"kitten".to_vec(), Vec::new()];
    let keys: Vec<ContentHash> = contents().iter().map(|content| ContentHash::from_content(content)).collect();
    let put = |contents| test.runtime.block_on(files.clone().put_soon(contents));
    assert_eq!(put(contents()).unwrap(), keys);
    let many = (0..200).map(|_| files.clone().put_soon(vec![b"kitten".to_vec(), b"mitten".to_vec()]));
    test.runtime.block_on(futures::future::try_join_all(many)).unwrap();
    assert_eq!((files.usage().used_bytes, test.count()), (9019, 4));
    for full in [vec![vec![1; 4000], vec![2; 4000], vec![3; 4000]], vec![vec![1; 4000], vec![2; 7000]]] {
        assert_eq!(put(full).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
    assert_eq!((files.usage().used_bytes, test.count()), (9019, 4), "refused contents take no space");
    let again = test.open(clock);
    assert_eq!(
        (again.usage().used_bytes, again.read(&keys[2]).unwrap()),
        (9019, b"sitting".to_vec()),
        "stored contents count after a restart"
    );
}

#[test]
fn concurrent_equal_writes_neither_deadlock_nor_count_twice() {
    let Some(test) = Test::new() else { return };
    let contents: Vec<Vec<u8>> = (0..120u32).map(|number| number.to_le_bytes().repeat(50)).collect();
    let processes: Vec<Arc<ShortFiles>> = (0..4).map(|_| test.open(Arc::new(SystemClock::default()))).collect();
    // All threads renew old contents at the same time.
    for round in 0..4 {
        thread::scope(|scope| {
            for (number, files) in processes.iter().enumerate() {
                let mut these = contents.clone();
                these.rotate_left(number * 30);
                if number % 2 == 1 {
                    these.reverse();
                }
                scope.spawn(move || {
                    let puts = these.chunks(7).map(|some| files.clone().put_soon(some.to_vec()));
                    files.shared.runtime.block_on(futures::future::try_join_all(puts)).unwrap();
                });
            }
        });
        assert_eq!(processes.iter().map(|files| files.usage().used_bytes).sum::<u64>(), 120 * 200, "{round}");
        test.age(2 * SHORT_FILE_FRESH_AGE);
    }
}

#[test]
fn renewal_and_writes_of_another_process_are_respected() {
    let Some(test) = Test::new() else { return };
    let (clock, minutes) = (Arc::new(ManualClock::default()), |minutes: u64| Duration::from_secs(60 * minutes));
    let [one, other] = [(); 2].map(|()| test.open(clock.clone()));
    let pass = |by| {
        clock.advance(by);
        test.age(by);
    };
    let key = one.put(b"kitten").unwrap();
    assert_eq!((other.read(&key).unwrap(), other.usage().used_bytes), (b"kitten".to_vec(), 0));
    pass(minutes(11));
    assert_eq!(other.old(minutes(10)).unwrap(), [key]);
    assert_eq!(other.usage().used_bytes, 6);
    assert!(one.renew(&key).unwrap() && !other.remove_old(&key, minutes(10)).unwrap());
    pass(minutes(11));
    assert_eq!(one.put(b"kitten").unwrap(), key);
    assert!(other.old(minutes(10)).unwrap().is_empty() && !other.remove_old(&key, minutes(10)).unwrap());
    pass(minutes(11));
    assert!(other.remove_old(&key, minutes(10)).unwrap() && !one.renew(&key).unwrap());
    assert_eq!((one.bytes(&key).unwrap_err().kind(), other.usage().used_bytes, one.usage().used_bytes), (io::ErrorKind::NotFound, 0, 6));
    assert!(one.old(minutes(10)).unwrap().is_empty() && one.usage().used_bytes == 0);
}

/// Checks that a row is old only if the database's current time and the extrapolated time say so.
#[test]
fn changed_clock_does_not_age_contents() {
    const GRACE: Duration = Duration::from_millis(200);
    let Some(test) = Test::new() else { return };
    let clock = Arc::new(ManualClock::default());
    let files = test.open(clock.clone());
    let key = files.put(b"kitten").unwrap();
    thread::sleep(2 * GRACE);
    // As if the database's clock were set forward: no time has passed here.
    assert!(!files.remove_old(&key, GRACE).unwrap() && files.old(GRACE).unwrap().is_empty());
    // As if the database's clock were set back.
    clock.advance(Duration::from_secs(3000));
    assert!(!files.remove_old(&key, Duration::from_secs(600)).unwrap() && files.old(Duration::from_secs(600)).unwrap().is_empty());
    assert_eq!(files.old(GRACE).unwrap(), [key]);
    assert!(files.remove_old(&key, GRACE).unwrap());
}

#[test]
fn renewal_soon_after_a_write_writes_nothing() {
    let Some(test) = Test::new() else { return };
    let (files, pool) = (test.open(Arc::new(SystemClock::default())), &test.pool);
    let row = || {
        let row = sqlx::query_as("SELECT xmin::text, xmax::text, ctid::text FROM files");
        let row: (String, String, String) = test.runtime.block_on(row.fetch_one(pool)).unwrap();
        row
    };
    let key = files.put(b"kitten").unwrap();
    let before = row();
    assert!(files.put(b"kitten").unwrap() == key && files.renew(&key).unwrap());
    assert_eq!(row(), before, "the row is not even locked");
    test.age(2 * SHORT_FILE_FRESH_AGE);
    let before = row();
    assert!(files.renew(&key).unwrap());
    let renewed = row();
    assert_ne!(renewed, before);
    test.age(2 * SHORT_FILE_FRESH_AGE);
    files.put(b"kitten").unwrap();
    assert_ne!(row(), renewed);
}

/// Checks removal and renewal of a content while another transaction renews or removes it. The waiting call sees the
/// result of the transaction.
#[test]
fn removal_and_renewal_of_a_content_are_serialized() {
    const GRACE: Duration = Duration::from_secs(600);
    let Some(test) = Test::new() else { return };
    let (clock, pool) = (Arc::new(ManualClock::default()), &test.pool);
    let files = test.open(clock.clone());
    let while_another = |statement: &'static str, call: &(dyn Fn() -> bool + Sync)| {
        files.put(b"kitten").unwrap();
        clock.advance(2 * GRACE);
        test.age(2 * GRACE);
        let mut other = test.runtime.block_on(pool.begin()).unwrap();
        test.runtime.block_on(sqlx::query(statement).execute(&mut *other)).unwrap();
        thread::scope(|scope| {
            let call = scope.spawn(call);
            let begin = Instant::now();
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
            while test.runtime.block_on(sqlx::query_scalar::<_, i64>(waiting).fetch_one(pool)).unwrap() == 0 {
                assert!(begin.elapsed() < Duration::from_secs(20), "the call waits for the other transaction");
                thread::sleep(Duration::from_millis(5));
            }
            test.runtime.block_on(other.commit()).unwrap();
            call.join().unwrap()
        })
    };
    const YOUNG: &str = "UPDATE files SET written = now()";
    const GONE: &str = "DELETE FROM files";
    let key = ContentHash::from_content(b"kitten");
    let (remove, renew, put) = (|| files.remove_old(&key, GRACE).unwrap(), || files.renew(&key).unwrap(), || files.put(b"kitten").is_ok());
    assert!(!while_another(YOUNG, &remove) && files.bytes(&key).is_ok(), "the content was renewed");
    assert!(while_another(YOUNG, &renew) && while_another(YOUNG, &put));
    assert!(!while_another(GONE, &renew), "a removed content cannot be renewed");
    assert!(while_another(GONE, &put) && files.bytes(&key).is_ok(), "the content is stored again");
    assert!(!while_another(GONE, &remove), "another transaction removed the content");
    assert!(remove(), "the content can be removed afterwards");
}

/// Checks that no content is removed while a writer relies on it. Writers put contents and rely on them for a while;
/// others remove contents as soon as they are old.
#[test]
fn content_that_a_writer_relies_on_is_never_removed() {
    const GRACE: Duration = Duration::from_millis(400);
    let Some(test) = Test::new() else { return };
    let open = |_| {
        let clock = Arc::new(SystemClock::default());
        test.open_with(Arc::new(test.long(1 << 20, clock.clone())), 1 << 20, clock, (MAX_SHORT_FILE_BYTES, GRACE / 4))
    };
    let processes: Vec<ShortFiles> = (0..4).map(open).collect();
    let (is_over, removed) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for files in &processes[..2] {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    let is_there = files.shared.wait(files.shared.table.content(&ContentHash::from_content(b"kitten"))).unwrap().is_some();
                    if files.remove_old(&ContentHash::from_content(b"kitten"), GRACE).unwrap() && is_there {
                        removed.fetch_add(1, Relaxed);
                    }
                }
            });
        }
        let writers: Vec<_> = processes[2..]
            .iter()
            .zip([310, 430])
            .map(|(files, pause)| {
                scope.spawn(move || {
                    for round in 0..12 {
                        let begin = Instant::now();
                        let key = files.put(b"kitten").unwrap();
                        while begin.elapsed() < GRACE / 2 {
                            let there = files.bytes(&key).is_ok();
                            assert!(there || begin.elapsed() >= GRACE / 2, "the content is missing after {:?}", begin.elapsed());
                        }
                        thread::sleep(Duration::from_millis(pause + 10 * round));
                    }
                })
            })
            .collect();
        let ended: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Relaxed);
        ended.into_iter().for_each(|one| one.unwrap());
    });
    assert!(removed.load(Relaxed) > 3, "the content was removed several times");
}

/// Checks a cluster whose bucket has short contents of an earlier version.
#[test]
fn contents_of_an_earlier_version_are_read_renewed_and_removed() {
    const GRACE: Duration = Duration::from_secs(600);
    let Some(test) = Test::new() else { return };
    let clock = Arc::new(ManualClock::default());
    let long = Arc::new(test.long(1000, clock.clone()));
    let [key, other] = [b"kitten", b"mitten"].map(|content| long.put(content).unwrap());
    let files = test.open_with(long.clone(), 1000, clock.clone(), USUAL);
    let pass = || {
        clock.advance(2 * GRACE);
        test.age(2 * GRACE);
    };
    assert_eq!((files.read(&key).unwrap(), files.bytes(&other).unwrap(), files.usage().used_bytes), (b"kitten".to_vec(), 6, 12));
    pass();
    assert!(files.renew(&key).unwrap() && !files.remove_old(&key, GRACE).unwrap());
    assert!(files.remove_old(&other, GRACE).unwrap() && !files.renew(&other).unwrap());
    assert_eq!(
        (files.put(b"kitten").unwrap(), files.usage().used_bytes, test.count()),
        (key, 12, 1),
        "the content is stored in both places"
    );
    pass();
    assert!(files.remove_old(&key, GRACE).unwrap());
    assert_eq!(
        (files.read(&key).unwrap(), files.usage().used_bytes),
        (b"kitten".to_vec(), 6),
        "the copy of the earlier version is still readable"
    );
    assert_eq!(files.old(GRACE).unwrap(), [key], "the copy of the earlier version is listed as old");
    assert!(files.remove_old(&key, GRACE).unwrap() && files.read(&key).is_err() && files.usage().used_bytes == 0);
    files.put(b"kitten").unwrap();
    assert_eq!(files.read(&key).unwrap(), b"kitten", "the content is read from its new place");
}

#[test]
fn calls_fail_while_the_database_is_down_and_confirmed_writes_survive() {
    let Some(mut postgres) = Postgres::start() else { return };
    let test = Test::on(&postgres);
    let files = test.open(Arc::new(SystemClock::default()));
    let (key, long) = (files.put(b"kitten").unwrap(), files.put(&[7; 5000]).unwrap());
    postgres.kill();
    let put_soon = || test.runtime.block_on(files.clone().put_soon(vec![b"sitting".to_vec()]));
    let probe = || test.runtime.block_on(files.clone().probe());
    let calls: [&(dyn Fn() -> io::Result<()> + Sync); 7] = [
        &|| files.read(&key).map(drop),
        &|| files.renew(&key).map(drop),
        &|| files.remove_old(&key, SHORT_FILE_FRESH_AGE).map(drop),
        &|| files.old(SHORT_FILE_FRESH_AGE).map(drop),
        &|| files.put(b"sitting").map(drop),
        &|| put_soon().map(drop),
        &probe,
    ];
    // Each call waits for a connection until its timeout.
    let failed = thread::scope(|scope| calls.map(|call| scope.spawn(call)).map(|call| call.join().unwrap()));
    for error in failed.map(Result::unwrap_err) {
        let said = format!("{error} {error:?} {files:?}");
        assert!(!said.contains(PASSWORD) && !said.contains(&key.to_string()), "{said}");
        assert_eq!(StorageError::from(error).kind, StorageErrorKind::Unavailable);
    }
    assert_eq!(files.read(&long).unwrap().len(), 5000, "long contents need no database");
    let of_long = files.shared.long.usage().used_bytes;
    assert_eq!(files.usage().used_bytes - of_long, 6, "failed writes take no space");
    postgres.restart();
    let begin = Instant::now();
    while probe().is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", probe());
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(files.read(&key).unwrap(), b"kitten");
    assert_eq!(put_soon().unwrap(), [ContentHash::from_content(b"sitting")]);
}
