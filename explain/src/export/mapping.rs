//! An alignment in the formats of read mappers: a line of PAF ([`write_paf`]; manual page of minimap2, section "Output
//! format") or a SAM file ([`write_sam`]; SAMv1, sections 1.3 to 1.5).
//!
//! `a` is the query and `b` the target. Both formats define edits from the target: their `I` is a symbol of the query
//! only (`D` in [`Alignment`]), and their `D` is a symbol of the target only. Positions are in units of the texts.
//!
//! On the reverse strand, both formats require the letters and the CIGAR of the query's reverse complement. Therefore
//! the functions take the pair that was aligned ([`Pair::for_strand`]).

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::{Alignment, AlignmentSummary};
use kernels::event::LocalPiece;
use kernels::job::Points;
use kernels::strand::Strand;
use kernels::text::{Pair, Text};

use super::names::{ExportedName, NameRule};

/// Mapping quality that means unknown, in both formats.
const NO_QUALITY: u8 = 255;

/// SAM flag of a line whose query has no alignment.
const UNMAPPED_FLAG: u16 = 4;
/// SAM flag of a line with the letters of the query's reverse complement.
const REVERSE_FLAG: u16 = 16;
/// SAM flag of a line whose query already has an earlier line.
const SECONDARY_FLAG: u16 = 256;

/// Writes an alignment as one line of PAF, with the number of edits in the field `NM`, the `score` if there is one in
/// `AS`, and the CIGAR in `cg`. If the name of `b` had to be changed for PAF, the field `on` has the original name.
///
/// Each of the further pieces `next` of a local alignment has a line too. A piece without a CIGAR has no `cg`. For s runs of
/// equal edits, takes O(s + records) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::mapping::write_paf;
/// use kernels::alignment::Alignment;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"ACGT"[..], &b"TTACTTT"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// write_paf(&mut out, &pair, &"2=1D1=".parse::<Alignment>().unwrap().starting_at(0, 2), None, &[]).unwrap();
/// assert_eq!(out, "a\t4\t0\t4\t+\tb\t7\t2\t5\t3\t4\t255\tNM:i:1\tcg:Z:2=1I1=\n");
/// ```
pub fn write_paf(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Option<Points>, next: &[LocalPiece]) -> fmt::Result {
    let (query, targets) = (NameRule::Word.of_text(&pair.a, "a"), MappingTarget::all(&pair.b, NameRule::Word));
    mapped_lines(pair, &query, &targets, alignment, score, next).try_for_each(|line| line.write_paf_line(out))
}

/// Writes an alignment as a SAM file with one read, `a`, and the `score` if there is one in the field `AS`.
///
/// Symbols of `a` before and after the alignment are clipped softly: their letters stay in the file.
/// The letters of `a` are left out unless all its symbols are letters. If no symbol of `b` is aligned, the read is
/// marked as unmapped, because SAM has no other way to describe this. Repeated names of records get a number, because
/// SAM requires distinct names. Each of the further pieces `next` of a local alignment has a secondary line; the CIGAR of a
/// piece without one is `*`. For s runs of equal edits, takes O(s + |a| + records) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_sam(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Option<Points>, next: &[LocalPiece]) -> fmt::Result {
    let (query, targets) = (NameRule::Read.of_text(&pair.a, "a"), MappingTarget::all(&pair.b, NameRule::Sequence));
    write_sam_header(out, &query, &targets)?;
    let mut lines = mapped_lines(pair, &query, &targets, alignment, score, next).enumerate();
    lines.try_for_each(|(number, line)| line.write_sam_line(out, number > 0))
}

/// Returns a line for an alignment, and one for each of the further pieces `next`.
fn mapped_lines<'l>(
    pair: &'l Pair,
    query: &'l ExportedName,
    targets: &'l [MappingTarget],
    alignment: &Alignment,
    score: Option<Points>,
    next: &'l [LocalPiece],
) -> impl Iterator<Item = MappedLine<'l>> {
    let further = next.iter().map(|piece| (MappedPiece::of_local_piece(piece), Some(piece.score)));
    std::iter::once((MappedPiece::of_alignment(alignment), score)).chain(further).map(move |(piece, score)| {
        let target = &targets[pair.b.record_at(piece.b.start as usize)];
        MappedLine { query: &query.name, target, pair, piece, score }
    })
}

/// Writes the header of a SAM file with the read `query` and the reference sequences `targets`. Comment lines give the
/// original of each name that was changed.
pub(super) fn write_sam_header(out: &mut dyn Write, query: &ExportedName, targets: &[MappingTarget]) -> fmt::Result {
    writeln!(out, "@HD\tVN:1.6")?;
    for target in targets.iter().filter(|target| target.len > 0) {
        writeln!(out, "@SQ\tSN:{}\tLN:{}", target.name.name, target.len)?;
    }
    writeln!(out, "@PG\tID:editscope\tPN:editscope\tVN:{}", env!("CARGO_PKG_VERSION"))?;
    let names = [query].into_iter().chain(targets.iter().map(|target| &target.name));
    names.filter_map(ExportedName::change).try_for_each(|change| writeln!(out, "@CO\tname: {change}"))
}

/// An alignment of a piece of `a` and a piece of `b`, as a line of PAF or SAM describes it.
pub(super) struct MappedPiece {
    /// Range of `a`.
    a: Range<u64>,
    /// Range of `b`.
    b: Range<u64>,
    /// Counts of the columns.
    summary: AlignmentSummary,
    /// The strand of a search on both strands.
    strand: Option<Strand>,
    /// CIGAR of the query, or `None` if the answer does not contain the columns.
    cigar: Option<String>,
}

impl MappedPiece {
    /// Returns the piece that `alignment` covers.
    pub(super) fn of_alignment(alignment: &Alignment) -> Self {
        let alignment = alignment.with_substitutions();
        let summary = alignment.summary();
        let range = |start: u64, len: u64| start..start + len;
        Self {
            a: range(alignment.a_start(), summary.columns - summary.insertions),
            b: range(alignment.b_start(), summary.columns - summary.deletions),
            summary,
            strand: alignment.strand(),
            cigar: Some(alignment.swapped().to_string()),
        }
    }

    /// Returns a further piece of a local alignment.
    fn of_local_piece(piece: &LocalPiece) -> Self {
        let columns = piece.cigar.as_deref().and_then(|cigar| cigar.parse::<Alignment>().ok());
        Self {
            a: piece.a.start..piece.a.end,
            b: piece.b.start..piece.b.end,
            summary: piece.alignment,
            strand: None,
            cigar: columns.map(|columns| columns.swapped().to_string()),
        }
    }
}

/// One line of PAF or SAM, which describes one alignment.
pub(super) struct MappedLine<'l> {
    /// Name of the query.
    pub(super) query: &'l str,
    /// The text or record that contains the aligned range.
    pub(super) target: &'l MappingTarget,
    /// The texts in the orientation in which they were aligned.
    pub(super) pair: &'l Pair,
    /// The aligned pieces of the texts in `pair`.
    pub(super) piece: MappedPiece,
    /// The score of the alignment, if the task has scores.
    pub(super) score: Option<Points>,
}

impl MappedLine<'_> {
    pub(super) fn write_paf_line(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { query, target, pair, piece: MappedPiece { a, b, summary, strand, cigar }, score } = self;
        let (start, end) = (b.start - target.from, b.end - target.from);
        write!(out, "{query}\t{}\t{}\t{}\t{}\t", pair.a.len(), a.start, a.end, strand.map_or('+', Strand::sign))?;
        write!(out, "{}\t{}\t{start}\t{end}\t", target.name.name, target.len)?;
        write!(out, "{}\t{}\t{NO_QUALITY}\t", summary.matches, summary.columns)?;
        write!(out, "NM:i:{}", summary.distance())?;
        write_score(out, *score)?;
        if let Some(cigar) = cigar {
            write!(out, "\tcg:Z:{cigar}")?;
        }
        if let Some(original) = &target.name.original {
            write!(out, "\ton:Z:{}", super::visible(original))?;
        }
        writeln!(out)
    }

    /// Writes the line in SAM. `is_further` tells that the file already has a line of this read; only the first line of
    /// a read may be primary.
    pub(super) fn write_sam_line(&self, out: &mut dyn Write, is_further: bool) -> fmt::Result {
        let Self { query, target, pair, piece: MappedPiece { a, b, summary, strand, cigar }, score } = self;
        if b.is_empty() {
            write!(out, "{query}\t{UNMAPPED_FLAG}\t*\t0\t0\t*\t*\t0\t0\t")?;
            sequence(out, &pair.a)?;
            return writeln!(out, "\t*");
        }
        let reverse = if *strand == Some(Strand::Reverse) { REVERSE_FLAG } else { 0 };
        let flags = reverse | if is_further { SECONDARY_FLAG } else { 0 };
        let position = b.start - target.from + 1;
        let clip = |symbols: u64| if symbols > 0 { format!("{symbols}S") } else { String::new() };
        let clipped = |cigar: &String| format!("{}{cigar}{}", clip(a.start), clip(pair.a.len() as u64 - a.end));
        let cigar = cigar.as_ref().map_or("*".to_owned(), clipped);
        write!(out, "{query}\t{flags}\t{}\t{position}\t{NO_QUALITY}\t{cigar}\t*\t0\t0\t", target.name.name)?;
        sequence(out, &pair.a)?;
        write!(out, "\t*\tNM:i:{}", summary.distance())?;
        write_score(out, *score)?;
        writeln!(out)
    }
}

/// Writes the score as the field `AS`, if there is one. The field must be a whole number. Thus a score with a decimal is
/// rounded down, and the field `as` has the exact score.
fn write_score(out: &mut dyn Write, score: Option<Points>) -> fmt::Result {
    let Some(score) = score else { return Ok(()) };
    write!(out, "\tAS:i:{}", score.rounded_down())?;
    if score.is_whole() { Ok(()) } else { write!(out, "\tas:f:{score}") }
}

/// Writes the letters of a text for SAM, or `*` if a symbol is not a letter or if the text is empty.
fn sequence(out: &mut dyn Write, text: &Text) -> fmt::Result {
    let letter = |at: usize| match text.bytes()[text.range(at)] {
        [byte] if byte.is_ascii_alphabetic() => Some(if text.is_upper() { byte.to_ascii_uppercase() } else { byte }),
        _ => None,
    };
    if text.is_empty() || (0..text.len()).any(|at| letter(at).is_none()) {
        return out.write_char('*');
    }
    (0..text.len()).filter_map(letter).try_for_each(|byte| out.write_char(byte.into()))
}

/// The target of an alignment: `b`, or one of the records of `b` if it has several.
#[derive(Debug)]
pub(super) struct MappingTarget {
    /// Name of the target.
    pub(super) name: ExportedName,
    /// Number of symbols of the target.
    pub(super) len: u64,
    /// Number of symbols of `b` before the target.
    pub(super) from: u64,
}

impl MappingTarget {
    /// Returns all targets in `b`: one for each record. Their names are distinct and allowed by `rule`. Takes
    /// O(records) time.
    pub(super) fn all(b: &Text, rule: NameRule) -> Vec<Self> {
        Self::named(b, rule.of_records(b, "b"))
    }

    /// Returns all targets in `b` with their names.
    pub(super) fn named(b: &Text, names: impl IntoIterator<Item = ExportedName>) -> Vec<Self> {
        let target = |(part, name)| {
            let units = b.record_range(part);
            Self { name, len: units.len() as u64, from: units.start as u64 }
        };
        names.into_iter().enumerate().map(target).collect()
    }
}

#[cfg(test)]
mod tests {
    use kernels::alignment::{ScoredColumns, SymbolRange};
    use kernels::reading::{PairRecordChoices, ReadingOptions};

    use super::*;

    fn line(a: &[u8], b: &[u8], cigar: &str, b_start: u64) -> String {
        let pair = Pair::parse(a, b, &ReadingOptions::default()).unwrap();
        let mut out = String::new();
        write_sam(&mut out, &pair, &cigar.parse::<Alignment>().unwrap().starting_at(0, b_start), None, &[]).unwrap();
        out.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
    }

    #[test]
    fn read_has_its_position_and_letters() {
        let read = b">read/1 of, two\nac\ngt\n";
        assert_eq!(line(read, b">chr,1\nTTACTTT\n", "2=1D1=", 2), "read/1\t0\tchr_1\t3\t255\t2=1I1=\t*\t0\t0\tACGT\t*\tNM:i:1");
        assert_eq!(line(b"a1", b"xa1x", "2=", 1), "a\t0\tb\t2\t255\t2=\t*\t0\t0\t*\t*\tNM:i:0", "digits are not written as a sequence");
    }

    #[test]
    fn hit_is_mapped_to_its_record() {
        let choices = PairRecordChoices { allows_many: true, ..PairRecordChoices::default() };
        let (a, b) = (&b"GATTACA"[..], &b">chr1 one\nACGT\n>chr2\n\n>chr3 x\nTTGATTACATT\n"[..]);
        let pair = Pair::parse_records(a, b, &ReadingOptions::default(), &choices).unwrap();
        let alignment = "7=".parse::<Alignment>().unwrap().starting_at(0, 8);
        let (mut as_sam, mut as_paf) = (String::new(), String::new());
        write_sam(&mut as_sam, &pair, &alignment, None, &[]).unwrap();
        write_paf(&mut as_paf, &pair, &alignment, None, &[]).unwrap();
        let targets: Vec<&str> = as_sam.lines().filter(|line| line.starts_with("@SQ")).collect();
        assert_eq!(targets, ["@SQ\tSN:chr1\tLN:4", "@SQ\tSN:chr3\tLN:11"]);
        assert!(as_sam.ends_with("a\t0\tchr3\t3\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0\n"), "{as_sam}");
        assert_eq!(as_paf, "a\t7\t0\t7\t+\tchr3\t11\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n");
    }

    #[test]
    fn names_that_the_formats_allow_are_unchanged() {
        let pair = Pair::parse(&b">q@x,1\nGATTACA\n"[..], &b">HLA-A*01:01:01:01 x\nCCGATTACATT\n"[..], &ReadingOptions::default()).unwrap();
        let alignment = "7=".parse::<Alignment>().unwrap().starting_at(0, 2);
        let (mut as_sam, mut as_paf) = (String::new(), String::new());
        write_sam(&mut as_sam, &pair, &alignment, None, &[]).unwrap();
        write_paf(&mut as_paf, &pair, &alignment, None, &[]).unwrap();
        assert!(as_sam.contains("@SQ\tSN:HLA-A*01:01:01:01\tLN:11\n"), "{as_sam}");
        assert!(as_sam.contains("\n@CO\tname: q_x,1 was q@x,1\nq_x,1\t0\tHLA-A*01:01:01:01\t3\t"), "{as_sam}");
        assert!(as_paf.starts_with("q@x,1\t7\t0\t7\t+\tHLA-A*01:01:01:01\t11\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n"), "{as_paf}");
    }

    #[test]
    fn read_without_aligned_letters_is_unmapped() {
        assert_eq!(line(b"ACG", b"", "3D", 0), "a\t4\t*\t0\t0\t*\t*\t0\t0\tACG\t*");
        assert_eq!(line(b"ACG", b"TTT", "3D", 3), "a\t4\t*\t0\t0\t*\t*\t0\t0\tACG\t*");
        assert_eq!(line(b"", b"TT", "2I", 0), "a\t0\tb\t1\t255\t2D\t*\t0\t0\t*\t*\tNM:i:2");
    }

    #[test]
    fn further_pieces_have_lines_of_their_own() {
        let pair = Pair::parse(&b"AAACCCGG"[..], &b"TCCCTAAAT"[..], &ReadingOptions::default()).unwrap();
        let first: Alignment = "3=".parse().unwrap();
        let piece = |cigar: Option<&str>| LocalPiece {
            score: Points::whole(2),
            a: SymbolRange { start: 3, end: 6 },
            b: SymbolRange { start: 1, end: 4 },
            alignment: first.summary(),
            scored: ScoredColumns::default(),
            cigar: cigar.map(str::to_owned),
        };
        let next = [piece(Some("3=")), piece(None)];
        let alignment = first.clone().starting_at(0, 5);
        let (mut as_sam, mut as_paf) = (String::new(), String::new());
        write_sam(&mut as_sam, &pair, &alignment, Some(Points::whole(3)), &next).unwrap();
        write_paf(&mut as_paf, &pair, &alignment, Some(Points::whole(3)), &next).unwrap();
        let lines: Vec<&str> = as_sam.lines().filter(|line| !line.starts_with('@')).collect();
        assert_eq!(
            lines,
            [
                "a\t0\tb\t6\t255\t3=5S\t*\t0\t0\tAAACCCGG\t*\tNM:i:0\tAS:i:3",
                "a\t256\tb\t2\t255\t3S3=2S\t*\t0\t0\tAAACCCGG\t*\tNM:i:0\tAS:i:2",
                "a\t256\tb\t2\t255\t*\t*\t0\t0\tAAACCCGG\t*\tNM:i:0\tAS:i:2",
            ]
        );
        assert_eq!(
            as_paf,
            "a\t8\t0\t3\t+\tb\t9\t5\t8\t3\t3\t255\tNM:i:0\tAS:i:3\tcg:Z:3=\n\
             a\t8\t3\t6\t+\tb\t9\t1\t4\t3\t3\t255\tNM:i:0\tAS:i:2\tcg:Z:3=\n\
             a\t8\t3\t6\t+\tb\t9\t1\t4\t3\t3\t255\tNM:i:0\tAS:i:2\n"
        );
    }
}
