//! Jobs: handlers of `POST /api/v1/jobs` ([`submit`]) and of `GET` and `DELETE /api/v1/jobs/{id}`
//! ([`snapshot`], [`cancel`]).

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use explain::snapshot::{JobSnapshot, TextInfo};
use explain::wire::{AnsweredJob, JobReceipt};
use kernels::job::{JobRequest, PairRecordChoices, RecordChoice, Task, TextSource};
use kernels::plan::JobWork;
use kernels::reading::ReadReport;
use kernels::task::solver;
use kernels::text::{Pair, Text};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::job_body;
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::clients::requests::{IdempotentRequest, RequestFingerprint};
use crate::clients::tokens;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::jobs::NewJob;
use crate::jobs::deferred_row::FirstRow;
use crate::jobs::job_handle::JobHandle;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::DeleteOutcome;
use crate::store::record::PairKey;
use crate::store::record::StoredResult;
use crate::store::row_quota::ROW_OVERHEAD_BYTES;

/// Maximum time for which the deletion of a job waits until its run has stopped.
const JOB_END_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of seconds for which a request waits for the answer of its job.
const MAX_WAIT_SECONDS: f64 = 30.0;

/// Request header with an idempotency key. If a client sends a request again with the same key, it gets the same job.
pub(super) const IDEMPOTENCY_KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// Maximum total size of two typed texts, in bytes, that are parsed on the thread that answers requests. Longer texts
/// are parsed on another thread.
const MAX_TYPED_BYTES: usize = 8 << 10;

/// Number of bytes that a client is charged for storing the database rows of a job.
pub(super) const JOB_ROWS_BYTES: u64 = 4 * ROW_OVERHEAD_BYTES;

/// Options of a request that submits a job.
struct SubmitOptions<'a> {
    /// Whether to solve the job even if the client recently got an answer to the same request.
    fresh: bool,
    /// Whether the client waits for the answer of the job.
    waits: bool,
    /// Idempotency key of the request with its data, if the request has a key.
    keyed: Option<&'a IdempotentRequest>,
}

/// The job that answers a request: a new one, or an earlier one whose answer is reused.
struct AcceptedJob {
    live: Arc<JobHandle>,
    delete_token: String,
    reused: bool,
}

/// Query of a request that submits a job: `?wait=&fresh=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubmitQuery {
    /// Seconds to wait for the answer, at most 30. Default: 0.
    #[serde(default)]
    wait: f64,
    /// `1`: solve the job even if this client recently got an answer to the same request. Default: 0.
    #[serde(default)]
    fresh: u8,
}

/// Handles `POST /api/v1/jobs`: accepts a job. Answers 200 with the result if the job ends within `wait` seconds, and
/// otherwise 202 with the addresses of the job.
pub async fn submit(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    QueryParams(SubmitQuery { wait, fresh }): QueryParams<SubmitQuery>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    state.jobs.check_room(Some(client))?;
    state.budgets.check(client, BudgetCost::Cells(1))?;
    let body = body.map_err(|rejection| {
        ApiProblem::of_body(&rejection, state.config.max_body_bytes, " Upload longer texts with PUT /api/v1/texts first.")
    })?;
    let keyed =
        headers.get(IDEMPOTENCY_KEY_HEADER).map(|key| state.requests.find_or_add_keyed(client, key.as_bytes(), &body)).transpose()?;
    let job = job_body::parse(&body)?;
    // Runs in a task of its own, so that it completes even if the client disconnects. Otherwise there could be a row of
    // a job that is not in the queue and never ends.
    let taking = state.clone();
    let accepted = tokio::spawn(async move {
        // The future is boxed, because it takes kilobytes, and every future that awaits it would contain it. Futures
        // inside that are rarely awaited are boxed too. This saves memory when 200 jobs arrive at the same time.
        let accept =
            Box::pin(accept(&taking, client, job, SubmitOptions { fresh: fresh != 0, waits: wait > 0.0, keyed: keyed.as_deref() }));
        let Some(keyed) = keyed.as_deref() else { return accept.await };
        let mut first = None;
        let start = async { Ok(first.insert(accept.await?).live.id) };
        let id = Box::pin(taking.requests.job(keyed, start)).await?;
        match first {
            Some(accepted) => Ok(accepted),
            None => Ok(AcceptedJob { live: taking.jobs.find(id).await?, delete_token: keyed.delete_token.clone(), reused: true }),
        }
    });
    let AcceptedJob { live, delete_token, reused } = accepted.await.map_err(ApiProblem::internal)??;
    let (live, in_time) = wait_for_end(&state, live, wait).await?;
    let status_url = format!("/api/v1/jobs/{}", live.id);
    let location = HeaderValue::from_str(&status_url).map_err(ApiProblem::internal)?;
    let keep_seconds = state.config.job_keep_seconds;
    let mut response = if in_time {
        Json(AnsweredJob { snapshot: live.snapshot(), delete_token, keep_seconds, reused }).into_response()
    } else {
        Box::pin(state.jobs.publish_job(&live)).await?;
        let events_url = format!("{status_url}/events");
        (StatusCode::ACCEPTED, Json(JobReceipt { id: live.id.to_string(), status_url, events_url, delete_token, keep_seconds, reused }))
            .into_response()
    };
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// Handles `GET /api/v1/jobs/{id}`: returns the current state of a job.
pub async fn snapshot(In(state): In<ServerState>, PathParams(id): PathParams<Id>) -> Result<Json<JobSnapshot>, ApiProblem> {
    Ok(Json(state.jobs.find(id).await?.snapshot()))
}

/// Handles `DELETE /api/v1/jobs/{id}`: cancels a job. With the job's token, also deletes the job and its result.
/// Answers 204 if the job has ended, and 202 if its run has been told to stop and will end soon.
pub async fn cancel(In(state): In<ServerState>, PathParams(id): PathParams<Id>, headers: HeaderMap) -> Result<StatusCode, ApiProblem> {
    JobKind::Pair.cancel(&state, id, &headers).await
}

/// The kind of a job, by which its address begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum JobKind {
    /// A job on two texts.
    Pair,
    /// A comparison of many texts.
    Collection,
}

impl JobKind {
    /// Cancels the job `id`, and deletes it if `headers` have its token.
    ///
    /// # Errors
    /// Returns `NotFound`, `Gone` and `Forbidden`.
    pub(super) async fn cancel(self, state: &ServerState, id: Id, headers: &HeaderMap) -> Result<StatusCode, ApiProblem> {
        let (name, subject) = match self {
            Self::Pair => ("job", "A job"),
            Self::Collection => ("collection", "A collection"),
        };
        if headers.contains_key(header::AUTHORIZATION) {
            // Deletes the row first, so that the run of the job writes nothing more.
            match state.store.delete_job(id, tokens::bearer_hash(headers).ok_or_else(|| tokens::forbidden(subject))?).get().await? {
                DeleteOutcome::Gone => {}
                DeleteOutcome::NotOwner => return Err(tokens::forbidden(subject)),
                DeleteOutcome::Never => return Err(ApiProblem::not_found(name)),
            }
            let Some(live) = state.jobs.running(id) else {
                state.jobs.forget(id);
                return Ok(StatusCode::NO_CONTENT);
            };
            state.jobs.cancel(&live).await;
            let ended = tokio::time::timeout(JOB_END_TIMEOUT, state.jobs.wait_for_end(&live)).await.is_ok();
            return Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED });
        }
        let live = match self {
            Self::Pair => state.jobs.find(id).await?,
            Self::Collection => state.jobs.find_collection(id).await?,
        };
        let ended = state.jobs.cancel(&live).await;
        Ok(if ended { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED })
    }
}

/// Waits for at most `wait` seconds until the job `live` has ended. Returns its state, and whether it has ended in time.
pub(super) async fn wait_for_end(state: &ServerState, live: Arc<JobHandle>, wait: f64) -> Result<(Arc<JobHandle>, bool), ApiProblem> {
    let wait = if wait.is_finite() { wait.clamp(0.0, MAX_WAIT_SECONDS) } else { 0.0 };
    // Reads the job again from the store, because its end may be missed if the event bus fails.
    let heard = wait > 0.0 && tokio::time::timeout(Duration::from_secs_f64(wait), state.jobs.wait_for_end(&live)).await.is_ok();
    let live = if heard { Box::pin(state.jobs.read_back(live)).await? } else { live };
    let is_over = heard && live.is_over();
    Ok((live, is_over))
}

/// Accepts the job `job` of `client`: stores the texts unless they are short, reads them, checks that an engine accepts
/// the job, and queues the job. Reuses the answer to a recent identical request of the client unless `fresh` is set.
async fn accept(
    state: &ServerState,
    client: ClientIdentity,
    job: JobRequest,
    SubmitOptions { fresh, waits, keyed }: SubmitOptions<'_>,
) -> Result<AcceptedJob, ApiProblem> {
    let (task, options) = (job.task, job.options.clone());
    options.check(task)?;
    // Checked before any charge, so that a client pays nothing for a refused request.
    state.store.check_row_quota()?;
    let typed = [&job.a, &job.b].map(|source| if let TextSource::Text(text) = &source.given { text.len() as u64 } else { 0 });
    state.budgets.charge(client, BudgetCost::Bytes(typed[0] + typed[1]))?;
    let matrix = options.matrix.clone().map_or(0, |matrix| String::from(matrix).len() as u64);
    state.budgets.charge(client, BudgetCost::Stored(JOB_ROWS_BYTES + matrix + typed[0] + typed[1]))?;
    let typed_words = typed_words(&job);
    let ((a, a_upload), (b, b_upload)) = match &typed_words {
        Some([a, b]) => ((ContentHash::from_content(a), None), (ContentHash::from_content(b), None)),
        None => resolve_texts(state, job.a.given, job.b.given).await?,
    };
    let (a_choice, b_choice) = (job.a.choice, job.b.choice);
    let delete_token = keyed.map_or_else(tokens::random, |keyed| keyed.delete_token.clone());
    let owner = tokens::hash(&delete_token);
    let question = RequestFingerprint { task, options: options.clone(), texts: [a, b], choices: [a_choice.clone(), b_choice.clone()] };
    let of_key = keyed.map(|keyed| state.requests.row_of_key(keyed));
    let lately = if fresh { None } else { state.requests.answered_job(client, &question).await? };
    if let Some(id) = lately
        && let Ok(other) = state.jobs.find(id).await
    {
        let uploads = (a_upload.clone(), b_upload.clone());
        let own = |snapshot: &mut JobSnapshot| (snapshot.a.upload, snapshot.b.upload) = uploads;
        let first = FirstRow { owner, requests: of_key.into_iter().collect(), texts: Vec::new() };
        if let Some(live) = Box::pin(state.jobs.reuse_answer(Id::random(), &first, &other, own)).await? {
            return Ok(AcceptedJob { live, delete_token, reused: true });
        }
    }
    let choices = PairRecordChoices::of(task, a_choice.clone(), b_choice.clone());
    let texts = PairKey { a, b, reading: options.reading(), choices };
    // The work can be estimated from a sample of the texts, because they are already read.
    let of_work = options.clone();
    let work = move |pair: &Pair| JobWork { bytes: 0, ..solver(task).work_for(pair, &of_work) };
    let (pair, work) = if let Some([a, b]) = typed_words.clone() {
        let pair = Arc::new(Pair::parse_records(a, b, &texts.reading, &texts.choices)?);
        let work = work(&pair);
        (pair, work)
    } else {
        let pair = state.results.texts_of_job(texts).await?;
        let looked_at = pair.clone();
        (pair, tokio::task::spawn_blocking(move || work(&looked_at)).await.map_err(ApiProblem::internal)?)
    };
    // Reading uploads is charged even if no engine accepts the job. Otherwise a client could repeat the request without
    // limit. Typed texts were charged above.
    let uploaded = [(&pair.a, &a_upload), (&pair.b, &b_upload)].into_iter().filter(|(_, upload)| upload.is_some());
    let read = || uploaded.map(|(text, _)| text.original_bytes()).sum();
    let texts = [(a, pair.a.original_bytes()), (b, pair.b.original_bytes())];
    let planned = state.jobs.plan(&work, &texts).await.inspect_err(|_| state.budgets.settle(client, BudgetCost::Bytes(read())))?;
    // A search with ambiguity codes compares a symbol several times.
    let compared = if options.ambiguity && Task::SEARCHES.contains(&task) { work.cpu.cost_cells } else { 0 };
    state.budgets.charge(client, BudgetCost::Cells(work.effort(planned.plan.engine).cells.max(compared)))?;
    let id = Id::random();
    let a_info = TextInfo { choice: a_choice, ..info(&pair.a, a, a_upload) };
    let b_info = TextInfo { choice: b_choice, ..info(&pair.b, b, b_upload) };
    let snapshot = JobSnapshot::new(id.to_string(), task, options, a_info, b_info);
    let record = StoredResult { taken_at: Some(state.store.clock.seconds()), ..StoredResult::new(snapshot, a, b) };
    let requests = [state.requests.row(client, &question)?].into_iter().chain(of_key).collect();
    // Another request with the same key may need the job before it ends, so that a job with a key is always visible to
    // others.
    let is_awaited = waits && keyed.is_none();
    // Long texts are read again when the job starts, because the queue may hold many of them.
    let pair = typed_words.is_some().then_some(pair);
    let first = FirstRow { owner, requests, texts: typed_words.into_iter().flatten().collect() };
    let live = state.jobs.submit(NewJob { id, client, first, record, pair, work, placed_plan: planned, is_awaited }).await?;
    Ok(AcceptedJob { live, delete_token, reused: false })
}

/// Returns the bytes of both texts if they are typed and so short that parsing them is faster than waking another
/// thread. Otherwise returns `None`.
fn typed_words(job: &JobRequest) -> Option<[Vec<u8>; 2]> {
    let (TextSource::Text(a), TextSource::Text(b)) = (&job.a.given, &job.b.given) else { return None };
    (a.len() + b.len() <= MAX_TYPED_BYTES).then(|| [a, b].map(|text| text.as_bytes().to_vec()))
}

/// The hash of the file with a text, and the id of the upload if the text was uploaded.
pub(super) type ResolvedText = (ContentHash, Option<String>);

/// Stores typed texts, both at the same time, and looks up uploaded ones. Returns the hashes and upload ids of `a` and
/// `b`.
async fn resolve_texts(state: &ServerState, a: TextSource, b: TextSource) -> Result<(ResolvedText, ResolvedText), ApiProblem> {
    Ok(match (a, b) {
        (TextSource::Text(a), TextSource::Text(b)) => {
            let [a, b] = put(state, [a, b]).await?;
            ((a, None), (b, None))
        }
        (TextSource::Text(a), TextSource::Upload(b)) => {
            let ([a], b) = tokio::try_join!(put(state, [a]), uploaded(state, b))?;
            ((a, None), b)
        }
        (TextSource::Upload(a), TextSource::Text(b)) => {
            let (a, [b]) = tokio::try_join!(uploaded(state, a), put(state, [b]))?;
            (a, (b, None))
        }
        (TextSource::Upload(a), TextSource::Upload(b)) => tokio::try_join!(uploaded(state, a), uploaded(state, b))?,
    })
}

async fn put<const TEXTS: usize>(state: &ServerState, typed: [String; TEXTS]) -> Result<[ContentHash; TEXTS], ApiProblem> {
    let typed = typed.into_iter().map(String::into_bytes).collect();
    let keys = state.store.files.clone().put_soon(typed).await.map_err(ApiProblem::disk_failure)?;
    keys.try_into().map_err(|_| ApiProblem::internal("each text has a file"))
}

/// Returns the hash and the id of the upload with the id `name`.
///
/// # Errors
/// Returns `NotFound` if the upload does not exist or has expired.
pub(super) async fn uploaded(state: &ServerState, name: String) -> Result<ResolvedText, ApiProblem> {
    let unknown = || ApiProblem::new(ProblemKind::NotFound, "This upload does not exist or has expired. Upload the text again.");
    let id: Id = name.parse().map_err(|_| unknown())?;
    let upload = state.store.text(id).get().await?.ok_or_else(unknown)?;
    Ok((upload.hash, Some(name)))
}

fn info(text: &Text, hash: ContentHash, upload: Option<String>) -> TextInfo {
    let name = text.name().map(|name| name.chars().take(ReadReport::MAX_REPORTED_NAME_CHARS).collect());
    let blake3 = Some(hash.to_string());
    TextInfo { name, symbols: text.len() as u64, bytes: text.original_bytes(), upload, blake3, choice: RecordChoice::default() }
}
