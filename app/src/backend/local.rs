//! Client of the solver, which runs in a web worker of this browser. [`send_request`] sends a request, [`stop`] cancels the
//! current one.
//!
//! One worker stays alive for all requests. A worker receives no message while it computes, so that cancelling means
//! terminating it and starting another. The worker gets one request at a time, in the order of [`queue`](super::queue).
//! Its replies are decoded by a part of the page that is downloaded beside the worker ([`wire`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use explain::worker_protocol::query::{KeepQuery, ToolQuery, WorkerQuery};
use explain::worker_protocol::{RequestKind, ResultId, WorkerReply, WorkerRequest};
use futures::StreamExt as _;
use futures::channel::oneshot;
use js_sys::{Array, Uint8Array};
use kernels::cbor::to_bytes;
use leptos::ev;
use leptos::prelude::{document, window_event_listener};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::queue::{RequestQueue, RequestScope};
use super::worker::{self, RunningWorker, WorkerMessage};
use super::{sleep, wire};
use crate::model::problem::{Problem, of_failure};
use crate::model::run::location::ResultLocation;

/// Time in milliseconds that a request to solve a form waits while the worker is busy with another request. After that
/// time the worker is terminated.
const BUSY_TIMEOUT_MS: i32 = 250;

/// The outcome of a request to the worker.
pub enum ReplyOutcome {
    /// A reply and the bytes that came with it.
    Said(WorkerReply, Vec<u8>),
    /// The worker failed and was replaced, or its reply could not be decoded.
    Broken(Problem),
}

type ReplyHandler = Rc<dyn Fn(ReplyOutcome)>;

/// A request as the message that the worker receives, with the list of the buffers that are transferred and not copied.
struct EncodedRequest {
    message: Array,
    transfer_list: Array,
}

#[derive(Default)]
struct WorkerClient {
    solver: Option<RunningWorker>,
    /// Whether the worker has reported that it is ready. A worker that is still starting is not terminated.
    is_ready: bool,
    queue: RequestQueue<EncodedRequest>,
    handlers: HashMap<u64, ReplyHandler>,
    last_request: u64,
    /// Whether workers are told when the page is hidden or shown.
    follows_visibility: bool,
    /// The alignment of the server that the worker has a copy of, and the number of the request that sent the copy.
    copy: Option<(ResultLocation, u64)>,
}

thread_local! {
    static WORKER_CLIENT: RefCell<WorkerClient> = RefCell::default();
}

/// Starts to receive messages of a worker, if no worker is connected yet. Uses the worker that was started early, or
/// starts another.
fn warm_up() {
    if WORKER_CLIENT.with_borrow(|desk| desk.solver.is_some()) {
        return;
    }
    let Some((worker, mut sounds)) = worker::take() else { return };
    spawn_local(async move {
        while let Some(sound) = sounds.next().await {
            match sound {
                WorkerMessage::Said(message) => handle_message(&message).await,
                WorkerMessage::Died => {
                    fail_all_requests(Problem::of_solver("it ended without a word", WORKER_CLIENT.with_borrow(|desk| desk.is_ready)))
                }
            }
        }
    });
    let is_first = WORKER_CLIENT.with_borrow_mut(|desk| {
        desk.solver = Some(worker);
        !std::mem::replace(&mut desk.follows_visibility, true)
    });
    if is_first {
        // The listener stays as long as the page.
        let _ = window_event_listener(ev::visibilitychange, |_| send_visibility());
    }
    send_visibility();
}

/// Tells the worker whether the page is hidden, because a hidden page uses one core.
fn send_visibility() {
    let worker = WORKER_CLIENT.with_borrow(|desk| desk.solver.as_ref().map(|solver| solver.worker.clone()));
    if let Some(worker) = worker {
        let _ = worker.post_message(&document().hidden().into());
    }
}

/// Sends the request `what` to the worker, together with the byte arrays `beside`. Calls `ear` with every reply, and
/// drops it without a reply if the request becomes outdated, for example because a newer form replaced it. Returns the
/// number of the request.
pub fn send_request(what: RequestKind, beside: &[Uint8Array], ear: impl Fn(ReplyOutcome) + 'static) -> u64 {
    send_result_request(what, None, beside, ear)
}

fn send_result_request(what: RequestKind, of: Option<ResultId>, beside: &[Uint8Array], ear: impl Fn(ReplyOutcome) + 'static) -> u64 {
    let kind = RequestScope::from(&what);
    let (ask, moved) = (Array::new(), Array::new());
    let (number, void) = WORKER_CLIENT.with_borrow_mut(|desk| {
        desk.last_request += 1;
        let number = desk.last_request;
        if matches!(what, RequestKind::Solve { .. } | RequestKind::Tool(ToolQuery::Keep(_))) {
            desk.copy = None;
        }
        ask.push(&Uint8Array::from(&to_bytes(&WorkerRequest { number, of, what })[..]));
        for bytes in beside {
            ask.push(bytes);
            moved.push(&bytes.buffer());
        }
        desk.handlers.insert(number, Rc::new(ear));
        let void = desk.queue.push(number, kind, EncodedRequest { message: ask, transfer_list: moved });
        (number, desk.forget(&void))
    });
    drop(void);
    warm_up();
    if WORKER_CLIENT.with_borrow(|desk| desk.solver.is_none()) {
        fail_all_requests(Problem::crashed("the worker cannot be reached"));
    }
    send();
    if kind == RequestScope::Form {
        spawn_local(restart_if_busy(number));
    }
    number
}

impl WorkerClient {
    /// Removes and returns the handlers of the requests `numbers`, which are outdated. The caller must drop the
    /// handlers only when [`WORKER_CLIENT`] is no longer borrowed, because dropping them may run code that borrows it.
    fn forget(&mut self, numbers: &[u64]) -> Vec<ReplyHandler> {
        numbers.iter().filter_map(|number| self.handlers.remove(number)).collect()
    }
}

/// Sends the next request to the worker, if the worker is free.
fn send() {
    let next = WORKER_CLIENT.with_borrow_mut(|desk| {
        let worker = desk.solver.as_ref()?.worker.clone();
        Some((worker, desk.queue.take_next()?))
    });
    if let Some((worker, EncodedRequest { message: ask, transfer_list: moved })) = next
        && worker.post_message_with_transfer(&ask, &moved).is_err()
    {
        fail_all_requests(Problem::crashed("the worker cannot be reached"));
    }
}

/// Waits for [`BUSY_TIMEOUT_MS`]. Then restarts the worker if it is busy and the form with the request `number` is
/// still waiting. A worker that is still starting gets more time.
async fn restart_if_busy(number: u64) {
    loop {
        sleep(BUSY_TIMEOUT_MS).await;
        let (waits, is_ready) = WORKER_CLIENT.with_borrow(|desk| (desk.queue.is_waiting(number), desk.is_ready));
        if !waits {
            return;
        }
        if is_ready {
            return restart();
        }
    }
}

/// The encoded reply to a request that has one reply.
struct EncodedReply {
    /// Number of the request.
    request_number: u64,
    bytes: Vec<u8>,
}

/// Sends the request `what`, which has one reply, and waits for the reply. `of` is the result that the request is
/// about, and `beside` are byte arrays to send along. Returns `None` if the worker no longer has that result, or if the
/// request became outdated because a newer form replaced it.
async fn request_reply(what: RequestKind, of: Option<ResultId>, beside: &[Uint8Array]) -> Option<Result<EncodedReply, Problem>> {
    let (sender, receiver) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let ask = send_result_request(what, of, beside, move |heard| {
        if let Some(sender) = sender.take() {
            let _ = sender.send(heard);
        }
    });
    match receiver.await {
        Ok(ReplyOutcome::Said(WorkerReply::Gone, _)) | Err(_) => None,
        Ok(ReplyOutcome::Said(WorkerReply::Found, bytes)) => Some(Ok(EncodedReply { request_number: ask, bytes })),
        Ok(ReplyOutcome::Said(WorkerReply::Refused(failure), _)) => Some(Err(of_failure(&failure))),
        Ok(ReplyOutcome::Said(..)) => Some(Err(Problem::crashed("unexpected reply"))),
        Ok(ReplyOutcome::Broken(problem)) => Some(Err(problem)),
    }
}

/// Sends a request about the result `of` like [`request_reply`], but never returns if the request is outdated because a
/// newer form replaced it. In that case the result is being replaced too, so that the waiting caller is about to be
/// dropped.
async fn request_result_reply(what: RequestKind, of: Option<ResultId>, beside: &[Uint8Array]) -> Result<EncodedReply, Problem> {
    match request_reply(what, of, beside).await {
        Some(answered) => answered,
        None => std::future::pending().await,
    }
}

/// Sends a query about the result `of` to the worker. Returns the encoded reply, or the bytes of an exported file. Never
/// returns if the worker no longer has the result.
pub async fn query_result(what: RequestKind, of: Option<ResultId>) -> Result<Vec<u8>, Problem> {
    request_result_reply(what, of, &[]).await.map(|reply| reply.bytes)
}

/// Copies the alignment `at` of the server to the worker, given as a CIGAR string. Returns the encoded reply. Never
/// returns if a form is solved instead.
pub async fn copy_alignment(at: &ResultLocation, cigar: &Uint8Array) -> Result<Vec<u8>, Problem> {
    let EncodedReply { request_number: ask, bytes } = request_result_reply(KeepQuery {}.into(), None, std::slice::from_ref(cigar)).await?;
    WORKER_CLIENT.with_borrow_mut(|desk| desk.copy = Some((at.clone(), ask)));
    Ok(bytes)
}

/// Returns the number of the request that copied the alignment `at` to the worker, or `None` if the worker does not
/// have this copy.
pub fn copy_of(at: &ResultLocation) -> Option<u64> {
    WORKER_CLIENT.with_borrow(|desk| desk.copy.as_ref().filter(|(of, _)| of == at).map(|(_, number)| *number))
}

/// Sends a query that is not bound to a result of the worker, with the byte arrays `beside`. Returns the decoded reply,
/// or `None` if the query fails.
pub async fn query_any_result<Q: WorkerQuery>(query: Q, beside: &[Uint8Array]) -> Option<Q::Reply> {
    Q::decode(&request_reply(query.into(), None, beside).await?.ok()?.bytes)
}

/// Terminates the worker and starts another, which continues with the waiting requests that do not belong to a form or
/// result. All other requests get no reply.
pub fn stop() {
    let void = WORKER_CLIENT.with_borrow_mut(|desk| {
        let void = desk.queue.give_up_results();
        desk.forget(&void)
    });
    drop(void);
    restart();
}

/// Terminates the worker together with its current request, and starts another that continues with the next request.
/// Discards the waiting queries of results, because the new worker has no results.
fn restart() {
    let (solver, void) = WORKER_CLIENT.with_borrow_mut(|desk| {
        (desk.copy, desk.is_ready) = (None, false);
        let void = desk.queue.restart();
        (desk.solver.take(), desk.forget(&void))
    });
    if let Some(solver) = solver {
        solver.worker.terminate();
    }
    drop(void);
    warm_up();
    send();
}

async fn handle_message(message: &Array) {
    let Ok(replies) = message.get(0).dyn_into::<Uint8Array>() else {
        let is_ready = WORKER_CLIENT.with_borrow(|desk| desk.is_ready);
        return fail_all_requests(Problem::of_solver(&message.get(1).as_string().unwrap_or_default(), is_ready));
    };
    let replies = match wire::replies(replies.to_vec()).await {
        Ok(replies) => replies,
        Err(problem) => return fail_all_requests(problem),
    };
    let mut bytes = message.get(1).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
    let last = replies.len().saturating_sub(1);
    for (at, reply) in replies.into_iter().enumerate() {
        let ear = WORKER_CLIENT.with_borrow_mut(|desk| {
            desk.is_ready |= reply.say == WorkerReply::Ready;
            if reply.say.is_last() {
                desk.queue.finish(reply.number);
                return desk.handlers.remove(&reply.number);
            }
            desk.handlers.get(&reply.number).cloned()
        });
        if let Some(ear) = ear {
            ear(ReplyOutcome::Said(reply.say, if at == last { std::mem::take(&mut bytes) } else { Vec::new() }));
        }
    }
    send();
}

fn fail_all_requests(problem: Problem) {
    let (solver, ears) = WORKER_CLIENT.with_borrow_mut(|desk| {
        (desk.copy, desk.is_ready, desk.queue) = (None, false, RequestQueue::default());
        (desk.solver.take(), std::mem::take(&mut desk.handlers))
    });
    if let Some(solver) = solver {
        solver.worker.terminate();
        // Drops the closures later because one of them may be on the call stack.
        spawn_local(async move {
            sleep(0).await;
            drop(solver);
        });
    }
    ears.into_values().for_each(|ear| ear(ReplyOutcome::Broken(problem.clone())));
}
