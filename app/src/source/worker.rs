//! Starts the solver's worker. This is all that a page does of it before it has something to ask, so that the solver comes while the code
//! that asks is still on its way; what it says meanwhile waits for [`local`](super::local).

use std::cell::RefCell;

use futures::channel::mpsc;
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MessageEvent, WorkerOptions, WorkerType};

/// A worker that runs.
pub struct Worker {
    /// The browser's.
    pub worker: web_sys::Worker,
    /// Live as long as it.
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

/// What is heard of one.
pub enum Sound {
    /// A message.
    Said(Array),
    /// It did not start, or broke down.
    Died,
}

/// All that is heard of one, in its order.
pub type Sounds = mpsc::UnboundedReceiver<Sound>;

/// A worker that nobody asks anything yet.
enum Early {
    None,
    Waits(Worker, Sounds),
    /// Somebody has it: who asks starts others.
    Taken,
}

thread_local! {
    static EARLY: RefCell<Early> = const { RefCell::new(Early::None) };
}

/// Starts a worker for who will ask, unless there was one.
pub fn start_early() {
    EARLY.with_borrow_mut(|early| {
        if let Early::None = early
            && let Some((worker, sounds)) = start()
        {
            *early = Early::Waits(worker, sounds);
        }
    });
}

/// The worker that was started early, or another one.
pub fn take() -> Option<(Worker, Sounds)> {
    match EARLY.replace(Early::Taken) {
        Early::Waits(worker, sounds) => Some((worker, sounds)),
        Early::None | Early::Taken => start(),
    }
}

fn start() -> Option<(Worker, Sounds)> {
    let address = crate::source::document::pkg().map(|pkg| format!("{pkg}/worker.js"))?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = web_sys::Worker::new_with_options(&address, &options).ok()?;
    let (sender, sounds) = mpsc::unbounded();
    let dies = sender.clone();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let _ = sender.unbounded_send(Sound::Said(event.data().unchecked_into()));
    });
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(move |_| {
        let _ = dies.unbounded_send(Sound::Died);
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Some((Worker { worker, _on_message: on_message, _on_error: on_error }, sounds))
}
