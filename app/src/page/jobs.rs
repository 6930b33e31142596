//! Jobs on the server and stored results, each with an address that can be opened again.

use std::rc::Rc;

use explain::snapshot::Snapshot;
use kernels::job::{Job, Task};
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use super::errands::Errand;
use super::{Page, address_bar};
use crate::model::form::local_file;
use crate::model::form::{Content, Form, Side, Which};
use crate::model::link::address::key_of;
use crate::model::link::fragment;
use crate::model::link::look::Look;
use crate::model::link::packed::Packed;
use crate::model::preferences::{POSITIONS, Positions, count_positions};
use crate::model::problem::Problem;
use crate::model::run::at::At;
use crate::model::run::snapshot::{self, Extent};
use crate::model::session::{Brought, Here, Input, Session, Visit};
use crate::model::visit::{Route, task_path};
use crate::source::http::Upload;
use crate::source::remote::{self, Told};
use crate::source::{deflate, files, http, now, sealed, sleep, tokens};
use crate::tr::t;

/// How long until a stream that was refused, or a server that did not answer, is tried again, in milliseconds.
const AGAIN_MS: i32 = 3_000;

/// A stream that says nothing for so long is not waited for, in milliseconds.
const SILENT_MS: i32 = 15_000;

impl Page {
    /// Shows what the address says.
    pub(super) fn arrive_now(self) {
        let Some(location) = web_sys::window().map(|window| window.location()) else { return };
        let path = location.pathname().unwrap_or_default();
        let fragment = location.hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        let look = Look::read(fragment);
        if let Some(positions) = look.detail(POSITIONS).and_then(Positions::of_name) {
            count_positions(positions);
        }
        self.look.set(look);
        self.is_step.set_value(false);
        self.begin_stretch();
        self.is_undo_offered.set(false);
        self.replaced.set(None);
        match Route::of(&path) {
            // Another view of the result that is here.
            Route::Job(id) if self.is_shown(&At::Job(id.clone())) => {}
            Route::Link(id) if self.is_shown(&At::Link(id.clone())) => {}
            Route::Job(id) => self.open_place(Some(id.clone()), |visit| Errand::Job(visit, id)),
            Route::Link(id) => self.open_place(None, |visit| Errand::Link(visit, id)),
            Route::Sealed(id) => self.open_place(None, |visit| Errand::Sealed(visit, id, key_of(fragment).to_owned())),
            Route::Print => self.arrive_at_form(Task::EditDistance, fragment, |page| {
                page.problem.set(Some(Problem::of_status(404)));
            }),
            Route::Nowhere => self.problem.set(Some(Problem::of_status(404))),
            Route::Form(task) => self.arrive_at_form(task, fragment, |page| page.stay_with(task)),
        }
    }

    /// Takes the form that a fragment describes, or does what is to be done where it names no text.
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

    /// Whether the result at a place is the one on the page.
    fn is_shown(self, at: &At) -> bool {
        self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.at == *at))
    }

    /// Whether the result of this form is on the page, so that an address with it names another view; `packed` are its texts where they are deflated.
    fn has_result_of(self, form: &Form, packed: Option<&str>) -> bool {
        let is_here = |form: &Form| {
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
                let is_of_them = |packed: &Packed| packed.letters() == Some(letters) && packed.is_of(&here);
                let of_these = self.packed().with_untracked(|packed| packed.as_ref().is_some_and(is_of_them));
                (with_texts.a.content, with_texts.b.content) = (here.a.content, here.b.content);
                of_these && is_here(&with_texts)
            }
        }
    }

    /// Takes the form of an address.
    fn take_form(self, form: Form, names_unit: bool) {
        self.forget_opening();
        self.leave_texts();
        self.is_private.set(false);
        self.form.set(form);
        self.take_unit(names_unit);
        self.settle();
    }

    /// Takes the form of an address once its texts are inflated.
    fn inflate(self, mut form: Form, letters: String, warning: Option<Problem>, names_unit: bool) {
        let Some(visit) = self.leave_for(None) else { return };
        spawn_local(async move {
            let inflated = deflate::unpack(&letters).await;
            if !self.is_at(visit) {
                return;
            }
            match inflated {
                Ok(texts) => {
                    let [a, b] = texts.clone();
                    (form.a.content, form.b.content) = (Content::Typed(a), Content::Typed(b));
                    self.take_form(form, names_unit);
                    // The address holds them already.
                    self.step(Input::Deflated(Packed::opened(texts, &letters)));
                    if warning.is_some() {
                        self.problem.set(warning);
                    }
                }
                Err(unreadable) => self.leave_unread(form.task, unreadable.into()),
            }
        });
    }

    /// What an address says cannot be read. It stays as it is, so that whoever looks at it finds what is wrong.
    fn leave_unread(self, task: Task, problem: Problem) {
        self.is_private.set(false);
        self.form.set(Form::new(task));
        self.consider();
        self.problem.set(Some(problem));
    }

    /// An address of a task names no text: what is there stays, unless nothing was there when the page left the address. Another address that is still being opened is left.
    fn stay_with(self, task: Task) {
        if address_bar::is_of_nothing() {
            self.form.update(|form| *form = Form { options: form.options, ..Form::new(task) });
            self.changed();
        } else if self.held().session.with_value(Session::is_opening) {
            self.form.update(|form| form.task = task);
            self.changed();
        } else {
            self.change_task(task);
        }
    }

    /// What was under way, or pressed, belongs to the place that is left: something else is opened.
    fn leave_for(self, job: Option<String>) -> Option<Visit> {
        self.forget_opening();
        self.leave_texts();
        self.forget_press(false);
        self.problem.set(None);
        self.retries.set_value(Retries::default());
        self.step(Input::Opened(job));
        self.keep_time();
        self.visit()
    }

    /// Opens what the server has.
    fn open_place(self, job: Option<String>, errand: impl FnOnce(Visit) -> Errand) {
        if let Some(visit) = self.leave_for(job) {
            self.send_out(errand(visit));
        }
    }

    pub(super) fn arrive_at_job(self, visit: Visit, id: String) {
        spawn_local(async move {
            let at = At::Job(id.clone());
            match remote::job(&id).await {
                Ok(snapshot) => self.bring(visit, snapshot, at, [None, None], None).await,
                Err(problem) => self.step(Input::Failed(visit, problem)),
            }
        });
    }

    pub(super) fn arrive_at_link(self, visit: Visit, id: String) {
        spawn_local(async move {
            let at = At::Link(id.clone());
            match remote::link(&id).await {
                Ok(link) => self.bring(visit, link.snapshot, at, [link.names.a, link.names.b], link.expires_at).await,
                Err(problem) => self.step(Input::Failed(visit, problem)),
            }
        });
    }

    /// Fetches what a private link leads to, and compares it again: the server knows no answer.
    pub(super) fn arrive_at_sealed(self, visit: Visit, id: String, key: String) {
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
                Err(problem) => self.step(Input::Failed(visit, problem)),
            }
        });
    }

    /// Takes a job or a stored result as it stands, with its texts; `names` is what whoever shared it calls them.
    async fn bring(self, visit: Visit, snapshot: Snapshot, at: At, names: [Option<String>; 2], expires_at: Option<u64>) {
        let [a_name, b_name] = names;
        let a = side_of(&snapshot, &at, Which::A, a_name).await;
        let b = side_of(&snapshot, &at, Which::B, b_name).await;
        if !self.is_at(visit) {
            return;
        }
        self.step(match (a, b) {
            (Ok(a), Ok(b)) => {
                self.is_private.set(false);
                let form = Form { task: snapshot.task, options: snapshot.options, a, b };
                Input::Brought(visit, Box::new(Brought { expires_at, ..brought(&snapshot, form, at) }))
            }
            (Err(problem), _) | (_, Err(problem)) => Input::Failed(visit, problem),
        });
        self.take_unit(true);
        self.keep_time();
    }

    /// Brings the texts of a stored result here, which are to be compared in another way than they were.
    pub(super) fn fetch_texts(self, visit: Visit) {
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

    /// Has the server compare both texts.
    pub(super) fn run_on_server(self) {
        self.forget_press(false);
        self.retries.set_value(Retries::default());
        self.step(Input::SentOff);
        self.keep_time();
    }

    pub(super) fn send_texts(self, visit: Visit) {
        let form = self.form.get_untracked();
        let upload = Upload::default();
        self.held().upload.set_value(upload.clone());
        spawn_local(async move {
            let told = move |bytes| self.step(Input::Uploaded(visit, bytes));
            match send(&form, &upload, told).await {
                Ok(job) => self.step(Input::Sent(visit, job)),
                Err(problem) => self.fail(visit, problem),
            }
        });
    }

    pub(super) fn post(self, visit: Visit, job: Job) {
        spawn_local(async move {
            match remote::submit(&job).await {
                Ok(id) => self.step(Input::Posted(visit, id)),
                // A file that was sent long ago is sent again.
                Err(problem) if problem.status == 404 && self.is_at(visit) && local_file::forget_sent() => self.run_on_server(),
                Err(problem) => self.fail(visit, problem),
            }
        });
    }

    /// There will be no answer to what was begun in this visit.
    pub(super) fn fail(self, visit: Visit, problem: Problem) {
        if self.is_at(visit) {
            self.forget_press(false);
        }
        self.step(Input::Failed(visit, problem));
    }

    pub(super) fn follow(self, visit: Visit, id: String, after: u64) {
        let attempt = self.next_attempt();
        self.keep_time();
        let stream = remote::follow(&id, after, move |told| {
            let missed = matches!(told, Told::Missed);
            let said = match told {
                Told::Event(event) => {
                    self.retries.try_update_value(|retries| (retries.failed, retries.heard) = (0, now()));
                    return self.step(Input::Told(visit, event, Here::default()));
                }
                Told::Back => {
                    self.retries.try_update_value(|retries| retries.heard = now());
                    None
                }
                Told::Lost => Some(t("The connection is lost. The run goes on without you; we ask again and show where it is.")),
                Told::Missed => Some(t("Reconnecting. The run goes on without you.")),
            };
            if self.is_at(visit) {
                // A stream that is refused every time is nothing to speak of: the job is asked how it stands instead.
                let asks = self.retries.with_value(|retries| retries.failed > 1);
                self.connection.set(said.filter(|_| !asks));
            }
            if missed {
                self.step(Input::Missed(visit));
            }
        });
        if stream.is_none() {
            return self.step(Input::Missed(visit));
        }
        self.held().stream.set_value(stream.map(SendWrapper::new));
        // A stream that is open and silent may be held back by what is between here and the server.
        spawn_local(async move {
            while self.is_attempt(attempt) {
                sleep(SILENT_MS).await;
                let silent = self.retries.try_with_value(|retries| now() - retries.heard >= f64::from(SILENT_MS));
                if silent == Some(true) && self.is_attempt(attempt) {
                    return self.step(Input::Missed(visit));
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

    /// Nothing is followed or sent any more.
    pub(super) fn let_go(self) {
        self.next_attempt();
        self.held().stream.set_value(None);
        self.held().upload.with_value(Upload::abort);
        self.connection.set(None);
    }

    /// Asks how the job stands, until somebody answers. The first time at once; where streams are refused, every few seconds.
    pub(super) fn ask_again(self, visit: Visit, id: String) {
        self.held().stream.set_value(None);
        let attempt = self.next_attempt();
        let again = self.retries.with_value(|retries| retries.failed > 0);
        self.retries.update_value(|retries| retries.failed += 1);
        spawn_local(async move {
            if again {
                sleep(AGAIN_MS).await;
            }
            while self.is_at(visit) && self.is_attempt(attempt) {
                let answer = remote::job(&id).await;
                if !self.is_attempt(attempt) {
                    return;
                }
                match answer {
                    Ok(snapshot) => {
                        let form = self.form.get_untracked();
                        let brought = brought(&snapshot, form, At::Job(id));
                        return self.step(Input::CaughtUp(visit, Box::new(brought)));
                    }
                    Err(problem) if problem.status == 404 || problem.status == 410 => return self.fail(visit, problem),
                    Err(_) => sleep(AGAIN_MS).await,
                }
            }
        });
    }

    /// The page is looked at again: phones end connections of pages that nobody looks at.
    pub(super) fn wake_now(self) {
        if let Some(visit) = self.visit() {
            self.retries.update_value(|retries| retries.failed = 0);
            self.step(Input::Missed(visit));
        }
    }

    pub(super) fn count(self, visit: Visit, id: String) {
        spawn_local(async move {
            let symbols = match remote::job(&id).await {
                Ok(snapshot) => (snapshot.a.symbols, snapshot.b.symbols),
                Err(_) => self.form.with_untracked(|form| (form.size(Which::A), form.size(Which::B))),
            };
            self.step(Input::Counted(visit, symbols));
        });
    }

    /// Cancels a job. Nobody waits for one without a visit.
    pub(super) fn cancel_job(self, visit: Option<Visit>, id: String) {
        spawn_local(async move {
            match (remote::cancel(&id).await, visit) {
                (Ok(()), Some(visit)) => self.step(Input::Stopped(visit)),
                (Err(problem), Some(visit)) if self.is_at(visit) => self.problem.set(Some(problem)),
                (Ok(()) | Err(_), _) => {}
            }
        });
    }

    /// Deletes a job with its result and the texts that were sent for it, and shows it no more; texts of this device stay.
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

    /// The form is not that of the job any more, or of another task. The job goes on under its own address.
    pub(super) fn leave_job(self) {
        let task = self.form.with_untracked(|form| form.task);
        let path = web_sys::window().and_then(|window| window.location().pathname().ok());
        // The print sheet stays one, of the other task; what it has no sheet for it says.
        if path.is_some_and(|path| !matches!(Route::of(&path), Route::Print) && Route::of(&path) != Route::Form(task)) {
            address_bar::push(&task_path(task));
            self.is_step.set_value(false);
        }
    }
}

/// Whether a fragment says what texts are counted in.
fn names_unit(fragment: &str) -> bool {
    fragment.split('&').any(|part| part.starts_with("unit="))
}

/// How the events of a run come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Retries {
    /// Number of the last stream, or of the last question in its place.
    attempt: u32,
    /// How often in succession nothing came of one.
    failed: u32,
    /// When something was heard last.
    heard: f64,
}

/// A job or a result as it stands, whose form is known.
fn brought(snapshot: &Snapshot, form: Form, at: At) -> Brought {
    let symbols = (snapshot.a.symbols, snapshot.b.symbols);
    Brought { form, run: snapshot::run(snapshot, now()), at, symbols, seq: snapshot.seq, expires_at: None }
}

/// The form as a job, its long texts sent; `told` is told how many bytes are there.
///
/// # Errors
/// When a text cannot be read or sent.
pub async fn send(form: &Form, upload: &Upload, told: impl Fn(u64) + Clone + 'static) -> Result<Job, Problem> {
    let before = form.side(Which::A).bytes();
    let a = remote::source(form, Which::A, Rc::new(told.clone()), upload).await?;
    let b = remote::source(form, Which::B, Rc::new(move |bytes| told(before + bytes)), upload).await?;
    Ok(Job { task: form.task, options: form.asked(), a, b })
}

/// One text of a job or a stored result, as much of it as is brought here.
async fn side_of(snapshot: &Snapshot, at: &At, which: Which, name: Option<String>) -> Result<Side, Problem> {
    let info = snapshot::info(snapshot, which);
    let name = name.filter(|name| !name.is_empty());
    let side = match snapshot::extent(info) {
        Extent::Whole => {
            let side = files::of_bytes(name, &http::get_bytes(&at.file(which)).await?.to_vec()).await?;
            Side { choice: info.choice.clone(), ..side }
        }
        Extent::Head(symbols) => {
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

/// The form that a private link leads to.
async fn open_sealed(id: &str, key: &str) -> Result<Form, Problem> {
    let (head, [a, b]) = sealed::open(id, key).await?;
    let [a_name, b_name] = head.names;
    let [a_choice, b_choice] = head.choices;
    let (a, b) = (files::of_bytes(a_name, &a).await?, files::of_bytes(b_name, &b).await?);
    Ok(Form { task: head.task, options: head.options, a: Side { choice: a_choice, ..a }, b: Side { choice: b_choice, ..b } })
}
