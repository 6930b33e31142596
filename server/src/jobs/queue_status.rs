//! Queue positions, which waiting clients receive (`report_positions`), and the problems for refused jobs (`queue_full`,
//! `stopping`).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use explain::snapshot::{JobSnapshot, JobStatus};
use kernels::event::JobEvent;

use super::JobServiceState;
use super::fair_queue::QueuePosition;
use crate::error::{ApiProblem, ProblemKind};
use crate::ops::metrics;
use crate::storage::ports::queue::{QueueClass, QueueFullError};

/// Maximum number of seconds in the header `Retry-After` of a job that a full queue refuses.
const MAX_RETRY_SECONDS: u64 = 3600;

/// Time after which a client may retry if the cluster has no worker, in seconds. A starting worker is ready by then.
pub(super) const NO_WORKER_RETRY_SECONDS: u64 = 30;

/// Minimum interval between two reports of queue positions if more than [`MAX_REPORTED_JOBS`] jobs wait.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of waiting jobs up to which each change of the queue is reported immediately.
const MAX_REPORTED_JOBS: usize = 16;

/// The limiter of reports of queue positions: the time of the last report, and whether another report is scheduled.
#[derive(Debug, Default)]
pub(super) struct ReportThrottle(Mutex<(Option<Instant>, bool)>);

impl ReportThrottle {
    /// Schedules the next report of queue positions, and returns the delay before it. The delay is zero if
    /// [`REPORT_INTERVAL`] has passed since the last report. Returns `None` if a report is scheduled already.
    fn wait(&self) -> Option<Duration> {
        let mut throttle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, is_to_come) = &mut *throttle;
        if *is_to_come {
            return None;
        }
        let wait = last.map_or(Duration::ZERO, |last| REPORT_INTERVAL.saturating_sub(last.elapsed()));
        *is_to_come = !wait.is_zero();
        if wait.is_zero() {
            *last = Some(Instant::now());
        }
        Some(wait)
    }

    /// Records that the scheduled report is made now.
    fn mark_reported(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (Some(Instant::now()), false);
    }
}

impl JobServiceState {
    /// Reports to each waiting client how many jobs are ahead of its job, if that number has changed. If many jobs
    /// wait, changes of [`REPORT_INTERVAL`] are reported together. Otherwise 200 jobs that arrive together would cause
    /// 200 reports to each of 200 clients.
    pub(super) fn report_positions(shared: &Arc<Self>) {
        let waiting = shared.open_jobs().queue.waiting();
        match if waiting <= MAX_REPORTED_JOBS { Some(Duration::ZERO) } else { shared.positions.wait() } {
            None => {}
            Some(Duration::ZERO) => shared.report_positions_now(),
            Some(wait) => {
                let later = shared.clone();
                shared.runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    later.positions.mark_reported();
                    later.report_positions_now();
                });
            }
        }
    }

    fn report_positions_now(&self) {
        // Reports under the lock, so that no job is reported as waiting after it has left the queue.
        let open_jobs = self.open_jobs();
        if open_jobs.queue.waiting() == 0 {
            return;
        }
        let running: Vec<(QueueClass, f64)> = open_jobs.live.values().filter_map(|live| live.with_snapshot(remaining_time)).collect();
        for QueuePosition { ahead, queue_class: line, wait_ms, item } in open_jobs.queue.positions() {
            if !is_worth_reporting(item.last_reported_ahead.get(), ahead) {
                continue;
            }
            item.last_reported_ahead.set(Some(ahead));
            // A place becomes free when the first of the running jobs ends.
            let first = running.iter().filter(|(of, _)| *of == line).map(|(_, ms)| *ms).fold(f64::INFINITY, f64::min);
            let first = if first.is_finite() { first } else { 0.0 };
            item.live.report(JobEvent::Queued { position: ahead, wait_ms: Some(first + wait_ms as f64) });
        }
    }
}

/// Returns whether a client is told that `ahead` jobs are ahead of its job, after it was last told `told`. A job far
/// behind is reported only if its position changes by a tenth. Otherwise each end of a job would cause thousands of
/// reports.
fn is_worth_reporting(told: Option<u64>, ahead: u64) -> bool {
    told.is_none_or(|told| told != ahead && (ahead < 10 || told.abs_diff(ahead) > told / 10))
}

/// Returns the queue class of the running job `snapshot`, and its remaining time in milliseconds. Returns `None` if the
/// job does not run.
pub(super) fn remaining_time(snapshot: &JobSnapshot) -> Option<(QueueClass, f64)> {
    let plan = snapshot.plan.as_ref().filter(|_| snapshot.state == JobStatus::Running)?;
    let left = snapshot.progress.map_or(plan.expected_ms, |progress| progress.eta_ms);
    Some((QueueClass::from_plan(plan), left))
}

/// Creates the problem for a job that is refused because the server is stopping.
pub(super) fn stopping() -> ApiProblem {
    ApiProblem::new(ProblemKind::NotReady, "The server is stopping. Try again in a minute.").retry_after(60)
}

/// Creates the problem for a job that a full queue refuses, with the time after which the client may retry.
pub(super) fn queue_full(QueueFullError { wait_ms, is_own_backlog: by_itself }: QueueFullError) -> ApiProblem {
    // Rounded up, because a client that retries too soon is refused again.
    let seconds = (wait_ms / 1000 + 1).min(MAX_RETRY_SECONDS);
    let whose = if by_itself { "You already have as many waiting jobs as one visitor can have." } else { "Too many jobs are waiting." };
    metrics::limit_reached(if by_itself { "own_queue" } else { "queue" });
    let detail = format!("{whose} Try again in about {seconds} s.");
    ApiProblem::new(ProblemKind::QueueFull, detail).retry_after(seconds)
}
