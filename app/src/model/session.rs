//! State machine of the page, without a browser: a form, its run, and the result of the run. [`Session::handle_input`] takes an
//! input and returns the effects that the page must execute; it neither waits nor sends requests itself.
//!
//! ```text
//! typed, opened, pressed ──→ ┌─────────┐ ──→ effects: solve, send, post, follow, fetch …
//!                            │ Session │                        │
//!  answers, failures  ─────→ └─────────┘ ←── results of effects, with the number of their visit
//! ```
//!
//! All asynchronous work belongs to a [`VisitNumber`]. Every change of the form, opened address and started action begins a
//! new visit, and results of an older visit are ignored. Therefore an answer never stands beside a form that it was not
//! computed from, and an old failure never removes a newer result. A job that is abandoned before its id is known is
//! cancelled as soon as the id arrives. Texts [deflated](mod@crate::model::link::packed_texts) for an address are matched by
//! content instead, because a new run leaves the texts unchanged.

use kernels::event::JobEvent;
use kernels::job::JobRequest;

use crate::model::form::records::ReadingReport;
use crate::model::form::{FormState, NextStep};
use crate::model::link::fragment;
use crate::model::link::packed_texts::{PackedTexts, TextPair};
use crate::model::problem::Problem;
use crate::model::run::figures::SENDING;
use crate::model::run::location::ResultLocation;
use crate::model::run::{RunPhase, RunState};

#[cfg(test)]
mod tests;

/// The number of a visit: an action in progress, such as opening an address or solving a form. Every new action
/// increases it. Results of older visits are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct VisitNumber(u64);

/// The stage of the work on the form, and whether this device or the server does it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionStage {
    /// No work is in progress: there is nothing to do, or the visitor must decide.
    #[default]
    Resting,
    /// An address is being opened, with the id of the job if the address names one.
    Opening(Option<String>),
    /// This device reads, plans or solves.
    Here,
    /// The texts are being uploaded.
    Sending,
    /// The texts are uploaded, and the job is being posted.
    Posting,
    /// The server has the job with this id.
    Remote(String),
}

/// A result shown on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownResult {
    /// Number of this result, increased with every new one so that views notice the change.
    pub serial: u32,
    /// Location of the result.
    pub location: ResultLocation,
    /// The form that the result was computed from.
    pub form: FormState,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
    /// The finished run.
    pub run: RunState,
    /// Expiry of a stored result, in seconds since 1970.
    pub expires_at: Option<u64>,
}

impl ShownResult {
    /// Returns how the searched text was read, if it has several records and each was searched separately.
    pub fn records(&self) -> Option<ReadingReport> {
        let read_as = self.run.reading.as_ref().map(|reading| &reading.b)?;
        let is_apart = read_as.records > 1 && read_as.record.is_none() && !read_as.joined;
        is_apart.then(|| read_as.clone().into())
    }
}

/// A job or stored result as the server reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedResult {
    /// The form (task, options and texts) of the job, which may still be running.
    pub form: FormState,
    /// State of the run.
    pub run: RunState,
    /// Location of the result.
    pub location: ResultLocation,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
    /// Sequence number of the last event included in `run`.
    pub seq: u64,
    /// Expiry of a stored result, in seconds since 1970.
    pub expires_at: Option<u64>,
}

/// Facts about a run of this device that its events do not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalRunFacts {
    /// Number of the request that solves the form. The worker stores the result under this number.
    pub request_number: u64,
    /// Number of symbols of each text.
    pub symbols: (u64, u64),
}

/// An event from outside: an action of the visitor, or a result of an effect. Results of effects begin with the
/// [`VisitNumber`] that the effect had.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionInput {
    /// The visitor or an address changed the form.
    Edited(FormState),
    /// An address is being opened, with the content on the server if it names some.
    Opened(Option<RemoteContent>),
    /// The job or result at the opened address arrived.
    Loaded(VisitNumber, Box<LoadedResult>),
    /// This device begins to read, plan or solve the form.
    Asked,
    /// The visitor sends both texts, so that the server compares them.
    SentOff,
    /// This number of bytes has been uploaded so far.
    Uploaded(VisitNumber, u64),
    /// All texts are uploaded, and this job is ready to post.
    Sent(VisitNumber, JobRequest),
    /// The server accepted the job under this id.
    Posted(VisitNumber, String),
    /// The run reported an event. For a local run, [`LocalRunFacts`] add what the event does not contain.
    RunEvent(VisitNumber, JobEvent, LocalRunFacts),
    /// A plan is ready, and the visitor must decide whether to start.
    Planned(VisitNumber),
    /// The texts of the finished job have these numbers of symbols.
    Counted(VisitNumber, (u64, u64)),
    /// The event stream broke before the run ended, or was silent for too long.
    Missed(VisitNumber),
    /// The state of the job arrived, which was fetched because the event stream broke.
    CaughtUp(VisitNumber, Box<LoadedResult>),
    /// The run ends without an answer because of this problem, which no event of the run reports.
    Failed(VisitNumber, Problem),
    /// A field of the form has an unusable value. The problem says why.
    Refused(Problem),
    /// The page is about to show the address of the form, which must therefore be complete.
    AddressWanted,
    /// Both texts were deflated for the address.
    Deflated(PackedTexts),
    /// The visitor cancelled the run.
    Cancelled,
    /// The server confirmed that the job is cancelled.
    Stopped(VisitNumber),
    /// The visitor asked to fetch the parts of the result again.
    Reloaded,
}

/// Content on the server that an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteContent {
    /// A job, by its id.
    Job(String),
    /// A stored result, by its id.
    Link(String),
    /// The texts of a private link.
    Sealed { id: String, key: String },
}

/// A request that the page sends to the server. The strings are ids of jobs.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerRequest {
    /// Fetch this content and show it.
    Open(RemoteContent),
    /// Fetch the texts of a stored result, so that this device can compare them differently.
    FetchTexts,
    /// Upload the texts.
    Send,
    Post(Box<JobRequest>),
    /// Follow the events of the job, from the event after this sequence number on.
    Follow(String, u64),
    /// Fetch the state of the job, because events may be missing.
    AskAgain(String),
    /// Fetch the numbers of symbols of both texts of the finished job.
    Count(String),
    /// Cancel the job, even if its visit is over.
    Cancel(String),
}

/// An action that [`Session::handle_input`] returns and that the page must execute.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEffect {
    /// Compute the answer on this device, as soon as the worker is free and the visitor stops typing.
    AnswerSoon(VisitNumber),
    /// Plan the run from the sizes of the texts.
    Measure(VisitNumber),
    /// Make a request to the server for this visit.
    Request(VisitNumber, ServerRequest),
    /// Change the address of the page to that of the job with this id.
    GoToJob(String),
    /// Stop following events and uploading texts for earlier visits.
    Detach,
    /// Abort the solver of this device.
    StopSolver,
    /// Deflate both texts for the address.
    Deflate(TextPair),
    /// Write the address of the page now, because the deflated texts are ready.
    WriteAddress,
    /// Show this problem, in addition to a failure of the run; `None` removes the one that is shown.
    Say(Option<Problem>),
}

/// The state machine of the page: form, run and result.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    visit: VisitNumber,
    serial: u32,
    /// The texts and options that were typed, dropped or opened.
    pub form: FormState,
    /// The run of the form.
    pub run: RunState,
    /// The stage of the work on the form, and whether this device or the server does it.
    pub stage: SessionStage,
    /// The last result. It belongs to `form`, unless `form` is still being read and its own result follows soon.
    pub shown: Option<ShownResult>,
    /// The texts that were deflated last. They may be those of another form: check with [`PackedTexts::matches_form`].
    pub packed: Option<PackedTexts>,
}

impl Session {
    /// Creates the session of a page on which nothing has happened.
    pub fn new(form: FormState) -> Self {
        let (visit, serial) = (VisitNumber::default(), 0);
        Self { visit, serial, form, run: RunState::default(), stage: SessionStage::Resting, shown: None, packed: None }
    }

    /// Returns the visit of the action in progress.
    pub fn visit(&self) -> VisitNumber {
        self.visit
    }

    /// Returns the id of the page's job, or `None` if the page has no job.
    pub fn job(&self) -> Option<&str> {
        match &self.stage {
            SessionStage::Remote(id) | SessionStage::Opening(Some(id)) => Some(id),
            SessionStage::Resting | SessionStage::Opening(None) | SessionStage::Here | SessionStage::Sending | SessionStage::Posting => {
                None
            }
        }
    }

    /// Returns whether an address is being opened, whose form is still unknown.
    pub fn is_opening(&self) -> bool {
        matches!(self.stage, SessionStage::Opening(_))
    }

    /// Returns whether the result belongs to an older form because the current one is still being read.
    pub fn is_stale(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.form != self.form)
    }

    /// Returns the texts to deflate before the address of the form can be written, or `None` if nothing needs to be
    /// deflated.
    pub fn to_deflate(&self) -> Option<TextPair> {
        fragment::to_deflate(&self.form).filter(|_| !self.packed.as_ref().is_some_and(|packed| packed.matches_form(&self.form)))
    }

    /// Processes one input and returns the effects to execute, in order. `now` is the time of the page's clock, in
    /// milliseconds.
    pub fn handle_input(&mut self, input: SessionInput, now: f64) -> Vec<SessionEffect> {
        match input {
            SessionInput::Edited(form) => self.edit_form(form, now),
            SessionInput::Opened(content) => {
                // The solver will not answer the form that it was reading, so that the old result cannot stay.
                if self.is_stale() {
                    self.shown = None;
                }
                let job = match &content {
                    Some(RemoteContent::Job(id)) => Some(id.clone()),
                    Some(RemoteContent::Link(_) | RemoteContent::Sealed { .. }) | None => None,
                };
                self.begin(RunState::new(RunPhase::Reading, now), SessionStage::Opening(job));
                let request = content.map(|content| self.request(ServerRequest::Open(content)));
                [SessionEffect::Detach].into_iter().chain(request).collect()
            }
            SessionInput::Loaded(visit, brought) if visit == self.visit => {
                self.form = brought.form.clone();
                self.shown = None;
                self.run = brought.run.clone();
                self.resume_run(*brought)
            }
            SessionInput::Asked => {
                self.begin(RunState::new(RunPhase::Reading, now), SessionStage::Here);
                vec![SessionEffect::Detach]
            }
            SessionInput::SentOff => {
                let plan = self.run.plan.take();
                let uploading = RunPhase::Uploading { sent: 0, total: self.form.bytes_to_send() };
                self.begin(RunState { plan, ..RunState::new(uploading, now) }, SessionStage::Sending);
                self.shown = None;
                vec![SessionEffect::Detach, SessionEffect::Say(None), self.request(ServerRequest::Send)]
            }
            SessionInput::Uploaded(visit, bytes) if visit == self.visit => {
                if let RunPhase::Uploading { sent, .. } = &mut self.run.phase {
                    *sent = bytes;
                }
                Vec::new()
            }
            SessionInput::Sent(visit, job) if visit == self.visit && self.stage == SessionStage::Sending => {
                self.stage = SessionStage::Posting;
                vec![self.request(ServerRequest::Post(Box::new(job)))]
            }
            SessionInput::Posted(visit, id) if visit == self.visit && self.stage == SessionStage::Posting => {
                self.run.metrics.insert(SENDING.into(), now - self.run.started_at);
                self.run.phase = RunPhase::Queued { position: 0, starts: None };
                self.stage = SessionStage::Remote(id.clone());
                vec![SessionEffect::GoToJob(id.clone()), self.request(ServerRequest::Follow(id, 0))]
            }
            SessionInput::Posted(visit, id) => vec![SessionEffect::Request(visit, ServerRequest::Cancel(id))],
            SessionInput::RunEvent(visit, event, here) if visit == self.visit => self.handle_event(event, here, now),
            SessionInput::Planned(visit) if visit == self.visit => {
                self.shown = None;
                self.stage = SessionStage::Resting;
                self.run.wait();
                Vec::new()
            }
            SessionInput::Counted(visit, symbols) if visit == self.visit => {
                self.show(ResultLocation::Job(self.job().unwrap_or_default().to_owned()), symbols, None);
                Vec::new()
            }
            SessionInput::Missed(visit) if visit == self.visit && !self.run.is_over() => match &self.stage {
                SessionStage::Remote(id) => vec![self.request(ServerRequest::AskAgain(id.clone()))],
                _ => Vec::new(),
            },
            SessionInput::CaughtUp(visit, brought) if visit == self.visit && !self.run.is_over() => {
                let last = std::mem::replace(&mut self.run, brought.run.clone());
                (self.run.started_at, self.run.log, self.run.rates) = (last.started_at, last.log, last.rates);
                self.run.metrics.extend(last.metrics.get(SENDING).map(|ms| (SENDING.to_owned(), *ms)));
                self.resume_run(*brought)
            }
            SessionInput::Failed(visit, problem) if visit == self.visit => self.give_up(problem),
            SessionInput::Refused(problem) => {
                self.visit.0 += 1;
                self.give_up(problem)
            }
            SessionInput::AddressWanted => self.to_deflate().map(SessionEffect::Deflate).into_iter().collect(),
            SessionInput::Deflated(packed) if packed.matches_form(&self.form) => {
                self.packed = Some(packed);
                vec![SessionEffect::WriteAddress]
            }
            SessionInput::Cancelled => self.cancel(now),
            SessionInput::Stopped(visit) if visit == self.visit => {
                self.run.apply(JobEvent::Cancelled, now);
                self.shown = None;
                self.stage = SessionStage::Resting;
                vec![SessionEffect::Detach]
            }
            SessionInput::Reloaded => {
                if let Some(shown) = &mut self.shown {
                    self.serial += 1;
                    shown.serial = self.serial;
                }
                Vec::new()
            }
            // Results of abandoned effects are ignored.
            SessionInput::Loaded(..)
            | SessionInput::Uploaded(..)
            | SessionInput::Sent(..)
            | SessionInput::RunEvent(..)
            | SessionInput::Planned(_)
            | SessionInput::Counted(..)
            | SessionInput::Missed(_)
            | SessionInput::CaughtUp(..)
            | SessionInput::Failed(..)
            | SessionInput::Deflated(_)
            | SessionInput::Stopped(_) => Vec::new(),
        }
    }

    fn request(&self, request: ServerRequest) -> SessionEffect {
        SessionEffect::Request(self.visit, request)
    }

    /// Starts a new visit whose run is in this state and stage.
    fn begin(&mut self, run: RunState, stage: SessionStage) {
        self.visit.0 += 1;
        self.run = run;
        self.stage = stage;
    }

    fn edit_form(&mut self, form: FormState, now: f64) -> Vec<SessionEffect> {
        self.form = form;
        let next = self.form.next();
        let run = if next == NextStep::Nothing { RunState::default() } else { RunState::new(RunPhase::Reading, now) };
        // The sentence about the last plan stays until there is a new one, so that nothing flickers while the visitor
        // types.
        self.begin(run, if next == NextStep::Nothing { SessionStage::Resting } else { SessionStage::Here });
        let failure = self.form.failure().map(|problem| (**problem).clone());
        let then = match next {
            // A file that failed blocks the whole form until it is replaced.
            _ if failure.is_some() => None,
            _ if self.form.is_to_fetch() => Some(self.request(ServerRequest::FetchTexts)),
            NextStep::Nothing => None,
            NextStep::Read => Some(SessionEffect::AnswerSoon(self.visit)),
            NextStep::Measure => Some(SessionEffect::Measure(self.visit)),
        };
        if !matches!(then, Some(SessionEffect::AnswerSoon(_))) {
            self.shown = None;
        }
        [SessionEffect::Detach, SessionEffect::Say(failure)].into_iter().chain(then).collect()
    }

    /// Continues with `brought`, a job or result that the server reported: follows a running job, shows a finished one.
    /// Returns the effects to execute.
    fn resume_run(&mut self, brought: LoadedResult) -> Vec<SessionEffect> {
        let LoadedResult { location: at, symbols, seq, expires_at, .. } = brought;
        if self.run.is_over() {
            self.stage = match &at {
                ResultLocation::Job(id) => SessionStage::Remote(id.clone()),
                ResultLocation::Here(_) | ResultLocation::Link(_) | ResultLocation::Hit(..) | ResultLocation::Offset(..) => {
                    SessionStage::Resting
                }
            };
            self.show(at, symbols, expires_at);
            return vec![SessionEffect::Detach];
        }
        let ResultLocation::Job(id) = at else { return Vec::new() };
        self.stage = SessionStage::Remote(id.clone());
        vec![self.request(ServerRequest::Follow(id, seq))]
    }

    fn handle_event(&mut self, event: JobEvent, here: LocalRunFacts, now: f64) -> Vec<SessionEffect> {
        if self.run.is_over() {
            return Vec::new();
        }
        let last = event.is_last();
        self.run.apply(event, now);
        let (Some(_), true) = (&self.run.answer, last) else {
            if last {
                self.shown = None;
            }
            return if last { vec![SessionEffect::Detach] } else { Vec::new() };
        };
        match &self.stage {
            SessionStage::Remote(id) => vec![SessionEffect::Detach, self.request(ServerRequest::Count(id.clone()))],
            _ => {
                self.stage = SessionStage::Resting;
                self.show(ResultLocation::Here(here.request_number), here.symbols, None);
                Vec::new()
            }
        }
    }

    /// Shows the answer of the finished run, if it has one, as a new result at the location `at`. `symbols` are the
    /// numbers of symbols of both texts. `expires_at` is the expiry of a stored result, in seconds since 1970.
    fn show(&mut self, at: ResultLocation, symbols: (u64, u64), expires_at: Option<u64>) {
        self.serial += 1;
        let (form, run) = (self.form.clone(), self.run.clone());
        self.shown = run.answer.is_some().then_some(ShownResult { serial: self.serial, location: at, form, symbols, run, expires_at });
    }

    fn give_up(&mut self, problem: Problem) -> Vec<SessionEffect> {
        // The plan stays, because it still tells which engine would solve the form.
        let plan = self.run.plan.take();
        let phase = if plan.is_some() { RunPhase::Waiting } else { RunPhase::Idle };
        self.run = RunState { plan, phase, ..RunState::default() };
        self.stage = SessionStage::Resting;
        self.shown = None;
        vec![SessionEffect::Detach, SessionEffect::Say(Some(problem))]
    }

    fn cancel(&mut self, now: f64) -> Vec<SessionEffect> {
        if !self.run.is_under_way() {
            return Vec::new();
        }
        match self.stage.clone() {
            // The session goes on until the server confirms with `Stopped`.
            SessionStage::Remote(id) | SessionStage::Opening(Some(id)) => vec![self.request(ServerRequest::Cancel(id))],
            stage => {
                self.visit.0 += 1;
                self.stage = SessionStage::Resting;
                self.shown = None;
                self.run.apply(JobEvent::Cancelled, now);
                let solver = (stage == SessionStage::Here).then_some(SessionEffect::StopSolver);
                solver.into_iter().chain([SessionEffect::Detach]).collect()
            }
        }
    }
}
