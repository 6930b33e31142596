//! Abusive clients. While one client abuses the server, a second client sends small jobs. During some abuses, a third
//! client sends requests like those of the abuser. Each abuse is measured alone on the same server.

use std::{
    io::{ErrorKind, Write as _},
    net::{Ipv4Addr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::{
    SplitMix64, StressRun,
    http::StressClient,
    report::StressReport,
    server::{ServerSetup, StressServer},
    small_jobs,
};

/// Address of a well-behaved client that has a small result.
const OTHER_CLIENT: Ipv4Addr = Ipv4Addr::new(127, 0, 9, 8);

/// Returns the address of the client of an abuse. Each abuse has its own, because the server limits the requests of an
/// address, and an abuse must not begin with the requests of the abuse before.
fn abuser(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 10, number)
}

/// An abuse of the server that goes on until this value is dropped: open sockets, and threads that repeat requests.
#[derive(Default)]
struct RunningAbuse {
    sockets: Vec<TcpStream>,
    threads: Vec<JoinHandle<()>>,
    over: Arc<AtomicBool>,
    /// Number of answers that the threads have received, including refusals.
    answered: Arc<AtomicUsize>,
    /// End of the address with which another client requests its own result during the abuse. `None` if there is no
    /// such client.
    others_ask: Option<&'static str>,
}

impl Drop for RunningAbuse {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        self.sockets.clear();
        for thread in self.threads.drain(..) {
            // A thread that panicked sends no more requests either.
            let _ = thread.join();
        }
    }
}

impl RunningAbuse {
    /// Starts `threads` threads. They request the paths that `path` returns for the numbers 0, 1, 2 …, until this value
    /// is dropped.
    fn asking(client: StressClient, threads: u64, path: impl Fn(u64) -> String + Clone + Send + 'static) -> Self {
        let mut held = Self::default();
        for thread in 0..threads {
            let (over, answered, path) = (held.over.clone(), held.answered.clone(), path.clone());
            held.threads.push(thread::spawn(move || {
                let mut number = thread;
                while !over.load(Relaxed) {
                    match client.get(&path(number)) {
                        Ok(_) => answered.fetch_add(1, Relaxed),
                        Err(_) => 0,
                    };
                    number += threads;
                }
            }));
        }
        held
    }
}

type AbuseFn = fn(&StressRun, StressClient) -> anyhow::Result<RunningAbuse>;

const ABUSES: [(&str, AbuseFn); 8] = [
    ("512 readers that never read", readers),
    ("idle sockets, 2,000 more a second", idle),
    ("heads and bodies at a byte a second", drip),
    ("a FASTA header of 200 MiB", header),
    ("one line of 128 MiB", line),
    ("60 large jobs in the queue", queue),
    ("40 looks at a search of 1.5 M × 2.6 M", looks),
    ("comparisons of 20,000 texts in the queue, and files of one of 3,000", comparisons),
];

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("data", &ServerSetup::default())?;
    let quiet = small_jobs::steadily(&server.client, Duration::from_secs(2), Duration::from_millis(5));
    report.figure("small jobs, nobody else there", quiet.times.summary());
    for ((name, abuse), number) in ABUSES.into_iter().zip(1..) {
        measure(stress, &server, name, (abuse, abuser(number)), report).with_context(|| format!("during {name}"))?;
    }
    Ok(())
}

/// Measures small jobs during an abuse by the client with the address `from`.
fn measure(
    stress: &StressRun,
    server: &StressServer,
    name: &str,
    (abuse, from): (AbuseFn, Ipv4Addr),
    report: &mut StressReport,
) -> anyhow::Result<()> {
    let long = Duration::from_secs(if stress.quick { 2 } else { 12 });
    server.forget_peak()?;
    let somebody = server.client.with_address(OTHER_CLIENT);
    let theirs = solve(somebody, &json!({ "task": "edit-distance", "a": { "text": "kitten" }, "b": { "text": "sitting" } }))?;
    let held = abuse(stress, server.client.with_address(from))?;
    thread::sleep(Duration::from_secs(1));
    let asked = held.others_ask.map(|what| thread::spawn(move || ask_for(somebody, &format!("/api/v1/jobs/{theirs}/{what}"), long)));
    let sent = small_jobs::steadily(&server.client, long, Duration::from_millis(20));
    let ready = server.client.get("/readyz").map_or_else(|error| format!("{error:#}"), |answer| answer.status.to_string());
    report.must_hold(&format!("{name}: others are answered"), sent.others.is_empty(), sent.wrong());
    report.figure(&format!("{name}: small jobs"), sent.times.summary());
    report.at_most(&format!("{name}: p99 of small jobs"), sent.times.quantile_ms(0.99), 100.0, "ms");
    report.at_most(&format!("{name}: longest of small jobs"), sent.times.quantile_ms(1.0), 500.0, "ms");
    report.must_hold(&format!("{name}: /readyz"), ready == "200", ready);
    if let (Some(asked), Some(what)) = (asked, held.others_ask) {
        let asked = asked.join().ok().context("somebody else broke down")?;
        report.must_hold(&format!("{name}: others get {what}"), asked.others.is_empty(), asked.wrong());
        report.figure(&format!("{name}: {what}"), asked.times.summary());
        report.at_most(&format!("{name}: longest of {what}"), asked.times.quantile_ms(1.0), 500.0, "ms");
    }
    report.figure(&format!("{name}: memory, at most"), format!("{:.0} MB", server.peak_mb()?));
    if !held.threads.is_empty() {
        report.figure(&format!("{name}: requests of the abuser answered"), held.answered.load(Relaxed));
    }
    Ok(())
}

/// Requests `path` repeatedly for the duration `long`. Returns the durations of the answers with status 200, and
/// descriptions of all other answers.
fn ask_for(client: StressClient, path: &str, long: Duration) -> small_jobs::SmallJobResults {
    let begin = Instant::now();
    let mut sent = small_jobs::SmallJobResults::default();
    while begin.elapsed() < long {
        match client.get(path) {
            Ok(answer) if answer.status == 200 => sent.times.0.push(answer.took),
            Ok(answer) => *sent.others.entry(format!("status {}", answer.status)).or_default() += 1,
            Err(error) => *sent.others.entry(format!("{error:#}")).or_default() += 1,
        }
        thread::sleep(Duration::from_millis(100));
    }
    sent
}

/// Requests a CSV file of 70 MB on many sockets and reads none of them.
fn readers(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let upload = client.upload(&vec![b'a'; 4_000_000])?;
    let job = solve(client, &json!({ "task": "exact-search", "a": { "text": "a" }, "b": { "upload": upload } }))?;
    let ask = format!("{}\r\n", client.head("GET", &format!("/api/v1/jobs/{job}/export?format=csv")));
    let mut held = sockets(client, if stress.quick { 64 } else { 512 }, &ask)?;
    held.others_ask = Some("export?format=text");
    Ok(held)
}

/// Opens silent connections until the server accepts no more, and replaces connections that the server closes.
fn idle(_: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let mut held = RunningAbuse::default();
    held.others_ask = Some("alignment");
    let over = held.over.clone();
    held.threads.push(thread::spawn(move || {
        let mut all = Vec::new();
        while !over.load(Relaxed) {
            let begin = Instant::now();
            let more = (0..100).map_while(|_| client.connect().ok());
            all.extend(more.filter(|socket| socket.set_nonblocking(true).is_ok()));
            thread::sleep(Duration::from_millis(50).saturating_sub(begin.elapsed()));
            // Keeps the sockets without anything to read, which are still open.
            all.retain(|socket| socket.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock));
        }
    }));
    // Without limits, all connections would be taken by now.
    thread::sleep(Duration::from_secs(4));
    Ok(held)
}

/// Opens connections and sends one byte per second on each. Half of the connections are in the middle of a header, half
/// in a body.
fn drip(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let count = if stress.quick { 32 } else { 150 };
    let mut held = sockets(client, count, "GET /livez HTTP/1.1\r\nX")?;
    let body = format!("{}Content-Length: 100000\r\n\r\n", client.head("PUT", "/api/v1/texts"));
    let mut all = std::mem::take(&mut held.sockets);
    all.append(&mut sockets(client, count, &body)?.sockets);
    let over = held.over.clone();
    held.threads.push(thread::spawn(move || {
        while !over.load(Relaxed) {
            let begin = Instant::now();
            // Removes the sockets that the server has closed.
            all.retain_mut(|socket| socket.write_all(b"x").is_ok());
            while begin.elapsed() < Duration::from_secs(1) && !over.load(Relaxed) {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }));
    Ok(held)
}

/// Solves two jobs on a text that is one long record header, and starts ten threads that query the results.
fn header(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let mut text = vec![b'x'; if stress.quick { 8 << 20 } else { 200 << 20 }];
    text[0] = b'>';
    text.extend(b"\nACGT\n");
    let upload = client.upload(&text)?;
    let mut jobs = Vec::new();
    for number in 0..2 {
        let b = json!({ "upload": upload });
        jobs.push(solve(client, &json!({ "task": "edit-distance", "options": { "alignment": number == 0 }, "a": b, "b": b }))?);
    }
    let pages = ["", "/export?format=sam", "/export?format=json", "/alignment", "/records?text=a"];
    Ok(RunningAbuse::asking(client, 10, move |number| {
        format!("/api/v1/jobs/{}{}", jobs[number as usize % 2], pages[number as usize / 2 % pages.len()])
    }))
}

/// Solves a job on two texts that are one very long line each, compared as one symbol, and starts ten threads that
/// query the result.
fn line(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let upload = client.upload(&vec![1; if stress.quick { 8 << 20 } else { 128 << 20 }])?;
    let b = json!({ "upload": upload });
    let job = solve(client, &json!({ "task": "edit-distance", "options": { "unit": "lines" }, "a": b, "b": b }))?;
    let pages = ["alignment?len=1", "matrix", "dots", "editions?len=1", "export?format=diff"];
    Ok(RunningAbuse::asking(client, 10, move |number| format!("/api/v1/jobs/{job}/{}", pages[number as usize % pages.len()])))
}

/// Fills the queue with jobs that take both cores for minutes each.
fn queue(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let mut random = SplitMix64::new(stress.seed);
    let letters = 2_500_000;
    let uploads = [client.upload(&random.dna(letters))?, client.upload(&random.dna(letters))?];
    let mut held = RunningAbuse::default();
    let mut jobs = Vec::new();
    for number in 0..60 {
        // Alternates an option, so that no answer is reused.
        let options = json!({ "alignment": number % 2 == 0 });
        let task = ["edit-distance", "lcs"][number / 2 % 2];
        let job =
            json!({ "task": task, "options": options, "a": { "upload": uploads[number % 2] }, "b": { "upload": uploads[1 - number % 2] } });
        match client.submit(&job) {
            Ok(id) => jobs.push(id),
            Err(_) => break,
        }
    }
    if jobs.is_empty() {
        bail!("not one large job is taken");
    }
    let over = held.over.clone();
    held.threads.push(thread::spawn(move || {
        while !over.load(Relaxed) {
            thread::sleep(Duration::from_millis(100));
        }
        for job in jobs.iter().rev() {
            // A job that cannot be cancelled ends by itself.
            let _ = client.request("DELETE", &format!("/api/v1/jobs/{job}"), b"");
        }
    }));
    Ok(held)
}

/// Requests alignments of many hits of a pattern of millions of symbols in forty threads. Each alignment takes a long
/// computation.
fn looks(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let (a, b) = if stress.quick { (150_000, 260_000) } else { (1_500_000, 2_600_000) };
    let mut random = SplitMix64::new(stress.seed);
    let uploads = [client.upload(&random.dna(a))?, client.upload(&random.dna(b))?];
    // With this maximum distance, every offset of `b` is a hit.
    let options = json!({ "max_distance": a });
    let job = json!({ "task": "approximate-search", "options": options, "a": { "upload": uploads[0] }, "b": { "upload": uploads[1] } });
    let job = solve(client, &job)?;
    let pages = ["alignment?hit=", "overview?hit=", "export?format=cigar&hit=", "hits?len=1000&from="];
    let mut held =
        RunningAbuse::asking(client, 40, move |number| format!("/api/v1/jobs/{job}/{}{number}", pages[number as usize % pages.len()]));
    held.others_ask = Some("alignment");
    Ok(held)
}

/// Fills the queue with comparisons of many texts, and requests files and parts of a finished one in ten threads.
fn comparisons(stress: &StressRun, client: StressClient) -> anyhow::Result<RunningAbuse> {
    let mut random = SplitMix64::new(stress.seed);
    let mut upload = |texts: usize| client.upload(&(0..texts).map(|_| random.dna(150)).collect::<Vec<_>>().join(&b"\n"[..]));
    let (few, many) = if stress.quick { (400, 2_000) } else { (3_000, 20_000) };
    let question = |upload: &str, keep: Value| json!({ "task": "lcs", "a": { "upload": upload, "split": "lines" }, "keep": keep });
    let done = client.post("/api/v1/collections?wait=60", &question(&upload(few)?, json!({ "all": true })))?.json()?;
    let Some(id) = done["id"].as_str().filter(|_| done["state"] == "succeeded").map(str::to_owned) else {
        bail!("a comparison that the abuse needs came to nothing: {done}")
    };
    let large = upload(many)?;
    let mut queued = Vec::new();
    for number in 1..=60 {
        let answer = client.post("/api/v1/collections?wait=0", &question(&large, json!({ "nearest": number })))?;
        let Some(id) = answer.json()?["id"].as_str().map(str::to_owned) else { break };
        queued.push(id);
    }
    if queued.is_empty() {
        bail!("not one large comparison is taken");
    }
    let pages =
        ["export?format=csv", "export?format=npy", "tiles?rows=0..400&columns=0..400", "export?format=phylip", "export?format=newick"];
    let mut held =
        RunningAbuse::asking(client, 10, move |number| format!("/api/v1/collections/{id}/{}", pages[number as usize % pages.len()]));
    let over = held.over.clone();
    held.threads.push(thread::spawn(move || {
        while !over.load(Relaxed) {
            thread::sleep(Duration::from_millis(100));
        }
        for id in queued.iter().rev() {
            // A comparison that cannot be cancelled ends by itself.
            let _ = client.request("DELETE", &format!("/api/v1/collections/{id}"), b"");
        }
    }));
    Ok(held)
}

/// Opens `count` connections and sends `text` on each.
fn sockets(client: StressClient, count: usize, text: &str) -> anyhow::Result<RunningAbuse> {
    let mut held = RunningAbuse::default();
    for _ in 0..count {
        // The server may refuse further connections of one client, which is a valid defence.
        match client.send_only(text) {
            Ok(socket) => held.sockets.push(socket),
            Err(_) => break,
        }
    }
    Ok(held)
}

/// Starts a job, waits until it has ended, and returns its id.
fn solve(client: StressClient, job: &Value) -> anyhow::Result<String> {
    let id = client.submit(job)?;
    let begin = Instant::now();
    loop {
        let snapshot = client.get(&format!("/api/v1/jobs/{id}"))?.json()?;
        match snapshot["state"].as_str() {
            Some("succeeded") => return Ok(id),
            Some("queued" | "running") if begin.elapsed() < Duration::from_secs(580) => thread::sleep(Duration::from_millis(100)),
            _ => bail!("a job that the abuse needs came to nothing: {snapshot}"),
        }
    }
}
