//! Rows of an alignment in which pairs of similar symbols are marked by the points of a matrix.

use explain::window::AlignmentWindow;
use kernels::job::ScoringMatrix;
use leptos::wasm_split::{SplitLoaderError, wasm_split};

use crate::model::alignment::rows::{AlignmentRow, rows};

/// Returns the function that marks the pairs of a row. The points of all matrices are downloaded with it.
#[inline(never)]
#[wasm_split(task, wasm_split_path = ::leptos::wasm_split, fallible)]
fn marked_row() -> Result<fn(AlignmentRow, &ScoringMatrix) -> AlignmentRow, SplitLoaderError> {
    Ok(AlignmentRow::with_matrix)
}

/// Splits a window of the alignment into rows of `width` columns, and marks pairs of different symbols whose points in
/// `matrix` are above 0.
///
/// # Errors
/// Returns an error if the points cannot be downloaded.
pub(super) async fn rows_with_similar(
    window: &AlignmentWindow,
    width: u64,
    matrix: Option<&ScoringMatrix>,
) -> Result<Vec<AlignmentRow>, SplitLoaderError> {
    let rows = rows(window, width);
    let Some(matrix) = matrix else { return Ok(rows) };
    let marked = marked_row().await?;
    Ok(rows.into_iter().map(|row| marked(row, matrix)).collect())
}
