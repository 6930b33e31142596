//! Conformance tests over a folder and a bucket in memory, counts of remote reads, damaged copies and a failing folder.

use std::fs::File;
use std::io::Read as _;
use std::sync::Barrier;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{scope, sleep};
use std::time::Instant;

use tempfile::TempDir;

use super::*;
use crate::storage::ports::clock::{ManualClock, SystemClock};
use crate::storage::ports::faults::{AccessKind, Faults, FaultyFiles};
use crate::storage::ports::files::conformance;
use crate::storage::ports::files::counted::CountedFiles;
use crate::storage::ports::files::folder::FolderFiles;

const MINUTE: Duration = Duration::from_secs(60);

/// Bytes of a content that is copied.
const LONG: usize = 100_000;

/// A disk cache over files in a folder.
struct Test {
    cache: DiskCache,
    far: Arc<CountedFiles>,
    clock: Arc<ManualClock>,
    faults: Faults,
    folder: TempDir,
}

impl Test {
    /// Creates a cache of `bytes` bytes.
    fn new(bytes: u64) -> Self {
        Self::with(DiskCacheLimits { bytes, min_copy_bytes: MIN_COPY_BYTES, free: 0 }, Duration::ZERO)
    }

    /// Creates a cache with `limits` whose remote reads take `delay` longer.
    fn with(limits: DiskCacheLimits, delay: Duration) -> Self {
        let (folder, clock, faults) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()), Faults::default());
        let files = FolderFiles::open(&folder.path().join("far"), 1 << 30, clock.clone()).unwrap();
        let files = Arc::new(FaultyFiles::new(Arc::new(files), faults.clone()));
        let far = Arc::new(CountedFiles::slow(files, delay));
        let cache = DiskCache::open(far.clone(), folder.path().join("disk-cache"), limits, clock.clone()).unwrap();
        Self { cache, far, clock, faults, folder }
    }

    /// Writes a content that is unique for `number`.
    fn put(&self, number: u8) -> (ContentHash, Vec<u8>) {
        let content: Vec<u8> = (0..LONG).map(|at| (at % 251) as u8 ^ number).collect();
        (self.cache.put(&content).unwrap(), content)
    }

    fn reads(&self) -> u64 {
        self.far.reads()
    }

    /// Returns the files of all copies.
    fn copies(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.path().join("disk-cache")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn disk_cache_of_a_folder_conforms() {
    // Room for all copies, for one, and for none.
    for bytes in [1 << 20, 1200, 0] {
        conformance::check(|capacity, clock| {
            let folder = tempfile::tempdir().unwrap();
            let far = Arc::new(FolderFiles::open(&folder.path().join("far"), capacity, clock.clone()).unwrap());
            let limits = DiskCacheLimits { bytes, min_copy_bytes: 0, free: 0 };
            (DiskCache::open(far, folder.path().join("disk-cache"), limits, clock).unwrap(), folder)
        });
    }
}

#[test]
fn cached_content_is_not_fetched_again() {
    let test = Test::new(1 << 20);
    let (key, content) = test.put(1);
    assert!(test.cache.open(&key).unwrap().bytes == LONG as u64 && test.cache.range(&key, 10, 5).unwrap() == content[10..15]);
    assert_eq!((test.reads(), test.copies().len()), (2, 0), "a range is not cached");
    for _ in 0..3 {
        assert!(test.cache.read(&key).unwrap() == content);
    }
    assert_eq!((test.reads(), test.copies().len(), test.cache.bytes_of_copies()), (3, 1, LONG as u64));
    for (from, len) in [(10, 5), (LONG as u64 - 3, 9), (LONG as u64, 1), (u64::MAX, 1), (0, u64::MAX - 1)] {
        let there = &content[(from as usize).min(LONG)..(from.saturating_add(len) as usize).min(LONG)];
        assert!(test.cache.range(&key, from, len).unwrap() == there, "{len} from {from}");
    }
    let mut opened = test.cache.open(&key).unwrap();
    let mut read = Vec::new();
    opened.content.read_to_end(&mut read).unwrap();
    assert!((opened.bytes, read) == (LONG as u64, content) && test.reads() == 3);
    // The copy is used even if remote reads fail.
    test.faults.fail(AccessKind::Read, 0, u64::MAX, io::ErrorKind::TimedOut);
    test.cache.read(&key).unwrap();
    let other = test.cache.read(&ContentHash::from_content(b"kitten")).unwrap_err();
    assert_eq!(other.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn reads_are_counted_as_hits_or_misses() {
    let test = Test::new(1 << 20);
    let [long, short] = [test.put(1).0, test.cache.put(b"kitten").unwrap()];
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    ::metrics::with_local_recorder(&recorder, || {
        for key in [long, short, long, long] {
            test.cache.read(&key).unwrap();
        }
    });
    let told = recorder.handle().render();
    for line in ["editscope_disk_cache_reads_total{found=\"no\"} 1", "editscope_disk_cache_reads_total{found=\"yes\"} 2"] {
        assert!(told.contains(line), "{line} in {told}");
    }
}

#[test]
fn short_and_oversized_contents_are_not_cached() {
    let test = Test::new(2 * LONG as u64 - 1);
    let (key, _) = test.put(1);
    let short = test.cache.put(b"kitten").unwrap();
    for key in [key, short, key, short] {
        test.cache.read(&key).unwrap();
    }
    assert_eq!((test.reads(), test.copies().len(), test.cache.bytes_of_copies()), (4, 0, 0));
}

#[test]
fn damaged_copy_is_fetched_again() {
    let test = Test::new(1 << 20);
    let (key, content) = test.put(1);
    test.cache.read(&key).unwrap();
    type Spoil = fn(&PathBuf);
    let ways: [(Spoil, bool); 4] = [
        (|path| fs::write(path, vec![7; LONG]).unwrap(), false),
        (|path| File::options().write(true).open(path).unwrap().set_len(LONG as u64 / 2).unwrap(), true),
        (|path| fs::write(path, b"").unwrap(), true),
        (|path| fs::remove_file(path).unwrap(), true),
    ];
    for (number, (spoil, is_seen_by_windows)) in ways.into_iter().enumerate() {
        let reads = test.reads();
        spoil(&test.copies()[0]);
        assert!(test.cache.read(&key).unwrap() == content && test.cache.read(&key).unwrap() == content, "way {number}");
        assert_eq!((test.reads(), test.copies().len(), test.cache.bytes_of_copies()), (reads + 1, 1, LONG as u64), "way {number}");
        if is_seen_by_windows {
            spoil(&test.copies()[0]);
            assert!(test.cache.range(&key, LONG as u64 - 5, 5).unwrap() == content[LONG - 5..]);
            assert_eq!((test.reads(), test.copies().len()), (reads + 2, 0), "way {number}");
            test.cache.read(&key).unwrap();
        }
    }
}

#[test]
fn content_with_a_wrong_hash_is_not_cached() {
    let test = Test::new(1 << 20);
    let (key, _) = test.put(1);
    fs::write(test.folder.path().join("far/files").join(key.to_string()), vec![7; LONG]).unwrap();
    test.cache.read(&key).unwrap();
    assert_eq!(test.cache.bytes_of_copies(), 0);
}

#[test]
fn size_limit_evicts_the_least_recently_read_copy() {
    let test = Test::new(3 * LONG as u64 + 10);
    let contents = [1, 2, 3, 4].map(|number| test.put(number));
    for (key, _) in &contents[..3] {
        test.cache.read(key).unwrap();
    }
    test.cache.range(&contents[0].0, 0, 1).unwrap();
    test.cache.read(&contents[3].0).unwrap();
    assert_eq!((test.reads(), test.copies().len(), test.cache.bytes_of_copies()), (4, 3, 3 * LONG as u64));
    let has = |number: usize| test.cache.has_all(&[contents[number].0.prefix()]);
    assert_eq!([0, 1, 2, 3].map(has), [true, false, true, true], "reading a range renews a copy");
    let mut lately = [contents[0].0.prefix(), contents[3].0.prefix()];
    lately.sort();
    assert_eq!((test.cache.recently_read(MIN_COPY_BYTES, 2), test.cache.recently_read(1 << 20, 2)), (lately.to_vec(), Vec::new()));
    for (key, content) in &contents {
        assert!(test.cache.read(key).unwrap() == *content);
    }
}

#[test]
fn copy_expires_ten_minutes_after_its_last_read() {
    let test = Test::new(1 << 20);
    let [(one, _), (other, _)] = [1, 2].map(|number| test.put(number));
    for key in [one, other] {
        test.cache.read(&key).unwrap();
    }
    test.clock.advance(9 * MINUTE);
    test.cache.read(&one).unwrap();
    test.clock.put_forth(60 * MINUTE);
    test.cache.shared.remove_expired();
    assert_eq!((test.reads(), test.copies().len()), (2, 2), "the time of day has no effect");
    test.clock.advance(MINUTE);
    test.cache.shared.remove_expired();
    assert_eq!(test.copies().len(), 1);
    assert!(test.cache.has_all(&[one.prefix()]));
    test.clock.advance(9 * MINUTE);
    test.cache.read(&one).unwrap();
    assert_eq!((test.reads(), test.cache.bytes_of_copies()), (3, LONG as u64), "the copy expires without further reads");
}

#[tokio::test]
async fn copies_expire_without_further_reads() {
    let test = Test::new(1 << 20);
    let (key, _) = test.put(1);
    test.cache.read(&key).unwrap();
    let time = Duration::from_millis(5);
    test.cache.spawn_expiry_loop(time, &Handle::current());
    tokio::time::sleep(20 * time).await;
    assert_eq!(test.copies().len(), 1);
    test.clock.advance(COPY_IDLE_TIMEOUT);
    let begin = Instant::now();
    while !test.copies().is_empty() {
        tokio::time::sleep(time).await;
        assert!(begin.elapsed() < MINUTE);
    }
}

#[test]
fn removed_content_loses_its_copy_and_restarts_clear_the_cache() {
    let test = Test::new(1 << 20);
    let [(one, _), (other, _)] = [1, 2].map(|number| test.put(number));
    for key in [one, other] {
        test.cache.read(&key).unwrap();
    }
    assert!(!test.cache.remove_old(&one, MINUTE).unwrap() && test.copies().len() == 2, "the content is too young to remove");
    test.clock.advance(2 * MINUTE);
    assert!(test.cache.remove_old(&one, MINUTE).unwrap());
    assert_eq!((test.copies().len(), test.cache.read(&one).unwrap_err().kind()), (1, io::ErrorKind::NotFound));
    let again =
        DiskCache::open(test.far.clone(), test.folder.path().join("disk-cache"), test.cache.shared.limits, test.clock.clone()).unwrap();
    assert!(test.copies().is_empty() && again.bytes_of_copies() == 0);
    again.read(&other).unwrap();
    assert_eq!(test.copies().len(), 1);
    again.remove_all().unwrap();
    assert!(test.copies().is_empty() && again.bytes_of_copies() == 0);
}

#[cfg(unix)]
#[test]
fn cache_folder_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let test = Test::new(1 << 20);
    assert_eq!(fs::metadata(test.folder.path().join("disk-cache")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn full_or_failing_disk_does_not_fail_reads() {
    let full = Test::with(DiskCacheLimits { bytes: 1 << 20, min_copy_bytes: MIN_COPY_BYTES, free: u64::MAX }, Duration::ZERO);
    let failing = Test::new(1 << 20);
    fs::remove_dir(failing.folder.path().join("disk-cache")).unwrap();
    fs::write(failing.folder.path().join("disk-cache"), b"no folder").unwrap();
    for test in [full, failing] {
        let (key, content) = test.put(1);
        for _ in 0..2 {
            assert!(test.cache.read(&key).unwrap() == content);
        }
        assert_eq!((test.reads(), test.cache.bytes_of_copies()), (2, 0));
        assert!(test.cache.shared.has_warned.load(Relaxed));
    }
    let folder = tempfile::tempdir().unwrap();
    let far = Arc::new(FolderFiles::open(folder.path(), 1 << 20, Arc::new(SystemClock::default())).unwrap());
    fs::write(folder.path().join("file"), b"no folder").unwrap();
    let limits = DiskCacheLimits { bytes: 1 << 20, min_copy_bytes: MIN_COPY_BYTES, free: 0 };
    assert!(DiskCache::open(far, folder.path().join("file/cache"), limits, Arc::new(SystemClock::default())).is_err());
}

/// Lets eight threads read six contents repeatedly with room for three, while other threads remove contents and advance
/// the clock.
#[test]
fn concurrent_reads_are_right_and_stay_within_the_limit() {
    let test = Test::with(DiskCacheLimits { bytes: 3 * LONG as u64, min_copy_bytes: MIN_COPY_BYTES, free: 0 }, Duration::from_millis(1));
    let contents = [1, 2, 3, 4, 5, 6].map(|number| test.put(number));
    let barrier = Barrier::new(9);
    scope(|scope| {
        for reader in 0..8 {
            let (test, contents, barrier) = (&test, &contents, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for round in 0..60 {
                    let (key, content) = &contents[(reader * 7 + round * round) % 6];
                    assert!(test.cache.read(key).unwrap() == *content);
                    assert!(test.cache.range(key, 500, 9).unwrap() == content[500..509]);
                    assert!(test.cache.bytes_of_copies() <= 3 * LONG as u64);
                }
            });
        }
        barrier.wait();
        for _ in 0..20 {
            sleep(Duration::from_millis(5));
            test.clock.advance(COPY_IDLE_TIMEOUT / 2);
            test.cache.shared.remove_expired();
        }
    });
    let held: u64 = test.copies().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert_eq!(held, test.cache.bytes_of_copies(), "the folder has an unknown file");
    let copies = test.cache.shared.copies().clear();
    assert_eq!((copies.len() as u64 * LONG as u64, test.cache.bytes_of_copies()), (held, 0));
}

#[test]
fn concurrent_reads_of_one_content_fetch_it_once() {
    let test = Test::with(DiskCacheLimits { bytes: 1 << 20, min_copy_bytes: MIN_COPY_BYTES, free: 0 }, Duration::from_millis(300));
    let (key, content) = test.put(1);
    let barrier = Barrier::new(4);
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                assert!(test.cache.read(&key).unwrap() == content);
            });
        }
    });
    assert_eq!((test.reads(), test.copies().len()), (1, 1));
}

/// Measures how long a text of 16 MiB takes from a bucket and from its copy:
/// `cargo test --release -p server --lib disk_cache::tests::measures_reads -- --ignored --nocapture`.
#[cfg(unix)]
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "figures are what it is for")]
fn measures_reads_with_and_without_copy() {
    use crate::storage::ports::files::bucket::tests::on_s3;
    let Some((runtime, far)) = on_s3() else { return };
    let folder = tempfile::tempdir().unwrap();
    let limits = DiskCacheLimits { bytes: 1 << 30, min_copy_bytes: MIN_COPY_BYTES, free: 0 };
    let cache = DiskCache::open(Arc::new(far.clone()), folder.path().join("disk-cache"), limits, Arc::new(SystemClock::default())).unwrap();
    let content: Vec<u8> = (0..16_u32 << 20).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let key = far.put(&content).unwrap();
    let took = |what: &str, read: &dyn Fn()| {
        let mut times = [(); 9].map(|()| {
            let begin = Instant::now();
            read();
            begin.elapsed()
        });
        times.sort();
        println!("{what}: median {:?}, from {:?} to {:?}", times[4], times[0], times[8]);
    };
    took("from the bucket", &|| assert_eq!(far.read(&key).unwrap().len(), content.len()));
    took("from the bucket, and a copy is made", &|| {
        cache.remove_all().unwrap();
        assert_eq!(cache.read(&key).unwrap().len(), content.len());
    });
    took("from the copy", &|| assert_eq!(cache.read(&key).unwrap().len(), content.len()));
    took("a window of 64 KiB from the bucket", &|| assert_eq!(far.range(&key, 1 << 20, 1 << 16).unwrap().len(), 1 << 16));
    took("a window of 64 KiB from the copy", &|| assert_eq!(cache.range(&key, 1 << 20, 1 << 16).unwrap().len(), 1 << 16));
    drop(runtime);
}
