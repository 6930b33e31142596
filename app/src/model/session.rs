//! State machine of the page, without a browser: a form, its run, and the result of the run. [`Session::take`] takes an
//! input and returns the effects that the page must execute; it neither waits nor sends requests itself.
//!
//! ```text
//! typed, opened, pressed ──→ ┌─────────┐ ──→ effects: solve, send, post, follow, fetch …
//!                            │ Session │                        │
//!  answers, failures  ─────→ └─────────┘ ←── results of effects, with the number of their visit
//! ```
//!
//! All asynchronous work belongs to a [`Visit`]. Every change of the form, opened address and started action begins a
//! new visit, and results of an older visit are ignored. Therefore an answer never stands beside a form that it was not
//! computed from, and an old failure never removes a newer result. A job that is abandoned before its id is known is
//! cancelled as soon as the id arrives. Texts [deflated](mod@crate::model::link::packed) for an address are matched by
//! content instead, because a new run leaves the texts unchanged.

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

/// The number of an action in progress, increased by every new action. Results of older visits are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit(u64);

/// The stage of the work on the form, and whether this device or the server does it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// No work is in progress, because there is nothing to do or the visitor must decide.
    #[default]
    Resting,
    /// An address is being opened; contains the job id if the address names a job.
    Opening(Option<String>),
    /// This device reads, plans or solves.
    Here,
    /// The texts are being uploaded.
    Sending,
    /// The texts are uploaded, and the job is being posted.
    Posting,
    /// A job on the server, with its id.
    Remote(String),
}

/// A result shown on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Number of the result, increased with every new one so that views notice it.
    pub serial: u32,
    /// Location of the alignment.
    pub at: At,
    /// The form that the result was computed from.
    pub form: Form,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
    /// The finished run.
    pub run: RunState,
    /// Expiry of a stored result, in seconds since 1970.
    pub expires_at: Option<u64>,
}

impl Shown {
    /// Returns how the searched text was read, if it has several records that were searched separately.
    pub fn records(&self) -> Option<Told> {
        let read_as = self.run.reading.as_ref().map(|reading| &reading.b)?;
        let is_apart = read_as.records > 1 && read_as.record.is_none() && !read_as.joined;
        is_apart.then(|| read_as.clone().into())
    }
}

/// A result or job as the server reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct Brought {
    /// The form that it was computed from.
    pub form: Form,
    /// State of the run.
    pub run: RunState,
    /// Location of the result.
    pub at: At,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
    /// Sequence number of the last event included in `run`.
    pub seq: u64,
    /// Expiry of a stored result, in seconds since 1970.
    pub expires_at: Option<u64>,
}

/// Facts about a local run that its events do not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// Number of the request that solves the form. The worker stores the result under it.
    pub ask: u64,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
}

/// An event from outside: an action of the visitor, or a result of an effect. Results of effects name the visit of the
/// effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The visitor or an address changed the form.
    Edited(Form),
    /// An address is being opened; contains the job id if the address names a job.
    Opened(Option<String>),
    /// The job or result at the opened address arrived.
    Brought(Visit, Box<Brought>),
    /// This device begins to read, plan or solve the form.
    Asked,
    /// The visitor sends both texts, so that the server compares them.
    SentOff,
    /// Number of bytes uploaded so far.
    Uploaded(Visit, u64),
    /// All texts are uploaded, and the job is ready to post.
    Sent(Visit, Job),
    /// The server accepted the job under this id.
    Posted(Visit, String),
    /// The run reported an event.
    Told(Visit, Event, Here),
    /// A plan is ready, and the visitor must decide whether to start.
    Planned(Visit),
    /// Number of symbols of each text of a finished job.
    Counted(Visit, (u64, u64)),
    /// The event stream broke before the run ended, or was silent for too long.
    Missed(Visit),
    /// State of the job, fetched after the event stream broke.
    CaughtUp(Visit, Box<Brought>),
    /// The run ends without an answer for an external reason.
    Failed(Visit, Problem),
    /// A field has an unusable value.
    Refused(Problem),
    /// The address of the form is about to be shown, so that it must be complete.
    AddressWanted,
    /// Texts were deflated for the address.
    Deflated(Packed),
    /// The visitor cancelled the run.
    Cancelled,
    /// The server cancelled the job.
    Stopped(Visit),
    /// The visitor asked to fetch the parts of the result again.
    Reloaded,
}

/// An action that the page must execute.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Compute the answer on this device, as soon as the worker is free and the visitor stops typing.
    AnswerSoon(Visit),
    /// Plan the run from the sizes of the texts.
    Measure(Visit),
    /// Fetch the texts of a stored result, so that this device can compare them differently.
    FetchTexts(Visit),
    /// Upload the texts.
    Send(Visit),
    /// Post the job.
    Post(Visit, Job),
    /// Follow the events of a job after this sequence number.
    Follow(Visit, String, u64),
    /// Fetch the state of a job.
    AskAgain(Visit, String),
    /// Fetch the number of symbols of the texts of a finished job.
    Count(Visit, String),
    /// Cancel a job. Its failure is reported if a visit is given, and ignored otherwise.
    CancelJob(Option<Visit>, String),
    /// Change the address of the page to this job.
    GoToJob(String),
    /// Abandon everything followed, uploaded or solved so far.
    LetGo,
    /// Abort the solver of this device.
    StopSolver,
    /// Deflate both texts for the address.
    Deflate(Texts),
    /// Write the address now.
    WriteAddress,
    /// Show a problem beside the run's own failure; `None` removes it.
    Say(Option<Problem>),
}

/// The state of the page: form, run and result.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    visit: Visit,
    serial: u32,
    /// The texts and options that were typed, dropped or opened.
    pub form: Form,
    /// The run of the form.
    pub run: RunState,
    /// The stage of the work on the form.
    pub stage: Stage,
    /// The last result. It belongs to `form`, or `form` is being read and its own result follows soon.
    pub shown: Option<Shown>,
    /// The texts that were deflated last. Check [`Packed::is_of`] before using them for a form.
    pub packed: Option<Packed>,
}

impl Session {
    /// Creates the session of a page on which nothing has happened.
    pub fn new(form: Form) -> Self {
        let (visit, serial) = (Visit::default(), 0);
        Self { visit, serial, form, run: RunState::default(), stage: Stage::Resting, shown: None, packed: None }
    }

    /// Returns the visit of the action in progress.
    pub fn visit(&self) -> Visit {
        self.visit
    }

    /// Returns the id of the page's job, if it has one.
    pub fn job(&self) -> Option<&str> {
        match &self.stage {
            Stage::Remote(id) | Stage::Opening(Some(id)) => Some(id),
            Stage::Resting | Stage::Opening(None) | Stage::Here | Stage::Sending | Stage::Posting => None,
        }
    }

    /// Returns whether an address is being opened, whose form is still unknown.
    pub fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Opening(_))
    }

    /// Returns whether the result belongs to an older form because the current one is still being read.
    pub fn is_stale(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.form != self.form)
    }

    /// Returns the texts to deflate before the address of the form can be written, or `None` if there is nothing to do.
    pub fn to_deflate(&self) -> Option<Texts> {
        fragment::to_deflate(&self.form).filter(|_| !self.packed.as_ref().is_some_and(|packed| packed.is_of(&self.form)))
    }

    /// Processes one input and returns the effects to execute, in order. `now` is the time of the page's clock, in
    /// milliseconds.
    pub fn take(&mut self, input: Input, now: f64) -> Vec<Effect> {
        match input {
            Input::Edited(form) => self.edited(form, now),
            Input::Opened(job) => {
                // The solver will not answer the form that it was reading, so that the old result cannot stay.
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
            // Results of abandoned effects are ignored.
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

    /// Starts a new visit with this run and stage.
    fn begin(&mut self, run: RunState, stage: Stage) {
        self.visit.0 += 1;
        self.run = run;
        self.stage = stage;
    }

    fn edited(&mut self, form: Form, now: f64) -> Vec<Effect> {
        self.form = form;
        let next = self.form.next();
        let run = if next == Next::Nothing { RunState::default() } else { RunState::begun(Phase::Reading, now) };
        // The sentence about the last plan stays until there is a new one, so that nothing flickers while the visitor
        // types.
        self.begin(run, if next == Next::Nothing { Stage::Resting } else { Stage::Here });
        let failure = self.form.failure().map(|problem| (**problem).clone());
        let then = match next {
            // A file that failed blocks the whole form until it is replaced.
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

    /// Continues with a job or result reported by the server: follows a running job, shows a finished one.
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

    /// Shows the answer of the finished run, if it has one.
    fn show(&mut self, at: At, symbols: (u64, u64), expires_at: Option<u64>) {
        self.serial += 1;
        let (form, run) = (self.form.clone(), self.run.clone());
        self.shown = run.answer.is_some().then_some(Shown { serial: self.serial, at, form, symbols, run, expires_at });
    }

    fn give_up(&mut self, problem: Problem) -> Vec<Effect> {
        // The plan stays, because it still tells which engine would solve the form.
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
            // The session goes on until the server confirms with `Stopped`.
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
