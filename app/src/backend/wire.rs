//! Decodes messages of worker and server, in parts of the page that are downloaded when the first message is expected,
//! because the code is long.
//!
//! One part comes together with the worker and decodes its [`replies`]. The other part decodes the server's JSON, is
//! several times as long, and comes with the first job or result of the server.

use explain::snapshot::JobSnapshot;
use explain::wire::{AlignmentOverview, ColumnNumber, DistanceCounts, OffsetScores, SharedResult, SideBySide};
use explain::worker_protocol::query::{AlignmentQuery, HitQuery, LayoutQuery, WorkerQuery as _};
use explain::worker_protocol::{ReplyEnvelope, RequestKind};
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

/// Returns the query `what` unchanged, and the address of its reply on the server, relative to the address of the
/// result. Returns an error if the server does not answer such a query, or if the code for this could not be
/// downloaded.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn address(what: RequestKind) -> Result<(RequestKind, String), Problem> {
    let path = what.path().ok_or_else(Problem::not_understood)?;
    Ok((what, path))
}

/// Decodes the server's JSON reply to the query `what`. Returns the reply in the encoding that the worker uses for its
/// replies.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn look(what: RequestKind, json: Vec<u8>) -> Result<Vec<u8>, Problem> {
    Ok(match what {
        RequestKind::Alignment(AlignmentQuery::Window(query)) => query.encode(&read(&json)?),
        RequestKind::Alignment(AlignmentQuery::Overview(query)) => query.encode(&read::<AlignmentOverview>(&json)?.bins),
        RequestKind::Alignment(AlignmentQuery::Place(query)) => query.encode(&Some(read(&json)?)),
        RequestKind::Alignment(AlignmentQuery::Column(query)) => query.encode(&read::<ColumnNumber>(&json)?.column),
        RequestKind::Hits(HitQuery::Page(query)) => query.encode(&read(&json)?),
        RequestKind::Hits(HitQuery::Counts(query)) => query.encode(&read::<DistanceCounts>(&json)?.counts),
        RequestKind::Hits(HitQuery::Profile(query)) => query.encode(&read::<OffsetScores>(&json)?.spans),
        RequestKind::Layout(LayoutQuery::Outline(query)) => query.encode(&read(&json)?),
        RequestKind::Layout(LayoutQuery::RowPairs(query)) => query.encode(&read::<SideBySide>(&json)?.lines),
        RequestKind::Layout(LayoutQuery::Matrix(query)) => query.encode(&read(&json)?),
        RequestKind::Layout(LayoutQuery::Dots(query)) => query.encode(&read(&json)?),
        RequestKind::Layout(LayoutQuery::Points(query)) => query.encode(&read(&json)?),
        RequestKind::Layout(LayoutQuery::Sums(query)) => query.encode(&read(&json)?),
        _ => return Err(Problem::not_understood()),
    })
}

/// Decodes the body of an error response with the HTTP status `status` into the problem that it describes. The error of
/// the result is another problem: the code for decoding could not be downloaded.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn refusal(status: u16, body: Vec<u8>) -> Result<Problem, Problem> {
    Ok(Problem::of_response(status, &String::from_utf8_lossy(&body)))
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(json).map_err(|_| Problem::not_understood())
}
