//! Waiting: what those who wait are told, and those who may not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use explain::snapshot::{Snapshot, State};
use kernels::event::Event;

use super::Shared;
use crate::error::{Kind, Problem};
use crate::metrics;
use crate::ports::queue::{Full, Line, Position};

/// Nobody is sent away for longer, in seconds.
const LONGEST_WAIT: u64 = 3600;

/// Time between two reports to those who wait, where they are many.
const BETWEEN: Duration = Duration::from_millis(50);

/// So many are told at once.
const FEW: usize = 16;

/// When those who wait were told last, and whether they will be told again.
#[derive(Debug, Default)]
pub(super) struct Throttle(Mutex<(Option<Instant>, bool)>);

impl Throttle {
    /// How long to wait with a report that is due now: not at all, or until some time has passed since the last one. `None` where one is to come.
    fn wait(&self) -> Option<Duration> {
        let mut throttle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, is_to_come) = &mut *throttle;
        if *is_to_come {
            return None;
        }
        let wait = last.map_or(Duration::ZERO, |last| BETWEEN.saturating_sub(last.elapsed()));
        *is_to_come = !wait.is_zero();
        if wait.is_zero() {
            *last = Some(Instant::now());
        }
        Some(wait)
    }

    /// The report that was to come is made now.
    fn comes(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (Some(Instant::now()), false);
    }
}

impl Shared {
    /// Reports to everyone who waits how many are ahead, if that has changed: now, or soon after the last time where many wait. Of two hundred jobs that come
    /// together each would else be told of each.
    pub(super) fn report_positions(shared: &Arc<Self>) {
        let waiting = shared.open_jobs().queue.waiting();
        match if waiting <= FEW { Some(Duration::ZERO) } else { shared.positions.wait() } {
            None => {}
            Some(Duration::ZERO) => shared.report_positions_now(),
            Some(wait) => {
                let later = shared.clone();
                shared.runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    later.positions.comes();
                    later.report_positions_now();
                });
            }
        }
    }

    fn report_positions_now(&self) {
        // Under the lock: whoever has left the queue is not told that it waits.
        let open_jobs = self.open_jobs();
        if open_jobs.queue.waiting() == 0 {
            return;
        }
        let running: Vec<(Line, f64)> = open_jobs.live.values().filter_map(|live| live.look(left)).collect();
        for Position { ahead, line, wait_ms, item } in open_jobs.queue.positions() {
            if !is_news(item.told.get(), ahead) {
                continue;
            }
            item.told.set(Some(ahead));
            // A place is free once the first one of those that run has ended.
            let first = running.iter().filter(|(of, _)| *of == line).map(|(_, ms)| *ms).fold(f64::INFINITY, f64::min);
            let first = if first.is_finite() { first } else { 0.0 };
            item.live.report(Event::Queued { position: ahead, wait_ms: Some(first + wait_ms as f64) });
        }
    }
}

/// Whether who has been told of so many jobs before it is told of another number: far behind only where it has changed by a tenth, or each end of
/// a job would be told to thousands.
fn is_news(told: Option<u64>, ahead: u64) -> bool {
    told.is_none_or(|told| told != ahead && (ahead < 10 || told.abs_diff(ahead) > told / 10))
}

/// The line of a job that runs, and about how many milliseconds it will go on.
pub(super) fn left(snapshot: &Snapshot) -> Option<(Line, f64)> {
    let plan = snapshot.plan.as_ref().filter(|_| snapshot.state == State::Running)?;
    let left = snapshot.progress.map_or(plan.expected_ms, |progress| progress.eta_ms);
    Some((Line::of(plan), left))
}

/// The server takes no more jobs.
pub(super) fn stopping() -> Problem {
    Problem::new(Kind::NotReady, "The server is stopping. Try again in a minute.").retry_after(60)
}

/// The queue takes no more of this for a while.
pub(super) fn refused(Full { wait_ms, by_itself }: Full) -> Problem {
    // Rounded up: who comes back too soon is refused again.
    let seconds = (wait_ms / 1000 + 1).min(LONGEST_WAIT);
    let whose = if by_itself { "You already have as many waiting jobs as one visitor can have." } else { "Too many jobs are waiting." };
    metrics::limit_reached(if by_itself { "own_queue" } else { "queue" });
    let detail = format!("{whose} Try again in about {seconds} s.");
    Problem::new(Kind::QueueFull, detail).retry_after(seconds)
}
