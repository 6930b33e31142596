//! The article about a shared result: what of it is read from the store for readers without scripts.

use std::time::Duration;

use app::still::article::{AROUND, Article, COLUMNS, Found, HITS, SYMBOLS};
use explain::kinds::{Kinds, Which};
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

/// How long a page waits for its alignment and texts, which may be megabytes that nobody has looked at for long. Then it comes
/// without them; by the next time they are at hand.
const PATIENCE: Duration = Duration::from_secs(3);

/// Letters of one symbol that are shown: a line can be very long.
const LETTERS: usize = 400;

/// Bytes of a text that are shown, at most.
const HEAD_BYTES: usize = 16_000;

/// Symbols of a text that it is called by, at most.
const BEGINNING: u64 = 64;

/// The article. `page` is the address of the whole page, where this one stands in a frame.
pub async fn of(state: &State, shared: Shared, page: Option<String>) -> Article {
    let Shared { record, created_at, expires_at } = shared;
    let parts = tokio::time::timeout(PATIENCE, read(state, &record)).await;
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

/// What the texts are called: by themselves, or by whoever shared them, also where both call themselves the same.
pub fn names(record: &Record) -> [Option<String>; 2] {
    let own = [&record.snapshot.a.name, &record.snapshot.b.name];
    let given = [&record.names.a, &record.names.b];
    if own[0] == own[1] && given.iter().all(|name| name.is_some()) {
        return given.map(Clone::clone);
    }
    [0, 1].map(|side| own[side].clone().filter(|name| !name.is_empty()).or_else(|| given[side].clone()))
}

/// How both texts begin; empty where that cannot be read in time.
pub async fn beginnings(results: &Results, record: &Record) -> [String; 2] {
    let heads = tokio::time::timeout(PATIENCE, heads(results, record, BEGINNING)).await;
    heads.ok().and_then(Result::ok).unwrap_or_default()
}

async fn heads(results: &Results, record: &Record, symbols: u64) -> Result<[String; 2], Problem> {
    let letters = results.letters(record).await?;
    results.look(move |_| Ok([head(letters.piece(Side::A, 0, symbols)?), head(letters.piece(Side::B, 0, symbols)?)])).await
}

/// What takes reading.
#[derive(Default)]
struct Parts {
    window: Option<Window>,
    hits: Vec<Found>,
    heads: [String; 2],
}

async fn read(state: &State, record: &Record) -> Result<Parts, Problem> {
    let results = &state.results;
    let heads = heads(results, record, SYMBOLS).await?;
    let is_search = record.snapshot.answer.as_ref().is_some_and(|answer| answer.hits().is_some());
    if is_search {
        // What was only counted has no places.
        let hits = found(results, record, HITS).await.unwrap_or_default();
        return Ok(Parts { window: None, hits, heads });
    }
    let window = match results.place(record, None, (Kinds::ALL, Which::Number(0))).await {
        Ok(first) => {
            let first = first.map_or(0, |place| place.column);
            // What is equal for long at the beginning says little.
            let from = if first < COLUMNS { 0 } else { (first - 20) / 10 * 10 };
            Some(shortened(results.window(record, None, from, COLUMNS).await?))
        }
        Err(_) => None,
    };
    Ok(Parts { window, hits: Vec::new(), heads })
}

fn head(piece: TextPiece) -> String {
    let mut head = piece.text;
    if head.len() > HEAD_BYTES {
        head.truncate(head.floor_char_boundary(HEAD_BYTES));
        head.push('…');
    }
    head
}

/// The first hits of a search, so many at most, with the text around each.
///
/// # Errors
/// As [`Results::search`].
pub async fn found(results: &Results, record: &Record, most: u64) -> Result<Vec<Found>, Problem> {
    let (_, seen) = results.hits(record, 0, most, None).await?;
    let letters = results.letters(record).await?;
    results.look(move |_| seen.hits.into_iter().map(|hit| around(&letters, hit)).collect()).await
}

/// A hit with the text around it.
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
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
