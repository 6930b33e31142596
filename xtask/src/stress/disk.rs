//! Storage failures. The quota is used up, the disk is full, the folder is read-only, files cannot grow, or another
//! process holds the database lock.
//!
//! A request that writes must succeed, or be refused with status 503 or 507 and a problem document. The process must
//! survive. If most writes fail, `/readyz` must report this. Once the cause is gone, everything must work again without
//! a restart.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use serde_json::json;

use super::{
    SplitMix64, StressRun,
    http::{HttpAnswer, StressClient},
    report::StressReport,
    server::{ServerSetup, can_mount, files_below},
};

/// Maximum time until a request is refused. A real client would give up earlier.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the setup of a server whose data folder is on a private disk of 64 MB, of which one MB must stay free.
fn on_a_small_disk() -> ServerSetup {
    let setup = ServerSetup::with_variables(&[("EDITSCOPE_MIN_FREE_BYTES", "1e6")]);
    ServerSetup { before: "mount -t tmpfs -o size=64m tmpfs \"$DATA\" &&", mounts: true, ..setup }
}

/// Shell code that limits files to 512 kB, given in blocks of 512 bytes. A process that ignores the signal `XFSZ` gets
/// an error from writing instead of being killed.
const SMALL_FILES: &str = "ulimit -f 1024; trap '' XFSZ;";

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    quota(stress, report).context("quota")?;
    if can_mount() {
        full(stress, report).context("full disk")?;
        read_only(stress, report).context("read-only")?;
    } else {
        report.figure("full disk, read-only", "left out: this process may not mount");
    }
    small_files(stress, report).context("files that may not grow")?;
    locked(stress, report).context("locked database")
}

/// Sends one request of each kind that writes data. Returns the name of each kind with its answer.
fn all_ways(client: &StressClient, random: &mut SplitMix64) -> Vec<(&'static str, anyhow::Result<HttpAnswer>)> {
    let [a, b] = [random.dna(300_000), random.dna(300)].map(|text| String::from_utf8_lossy(&text).into_owned());
    let job = json!({ "task": "edit-distance", "a": { "text": a }, "b": { "text": b } });
    vec![
        ("an upload", client.request("PUT", "/api/v1/texts", &random.dna(1_000_000))),
        ("a job", client.post("/api/v1/jobs?wait=10", &job)),
        ("a private link", client.request("POST", "/api/v1/sealed?lifetime=1d", &random.dna(1_000_000))),
    ]
}

/// Returns whether an answer is a refusal in the required form: a problem document with status 503 or 507, and a retry
/// time with 503.
fn is_refusal(answer: &HttpAnswer) -> bool {
    let again = answer.status != 503 || answer.header("retry-after").is_some();
    [503, 507].contains(&answer.status) && answer.is_problem() && again
}

/// Sends one request of each kind that writes data. Every answer must be a success or a refusal, and at least `refused`
/// of them must be refusals. `what` names the storage failure in the report.
fn refusals(client: &StressClient, random: &mut SplitMix64, what: &str, refused: usize, report: &mut StressReport) {
    let mut count = 0;
    for (way, answer) in all_ways(client, random) {
        let (fine, said) = match answer {
            Err(error) => (false, format!("{error:#}")),
            Ok(answer) if is_refusal(&answer) && answer.took < REFUSAL_TIMEOUT => {
                count += 1;
                (true, format!("{} in {:.1} s: {}", answer.status, answer.took.as_secs_f64(), detail(&answer)))
            }
            Ok(answer) => {
                let failed = answer.json().is_ok_and(|snapshot| snapshot["state"] == "failed");
                ([200, 201, 202].contains(&answer.status) && !failed, format!("{} {}", answer.status, detail(&answer)))
            }
        };
        report.must_hold(&format!("{what}: {way}"), fine, said);
    }
    report.must_hold(&format!("{what}: refused, of three"), count >= refused, count);
    let ready = client.get("/readyz").map_or_else(|error| format!("{error:#}"), |answer| answer.status.to_string());
    report.must_hold(&format!("{what}: /readyz"), ready == "503", ready);
    let alive = client.get("/livez").is_ok_and(|answer| answer.status == 200);
    report.must_hold(&format!("{what}: /livez"), alive, alive);
}

fn detail(answer: &HttpAnswer) -> String {
    let detail = answer.json().ok().and_then(|problem| problem["detail"].as_str().map(str::to_owned));
    detail.unwrap_or_else(|| answer.text().chars().take(100).collect())
}

/// Waits until all kinds of requests work again and `/readyz` confirms this. Reports a broken limit if the recovery
/// takes longer than `patience`. `what` names the storage failure in the report.
fn recovers(client: &StressClient, random: &mut SplitMix64, what: &str, patience: Duration, report: &mut StressReport) {
    let begin = Instant::now();
    loop {
        let refused: Vec<String> = all_ways(client, random)
            .into_iter()
            .filter_map(|(way, answer)| match answer {
                Ok(answer) if [200, 201].contains(&answer.status) && !answer.text().contains("\"failed\"") => None,
                Ok(answer) => Some(format!("{way}: {} {}", answer.status, detail(&answer))),
                Err(error) => Some(format!("{way}: {error:#}")),
            })
            .collect();
        let ready = client.get("/readyz").is_ok_and(|answer| answer.status == 200);
        if refused.is_empty() && ready {
            return report.must_hold(&format!("{what}: works again"), true, format!("after {:.1} s", begin.elapsed().as_secs_f64()));
        }
        if begin.elapsed() > patience {
            return report.must_hold(&format!("{what}: works again"), false, format!("{refused:?}, ready: {ready}"));
        }
        // Pauses, because every successful round writes megabytes.
        thread::sleep(Duration::from_secs(1));
    }
}

/// Uploads texts until an upload is refused, and returns the refusal.
fn fill(client: &StressClient, random: &mut SplitMix64) -> anyhow::Result<HttpAnswer> {
    for _ in 0..200 {
        let answer = client.request("PUT", "/api/v1/texts", &random.dna(1_000_000))?;
        if answer.status != 201 {
            return Ok(answer);
        }
    }
    bail!("200 MB were taken")
}

/// Tests the configured limit of stored bytes. The server must accept uploads again when the collector has removed
/// expired files.
fn quota(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let setup = ServerSetup::with_variables(&[
        ("EDITSCOPE_MAX_DATA_BYTES", "8e6"),
        ("EDITSCOPE_UPLOAD_KEEP_SECONDS", "3"),
        ("EDITSCOPE_JOB_KEEP_SECONDS", "3"),
    ]);
    let server = stress.place.start("quota", &setup)?;
    let mut random = SplitMix64::new(stress.seed);
    let refused = fill(&server.client, &mut random)?;
    report.must_hold("quota: the upload that is too much", refused.status == 507 && refused.is_problem(), detail(&refused));
    let held: u64 = files_below(&server.data.join("files")).iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    report.at_most("quota: files hold", held as f64 / 1e6, 8.0, "MB");
    let alive = server.client.get("/livez")?.status;
    report.must_hold("quota: /livez", alive == 200, alive);
    if stress.quick {
        return Ok(());
    }
    // The collector runs once a minute and spares files for ten minutes after their last use.
    recovers(&server.client, &mut random, "quota", Duration::from_secs(720), report);
    Ok(())
}

/// Tests a disk that files outside of the server have filled.
fn full(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("full", &on_a_small_disk())?;
    let mut random = SplitMix64::new(stress.seed);
    recovers(&server.client, &mut random, "full disk, before", Duration::from_secs(10), report);
    let ballast = server.data_inside().join("ballast");
    let mut file = File::create(&ballast)?;
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    refusals(&server.client, &mut random, "full disk", 2, report);
    fs::remove_file(ballast)?;
    recovers(&server.client, &mut random, "full disk", Duration::from_secs(15), report);
    Ok(())
}

/// Tests read-only folders, as after a disk error. The folders are mounted read-only, because the system does not make
/// a disk read-only while the open database has a file for writing.
fn read_only(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    const LOCK: &str = r#"for d in "$DATA"/*/; do mount --bind "$d" "$d" && mount -o remount,bind,ro "$d" || exit 1; done"#;
    const UNLOCK: &str = r#"for d in "$DATA"/*/; do umount -l "$d" || exit 1; done"#;
    let server = stress.place.start("read-only", &on_a_small_disk())?;
    let mut random = SplitMix64::new(stress.seed);
    recovers(&server.client, &mut random, "read-only, before", Duration::from_secs(10), report);
    server.run_in_namespace(LOCK)?;
    refusals(&server.client, &mut random, "read-only", 3, report);
    server.run_in_namespace(UNLOCK)?;
    recovers(&server.client, &mut random, "read-only", Duration::from_secs(15), report);
    Ok(())
}

/// Tests a process whose files must stay small. An upload and a private link of a megabyte must be refused while they
/// are written, but a job must succeed.
fn small_files(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("small-files", &ServerSetup { before: SMALL_FILES, ..ServerSetup::default() })?;
    let mut random = SplitMix64::new(stress.seed);
    for (way, answer) in all_ways(&server.client, &mut random) {
        let answer = answer.with_context(|| way)?;
        let fine = is_refusal(&answer) || answer.status == 200;
        report.must_hold(&format!("files that may not grow: {way}"), fine, format!("{} {}", answer.status, detail(&answer)));
    }
    let left = files_below(&server.data.join("unfinished")).len();
    report.exactly("files that may not grow: unfinished ones left", left, 0);
    let small = server.client.request("PUT", "/api/v1/texts", &random.dna(1000))?;
    report.must_hold("files that may not grow: a small upload", small.status == 201, small.status);
    Ok(())
}

/// Tests a database lock that another process, such as a backup, holds longer than all timeouts. The lock is on the
/// database of rows, which all requests need, and then on the database of short files, which only a job needs.
fn locked(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    for (database, refused) in [("editscope.sqlite", 2), ("files.sqlite", 1)] {
        let server = stress.place.start(&format!("locked-{database}"), &ServerSetup::default())?;
        let (mut random, what) = (SplitMix64::new(stress.seed), format!("{database} is locked"));
        recovers(&server.client, &mut random, &format!("{what}, before"), Duration::from_secs(10), report);
        let mut holder = hold(&server.data.join(database))?;
        refusals(&server.client, &mut random, &what, refused, report);
        holder.kill()?;
        holder.wait()?;
        recovers(&server.client, &mut random, &what, Duration::from_secs(15), report);
    }
    Ok(())
}

/// Starts a process that holds the write lock of the file `database`. Returns when it has the lock.
fn hold(database: &Path) -> anyhow::Result<Child> {
    const HOLD_LOCK_SCRIPT: &str = "import sqlite3, sys, time\n\
        database = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)\n\
        database.execute('BEGIN IMMEDIATE')\n\
        print('held', flush=True)\n\
        time.sleep(600)\n";
    let mut child = Command::new("python3")
        .args(["-c", HOLD_LOCK_SCRIPT])
        .arg(database)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start python3")?;
    let mut said = [0; b"held\n".len()];
    let output = child.stdout.as_mut().context("no output of python3")?;
    output.read_exact(&mut said).context("the database cannot be locked")?;
    Ok(child)
}
