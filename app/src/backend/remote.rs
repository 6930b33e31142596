//! Client of the server's API. Fetches the offers (the server's engines and their limits), uploads texts ([`prepare_text`]),
//! starts jobs ([`submit`]), follows their events ([`follow`]), and fetches and stores results ([`link`], [`store`]).

use std::cell::Cell;
use std::rc::Rc;

use explain::snapshot::{JobSnapshot, JobStatus};
use explain::wire::{CreatedLink, DisplayNames, JobReceipt, LinkLifetime, NewLink, OriginalTextPiece, SharedResult, StoredUpload};
use futures::StreamExt as _;
use futures::channel::mpsc;
use kernels::event::JobEvent;
use kernels::job::{JobRequest, JobText, TextSource};
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, MessageEvent};

use super::{files, http, tokens, wire};
use crate::model::form::local_file::LocalFile;
use crate::model::form::{FormSide, FormState, TextContent};
use crate::model::problem::{Problem, of_failure};
use crate::model::run::location::ResultLocation;
use crate::tr::t;

/// Names of the events that the server sends about a job. A browser's event source delivers only events whose names
/// were registered.
const EVENTS: [&str; 10] = ["queued", "planned", "read", "stage", "progress", "metric", "partial", "answer", "failed", "cancelled"];

/// Returns the server's offers (its engines and their limits) as JSON text, which the solver parses.
pub async fn offers() -> Result<String, Problem> {
    let bytes = http::get_bytes("/api/v1/engines").await?.to_vec();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Prepares the text `which` of `form` for a job on the server. A short text becomes a part of the request. A long one
/// is uploaded, unless it is a file that was uploaded before.
///
/// `sent` is called with the number of bytes uploaded so far. `upload` can abort the upload.
pub async fn prepare_text(
    form: &FormState,
    which: FormSide,
    sent: Rc<dyn Fn(u64)>,
    upload: &http::UploadHandle,
) -> Result<JobText, Problem> {
    if let Some(source) = form.inline(which) {
        return Ok(source);
    }
    let side = form.side(which);
    let file = match &side.content {
        TextContent::File { file, .. } => Some(file),
        TextContent::Typed(_) | TextContent::Stored { .. } => None,
    };
    let to_source = |upload: String| JobText { given: TextSource::Upload(upload), choice: side.choice.clone() };
    if let Some(upload) = file.and_then(LocalFile::upload_id) {
        return Ok(to_source(upload));
    }
    let raw: JsValue = match file {
        Some(file) => file.blob().map_or(JsValue::NULL, Into::into),
        None => files::bytes(side).await?.into(),
    };
    // Files that were opened in this page are unpacked already.
    let (path, body) = ("/api/v1/texts?unpack=never", http::RequestBody::Raw(raw));
    let request = http::HttpRequest { method: "PUT", path, body, bearer: None, on_progress: Some(sent), upload: Some(upload.clone()) };
    let StoredUpload { id: upload, delete_token, expires_at, .. } = http::send_json(request).await?;
    tokens::keep_upload(&upload, &delete_token, expires_at);
    if let Some(file) = file {
        file.remember_sent(&upload);
    }
    Ok(to_source(upload))
}

/// Starts a job and returns its id. The server solves the job even if it has the answer already, because the page shows
/// the duration. `names` are the names of the files, which only this browser remembers.
pub async fn submit(job: &JobRequest, names: [Option<String>; 2]) -> Result<String, Problem> {
    let JobReceipt { id, delete_token, keep_seconds, .. } = post("/api/v1/jobs?fresh=1", json(job)).await?;
    tokens::keep_job(&id, &delete_token, job, keep_seconds, names);
    Ok(id)
}

/// The fields that both of the server's responses to a new job have: the receipt of a running job, and the snapshot of
/// a job that has ended.
#[derive(Deserialize)]
struct StartedJob {
    id: String,
    delete_token: String,
    keep_seconds: u64,
}

/// Starts a job like [`submit`], but without names of files. Returns the id of the job once the job has ended, or after
/// five seconds.
pub async fn submit_and_wait(job: &JobRequest) -> Result<String, Problem> {
    let StartedJob { id, delete_token, keep_seconds } = post("/api/v1/jobs?wait=5&fresh=1", json(job)).await?;
    tokens::keep_job(&id, &delete_token, job, keep_seconds, [None, None]);
    Ok(id)
}

/// Delay between two requests for the state of a job that has not ended, in milliseconds.
const POLL_INTERVAL_MS: i32 = 1_000;

/// Waits until a job has an answer, however long that takes.
///
/// # Errors
/// Returns the reason if the job ends without an answer or its state cannot be fetched.
pub async fn wait_for_end(id: &str) -> Result<(), Problem> {
    loop {
        let snapshot = job(id).await?;
        match snapshot.state {
            JobStatus::Succeeded => return Ok(()),
            JobStatus::Queued | JobStatus::Running => super::sleep(POLL_INTERVAL_MS).await,
            JobStatus::Failed => return Err(snapshot.failure.as_ref().map_or_else(Problem::not_understood, of_failure)),
            JobStatus::Cancelled => return Err(Problem::new("cancelled", t("Cancelled"), t("Stopped."))),
        }
    }
}

/// Fetches the snapshot (current state) of the job `id`.
pub async fn job(id: &str) -> Result<JobSnapshot, Problem> {
    wire::snapshot(http::get_bytes(&format!("/api/v1/jobs/{id}")).await?.to_vec()).await
}

/// Fetches the stored result `id`.
pub async fn link(id: &str) -> Result<SharedResult, Problem> {
    wire::shared_result(http::get_bytes(&format!("/api/v1/links/{id}")).await?.to_vec()).await
}

/// Fetches the first `symbols` symbols of the text `which` of the job or stored result `at`. Returns an empty text if
/// this fails.
pub async fn head(at: &ResultLocation, which: FormSide, symbols: u64) -> String {
    let path = format!("{}/texts/{}?from=0&len={symbols}", at.parts(), which.name());
    http::get::<OriginalTextPiece>(&path).await.map(|piece| piece.text).unwrap_or_default()
}

/// Cancels a job.
pub async fn cancel(id: &str) -> Result<(), Problem> {
    http::delete(&format!("/api/v1/jobs/{id}"), None).await
}

/// Stores the result of the job `job` on the server for `lifetime`, with the names `[a, b]` of its texts. Returns the
/// link to the stored result. If `class_view` is given, the link also gets a class code (a short code to type), which
/// opens the result in this view.
pub async fn store(
    job: &str,
    lifetime: LinkLifetime,
    class_view: Option<&str>,
    [a, b]: [Option<String>; 2],
) -> Result<CreatedLink, Problem> {
    let (class_code, view) = (class_view.is_some(), class_view.map(str::to_owned));
    post("/api/v1/links", json(&NewLink { job: job.to_owned(), lifetime, names: DisplayNames { a, b }, class_code, view })).await
}

async fn post<T: serde::de::DeserializeOwned>(path: &str, body: String) -> Result<T, Problem> {
    http::send_json(http::HttpRequest {
        method: "POST",
        path,
        body: http::RequestBody::Json(body),
        bearer: None,
        on_progress: None,
        upload: None,
    })
    .await
}

fn json<T: Serialize>(body: &T) -> String {
    serde_json::to_string(body).unwrap_or_default()
}

/// A message about the event stream of a job, for the callback of [`follow`].
pub enum StreamMessage {
    /// The next event.
    Event(JobEvent),
    /// Some events were lost, or the stream has ended. The caller must fetch the job's snapshot.
    Missed,
    /// The connection was lost. The browser reconnects by itself.
    Lost,
    /// The connection is open, for the first time or again.
    Back,
}

/// The open event stream of a job. Dropping it closes the stream and ignores unread events, but does not end the job.
pub struct JobEventStream {
    source: EventSource,
    is_closed: Rc<Cell<bool>>,
    closures: Option<StreamHandlers>,
}

/// The browser callbacks of an event stream.
struct StreamHandlers {
    _on_message: Vec<Closure<dyn Fn(MessageEvent)>>,
    _state: [Closure<dyn Fn()>; 2],
}

impl Drop for JobEventStream {
    fn drop(&mut self) {
        self.is_closed.set(true);
        self.source.close();
        // The closures are dropped later, because one of them may be running now.
        let closures = self.closures.take();
        spawn_local(async move {
            super::sleep(0).await;
            drop(closures);
        });
    }
}

/// Follows the events of the job `id` after event number `after`, until the returned stream is dropped. Calls `told`
/// with every message. Returns `None` if the browser has no event streams.
pub fn follow(id: &str, after: u64, told: impl Fn(StreamMessage) + 'static) -> Option<JobEventStream> {
    let told: Rc<dyn Fn(StreamMessage)> = Rc::new(told);
    let source = EventSource::new(&format!("/api/v1/jobs/{id}/events?after={after}")).ok()?;
    let (sender, mut messages) = mpsc::unbounded::<MessageEvent>();
    let is_left = Rc::new(Cell::new(false));
    let (hears, left) = (told.clone(), is_left.clone());
    spawn_local(async move {
        while let Some(message) = messages.next().await {
            let event = wire::event(message.data().as_string().unwrap_or_default()).await;
            if left.get() {
                return;
            }
            hears(event.map_or(StreamMessage::Missed, StreamMessage::Event));
        }
    });
    let mut ears: Vec<Closure<dyn Fn(MessageEvent)>> = Vec::new();
    for name in EVENTS.into_iter().chain(["resync"]) {
        let sender = sender.clone();
        let ear = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
            let _ = sender.unbounded_send(message);
        });
        let _ = source.add_event_listener_with_callback(name, ear.as_ref().unchecked_ref());
        ears.push(ear);
    }
    let opened = told.clone();
    let on_open = Closure::<dyn Fn()>::new(move || opened(StreamMessage::Back));
    let broken = source.clone();
    let on_error = Closure::<dyn Fn()>::new(move || {
        told(if broken.ready_state() == EventSource::CLOSED { StreamMessage::Missed } else { StreamMessage::Lost })
    });
    source.set_onopen(Some(on_open.as_ref().unchecked_ref()));
    source.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Some(JobEventStream { source, is_closed: is_left, closures: Some(StreamHandlers { _on_message: ears, _state: [on_open, on_error] }) })
}
