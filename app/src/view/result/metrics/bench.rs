//! Runs one job in this browser ([`solve_locally`]) and on the server ([`solve_on_server`]), to compare the times. The
//! run in this browser uses a separate worker, so that the result on the page is not replaced.

use std::cell::RefCell;
use std::rc::Rc;

use explain::worker_protocol::{RequestKind, SolveCondition, WorkerReply, WorkerRequest};
use futures::StreamExt as _;
use futures::channel::mpsc;
use js_sys::{Array, Uint8Array};
use kernels::cbor::to_bytes;
use kernels::event::JobEvent;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::backend::http::UploadHandle;
use crate::backend::{files, now, remote, sleep, wire};
use crate::model::form::{FormSide, FormState, FormText, READ_BYTES, TextContent};
use crate::model::problem::{Problem, of_failure};
use crate::model::run::figures::MeasuredRun;
use crate::model::run::snapshot;
use crate::model::run::{RunPhase, RunState};
use crate::model::text::humanize;
use crate::page::jobs;
use crate::tr;

/// Duration in milliseconds below which a run is repeated, because warming up makes the first run slower.
const MAX_REPEATED_MS: f64 = 200.0;

/// Maximum number of runs of one job in this browser or on the server.
const MAX_RUNS: usize = 3;

/// Interval at which the state of a job on the server is polled, in milliseconds.
const JOB_POLL_INTERVAL_MS: i32 = 250;

/// Returns `form` with both texts in this browser. Downloads texts that are on the server.
///
/// # Errors
/// Returns an error if the texts exceed the limit of a browser or cannot be fetched.
pub async fn with_fetched_texts(form: &FormState) -> Result<FormState, Problem> {
    if form.bytes() > READ_BYTES {
        let (got, most) = (humanize::bytes(form.bytes()), humanize::bytes(READ_BYTES));
        let detail = tr!("Both texts have {got} together, and this browser takes up to {most}.", got = got, most = most);
        return Err(Problem { limit: Some(READ_BYTES), ..Problem::new("too-large", "", detail) });
    }
    jobs::with_fetched_texts(form).await
}

/// A running comparison of this browser and the server: the worker, job and upload of the current run, so that it can
/// be cancelled. Dropping it terminates the worker.
#[derive(Default)]
pub struct EngineBench {
    solver: Option<BenchWorker>,
    job: Option<String>,
    upload: UploadHandle,
    over: bool,
}

struct BenchWorker {
    worker: Worker,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

impl Drop for BenchWorker {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// An [`EngineBench`] that its runs share with its view.
pub type SharedBench = Rc<RefCell<EngineBench>>;

/// Cancels the runs of `bench` in this browser and on the server.
pub fn stop(bench: &SharedBench) {
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

/// Solves the job of `form` in this browser in a separate worker, several times if it is short. Returns the fastest
/// run. Calls `heard` with the progress. [`stop`] cancels the run through `bench`.
///
/// # Errors
/// Returns an error if the solver rejects the form because of a limit, or if the run was cancelled.
pub async fn solve_locally(bench: &SharedBench, form: &FormState, heard: impl Fn(&RunState)) -> Result<MeasuredRun, Problem> {
    let mut messages = open(bench).ok_or_else(|| Problem::crashed("the worker did not start"))?;
    // The first message says that the worker is ready.
    message_bytes(messages.next().await)?;
    let mut best: Option<MeasuredRun> = None;
    for number in 1..=MAX_RUNS as u64 {
        let texts = [files::bytes(&form.a).await?, files::bytes(&form.b).await?];
        let began = now();
        let mut run = RunState::new(RunPhase::Reading, began);
        let what = RequestKind::Solve {
            task: form.task,
            options: form.job_options(),
            choices: form.choices(),
            offers: String::new(),
            when: SolveCondition::Always,
        };
        post(bench, &WorkerRequest { number, of: None, what }, &texts)?;
        while !run.is_over() {
            for reply in wire::replies(message_bytes(messages.next().await)?).await? {
                if let WorkerReply::Event(event) = reply.say {
                    let told = matches!(event, JobEvent::Planned(_) | JobEvent::Progress(_));
                    run.apply(event, now());
                    if told {
                        heard(&run);
                    }
                }
            }
        }
        if let RunPhase::Failed(failure) = &run.phase {
            return Err(of_failure(failure));
        }
        let measured = MeasuredRun { wall_ms: run.elapsed, run };
        if !keep(&mut best, measured) {
            break;
        }
    }
    bench.borrow_mut().solver = None;
    best.ok_or_else(stopped)
}

/// Sends the job of `form` to the server and waits for the answer, several times if it is short. Returns the fastest
/// run. Calls `heard` with the progress. [`stop`] cancels the run through `bench`.
///
/// # Errors
/// Returns an error if the server rejects the form or does not answer, or if the run was cancelled.
pub async fn solve_on_server(bench: &SharedBench, form: &FormState, heard: impl Fn(&RunState)) -> Result<MeasuredRun, Problem> {
    let upload = bench.borrow().upload.clone();
    let mut best: Option<MeasuredRun> = None;
    for _ in 0..MAX_RUNS {
        let began = now();
        let job = jobs::build_job(form, &upload, |_| {}).await?;
        let id = remote::submit_and_wait(&job).await?;
        let mut ended = now();
        // The run was cancelled while the job was being posted.
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
            sleep(JOB_POLL_INTERVAL_MS).await;
            ended = now();
        };
        bench.borrow_mut().job = None;
        match &run.phase {
            RunPhase::Failed(failure) => return Err(of_failure(failure)),
            RunPhase::Cancelled => return Err(stopped()),
            _ => {}
        }
        if !keep(&mut best, MeasuredRun { wall_ms: ended - began, run }) {
            break;
        }
    }
    best.ok_or_else(stopped)
}

/// Stores `measured` in `best` if it is faster than the run in `best`. Returns whether the run was so short that
/// another one is worthwhile.
fn keep(best: &mut Option<MeasuredRun>, measured: MeasuredRun) -> bool {
    let short = measured.wall_ms < MAX_REPEATED_MS;
    if best.as_ref().is_none_or(|best| measured.wall_ms < best.wall_ms) {
        *best = Some(measured);
    }
    short
}

/// Starts the worker. Returns a stream of its messages in order, which ends when the worker is terminated.
fn open(bench: &SharedBench) -> Option<mpsc::UnboundedReceiver<Array>> {
    let address = crate::backend::pkg().map(|pkg| format!("{pkg}/worker.js"))?;
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
    bench.borrow_mut().solver = Some(BenchWorker { worker, _on_message: on_message, _on_error: on_error });
    Some(messages)
}

/// Returns the bytes of a message from the worker. Returns an error if the message reports a failure, or if there is
/// none, because the worker was terminated.
fn message_bytes(message: Option<Array>) -> Result<Vec<u8>, Problem> {
    let message = message.ok_or_else(stopped)?;
    let replies = message.get(0).dyn_into::<Uint8Array>();
    replies.map(|replies| replies.to_vec()).map_err(|_| Problem::of_solver(&message.get(1).as_string().unwrap_or_default(), true))
}

fn post(bench: &SharedBench, ask: &WorkerRequest, texts: &[Uint8Array; 2]) -> Result<(), Problem> {
    let bench = bench.borrow();
    let solver = bench.solver.as_ref().ok_or_else(stopped)?;
    let message = Array::of3(&Uint8Array::from(&to_bytes(ask)[..]), &texts[0], &texts[1]);
    let moved = Array::of2(&texts[0].buffer(), &texts[1].buffer());
    solver.worker.post_message_with_transfer(&message, &moved).map_err(|_| Problem::crashed("the worker cannot be reached"))
}

fn stopped() -> Problem {
    Problem::new("cancelled", "", crate::tr::t("Stopped."))
}

/// Returns whether the server already has the text under an id to which a job may refer.
fn is_on_server(side: &FormText) -> bool {
    matches!(&side.content, TextContent::Stored { upload, .. } if !upload.is_empty())
}

/// Returns the number of bytes of the texts that must be uploaded for a run on the server.
pub fn to_send(form: &FormState) -> u64 {
    [&form.a, &form.b].into_iter().filter(|side| !is_on_server(side)).map(FormText::bytes).sum()
}

/// Returns the form to send to the server: `fetched`, in which each text that the server already has is replaced by its
/// id from `form`.
pub fn uploaded(form: &FormState, mut fetched: FormState) -> FormState {
    for which in FormSide::BOTH {
        if is_on_server(form.side(which)) {
            *fetched.side_mut(which) = form.side(which).clone();
        }
    }
    fetched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(wall_ms: f64) -> MeasuredRun {
        MeasuredRun { run: RunState::default(), wall_ms }
    }

    #[test]
    fn short_runs_are_repeated_and_the_fastest_counts() {
        let mut best = None;
        assert!(keep(&mut best, measured(90.0)) && keep(&mut best, measured(30.0)) && keep(&mut best, measured(50.0)));
        assert_eq!(best.as_ref().map(|best| best.wall_ms), Some(30.0));
        assert!(!keep(&mut None, measured(MAX_REPEATED_MS)));
    }

    #[test]
    fn texts_that_the_server_stores_are_not_sent_again() {
        let stored = |upload: &str| FormText {
            content: TextContent::Stored { upload: upload.into(), bytes: 100, symbols: 100, head: String::new(), file: String::new() },
            ..FormText::default()
        };
        let form = FormState { a: stored("u"), b: stored(""), ..FormState::new(kernels::job::Task::Lcs) };
        let fetched = FormState { a: FormText::typed("a"), b: FormText::typed("b"), ..form.clone() };
        let sent = uploaded(&form, fetched);
        assert_eq!((to_send(&form), &sent.a, sent.b.text()), (100, &form.a, Some("b")));
    }
}
