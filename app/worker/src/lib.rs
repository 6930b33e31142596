//! The solver in a Web Worker: asks in, replies out, and the clock.
//!
//! A worker cannot hear "stop" while it computes, so there is no such message: the page terminates the worker and starts
//! another. `loader.js` is the script that the page starts; it calls [`open`] once and [`receive`] for each message, one after the other.
//!
//! Beside it [`short_distance`] compares two short strings, for JavaScript that has many of them: `distance.js` is its other half.
//!
//! - [`desk`]: what is done with an ask
//! - [`later`]: what is fetched when it is first asked for
//! - `qr`: links for phones

use std::cell::RefCell;

use explain::ask::{Ask, PART_MISSING, Reply};
use js_sys::{Array, Uint8Array};
use kernels::cbor::{Cbor, array, from_bytes};
use kernels::task::edit_distance::short_pairs::ShortPairs;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::DedicatedWorkerGlobalScope;

use crate::desk::{Beside, Desk, World};

pub mod desk;
pub mod later;
mod qr;

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now() -> f64 {
    scope().performance().map_or(0.0, |performance| performance.now())
}

/// Replies that cannot be posted have nobody to read them: the page is gone.
fn post(replies: &[Reply], beside: &[u8]) {
    let mut written = Vec::new();
    array(&mut written, replies.len() as u64);
    replies.iter().for_each(|reply| reply.write(&mut written));
    let message = Array::of2(&Uint8Array::from(&written[..]), &Uint8Array::from(beside));
    let _ = scope().post_message(&message);
}

/// Says that this solver is there.
#[wasm_bindgen]
pub fn open() {
    DESK.set(Some(Desk::open(World { now, post })));
}

/// Takes one message of the page: an ask, and the bytes beside it. Fetches what the ask needs and is not here yet; whoever calls waits for its end
/// before the next call.
///
/// # Errors
/// When the message is not an ask.
#[wasm_bindgen]
pub async fn receive(ask: Vec<u8>, a: Option<Vec<u8>>, b: Option<Vec<u8>>) -> Result<(), JsValue> {
    let ask: Ask = from_bytes(&ask).ok_or_else(|| JsValue::from("this is no ask"))?;
    let beside = Beside { a: a.unwrap_or_default(), b: b.unwrap_or_default() };
    #[cfg(target_family = "wasm")]
    for part in later::Part::all_of(&ask.what, [&beside.a, &beside.b]) {
        if let Err(failure) = later::fetch(part).await {
            DESK.with_borrow(|desk| {
                if let Some(desk) = desk {
                    desk.refuse(&ask, failure);
                }
            });
            return Ok(());
        }
    }
    DESK.with_borrow_mut(|desk| {
        if let Some(desk) = desk {
            desk.answer(ask, beside);
        }
    });
    Ok(())
}

static SHORT_PAIRS: ShortPairs = ShortPairs::new();

/// Where in this module's memory the code units of the shorter string are written, 64 at most.
#[wasm_bindgen]
pub fn short_pattern() -> *const u16 {
    SHORT_PAIRS.pattern().as_ptr().cast()
}

/// Where those of the longer string are written, 1024 at most.
#[wasm_bindgen]
pub fn short_text() -> *const u16 {
    SHORT_PAIRS.text().as_ptr().cast()
}

/// Edit distance of the `m` and `n` code units that were written, `m ≤ n`.
#[wasm_bindgen]
pub fn short_distance(m: usize, n: usize) -> u32 {
    SHORT_PAIRS.distance(m, n)
}

/// Fetches what [`long_distance`] needs.
///
/// # Errors
/// When it does not come. It is tried again the next time.
#[wasm_bindgen]
pub async fn fetch_long_distance() -> Result<(), JsValue> {
    #[cfg(target_family = "wasm")]
    later::fetch(later::Part::Solver(kernels::job::Task::EditDistance)).await.map_err(|failure| JsValue::from(failure.to_string()))?;
    Ok(())
}

/// Edit distance of any two strings of UTF-16 code units.
///
/// # Errors
/// When it cannot be computed; before [`fetch_long_distance`].
#[wasm_bindgen]
pub fn long_distance(a: &[u16], b: &[u16]) -> Result<f64, JsValue> {
    let of_units = later::of_units().ok_or_else(|| JsValue::from(PART_MISSING))?;
    of_units(a, b).map(|distance| distance as f64).map_err(|failure| JsValue::from(failure.to_string()))
}
