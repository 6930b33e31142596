//! Shortening of long lines, by [`shortened`]. The middle of long pieces is left out first, so that short edits stay
//! visible. The rest of a line that is still too long is cut off.

use std::borrow::Cow;
use std::ops::Range;

use kernels::alignment::EditKind;
use unicode_segmentation::GraphemeCursor;

/// The pieces of a line, from left to right, each with its edit and its half-open range of bytes in the text.
pub(super) type LineSpans = Vec<(EditKind, Range<usize>)>;

/// The pieces of a line, from left to right, each with its edit and its text.
pub(super) type LinePieces = Vec<(EditKind, String)>;

/// Maximum number of bytes of a line whose pieces are all shown whole.
pub(super) const MAX_WHOLE_BYTES: usize = 4_000;

/// Number of bytes up to which an equal piece of a long line is always shown whole.
const MIN_EQUAL_BYTES: usize = 200;

/// Number of bytes up to which an edited piece of a long line is always shown whole.
const MIN_EDITED_BYTES: usize = 800;

/// Replacement of the part of a line that is left out.
const LEFT_OUT: &str = " … ";

/// Returns the pieces `spans` of a line with their texts, and whether edits are cut off. `text` returns the text of a
/// range of bytes. In a line of more than [`MAX_WHOLE_BYTES`] bytes, long pieces lose their middle. The first piece
/// that would exceed `budget` bytes in total is replaced by an ellipsis, and the rest of the line is cut off.
pub(super) fn shortened<'a>(spans: &LineSpans, text: &dyn Fn(Range<usize>) -> Cow<'a, str>, budget: usize) -> (LinePieces, bool) {
    let bytes: usize = spans.iter().map(|span| span.1.len()).sum();
    let is_long = bytes > MAX_WHOLE_BYTES;
    let share = MAX_WHOLE_BYTES / spans.len().max(1);
    let (mut pieces, mut used) = (LinePieces::with_capacity(spans.len()), 0);
    for (at, (edit, part)) in spans.iter().enumerate() {
        let piece = text(part.clone());
        let most = share.max(if *edit == EditKind::Equal { MIN_EQUAL_BYTES } else { MIN_EDITED_BYTES });
        let piece = if is_long && piece.len() > most { without_middle(&piece, most) } else { piece.into_owned() };
        used += piece.len();
        if used > budget {
            pieces.push((EditKind::Equal, LEFT_OUT.trim_end().into()));
            return (pieces, spans[at..].iter().any(|span| span.0 != EditKind::Equal));
        }
        pieces.push((*edit, piece));
    }
    (pieces, false)
}

/// Returns the beginning and the end of a text with [`LEFT_OUT`] between them, at most `most` bytes in total.
fn without_middle(text: &str, most: usize) -> String {
    let half = (most - LEFT_OUT.len()) / 2;
    let head = boundary_before(text, half);
    let tail = boundary_after(text, text.len() - half);
    [&text[..head], LEFT_OUT, &text[tail..]].concat()
}

/// Returns the last byte position at or before `at` that is not inside a grapheme cluster of `text`.
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

/// Returns the first byte position at or after `at` that is not inside a grapheme cluster of `text`.
pub(super) fn boundary_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}
