//! Jobs on the server and stored results, each with an address that can be opened again.

use std::rc::Rc;

use explain::snapshot::JobSnapshot;
use kernels::job::{JobRequest, JobText, Task, TextSource};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use super::acts::Action;
use super::{Page, address_bar};
use crate::backend::http::UploadHandle;
use crate::backend::remote::{self, StreamMessage};
use crate::backend::{deflate, files, http, now, sealed, sleep, tokens};
use crate::model::form::local_file;
use crate::model::form::{FormSide, FormState, FormText, TextContent};
use crate::model::link::address::key_of;
use crate::model::link::fragment;
use crate::model::link::look::LinkView;
use crate::model::link::packed::PackedTexts;
use crate::model::preferences::{POSITIONS, PositionBase, count_positions};
use crate::model::problem::Problem;
use crate::model::run::RunPhase;
use crate::model::run::at::ResultLocation;
use crate::model::run::snapshot::{self, TextExtent};
use crate::model::session::{LoadedResult, LocalRunFacts, RemoteContent, Session, SessionInput, VisitNumber};
use crate::model::text::humanize;
use crate::model::visit::{PageRoute, task_path};
use crate::tr::t;

/// Delay in milliseconds before the next attempt, if an event stream was refused or the server did not answer.
const RETRY_DELAY_MS: i32 = 3_000;

/// Time without events after which an event stream is considered dead, in milliseconds.
const STREAM_TIMEOUT_MS: i32 = 15_000;

impl Page {
    /// Shows the content that the address of the page names.
    pub(super) fn open_address(self) {
        let Some(location) = web_sys::window().map(|window| window.location()) else { return };
        let path = location.pathname().unwrap_or_default();
        let fragment = location.hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        let look = LinkView::read(fragment);
        if let Some(positions) = look.detail(POSITIONS).and_then(PositionBase::of_name) {
            count_positions(positions);
        }
        self.look.set(look);
        self.is_step.set_value(false);
        self.begin_stretch();
        self.is_undo_offered.set(false);
        self.replaced.set(None);
        match PageRoute::of(&path) {
            // The result is on the page already, and only the tab differs.
            PageRoute::Job(id) if self.is_shown(&ResultLocation::Job(id.clone())) => {}
            PageRoute::Link(id) if self.is_shown(&ResultLocation::Link(id.clone())) => {}
            PageRoute::Job(id) => self.leave_for(Some(RemoteContent::Job(id))),
            PageRoute::Link(id) => self.leave_for(Some(RemoteContent::Link(id))),
            PageRoute::Sealed(id) => self.leave_for(Some(RemoteContent::Sealed { id, key: key_of(fragment).to_owned() })),
            PageRoute::Print => self.arrive_at_form(Task::EditDistance, fragment, |page| {
                page.problem.set(Some(Problem::of_status(404)));
            }),
            PageRoute::Nowhere => self.problem.set(Some(Problem::no_page())),
            PageRoute::Form(task) => self.arrive_at_form(task, fragment, |page| page.keep_or_clear_texts(task)),
        }
    }

    /// Shows the form that `fragment` encodes, for `task`. Calls `without_texts` if the fragment contains no text.
    fn arrive_at_form(self, task: Task, fragment: &str, without_texts: impl FnOnce(Self)) {
        match fragment::read(task, fragment) {
            Ok(opened) => {
                let warning = opened.warning();
                match (opened.form, opened.packed) {
                    (Some(form), packed) if self.has_result_of(&form, packed.as_deref()) => return,
                    (Some(form), Some(letters)) => return self.inflate(form, letters, warning, names_unit(fragment)),
                    (Some(form), None) => self.take_form(form, names_unit(fragment)),
                    (None, _) => without_texts(self),
                }
                if warning.is_some() {
                    self.problem.set(warning);
                }
            }
            Err(unread) => self.leave_unread(task, unread.into()),
        }
    }

    /// Returns whether the page shows the result at `at`.
    fn is_shown(self, at: &ResultLocation) -> bool {
        self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.at == *at))
    }

    /// Returns whether the page already has the result of `form`, so that its address can differ only in the tab.
    /// `packed` are the deflated texts of the form, if any.
    fn has_result_of(self, form: &FormState, packed: Option<&str>) -> bool {
        let is_here = |form: &FormState| {
            self.form.with_untracked(|here| here == form)
                && self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.form == *form))
        };
        if self.is_private.get_untracked() || self.problem.with_untracked(Option::is_some) {
            return false;
        }
        match packed {
            None => is_here(form),
            Some(letters) => {
                let (mut with_texts, here) = (form.clone(), self.form.get_untracked());
                let is_of_them = |packed: &PackedTexts| packed.letters() == Some(letters) && packed.is_of(&here);
                let of_these = self.packed().with_untracked(|packed| packed.as_ref().is_some_and(is_of_them));
                (with_texts.a.content, with_texts.b.content) = (here.a.content, here.b.content);
                of_these && is_here(&with_texts)
            }
        }
    }

    /// Replaces the form by `form` from an address. `names_unit` says whether the address contains the unit.
    fn take_form(self, form: FormState, names_unit: bool) {
        self.forget_opening();
        self.leave_texts();
        self.is_private.set(false);
        self.form.set(form);
        self.take_unit(names_unit);
        self.settle();
    }

    /// Inflates `letters`, the deflated texts of an address, and replaces the form by `form` with these texts. Shows
    /// `warning`, if any. `names_unit` says whether the address contains the unit.
    fn inflate(self, mut form: FormState, letters: String, warning: Option<Problem>, names_unit: bool) {
        self.leave_for(None);
        let Some(visit) = self.visit() else { return };
        spawn_local(async move {
            let inflated = deflate::unpack(&letters).await;
            if !self.is_at(visit) {
                return;
            }
            match inflated {
                Ok(texts) => {
                    let [a, b] = texts.clone();
                    (form.a.content, form.b.content) = (TextContent::Typed(a), TextContent::Typed(b));
                    self.take_form(form, names_unit);
                    // The address holds the deflated texts already.
                    self.step(SessionInput::Deflated(PackedTexts::opened(texts, &letters)));
                    if warning.is_some() {
                        self.problem.set(warning);
                    }
                }
                Err(unreadable) => self.leave_unread(form.task, unreadable.into()),
            }
        });
    }

    /// Shows an empty form with the problem of an unreadable address. Does not change the address, so that the visitor
    /// can see the fault.
    fn leave_unread(self, task: Task, problem: Problem) {
        self.is_private.set(false);
        self.form.set(FormState::new(task));
        self.consider();
        self.problem.set(Some(problem));
    }

    /// Handles the address of a task without texts. Keeps the texts of the form, unless the form was empty at this
    /// entry of the history. Abandons another address that is still being opened.
    fn keep_or_clear_texts(self, task: Task) {
        if address_bar::was_blank_entry() {
            self.form.update(|form| *form = FormState { options: form.options, ..FormState::new(task) });
            self.act(Action::Changed);
        } else if self.held().session.with_value(Session::is_opening) {
            self.form.update(|form| form.task = task);
            self.act(Action::Changed);
        } else {
            self.change_task(task);
        }
    }

    pub(super) fn keep_task(self) {
        if self.held().session.with_value(Session::is_opening) && self.is_away_from_form() {
            self.begin_step();
            self.act(Action::Changed);
        }
    }

    /// Leaves the current address, with whatever is under way there, and starts a visit of another one. `content` is the
    /// content on the server that the new address names, if any.
    fn leave_for(self, content: Option<RemoteContent>) {
        self.forget_opening();
        self.leave_texts();
        self.forget_press(false);
        self.problem.set(None);
        self.retries.set_value(RetryState::default());
        self.step(SessionInput::Opened(content));
        self.keep_time();
    }

    pub(super) fn arrive_at_job(self, visit: VisitNumber, id: String) {
        spawn_local(async move {
            let at = ResultLocation::Job(id.clone());
            match remote::job(&id).await {
                Ok(snapshot) => self.bring(visit, snapshot, at, tokens::names_of_job(&id), None).await,
                Err(problem) => self.step(SessionInput::Failed(visit, of_place(problem, &tokens::job_place(&id)))),
            }
        });
    }

    pub(super) fn arrive_at_link(self, visit: VisitNumber, id: String) {
        spawn_local(async move {
            let at = ResultLocation::Link(id.clone());
            match remote::link(&id).await {
                Ok(link) => self.bring(visit, link.snapshot, at, [link.names.a, link.names.b], link.expires_at).await,
                Err(problem) => self.step(SessionInput::Failed(visit, of_place(problem, &format!("/r/{id}")))),
            }
        });
    }

    /// Fetches the texts of a private link and compares them on this device, because the server cannot read them and
    /// has no answer.
    pub(super) fn arrive_at_sealed(self, visit: VisitNumber, id: String, key: String) {
        spawn_local(async move {
            let opened = open_sealed(&id, &key).await;
            if !self.is_at(visit) {
                return;
            }
            match opened {
                Ok(form) => {
                    self.is_private.set(true);
                    self.form.set(form);
                    self.take_unit(true);
                    self.consider();
                }
                Err(problem) => self.step(SessionInput::Failed(visit, problem)),
            }
        });
    }

    /// Shows a job or a stored result of the server with its texts. `names` are the names that its author gave the
    /// texts.
    async fn bring(
        self,
        visit: VisitNumber,
        snapshot: JobSnapshot,
        at: ResultLocation,
        names: [Option<String>; 2],
        expires_at: Option<u64>,
    ) {
        let [a_name, b_name] = names;
        let a = side_of(&snapshot, &at, FormSide::A, a_name).await;
        let b = side_of(&snapshot, &at, FormSide::B, b_name).await;
        if !self.is_at(visit) {
            return;
        }
        self.step(match (a, b) {
            (Ok(a), Ok(b)) => {
                self.is_private.set(false);
                let form = FormState { task: snapshot.task, options: snapshot.options, a, b };
                SessionInput::Loaded(visit, Box::new(LoadedResult { expires_at, ..brought(&snapshot, form, at) }))
            }
            (Err(problem), _) | (_, Err(problem)) => SessionInput::Failed(visit, problem),
        });
        self.take_unit(true);
        self.keep_time();
    }

    /// Fetches the texts of the stored result on the page, because the visitor wants to compare them in another way.
    pub(super) fn fetch_texts(self, visit: VisitNumber) {
        let form = self.form.get_untracked();
        spawn_local(async move {
            let fetched = fetched(&form).await;
            if !self.is_at(visit) {
                return;
            }
            match fetched {
                Ok(here) => {
                    self.form.set(here);
                    self.consider();
                    self.write_address_soon();
                }
                Err(problem) => self.fail(visit, problem),
            }
        });
    }

    /// Runs the comparison on the server.
    pub(super) fn run_on_server(self) {
        self.forget_press(false);
        self.is_undo_offered.set(false);
        self.retries.set_value(RetryState::default());
        self.step(SessionInput::SentOff);
        self.keep_time();
    }

    pub(super) fn send_texts(self, visit: VisitNumber) {
        let form = self.form.get_untracked();
        let upload = UploadHandle::default();
        self.held().upload.set_value(upload.clone());
        spawn_local(async move {
            let told = move |bytes| self.step(SessionInput::Uploaded(visit, bytes));
            match send_both(&form, &upload, told).await {
                Ok(job) if self.is_at(visit) => self.step(SessionInput::Sent(visit, job)),
                Ok(job) => self.delete_unwanted(vec![job.a, job.b]).await,
                Err((problem, _)) if self.is_at(visit) => self.fail(visit, problem),
                Err((_, uploads)) => self.delete_unwanted(uploads).await,
            }
        });
    }

    pub(super) fn post(self, visit: VisitNumber, job: JobRequest) {
        spawn_local(async move {
            let names = self.form.with_untracked(|form| [&form.a, &form.b].map(|side| side.name.clone()));
            match remote::submit(&job, names).await {
                Ok(id) => self.step(SessionInput::Posted(visit, id)),
                // The server has removed a file sent long ago, so that it is sent again.
                Err(problem) if problem.status == 404 && self.is_at(visit) && local_file::forget_sent() => self.run_on_server(),
                Err(problem) => self.fail(visit, problem),
            }
        });
    }

    /// Ends `visit` with a problem, because its answer will not come.
    pub(super) fn fail(self, visit: VisitNumber, problem: Problem) {
        if self.is_at(visit) {
            self.forget_press(false);
        }
        self.step(SessionInput::Failed(visit, problem));
    }

    pub(super) fn follow(self, visit: VisitNumber, id: String, after: u64) {
        let attempt = self.next_attempt();
        self.keep_time();
        let stream = remote::follow(&id, after, move |told| {
            let missed = matches!(told, StreamMessage::Missed);
            let said = match told {
                StreamMessage::Event(event) => {
                    self.retries.try_update_value(|retries| (retries.failed, retries.heard) = (0, now()));
                    return self.step(SessionInput::RunEvent(visit, event, LocalRunFacts::default()));
                }
                StreamMessage::Back => {
                    self.retries.try_update_value(|retries| retries.heard = now());
                    None
                }
                StreamMessage::Lost => {
                    Some(t("The connection is lost. The run continues; its progress appears as soon as you are connected again."))
                }
                StreamMessage::Missed => Some(t("Reconnecting. The run continues.")),
            };
            if self.is_at(visit) {
                // A stream that is refused every time needs no message, because the job is polled instead.
                let asks = self.retries.with_value(|retries| retries.failed > 1);
                self.connection.set(said.filter(|_| !asks));
            }
            if missed {
                self.step(SessionInput::Missed(visit));
            }
        });
        if stream.is_none() {
            return self.step(SessionInput::Missed(visit));
        }
        self.held().stream.set_value(stream.map(SendWrapper::new));
        // A stream that is open but silent may be blocked between browser and server.
        spawn_local(async move {
            while self.is_attempt(attempt) {
                sleep(STREAM_TIMEOUT_MS).await;
                let silent = self.retries.try_with_value(|retries| now() - retries.heard >= f64::from(STREAM_TIMEOUT_MS));
                if silent == Some(true) && self.is_attempt(attempt) {
                    return self.step(SessionInput::Missed(visit));
                }
            }
        });
    }

    fn next_attempt(self) -> u32 {
        self.retries.update_value(|retries| (retries.attempt, retries.heard) = (retries.attempt + 1, now()));
        self.retries.with_value(|retries| retries.attempt)
    }

    fn is_attempt(self, attempt: u32) -> bool {
        self.retries.try_with_value(|retries| retries.attempt) == Some(attempt)
    }

    /// Stops following the events of a job and aborts uploads.
    pub(super) fn let_go(self) {
        self.next_attempt();
        self.held().stream.set_value(None);
        self.held().upload.with_value(UploadHandle::abort);
        self.connection.set(None);
    }

    /// Requests the state of job `id` until the server answers. Waits some seconds before each request, except before
    /// the first one after a success.
    pub(super) fn ask_again(self, visit: VisitNumber, id: String) {
        self.held().stream.set_value(None);
        let attempt = self.next_attempt();
        let again = self.retries.with_value(|retries| retries.failed > 0);
        self.retries.update_value(|retries| retries.failed += 1);
        spawn_local(async move {
            if again {
                sleep(RETRY_DELAY_MS).await;
            }
            while self.is_at(visit) && self.is_attempt(attempt) {
                let answer = remote::job(&id).await;
                if !self.is_attempt(attempt) {
                    return;
                }
                match answer {
                    Ok(snapshot) => {
                        let form = self.form.get_untracked();
                        let brought = brought(&snapshot, form, ResultLocation::Job(id));
                        return self.step(SessionInput::CaughtUp(visit, Box::new(brought)));
                    }
                    Err(problem) if problem.status == 404 || problem.status == 410 => return self.fail(visit, problem),
                    Err(_) => sleep(RETRY_DELAY_MS).await,
                }
            }
        });
    }

    /// Handles that the page became visible again. Repeats failed requests, because phones close the connections of
    /// pages in the background.
    pub(super) fn wake(self) {
        if self.problem.with_untracked(|problem| problem.as_ref().is_some_and(Problem::is_of_network)) {
            self.fetch_again();
        }
        self.ask_at_once();
    }

    /// Handles that the browser is online again. Fetches a result of the server again, because its views may not be
    /// complete.
    pub(super) fn reconnect(self) {
        self.fetch_again();
        self.ask_at_once();
    }

    fn ask_at_once(self) {
        if let Some(visit) = self.visit() {
            self.retries.update_value(|retries| retries.failed = 0);
            self.step(SessionInput::Missed(visit));
        }
    }

    /// Repeats failed requests to the server: those for parts of the shown result, or the one for the content of the
    /// address.
    fn fetch_again(self) {
        let is_remote = self.shown.with_untracked(|shown| shown.as_ref().map(|shown| !matches!(shown.at, ResultLocation::Here(_))));
        let is_failed = self.problem.with_untracked(|problem| problem.as_ref().is_some_and(Problem::is_of_network));
        let path = web_sys::window().and_then(|window| window.location().pathname().ok()).unwrap_or_default();
        match is_remote {
            None if is_failed && matches!(PageRoute::of(&path), PageRoute::Job(_) | PageRoute::Link(_) | PageRoute::Sealed(_)) => {
                self.open_address()
            }
            None => {}
            Some(is_remote) => {
                if is_failed {
                    self.problem.set(None);
                }
                if is_remote {
                    self.step(SessionInput::Reloaded);
                }
            }
        }
    }

    pub(super) fn count(self, visit: VisitNumber, id: String) {
        spawn_local(async move {
            let symbols = match remote::job(&id).await {
                Ok(snapshot) => (snapshot.a.symbols, snapshot.b.symbols),
                Err(_) => self.form.with_untracked(|form| (form.size(FormSide::A), form.size(FormSide::B))),
            };
            self.step(SessionInput::Counted(visit, symbols));
        });
    }

    /// Cancels job `id`. Deletes it and the texts that were uploaded for it, if this browser is allowed to and still
    /// has the texts. Ignores the outcome if `visit` is over.
    pub(super) fn cancel_job(self, visit: VisitNumber, id: String) {
        let place = tokens::job_place(&id);
        let is_here = !self.is_at(visit) || self.form.with_untracked(FormState::is_on_this_device);
        let is_deleted = is_here && tokens::of(&place).is_some();
        spawn_local(async move {
            let stopped = if is_deleted { tokens::delete(&place).await } else { remote::cancel(&id).await };
            if !self.is_at(visit) {
                return;
            }
            if let Err(problem) = stopped {
                return self.problem.set(Some(problem));
            }
            if is_deleted {
                self.leave_job();
            }
            self.step(SessionInput::Stopped(visit));
            if is_deleted {
                self.write_address_soon();
                self.remark.set(Some(t("Deleted from the server. Your texts are still in this page.")));
            }
        });
    }

    /// Deletes texts that were uploaded for an abandoned job.
    async fn delete_unwanted(self, uploads: Vec<JobText>) {
        // The form may have changed and still use the same file.
        if self.run.with_untracked(|run| run.phase != RunPhase::Cancelled) {
            return;
        }
        for source in uploads {
            if let TextSource::Upload(id) = source.given {
                // An upload that cannot be deleted now is removed by the server when it expires.
                let _ = tokens::delete(&tokens::upload_place(&id)).await;
            }
        }
    }

    /// Deletes the cancelled job `id` on the server with its uploaded texts. Texts on this device are kept.
    pub async fn delete_cancelled(self, id: String) {
        match tokens::delete(&tokens::job_place(&id)).await {
            Ok(()) => {
                self.start_over();
                self.remark.set(Some(t("Deleted from the server.")));
            }
            Err(problem) => self.problem.set(Some(problem)),
        }
    }

    /// Deletes job `id` on the server with its result and its uploaded texts, and removes it from the page. Texts on
    /// this device are kept.
    pub async fn delete_job(self, id: String) {
        match tokens::delete(&tokens::job_place(&id)).await {
            Ok(()) if self.job.get_untracked().as_ref() == Some(&id) => {
                self.start_over();
                self.remark.set(Some(t("The server has deleted the result.")));
            }
            Ok(()) => {}
            Err(problem) => self.problem.set(Some(problem)),
        }
    }

    /// Leaves the address of a job because the form or its task was changed. The job goes on under its own address.
    pub(super) fn leave_job(self) {
        if self.is_away_from_form() {
            address_bar::push(&task_path(self.form.with_untracked(|form| form.task)));
            self.is_step.set_value(false);
        }
    }

    /// Returns whether the address is not that of the form's task. The print sheet stays a print sheet after a change of
    /// the task. If it has none for the task, it says so.
    fn is_away_from_form(self) -> bool {
        let route = web_sys::window().and_then(|window| window.location().pathname().ok()).map(|path| PageRoute::of(&path));
        let task = self.form.with_untracked(|form| form.task);
        route.is_some_and(|route| route != PageRoute::Print && route != PageRoute::Form(task))
    }
}

/// Returns whether the fragment of an address contains the unit of the texts.
fn names_unit(fragment: &str) -> bool {
    fragment.split('&').any(|part| part.starts_with("unit="))
}

/// State of the attempts to receive the events of a run, by a stream or by polling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RetryState {
    /// Number of the latest attempt.
    attempt: u32,
    /// Number of failed attempts in a row.
    failed: u32,
    /// Time of the latest event, in milliseconds since the page was loaded.
    heard: f64,
}

/// Returns the problem to show if nothing was found at the server's path `place`. Says if this browser deleted what was
/// there.
fn of_place(problem: Problem, place: &str) -> Problem {
    let deleted = tokens::deleted_at(place).filter(|_| matches!(problem.status, 404 | 410));
    deleted.map_or(problem, |at| Problem::deleted(&humanize::day(at)))
}

/// Returns the job or result `snapshot` with the form that it was computed from.
fn brought(snapshot: &JobSnapshot, form: FormState, at: ResultLocation) -> LoadedResult {
    let symbols = (snapshot.a.symbols, snapshot.b.symbols);
    LoadedResult { form, run: snapshot::run(snapshot, now()), at, symbols, seq: snapshot.seq, expires_at: None }
}

/// Builds a job from the form and uploads its long texts. `told` receives the number of bytes sent.
///
/// # Errors
/// Returns an error if a text cannot be read or sent.
pub async fn send(form: &FormState, upload: &UploadHandle, told: impl Fn(u64) + Clone + 'static) -> Result<JobRequest, Problem> {
    send_both(form, upload, told).await.map_err(|(problem, _)| problem)
}

/// Uploads the texts like [`send`]. If one of them cannot be sent, returns the uploaded ones together with the problem.
async fn send_both(
    form: &FormState,
    upload: &UploadHandle,
    told: impl Fn(u64) + Clone + 'static,
) -> Result<JobRequest, (Problem, Vec<JobText>)> {
    let before = form.side(FormSide::A).bytes();
    let a = remote::source(form, FormSide::A, Rc::new(told.clone()), upload).await.map_err(|problem| (problem, Vec::new()))?;
    match remote::source(form, FormSide::B, Rc::new(move |bytes| told(before + bytes)), upload).await {
        Ok(b) => Ok(JobRequest { task: form.task, options: form.asked(), a, b }),
        Err(problem) => Err((problem, vec![a])),
    }
}

/// Fetches text `which` of a job or a stored result. Of a long text fetches only the beginning that a browser shows.
async fn side_of(snapshot: &JobSnapshot, at: &ResultLocation, which: FormSide, name: Option<String>) -> Result<FormText, Problem> {
    let info = snapshot::info(snapshot, which);
    let name = name.filter(|name| !name.is_empty());
    let side = match snapshot::extent(info) {
        TextExtent::Whole => {
            let side = files::of_bytes(name, &http::get_bytes(&at.file(which)).await?.to_vec()).await?;
            FormText { choice: info.choice.clone(), ..side }
        }
        TextExtent::Head(symbols) => {
            let side = snapshot::stored(info, remote::head(at, which, symbols).await, at.file(which));
            FormText { name: name.or_else(|| side.name.clone()), ..side }
        }
    };
    Ok(side)
}

/// Returns `form` with both texts on this device: downloads texts that are on the server.
pub async fn fetched(form: &FormState) -> Result<FormState, Problem> {
    let mut here = form.clone();
    for which in FormSide::BOTH {
        if let TextContent::Stored { .. } = form.side(which).content {
            let bytes = files::bytes(form.side(which)).await?;
            let FormText { name, choice, .. } = form.side(which).clone();
            *here.side_mut(which) = FormText { choice, ..files::of_bytes(name, &bytes.to_vec()).await? };
        }
    }
    Ok(here)
}

/// Fetches the encrypted form of the private link `id`, and decrypts it with `key`.
async fn open_sealed(id: &str, key: &str) -> Result<FormState, Problem> {
    let (head, [a, b]) = sealed::open(id, key).await?;
    let [a_name, b_name] = head.names;
    let [a_choice, b_choice] = head.choices;
    let (a, b) = (files::of_bytes(a_name, &a).await?, files::of_bytes(b_name, &b).await?);
    Ok(FormState { task: head.task, options: head.options, a: FormText { choice: a_choice, ..a }, b: FormText { choice: b_choice, ..b } })
}
