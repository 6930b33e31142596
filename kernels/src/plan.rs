//! Plan: chooses the engine for a job among those that the browser and the server offer. The browser and the server run
//! the same code, which depends only on its arguments.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use crate::failure::{JobFailure, large};
use crate::humanize::{cells_in_words, symbols_in_words, time_in_words};
use crate::job::Task;
use crate::{cbor_enum, cbor_struct};

pub use self::measured::{MeasuredOffer, StartOverhead};

mod measured;

/// Maximum expected time, in milliseconds, for which a run in the browser is preferred. No text leaves the user's
/// computer then, and the wait is not noticeable.
pub const MAX_LOCAL_MS: f64 = 500.0;

/// Maximum expected time of a brief job, in milliseconds.
const MAX_BRIEF_MS: f64 = 100.0;

/// The kind of an engine: CPU or CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Engine))]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    /// Bit-parallel words in SIMD lanes, native or in wasm.
    Cpu,
    /// CUDA kernels.
    Cuda,
}

cbor_enum!(EngineName { 0 Cpu, 1 Cuda });

/// Sizes of a GPU's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Memory that is available to jobs now, in bytes.
    pub free: u64,
    /// Total memory of the GPU, in bytes.
    pub total: u64,
}

/// The place in which an engine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EnginePlace {
    /// The user's browser.
    Browser,
    /// The server.
    Server,
}

cbor_enum!(EnginePlace { 0 Browser, 1 Server });

/// A job is refused if its expected time is longer than the time limit multiplied by this factor. Jobs a little above
/// the limit are accepted, because estimates may be wrong, and because a job that runs too long is stopped anyway.
pub const REFUSAL_FACTOR: u64 = 4;

/// The maximum sizes of a job that an engine accepts. `u64::MAX` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EngineLimits {
    /// Maximum number of cells that one job computes.
    pub cells: u64,
    /// Seconds after which a job is stopped. A job is refused if its expected time is more than four times as long.
    #[serde(default = "unlimited")]
    pub seconds: u64,
    /// Maximum number of symbols of one text.
    pub symbols: u64,
    /// Maximum number of distinct symbols in both texts together.
    pub alphabet: u64,
}

impl EngineLimits {
    /// Limits that accept every job.
    pub const NONE: Self = Self { cells: u64::MAX, seconds: u64::MAX, symbols: u64::MAX, alphabet: u64::MAX };
}

fn unlimited() -> u64 {
    u64::MAX
}

/// Deserializes a list and skips elements that this version cannot read, because a newer program may name new engines
/// and tasks.
///
/// # Errors
/// Returns an error if the input is not a list.
pub fn known<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ListMember<T> {
        Known(T),
        Unknown(IgnoredAny),
    }
    let members: Vec<ListMember<T>> = Vec::deserialize(deserializer)?;
    let known = members.into_iter().filter_map(|member| match member {
        ListMember::Known(known) => Some(known),
        ListMember::Unknown(IgnoredAny) => None,
    });
    Ok(known.collect())
}

/// An engine that a planner can choose: the tasks that it supports, its measured speed and its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Offer))]
pub struct PlannerOffer {
    /// Kind of the engine.
    pub engine: EngineName,
    /// Place of the engine.
    pub place: EnginePlace,
    /// Description of the device: "NVIDIA H200", "16 cores".
    pub device: String,
    /// Supported tasks with their rates. Tasks that this version does not know are skipped during deserialization.
    #[serde(deserialize_with = "known")]
    pub tasks: Vec<TaskRate>,
    /// Time before the first cell of a job in milliseconds, such as launch and round trip.
    pub start_ms: f64,
    /// Transfer rate of texts to the engine in bytes per second.
    pub bytes_per_second: f64,
    /// Maximum sizes of a job.
    pub limits: EngineLimits,
    /// Version of the program that makes the offer.
    pub version: String,
}

/// The measured speed of an engine at one task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Rate))]
pub struct TaskRate {
    /// Task that the rate belongs to.
    pub task: Task,
    /// Rate in cells per second, measured on texts that fill the engine.
    pub cells_per_second: f64,
}

/// The estimated work of a job, from which the planner computes the expected time on each engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWork {
    /// Task to solve.
    pub task: Task,
    /// Cells of the matrix: |a|·|b|. For `exact-search` |a| + |b|, because it reads every symbol once.
    pub cells: u64,
    /// Expected effort on the CPU.
    pub cpu: EngineEffort,
    /// Expected effort on a GPU.
    pub cuda: EngineEffort,
    /// Whether both efforts were estimated from the texts themselves. Efforts that were estimated from lengths alone
    /// never lead to a refusal, because the job may turn out to be small.
    pub is_known: bool,
    /// Number of symbols of the longer text.
    pub symbols: u64,
    /// Number of distinct symbols in both texts, or 1 if it is not known yet.
    pub alphabet: u64,
    /// Number of bytes of both texts that must be sent to the engine. Texts that the engine has already are left out.
    pub bytes: u64,
}

/// The expected effort of an engine for one job. The expected time follows from the engine's measured rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineEffort {
    /// Number of cells that the run will report as computed.
    pub cells: u64,
    /// Cost of the run, as a number of cells at the engine's measured rate. Differs from `cells` if cells are skipped,
    /// or if an alignment needs a second pass.
    pub cost_cells: u64,
    /// Additional time on one thread, in nanoseconds.
    pub overhead_ns: u64,
}

impl EngineEffort {
    /// Creates the effort of a run that computes `cells` cells, each at the engine's measured rate, without skipped
    /// cells or overhead.
    pub fn from_cells(cells: u64) -> Self {
        Self { cells, cost_cells: cells, overhead_ns: 0 }
    }
}

impl JobWork {
    /// Returns this work for a job that an engine on a GPU leaves to the CPU of its host.
    ///
    /// `cells_per_ns` is a lower bound of the cells that any host computes in a nanosecond. A planner therefore prefers the
    /// CPU.
    pub(crate) fn on_host(self, cells_per_ns: u64) -> Self {
        let EngineEffort { cells, cost_cells, overhead_ns } = self.cpu;
        let cuda = EngineEffort { cells, cost_cells: 0, overhead_ns: overhead_ns.saturating_add(cost_cells / cells_per_ns) };
        Self { cuda, ..self }
    }

    /// Creates the work of `task` for a run that computes `cells` cells once on any engine. Both efforts are marked as
    /// known.
    pub fn from_cells(task: Task, cells: u64) -> Self {
        let all = EngineEffort::from_cells(cells);
        Self { task, cells, cpu: all, cuda: all, is_known: true, symbols: 1, alphabet: 1, bytes: 0 }
    }

    /// Returns the expected effort on an engine of the kind `engine`.
    pub fn effort(&self, engine: EngineName) -> EngineEffort {
        match engine {
            EngineName::Cpu => self.cpu,
            EngineName::Cuda => self.cuda,
        }
    }
}

/// The plan for a job: the chosen engine with the reason, the expected time, and the next best choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Plan))]
pub struct JobPlan {
    /// Kind of the engine.
    pub engine: EngineName,
    /// Place of the engine.
    pub place: EnginePlace,
    /// Description of the device.
    pub device: String,
    /// Reason for the choice, as the end of a sentence: "because …".
    pub because: String,
    /// The reason in structured form, so that clients can translate it. Plans of older servers lack it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<PlanReason>,
    /// Expected time from the start to the answer, in milliseconds.
    pub expected_ms: f64,
    /// Number of cells that the engine is expected to fill. Plans of older servers lack it and have 0 here.
    #[serde(default)]
    pub expected_cells: u64,
    /// The next best offer, if one exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alternative: Option<PlanAlternative>,
}

cbor_struct!(JobPlan { engine, place, device, because, reason, expected_ms, expected_cells, alternative });

impl JobPlan {
    /// Creates the plan of a run that no planner has estimated: without a device, a reason and numbers.
    pub fn unestimated(engine: EngineName, place: EnginePlace) -> Self {
        let (device, because) = (String::new(), String::new());
        Self { engine, place, device, because, reason: None, expected_ms: 0.0, expected_cells: 0, alternative: None }
    }

    /// Returns whether the job is brief, so that it never waits for large ones.
    pub fn is_brief(&self) -> bool {
        self.expected_ms <= MAX_BRIEF_MS
    }
}

/// The reason why an engine was chosen for a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "why", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Reason))]
pub enum PlanReason {
    /// The engine has the shortest expected time, or is the browser and needs at most half a second.
    Quick {
        /// Task of the job.
        task: Task,
        /// Expected effort, in the units that the task counts.
        cells: u64,
        /// Whether the expected time includes the transfer of the texts.
        sending: bool,
    },
    /// A different engine has failed at the job.
    Instead {
        /// Failure of the other engine.
        failure: JobFailure,
    },
}

cbor_enum!(PlanReason { 0 Quick { task, cells, sending }, 1 Instead { failure } });

/// The best of the offers that were not chosen for a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Alternative))]
pub struct PlanAlternative {
    /// Kind of the engine.
    pub engine: EngineName,
    /// Place of the engine.
    pub place: EnginePlace,
    /// Expected time in milliseconds.
    pub expected_ms: f64,
}

cbor_struct!(PlanAlternative { engine, place, expected_ms });

impl PlannerOffer {
    /// Returns the expected time from the start of a job to its answer if this engine does `work`, in milliseconds.
    pub fn expected_ms(&self, work: &JobWork) -> f64 {
        let EngineEffort { cost_cells: rated, overhead_ns: beside_ns, .. } = work.effort(self.engine);
        let rate = self.rate(work.task).unwrap_or(0.0);
        self.start_ms + 1e3 * (rated as f64 / rate + work.bytes as f64 / self.bytes_per_second) + 1e-6 * beside_ns as f64
    }

    /// Returns the rate at which the engine solves `task`, in cells per second, or `None` if it does not support the
    /// task.
    pub fn rate(&self, task: Task) -> Option<f64> {
        self.tasks.iter().find(|rate| rate.task == task).map(|rate| rate.cells_per_second)
    }

    /// Returns `TooLarge` with the first limit of this engine that `work` exceeds, or `None` if the engine accepts the
    /// work.
    fn exceeded_limit(&self, work: &JobWork) -> Option<JobFailure> {
        let (cells, seconds) = if work.is_known { (work.effort(self.engine).cells, (self.expected_ms(work) / 1e3) as u64) } else { (0, 0) };
        if seconds / REFUSAL_FACTOR > self.limits.seconds {
            return Some(JobFailure::TooLarge { what: large::SECONDS.into(), got: seconds, limit: self.limits.seconds });
        }
        let rows = [
            (large::CELLS, cells, self.limits.cells),
            (large::SYMBOLS, work.symbols, self.limits.symbols),
            (large::DISTINCT, work.alphabet, self.limits.alphabet),
        ];
        rows.into_iter().find(|(_, got, limit)| got > limit).map(|(what, got, limit)| JobFailure::TooLarge {
            what: what.into(),
            got,
            limit,
        })
    }
}

/// Chooses an engine for `work` among `offers`: the browser if its expected time is at most [`MAX_LOCAL_MS`], otherwise
/// the engine with the shortest expected time.
///
/// # Errors
/// Returns `Engine` if no offer supports the task. If every offer that supports the task refuses the work, returns
/// `TooLarge` with the greatest of the exceeded limits.
pub fn plan(work: &JobWork, offers: &[PlannerOffer]) -> Result<JobPlan, JobFailure> {
    let able: Vec<&PlannerOffer> = offers.iter().filter(|offer| offer.rate(work.task).is_some()).collect();
    let mut fit: Vec<(f64, &PlannerOffer)> =
        able.iter().filter(|offer| offer.exceeded_limit(work).is_none()).map(|offer| (offer.expected_ms(work), *offer)).collect();
    let chosen =
        quickest(&fit, |ms, offer| offer.place == EnginePlace::Browser && ms <= MAX_LOCAL_MS).or_else(|| quickest(&fit, |_, _| true));
    let Some((expected_ms, offer)) = chosen.map(|at| fit.remove(at)) else {
        return Err(able
            .iter()
            .filter_map(|offer| offer.exceeded_limit(work))
            .max_by_key(|failure| match failure {
                JobFailure::TooLarge { limit, .. } => *limit,
                _ => 0,
            })
            .unwrap_or_else(|| JobFailure::engine("No engine here solves this task.")));
    };
    let alternative = quickest(&fit, |_, _| true).map(|at| {
        let (expected_ms, other) = fit[at];
        PlanAlternative { engine: other.engine, place: other.place, expected_ms }
    });
    let sending = offer.place == EnginePlace::Server && work.bytes > 0;
    let included = if sending { ", sending included" } else { "" };
    let cells = work.effort(offer.engine).cells;
    let take = if cells == 1 { "takes" } else { "take" };
    let because = format!("because {} {take} it {}{included}", work_in_words(work.task, cells), time_in_words(expected_ms));
    let reason = Some(PlanReason::Quick { task: work.task, cells, sending });
    Ok(JobPlan {
        engine: offer.engine,
        place: offer.place,
        device: offer.device.clone(),
        because,
        reason,
        expected_ms,
        expected_cells: cells,
        alternative,
    })
}

/// Returns the index of the offer with the shortest expected time among those that satisfy `is_meant`, or `None` if
/// there is none. An entry of `offers` is the expected time in milliseconds and the offer. Of equal times, the first
/// one wins.
fn quickest(offers: &[(f64, &PlannerOffer)], is_meant: impl Fn(f64, &PlannerOffer) -> bool) -> Option<usize> {
    let meant = offers.iter().enumerate().filter(|(_, (ms, offer))| is_meant(*ms, offer));
    meant.min_by(|(_, x), (_, y)| x.0.total_cmp(&y.0)).map(|(at, _)| at)
}

/// Formats `cells`, the effort of a job, in the units of `task`: symbols for exact search, otherwise cells of the
/// matrix.
fn work_in_words(task: Task, cells: u64) -> String {
    match task {
        Task::ExactSearch => symbols_in_words(cells),
        Task::EditDistance | Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::SequenceAlignment => cells_in_words(cells),
    }
}
