//! A temporary outage of the database: accepted jobs wait for it.

use std::time::Duration;

use serde_json::json;
use tokio::task::block_in_place;
use tokio::time::sleep;

use super::processes::Processes;
use super::{large_job, rest, running};

#[tokio::test(flavor = "multi_thread")]
async fn result_waits_for_an_unavailable_database() {
    let Some(mut site) = Processes::start("outage").await else { return };
    let web = site.programs[0].web.clone();
    let (job, distance) = large_job(&web).await;
    let id = web.submit(&job).await;
    let events = web.events(&format!("/api/v1/jobs/{id}/events")).await;
    while running(&site.programs[2].web).await + running(&site.programs[3].web).await == 0 {
        sleep(Duration::from_millis(20)).await;
    }
    block_in_place(|| site.postgres.kill());
    // Longer than the job takes.
    sleep(Duration::from_secs(15)).await;
    block_in_place(|| site.postgres.restart());
    let heard = rest(events).await;
    let last = heard.last().unwrap();
    assert_eq!((last.event.as_str(), &last.data["distance"], last.id >> 32), ("answer", &json!(distance), 1), "{heard:?}");
}
