//! The edits of an alignment as VCF 4.3: what is to be changed in `a`, which is the reference, to have `b`.
//!
//! A substituted letter is a line of its own. A run with letters that are only in one of both texts is one line; where that would leave
//! a side without a letter, the equal one before it is written on both sides, as VCF asks for, or the one after it at the begin.

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::{Alignment, Edit};
use kernels::text::{Pair, Text};

use super::mapped;

/// Why these texts have no VCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVcf {
    /// A symbol that is changed, or stands beside a change, is none of A, C, G, T and N.
    #[error("VCF is of DNA: a letter that is changed is none of A, C, G, T and N.")]
    Letter,
    /// There is no letter beside an edit.
    #[error("VCF has no way to say that all letters of a text are new or gone.")]
    Empty,
}

/// Whether it can be written. Time O(stretches + letters changed).
///
/// # Errors
/// When it cannot.
pub fn check(pair: &Pair, alignment: &Alignment) -> Result<(), NoVcf> {
    lines(pair, alignment, |line| {
        let is_base = |text: &Text, at: usize| matches!(letter(text, at), Some(b'A' | b'C' | b'G' | b'T' | b'N'));
        if line.a.is_empty() || line.b.is_empty() {
            return Err(NoVcf::Empty);
        }
        let all = line.a.clone().all(|at| is_base(&pair.a, at)) && line.b.clone().all(|at| is_base(&pair.b, at));
        if all { Ok(()) } else { Err(NoVcf::Letter) }
    })
}

/// Writes the edits, with the head that readers want. Time O(stretches + letters changed).
///
/// # Errors
/// When `out` takes no more.
///
/// ```
/// use explain::export::vcf;
/// use kernels::text::{Pair, Reading};
///
/// let pair = Pair::parse(&b"ACGTT"[..], &b"AGGT"[..], &Reading::default()).unwrap();
/// let mut out = String::new();
/// vcf::write(&mut out, &pair, &"1=1X2=1D".parse().unwrap()).unwrap();
/// assert!(out.ends_with("\na\t2\t.\tC\tG\t.\tPASS\t.\na\t4\t.\tTT\tT\t.\tPASS\t.\n"));
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let name = mapped::query(pair);
    writeln!(out, "##fileformat=VCFv4.3")?;
    writeln!(out, "##source=editscope {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "##FILTER=<ID=PASS,Description=\"All filters passed\">")?;
    writeln!(out, "##contig=<ID={name},length={}>", pair.a.len())?;
    writeln!(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")?;
    lines(pair, alignment, |line| {
        let letters =
            |text: &Text, range: Range<usize>| -> String { range.map(|at| char::from(letter(text, at).unwrap_or(b'N'))).collect() };
        let (a, b) = (letters(&pair.a, line.a.clone()), letters(&pair.b, line.b.clone()));
        writeln!(out, "{name}\t{}\t.\t{a}\t{b}\t.\tPASS\t.", line.a.start + 1)
    })
}

/// Letters of `a` that give way to letters of `b`.
struct Line {
    a: Range<usize>,
    b: Range<usize>,
}

/// Hands on every line. No two have a letter of `a` in common: where one run takes the letter after it and the next one the letter before it, and
/// that is the same, they are one line.
fn lines<E>(pair: &Pair, alignment: &Alignment, mut take: impl FnMut(&Line) -> Result<(), E>) -> Result<(), E> {
    let (mut i, mut j) = (0, alignment.b_start() as usize);
    let mut last: Option<Line> = None;
    let mut add = |line: Line| {
        if let Some(last) = last.as_mut().filter(|last| line.a.start < last.a.end) {
            (last.a.end, last.b.end) = (line.a.end, line.b.end);
            return Ok(());
        }
        last.replace(line).map_or(Ok(()), |before| take(&before))
    };
    for run in alignment.stretches().chunk_by(|one, next| (one.edit == Edit::Equal) == (next.edit == Edit::Equal)) {
        let (from_i, from_j) = (i, j);
        for stretch in run {
            let (di, dj) = stretch.edit.takes();
            (i, j) = (i + di as usize * stretch.len as usize, j + dj as usize * stretch.len as usize);
        }
        match run {
            [first, ..] if first.edit == Edit::Equal => {}
            [only] if only.edit == Edit::Substitute => {
                (from_i..i).zip(from_j..j).try_for_each(|(a, b)| add(Line { a: a..a + 1, b: b..b + 1 }))?;
            }
            _ => add(anchored(pair, Line { a: from_i..i, b: from_j..j }))?,
        }
    }
    last.map_or(Ok(()), |line| take(&line))
}

/// The line with the letter before it, where a side would have none, or with the one after it. Where there is neither a side stays empty.
fn anchored(pair: &Pair, line: Line) -> Line {
    let Line { a, b } = line;
    if !a.is_empty() && !b.is_empty() {
        Line { a, b }
    } else if a.start > 0 && b.start > 0 {
        Line { a: a.start - 1..a.end, b: b.start - 1..b.end }
    } else if a.end < pair.a.len() && b.end < pair.b.len() {
        Line { a: a.start..a.end + 1, b: b.start..b.end + 1 }
    } else {
        Line { a, b }
    }
}

/// A symbol that is one letter, as a capital.
fn letter(text: &Text, at: usize) -> Option<u8> {
    match text.bytes()[text.range(at)] {
        [byte] if byte.is_ascii_alphabetic() => Some(byte.to_ascii_uppercase()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kernels::text::Reading;

    use super::*;

    fn written(a: &str, b: &str, cigar: &str) -> Vec<String> {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading::default()).unwrap();
        let alignment = cigar.parse().unwrap();
        assert_eq!(check(&pair, &alignment), Ok(()));
        let mut out = String::new();
        write(&mut out, &pair, &alignment).unwrap();
        let short = |line: &str| {
            line.split('\t').enumerate().filter(|(at, _)| [1, 3, 4].contains(at)).map(|(_, field)| field).collect::<Vec<_>>().join(" ")
        };
        out.lines().filter(|line| !line.starts_with('#')).map(short).collect()
    }

    #[test]
    fn every_kind_of_edit_has_letters_on_both_sides() {
        assert_eq!(written("ACGT", "ATTT", "1=2X1="), ["2 C T", "3 G T"]);
        assert_eq!(written("ACGT", "AGT", "1=1D2="), ["1 AC A"]);
        assert_eq!(written("ACGT", "ACCCGT", "2=2I2="), ["2 C CCC"]);
        assert_eq!(written("ACGT", "GGACGT", "2I4="), ["1 A GGA"]);
        assert_eq!(written("ACGT", "GT", "2D2="), ["1 ACG G"]);
        assert_eq!(written("ACGT", "ATTTT", "1=1X1I1X1="), ["2 CG TTT"]);
        assert_eq!(written("acgt", "acgt", "4="), [""; 0]);
        assert_eq!(written("A", "C", "1X"), ["1 A C"]);
        assert_eq!(written("CAAGT", "AAT", "1D2=1D1="), ["1 CA A", "3 AG A"], "a letter each");
        assert_eq!(written("CAAGT", "AT", "2D1=1D1="), ["1 CAAG A"], "one letter for both");
        assert_eq!(written("ACT", "GACCT", "1I1=1I2="), ["1 A GAC"]);
    }

    #[test]
    fn what_is_no_dna_or_has_no_letter_beside_it_is_refused() {
        let refused = |a: &str, b: &str, cigar: &str| {
            let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading::default()).unwrap();
            check(&pair, &cigar.parse().unwrap()).unwrap_err()
        };
        assert_eq!(refused("kitten", "sitten", "1X5="), NoVcf::Letter);
        assert_eq!(refused("", "ACG", "3I"), NoVcf::Empty);
        assert_eq!(refused("ACG", "", "3D"), NoVcf::Empty);
    }
}
