//! Jobs: from a request that was accepted to its last event. A job does not need anybody who reads its events.
//!
//! - [`live`]: a job and its events
//! - `run`: a job on its engine
//! - `waiting`: what those who wait are told, and those who may not
//! - `fallback`: who takes a job whose engine has failed
//!
//! While a job waits or runs it is in memory, and its row in the store says that it has not ended. When it ends, the row is
//! written first and the last event told after it: an answer that somebody has seen outlives the process.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use explain::snapshot::{Snapshot, State};
use futures::{StreamExt as _, stream};
use kernels::event::Event;
use kernels::failure::Failure;
use kernels::plan::{EngineName, Plan, Work, plan};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tracing::{error, info_span, warn};

use self::fallback::fallback;
use self::live::{Birth, JobState, Live};
use self::run::{Ended, Outcome};
use self::waiting::{Throttle, left, refused, stopping};
use crate::clients::Client;
use crate::config::Config;
use crate::engines::Engines;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::metrics;
use crate::ports::bus::ring::{Replay, Ring};
use crate::ports::bus::{Bus, Listener, Stop};
use crate::ports::files::Hash;
use crate::ports::queue::{Entry, Lanes, Line, Queue};
use crate::ports::rows::{JobRow, Put, RequestRow};
use crate::priority;
use crate::record::Record;
use crate::results::Results;
use crate::store::{Found, Store};

mod fallback;
pub mod live;
mod run;
mod waiting;

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
    runtime: Handle,
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
    /// How much work it is.
    pub work: Work,
    /// What computes it.
    pub plan: Plan,
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

/// How long after a row could not be written it is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// The jobs that have not ended, and whether more are taken. Locked for moments only.
#[derive(Debug)]
struct OpenJobs {
    queue: Box<dyn Queue<Waiting>>,
    live: HashMap<Id, Arc<Live>>,
    /// Brief jobs whose place on their engine is another one's already, while what they have found is stored.
    storing: usize,
    closed: bool,
}

/// Brief jobs that are stored beside those that run, at most: what they have found is in memory, and each has a thread.
const MOST_STORING: usize = 64;

impl OpenJobs {
    /// Gives the place of a brief job in its line to the next one before it is stored, unless too many are being stored. Whether it did.
    fn store_beside(&mut self, line: Line) -> bool {
        let has_room = self.storing < MOST_STORING;
        if has_room {
            self.storing += 1;
            self.queue.release(line);
        }
        has_room
    }
}

/// A job in the queue.
#[derive(Debug)]
struct Waiting {
    live: Arc<Live>,
    plan: Plan,
    work: Work,
    /// Engines that have failed at it.
    failed: Vec<EngineName>,
    since: Instant,
    client: Client,
    /// How many it was told are ahead.
    told: Cell<Option<u64>>,
}

/// A job's row.
#[derive(Serialize, Deserialize)]
struct Body {
    record: Record,
    ring: Ring,
}

impl Jobs {
    /// No jobs yet.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn new(config: &Config, engines: Engines, store: Store, results: Results, bus: Arc<dyn Bus>) -> Self {
        use kernels::plan::EngineName::{Cpu, Cuda};
        let line = |engine, brief| Line { engine, brief };
        let permits = [
            (line(Cpu, false), config.running_cpu),
            (line(Cpu, true), config.running_cpu_brief),
            (line(Cuda, false), config.running_cuda),
            (line(Cuda, true), config.running_cuda_brief),
        ];
        let queue = Box::new(Lanes::new(permits, config.queue_seconds));
        let open_jobs = OpenJobs { queue, live: HashMap::new(), storing: 0, closed: false };
        let (job_seconds, keep_seconds) = (config.job_seconds, config.job_keep_seconds);
        let (open_jobs, positions, runtime) = (Mutex::new(open_jobs), Throttle::default(), Handle::current());
        Self { shared: Arc::new(Shared { engines, store, results, bus, job_seconds, keep_seconds, open_jobs, positions, runtime }) }
    }

    /// Ends the jobs that had not ended when the last process did: they are interrupted. Rows that cannot be read are dropped. Returns how many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recover(&self) -> anyhow::Result<usize> {
        let open = self.shared.store.open_jobs().get().await?;
        for id in &open {
            let Found::Here(body) = self.shared.store.job(*id).get().await? else { continue };
            let Ok(body) = serde_json::from_str::<Body>(&body) else {
                // Another version wrote it. One job is lost, which is no reason not to start.
                warn!("a job's row cannot be read and is dropped");
                self.shared.store.drop_job(*id).get().await?;
                continue;
            };
            let mut state = JobState { record: body.record, ring: body.ring };
            // What the attempt that was under way may still write is refused from now on.
            state.ring.begin_again();
            state.report(Event::Failed(Failure::Interrupted));
            let until = self.shared.store.clock.seconds() + self.shared.keep_seconds;
            let row = self.shared.row(&state, Some(until), None)?;
            self.shared.store.put_job(*id, row).get().await?;
        }
        Ok(open.len())
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

    /// Plans a job among this server's engines.
    ///
    /// # Errors
    /// `TooLarge` when no engine takes it.
    pub fn plan(&self, work: &Work) -> Result<Plan, Problem> {
        Ok(plan(work, &self.shared.engines.offers_for(work))?)
    }

    /// Takes a job: writes its row and lets it wait or start. A brief one that is awaited gets its row when it has ended, and none before: whoever
    /// sends it has been told nothing yet, and the disk is waited for once less.
    ///
    /// # Errors
    /// `QueueFull`; `NotReady` when the server stops.
    pub async fn submit(
        &self,
        NewJob { id, client, owner, record, work, plan, requests, is_awaited }: NewJob,
    ) -> Result<Arc<Live>, Problem> {
        self.has_room(Some(client))?;
        let state = JobState { record, ring: Ring::default() };
        let birth = Birth { owner, requests };
        let unwritten = if is_awaited && Line::of(&plan).brief {
            Some(birth)
        } else {
            let row = self.shared.row(&state, None, Some(birth)).map_err(Problem::internal)?;
            self.shared.store.put_job(id, row).get().await?;
            None
        };
        self.shared.bus.open(id, state.ring.clone());
        let has_row = unwritten.is_none();
        let live = Live::new(id, state, self.shared.bus.clone());
        let live = Arc::new(if let Some(birth) = unwritten { live.without_row(birth) } else { live });
        let entry = Entry::of(&plan, client);
        let taken = {
            let mut open_jobs = self.shared.open_jobs();
            let told = Cell::default();
            let waiting = Waiting { live: live.clone(), plan, work, failed: Vec::new(), since: Instant::now(), client, told };
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

    /// Writes the row of a job that has none yet: somebody is about to be told of it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn tell(&self, live: &Live) -> Result<(), Problem> {
        let Some(birth) = live.unwritten.clone() else { return Ok(()) };
        let row = self.shared.row(&live.state(), None, Some(birth)).map_err(Problem::internal)?;
        // It is refused where the job has ended meanwhile, whose row is there then.
        self.shared.store.put_job(live.id, row).get().await?;
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
                let body: Body = serde_json::from_str(&body).map_err(|cause| self.shared.store.unreadable.problem(id, "a job", &cause))?;
                Ok(Arc::new(Live::new(id, JobState { record: body.record, ring: body.ring }, self.shared.bus.clone())))
            }
            Found::Gone => Err(Problem::new(Kind::Gone, "This job's result was removed when its time was over. Run it again.")),
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

    /// Cancels a job. Returns whether it has ended by now; if not, it ends at its next tile. Blocks on the disk.
    pub fn cancel(&self, live: &Arc<Live>) -> bool {
        live.stop(Stop::Cancelled);
        let waiting = self.shared.open_jobs().queue.remove(&|waiting| waiting.live.id == live.id);
        if let Some(waiting) = waiting {
            self.shared.end(&waiting.live, Ended::with(Event::Cancelled));
            Shared::report_positions(&self.shared);
        }
        live.is_over()
    }

    /// Takes no more jobs and interrupts those that there are. Returns when they have ended, or after `patience`.
    pub async fn close(&self, patience: Duration) {
        let (waiting, running) = {
            let mut open_jobs = self.shared.open_jobs();
            open_jobs.closed = true;
            let waiting: Vec<Waiting> = std::iter::from_fn(|| open_jobs.queue.remove(&|_| true)).collect();
            (waiting, open_jobs.live.values().cloned().collect::<Vec<_>>())
        };
        running.iter().for_each(|live| live.stop(Stop::Interrupted));
        let shared = self.shared.clone();
        let ended = tokio::task::spawn_blocking(move || {
            waiting.iter().for_each(|waiting| shared.end(&waiting.live, Ended::with(Event::Failed(Failure::Interrupted))));
        });
        let all = async {
            let _ = ended.await;
            while !self.shared.open_jobs().live.is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            warn!("a run did not stop in time; its job will be reported as interrupted");
        }
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

    /// Starts whoever may start and tells the others where they stand.
    fn pump(shared: &Arc<Self>) {
        while let Some(waiting) = { shared.open_jobs().queue.start() } {
            let (live, line) = (waiting.live.clone(), Line::of(&waiting.plan));
            let (carrying, at_once) = (shared.clone(), shared.clone());
            let carry = move || Self::carry(&carrying, waiting);
            // Not by a thread of the runtime, which would wait for an engine that does not stop when the server does.
            let name = format!("run-{:?}", line.engine).to_lowercase();
            if let Err(cause) = thread::Builder::new().name(name).spawn(carry) {
                error!("no thread for a run: {cause}");
                at_once.open_jobs().queue.release(line);
                let end =
                    move || at_once.end(&live, Ended::with(Event::Failed(Failure::engine("The server has no thread left. Try again."))));
                shared.runtime.spawn_blocking(end);
            }
        }
        Self::report_positions(shared);
    }

    /// The whole life of a run, on its own thread.
    fn carry(shared: &Arc<Self>, waiting: Waiting) {
        let Waiting { live, plan: chosen, work, mut failed, since, client, told } = waiting;
        let (engine, line) = (chosen.engine, Line::of(&chosen));
        if engine == EngineName::Cpu && !line.brief {
            priority::give_way();
        }
        let _span = info_span!("run", ?engine, task = work.task.name()).entered();
        live.report(Event::Queued { position: 0, wait_ms: None });
        let outcome = match live.stopped() {
            Some(why) => Outcome::Ended(Box::new(Ended::with(why.event(shared.job_seconds, None)))),
            None => run::run(shared, &live, chosen, since.elapsed()),
        };
        let ended = match outcome {
            Outcome::Ended(ended) => Some(*ended),
            Outcome::EngineFailed(failure) => {
                failed.push(engine);
                shared.engines.look_after(engine);
                if let Some(plan) = fallback(&work, &shared.engines.offers_for(&work), &failed, &failure) {
                    warn!(instead = ?plan.engine, "the engine failed, another takes the job: {failure}");
                    let entry = Entry::of(&plan, client);
                    let waiting = Waiting { live: live.clone(), plan, work, failed, since: Instant::now(), client, told };
                    shared.open_jobs().queue.push_first(entry, waiting);
                    None
                } else {
                    warn!("the engine failed, and no other takes the job: {failure}");
                    Some(Ended::with(Event::Failed(failure)))
                }
            }
        };
        // What a brief job has found is stored while the next ones run: its disk takes longer than its engine.
        let is_stored_beside = line.brief && ended.is_some() && shared.open_jobs().store_beside(line);
        if is_stored_beside {
            Self::pump(shared);
        }
        if let Some(ended) = ended {
            shared.end(&live, ended);
        }
        if is_stored_beside {
            shared.open_jobs().storing -= 1;
        } else {
            shared.open_jobs().queue.release(line);
            Self::pump(shared);
        }
    }

    /// Ends a job: its row, its last events, and it leaves the memory. Blocks on the disk.
    fn end(self: &Arc<Self>, live: &Arc<Live>, ended: Ended) {
        let mut state = live.state();
        let mut written = self.write(live, &mut state, ended);
        if let Err(cause) = &written {
            error!("a result could not be stored: {cause:#}");
            state = live.state();
            // A row alone takes less room, and another way.
            let failure = Failure::engine("The result could not be stored: the server's disk fails or is full.");
            written = self.write(live, &mut state, Ended::with(Event::Failed(failure)));
        }
        metrics::job_ended(&state.record.snapshot);
        // Whoever is told of the end and asks again finds the row, or else the job, until there is a row.
        let mut open_jobs = self.open_jobs();
        live.replace(state);
        match written {
            Ok(()) => {
                open_jobs.live.remove(&live.id);
                drop(open_jobs);
                self.bus.close(live.id);
            }
            Err(cause) => {
                error!("that a job has ended could not be written: {cause:#}");
                drop(open_jobs);
                self.write_later(live);
            }
        }
    }

    /// Writes the row of a job that has ended as soon as the database takes it. Until then the job stays in memory.
    fn write_later(self: &Arc<Self>, live: &Arc<Live>) {
        let (shared, live) = (self.clone(), live.clone());
        let write = move || {
            let state = live.state();
            while !shared.open_jobs().closed {
                thread::sleep(WRITE_AGAIN);
                if shared.write_row(&live, &state).is_ok() {
                    break;
                }
            }
            shared.open_jobs().live.remove(&live.id);
            shared.bus.close(live.id);
        };
        // Without a thread the job stays in memory, where it has ended.
        if let Err(cause) = thread::Builder::new().name("write-later".into()).spawn(write) {
            error!("no thread to write a row: {cause}");
        }
    }

    fn write(&self, live: &Live, state: &mut JobState, ended: Ended) -> anyhow::Result<()> {
        if let Some(solution) = ended.solution {
            state.record.alignment = solution.alignment.map(|alignment| self.results.store(&alignment)).transpose()?;
            state.record.units = ended.indexes.units;
            let store = |found| self.results.store_found(found, &ended.indexes.searched);
            state.record.found = solution.found.map(store).transpose()?;
        }
        for event in ended.events {
            state.report(event);
        }
        self.write_row(live, state)
    }

    /// Writes the row of a job that has ended. Blocks on the disk.
    fn write_row(&self, live: &Live, state: &JobState) -> anyhow::Result<()> {
        let row = self.row(state, Some(self.store.clock.seconds() + self.keep_seconds), live.unwritten.clone())?;
        if self.store.put_job(state.record.snapshot.id.parse()?, row).wait()? == Put::Refused {
            warn!("a job that was deleted or given up meanwhile has ended: what it found is not kept");
        }
        Ok(())
    }

    fn row(&self, state: &JobState, ended_until: Option<u64>, birth: Option<Birth>) -> anyhow::Result<JobRow> {
        let body = serde_json::to_string(&Body { record: state.record.clone(), ring: state.ring.clone() })?;
        let (files, attempt) = (state.record.files().collect(), state.ring.attempt());
        let (owner, requests) = birth.map_or_else(Default::default, |Birth { owner, requests }| (Some(owner), requests));
        Ok(JobRow { body, files, attempt, ended_until, owner, requests })
    }
}
