//! A rolling upgrade: the processes of a cluster are replaced one by one by this version, while it is used.
//! `EDITSCOPE_TEST_OLD` is the program of the previous version.

use std::env;
use std::path::PathBuf;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::processes::{Processes, SWEEPER};
use super::{END, large_job, rest};
use crate::client::{Web, typed};

/// Objects that both versions must show alike: a brief job, a large one, a link, a private link, an upload.
struct Made {
    addresses: Vec<String>,
    upload: String,
}

/// Solves jobs on any worker, and creates one object of each stored kind.
async fn made_by(web: &Web) -> Made {
    let brief = web.solve(&typed("kitten", "sitting")).await;
    assert_eq!(brief["answer"]["distance"], 3, "{brief}");
    let (job, distance) = large_job(web).await;
    let large = web.submit(&job).await;
    let heard = rest(web.events(&format!("/api/v1/jobs/{large}/events")).await).await;
    assert_eq!(heard.last().unwrap().data["distance"], distance, "{heard:?}");
    let link = web.post("/api/v1/links", &json!({ "job": large, "lifetime": "30d" })).await.json();
    let sealed = web.send(web.request(Method::POST, "/api/v1/sealed?lifetime=1d").body("sealed bytes")).await.json();
    let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
    let addresses =
        vec![format!("jobs/{}", id(&brief)), format!("jobs/{large}"), format!("links/{}", id(&link)), format!("sealed/{}", id(&sealed))];
    Made { addresses, upload: web.upload("kitten").await }
}

/// Asserts that both nodes show all objects alike.
async fn is_seen_alike(made: &Made, one: &Web, other: &Web) {
    for address in &made.addresses {
        let [one, other] = [one.get(&format!("/api/v1/{address}")).await, other.get(&format!("/api/v1/{address}")).await];
        assert_eq!((one.status, other.status), (200, 200), "{address}: {} {}", one.text, other.text);
        assert_eq!(one.text, other.text, "{address}");
    }
    for web in [one, other] {
        let solved = web.solve(&json!({ "task": "edit-distance", "a": { "upload": made.upload }, "b": { "text": "sitting" } })).await;
        assert_eq!(solved["answer"]["distance"], 3, "{solved}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "wants the program of another version: EDITSCOPE_TEST_OLD"]
async fn processes_can_be_upgraded_one_by_one() {
    let old = PathBuf::from(env::var("EDITSCOPE_TEST_OLD").expect("EDITSCOPE_TEST_OLD is the program of another version"));
    let Some(mut site) = Processes::of("upgrade", Vec::new(), Some(old)).await else { return };
    let before = made_by(&site.programs[0].web).await;
    // One worker of each version; any free one takes the jobs.
    site.replace(3).await;
    let with_a_new_worker = made_by(&site.programs[0].web).await;
    // One web node of each version; each shows the other's objects.
    site.replace(1).await;
    let [old_web, new_web] = [0, 1].map(|at| site.programs[at].web.clone());
    let by_a_new_node = made_by(&new_web).await;
    for made in [&before, &with_a_new_worker, &by_a_new_node] {
        is_seen_alike(made, &old_web, &new_web).await;
    }
    // The old node accepted the job, and its worker is replaced while the job runs. A client at the new node receives
    // its end.
    let (job, distance) = large_job(&old_web).await;
    let id = old_web.submit(&job).await;
    let events = new_web.events(&format!("/api/v1/jobs/{id}/events")).await;
    site.replace(2).await;
    let heard = timeout(END, rest(events)).await.expect("the end of the job is received");
    assert_eq!(heard.last().unwrap().data["distance"], distance, "{heard:?}");
    for at in [0, SWEEPER] {
        site.replace(at).await;
    }
    let [one, other] = [0, 1].map(|at| site.programs[at].web.clone());
    for made in [&before, &with_a_new_worker, &by_a_new_node] {
        is_seen_alike(made, &one, &other).await;
    }
}
