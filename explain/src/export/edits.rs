//! The edits of an alignment as comma-separated values (RFC 4180), one line for each run of substitutions, insertions,
//! deletions or transpositions. [`csv`] writes them.

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::{Alignment, EditKind};
use kernels::text::{Pair, Text, Unit};

use super::csv::field;

const HEAD: &str = "edit,column,a_start,a_end,b_start,b_end,a,b\n";

/// Writes one line for each run of substitutions, insertions, deletions or transpositions, below a header line. A line
/// has the kind of edit, the first column, half-open ranges in both texts, and the displayed symbols of these ranges.
/// Replacing all ranges of `a` by the symbols of `b` gives the aligned part of `b`. For s runs of equal edits, takes
/// O(s + symbols written) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::edits::csv;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// csv(&mut out, &pair, &"1X3=1X1=1I".parse().unwrap()).unwrap();
/// assert!(out.ends_with("\nsubstitute,0,0,1,0,1,k,s\nsubstitute,4,4,5,4,5,e,i\ninsert,6,6,6,6,7,,g\n"));
/// ```
pub fn csv(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    out.write_str(HEAD)?;
    let (mut column, mut i, mut j) = (0u64, alignment.a_start(), alignment.b_start());
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        let len = u64::from(stretch.len);
        let (a, b) = (i..i + di * len, j..j + dj * len);
        if let Some(name) = name(stretch.edit) {
            write!(out, "{name},{column},{},{},{},{},", a.start, a.end, b.start, b.end)?;
            writeln!(out, "{},{}", field(&shown(&pair.a, &a)), field(&shown(&pair.b, &b)))?;
        }
        (column, i, j) = (column + len, a.end, b.end);
    }
    Ok(())
}

fn name(edit: EditKind) -> Option<&'static str> {
    match edit {
        EditKind::Equal => None,
        EditKind::Substitute => Some("substitute"),
        EditKind::Insert => Some("insert"),
        EditKind::Delete => Some("delete"),
        EditKind::Transpose => Some("transpose"),
    }
}

fn shown(text: &Text, range: &Range<u64>) -> String {
    let between = if text.unit() == Unit::Words { " " } else { "" };
    range.clone().map(|at| text.display_unit(at as usize)).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use kernels::text::ReadingOptions;

    use super::*;

    #[test]
    fn ambiguous_fields_are_quoted() {
        let reading = ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() };
        let pair = Pair::parse(&b"say \"yes\" , twice"[..], &b"say twice now"[..], &reading).unwrap();
        let mut out = String::new();
        csv(&mut out, &pair, &"1=4D1=1I".parse().unwrap()).unwrap();
        assert_eq!(out, format!("{HEAD}delete,1,1,5,1,1,\"\"\" yes \"\" ,\",\ninsert,6,6,6,2,3,,now\n"));
    }

    #[test]
    fn symbols_are_escaped_so_that_spreadsheets_run_no_formula() {
        let pair = Pair::parse(&b"=-c"[..], &b"@c"[..], &ReadingOptions::default()).unwrap();
        let mut out = String::new();
        csv(&mut out, &pair, &"1X1D1=".parse().unwrap()).unwrap();
        assert_eq!(out, format!("{HEAD}substitute,0,0,1,0,1,'=,'@\ndelete,1,1,2,1,1,'-,\n"));
    }

    #[test]
    fn positions_in_b_count_from_the_start_of_b() {
        let pair = Pair::parse(&b"ACGT"[..], &b"TTACTTT"[..], &ReadingOptions::default()).unwrap();
        let mut out = String::new();
        csv(&mut out, &pair, &"2=1D1=".parse::<Alignment>().unwrap().starting_at(0, 2)).unwrap();
        assert_eq!(out, format!("{HEAD}delete,2,2,3,4,4,G,\n"));
    }
}
