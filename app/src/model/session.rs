//! What the page holds, as a machine without a browser: a form, its run, and the result that the run ended with. [`Session::take`] takes
//! what happened and returns what is to be done; it waits for nothing and asks nobody.
//!
//! ```text
//! typed, opened, pressed ──→ ┌─────────┐ ──→ effects: solve, send, post, follow, fetch …
//!                            │ Session │                        │
//!  answers, failures  ─────→ └─────────┘ ←── what came of them, with the number of their visit
//! ```
//!
//! Everything that takes time belongs to a [`Visit`]. Each change of the form, each address that is opened and each thing that is begun
//! is a new one, and what comes of an older one is passed over: an answer never stands beside a form that it was not made of, a failure of
//! the past never takes away what is there now, and a job that nobody waits for any more is cancelled as soon as its id is known. What is
//! [deflated](mod@crate::model::link::packed) for an address is known by its texts instead: a run that is begun leaves them as they are.

use kernels::event::Event;
use kernels::job::Job;

use crate::model::form::records::Told;
use crate::model::form::{Form, Next};
use crate::model::link::fragment;
use crate::model::link::packed::{Packed, Texts};
use crate::model::problem::Problem;
use crate::model::run::at::At;
use crate::model::run::figures::SENDING;
use crate::model::run::{Phase, RunState};

#[cfg(test)]
mod tests;

/// The number of what is under way, or was: grows with everything that is begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit(u64);

/// Who is at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Nobody: there is nothing to do, or the visitor decides.
    #[default]
    Resting,
    /// An address is being opened, of this job or of something else.
    Opening(Option<String>),
    /// This device reads, plans or solves.
    Here,
    /// The texts are being sent.
    Sending,
    /// They are there, and the job is being posted.
    Posting,
    /// A job of the server, by its id.
    Remote(String),
}

/// A result that is on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Grows with every result, so that views know a new one.
    pub serial: u32,
    /// Where its alignment is.
    pub at: At,
    /// What was computed.
    pub form: Form,
    /// Symbols of both texts.
    pub symbols: (u64, u64),
    /// The run that ended with it.
    pub run: RunState,
    /// When it ends, in seconds since 1970, for a stored result.
    pub expires_at: Option<u64>,
}

impl Shown {
    /// What the text that was searched was read as, where it is several records that were searched apart from each other.
    pub fn records(&self) -> Option<Told> {
        let read_as = self.run.reading.as_ref().map(|reading| &reading.b)?;
        let is_apart = read_as.records > 1 && read_as.record.is_none() && !read_as.joined;
        is_apart.then(|| read_as.clone().into())
    }
}

/// A result or a job as the server tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Brought {
    /// The form that it came from.
    pub form: Form,
    /// How far it is.
    pub run: RunState,
    /// Where it is.
    pub at: At,
    /// Symbols of both texts.
    pub symbols: (u64, u64),
    /// The last event that the run knows.
    pub seq: u64,
    /// When it ends, for a stored result.
    pub expires_at: Option<u64>,
}

/// What this device knows beside the events of its own runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// Number of the ask that solves the form: the result is kept under it.
    pub ask: u64,
    /// Symbols of both texts.
    pub symbols: (u64, u64),
}

/// What happened. What comes of something that takes time names the visit that it was begun in.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The visitor, or an address, has made the form another one.
    Edited(Form),
    /// An address is opened, of this job or of something else.
    Opened(Option<String>),
    /// This is where the address led to.
    Brought(Visit, Box<Brought>),
    /// This device begins to read, plan or solve the form.
    Asked,
    /// Both texts are sent, to be compared by the server.
    SentOff,
    /// So many bytes of them are there.
    Uploaded(Visit, u64),
    /// All of them are.
    Sent(Visit, Job),
    /// The server has taken the job under this id.
    Posted(Visit, String),
    /// The run tells something.
    Told(Visit, Event, Here),
    /// The plan is made, and the visitor decides.
    Planned(Visit),
    /// How many symbols the texts of an ended job have.
    Counted(Visit, (u64, u64)),
    /// The stream of events has an end that is none of the run's, or was silent for long.
    Missed(Visit),
    /// The job as it stands after that.
    CaughtUp(Visit, Box<Brought>),
    /// There will be no answer, for a reason outside of the run.
    Failed(Visit, Problem),
    /// A field holds what cannot be used.
    Refused(Problem),
    /// Somebody is about to see an address of the form.
    AddressWanted,
    /// Texts were deflated for it.
    Deflated(Packed),
    /// The visitor stops what is under way.
    Cancelled,
    /// The server has stopped the job.
    Stopped(Visit),
    /// The parts of the result are to be fetched again.
    Reloaded,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The form is answered here when the worker is free and the typing allows.
    AnswerSoon(Visit),
    /// The form is planned by its sizes.
    Measure(Visit),
    /// The texts of a stored result are fetched, to be compared in another way.
    FetchTexts(Visit),
    /// The texts are sent.
    Send(Visit),
    /// The job is posted.
    Post(Visit, Job),
    /// A job's events after this one are followed.
    Follow(Visit, String, u64),
    /// A job is asked how it stands.
    AskAgain(Visit, String),
    /// A job that has ended is asked how many symbols its texts have.
    Count(Visit, String),
    /// A job is cancelled; a failure is told, or is nobody's business where no visit is given.
    CancelJob(Option<Visit>, String),
    /// The page is at the address of this job from now on.
    GoToJob(String),
    /// Whatever was followed, sent or solved is nobody's any more.
    LetGo,
    /// What this device solves is broken off.
    StopSolver,
    /// Both texts are deflated for the address.
    Deflate(Texts),
    /// The address can be written.
    WriteAddress,
    /// A problem beside the run's own failure; `None` takes it away.
    Say(Option<Problem>),
}

/// What the page holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    visit: Visit,
    serial: u32,
    /// What was typed, dropped or opened.
    pub form: Form,
    /// Its run.
    pub run: RunState,
    /// Who is at it.
    pub stage: Stage,
    /// The last result. It is of this form, or this form is being read and will have another one in a moment.
    pub shown: Option<Shown>,
    /// The texts that were deflated last; whoever writes an address asks whether they are those of its form.
    pub packed: Option<Packed>,
}

impl Session {
    /// A page on which nothing has happened.
    pub fn new(form: Form) -> Self {
        let (visit, serial) = (Visit::default(), 0);
        Self { visit, serial, form, run: RunState::default(), stage: Stage::Resting, shown: None, packed: None }
    }

    /// The number of what is under way.
    pub fn visit(&self) -> Visit {
        self.visit
    }

    /// Id of the job that the page is about.
    pub fn job(&self) -> Option<&str> {
        match &self.stage {
            Stage::Remote(id) | Stage::Opening(Some(id)) => Some(id),
            Stage::Resting | Stage::Opening(None) | Stage::Here | Stage::Sending | Stage::Posting => None,
        }
    }

    /// Whether an address is being opened, whose form is not known yet.
    pub fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Opening(_))
    }

    /// Whether the result is of an older form, whose successor is being read.
    pub fn is_stale(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.form != self.form)
    }

    /// The texts that are to be deflated before the form has an address.
    pub fn to_deflate(&self) -> Option<Texts> {
        fragment::to_deflate(&self.form).filter(|_| !self.packed.as_ref().is_some_and(|packed| packed.is_of(&self.form)))
    }

    /// Takes what happened at this time of the page's clock; returns what is to be done, in this order.
    pub fn take(&mut self, input: Input, now: f64) -> Vec<Effect> {
        match input {
            Input::Edited(form) => self.edited(form, now),
            Input::Opened(job) => {
                // Nobody answers the form that was being read any more.
                if self.is_stale() {
                    self.shown = None;
                }
                self.begin(RunState::begun(Phase::Reading, now), Stage::Opening(job));
                vec![Effect::LetGo]
            }
            Input::Brought(visit, brought) if visit == self.visit => {
                self.form = brought.form.clone();
                self.shown = None;
                self.run = brought.run.clone();
                self.go_on(*brought)
            }
            Input::Asked => {
                self.begin(RunState::begun(Phase::Reading, now), Stage::Here);
                vec![Effect::LetGo]
            }
            Input::SentOff => {
                let plan = self.run.plan.take();
                let uploading = Phase::Uploading { sent: 0, total: self.form.bytes_to_send() };
                self.begin(RunState { plan, ..RunState::begun(uploading, now) }, Stage::Sending);
                self.shown = None;
                vec![Effect::LetGo, Effect::Say(None), Effect::Send(self.visit)]
            }
            Input::Uploaded(visit, bytes) if visit == self.visit => {
                if let Phase::Uploading { sent, .. } = &mut self.run.phase {
                    *sent = bytes;
                }
                Vec::new()
            }
            Input::Sent(visit, job) if visit == self.visit && self.stage == Stage::Sending => {
                self.stage = Stage::Posting;
                vec![Effect::Post(visit, job)]
            }
            Input::Posted(visit, id) if visit == self.visit && self.stage == Stage::Posting => {
                self.run.metrics.insert(SENDING.into(), now - self.run.began);
                self.run.phase = Phase::Queued { position: 0, starts: None };
                self.stage = Stage::Remote(id.clone());
                vec![Effect::GoToJob(id.clone()), Effect::Follow(visit, id, 0)]
            }
            Input::Posted(_, id) => vec![Effect::CancelJob(None, id)],
            Input::Told(visit, event, here) if visit == self.visit => self.told(event, here, now),
            Input::Planned(visit) if visit == self.visit => {
                self.shown = None;
                self.stage = Stage::Resting;
                self.run.wait();
                Vec::new()
            }
            Input::Counted(visit, symbols) if visit == self.visit => {
                self.show(At::Job(self.job().unwrap_or_default().to_owned()), symbols, None);
                Vec::new()
            }
            Input::Missed(visit) if visit == self.visit && !self.run.is_over() => match &self.stage {
                Stage::Remote(id) => vec![Effect::AskAgain(visit, id.clone())],
                _ => Vec::new(),
            },
            Input::CaughtUp(visit, brought) if visit == self.visit && !self.run.is_over() => {
                let last = std::mem::replace(&mut self.run, brought.run.clone());
                (self.run.began, self.run.log, self.run.rates) = (last.began, last.log, last.rates);
                self.run.metrics.extend(last.metrics.get(SENDING).map(|ms| (SENDING.to_owned(), *ms)));
                self.go_on(*brought)
            }
            Input::Failed(visit, problem) if visit == self.visit => self.give_up(problem),
            Input::Refused(problem) => {
                self.visit.0 += 1;
                self.give_up(problem)
            }
            Input::AddressWanted => self.to_deflate().map(Effect::Deflate).into_iter().collect(),
            Input::Deflated(packed) if packed.is_of(&self.form) => {
                self.packed = Some(packed);
                vec![Effect::WriteAddress]
            }
            Input::Cancelled => self.cancelled(now),
            Input::Stopped(visit) if visit == self.visit => {
                self.run.apply(Event::Cancelled, now);
                self.shown = None;
                self.stage = Stage::Resting;
                vec![Effect::LetGo]
            }
            Input::Reloaded => {
                if let Some(shown) = &mut self.shown {
                    self.serial += 1;
                    shown.serial = self.serial;
                }
                Vec::new()
            }
            // What comes of something that is over changes nothing.
            Input::Brought(..)
            | Input::Uploaded(..)
            | Input::Sent(..)
            | Input::Told(..)
            | Input::Planned(_)
            | Input::Counted(..)
            | Input::Missed(_)
            | Input::CaughtUp(..)
            | Input::Failed(..)
            | Input::Deflated(_)
            | Input::Stopped(_) => Vec::new(),
        }
    }

    /// From now on this is under way, and nothing that was before.
    fn begin(&mut self, run: RunState, stage: Stage) {
        self.visit.0 += 1;
        self.run = run;
        self.stage = stage;
    }

    fn edited(&mut self, form: Form, now: f64) -> Vec<Effect> {
        self.form = form;
        let next = self.form.next();
        let run = if next == Next::Nothing { RunState::default() } else { RunState::begun(Phase::Reading, now) };
        // Who types sees no word of the reading in between: the sentence about the last plan stays until there is another.
        self.begin(run, if next == Next::Nothing { Stage::Resting } else { Stage::Here });
        let failure = self.form.failure().map(|problem| (**problem).clone());
        let then = match next {
            // A file that failed stays so, whatever becomes of the rest of the form.
            _ if failure.is_some() => None,
            _ if self.form.is_to_fetch() => Some(Effect::FetchTexts(self.visit)),
            Next::Nothing => None,
            Next::Read => Some(Effect::AnswerSoon(self.visit)),
            Next::Measure => Some(Effect::Measure(self.visit)),
        };
        if !matches!(then, Some(Effect::AnswerSoon(_))) {
            self.shown = None;
        }
        [Effect::LetGo, Effect::Say(failure)].into_iter().chain(then).collect()
    }

    /// The server has told how a job or a result stands.
    fn go_on(&mut self, brought: Brought) -> Vec<Effect> {
        let Brought { at, symbols, seq, expires_at, .. } = brought;
        if self.run.is_over() {
            self.stage = match &at {
                At::Job(id) => Stage::Remote(id.clone()),
                At::Here(_) | At::Link(_) | At::Hit(..) | At::Offset(..) => Stage::Resting,
            };
            self.show(at, symbols, expires_at);
            return vec![Effect::LetGo];
        }
        let At::Job(id) = at else { return Vec::new() };
        self.stage = Stage::Remote(id.clone());
        vec![Effect::Follow(self.visit, id, seq)]
    }

    fn told(&mut self, event: Event, here: Here, now: f64) -> Vec<Effect> {
        if self.run.is_over() {
            return Vec::new();
        }
        let last = event.is_last();
        self.run.apply(event, now);
        let (Some(_), true) = (&self.run.answer, last) else {
            if last {
                self.shown = None;
            }
            return if last { vec![Effect::LetGo] } else { Vec::new() };
        };
        match &self.stage {
            Stage::Remote(id) => vec![Effect::LetGo, Effect::Count(self.visit, id.clone())],
            _ => {
                self.stage = Stage::Resting;
                self.show(At::Here(here.ask), here.symbols, None);
                Vec::new()
            }
        }
    }

    /// The run has ended: its answer is shown, if it has one.
    fn show(&mut self, at: At, symbols: (u64, u64), expires_at: Option<u64>) {
        self.serial += 1;
        let (form, run) = (self.form.clone(), self.run.clone());
        self.shown = run.answer.is_some().then_some(Shown { serial: self.serial, at, form, symbols, run, expires_at });
    }

    fn give_up(&mut self, problem: Problem) -> Vec<Effect> {
        // The plan still says who would solve this.
        let plan = self.run.plan.take();
        let phase = if plan.is_some() { Phase::Waiting } else { Phase::Idle };
        self.run = RunState { plan, phase, ..RunState::default() };
        self.stage = Stage::Resting;
        self.shown = None;
        vec![Effect::LetGo, Effect::Say(Some(problem))]
    }

    fn cancelled(&mut self, now: f64) -> Vec<Effect> {
        if !self.run.is_under_way() {
            return Vec::new();
        }
        match self.stage.clone() {
            // It is stopped when the server says so.
            Stage::Remote(id) | Stage::Opening(Some(id)) => vec![Effect::CancelJob(Some(self.visit), id)],
            stage => {
                self.visit.0 += 1;
                self.stage = Stage::Resting;
                self.shown = None;
                self.run.apply(Event::Cancelled, now);
                let solver = (stage == Stage::Here).then_some(Effect::StopSolver);
                solver.into_iter().chain([Effect::LetGo]).collect()
            }
        }
    }
}
