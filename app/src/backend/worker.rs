//! Starts the web worker that runs the solver: [`start_early`] before the first request, [`take`] for the module that
//! uses it ([`local`](super::local)).
//!
//! This module is part of the first download, so that the solver and `local` are downloaded at the same time. Messages
//! of the worker are queued until `local` is loaded.

use std::cell::RefCell;

use futures::channel::mpsc;
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MessageEvent, WorkerOptions, WorkerType};

/// A running worker.
pub struct RunningWorker {
    pub worker: web_sys::Worker,
    /// Handler of messages. Handlers are stored because they must live as long as the worker.
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

/// A message from a worker, or the worker's failure.
pub enum WorkerMessage {
    Said(Array),
    /// The worker did not start, or broke down.
    Died,
}

/// The messages from a worker, in their order.
pub type WorkerMessages = mpsc::UnboundedReceiver<WorkerMessage>;

/// The state of the worker that is started before the first request: not started, waiting for a caller, or taken.
enum EarlyWorker {
    None,
    Waits(RunningWorker, WorkerMessages),
    /// A caller of [`take`] has received the worker. Later calls start other workers.
    Taken,
}

thread_local! {
    static EARLY: RefCell<EarlyWorker> = const { RefCell::new(EarlyWorker::None) };
}

/// Starts a worker before the first request, unless a worker was started or taken already.
pub fn start_early() {
    EARLY.with_borrow_mut(|early| {
        if let EarlyWorker::None = early
            && let Some((worker, sounds)) = start()
        {
            *early = EarlyWorker::Waits(worker, sounds);
        }
    });
}

/// Returns the worker that was started early, or starts another one, together with the worker's messages. Returns
/// `None` if no worker can be started.
pub fn take() -> Option<(RunningWorker, WorkerMessages)> {
    match EARLY.replace(EarlyWorker::Taken) {
        EarlyWorker::Waits(worker, sounds) => Some((worker, sounds)),
        EarlyWorker::None | EarlyWorker::Taken => start(),
    }
}

/// Starts a worker. Its name is the number of helpers that it may start for long requests.
fn start() -> Option<(RunningWorker, WorkerMessages)> {
    let address = crate::backend::pkg().map(|pkg| format!("{pkg}/worker.js"))?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    // One core is left to the page and to other programs.
    let helpers = (leptos::prelude::window().navigator().hardware_concurrency() as u32).saturating_sub(1);
    options.set_name(&helpers.to_string());
    let worker = web_sys::Worker::new_with_options(&address, &options).ok()?;
    let (sender, sounds) = mpsc::unbounded();
    let dies = sender.clone();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let _ = sender.unbounded_send(WorkerMessage::Said(event.data().unchecked_into()));
    });
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |_| {
        let _ = dies.unbounded_send(WorkerMessage::Died);
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Some((RunningWorker { worker, _on_message: on_message, _on_error: on_error }, sounds))
}
