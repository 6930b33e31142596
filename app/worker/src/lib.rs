//! The solver in a Web Worker: receives requests, posts replies, and reads the clock.
//!
//! A worker receives no message while it computes, so there is no message to cancel: the page terminates the worker and
//! starts another. `loader.js` is the script that the page starts. It calls [`open`] once and [`receive`] for each
//! message, one after the other.
//!
//! A long request is divided into shares, and further workers help to compute them: `helpers.js` starts these helpers, which
//! call [`begin_shares`] once and [`solve_share`] for each share. No memory is shared, so that the page needs no isolation from
//! pages that embed it.
//!
//! [`short_distance`] compares two short strings for JavaScript code that has many pairs of strings; `distance.js`
//! calls it.
//!
//! - [`solver_state`]: the solver, which answers requests
//! - [`session`]: the state that all requests share; `kept_result`: the result that the solver stores
//! - [`solver_parts`]: parts of the solver that are loaded later
//! - `collection`: comparison of all texts of a collection
//! - `patterns`: searches for many patterns
//! - `shares`: requests with many texts that several workers answer together
//! - `pair_shares`: jobs about two texts that several workers solve together
//! - `qr`: QR codes of links

use std::cell::RefCell;

use explain::worker_protocol::{PART_MISSING, ReplyEnvelope, WorkerRequest};
use js_sys::{Array, Uint8Array};
use kernels::cbor::{Cbor, array, from_bytes};
use kernels::failure::JobFailure;
use kernels::task::edit_distance::short_pairs::ShortPairs;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::DedicatedWorkerGlobalScope;

use crate::session::{RequestBytes, WorkerEnvironment};
use crate::solver_state::SolverState;

mod collection;
mod kept_result;
mod pair_shares;
mod patterns;
mod qr;
pub mod session;
mod shares;
pub mod solver_parts;
pub mod solver_state;

thread_local! {
    static SOLVER_STATE: RefCell<Option<SolverState>> = const { RefCell::new(None) };
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now() -> f64 {
    scope().performance().map_or(0.0, |performance| performance.now())
}

/// Posts replies to the page, with the bytes that belong to the last one. Ignores errors, because they mean that the
/// page is gone.
fn post(replies: &[ReplyEnvelope], beside: &[u8]) {
    let mut written = Vec::new();
    array(&mut written, replies.len() as u64);
    replies.iter().for_each(|reply| reply.write(&mut written));
    let message = Array::of2(&Uint8Array::from(&written[..]), &Uint8Array::from(beside));
    let _ = scope().post_message(&message);
}

/// Creates the solver and tells the page that it is ready.
#[wasm_bindgen]
pub fn open() {
    SOLVER_STATE.set(Some(SolverState::open(WorkerEnvironment { now, post })));
}

/// Handles one message of the page: the request `ask` in CBOR, and the bytes `a` and `b` that come with it. Loads the
/// parts of the solver that the request needs. The caller must wait for the end before its next call.
///
/// Returns the number of shares of a long request if there are `helpers`, other workers. The caller must let them compute
/// shares, pass each result to [`add_result`], and call [`finish`]. Other requests have no shares.
///
/// # Errors
/// Returns an error if `ask` is not a valid request.
#[wasm_bindgen]
pub async fn receive(ask: Vec<u8>, a: Option<Vec<u8>>, b: Option<Vec<u8>>, helpers: usize) -> Result<usize, JsValue> {
    let (ask, beside) = read_request(&ask, a, b)?;
    let fetched = fetch_parts(&ask, &beside).await;
    Ok(with_solver(|desk| match fetched {
        Ok(()) => desk.answer(ask, beside, helpers),
        Err(failure) => {
            desk.refuse(&ask, failure);
            0
        }
    }))
}

/// Stores the result of a share, and reports the progress to the page. Without a result, computes the share in this worker,
/// which has divided the request.
#[wasm_bindgen]
pub fn add_result(share: usize, result: Option<Vec<u8>>) {
    with_solver(|desk| desk.add_result(share, result));
}

/// Returns what a helper needs for a share, beside the request.
#[wasm_bindgen]
pub fn share_details(share: usize) -> Vec<u8> {
    with_solver(|desk| desk.share_details(share))
}

/// Joins the results of all shares of the request that [`receive`] has divided, which `workers` workers have computed.
/// Computes the shares without a result. Answers the request and returns 0, or returns the number of further shares.
#[wasm_bindgen]
pub fn finish(workers: usize) -> usize {
    with_solver(|desk| desk.finish(workers))
}

/// Prepares this worker to compute shares of a request that another worker has divided. The arguments are those of
/// [`receive`].
///
/// # Errors
/// Returns an error without a text if the request cannot be read.
#[wasm_bindgen]
pub async fn begin_shares(ask: Vec<u8>, a: Option<Vec<u8>>, b: Option<Vec<u8>>, helpers: usize) -> Result<(), JsValue> {
    let (ask, beside) = read_request(&ask, a, b)?;
    fetch_parts(&ask, &beside).await.map_err(|_| JsValue::NULL)?;
    with_solver(|desk| desk.begin_shares(ask.what, beside, helpers)).map_err(|_| JsValue::NULL)
}

/// Computes a share of the request of [`begin_shares`]. `details` are those of [`share_details`].
///
/// # Errors
/// Returns an error without a text if the share cannot be computed.
#[wasm_bindgen]
pub fn solve_share(share: usize, details: &[u8]) -> Result<Vec<u8>, JsValue> {
    with_solver(|desk| desk.solve_share(share, details)).map_err(|_| JsValue::NULL)
}

/// Calls `work` with the solver, which is created if this worker has none.
fn with_solver<T>(work: impl FnOnce(&mut SolverState) -> T) -> T {
    SOLVER_STATE.with_borrow_mut(|desk| work(desk.get_or_insert_with(|| SolverState::new(WorkerEnvironment { now, post }))))
}

fn read_request(ask: &[u8], a: Option<Vec<u8>>, b: Option<Vec<u8>>) -> Result<(WorkerRequest, RequestBytes), JsValue> {
    let ask = from_bytes(ask).ok_or_else(|| JsValue::from("this is no request"))?;
    Ok((ask, RequestBytes { a: a.unwrap_or_default(), b: b.unwrap_or_default() }))
}

/// Loads the parts of the solver that a request needs.
#[cfg_attr(not(target_family = "wasm"), expect(clippy::unused_async, reason = "other targets have all parts"))]
async fn fetch_parts(ask: &WorkerRequest, beside: &RequestBytes) -> Result<(), JobFailure> {
    #[cfg(target_family = "wasm")]
    for part in solver_parts::SolverPart::all_for_request(&ask.what, [&beside.a, &beside.b]) {
        solver_parts::fetch(part).await?;
    }
    #[cfg(not(target_family = "wasm"))]
    let _ = (ask, beside);
    Ok(())
}

static SHORT_PAIRS: ShortPairs = ShortPairs::new();

/// Returns the address, in the memory of this module, at which the caller writes the code units of the shorter string,
/// at most 64.
#[wasm_bindgen]
pub fn short_pattern() -> *const u16 {
    SHORT_PAIRS.pattern().as_ptr().cast()
}

/// Returns the address, in the memory of this module, at which the caller writes the code units of the longer string,
/// at most 1024.
#[wasm_bindgen]
pub fn short_text() -> *const u16 {
    SHORT_PAIRS.text().as_ptr().cast()
}

/// Returns the edit distance of the `m` code units at [`short_pattern`] and the `n` code units at [`short_text`]. `m`
/// must not exceed `n`.
#[wasm_bindgen]
pub fn short_distance(m: usize, n: usize) -> u32 {
    SHORT_PAIRS.distance(m, n)
}

/// Loads the code that [`long_distance`] needs.
///
/// # Errors
/// Returns an error if the code cannot be loaded. The next call tries again.
#[wasm_bindgen]
pub async fn fetch_long_distance() -> Result<(), JsValue> {
    #[cfg(target_family = "wasm")]
    solver_parts::fetch(solver_parts::SolverPart::Solver(kernels::job::Task::EditDistance))
        .await
        .map_err(|failure| JsValue::from(failure.to_string()))?;
    Ok(())
}

/// Returns the edit distance of the strings `a` and `b` of UTF-16 code units, of any length.
///
/// # Errors
/// Returns an error if [`fetch_long_distance`] has not succeeded, or if the distance cannot be computed.
#[wasm_bindgen]
pub fn long_distance(a: &[u16], b: &[u16]) -> Result<f64, JsValue> {
    let of_units = solver_parts::loaded_long_distance().ok_or_else(|| JsValue::from(PART_MISSING))?;
    of_units(a, b).map(|distance| distance as f64).map_err(|failure| JsValue::from(failure.to_string()))
}
