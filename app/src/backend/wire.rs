//! Decodes messages of worker and server.
//!
//! The code is long and not needed before there is a message, so that it is in two downloaded parts. One comes together
//! with the worker and decodes its replies. The other decodes the server's JSON, is several times as long, and comes
//! with the first job or result of the server.

use explain::snapshot::JobSnapshot;
use explain::wire::{AlignmentOverview, ColumnNumber, DistanceCounts, OffsetScores, SharedResult, SideBySide};
use explain::worker_protocol::{ReplyEnvelope, RequestKind, WorkerReply};
use kernels::cbor::from_bytes;
use kernels::event::JobEvent;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use serde::de::DeserializeOwned;

use crate::model::problem::Problem;

impl From<SplitLoaderError> for Problem {
    fn from(_: SplitLoaderError) -> Self {
        Self::part_missing()
    }
}

/// Decodes a message of the solver into its replies, in their order.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn replies(said: Vec<u8>) -> Result<Vec<ReplyEnvelope>, Problem> {
    from_bytes(&said).ok_or_else(Problem::not_understood)
}

/// Decodes an event of a job on the server.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn event(json: String) -> Result<JobEvent, Problem> {
    read(json.as_bytes())
}

/// Decodes the snapshot of a job on the server.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn snapshot(json: Vec<u8>) -> Result<JobSnapshot, Problem> {
    read(&json)
}

/// Decodes a result that is stored on the server.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn shared_result(json: Vec<u8>) -> Result<SharedResult, Problem> {
    read(&json)
}

/// Decodes the server's response to the query `what`. Returns the reply that the worker would send to the same query.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn look(what: RequestKind, json: Vec<u8>) -> Result<WorkerReply, Problem> {
    Ok(match what {
        RequestKind::Window { .. } => WorkerReply::Window(read(&json)?),
        RequestKind::Overview { .. } => WorkerReply::Overview(read::<AlignmentOverview>(&json)?.bins),
        RequestKind::Place { .. } => WorkerReply::Place(Some(read(&json)?)),
        RequestKind::Column { .. } => WorkerReply::Column(read::<ColumnNumber>(&json)?.column),
        RequestKind::Outline => WorkerReply::Outline(read(&json)?),
        RequestKind::Editions { .. } => WorkerReply::Editions(read::<SideBySide>(&json)?.lines),
        RequestKind::Seen { .. } => WorkerReply::Seen(read(&json)?),
        RequestKind::Counts => WorkerReply::Counts(read::<DistanceCounts>(&json)?.counts),
        RequestKind::Profile { .. } => WorkerReply::Profile(read::<OffsetScores>(&json)?.spans),
        RequestKind::Matrix => WorkerReply::Matrix(read(&json)?),
        RequestKind::Dots(_) => WorkerReply::Dots(read(&json)?),
        _ => return Err(Problem::not_understood()),
    })
}

/// Decodes the body of an error response with the HTTP status `status` into the problem that it describes.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn refusal(status: u16, body: Vec<u8>) -> Result<Problem, Problem> {
    Ok(Problem::of_response(status, &String::from_utf8_lossy(&body)))
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(json).map_err(|_| Problem::not_understood())
}
