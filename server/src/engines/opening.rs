//! Opening of engines ([`EnginePool::open`]): opens and measures engines and their GPUs one after the other, while
//! those already open run jobs.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use kernels::engine::{Cpu, Engine};
use kernels::gpu::device_count;
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::plan::{EngineLimits, EngineName, MeasuredOffer, PlannerOffer};
use kernels::run::Halt;
use kernels::task::edit_distance::cuda::{MAX_DEVICE_DISTINCT_SYMBOLS, MAX_DEVICE_SYMBOLS};
use tracing::{info, warn};

use super::EnginePool;
use super::measure::{self, MeasurementTarget, StopFlag, warm_up};
use super::measurement_file::MeasurementFile;
use crate::config::Config;

/// The thread that opens and measures engines. Dropping this handle stops the thread and waits for its end. Otherwise
/// the exiting process would unload the driver and the compiler while the thread uses them, which corrupts the heap.
#[derive(Debug)]
pub(super) struct EngineOpener {
    stop: Arc<StopFlag>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for EngineOpener {
    fn drop(&mut self) {
        self.stop.raise();
        // The panic of the thread has already been printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// An opened engine, with its measurements and the cache file of these measurements.
#[derive(Debug)]
struct OpenedEngine {
    engine: Arc<Engine>,
    measurement_file: MeasurementFile,
    measured: MeasuredOffer,
    /// Whether the measurements were read from the cache file.
    is_known: bool,
}

impl EnginePool {
    /// Opens the first engine in the settings that this machine has. Measures it, which takes some tenths of a second,
    /// unless a recent measurement is cached. Opens the other engines in the background, because their GPUs and kernels
    /// may take seconds. Each is offered when it is ready.
    pub fn open(config: &Config) -> Self {
        let (engines, stop) = (Self::default(), Arc::<StopFlag>::default());
        let mut names = config.engines.iter().copied();
        let mut opened: Vec<OpenedEngine> = names.by_ref().find_map(|name| engines.join(name, config, &stop)).into_iter().collect();
        let (later, others, config, until) = (names.collect::<Vec<_>>(), engines.clone(), config.clone(), stop.clone());
        let open = move || {
            opened.extend(later.into_iter().filter_map(|name| others.join(name, &config, &until)));
            others.join_devices(&config, &until);
            opened.into_iter().for_each(|opened| others.finish(opened, &until));
        };
        let thread = thread::Builder::new().name("engines".into()).spawn(open);
        let thread = thread.inspect_err(|cause| warn!("thread to open the other engines cannot be started: {cause}")).ok();
        Self { _opener: Some(Arc::new(EngineOpener { stop, thread })), ..engines }
    }

    /// Opens the engine `name` if this machine has it, and adds its offer to the pool. Before that, measures its rates,
    /// unless a recent measurement is cached. Returns `None` if the engine is missing or fails, or if `stop` is raised.
    fn join(&self, name: EngineName, config: &Config, stop: &StopFlag) -> Option<OpenedEngine> {
        if stop.is_raised() {
            return None;
        }
        let started = Instant::now();
        let (engine, limits) = open(name, config)?;
        let kept = MeasurementFile::in_folder(&config.data, name);
        let known = kept.read(&engine);
        let is_known = known.is_some();
        let measured = match known {
            Some(known) => known,
            None => {
                // Compiles all kernels in the background. The measurements wait only for the kernels that they use.
                engine.prepare(Cpu::all_cores().threads);
                match measure::offer(MeasurementTarget { engine: &engine, stop }) {
                    Ok(offer) => MeasuredOffer::of(offer),
                    Err(Halt::Stopped) => return None,
                    Err(halt) => {
                        warn!("engine {name:?} is left out: {halt:?}");
                        return None;
                    }
                }
            }
        };
        let took_ms = started.elapsed().as_millis() as u64;
        info!(engine = ?name, took_ms, rates = ?measured.offer.tasks, "engine on {} is ready", measured.offer.device);
        let engine = Arc::new(engine);
        let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        shared.add(engine.clone());
        shared.offers.push(PlannerOffer { limits, ..measured.offer.clone() });
        shared.delays.extend(measured.delays.iter().cloned());
        shared.measurement_files.push((name, kept.clone()));
        drop(shared);
        Some(OpenedEngine { engine, measurement_file: kept, measured, is_known })
    }

    /// Prepares an offered engine for fast jobs. If its measurements were cached, runs small jobs of each task, so that
    /// its kernels are loaded. Otherwise measures its overheads, and caches the measurements.
    fn finish(&self, opened: OpenedEngine, stop: &StopFlag) {
        let OpenedEngine { engine, measurement_file: kept, mut measured, is_known } = opened;
        let name = engine.name();
        let subject = MeasurementTarget { engine: &engine, stop };
        if is_known {
            // Loads the kernels before the first job. Usually they were compiled by an earlier process.
            match warm_up(subject) {
                Ok(()) => {}
                Err(Halt::Stopped) => return,
                Err(halt) => warn!("warm-up of engine {name:?} failed: {halt:?}"),
            }
            engine.prepare(Cpu::all_cores().threads);
            return;
        }
        match measure::delays(subject, &measured.offer) {
            Ok(delays) => measured.delays = delays,
            Err(Halt::Stopped) => return,
            Err(halt) => return warn!("overhead of engine {name:?} could not be measured: {halt:?}"),
        }
        self.shared.write().unwrap_or_else(PoisonError::into_inner).delays.extend(measured.delays.iter().cloned());
        if let Err(cause) = kept.write(&measured) {
            warn!("measurement of engine {name:?} cannot be cached; the next start measures again: {cause}");
        }
    }

    /// Opens further GPUs of this machine if the first one is offered. A GPU of another model is left out, because jobs
    /// are planned with a single rate for all GPUs. GPUs hidden by the variable `CUDA_VISIBLE_DEVICES` are not found.
    fn join_devices(&self, config: &Config, stop: &StopFlag) {
        let Some(first) = self.shared().offers.iter().find(|offer| offer.engine == EngineName::Cuda).map(|offer| offer.device.clone())
        else {
            return;
        };
        for ordinal in 1..device_count() {
            if stop.is_raised() {
                return;
            }
            let engine = match RecoverableGpu::open(ordinal, Some(kernels_folder(config))) {
                Ok(gpu) if gpu.name() != first => {
                    let (name, hint) = (gpu.name(), "a worker of its own may use it");
                    warn!("GPU {ordinal} is left out: it is {name}, and the first one is {first}; {hint} (CUDA_VISIBLE_DEVICES={ordinal})");
                    continue;
                }
                Ok(gpu) => Engine::Cuda(gpu),
                Err(why) => {
                    warn!("GPU {ordinal} is left out: {why}");
                    continue;
                }
            };
            match warm_up(MeasurementTarget { engine: &engine, stop }) {
                Ok(()) => info!("GPU {ordinal} is ready"),
                Err(Halt::Stopped) => return,
                Err(halt) => {
                    warn!("GPU {ordinal} is left out: {halt:?}");
                    continue;
                }
            }
            self.shared.write().unwrap_or_else(PoisonError::into_inner).add(Arc::new(engine));
        }
    }
}

/// Opens the engine `name`, and returns it with its limits from the settings `config`. Returns `None` if this machine
/// does not have it; a machine without a GPU is not an error.
fn open(name: EngineName, config: &Config) -> Option<(Engine, EngineLimits)> {
    let seconds = config.job_seconds;
    match name {
        EngineName::Cpu => {
            Some((Engine::Cpu(Cpu::all_cores()), EngineLimits { cells: config.max_cells_cpu, seconds, ..EngineLimits::NONE }))
        }
        EngineName::Cuda => match RecoverableGpu::open(0, Some(kernels_folder(config))) {
            Ok(gpu) => {
                let limits = EngineLimits {
                    cells: config.max_cells_cuda,
                    seconds,
                    symbols: MAX_DEVICE_SYMBOLS,
                    alphabet: MAX_DEVICE_DISTINCT_SYMBOLS,
                };
                Some((Engine::Cuda(gpu), limits))
            }
            Err(why) => {
                info!("no CUDA engine: {why}");
                None
            }
        },
    }
}

/// Returns the folder in which compiled kernels are cached.
fn kernels_folder(config: &Config) -> PathBuf {
    config.data.join("kernels")
}
