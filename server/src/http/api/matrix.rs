//! Matrix: every cell of the dynamic-programming matrix of a result with short texts. A cell has its value and the
//! neighbouring cells from which the value results. The client can also get one optimal alignment by its number.

use axum::Json;
use axum::extract::State as In;
use axum::response::{IntoResponse, Response};
use explain::matrix::big_uint::BigUint;
use explain::matrix::document::{MatrixDocument, MatrixSymbols};
use explain::matrix::{MAX_MATRIX_SYMBOLS, MAX_WRITTEN_SYMBOLS, fits};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, Task};
use kernels::text::Pair;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{PathParams, QueryParams};
use super::results::ResultHolder;
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::results::no_answer;

/// Maximum number of decimal digits in the number of an optimal alignment. An alignment of two texts has at most 1,000
/// symbols, and its last column or exchange takes one, two or four of them. There are thus at most 3^1000 alignments, a
/// number of 478 digits. The starts and ends of local alignments add at most 11 digits.
const MAX_NUMBER_DIGITS: usize = 500;

/// Query of a matrix: `?number=&only=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MatrixQuery {
    /// Number of an optimal alignment, from 0, in decimal. It may exceed 64 bits.
    #[param(pattern = "^[0-9]+$")]
    number: Option<String>,
    /// `symbols`: return the symbols of the texts without the values of the cells.
    #[param(value_type = Option<String>, pattern = "^symbols$")]
    only: Option<MatrixPart>,
}

/// The part of the matrix document that the client requests.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MatrixPart {
    /// The symbols of the texts alone. This part is allowed for longer texts, because the client can compute the matrix
    /// from the symbols.
    Symbols,
}

/// Creates the document of the matrix that `task` fills for `pair` with `options`, with the optimal alignment that has the
/// number `number`. Returns `NotFound` if there are fewer optimal alignments.
fn document(task: Task, options: &JobOptions, pair: &Pair, number: &BigUint) -> Result<MatrixDocument, ApiProblem> {
    MatrixDocument::from_pair(task, options, pair, number).map_err(|failure| match failure {
        JobFailure::BadInput { message, .. } if MatrixDocument::from_pair(task, options, pair, &BigUint::from(0)).is_ok() => {
            ApiProblem::new(ProblemKind::NotFound, message)
        }
        other => other.into(),
    })
}

pub(super) async fn matrix<H: ResultHolder>(
    In(state): In<ServerState>,
    PathParams(id): PathParams<Id>,
    QueryParams(asked): QueryParams<MatrixQuery>,
) -> Result<Response, ApiProblem> {
    let record = H::record(&state, id).await?;
    let snapshot = &record.snapshot;
    if snapshot.answer.is_none() {
        return Err(no_answer(&record));
    }
    // Long texts and numbers are refused before they are parsed. Parsing a number takes quadratic time in its digits.
    let most = if asked.only.is_some() { MAX_MATRIX_SYMBOLS } else { MAX_WRITTEN_SYMBOLS };
    fits(snapshot.a.symbols as usize, snapshot.b.symbols as usize, most)?;
    let number = asked.number.as_deref().unwrap_or("0");
    if number.len() > MAX_NUMBER_DIGITS {
        let detail = format!("number can have at most {MAX_NUMBER_DIGITS} digits: texts of this size have no more optimal alignments.");
        return Err(ApiProblem::new(ProblemKind::BadInput, detail).limit(MAX_NUMBER_DIGITS as u64, number.len() as u64));
    }
    let no_number = |_| ApiProblem::new(ProblemKind::Malformed, "number must be a whole number, 0 or more.");
    let number: BigUint = number.parse().map_err(no_number)?;
    let (task, options) = (snapshot.task, snapshot.options.clone());
    let pair = state.results.texts(record.texts()).await?;
    let filled = move || {
        Ok(match asked.only {
            Some(MatrixPart::Symbols) => Json(MatrixSymbols::from_pair(task, &options, &pair)?.0).into_response(),
            None => Json(document(task, &options, &pair, &number)?).into_response(),
        })
    };
    state.results.run_query(move |_| filled()).await
}
