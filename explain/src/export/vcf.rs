//! The edits of an alignment as VCF 4.3: the changes that convert `a`, the reference, to `b`. [`check`] tells whether
//! [`write()`] can write them.
//!
//! A letter of the reference may be a code for several bases. It is written as the first of these bases in the alphabet
//! (VCF 4.3, 1.6.1: R becomes A). VCF has no rule like this for alternatives, so a code in an alternative is refused.
//! If a base replaces a code that is written as this base, nothing changes and no line is written.
//!
//! The gaps of the alignment must be as far left as possible, because VCF requires it ([`Alignment::left_aligned_in`]).
//! Each substituted letter has a line of its own, and a transposition counts as two substitutions. A run with
//! insertions or deletions is one line. If a side of this line would be empty, both sides also contain the equal letter
//! before it, as VCF requires, or the letter after it at the start of the text. Letters of ambiguity codes may match
//! without being equal. Both sides then contain the letter of the reference.

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::{Alignment, EditKind};
use kernels::text::{Pair, Text};

use super::names::{ExportedName, NameRule};
use crate::excerpt::excerpt;

/// The reason why an alignment cannot be written as VCF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VcfError {
    /// A symbol that is changed, or that stands next to a change, is not a letter of DNA.
    #[error("VCF is of DNA: symbol {position} of {text}, counted from 1, is {symbol:?}, which is none of A, C, G, T and N.")]
    Letter {
        /// The text with the symbol: `a` or `b`.
        text: char,
        /// Position of the symbol in the text, from 1.
        position: usize,
        /// The symbol.
        symbol: String,
    },
    /// A letter of `b` that the file would insert is a code that stands for several bases.
    #[error(
        "Symbol {position} of b, counted from 1, is {symbol}, which stands for several bases. VCF has no way to put in such a letter: choose a base in its place."
    )]
    Code {
        /// Position of the letter in `b`, from 1.
        position: usize,
        /// The letter.
        symbol: String,
    },
    /// An insertion or deletion has no equal letter before or after it, which VCF would need.
    #[error("VCF has no way to say that all letters of a text are new or gone.")]
    Empty,
}

/// Checks that [`write()`] can write the alignment of `pair` as VCF. For s runs of equal edits, takes O(s + changed
/// letters) time.
///
/// # Errors
/// Returns the reason why the alignment cannot be written.
pub fn check(pair: &Pair, alignment: &Alignment) -> Result<(), VcfError> {
    for_each_change(pair, alignment, |line| {
        if line.a.is_empty() || line.b.is_empty() {
            return Err(VcfError::Empty);
        }
        let symbol = |text: &Text, at: usize| excerpt(text.display_unit(at));
        if let Some(at) = line.a.clone().find(|&at| base(&pair.a, at).is_none()) {
            return Err(VcfError::Letter { text: 'a', position: at + 1, symbol: symbol(&pair.a, at) });
        }
        for at in line.b.clone() {
            let (position, symbol) = (at + 1, || symbol(&pair.b, at));
            match line.base_of_b(pair, at) {
                None => return Err(VcfError::Letter { text: 'b', position, symbol: symbol() }),
                Some(DnaBase::First(_)) if !line.is_anchor(at) => return Err(VcfError::Code { position, symbol: symbol() }),
                Some(_) => {}
            }
        }
        Ok(())
    })
}

/// Writes the edits of an alignment of `pair` as a VCF file. The alignment must pass [`check`]. For s runs of equal
/// edits, takes O(s + changed letters) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::vcf;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"ACGTT"[..], &b"AGGT"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// vcf::write(&mut out, &pair, &"1=1X2=1D".parse().unwrap()).unwrap();
/// assert!(out.ends_with("\na\t2\t.\tC\tG\t.\tPASS\t.\na\t4\t.\tTT\tT\t.\tPASS\t.\n"));
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let ExportedName { name, .. } = &NameRule::Sequence.of_text(&pair.a, "a");
    writeln!(out, "##fileformat=VCFv4.3")?;
    writeln!(out, "##source=editscope {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "##FILTER=<ID=PASS,Description=\"All filters passed\">")?;
    writeln!(out, "##contig=<ID={name},length={}>", pair.a.len())?;
    if let Some(change) = NameRule::Sequence.of_text(&pair.a, "a").change() {
        writeln!(out, "##editscopeName={change}")?;
    }
    writeln!(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")?;
    for_each_change(pair, alignment, |line| {
        let char_of = |base: Option<DnaBase>| base.map_or('N', DnaBase::to_char);
        let a: String = line.a.clone().map(|at| char_of(base(&pair.a, at))).collect();
        let b: String = line.b.clone().map(|at| char_of(line.base_of_b(pair, at))).collect();
        if a == b {
            return Ok(());
        }
        writeln!(out, "{name}\t{}\t.\t{a}\t{b}\t.\tPASS\t.", line.a.start + 1)
    })
}

/// A line of the file: a half-open range of letters of `a` that is replaced by a half-open range of letters of `b`.
struct VcfChange {
    a: Range<usize>,
    b: Range<usize>,
    /// Positions in `a` and in `b` of a letter that is not changed: [`anchored`] has added it to both sides.
    anchor: Option<[usize; 2]>,
}

impl VcfChange {
    fn is_anchor(&self, at: usize) -> bool {
        self.anchor.is_some_and(|[_, b]| b == at)
    }

    /// Returns letter `at` of `b` as it is written in VCF. An anchor is written as the letter of `a` that it matches.
    fn base_of_b(&self, pair: &Pair, at: usize) -> Option<DnaBase> {
        match self.anchor {
            Some([a, b]) if b == at => base(&pair.a, a),
            _ => base(&pair.b, at),
        }
    }
}

/// Calls `take` for every line of the file, in order, until it returns an error. No two lines share a letter of `a`:
/// two lines that would share a letter become one line. This letter is the anchor of both.
fn for_each_change<E>(pair: &Pair, alignment: &Alignment, mut take: impl FnMut(&VcfChange) -> Result<(), E>) -> Result<(), E> {
    let substituted = (alignment.summary().transpositions > 0).then(|| alignment.with_substitutions());
    let alignment = substituted.as_ref().unwrap_or(alignment);
    let (mut i, mut j) = (alignment.a_start() as usize, alignment.b_start() as usize);
    let mut last: Option<VcfChange> = None;
    let mut add = |line: VcfChange| {
        if let Some(last) = last.as_mut().filter(|last| line.a.start < last.a.end) {
            (last.a.end, last.b.end) = (line.a.end, line.b.end);
            return Ok(());
        }
        last.replace(line).map_or(Ok(()), |before| take(&before))
    };
    for run in alignment.cigar_ops().chunk_by(|one, next| (one.edit == EditKind::Equal) == (next.edit == EditKind::Equal)) {
        let (from_i, from_j) = (i, j);
        for stretch in run {
            let (di, dj) = stretch.edit.consumed_symbols();
            (i, j) = (i + di as usize * stretch.len as usize, j + dj as usize * stretch.len as usize);
        }
        match run {
            [first, ..] if first.edit == EditKind::Equal => {}
            [only] if only.edit == EditKind::Substitute => {
                (from_i..i).zip(from_j..j).try_for_each(|(a, b)| add(VcfChange { a: a..a + 1, b: b..b + 1, anchor: None }))?;
            }
            _ => add(anchored(pair, from_i..i, from_j..j))?,
        }
    }
    last.map_or(Ok(()), |line| take(&line))
}

/// Returns the line that replaces the letters `a` by the letters `b`, if neither side is empty. Otherwise adds the letter
/// before them to both sides or, if the line is at the start of a text, the letter after them. If there is no such
/// letter, the side stays empty.
fn anchored(pair: &Pair, a: Range<usize>, b: Range<usize>) -> VcfChange {
    let matching = |[x, y]: [usize; 2]| pair.symbol_match.matches(pair.a_symbols().symbol_at(x), pair.b_symbols().symbol_at(y));
    let anchor = |at: [usize; 2]| Some(at).filter(|at| matching(*at));
    if !a.is_empty() && !b.is_empty() {
        VcfChange { a, b, anchor: None }
    } else if a.start > 0 && b.start > 0 {
        let anchor = anchor([a.start - 1, b.start - 1]);
        VcfChange { a: a.start - 1..a.end, b: b.start - 1..b.end, anchor }
    } else if a.end < pair.a.len() && b.end < pair.b.len() {
        let anchor = anchor([a.end, b.end]);
        VcfChange { a: a.start..a.end + 1, b: b.start..b.end + 1, anchor }
    } else {
        VcfChange { a, b, anchor: None }
    }
}

/// A letter of DNA as it is written in VCF.
#[derive(Clone, Copy)]
enum DnaBase {
    /// A, C, G, T or N.
    Itself(u8),
    /// A code for several bases, written as the first of these bases in the alphabet.
    First(u8),
}

impl DnaBase {
    fn to_char(self) -> char {
        match self {
            Self::Itself(letter) | Self::First(letter) => letter.into(),
        }
    }
}

fn base(text: &Text, at: usize) -> Option<DnaBase> {
    Some(match letter(text, at)? {
        letter @ (b'A' | b'C' | b'G' | b'T' | b'N') => DnaBase::Itself(letter),
        b'R' | b'W' | b'M' | b'D' | b'H' | b'V' => DnaBase::First(b'A'),
        b'Y' | b'S' | b'B' => DnaBase::First(b'C'),
        b'K' => DnaBase::First(b'G'),
        _ => return None,
    })
}

/// Returns symbol `at` of a text in upper case if it is one ASCII letter, and `None` otherwise.
fn letter(text: &Text, at: usize) -> Option<u8> {
    match text.bytes()[text.range(at)] {
        [byte] if byte.is_ascii_alphabetic() => Some(byte.to_ascii_uppercase()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kernels::text::ReadingOptions;

    use super::*;

    fn written(a: &str, b: &str, cigar: &str) -> Vec<String> {
        written_as(a, b, cigar, &ReadingOptions::default())
    }

    fn written_as(a: &str, b: &str, cigar: &str, reading: &ReadingOptions) -> Vec<String> {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), reading).unwrap();
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
    fn every_edit_has_letters_on_both_sides() {
        assert_eq!(written("ACGT", "ATTT", "1=2X1="), ["2 C T", "3 G T"]);
        assert_eq!(written("ACGT", "AGT", "1=1D2="), ["1 AC A"]);
        assert_eq!(written("ACGT", "ACCCGT", "2=2I2="), ["2 C CCC"]);
        assert_eq!(written("ACGT", "GGACGT", "2I4="), ["1 A GGA"]);
        assert_eq!(written("ACGT", "GT", "2D2="), ["1 ACG G"]);
        assert_eq!(written("ACGT", "ATTTT", "1=1X1I1X1="), ["2 CG TTT"]);
        assert_eq!(written("acgt", "acgt", "4="), [""; 0]);
        assert_eq!(written("A", "C", "1X"), ["1 A C"]);
        assert_eq!(written("CAAGT", "AAT", "1D2=1D1="), ["1 CA A", "3 AG A"], "each deletion has one letter before it");
        assert_eq!(written("CAAGT", "AT", "2D1=1D1="), ["1 CAAG A"], "both edits share one letter");
        assert_eq!(written("ACT", "GACCT", "1I1=1I2="), ["1 A GAC"]);
        assert_eq!(written("ACGT", "CATT", "2T1X1="), ["1 A C", "2 C A", "3 G T"], "a transposition is two substitutions");
    }

    #[test]
    fn ambiguity_code_of_the_reference_becomes_its_first_base() {
        assert_eq!(written("ACGRTTACGT", "ACGRTACGT", "4=1D5="), ["4 AT A"], "the letter before the deletion");
        assert_eq!(written("ACKGT", "ACTGT", "2=1X2="), ["3 G T"]);
        assert_eq!(written("ACKGT", "ACGGT", "2=1X2="), [""; 0], "K is written as G");
        assert_eq!(written("ABYT", "AT", "1=2D1="), ["1 ACC A"]);
    }

    #[test]
    fn anchor_of_ambiguity_codes_is_the_letter_of_the_reference() {
        let matched =
            |a: &str, b: &str, cigar: &str| written_as(a, b, cigar, &ReadingOptions { ambiguity: true, ..ReadingOptions::default() });
        assert_eq!(matched("CRTT", "CGT", "2=1D1="), ["2 AT A"], "R is written as A on both sides");
        assert_eq!(matched("CNTT", "CGT", "2=1D1="), ["2 NT N"]);
        assert_eq!(matched("CGTT", "CRT", "2=1D1="), ["2 GT G"], "a code of b that is not changed is allowed");
        assert_eq!(matched("TTR", "GC", "2D1=1I"), ["1 TTA AC"], "both edits share one letter");
    }

    #[test]
    fn symbols_other_than_dna_and_empty_references_are_refused() {
        let refused = |a: &str, b: &str, cigar: &str| {
            let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
            check(&pair, &cigar.parse().unwrap()).unwrap_err()
        };
        let kitten = refused("kiTTEN", "siTTEN", "1X5=");
        assert_eq!(kitten, VcfError::Code { position: 1, symbol: "s".into() });
        let letter = refused("ACxT", "ACGT", "2=1X1=");
        assert_eq!(letter.to_string(), "VCF is of DNA: symbol 3 of a, counted from 1, is \"x\", which is none of A, C, G, T and N.");
        assert_eq!(refused("ACGT", "ACRGT", "2=1I2="), VcfError::Code { position: 3, symbol: "R".into() });
        assert_eq!(refused("", "ACG", "3I"), VcfError::Empty);
        assert_eq!(refused("ACG", "", "3D"), VcfError::Empty);
    }
}
