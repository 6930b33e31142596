//! Answers: the stored answer of a comparison as a file ([`export`]) and as a map ([`tiles`]).

use std::io::{self, Write as _};
use std::ops::Range;

use axum::Json;
use axum::extract::State as In;
use axum::response::Response;
use explain::collection::AnsweredCollection;
use explain::collection::found::FoundPatterns;
use explain::collection::snapshot::CollectionTile;
use explain::collection::write::WriteError;
use explain::snapshot::JobStatus;
use kernels::collection::ScoreRule;
use kernels::cpu::Cpu;
use kernels::run::Run;
use serde::Deserialize;
use utoipa::IntoParams;

use super::jobs::{is_search, stored};
use super::{as_file, byte_order_mark, parse_format};
use crate::ServerState;
use crate::clients::budgets::RequestPayer;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::api::export::pieces::body;
use crate::http::api::extract::{PathParams, QueryParams};
use crate::id::Id;
use crate::results::collection::tiles::TileFrame;
use crate::results::collection::{CollectionResult, CollectionTexts};
use crate::results::no_answer;
use crate::store::record::StoredResult;

/// Maximum number of cells of a row of a tile, and of rows.
const MAX_TILE_SIZE: u64 = 1024;

/// Default number of cells of a row of a tile, and of rows.
const DEFAULT_TILE_SIZE: u64 = 256;

/// Query of the answer as a file: `?format=&bom=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CollectionExportQuery {
    /// Format of the file: `json` (default), `pairs`, `matrix` or `groups` (CSV), `phylip`, `newick` or `npy`. For a search:
    /// `json`, `hits` or `counts` (CSV), `bed`, `paf` or `sam`.
    format: Option<String>,
    /// `1`: comma-separated values begin with a byte order mark, by which Excel recognizes UTF-8.
    #[param(maximum = 1)]
    bom: Option<u8>,
}

/// Query of a rectangle of the answer: `?rows=&columns=&size=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TileQuery {
    /// Range of texts of `a`, such as `0..100`. The end is not part of it. Default: all texts.
    rows: Option<String>,
    /// Range of texts of the other side. Default: all texts.
    columns: Option<String>,
    /// Maximum number of cells in each direction, at most 1024. Default: 256.
    size: Option<u64>,
}

/// Handles `GET /api/v1/collections/{id}/export`: returns the answer as a file, which is written while it is sent.
pub async fn export(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(CollectionExportQuery { format, bom }): QueryParams<CollectionExportQuery>,
) -> Result<Response, ApiProblem> {
    let format = parse_format(format.as_deref())?;
    let before = byte_order_mark(format, bom);
    let record = answered(&state, id).await?;
    let stored = stored(&record)?;
    let rule = ScoreRule::new(record.snapshot.task, &record.snapshot.options);
    let (keep, max_pairs) = (stored.keep, state.config.max_pairs);
    if is_search(&record) {
        format.check_search(rule.task, record.snapshot.options.count_only)?;
    }
    let place = state.results.begin_export()?;
    let texts = state.results.collection_texts(&record, stored).await?;
    if let CollectionTexts::Pairs(collection) = &*texts {
        format.check(&rule, keep, collection, max_pairs)?;
    }
    let result = state.results.collection_result(&record, stored).await?;
    let payer = RequestPayer::current();
    let body = body(place, move |out| {
        out.write_all(before.as_bytes())?;
        match (&*texts, &*result) {
            (CollectionTexts::Pairs(collection), CollectionResult::Pairs(answer)) => {
                AnsweredCollection { has_names: true, collection, rule, keep, answer, max_pairs }.write(format, out).map_err(not_written)
            }
            (CollectionTexts::Patterns(collection), CollectionResult::Hits(hits)) => {
                let reader = out.reader();
                let run = Run::new(&reader);
                let written = FoundPatterns { collection, hits }.write(format, out, &Cpu::SINGLE, &run).map_err(not_written);
                if let Some(payer) = payer {
                    payer.charge_cells(run.cells());
                }
                written
            }
            _ => Err(io::Error::other("the texts and the answer are of different kinds")),
        }
    })?;
    as_file(format, body)
}

/// Handles `GET /api/v1/collections/{id}/tiles`: returns a rectangle of the answer.
pub async fn tiles(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(TileQuery { rows, columns, size }): QueryParams<TileQuery>,
) -> Result<Json<CollectionTile>, ApiProblem> {
    let size = size.unwrap_or(DEFAULT_TILE_SIZE);
    if !(1..=MAX_TILE_SIZE).contains(&size) {
        let detail = format!("size is {size}. It must be from 1 to {MAX_TILE_SIZE}.");
        return Err(ApiProblem::new(ProblemKind::BadInput, detail).limit(MAX_TILE_SIZE, size));
    }
    let record = answered(&state, id).await?;
    let stored = stored(&record)?;
    let columns_of = stored.b.as_ref().unwrap_or(&stored.a).texts;
    let frame = TileFrame { rows: range("rows", rows, stored.a.texts)?, columns: range("columns", columns, columns_of)?, size };
    state.results.collection_tile(&record, stored, frame).await.map(Json)
}

/// Returns the record of the comparison `id`, which has an answer.
///
/// # Errors
/// Returns `NotFound` and `Gone`, and `NoResult` if the comparison has no answer.
async fn answered(state: &ServerState, id: Id) -> Result<StoredResult, ApiProblem> {
    let record = state.jobs.find_collection(id).await?.record();
    if record.snapshot.state == JobStatus::Succeeded { Ok(record) } else { Err(no_answer(&record)) }
}

/// Parses a range such as `0..100`. `texts` is the number of texts, the end of the default.
fn range(name: &str, given: Option<String>, texts: u64) -> Result<Range<u64>, ApiProblem> {
    let Some(given) = given else { return Ok(0..texts) };
    let ends = given.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| ApiProblem::new(ProblemKind::Malformed, format!("{name} must be a range of numbers, such as 0..100.")))
}

/// Converts the error of an answer that breaks off its file.
fn not_written(error: WriteError) -> io::Error {
    match error {
        WriteError::Answer(failure) => io::Error::other(failure.to_string()),
        WriteError::Output(cause) => cause,
    }
}
