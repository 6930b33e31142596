//! Jobs on the server and stored results, each with an address that can be opened again.

use std::rc::Rc;

use explain::snapshot::Snapshot;
use kernels::event::Event;
use kernels::job::{Job, Source, Task};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use super::{Page, Shown};
use crate::address::key_of;
use crate::figures::SENDING;
use crate::form::{Content, Form, Side, Which};
use crate::fragment;
use crate::look::Look;
use crate::problem::Problem;
use crate::run::{Phase, RunState};
use crate::snapshot::{self, Brought};
use crate::source::remote::{self, Told};
use crate::source::{At, files, http, now, sealed, sleep};
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
        let fragment = fragment.trim_start_matches('#');
        remote::unfollow();
        self.look.set(Look::read(fragment));
        self.job.set(None);
        match Route::of(&path) {
            Route::Job(id) => self.arrive_at_job(id),
            Route::Link(id) => self.arrive_at_link(id),
            Route::Sealed(id) => self.arrive_at_sealed(id, key_of(fragment).to_owned()),
            Route::Print => self.arrive_at_form(Task::EditDistance, fragment, |page| {
                page.problem.set(Some(Problem::of_response(404, "")));
            }),
            Route::Nowhere => self.problem.set(Some(Problem::of_response(404, ""))),
            Route::Form(task) => self.arrive_at_form(task, fragment, |page| page.set_task(task)),
        }
    }

    /// Takes the form that a fragment describes, or does what is to be done where it names no text.
    fn arrive_at_form(self, task: Task, fragment: &str, without_texts: impl FnOnce(Self)) {
        match fragment::read(task, fragment) {
            Ok(opened) => {
                let warning = opened.warning();
                match opened.form {
                    Some(form) => {
                        self.is_private.set(false);
                        self.form.set(form);
                        self.settle();
                    }
                    None => without_texts(self),
                }
                if warning.is_some() {
                    self.problem.set(warning);
                }
            }
            // The address stays as it is, so that whoever looks at it finds what is wrong.
            Err(unread) => {
                self.is_private.set(false);
                self.form.set(Form::new(task));
                self.consider();
                self.problem.set(Some(unread.into()));
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
                Ok(link) => match self.take_form(&link.snapshot, &at, [link.names.a, link.names.b]).await {
                    Ok(()) => {
                        self.run.set(snapshot::run(&link.snapshot, now()));
                        self.show(at, Some((link.snapshot.a.symbols, link.snapshot.b.symbols)), link.expires_at);
                    }
                    Err(problem) => self.give_up(problem),
                },
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
                    self.is_private.set(true);
                    self.form.set(form);
                    self.consider();
                }
                Err(problem) => self.give_up(problem),
            }
        });
    }

    /// Takes a job as it stands, and follows it from there.
    async fn catch_up(self, id: String, snapshot: Snapshot, with_form: bool) {
        if with_form && let Err(problem) = self.take_form(&snapshot, &At::Job(id.clone()), [None, None]).await {
            return self.give_up(problem);
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
            return self.show(At::Job(id), Some((snapshot.a.symbols, snapshot.b.symbols)), None);
        }
        self.follow(id, snapshot.seq);
        self.keep_time();
    }

    /// The form of a job or a stored result; `names` is what whoever shared it calls the texts.
    async fn take_form(self, snapshot: &Snapshot, at: &At, names: [Option<String>; 2]) -> Result<(), Problem> {
        let [a_name, b_name] = names;
        let a = side_of(snapshot, at, Which::A, a_name).await?;
        let b = side_of(snapshot, at, Which::B, b_name).await?;
        self.is_private.set(false);
        self.form.set(Form { task: snapshot.task, options: snapshot.options, a, b });
        Ok(())
    }

    /// Brings the texts of a stored result here, which are to be compared in another way than they were.
    pub(super) fn fetch_texts(self) {
        self.stop_typing();
        self.shown.set(None);
        self.run.set(RunState::begun(Phase::Reading, now()));
        let form = self.form.get_untracked();
        spawn_local(async move {
            let fetched = fetched(&form).await;
            if self.form.with_untracked(|now| *now != form) {
                return;
            }
            match fetched {
                Ok(here) => {
                    self.form.set(here);
                    self.consider();
                    self.write_address_soon();
                }
                Err(problem) => self.give_up(problem),
            }
        });
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
            self.show(At::Job(id.to_owned()), None, None);
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

    /// The run has ended with an answer: it is shown, and how many symbols both texts have is asked for where it is not known.
    fn show(self, at: At, symbols: Option<(u64, u64)>, expires_at: Option<u64>) {
        if self.run.with_untracked(|run| run.answer.is_none()) {
            return self.shown.set(None);
        }
        let serial = self.next_serial();
        let form = self.form.get_untracked();
        spawn_local(async move {
            let asked = match (&at, symbols) {
                (At::Job(id), None) => remote::job(id).await.ok().map(|snapshot| (snapshot.a.symbols, snapshot.b.symbols)),
                _ => symbols,
            };
            let symbols = asked.unwrap_or_else(|| (form.size(Which::A), form.size(Which::B)));
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
        // The print sheet stays one, of the other task; what it has no sheet for it says.
        if path.is_some_and(|path| !matches!(Route::of(&path), Route::Print) && Route::of(&path) != Route::Form(task)) {
            push_address(&task_path(task));
        }
    }
}

/// One text of a job or a stored result, as much of it as is brought here.
async fn side_of(snapshot: &Snapshot, at: &At, which: Which, name: Option<String>) -> Result<Side, Problem> {
    let info = snapshot::info(snapshot, which);
    let name = name.filter(|name| !name.is_empty());
    let side = match snapshot::brought(info) {
        Brought::Whole => {
            let side = files::of_bytes(name, &http::get_bytes(&at.file(which)).await?.to_vec()).await?;
            Side { choice: info.choice.clone(), ..side }
        }
        Brought::Head(symbols) => {
            let side = snapshot::stored(info, remote::head(at, which, symbols).await, at.file(which));
            Side { name: name.or_else(|| side.name.clone()), ..side }
        }
    };
    Ok(side)
}

/// The form with both texts on this device; those of the server are fetched.
pub async fn fetched(form: &Form) -> Result<Form, Problem> {
    let mut here = form.clone();
    for which in Which::BOTH {
        if let Content::Stored { .. } = form.side(which).content {
            let bytes = files::bytes(form.side(which)).await?;
            let Side { name, choice, .. } = form.side(which).clone();
            *here.side_mut(which) = Side { choice, ..files::of_bytes(name, &bytes.to_vec()).await? };
        }
    }
    Ok(here)
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
