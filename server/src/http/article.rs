//! Article: the HTML article about a shared result, for readers without scripts ([`read_article`]). This module reads the parts
//! of the article from the store.

use std::time::Duration;

use app::static_pages::article::{AROUND, ArticleHit, COLUMNS, HITS, ResultArticle, SYMBOLS};
use explain::difference_filter::{DifferenceQuery, EditKinds};
use explain::window::AlignmentWindow;
use explain::wire::OriginalTextPiece;
use kernels::alignment::PairSide;
use kernels::found::Hit;

use crate::ServerState;
use crate::error::ApiProblem;
use crate::results::ResultReader;
use crate::results::queries::LetterSource;
use crate::store::record::{SharedLink, StoredResult};

/// Timeout for reading the alignment and the texts, which may be megabytes and not cached. After the timeout, the
/// article omits them. The next request usually finds them cached.
const ARTICLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum number of characters of one symbol in an article. A symbol may be a long line.
const MAX_SYMBOL_LETTERS: usize = 400;

/// Maximum number of bytes that an article shows of the beginning of a text.
const MAX_HEAD_BYTES: usize = 16_000;

/// Maximum number of symbols of a text's beginning that a title shows instead of a missing name of the text.
const MAX_BEGINNING_SYMBOLS: u64 = 64;

/// Creates the article about the shared result `shared`. If the article is shown in a frame of another site, `page` is
/// the address of the result's own page.
pub async fn read_article(state: &ServerState, shared: SharedLink, page: Option<String>) -> ResultArticle {
    let SharedLink { record, created_at, expires_at } = shared;
    let parts = tokio::time::timeout(ARTICLE_TIMEOUT, read(state, &record)).await;
    let parts = parts.ok().and_then(Result::ok).unwrap_or_default();
    let names = names(&record);
    let links = format!("/api/v1/links/{}", record.snapshot.id);
    ResultArticle {
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

/// Returns a name for each of the two texts of a shared result, or `None` for a text without a name. Prefers names
/// inside the texts to the names that were given when the result was shared. If the two names inside are equal and both
/// texts were given a name, returns the given names.
pub fn names(record: &StoredResult) -> [Option<String>; 2] {
    let own = [&record.snapshot.a.name, &record.snapshot.b.name];
    let given = [&record.names.a, &record.names.b];
    if own[0] == own[1] && given.iter().all(|name| name.is_some()) {
        return given.map(Clone::clone);
    }
    [0, 1].map(|side| own[side].clone().filter(|name| !name.is_empty()).or_else(|| given[side].clone()))
}

/// Returns the beginnings of both texts, for a title of texts without names. They are empty if the texts cannot be read
/// in time.
pub async fn beginnings(results: &ResultReader, record: &StoredResult) -> [String; 2] {
    let heads = tokio::time::timeout(ARTICLE_TIMEOUT, heads(results, record, MAX_BEGINNING_SYMBOLS)).await;
    heads.ok().and_then(Result::ok).unwrap_or_default()
}

async fn heads(results: &ResultReader, record: &StoredResult, symbols: u64) -> Result<[String; 2], ApiProblem> {
    let letters = results.letters(record).await?;
    results.run_query(move |_| Ok([head(letters.piece(PairSide::A, 0, symbols)?), head(letters.piece(PairSide::B, 0, symbols)?)])).await
}

/// The parts of an article that are read from the store.
#[derive(Default)]
struct ArticleParts {
    window: Option<AlignmentWindow>,
    hits: Vec<ArticleHit>,
    heads: [String; 2],
}

async fn read(state: &ServerState, record: &StoredResult) -> Result<ArticleParts, ApiProblem> {
    let results = &state.results;
    let heads = heads(results, record, SYMBOLS).await?;
    let is_search = record.snapshot.answer.as_ref().is_some_and(|answer| answer.hits().is_some());
    if is_search {
        // There are no positions if the hits of the search were only counted.
        let hits = first_hits(results, record, HITS).await.unwrap_or_default();
        return Ok(ArticleParts { window: None, hits, heads });
    }
    let window = match results.find_difference(record, None, (EditKinds::ALL, DifferenceQuery::Number(0))).await {
        Ok(first) => {
            let first = first.map_or(0, |place| place.column);
            // The shown columns begin shortly before the first difference, if many equal columns precede it.
            let from = if first < COLUMNS { 0 } else { (first - 20) / 10 * 10 };
            Some(shortened(results.window(record, None, from, COLUMNS).await?))
        }
        Err(_) => None,
    };
    Ok(ArticleParts { window, hits: Vec::new(), heads })
}

fn head(piece: OriginalTextPiece) -> String {
    let mut head = piece.text;
    if head.len() > MAX_HEAD_BYTES {
        head.truncate(head.floor_char_boundary(MAX_HEAD_BYTES));
        head.push('…');
    }
    head
}

/// Returns the first hits of the search in `record`, at most `most`. Each has the text of the hit and the text before
/// and after it.
///
/// # Errors
/// Returns the errors of [`ResultReader::search`].
pub async fn first_hits(results: &ResultReader, record: &StoredResult, most: u64) -> Result<Vec<ArticleHit>, ApiProblem> {
    let (_, seen) = results.hits(record, 0, most, None).await?;
    let letters = results.letters(record).await?;
    results.run_query(move |_| seen.hits.into_iter().map(|hit| around(&letters, hit)).collect()).await
}

/// Adds to `hit` its own text and the text before and after it, which are read from `letters`.
fn around(letters: &LetterSource, hit: Hit) -> Result<ArticleHit, ApiProblem> {
    let length = hit.end - hit.start;
    let before = hit.start.saturating_sub(AROUND);
    let text = |from, len| if len == 0 { Ok(String::new()) } else { letters.piece(PairSide::B, from, len).map(|piece| cut(piece.text)) };
    let text = [text(before, hit.start - before)?, text(hit.start, length.min(SYMBOLS))?, text(hit.end, AROUND)?];
    Ok(ArticleHit { hit: Some(hit), text })
}

fn shortened(mut window: AlignmentWindow) -> AlignmentWindow {
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
