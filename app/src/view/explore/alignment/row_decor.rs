//! Additions to the rows of an alignment that a separately downloaded part draws ([`RowDecor`]).

use std::sync::Arc;

use leptos::prelude::*;

use crate::model::alignment::rows::{AlignmentRow, MarkedColumns, RowLine};

/// Returns the symbols of a text in a row as HTML, in cells of a width in letters, in place of
/// [`letters`](super::block::letters).
pub type RowLetters = dyn Fn(&AlignmentRow, RowLine, u8, MarkedColumns) -> String + Send + Sync;

/// Draws the part of a row below `b`, in cells of a width in letters.
pub type BelowRow = dyn Fn(Arc<AlignmentRow>, u8) -> AnyView + Send + Sync;

/// Additions to the rows that a separately downloaded part draws.
#[derive(Clone)]
pub struct RowDecor {
    pub letters: Arc<RowLetters>,
    pub below: Arc<BelowRow>,
}
