//! Restarts: the real program is killed and started again on the same folder.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Web, job, site, typed};

/// The real program on a free port.
pub(crate) struct Program {
    child: Child,
    pub(crate) web: Web,
    /// Client of the program's `/metrics` listener, if the listener is configured.
    pub(crate) metrics: Option<Web>,
}

impl Program {
    fn start(folder: &Path) -> Self {
        Self::with(folder, &[])
    }

    /// Starts the program with these variables.
    pub(crate) fn with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        Self::of(Path::new(env!("CARGO_BIN_EXE_editscope")), folder, variables)
    }

    /// Starts `program`, which may be another version.
    pub(crate) fn of(program: &Path, folder: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(program)
            .env("EDITSCOPE_ADDR", "127.0.0.1:0")
            .env("EDITSCOPE_DATA", folder.join("data"))
            .env("EDITSCOPE_SITE", site(folder).root)
            // Engines are measured beside other tests, which may leave only a hundredth of the CPU.
            .env("EDITSCOPE_JOB_SECONDS", "1e6")
            .envs(variables.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (mut metrics, mut said) = (None, Vec::new());
        let base = lines
            .find_map(|line| {
                let line = line.unwrap();
                said.push(line.clone());
                let after = |words| line.split_once(words).map(|(_, base): (_, &str)| base.trim().trim_end_matches("/metrics").to_owned());
                metrics = metrics.take().or_else(|| after("metrics on "));
                after("listening on ")
            })
            .unwrap_or_else(|| panic!("the program does not say where it listens: {said:#?}"));
        // Drains the log, so that later lines do not block the program on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, web: Web::new(&base), metrics: metrics.map(|base| Web::new(&base)) }
    }

    /// Returns the log of a start that must fail with these variables.
    pub(crate) fn refused(folder: &Path, variables: &[(&str, &str)]) -> String {
        let started = Command::new(env!("CARGO_BIN_EXE_editscope"))
            .env("EDITSCOPE_ADDR", "127.0.0.1:0")
            .env("EDITSCOPE_DATA", folder.join("data"))
            .env("EDITSCOPE_SITE", site(folder).root)
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&started.stderr).into_owned();
        assert!(!started.status.success(), "{said}");
        said
    }

    /// Sends a signal, waits for the end and returns the time until then.
    pub(crate) fn signal(mut self, number: &str) -> Duration {
        let start = Instant::now();
        assert!(Command::new("kill").args([number, &self.child.id().to_string()]).status().unwrap().success());
        self.child.wait().unwrap();
        start.elapsed()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn sigkill_loses_no_link_or_upload_and_interrupts_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    let upload = program.web.upload("kitten").await;
    let finished = program.web.solve(&typed("kitten", "sitting")).await;
    let made = program.web.post("/api/v1/links", &json!({ "job": finished["id"], "lifetime": "30d" })).await.json();
    let link = format!("/api/v1/links/{}/export?format=cigar", made["id"].as_str().unwrap());
    let searched = program.web.solve(&job("approximate-search", json!({ "max_distance": 1 }), "abca", &"abc".repeat(50))).await;
    let pages = ["hits?from=90&len=3", "alignment?hit=90", "export?format=csv"];
    let pages = pages.map(|page| format!("/api/v1/jobs/{}/{page}", searched["id"].as_str().unwrap()));
    let mut before = Vec::new();
    for page in &pages {
        before.push(program.web.get(page).await.text);
    }
    let running = program.web.start_slow().await;
    let waiting = program.web.submit(&program.web.slow_job().await).await;
    program.signal("-9");

    let program = Program::start(folder.path());
    assert_eq!(program.web.get(&link).await.text, "1X3=1X1=1I\n");
    for (page, before) in pages.iter().zip(before) {
        let after = program.web.get(page).await;
        assert_eq!((after.status, after.text), (200, before), "{page}");
    }
    for id in [running, waiting] {
        let snapshot = program.web.get(&format!("/api/v1/jobs/{id}")).await.json();
        assert_eq!((&snapshot["state"], &snapshot["failure"]), (&json!("failed"), &json!({ "kind": "interrupted" })));
        // A client that received the event about waiting reconnects with the number of that event.
        let events = program.web.request(reqwest::Method::GET, &format!("/api/v1/jobs/{id}/events")).header("last-event-id", "1");
        let events = program.web.send(events).await;
        assert_eq!(events.status, 200);
        assert!(events.text.contains("interrupted"), "{}", events.text);
        let events = program.web.events(&format!("/api/v1/jobs/{id}/events")).await.all().await;
        assert_eq!(events.last().unwrap().data, json!({ "type": "failed", "kind": "interrupted" }));
    }
    let again = program.web.get(&format!("/api/v1/jobs/{}", finished["id"].as_str().unwrap())).await.json();
    assert_eq!(again, finished);
    let again = json!({ "task": "edit-distance", "a": { "upload": upload }, "b": { "text": "sitting" } });
    assert_eq!(program.web.solve(&again).await["answer"]["distance"], 3);
}

#[tokio::test]
async fn idempotency_keys_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    let send = async |program: &Program, key: &str, b: &str| {
        let request = program.web.request(reqwest::Method::POST, "/api/v1/jobs?wait=30").header("idempotency-key", key);
        program.web.send(request.body(typed("kitten", b).to_string())).await
    };
    let first = send(&program, "one", "sitting").await.json();
    let again = send(&program, "one", "sitting").await.json();
    assert_eq!((&first["id"], &first["delete_token"]), (&again["id"], &again["delete_token"]));
    let solved = program.web.solve(&typed("kitten", "mitten")).await;
    program.signal("-9");

    let program = Program::start(folder.path());
    let after = send(&program, "one", "sitting").await.json();
    assert_eq!((&after["id"], &after["delete_token"], &after["reused"]), (&first["id"], &first["delete_token"], &json!(true)));
    send(&program, "one", "mitten").await.problem(422, "key-reused");
    let other = program.web.solve(&typed("kitten", "mitten")).await;
    assert_eq!((&other["reused"], &other["metrics"]), (&json!(true), &solved["metrics"]), "the stored result is reused");
    let delete = program.web.request(reqwest::Method::DELETE, &format!("/api/v1/jobs/{}", first["id"].as_str().unwrap()));
    let delete = delete.bearer_auth(first["delete_token"].as_str().unwrap());
    assert_eq!(program.web.send(delete).await.status, 204, "the shown token deletes the job");
    // The database reveals neither the token nor the client of a request.
    let token = first["delete_token"].as_str().unwrap().as_bytes();
    for file in ["editscope.sqlite", "editscope.sqlite-wal"] {
        let bytes = std::fs::read(folder.path().join("data").join(file)).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|part| part == token), "{file}");
    }
}

#[tokio::test]
async fn sigterm_interrupts_jobs_and_ends_the_program_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    let running = program.web.start_slow().await;
    let mut events = program.web.events(&format!("/api/v1/jobs/{running}/events")).await;
    let web = program.web.clone();
    let took = tokio::task::spawn_blocking(move || program.signal("-15"));
    let mut last = None;
    while let Some(sent) = events.next().await {
        last = Some(sent.data);
    }
    assert_eq!(last, Some(json!({ "type": "failed", "kind": "interrupted" })), "listeners receive the interruption");
    let took = took.await.unwrap();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(web.request(reqwest::Method::GET, "/livez").send().await.is_err());

    let program = Program::start(folder.path());
    let snapshot = program.web.get(&format!("/api/v1/jobs/{running}")).await.json();
    assert_eq!(snapshot["failure"], json!({ "kind": "interrupted" }));
}

#[tokio::test]
async fn second_server_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _program = Program::start(folder.path());
    let said = Program::refused(folder.path(), &[]);
    assert!(said.contains("another server uses"), "{said}");
}
