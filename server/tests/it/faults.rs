//! Disks and databases that fail, and clients that leave: every job comes to an end that is told.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, raw_sql};
use tokio::time::{sleep, timeout};

use crate::client::{Server, job};

/// The database, as another program has it.
async fn database(server: &Server) -> SqliteConnection {
    let file = server.state.config.data.join("editscope.sqlite");
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.unwrap()
}

/// Returns when the only job's row says that it has ended.
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
    timeout(Duration::from_secs(20), ended).await.expect("the job has a row and comes to its end");
}

/// A job that runs for a moment, so that there is time to break something before its end.
async fn start(server: &Server) -> String {
    let id = server.web.submit(&server.web.slow_job().await).await;
    server.web.wait_for(&id, "running").await;
    id
}

/// The last event that listeners hear, and the job as it is found afterwards.
async fn end(server: &Server, id: &str) -> (Value, Value) {
    let events = server.web.events(&format!("/api/v1/jobs/{id}/events")).await;
    let heard = timeout(Duration::from_secs(60), events.all()).await.expect("the stream ends");
    (heard.last().unwrap().data.clone(), server.web.get(&format!("/api/v1/jobs/{id}")).await.json())
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_a_failed_job() {
    let server = Server::start().await;
    let id = server.web.submit(&job("edit-distance", json!({}), "kitten", "sitting")).await;
    let unfinished = server.state.config.data.join("unfinished");
    // Whether or not the first one was quicker than this.
    std::fs::remove_dir_all(&unfinished).unwrap();
    let solved = server.web.solve(&job("lcs", json!({}), "kitten", "sitting")).await;
    let (last, found) = end(&server, solved["id"].as_str().unwrap()).await;
    assert_eq!((&last["type"], &last["kind"]), (&json!("failed"), &json!("engine")), "{last}");
    assert_eq!((&found["state"], &found["failure"]["kind"]), (&json!("failed"), &json!("engine")), "{found}");
    std::fs::create_dir(&unfinished).unwrap();
    let _ = end(&server, &id).await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_refused_and_taken_again_later() {
    let server = Server::start().await;
    let typed = job("edit-distance", json!({}), "kitten", "sitting");
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let refused = server.web.post("/api/v1/jobs", &typed).await;
    assert!(!refused.header("retry-after").is_empty());
    refused.problem(503, "not-ready");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    assert_eq!(server.web.solve(&typed).await["answer"]["distance"], 3);

    // Nothing can be made where there is no folder.
    let unfinished = server.state.config.data.join("unfinished");
    std::fs::remove_dir(&unfinished).unwrap();
    server.web.post("/api/v1/jobs", &job("lcs", json!({}), "new", "texts")).await.problem(503, "not-ready");
    std::fs::create_dir(&unfinished).unwrap();
    assert_eq!(server.web.solve(&job("lcs", json!({}), "new", "texts")).await["answer"]["length"], 1);
}

#[tokio::test]
async fn the_end_of_a_job_is_written_once_the_database_takes_it() {
    let server = Server::start().await;
    let id = start(&server).await;
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    assert_eq!(server.web.delete(&format!("/api/v1/jobs/{id}")).await.status, 202);
    // Longer than the server waits for a lock, twice.
    sleep(Duration::from_secs(12)).await;
    let (last, found) = end(&server, &id).await;
    assert!(["failed", "cancelled"].contains(&last["type"].as_str().unwrap()), "{last}");
    assert!(["failed", "cancelled"].contains(&found["state"].as_str().unwrap()), "{found}");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    until_ended(&mut other).await;
}

#[tokio::test]
async fn a_job_is_taken_though_its_sender_has_left() {
    let server = Server::start().await;
    let mut other = database(&server).await;
    raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let job = job("edit-distance", json!({}), "kitten", "sitting");
    let sent = timeout(Duration::from_millis(700), server.web.post("/api/v1/jobs", &job)).await;
    assert!(sent.is_err(), "the row waits for the lock");
    raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    until_ended(&mut other).await;
}
