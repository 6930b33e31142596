//! Engines: which ones this machine has, and how fast they are, measured when the server starts.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernels::engine::{Cpu, Engine};
use kernels::gpu::keeper::Keeper;
use kernels::job::{Options, Reading, Task};
use kernels::plan::{EngineName, Limits, Offer, Place, Rate};
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
}

/// The engines of this machine, and what each offers.
#[derive(Clone, Debug)]
pub struct Engines {
    engines: Arc<[Box<dyn Compute>]>,
    offers: Arc<[Offer]>,
    /// Engines that are not offered, and since when.
    resting: Arc<Mutex<Vec<(EngineName, Instant)>>>,
}

impl Engines {
    /// Opens every engine that is allowed and there, and measures it. Takes some tens of milliseconds a task.
    pub fn open(config: &Config) -> Self {
        let rows: Vec<(Box<dyn Compute>, Offer)> = config
            .engines
            .iter()
            .filter_map(|name| {
                let started = Instant::now();
                let (engine, limits) = open(*name, config)?;
                let offer = measure(&engine, limits).inspect_err(|halt| warn!("engine {:?} is left out: {halt:?}", engine.name())).ok()?;
                let took_ms = started.elapsed().as_millis() as u64;
                info!(engine = ?offer.engine, took_ms, rates = ?offer.tasks, "engine on {} is ready", offer.device);
                Some((Box::new(engine) as Box<dyn Compute>, offer))
            })
            .collect();
        let (engines, offers) = rows.into_iter().unzip();
        Self::new(engines, offers)
    }

    /// These engines with these offers. A job that is planned on an offer without an engine is planned again among the others.
    pub fn new(engines: Vec<Box<dyn Compute>>, offers: Vec<Offer>) -> Self {
        Self { engines: engines.into(), offers: offers.into(), resting: Arc::default() }
    }

    /// What they offer: all but those that rest.
    pub fn offers(&self) -> Vec<Offer> {
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        resting.retain(|(_, since)| since.elapsed() < REST);
        self.offers.iter().filter(|offer| resting.iter().all(|(name, _)| *name != offer.engine)).cloned().collect()
    }

    /// The engine of this name.
    pub fn get(&self, name: EngineName) -> Option<&dyn Compute> {
        self.engines.iter().find(|engine| engine.name() == name).map(|engine| &**engine)
    }

    /// Looks after an engine that has failed at a job: lets it rest for a minute if its device is gone.
    pub(crate) fn look_after(&self, name: EngineName) {
        if self.get(name).is_some_and(Compute::is_gone) {
            warn!(engine = ?name, "the engine's device is gone: it is not offered for {} s", REST.as_secs());
            self.resting.lock().unwrap_or_else(PoisonError::into_inner).push((name, Instant::now()));
        }
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
fn measure(engine: &Engine, limits: Limits) -> Result<Offer, Halt> {
    warm_up(engine)?;
    let smallest = probe(Task::EditDistance, 1 << 12)?;
    let start_ms = 1e3 * time(engine, Task::EditDistance, &smallest, ATTEMPTS)?.as_secs_f64();
    let tasks = Task::ALL.into_iter().filter(|task| engine.solves(*task));
    let rate = |task| rate(engine, task).map(|cells_per_second| Rate { task, cells_per_second });
    Ok(Offer {
        engine: engine.name(),
        place: Place::Server,
        device: device(engine),
        tasks: tasks.map(rate).collect::<Result<_, Halt>>()?,
        start_ms,
        bytes_per_second: BYTES_PER_SECOND,
        limits,
        version: env!("CARGO_PKG_VERSION").into(),
    })
}

/// Cells per second: on random texts, each with four times the cells of the ones before, until a run takes long enough.
fn rate(engine: &Engine, task: Task) -> Result<f64, Halt> {
    let mut cells = LEAST_PROBE;
    loop {
        let pair = probe(task, cells)?;
        let took = time(engine, task, &pair, 1)?;
        if took >= LONG_ENOUGH || cells >= LARGEST_PROBE || solver(task).probe(4 * cells).1 > LONGEST_PROBE {
            let took = took.min(time(engine, task, &pair, ATTEMPTS - 1)?);
            return Ok(cells as f64 / took.as_secs_f64().max(1e-9));
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
/// measurement counts it.
fn warm_up(engine: &Engine) -> Result<(), Halt> {
    for task in Task::ALL.into_iter().filter(|task| engine.solves(*task)) {
        for symbols in [64, 1 << 13] {
            let pair = Pair::parse(random_dna(symbols, 1), random_dna(symbols, 2), &Reading::default())?;
            engine.run(task, &Options::default(), &pair, &Run::new(&Silent))?;
        }
    }
    Ok(())
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
