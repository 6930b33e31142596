//! Opening: the engines of this machine and their devices, opened and measured one after the other while those that are there serve.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use kernels::engine::{Cpu, Engine};
use kernels::gpu::device_count;
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::plan::{EngineName, Limits, Offer};
use kernels::run::Halt;
use kernels::task::edit_distance::cuda::{MOST_DISTINCT, MOST_SYMBOLS};
use tracing::{info, warn};

use super::Engines;
use super::kept::Kept;
use super::measure::{self, Measured, StopFlag, Subject, warm_up};
use crate::config::Config;

/// The thread that opens engines and measures them. Dropping it ends the thread: a process that ended beside it would take the driver
/// and the compiler away from under it, which ends in a corrupt heap and an abort.
#[derive(Debug)]
pub(super) struct Opener {
    stop: Arc<StopFlag>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Opener {
    fn drop(&mut self) {
        self.stop.raise();
        // One that has panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// An engine that is offered, and what is known of it.
#[derive(Debug)]
struct Opened {
    engine: Arc<Engine>,
    kept: Kept,
    measured: Measured,
    /// Whether that was on disk.
    is_known: bool,
}

impl Engines {
    /// Opens the first engine that is allowed and there. It is measured, which takes some tenths of a second, unless that was done
    /// lately. The others, whose devices and kernels may take seconds, are opened in the background and offered once they are ready.
    pub fn open(config: &Config) -> Self {
        let (engines, stop) = (Self::default(), Arc::<StopFlag>::default());
        let mut names = config.engines.iter().copied();
        let mut opened: Vec<Opened> = names.by_ref().find_map(|name| engines.join(name, config, &stop)).into_iter().collect();
        let (later, others, config, until) = (names.collect::<Vec<_>>(), engines.clone(), config.clone(), stop.clone());
        let open = move || {
            opened.extend(later.into_iter().filter_map(|name| others.join(name, &config, &until)));
            others.join_devices(&config, &until);
            opened.into_iter().for_each(|opened| others.finish(opened, &until));
        };
        let thread = thread::Builder::new().name("engines".into()).spawn(open);
        let thread = thread.inspect_err(|cause| warn!("no thread to open the other engines: {cause}")).ok();
        Self { _opener: Some(Arc::new(Opener { stop, thread })), ..engines }
    }

    /// Opens an engine, if it is there, and offers it: at once where it was measured lately, else when its rates are.
    fn join(&self, name: EngineName, config: &Config, stop: &StopFlag) -> Option<Opened> {
        if stop.is_raised() {
            return None;
        }
        let started = Instant::now();
        let (engine, limits) = open(name, config)?;
        let kept = Kept::in_folder(&config.data, name);
        let known = kept.read(&engine);
        let is_known = known.is_some();
        let measured = match known {
            Some(known) => known,
            None => {
                // All of its kernels, while there is time; the measurements ask for the first ones at once.
                engine.prepare(Cpu::all_cores().threads);
                match measure::offer(Subject { engine: &engine, stop }) {
                    Ok(offer) => Measured { offer, delays: Vec::new() },
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
        shared.offers.push(Offer { limits, ..measured.offer.clone() });
        shared.delays.extend(measured.delays.iter().cloned());
        shared.kept.push((name, kept.clone()));
        drop(shared);
        Some(Opened { engine, kept, measured, is_known })
    }

    /// What can wait until an engine is offered.
    fn finish(&self, opened: Opened, stop: &StopFlag) {
        let Opened { engine, kept, mut measured, is_known } = opened;
        let name = engine.name();
        let subject = Subject { engine: &engine, stop };
        if is_known {
            // Compiled kernels are there as a rule: the first jobs find them loaded.
            match warm_up(subject) {
                Ok(()) => {}
                Err(Halt::Stopped) => return,
                Err(halt) => warn!("engine {name:?} could not be made ready for its first jobs: {halt:?}"),
            }
            engine.prepare(Cpu::all_cores().threads);
            return;
        }
        match measure::delays(subject, &measured.offer) {
            Ok(delays) => measured.delays = delays,
            Err(Halt::Stopped) => return,
            Err(halt) => return warn!("how long brief jobs take engine {name:?} is not known: {halt:?}"),
        }
        self.shared.write().unwrap_or_else(PoisonError::into_inner).delays.extend(measured.delays.iter().cloned());
        if let Err(cause) = kept.write(&measured) {
            warn!("how fast engine {name:?} is cannot be kept, the next start measures again: {cause}");
        }
    }

    /// Opens the other GPUs of this machine where the first one is offered. They are as fast as that one: one of another kind is left out, since jobs are
    /// planned by one rate. Those that the driver does not show (`CUDA_VISIBLE_DEVICES`) are not there.
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
            match warm_up(Subject { engine: &engine, stop }) {
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

/// The engine and what it takes, if it is there. A machine without a GPU is a normal machine.
fn open(name: EngineName, config: &Config) -> Option<(Engine, Limits)> {
    let seconds = config.job_seconds;
    match name {
        EngineName::Cpu => Some((Engine::Cpu(Cpu::all_cores()), Limits { cells: config.max_cells_cpu, seconds, ..Limits::NONE })),
        EngineName::Cuda => match RecoverableGpu::open(0, Some(kernels_folder(config))) {
            Ok(gpu) => {
                let limits = Limits { cells: config.max_cells_cuda, seconds, symbols: MOST_SYMBOLS, alphabet: MOST_DISTINCT };
                Some((Engine::Cuda(gpu), limits))
            }
            Err(why) => {
                info!("no CUDA engine: {why}");
                None
            }
        },
    }
}

/// Where compiled kernels are kept.
fn kernels_folder(config: &Config) -> PathBuf {
    config.data.join("kernels")
}
