//! The matrix of a result whose texts are short: every value, which inputs win, and an optimal alignment by its number.

use axum::Json;
use axum::extract::State as In;
use axum::response::{IntoResponse, Response};
use explain::matrix::document::{Document, Sheet};
use explain::matrix::natural::Natural;
use explain::matrix::{MOST, MOST_WRITTEN, fits};
use serde::Deserialize;

use super::extract::{Path, Query};
use super::results::Holder;
use crate::State;
use crate::error::{Kind, Problem};
use crate::id::Id;
use crate::results::no_answer;

/// `?number=&only=`
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    /// Which of the optimal alignments, from 0, in decimal: it may have more digits than a machine's number.
    number: Option<String>,
    only: Option<Only>,
}

/// A part of the document.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Only {
    /// The symbols, of longer texts too: whoever can fill the matrix needs no more.
    Symbols,
}

pub(super) async fn matrix<H: Holder>(In(state): In<State>, Path(id): Path<Id>, Query(asked): Query<Asked>) -> Result<Response, Problem> {
    let record = H::record(&state, id).await?;
    let snapshot = &record.snapshot;
    if snapshot.answer.is_none() {
        return Err(no_answer(&record));
    }
    let no_number = |_| Problem::new(Kind::Malformed, "number is a whole number from 0 on.");
    let number: Natural = asked.number.as_deref().unwrap_or("0").parse().map_err(no_number)?;
    // Long texts are refused before they are read.
    let most = if asked.only.is_some() { MOST } else { MOST_WRITTEN };
    fits(snapshot.a.symbols as usize, snapshot.b.symbols as usize, most)?;
    let task = snapshot.task;
    let pair = state.results.texts(record.texts()).await?;
    let filled = move || {
        Ok(match asked.only {
            Some(Only::Symbols) => Json(Sheet::of(task, &pair)?.0).into_response(),
            None => Json(Document::of(task, &pair, &number)?).into_response(),
        })
    };
    state.results.work(filled).await
}
