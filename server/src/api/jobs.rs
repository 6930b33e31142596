//! `POST /api/v1/jobs`, `GET` and `DELETE /api/v1/jobs/{id}`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use explain::snapshot::{Snapshot, TextInfo};
use explain::wire::{Answered, Names, Taken};
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
use crate::clients::requests::{Keyed, Question};
use crate::clients::tokens;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::jobs::live::Live;
use crate::jobs::{Again, NewJob};
use crate::ports::files::Hash;
use crate::ports::rows::Deleted;
use crate::record::Record;
use crate::results::Texts;

/// Longest time that a job is waited for which was stopped and deleted.
const LONGEST_END: Duration = Duration::from_secs(10);

/// Longest time that a request waits for its answer, in seconds.
const LONGEST_WAIT: f64 = 30.0;

/// Header of a request that may be sent again: the same job is meant.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A job that was taken.
struct Accepted {
    live: Arc<Live>,
    delete_token: String,
    reused: bool,
}

/// `?wait=&fresh=`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Seconds to wait for the answer, at most 30.
    #[serde(default)]
    wait: f64,
    /// `1`: it is solved, though the same client was answered the same lately.
    #[serde(default)]
    fresh: u8,
}

/// Takes a job: 202 with its addresses, or 200 with its snapshot when it has ended within `wait` seconds.
pub async fn submit(
    In(state): In<State>,
    Extension(client): Extension<Client>,
    Query(Wanted { wait, fresh }): Query<Wanted>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    state.jobs.has_room(Some(client))?;
    state.budgets.check(client, Cost::Cells(1))?;
    let body = body.map_err(|rejection| {
        Problem::of_body(&rejection, state.config.max_body_bytes, " Upload longer texts with PUT /api/v1/texts first.")
    })?;
    let keyed = headers.get(KEY).map(|key| state.requests.keyed(client, key.as_bytes(), &body)).transpose()?;
    let job = parse(&body)?;
    // It is taken whether whoever sent it waits for that or not: a row without a place in the queue would never end.
    let taking = state.clone();
    let accepted = tokio::spawn(async move {
        let accept = accept(&taking, client, job, (fresh != 0, keyed.as_deref()));
        let Some(keyed) = keyed.as_deref() else { return accept.await };
        let mut first = None;
        let start = async { Ok(first.insert(accept.await?).live.id) };
        let id = taking.requests.job(keyed, start).await?;
        match first {
            Some(accepted) => Ok(accepted),
            None => Ok(Accepted { live: taking.jobs.find(id).await?, delete_token: keyed.delete_token.clone(), reused: true }),
        }
    });
    let Accepted { live, delete_token, reused } = accepted.await.map_err(Problem::internal)??;
    let wait = if wait.is_finite() { wait.clamp(0.0, LONGEST_WAIT) } else { 0.0 };
    // Whoever listens may hear no more before it has ended, where the bus fails.
    let heard = wait > 0.0 && tokio::time::timeout(Duration::from_secs_f64(wait), end(&state, &live)).await.is_ok();
    let in_time = heard && live.is_over();
    let status_url = format!("/api/v1/jobs/{}", live.id);
    let location = HeaderValue::from_str(&status_url).map_err(Problem::internal)?;
    let keep_seconds = state.config.job_keep_seconds;
    let mut response = if in_time {
        Json(Answered { snapshot: live.snapshot(), delete_token, keep_seconds, reused }).into_response()
    } else {
        let events_url = format!("{status_url}/events");
        (StatusCode::ACCEPTED, Json(Taken { id: live.id.to_string(), status_url, events_url, delete_token, keep_seconds, reused }))
            .into_response()
    };
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// Where the job stands.
pub async fn snapshot(In(state): In<State>, Path(id): Path<Id>) -> Result<Json<Snapshot>, Problem> {
    Ok(Json(state.jobs.find(id).await?.snapshot()))
}

/// Cancels the job: 204 when it has ended, 202 when it will at its next tile. With its token it is deleted too, with its result.
pub async fn cancel(In(state): In<State>, Path(id): Path<Id>, headers: HeaderMap) -> Result<StatusCode, Problem> {
    if headers.contains_key(header::AUTHORIZATION) {
        // First, so that nothing is written of it any more.
        match state.store.delete_job(id, tokens::brought(&headers).ok_or_else(|| tokens::forbidden("A job"))?).get().await? {
            Deleted::Gone => {}
            Deleted::Foreign => return Err(tokens::forbidden("A job")),
            Deleted::Never => return Err(Problem::not_found("job")),
        }
        let Some(live) = state.jobs.running(id) else { return Ok(StatusCode::NO_CONTENT) };
        let (jobs, to_stop) = (state.jobs.clone(), live.clone());
        tokio::task::spawn_blocking(move || jobs.cancel(&to_stop)).await.map_err(Problem::internal)?;
        let ended = tokio::time::timeout(LONGEST_END, end(&state, &live)).await.is_ok();
        return Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED });
    }
    let live = state.jobs.find(id).await?;
    let ended = tokio::task::spawn_blocking(move || state.jobs.cancel(&live)).await.map_err(Problem::internal)?;
    Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED })
}

/// Reads the body; says what is wrong with it and where.
fn parse(body: &[u8]) -> Result<Job, Problem> {
    serde_json::from_slice(body).map_err(|error| unknown_task(body).unwrap_or_else(|| malformed(&error)))
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

/// Stores the texts, reads them once to see that an engine takes them, and hands the job to the queue. What the same client was told lately is
/// told again, unless it wants it `fresh`.
async fn accept(state: &State, client: Client, job: Job, (fresh, keyed): (bool, Option<&Keyed>)) -> Result<Accepted, Problem> {
    let (task, options) = (job.task, job.options);
    options.check(task)?;
    let typed = [&job.a, &job.b].map(|source| if let Given::Text(text) = &source.given { text.len() as u64 } else { 0 });
    state.budgets.charge(client, Cost::Bytes(typed[0] + typed[1]))?;
    state.budgets.charge(client, Cost::Stored(typed[0] + typed[1]))?;
    let ((a, a_upload), (b, b_upload)) = tokio::try_join!(stored(state, job.a.given), stored(state, job.b.given))?;
    let (a_choice, b_choice) = (job.a.choice, job.b.choice);
    let delete_token = keyed.map_or_else(tokens::random, |keyed| keyed.delete_token.clone());
    let owner = tokens::hash(&delete_token);
    let question = Question { task, options, texts: [a, b], choices: [a_choice.clone(), b_choice.clone()] };
    let of_key = keyed.map(|keyed| state.requests.row_of_key(keyed));
    let lately = if fresh { None } else { state.requests.answered(client, &question).await? };
    if let Some(id) = lately
        && let Ok(other) = state.jobs.find(id).await
    {
        let uploads = (a_upload.clone(), b_upload.clone());
        let own = |snapshot: &mut Snapshot| (snapshot.a.upload, snapshot.b.upload) = uploads;
        let again = Again { id: Id::random(), owner, requests: of_key.into_iter().collect() };
        if let Some(live) = state.jobs.answer_again(again, &other, own).await? {
            return Ok(Accepted { live, delete_token, reused: true });
        }
    }
    let choices = Choices::of(task, a_choice.clone(), b_choice.clone());
    let pair = state.results.texts(Texts { a, b, reading: options.reading(), choices }).await?;
    // The texts are here already. A sample of them is looked at.
    let looked_at = pair.clone();
    let work = tokio::task::spawn_blocking(move || Work { bytes: 0, ..solver(task).work_for(&looked_at, &options) });
    let work = work.await.map_err(Problem::internal)?;
    // What no engine takes has been read all the same, and may be sent again and again; what was typed is paid for above.
    let uploaded = [(&pair.a, &a_upload), (&pair.b, &b_upload)].into_iter().filter(|(_, upload)| upload.is_some());
    let read = || uploaded.map(|(text, _)| text.bytes().len() as u64).sum();
    let plan = state.jobs.plan(&work).inspect_err(|_| state.budgets.settle(client, Cost::Bytes(read())))?;
    state.budgets.charge(client, Cost::Cells(work.effort(plan.engine).cells))?;
    let id = Id::random();
    let a_info = TextInfo { choice: a_choice, ..info(&pair.a, a, a_upload) };
    let b_info = TextInfo { choice: b_choice, ..info(&pair.b, b, b_upload) };
    let snapshot = Snapshot::new(id.to_string(), task, options, a_info, b_info);
    drop(pair);
    let record = Record { snapshot, a, b, alignment: None, found: None, units: None, names: Names::default() };
    let requests = [state.requests.row(client, &question)?].into_iter().chain(of_key).collect();
    let live = state.jobs.submit(NewJob { id, client, owner, record, work, plan, requests }).await?;
    Ok(Accepted { live, delete_token, reused: false })
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
