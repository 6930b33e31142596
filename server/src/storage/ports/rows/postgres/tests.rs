//! Tests of PostgreSQL itself: several servers on one database, and a failing database.

use std::collections::HashSet;
use std::time::Instant;

use futures::future::{join_all, try_join_all};
use services::{PASSWORD, Postgres};
use tokio::time::sleep;

use super::session::MIGRATIONS;
use super::*;
use crate::storage::ports::StorageErrorKind;
use crate::storage::ports::rows::{conformance, sql};

fn job(body: &str, files: &[ContentHash], attempt: u32, ended_until: Option<u64>) -> JobRow {
    JobRow { body: body.into(), files: files.to_vec(), attempt, ended_until, owner: None, requests: Vec::new() }
}

fn new_database() -> Option<PostgresAddress> {
    Some(Postgres::shared()?.database().parse().unwrap())
}

/// Lets `count` servers open the same database at the same time.
async fn servers(address: &PostgresAddress, count: usize) -> Vec<PostgresRows> {
    try_join_all((0..count).map(|_| PostgresRows::open(address))).await.unwrap()
}

#[tokio::test]
async fn postgres_conforms() {
    let Some(address) = new_database() else { return };
    conformance::check(&PostgresRows::open(&address).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrently_started_servers_create_the_tables_once() {
    let Some(address) = new_database() else { return };
    let servers = servers(&address, 6).await;
    let steps: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations").fetch_one(&servers[0].pool).await.unwrap();
    assert_eq!(steps as usize, MIGRATIONS.len());
    let secrets = try_join_all(servers.iter().zip(1..).map(|(server, byte)| server.secret([byte; 32]))).await.unwrap();
    assert_eq!(secrets.iter().collect::<HashSet<_>>().len(), 1, "the first server creates the secret");
}

#[tokio::test]
async fn every_migration_of_the_folder_is_listed() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres"));
    let steps = |of: sqlx::migrate::Migrator| {
        of.iter().map(|one| (one.version, one.description.to_string(), one.checksum.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(steps(sql::migrator(&MIGRATIONS)), steps(sqlx::migrate::Migrator::new(folder).await.unwrap()));
}

#[tokio::test]
async fn database_of_a_newer_version_is_refused() {
    let Some(address) = new_database() else { return };
    let rows = PostgresRows::open(&address).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, '', true, '', 0)";
    sqlx::raw_sql(newer).execute(&rows.pool).await.unwrap();
    let error = format!("{:#}", PostgresRows::open(&address).await.unwrap_err());
    assert!(error.contains("newer version (tables 9999)") && !error.contains(PASSWORD), "{error}");
}

/// Checks concurrent writes of many jobs by several servers, each in another order, with later attempts and ends.
#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_of_several_servers_ends_each_job() {
    const JOBS: usize = 60;
    let Some(address) = new_database() else { return };
    let servers = servers(&address, 4).await;
    let ids: Vec<Id> = (0..JOBS).map(|_| Id::random()).collect();
    let files = |server: usize| [ContentHash::from_content(b"shared"), ContentHash::from_content(&[server as u8])];
    let asked = RequestRow { name: ContentHash::from_content(b"asked"), body_hash: None, expires_at: 1_000 };
    let writers = servers.iter().enumerate().map(|(number, server)| {
        let mut order = ids.clone();
        order.rotate_left(number * JOBS / 4);
        if number % 2 == 1 {
            order.reverse();
        }
        async move {
            let begun = order
                .iter()
                .map(|id| server.put_job(*id, JobRow { requests: vec![asked], ..job("begun", &files(number), number as u32, None) }));
            join_all(begun).await.into_iter().for_each(|put| assert!(put.is_ok()));
            let ended = order.iter().map(|id| {
                let end = server.put_job(*id, job(&number.to_string(), &files(number), number as u32, Some(5_000)));
                async move { (end.await.unwrap() == PutOutcome::Written).then_some(*id) }
            });
            join_all(ended).await.into_iter().flatten().collect::<Vec<Id>>()
        }
    });
    let ended: Vec<Vec<Id>> = join_all(writers).await;
    let by: std::collections::HashMap<Id, usize> =
        ended.iter().enumerate().flat_map(|(server, ids)| ids.iter().map(move |id| (*id, server))).collect();
    assert_eq!((by.len(), ended.iter().map(Vec::len).sum::<usize>()), (JOBS, JOBS), "each job has one end");
    for id in &ids {
        let RowLookup::Here(row) = servers[0].job(*id).await.unwrap() else { panic!("job {id} is missing") };
        assert_eq!((row.body, row.attempt as usize), (by[id].to_string(), by[id]), "the row is that of the ending server");
    }
    // Refused rows use no files.
    let uses: Vec<(String, Vec<u8>)> = sqlx::query_as("SELECT body, hash FROM uses JOIN jobs ON number = uses.owner WHERE kind = 1")
        .fetch_all(&servers[0].pool)
        .await
        .unwrap();
    assert_eq!(uses.len(), 2 * JOBS);
    for (body, hash) in uses {
        assert!(files(body.parse().unwrap()).iter().any(|file| file.as_bytes()[..] == hash), "{body}");
    }
}

/// Checks files while one server removes their last use and others add and remove uses.
#[tokio::test(flavor = "multi_thread")]
async fn file_is_dropped_only_if_no_row_uses_it() {
    let Some(address) = new_database() else { return };
    let servers = servers(&address, 3).await;
    let files: Vec<ContentHash> = (0..8u8).map(|number| ContentHash::from_content(&[number])).collect();
    let users = servers.iter().enumerate().map(|(number, server)| {
        let files = &files;
        async move {
            for round in 0..12 {
                let mut these = files.clone();
                these.rotate_left((number + round) % 8);
                let (one, other) = (Id::random(), Id::random());
                server.put_job(one, job("", &these[..5], 0, None)).await.unwrap();
                server.add_text(other, TextRow { hash: these[0], bytes: 1, expires_at: 9, owner: Some(these[1]) }).await.unwrap();
                let unused = server.unused(these[..5].to_vec()).await.unwrap();
                assert!(unused.is_empty(), "files in use are reported as unused: {unused:?}");
                server.put_job(one, job("", &these[3..4], 1, None)).await.unwrap();
                server.drop_job(one).await.unwrap();
                server.delete_owned(OwnedKind::Text, other, these[1], 5).await.unwrap();
            }
        }
    });
    join_all(users).await;
    let mut sorted = files.clone();
    sorted.sort_by_key(|hash| *hash.as_bytes());
    assert_eq!(servers[0].unreferenced_files(None, 100).await.unwrap(), sorted);
    assert_eq!(servers[1].unused(sorted.clone()).await.unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_row_does_not_affect_other_rows() {
    const REFUSES: &str = "ALTER TABLE jobs ADD CHECK (body <> 'wrong')";
    let Some(address) = new_database() else { return };
    let rows = PostgresRows::open(&address).await.unwrap();
    sqlx::raw_sql(REFUSES).execute(&rows.pool).await.unwrap();
    let puts = (0..100).map(|at| rows.put_job(Id::random(), job(if at % 50 == 7 { "wrong" } else { "right" }, &[], 0, None)));
    for (at, put) in join_all(puts).await.into_iter().enumerate() {
        match put {
            Ok(put) => assert_eq!((put, at % 50 == 7), (PutOutcome::Written, false), "{at}"),
            Err(error) => assert_eq!((error.kind, at % 50 == 7), (StorageErrorKind::Broken, true), "{at}: {error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_fail_while_the_database_is_down_and_confirmed_rows_survive() {
    let Some(mut postgres) = Postgres::start() else { return };
    let address: PostgresAddress = postgres.database().parse().unwrap();
    let rows = PostgresRows::open_alone(&address).await.unwrap();
    let id = Id::random();
    let puts = (0..20).map(|_| rows.put_job(Id::random(), job("", &[], 0, None)));
    join_all(puts).await;
    rows.put_job(id, job("kept", &[], 0, None)).await.unwrap();
    postgres.kill();
    for answer in [rows.job(id).await.map(drop), rows.put_job(id, job("", &[], 0, None)).await.map(drop), rows.probe().await] {
        let error = answer.unwrap_err();
        assert_eq!(error.kind, StorageErrorKind::Unavailable, "{error}");
        assert!(!error.to_string().contains(PASSWORD), "{error}");
    }
    postgres.restart();
    let begin = Instant::now();
    while rows.probe().await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", rows.probe().await);
        sleep(Duration::from_millis(50)).await;
    }
    assert!(matches!(rows.job(id).await.unwrap(), RowLookup::Here(row) if row.body == "kept"));
    assert_eq!(rows.put_job(id, job("", &[], 0, None)).await.unwrap(), PutOutcome::Written);
}

#[tokio::test(flavor = "multi_thread")]
async fn exclusive_server_locks_the_database_again_after_a_lost_connection() {
    let Some(address) = new_database() else { return };
    let first = PostgresRows::open_alone(&address).await.unwrap();
    let error = format!("{:#}", PostgresRows::open_alone(&address).await.unwrap_err());
    assert!(error.starts_with("another server uses the database postgres://127.0.0.1:") && !error.contains(PASSWORD), "{error}");
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    sqlx::query(cut).execute(&first.pool).await.unwrap();
    let becomes = async |is_held: bool| {
        let begin = Instant::now();
        while first.probe().await.is_ok() != is_held {
            assert!(begin.elapsed() < Duration::from_secs(20), "{is_held}");
            sleep(Duration::from_millis(10)).await;
        }
    };
    becomes(false).await;
    becomes(true).await;
    drop(first);
    PostgresRows::open_alone(&address).await.unwrap();
}

/// Checks that servers with a shared lock share the database, and that one with an exclusive lock excludes them.
#[tokio::test(flavor = "multi_thread")]
async fn servers_share_a_database_only_if_all_of_them_do() {
    let Some(address) = new_database() else { return };
    let shared = try_join_all([(); 2].map(|()| PostgresRows::open_shared(&address))).await.unwrap();
    let refused = format!("{:#}", PostgresRows::open_alone(&address).await.unwrap_err());
    assert!(refused.contains("another server uses the database") && !refused.contains(PASSWORD), "{refused}");
    for rows in &shared {
        rows.probe().await.unwrap();
    }
    drop(shared);
    let _alone = PostgresRows::open_alone(&address).await.unwrap();
    let refused = format!("{:#}", PostgresRows::open_shared(&address).await.unwrap_err());
    assert!(refused.contains("a server without EDITSCOPE_NATS uses the database") && !refused.contains(PASSWORD), "{refused}");
}
