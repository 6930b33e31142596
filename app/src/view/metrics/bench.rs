//! One job on this device and on the server, to be compared. This device's run has a worker of its own, so that the result on the
//! page stays where it is.

use std::cell::RefCell;
use std::rc::Rc;

use explain::ask::{Ask, Say, What, When};
use futures::StreamExt as _;
use futures::channel::mpsc;
use js_sys::{Array, Uint8Array};
use kernels::cbor::to_bytes;
use kernels::event::Event;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::model::form::{Content, Form, READ_BYTES, Side, Which};
use crate::model::problem::{Problem, of_failure};
use crate::model::run::figures::Measured;
use crate::model::run::snapshot;
use crate::model::run::{Phase, RunState};
use crate::model::text::words;
use crate::page::jobs;
use crate::source::http::Upload;
use crate::source::{files, now, remote, sleep, wire};
use crate::tr;

/// Runs that are shorter than this are made again, in milliseconds: the first one pays for what is cold.
const SHORT_MS: f64 = 200.0;

/// So many times in all.
const TIMES: usize = 3;

/// How often a job is asked how far it is, in milliseconds.
const ASK_EVERY_MS: i32 = 250;

/// The form with both texts on this device; those of the server are fetched.
///
/// # Errors
/// When they are larger than a browser takes, with the limit; when they cannot be fetched.
pub async fn fetched(form: &Form) -> Result<Form, Problem> {
    if form.bytes() > READ_BYTES {
        let (got, most) = (words::bytes(form.bytes()), words::bytes(READ_BYTES));
        let detail = tr!("Both texts have {got} together, and this browser takes up to {most}.", got = got, most = most);
        return Err(Problem { limit: Some(READ_BYTES), ..Problem::new("too-large", "", detail) });
    }
    jobs::fetched(form).await
}

/// A comparison that can be broken off. Dropping it ends the worker.
#[derive(Default)]
pub struct Bench {
    solver: Option<Solver>,
    job: Option<String>,
    upload: Upload,
    over: bool,
}

struct Solver {
    worker: Worker,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

impl Drop for Solver {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// A bench that its runs and its view share.
pub type Shared = Rc<RefCell<Bench>>;

/// Ends what is under way on either side.
pub fn stop(bench: &Shared) {
    let mut bench = bench.borrow_mut();
    bench.over = true;
    bench.solver = None;
    bench.upload.abort();
    if let Some(id) = bench.job.take() {
        leptos::task::spawn_local(async move {
            let _ = remote::cancel(&id).await;
        });
    }
}

/// Solves a form that is here, in a worker of its own. `heard` is told how far it is.
///
/// # Errors
/// When the solver does not take it, with its limit; when it was stopped.
pub async fn here(bench: &Shared, form: &Form, heard: impl Fn(&RunState)) -> Result<Measured, Problem> {
    let mut messages = open(bench).ok_or_else(|| Problem::crashed("the worker did not start"))?;
    // The first message says that it is there.
    said(messages.next().await)?;
    let mut best: Option<Measured> = None;
    for number in 1..=TIMES as u64 {
        let texts = [files::bytes(&form.a).await?, files::bytes(&form.b).await?];
        let began = now();
        let mut run = RunState::begun(Phase::Reading, began);
        let what =
            What::Solve { task: form.task, options: form.asked(), choices: form.choices(), offers: String::new(), when: When::Always };
        post(bench, &Ask { number, of: None, what }, &texts)?;
        while !run.is_over() {
            for reply in wire::replies(said(messages.next().await)?).await? {
                if let Say::Event(event) = reply.say {
                    let told = matches!(event, Event::Planned(_) | Event::Progress(_));
                    run.apply(event, now());
                    if told {
                        heard(&run);
                    }
                }
            }
        }
        if let Phase::Failed(failure) = &run.phase {
            return Err(of_failure(failure));
        }
        let measured = Measured { wall_ms: run.elapsed, run };
        if !keep(&mut best, measured) {
            break;
        }
    }
    bench.borrow_mut().solver = None;
    best.ok_or_else(stopped)
}

/// Sends a form to the server and waits for its answer. `heard` is told how far it is.
///
/// # Errors
/// When the server does not take it, or does not answer; when it was stopped.
pub async fn there(bench: &Shared, form: &Form, heard: impl Fn(&RunState)) -> Result<Measured, Problem> {
    let upload = bench.borrow().upload.clone();
    let mut best: Option<Measured> = None;
    for _ in 0..TIMES {
        let began = now();
        let job = jobs::send(form, &upload, |_| {}).await?;
        let id = remote::submit_and_wait(&job).await?;
        let mut ended = now();
        // Stopped while it was being posted: nobody waits for it any more.
        if bench.borrow().over {
            let _ = remote::cancel(&id).await;
            return Err(stopped());
        }
        bench.borrow_mut().job = Some(id.clone());
        let run = loop {
            if bench.borrow().over {
                return Err(stopped());
            }
            let run = snapshot::run(&remote::job(&id).await?, began);
            if run.is_over() {
                break run;
            }
            heard(&run);
            sleep(ASK_EVERY_MS).await;
            ended = now();
        };
        bench.borrow_mut().job = None;
        match &run.phase {
            Phase::Failed(failure) => return Err(of_failure(failure)),
            Phase::Cancelled => return Err(stopped()),
            _ => {}
        }
        if !keep(&mut best, Measured { wall_ms: ended - began, run }) {
            break;
        }
    }
    best.ok_or_else(stopped)
}

/// Keeps the quickest; answers whether another one is worth its time.
fn keep(best: &mut Option<Measured>, measured: Measured) -> bool {
    let short = measured.wall_ms < SHORT_MS;
    if best.as_ref().is_none_or(|best| measured.wall_ms < best.wall_ms) {
        *best = Some(measured);
    }
    short
}

/// Starts the worker; its messages come in their order, and end when it is stopped.
fn open(bench: &Shared) -> Option<mpsc::UnboundedReceiver<Array>> {
    let address = crate::source::document::pkg().map(|pkg| format!("{pkg}/worker.js"))?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&address, &options).ok()?;
    let (sender, messages) = mpsc::unbounded::<Array>();
    let broken = sender.clone();
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |_| {
        let _ = broken.unbounded_send(Array::of2(&JsValue::NULL, &"the worker could not be fetched".into()));
    });
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let _ = sender.unbounded_send(event.data().unchecked_into());
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    bench.borrow_mut().solver = Some(Solver { worker, _on_message: on_message, _on_error: on_error });
    Some(messages)
}

/// What a message says; there is none after the worker was stopped.
fn said(message: Option<Array>) -> Result<Vec<u8>, Problem> {
    let message = message.ok_or_else(stopped)?;
    let replies = message.get(0).dyn_into::<Uint8Array>();
    replies.map(|replies| replies.to_vec()).map_err(|_| Problem::of_solver(&message.get(1).as_string().unwrap_or_default(), true))
}

fn post(bench: &Shared, ask: &Ask, texts: &[Uint8Array; 2]) -> Result<(), Problem> {
    let bench = bench.borrow();
    let solver = bench.solver.as_ref().ok_or_else(stopped)?;
    let message = Array::of3(&Uint8Array::from(&to_bytes(ask)[..]), &texts[0], &texts[1]);
    let moved = Array::of2(&texts[0].buffer(), &texts[1].buffer());
    solver.worker.post_message_with_transfer(&message, &moved).map_err(|_| Problem::crashed("the worker cannot be reached"))
}

fn stopped() -> Problem {
    Problem::new("cancelled", "", crate::tr::t("Stopped."))
}

/// Whether the server has a side already, under a name that a job may use.
fn is_there(side: &Side) -> bool {
    matches!(&side.content, Content::Stored { upload, .. } if !upload.is_empty())
}

/// Bytes that would be sent to the server.
pub fn to_send(form: &Form) -> u64 {
    [&form.a, &form.b].into_iter().filter(|side| !is_there(side)).map(Side::bytes).sum()
}

/// A form as the server gets it: `fetched`, but for the sides that it has already.
pub fn uploaded(form: &Form, mut fetched: Form) -> Form {
    for which in Which::BOTH {
        if is_there(form.side(which)) {
            *fetched.side_mut(which) = form.side(which).clone();
        }
    }
    fetched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(wall_ms: f64) -> Measured {
        Measured { run: RunState::default(), wall_ms }
    }

    #[test]
    fn short_runs_are_made_again_and_the_quickest_counts() {
        let mut best = None;
        assert!(keep(&mut best, measured(90.0)) && keep(&mut best, measured(30.0)) && keep(&mut best, measured(50.0)));
        assert_eq!(best.as_ref().map(|best| best.wall_ms), Some(30.0));
        assert!(!keep(&mut None, measured(SHORT_MS)));
    }

    #[test]
    fn what_the_server_has_is_not_sent_again() {
        let stored = |upload: &str| Side {
            content: Content::Stored { upload: upload.into(), bytes: 100, symbols: 100, head: String::new(), file: String::new() },
            ..Side::default()
        };
        let form = Form { a: stored("u"), b: stored(""), ..Form::new(kernels::job::Task::Lcs) };
        let fetched = Form { a: Side::typed("a"), b: Side::typed("b"), ..form.clone() };
        let sent = uploaded(&form, fetched);
        assert_eq!((to_send(&form), &sent.a, sent.b.text()), (100, &form.a, Some("b")));
    }
}
