//! What is SQLite's own: databases of older and of newer versions, and failures by their codes.

use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use super::*;
use crate::ports::rows::conformance;

#[tokio::test]
async fn sqlite_keeps_rows() {
    let folder = tempfile::tempdir().unwrap();
    conformance::check(&SqliteRows::open(&folder.path().join("rows.sqlite")).await.unwrap()).await;
}

#[tokio::test]
async fn every_migration_of_the_folder_is_listed_under_its_number_and_name() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"));
    let migrations = |of: Migrator| {
        of.iter().map(|one| (one.version, one.description.to_string(), one.checksum.to_vec(), one.no_tx)).collect::<Vec<_>>()
    };
    assert_eq!(migrations(migrator()), migrations(Migrator::new(folder).await.unwrap()));
}

#[tokio::test]
async fn a_row_that_fails_takes_none_with_it_that_came_at_the_same_moment() {
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
            Ok(put) => assert_eq!((put, is_wrong(at)), (Put::Written, false), "{at}"),
            Err(error) => assert_eq!((error.trouble, is_wrong(at)), (Trouble::Broken, true), "{at}: {error}"),
        }
    }
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(matches!(rows.job(*id).await.unwrap(), Found::Here(_)), !is_wrong(at), "{at}");
    }
}

async fn connection(file: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file).create_if_missing(true)).await.unwrap()
}

/// The tables of version 1 as they were made then, with rows.
const VERSION_1: &str = "
    CREATE TABLE texts (id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE jobs (id TEXT PRIMARY KEY, body TEXT, ended INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE links (id TEXT PRIMARY KEY, body TEXT, token TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
    CREATE TABLE uses (owner TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (owner, hash)) WITHOUT ROWID;
    PRAGMA user_version = 1;";

#[tokio::test]
async fn a_database_of_before_migrations_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    let (text, job, link, key) = (Id::random(), Id::random(), Id::random(), Hash::of(b"kitten"));
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
            matches!(rows.link(link).await.unwrap(), Found::Here(LinkRow { token, created_at: 50, expires_at: None, .. }) if token == key)
        );
        rows.writer.close().await;
    }
}

#[tokio::test]
async fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.sqlite");
    SqliteRows::open(&file).await.unwrap().writer.close().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, '', 1, x'', 0)";
    sqlx::raw_sql(newer).execute(&mut connection(&file).await).await.unwrap();
    let error = SqliteRows::open(&file).await.unwrap_err();
    assert!(error.to_string().contains("newer version (tables 9999)"), "{error:#}");
}

#[tokio::test]
async fn what_is_deleted_is_not_left_in_the_file() {
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
async fn a_locked_database_answers_readers_and_says_that_it_is_locked() {
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
    assert_eq!(locked.unwrap_err().trouble, Trouble::Unavailable);
    assert!(read < LOCKED / 2, "{read:?}");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    rows.probe().await.unwrap();
}

#[tokio::test]
async fn the_collector_looks_rows_up() {
    let folder = tempfile::tempdir().unwrap();
    let rows = SqliteRows::open(&folder.path().join("rows.sqlite")).await.unwrap();
    for statement in [
        "EXPLAIN QUERY PLAN SELECT id FROM texts WHERE expires_at <= 1 ORDER BY expires_at, id LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE body IS NOT NULL AND expires_at <= 1 ORDER BY expires_at, id LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE body IS NULL AND expires_at <= 1 ORDER BY expires_at, id LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT id FROM links WHERE body IS NOT NULL AND expires_at <= 1 ORDER BY expires_at, id LIMIT 9",
        "EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE ended = 0 AND body IS NOT NULL",
    ] {
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(statement).fetch_all(&rows.readers).await.unwrap();
        assert!(plan.iter().all(|step| step.3.contains("INDEX")), "{statement}: {plan:?}");
    }
}
