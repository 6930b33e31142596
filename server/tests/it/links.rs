//! Links: a result that outlives its job, until it expires or is deleted by its token.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use server::storage::ports::clock::ManualClock;
use server::storage::ports::faults::Faults;
use server::storage::ports::files::ContentHash;
use server::storage::ports::files::folder::FolderFiles;
use server::store::record::StoredResult;
use server::store::{Link, Ports, RowLookup, UNUSED_FILE_GRACE};

use crate::client::{Got, Server, Web, job, typed};

async fn share(web: &Web, job: &str, lifetime: &str) -> Got {
    web.post("/api/v1/links", &json!({ "job": job, "lifetime": lifetime })).await
}

async fn delete(web: &Web, id: &str, token: &str) -> Got {
    web.send(web.request(Method::DELETE, &format!("/api/v1/links/{id}")).header("authorization", format!("Bearer {token}"))).await
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

fn text_of(value: &Value, name: &str) -> String {
    text(value, name).to_owned()
}

#[tokio::test]
async fn link_shows_the_same_result_until_it_is_deleted() {
    let server = Server::start().await;
    let upload = server.web.upload("kitten").await;
    let job = server.web.solve(&json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": "sitting" } })).await;
    let made = share(&server.web, text(&job, "id"), "30d").await;
    assert_eq!(made.status, 201);
    let made = made.json();
    let (id, token) = (text(&made, "id"), text(&made, "delete_token"));
    assert_eq!(made["url"], format!("/r/{id}"));
    let lifetime = made["expires_at"].as_u64().unwrap() - server.state.store.clock.seconds();
    assert!((30 * 86_400 - 60..=30 * 86_400).contains(&lifetime), "{lifetime} s");
    assert_ne!(id, text(&job, "id"));

    let shown = server.web.get(&format!("/api/v1/links/{id}")).await.json();
    for name in ["task", "options", "state", "answer", "metrics", "plan", "b"] {
        assert_eq!(shown[name], job[name], "{name}");
    }
    assert_eq!((&shown["id"], &shown["a"]["upload"]), (&json!(id), &Value::Null), "the id of the upload is not shared");
    assert!(!shown.to_string().contains(token));
    let parts =
        ["alignment?from=2&len=3", "overview?points=3", "differences/1", "texts/a", "texts/b", "export?format=cigar", "export?format=text"];
    for part in parts {
        let of_job = server.web.get(&format!("/api/v1/jobs/{}/{part}", text(&job, "id"))).await;
        let of_link = server.web.get(&format!("/api/v1/links/{id}/{part}")).await;
        assert_eq!((of_link.status, of_link.text), (200, of_job.text), "{part}");
    }

    server.web.delete(&format!("/api/v1/links/{id}")).await.problem(403, "forbidden");
    delete(&server.web, id, text(&job, "id")).await.problem(403, "forbidden");
    assert_eq!(delete(&server.web, id, token).await.status, 204);
    server.web.get(&format!("/api/v1/links/{id}")).await.problem(410, "gone");
    for part in parts {
        server.web.get(&format!("/api/v1/links/{id}/{part}")).await.problem(410, "gone");
    }
    delete(&server.web, id, token).await.problem(410, "gone");
}

#[tokio::test]
async fn link_keeps_the_hits_of_a_search() {
    let server = Server::start().await;
    let made = server.web.solve(&job("match-count", json!({ "max_mismatches": 1 }), "aba", &"abc".repeat(400))).await;
    let (id, link) = (text(&made, "id").to_owned(), share(&server.web, text(&made, "id"), "1d").await.json());
    let parts = ["hits?from=390&len=20", "profile?points=7", "alignment?hit=399", "export?format=csv", "export?format=profile-csv"];
    let mut of_job = Vec::new();
    for part in parts {
        let got = server.web.get(&format!("/api/v1/jobs/{id}/{part}")).await;
        assert_eq!(got.status, 200, "{part}: {}", got.text);
        of_job.push(got.text);
    }
    // Deletes the job and everything that only it uses. Files are collected ten minutes later.
    server.state.store.drop_job(id.parse().unwrap()).get().await.unwrap();
    server.collect().await;
    for (part, of_job) in parts.iter().zip(of_job) {
        let of_link = server.web.get(&format!("/api/v1/links/{}/{part}", text(&link, "id"))).await;
        assert_eq!((of_link.status, of_link.text), (200, of_job), "{part}");
    }
    let RowLookup::Here(Link { body, .. }) = server.state.store.link(text(&link, "id").parse().unwrap()).get().await.unwrap() else {
        panic!("no link")
    };
    let record: StoredResult = serde_json::from_str(&body).unwrap();
    assert_eq!(record.files().count(), 3, "the link has two texts and a file of hits");
}

#[tokio::test]
async fn link_outlives_its_job_but_not_its_lifetime() {
    let server = Server::start().await;
    let job = server.web.solve(&typed("kitten", "sitting")).await;
    let made = share(&server.web, text(&job, "id"), "until-deleted").await.json();
    assert_eq!(made["expires_at"], Value::Null);
    let id = text(&made, "id").parse().unwrap();
    let RowLookup::Here(link) = server.state.store.link(id).get().await.unwrap() else { panic!("no link") };

    // The same link, expired one second ago.
    let over = server::id::Id::random();
    let row = Link { expires_at: Some(server.state.store.clock.seconds() - 1), token: ContentHash::from_content(b""), ..link };
    server.state.store.add_link(over, row, vec![]).get().await.unwrap();
    server.web.get(&format!("/api/v1/links/{over}")).await.problem(410, "gone");

    server.state.store.drop_job(text(&job, "id").parse().unwrap()).get().await.unwrap();
    server.collect().await;
    server.web.get(&format!("/api/v1/links/{over}")).await.problem(410, "gone");
    let exported = server.web.get(&format!("/api/v1/links/{}/export?format=cigar", text(&made, "id"))).await;
    assert_eq!(exported.text, "1X3=1X1=1I\n");
}

#[tokio::test]
async fn only_finished_results_can_be_shared() {
    let server = Server::start().await;
    share(&server.web, "00000000000000000000000000", "1d").await.problem(404, "not-found");
    let running = server.web.start_slow().await;
    share(&server.web, &running, "1d").await.problem(409, "no-result");
    server.web.delete(&format!("/api/v1/jobs/{running}")).await;
    server.web.wait_for(&running, "cancelled").await;
    share(&server.web, &running, "1d").await.problem(409, "no-result");
    let job = server.web.solve(&typed("a", "b")).await;
    let refused = share(&server.web, text(&job, "id"), "for-ever").await;
    let detail = refused.problem(400, "malformed")["detail"].to_string();
    assert!(detail.contains("valid value for lifetime"), "{detail}");
    let names = json!({ "job": job["id"], "lifetime": "1d", "names": { "a": 1 } });
    let detail = server.web.post("/api/v1/links", &names).await.problem(400, "malformed")["detail"].to_string();
    assert!(detail.contains("valid value for names.a"), "{detail}");
    server.web.post("/api/v1/links", &json!({})).await.problem(400, "malformed");
}

/// A deleted object's files are removed by the collector, and files that others use stay.
#[tokio::test]
async fn deleted_files_leave_the_disk_unless_others_use_them() {
    let (clock, data) = (Arc::new(ManualClock::default()), tempfile::tempdir().unwrap());
    let folder = data.path().join("data");
    let timed = |ports: Ports| {
        let files = FolderFiles::open(&folder, 1 << 30, clock.clone()).unwrap();
        Ports { files: Arc::new(files), clock: clock.clone(), ..ports }
    };
    let server = Server::on(data, timed, Faults::default()).await;
    let upload = async |text: &str| {
        let got = server.web.send(server.web.request(Method::PUT, "/api/v1/texts").body(text.to_owned())).await.json();
        (text_of(&got, "id"), text_of(&got, "delete_token"))
    };
    let remove = async |address: String, token: &str| {
        let request = server.web.request(Method::DELETE, &address).header("authorization", format!("Bearer {token}"));
        assert_eq!(server.web.send(request).await.status, 204, "{address}");
    };
    let result = async |a: &str, b: &str| {
        let job = json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } });
        let job = server.web.post("/api/v1/jobs?wait=30", &job).await.json();
        assert_eq!(job["state"], "succeeded", "{job}");
        let link = share(&server.web, text(&job, "id"), "until-deleted").await.json();
        ((text_of(&job, "id"), text_of(&job, "delete_token")), (text_of(&link, "id"), text_of(&link, "delete_token")))
    };
    let (own, shared, again) = (upload("only mine").await, upload("everybody's").await, upload("everybody's").await);
    let other = upload("somebody else's").await;
    let (job, link) = result(&own.0, &shared.0).await;
    let (_, stays) = result(&other.0, &again.0).await;
    let on_disk = |text: &str| server.state.store.files.bytes(&ContentHash::from_content(text.as_bytes())).is_ok();
    let held = || server.state.store.files.usage().used_bytes;
    let before = held();
    assert!(on_disk("only mine") && on_disk("everybody's"));

    remove(format!("/api/v1/links/{}", link.0), &link.1).await;
    remove(format!("/api/v1/jobs/{}", job.0), &job.1).await;
    for (id, token) in [&own, &shared] {
        remove(format!("/api/v1/texts/{id}"), token).await;
    }
    server.collect().await;
    assert!(on_disk("only mine"), "another row may be about to use the file");
    clock.advance(UNUSED_FILE_GRACE + Duration::from_secs(1));
    server.collect().await;
    assert!(!on_disk("only mine"));
    assert!(held() < before - "only mine".len() as u64, "the text and its alignment are removed");
    server.web.get(&format!("/api/v1/links/{}", link.0)).await.problem(410, "gone");
    server.web.get(&format!("/api/v1/links/{}/texts/a", link.0)).await.problem(410, "gone");
    server.web.get(&format!("/api/v1/jobs/{}", job.0)).await.problem(410, "gone");
    let unknown = json!({ "task": "lcs", "a": { "upload": own.0 }, "b": { "text": "x" } });
    server.web.post("/api/v1/jobs", &unknown).await.problem(404, "not-found");

    assert!(on_disk("everybody's") && on_disk("somebody else's"));
    let parts = format!("/api/v1/links/{}", stays.0);
    assert_eq!(server.web.get(&format!("{parts}/texts/b/file")).await.text, "everybody's");
    let cigar = server.web.get(&format!("{parts}/export?format=cigar")).await;
    assert_eq!(cigar.status, 200);
    clock.advance(Duration::from_secs(400 * 86_400));
    server.collect().await;
    assert_eq!(server.web.get(&format!("{parts}/export?format=cigar")).await.text, cigar.text, "the shared files stay for the other link");
    remove(parts, &stays.1).await;
    clock.advance(UNUSED_FILE_GRACE + Duration::from_secs(1));
    server.collect().await;
    assert_eq!(held(), 0);
}

/// A class code is valid for a day, and `/c/WORD` redirects each visitor to the stored result.
#[tokio::test]
async fn class_code_redirects_to_the_result_for_a_day() {
    let (clock, data) = (Arc::new(ManualClock::default()), tempfile::tempdir().unwrap());
    let timed = |ports: Ports| Ports { clock: clock.clone(), ..ports };
    let server = Server::on_with(data, timed, Faults::default(), &[("EDITSCOPE_PROXIES", "1")]).await;
    let job = server.web.solve(&typed("kitten", "sitting")).await;
    let make = async |lifetime: &str| {
        server.web.post("/api/v1/links", &json!({ "job": job["id"], "lifetime": lifetime, "class_code": true })).await
    };
    make("30d").await.problem(422, "bad-input");
    let made = make("1d").await.json();
    let (url, code) = (text_of(&made, "url"), text_of(&made, "class_code"));
    assert_eq!(code.len(), 6, "with few live codes six letters are enough");
    let other = make("1d").await.json();
    assert_ne!(other["class_code"], made["class_code"]);
    let open = async |path: String, address: &str| {
        server.web.send(server.web.request(Method::GET, &path).header("x-forwarded-for", address)).await
    };
    for path in [format!("/c/{code}"), format!("/c/{}", code.to_uppercase()), format!("/c?code=%20{}-{}", &code[..2], &code[2..])] {
        let got = open(path.clone(), "192.0.2.1").await;
        assert_eq!((got.status, got.header("location")), (303, url.as_str()), "{path}");
    }
    assert_eq!(open("/c".into(), "192.0.2.1").await.status, 200);
    assert_eq!(open("/c/hello".into(), "192.0.2.1").await.status, 404, "such a code does not exist");

    // After twenty wrong codes, no code is looked up for that address, not even a valid one. Other addresses are
    // unaffected.
    let wrong = ["b", "d", "f", "g", "h"].iter().flat_map(|c| ["a", "e", "i", "o", "u"].map(|v| format!("{c}{v}zaza")));
    let wrong: Vec<String> = wrong.filter(|wrong| *wrong != code && other["class_code"] != wrong.as_str()).collect();
    for wrong in &wrong[..20] {
        let got = open(format!("/c/{wrong}"), "198.51.100.7").await;
        assert_eq!(got.status, 404, "{wrong}");
        assert!(got.text.contains("No result has the class code") && got.text.contains("<form"), "{}", got.text);
    }
    let refused = open(format!("/c/{code}"), "198.51.100.7").await;
    assert!(refused.status == 429 && refused.text.contains("Too many wrong codes"), "{}", refused.text);
    assert!((1..=181).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
    assert_eq!(open(format!("/c/{code}"), "192.0.2.1").await.status, 303);

    // A code leads nowhere after its link is deleted, or after a day.
    assert_eq!(delete(&server.web, text(&made, "id"), text(&made, "delete_token")).await.status, 204);
    let gone = open(format!("/c/{code}"), "192.0.2.1").await;
    assert_eq!(server.web.get(gone.header("location")).await.status, 410);
    let lasting = text_of(&other, "class_code");
    assert_eq!(open(format!("/c/{lasting}"), "192.0.2.1").await.status, 303);
    clock.advance(Duration::from_secs(86_401));
    assert_eq!(open(format!("/c/{lasting}"), "192.0.2.1").await.status, 404);
}
