//! Dots: the dot plot of a result. It is a grid over the pairs of positions in both texts, with the number of common
//! words in each cell.

use axum::Json;
use axum::extract::State as In;
use axum::response::{IntoResponse as _, Response};
use explain::dots::DotPlotFrame;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::results::ResultHolder;
use crate::ServerState;
use crate::error::ApiProblem;
use crate::id::Id;
use crate::results::no_answer;

/// Default number of columns and rows of a dot plot: parts of equal length into which each text is divided.
const DEFAULT_DOT_PLOT_PARTS: u64 = 500;

/// Query of a dot plot: `?from_a=&to_a=&from_b=&to_b=&width=&height=&word=&inverted=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DotPlotQuery {
    /// First symbol of `a`, from 0.
    #[serde(default)]
    from_a: u64,
    /// Symbol of `a` at which the window ends, exclusive. Default: the end of `a`.
    to_a: Option<u64>,
    /// First symbol of `b`, from 0.
    #[serde(default)]
    from_b: u64,
    /// Symbol of `b` at which the window ends, exclusive. Default: the end of `b`.
    to_b: Option<u64>,
    /// Number of parts of `b`. Default: 500.
    #[param(minimum = 1, maximum = 1024)]
    width: Option<u64>,
    /// Number of parts of `a`. Default: 500.
    #[param(minimum = 1, maximum = 1024)]
    height: Option<u64>,
    /// Number of symbols of a word. Default: the length at which matches by chance become rare.
    #[param(minimum = 1)]
    word: Option<u32>,
    /// Whether words of DNA and RNA also count if the other text has their reverse complement.
    #[serde(default)]
    inverted: bool,
}

pub(super) async fn dots<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(asked): QueryParams<DotPlotQuery>,
) -> Result<Response, ApiProblem> {
    let record = H::record(&state, id).await?;
    if record.snapshot.answer.is_none() {
        return Err(no_answer(&record));
    }
    let frame = DotPlotFrame {
        from_a: asked.from_a,
        to_a: asked.to_a.unwrap_or(u64::MAX),
        from_b: asked.from_b,
        to_b: asked.to_b.unwrap_or(u64::MAX),
        width: asked.width.unwrap_or(DEFAULT_DOT_PLOT_PARTS),
        height: asked.height.unwrap_or(DEFAULT_DOT_PLOT_PARTS),
        word: asked.word,
        inverted: asked.inverted,
    };
    // Invalid ranges are refused before the texts are read.
    frame.check()?;
    let dots = state.results.dots(&record, frame).await?;
    // Serialized on another thread, because a dot plot may have a million numbers.
    state.results.run_query(move |_| Ok(Json(&*dots).into_response())).await
}
