//! The equal columns of an alignment as a text, by [`pieces`]. For an alignment of `lcs`, the text is a longest common
//! subsequence.

use std::borrow::Cow;

use kernels::alignment::{Alignment, EditKind};
use kernels::text::{Pair, Unit};

use super::columns;

/// Returns the symbols in the equal columns of `alignment`, one after the other, as they are in `a`. Words are
/// separated by spaces, and each line has a line feed. Takes O(columns) time.
///
/// ```
/// use explain::export::subsequence::pieces;
/// use kernels::text::{Pair, ReadingOptions, Unit};
///
/// let reading = ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() };
/// let pair = Pair::parse(&b"the cat sat"[..], &b"the dog sat"[..], &reading).unwrap();
/// assert_eq!(pieces(&pair, &"1=1D1I1=".parse().unwrap()).collect::<Vec<_>>().concat(), b"the sat");
/// ```
pub fn pieces<'p>(pair: &'p Pair, alignment: &'p Alignment) -> impl Iterator<Item = Cow<'p, [u8]>> {
    let text = &pair.a;
    let equal = columns(alignment).filter(|column| column.edit == EditKind::Equal).filter_map(|column| column.a);
    equal.enumerate().map(move |(number, at)| {
        let bytes = &text.bytes()[text.range(at)];
        match text.unit() {
            Unit::Words if number > 0 => Cow::Owned([b" ", bytes].concat()),
            Unit::Lines => Cow::Owned([without_end(bytes), b"\n"].concat()),
            _ if text.is_upper() => Cow::Owned(bytes.to_ascii_uppercase()),
            _ => Cow::Borrowed(bytes),
        }
    })
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
