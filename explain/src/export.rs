//! Files that a result can be saved as. This module writes an alignment as blocks of both texts with positions
//! ([`blocks`]), as EMBOSS prints pairs. Its children write formats for other programs.
//!
//! - [`blast`]: an alignment as a line of the tabular output of BLAST
//! - [`csv`]: hits and scores as comma-separated values
//! - [`mapping`]: an alignment as a line of PAF or SAM
//! - [`document`]: everything except the texts, as JSON
//! - [`diff`]: an alignment of lines as a unified diff
//! - [`edits`]: a table of all edits; [`vcf`]: edits as changes of a sequence
//! - [`emboss`]: an alignment in the format `pair` of EMBOSS
//! - [`fasta`]: both sequences of an alignment with gaps
//! - [`hit_file`]: all hits of a search
//! - `names`: names of texts and records as each format allows them
//! - [`picture`]: some columns of an alignment as a drawing
//! - [`report`]: a report for people, as one HTML file
//! - [`subsequence`]: the common subsequence, as a text

use std::fmt::{self, Write};

use kernels::alignment::{Alignment, EditKind};
use kernels::humanize::grouped;
use kernels::job::Points;
use kernels::text::{Pair, Text, Unit};
use unicode_width::UnicodeWidthStr as _;

pub mod blast;
pub mod csv;
pub mod diff;
pub mod document;
pub mod edits;
pub mod emboss;
pub mod fasta;
pub mod hit_file;
pub mod mapping;
mod names;
pub mod picture;
pub mod report;
pub mod subsequence;
pub mod vcf;

/// Maximum width of a block of the alignment, in character cells of a monospaced font. A wider symbol has a block of
/// its own.
const WIDTH: usize = 60;

/// Writes the alignment of `pair` in blocks of both texts, or as a list of lines if symbols are lines. Positions count
/// from 1, as in biology. Control characters are escaped. An alignment of `sequence-alignment` has a `score`. Takes
/// O(columns) time, and O(1) memory besides `out` and the longest run of changed lines.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::blocks;
/// use kernels::alignment::Alignment;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// blocks(&mut out, &pair, &"1X3=1X1=1I".parse().unwrap(), None).unwrap();
/// assert!(out.ends_with("\na 1 kitten- 6\n    .|||.|\nb 1 sitting 7\n"));
/// ```
pub fn blocks(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Option<Points>) -> fmt::Result {
    head(out, pair, alignment, score)?;
    if pair.a.unit() == Unit::Lines {
        return write_line_diff(out, pair, alignment);
    }
    let digits = pair.a.len().max(pair.b.len()).to_string().len();
    let space = if pair.a.unit() == Unit::Words { " " } else { "" };
    let before = (alignment.a_start(), alignment.b_start());
    let mut block = AlignmentBlock { digits, starts: before, ends: before, ..AlignmentBlock::default() };
    for column in columns(alignment) {
        let cell = |text: &Text, at: Option<usize>| at.map(|at| visible(&text.display_unit(at)));
        let (a, b) = (cell(&pair.a, column.a), cell(&pair.b, column.b));
        let width = [&a, &b].into_iter().flatten().map(|cell| cell_width(cell)).max().unwrap_or(1);
        if block.width > 0 && block.width + space.len() + width > WIDTH {
            block.write(out)?;
        }
        let space = if block.width > 0 { space } else { "" };
        block.width += space.len() + width;
        let mark = match column.edit {
            EditKind::Equal => '|',
            EditKind::Substitute => '.',
            EditKind::Transpose => 'x',
            EditKind::Insert | EditKind::Delete => ' ',
        };
        let padded = |cell: Option<String>| match cell {
            Some(cell) => format!("{cell}{}", " ".repeat(width - cell_width(&cell))),
            None => "-".repeat(width),
        };
        write!(block.a, "{space}{}", padded(a))?;
        write!(block.b, "{space}{}", padded(b))?;
        write!(block.marks, "{space}{}", mark.to_string().repeat(width))?;
        let (di, dj) = column.edit.consumed_symbols();
        block.ends = (block.ends.0 + di, block.ends.1 + dj);
    }
    block.write(out)
}

/// The three lines of the block that is being built: symbols of `a`, marks, and symbols of `b`.
#[derive(Default)]
struct AlignmentBlock {
    a: String,
    marks: String,
    b: String,
    width: usize,
    digits: usize,
    /// Numbers of symbols before the block: of `a` and of `b`.
    starts: (u64, u64),
    /// Numbers of symbols up to the end of the block: of `a` and of `b`.
    ends: (u64, u64),
}

impl AlignmentBlock {
    fn write(&mut self, out: &mut dyn Write) -> fmt::Result {
        if self.width == 0 {
            return Ok(());
        }
        let digits = self.digits;
        // A block that contains no symbol of a text shows the number of symbols before it.
        let first = |start: u64, end: u64| if end > start { start + 1 } else { start };
        writeln!(out)?;
        writeln!(out, "a {:>digits$} {} {}", first(self.starts.0, self.ends.0), self.a, self.ends.0)?;
        writeln!(out, "{}", format!("  {:digits$} {}", "", self.marks).trim_end())?;
        writeln!(out, "b {:>digits$} {} {}", first(self.starts.1, self.ends.1), self.b, self.ends.1)?;
        (self.starts, self.width) = (self.ends, 0);
        [&mut self.a, &mut self.marks, &mut self.b].into_iter().for_each(String::clear);
        Ok(())
    }
}

fn head(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Option<Points>) -> fmt::Result {
    for (letter, text) in [("a", &pair.a), ("b", &pair.b)] {
        let name = text.name().map(|name| format!("{}, ", visible(name))).unwrap_or_default();
        writeln!(out, "# {letter}: {name}{} {}", grouped(text.len() as u64), text.unit().name())?;
    }
    let summary = alignment.summary();
    let rows = [
        ("distance", summary.distance()),
        ("columns", summary.columns),
        ("matches", summary.matches),
        ("mismatches", summary.mismatches),
        ("insertions", summary.insertions),
        ("deletions", summary.deletions),
        ("transpositions", summary.transpositions),
    ];
    if let Some(score) = score {
        writeln!(out, "# score: {score}")?;
    }
    let is_shown = |(name, count): &(&str, u64)| (*count > 0 || *name != "transpositions") && (score.is_none() || *name != "distance");
    rows.into_iter().filter(is_shown).try_for_each(|(name, count)| writeln!(out, "# {name}: {}", grouped(count)))?;
    match pair.a.unit() {
        Unit::Lines => writeln!(out, "# '-' a line of a only, '+' a line of b only, ' ' a line of both"),
        _ if !pair.symbol_match.is_equality() => {
            writeln!(out, "# '|' match by a common base, '.' no match, '-' nothing there; positions count from 1")
        }
        _ => writeln!(out, "# '|' equal, '.' different, '-' nothing there; positions count from 1"),
    }
}

/// Writes every line of both texts after its mark: `-` for a line of `a` only, `+` for a line of `b` only, a space for
/// a line of both. In each run of changed lines, the lines of `a` come first.
fn write_line_diff(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    writeln!(out)?;
    for column in columns(alignment) {
        if column.edit == EditKind::Equal {
            changed_lines(out, pair, (&mut removed, &mut added))?;
            column.a.into_iter().try_for_each(|at| writeln!(out, "  {}", line(&pair.a, at)))?;
        } else {
            removed.extend(column.a);
            added.extend(column.b);
        }
    }
    changed_lines(out, pair, (&mut removed, &mut added))
}

fn changed_lines(out: &mut dyn Write, pair: &Pair, (removed, added): (&mut Vec<usize>, &mut Vec<usize>)) -> fmt::Result {
    removed.drain(..).try_for_each(|at| writeln!(out, "- {}", line(&pair.a, at)))?;
    added.drain(..).try_for_each(|at| writeln!(out, "+ {}", line(&pair.b, at)))
}

/// Returns line `at` of a text (counted from 0) without its line end.
fn line(text: &Text, at: usize) -> String {
    visible(text.display_unit(at).trim_end_matches('\n').trim_end_matches('\r'))
}

/// One column of an alignment: its edit and the positions of its symbols in `a` and `b`; `None` for a gap.
struct AlignmentColumn {
    edit: EditKind,
    a: Option<usize>,
    b: Option<usize>,
}

fn columns(alignment: &Alignment) -> impl Iterator<Item = AlignmentColumn> + '_ {
    let edits = alignment.cigar_ops().iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
    edits.scan((alignment.a_start() as usize, alignment.b_start() as usize), |at, edit| {
        let (di, dj) = edit.consumed_symbols();
        let column = AlignmentColumn { edit, a: (di == 1).then_some(at.0), b: (dj == 1).then_some(at.1) };
        *at = (at.0 + di as usize, at.1 + dj as usize);
        Some(column)
    })
}

/// Returns the width of a text in a monospaced font, in character cells. Full-width letters take two.
fn cell_width(text: &str) -> usize {
    text.width()
}

/// Escapes the control characters of `text`, so that it stays on one line.
fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, char| {
        if char.is_control() {
            out.extend(char.escape_default())
        } else {
            out.push(char)
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use kernels::text::ReadingOptions;
    use oracle::serial;

    use super::*;

    fn written(a: &str, b: &str, unit: Unit) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        let mut out = String::new();
        blocks(&mut out, &pair, &serial::edit_distance::align(&pair).1, None).unwrap();
        out.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn long_texts_are_wrapped_into_blocks() {
        let (a, b) = ("ACGT".repeat(20), "ACGT".repeat(20) + "A\n");
        let out = written(&a, &b, Unit::Chars);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[1], format!("a  1 {} 60", "ACGT".repeat(15)));
        assert_eq!(lines[2], format!("     {}", "|".repeat(60)));
        assert_eq!(lines[5], format!("a 61 {}--- 80", "ACGT".repeat(5)));
        assert_eq!(lines[6], format!("     {}", "|".repeat(20)));
        assert_eq!(lines[7], format!("b 61 {}A\\n 82", "ACGT".repeat(5)));
    }

    #[test]
    fn words_are_separated_and_lines_are_listed_vertically() {
        assert_eq!(
            written("the cat sat", "the black dog sat", Unit::Words),
            "\na 1 the ----- cat sat 3\n    |||       ... |||\nb 1 the black dog sat 4\n"
        );
        assert_eq!(written("one\r\ntwo\nthree\n", "one\n2\nzwei\nthree", Unit::Lines), "\n  one\n- two\n+ 2\n+ zwei\n  three\n");
    }

    #[test]
    fn marks_are_aligned_with_wide_letters() {
        let out = written("ｆｕ全角", "全", Unit::Chars);
        assert_eq!(out, "\na 1 ｆｕ全角 4\n        ||\nb 1 ----全-- 1\n");
        assert_eq!(written("half全", "halfX", Unit::Chars), "\na 1 half全 5\n    ||||..\nb 1 halfX  5\n");
    }

    #[test]
    fn empty_texts_are_written() {
        assert_eq!(written("", "", Unit::Bytes), "");
        assert_eq!(written("", "ab", Unit::Bytes), "\na 0 -- 0\n\nb 1 ab 2\n");
    }
}
