//! Long lines: the middle of what is equal is left out, so that every edit is seen.

use std::borrow::Cow;
use std::ops::Range;

use kernels::alignment::Edit;
use unicode_segmentation::GraphemeCursor;

/// The pieces of a line: what is done with each, and its bytes.
pub(super) type Spans = Vec<(Edit, Range<usize>)>;

/// The pieces of a line, with their text.
pub(super) type Pieces = Vec<(Edit, String)>;

/// Bytes of a line up to which it is shown whole.
pub(super) const MAX_WHOLE_BYTES: usize = 4_000;

/// Bytes of an equal piece of a longer line that are shown whatever else is in it.
const MIN_EQUAL_BYTES: usize = 200;

/// Bytes of an edited piece of a longer line that are shown whatever else is in it.
const MIN_EDITED_BYTES: usize = 800;

/// Stands for what is left out of a piece.
const LEFT_OUT: &str = " … ";

/// Returns the pieces of a line with their texts, and whether edits are left out. A line of more than [`MAX_WHOLE_BYTES`] loses the
/// middle of its long pieces, and what follows the first `budget` bytes of the rest.
pub(super) fn shortened<'a>(spans: &Spans, text: &dyn Fn(Range<usize>) -> Cow<'a, str>, budget: usize) -> (Pieces, bool) {
    let bytes: usize = spans.iter().map(|span| span.1.len()).sum();
    let is_long = bytes > MAX_WHOLE_BYTES;
    let share = MAX_WHOLE_BYTES / spans.len().max(1);
    let (mut pieces, mut used) = (Pieces::with_capacity(spans.len()), 0);
    for (at, (edit, part)) in spans.iter().enumerate() {
        let piece = text(part.clone());
        let most = share.max(if *edit == Edit::Equal { MIN_EQUAL_BYTES } else { MIN_EDITED_BYTES });
        let piece = if is_long && piece.len() > most { without_middle(&piece, most) } else { piece.into_owned() };
        used += piece.len();
        if used > budget {
            pieces.push((Edit::Equal, LEFT_OUT.trim_end().into()));
            return (pieces, spans[at..].iter().any(|span| span.0 != Edit::Equal));
        }
        pieces.push((*edit, piece));
    }
    (pieces, false)
}

/// Returns the beginning and the end of a text, together at most `most` bytes and what stands for the rest.
fn without_middle(text: &str, most: usize) -> String {
    let half = (most - LEFT_OUT.len()) / 2;
    let head = boundary_before(text, half);
    let tail = boundary_after(text, text.len() - half);
    [&text[..head], LEFT_OUT, &text[tail..]].concat()
}

/// Returns the last place at or before `at` that is inside of no letter.
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

/// Returns the first place at or after `at` that is inside of no letter.
pub(super) fn boundary_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}
