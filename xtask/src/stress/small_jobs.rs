//! Small jobs as most visitors send them: two words, with the answer in the same request. Their durations
//! ([`SmallJobResults`]) show how well the server works for everyone.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    http::{HttpAnswer, StressClient},
    report::RequestTimes,
};

/// The results of many small jobs: durations of right answers, and descriptions of all other results.
#[derive(Debug, Default)]
pub(crate) struct SmallJobResults {
    /// Durations of the jobs that returned the right answer.
    pub(crate) times: RequestTimes,
    /// Descriptions of all other results, each with the number of jobs that had it.
    pub(crate) others: BTreeMap<String, usize>,
}

impl SmallJobResults {
    /// Combines these results with those of another run.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.times.0.extend(more.times.0);
        for (what, count) in more.others {
            *self.others.entry(what).or_default() += count;
        }
        self
    }

    /// Describes the failures and their numbers, or says that there are none.
    pub(crate) fn wrong(&self) -> String {
        if self.others.is_empty() {
            return format!("all {}", self.times.0.len());
        }
        let others: Vec<String> = self.others.iter().map(|(what, count)| format!("{count} × {what}")).collect();
        format!("{} of {}; {}", self.times.0.len(), self.times.0.len() + self.others.values().sum::<usize>(), others.join("; "))
    }
}

/// Sends one job on two words that no earlier job had, so that no answer is reused.
pub(crate) fn one(client: &StressClient) -> SmallJobResults {
    judged(send(client))
}

fn send(client: &StressClient) -> anyhow::Result<HttpAnswer> {
    static NEXT_JOB_NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NEXT_JOB_NUMBER.fetch_add(1, Relaxed);
    let job = json!({ "task": "edit-distance", "a": { "text": format!("kitten {number}") }, "b": { "text": format!("sitting {number}") } });
    client.post("/api/v1/jobs?wait=20&fresh=1", &job)
}

fn judged(answer: anyhow::Result<HttpAnswer>) -> SmallJobResults {
    let mut sent = SmallJobResults::default();
    let found = match answer {
        Err(error) => Err(format!("{error:#}")),
        Ok(answer) if answer.status != 200 => Err(format!("status {}", answer.status)),
        Ok(answer) => match answer.json() {
            Ok(snapshot) if snapshot["answer"]["distance"] == 3 => Ok(answer.took),
            _ => Err(format!("not the answer: {}", answer.text())),
        },
    };
    match found {
        Ok(took) => sent.times.0.push(took),
        Err(what) => *sent.others.entry(what).or_default() += 1,
    }
    sent
}

/// Sends one job after the other for the duration `long`, with a pause of `every` between two jobs.
pub(crate) fn steadily(client: &StressClient, long: Duration, every: Duration) -> SmallJobResults {
    let begin = Instant::now();
    let mut all = SmallJobResults::default();
    while begin.elapsed() < long {
        all = all.and(one(client));
        std::thread::sleep(every);
    }
    all
}

/// Sends `count` jobs at the same time, each from its own address. Checks the answers only after all have arrived,
/// because the clients may share the server's cores.
pub(crate) fn at_once(client: &StressClient, count: u8) -> SmallJobResults {
    let start = std::sync::Barrier::new(count.into());
    std::thread::scope(|scope| {
        let one_of = |number| {
            let (client, start) = (client.with_address(Ipv4Addr::new(127, 0, 3, number)), &start);
            scope.spawn(move || {
                start.wait();
                send(&client)
            })
        };
        let threads: Vec<_> = (1..=count).map(one_of).collect();
        let answers: Vec<_> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
        answers.into_iter().map(judged).fold(SmallJobResults::default(), SmallJobResults::and)
    })
}
