//! Offering: a worker says what it offers, and hears from an operator whether it shall take jobs.
//!
//! What it offers is written again when it has changed, and often enough that others know that it is there. When it stops it takes that back.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use kernels::plan::EngineName;
use tracing::{debug, info, warn};

use super::elsewhere::Site;
use super::open::Places;
use super::worker::work;
use super::{Jobs, Shared};
use crate::ports::files::disk_cache::DiskCache;
use crate::ports::offers::nats::Whom;
use crate::ports::offers::{EVERY, EngineOffer, Takes, WorkerOffer, cached, present};
use crate::ports::queue::Line;

/// How often it is looked whether the offer has changed: engines that are opened, jobs that were taken or have ended.
const LOOK: Duration = Duration::from_secs(1);

impl Jobs {
    /// Offers this machine's engines from now on, and takes jobs for each of them from the site's queue, until the server stops. Does nothing where there
    /// is no site. When it returns, others may know of it.
    pub async fn start_workers(&self) {
        let Some(site) = &self.shared.site else { return };
        let mut worker = Worker { started: HashSet::new(), said: None, is_heard: true };
        // Before anybody is told that this process is here.
        look_whether_drained(site).await;
        worker.offer(&self.shared, site).await;
        self.shared.runtime.spawn(keep_offering(self.shared.clone(), worker));
    }

    /// Says from now on that this process is there, which solves brief jobs itself, until the server stops. Does nothing where there is no site. When it
    /// returns, others may know of it.
    pub async fn stay_present(&self) {
        let Some(site) = &self.shared.site else { return };
        say_present(site).await;
        let shared = self.shared.clone();
        self.shared.runtime.spawn(async move {
            let Some(site) = &shared.site else { return };
            loop {
                tokio::time::sleep(present::EVERY).await;
                say_present(site).await;
            }
        });
    }

    /// Takes back what this process offers, if it is a worker.
    pub async fn withdraw(&self) {
        let Some(site) = self.shared.site.as_ref().filter(|site| site.config.roles.worker) else { return };
        // After what is being said.
        *site.is_withdrawn.lock().await = true;
        if let Err(cause) = site.offers.withdraw(&site.id).await {
            warn!("the site is not told that this worker ends, and finds out: {cause:#}");
        }
    }
}

/// Where it is not heard, its jobs may be begun by others too, and end once.
async fn say_present(site: &Site) {
    if let Err(cause) = site.offers.say_present(&site.id).await {
        debug!("the site is not told that this process is there: {cause:#}");
    }
}

/// What a worker has said and begun.
struct Worker {
    /// Engines that jobs are taken for.
    started: HashSet<EngineName>,
    /// What it has offered last, and when.
    said: Option<(WorkerOffer, Instant)>,
    /// Whether that was heard.
    is_heard: bool,
}

async fn keep_offering(shared: Arc<Shared>, mut worker: Worker) {
    let Some(site) = &shared.site else { return };
    let mut hints = match site.offers.drain_hints().await {
        Ok(hints) => hints.boxed(),
        Err(_) => stream::pending().boxed(),
    };
    let mut looked = Instant::now();
    loop {
        let is_hint = tokio::select! {
            hint = hints.next() => hint.is_some(),
            () = tokio::time::sleep(LOOK) => false,
        };
        if is_hint || looked.elapsed() >= EVERY {
            look_whether_drained(site).await;
            looked = Instant::now();
        }
        if *site.is_withdrawn.lock().await {
            return;
        }
        worker.offer(&shared, site).await;
    }
}

/// Hears whether an operator wants it to take nothing more. What was said last holds where that is not known.
async fn look_whether_drained(site: &Site) {
    let own = [Whom::Worker(site.id.clone()), Whom::Host(site.host.clone())];
    let Ok(is_drained) = site.offers.is_drained(&own).await else { return };
    if site.is_paused.swap(is_drained, Relaxed) != is_drained {
        info!("{}", if is_drained { "this worker is drained: it takes nothing more" } else { "this worker takes jobs again" });
        site.places.notify_waiters();
    }
}

impl Worker {
    /// Takes jobs for engines that have come, and says what it offers where that is news.
    async fn offer(&mut self, shared: &Arc<Shared>, site: &Site) {
        let offer = shared.worker_offer(site);
        for engine in &offer.engines {
            let name = engine.offered.offer.engine;
            if self.started.insert(name) {
                shared.runtime.spawn(work(shared.clone(), name));
            }
        }
        if self.said.as_ref().is_some_and(|(said, at)| *said == offer && at.elapsed() < EVERY) {
            return;
        }
        let is_withdrawn = site.is_withdrawn.lock().await;
        if *is_withdrawn {
            return;
        }
        match site.offers.put(&offer).await {
            Ok(()) => {
                self.is_heard = true;
                self.said = Some((offer, Instant::now()));
            }
            Err(cause) if self.is_heard => {
                self.is_heard = false;
                warn!("the site is not told what this worker offers: {cause:#}");
            }
            Err(_) => {}
        }
    }
}

impl Shared {
    /// What this process offers as a worker.
    fn worker_offer(&self, site: &Site) -> WorkerOffer {
        let (closed, mut jobs) = {
            let open_jobs = self.open_jobs();
            let taken = open_jobs.live.values().filter(|live| live.is_taken()).map(|live| live.id);
            (open_jobs.closed, taken.collect::<Vec<_>>())
        };
        jobs.sort_by_key(ToString::to_string);
        let takes = match (closed || site.drained.load(Relaxed), site.is_paused.load(Relaxed)) {
            (true, _) => Takes::Stopping,
            (false, true) => Takes::Drained,
            (false, false) => Takes::Jobs,
        };
        let (places, devices) = (Places::of(&site.config), |engine| self.engines.device_count(engine).max(1));
        let places = |engine| places.on(Line { engine, brief: false }, &self.engines);
        let engines = self.engines.offered().into_iter().map(|offered| {
            let engine = offered.offer.engine;
            EngineOffer { places: places(engine), devices: devices(engine), offered }
        });
        let copies = self.store.disk_cache.as_ref();
        let cached = copies.map(|files| files.lately(cached::LEAST, cached::MOST)).unwrap_or_default();
        let bytes_per_second = copies.and_then(DiskCache::bytes_per_second);
        WorkerOffer { id: site.id.clone(), host: site.host.clone(), takes, engines: engines.collect(), jobs, cached, bytes_per_second }
    }
}
