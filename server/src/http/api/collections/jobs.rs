//! Jobs: comparisons of many texts as jobs of the server. They are started ([`submit`]), queried ([`snapshot`]), followed
//! ([`events`]) and ended ([`cancel`]) like jobs on two texts.

use std::sync::Arc;

use axum::Extension;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use explain::collection::request::{CollectionRequest, GivenText, GivenTexts, NamedText};
use explain::collection::snapshot::{CollectionLinks, CollectionSnapshot, CollectionTextsInfo, StartedCollection};
use explain::collection::template::TextTemplate;
use explain::snapshot::{JobSnapshot, TextInfo};
use kernels::collection::{AnswerLimits, Collection, KeptPairs, MemberSource, PatternCollection};
use kernels::failure::JobFailure;
use kernels::plan::JobWork;
use kernels::reading::{ReadWarning, ReadingOptions};

use super::{ResolvedSide, resolve, resolve_template, texts_and_upload, too_long};
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::clients::tokens;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::api::events::EventsQuery;
use crate::http::api::extract::{PathParams, QueryParams};
use crate::http::api::jobs::{IDEMPOTENCY_KEY_HEADER, JOB_ROWS_BYTES, JobKind, uploaded, wait_for_end};
use crate::http::api::{events as event_streams, job_body};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::jobs::NewJob;
use crate::jobs::deferred_row::FirstRow;
use crate::jobs::job_handle::JobHandle;
use crate::results::collection::{CollectionTexts, question};
use crate::storage::ports::files::ContentHash;
use crate::store::record::StoredResult;
use crate::store::record::collection::{StoredCollection, StoredSide};

/// Number of stored bytes of a score.
const SCORE_BYTES: u64 = 4;

/// Number of stored bytes of a kept pair.
const PAIR_BYTES: u64 = 12;

/// The texts of a side in their file.
struct SideFile {
    hash: ContentHash,
    stored: StoredSide,
    info: TextInfo,
}

/// The properties of a comparison that are known before it runs.
struct QuestionEstimate {
    work: JobWork,
    rows: u64,
    /// Numbers of texts of both sides.
    texts: [u64; 2],
    /// Expected size of the stored answer in bytes, as far as it is known.
    answer_bytes: u64,
    warnings: Vec<ReadWarning>,
}

/// Handles `POST /api/v1/collections?wait=`: accepts a comparison as a job. Answers 200 if it ends within `wait` seconds, and
/// otherwise 202, both times with its state. A request with an idempotency key that was sent before gets the same job.
pub(super) async fn submit(
    state: ServerState,
    client: ClientIdentity,
    wait: f64,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    state.jobs.check_room(Some(client))?;
    state.budgets.check(client, BudgetCost::Cells(1))?;
    let body = body.map_err(|rejection| too_long(&state, &rejection))?;
    let keyed =
        headers.get(IDEMPOTENCY_KEY_HEADER).map(|key| state.requests.find_or_add_keyed(client, key.as_bytes(), &body)).transpose()?;
    let request = job_body::parse_collection(&body)?;
    let delete_token = keyed.as_deref().map_or_else(tokens::random, |keyed| keyed.delete_token.clone());
    let (taking, owner, bytes) = (state.clone(), tokens::hash(&delete_token), body.len() as u64);
    // Runs in a task of its own, so that it completes even if the client disconnects. Otherwise there could be a row of a job
    // that is not in the queue and never ends.
    let accepted = tokio::spawn(async move {
        let requests = keyed.iter().map(|keyed| taking.requests.row_of_key(keyed)).collect();
        let first = FirstRow { owner, requests, texts: Vec::new() };
        let accept = Box::pin(accept(&taking, client, request, first, bytes));
        let Some(keyed) = keyed.as_deref() else { return accept.await };
        let mut started = None;
        let start = async { Ok(started.insert(accept.await?).id) };
        let id = Box::pin(taking.requests.job(keyed, start)).await?;
        match started {
            Some(live) => Ok(live),
            None => taking.jobs.find_collection(id).await,
        }
    });
    let live = accepted.await.map_err(ApiProblem::internal)??;
    let (live, in_time) = wait_for_end(&state, live, wait).await?;
    let snapshot = snapshot_of(&live.record())?;
    let location = HeaderValue::from_str(&snapshot.links.status).map_err(ApiProblem::internal)?;
    let status = if in_time { StatusCode::OK } else { StatusCode::ACCEPTED };
    let started = StartedCollection { snapshot, delete_token, keep_seconds: state.config.job_keep_seconds };
    Ok((status, [(header::LOCATION, location)], Json(started)).into_response())
}

/// Handles `GET /api/v1/collections/{id}`: returns the current state of a comparison.
pub async fn snapshot(In(state): In<ServerState>, PathParams(id): PathParams<Id>) -> Result<Json<CollectionSnapshot>, ApiProblem> {
    snapshot_of(&state.jobs.find_collection(id).await?.record()).map(Json)
}

/// Handles `GET /api/v1/collections/{id}/events`: sends the events of a comparison, and ends the stream after the last one.
pub async fn events(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    PathParams(id): PathParams<Id>,
    QueryParams(known): QueryParams<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let live = state.jobs.find_collection(id).await?;
    event_streams::follow(&state, client, &live, known, &headers)
}

/// Handles `DELETE /api/v1/collections/{id}`: cancels a comparison. With its token, also deletes it and its answer.
pub async fn cancel(In(state): In<ServerState>, PathParams(id): PathParams<Id>, headers: HeaderMap) -> Result<StatusCode, ApiProblem> {
    JobKind::Collection.cancel(&state, id, &headers).await
}

/// Returns the stored question of `record`.
///
/// # Errors
/// Returns `Internal` if the job compares two texts.
pub(super) fn stored(record: &StoredResult) -> Result<&StoredCollection, ApiProblem> {
    record.collection.as_deref().ok_or_else(|| ApiProblem::internal("a job without a collection was found as one"))
}

/// Accepts the comparison `request` of `client`: stores its texts, reads them, checks the limits and that an engine accepts the
/// work, and queues the job.
async fn accept(
    state: &ServerState,
    client: ClientIdentity,
    request: CollectionRequest,
    first: FirstRow,
    bytes: u64,
) -> Result<Arc<JobHandle>, ApiProblem> {
    let CollectionRequest { task, options, a, b, keep, template } = request;
    let keep = keep.pairs().map_err(|error| ApiProblem::new(ProblemKind::BadInput, error.to_string()))?;
    // Checked before any charge, so that a client pays nothing for a refused request.
    state.store.check_row_quota()?;
    state.budgets.charge(client, BudgetCost::Bytes(bytes))?;
    state.budgets.charge(client, BudgetCost::Stored(JOB_ROWS_BYTES + bytes))?;
    let template = match resolve_template(state, task, template).await? {
        Some(template) => Some(Arc::new(template_sources(state, client, template, options.reading()).await?)),
        None => None,
    };
    let file = async |side: &'static str, given: GivenTexts| match &template {
        Some(template) => rest_file(state, client, resolve(state, side, given).await?, template.clone(), options.reading()).await,
        None => side_file(state, side, given).await,
    };
    let a = file("a", a).await?;
    let b = match b {
        Some(b) => Some(file("b", b).await?),
        None => None,
    };
    let id = Id::random();
    let b_info = b.as_ref().map(|b| b.info.clone()).unwrap_or_default();
    let uploaded = [Some(&a), b.as_ref()].into_iter().flatten().filter(|side| side.info.upload.is_some());
    let uploaded = uploaded.map(|side| side.info.bytes).sum();
    let b_hash = b.as_ref().map_or(a.hash, |b| b.hash);
    let snapshot = JobSnapshot::new(id.to_string(), task, options, a.info, b_info);
    let taken_at = Some(state.store.clock.seconds());
    let mut record = StoredResult { taken_at, ..StoredResult::new(snapshot, a.hash, b_hash) };
    let b = b.map(|b| b.stored);
    let mut stored =
        StoredCollection { keep, a: a.stored, b, rows: 0, work: JobWork::from_cells(task, 0), parts: Vec::new(), summary: None };
    let limits = AnswerLimits { max_scores: state.config.max_scores, max_pairs: state.config.max_pairs };
    let (draft, asked) = ((record.clone(), stored.clone()), stored.clone());
    let look = move |texts| estimate(&draft.0, &draft.1, &texts, &limits);
    // Reading uploads is charged even if the comparison is refused. Otherwise a client could repeat the request without limit.
    let read = state.results.admit_collection(record.clone(), asked, look).await;
    state.budgets.settle(client, BudgetCost::Bytes(uploaded));
    let QuestionEstimate { work, rows, texts, answer_bytes, warnings } = read?;
    let placed_plan = state.jobs.plan(&work, &record.texts_with_bytes()).await?;
    state.budgets.charge(client, BudgetCost::Stored(answer_bytes))?;
    state.budgets.charge(client, BudgetCost::Cells(work.effort(placed_plan.plan.engine).cells))?;
    (stored.work, stored.rows, stored.a.texts) = (work, rows, texts[0]);
    if let Some(b) = &mut stored.b {
        b.texts = texts[1];
    }
    record.snapshot.warnings = warnings;
    record.collection = Some(Box::new(stored));
    state.jobs.submit(NewJob { id, client, first, record, pair: None, work, placed_plan, is_awaited: false }).await
}

/// Checks the question `stored` of `record` about `texts`, and estimates its work.
///
/// # Errors
/// Returns `BadInput` if the question does not fit the texts, and `TooLarge` if the answer exceeds `limits`.
fn estimate(
    record: &StoredResult,
    stored: &StoredCollection,
    texts: &CollectionTexts,
    limits: &AnswerLimits,
) -> Result<QuestionEstimate, ApiProblem> {
    let rows = texts.rows();
    match texts {
        CollectionTexts::Patterns(patterns) => {
            if stored.keep != KeptPairs::All {
                return Err(JobFailure::bad_input("keep has pairs of texts, and a search has hits. Leave out keep.").into());
            }
            Ok(QuestionEstimate {
                work: patterns.work()?,
                rows,
                texts: [rows, patterns.texts().len() as u64],
                answer_bytes: 0,
                warnings: Vec::new(),
            })
        }
        CollectionTexts::Pairs(collection) => {
            let question = question(record, stored, collection)?;
            question.check_limits(collection, limits)?;
            let [a, columns] = [collection.a(), collection.columns()].map(|side| side.members().len() as u64);
            let b = collection.b().map_or(0, |_| columns);
            let warnings = collection.warnings().to_vec();
            Ok(QuestionEstimate {
                work: question.work(collection),
                rows,
                texts: [a, b],
                answer_bytes: answer_bytes(stored.keep, collection),
                warnings,
            })
        }
    }
}

/// Returns the size of the stored answer in bytes, or 0 if the number of kept pairs is not known.
fn answer_bytes(keep: KeptPairs, collection: &Collection) -> u64 {
    let [rows, columns] = [collection.a(), collection.columns()].map(|side| side.distinct().len() as u64);
    match keep {
        KeptPairs::All => SCORE_BYTES * rows * columns,
        KeptPairs::Nearest(count) => PAIR_BYTES * rows * u64::from(count).min(columns),
        KeptPairs::Within(_) | KeptPairs::Similarity(_) => 0,
    }
}

/// Stores the texts of a side that were sent with the request as a file, or looks up its upload.
async fn side_file(state: &ServerState, side: &str, given: GivenTexts) -> Result<SideFile, ApiProblem> {
    let GivenTexts { texts, upload, split } = given;
    let is_list = upload.is_none();
    let (hash, bytes, upload) = match upload {
        Some(_) if !texts.is_empty() => return Err(texts_and_upload(side)),
        Some(upload) => {
            let (hash, upload) = uploaded(state, upload).await?;
            let files = state.store.files.clone();
            let size = tokio::task::spawn_blocking(move || files.bytes(&hash)).await.map_err(ApiProblem::internal)?;
            (hash, size.map_err(ApiProblem::disk_failure)?, upload)
        }
        None => {
            let len = |text: &GivenText| match text {
                GivenText::Text(text) => text.len(),
                GivenText::Named(named) => named.text.len(),
            };
            let bytes = texts.iter().map(len).sum::<usize>() as u64;
            let content = serde_json::to_vec(&texts).map_err(ApiProblem::internal)?;
            let hashes = state.store.files.clone().put_soon(vec![content]).await.map_err(ApiProblem::disk_failure)?;
            (hashes.into_iter().next().ok_or_else(|| ApiProblem::internal("a list of texts has no file"))?, bytes, None)
        }
    };
    let info = TextInfo { bytes, upload, ..TextInfo::default() };
    Ok(SideFile { hash, stored: StoredSide { is_list, split, texts: 0 }, info })
}

/// Reads the texts of a template.
async fn template_sources(
    state: &ServerState,
    client: ClientIdentity,
    template: ResolvedSide,
    reading: ReadingOptions,
) -> Result<Vec<MemberSource>, ApiProblem> {
    state.budgets.charge(client, BudgetCost::Bytes(template.uploaded_bytes))?;
    let (reader, bytes) = (state.clone(), template.uploaded_bytes);
    state.results.read_for_job(bytes, reading, move || Ok(template.sources(&reader)?.sources)).await
}

/// Stores the texts of a side without the words that stem from a template. The job then has no other texts, so that a later
/// attempt reads the same ones.
async fn rest_file(
    state: &ServerState,
    client: ClientIdentity,
    side: ResolvedSide,
    template: Arc<Vec<MemberSource>>,
    reading: ReadingOptions,
) -> Result<SideFile, ApiProblem> {
    let (is_list, split, uploaded_bytes) = (side.upload.is_none(), side.split, side.uploaded_bytes);
    state.budgets.charge(client, BudgetCost::Bytes(uploaded_bytes))?;
    let (reader, read) = (state.clone(), uploaded_bytes + template.iter().map(|text| text.bytes.len() as u64).sum::<u64>());
    let (bytes, content) = state
        .results
        .read_for_job(read, reading, move || {
            let rest = TextTemplate::of_sources(&template, reading.unit)?.remove_from_side(side.sources(&reader)?)?.sources;
            let bytes = rest.iter().map(|source| source.bytes.len() as u64).sum::<u64>();
            let content = match rest.first() {
                Some(upload) if !is_list => upload.bytes.to_vec(),
                _ => list_of(rest)?,
            };
            Ok((bytes, content))
        })
        .await?;
    if !is_list {
        state.budgets.charge(client, BudgetCost::Stored(content.len() as u64))?;
    }
    let hashes = state.store.files.clone().put_soon(vec![content]).await.map_err(ApiProblem::disk_failure)?;
    let hash = hashes.into_iter().next().ok_or_else(|| ApiProblem::internal("the rest of a side has no file"))?;
    let info = TextInfo { bytes, ..TextInfo::default() };
    Ok(SideFile { hash, stored: StoredSide { is_list, split, texts: 0 }, info })
}

/// Writes texts as the list in which a request has them.
fn list_of(sources: Vec<MemberSource>) -> Result<Vec<u8>, ApiProblem> {
    let text = |source: MemberSource| {
        // Words of UTF-8 end at white space, which is one byte of ASCII.
        let text = String::from_utf8_lossy(&source.bytes).into_owned();
        GivenText::Named(NamedText { name: source.name, text })
    };
    let texts: Vec<GivenText> = sources.into_iter().map(text).collect();
    serde_json::to_vec(&texts).map_err(ApiProblem::internal)
}

/// Returns the state of the comparison `record` as clients see it.
fn snapshot_of(record: &StoredResult) -> Result<CollectionSnapshot, ApiProblem> {
    let stored = stored(record)?;
    let info = |text: &TextInfo, side: &StoredSide| CollectionTextsInfo {
        texts: side.texts,
        bytes: text.bytes,
        split: side.split,
        upload: text.upload.clone(),
    };
    let JobSnapshot { id, task, options, state, plan, stage, progress, metrics, seq, failure, warnings, .. } = record.snapshot.clone();
    Ok(CollectionSnapshot {
        links: CollectionLinks::new(&id),
        id,
        task,
        options,
        keep: stored.keep.into(),
        state,
        queue_position: record.snapshot.queue_position,
        queue_wait_ms: record.snapshot.queue_wait_ms,
        plan,
        stage,
        progress,
        rows: stored.rows,
        stored_rows: stored.stored_rows(),
        metrics,
        seq,
        answer: stored.summary,
        failure,
        warnings,
        a: info(&record.snapshot.a, &stored.a),
        b: stored.b.as_ref().map(|b| info(&record.snapshot.b, b)),
    })
}

/// Returns whether `record` is a search for patterns.
pub(super) fn is_search(record: &StoredResult) -> bool {
    PatternCollection::TASKS.contains(&record.snapshot.task)
}
