//! Signs and CSS classes of edits: [`sign`] and [`class`].

use kernels::alignment::EditKind;

/// Sign of two similar symbols, that is, of a substitution with points above 0.
pub const SIMILAR: &str = ":";

/// Returns the sign that is drawn for an edit between the rows of both texts.
pub fn sign(edit: EditKind) -> &'static str {
    match edit {
        EditKind::Equal => "|",
        EditKind::Substitute => "×",
        EditKind::Insert => "+",
        EditKind::Delete => "−",
        EditKind::Transpose => "⇄",
    }
}

/// Returns the sign of a piece of an alignment, that of a substitution for different symbols that are not similar.
pub fn sign_of_piece(edit: EditKind, is_similar: bool) -> &'static str {
    if is_similar { SIMILAR } else { sign(edit) }
}

/// Returns the CSS class for the colour of an edit.
pub fn class(edit: EditKind) -> &'static str {
    match edit {
        EditKind::Equal => "eq",
        EditKind::Substitute | EditKind::Transpose => "x",
        EditKind::Insert => "i",
        EditKind::Delete => "d",
    }
}
