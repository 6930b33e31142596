//! Windows into a result: the same routes for a job's result and for a link's.

use std::future::Future;

use axum::body::Body;
use axum::extract::State as In;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use explain::editions::Outline;
use explain::kinds::{self, Kinds, Place};
use explain::seen::Seen;
use explain::window::Window;
use explain::wire::{Column, Counts, FileRecord, Hits, Overview, Records, Scores, SideBySide, TextPiece};
use kernels::alignment;
use kernels::run::Run;
use serde::Deserialize;
use tokio_util::io::ReaderStream;

use super::export::{self, Part, format};
use super::extract::{Path, Query};
use super::{dots, matrix};
use crate::State;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::record::Record;
use crate::results::Which;

/// Columns of one window, at most.
const MOST_COLUMNS: u64 = 20_000;

/// Columns of one picture.
const PICTURE_COLUMNS: u64 = 800;

/// Parts of one overview or profile, and at most.
const POINTS: usize = 1000;
const MOST_POINTS: usize = 10_000;

/// Hits of one page, and at most.
const PAGE: u64 = 100;
const MOST_HITS: u64 = 1000;

/// Symbols before and after a hit, at most.
const MOST_CONTEXT: u64 = 10_000;

/// Bytes of a text that are read at a time while it is sent.
const PIECE: usize = 64 << 10;

/// Letters of a record's name, at most.
const MOST_NAME: usize = 1000;

/// Who holds a result.
pub trait Holder: Send + Sync + 'static {
    /// The record under this id.
    fn record(state: &State, id: Id) -> impl Future<Output = Result<Record, Problem>> + Send;
}

/// A job holds it.
pub struct OfJob;

/// A link holds it.
pub struct OfLink;

impl Holder for OfJob {
    async fn record(state: &State, id: Id) -> Result<Record, Problem> {
        Ok(state.jobs.find(id).await?.record())
    }
}

impl Holder for OfLink {
    async fn record(state: &State, id: Id) -> Result<Record, Problem> {
        Ok(super::links::find(state, id).await?.record)
    }
}

/// The routes below `/{id}`.
pub fn routes<H: Holder>() -> Router<State> {
    Router::new()
        .route("/{id}/alignment", get(alignment::<H>))
        .route("/{id}/overview", get(overview::<H>))
        .route("/{id}/differences", get(nearest::<H>))
        .route("/{id}/differences/{number}", get(difference::<H>))
        .route("/{id}/column", get(column::<H>))
        .route("/{id}/editions", get(editions::<H>))
        .route("/{id}/hits", get(hits::<H>))
        .route("/{id}/profile", get(profile::<H>))
        .route("/{id}/matrix", get(matrix::matrix::<H>))
        .route("/{id}/dots", get(dots::dots::<H>))
        .route("/{id}/counts", get(counts::<H>))
        .route("/{id}/texts/{side}", get(text::<H>))
        .route("/{id}/texts/{side}/file", get(whole::<H>))
        .route("/{id}/records", get(records::<H>))
        .route("/{id}/export", get(export::<H>))
}

/// `?from=&len=`
#[derive(Debug, Deserialize)]
struct Stretch {
    #[serde(default)]
    from: u64,
    len: Option<u64>,
}

/// `?hit=` or `?offset=`: which alignment of a search; that of the first hit where both are left out.
#[derive(Debug, Deserialize)]
struct OfHit {
    hit: Option<u64>,
    offset: Option<u64>,
}

impl OfHit {
    fn which(&self) -> Option<Which> {
        self.offset.map(Which::Offset).or(self.hit.map(Which::Hit))
    }
}

async fn alignment<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(part): Query<Stretch>,
    Query(of): Query<OfHit>,
) -> Result<Json<Window>, Problem> {
    let len = part.len.unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS);
    state.results.window(&H::record(&state, id).await?, of.which(), part.from, len).await.map(Json)
}

/// `?points=`
#[derive(Debug, Deserialize)]
struct Points {
    points: Option<usize>,
}

impl Points {
    fn number(&self) -> usize {
        self.points.unwrap_or(POINTS).clamp(1, MOST_POINTS)
    }
}

async fn overview<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(points): Query<Points>,
    Query(of): Query<OfHit>,
) -> Result<Json<Overview>, Problem> {
    let (columns, bins) = state.results.overview(&H::record(&state, id).await?, of.which(), points.number()).await?;
    Ok(Json(Overview { columns, bins: bins.to_vec() }))
}

/// `?kinds=`: which kinds of edits count, as their letters; all where it is left out.
#[derive(Debug, Deserialize)]
struct OfKinds {
    #[serde(default)]
    kinds: Kinds,
}

/// `?at=`: a column.
#[derive(Debug, Deserialize)]
struct AtColumn {
    #[serde(default)]
    at: u64,
}

async fn difference<H: Holder>(
    In(state): In<State>,
    Path((id, number)): Path<(Id, u64)>,
    Query(OfKinds { kinds }): Query<OfKinds>,
    Query(of): Query<OfHit>,
) -> Result<Json<Place>, Problem> {
    let record = H::record(&state, id).await?;
    place(&state, &record, of, (kinds, kinds::Which::Number(number))).await
}

async fn nearest<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(AtColumn { at }): Query<AtColumn>,
    Query(OfKinds { kinds }): Query<OfKinds>,
    Query(of): Query<OfHit>,
) -> Result<Json<Place>, Problem> {
    let record = H::record(&state, id).await?;
    place(&state, &record, of, (kinds, kinds::Which::At(at))).await
}

/// A difference that there is not is not found; the limit is how many there are.
async fn place(state: &State, record: &Record, of: OfHit, (kinds, which): (Kinds, kinds::Which)) -> Result<Json<Place>, Problem> {
    state.results.place(record, of.which(), (kinds, which)).await?.map(Json).map_err(|all| {
        let asked = if let kinds::Which::Number(number) = which { number } else { 0 };
        Problem::new(Kind::NotFound, format!("There are {all} differences, counted from 0.")).limit(all, asked)
    })
}

/// `?a=` or `?b=`: a position in one of both texts.
#[derive(Debug, Deserialize)]
struct OfPosition {
    a: Option<u64>,
    b: Option<u64>,
}

async fn column<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(position): Query<OfPosition>,
    Query(of): Query<OfHit>,
) -> Result<Json<Column>, Problem> {
    let (side, position) = match (position.a, position.b) {
        (Some(a), None) => (alignment::Side::A, a),
        (None, Some(b)) => (alignment::Side::B, b),
        _ => return Err(Problem::new(Kind::BadInput, "Name a position in one of both texts: a= or b=.")),
    };
    let column = state.results.column_of(&H::record(&state, id).await?, of.which(), side, position).await?;
    Ok(Json(Column { column }))
}

/// Without `len` the outline alone; without `from` from the first row on.
async fn editions<H: Holder>(In(state): In<State>, Path(id): Path<Id>, Query(part): Query<Stretch>) -> Result<Response, Problem> {
    let record = H::record(&state, id).await?;
    let view = state.results.view(&record, None).await?;
    let editions = state.results.editions(&record, &view).await?;
    let written = move || {
        let lines = editions.twins(&view.pair, &view.alignment, (part.from, part.len.unwrap_or(0)));
        let outline = editions.outline();
        let outline = if part.len.is_none() { outline } else { Outline { rows: outline.rows, changes: Vec::new() } };
        Json(SideBySide::new(outline, part.from, lines)).into_response()
    };
    state.results.look(move |_| Ok(written())).await
}

/// `?context=`: symbols of the text before and after each hit.
#[derive(Debug, Deserialize)]
struct Context {
    context: Option<u64>,
}

async fn hits<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(part): Query<Stretch>,
    Query(Context { context }): Query<Context>,
) -> Result<Json<Hits>, Problem> {
    let search = state.results.search(&H::record(&state, id).await?).await?;
    let total = search.total();
    let from = part.from.min(total);
    let len = part.len.unwrap_or(PAGE).min(MOST_HITS);
    let look = move |run: &Run<'_>| match context {
        Some(context) => search.seen(from..from + len, context.min(MOST_CONTEXT), run),
        None => search.hits(from, len, run).map(|hits| Seen { hits, ..Seen::default() }),
    };
    let seen = state.results.look(look).await?;
    Ok(Json(Hits::new(from, total, seen)))
}

async fn counts<H: Holder>(In(state): In<State>, Path(id): Path<Id>) -> Result<Json<Counts>, Problem> {
    let counts = state.results.counts(&H::record(&state, id).await?).await?;
    Ok(Json(Counts { counts: counts.to_vec() }))
}

async fn profile<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(part): Query<Stretch>,
    Query(points): Query<Points>,
) -> Result<Json<Scores>, Problem> {
    let record = H::record(&state, id).await?;
    let offsets = state.results.search(&record).await?.offsets()?;
    let from = part.from.min(offsets);
    let len = part.len.unwrap_or(u64::MAX).min(offsets - from);
    let spans = state.results.profile(&record, from..from + len, points.number()).await?;
    Ok(Json(Scores { from, len, offsets, spans: spans.to_vec() }))
}

/// Which text.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Side {
    A,
    B,
}

async fn text<H: Holder>(
    In(state): In<State>,
    Path((id, side)): Path<(Id, Side)>,
    Query(part): Query<Stretch>,
) -> Result<Json<TextPiece>, Problem> {
    let record = H::record(&state, id).await?;
    let letters = state.results.letters(&record).await?;
    let side = match side {
        Side::A => alignment::Side::A,
        Side::B => alignment::Side::B,
    };
    state.results.look(move |_| letters.piece(side, part.from, part.len.unwrap_or(u64::MAX))).await.map(Json)
}

/// A whole text, byte for byte as it was given, read while it is sent.
async fn whole<H: Holder>(In(state): In<State>, Path((id, side)): Path<(Id, Side)>) -> Result<Response, Problem> {
    let record = H::record(&state, id).await?;
    let (hash, name) = match side {
        Side::A => (record.a, "a"),
        Side::B => (record.b, "b"),
    };
    let blobs = state.store.blobs.clone();
    let opened = tokio::task::spawn_blocking(move || {
        let file = blobs.open_file(&hash)?;
        Ok::<_, std::io::Error>((file.metadata()?.len(), file))
    });
    let (bytes, file) = opened.await.map_err(Problem::internal)?.map_err(Problem::internal)?;
    let body = Body::from_stream(ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE));
    let head = [
        (header::CONTENT_LENGTH, bytes.to_string()),
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.txt\"")),
    ];
    Ok((head, body).into_response())
}

/// `?text=`: which one's records, those of `b` where it is left out.
#[derive(Debug, Deserialize)]
struct OfText {
    text: Option<Side>,
}

async fn records<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(part): Query<Stretch>,
    Query(OfText { text }): Query<OfText>,
) -> Result<Json<Records>, Problem> {
    let record = H::record(&state, id).await?;
    let pair = state.results.texts(record.texts()).await?;
    let text = match text.unwrap_or(Side::B) {
        Side::A => &pair.a,
        Side::B => &pair.b,
    };
    let total = text.read_as().records;
    let from = part.from.min(total);
    let end = total.min(from + part.len.unwrap_or(PAGE).min(MOST_HITS));
    let one = |number: u64| {
        let units = text.is_apart().then(|| text.part(number as usize));
        let (start, symbols) = units.map(|units| (units.start as u64, units.len() as u64)).unzip();
        FileRecord { number, name: text.record_name(number).map(|name| name.chars().take(MOST_NAME).collect()), start, symbols }
    };
    Ok(Json(Records { from, total, records: (from..end).map(one).collect() }))
}

/// `?format=`
#[derive(Debug, Deserialize)]
struct Wanted {
    format: Option<String>,
}

async fn export<H: Holder>(
    In(state): In<State>,
    Path(id): Path<Id>,
    Query(wanted): Query<Wanted>,
    Query(columns): Query<Stretch>,
    Query(of): Query<OfHit>,
) -> Result<Response, Problem> {
    let format = format::named(wanted.format.as_deref().unwrap_or("text"))?;
    let columns = (columns.from, columns.len.unwrap_or(PICTURE_COLUMNS).min(MOST_COLUMNS));
    export::file(&state.results, H::record(&state, id).await?, format, Part { which: of.which(), columns }).await
}
