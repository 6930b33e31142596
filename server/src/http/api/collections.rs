//! Collections: the handler of `POST /api/v1/collections` ([`compare`]), which compares many texts with many.
//!
//! Without `wait`, the answer to the request is the result. Nothing is stored, so that every process of a site can answer.
//! With `wait`, the comparison is a job of its own.
//!
//! - [`mod@jobs`]: comparisons as jobs: start, snapshot, events, end
//! - [`answers`]: the stored answer as a file, and parts of it

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse as _, Response};
use explain::collection::found::FoundPatterns;
use explain::collection::request::{CollectionRequest, GivenTemplate, GivenTexts};
use explain::collection::template::TextTemplate;
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use explain::export::csv::BYTE_ORDER_MARK;
use futures::{StreamExt as _, stream};
use kernels::collection::{
    AnswerLimits, Collection, CollectionAnswer, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, PatternCollection, PatternHits,
    RowSteps, SideSources,
};
use kernels::cpu::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::job::Task;
use kernels::plan::EngineName;
use kernels::run::{Halt, Run};
use serde::Deserialize;
use tracing::warn;
use utoipa::IntoParams;

use super::extract::QueryParams;
use super::job_body;
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::results::collection::named_sources;
use crate::storage::ports::files::ContentHash;

pub mod answers;
pub mod jobs;

/// Response header with the duration of the comparison.
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Query of a request that compares a collection: `?format=&bom=` or `?wait=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CollectionQuery {
    /// Format of the answer: `json` (default), `pairs`, `matrix` or `groups` (CSV), `phylip`, `newick` or `npy`. For a search:
    /// `json`, `hits` or `counts` (CSV), `bed`, `paf` or `sam`.
    format: Option<String>,
    /// `1`: comma-separated values begin with a byte order mark, by which Excel recognizes UTF-8.
    #[param(maximum = 1)]
    bom: Option<u8>,
    /// Seconds to wait for the end of the comparison, at most 30. With this parameter, the comparison is a job of its own. The
    /// answer is its state, and the result is stored.
    wait: Option<f64>,
}

/// The texts of one side of a request: those that were sent, or the hash of an upload.
struct ResolvedSide {
    /// Name of the side in errors.
    side: &'static str,
    upload: Option<ContentHash>,
    /// Size of the upload.
    uploaded_bytes: u64,
    sources: Vec<MemberSource>,
    split: MemberSplit,
}

/// Minimum work of a question for a GPU. The processor does less in under half a second.
const MIN_GPU_CELLS: u64 = 10_000_000_000;

/// Number of bytes of an answer that are sent together.
const PIECE_BYTES: usize = 64 << 10;

/// Handles `POST /api/v1/collections`: compares the texts, and answers with the result as a file. Stops if the client
/// disconnects. With `wait`, starts a job, and answers with its state.
pub async fn compare(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    QueryParams(CollectionQuery { format, bom, wait }): QueryParams<CollectionQuery>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    if let Some(wait) = wait {
        if format.is_some() || bom.is_some() {
            let detail = "A request has either format and bom, for a file, or wait, for a job. Leave out one of them.";
            return Err(ApiProblem::new(ProblemKind::Malformed, detail));
        }
        return jobs::submit(state, client, wait, &headers, body).await;
    }
    state.budgets.check(client, BudgetCost::Cells(1))?;
    let format = parse_format(format.as_deref())?;
    let body = body.map_err(|rejection| too_long(&state, &rejection))?;
    state.budgets.charge(client, BudgetCost::Bytes(body.len() as u64))?;
    let CollectionRequest { task, options, a, b, keep, template } = job_body::parse_collection(&body)?;
    let keep = keep.pairs().map_err(|error| ApiProblem::new(ProblemKind::BadInput, error.to_string()))?;
    let a = resolve(&state, "a", a).await?;
    let b = match b {
        Some(b) => Some(resolve(&state, "b", b).await?),
        None => None,
    };
    let template = resolve_template(&state, task, template).await?;
    let uploaded = [Some(&a), b.as_ref(), template.as_ref()].into_iter().flatten().map(|side| side.uploaded_bytes).sum::<u64>();
    state.budgets.charge(client, BudgetCost::Bytes(uploaded))?;
    // Held until the client has received the answer, because many answers would fill the memory.
    let slot = state.results.begin_export()?;
    let (max_time, compared) = (Duration::from_secs(state.config.job_seconds), state.clone());
    let bytes = uploaded + body.len() as u64;
    let (file, took) = state
        .results
        .run_collection(max_time, bytes, options.reading(), move |run| {
            let (state, begun) = (compared, Instant::now());
            let mut a = a.sources(&state)?;
            let mut b = b.map(|b| b.sources(&state)).transpose()?;
            if let Some(template) = template {
                let template = template.sources(&state)?.sources;
                let template = TextTemplate::of_sources(&template, options.unit)?;
                a = template.remove_from_side(a)?;
                b = b.map(|b| template.remove_from_side(b)).transpose()?;
            }
            let file = if PatternCollection::TASKS.contains(&task) {
                let b = b.ok_or_else(|| JobFailure::bad_input("A search needs b, the text with the hits. a has the patterns."))?;
                if keep != KeptPairs::All {
                    return Err(JobFailure::bad_input("keep has pairs of texts, and a search has hits. Leave out keep.").into());
                }
                format.check_search(task, options.count_only)?;
                find(&state, client, &PatternCollection::parse(a, b, task, &options)?, format, run)?
            } else {
                let collection = Collection::parse(a, b, &options.reading())?;
                let question = CollectionQuestion::new(task, &options, keep, &collection)?;
                answer(&state, client, &collection, &question, format, run)?
            };
            Ok((file, begun.elapsed()))
        })
        .await?;
    let timing = format!("compare;dur={:.3}", 1e3 * took.as_secs_f64());
    let before = byte_order_mark(format, bom);
    let length = (before.len() + file.len()).to_string();
    let headers = [(header::CONTENT_LENGTH, length), (SERVER_TIMING, timing)];
    let all = std::iter::once(Bytes::from_static(before.as_bytes())).chain(pieces(file));
    let pieces = stream::iter(all).map(move |piece| {
        let _held = &slot;
        Ok::<_, Infallible>(piece)
    });
    Ok((headers, as_file(format, Body::from_stream(pieces))?).into_response())
}

/// Returns the format with the name `name`, or the default.
fn parse_format(name: Option<&str>) -> Result<CollectionFormat, ApiProblem> {
    name.unwrap_or(CollectionFormat::Json.name()).parse().map_err(|_| {
        let names = CollectionFormat::ALL.map(CollectionFormat::name).join(", ");
        ApiProblem::new(ProblemKind::UnsupportedFormat, format!("There is no such format for collections. Formats: {names}."))
    })
}

/// Returns the text before a file in `format`: a byte order mark if `bom` asks for one and the values are comma-separated.
fn byte_order_mark(format: CollectionFormat, bom: Option<u8>) -> &'static str {
    if bom.is_some_and(|bom| bom > 0) && format.is_comma_separated() { BYTE_ORDER_MARK } else { "" }
}

/// Returns a response with a file in `format`. Browsers save it, except JSON.
fn as_file(format: CollectionFormat, body: Body) -> Result<Response, ApiProblem> {
    let mut response = ([(header::CONTENT_TYPE, format.media_type())], body).into_response();
    if format != CollectionFormat::Json {
        let name = format!("attachment; filename=\"collection.{}\"", format.extension());
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name.parse().map_err(ApiProblem::internal)?);
    }
    Ok(response)
}

fn too_long(state: &ServerState, rejection: &BytesRejection) -> ApiProblem {
    ApiProblem::of_body(rejection, state.config.max_body_bytes, " Upload longer texts with PUT /api/v1/texts first.")
}

/// Cuts a file into pieces of [`PIECE_BYTES`] that share its memory.
fn pieces(file: Vec<u8>) -> impl Iterator<Item = Bytes> {
    let mut left = Bytes::from(file);
    std::iter::from_fn(move || (!left.is_empty()).then(|| left.split_to(left.len().min(PIECE_BYTES))))
}

/// Answers the question, and returns the answer as a file in `format`.
fn answer(
    state: &ServerState,
    client: ClientIdentity,
    collection: &Collection,
    question: &CollectionQuestion,
    format: CollectionFormat,
    run: &Run<'_>,
) -> Result<Vec<u8>, ApiProblem> {
    let limits = AnswerLimits { max_scores: state.config.max_scores, max_pairs: state.config.max_pairs };
    let (rule, keep, max_pairs) = (question.rule(), question.keep(), limits.max_pairs);
    format.check(&rule, keep, collection, max_pairs)?;
    question.check_limits(collection, &limits)?;
    charge(state, client, question.cells(collection))?;
    let answer = solve(state, question, collection, &limits, run)?;
    let mut file = Vec::new();
    AnsweredCollection { has_names: true, collection, rule, keep, answer: &answer, max_pairs }
        .write(format, &mut file)
        .map_err(not_written)?;
    Ok(file)
}

/// Answers the question on a GPU if that is worthwhile, or on the processor. If the GPU fails, the processor answers.
fn solve(
    state: &ServerState,
    question: &CollectionQuestion,
    collection: &Collection,
    limits: &AnswerLimits,
    run: &Run<'_>,
) -> Result<CollectionAnswer, ApiProblem> {
    let on_gpu = (question.cells(collection) >= MIN_GPU_CELLS).then(|| state.engines.lend(EngineName::Cuda, false, &[])).flatten();
    if let Some(gpu) = on_gpu {
        match gpu.compare(question, collection, limits, &mut RowSteps::none(), run) {
            Err(Halt::Failed(JobFailure::Engine { message })) => warn!("a GPU could not compare a collection: {message}"),
            answer => return Ok(answer?),
        }
    }
    Ok(question.solve(collection, limits, &Cpu::all_cores(), run)?)
}

/// Searches for the patterns, and returns the hits as a file in `format`.
fn find(
    state: &ServerState,
    client: ClientIdentity,
    collection: &PatternCollection,
    format: CollectionFormat,
    run: &Run<'_>,
) -> Result<Vec<u8>, ApiProblem> {
    charge(state, client, collection.cells())?;
    let hits = hits(state, collection, run)?;
    let (mut file, cpu) = (Vec::new(), Cpu::all_cores());
    FoundPatterns { collection, hits: &hits }.write(format, &mut file, &cpu, run).map_err(not_written)?;
    Ok(file)
}

/// Searches on a GPU if that is worthwhile, or on the processor. If the GPU fails, the processor searches.
fn hits(state: &ServerState, collection: &PatternCollection, run: &Run<'_>) -> Result<Vec<PatternHits>, ApiProblem> {
    let max_hits = state.config.max_pairs;
    let on_gpu = (collection.cells() >= MIN_GPU_CELLS && collection.is_for_gpu())
        .then(|| state.engines.lend(EngineName::Cuda, false, &[]))
        .flatten();
    if let Some(gpu) = on_gpu {
        match gpu.find(collection, max_hits, run) {
            Err(Halt::Failed(JobFailure::Engine { message })) => warn!("a GPU could not search for patterns: {message}"),
            hits => return Ok(hits?),
        }
    }
    Ok(collection.solve(max_hits, &Cpu::all_cores(), run)?)
}

/// Checks that `cells` is within the limit of the server, and charges the client.
fn charge(state: &ServerState, client: ClientIdentity, cells: u64) -> Result<(), ApiProblem> {
    let limit = state.config.max_cells_cpu;
    if cells > limit {
        return Err(JobFailure::TooLarge { what: large::CELLS.into(), got: cells, limit }.into());
    }
    state.budgets.charge(client, BudgetCost::Cells(cells))
}

fn not_written(error: WriteError) -> ApiProblem {
    match error {
        WriteError::Answer(failure) => failure.into(),
        WriteError::Output(cause) => ApiProblem::internal(cause),
    }
}

fn texts_and_upload(side: &str) -> ApiProblem {
    ApiProblem::new(ProblemKind::BadInput, format!("{side} has either texts or an upload. Leave out one of them."))
}

/// Looks up the upload of a side, or names the texts that were sent with the request.
async fn resolve(state: &ServerState, side: &'static str, given: GivenTexts) -> Result<ResolvedSide, ApiProblem> {
    let GivenTexts { texts, upload, split } = given;
    match upload {
        Some(_) if !texts.is_empty() => Err(texts_and_upload(side)),
        Some(upload) => {
            let (hash, _) = super::jobs::uploaded(state, upload).await?;
            let files = state.store.files.clone();
            let size = tokio::task::spawn_blocking(move || files.bytes(&hash)).await.map_err(ApiProblem::internal)?;
            let uploaded_bytes = size.map_err(ApiProblem::disk_failure)?;
            Ok(ResolvedSide { side, upload: Some(hash), uploaded_bytes, sources: Vec::new(), split })
        }
        None => {
            let sources = named_sources(side, texts);
            Ok(ResolvedSide { side, upload: None, uploaded_bytes: 0, sources, split })
        }
    }
}

/// Looks up the texts of a template, if there is one.
async fn resolve_template(state: &ServerState, task: Task, given: Option<GivenTemplate>) -> Result<Option<ResolvedSide>, ApiProblem> {
    let Some(given) = given else { return Ok(None) };
    if PatternCollection::TASKS.contains(&task) {
        return Err(JobFailure::bad_input("A search finds patterns in whole texts. Leave out template.").into());
    }
    resolve(state, "template", given.into()).await.map(Some)
}

impl ResolvedSide {
    /// Returns the texts of this side, and reads its upload from the store.
    fn sources(self, state: &ServerState) -> Result<SideSources, ApiProblem> {
        let Self { side, upload, sources, split, .. } = self;
        let sources = match upload {
            None => sources,
            Some(hash) => {
                let bytes = state.store.files.read(&hash).map_err(ApiProblem::disk_failure)?;
                vec![MemberSource { name: format!("the upload of {side}"), bytes: bytes.into() }]
            }
        };
        Ok(SideSources { sources, split })
    }
}
