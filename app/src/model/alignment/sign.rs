//! Signs and CSS classes of edits.

use kernels::alignment::Edit;

/// Returns the sign of an edit, which stands between the rows.
pub fn sign(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "|",
        Edit::Substitute => "×",
        Edit::Insert => "+",
        Edit::Delete => "−",
    }
}

/// Returns the CSS class for the colour of an edit.
pub fn class(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "eq",
        Edit::Substitute => "x",
        Edit::Insert => "i",
        Edit::Delete => "d",
    }
}
