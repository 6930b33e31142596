//! Failing disks and databases, and clients that disconnect: every job still ends and its end is published.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use server::storage::ports::faults::{AccessKind, Faults};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, raw_sql};
use tokio::time::{sleep, timeout};

use crate::client::{Server, job};

/// Opens the database as another program would.
async fn database(server: &Server) -> SqliteConnection {
    let file = server.state.config.data.join("editscope.sqlite");
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.unwrap()
}

/// Generates random letters.
fn letters(seed: u64, count: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b"ACGT"[(state >> 60 & 3) as usize])
    };
    (0..count).map(|_| next()).collect()
}

/// Waits until the row of the only job says that it has ended.
async fn until_ended(other: &mut SqliteConnection) {
    let ended = async {
        loop {
            let rows: Vec<bool> = sqlx::query_scalar("SELECT ended FROM jobs").fetch_all(&mut *other).await.unwrap();
            if rows == [true] {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(20), ended).await.expect("the job has a row and ends");
}

/// Starts a job that runs long enough to break something before its end.
async fn start(server: &Server) -> String {
    let id = server.web.submit(&server.web.slow_job().await).await;
    server.web.wait_for(&id, "running").await;
    id
}

/// Returns the last event that listeners receive, and the snapshot of the job afterwards.
async fn end(server: &Server, id: &str) -> (Value, Value) {
    let events = server.web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let heard = timeout(Duration::from_secs(60), events.all()).await.expect("the stream ends");
    (heard.last().unwrap().data.clone(), server.web.get(&format!("/api/v1/jobs/{id}")).await.json())
}

#[tokio::test]
async fn job_whose_result_cannot_be_stored_fails() {
    let server = Server::start().await;
    // The alignment of these texts is a file of its own, and a job of this size is brief even on a slow, busy machine.
    let [a, b] = [1, 2].map(|seed| letters(seed, 5_000));
    let id = server.web.submit(&job("edit-distance", json!({}), &a, &b)).await;
    let unfinished = server.state.config.data.join("unfinished");
    // Works whether or not the first job has ended already.
    std::fs::remove_dir_all(&unfinished).unwrap();
    let told = server.web.submit(&job("lcs", json!({}), &a, &b)).await;
    let (last, found) = end(&server, &told).await;
    assert_eq!((&last["type"], &last["kind"]), (&json!("failed"), &json!("engine")), "{last}");
    assert_eq!((&found["state"], &found["failure"]["kind"]), (&json!("failed"), &json!("engine")), "{found}");
    // An awaited job is private until it has a row, so that the request itself fails.
    server.web.post("/api/v1/jobs?wait=30", &job("lcs", json!({}), &a, &b)).await.problem(503, "not-ready");
    std::fs::create_dir(&unfinished).unwrap();
    let _ = end(&server, &id).await;
}

#[tokio::test]
async fn job_that_cannot_be_stored_is_refused_and_accepted_later() {
    let server = Server::start().await;
    let typed = job("edit-distance", json!({}), "kitten", "sitting");
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let refused = server.web.post("/api/v1/jobs", &typed).await;
    assert!(!refused.header("retry-after").is_empty());
    refused.problem(503, "not-ready");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    assert_eq!(server.web.solve(&typed).await["answer"]["distance"], 3);

    // No file can be created without this folder.
    let unfinished = server.state.config.data.join("unfinished");
    std::fs::remove_dir(&unfinished).unwrap();
    let long = job("lcs", json!({}), &letters(3, 20_000), "texts");
    server.web.post("/api/v1/jobs", &long).await.problem(503, "not-ready");
    std::fs::create_dir(&unfinished).unwrap();
    assert_eq!(server.web.solve(&long).await["answer"]["length"], 0);

    // Short contents are rows of a database.
    let short = job("lcs", json!({}), "new", "texts");
    let file = server.state.config.data.join("files.sqlite");
    let mut files = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.unwrap();
    raw_sql("BEGIN IMMEDIATE").execute(&mut files).await.unwrap();
    server.web.post("/api/v1/jobs?wait=1", &short).await.problem(503, "not-ready");
    raw_sql("ROLLBACK").execute(&mut files).await.unwrap();
    assert_eq!(server.web.solve(&short).await["answer"]["length"], 1);
}

/// An awaited brief job that cannot be stored leaves nothing, and its request receives the reason.
#[tokio::test]
async fn awaited_answer_that_cannot_be_stored_leaves_no_rows() {
    let server = Server::start().await;
    let mut rows = database(&server).await;
    for (number, name) in ["editscope.sqlite", "files.sqlite"].into_iter().enumerate() {
        let typed = job("edit-distance", json!({}), &format!("kitten {number}"), "sitting");
        let file = server.state.config.data.join(name);
        let mut locked = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.unwrap();
        raw_sql("BEGIN IMMEDIATE").execute(&mut locked).await.unwrap();
        server.web.post("/api/v1/jobs?wait=30", &typed).await.problem(503, "not-ready");
        raw_sql("ROLLBACK").execute(&mut locked).await.unwrap();
        assert_eq!(server.state.jobs.counts(), (0, 0), "{name}");
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM jobs").fetch_one(&mut rows).await.unwrap();
        assert_eq!(left, number as i64, "only answered jobs have a row: {name}");
        assert_eq!(server.web.solve(&typed).await["answer"]["distance"], 4);
    }
}

/// An awaited job has no row before it ends. A client that stops waiting is told of a job that has one.
#[tokio::test]
async fn job_that_a_client_knows_has_a_row() {
    let server = Server::start().await;
    let mut other = database(&server).await;
    let mut rows = async || -> i64 { sqlx::query_scalar("SELECT count(*) FROM jobs").fetch_one(&mut other).await.unwrap() };
    assert_eq!(server.web.solve(&job("lcs", json!({}), "kitten", "sitting")).await["answer"]["length"], 4);
    assert_eq!(rows().await, 1);
    // One millisecond is too short for this job.
    let brief = job("edit-distance", json!({}), &letters(1, 9_000), &letters(2, 9_000));
    let told = server.web.post("/api/v1/jobs?wait=0.001", &brief).await;
    assert_eq!(told.status, 202, "{}", told.text);
    assert_eq!(rows().await, 2);
    let id = told.json()["id"].as_str().unwrap().to_owned();
    let token = told.json()["delete_token"].as_str().unwrap().to_owned();
    server.web.wait_for(&id, "succeeded").await;
    let delete = server.web.request(Method::DELETE, &format!("/api/v1/jobs/{id}")).bearer_auth(token);
    assert_eq!(server.web.send(delete).await.status, 204, "the first row names the owner");

    // While the database is locked, no client is told of a job without a row.
    let mut locked = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut locked).await.unwrap();
    let refused = server.web.post("/api/v1/jobs?wait=0.001", &job("edit-distance", json!({}), &letters(1, 9_001), "kitten")).await;
    refused.problem(503, "not-ready");
    raw_sql("ROLLBACK").execute(&mut locked).await.unwrap();
}

#[tokio::test]
async fn end_of_a_job_is_stored_once_the_database_accepts_writes() {
    let server = Server::start().await;
    let id = start(&server).await;
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    assert_eq!(server.web.delete(&format!("/api/v1/jobs/{id}")).await.status, 202);
    // Longer than two lock timeouts of the server.
    sleep(Duration::from_secs(12)).await;
    let (last, found) = end(&server, &id).await;
    assert!(["failed", "cancelled"].contains(&last["type"].as_str().unwrap()), "{last}");
    assert!(["failed", "cancelled"].contains(&found["state"].as_str().unwrap()), "{found}");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    until_ended(&mut other).await;
}

/// A client that asks for a row of another version is told so, and everything else works.
#[tokio::test]
async fn unreadable_rows_are_reported() {
    let server = Server::start().await;
    let solve = async |a: &str| server.web.post("/api/v1/jobs?wait=30", &job("edit-distance", json!({}), a, "sitting")).await.json();
    let (broken, whole) = (solve("kitten").await, solve("mitten").await);
    let [broken_id, whole_id] = [&broken, &whole].map(|job| job["id"].as_str().unwrap().to_owned());
    let link = server.web.post("/api/v1/links", &json!({ "job": broken_id, "lifetime": "30d" })).await.json();
    let link = link["id"].as_str().unwrap();
    let mut other = database(&server).await;
    let newer = json!({ "record": { "snapshot": "of another version" } }).to_string();
    for (update, id) in
        [("UPDATE jobs SET body = ?1 WHERE id = ?2", broken_id.as_str()), ("UPDATE links SET body = ?1 WHERE id = ?2", link)]
    {
        sqlx::query(update).bind(&newer).bind(id).execute(&mut other).await.unwrap();
    }
    raw_sql("INSERT INTO jobs (id, body, ended, expires_at) VALUES ('no id at all', '{}', 0, 9223372036854775807)")
        .execute(&mut other)
        .await
        .unwrap();
    for part in ["", "/events", "/alignment", "/texts/a", "/export?format=cigar"] {
        let said = server.web.get(&format!("/api/v1/jobs/{broken_id}{part}")).await.problem(409, "no-result");
        assert!(said["detail"].as_str().unwrap().contains("Another version"), "{said}");
    }
    server.web.get(&format!("/api/v1/links/{link}")).await.problem(409, "no-result");
    let again = solve("kitten").await;
    assert_eq!((&again["answer"]["distance"], &again["reused"]), (&json!(3), &Value::Null), "the job is solved again");
    assert_eq!(server.web.get(&format!("/api/v1/jobs/{whole_id}")).await.status, 200);
    server.collect().await;
    assert_eq!(server.state.jobs.recover().await.unwrap(), 0, "a row with an invalid id is ignored");
    let delete =
        server.web.request(Method::DELETE, &format!("/api/v1/jobs/{broken_id}")).bearer_auth(broken["delete_token"].as_str().unwrap());
    assert_eq!(server.web.send(delete).await.status, 204);
    server.web.get(&format!("/api/v1/jobs/{broken_id}")).await.problem(410, "gone");
}

/// The bus can neither publish nor be read: waiting clients are not answered too early, and the row has the end.
#[tokio::test]
async fn jobs_end_even_if_the_bus_fails() {
    for access in [AccessKind::Write, AccessKind::Read] {
        let faults = Faults::default();
        let server = Server::on(tempfile::tempdir().unwrap(), |ports| ports, faults.clone()).await;
        let running = start(&server).await;
        faults.fail(access, 0, u64::MAX, std::io::ErrorKind::BrokenPipe);
        let small = job("edit-distance", json!({}), "kitten", "sitting");
        let sent =
            timeout(Duration::from_secs(60), server.web.post("/api/v1/jobs?wait=20", &small)).await.expect("the request is answered");
        let id = sent.json()["id"].as_str().unwrap().to_owned();
        if sent.status == 200 {
            assert_eq!(sent.json()["answer"]["distance"], 3, "{access:?}: wrong answer");
        } else {
            assert_eq!(sent.status, 202);
        }
        assert_eq!(server.web.wait_for(&id, "succeeded").await["answer"]["distance"], 3);
        let (last, found) = end(&server, &id).await;
        assert_eq!((&last["type"], &found["state"]), (&json!("answer"), &json!("succeeded")), "the row has the answer");
        // A client that received nothing reconnects, and receives the end once the bus works again.
        faults.heal();
        server.web.delete(&format!("/api/v1/jobs/{running}")).await;
        server.web.wait_for(&running, "cancelled").await;
        let (last, _) = end(&server, &running).await;
        assert_eq!(last["type"], "cancelled");
    }
}

/// The token of such a link is lost, so that the link would stay forever.
#[tokio::test]
async fn link_whose_creator_disconnected_is_deleted() {
    let server = Server::start().await;
    let solved = server.web.solve(&job("edit-distance", json!({}), "kitten", "sitting")).await;
    let link = json!({ "job": solved["id"], "lifetime": "until-deleted" });
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let sent = timeout(Duration::from_millis(700), server.web.post("/api/v1/links", &link)).await;
    assert!(sent.is_err(), "the row waits for the lock");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    let gone = async {
        loop {
            // A row without a body remembers a deleted link.
            let rows: Vec<bool> = sqlx::query_scalar("SELECT body IS NULL FROM links").fetch_all(&mut other).await.unwrap();
            if rows == [true] {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(20), gone).await.expect("the link of the lost client is deleted");
    assert_eq!(server.web.post("/api/v1/links", &link).await.status, 201, "a connected client gets a link");
}

#[tokio::test]
async fn job_is_solved_even_if_its_sender_disconnected() {
    let server = Server::start().await;
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let job = job("edit-distance", json!({}), "kitten", "sitting");
    let sent = timeout(Duration::from_millis(700), server.web.post("/api/v1/jobs", &job)).await;
    assert!(sent.is_err(), "the row waits for the lock");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    until_ended(&mut other).await;
}
