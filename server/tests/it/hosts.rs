//! Rows in PostgreSQL and files in a bucket: the program works as on one machine, and another machine continues after
//! the first was killed.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use services::{PASSWORD, Postgres, S3};
use tokio::time::sleep;

use crate::client::typed;
use crate::restart::Program;

const KEY: &str = "key-of-the-bucket";

/// The variables of a server on services that the tests start.
pub(crate) struct Services {
    database: String,
    s3: String,
}

/// Returns the variables of a server on a bucket.
fn on_bucket<'a>(files: &'a str, s3: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("EDITSCOPE_FILES", files),
        ("AWS_ENDPOINT_URL", s3),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "someone"),
        ("AWS_SECRET_ACCESS_KEY", KEY),
    ]
}

fn address(s3: &S3) -> String {
    format!("http://127.0.0.1:{}", s3.port)
}

impl Services {
    pub(crate) fn start(bucket: &str) -> Option<Self> {
        Self::on(Postgres::shared()?, bucket)
    }

    /// Uses this PostgreSQL server.
    pub(crate) fn on(postgres: &Postgres, bucket: &str) -> Option<Self> {
        let s3 = S3::shared()?;
        s3.bucket(bucket);
        Some(Self { database: postgres.database(), s3: address(s3) })
    }

    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn variables<'a>(&'a self, files: &'a str) -> Vec<(&'a str, &'a str)> {
        [("EDITSCOPE_DATABASE", self.database.as_str())].into_iter().chain(on_bucket(files, &self.s3)).collect()
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn another_machine_continues_after_a_killed_one() {
    let Some(services) = Services::start("hosts") else { return };
    let variables = services.variables("s3://hosts/editscope");
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let program = Program::with(one.path(), &variables);
    let ready = program.web.get("/readyz").await;
    assert_eq!(ready.status, 200, "{}", ready.text);

    let long = "kitten".repeat(5_000);
    let upload = program.web.upload(long).await;
    let solved =
        program.web.solve(&json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": "sitting".repeat(4_000) } })).await;
    assert!(solved["answer"]["distance"].is_u64(), "{solved}");
    let id = text(&solved, "id");
    let window = program.web.get(&format!("/api/v1/jobs/{id}/alignment?from=20000&len=30")).await;
    assert_eq!(window.status, 200, "{}", window.text);
    let made = program.web.post("/api/v1/links", &json!({ "job": id, "lifetime": "30d" })).await.json();
    let (link, token) = (text(&made, "id"), text(&made, "delete_token"));
    let exported = program.web.get(&format!("/api/v1/links/{link}/export?format=cigar")).await;
    assert_eq!(exported.status, 200, "{}", exported.text);

    let said = Program::refused(other.path(), &variables);
    assert!(said.contains("another server uses the database postgres://127.0.0.1"), "{said}");
    assert!(!said.contains(PASSWORD) && !said.contains(KEY), "{said}");

    let third = tempfile::tempdir().unwrap();
    let said = Program::refused(third.path(), &on_bucket("s3://hosts/editscope", &services.s3));
    assert!(said.contains("s3://hosts/editscope has the files of another database"), "{said}");

    // Started late, because the refused starts above may take long on a busy machine and an earlier job could have
    // ended by then.
    let running = program.web.start_slow().await;
    program.signal("-9");
    let program = Program::with(other.path(), &variables);
    let interrupted = program.web.get(&format!("/api/v1/jobs/{running}")).await.json();
    assert_eq!(interrupted["failure"], json!({ "kind": "interrupted" }));
    let again = program.web.get(&format!("/api/v1/jobs/{id}/alignment?from=20000&len=30")).await;
    assert_eq!(again.text, window.text);
    assert_eq!(program.web.get(&format!("/api/v1/links/{link}/export?format=cigar")).await.text, exported.text);
    let by_upload = program.web.solve(&json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": "sitting" } })).await;
    assert!(by_upload["answer"]["distance"].is_u64(), "{by_upload}");
    let delete = program.web.request(Method::DELETE, &format!("/api/v1/links/{link}")).header("authorization", format!("Bearer {token}"));
    assert_eq!(program.web.send(delete).await.status, 204);
    assert_eq!(program.web.get(&format!("/api/v1/links/{link}")).await.status, 410);
}

/// During an outage of the database, clients get an error; afterwards everything works.
#[tokio::test(flavor = "multi_thread")]
async fn outage_of_the_database_is_reported_and_temporary() {
    let Some(mut postgres) = Postgres::start() else { return };
    let (folder, database) = (tempfile::tempdir().unwrap(), postgres.database());
    let program = Program::with(folder.path(), &[("EDITSCOPE_DATABASE", &database)]);
    let solved = program.web.solve(&typed("kitten", "sitting")).await;
    let address = format!("/api/v1/jobs/{}", text(&solved, "id"));
    postgres.stop();
    assert_eq!(program.web.get("/readyz").await.status, 503);
    let refused = program.web.post("/api/v1/jobs", &typed("kitten", "mitten")).await;
    assert!((500..600).contains(&refused.status) && !refused.text.contains(PASSWORD), "{}", refused.text);
    postgres.restart();
    until_ready(&program).await;
    assert_eq!(program.web.get(&address).await.json()["state"], solved["state"]);
    program.web.solve(&typed("kitten", "fitting")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn outage_of_the_bucket_is_reported_and_temporary() {
    let Some(mut s3) = S3::start() else { return };
    s3.bucket("alone");
    let (folder, address) = (tempfile::tempdir().unwrap(), address(&s3));
    let program = Program::with(folder.path(), &on_bucket("s3://alone", &address));
    program.web.upload("kitten").await;
    s3.stop();
    let refused = program.web.send(program.web.request(Method::PUT, "/api/v1/texts").body("sitting")).await;
    assert!((500..600).contains(&refused.status) && !refused.text.contains(KEY), "{}", refused.text);
    assert_eq!(program.web.get("/readyz").await.status, 503);
    s3.restart();
    s3.bucket("alone");
    until_ready(&program).await;
    program.web.upload("sitting").await;
}

/// A small job needs no bucket, because its texts lie beside its row. The outage of the bucket is still reported.
#[tokio::test(flavor = "multi_thread")]
async fn small_jobs_need_the_database_but_no_bucket() {
    let (Some(mut postgres), Some(mut s3)) = (Postgres::start(), S3::start()) else { return };
    s3.bucket("long");
    let services = Services { database: postgres.database(), s3: address(&s3) };
    let folder = tempfile::tempdir().unwrap();
    let program = Program::with(folder.path(), &services.variables("s3://long"));
    s3.stop();
    let solved = program.web.solve(&typed("kitten", "sitting")).await;
    let address = format!("/api/v1/jobs/{}", text(&solved, "id"));
    assert_eq!(program.web.get(&format!("{address}/alignment?from=0&len=7")).await.status, 200);
    let refused = program.web.send(program.web.request(Method::PUT, "/api/v1/texts").body("kitten".repeat(1_000))).await;
    assert!((500..600).contains(&refused.status) && !refused.text.contains(KEY), "{}", refused.text);
    assert_eq!(program.web.get("/readyz").await.status, 503);
    s3.restart();
    s3.bucket("long");
    until_ready(&program).await;
    postgres.stop();
    let refused = program.web.post("/api/v1/jobs?wait=30", &typed("kitten", "mitten")).await;
    assert!((500..600).contains(&refused.status) && !refused.text.contains(PASSWORD), "{}", refused.text);
    assert_eq!(program.web.get("/readyz").await.status, 503);
    postgres.restart();
    until_ready(&program).await;
    assert_eq!(program.web.get(&address).await.json()["state"], "succeeded");
    program.web.upload("kitten".repeat(1_000)).await;
}

pub(crate) async fn until_ready(program: &Program) {
    let begin = Instant::now();
    while program.web.get("/readyz").await.status != 200 {
        assert!(begin.elapsed() < Duration::from_secs(30), "{}", program.web.get("/readyz").await.text);
        sleep(Duration::from_millis(200)).await;
    }
}
