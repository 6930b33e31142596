//! Events: `GET /api/v1/jobs/{id}/events`, the server-sent events of a job, from the first one that the client has not
//! received.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State as In;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use kernels::event::JobEvent;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use crate::ServerState;
use crate::clients::shares::ClientSlot;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::jobs::job_handle::JobHandle;
use crate::ops::metrics::OpenGauge;
use crate::storage::ports::bus::EventBatchStream;
use crate::storage::ports::bus::ring::EventBatch;

/// Interval between comments that keep an event stream open. Proxies close a connection on which nothing is sent for 30
/// to 60 seconds.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Query of an event stream: `?after=`. A new `EventSource` needs the parameter, because it cannot send the header
/// `Last-Event-ID`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Number of the last event that the client has received. The stream begins after it. Default: 0, for all events.
    after: Option<u64>,
}

/// Handles `GET /api/v1/jobs/{id}/events`: sends the events of the job, and ends the stream after the last one.
pub async fn events(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    PathParams(id): PathParams<Id>,
    QueryParams(known): QueryParams<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let live = state.jobs.find(id).await?;
    follow(&state, client, &live, known, &headers)
}

/// Sends the events of the job `live` that the client does not know, and ends the stream after the last one.
///
/// # Errors
/// Returns `Malformed` if the header `Last-Event-ID` is no number, and `RateLimited` if the client has too many streams.
pub(super) fn follow(
    state: &ServerState,
    client: ClientIdentity,
    live: &JobHandle,
    known: EventsQuery,
    headers: &HeaderMap,
) -> Result<Response, ApiProblem> {
    let last = match headers.get("last-event-id") {
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            Some(number.ok_or_else(|| ApiProblem::new(ProblemKind::Malformed, "Last-Event-ID must be the number of an event."))?)
        }
        None => known.after,
    };
    if last.is_some_and(|last| live.is_over() && live.snapshot().seq == last) {
        // An `EventSource` connects again when the stream ends. Status 204 tells it to stop.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let place = state.budgets.reserve_stream(client)?;
    let told = state.jobs.listen(live, last.unwrap_or(0));
    let sse = Sse::new(stream(told, place)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL));
    let headers = [(HeaderName::from_static("x-accel-buffering"), "no"), (axum::http::header::CACHE_CONTROL, "no-store")];
    Ok((headers, sse).into_response())
}

/// The state of one open event stream: the job, its events that were not sent yet, and the pending batches.
struct EventStreamState {
    batches: EventBatchStream,
    ready: VecDeque<Sent>,
    _open: OpenGauge,
    _place: ClientSlot,
}

fn stream(told: EventBatchStream, place: ClientSlot) -> impl Stream<Item = Result<Sent, Infallible>> {
    let subscriber = EventStreamState { batches: told, ready: VecDeque::new(), _open: OpenGauge::event_stream(), _place: place };
    stream::unfold(subscriber, |mut subscriber| async move {
        while subscriber.ready.is_empty() {
            subscriber.ready = lines(subscriber.batches.next().await?);
        }
        subscriber.ready.pop_front().map(|event| (Ok(event), subscriber))
    })
    .fuse()
}

fn lines(told: EventBatch) -> VecDeque<Sent> {
    match told {
        EventBatch::Events(events) => events.iter().map(|(number, event)| sent(*number, event)).collect(),
        EventBatch::Resync(last) => {
            let data = json!({ "type": "resync", "seq": last }).to_string();
            VecDeque::from([Sent::default().id(last.to_string()).event("resync").data(data)])
        }
    }
}

fn sent(number: u64, event: &JobEvent) -> Sent {
    let data = serde_json::to_string(event).expect("an event has string keys and finite numbers");
    Sent::default().id(number.to_string()).event(name(event)).data(data)
}

fn name(event: &JobEvent) -> &'static str {
    match event {
        JobEvent::Queued { .. } => "queued",
        JobEvent::Planned(_) => "planned",
        JobEvent::Read(_) => "read",
        JobEvent::Stage { .. } => "stage",
        JobEvent::Progress(_) => "progress",
        JobEvent::Metric(_) => "metric",
        JobEvent::Partial(_) => "partial",
        JobEvent::Answer(_) => "answer",
        JobEvent::Compared => "compared",
        JobEvent::Failed(_) => "failed",
        JobEvent::Cancelled => "cancelled",
    }
}
