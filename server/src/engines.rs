//! Engines: which ones this machine has, and how fast they are.
//!
//! - [`learn`]: what jobs show of how fast they are
//! - [`measure`]: how that is found out, which takes some tenths of a second
//! - [`kept`]: what was found out, for the starts of the next day
//! - [`device`]: the devices of an engine, of which each run has one
//! - [`opening`]: how they are opened and measured
//! - [`offered`]: what is told of an engine, so that others can plan with it

use std::fmt::Debug;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use kernels::engine::{Engine, Machine};
use kernels::job::{Options, Task};
use kernels::plan::{DeviceMemory, EngineName, Limits, Offer, Work};
use kernels::run::{Halt, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use tracing::{info, warn};

use device::{Device, REST};
pub use device::{DeviceId, Lent};
use kept::Kept;
use learn::Ran;
use measure::{Delay, Measured};
pub use offered::Offered;
use opening::Opener;

mod device;
mod kept;
pub mod learn;
mod measure;
pub mod offered;
mod opening;

/// Devices of an engine that one job is tried on, at most.
const MOST_DEVICES: usize = 2;

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

    /// Memory of its device, where it has one that answers.
    fn device_memory(&self) -> Option<DeviceMemory> {
        None
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

    fn device_memory(&self) -> Option<DeviceMemory> {
        self.device_memory()
    }
}

/// The engines of this machine, and what each offers. Those that take long to open join later. Whoever drops the last of its clones
/// waits until nothing is opened or measured any more, which is at once, or two seconds where kernels are being compiled.
#[derive(Clone, Debug, Default)]
pub struct Engines {
    /// Dropped before what it works on.
    _opener: Option<Arc<Opener>>,
    shared: Arc<RwLock<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    devices: Vec<Arc<Device>>,
    offers: Vec<Offer>,
    delays: Vec<Delay>,
    /// Where it is kept how fast they are.
    kept: Vec<(EngineName, Kept)>,
}

impl Shared {
    /// The devices of an engine, as many as are known.
    fn of(&self, name: EngineName) -> impl Iterator<Item = &Arc<Device>> {
        self.devices.iter().filter(move |device| device.id.engine == name)
    }

    /// One more device of this engine.
    fn add(&mut self, compute: Arc<dyn Compute>) {
        let engine = compute.name();
        let ordinal = self.of(engine).count();
        self.devices.push(Device::new(DeviceId { engine, ordinal }, compute));
    }
}

impl Engines {
    /// These engines with these offers; those of one name are devices of the same. A job that is planned on an offer without an engine is planned again
    /// among the others.
    pub fn new(engines: Vec<Box<dyn Compute>>, offers: Vec<Offer>) -> Self {
        let mut shared = Shared { offers, ..Shared::default() };
        engines.into_iter().for_each(|engine| shared.add(Arc::from(engine)));
        Self { _opener: None, shared: Arc::new(RwLock::new(shared)) }
    }

    /// What they offer: all but those whose devices rest.
    pub fn offers(&self) -> Vec<Offer> {
        let shared = self.shared();
        let rests = |name| shared.of(name).count() > 0 && shared.of(name).all(|device| device.rests());
        shared.offers.iter().filter(|offer| !rests(offer.engine)).cloned().collect()
    }

    /// What they offer for this work.
    pub fn offers_for(&self, work: &Work) -> Vec<Offer> {
        self.offered().iter().map(|offered| offered.for_work(work)).collect()
    }

    /// What they offer, with all that another process needs to plan with it.
    pub fn offered(&self) -> Vec<Offered> {
        let offers = self.offers();
        let shared = self.shared();
        let delays = |offer: &Offer| shared.delays.iter().filter(|delay| delay.engine == offer.engine).cloned().collect();
        offers.into_iter().map(|offer| Offered { delays: delays(&offer), offer }).collect()
    }

    /// Learns from a run that was quicker than expected: an engine that was measured while the machine was busy would be taken for slow, and refuse
    /// long jobs, for a day.
    pub fn learn(&self, ran: &Ran) {
        let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        let Some(offer) = shared.offers.iter_mut().find(|offer| offer.engine == ran.engine) else { return };
        let start_ms = offer.start_ms;
        let Some(rate) = offer.tasks.iter_mut().find(|rate| rate.task == ran.task) else { return };
        let Some(times) = ran.times_as_fast(start_ms) else { return };
        info!(engine = ?ran.engine, task = ran.task.name(), "a run was {times:.1} times as fast as expected, and will be expected to be");
        rate.cells_per_second *= times;
        let offer = Offer { limits: Limits::NONE, ..offer.clone() };
        let delays: Vec<Delay> = shared.delays.iter().filter(|delay| delay.engine == ran.engine).cloned().collect();
        let kept = shared.kept.iter().find(|(name, _)| *name == ran.engine).map(|(_, kept)| kept.clone());
        drop(shared);
        // Without delays it is measured still, and kept after that.
        if let Some(Err(cause)) = kept.filter(|_| !delays.is_empty()).map(|kept| kept.write(&Measured { offer, delays })) {
            warn!("how fast engine {:?} is cannot be kept: {cause}", ran.engine);
        }
    }

    /// A device of this engine for a run, brief or not: the one that has the least to do of those on which it has not failed before. One that was gone is
    /// lent only where no other is there.
    pub fn lend(&self, name: EngineName, brief: bool, failed: &[DeviceId]) -> Option<Lent> {
        // One at a time, so that two runs do not find the same device idle.
        let shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        Lent::of(shared.of(name).filter(|device| !failed.contains(&device.id)), brief)
    }

    /// The devices of this engine that are used now.
    pub fn devices(&self, name: EngineName) -> Vec<(DeviceId, Arc<dyn Compute>)> {
        self.shared().of(name).filter(|device| !device.rests()).map(|device| (device.id, device.compute.clone())).collect()
    }

    /// Whether a job that has failed on these devices is worth another attempt by this engine: it has a device that works and has not failed at it, and no
    /// more than one has. A job that breaks devices does not break all.
    pub(crate) fn may_solve(&self, name: EngineName, failed: &[DeviceId]) -> bool {
        let times = failed.iter().filter(|device| device.engine == name).count();
        times < MOST_DEVICES && self.shared().of(name).any(|device| !device.rests() && !failed.contains(&device.id))
    }

    /// How many devices of this engine are used now.
    pub fn device_count(&self, name: EngineName) -> usize {
        self.shared().of(name).filter(|device| !device.rests()).count()
    }

    /// Whether the device of one of them is gone.
    pub fn is_one_gone(&self) -> bool {
        self.shared().devices.iter().any(|device| device.compute.is_gone())
    }

    /// Looks after a device that has failed at a job: lets it rest for a minute if it is gone.
    pub(crate) fn look_after(&self, id: DeviceId) {
        let shared = self.shared();
        let Some(device) = shared.of(id.engine).find(|device| device.id == id).filter(|device| device.compute.is_gone()) else { return };
        warn!(engine = ?id.engine, device = id.ordinal, "the engine's device is gone: it is not used for {} s", REST.as_secs());
        device.rest();
    }

    fn shared(&self) -> RwLockReadGuard<'_, Shared> {
        // Everything that is written is a push or a remove.
        self.shared.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use kernels::engine::Cpu;
    use kernels::plan::{Place, Rate, plan};

    use super::*;
    use crate::config::Config;

    #[test]
    fn short_pairs_stay_where_they_are_quicker() {
        let offer = |engine, start_ms, cells_per_second| Offer {
            engine,
            place: Place::Server,
            device: String::new(),
            tasks: vec![Rate { task: Task::EditDistance, cells_per_second }],
            start_ms,
            bytes_per_second: 12.5e6,
            limits: Limits::NONE,
            version: String::new(),
        };
        let offers = vec![offer(EngineName::Cpu, 0.01, 4e11), offer(EngineName::Cuda, 0.2, 7e12)];
        let delays = vec![Delay { engine: EngineName::Cuda, task: Task::EditDistance, points: vec![(1e3, 0.24), (1e5, 4.2)] }];
        let shared = Arc::new(RwLock::new(Shared { offers, delays, ..Shared::default() }));
        let engines = Engines { _opener: None, shared };
        for (symbols, expected) in [(10_000, EngineName::Cpu), (100_000, EngineName::Cuda)] {
            let work = Work { symbols, alphabet: 4, ..Work::of(Task::EditDistance, symbols * symbols) };
            assert_eq!(plan(&work, &engines.offers_for(&work)).unwrap().engine, expected, "{symbols}");
            // By cells alone the device would take both.
            assert_eq!(plan(&work, &engines.offers()).unwrap().engine, EngineName::Cuda, "{symbols}");
        }
    }

    #[test]
    fn runs_that_begin_at_once_have_a_device_each() {
        let gpu = || Box::new(Engine::Cpu(Cpu::SINGLE)) as Box<dyn Compute>;
        let engines = Engines::new(vec![gpu(), gpu()], Vec::new());
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

    /// What is still measured would outlive whoever wanted it, and be at work while the process ends.
    #[test]
    fn nothing_is_measured_for_engines_that_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let lookup = |name: &str| (name == "EDITSCOPE_ENGINES").then(|| "cpu".into());
        let config = Config { data: folder.path().into(), ..Config::read(lookup).unwrap() };
        let engines = Engines::open(&config);
        let shared = Arc::downgrade(&engines.shared);
        drop(engines);
        assert!(shared.upgrade().is_none(), "a thread has them still");
        assert!(!folder.path().join("engines/cpu.json").exists(), "it was measured to the end");
    }
}
