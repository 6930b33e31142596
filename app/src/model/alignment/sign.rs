//! The sign alphabet: every edit has a sign and a class.

use kernels::alignment::Edit;

/// Sign between the rows.
pub fn sign(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "|",
        Edit::Substitute => "×",
        Edit::Insert => "+",
        Edit::Delete => "−",
    }
}

/// Class of what is drawn in the edit's colour.
pub fn class(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "eq",
        Edit::Substitute => "x",
        Edit::Insert => "i",
        Edit::Delete => "d",
    }
}
