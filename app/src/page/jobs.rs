//! Jobs on the server: sending of texts, following of events, cancelling and deleting.

use std::rc::Rc;

use explain::snapshot::JobSnapshot;
use kernels::job::{JobRequest, JobText, TextSource};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use super::{Page, address_bar};
use crate::backend::http::UploadHandle;
use crate::backend::remote::{self, StreamMessage};
use crate::backend::{files, now, sleep, tokens};
use crate::model::form::local_file;
use crate::model::form::{FormSide, FormState, FormText, TextContent};
use crate::model::problem::Problem;
use crate::model::run::RunPhase;
use crate::model::run::location::ResultLocation;
use crate::model::run::snapshot;
use crate::model::session::{LoadedResult, LocalRunFacts, SessionInput, VisitNumber};
use crate::model::visit::{PageRoute, task_path};
use crate::tr::t;

/// Delay in milliseconds before the next attempt, if an event stream was refused or the server did not answer.
const RETRY_DELAY_MS: i32 = 3_000;

/// Time without events after which an event stream is considered dead, in milliseconds.
const STREAM_TIMEOUT_MS: i32 = 15_000;

impl Page {
    /// Fetches the texts of the stored result on the page, because the visitor wants to compare them in another way.
    pub(super) fn fetch_texts(self, visit: VisitNumber) {
        let form = self.form.get_untracked();
        spawn_local(async move {
            let fetched = with_fetched_texts(&form).await;
            if !self.is_at(visit) {
                return;
            }
            match fetched {
                Ok(here) => {
                    self.form.set(here);
                    self.plan_form();
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
        self.handle_input(SessionInput::SentOff);
        self.run_clock();
    }

    pub(super) fn send_texts(self, visit: VisitNumber) {
        let form = self.form.get_untracked();
        let upload = UploadHandle::default();
        self.lazy_state().upload.set_value(upload.clone());
        spawn_local(async move {
            let told = move |bytes| self.handle_input(SessionInput::Uploaded(visit, bytes));
            match build_job_or_uploads(&form, &upload, told).await {
                Ok(job) if self.is_at(visit) => self.handle_input(SessionInput::Sent(visit, job)),
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
                Ok(id) => self.handle_input(SessionInput::Posted(visit, id)),
                // The server has removed a file that this page uploaded long ago, so that the file is uploaded again.
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
        self.handle_input(SessionInput::Failed(visit, problem));
    }

    pub(super) fn follow(self, visit: VisitNumber, id: String, after: u64) {
        let attempt = self.next_attempt();
        self.run_clock();
        let stream = remote::follow(&id, after, move |told| {
            let missed = matches!(told, StreamMessage::Missed);
            let said = match told {
                StreamMessage::Event(event) => {
                    self.retries.try_update_value(|retries| (retries.failed_attempts, retries.last_event_ms) = (0, now()));
                    return self.handle_input(SessionInput::RunEvent(visit, event, LocalRunFacts::default()));
                }
                StreamMessage::Back => {
                    self.retries.try_update_value(|retries| retries.last_event_ms = now());
                    None
                }
                StreamMessage::Lost => {
                    Some(t("The connection is lost. The run continues; its progress appears as soon as you are connected again."))
                }
                StreamMessage::Missed => Some(t("Reconnecting. The run continues.")),
            };
            if self.is_at(visit) {
                // A stream that is refused every time needs no message, because the job is polled instead.
                let asks = self.retries.with_value(|retries| retries.failed_attempts > 1);
                self.connection.set(said.filter(|_| !asks));
            }
            if missed {
                self.handle_input(SessionInput::Missed(visit));
            }
        });
        if stream.is_none() {
            return self.handle_input(SessionInput::Missed(visit));
        }
        self.lazy_state().stream.set_value(stream.map(SendWrapper::new));
        // A stream that is open but silent may be blocked between browser and server.
        spawn_local(async move {
            while self.is_attempt(attempt) {
                sleep(STREAM_TIMEOUT_MS).await;
                let silent = self.retries.try_with_value(|retries| now() - retries.last_event_ms >= f64::from(STREAM_TIMEOUT_MS));
                if silent == Some(true) && self.is_attempt(attempt) {
                    return self.handle_input(SessionInput::Missed(visit));
                }
            }
        });
    }

    fn next_attempt(self) -> u32 {
        self.retries.update_value(|retries| (retries.attempt, retries.last_event_ms) = (retries.attempt + 1, now()));
        self.retries.with_value(|retries| retries.attempt)
    }

    fn is_attempt(self, attempt: u32) -> bool {
        self.retries.try_with_value(|retries| retries.attempt) == Some(attempt)
    }

    /// Stops following the events of the current job and aborts the upload under way.
    pub(super) fn detach(self) {
        self.next_attempt();
        self.lazy_state().stream.set_value(None);
        self.lazy_state().upload.with_value(UploadHandle::abort);
        self.connection.set(None);
    }

    /// Requests the state of job `id` until the server answers or another visit or attempt begins. Waits
    /// [`RETRY_DELAY_MS`] before each request, but sends the first request after a success at once. Ends `visit` with a
    /// problem if the server no longer has the job.
    pub(super) fn poll_job(self, visit: VisitNumber, id: String) {
        self.lazy_state().stream.set_value(None);
        let attempt = self.next_attempt();
        let again = self.retries.with_value(|retries| retries.failed_attempts > 0);
        self.retries.update_value(|retries| retries.failed_attempts += 1);
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
                        let brought = loaded_result(&snapshot, form, ResultLocation::Job(id));
                        return self.handle_input(SessionInput::CaughtUp(visit, Box::new(brought)));
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
        self.retry_now();
    }

    /// Handles that the browser is online again. Fetches a result of the server again, because its views may not be
    /// complete.
    pub(super) fn reconnect(self) {
        self.fetch_again();
        self.retry_now();
    }

    fn retry_now(self) {
        if let Some(visit) = self.visit() {
            self.retries.update_value(|retries| retries.failed_attempts = 0);
            self.handle_input(SessionInput::Missed(visit));
        }
    }

    /// Repeats failed requests to the server: those for parts of the shown result, or the one for the content of the
    /// address.
    fn fetch_again(self) {
        let is_remote = self.shown.with_untracked(|shown| shown.as_ref().map(|shown| !matches!(shown.location, ResultLocation::Here(_))));
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
                    self.handle_input(SessionInput::Reloaded);
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
            self.handle_input(SessionInput::Counted(visit, symbols));
        });
    }

    /// Cancels job `id`. If this browser has the job's deletion token, deletes the job and the texts that were uploaded
    /// for it instead, unless the form needs these texts. Ignores the outcome if `visit` is over.
    pub(super) fn cancel_job(self, visit: VisitNumber, id: String) {
        let place = tokens::job_path(&id);
        let is_here = !self.is_at(visit) || self.form.with_untracked(FormState::is_on_this_device);
        let is_deleted = is_here && tokens::find_record(&place).is_some();
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
            self.handle_input(SessionInput::Stopped(visit));
            if is_deleted {
                self.write_address_soon();
                self.remark.set(Some(t("Deleted from the server. Your texts are still in this page.")));
            }
        });
    }

    /// Deletes texts that were uploaded for an abandoned job, if the visitor has cancelled the run.
    async fn delete_unwanted(self, uploads: Vec<JobText>) {
        // If the run was abandoned because the form was edited, the edited form may still use the same uploads.
        if self.run.with_untracked(|run| run.phase != RunPhase::Cancelled) {
            return;
        }
        for source in uploads {
            if let TextSource::Upload(id) = source.given {
                // An upload that cannot be deleted now is removed by the server when it expires.
                let _ = tokens::delete(&tokens::upload_path(&id)).await;
            }
        }
    }

    /// Deletes the cancelled job `id` on the server with its uploaded texts. Texts on this device are kept.
    pub async fn delete_cancelled(self, id: String) {
        match tokens::delete(&tokens::job_path(&id)).await {
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
        match tokens::delete(&tokens::job_path(&id)).await {
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
            self.starts_history_entry.set_value(false);
        }
    }

    /// Returns whether the address is neither that of the form's task nor that of the print sheet. The print sheet
    /// keeps its address after a change of the task. It shows a message if it has no sheet for the new task.
    pub(super) fn is_away_from_form(self) -> bool {
        let route = web_sys::window().and_then(|window| window.location().pathname().ok()).map(|path| PageRoute::of(&path));
        let task = self.form.with_untracked(|form| form.task);
        route.is_some_and(|route| route != PageRoute::Print && route != PageRoute::Form(task))
    }
}

/// State of the attempts to receive the events of a run, by a stream or by polling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RetryState {
    /// Number of the latest attempt.
    attempt: u32,
    /// Number of failed attempts in a row.
    failed_attempts: u32,
    /// Time of the latest event or connection, or of the beginning of the latest attempt, in milliseconds since the
    /// page was loaded.
    last_event_ms: f64,
}

/// Returns the job or result `snapshot` with the form that it was computed from.
pub(super) fn loaded_result(snapshot: &JobSnapshot, form: FormState, at: ResultLocation) -> LoadedResult {
    let symbols = (snapshot.a.symbols, snapshot.b.symbols);
    LoadedResult { form, run: snapshot::run(snapshot, now()), location: at, symbols, seq: snapshot.seq, expires_at: None }
}

/// Builds a job from the form and uploads its long texts. `upload` can abort the upload. `told` is called with the
/// number of bytes sent so far, of both texts together.
///
/// # Errors
/// Returns an error if a text cannot be read or sent.
pub async fn build_job(form: &FormState, upload: &UploadHandle, told: impl Fn(u64) + Clone + 'static) -> Result<JobRequest, Problem> {
    build_job_or_uploads(form, upload, told).await.map_err(|(problem, _)| problem)
}

/// Builds a job and uploads the texts of `form` like [`build_job`]. If a text cannot be sent, the error has the problem
/// and the texts that were sent before.
async fn build_job_or_uploads(
    form: &FormState,
    upload: &UploadHandle,
    told: impl Fn(u64) + Clone + 'static,
) -> Result<JobRequest, (Problem, Vec<JobText>)> {
    let before = form.side(FormSide::A).bytes();
    let a = remote::prepare_text(form, FormSide::A, Rc::new(told.clone()), upload).await.map_err(|problem| (problem, Vec::new()))?;
    match remote::prepare_text(form, FormSide::B, Rc::new(move |bytes| told(before + bytes)), upload).await {
        Ok(b) => Ok(JobRequest { task: form.task, options: form.job_options(), a, b }),
        Err(problem) => Err((problem, vec![a])),
    }
}

/// Returns `form` with both texts on this device: downloads texts that are on the server.
pub async fn with_fetched_texts(form: &FormState) -> Result<FormState, Problem> {
    let mut here = form.clone();
    for which in FormSide::BOTH {
        if let TextContent::Stored { .. } = form.side(which).content {
            let bytes = files::bytes(form.side(which)).await?;
            let FormText { name, choice, .. } = form.side(which).clone();
            *here.side_mut(which) = FormText { choice, ..files::text_from_bytes(name, &bytes.to_vec()).await? };
        }
    }
    Ok(here)
}
