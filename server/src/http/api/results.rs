//! Results: queries into a result, such as a window of its alignment. The routes for results of jobs and of links have
//! the same handlers.

use std::future::Future;

use axum::Json;
use axum::body::Body;
use axum::extract::State as In;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use explain::difference_filter::{self, DifferencePosition, EditKinds};
use explain::points::{PointsSummary, PointsWindow};
use explain::side_by_side::SideBySideOutline;
use explain::wire::{
    AlignmentOverview, ColumnNumber, DistanceCounts, FileRecordInfo, HitPageResponse, OffsetScores, OriginalTextPiece, RecordPage,
    SideBySide,
};
use kernels::alignment;
use kernels::job::{Scoring, Task};
use serde::Deserialize;
use utoipa::IntoParams;

use super::export::{self, ExportPart, format};
use super::extract::{PathParams, QueryParams};
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::results::{AlignedPair, AlignmentSelector};
use crate::store::record::StoredResult;

/// Maximum number of alignment columns in a window.
const MAX_WINDOW_COLUMNS: u64 = 20_000;

/// Default number of alignment columns that an exported picture shows.
const DEFAULT_PICTURE_COLUMNS: u64 = 800;

/// Default number of parts of equal length into which an overview or a profile divides a result.
const DEFAULT_POINTS: usize = 1000;

/// Maximum number of parts of equal length into which an overview or a profile divides a result.
const MAX_POINTS: usize = 10_000;

/// Default number of hits in a page of hits.
const DEFAULT_PAGE_HITS: u64 = 100;

/// Maximum number of hits in a page of hits.
const MAX_PAGE_HITS: u64 = 1000;

/// Maximum number of symbols of the text that are returned before, and also after, a hit.
const MAX_CONTEXT_SYMBOLS: u64 = 10_000;

/// Number of bytes in each read of a text that is sent as a whole.
const TEXT_PIECE_BYTES: usize = 64 << 10;

/// Maximum length of a record's name in an answer, in characters.
const MAX_RECORD_NAME_LETTERS: usize = 1000;

/// A kind of object that has a result: a job or a link. Handlers are generic over the kind.
pub trait ResultHolder: Send + Sync + 'static {
    /// Returns the stored result of the job or link with the id `id`.
    fn record(state: &ServerState, id: Id) -> impl Future<Output = Result<StoredResult, ApiProblem>> + Send;
}

/// A marker of the kind of object that has a result: a job.
pub struct JobHolder;

/// A marker of the kind of object that has a result: a link.
pub struct LinkHolder;

impl ResultHolder for JobHolder {
    async fn record(state: &ServerState, id: Id) -> Result<StoredResult, ApiProblem> {
        Ok(state.jobs.find(id).await?.record())
    }
}

impl ResultHolder for LinkHolder {
    async fn record(state: &ServerState, id: Id) -> Result<StoredResult, ApiProblem> {
        Ok(super::links::find(state, id).await?.record)
    }
}

/// Query of a range of columns, hits or other items: `?from=&len=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RangeQuery {
    /// Number of the first item, from 0.
    #[serde(default)]
    from: u64,
    /// Number of items, not more than the maximum of the route. Items after the last one are left out.
    len: Option<u64>,
}

/// Query that selects one alignment of a search: `?hit=` or `?offset=`. The default is the alignment of the first hit.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct HitQuery {
    /// Number of the hit to align, from 0. Default: 0.
    hit: Option<u64>,
    /// Offset in `b` to align, from 0. Only for `match-count`.
    offset: Option<u64>,
}

impl HitQuery {
    /// Returns the selection of an alignment, or `None` if the client selected none.
    ///
    /// # Errors
    /// Returns `BadInput` if both parameters are given.
    fn selector(&self) -> Result<Option<AlignmentSelector>, ApiProblem> {
        if self.hit.is_some() && self.offset.is_some() {
            return Err(ApiProblem::new(ProblemKind::BadInput, "Use either hit= or offset=, not both."));
        }
        Ok(self.offset.map(AlignmentSelector::Offset).or(self.hit.map(AlignmentSelector::Hit)))
    }
}

pub(super) async fn alignment<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Response, ApiProblem> {
    let columns = (part.from, part.len.unwrap_or(MAX_WINDOW_COLUMNS).min(MAX_WINDOW_COLUMNS));
    state.results.window_as(&H::record(&state, id).await?, of.selector()?, columns, |window| Json(window).into_response()).await
}

/// Query of an overview (numbers of edits along an alignment) or of a profile (scores along the searched text):
/// `?points=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PointsQuery {
    /// Number of parts of equal length, at most 10,000. Default: 1,000.
    #[param(minimum = 1, maximum = 10_000)]
    points: Option<usize>,
}

impl PointsQuery {
    fn number(&self) -> usize {
        self.points.unwrap_or(DEFAULT_POINTS).clamp(1, MAX_POINTS)
    }
}

pub(super) async fn overview<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(points): QueryParams<PointsQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Json<AlignmentOverview>, ApiProblem> {
    let (columns, bins) = state.results.overview(&H::record(&state, id).await?, of.selector()?, points.number()).await?;
    Ok(Json(AlignmentOverview { columns, bins: bins.to_vec() }))
}

/// Query that selects kinds of edits: `?kinds=`. Only differences with an edit of a selected kind are numbered. The
/// default is all kinds.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EditKindsQuery {
    /// Letters of the kinds of edits that count: `X` (substitution), `I` (insertion) and `D` (deletion). Default: all
    /// kinds.
    #[param(value_type = Option<String>, pattern = "^[XID]*$")]
    #[serde(default)]
    kinds: EditKinds,
}

/// Query of a column of the alignment: `?at=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ColumnQuery {
    /// Column of the alignment, from 0. The answer is the last difference that begins at or before this column, or else
    /// the first difference.
    #[serde(default)]
    at: u64,
}

pub(super) async fn difference<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams((id, number)): PathParams<(Id, u64)>,
    QueryParams(EditKindsQuery { kinds }): QueryParams<EditKindsQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Json<DifferencePosition>, ApiProblem> {
    let record = H::record(&state, id).await?;
    find_difference(&state, &record, of, (kinds, difference_filter::DifferenceQuery::Number(number))).await
}

pub(super) async fn nearest<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(ColumnQuery { at }): QueryParams<ColumnQuery>,
    QueryParams(EditKindsQuery { kinds }): QueryParams<EditKindsQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Json<DifferencePosition>, ApiProblem> {
    let record = H::record(&state, id).await?;
    find_difference(&state, &record, of, (kinds, difference_filter::DifferenceQuery::At(at))).await
}

/// Finds a difference in the alignment that `of` selects. Only differences with an edit of `kinds` are numbered, and
/// `which` selects one of them.
///
/// # Errors
/// Returns `NotFound` if there is no such difference. The limit in this problem is the number of differences.
async fn find_difference(
    state: &ServerState,
    record: &StoredResult,
    of: HitQuery,
    (kinds, which): (EditKinds, difference_filter::DifferenceQuery),
) -> Result<Json<DifferencePosition>, ApiProblem> {
    state.results.find_difference(record, of.selector()?, (kinds, which)).await?.map(Json).map_err(|all| {
        let asked = if let difference_filter::DifferenceQuery::Number(number) = which { number } else { 0 };
        ApiProblem::new(ProblemKind::NotFound, format!("There is no such difference. There are {all}, numbered from 0.")).limit(all, asked)
    })
}

/// Query of a position in one of the texts: `?a=` or `?b=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PositionQuery {
    /// Position of a symbol of `a`, from 0. Give either `a` or `b`.
    a: Option<u64>,
    /// Position of a symbol of `b`, from 0. Give either `a` or `b`.
    b: Option<u64>,
}

pub(super) async fn column<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(position): QueryParams<PositionQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Json<ColumnNumber>, ApiProblem> {
    let (side, position) = match (position.a, position.b) {
        (Some(a), None) => (alignment::PairSide::A, a),
        (None, Some(b)) => (alignment::PairSide::B, b),
        _ => return Err(ApiProblem::new(ProblemKind::BadInput, "Give a position in one text: either a= or b=.")),
    };
    let record = H::record(&state, id).await?;
    let (name, text) = if side == alignment::PairSide::A { ("a", &record.snapshot.a) } else { ("b", &record.snapshot.b) };
    if position > text.symbols {
        let detail = format!("There is no position {position} in {name}. It has {} symbols, numbered from 0.", text.symbols);
        return Err(ApiProblem::new(ProblemKind::NotFound, detail));
    }
    let column = state.results.column_of(&record, of.selector()?, side, position).await?;
    Ok(Json(ColumnNumber { column }))
}

/// Returns the points of at most 20,000 columns of `sequence-alignment`.
pub(super) async fn points<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
) -> Result<Json<PointsWindow>, ApiProblem> {
    let (from, len) = (part.from, part.len.unwrap_or(MAX_WINDOW_COLUMNS).min(MAX_WINDOW_COLUMNS));
    let (view, scoring) = scored(&state, &H::record(&state, id).await?).await?;
    state.results.run_query(move |_| Ok(Json(PointsWindow::new(&view.alignment, &view.pair, &scoring, from, len)))).await
}

pub(super) async fn sums<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
) -> Result<Json<PointsSummary>, ApiProblem> {
    let (view, scoring) = scored(&state, &H::record(&state, id).await?).await?;
    state.results.run_query(move |_| Ok(Json(PointsSummary::new(&view.alignment, &view.pair, &scoring)))).await
}

/// Returns the alignment of a result of `sequence-alignment`, with its texts and its scoring.
///
/// # Errors
/// Returns `NoResult` for other tasks, and the errors of [`view`](crate::results::ResultReader::view).
async fn scored(state: &ServerState, record: &StoredResult) -> Result<(AlignedPair, Scoring), ApiProblem> {
    let (task, options) = (record.snapshot.task, &record.snapshot.options);
    if task != Task::SequenceAlignment {
        return Err(ApiProblem::new(ProblemKind::NoResult, format!("Columns of {} have no points.", task.name())));
    }
    Ok((state.results.view(record, None).await?, options.scoring()))
}

/// Returns both texts side by side. With the parameter `len`, returns `len` rows from row `from` on, and otherwise an
/// outline of the changes.
pub(super) async fn editions<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
) -> Result<Response, ApiProblem> {
    let record = H::record(&state, id).await?;
    let view = state.results.view(&record, None).await?;
    let editions = state.results.editions(&record, &view).await?;
    let written = move || {
        let lines = editions.row_pairs(&view.pair, &view.alignment, (part.from, part.len.unwrap_or(0)));
        let outline = editions.outline();
        let outline = if part.len.is_none() { outline } else { SideBySideOutline { changes: Vec::new(), moves: Vec::new(), ..outline } };
        Json(SideBySide::new(outline, part.from, lines)).into_response()
    };
    state.results.run_query(move |_| Ok(written())).await
}

/// Query of the context of hits: `?context=`, a number of symbols of the text before and after each hit.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ContextQuery {
    /// Number of symbols of the text before and after each hit, at most 10,000. Without this parameter, only the hits
    /// are returned.
    context: Option<u64>,
}

pub(super) async fn hits<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
    QueryParams(ContextQuery { context }): QueryParams<ContextQuery>,
) -> Result<Response, ApiProblem> {
    let record = H::record(&state, id).await?;
    let (len, context) =
        (part.len.unwrap_or(DEFAULT_PAGE_HITS).min(MAX_PAGE_HITS), context.map(|context| context.min(MAX_CONTEXT_SYMBOLS)));
    let from = part.from;
    let written = move |total: u64, seen| Json(HitPageResponse::new(from.min(total), total, seen)).into_response();
    state.results.hits_as(&record, (from, len), context, written).await
}

pub(super) async fn counts<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
) -> Result<Json<DistanceCounts>, ApiProblem> {
    let counts = state.results.counts(&H::record(&state, id).await?).await?;
    Ok(Json(DistanceCounts { counts: counts.to_vec() }))
}

pub(super) async fn profile<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
    QueryParams(points): QueryParams<PointsQuery>,
) -> Result<Json<OffsetScores>, ApiProblem> {
    let record = H::record(&state, id).await?;
    let offsets = state.results.search(&record).await?.offsets()?;
    let from = part.from.min(offsets);
    let len = part.len.unwrap_or(u64::MAX).min(offsets - from);
    let spans = state.results.profile(&record, from..from + len, points.number()).await?;
    Ok(Json(OffsetScores { from, len, offsets, spans: spans.to_vec() }))
}

/// A side of a result: the text `a` or the text `b`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TextSide {
    A,
    B,
}

pub(super) async fn text<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams((id, side)): PathParams<(Id, TextSide)>,
    QueryParams(part): QueryParams<RangeQuery>,
) -> Result<Json<OriginalTextPiece>, ApiProblem> {
    let record = H::record(&state, id).await?;
    let letters = state.results.letters(&record).await?;
    let side = match side {
        TextSide::A => alignment::PairSide::A,
        TextSide::B => alignment::PairSide::B,
    };
    state.results.run_query(move |_| letters.piece(side, part.from, part.len.unwrap_or(u64::MAX))).await.map(Json)
}

/// Sends a whole text with the same bytes as the client gave. The text is read while it is sent.
pub(super) async fn whole<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams((id, side)): PathParams<(Id, TextSide)>,
) -> Result<Response, ApiProblem> {
    let record = H::record(&state, id).await?;
    let (hash, name) = match side {
        TextSide::A => (record.a, "a"),
        TextSide::B => (record.b, "b"),
    };
    let files = state.store.files.clone();
    let opened =
        tokio::task::spawn_blocking(move || files.open(&hash)).await.map_err(ApiProblem::internal)?.map_err(ApiProblem::disk_failure)?;
    let bytes = opened.bytes;
    let body = Body::from_stream(opened.into_stream(TEXT_PIECE_BYTES));
    let head = [
        (header::CONTENT_LENGTH, bytes.to_string()),
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.txt\"")),
    ];
    Ok((head, body).into_response())
}

/// Query of the records of a text: `?text=a` or `?text=b`. The default is `b`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RecordsQuery {
    /// The text whose records are listed, `a` or `b`. Default: `b`.
    #[param(value_type = Option<String>, pattern = "^[ab]$")]
    text: Option<TextSide>,
}

pub(super) async fn records<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(part): QueryParams<RangeQuery>,
    QueryParams(RecordsQuery { text }): QueryParams<RecordsQuery>,
) -> Result<Json<RecordPage>, ApiProblem> {
    let record = H::record(&state, id).await?;
    let pair = state.results.texts(record.texts()).await?;
    let text = match text.unwrap_or(TextSide::B) {
        TextSide::A => &pair.a,
        TextSide::B => &pair.b,
    };
    let total = text.read_as().records;
    let from = part.from.min(total);
    let end = total.min(from + part.len.unwrap_or(DEFAULT_PAGE_HITS).min(MAX_PAGE_HITS));
    let one = |number: u64| {
        let units = text.has_separate_records().then(|| text.record_range(number as usize));
        let (start, symbols) = units.map(|units| (units.start as u64, units.len() as u64)).unzip();
        FileRecordInfo {
            number,
            name: text.record_name(number).map(|name| name.chars().take(MAX_RECORD_NAME_LETTERS).collect()),
            start,
            symbols,
        }
    };
    Ok(Json(RecordPage { from, total, records: (from..end).map(one).collect() }))
}

/// Query of an export: `?format=&bom=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// Name of the file's format. Default: `text`.
    #[param(value_type = Option<String>, pattern = "^(cigar|text|json|emboss|paf|sam|blast|diff|subsequence|edits|vcf|fasta|svg|html|csv|hits-paf|hits-sam|bed|positions|profile-csv)$")]
    format: Option<String>,
    /// `1`: comma-separated values begin with a byte order mark, by which Excel recognizes UTF-8.
    #[param(maximum = 1)]
    bom: Option<u8>,
}

pub(super) async fn export<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(wanted): QueryParams<ExportQuery>,
    QueryParams(columns): QueryParams<RangeQuery>,
    QueryParams(of): QueryParams<HitQuery>,
) -> Result<Response, ApiProblem> {
    let format = format::parse(wanted.format.as_deref().unwrap_or("text"))?;
    let columns = (columns.from, columns.len.unwrap_or(DEFAULT_PICTURE_COLUMNS).min(MAX_WINDOW_COLUMNS));
    export::file(
        &state.results,
        H::record(&state, id).await?,
        format,
        ExportPart { selector: of.selector()?, columns, bom: wanted.bom.is_some_and(|bom| bom > 0) },
    )
    .await
}
