//! The article about a shared result, for readers without scripts: the parts that are read from the store.

use std::time::Duration;

use app::still::article::{AROUND, Article, COLUMNS, Found, HITS, SYMBOLS};
use explain::kinds::{EditKinds, Which};
use explain::window::Window;
use explain::wire::TextPiece;
use kernels::alignment::Side;
use kernels::found::Hit;

use crate::State;
use crate::api::links::Shared;
use crate::error::Problem;
use crate::record::Record;
use crate::results::Results;
use crate::results::looks::Letters;

/// Timeout for reading alignment and texts, which may be megabytes outside of the cache. Then the page omits them; the
/// next request usually finds them cached.
const ARTICLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum number of displayed characters of one symbol, because a line can be very long.
const MAX_SYMBOL_LETTERS: usize = 400;

/// Maximum number of displayed bytes of a text.
const MAX_HEAD_BYTES: usize = 16_000;

/// Maximum number of symbols of a text's beginning that stand for a missing name.
const MAX_BEGINNING_SYMBOLS: u64 = 64;

/// Creates the article. `page` is the address of the whole page if the article is in a frame.
pub async fn of(state: &State, shared: Shared, page: Option<String>) -> Article {
    let Shared { record, created_at, expires_at } = shared;
    let parts = tokio::time::timeout(ARTICLE_TIMEOUT, read(state, &record)).await;
    let parts = parts.ok().and_then(Result::ok).unwrap_or_default();
    let names = names(&record);
    let links = format!("/api/v1/links/{}", record.snapshot.id);
    Article {
        snapshot: record.snapshot,
        names,
        created_at,
        expires_at,
        window: parts.window,
        hits: parts.hits,
        heads: parts.heads,
        parts: links,
        page,
    }
}

/// Returns the names of the texts. The names in the texts come first, unless both are the same; then the names given by
/// the sharing user are used.
pub fn names(record: &Record) -> [Option<String>; 2] {
    let own = [&record.snapshot.a.name, &record.snapshot.b.name];
    let given = [&record.names.a, &record.names.b];
    if own[0] == own[1] && given.iter().all(|name| name.is_some()) {
        return given.map(Clone::clone);
    }
    [0, 1].map(|side| own[side].clone().filter(|name| !name.is_empty()).or_else(|| given[side].clone()))
}

/// Returns the beginnings of both texts, empty if they cannot be read in time.
pub async fn beginnings(results: &Results, record: &Record) -> [String; 2] {
    let heads = tokio::time::timeout(ARTICLE_TIMEOUT, heads(results, record, MAX_BEGINNING_SYMBOLS)).await;
    heads.ok().and_then(Result::ok).unwrap_or_default()
}

async fn heads(results: &Results, record: &Record, symbols: u64) -> Result<[String; 2], Problem> {
    let letters = results.letters(record).await?;
    results.look(move |_| Ok([head(letters.piece(Side::A, 0, symbols)?), head(letters.piece(Side::B, 0, symbols)?)])).await
}

/// The parts of an article that must be read from the store.
#[derive(Default)]
struct ArticleParts {
    window: Option<Window>,
    hits: Vec<Found>,
    heads: [String; 2],
}

async fn read(state: &State, record: &Record) -> Result<ArticleParts, Problem> {
    let results = &state.results;
    let heads = heads(results, record, SYMBOLS).await?;
    let is_search = record.snapshot.answer.as_ref().is_some_and(|answer| answer.hits().is_some());
    if is_search {
        // A result that was only counted has no hit positions.
        let hits = found(results, record, HITS).await.unwrap_or_default();
        return Ok(ArticleParts { window: None, hits, heads });
    }
    let window = match results.place(record, None, (EditKinds::ALL, Which::Number(0))).await {
        Ok(first) => {
            let first = first.map_or(0, |place| place.column);
            // Skips a long equal beginning, because it tells little.
            let from = if first < COLUMNS { 0 } else { (first - 20) / 10 * 10 };
            Some(shortened(results.window(record, None, from, COLUMNS).await?))
        }
        Err(_) => None,
    };
    Ok(ArticleParts { window, hits: Vec::new(), heads })
}

fn head(piece: TextPiece) -> String {
    let mut head = piece.text;
    if head.len() > MAX_HEAD_BYTES {
        head.truncate(head.floor_char_boundary(MAX_HEAD_BYTES));
        head.push('…');
    }
    head
}

/// Returns the first `most` hits of a search with the text around each.
///
/// # Errors
/// Returns the errors of [`Results::search`].
pub async fn found(results: &Results, record: &Record, most: u64) -> Result<Vec<Found>, Problem> {
    let (_, seen) = results.hits(record, 0, most, None).await?;
    let letters = results.letters(record).await?;
    results.look(move |_| seen.hits.into_iter().map(|hit| around(&letters, hit)).collect()).await
}

/// Reads the text around a hit.
fn around(letters: &Letters, hit: Hit) -> Result<Found, Problem> {
    let length = hit.end - hit.start;
    let before = hit.start.saturating_sub(AROUND);
    let text = |from, len| if len == 0 { Ok(String::new()) } else { letters.piece(Side::B, from, len).map(|piece| cut(piece.text)) };
    let text = [text(before, hit.start - before)?, text(hit.start, length.min(SYMBOLS))?, text(hit.end, AROUND)?];
    Ok(Found { hit: Some(hit), text })
}

fn shortened(mut window: Window) -> Window {
    for unit in window.a.iter_mut().chain(&mut window.b) {
        *unit = cut(std::mem::take(unit));
    }
    window
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_SYMBOL_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
