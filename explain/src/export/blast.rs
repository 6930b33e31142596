//! An alignment, and further pieces, as lines of the tabular output of BLAST ([`write()`]): that of
//! `-outfmt "6 qseqid sseqid pident length mismatch gapopen qstart qend sstart send score"`.
//!
//! The first ten columns are those of `-outfmt 6`. Its last two, `evalue` and `bitscore`, need the statistics of a
//! database, so that the raw score, `score`, stands in their place. With ambiguity codes, `pident` counts
//! letters that match.

use std::fmt::{self, Write};

use kernels::alignment::{Alignment, AlignmentSummary, EditKind, SymbolRange};
use kernels::event::LocalPiece;
use kernels::job::Points;
use kernels::text::Pair;

use super::names::NameRule;

/// Writes an alignment with its `score` as one line of eleven columns, separated by tabs, and a line for each of the
/// further pieces `next`. `a` is the query and `b` the subject. Positions count from 1, and ends are inclusive. An alignment
/// without columns has no line, as BLAST has no line without a hit. For s runs of equal edits, takes O(s) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::blast;
/// use kernels::alignment::Alignment;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"TTACGT"[..], &b"ACTT"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// blast::write(&mut out, &pair, &"2=1D1=".parse::<Alignment>().unwrap().starting_at(2, 0), 1.into(), &[]).unwrap();
/// assert_eq!(out, "a\tb\t75.000\t4\t0\t1\t3\t6\t1\t3\t1\n");
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Points, next: &[LocalPiece]) -> fmt::Result {
    let summary = alignment.summary();
    if summary.columns == 0 {
        return Ok(());
    }
    let names = [NameRule::Word.of_text(&pair.a, "a").name, NameRule::Word.of_text(&pair.b, "b").name];
    let is_gap = |edit: EditKind| matches!(edit, EditKind::Insert | EditKind::Delete);
    // A long gap may be several stretches.
    let runs = alignment.cigar_ops().chunk_by(|one, next| one.edit == next.edit);
    let openings = runs.filter(|run| run.first().is_some_and(|stretch| is_gap(stretch.edit))).count();
    let range = |start: u64, len: u64| SymbolRange { start, end: start + len };
    let in_a = range(alignment.a_start(), summary.columns - summary.insertions);
    let in_b = range(alignment.b_start(), summary.columns - summary.deletions);
    line(out, &names, [in_a, in_b], &summary, openings as u64, score)?;
    next.iter().try_for_each(|piece| line(out, &names, [piece.a, piece.b], &piece.alignment, piece.scored.gap_openings, piece.score))
}

fn line(
    out: &mut dyn Write,
    [query, subject]: &[String; 2],
    [in_a, in_b]: [SymbolRange; 2],
    summary: &AlignmentSummary,
    openings: u64,
    score: Points,
) -> fmt::Result {
    let identity = 100.0 * summary.matches as f64 / summary.columns as f64;
    let [in_a, in_b] = [in_a, in_b].map(|range| format!("{}\t{}", range.start + 1, range.end));
    writeln!(out, "{query}\t{subject}\t{identity:.3}\t{}\t{}\t{openings}\t{in_a}\t{in_b}\t{score}", summary.columns, summary.mismatches)
}

#[cfg(test)]
mod tests {
    use kernels::alignment::ScoredColumns;
    use kernels::text::ReadingOptions;

    use super::*;

    fn line_of(a: &str, b: &str, cigar: &str, score: Points) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let mut out = String::new();
        write(&mut out, &pair, &cigar.parse().unwrap(), score, &[]).unwrap();
        out
    }

    #[test]
    fn line_has_the_columns_of_blast() {
        let named = line_of(">q one two\nGATTACA\n", ">s|1\nGCTAGA\n", "1=1X2D1I1=1X1=", Points::whole(-16));
        assert_eq!(named, "q\ts|1\t37.500\t8\t2\t2\t1\t7\t1\t6\t-16\n");
        assert_eq!(line_of("ACG", "ACG", "3=", Points::whole(3)), "a\tb\t100.000\t3\t0\t0\t1\t3\t1\t3\t3\n");
        assert_eq!(line_of("ACG", "TTT", "", Points::ZERO), "");
    }

    #[test]
    fn further_pieces_have_lines_of_their_own() {
        let pair = Pair::parse(&b"ACGTT"[..], &b"ACGAA"[..], &ReadingOptions::default()).unwrap();
        let alignment: Alignment = "3=".parse().unwrap();
        let piece = LocalPiece {
            score: Points::whole(2),
            a: SymbolRange { start: 3, end: 5 },
            b: SymbolRange { start: 2, end: 4 },
            alignment: alignment.summary(),
            scored: ScoredColumns { positives: 2, gaps: 0, gap_openings: 1 },
            cigar: None,
        };
        let mut out = String::new();
        write(&mut out, &pair, &alignment, Points::whole(3), &[piece]).unwrap();
        assert_eq!(out, "a\tb\t100.000\t3\t0\t0\t1\t3\t1\t3\t3\na\tb\t100.000\t3\t0\t1\t4\t5\t3\t4\t2\n");
    }
}
