//! Plan: the pure choice among offers. The same code runs in the browser and on the server.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use crate::failure::{Failure, large};
use crate::job::Task;
use crate::words::{cells_in_words, symbols_in_words, time_in_words};
use crate::{cbor_enum, cbor_struct};

/// A run on the visitor's own device is preferred while it is expected to take at most this long, in milliseconds:
/// nothing leaves the device, and nobody notices the wait.
pub const LOCAL_IS_FINE_MS: f64 = 500.0;

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Engine))]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    /// Bit-parallel words in SIMD lanes, natively or in wasm.
    Cpu,
    /// CUDA kernels.
    Cuda,
}

cbor_enum!(EngineName { 0 Cpu, 1 Cuda });

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// What jobs can have now.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

/// Where it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = EnginePlace))]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The visitor's browser.
    Browser,
    /// The server.
    Server,
}

cbor_enum!(Place { 0 Browser, 1 Server });

/// How many times longer than it may run a job must be expected to take for it to be refused: an estimate may be wrong, and what runs
/// too long is stopped.
pub const SURELY_TOO_LONG: u64 = 4;

/// What an engine will take. `u64::MAX` where there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = EngineLimits))]
pub struct Limits {
    /// Cells that one job fills.
    pub cells: u64,
    /// Seconds after which a job is stopped. One that is expected to take [many times](SURELY_TOO_LONG) as long is not begun.
    #[serde(default = "unlimited")]
    pub seconds: u64,
    /// Symbols of one text.
    pub symbols: u64,
    /// Distinct symbols in both texts together.
    pub alphabet: u64,
}

impl Limits {
    /// No limit at all.
    pub const NONE: Self = Self { cells: u64::MAX, seconds: u64::MAX, symbols: u64::MAX, alphabet: u64::MAX };
}

fn unlimited() -> u64 {
    u64::MAX
}

/// Reads a list and leaves out what this version cannot read: a newer program may name engines and tasks that there were not before.
///
/// # Errors
/// When it is no list.
pub fn known<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Member<T> {
        Known(T),
        Unknown(IgnoredAny),
    }
    let members: Vec<Member<T>> = Vec::deserialize(deserializer)?;
    let known = members.into_iter().filter_map(|member| match member {
        Member::Known(known) => Some(known),
        Member::Unknown(IgnoredAny) => None,
    });
    Ok(known.collect())
}

/// What an engine can do, and how fast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Offer {
    /// Which engine.
    pub engine: EngineName,
    /// Where it is.
    pub place: Place,
    /// The device in words: "NVIDIA H200", "16 cores".
    pub device: String,
    /// Tasks that it solves, and how fast. Those that this version does not know are left out when it is read.
    #[serde(deserialize_with = "known")]
    pub tasks: Vec<Rate>,
    /// What a job costs before its first cell, in milliseconds: launch, round trip.
    pub start_ms: f64,
    /// How fast the texts get there.
    pub bytes_per_second: f64,
    /// What it will take.
    pub limits: Limits,
    /// Version of the program that offers.
    pub version: String,
}

/// How fast an engine solves a task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Rate {
    /// The task.
    pub task: Task,
    /// Measured rate on texts that fill the engine, in the cells that a run of the task fills.
    pub cells_per_second: f64,
}

/// What a job asks of an engine, as far as the planner cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// What to compute.
    pub task: Task,
    /// Cells of the matrix: |a|·|b|, or |a| + |b| for `exact-search`, which looks at every symbol once.
    pub cells: u64,
    /// What the processor's way takes.
    pub cpu: Effort,
    /// What a device's way takes.
    pub cuda: Effort,
    /// Whether these are of the texts themselves: by their lengths alone nothing is refused that may turn out to be little.
    pub is_known: bool,
    /// Symbols of the longer text.
    pub symbols: u64,
    /// Distinct symbols in both texts, or 1 where they are not known yet.
    pub alphabet: u64,
    /// Bytes of both texts that have to be sent; 0 where they are there already.
    pub bytes: u64,
}

/// What an engine is expected to do for a job. How long that takes follows from its measured rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Cells that the run counts as filled.
    pub cells: u64,
    /// Cells of texts that fill the engine which take as long as these: more with an alignment, fewer where cells are passed over.
    pub rated: u64,
    /// What one thread does beside them, in nanoseconds.
    pub beside_ns: u64,
}

impl Effort {
    /// So many cells, one like the other.
    pub fn of(cells: u64) -> Self {
        Self { cells, rated: cells, beside_ns: 0 }
    }
}

impl Work {
    /// So many cells of a task, all of which are filled once.
    pub fn of(task: Task, cells: u64) -> Self {
        let all = Effort::of(cells);
        Self { task, cells, cpu: all, cuda: all, is_known: true, symbols: 1, alphabet: 1, bytes: 0 }
    }

    /// What an engine of this name does for it.
    pub fn effort(&self, engine: EngineName) -> Effort {
        match engine {
            EngineName::Cpu => self.cpu,
            EngineName::Cuda => self.cuda,
        }
    }
}

/// Which engine takes a job, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Plan {
    /// Which engine.
    pub engine: EngineName,
    /// Where it is.
    pub place: Place,
    /// The device in words.
    pub device: String,
    /// The reason, as the end of a sentence: "because …".
    pub because: String,
    /// The same in figures, for whoever says it in another language; plans of older servers have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    /// Expected time from the start to the answer, in milliseconds.
    pub expected_ms: f64,
    /// The next best offer, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alternative: Option<Alternative>,
}

cbor_struct!(Plan { engine, place, device, because, reason, expected_ms, alternative });

/// Why an engine was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Reason {
    /// It answers first, or soon enough.
    Quick {
        /// What is computed.
        task: Task,
        /// What it is expected to fill, in what the task counts.
        cells: u64,
        /// Whether the time includes that the texts are sent.
        sending: bool,
    },
    /// Another engine has failed at the job.
    Instead {
        /// At what.
        failure: Failure,
    },
}

cbor_enum!(Reason { 0 Quick { task, cells, sending }, 1 Instead { failure } });

/// An offer that was not taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Alternative {
    /// Which engine.
    pub engine: EngineName,
    /// Where it is.
    pub place: Place,
    /// What it was expected to take, in milliseconds.
    pub expected_ms: f64,
}

cbor_struct!(Alternative { engine, place, expected_ms });

impl Offer {
    /// Expected time for `work` from the start to the answer, in milliseconds.
    pub fn expected_ms(&self, work: &Work) -> f64 {
        let Effort { rated, beside_ns, .. } = work.effort(self.engine);
        let rate = self.rate(work.task).unwrap_or(0.0);
        self.start_ms + 1e3 * (rated as f64 / rate + work.bytes as f64 / self.bytes_per_second) + 1e-6 * beside_ns as f64
    }

    /// How fast it solves a task, in cells per second, if it does.
    pub fn rate(&self, task: Task) -> Option<f64> {
        self.tasks.iter().find(|rate| rate.task == task).map(|rate| rate.cells_per_second)
    }

    /// The first limit that `work` breaks.
    fn refuses(&self, work: &Work) -> Option<Failure> {
        let (cells, seconds) = if work.is_known { (work.effort(self.engine).cells, (self.expected_ms(work) / 1e3) as u64) } else { (0, 0) };
        if seconds / SURELY_TOO_LONG > self.limits.seconds {
            return Some(Failure::TooLarge { what: large::SECONDS.into(), got: seconds, limit: self.limits.seconds });
        }
        let rows = [
            (large::CELLS, cells, self.limits.cells),
            (large::SYMBOLS, work.symbols, self.limits.symbols),
            (large::DISTINCT, work.alphabet, self.limits.alphabet),
        ];
        rows.into_iter().find(|(_, got, limit)| got > limit).map(|(what, got, limit)| Failure::TooLarge { what: what.into(), got, limit })
    }
}

/// Chooses among `offers`: the browser while it is quick enough, else the offer that answers first.
///
/// # Errors
/// `TooLarge` with the most generous limit that was hit, when no offer takes the work; `Engine` when none knows the task.
pub fn plan(work: &Work, offers: &[Offer]) -> Result<Plan, Failure> {
    let able: Vec<&Offer> = offers.iter().filter(|offer| offer.rate(work.task).is_some()).collect();
    let mut fit: Vec<(f64, &Offer)> =
        able.iter().filter(|offer| offer.refuses(work).is_none()).map(|offer| (offer.expected_ms(work), *offer)).collect();
    let chosen =
        quickest(&fit, |ms, offer| offer.place == Place::Browser && ms <= LOCAL_IS_FINE_MS).or_else(|| quickest(&fit, |_, _| true));
    let Some((expected_ms, offer)) = chosen.map(|at| fit.remove(at)) else {
        return Err(able
            .iter()
            .filter_map(|offer| offer.refuses(work))
            .max_by_key(|failure| match failure {
                Failure::TooLarge { limit, .. } => *limit,
                _ => 0,
            })
            .unwrap_or_else(|| Failure::engine("No engine here solves this task.")));
    };
    let alternative = quickest(&fit, |_, _| true).map(|at| {
        let (expected_ms, other) = fit[at];
        Alternative { engine: other.engine, place: other.place, expected_ms }
    });
    let sending = offer.place == Place::Server && work.bytes > 0;
    let included = if sending { ", sending included" } else { "" };
    let cells = work.effort(offer.engine).cells;
    let take = if cells == 1 { "takes" } else { "take" };
    let because = format!("because {} {take} it {}{included}", work_in_words(work.task, cells), time_in_words(expected_ms));
    let reason = Some(Reason::Quick { task: work.task, cells, sending });
    Ok(Plan { engine: offer.engine, place: offer.place, device: offer.device.clone(), because, reason, expected_ms, alternative })
}

/// The first of those that are expected to take the shortest time.
fn quickest(offers: &[(f64, &Offer)], is_meant: impl Fn(f64, &Offer) -> bool) -> Option<usize> {
    let meant = offers.iter().enumerate().filter(|(_, (ms, offer))| is_meant(*ms, offer));
    meant.min_by(|(_, x), (_, y)| x.0.total_cmp(&y.0)).map(|(at, _)| at)
}

/// What a task counts while it works, in words: symbols where it looks at each one once, else cells of the matrix.
fn work_in_words(task: Task, cells: u64) -> String {
    match task {
        Task::ExactSearch => symbols_in_words(cells),
        Task::EditDistance | Task::ApproximateSearch | Task::Lcs | Task::MatchCount => cells_in_words(cells),
    }
}
