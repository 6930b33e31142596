//! A host with several GPUs: jobs of eight clients run on the first GPU alone and then on all GPUs. Skipped on a host
//! with fewer than two GPUs.

use std::{
    net::Ipv4Addr,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::{
    SplitMix64, StressRun,
    http::StressClient,
    report::StressReport,
    server::{ServerSetup, StressServer},
};

/// Number of jobs of each client.
const JOBS: usize = 8;

/// Number of clients.
const CLIENTS: u8 = 8;

/// Length of each text, in letters.
const LETTERS: usize = 1 << 20;

/// Number of edits between the texts of a pair, per thousand letters.
const EDITS_PER_THOUSAND: u64 = 300;

/// Maximum time until the server offers its GPUs, which includes compiling kernels.
const READY_TIMEOUT: Duration = Duration::from_secs(240);

/// Time between two counts of the GPUs that the server offers. When two counts agree, the server has also had this time
/// to compile further kernels.
const SETTLE_DELAY: Duration = Duration::from_secs(20);

/// Number of times that all jobs are sent. The shortest time is reported, because the first round also loads kernels
/// and creates files.
const ROUNDS: usize = 4;

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let one = DeviceServer::start(stress, Some("0"))?;
    if one.count == 0 {
        report.figure("skipped", "no CUDA device");
        return Ok(());
    }
    let (alone, answers) = one.measure(stress, report)?;
    drop(one);
    let all = DeviceServer::start(stress, None)?;
    if all.count < 2 {
        report.figure("skipped", "one CUDA device");
        return Ok(());
    }
    let (together, same) = all.measure(stress, report)?;
    report.must_hold("the answers are the same", answers == same, format!("{} answers", answers.len()));
    // The part of each job that runs on the CPU uses the same cores in both cases.
    let most = if all.count == 2 { 55.0 } else { 100.0 / all.count as f64 + 3.0 };
    report.at_most(&format!("time on {} GPUs, as a part of that on one", all.count), 100.0 * together / alone, most, "%");
    Ok(())
}

/// A server that uses some or all GPUs of the host, with the number of GPUs that it offers.
struct DeviceServer {
    server: StressServer,
    count: usize,
}

impl DeviceServer {
    /// Starts a server on the GPUs whose numbers are in `visible`, or on all GPUs if `visible` is `None`. Returns when
    /// the server offers them, or when its log says that there are none.
    fn start(stress: &StressRun, visible: Option<&str>) -> anyhow::Result<Self> {
        let most = "1e18".to_owned();
        let mut setup = ServerSetup::with_variables(&[("EDITSCOPE_ENGINES", "cpu,cuda"), ("RUST_LOG", "info,server::request=warn")]);
        setup.variables.extend(["EDITSCOPE_CLIENT_CELLS", "EDITSCOPE_CLIENT_BYTES"].map(|name| (name, most.clone())));
        setup.variables.extend(visible.map(|visible| ("CUDA_VISIBLE_DEVICES", visible.to_owned())));
        let server = stress.place.start("data", &setup)?;
        let (begin, mut count) = (Instant::now(), 0);
        // The server adds further GPUs after the first one.
        while begin.elapsed() < READY_TIMEOUT && !server.log_contains("no CUDA engine")? {
            let found = cuda_devices(&server.client.get("/api/v1/engines")?.json()?);
            if found > 0 && found == count {
                break;
            }
            count = found;
            thread::sleep(SETTLE_DELAY);
        }
        Ok(Self { server, count })
    }

    /// Sends all jobs [`ROUNDS`] times. Returns the shortest duration of a round in seconds, and the distances that the
    /// jobs found. Adds the durations to `report`.
    fn measure(&self, stress: &StressRun, report: &mut StressReport) -> anyhow::Result<(f64, Vec<Value>)> {
        let client = |number| self.server.client.with_address(Ipv4Addr::new(127, 0, 5, number));
        let pairs = (1..=CLIENTS).map(|number| uploaded(&client(number), stress.seed + u64::from(number)));
        let pairs: Vec<Vec<[String; 2]>> = pairs.collect::<anyhow::Result<_>>()?;
        let (mut times, mut answers) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            answers = thread::scope(|scope| {
                let sent: Vec<_> =
                    (1..=CLIENTS).zip(&pairs).map(|(number, pairs)| scope.spawn(move || solved(&client(number), pairs))).collect();
                sent.into_iter().map(|thread| thread.join().ok().context("a client broke down")?).collect::<anyhow::Result<Vec<_>>>()
            })?
            .concat();
            times.push(begin.elapsed().as_secs_f64());
        }
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let said = times.iter().map(|time| format!("{time:.2}")).collect::<Vec<_>>().join(", ");
        let jobs = JOBS * usize::from(CLIENTS);
        report.figure(&format!("{jobs} pairs of 1 Mi with alignment, GPUs: {}", self.count), format!("{least:.2} s ({said})"));
        Ok((least, answers))
    }
}

/// Returns the number of GPUs in a server's list of engines.
fn cuda_devices(engines: &Value) -> usize {
    let is_cuda = |of: &Value| of["engine"] == "cuda";
    let count = |list: &Value| list.as_array().into_iter().flatten().filter(|of| is_cuda(of)).count();
    let hosts = engines["hosts"].as_array().into_iter().flatten().map(|host| count(&host["devices"])).sum();
    count(&engines["offers"]).max(hosts)
}

/// Uploads the text pairs of one client, made by the random generator with the seed `seed`. Returns the ids of the
/// uploads of each pair.
fn uploaded(client: &StressClient, seed: u64) -> anyhow::Result<Vec<[String; 2]>> {
    let mut random = SplitMix64::new(seed);
    let pair = |_| {
        let a = random.dna(LETTERS);
        let b = edited(&a, &mut random);
        Ok([client.upload(&a)?, client.upload(&b)?])
    };
    (0..JOBS).map(pair).collect()
}

/// Returns `text` with [`EDITS_PER_THOUSAND`] random substitutions, insertions and deletions per thousand letters.
fn edited(text: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    for letter in text {
        let number = random.number();
        let other = b"ACGT"[(number >> 32) as usize % 4];
        match (number % 1000 < EDITS_PER_THOUSAND, (number >> 40) % 3) {
            (false, _) => out.push(*letter),
            (true, 0) => out.push(other),
            (true, 1) => out.extend([*letter, other]),
            (true, _) => {}
        }
    }
    out
}

/// Sends the jobs of one client at once on the uploaded `pairs`, waits until they have ended, and returns their
/// distances.
fn solved(client: &StressClient, pairs: &[[String; 2]]) -> anyhow::Result<Vec<Value>> {
    let job = |[a, b]: &[String; 2]| json!({ "task": "edit-distance", "a": { "upload": a }, "b": { "upload": b } });
    let ids = pairs.iter().map(|pair| client.post("/api/v1/jobs?fresh=1", &job(pair))?.member(202, "id"));
    let ids: Vec<String> = ids.collect::<anyhow::Result<_>>()?;
    let end = |id: &String| -> anyhow::Result<Value> {
        let mut events = client.events(id, None)?;
        while events.next()?.is_some_and(|event| !event.is_last()) {}
        let snapshot = client.get(&format!("/api/v1/jobs/{id}"))?.json()?;
        anyhow::ensure!(snapshot["plan"]["engine"] == "cuda" && snapshot["state"] == "succeeded", "{snapshot}");
        Ok(snapshot["answer"]["distance"].clone())
    };
    ids.iter().map(end).collect()
}
