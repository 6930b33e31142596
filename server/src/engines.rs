//! Engines: which ones this machine has, and how fast they are, measured when the server starts.

use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine, Machine};
use kernels::gpu::keeper::Keeper;
use kernels::job::{Options, Reading, Task};
use kernels::plan::{EngineName, Limits, Offer, Place, Rate, Work};
use kernels::run::{Halt, Run, Silent};
use kernels::task::edit_distance::cuda::{MOST_DISTINCT, MOST_SYMBOLS};
use kernels::task::{Solution, solver};
use kernels::text::Pair;
use tracing::{info, warn};

use crate::config::Config;

/// What a visitor's connection carries, for planning: 100 Mbit/s. The browser knows better once it has sent something.
const BYTES_PER_SECOND: f64 = 12.5e6;

/// A rate is believed when its measurement took this long.
const LONG_ENOUGH: Duration = Duration::from_millis(10);

/// Measurements that a rate is the best of.
const ATTEMPTS: usize = 3;

/// Cells of the smallest and the largest texts that an engine is measured with.
const LEAST_PROBE: u64 = 1 << 20;
const LARGEST_PROBE: u64 = 1 << 40;

/// Cells of the texts that show what an engine takes beside its cells: about 8,000 symbols each, where that is a pair.
const DELAY_PROBE: u64 = 1 << 26;

/// What a job on a device takes beyond what probes of it did, in milliseconds. Measured on pairs of 7,000 to 20,000 symbols, where it
/// decides: 0.3 to 0.7.
const HANDOVER_MS: f64 = 0.4;

/// Without a job for so long, a device goes to rest.
const MOMENT: Duration = Duration::from_millis(10);

/// Symbols of one text that it is measured with, at most.
const LONGEST_PROBE: usize = 1 << 24;

/// An engine whose device is gone is offered again after this long: somebody may have brought the device back.
const REST: Duration = Duration::from_secs(60);

/// What solves jobs here: an [`Engine`], or in a test something that fails as one.
pub trait Compute: Debug + Send + Sync {
    /// The engine's name.
    fn name(&self) -> EngineName;

    /// Solves one job, as [`Engine::run`] does.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn run(&self, task: Task, options: &Options, pair: &Pair, run: &Run) -> Result<Solution, Halt>;

    /// Whether no job can work until somebody brings its device back.
    fn is_gone(&self) -> bool;

    /// What one run has of the machine.
    fn machine(&self) -> Machine {
        Machine::default()
    }
}

impl Compute for Engine {
    fn name(&self) -> EngineName {
        self.name()
    }

    fn run(&self, task: Task, options: &Options, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        self.run(task, options, pair, run)
    }

    fn is_gone(&self) -> bool {
        self.is_gone()
    }

    fn machine(&self) -> Machine {
        self.machine()
    }
}

/// The engines of this machine, and what each offers. Those that take long to open join later.
#[derive(Clone, Debug, Default)]
pub struct Engines {
    shared: Arc<RwLock<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    engines: Vec<Arc<dyn Compute>>,
    offers: Vec<Offer>,
    delays: Vec<Delay>,
    /// Engines that are not offered, and since when.
    resting: Vec<(EngineName, Instant)>,
}

/// What a symbol of the longer text costs an engine beside the cells, in milliseconds: steps that wait for each other.
#[derive(Clone, Copy, Debug)]
struct Delay {
    engine: EngineName,
    task: Task,
    symbol_ms: f64,
}

impl Engines {
    /// Opens the first engine that is allowed and there, and measures it: that takes some tens of milliseconds a task. The others,
    /// whose devices and kernels may take seconds, are opened in the background and offered once they are ready.
    pub fn open(config: &Config) -> Self {
        let engines = Self::default();
        let mut names = config.engines.iter().copied();
        while engines.shared().engines.is_empty()
            && let Some(name) = names.next()
        {
            engines.join(name, config);
        }
        let (later, others, config) = (names.collect::<Vec<_>>(), engines.clone(), config.clone());
        let opener = move || later.into_iter().for_each(|name| others.join(name, &config));
        if let Err(cause) = thread::Builder::new().name("engines".into()).spawn(opener) {
            warn!("no thread to open the other engines: {cause}");
        }
        engines
    }

    /// These engines with these offers. A job that is planned on an offer without an engine is planned again among the others.
    pub fn new(engines: Vec<Box<dyn Compute>>, offers: Vec<Offer>) -> Self {
        let engines = engines.into_iter().map(Arc::from).collect();
        Self { shared: Arc::new(RwLock::new(Shared { engines, offers, ..Shared::default() })) }
    }

    /// Opens an engine and measures it, if it is there.
    fn join(&self, name: EngineName, config: &Config) {
        let started = Instant::now();
        let Some((engine, limits)) = open(name, config) else { return };
        // All of its kernels, while there is time; the measurements ask for the first ones at once.
        engine.prepare(Cpu::all_cores().threads);
        match measure(&engine, limits) {
            Ok((offer, delays)) => {
                let took_ms = started.elapsed().as_millis() as u64;
                info!(engine = ?offer.engine, took_ms, rates = ?offer.tasks, "engine on {} is ready", offer.device);
                let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
                shared.engines.push(Arc::new(engine));
                shared.offers.push(offer);
                shared.delays.extend(delays);
            }
            Err(halt) => warn!("engine {name:?} is left out: {halt:?}"),
        }
    }

    /// What they offer: all but those that rest.
    pub fn offers(&self) -> Vec<Offer> {
        let shared = self.shared();
        let rests = |name| shared.resting.iter().any(|(resting, since)| *resting == name && since.elapsed() < REST);
        shared.offers.iter().filter(|offer| !rests(offer.engine)).cloned().collect()
    }

    /// What they offer for this work: its length counts as well as its cells, since a short pair cannot fill a device.
    pub fn offers_for(&self, work: &Work) -> Vec<Offer> {
        let mut offers = self.offers();
        let shared = self.shared();
        for offer in &mut offers {
            let own = shared.delays.iter().find(|delay| delay.engine == offer.engine && delay.task == work.task);
            offer.start_ms += own.map_or(0.0, |delay| delay.symbol_ms * work.symbols as f64);
        }
        offers
    }

    /// The engine of this name.
    pub fn get(&self, name: EngineName) -> Option<Arc<dyn Compute>> {
        self.shared().engines.iter().find(|engine| engine.name() == name).cloned()
    }

    /// Whether the device of one of them is gone.
    pub fn is_one_gone(&self) -> bool {
        self.shared().engines.iter().any(|engine| engine.is_gone())
    }

    /// Looks after an engine that has failed at a job: lets it rest for a minute if its device is gone.
    pub(crate) fn look_after(&self, name: EngineName) {
        if self.get(name).is_some_and(|engine| engine.is_gone()) {
            warn!(engine = ?name, "the engine's device is gone: it is not offered for {} s", REST.as_secs());
            let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
            shared.resting.retain(|(resting, _)| *resting != name);
            shared.resting.push((name, Instant::now()));
        }
    }

    fn shared(&self) -> RwLockReadGuard<'_, Shared> {
        // Everything that is written is a push or a remove.
        self.shared.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine and what it takes, if it is there. A machine without a GPU is a normal machine.
fn open(name: EngineName, config: &Config) -> Option<(Engine, Limits)> {
    match name {
        EngineName::Cpu => Some((Engine::Cpu(Cpu::all_cores()), Limits { cells: config.max_cells_cpu, ..Limits::NONE })),
        EngineName::Cuda => match Keeper::open(0, Some(config.data.join("kernels"))) {
            Ok(keeper) => {
                let limits = Limits { cells: config.max_cells_cuda, symbols: MOST_SYMBOLS, alphabet: MOST_DISTINCT };
                Some((Engine::Cuda(keeper), limits))
            }
            Err(why) => {
                info!("no CUDA engine: {why}");
                None
            }
        },
    }
}

/// Measures the engine on every task that it has.
fn measure(engine: &Engine, limits: Limits) -> Result<(Offer, Vec<Delay>), Halt> {
    warm_up(engine)?;
    let smallest = probe(Task::EditDistance, 1 << 12)?;
    let awake_ms = 1e3 * time(engine, Task::EditDistance, &smallest, ATTEMPTS)?.as_secs_f64();
    let all: Vec<Task> = Task::ALL.into_iter().filter(|task| engine.solves(*task)).collect();
    let rate = |task| rate(engine, task).map(|cells_per_second| Rate { task, cells_per_second });
    let offer = Offer {
        engine: engine.name(),
        place: Place::Server,
        device: device(engine),
        tasks: all.iter().copied().map(rate).collect::<Result<_, Halt>>()?,
        start_ms: awake_ms,
        bytes_per_second: BYTES_PER_SECOND,
        limits,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    // In the other tasks cells do not wait for each other.
    let pairs = all.into_iter().filter(|task| matches!(task, Task::EditDistance | Task::Lcs));
    let delays = pairs.map(|task| delay(engine, task, &offer)).collect::<Result<_, Halt>>()?;
    let handover_ms = if engine.name() == EngineName::Cuda { HANDOVER_MS } else { 0.0 };
    let start_ms = awake_ms + wake_ms(engine)? + handover_ms;
    Ok((Offer { start_ms, ..offer }, delays))
}

/// What a job costs more when there was none for a moment, in milliseconds: clocks are low then, and threads sleep.
fn wake_ms(engine: &Engine) -> Result<f64, Halt> {
    let pair = probe(Task::EditDistance, DELAY_PROBE)?;
    let awake = time(engine, Task::EditDistance, &pair, ATTEMPTS)?;
    let mut woken = Vec::with_capacity(ATTEMPTS);
    for _ in 0..ATTEMPTS {
        thread::sleep(MOMENT);
        woken.push(time(engine, Task::EditDistance, &pair, 1)?);
    }
    woken.sort_unstable();
    Ok(1e3 * woken[ATTEMPTS / 2].saturating_sub(awake).as_secs_f64())
}

/// What texts of moderate length take beyond what the offer says, by symbol.
fn delay(engine: &Engine, task: Task, offer: &Offer) -> Result<Delay, Halt> {
    let pair = probe(task, DELAY_PROBE)?;
    let took_ms = 1e3 * time(engine, task, &pair, ATTEMPTS)?.as_secs_f64();
    let said_ms = offer.start_ms + 1e3 * DELAY_PROBE as f64 / offer.rate(task).unwrap_or(f64::INFINITY);
    let symbols = pair.a.len().max(pair.b.len()).max(1);
    Ok(Delay { engine: engine.name(), task, symbol_ms: (took_ms - said_ms).max(0.0) / symbols as f64 })
}

/// Cells per second: on random texts, each with four times the cells of the ones before, until a run takes long enough.
fn rate(engine: &Engine, task: Task) -> Result<f64, Halt> {
    let mut cells = LEAST_PROBE;
    loop {
        let pair = probe(task, cells)?;
        let first = time(engine, task, &pair, 1)?;
        let is_last = cells >= LARGEST_PROBE || solver(task).probe(4 * cells).1 > LONGEST_PROBE;
        if first >= LONG_ENOUGH || is_last {
            let took = first.min(time(engine, task, &pair, ATTEMPTS - 1)?);
            // The first run may have waited for a kernel.
            if 2 * took >= LONG_ENOUGH || is_last {
                return Ok(cells as f64 / took.as_secs_f64().max(1e-9));
            }
        }
        cells *= 4;
    }
}

/// Two texts that take so many cells.
fn probe(task: Task, cells: u64) -> Result<Pair, Halt> {
    let (m, n) = solver(task).probe(cells);
    Ok(Pair::parse(random_dna(m, 1), random_dna(n, 2), &Reading::default())?)
}

/// The best of a few runs, since anything else on this machine can only make one slower.
fn time(engine: &Engine, task: Task, pair: &Pair, attempts: usize) -> Result<Duration, Halt> {
    let options = Options { alignment: false, ..Options::default() };
    let once = || {
        let start = Instant::now();
        engine.run(task, &options, pair, &Run::new(&Silent)).map(|_| start.elapsed())
    };
    let all: Result<Vec<Duration>, Halt> = (0..attempts).map(|_| once()).collect();
    all.map(|all| all.into_iter().min().unwrap_or_default())
}

/// Lets the engine fetch its code and make its buffers, those for alignments too, so that no visitor waits for that and no
/// measurement counts it. All tasks at once, since each may wait for a compiler.
fn warm_up(engine: &Engine) -> Result<(), Halt> {
    let warm = |task| -> Result<(), Halt> {
        for symbols in [64, 1 << 13] {
            let pair = Pair::parse(random_dna(symbols, 1), random_dna(symbols, 2), &Reading::default())?;
            engine.run(task, &Options::default(), &pair, &Run::new(&Silent))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let tasks: Vec<_> = Task::ALL.into_iter().filter(|task| engine.solves(*task)).map(|task| scope.spawn(move || warm(task))).collect();
        tasks.into_iter().try_for_each(|task| task.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn device(engine: &Engine) -> String {
    match engine {
        Engine::Cpu(Cpu { threads: 1 }) => "1 core".into(),
        Engine::Cpu(Cpu { threads }) => format!("{threads} cores"),
        Engine::Cuda(keeper) => keeper.name().to_owned(),
    }
}

/// The same letters on every start: xorshift.
fn random_dna(symbols: usize, seed: u64) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ seed;
    let letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        b"ACGT"[(state >> 33) as usize & 3]
    };
    std::iter::repeat_with(letter).take(symbols).collect()
}

#[cfg(test)]
mod tests {
    use kernels::plan::plan;

    use super::*;

    #[test]
    fn short_pairs_stay_where_they_are_quicker() {
        let offer = |engine, start_ms, cells_per_second| Offer {
            engine,
            place: Place::Server,
            device: String::new(),
            tasks: vec![Rate { task: Task::EditDistance, cells_per_second }],
            start_ms,
            bytes_per_second: BYTES_PER_SECOND,
            limits: Limits::NONE,
            version: String::new(),
        };
        let offers = vec![offer(EngineName::Cpu, 0.01, 4e11), offer(EngineName::Cuda, 0.2, 7e12)];
        let delays = vec![Delay { engine: EngineName::Cuda, task: Task::EditDistance, symbol_ms: 4e-5 }];
        let engines = Engines { shared: Arc::new(RwLock::new(Shared { offers, delays, ..Shared::default() })) };
        for (symbols, expected) in [(10_000, EngineName::Cpu), (100_000, EngineName::Cuda)] {
            let work = Work { task: Task::EditDistance, cells: symbols * symbols, symbols, alphabet: 4, bytes: 0, passes: 1 };
            assert_eq!(plan(&work, &engines.offers_for(&work)).unwrap().engine, expected, "{symbols}");
            // By cells alone the device would take both.
            assert_eq!(plan(&work, &engines.offers()).unwrap().engine, EngineName::Cuda, "{symbols}");
        }
    }
}
