//! The dots of a result: how often both texts have a word in common, in each part of a window of all pairs of positions.

use axum::Json;
use axum::extract::State as In;
use axum::response::{IntoResponse as _, Response};
use explain::dots::Frame;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Path, Query};
use super::results::Holder;
use crate::State;
use crate::error::Problem;
use crate::id::Id;
use crate::results::no_answer;

/// Parts of each text, unless others are asked for.
const PARTS: u64 = 500;

/// `?from_a=&to_a=&from_b=&to_b=&width=&height=&word=&inverted=`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// First symbol of `a`.
    #[serde(default)]
    from_a: u64,
    /// Symbol of `a` after the last one.
    to_a: Option<u64>,
    /// First symbol of `b`.
    #[serde(default)]
    from_b: u64,
    /// Symbol of `b` after the last one.
    to_b: Option<u64>,
    /// Parts of `b`, 500 where left out.
    #[param(minimum = 1, maximum = 1024)]
    width: Option<u64>,
    /// Parts of `a`, 500 where left out.
    #[param(minimum = 1, maximum = 1024)]
    height: Option<u64>,
    /// Symbols of a word; as many as chance asks for where it is left out.
    #[param(minimum = 1)]
    word: Option<u32>,
    /// Whether words are counted too whose reverse complement is in the other text, of DNA and RNA.
    #[serde(default)]
    inverted: bool,
}

pub(super) async fn dots<H: Holder>(In(state): In<State>, Path(id): Path<Id>, Query(asked): Query<Asked>) -> Result<Response, Problem> {
    let record = H::record(&state, id).await?;
    if record.snapshot.answer.is_none() {
        return Err(no_answer(&record));
    }
    let frame = Frame {
        from_a: asked.from_a,
        to_a: asked.to_a.unwrap_or(u64::MAX),
        from_b: asked.from_b,
        to_b: asked.to_b.unwrap_or(u64::MAX),
        width: asked.width.unwrap_or(PARTS),
        height: asked.height.unwrap_or(PARTS),
        word: asked.word,
        inverted: asked.inverted,
    };
    // Nonsense is refused before the texts are read.
    frame.check()?;
    let dots = state.results.dots(&record, frame).await?;
    // A million counts take a while to write.
    state.results.look(move |_| Ok(Json(&*dots).into_response())).await
}
