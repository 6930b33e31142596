//! The text of the equal columns of an alignment, for example a longest common subsequence: [`common_text`].

use explain::window::AlignmentWindow;
use kernels::alignment::EditKind;
use kernels::job::Unit;

/// Returns the separator to put between symbols of `unit` when they are joined to a text.
pub fn separator(unit: Unit) -> &'static str {
    match unit {
        Unit::Words => " ",
        Unit::Lines => "\n",
        Unit::Bytes | Unit::Chars | Unit::Graphemes => "",
    }
}

/// Returns the symbols in the equal columns of an alignment as they are in `a`, joined to a text. `unit` is the unit of
/// the symbols. `window` must contain the whole alignment.
pub fn common_text(window: &AlignmentWindow, unit: Unit) -> String {
    let (mut at, mut common) = (0, Vec::new());
    for operation in &window.stretches {
        let (symbols, _) = operation.edit.consumed_symbols();
        let end = at + (symbols * u64::from(operation.len)) as usize;
        if operation.edit == EditKind::Equal {
            common.extend(window.a[at..end].iter().map(String::as_str));
        }
        at = end;
    }
    common.join(separator(unit))
}
