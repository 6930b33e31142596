//! Tests of SQLite itself: databases of older and newer versions, and error codes.

use std::time::Duration;

use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::*;
use crate::storage::ports::StorageErrorKind;
use crate::storage::ports::rows::conformance;
use crate::storage::ports::sqlite::SQLITE_LOCK_TIMEOUT;

#[tokio::test]
async fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    conformance::check(&SqliteRows::open(&folder.path().join("rows.sqlite")).await.unwrap()).await;
}

#[tokio::test]
async fn every_migration_of_the_folder_is_listed() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"));
    let migrations = |of: Migrator| {
        of.iter().map(|one| (one.version, one.description.to_string(), one.checksum.to_vec(), one.no_tx)).collect::<Vec<_>>()
    };
    assert_eq!(migrations(migrator()), migrations(Migrator::new(folder).await.unwrap()));
}

#[tokio::test]
async fn invalid_row_does_not_affect_rows_of_the_same_batch() {
    const REFUSES: &str = "CREATE TRIGGER refuses BEFORE INSERT ON jobs WHEN NEW.body = 'wrong' BEGIN SELECT RAISE(ABORT, 'wrong'); END";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let rows = SqliteRows::open(&file).await.unwrap();
    sqlx::query(REFUSES).execute(&mut connection(&file).await).await.unwrap();
    let row = |body: &str| JobRow { body: body.into(), files: vec![], attempt: 0, ended_until: None, owner: None, requests: vec![] };
    let ids: Vec<Id> = (0..200).map(|_| Id::random()).collect();
    let is_wrong = |at: usize| at % 50 == 7;
    let puts = ids.iter().enumerate().map(|(at, id)| rows.put_job(*id, row(if is_wrong(at) { "wrong" } else { "right" })));
    for (at, put) in futures::future::join_all(puts).await.into_iter().enumerate() {
        match put {
            Ok(put) => assert_eq!((put, is_wrong(at)), (PutOutcome::Written, false), "{at}"),
            Err(error) => assert_eq!((error.kind, is_wrong(at)), (StorageErrorKind::Broken, true), "{at}: {error}"),
        }
    }
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(matches!(rows.job(*id).await.unwrap(), RowLookup::Here(_)), !is_wrong(at), "{at}");
    }
}

async fn connection(file: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file).create_if_missing(true)).await.unwrap()
}

/// SQL that creates and fills the tables of version 1.
const VERSION_1: &str = "
    CREATE TABLE texts (id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE jobs (id TEXT PRIMARY KEY, body TEXT, ended INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE links (id TEXT PRIMARY KEY, body TEXT, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
    CREATE TABLE uses (owner TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
    PRAGMA user_version = 1;";

#[tokio::test]
async fn database_older_than_migrations_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let (text, job, link, key) = (Id::random(), Id::random(), Id::random(), ContentHash::from_content(b"kitten"));
    let mut old = connection(&file).await;
    sqlx::raw_sql(VERSION_1).execute(&mut old).await.unwrap();
    for (statement, id) in [
        ("INSERT INTO texts VALUES (?1, 6, 100)", text),
        ("INSERT INTO jobs VALUES (?1, '{}', 0, 9223372036854775807)", job),
        ("INSERT INTO links VALUES (?1, '{}', ?2, 50, NULL)", link),
        ("INSERT INTO uses VALUES (?1, ?2)", text),
    ] {
        sqlx::query(statement).bind(id.to_string()).bind(key.to_string()).execute(&mut old).await.unwrap();
    }
    old.close().await.unwrap();
    for _ in 0..2 {
        let rows = SqliteRows::open(&file).await.unwrap();
        assert_eq!(rows.text(text).await.unwrap(), Some(TextRow { hash: key, bytes: 6, expires_at: 100, owner: None }));
        assert_eq!(rows.open_jobs().await.unwrap(), [job]);
        assert!(
            matches!(rows.link(link).await.unwrap(), RowLookup::Here(LinkRow { token, created_at: 50, expires_at: None, .. }) if token == key)
        );
        rows.writer.close().await;
    }
}

#[tokio::test]
async fn database_older_than_row_numbers_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let [text, job, ended, gone, link] = std::array::from_fn(|_| Id::random());
    let [one, two, three, token] = [&b"one"[..], b"two", b"three", b"token"].map(ContentHash::from_content);
    let mut old = connection(&file).await;
    sql::migrator(&MIGRATIONS[..4]).run(&mut old).await.unwrap();
    let inserted = format!(
        "INSERT INTO texts VALUES ('{text}', 3, 100, '{token}');
         INSERT INTO jobs (id, body, ended, expires_at, attempt, owner) VALUES ('{job}', 'open', 0, {}, 7, NULL),
             ('{ended}', 'ended', 1, 200, 1, '{token}'), ('{gone}', NULL, 1, 50, 1, '{token}');
         INSERT INTO links VALUES ('{link}', 'shared', '{token}', 60, NULL);
         INSERT INTO uses VALUES ('{text}', '{one}'), ('{ended}', '{one}'), ('{ended}', '{two}'), ('{link}', '{two}');
         INSERT INTO dropped VALUES ('{three}');
         INSERT INTO requests VALUES ('{one}', '{two}', '{ended}', 300), ('{two}', NULL, '{job}', 400), ('{three}', NULL, '{}', 500)",
        i64::MAX,
        Id::random()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(inserted)).execute(&mut old).await.unwrap();
    old.close().await.unwrap();
    let rows = SqliteRows::open(&file).await.unwrap();
    assert_eq!(rows.text(text).await.unwrap(), Some(TextRow { hash: one, bytes: 3, expires_at: 100, owner: Some(token) }));
    assert_eq!(rows.open_jobs().await.unwrap(), [job]);
    let row = |body: &str, attempt, ended_until, owner| {
        RowLookup::Here(JobRow { body: body.into(), files: vec![], attempt, ended_until, owner, requests: vec![] })
    };
    assert_eq!(rows.job(job).await.unwrap(), row("open", 7, None, None));
    assert_eq!(rows.job(ended).await.unwrap(), row("ended", 1, Some(200), Some(token)));
    assert_eq!(rows.job(gone).await.unwrap(), RowLookup::Gone);
    let shared = LinkRow { body: "shared".into(), token, created_at: 60, expires_at: None };
    assert_eq!(rows.link(link).await.unwrap(), RowLookup::Here(shared));
    assert_eq!(rows.unused(vec![one, two, three]).await.unwrap(), [three]);
    assert_eq!(rows.unreferenced_files(None, 9).await.unwrap(), [three]);
    let request = |name, body_hash, expires_at| RequestRow { name, body_hash, expires_at };
    assert_eq!(rows.request(one).await.unwrap(), Some((request(one, Some(two), 300), ended)));
    assert_eq!(rows.request(two).await.unwrap(), Some((request(two, None, 400), job)));
    assert_eq!(rows.request(three).await.unwrap(), None, "a request of an unknown job is dropped");
    // New writes and removals meet old rows: the text and the ended job are deleted, and with them the last use of one
    // file.
    assert_eq!(
        rows.put_job(
            job,
            JobRow { body: "later".into(), files: vec![three], attempt: 7, ended_until: Some(900), owner: None, requests: vec![] }
        )
        .await
        .unwrap(),
        PutOutcome::Written
    );
    assert!(rows.expire(250, 0, 10).await.unwrap() > 0);
    assert_eq!(rows.unused(vec![one, two, three]).await.unwrap(), [one]);
    assert_eq!(rows.unreferenced_files(None, 9).await.unwrap(), [one], "the other file is in use again");
    assert_eq!(rows.job(ended).await.unwrap(), RowLookup::Gone);
}

#[tokio::test]
async fn database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    SqliteRows::open(&file).await.unwrap().writer.close().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, '', 1, x'', 0)";
    sqlx::raw_sql(newer).execute(&mut connection(&file).await).await.unwrap();
    let error = SqliteRows::open(&file).await.unwrap_err();
    assert!(error.to_string().contains("newer version (tables 9999)"), "{error:#}");
}

#[tokio::test]
async fn deleted_rows_are_erased_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let rows = SqliteRows::open(&file).await.unwrap();
    let secret = "whatever somebody called the text";
    let row = JobRow { body: secret.repeat(200), files: vec![], attempt: 0, ended_until: Some(100), owner: None, requests: vec![] };
    rows.put_job(Id::random(), row).await.unwrap();
    let holds = || {
        let of = |name| std::fs::read(folder.path().join(name)).unwrap();
        ["rows.sqlite", "rows.sqlite-wal"].map(|name| of(name).windows(secret.len()).any(|part| part == secret.as_bytes()))
    };
    assert_ne!(holds(), [false; 2]);
    assert_eq!(rows.expire(100, 0, 10).await.unwrap(), 1);
    assert_eq!(holds(), [false; 2]);
}

#[tokio::test]
async fn idle_checkpoint_writes_the_log_into_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let rows = SqliteRows::open(&file).await.unwrap();
    let said = "what a job says";
    let row = JobRow { body: said.into(), files: vec![], attempt: 0, ended_until: None, owner: None, requests: vec![] };
    rows.put_job(Id::random(), row).await.unwrap();
    let comes = async {
        while !std::fs::read(&file).unwrap().windows(said.len()).any(|part| part == said.as_bytes()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), comes).await.expect("the row is written in time");
}

#[tokio::test]
async fn locked_database_answers_readers_and_reports_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let rows = SqliteRows::open(&file).await.unwrap();
    let mut other = connection(&file).await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let (locked, read) = tokio::join!(rows.probe(), async {
        let start = std::time::Instant::now();
        rows.open_jobs().await.unwrap();
        start.elapsed()
    });
    assert_eq!(locked.unwrap_err().kind, StorageErrorKind::Unavailable);
    assert!(read < SQLITE_LOCK_TIMEOUT / 2, "{read:?}");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    rows.probe().await.unwrap();
}

#[tokio::test]
async fn queries_of_the_collector_use_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = SqliteRows::open(&folder.path().join("rows.sqlite")).await.unwrap();
    for statement in [
        "EXPLAIN QUERY PLAN SELECT number FROM texts WHERE expires_at <= 1 ORDER BY expires_at, number LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT number FROM jobs WHERE body IS NOT NULL AND expires_at <= 1 ORDER BY expires_at, number LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT number FROM jobs WHERE body IS NULL AND expires_at <= 1 ORDER BY expires_at, number LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT number FROM links WHERE body IS NOT NULL AND expires_at <= 1 ORDER BY expires_at, number LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE ended = 0 AND body IS NOT NULL",
        "EXPLAIN QUERY PLAN DELETE FROM uses WHERE kind = 1 AND owner IN (SELECT number FROM jobs WHERE body IS NOT NULL AND expires_at <= 1)",
        "EXPLAIN QUERY PLAN SELECT 1 FROM uses WHERE hash = x''",
    ] {
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(statement).fetch_all(&rows.readers).await.unwrap();
        assert!(plan.iter().all(|step| !step.3.contains("SCAN") || step.3.contains("INDEX")), "{statement}: {plan:?}");
    }
}
