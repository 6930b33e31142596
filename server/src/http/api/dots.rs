//! Dots: the dot plot of a result. It is a grid: each cell stands for a part of `a` and a part of `b`, and has the
//! number of words (short runs of symbols) that both parts have in common.

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

/// Default number of columns and of rows of a dot plot, and so of the parts of equal length into which each text is
/// divided.
const DEFAULT_DOT_PLOT_PARTS: u64 = 500;

/// Query of a dot plot: `?from_a=&to_a=&from_b=&to_b=&width=&height=&word=&inverted=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DotPlotQuery {
    /// Position of the first symbol of `a` in the window, from 0. Default: 0.
    #[serde(default)]
    from_a: u64,
    /// Position of the symbol of `a` before which the window ends. Default: the end of `a`.
    to_a: Option<u64>,
    /// Position of the first symbol of `b` in the window, from 0. Default: 0.
    #[serde(default)]
    from_b: u64,
    /// Position of the symbol of `b` before which the window ends. Default: the end of `b`.
    to_b: Option<u64>,
    /// Number of columns of the plot: parts of equal length into which the window of `b` is divided. Default: 500.
    #[param(minimum = 1, maximum = 1024)]
    width: Option<u64>,
    /// Number of rows of the plot: parts of equal length into which the window of `a` is divided. Default: 500.
    #[param(minimum = 1, maximum = 1024)]
    height: Option<u64>,
    /// Number of symbols of a compared word. Default: the length at which matches by chance become rare.
    #[param(minimum = 1)]
    word: Option<u32>,
    /// Whether a word of one text also counts if the other text has its reverse complement. Only for DNA and RNA.
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
