//! Jobs: from a request that was accepted to its last event. A job does not need anybody who reads its events.
//!
//! - [`live`]: a job and its events
//! - `open`: those that have not ended, and the queue
//! - `run`: a job on its engine
//! - `row`: its end, which is written and then told
//! - `threads`: the threads of brief runs
//! - `rest`: when a large run leaves the cores to brief ones
//! - `waiting`: what those who wait are told, and those who may not
//! - `fallback`: who takes a job whose engine has failed
//! - `restart`: what becomes of jobs when a process ends, and when the next begins
//! - `planning`: which engine computes a job, here or on a worker of the site
//! - [`operator`]: what whoever runs a site does to its jobs
//! - `elsewhere`: jobs that any worker of a site may run; `worker`: those that this process takes of them; `hinted`: where it looks for them, and when;
//!   `offering`: what a worker says of itself; `sweeper`: those that would be forgotten
//!
//! While a job waits or runs it is in memory, and its row in the store says that it has not ended. When it ends, the row is
//! written first and the last event told after it: an answer that somebody has seen outlives the process.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use explain::snapshot::{Snapshot, State};
use futures::{StreamExt as _, stream};
use kernels::event::Event;
use kernels::failure::Failure;
use kernels::plan::{EngineName, Work};
use kernels::text::Pair;
use tokio::runtime::Handle;
use tracing::{error, info_span, warn};

use self::elsewhere::Site;
use self::fallback::fallback;
use self::live::{Birth, JobState, Live};
use self::open::{OpenJobs, Waiting};
use self::planning::Planned;
use self::rest::AtHand;
use self::row::Body;
use self::run::{Ended, Outcome};
use self::threads::Threads;
use self::waiting::{Throttle, left, refused, stopping};
use crate::clients::Client;
use crate::config::Config;
use crate::engines::Engines;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::ports::bus::ring::{Replay, Ring};
use crate::ports::bus::{Bus, Listener, Stop};
use crate::ports::files::Hash;
use crate::ports::offers::nats::SiteOffers;
use crate::ports::queue::nats::WorkQueue;
use crate::ports::queue::{Entry, Line};
use crate::ports::rows::RequestRow;
use crate::priority;
use crate::record::Record;
use crate::results::Results;
use crate::store::{Found, Store};

mod elsewhere;
mod fallback;
mod hinted;
pub mod live;
mod offering;
mod open;
pub mod operator;
pub mod planning;
mod rest;
mod restart;
mod row;
mod run;
mod sweeper;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod threads;
mod waiting;
mod worker;

/// Runs that are made in the place of whoever starts them, of those that it starts at once.
const MOST_AT_ONCE: u32 = 4;

/// All jobs of this server.
#[derive(Clone, Debug)]
pub struct Jobs {
    shared: Arc<Shared>,
}

/// What the runs and the handlers share.
#[derive(Debug)]
struct Shared {
    engines: Engines,
    store: Store,
    results: Results,
    bus: Arc<dyn Bus>,
    job_seconds: u64,
    keep_seconds: u64,
    open_jobs: Mutex<OpenJobs>,
    positions: Throttle,
    threads: Threads,
    at_hand: AtHand,
    runtime: Handle,
    /// Where several processes share the work.
    site: Option<Site>,
}

/// How processes hear of jobs.
#[derive(Clone, Debug)]
pub struct Messages {
    /// What is told of jobs.
    pub bus: Arc<dyn Bus>,
    /// The site that this process is one of several of. Where there is none, each job is run where it arrives.
    pub site: Option<SitePorts>,
}

/// What the processes of a site share, beside rows, files and the bus.
#[derive(Clone, Debug)]
pub struct SitePorts {
    /// Work that any worker may take.
    pub queue: WorkQueue,
    /// What the workers offer.
    pub offers: SiteOffers,
}

/// A job that is to be taken.
#[derive(Debug)]
pub struct NewJob {
    /// Its id.
    pub id: Id,
    /// Who sends it.
    pub client: Client,
    /// Hash of the token that deletes it.
    pub owner: Hash,
    /// What it asks, and of which files.
    pub record: Record,
    /// Its texts, where they need not be read.
    pub pair: Option<Arc<Pair>>,
    /// Of them, those that have no file yet.
    pub unstored: Vec<Vec<u8>>,
    /// How much work it is.
    pub work: Work,
    /// What computes it.
    pub planned: Planned,
    /// Requests that lead to it from now on.
    pub requests: Vec<RequestRow>,
    /// Whether whoever sends it waits for its end, and nobody is told of it before.
    pub is_awaited: bool,
}

/// What a job of its own is for that another one has answered.
#[derive(Debug)]
pub struct Again {
    /// Its id.
    pub id: Id,
    /// Hash of the token that deletes it.
    pub owner: Hash,
    /// Requests that lead to it from now on.
    pub requests: Vec<RequestRow>,
}

impl Jobs {
    /// No jobs yet.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn new(config: &Config, engines: Engines, store: Store, results: Results, Messages { bus, site }: Messages) -> Self {
        let site = site.map(|ports| Site::new(ports, config));
        let open_jobs = OpenJobs::new(config);
        let (job_seconds, keep_seconds) = (config.job_seconds, config.job_keep_seconds);
        let (open_jobs, positions, threads, at_hand, runtime) =
            (Mutex::new(open_jobs), Throttle::default(), Threads::default(), AtHand::default(), Handle::current());
        Self {
            shared: Arc::new(Shared {
                engines,
                store,
                results,
                bus,
                job_seconds,
                keep_seconds,
                open_jobs,
                positions,
                threads,
                at_hand,
                runtime,
                site,
            }),
        }
    }

    /// Jobs that are not brief, which run at a time on one device of this engine.
    pub fn places(&self, engine: EngineName) -> usize {
        self.shared.open_jobs().places.on_a_device(Line { engine, brief: false })
    }

    /// Says at once whether another job would be taken, before anything is done for it.
    ///
    /// # Errors
    /// `QueueFull`, or `NotReady` when the server stops.
    pub fn has_room(&self, client: Option<Client>) -> Result<(), Problem> {
        let engines: Vec<EngineName> = self.shared.engines.offers().iter().map(|offer| offer.engine).collect();
        let open_jobs = self.shared.open_jobs();
        if open_jobs.closed { Err(stopping()) } else { open_jobs.queue.has_room(&engines, client).map_err(refused) }
    }

    /// Takes a job: writes its files and its row and lets it wait or start. A brief one that is awaited gets them when it has ended, and none before:
    /// whoever sends it has been told nothing yet, and the disk is waited for once and not three times.
    ///
    /// # Errors
    /// `QueueFull`; `NotReady` when the server stops; when the store fails.
    pub async fn submit(&self, job: NewJob) -> Result<Arc<Live>, Problem> {
        self.has_room(Some(job.client))?;
        if let Some(site) = self.shared.site.as_ref().filter(|_| job.planned.is_for_site) {
            return Box::pin(self.submit_elsewhere(site, job)).await;
        }
        let NewJob { id, client, owner, record, pair, unstored, work, planned: Planned { plan, .. }, requests, is_awaited } = job;
        let record = Record { process: self.shared.site.as_ref().map(|site| site.id.clone()), ..record };
        let state = JobState { record, ring: Ring::default() };
        let birth = Birth { owner, requests };
        let unwritten = if is_awaited && Line::of(&plan).brief {
            Some((birth, unstored))
        } else {
            self.shared.put(unstored).await.map_err(Problem::disk)?;
            let row = self.shared.row(&state, None, Some(birth)).map_err(Problem::internal)?;
            self.shared.store.put_job(id, row).get().await?;
            None
        };
        self.shared.bus.open(id, state.ring.clone());
        let has_row = unwritten.is_none();
        if has_row {
            self.shared.bus.share(id);
        }
        let live = Live::new(id, state, self.shared.bus.clone());
        let live = Arc::new(if let Some((birth, texts)) = unwritten {
            live.without_row(birth, texts, self.shared.at_hand.one_more())
        } else {
            live
        });
        let entry = Entry::of(&plan, client);
        let taken = {
            let mut open_jobs = self.shared.open_jobs();
            let told = Cell::default();
            let waiting = Waiting { live: live.clone(), pair, plan, work, failed: Vec::new(), since: Instant::now(), client, told };
            let taken = if open_jobs.closed { Err(stopping()) } else { open_jobs.queue.push(entry, waiting).map_err(refused) };
            if taken.is_ok() {
                open_jobs.live.insert(id, live.clone());
            }
            taken
        };
        match taken {
            Ok(()) => {
                Shared::pump(&self.shared);
                Ok(live)
            }
            Err(problem) => {
                self.shared.bus.close(id);
                if has_row {
                    self.shared.store.drop_job(id).get().await?;
                }
                Err(problem)
            }
        }
    }

    /// Writes the files and the row of a job that has none yet: somebody is about to be told of it.
    ///
    /// # Errors
    /// When the store fails, or has failed when the job ended.
    pub async fn tell(&self, live: &Arc<Live>) -> Result<(), Problem> {
        let Some(birth) = live.birth() else { return Ok(()) };
        live.tell()?;
        let told = self.write_open(live, birth).await;
        if told.is_err() {
            // Nobody else will hear of it.
            self.cancel(live).await;
        }
        told
    }

    async fn write_open(&self, live: &Live, birth: Birth) -> Result<(), Problem> {
        self.shared.put(live.texts()).await.map_err(Problem::disk)?;
        let row = self.shared.row(&live.state(), None, Some(birth)).map_err(Problem::internal)?;
        // It is refused where the job has ended meanwhile, whose row is there then.
        self.shared.store.put_job(live.id, row).get().await?;
        self.shared.bus.share(live.id);
        Ok(())
    }

    /// A job of its own for what another one has answered: `asked` changes what is its own. Writes its row. `None` where the other one has no answer
    /// or its files are gone.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn answer_again(
        &self,
        Again { id, owner, requests }: Again,
        other: &Live,
        asked: impl FnOnce(&mut Snapshot),
    ) -> Result<Option<Arc<Live>>, Problem> {
        let mut state = other.state();
        if state.record.snapshot.state != State::Succeeded {
            return Ok(None);
        }
        state.record.snapshot.id = id.to_string();
        asked(&mut state.record.snapshot);
        let store = self.shared.store.clone();
        let until = store.clock.seconds() + self.shared.keep_seconds;
        let row = self.shared.row(&state, Some(until), Some(Birth { owner, requests })).map_err(Problem::internal)?;
        if !store.renewed(row.files.clone()).await? {
            return Ok(None);
        }
        store.put_job(id, row).get().await?;
        Ok(Some(Arc::new(Live::new(id, state, self.shared.bus.clone()))))
    }

    /// The job of this id, if it has not ended.
    pub fn running(&self, id: Id) -> Option<Arc<Live>> {
        self.shared.open_jobs().live.get(&id).cloned()
    }

    /// The job of this id, alive or read back.
    ///
    /// # Errors
    /// `NotFound`; `Gone` when its time is over; `NoResult` when another version of the server wrote its row, in a way that this one cannot read.
    pub async fn find(&self, id: Id) -> Result<Arc<Live>, Problem> {
        if let Some(live) = self.shared.open_jobs().live.get(&id) {
            return Ok(live.clone());
        }
        match self.shared.store.job(id).get().await? {
            Found::Here(body) => {
                let body = Body::read(&body).map_err(|cause| self.shared.store.unreadable.problem(id, "a job", &cause))?;
                let state = JobState { record: body.record, ring: body.ring };
                if self.shared.site.is_some() && !state.ring.is_over() {
                    return Ok(Box::pin(self.caught_up(id, state)).await);
                }
                Ok(Arc::new(Live::new(id, state, self.shared.bus.clone())))
            }
            Found::Gone => Err(Problem::new(Kind::Gone, "This job’s result has expired. Run the job again.")),
            Found::Never => Err(Problem::not_found("job")),
        }
    }

    /// What is told of a job after event `after`.
    pub fn listen(&self, live: &Live, after: u64) -> Listener {
        self.shared.bus.listen(live.id, after).unwrap_or_else(|| {
            // It has ended, and all that was told of it is at hand.
            let known = Some(live.replay(after)).filter(|replay| *replay != Replay::Events(Vec::new()));
            stream::iter(known).boxed()
        })
    }

    /// Returns when the job has ended, or nobody tells of it any more.
    pub async fn ended(&self, live: &Live) {
        if let Some(ended) = self.shared.bus.ended(live.id) {
            ended.await;
        }
    }

    /// Cancels a job. Returns whether it has ended by now; if not, it ends at its next tile.
    pub async fn cancel(&self, live: &Arc<Live>) -> bool {
        if self.shared.site.is_some() && !live.is_over() && self.running(live.id).is_none() {
            return self.cancel_elsewhere(live).await;
        }
        live.stop(Stop::Cancelled);
        let waiting = self.shared.open_jobs().queue.remove(&|waiting| waiting.live.id == live.id).map(|waiting| waiting.live);
        if let Some(live) = waiting {
            // It ends whether whoever cancels it waits for that or not.
            let _ = self.shared.runtime.spawn(self.shared.clone().end(live, Ended::with(Event::Cancelled))).await;
            Shared::report_positions(&self.shared);
        }
        live.is_over()
    }

    /// Jobs that wait, and jobs that run.
    pub fn counts(&self) -> (usize, usize) {
        let open_jobs = self.shared.open_jobs();
        (open_jobs.queue.waiting(), open_jobs.queue.running())
    }

    /// Every line there may be, with how many jobs wait in it and how many of it run.
    pub fn lines(&self) -> Vec<(Line, usize, usize)> {
        use kernels::plan::EngineName::{Cpu, Cuda};
        let open_jobs = self.shared.open_jobs();
        let running: Vec<Line> = open_jobs.live.values().filter_map(|live| left(&live.snapshot())).map(|(line, _)| line).collect();
        let waiting: Vec<Line> = open_jobs.queue.positions().iter().map(|position| position.line).collect();
        let of = |lines: &[Line], line| lines.iter().filter(|of| **of == line).count();
        let lines = [Cpu, Cuda].into_iter().flat_map(|engine| [false, true].map(|brief| Line { engine, brief }));
        lines.map(|line| (line, of(&waiting, line), of(&running, line))).collect()
    }
}

impl Shared {
    fn open_jobs(&self) -> MutexGuard<'_, OpenJobs> {
        // Everything under this lock is one push or remove; a panic leaves nothing half done.
        self.open_jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts whoever may start and tells the others where they stand. Runs that are over sooner than a thread wakes up are made here and now, a few
    /// of them: whoever calls this may be answering requests.
    fn pump(shared: &Arc<Self>) {
        let mut at_once = 0;
        shared.open_jobs().fit(&shared.engines);
        while let Some(waiting) = { shared.open_jobs().queue.start() } {
            if at_once < MOST_AT_ONCE && waiting.is_momentary() {
                at_once += 1;
                Self::carry(shared, waiting);
                continue;
            }
            let (live, line) = (waiting.live.clone(), Line::of(&waiting.plan));
            let (carrying, ending) = (shared.clone(), shared.clone());
            let carry = move || {
                Self::carry(&carrying, waiting);
                Self::pump(&carrying);
            };
            let name = format!("run-{:?}", line.engine).to_lowercase();
            // A long run has a thread of its own, whose priority changes with it.
            let started =
                if line.brief { shared.threads.start(&name, carry) } else { thread::Builder::new().name(name).spawn(carry).map(|_| ()) };
            if let Err(cause) = started {
                error!("no thread for a run: {cause}");
                ending.open_jobs().queue.release(line);
                shared
                    .runtime
                    .spawn(ending.end(live, Ended::with(Event::Failed(Failure::engine("The server has no free thread. Try again.")))));
            }
        }
        Self::report_positions(shared);
        if let Some(site) = &shared.site {
            site.places.notify_waiters();
        }
    }

    /// The whole life of a run. Its place is given back in time; whoever calls this lets the next one start.
    fn carry(shared: &Arc<Self>, waiting: Waiting) {
        let Waiting { live, pair, plan: chosen, work, mut failed, since, client, told } = waiting;
        let (engine, line) = (chosen.engine, Line::of(&chosen));
        if engine == EngineName::Cpu && !line.brief {
            priority::give_way();
        }
        let _span = info_span!("run", ?engine, task = work.task.name()).entered();
        live.report(Event::Queued { position: 0, wait_ms: None });
        let outcome = match live.stopped() {
            Some(why) => Outcome::Ended(Box::new(Ended::with(why.event(shared.job_seconds, None)))),
            None => run::run(shared, &live, pair.clone(), chosen, &failed, since.elapsed()),
        };
        let ended = match outcome {
            Outcome::Ended(ended) => Some(*ended),
            Outcome::EngineFailed(failure, device) => {
                failed.extend(device);
                if let Some(device) = device {
                    shared.engines.look_after(device);
                }
                if matches!(failure, Failure::TooLarge { .. }) {
                    // Its other devices are of the same kind.
                    failed.extend(shared.engines.devices(engine).into_iter().map(|(device, _)| device));
                }
                let mut offers = shared.engines.offers_for(&work);
                offers.retain(|offer| shared.engines.may_solve(offer.engine, &failed));
                if let Some(plan) = fallback(&work, &offers, &failure) {
                    warn!(?device, instead = ?plan.engine, "the engine failed, another one or another device takes the job: {failure}");
                    let entry = Entry::of(&plan, client);
                    let waiting = Waiting { live: live.clone(), pair, plan, work, failed, since: Instant::now(), client, told };
                    shared.open_jobs().queue.push_first(entry, waiting);
                    None
                } else {
                    warn!("the engine failed, and no other takes the job: {failure}");
                    Some(Ended::with(Event::Failed(failure)))
                }
            }
        };
        let Some(ended) = ended else { return shared.open_jobs().queue.release(line) };
        if !line.brief {
            shared.runtime.block_on(shared.clone().end(live, ended));
            return shared.open_jobs().queue.release(line);
        }
        // What a brief job has found is stored while the next ones run, unless too many are: its disk takes longer than its engine.
        let is_beside = shared.open_jobs().store_beside(line);
        let shared = shared.clone();
        shared.runtime.clone().spawn(async move {
            shared.clone().end(live, ended).await;
            if is_beside {
                shared.open_jobs().storing -= 1;
            } else {
                shared.open_jobs().queue.release(line);
                Self::pump(&shared);
            }
        });
    }
}
