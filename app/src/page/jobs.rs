//! Jobs on the server and stored results, each with an address that can be opened again.

use std::rc::Rc;

use explain::snapshot::Snapshot;
use kernels::event::Event;
use kernels::job::{Job, Source, Task};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use super::{Page, Shown};
use crate::figures::SENDING;
use crate::form::{Form, Side, Which};
use crate::fragment;
use crate::look::Look;
use crate::problem::Problem;
use crate::run::{Phase, RunState};
use crate::snapshot;
use crate::source::remote::{self, Told};
use crate::source::{At, files, now, sealed, sleep};
use crate::tr::t;
use crate::visit::{Route, is_embed, task_path};

/// How long until a stream that broke for good is tried again, in milliseconds.
const AGAIN_MS: i32 = 3_000;

impl Page {
    /// Shows what the address says.
    pub fn arrive(self) {
        let Some(location) = web_sys::window().map(|window| window.location()) else { return };
        let path = location.pathname().unwrap_or_default();
        let fragment = location.hash().unwrap_or_default();
        remote::unfollow();
        self.look.set(Look::read(fragment.trim_start_matches('#')));
        match Route::of(&path) {
            Route::Job(id) => self.arrive_at_job(id),
            Route::Link(id) => self.arrive_at_link(id),
            Route::Sealed(id) => self.arrive_at_sealed(id, fragment.trim_start_matches('#').to_owned()),
            Route::Print => match fragment::read(Task::EditDistance, fragment.trim_start_matches('#')) {
                Some(form) => {
                    self.form.set(form);
                    self.consider();
                }
                None => self.problem.set(Some(Problem::of_response(404, ""))),
            },
            Route::Nowhere => self.problem.set(Some(Problem::of_response(404, ""))),
            Route::Form(task) => {
                self.job.set(None);
                match fragment::read(task, fragment.trim_start_matches('#')) {
                    Some(form) => {
                        self.form.set(form);
                        self.changed();
                    }
                    None => self.set_task(task),
                }
            }
        }
    }

    /// What was under way, or pressed, belongs to the place that is left.
    fn leave_form(self) {
        self.stop_typing();
        self.forget_press(false);
    }

    fn arrive_at_job(self, id: String) {
        self.leave_form();
        self.run.set(RunState::begun(Phase::Reading, now()));
        self.job.set(Some(id.clone()));
        spawn_local(async move {
            match remote::job(&id).await {
                Ok(snapshot) => self.catch_up(id, snapshot, true).await,
                Err(problem) => self.give_up(problem),
            }
        });
    }

    fn arrive_at_link(self, id: String) {
        self.leave_form();
        self.run.set(RunState::begun(Phase::Reading, now()));
        spawn_local(async move {
            let at = At::Link(id.clone());
            match remote::link(&id).await {
                Ok(link) => {
                    self.take_form(&link.snapshot, &at).await;
                    self.run.set(snapshot::run(&link.snapshot, now()));
                    self.show(at, link.expires_at);
                }
                Err(problem) => self.give_up(problem),
            }
        });
    }

    /// Fetches what a private link leads to, and compares it again: the server knows no answer.
    fn arrive_at_sealed(self, id: String, key: String) {
        self.leave_form();
        self.run.set(RunState::begun(Phase::Reading, now()));
        spawn_local(async move {
            match open_sealed(&id, &key).await {
                Ok(form) => {
                    self.form.set(form);
                    self.consider();
                }
                Err(problem) => self.give_up(problem),
            }
        });
    }

    /// Takes a job as it stands, and follows it from there.
    async fn catch_up(self, id: String, snapshot: Snapshot, with_form: bool) {
        if with_form {
            self.take_form(&snapshot, &At::Job(id.clone())).await;
        }
        if self.job.get_untracked().as_ref() != Some(&id) {
            return;
        }
        let (began, log, rates) = self.run.with_untracked(|run| (run.began, run.log.clone(), run.rates.clone()));
        let sending = self.run.with_untracked(|run| run.metrics.get(SENDING).copied());
        let mut run = snapshot::run(&snapshot, now());
        if !with_form {
            (run.began, run.log, run.rates) = (began, log, rates);
            run.metrics.extend(sending.map(|ms| (SENDING.to_owned(), ms)));
        }
        self.run.set(run);
        if self.run.with_untracked(RunState::is_over) {
            return self.show(At::Job(id), None);
        }
        self.follow(id, snapshot.seq);
        self.keep_time();
    }

    async fn take_form(self, snapshot: &Snapshot, at: &At) {
        let [a, b] = Which::BOTH.map(|which| snapshot::head_symbols(snapshot, which));
        let heads = [remote::head(at, Which::A, a).await, remote::head(at, Which::B, b).await];
        self.form.set(snapshot::form(snapshot, heads));
    }

    /// Sends both texts, starts a job and follows it under its own address.
    pub(super) fn run_on_server(self) {
        self.stop_typing();
        self.forget_press(false);
        let form = self.form.get_untracked();
        let plan = self.run.with_untracked(|run| run.plan.clone());
        let total = form.bytes_to_send();
        let mut run = RunState::begun(Phase::Uploading { sent: 0, total }, now());
        run.plan = plan;
        self.run.set(run);
        self.shown.set(None);
        self.keep_time();
        spawn_local(async move {
            match self.send(&form).await {
                Ok(job) => self.submit(job).await,
                Err(_) if self.run.with_untracked(|run| run.phase == Phase::Cancelled) => {}
                Err(problem) => self.give_up(problem),
            }
        });
    }

    /// The form as a job, its long texts sent.
    pub async fn send(self, form: &Form) -> Result<Job, Problem> {
        let mut before = 0;
        let mut sources: Vec<Source> = Vec::new();
        for which in Which::BOTH {
            let sent = Rc::new(move |bytes: u64| {
                self.run.update(|run| {
                    if let Phase::Uploading { sent, .. } = &mut run.phase {
                        *sent = before + bytes;
                    }
                });
            });
            sources.push(remote::source(form, which, sent).await?);
            before += form.side(which).bytes();
        }
        let mut sources = sources.into_iter();
        let (Some(a), Some(b)) = (sources.next(), sources.next()) else { return Err(Problem::unreachable()) };
        Ok(Job { task: form.task, options: form.asked(), a, b })
    }

    async fn submit(self, job: Job) {
        if self.run.with_untracked(|run| run.phase == Phase::Cancelled) {
            return;
        }
        match remote::submit(&job).await {
            Ok(id) => {
                self.run.update(|run| {
                    run.metrics.insert(SENDING.into(), now() - run.began);
                    run.phase = Phase::Queued { position: 0, starts: None };
                });
                self.job.set(Some(id.clone()));
                push_address(&format!("/j/{id}"));
                self.follow(id, 0);
            }
            // A file that was sent long ago is sent again.
            Err(problem) if problem.status == 404 && files::forget_sent() => self.run_on_server(),
            Err(problem) => self.give_up(problem),
        }
    }

    fn follow(self, id: String, after: u64) {
        let job = id.clone();
        remote::follow(&id, after, move |told| match told {
            Told::Event(event) => self.take_remote(&job, event),
            Told::Back => self.remark.set(None),
            Told::Lost => {
                self.remark.set(Some(t("The connection is lost. The run goes on without you; we ask again and show where it is.")))
            }
            Told::Missed => {
                self.remark.set(Some(t("Reconnecting. The run goes on without you.")));
                self.ask_again(job.clone());
            }
        });
    }

    fn take_remote(self, id: &str, event: Event) {
        let last = event.is_last();
        self.run.update(|run| run.apply(event, now()));
        if last {
            remote::unfollow();
            self.remark.set(None);
            self.show(At::Job(id.to_owned()), None);
        }
    }

    /// Asks how the job stands, until somebody answers, and follows it from there.
    fn ask_again(self, id: String) {
        remote::unfollow();
        spawn_local(async move {
            loop {
                if self.job.get_untracked().as_ref() != Some(&id) || self.run.with_untracked(RunState::is_over) {
                    return;
                }
                match remote::job(&id).await {
                    Ok(snapshot) => {
                        self.remark.set(None);
                        return self.catch_up(id, snapshot, false).await;
                    }
                    Err(problem) if problem.status == 404 || problem.status == 410 => return self.give_up(problem),
                    Err(_) => sleep(AGAIN_MS).await,
                }
            }
        });
    }

    /// The page is looked at again: phones end connections of pages that nobody looks at.
    pub fn wake(self) {
        let running = self.run.with_untracked(RunState::is_under_way);
        if let (true, Some(id)) = (running, self.job.get_untracked()) {
            self.ask_again(id);
        }
    }

    /// The run has ended with an answer: it is shown, and facts of both texts are asked for where they are not known.
    fn show(self, at: At, expires_at: Option<u64>) {
        if self.run.with_untracked(|run| run.answer.is_none()) {
            return self.shown.set(None);
        }
        let serial = self.next_serial();
        let form = self.form.get_untracked();
        spawn_local(async move {
            let facts = match &at {
                At::Job(id) => remote::job(id).await.ok().map(|snapshot| (snapshot.a.symbols, snapshot.b.symbols)),
                At::Here | At::Link(_) | At::Hit(..) | At::Offset(..) => None,
            };
            let symbols = match facts {
                Some(symbols) => symbols,
                None => (form.size(Which::A), form.size(Which::B)),
            };
            self.shown.set(Some(Shown { serial, at, form, symbols, run: self.run.get_untracked(), expires_at }));
        });
    }

    pub(super) fn cancel_job(self, id: String) {
        spawn_local(async move {
            match remote::cancel(&id).await {
                Ok(()) => self.run.update(|run| run.apply(Event::Cancelled, now())),
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// The form is not that of the job any more, or of another task. The job goes on under its own address.
    pub(super) fn leave_job(self) {
        remote::unfollow();
        let task = self.form.with_untracked(|form| form.task);
        let path = web_sys::window().and_then(|window| window.location().pathname().ok());
        if self.job.get_untracked().is_some() {
            self.job.set(None);
        }
        if path.is_some_and(|path| Route::of(&path) != Route::Form(task)) {
            push_address(&task_path(task));
        }
    }
}

/// Path of the page when it shows a job or a stored result.
pub(super) fn place_of_result() -> Option<String> {
    let path = web_sys::window()?.location().pathname().ok()?;
    matches!(Route::of(&path), Route::Job(_) | Route::Link(_)).then_some(path)
}

/// The address of a form on this page: of the comparison, or of the sheet to be printed.
pub(super) fn address_here(form: &Form, look: &Look) -> Option<String> {
    let address = fragment::address(form, look)?;
    let path = web_sys::window()?.location().pathname().ok()?;
    match Route::of(&path) {
        Route::Print => address.split_once('#').map(|(_, parts)| format!("/print#task={}&{parts}", form.task.name())),
        _ => Some(address),
    }
}

/// A frame keeps the address that it was given.
fn is_framed() -> bool {
    web_sys::window().and_then(|window| window.location().pathname().ok()).is_some_and(|path| is_embed(&path))
}

/// The form that a private link leads to.
async fn open_sealed(id: &str, key: &str) -> Result<Form, Problem> {
    let (head, [a, b]) = sealed::open(id, key).await?;
    let [a_name, b_name] = head.names;
    let [a_choice, b_choice] = head.choices;
    let (a, b) = (files::of_bytes(a_name, &a).await?, files::of_bytes(b_name, &b).await?);
    Ok(Form { task: head.task, options: head.options, a: Side { choice: a_choice, ..a }, b: Side { choice: b_choice, ..b } })
}

fn push_address(address: &str) {
    if is_framed() {
        return;
    }
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// Changes the address without a step in the history.
pub(super) fn replace_address(address: &str) {
    if is_framed() {
        return;
    }
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
