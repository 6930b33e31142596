//! SIGKILL at random moments during uploads, jobs and the creation of links. Then a new server starts on the same
//! folder.
//!
//! Everything that the killed server has confirmed must still be true. An upload is complete, a job is known and ends,
//! its answer and files are unchanged, a comparison of many texts continues and has the right answer, a link works, and
//! a client that resumes a stream receives the end. Killing a
//! process loses nothing that the operating system has accepted, so that this tests the order of writes and not the
//! disk.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use super::{
    SplitMix64, StressRun,
    http::{HttpAnswer, StressClient},
    report::StressReport,
    server::{ServerSetup, StressServer, files_below},
};

/// Maximum time after a restart until a job has ended.
const RESTARTED_JOB_TIMEOUT: Duration = Duration::from_secs(60);

/// The facts that a server has confirmed to its clients before it was killed, and unexpected answers.
#[derive(Debug, Default)]
struct ReceivedConfirmations {
    /// Completed uploads, each as its id and the hash of its content.
    uploads: Vec<(String, String)>,
    /// Accepted jobs by id, each with the number of the last received event, and whether this event was the end.
    jobs: BTreeMap<String, (Option<u64>, bool)>,
    /// Ids of jobs whose end a client has received, each with its snapshot.
    ended: Vec<(String, Value)>,
    /// Accepted comparisons of many texts, each as its id and its question. They continue after a restart.
    comparisons: Vec<(String, Value)>,
    /// Files that a client has read, each as its address and its content.
    files: Vec<(String, Vec<u8>)>,
    /// Descriptions of unexpected answers before the kill.
    odd: Vec<String>,
}

impl ReceivedConfirmations {
    fn count(&self) -> usize {
        self.uploads.len() + self.jobs.len() + self.ended.len() + self.comparisons.len() + self.files.len()
    }
}

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    promises(stress, report)?;
    leaks(stress, report)
}

/// Kills servers, starts new ones on the same folder, and checks that everything that the killed servers have confirmed
/// still holds. All rounds use one folder, which grows.
fn promises(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let rounds = if stress.quick { 4 } else { 50 };
    let mut random = SplitMix64::new(stress.seed);
    let (mut kept, mut broken, mut count) = (Vec::new(), Vec::new(), 0);
    let (mut starts, mut interrupted) = (Duration::ZERO, 0);
    for round in 0..rounds {
        let (server, took) = start(stress, "data", &ServerSetup::default())?;
        starts = starts.max(took);
        let told = under_load(server, &mut random, true)?;
        count += told.count();
        broken.extend(told.odd.iter().map(|odd| format!("round {round}: {odd}")));
        let (server, took) = start(stress, "data", &ServerSetup::default())?;
        starts = starts.max(took);
        let (found, cut) = check(&server.client, &told);
        interrupted += cut;
        broken.extend(found.into_iter().map(|what| format!("round {round}: {what}")));
        kept.extend(told.files);
        server.kill()?;
    }
    let (server, _) = start(stress, "data", &ServerSetup::default())?;
    for (path, held) in &kept {
        if let Err(what) = same_file(&server.client, path, held) {
            broken.push(format!("at the end: {what:#}"));
        }
    }
    report.figure("kills", 2 * rounds);
    report.figure("promises, and files looked at again at the end", format!("{count}, {}", kept.len()));
    report.figure("jobs that were cut off and say so", interrupted);
    report.figure("longest start after a kill", format!("{:.1} s", starts.as_secs_f64()));
    for what in broken.iter().take(20) {
        println!("    {what}");
    }
    report.exactly("promises that are broken", broken.len(), 0);
    let torn = files_below(&server.data.join("files")).iter().filter(|path| !is_whole(path)).count();
    report.exactly("files that are not what their name says", torn, 0);
    Ok(())
}

/// Kills servers in a folder whose jobs and uploads expire within seconds. Checks that all files are removed in the
/// end. The files' dates are set back, because the collector spares young files.
fn leaks(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let brief = ServerSetup::with_variables(&[("EDITSCOPE_JOB_KEEP_SECONDS", "3"), ("EDITSCOPE_UPLOAD_KEEP_SECONDS", "3")]);
    let mut random = SplitMix64::new(stress.seed ^ 1);
    for _ in 0..if stress.quick { 2 } else { 10 } {
        let (server, _) = start(stress, "brief", &brief)?;
        under_load(server, &mut random, false)?;
    }
    let (server, _) = start(stress, "brief", &brief)?;
    let folder = server.data.clone();
    thread::sleep(Duration::from_secs(4));
    server.kill()?;
    let long = || files_below(&folder.join("files")).into_iter().chain(files_below(&folder.join("unfinished"))).collect::<Vec<_>>();
    let all = || Ok::<_, anyhow::Error>(long().len() + short_files(&folder, "SELECT count(*) FROM files")?);
    let before = all()?;
    let long_ago = SystemTime::now() - Duration::from_secs(100_000);
    for path in long() {
        File::options().write(true).open(&path)?.set_modified(long_ago)?;
    }
    short_files(&folder, "UPDATE files SET written = 0 RETURNING 0")?;
    let (_server, _) = start(stress, "brief", &brief)?;
    let begin = Instant::now();
    // The collector runs at the start of the server and then once a minute.
    while all()? > 0 && begin.elapsed() < Duration::from_secs(150) {
        thread::sleep(Duration::from_millis(200));
    }
    report.figure("files before the collector, of jobs and uploads that are over", before);
    report.exactly("files after the collector", all()?, 0);
    Ok(())
}

/// Executes an SQL statement on the database of short files in `folder`. Returns the number in the first row of the
/// result, or 0.
fn short_files(folder: &Path, statement: &str) -> anyhow::Result<usize> {
    const QUERY_SCRIPT: &str = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], 30); r = c.execute(sys.argv[2]).fetchall(); c.commit(); print(r[0][0] if r else 0)";
    let asked = Command::new("python3").args(["-c", QUERY_SCRIPT]).arg(folder.join("files.sqlite")).arg(statement).output()?;
    ensure!(asked.status.success(), "python3: {}", String::from_utf8_lossy(&asked.stderr));
    Ok(String::from_utf8(asked.stdout)?.trim().parse()?)
}

fn start(stress: &StressRun, name: &str, setup: &ServerSetup) -> anyhow::Result<(StressServer, Duration)> {
    let begin = Instant::now();
    Ok((stress.place.start(name, setup)?, begin.elapsed()))
}

/// Sends requests to a server from many threads, and kills the server after a random time. Returns what the server has
/// confirmed. `links` says whether the threads create links.
fn under_load(server: StressServer, random: &mut SplitMix64, links: bool) -> anyhow::Result<ReceivedConfirmations> {
    let told = Mutex::new(ReceivedConfirmations::default());
    let over = AtomicBool::new(false);
    let after = Duration::from_millis(30 + random.below(3000));
    let mut seeds = || SplitMix64::new(random.number());
    thread::scope(|scope| {
        let load = LoadRound { client: server.client, confirmations: &told, over: &over };
        for mut random in [seeds(), seeds(), seeds()] {
            scope.spawn(move || load.repeat(|| load.solve_and_share(&mut random, links)));
        }
        for mut random in [seeds(), seeds()] {
            scope.spawn(move || load.repeat(|| load.start_and_listen(&mut random)));
        }
        let mut random = seeds();
        scope.spawn(move || load.repeat(|| load.compare_many(&mut random)));
        thread::sleep(after);
        over.store(true, Relaxed);
        server.kill()
    })?;
    Ok(told.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The state that the threads of one round share: the client, the confirmed facts, and a flag that ends the round.
#[derive(Clone, Copy)]
struct LoadRound<'l> {
    client: StressClient,
    confirmations: &'l Mutex<ReceivedConfirmations>,
    over: &'l AtomicBool,
}

impl LoadRound<'_> {
    /// Repeats `what` until the round is over or `what` fails, because the server was killed. A request that fails was
    /// not confirmed.
    fn repeat(&self, mut what: impl FnMut() -> anyhow::Result<()>) {
        while !self.over.load(Relaxed) && what().is_ok() {}
    }

    fn record<R>(&self, note: impl FnOnce(&mut ReceivedConfirmations) -> R) {
        note(&mut self.confirmations.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the member `name` of a successful answer, or `None` if the server asks to retry the request. Notes any
    /// other answer as unexpected.
    fn member(&self, answer: &HttpAnswer, name: &str) -> anyhow::Result<Option<String>> {
        match answer.status {
            200..=202 => Ok(Some(answer.json()?[name].as_str().context("a member is missing")?.to_owned())),
            429 | 503 => {
                thread::sleep(Duration::from_millis(20));
                Ok(None)
            }
            other => {
                self.record(|told| told.odd.push(format!("status {other}: {}", answer.text())));
                Ok(None)
            }
        }
    }

    fn upload(&self, random: &mut SplitMix64) -> anyhow::Result<Option<String>> {
        let letters = 1000 + random.below(30_000) as usize;
        let text = random.dna(letters);
        let answer = self.client.request("PUT", "/api/v1/texts", &text)?;
        let id = self.member(&answer, "id")?;
        if let Some(id) = &id {
            self.record(|told| told.uploads.push((id.clone(), blake3::hash(&text).to_hex().to_string())));
        }
        Ok(id)
    }

    /// Uploads two texts, solves a job on them and reads its files. If `links`, also creates a link and reads its
    /// files. Notes everything that the server confirms.
    fn solve_and_share(&self, random: &mut SplitMix64, links: bool) -> anyhow::Result<()> {
        let (Some(a), Some(b)) = (self.upload(random)?, self.upload(random)?) else { return Ok(()) };
        let job = json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } });
        let answer = self.client.post("/api/v1/jobs?wait=20", &job)?;
        let Some(id) = self.member(&answer, "id")? else { return Ok(()) };
        self.record(|told| told.jobs.insert(id.clone(), (None, false)));
        if answer.status != 200 {
            return Ok(());
        }
        let mut snapshot = answer.json()?;
        // Only the first answer has these members.
        if let Some(members) = snapshot.as_object_mut() {
            members.retain(|name, _| !["delete_token", "keep_seconds", "reused"].contains(&name.as_str()));
        }
        self.record(|told| told.ended.push((id.clone(), snapshot)));
        let mut addresses = vec![format!("/api/v1/jobs/{id}")];
        if links {
            let made = self.client.post("/api/v1/links", &json!({ "job": id, "lifetime": "1d" }))?;
            addresses.extend(self.member(&made, "id")?.map(|link| format!("/api/v1/links/{link}")));
        }
        for address in addresses {
            for file in ["export?format=cigar", "texts/a/file"] {
                let path = format!("{address}/{file}");
                let answer = self.client.get(&path)?;
                if answer.status == 200 {
                    self.record(|told| told.files.push((path, answer.body)));
                } else {
                    self.member(&answer, "none")?;
                }
            }
        }
        Ok(())
    }

    /// Starts a comparison of many texts, waits for some time, and notes it.
    fn compare_many(&self, random: &mut SplitMix64) -> anyhow::Result<()> {
        let lines: Vec<Vec<u8>> = (0..COMPARED_TEXTS).map(|_| random.dna(60)).collect();
        let Some(upload) = self.member(&self.client.request("PUT", "/api/v1/texts", &lines.join(&b"\n"[..]))?, "id")? else {
            return Ok(());
        };
        let keep = [json!({ "all": true }), json!({ "within": 25 }), json!({ "nearest": 2 })][random.below(3) as usize].clone();
        let question = json!({ "task": "edit-distance", "a": { "upload": upload, "split": "lines" }, "keep": keep });
        if let Some(id) = self.member(&self.client.post("/api/v1/collections?wait=0", &question)?, "id")? {
            self.record(|told| told.comparisons.push((id, question)));
        }
        thread::sleep(Duration::from_millis(random.below(1500)));
        Ok(())
    }

    /// Starts a longer job and follows its events. Notes the job and the last received event.
    fn start_and_listen(&self, random: &mut SplitMix64) -> anyhow::Result<()> {
        let letters = 50_000 + random.below(150_000) as usize;
        let [a, b] = [(); 2].map(|()| self.client.request("PUT", "/api/v1/texts", &random.dna(letters)));
        let (Some(a), Some(b)) = (self.member(&a?, "id")?, self.member(&b?, "id")?) else { return Ok(()) };
        let answer = self.client.post("/api/v1/jobs", &json!({ "task": "lcs", "a": { "upload": a }, "b": { "upload": b } }))?;
        let Some(id) = self.member(&answer, "id")? else { return Ok(()) };
        self.record(|told| told.jobs.insert(id.clone(), (None, false)));
        if random.below(4) == 0 {
            // In this case no client follows the job's events.
            return Ok(());
        }
        let mut events = self.client.events(&id, None)?;
        while let Some(event) = events.next()? {
            self.record(|told| told.jobs.insert(id.clone(), (Some(event.id), event.is_last())));
            if random.below(8) == 0 && event.name == "progress" {
                self.client.request("DELETE", &format!("/api/v1/jobs/{id}"), b"")?;
            }
        }
        Ok(())
    }
}

/// Number of texts of a comparison, of which a killed server may have stored some rows.
const COMPARED_TEXTS: usize = 1500;

/// Checks the confirmed facts `told` on a restarted server. Returns descriptions of the facts that are false, and the
/// number of jobs that the kill interrupted.
fn check(client: &StressClient, told: &ReceivedConfirmations) -> (Vec<String>, usize) {
    let mut broken = Vec::new();
    let mut interrupted = 0;
    let mut note = |found: anyhow::Result<()>| broken.extend(found.err().map(|what| format!("{what:#}")));
    for (id, hash) in &told.uploads {
        note(whole_upload(client, id, hash));
    }
    for (id, (heard, ended)) in &told.jobs {
        note(hears_the_end(client, id, *heard, *ended));
        note(known_job(client, id).map(|snapshot| interrupted += usize::from(snapshot["failure"]["kind"] == "interrupted")));
    }
    for (id, before) in &told.ended {
        note(known_job(client, id).and_then(|after| {
            ensure!(after == *before, "job {id} was {before} and is {after}");
            Ok(())
        }));
    }
    for (id, question) in &told.comparisons {
        note(continued_comparison(client, id, question));
    }
    for (path, held) in &told.files {
        note(same_file(client, path, held));
    }
    (broken, interrupted)
}

/// Checks that the upload `id` exists and is complete: a job on the upload must report `hash` as the hash of its
/// content.
fn whole_upload(client: &StressClient, id: &str, hash: &str) -> anyhow::Result<()> {
    let job = json!({ "task": "edit-distance", "a": { "upload": id }, "b": { "text": "A" }, "options": { "alignment": false } });
    let begin = Instant::now();
    let answer = loop {
        let answer = client.post("/api/v1/jobs?wait=30", &job)?;
        if ![429, 503].contains(&answer.status) || begin.elapsed() > RESTARTED_JOB_TIMEOUT {
            break answer;
        }
        thread::sleep(Duration::from_millis(100));
    };
    ensure!(answer.status == 200, "upload {id}: status {}: {}", answer.status, answer.text());
    let snapshot = answer.json()?;
    ensure!(snapshot["a"]["blake3"] == hash, "upload {id} is another text: {snapshot}");
    ensure!(snapshot["state"] == "succeeded", "upload {id} cannot be read: {snapshot}");
    Ok(())
}

/// Checks that the accepted job `id` is known and ends, and returns its snapshot.
fn known_job(client: &StressClient, id: &str) -> anyhow::Result<Value> {
    let answer = client.get(&format!("/api/v1/jobs/{id}"))?;
    ensure!(answer.status == 200, "job {id} is lost: status {}: {}", answer.status, answer.text());
    let snapshot = answer.json()?;
    let state = snapshot["state"].as_str().unwrap_or_default();
    ensure!(["succeeded", "failed", "cancelled"].contains(&state), "job {id} was heard to end and is {snapshot}");
    Ok(snapshot)
}

/// Checks that a client that resumes the event stream of the job `id` after the event with the number `heard` receives
/// the end exactly once. `ended` says whether this event was the end already.
fn hears_the_end(client: &StressClient, id: &str, heard: Option<u64>, ended: bool) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut after = heard;
    loop {
        let mut events = client.events(id, after).with_context(|| format!("stream of job {id}"))?;
        if events.status == 204 {
            ensure!(ended, "job {id}: nothing more to hear after event {after:?}, which was not the end");
            return Ok(());
        }
        ensure!(events.status == 200, "stream of job {id}: status {}", events.status);
        let mut resync = false;
        while let Some(event) = events.next().with_context(|| format!("stream of job {id}"))? {
            resync |= event.name == "resync";
            ensure!(resync || after.is_none_or(|after| event.id > after), "job {id}: event {} comes after {after:?}", event.id);
            if event.is_last() {
                ensure!(!ended, "job {id}: the end is heard twice");
                return Ok(());
            }
            after = Some(event.id);
        }
        // After a resync (the events are not available any more), the end is in the snapshot.
        if resync && known_job(client, id).is_ok() {
            return Ok(());
        }
        if begin.elapsed() > RESTARTED_JOB_TIMEOUT {
            bail!("job {id}: no end is heard");
        }
    }
}

/// Checks that the accepted comparison `id` succeeds, and that its answer is that of a new comparison.
fn continued_comparison(client: &StressClient, id: &str, question: &Value) -> anyhow::Result<()> {
    let begin = Instant::now();
    loop {
        let answer = client.get(&format!("/api/v1/collections/{id}"))?;
        ensure!(answer.status == 200, "comparison {id} is lost: status {}: {}", answer.status, answer.text());
        let snapshot = answer.json()?;
        match snapshot["state"].as_str() {
            Some("succeeded") => break,
            Some("queued" | "running") if begin.elapsed() < RESTARTED_JOB_TIMEOUT => thread::sleep(Duration::from_millis(100)),
            _ => bail!("comparison {id} does not succeed after the restart: {snapshot}"),
        }
    }
    let format = if question["keep"]["all"] == true { "npy" } else { "pairs" };
    let direct = client.post(&format!("/api/v1/collections?format={format}"), question)?;
    ensure!(direct.status == 200, "comparison {id} cannot be repeated: status {}: {}", direct.status, direct.text());
    same_file(client, &format!("/api/v1/collections/{id}/export?format={format}"), &direct.body)
}

fn same_file(client: &StressClient, path: &str, held: &[u8]) -> anyhow::Result<()> {
    let answer = client.get(path)?;
    ensure!(answer.status == 200, "{path}: status {}: {}", answer.status, answer.text());
    ensure!(answer.body == held, "{path} is another file: {} bytes, of {}", answer.body.len(), held.len());
    Ok(())
}

/// Returns whether the content of a file has the hash that is its name. A file with another kind of name is regarded as
/// complete.
fn is_whole(path: &std::path::Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name.len() != 64 || fs::read(path).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == name)
}
