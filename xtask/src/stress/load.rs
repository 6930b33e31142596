//! A lecture: a thousand clients follow one large job that takes both cores, and 200 clients send a small job at the
//! same moment. Ten event streams share an address, but each small job has an address of its own.

use std::{net::Ipv4Addr, sync::Arc, sync::atomic::AtomicUsize, sync::atomic::Ordering::Relaxed, thread, time::Duration};

use anyhow::Context as _;
use serde_json::json;

use super::{SplitMix64, StressRun, http::StressClient, report::StressReport, server::ServerSetup, small_jobs};

/// Length of each text of the large job, in letters. The job takes minutes on two cores.
const LETTERS: usize = 4_000_000;

/// Stack size of each thread that follows an event stream, in bytes.
const STACK_BYTES: usize = 128 << 10;

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let (streams, rounds) = if stress.quick { (200, 1) } else { (1000, 5) };
    let server = stress.place.start("data", &ServerSetup::default())?;
    let client = server.client;
    let quiet = small_jobs::steadily(&client, Duration::from_secs(2), Duration::from_millis(5));
    report.figure("small jobs one after the other, nothing else", quiet.times.summary());

    let mut random = SplitMix64::new(stress.seed);
    let teacher = client.with_address(Ipv4Addr::new(127, 0, 4, 1));
    let [a, b] = [(); 2].map(|()| teacher.upload(&random.dna(LETTERS)));
    let job = teacher.submit(&json!({ "task": "edit-distance", "a": { "upload": a? }, "b": { "upload": b? } }))?;
    server.forget_peak()?;
    let counts = Arc::new(ListenerCounts::default());
    let listeners: Vec<_> = (0..streams).map(|number| listen(&client, number, &job, &counts)).collect::<Result<_, _>>()?;
    let begin = std::time::Instant::now();
    while counts.open.load(Relaxed) + counts.refused.load(Relaxed) < streams && begin.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(50));
    }
    report.exactly("streams that are open", counts.open.load(Relaxed), streams);

    let mut all = small_jobs::SmallJobResults::default();
    for round in 1..=rounds {
        let sent = small_jobs::at_once(&client, 200);
        report.figure(&format!("200 small jobs at once, time {round}"), sent.times.summary());
        all = all.and(sent);
        thread::sleep(Duration::from_secs(1));
    }
    report.must_hold("200 small jobs at once: answered", all.others.is_empty(), all.wrong());
    report.figure("200 small jobs at once", all.times.summary());
    report.at_most("200 small jobs at once: p99", all.times.quantile_ms(0.99), 50.0, "ms");
    let steady = small_jobs::steadily(&client, Duration::from_secs(5), Duration::from_millis(20));
    report.must_hold("small jobs one after the other: answered", steady.others.is_empty(), steady.wrong());
    report.at_most("small jobs one after the other: p99", steady.times.quantile_ms(0.99), 50.0, "ms");
    report.figure("events heard by then", counts.events.load(Relaxed));
    report.at_most("memory of the server, at most", server.peak_mb()?, 400.0, "MB");

    let state = teacher.get(&format!("/api/v1/jobs/{job}"))?.json()?["state"].clone();
    report.must_hold("the large job has run all the while", state == "running", state);
    teacher.request("DELETE", &format!("/api/v1/jobs/{job}"), b"")?;
    for listener in listeners {
        listener.join().ok().context("a listener broke down")?;
    }
    report.exactly("streams that hear the end", counts.ended.load(Relaxed), streams);
    Ok(())
}

/// The numbers of streams and events of all threads that follow the large job.
#[derive(Default)]
struct ListenerCounts {
    open: AtomicUsize,
    refused: AtomicUsize,
    events: AtomicUsize,
    ended: AtomicUsize,
}

/// Starts a thread that receives the events of `job` up to the last one, and adds to `counts`.
fn listen(client: &StressClient, number: usize, job: &str, counts: &Arc<ListenerCounts>) -> anyhow::Result<thread::JoinHandle<()>> {
    let client = client.with_address(Ipv4Addr::new(127, 0, 2, (number / 10 % 250) as u8 + 1));
    let (job, counts) = (job.to_owned(), counts.clone());
    let hear = move || {
        let opened = client.events(&job, None).ok().filter(|events| events.status == 200);
        let Some(mut events) = opened else {
            counts.refused.fetch_add(1, Relaxed);
            return;
        };
        counts.open.fetch_add(1, Relaxed);
        while let Ok(Some(event)) = events.next() {
            counts.events.fetch_add(1, Relaxed);
            counts.ended.fetch_add(usize::from(event.is_last()), Relaxed);
        }
    };
    Ok(thread::Builder::new().stack_size(STACK_BYTES).spawn(hear)?)
}
