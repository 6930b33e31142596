//! An alignment in the format `pair` of EMBOSS, as `needle` and `water` write it with `-aformat pair`. [`write()`]
//! writes the header and the rows.
//!
//! Between the rows of both texts `|` marks equal letters, `:` different letters with points above 0, and `.` other
//! different letters. With ambiguity codes, letters that match count as equal. EMBOSS counts a gap of n letters as gap
//! penalty + (n − 1) · extend penalty. Thus its gap penalty is open + extend of a job.

use std::fmt::{self, Write};

use kernels::alignment::{Alignment, EditKind, ScoredColumns};
use kernels::job::{Points, Scoring, ScoringNumbers};
use kernels::text::{Pair, Text};

use super::fasta::{self, letter};
use super::names::NameRule;
use crate::points::ColumnPoints;

/// Number of columns in a row.
const WIDTH: usize = 50;

/// Number of letters of a name before a row.
const NAME_WIDTH: usize = 13;

/// Error for a text with a symbol that is neither a letter nor `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The format of EMBOSS is of sequences: a text has a symbol that is neither a letter nor *.")]
pub struct EmbossSymbolError;

/// Checks that all symbols in the alignment of `pair` are letters or `*`. Takes O(symbols) time.
///
/// # Errors
/// Returns an error if an aligned symbol is something else.
pub fn check(pair: &Pair, alignment: &Alignment) -> Result<(), EmbossSymbolError> {
    fasta::check(pair, alignment).map_err(|_| EmbossSymbolError)
}

/// Writes an alignment in the format `pair` of EMBOSS. An alignment of `sequence-alignment` has a score and a scoring,
/// `scored`. For other tasks only equal letters are similar, and the header has no lines for matrix, gap penalties and
/// score. Takes O(columns + |a| + |b|) time.
///
/// # Errors
/// Returns an error if writing to `out` fails, or if the alignment does not fit the texts.
///
/// ```
/// use explain::export::emboss;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"GATTACA"[..], &b"GATCA"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// emboss::write(&mut out, &pair, &"3=2D2=".parse().unwrap(), None).unwrap();
/// assert!(out.contains("\n# Identity:       5/7 (71.4%)\n"));
/// assert!(out.contains("\na                  1 GATTACA      7\n                     |||  ||\nb                  1 GAT--CA      5\n"));
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, scored: Option<(Points, &Scoring)>) -> fmt::Result {
    let edits = Scoring::DEFAULT;
    let scoring = scored.map_or(&edits, |(_, scoring)| scoring);
    let names = [NameRule::Word.of_text(&pair.a, "a").name, NameRule::Word.of_text(&pair.b, "b").name];
    let (_, counts) = alignment.score_in(pair, scoring).map_err(|_| fmt::Error)?;
    head(out, &names, alignment, scored, counts)?;
    let mut rows = Rows::new([alignment.a_start(), alignment.b_start()]);
    for column in ColumnPoints::new(pair, scoring).columns(alignment) {
        let mark = match column.edit {
            EditKind::Equal => '|',
            EditKind::Substitute | EditKind::Transpose if column.points > Points::ZERO => ':',
            EditKind::Substitute | EditKind::Transpose => '.',
            EditKind::Insert | EditKind::Delete => ' ',
        };
        rows.push([&pair.a, &pair.b], column.edit, mark);
        if rows.columns == WIDTH {
            rows.write(out, &names)?;
        }
    }
    rows.write(out, &names)?;
    write!(out, "\n#{0}\n#{0}\n", "-".repeat(39))
}

/// Writes everything before the rows.
fn head(
    out: &mut dyn Write,
    names: &[String; 2],
    alignment: &Alignment,
    scored: Option<(Points, &Scoring)>,
    ScoredColumns { positives, gaps, .. }: ScoredColumns,
) -> fmt::Result {
    let summary = alignment.summary();
    write!(out, "{0}\n# Program: editscope\n# Align_format: pair\n{0}\n\n#{1}\n#\n", "#".repeat(40), "=".repeat(39))?;
    write!(out, "# Aligned_sequences: 2\n# 1: {}\n# 2: {}\n", names[0], names[1])?;
    let decimal = |points: Points| if points.is_whole() { format!("{points}.0") } else { points.to_string() };
    if let Some((_, scoring)) = scored {
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        match &scoring.matrix {
            Some(matrix) => writeln!(out, "# Matrix: {}", matrix.name().as_deref().unwrap_or("custom"))?,
            None => writeln!(out, "# Matrix: {equal} equal, {different} different")?,
        }
        writeln!(out, "# Gap_penalty: {}", decimal(gap.open + gap.extend))?;
        writeln!(out, "# Extend_penalty: {}", decimal(gap.extend))?;
    }
    writeln!(out, "#\n# Length: {}", summary.columns)?;
    for (label, count) in [("Identity:", summary.matches), ("Similarity:", positives), ("Gaps:", gaps)] {
        let percent = 100.0 * count as f64 / summary.columns.max(1) as f64;
        let room = 17 - label.len();
        writeln!(out, "# {label}{count:>room$}/{} ({percent:4.1}%)", summary.columns)?;
    }
    if let Some((score, _)) = scored {
        writeln!(out, "# Score: {}", decimal(score))?;
    }
    write!(out, "# \n#\n#{}\n\n", "=".repeat(39))
}

/// The rows of both texts that are being written, and the marks between them.
struct Rows {
    letters: [String; 2],
    marks: String,
    columns: usize,
    /// Numbers of symbols before the rows.
    starts: [u64; 2],
    /// Numbers of symbols up to the end of the rows.
    ends: [u64; 2],
}

impl Rows {
    fn new(starts: [u64; 2]) -> Self {
        Self { letters: Default::default(), marks: String::new(), columns: 0, starts, ends: starts }
    }

    /// Adds a column.
    fn push(&mut self, texts: [&Text; 2], edit: EditKind, mark: char) {
        let (of_a, of_b) = edit.consumed_symbols();
        for (side, taken) in [of_a, of_b].into_iter().enumerate() {
            let at = self.ends[side] as usize;
            self.letters[side].push(if taken == 0 { '-' } else { letter(texts[side], at).unwrap_or('?') });
            self.ends[side] += taken;
        }
        self.marks.push(mark);
        self.columns += 1;
    }

    /// Writes the rows, unless they have no column, and begins the next ones.
    fn write(&mut self, out: &mut dyn Write, names: &[String; 2]) -> fmt::Result {
        if self.columns == 0 {
            return Ok(());
        }
        let row = |side: usize| {
            let (start, end) = (self.starts[side], self.ends[side]);
            // A row without letters has the number of the letter before it.
            let first = if end > start { start + 1 } else { start };
            let name: String = names[side].chars().take(NAME_WIDTH).collect();
            format!("{name:<NAME_WIDTH$} {first:>6} {} {end:>6}", self.letters[side])
        };
        write!(out, "{}\n{:21}{}\n{}\n\n", row(0), "", self.marks, row(1))?;
        *self = Self::new(self.ends);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kernels::cpu::Cpu;
    use kernels::job::{GapPoints, JobOptions, ScoringMatrix, Task};
    use kernels::run::{NoObserver, Run};
    use kernels::task::solver;
    use kernels::text::ReadingOptions;

    use super::*;

    const A: &str = ">HBA_HUMAN alpha\n\
        MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFK\n\
        LLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR\n";
    const B: &str = ">HBB_HUMAN_long_name\n\
        MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVD\n\
        PENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH\n";

    fn pair(a: &str, b: &str) -> Pair {
        Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap()
    }

    fn written(a: &str, b: &str, alignment: &Alignment, scored: Option<(Points, &Scoring)>) -> String {
        let mut out = String::new();
        write(&mut out, &pair(a, b), alignment, scored).unwrap();
        out
    }

    /// The file is that of EMBOSS 6.6.0 for `needle -gapopen 12 -gapextend 1 -endweight -endopen 12 -endextend 1`, except for
    /// the lines about the program and the name of the matrix.
    #[test]
    fn rows_of_proteins_are_those_of_needle() {
        let gap = GapPoints::whole(11, 1);
        let options = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), gap, ..JobOptions::default() };
        let run = Run::new(&NoObserver);
        let solution = solver(Task::SequenceAlignment).cpu(&Cpu::SINGLE, &pair(A, B), &options, &run).unwrap();
        let file = written(A, B, &solution.alignment.unwrap(), Some((Points::whole(282), &options.scoring())));
        assert_eq!(file, include_str!("emboss/hemoglobins.txt"));
    }

    /// The file is that of `needle -endweight` of EMBOSS 6.6.0 with its default costs, except for the same lines.
    #[test]
    fn costs_with_decimals_are_those_of_needle() {
        let gap = GapPoints { open: Points::from_tenths(95), extend: Points::from_tenths(5) };
        let options = JobOptions { matrix: Some(ScoringMatrix::BLOSUM62), gap, ..JobOptions::default() };
        let run = Run::new(&NoObserver);
        let solution = solver(Task::SequenceAlignment).cpu(&Cpu::SINGLE, &pair(A, B), &options, &run).unwrap();
        let score = solution.answer.alignment_score().unwrap();
        let file = written(A, B, &solution.alignment.unwrap(), Some((score, &options.scoring())));
        assert_eq!(file, include_str!("emboss/hemoglobins-default-costs.txt"));
    }

    #[test]
    fn piece_has_the_numbers_of_its_letters() {
        let alignment = "2=1D1=".parse::<Alignment>().unwrap().starting_at(3, 2);
        let file = written("TTTGATA", "CCGAA", &alignment, None);
        assert!(file.ends_with("\n\na                  4 GATA      7\n                     || |\nb                  3 GA-A      5\n\n\n#---------------------------------------\n#---------------------------------------\n"), "{file}");
        assert!(!file.contains("Score") && !file.contains("penalty"));
    }

    #[test]
    fn row_without_letters_has_the_number_before_it() {
        let file = written(&"A".repeat(60), "A", &"59D1=".parse().unwrap(), None);
        assert!(file.contains(&format!("\nb                  0 {}      0\n", "-".repeat(50))), "{file}");
        assert!(file.contains(&format!("\nb                  1 {}A      1\n", "-".repeat(9))), "{file}");
    }

    #[test]
    fn empty_alignment_has_no_rows_and_other_symbols_are_refused() {
        let file = written("AC", "GT", &Alignment::default(), Some((Points::ZERO, &Scoring::DEFAULT)));
        assert!(file.contains("# Length: 0\n# Identity:       0/0 ( 0.0%)\n"), "{file}");
        let refused = check(&pair("A1", "A1"), &"2=".parse().unwrap());
        assert_eq!((refused, check(&pair("A*", "A*"), &"2=".parse().unwrap())), (Err(EmbossSymbolError), Ok(())));
    }
}
