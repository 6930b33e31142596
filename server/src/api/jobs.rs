//! `POST /api/v1/jobs`, `GET` and `DELETE /api/v1/jobs/{id}`.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use explain::snapshot::{Snapshot, TextInfo};
use explain::wire::{Names, Taken};
use futures::StreamExt as _;
use kernels::job::{Choice, Choices, Given, Job, Task};
use kernels::plan::Work;
use kernels::reading::ReadAs;
use kernels::task::solver;
use kernels::text::Text;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use crate::State;
use crate::clients::Client;
use crate::clients::budgets::Cost;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::jobs::live::Live;
use crate::ports::files::Hash;
use crate::record::Record;
use crate::results::Texts;

/// Longest time that a request waits for its answer, in seconds.
const LONGEST_WAIT: f64 = 30.0;

/// `?wait=`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Patience {
    /// Seconds to wait for the answer, at most 30.
    #[serde(default)]
    wait: f64,
}

/// Takes a job: 202 with its addresses, or 200 with its snapshot when it has ended within `wait` seconds.
pub async fn submit(
    In(state): In<State>,
    Extension(client): Extension<Client>,
    Query(patience): Query<Patience>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    state.jobs.has_room(Some(client))?;
    state.budgets.check(client, Cost::Cells(1))?;
    let job = parse(&state, body)?;
    // It is taken whether whoever sent it waits for that or not: a row without a place in the queue would never end.
    let taking = state.clone();
    let live = tokio::spawn(async move { accept(&taking, client, job).await }).await.map_err(Problem::internal)??;
    let wait = if patience.wait.is_finite() { patience.wait.clamp(0.0, LONGEST_WAIT) } else { 0.0 };
    let in_time = wait > 0.0 && tokio::time::timeout(Duration::from_secs_f64(wait), end(&state, &live)).await.is_ok();
    let status_url = format!("/api/v1/jobs/{}", live.id);
    let location = HeaderValue::from_str(&status_url).map_err(Problem::internal)?;
    let mut response = if in_time {
        Json(live.snapshot()).into_response()
    } else {
        let events_url = format!("{status_url}/events");
        (StatusCode::ACCEPTED, Json(Taken { id: live.id.to_string(), status_url, events_url })).into_response()
    };
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// Where the job stands.
pub async fn snapshot(In(state): In<State>, Path(id): Path<Id>) -> Result<Json<Snapshot>, Problem> {
    Ok(Json(state.jobs.find(id).await?.snapshot()))
}

/// Cancels the job: 204 when it has ended, 202 when it will at its next tile.
pub async fn cancel(In(state): In<State>, Path(id): Path<Id>) -> Result<StatusCode, Problem> {
    let live = state.jobs.find(id).await?;
    let ended = tokio::task::spawn_blocking(move || state.jobs.cancel(&live)).await.map_err(Problem::internal)?;
    Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED })
}

/// Reads the body; says what is wrong with it and where.
fn parse(state: &State, body: Result<Bytes, BytesRejection>) -> Result<Job, Problem> {
    let limit = state.config.max_body_bytes;
    let instead = " Upload longer texts with PUT /api/v1/texts first.";
    let body = body.map_err(|rejection| Problem::of_body(&rejection, limit, instead))?;
    serde_json::from_slice(&body).map_err(|error| unknown_task(&body).unwrap_or_else(|| malformed(&error)))
}

fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(Kind::Malformed, format!("The request is not a job: {error}."))
}

/// Whether it is only the task's name that cannot be read.
fn unknown_task(body: &[u8]) -> Option<Problem> {
    #[derive(Deserialize)]
    struct Named {
        task: String,
    }
    let named: Named = serde_json::from_slice(body).ok()?;
    let known: Vec<&str> = Task::ALL.into_iter().map(Task::name).collect();
    let detail = format!("This server knows these tasks: {}.", known.join(", "));
    (!known.contains(&named.task.as_str())).then(|| Problem::new(Kind::UnknownTask, detail).tasks())
}

/// Stores the texts, reads them once to see that an engine takes them, and hands the job to the queue.
async fn accept(state: &State, client: Client, job: Job) -> Result<std::sync::Arc<Live>, Problem> {
    let (task, options) = (job.task, job.options);
    options.check(task)?;
    let typed = [&job.a, &job.b].map(|source| if let Given::Text(text) = &source.given { text.len() as u64 } else { 0 });
    state.budgets.charge(client, Cost::Bytes(typed[0] + typed[1]))?;
    state.budgets.charge(client, Cost::Stored(typed[0] + typed[1]))?;
    let (a, a_upload) = stored(state, job.a.given).await?;
    let (b, b_upload) = stored(state, job.b.given).await?;
    let (a_choice, b_choice) = (job.a.choice, job.b.choice);
    let choices = Choices::of(task, a_choice.clone(), b_choice.clone());
    let pair = state.results.texts(Texts { a, b, reading: options.reading(), choices }).await?;
    // The texts are here already. A sample of them is looked at.
    let looked_at = pair.clone();
    let work = tokio::task::spawn_blocking(move || Work { bytes: 0, ..solver(task).work_for(&looked_at, &options) });
    let work = work.await.map_err(Problem::internal)?;
    let plan = state.jobs.plan(&work)?;
    state.budgets.charge(client, Cost::Cells(work.effort(plan.engine).cells))?;
    let id = Id::random();
    let a_info = TextInfo { choice: a_choice, ..info(&pair.a, a, a_upload) };
    let b_info = TextInfo { choice: b_choice, ..info(&pair.b, b, b_upload) };
    let snapshot = Snapshot::new(id.to_string(), task, options, a_info, b_info);
    drop(pair);
    let record = Record { snapshot, a, b, alignment: None, found: None, units: None, names: Names::default() };
    state.jobs.submit(id, client, record, work, plan).await
}

/// The file of a text, and the upload it came from.
async fn stored(state: &State, given: Given) -> Result<(Hash, Option<String>), Problem> {
    match given {
        Given::Text(text) => {
            let files = state.store.files.clone();
            let put = tokio::task::spawn_blocking(move || files.put(text.as_bytes()));
            Ok((put.await.map_err(Problem::internal)?.map_err(Problem::disk)?, None))
        }
        Given::Upload(name) => {
            let unknown = || Problem::new(Kind::NotFound, "This upload is not here, or its time is over. Upload the text again.");
            let id: Id = name.parse().map_err(|_| unknown())?;
            let upload = state.store.text(id).get().await?.ok_or_else(unknown)?;
            Ok((upload.hash, Some(name)))
        }
    }
}

fn info(text: &Text, hash: Hash, upload: Option<String>) -> TextInfo {
    let name = text.name().map(|name| name.chars().take(ReadAs::NAME).collect());
    let blake3 = Some(hash.to_string());
    TextInfo { name, symbols: text.len() as u64, bytes: text.bytes().len() as u64, upload, blake3, choice: Choice::default() }
}

/// Returns when the job has ended.
async fn end(state: &State, live: &Live) {
    let mut told = state.jobs.listen(live, live.snapshot().seq);
    while told.next().await.is_some() {}
}
