//! Collections: the handler of `POST /api/v1/collections` ([`compare`]), which compares many texts with many.
//!
//! The answer to the request is the result. Nothing is stored, so that every process of a site can answer.

use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State as In;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse as _, Response};
use explain::collection::request::{CollectionRequest, GivenText, GivenTexts};
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use kernels::collection::{AnswerLimits, Collection, CollectionQuestion, MemberSource, SideSources};
use kernels::cpu::Cpu;
use kernels::failure::{JobFailure, large};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::QueryParams;
use super::{job_body, jobs};
use crate::ServerState;
use crate::clients::budgets::BudgetCost;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::storage::ports::files::ContentHash;

/// Response header with the duration of the comparison.
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Query of a request that compares a collection: `?format=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CollectionQuery {
    /// Format of the answer: `json` (default), `pairs`, `matrix` or `groups` (CSV), `phylip`, `newick` or `npy`.
    format: Option<String>,
}

/// The texts of one side of a request: those that were sent, or the hash of an upload.
enum ResolvedSide {
    Sent(SideSources),
    Uploaded(ContentHash, SideSources),
}

/// Handles `POST /api/v1/collections`: compares the texts, and answers with the result as a file. Stops if the client
/// disconnects.
pub async fn compare(
    In(state): In<ServerState>,
    Extension(client): Extension<ClientIdentity>,
    QueryParams(CollectionQuery { format }): QueryParams<CollectionQuery>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    state.budgets.check(client, BudgetCost::Cells(1))?;
    let format: CollectionFormat = format.as_deref().unwrap_or(CollectionFormat::Json.name()).parse().map_err(|_| {
        let names = CollectionFormat::ALL.map(CollectionFormat::name).join(", ");
        ApiProblem::new(ProblemKind::UnsupportedFormat, format!("There is no such format for collections. Formats: {names}."))
    })?;
    let body = body.map_err(|rejection| {
        ApiProblem::of_body(&rejection, state.config.max_body_bytes, " Upload longer texts with PUT /api/v1/texts first.")
    })?;
    state.budgets.charge(client, BudgetCost::Bytes(body.len() as u64))?;
    let CollectionRequest { task, options, a, b, keep } = job_body::parse_collection(&body)?;
    let keep = keep.pairs().map_err(|error| ApiProblem::new(ProblemKind::BadInput, error.to_string()))?;
    let a = resolve(&state, "a", a).await?;
    let b = match b {
        Some(b) => Some(resolve(&state, "b", b).await?),
        None => None,
    };
    let (max_time, compared) = (Duration::from_secs(state.config.job_seconds), state.clone());
    let begun = Instant::now();
    let file = state
        .results
        .run_collection(max_time, move |run| {
            let state = compared;
            let a = sources(&state, client, a)?;
            let b = b.map(|b| sources(&state, client, b)).transpose()?;
            let collection = Collection::parse(a, b, &options.reading())?;
            let question = CollectionQuestion::new(task, &options, keep, &collection)?;
            let limits = AnswerLimits { max_scores: state.config.max_scores, max_pairs: state.config.max_pairs };
            question.check_limits(&collection, &limits)?;
            let (got, limit) = (question.cells(&collection), state.config.max_cells_cpu);
            if got > limit {
                return Err(JobFailure::TooLarge { what: large::CELLS.into(), got, limit }.into());
            }
            state.budgets.charge(client, BudgetCost::Cells(got))?;
            let answer = question.solve(&collection, &limits, &Cpu::all_cores(), run)?;
            let answered = AnsweredCollection { collection: &collection, task, keep, answer: &answer, max_pairs: limits.max_pairs };
            let mut file = Vec::new();
            answered.write(format, &mut file).map_err(|error| match error {
                WriteError::Answer(failure) => failure.into(),
                WriteError::Output(cause) => ApiProblem::internal(cause),
            })?;
            Ok(file)
        })
        .await?;
    let timing = format!("compare;dur={:.3}", 1e3 * begun.elapsed().as_secs_f64());
    let mut response = ([(header::CONTENT_TYPE, format.media_type().to_owned()), (SERVER_TIMING, timing)], file).into_response();
    if format != CollectionFormat::Json {
        let name = format!("attachment; filename=\"collection.{}\"", format.extension());
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name.parse().map_err(ApiProblem::internal)?);
    }
    Ok(response)
}

/// Looks up the upload of a side, or names the texts that were sent with the request.
async fn resolve(state: &ServerState, side: &str, given: GivenTexts) -> Result<ResolvedSide, ApiProblem> {
    let GivenTexts { texts, upload, split } = given;
    match upload {
        Some(_) if !texts.is_empty() => {
            let detail = format!("{side} has either texts or an upload. Leave out one of them.");
            Err(ApiProblem::new(ProblemKind::BadInput, detail))
        }
        Some(upload) => {
            let (hash, _) = jobs::uploaded(state, upload).await?;
            Ok(ResolvedSide::Uploaded(hash, SideSources { sources: Vec::new(), split }))
        }
        None => {
            let source = |(number, text)| match text {
                GivenText::Named(named) => MemberSource { name: named.name, bytes: named.text.into_bytes().into() },
                GivenText::Text(text) => MemberSource { name: format!("text {}", number + 1), bytes: text.into_bytes().into() },
            };
            Ok(ResolvedSide::Sent(SideSources { sources: texts.into_iter().enumerate().map(source).collect(), split }))
        }
    }
}

/// Returns the texts of a side, and reads its upload from the store.
fn sources(state: &ServerState, client: ClientIdentity, side: ResolvedSide) -> Result<SideSources, ApiProblem> {
    match side {
        ResolvedSide::Sent(sources) => Ok(sources),
        ResolvedSide::Uploaded(hash, SideSources { split, .. }) => {
            let bytes = state.store.files.read(&hash).map_err(ApiProblem::disk_failure)?;
            state.budgets.charge(client, BudgetCost::Bytes(bytes.len() as u64))?;
            Ok(SideSources { sources: vec![MemberSource { name: "the upload".into(), bytes: bytes.into() }], split })
        }
    }
}
