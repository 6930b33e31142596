//! A job that is waiting or running, or one that was read back: its record and its events. While it lives, the bus carries them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use explain::snapshot::Snapshot;
use kernels::event::Event;

use super::rest::Brief;
use crate::error::Problem;
use crate::id::Id;
use crate::ports::bus::ring::{Replay, Ring};
use crate::ports::bus::{Bus, Stop};
use crate::ports::files::Hash;
use crate::ports::rows::RequestRow;
use crate::record::Record;

/// What changes while a job lives.
#[derive(Clone, Debug)]
pub struct JobState {
    /// The job as it stands, with the files of its result.
    pub record: Record,
    /// Its events.
    pub ring: Ring,
}

impl JobState {
    /// Appends an event and applies it. Returns its number.
    pub fn report(&mut self, event: Event) -> u64 {
        let number = self.ring.push(event.clone());
        self.record.snapshot.apply(number, &event);
        number
    }
}

/// What the first row of a job says beside what later ones do.
#[derive(Clone, Debug)]
pub struct Birth {
    /// Hash of the token that deletes it.
    pub owner: Hash,
    /// Requests that lead to it from now on.
    pub requests: Vec<RequestRow>,
}

/// A job that has no row before it ends or somebody is told of it.
#[derive(Debug)]
struct Unwritten {
    /// What its first row will say.
    birth: Birth,
    /// Its texts, which have no files before that either.
    texts: Vec<Vec<u8>>,
    /// Whether it is told, or given up since it could not be written; whichever came first.
    fate: OnceLock<Result<(), Problem>>,
    /// That it is at hand.
    _brief: Brief,
}

/// One job. Only its run (or, while it waits, whoever holds the queue) reports events.
#[derive(Debug)]
pub struct Live {
    /// Its id.
    pub id: Id,
    unwritten: Option<Unwritten>,
    state: Mutex<JobState>,
    bus: Arc<dyn Bus>,
    /// Whether its message in the site's queue is this process's until it ends.
    is_taken: bool,
    /// How often its run has given a sign of life.
    signs: AtomicU64,
}

impl Live {
    /// A job with what has happened to it so far. One that has not ended is to be [opened](Bus::open) on the bus too.
    pub fn new(id: Id, state: JobState, bus: Arc<dyn Bus>) -> Self {
        Self { id, unwritten: None, state: Mutex::new(state), bus, is_taken: false, signs: AtomicU64::new(0) }
    }

    /// A brief one that has no row yet, whose first one will say this, and whose texts have no files.
    pub(super) fn without_row(self, birth: Birth, texts: Vec<Vec<u8>>, brief: Brief) -> Self {
        Self { unwritten: Some(Unwritten { birth, texts, fate: OnceLock::new(), _brief: brief }), ..self }
    }

    /// One that was taken out of the site's queue.
    pub(super) fn taken(self) -> Self {
        Self { is_taken: true, ..self }
    }

    /// Whether it was taken out of the site's queue, so that another process may have it when this one gives it up.
    pub fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Its run gives a sign of life.
    pub(super) fn sign(&self) {
        self.signs.fetch_add(1, Relaxed);
    }

    /// How often it has.
    pub(super) fn signs(&self) -> u64 {
        self.signs.load(Relaxed)
    }

    /// What its next row says as the first one; `None` where it had one from the beginning.
    pub fn birth(&self) -> Option<Birth> {
        self.unwritten.as_ref().map(|unwritten| unwritten.birth.clone())
    }

    /// Texts that have no file before it has a row.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        self.unwritten.as_ref().map(|unwritten| unwritten.texts.clone()).unwrap_or_default()
    }

    /// Whether nobody but whoever sent it knows of it, who waits for its end.
    pub fn is_untold(&self) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.fate.get().is_none())
    }

    /// Somebody is about to be told of it. From now on it comes to an end that is told.
    ///
    /// # Errors
    /// Why it was given up, if it was.
    pub fn tell(&self) -> Result<(), Problem> {
        self.unwritten.as_ref().map_or(Ok(()), |unwritten| unwritten.fate.get_or_init(|| Ok(())).clone())
    }

    /// It could not be written. Whether it is given up: nobody is told of it, but for whoever sent it, who is told why.
    pub fn give_up(&self, why: impl FnOnce() -> Problem) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.fate.get_or_init(|| Err(why())).is_err())
    }

    /// Where it stands.
    pub fn snapshot(&self) -> Snapshot {
        self.lock().record.snapshot.clone()
    }

    /// What `look` says of where it stands, without a copy.
    pub fn look<T>(&self, look: impl FnOnce(&Snapshot) -> T) -> T {
        look(&self.lock().record.snapshot)
    }

    /// Where it stands, with the files of its result.
    pub fn record(&self) -> Record {
        self.lock().record.clone()
    }

    /// All of it.
    pub fn state(&self) -> JobState {
        self.lock().clone()
    }

    /// Events after number `after`.
    pub fn replay(&self, after: u64) -> Replay {
        self.lock().ring.after(after)
    }

    /// Whether nothing will follow.
    pub fn is_over(&self) -> bool {
        self.lock().ring.is_over()
    }

    /// Appends an event and tells it.
    pub fn report(&self, event: Event) {
        // Told under the lock, so that events are told in the order of their numbers.
        let mut state = self.lock();
        let number = state.report(event.clone());
        self.bus.tell(self.id, number, event);
    }

    /// Puts `state`, which was made from this one, in its place and tells what is new in it, where anybody knows of the job.
    pub fn replace(&self, state: JobState) {
        let mut old = self.lock();
        if self.is_untold() {
            *old = state;
            return;
        }
        let new = state.ring.after(old.ring.last());
        *old = state;
        if let Replay::Events(events) = new {
            for (number, event) in events {
                self.bus.tell(self.id, number, event);
            }
        }
    }

    /// Tells the run to stop. The first reason stays.
    pub fn stop(&self, why: Stop) {
        self.bus.stop(self.id, why);
    }

    /// Why the run was told to stop, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.bus.stopped(self.id)
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // A panic while the lock is held leaves whole values behind: every write is one push.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
