//! What the worker and the server say about jobs, read by a part of the page of its own: it is long code that is not needed before
//! there is something to read, and comes together with the worker.

use explain::ask::Reply;
use explain::snapshot::Snapshot;
use explain::wire::SharedResult;
use kernels::event::Event;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use serde::de::DeserializeOwned;

use crate::problem::Problem;

impl From<SplitLoaderError> for Problem {
    fn from(_: SplitLoaderError) -> Self {
        Self::part_missing()
    }
}

/// A message of the solver: replies, in their order.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn replies(json: String) -> Result<Vec<Reply>, Problem> {
    read(json.as_bytes())
}

/// An event of a job.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn event(json: String) -> Result<Event, Problem> {
    read(json.as_bytes())
}

/// A job as it stands.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn snapshot(json: Vec<u8>) -> Result<Snapshot, Problem> {
    read(&json)
}

/// A stored result.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn shared_result(json: Vec<u8>) -> Result<SharedResult, Problem> {
    read(&json)
}

/// The server's answer to a request that it refused.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn refusal(status: u16, body: Vec<u8>) -> Result<Problem, Problem> {
    Ok(Problem::of_response(status, &String::from_utf8_lossy(&body)))
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(json).map_err(|_| Problem::not_understood())
}
