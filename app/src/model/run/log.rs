//! What happened in a run, kept as it was told and said when it is drawn: whoever chooses another language reads all of it in that one.

use kernels::plan::{EngineName, Place, Plan};

use crate::model::run::reason::because;
use crate::model::text::words::{self, Counted, about, grouped};
use crate::tr;
use crate::tr::t;

/// One line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// When, in milliseconds after the run began.
    pub at: f64,
    /// What happened.
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// It waits behind so many jobs, for so many milliseconds by estimate.
    Queued {
        /// Jobs ahead.
        position: u64,
        /// Milliseconds.
        wait_ms: Option<f64>,
    },
    /// An engine was chosen.
    Planned(Box<Plan>),
    /// The texts are read.
    Read,
    /// They go to the device.
    Transferred,
    /// The computation has begun, of so many cells where that is known.
    Computing {
        /// Cells in all.
        cells: Option<u64>,
    },
    /// The alignment is traced.
    Tracing {
        /// The score, where it is known by then.
        score: Option<u64>,
        /// Whether that is a length and no distance.
        is_length: bool,
    },
}

impl Happened {
    /// The same as a sentence.
    pub fn said(&self) -> String {
        match self {
            Self::Queued { position, wait_ms } => {
                let jobs = words::count(*position, "job", "jobs");
                match wait_ms {
                    Some(ms) => tr!("In the queue: {jobs} ahead, {time}.", jobs = jobs, time = about(*ms)),
                    None => tr!("In the queue: {jobs} ahead.", jobs = jobs),
                }
            }
            Self::Planned(plan) => tr!("Planned: {device}, {because}.", device = words::device(&plan.device), because = because(plan)),
            Self::Read => t("The texts are read.").into(),
            Self::Transferred => t("The texts go to the device.").into(),
            Self::Computing { cells: Some(cells) } => tr!("The computation begins: {cells}.", cells = Counted::Cells.work(*cells)),
            Self::Computing { cells: None } => t("The computation begins.").into(),
            Self::Tracing { score: Some(n), is_length: true } => tr!("The length is {n}. The alignment is traced.", n = grouped(*n)),
            Self::Tracing { score: Some(n), is_length: false } => tr!("The distance is {n}. The alignment is traced.", n = grouped(*n)),
            Self::Tracing { score: None, .. } => t("The alignment is traced.").into(),
        }
    }
}

/// An engine has failed, and another one goes on instead.
#[derive(Clone, Debug, PartialEq)]
pub struct FellBack {
    /// The one that has failed, and where.
    pub was: (EngineName, Place),
    /// The one that goes on.
    pub now: (EngineName, Place),
    /// How far the first one was, from 0 to 1.
    pub fraction: f64,
    /// Milliseconds that the second one needs.
    pub needs_ms: f64,
    /// Milliseconds that the first one would have needed.
    pub instead_of_ms: f64,
}

impl FellBack {
    /// The same as sentences.
    pub fn said(&self) -> String {
        let (was, now) = (words::engine(self.was.0, self.was.1), words::engine_within(self.now.0, self.now.1));
        tr!(
            "{was} stopped answering at {percent}. The job now runs on {now}: {needs} instead of {instead}. The answer will be the same.",
            was = was,
            percent = words::whole_percent(self.fraction),
            now = now,
            needs = about(self.needs_ms),
            instead = words::took(self.instead_of_ms),
        )
    }
}
