//! An alignment as FASTA for alignment viewers: two rows of equal length, with `-` for a gap. [`write()`] writes
//! both rows.
//!
//! If only a part of a text is aligned, its name is followed by the first and the last aligned position in its record,
//! from 1, for example `name/4-7`.

use std::fmt::{self, Write};

use kernels::alignment::{Alignment, EditKind, PairSide};
use kernels::strand::Strand;
use kernels::text::{Pair, Text};

use super::names::NameRule;

/// Number of letters in a line of the file.
const WIDTH: u64 = 60;

/// Error for a text with a symbol that is neither a letter nor `*`. Viewers could take the symbol for a gap or the end
/// of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Aligned FASTA is of sequences: a text has a symbol that is neither a letter nor *.")]
pub struct FastaSymbolError;

/// Checks that all symbols in the alignment of `pair` can be written as FASTA. Takes O(symbols) time.
///
/// # Errors
/// Returns an error if an aligned symbol is neither a letter nor `*`.
pub fn check(pair: &Pair, alignment: &Alignment) -> Result<(), FastaSymbolError> {
    let [a, b] = [PairSide::A, PairSide::B].map(|side| start(alignment, side)..start(alignment, side) + taken(alignment, side));
    let all = |text: &Text, range: std::ops::Range<u64>| range.into_iter().all(|at| letter(text, at as usize).is_some());
    if all(&pair.a, a) && all(&pair.b, b) { Ok(()) } else { Err(FastaSymbolError) }
}

/// Writes both texts of an alignment as rows of FASTA. Takes O(columns) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::fasta;
/// use kernels::alignment::Alignment;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"ACGT"[..], &b"TTACTTT"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// fasta::write(&mut out, &pair, &"2=1D1=".parse::<Alignment>().unwrap().starting_at(0, 2)).unwrap();
/// assert_eq!(out, ">a\nACGT\n>b/3-5\nAC-T\n");
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let record = pair.b.record_at(alignment.b_start() as usize);
    let query = NameRule::Word.of_text(&pair.a, "a").name;
    let target = NameRule::Word.of_records(&pair.b, "b").swap_remove(record).name;
    let is_reverse = alignment.strand() == Some(Strand::Reverse);
    let query = if is_reverse { format!("{query} reverse complement") } else { query };
    // Viewers would merge two rows of the same name.
    let target = if query == target { format!("{target}_2") } else { target };
    let range = |text: &Text, side, before: u64| {
        let (from, len) = (start(alignment, side), taken(alignment, side));
        if len == text.len() as u64 { String::new() } else { format!("/{}-{}", from + 1 - before, from + len - before) }
    };
    let of_a = range(&pair.a, PairSide::A, 0);
    let of_b = range(&pair.b, PairSide::B, in_record(pair, start(alignment, PairSide::B)));
    writeln!(out, ">{query}{of_a}")?;
    row(out, (&pair.a, PairSide::A), alignment)?;
    writeln!(out, ">{target}{of_b}")?;
    row(out, (&pair.b, PairSide::B), alignment)
}

/// Returns the first position of the record of `b` that contains position `at` of `b`.
fn in_record(pair: &Pair, at: u64) -> u64 {
    pair.b.record_range(pair.b.record_at(at as usize)).start as u64
}

fn start(alignment: &Alignment, side: PairSide) -> u64 {
    match side {
        PairSide::A => alignment.a_start(),
        PairSide::B => alignment.b_start(),
    }
}

/// Returns the number of symbols of the text `side` that are in the alignment.
fn taken(alignment: &Alignment, side: PairSide) -> u64 {
    let summary = alignment.summary();
    summary.columns
        - match side {
            PairSide::A => summary.insertions,
            PairSide::B => summary.deletions,
        }
}

fn row(out: &mut dyn Write, (text, side): (&Text, PairSide), alignment: &Alignment) -> fmt::Result {
    let (mut at, mut column) = (start(alignment, side), 0u64);
    for stretch in alignment.cigar_ops() {
        let is_gap = matches!((side, stretch.edit), (PairSide::A, EditKind::Insert) | (PairSide::B, EditKind::Delete));
        for _ in 0..stretch.len {
            out.write_char(if is_gap { '-' } else { letter(text, at as usize).unwrap_or('?') })?;
            at += u64::from(!is_gap);
            column += 1;
            if column.is_multiple_of(WIDTH) {
                out.write_char('\n')?;
            }
        }
    }
    if column.is_multiple_of(WIDTH) { Ok(()) } else { out.write_char('\n') }
}

/// Returns symbol `at` of a text if it is one letter, or `*`, which ends a protein. Otherwise returns `None`.
pub(super) fn letter(text: &Text, at: usize) -> Option<char> {
    let shown = text.display_unit(at);
    let mut chars = shown.chars();
    chars.next().filter(|char| (char.is_alphabetic() || *char == '*') && chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use kernels::job::SearchStrands;
    use kernels::text::{ReadingOptions, Unit};

    use super::*;

    #[test]
    fn both_rows_have_equal_length_and_equal_line_breaks() {
        let (a, b) = ("ACGT".repeat(30), "ACGT".repeat(31));
        let pair = Pair::parse(format!(">same x\n{a}\n").into_bytes(), format!(">same y\n{b}\n").into_bytes(), &ReadingOptions::default())
            .unwrap();
        let mut out = String::new();
        write(&mut out, &pair, &"120=4I".parse().unwrap()).unwrap();
        let wrapped =
            |row: &str| row.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect::<String>();
        assert_eq!(out, format!(">same\n{}>same_2\n{}", wrapped(&(a + "----")), wrapped(&b)));
    }

    #[test]
    fn only_letters_are_exported_and_the_strand_is_named() {
        let refused = |a: &str, unit| {
            let pair = Pair::parse(a.as_bytes(), a.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
            check(&pair, &format!("{}=", pair.a.len()).parse().unwrap())
        };
        assert_eq!(refused("größe", Unit::Chars), Ok(()));
        assert_eq!(["a-b", "a b", "a\n", "1"].map(|text| refused(text, Unit::Chars)), [Err(FastaSymbolError); 4]);
        let pair =
            Pair::parse(&b"GATTACA"[..], &b"TGTAATC"[..], &ReadingOptions { strands: SearchStrands::Both, ..ReadingOptions::default() })
                .unwrap();
        let mut out = String::new();
        let alignment = "7=".parse::<Alignment>().unwrap().on_strand(Some(Strand::Reverse));
        write(&mut out, &pair.reversed().unwrap(), &alignment).unwrap();
        assert_eq!(out, ">a reverse complement\nTGTAATC\n>b\nTGTAATC\n");
    }
}
