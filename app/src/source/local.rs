//! The solver in this browser: one worker that is kept warm. It cannot hear "stop" while it computes, so stopping is ending it
//! and starting another. What it says is read by a part of the page that is downloaded beside it ([`wire`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use explain::ask::{Ask, Say, What};
use explain::matrix::document::Sheet;
use futures::StreamExt as _;
use futures::channel::{mpsc, oneshot};
use js_sys::{Array, Uint8Array};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::wire;
use crate::problem::Problem;
use crate::tr::t;

/// What comes back for an ask.
pub enum Heard {
    /// A reply and the bytes beside it.
    Said(Say, Vec<u8>),
    /// The worker broke down, and another one is there; or what it says cannot be read.
    Broken(Problem),
}

type Ear = Rc<dyn Fn(Heard)>;

struct Solver {
    worker: Worker,
    /// Lives as long as the worker.
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(web_sys::Event)>,
}

#[derive(Default)]
struct Desk {
    solver: Option<Solver>,
    ears: HashMap<u64, Ear>,
    asked: u64,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Starts the worker, if there is none yet.
pub fn warm_up() {
    if DESK.with_borrow(|desk| desk.solver.is_some()) {
        return;
    }
    let Some(address) = crate::visit::pkg().map(|pkg| format!("{pkg}/worker.js")) else { return };
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let Ok(worker) = Worker::new_with_options(&address, &options) else { return };
    let (sender, mut messages) = mpsc::unbounded::<Array>();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let _ = sender.unbounded_send(event.data().unchecked_into());
    });
    spawn_local(async move {
        while let Some(message) = messages.next().await {
            hear(&message).await;
        }
    });
    let on_error = Closure::<dyn Fn(web_sys::Event)>::new(|_| broken(Problem::crashed("the worker did not start")));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    DESK.with_borrow_mut(|desk| desk.solver = Some(Solver { worker, _on_message: on_message, _on_error: on_error }));
}

/// Asks; `ear` hears every reply. Returns the number of the ask.
pub fn ask(what: What, beside: &[Uint8Array], ear: impl Fn(Heard) + 'static) -> u64 {
    warm_up();
    let (number, worker) = DESK.with_borrow_mut(|desk| {
        desk.asked += 1;
        desk.ears.insert(desk.asked, Rc::new(ear));
        (desk.asked, desk.solver.as_ref().map(|solver| solver.worker.clone()))
    });
    let message = Array::new();
    let json = serde_json::to_string(&Ask { number, what });
    message.push(&json.unwrap_or_default().into());
    let moved = Array::new();
    for bytes in beside {
        message.push(bytes);
        moved.push(&bytes.buffer());
    }
    if worker.is_none_or(|worker| worker.post_message_with_transfer(&message, &moved).is_err()) {
        broken(Problem::crashed("the worker cannot be reached"));
    }
    number
}

/// Asks for something that one reply answers.
pub async fn ask_once(what: What, beside: &[Uint8Array]) -> Result<(Say, Vec<u8>), Problem> {
    let (sender, receiver) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let number = ask(what, beside, move |heard| {
        if let Some(sender) = sender.take() {
            let _ = sender.send(heard);
        }
    });
    let heard = receiver.await;
    done(number);
    match heard {
        Ok(Heard::Said(say, bytes)) => Ok((say, bytes)),
        Ok(Heard::Broken(problem)) => Err(problem),
        Err(_) => Err(Problem::new("cancelled", t("Cancelled"), t("The solver was stopped."))),
    }
}

/// Looks at what the worker keeps.
pub async fn look(what: What) -> Result<(Say, Vec<u8>), Problem> {
    ask_once(what, &[]).await
}

/// A text as a QR code: modules a side, and the outline of the dark ones; `None` when it is too long for one.
pub async fn code(text: String) -> Option<(u32, String)> {
    match look(What::Code { text }).await {
        Ok((Say::Code { size, path }, _)) => Some((size, path)),
        _ => None,
    }
}

/// The BLAKE3 of two texts, in hexadecimal.
pub async fn digest(texts: [Uint8Array; 2]) -> Option<[String; 2]> {
    match ask_once(What::Digest, &texts).await {
        Ok((Say::Digest { a, b }, _)) => Some([a, b]),
        _ => None,
    }
}

/// The symbols of the last run's matrix; `None` where there is no run, or its texts are long.
pub async fn sheet() -> Option<Sheet> {
    match look(What::Matrix).await {
        Ok((Say::Matrix(sheet), _)) => Some(sheet),
        _ => None,
    }
}

/// Nothing more is expected for this ask.
pub fn done(number: u64) {
    DESK.with_borrow_mut(|desk| desk.ears.remove(&number));
}

/// Ends whatever the worker does and starts a fresh one. Nobody hears anything of what was under way.
pub fn stop() {
    super::forget_kept();
    let (solver, ears) = DESK.with_borrow_mut(|desk| (desk.solver.take(), std::mem::take(&mut desk.ears)));
    if let Some(solver) = solver {
        solver.worker.terminate();
    }
    drop(ears);
    warm_up();
}

async fn hear(message: &Array) {
    let Some(json) = message.get(0).as_string() else {
        return broken(Problem::crashed(&message.get(1).as_string().unwrap_or_default()));
    };
    let replies = match wire::replies(json).await {
        Ok(replies) => replies,
        Err(problem) => return broken(problem),
    };
    let mut bytes = message.get(1).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
    let last = replies.len().saturating_sub(1);
    for (at, reply) in replies.into_iter().enumerate() {
        let ear = DESK.with_borrow(|desk| desk.ears.get(&reply.number).cloned());
        if let Some(ear) = ear {
            ear(Heard::Said(reply.say, if at == last { std::mem::take(&mut bytes) } else { Vec::new() }));
        }
    }
}

fn broken(problem: Problem) {
    super::forget_kept();
    let (solver, ears) = DESK.with_borrow_mut(|desk| (desk.solver.take(), std::mem::take(&mut desk.ears)));
    if let Some(solver) = &solver {
        solver.worker.terminate();
    }
    // Its closures are on the call stack now; they are freed with it, not under it.
    std::mem::forget(solver);
    ears.into_values().for_each(|ear| ear(Heard::Broken(problem.clone())));
}
