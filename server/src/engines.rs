//! Engines of this machine (its processor and its GPUs) and their measured rates ([`EnginePool`]). An engine has one or
//! more devices: the processor is one device, and each GPU is one.
//!
//! - [`learn`]: corrections of rates by completed jobs
//! - [`measure`]: measurement of rates, which takes some tenths of a second
//! - [`measurement_file`]: cached measurements of the last day
//! - [`device`]: devices of an engine; each run has one of them
//! - [`opening`]: opening and measuring of engines

use std::fmt::Debug;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use kernels::collection::{AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, PatternCollection, PatternHits, RowSteps};
use kernels::engine::{Cpu, Engine, EngineHardware};
use kernels::job::{JobOptions, Task};
use kernels::plan::{DeviceMemory, EngineLimits, EngineName, JobWork, MeasuredOffer, PlannerOffer, StartOverhead};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use tracing::{info, warn};

use device::{DEVICE_RETRY_DELAY, PooledDevice};
pub use device::{DeviceId, DeviceLease};
use learn::RunTiming;
use measurement_file::MeasurementFile;
use opening::EngineOpener;

mod device;
pub mod learn;
mod measure;
mod measurement_file;
mod opening;

/// Maximum number of devices of one engine on which a failing job is tried.
const MAX_DEVICES_TRIED: usize = 2;

/// A solver of jobs on one device (the processor or one GPU): an [`Engine`], or a failing one in tests.
pub trait ComputeEngine: Debug + Send + Sync {
    fn name(&self) -> EngineName;

    /// Solves the job of `task`, `options` and `pair`, like [`Engine::run`].
    ///
    /// # Errors
    /// Returns the errors of [`Engine::run`].
    fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt>;

    /// Answers `question` about `collection`, like [`Engine::compare`]. By default, uses the processor.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::compare`].
    fn compare(
        &self,
        question: &CollectionQuestion,
        collection: &Collection,
        limits: &AnswerLimits,
        steps: &mut RowSteps,
        run: &Run,
    ) -> Result<CollectionAnswer, Halt> {
        question.solve_in_steps(collection, limits, &Cpu::all_cores(), steps, run)
    }

    /// Searches for many patterns, like [`Engine::find`]. By default, uses the processor.
    ///
    /// # Errors
    /// Returns the errors of [`Engine::find`].
    fn find(&self, patterns: &PatternCollection, max_hits: u64, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        patterns.solve(max_hits, &Cpu::all_cores(), run)
    }

    /// Returns whether the device is lost, for example a GPU after a driver error, so that no job can run on it.
    fn is_gone(&self) -> bool;

    /// Returns the hardware that a run uses, such as threads or a GPU.
    fn machine(&self) -> EngineHardware {
        EngineHardware::default()
    }

    /// Returns the memory usage of the GPU, if the device is a GPU and responds.
    fn device_memory(&self) -> Option<DeviceMemory> {
        None
    }
}

impl ComputeEngine for Engine {
    fn name(&self) -> EngineName {
        self.name()
    }

    fn run(&self, task: Task, options: &JobOptions, pair: &Pair, run: &Run) -> Result<Solution, Halt> {
        self.run(task, options, pair, run)
    }

    fn compare(
        &self,
        question: &CollectionQuestion,
        collection: &Collection,
        limits: &AnswerLimits,
        steps: &mut RowSteps,
        run: &Run,
    ) -> Result<CollectionAnswer, Halt> {
        self.compare(question, collection, limits, steps, run)
    }

    fn find(&self, patterns: &PatternCollection, max_hits: u64, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        self.find(patterns, max_hits, run)
    }

    fn is_gone(&self) -> bool {
        self.is_gone()
    }

    fn machine(&self) -> EngineHardware {
        self.machine()
    }

    fn device_memory(&self) -> Option<DeviceMemory> {
        self.device_memory()
    }
}

/// The engines of this machine with their offers (measured rates and limits). Engines that take long to open are added
/// later. Dropping the last clone waits until the opening and measuring of engines has stopped, which takes up to two
/// seconds if kernels are being compiled.
#[derive(Clone, Debug, Default)]
pub struct EnginePool {
    /// Thread that opens further engines. Declared first, so that it is dropped before the data that it uses.
    _opener: Option<Arc<EngineOpener>>,
    shared: Arc<RwLock<EnginePoolState>>,
}

#[derive(Debug, Default)]
struct EnginePoolState {
    devices: Vec<Arc<PooledDevice>>,
    offers: Vec<PlannerOffer>,
    delays: Vec<StartOverhead>,
    /// Cache file of the measurements of each engine.
    measurement_files: Vec<(EngineName, MeasurementFile)>,
}

impl EnginePoolState {
    /// Returns the devices of the engine `name` in this pool, including lost ones.
    fn devices_of(&self, name: EngineName) -> impl Iterator<Item = &Arc<PooledDevice>> {
        self.devices.iter().filter(move |device| device.id.engine == name)
    }

    /// Adds the device `compute`. Its number is the next one of the engine.
    fn add(&mut self, compute: Arc<dyn ComputeEngine>) {
        let engine = compute.name();
        let ordinal = self.devices_of(engine).count();
        self.devices.push(PooledDevice::new(DeviceId { engine, ordinal }, compute));
    }
}

impl EnginePool {
    /// Creates a pool of `engines` with the offers `offers`. Engines of the same name become devices of one engine. If
    /// a job is planned on an offer whose engine is not in `engines`, it is planned again among the other offers.
    pub fn new(engines: Vec<Box<dyn ComputeEngine>>, offers: Vec<PlannerOffer>) -> Self {
        let mut shared = EnginePoolState { offers, ..EnginePoolState::default() };
        engines.into_iter().for_each(|engine| shared.add(Arc::from(engine)));
        Self { _opener: None, shared: Arc::new(RwLock::new(shared)) }
    }

    /// Returns the offers of the engines, without those whose devices are all out of use because they were lost.
    pub fn offers(&self) -> Vec<PlannerOffer> {
        let shared = self.shared();
        let rests = |name| shared.devices_of(name).count() > 0 && shared.devices_of(name).all(|device| device.is_suspended());
        shared.offers.iter().filter(|offer| !rests(offer.engine)).cloned().collect()
    }

    /// Returns the offers for the job `work`, each with the overhead that was measured for texts of its length.
    pub fn offers_for(&self, work: &JobWork) -> Vec<PlannerOffer> {
        self.measured_offers().iter().map(|offered| offered.for_work(work)).collect()
    }

    /// Returns the offers together with the measured overheads, for planners in other processes.
    pub fn measured_offers(&self) -> Vec<MeasuredOffer> {
        let offers = self.offers();
        let shared = self.shared();
        let delays = |offer: &PlannerOffer| shared.delays.iter().filter(|delay| delay.engine == offer.engine).cloned().collect();
        offers.into_iter().map(|offer| MeasuredOffer { delays: delays(&offer), offer }).collect()
    }

    /// Raises the rate of an engine if its run `ran` was faster than expected. Without this correction, an engine that
    /// was measured on a busy machine would seem slow for a day, and refuse large jobs.
    pub fn learn(&self, ran: &RunTiming) {
        let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        let Some(offer) = shared.offers.iter_mut().find(|offer| offer.engine == ran.engine) else { return };
        let start_ms = offer.start_ms;
        let Some(rate) = offer.tasks.iter_mut().find(|rate| rate.task == ran.task) else { return };
        let Some(times) = ran.speedup(start_ms) else { return };
        info!(engine = ?ran.engine, task = ran.task.name(), "run was {times:.1} times as fast as expected; raising the engine's rate");
        rate.cells_per_second *= times;
        let offer = PlannerOffer { limits: EngineLimits::NONE, ..offer.clone() };
        let delays: Vec<StartOverhead> = shared.delays.iter().filter(|delay| delay.engine == ran.engine).cloned().collect();
        let kept = shared.measurement_files.iter().find(|(name, _)| *name == ran.engine).map(|(_, kept)| kept.clone());
        drop(shared);
        // Measurements without overheads are incomplete. They are cached when the overheads are measured.
        if let Some(Err(cause)) = kept.filter(|_| !delays.is_empty()).map(|kept| kept.write(&MeasuredOffer { offer, delays })) {
            warn!("measurement of engine {:?} cannot be cached: {cause}", ran.engine);
        }
    }

    /// Lends a device of the engine `name` to a run: the least loaded one that is not in `failed`. `brief` tells
    /// whether the run is brief, so that it adds little load. A lost device is lent only if there is no other. Returns
    /// `None` if every device of the engine is in `failed`.
    pub fn lend(&self, name: EngineName, brief: bool, failed: &[DeviceId]) -> Option<DeviceLease> {
        // The write lock prevents two runs from choosing the same idle device.
        let shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        DeviceLease::least_loaded(shared.devices_of(name).filter(|device| !failed.contains(&device.id)), brief)
    }

    /// Returns the devices of the engine `name`, each with its identity, without those that are out of use because they
    /// were lost.
    pub fn devices(&self, name: EngineName) -> Vec<(DeviceId, Arc<dyn ComputeEngine>)> {
        self.shared().devices_of(name).filter(|device| !device.is_suspended()).map(|device| (device.id, device.compute.clone())).collect()
    }

    /// Returns whether the engine `name` should try a job again that has failed on the devices `failed`. The engine
    /// must have a working device on which the job has not failed. The job must also have failed on fewer than
    /// [`MAX_DEVICES_TRIED`] devices of this engine, so that a job that breaks devices cannot break all of them.
    pub(crate) fn may_solve(&self, name: EngineName, failed: &[DeviceId]) -> bool {
        let times = failed.iter().filter(|device| device.engine == name).count();
        times < MAX_DEVICES_TRIED && self.shared().devices_of(name).any(|device| !device.is_suspended() && !failed.contains(&device.id))
    }

    /// Returns the number of devices of the engine `name` that are not out of use because they were lost.
    pub fn device_count(&self, name: EngineName) -> usize {
        self.shared().devices_of(name).filter(|device| !device.is_suspended()).count()
    }

    /// Returns whether any device of this machine is lost.
    pub fn is_one_gone(&self) -> bool {
        self.shared().devices.iter().any(|device| device.compute.is_gone())
    }

    /// Takes the device `id` out of use for [`DEVICE_RETRY_DELAY`] if it is lost.
    pub(crate) fn suspend_if_lost(&self, id: DeviceId) {
        let shared = self.shared();
        let Some(device) = shared.devices_of(id.engine).find(|device| device.id == id).filter(|device| device.compute.is_gone()) else {
            return;
        };
        warn!(engine = ?id.engine, device = id.ordinal, "device is lost; not using it for {} s", DEVICE_RETRY_DELAY.as_secs());
        device.suspend();
    }

    fn shared(&self) -> RwLockReadGuard<'_, EnginePoolState> {
        // A lock poisoned by a panic is usable, because every change leaves the data consistent.
        self.shared.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use kernels::engine::Cpu;
    use kernels::plan::{EnginePlace, TaskRate, plan};

    use super::*;
    use crate::config::Config;

    #[test]
    fn short_pairs_run_on_the_engine_with_less_overhead() {
        let offer = |engine, start_ms, cells_per_second| PlannerOffer {
            engine,
            place: EnginePlace::Server,
            device: String::new(),
            tasks: vec![TaskRate { task: Task::EditDistance, cells_per_second }],
            start_ms,
            bytes_per_second: 12.5e6,
            limits: EngineLimits::NONE,
            version: String::new(),
        };
        let offers = vec![offer(EngineName::Cpu, 0.01, 4e11), offer(EngineName::Cuda, 0.2, 7e12)];
        let delays = vec![StartOverhead { engine: EngineName::Cuda, task: Task::EditDistance, points: vec![(1e3, 0.24), (1e5, 4.2)] }];
        let shared = Arc::new(RwLock::new(EnginePoolState { offers, delays, ..EnginePoolState::default() }));
        let engines = EnginePool { _opener: None, shared };
        for (symbols, expected) in [(10_000, EngineName::Cpu), (100_000, EngineName::Cuda)] {
            let work = JobWork { symbols, alphabet: 4, ..JobWork::from_cells(Task::EditDistance, symbols * symbols) };
            assert_eq!(plan(&work, &engines.offers_for(&work)).unwrap().engine, expected, "{symbols}");
            // By the number of cells alone, the GPU would win for both lengths.
            assert_eq!(plan(&work, &engines.offers()).unwrap().engine, EngineName::Cuda, "{symbols}");
        }
    }

    #[test]
    fn concurrent_runs_get_a_device_each() {
        let gpu = || Box::new(Engine::Cpu(Cpu::SINGLE)) as Box<dyn ComputeEngine>;
        let engines = EnginePool::new(vec![gpu(), gpu()], Vec::new());
        let begin = std::sync::Barrier::new(2);
        for round in 0..20_000 {
            let lent = || {
                begin.wait();
                engines.lend(EngineName::Cpu, false, &[])
            };
            let [one, other] = thread::scope(|scope| [scope.spawn(lent), scope.spawn(lent)].map(|lent| lent.join().unwrap().unwrap()));
            assert_ne!(one.id(), other.id(), "in round {round}");
        }
    }

    /// A leftover measurement would outlive the engines and run while the process exits.
    #[test]
    fn measurement_stops_when_its_engines_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let lookup = |name: &str| (name == "EDITSCOPE_ENGINES").then(|| "cpu".into());
        let config = Config { data: folder.path().into(), ..Config::read(lookup).unwrap() };
        let engines = EnginePool::open(&config);
        let shared = Arc::downgrade(&engines.shared);
        drop(engines);
        assert!(shared.upgrade().is_none(), "a thread still uses the engines");
        assert!(!folder.path().join("engines/cpu.json").exists(), "the measurement was not stopped");
    }
}
