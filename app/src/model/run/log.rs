//! Log of a run: [`LogLine`] and the events in it ([`LogEvent`]). Lines are stored as data and formatted when drawn, so
//! that a change of the language applies to all of them.

use kernels::plan::{EngineName, EnginePlace, JobPlan};

use crate::model::run::reason::plan_reason;
use crate::model::text::humanize::{self, WorkUnit, expected_time, grouped};
use crate::tr;
use crate::tr::t;

#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// Time since the run began, in milliseconds.
    pub elapsed_ms: f64,
    pub event: LogEvent,
}

/// An event of a run, as a line of the log reports it.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEvent {
    /// The job waits in the queue.
    Queued {
        /// Number of jobs that run before this one.
        position: u64,
        /// Expected waiting time, in milliseconds.
        wait_ms: Option<f64>,
    },
    /// An engine was chosen.
    Planned(Box<JobPlan>),
    /// The texts were read.
    Read,
    /// The texts are copied to the graphics card.
    Transferred,
    /// The computation began.
    Computing {
        /// Number of cells of the matrix to fill, if known.
        cells: Option<u64>,
    },
    /// The alignment is being traced back through the matrix.
    Tracing {
        /// The score, if it is already known.
        score: Option<u64>,
        /// Whether `score` is the length of a common subsequence instead of a distance.
        is_length: bool,
    },
}

impl LogEvent {
    /// Formats the event as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Queued { position, wait_ms } => {
                let jobs = humanize::count(*position, "job", "jobs");
                match wait_ms {
                    Some(ms) => tr!("In the queue: {jobs} ahead, {time}.", jobs = jobs, time = expected_time(*ms)),
                    None => tr!("In the queue: {jobs} ahead.", jobs = jobs),
                }
            }
            Self::Planned(plan) => {
                tr!("Planned: {device}, {because}.", device = humanize::device(&plan.device), because = plan_reason(plan))
            }
            Self::Read => t("The texts are read.").into(),
            Self::Transferred => t("The texts go to the device.").into(),
            Self::Computing { cells: Some(cells) } => tr!("The computation begins: {cells}.", cells = WorkUnit::Cells.work(*cells)),
            Self::Computing { cells: None } => t("The computation begins.").into(),
            Self::Tracing { score: Some(n), is_length: true } => tr!("The length is {n}. The alignment is traced.", n = grouped(*n)),
            Self::Tracing { score: Some(n), is_length: false } => tr!("The distance is {n}. The alignment is traced.", n = grouped(*n)),
            Self::Tracing { score: None, .. } => t("The alignment is traced.").into(),
        }
    }
}

/// A change of the engine after a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineFallback {
    /// The engine that failed, and whether it is in the browser or on the server.
    pub was: (EngineName, EnginePlace),
    /// The engine that continues, and whether it is in the browser or on the server.
    pub now: (EngineName, EnginePlace),
    /// Progress of the failed engine at its failure, from 0 to 1.
    pub fraction: f64,
    /// Expected time of the new engine, in milliseconds.
    pub needs_ms: f64,
    /// Expected time of the failed engine, in milliseconds.
    pub instead_of_ms: f64,
}

impl EngineFallback {
    /// Formats the change in sentences.
    pub fn sentence(&self) -> String {
        let (was, now) = (humanize::engine(self.was.0, self.was.1), humanize::engine_within(self.now.0, self.now.1));
        tr!(
            "{was} stopped answering at {percent}. The job now runs on {now}: {needs} instead of {instead}. The answer will be the same.",
            was = was,
            percent = humanize::whole_percent(self.fraction),
            now = now,
            needs = expected_time(self.needs_ms),
            instead = humanize::measured_time(self.instead_of_ms),
        )
    }
}
