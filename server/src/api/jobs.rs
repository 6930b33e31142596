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
use explain::wire::{Answered, Taken};
use kernels::job::{Choice, Choices, Given, Job};
use kernels::plan::Work;
use kernels::reading::ReadAs;
use kernels::task::solver;
use kernels::text::{Pair, Text};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use super::job_body;
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
use crate::results::texts::Texts;
use crate::store::row_room::ROW;

/// Longest time that a job is waited for which was stopped and deleted.
const LONGEST_END: Duration = Duration::from_secs(10);

/// Longest time that a request waits for its answer, in seconds.
const LONGEST_WAIT: f64 = 30.0;

/// Header of a request that may be sent again: the same job is meant.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Bytes of two typed texts that are read at once, on the thread that answers requests.
const WORDS: usize = 8 << 10;

/// Bytes that a job's row takes, and those that lead to it.
const ROWS_OF_JOB: u64 = 4 * ROW;

/// How a job is asked for.
struct Asked<'a> {
    /// It is solved, though the same client was answered the same lately.
    fresh: bool,
    /// Whoever sends it waits for its answer.
    waits: bool,
    /// Where it may be sent again.
    keyed: Option<&'a Keyed>,
}

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
    let job = job_body::parse(&body)?;
    // It is taken whether whoever sent it waits for that or not: a row without a place in the queue would never end.
    let taking = state.clone();
    let accepted = tokio::spawn(async move {
        // Kilobytes, which would be moved with every future that awaits it. What is seldom awaited is boxed in them, too: two hundred jobs that come at
        // the same moment have so much memory each.
        let accept = Box::pin(accept(&taking, client, job, Asked { fresh: fresh != 0, waits: wait > 0.0, keyed: keyed.as_deref() }));
        let Some(keyed) = keyed.as_deref() else { return accept.await };
        let mut first = None;
        let start = async { Ok(first.insert(accept.await?).live.id) };
        let id = Box::pin(taking.requests.job(keyed, start)).await?;
        match first {
            Some(accepted) => Ok(accepted),
            None => Ok(Accepted { live: taking.jobs.find(id).await?, delete_token: keyed.delete_token.clone(), reused: true }),
        }
    });
    let Accepted { live, delete_token, reused } = accepted.await.map_err(Problem::internal)??;
    let wait = if wait.is_finite() { wait.clamp(0.0, LONGEST_WAIT) } else { 0.0 };
    // Whoever listens may hear no more before it has ended, where the bus fails.
    let heard = wait > 0.0 && tokio::time::timeout(Duration::from_secs_f64(wait), state.jobs.ended(&live)).await.is_ok();
    let live = if heard { Box::pin(state.jobs.read_back(live)).await? } else { live };
    let in_time = heard && live.is_over();
    let status_url = format!("/api/v1/jobs/{}", live.id);
    let location = HeaderValue::from_str(&status_url).map_err(Problem::internal)?;
    let keep_seconds = state.config.job_keep_seconds;
    let mut response = if in_time {
        Json(Answered { snapshot: live.snapshot(), delete_token, keep_seconds, reused }).into_response()
    } else {
        Box::pin(state.jobs.tell(&live)).await?;
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
        let Some(live) = state.jobs.running(id) else {
            state.jobs.forget(id);
            return Ok(StatusCode::NO_CONTENT);
        };
        state.jobs.cancel(&live).await;
        let ended = tokio::time::timeout(LONGEST_END, state.jobs.ended(&live)).await.is_ok();
        return Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED });
    }
    let live = state.jobs.find(id).await?;
    let ended = state.jobs.cancel(&live).await;
    Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED })
}

/// Stores the texts, unless they are a few words, reads them once to see that an engine takes them, and hands the job to the queue. What the same client was told lately is
/// told again, unless it wants it `fresh`.
async fn accept(state: &State, client: Client, job: Job, Asked { fresh, waits, keyed }: Asked<'_>) -> Result<Accepted, Problem> {
    let (task, options) = (job.task, job.options);
    options.check(task)?;
    // Whoever is refused for it pays nothing.
    state.store.has_room_for_rows()?;
    let typed = [&job.a, &job.b].map(|source| if let Given::Text(text) = &source.given { text.len() as u64 } else { 0 });
    state.budgets.charge(client, Cost::Bytes(typed[0] + typed[1]))?;
    state.budgets.charge(client, Cost::Stored(ROWS_OF_JOB + typed[0] + typed[1]))?;
    let typed_words = typed_words(&job);
    let ((a, a_upload), (b, b_upload)) = match &typed_words {
        Some([a, b]) => ((Hash::of(a), None), (Hash::of(b), None)),
        None => stored(state, job.a.given, job.b.given).await?,
    };
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
        if let Some(live) = Box::pin(state.jobs.answer_again(again, &other, own)).await? {
            return Ok(Accepted { live, delete_token, reused: true });
        }
    }
    let choices = Choices::of(task, a_choice.clone(), b_choice.clone());
    let texts = Texts { a, b, reading: options.reading(), choices };
    // The texts are here already. A sample of them is looked at.
    let work = move |pair: &Pair| Work { bytes: 0, ..solver(task).work_for(pair, &options) };
    let (pair, work) = if let Some([a, b]) = typed_words.clone() {
        let pair = Arc::new(Pair::of_records(a, b, &texts.reading, &texts.choices)?);
        let work = work(&pair);
        (pair, work)
    } else {
        let pair = state.results.texts_of_job(texts).await?;
        let looked_at = pair.clone();
        (pair, tokio::task::spawn_blocking(move || work(&looked_at)).await.map_err(Problem::internal)?)
    };
    // What no engine takes has been read all the same, and may be sent again and again; what was typed is paid for above.
    let uploaded = [(&pair.a, &a_upload), (&pair.b, &b_upload)].into_iter().filter(|(_, upload)| upload.is_some());
    let read = || uploaded.map(|(text, _)| text.original_bytes()).sum();
    let texts = [(a, pair.a.original_bytes()), (b, pair.b.original_bytes())];
    let planned = state.jobs.plan(&work, &texts).await.inspect_err(|_| state.budgets.settle(client, Cost::Bytes(read())))?;
    state.budgets.charge(client, Cost::Cells(work.effort(planned.plan.engine).cells))?;
    let id = Id::random();
    let a_info = TextInfo { choice: a_choice, ..info(&pair.a, a, a_upload) };
    let b_info = TextInfo { choice: b_choice, ..info(&pair.b, b, b_upload) };
    let snapshot = Snapshot::new(id.to_string(), task, options, a_info, b_info);
    let record = Record { taken_at: Some(state.store.clock.seconds()), ..Record::new(snapshot, a, b) };
    let requests = [state.requests.row(client, &question)?].into_iter().chain(of_key).collect();
    // Whoever sends the same key meanwhile is told of it.
    let is_awaited = waits && keyed.is_none();
    let unstored = typed_words.into_iter().flatten().collect::<Vec<_>>();
    // Large ones are read again when it is their turn: there may be many of them in the queue.
    let pair = (!unstored.is_empty()).then_some(pair);
    let live = state.jobs.submit(NewJob { id, client, owner, record, pair, unstored, work, planned, requests, is_awaited }).await?;
    Ok(Accepted { live, delete_token, reused: false })
}

/// Both texts, where both were typed and are so short that reading them takes no longer than handing them to another thread.
fn typed_words(job: &Job) -> Option<[Vec<u8>; 2]> {
    let (Given::Text(a), Given::Text(b)) = (&job.a.given, &job.b.given) else { return None };
    (a.len() + b.len() <= WORDS).then(|| [a, b].map(|text| text.as_bytes().to_vec()))
}

/// The file of a text, and the upload it came from.
type Stored = (Hash, Option<String>);

/// Stores what was typed, both together, and finds what was uploaded.
async fn stored(state: &State, a: Given, b: Given) -> Result<(Stored, Stored), Problem> {
    Ok(match (a, b) {
        (Given::Text(a), Given::Text(b)) => {
            let [a, b] = put(state, [a, b]).await?;
            ((a, None), (b, None))
        }
        (Given::Text(a), Given::Upload(b)) => {
            let ([a], b) = tokio::try_join!(put(state, [a]), uploaded(state, b))?;
            ((a, None), b)
        }
        (Given::Upload(a), Given::Text(b)) => {
            let (a, [b]) = tokio::try_join!(uploaded(state, a), put(state, [b]))?;
            (a, (b, None))
        }
        (Given::Upload(a), Given::Upload(b)) => tokio::try_join!(uploaded(state, a), uploaded(state, b))?,
    })
}

async fn put<const TEXTS: usize>(state: &State, typed: [String; TEXTS]) -> Result<[Hash; TEXTS], Problem> {
    let typed = typed.into_iter().map(String::into_bytes).collect();
    let keys = state.store.files.clone().put_soon(typed).await.map_err(Problem::disk)?;
    keys.try_into().map_err(|_| Problem::internal("each text has a file"))
}

async fn uploaded(state: &State, name: String) -> Result<Stored, Problem> {
    let unknown = || Problem::new(Kind::NotFound, "This upload does not exist or has expired. Upload the text again.");
    let id: Id = name.parse().map_err(|_| unknown())?;
    let upload = state.store.text(id).get().await?.ok_or_else(unknown)?;
    Ok((upload.hash, Some(name)))
}

fn info(text: &Text, hash: Hash, upload: Option<String>) -> TextInfo {
    let name = text.name().map(|name| name.chars().take(ReadAs::NAME).collect());
    let blake3 = Some(hash.to_string());
    TextInfo { name, symbols: text.len() as u64, bytes: text.original_bytes(), upload, blake3, choice: Choice::default() }
}
