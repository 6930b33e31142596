//! Prints the alignment of two texts in rows. A row has symbols of `a`, signs such as `+`, and symbols of `b`, one
//! below the other. If the texts are compared by lines, each line has a row of its own.
//!
//! Runs of equal columns that are longer than a row are folded (replaced by their number), so that each row shows a
//! difference.

use explain::window::AlignmentWindow;
use kernels::alignment::{Alignment, EditKind};
use kernels::humanize::grouped;
use kernels::text::Unit;

use super::{AnswerWriter, SolvedJob, equal_word, format_count, nouns, padded, shown_line};
use crate::command::terminal::{cell, cut, width};

/// Number of printed lines for one row of the alignment: both texts, the signs, and a blank line or the number of
/// folded columns.
const BLOCK_LINES: usize = 4;

/// Number of equal columns that are shown before a difference if the columns before them are folded.
const EQUAL_CONTEXT_COLUMNS: u64 = 10;

/// Number of equal lines that are shown before and after a difference.
const EQUAL_CONTEXT_LINES: u64 = 1;

/// Maximum number of columns (lines of the texts) that are read from the alignment at a time.
const MAX_LINES_PER_READ: u64 = 200;

/// Maximum width of one printed symbol, in columns of the terminal.
const MAX_CELL_WIDTH: usize = 24;

pub(super) fn write(page: &mut AnswerWriter, alignment: &Alignment, solved: &SolvedJob) -> anyhow::Result<()> {
    let shown = match solved.pair.a.unit() {
        Unit::Lines => lines(page, alignment, solved)?,
        Unit::Bytes | Unit::Chars | Unit::Graphemes | Unit::Words => blocks(page, alignment, solved)?,
    };
    let all = alignment.summary().differences;
    if shown < all {
        let left = format_count(all - shown, "more place differs", "more places differ");
        page.line(&page.dim(&format!("⋯ {left}. --all prints them; --cigar FILE saves the alignment.")))?;
    }
    Ok(())
}

/// Returns the line that stands for `columns` folded columns, such as "⋯ 12 equal bytes".
fn folded(page: &AnswerWriter, columns: u64, solved: &SolvedJob) -> String {
    let (one, many) = nouns(&solved.pair.a);
    page.dim(&format!("⋯ {} {} {}", grouped(columns), equal_word(solved.pair), if columns == 1 { one } else { many }))
}

/// One column of the alignment: its kind, the escaped symbols of `a` and `b`, and its width in columns of the terminal.
struct PrintedColumn {
    edit: EditKind,
    a: String,
    b: String,
    wide: usize,
}

impl PrintedColumn {
    fn sign(&self) -> char {
        match self.edit {
            EditKind::Equal => '|',
            EditKind::Substitute => '×',
            EditKind::Insert => '+',
            EditKind::Delete => '−',
            EditKind::Transpose => '⇄',
        }
    }
}

/// Returns the alignment columns of `window`. Each symbol is cut to a width of `room` columns of the terminal.
fn columns(window: &AlignmentWindow, room: usize) -> Vec<PrintedColumn> {
    let (mut a, mut b) = (window.a.iter(), window.b.iter());
    let edits = window.stretches.iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
    let shown = |unit: Option<&String>| unit.map_or_else(|| "–".to_owned(), |unit| cut(&cell(unit), room).into_owned());
    let column = |edit: EditKind| {
        let (takes_a, takes_b) = edit.consumed_symbols();
        let a = shown(if takes_a == 1 { a.next() } else { None });
        let b = shown(if takes_b == 1 { b.next() } else { None });
        let wide = width(&a).max(width(&b)).max(1);
        PrintedColumn { edit, a, b, wide }
    };
    edits.map(column).collect()
}

/// Prints the alignment in rows of columns, until the limit of lines. Returns the number of differences in the printed
/// rows.
fn blocks(page: &mut AnswerWriter, alignment: &Alignment, solved: &SolvedJob) -> anyhow::Result<u64> {
    let all = alignment.summary();
    let gap = usize::from(solved.pair.a.unit() == Unit::Words);
    let digits = grouped((solved.pair.a.len().max(solved.pair.b.len()) as u64).saturating_sub(1)).len();
    let gutter = 2 + digits + 2;
    let room = page.screen.width - gutter.min(page.screen.width / 2);
    let foldable = if gap == 0 { room as u64 } else { 2 * EQUAL_CONTEXT_COLUMNS };
    let (mut at, mut shown) = (0u64, 0u64);
    while at < all.columns {
        let inside = alignment.op_at_column(at).is_some_and(|placed| placed.cigar_op.edit != EditKind::Equal);
        let next = if inside { Some(at) } else { alignment.difference_from(at) };
        let from = match next {
            None => break,
            Some(next) if next - at > foldable => next - EQUAL_CONTEXT_COLUMNS,
            Some(_) => at,
        };
        // Two lines are reserved: for the number of further differences, and for the duration.
        if page.remaining_lines(2) < BLOCK_LINES {
            return Ok(shown);
        }
        page.line(&if from > at { folded(page, from - at, solved) } else { String::new() })?;
        let window = AlignmentWindow::new(alignment, solved.pair, from, (room as u64).min(all.columns - from));
        let mut row = columns(&window, room.min(MAX_CELL_WIDTH));
        let mut taken = 0;
        let fits = row.iter().take_while(|column| {
            taken += column.wide + gap;
            taken - gap <= room
        });
        let kept = fits.count().max(1);
        row.truncate(kept);
        write_row(page, &row, (window.a_start, window.b_start, digits, gap))?;
        at = from + kept as u64;
        shown = AlignmentWindow::new(alignment, solved.pair, at, 0).differences_before;
    }
    if at < all.columns && page.remaining_lines(2) > 0 {
        page.line(&folded(page, all.columns - at, solved))?;
    }
    Ok(shown)
}

/// Prints one row: symbols of `a`, signs, and symbols of `b`. `a_start` and `b_start` are the positions of its first
/// symbols, printed with `digits` digits. `gap` is the number of spaces between columns.
fn write_row(
    page: &mut AnswerWriter,
    row: &[PrintedColumn],
    (a_start, b_start, digits, gap): (u64, u64, usize, usize),
) -> anyhow::Result<()> {
    let separator = " ".repeat(gap);
    let text = |name: &str, start: u64, shown: &dyn Fn(&PrintedColumn) -> String| {
        let cells: Vec<String> = row.iter().map(shown).collect();
        format!("{} {:>digits$}  {}", page.bold(name), grouped(start), cells.join(&separator))
    };
    let upper = text("a", a_start, &|column| match column.edit {
        EditKind::Insert => padded(&column.a, column.wide),
        edit => page.edited(edit, &padded(&column.a, column.wide)),
    });
    let lower = text("b", b_start, &|column| match column.edit {
        EditKind::Delete => padded(&column.b, column.wide),
        edit => page.edited(edit, &padded(&column.b, column.wide)),
    });
    let signs: Vec<String> = row.iter().map(|column| padded(&column.sign().to_string(), column.wide)).collect();
    let signs = format!("{}{}", " ".repeat(2 + digits + 2), signs.join(&separator));
    page.line(&upper)?;
    page.line(signs.trim_end())?;
    page.line(&lower)
}

/// Prints an alignment of lines, with `−` before removed lines and `+` before added ones, until the limit of lines.
/// Returns the number of differences that were printed whole.
fn lines(page: &mut AnswerWriter, alignment: &Alignment, solved: &SolvedJob) -> anyhow::Result<u64> {
    let all = alignment.summary();
    let room = page.screen.width - 2;
    let (mut at, mut shown) = (0u64, 0u64);
    page.line("")?;
    while at < all.columns {
        let Some(placed) = alignment.op_at_column(at) else { break };
        if placed.cigar_op.edit == EditKind::Equal {
            let (end, is_first, is_last) = (placed.end(), placed.column == 0, placed.end() == all.columns);
            let (after, before) = (if is_first { 0 } else { EQUAL_CONTEXT_LINES }, if is_last { 0 } else { EQUAL_CONTEXT_LINES });
            let parts = if end - at <= after + before + 1 {
                vec![(at, end)]
            } else {
                vec![(at, at + after), (0, end - at - after - before), (end - before, end)]
            };
            let is_whole = parts.len() == 1;
            for (number, (from, to)) in parts.into_iter().enumerate() {
                if number == 1 && !is_whole {
                    if page.remaining_lines(2) == 0 {
                        return Ok(shown);
                    }
                    page.line(&format!("  {}", folded(page, to, solved)))?;
                    continue;
                }
                for line in AlignmentWindow::new(alignment, solved.pair, from, to - from).a {
                    if page.remaining_lines(2) == 0 {
                        return Ok(shown);
                    }
                    page.line(&format!("  {}", shown_line(&line, room)))?;
                }
            }
            at = end;
            continue;
        }
        // Prints all lines that the difference removes, and then all lines that it adds.
        let end = alignment
            .walk(placed)
            .take_while(|placed| placed.cigar_op.edit != EditKind::Equal)
            .last()
            .map_or(placed.end(), |last| last.end());
        for (sign, edit, is_a) in [('−', EditKind::Delete, true), ('+', EditKind::Insert, false)] {
            let mut from = at;
            while from < end {
                let window = AlignmentWindow::new(alignment, solved.pair, from, (end - from).min(MAX_LINES_PER_READ));
                from += window.len;
                for line in if is_a { &window.a } else { &window.b } {
                    if page.remaining_lines(2) == 0 {
                        return Ok(shown);
                    }
                    let line = page.edited(edit, &shown_line(line, room));
                    page.line(&format!("{sign} {line}"))?;
                }
            }
        }
        shown += 1;
        at = end;
    }
    Ok(shown)
}
