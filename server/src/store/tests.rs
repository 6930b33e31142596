//! Tests of the store with a manual clock and failing ports.

use std::io::ErrorKind;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, raw_sql};
use tempfile::TempDir;

use super::*;
use crate::storage::ports::clock::ManualClock;
use crate::storage::ports::faults::{AccessKind, Faults, FaultyFiles, FaultyRows};

/// A store whose time and faults the test controls.
struct Test {
    store: Store,
    clock: Arc<ManualClock>,
    faults: Faults,
    _folder: TempDir,
}

impl Test {
    async fn new() -> Self {
        let (folder, clock, faults) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()), Faults::default());
        let files = FolderFiles::open(folder.path(), 10_000, clock.clone()).unwrap();
        let rows = SqliteRows::open(&folder.path().join("rows.sqlite")).await.unwrap();
        let store = Store::from_ports(Ports {
            rows: Arc::new(FaultyRows::new(Arc::new(rows), faults.clone())),
            files: Arc::new(FaultyFiles::new(Arc::new(files), faults.clone())),
            clock: clock.clone(),
            grace: UNUSED_FILE_GRACE,
            secret: SecretKey::random(),
        });
        Self { store, clock, faults, _folder: folder }
    }

    async fn upload(&self, text: &[u8], owner: Option<ContentHash>) -> (Id, ContentHash) {
        let (id, hash) = (Id::random(), self.store.files.put(text).unwrap());
        let upload = UploadContent { hash, bytes: text.len() as u64 };
        self.store.add_text(id, upload, self.store.clock.seconds() + 86_400, owner).get().await.unwrap();
        (id, hash)
    }

    async fn collect(&self) -> Result<usize, StorageError> {
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.collect()).await.unwrap()
    }

    fn link(&self) -> Link {
        Link { body: "{}".into(), token: ContentHash::from_content(b"token"), created_at: self.store.clock.seconds(), expires_at: None }
    }
}

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test]
async fn probe_detects_a_lock_on_the_short_files() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().to_owned(), ..Config::read(|_| None).unwrap() };
    let store = Store::open(&config).await.unwrap();
    store.probe().get().await.unwrap();
    let file = SqliteConnectOptions::new().filename(folder.path().join(SHORT_FILES_NAME));
    let mut other = SqliteConnection::connect_with(&file).await.unwrap();
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    assert_eq!(store.probe().get().await.unwrap_err().kind, StorageErrorKind::Unavailable);
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    store.probe().get().await.unwrap();
}

#[tokio::test]
async fn file_is_removed_with_the_last_row_that_uses_it() {
    let test = Test::new().await;
    let ((id, hash), (_, other)) = (test.upload(b"kitten", None).await, test.upload(b"sitting", None).await);
    let link = Id::random();
    test.store.add_link(link, test.link(), vec![hash]).get().await.unwrap();
    test.clock.advance(DAY / 2);
    assert_eq!(test.collect().await.unwrap(), 0);
    test.clock.advance(DAY);
    assert_eq!(test.collect().await.unwrap(), 1, "the unused file is removed");
    assert_eq!(test.store.text(id).get().await.unwrap(), None);
    assert_eq!(test.store.files.read(&other).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(test.store.files.read(&hash).unwrap(), b"kitten", "the link uses the file");
    test.store.delete_link(link).get().await.unwrap();
    assert_eq!((test.collect().await.unwrap(), test.store.files.usage().used_bytes), (1, 0));
}

#[tokio::test]
async fn rows_are_limited_in_size() {
    let mut test = Test::new().await;
    test.store.measure_rows().get().await.unwrap();
    test.store.row_quota = Arc::new(RowQuota::new(test.store.row_bytes() + 200_000));
    test.store.measure_rows().get().await.unwrap();
    let long = || Link { body: "x".repeat(10_000), ..test.link() };
    let mut made = Vec::new();
    let refused = loop {
        let id = Id::random();
        if let Err(error) = test.store.check_row_quota() {
            break error;
        }
        test.store.add_link(id, long(), Vec::new()).get().await.unwrap();
        made.push(id);
        // Rows written since the last measurement count before and after the next one.
        if made.len() == 9 {
            test.collect().await.unwrap();
        }
        assert!(made.len() < 40);
    };
    assert_eq!(refused.kind, StorageErrorKind::Full);
    assert!((12..20).contains(&made.len()), "{} of about 12,000 bytes each in 200,000", made.len());
    for id in made {
        test.store.delete_link(id).get().await.unwrap();
    }
    test.collect().await.unwrap();
    test.store.check_row_quota().unwrap();
}

#[tokio::test]
async fn file_that_never_had_a_row_is_removed_when_it_is_old() {
    let test = Test::new().await;
    test.store.files.put(b"refused").unwrap();
    assert_eq!(test.collect().await.unwrap(), 0, "a row of the file may still be written");
    test.clock.put_forth(DAY);
    assert_eq!(test.collect().await.unwrap(), 0, "a changed time of day is no elapsed time");
    test.clock.advance(UNUSED_FILE_GRACE + Duration::from_secs(1));
    assert_eq!((test.collect().await.unwrap(), test.store.files.usage().used_bytes), (1, 0));
}

#[tokio::test]
async fn file_that_is_about_to_be_used_is_kept() {
    let test = Test::new().await;
    let (id, hash) = test.upload(b"kitten", None).await;
    test.clock.advance(DAY - Duration::from_secs(1));
    assert!(test.store.text(id).get().await.unwrap().is_some());
    test.clock.advance(Duration::from_secs(2));
    assert_eq!(test.collect().await.unwrap(), 0, "a job with the text may still be written");
    test.store.add_link(Id::random(), test.link(), vec![hash]).get().await.unwrap();
    test.clock.advance(DAY);
    assert_eq!(test.collect().await.unwrap(), 0);
    let missing = test.store.add_link(Id::random(), test.link(), vec![ContentHash::from_content(b"gone")]).get().await;
    assert_eq!(missing.unwrap_err().kind, StorageErrorKind::Missing);
}

#[tokio::test]
async fn only_owners_can_delete_their_objects() {
    let test = Test::new().await;
    let [mine, yours] = [ContentHash::from_content(b"mine"), ContentHash::from_content(b"yours")];
    let (id, _) = test.upload(b"kitten", Some(mine)).await;
    assert_eq!(test.store.delete_upload(id, yours).get().await.unwrap(), DeleteOutcome::NotOwner);
    assert_eq!(test.store.delete_upload(id, mine).get().await.unwrap(), DeleteOutcome::Gone);
    assert_eq!(test.store.text(id).get().await.unwrap(), None);
    test.clock.advance(UNUSED_FILE_GRACE + Duration::from_secs(1));
    assert_eq!((test.collect().await.unwrap(), test.store.files.usage().used_bytes), (1, 0));
}

#[tokio::test]
async fn storage_failures_are_reported_and_temporary() {
    let test = Test::new().await;
    let (id, _) = test.upload(b"kitten", None).await;
    for (kind, trouble) in [
        (ErrorKind::StorageFull, StorageErrorKind::Full),
        (ErrorKind::QuotaExceeded, StorageErrorKind::Full),
        (ErrorKind::ReadOnlyFilesystem, StorageErrorKind::Unavailable),
        (ErrorKind::PermissionDenied, StorageErrorKind::Unavailable),
    ] {
        for first in 0..3 {
            test.faults.fail(AccessKind::Write, first, 1, kind);
            assert_eq!(test.store.probe().get().await.unwrap_err().kind, trouble, "{kind} after {first} calls");
            test.store.probe().get().await.expect("only one call was configured to fail");
        }
        test.faults.fail(AccessKind::Read, 0, 1, kind);
        assert_eq!(test.store.text(id).get().await.unwrap_err().kind, trouble);
        assert!(test.store.text(id).get().await.unwrap().is_some());
    }
}

#[tokio::test]
async fn files_are_removed_even_if_rows_cannot_be_written() {
    let test = Test::new().await;
    test.store.files.put(b"refused").unwrap();
    test.clock.advance(UNUSED_FILE_GRACE + Duration::from_secs(1));
    test.faults.fail(AccessKind::Write, 0, 1, ErrorKind::StorageFull);
    assert_eq!(test.collect().await.unwrap_err().kind, StorageErrorKind::Full);
    assert_eq!(test.store.files.usage().used_bytes, 0);
}
