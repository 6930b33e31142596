//! `GET /api/v1/jobs/{id}/events`: server-sent events, from the first one that the subscriber has not received.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State as In;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use kernels::event::Event;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use crate::State;
use crate::clients::{Client, budgets};
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::metrics::Open;
use crate::ports::bus::Listener;
use crate::ports::bus::ring::Replay;

/// Interval of keep-alive comments, because proxies close a silent connection after 30 to 60 seconds.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// `?after=`: for a new `EventSource`, which cannot send `Last-Event-ID`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Known {
    /// Number of the last event that the client has received.
    after: Option<u64>,
}

/// Streams the job's events and ends after the last one.
pub async fn events(
    In(state): In<State>,
    Extension(client): Extension<Client>,
    Path(id): Path<Id>,
    Query(known): Query<Known>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let last = match headers.get("last-event-id") {
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            Some(number.ok_or_else(|| Problem::new(Kind::Malformed, "Last-Event-ID must be the number of an event."))?)
        }
        None => known.after,
    };
    let live = state.jobs.find(id).await?;
    if last.is_some_and(|last| live.is_over() && live.snapshot().seq == last) {
        // An `EventSource` reconnects after the last event. Status 204 tells it to stop.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let place = state.budgets.stream(client)?;
    let told = state.jobs.listen(&live, last.unwrap_or(0));
    let sse = Sse::new(stream(told, place)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL));
    let headers = [(HeaderName::from_static("x-accel-buffering"), "no"), (axum::http::header::CACHE_CONTROL, "no-store")];
    Ok((headers, sse).into_response())
}

/// The state of one open event stream.
struct EventStreamState {
    told: Listener,
    ready: VecDeque<Sent>,
    _open: Open,
    _place: budgets::Stream,
}

fn stream(told: Listener, place: budgets::Stream) -> impl Stream<Item = Result<Sent, Infallible>> {
    let subscriber = EventStreamState { told, ready: VecDeque::new(), _open: Open::event_stream(), _place: place };
    stream::unfold(subscriber, |mut subscriber| async move {
        while subscriber.ready.is_empty() {
            subscriber.ready = lines(subscriber.told.next().await?);
        }
        subscriber.ready.pop_front().map(|event| (Ok(event), subscriber))
    })
    .fuse()
}

fn lines(told: Replay) -> VecDeque<Sent> {
    match told {
        Replay::Events(events) => events.iter().map(|(number, event)| sent(*number, event)).collect(),
        Replay::Resync(last) => {
            let data = json!({ "type": "resync", "seq": last }).to_string();
            VecDeque::from([Sent::default().id(last.to_string()).event("resync").data(data)])
        }
    }
}

fn sent(number: u64, event: &Event) -> Sent {
    let data = serde_json::to_string(event).expect("an event has string keys and finite numbers");
    Sent::default().id(number.to_string()).event(name(event)).data(data)
}

fn name(event: &Event) -> &'static str {
    match event {
        Event::Queued { .. } => "queued",
        Event::Planned(_) => "planned",
        Event::Read(_) => "read",
        Event::Stage { .. } => "stage",
        Event::Progress(_) => "progress",
        Event::Metric(_) => "metric",
        Event::Partial(_) => "partial",
        Event::Answer(_) => "answer",
        Event::Failed(_) => "failed",
        Event::Cancelled => "cancelled",
    }
}
