//! A comparison of two texts as one HTML file, written by [`write()`]: names, counts, the alignment in rows with
//! colours and signs, and a list of edits. The file has no scripts or external resources, can be printed, and follows
//! the reader's light or dark mode.
//!
//! The size of the file is bounded. Long runs of equal symbols are folded. The rows end after [`MAX_COLUMNS`] columns
//! and the list after [`MAX_EDITS`] edits, and both end earlier if symbols are long. The file says how much is left
//! out.

use std::fmt::{self, Write};

use kernels::alignment::{Alignment, EditKind};
use kernels::humanize::grouped;
use kernels::job::{EditCosts, Points};
use kernels::rates::ErrorRate;
use kernels::text::{Pair, Text, Unit};

use super::{AlignmentColumn, cell_width};
use crate::excerpt::truncate;
use crate::invisible::{visible_line, visible_text, visible_unit};

/// Maximum number of alignment columns that the rows show.
const MAX_COLUMNS: u64 = 20_000;
/// Maximum total size, in bytes, of the symbols shown in the rows. The same limit applies to the symbols in the list of
/// edits.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of edits in the list.
const MAX_EDITS: usize = 1_000;

/// Maximum number of bytes shown of one symbol.
const MAX_SYMBOL_BYTES: usize = 400;
/// Maximum number of symbols shown of one edit in the list.
const MAX_EDIT_SYMBOLS: u64 = 60;

/// Number of equal symbols shown before and after an edit if the rest of a run is folded.
const CONTEXT: u64 = 60;
/// Number of equal lines shown before and after an edit if the rest of a run is folded.
const LINES_OF_CONTEXT: u64 = 3;

/// Maximum width of a row, in character cells. A wider symbol has a row of its own.
const WIDTH: usize = 72;

const STYLE: &str = ":root{color-scheme:light dark;--p:#fff;--t:#15201c;--m:#5f6b66;--l:#d5dbd8;--x:#fce078;--i:#b0d2fa;--d:#f8aca4}\
@media(prefers-color-scheme:dark){:root{--p:#111815;--t:#e8eeeb;--m:#a3afa9;--l:#37423d;--x:#6b5500;--i:#164a80;--d:#7c2a22}}\
body{background:var(--p);color:var(--t);font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}p.s{font-size:1.6rem;margin:.5rem 0}.n,small{color:var(--m)}\
table{border-collapse:collapse}td,th{padding:.1rem .8rem .1rem 0;text-align:left;vertical-align:top}\
td.r{text-align:right;font-variant-numeric:tabular-nums;color:var(--m)}\
pre,td.c{font:14px/1.35 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;margin:0 0 1rem;overflow-x:auto}\
td.c{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}.f{color:var(--m);border-top:1px dashed var(--l);margin:.5rem 0}\
.x,.i,.d{color:inherit;-webkit-print-color-adjust:exact;print-color-adjust:exact}.x{background:var(--x)}.i{background:var(--i)}.d{background:var(--d)}\
@media print{body{margin:0;max-width:none}pre{break-inside:avoid}}";

/// Writes the report on an alignment of `pair`. An alignment of `sequence-alignment` has a `score`. `costs` are those of an
/// edit distance, whose error rate the report states; `None` for another task. For s runs of equal edits, takes O(s + size
/// of the report) time.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::report;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"kitten"[..], &b"s<tting"[..], &ReadingOptions::default()).unwrap();
/// let mut out = String::new();
/// report::write(&mut out, &pair, &"2X2=1X1=1I".parse().unwrap(), None, None).unwrap();
/// assert!(out.starts_with("<!doctype html>") && out.contains("&lt;") && !out.contains("s<t"));
/// ```
pub fn write(out: &mut dyn Write, pair: &Pair, alignment: &Alignment, score: Option<Points>, costs: Option<&EditCosts>) -> fmt::Result {
    let [a, b] = [(&pair.a, "a"), (&pair.b, "b")]
        .map(|(text, letter)| text.name().map_or(letter.to_owned(), |name| truncate(visible_text(name), MAX_SYMBOL_BYTES)));
    let summary = alignment.summary();
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
    )?;
    writeln!(out, "<title>{} and {} compared</title><style>{STYLE}</style></head><body>", HtmlEscaped(&a), HtmlEscaped(&b))?;
    writeln!(out, "<h1><bdi>{}</bdi> and <bdi>{}</bdi> compared</h1>", HtmlEscaped(&a), HtmlEscaped(&b))?;
    let is_part = |len: u64, text: &Text| len < text.len() as u64;
    let target = if is_part(summary.columns - summary.deletions, &pair.b) { "a part of b" } else { "b" };
    let source = if is_part(summary.columns - summary.insertions, &pair.a) { "A part of a" } else { "a" };
    match (score, summary.distance()) {
        (Some(score), _) => writeln!(out, "<p class=\"s\">{source} and {target} align with a score of <b>{score}</b>.</p>")?,
        (None, 0) if !pair.symbol_match.is_equality() => writeln!(out, "<p class=\"s\">All symbols of a and {target} match.</p>")?,
        (None, 0) => writeln!(out, "<p class=\"s\">No symbol of a and {target} differs.</p>")?,
        (None, 1) => writeln!(out, "<p class=\"s\"><b>1</b> edit turns a into {target}.</p>")?,
        (None, edits) => writeln!(out, "<p class=\"s\"><b>{}</b> edits turn a into {target}.</p>", grouped(edits))?,
    }
    writeln!(out, "<table>")?;
    for (letter, name, text) in [("a", &a, &pair.a), ("b", &b, &pair.b)] {
        let name = if name == letter { String::new() } else { format!(", <bdi>{}</bdi>", HtmlEscaped(name)) };
        writeln!(
            out,
            "<tr><th scope=\"row\">{letter}{name}</th><td class=\"r\">{} {}</td></tr>",
            grouped(text.len() as u64),
            text.unit().name()
        )?;
    }
    let counts = [
        (if pair.symbol_match.is_equality() { "equal" } else { "matching" }, "", summary.matches),
        ("× substituted", "x", summary.mismatches),
        ("+ inserted, only in b", "i", summary.insertions),
        ("− deleted, only in a", "d", summary.deletions),
        ("⇄ transposed", "x", summary.transpositions),
    ];
    for (name, class, count) in counts.into_iter().filter(|(name, _, count)| *count > 0 || !name.starts_with('⇄')) {
        writeln!(out, "<tr><th scope=\"row\"><span class=\"{class}\">{name}</span></th><td class=\"r\">{}</td></tr>", grouped(count))?;
    }
    if let Some((name, rate)) = costs.and_then(|costs| error_rate(pair, alignment, costs)) {
        let (whole, tenth) = rate.percent();
        writeln!(out, "<tr><th scope=\"row\">{name} with a as reference</th><td class=\"r\">{}.{tenth}%</td></tr>", grouped(whole))?;
    }
    writeln!(out, "</table>\n<h2>Alignment</h2>")?;
    ReportRowWriter { pair, is_lines: pair.a.unit() == Unit::Lines, row: ReportRow::default(), bytes: 0 }.write(out, alignment)?;
    edits(out, pair, alignment)?;
    writeln!(out, "<p class=\"n\">Positions count from 1. Made by Editscope {}.</p>\n</body></html>", env!("CARGO_PKG_VERSION"))
}

/// Returns the error rate of `b` with `a` as the reference, with its name. Returns `None` if it has none.
fn error_rate(pair: &Pair, alignment: &Alignment, costs: &EditCosts) -> Option<(&'static str, ErrorRate)> {
    let name = match pair.a.unit() {
        Unit::Words => "word error rate",
        Unit::Chars | Unit::Graphemes => "character error rate",
        Unit::Bytes | Unit::Lines => return None,
    };
    Some((name, ErrorRate::new(&alignment.summary(), pair.a.len() as u64, costs)?))
}

/// A text that is escaped for HTML when it is displayed, for use between tags or in an attribute.
struct HtmlEscaped<'t>(&'t str);

impl fmt::Display for HtmlEscaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            char => f.write_char(char),
        })
    }
}

fn class(edit: EditKind) -> &'static str {
    match edit {
        EditKind::Equal => "",
        EditKind::Substitute | EditKind::Transpose => "x",
        EditKind::Insert => "i",
        EditKind::Delete => "d",
    }
}

/// Returns the visible form of symbol `at` of a text, with replacements of its invisible characters.
fn shown(text: &Text, at: usize) -> String {
    let unit = text.display_unit(at);
    let unit = if text.unit() == Unit::Lines {
        visible_line(unit.trim_end_matches('\n'))
    } else {
        visible_unit(&unit).map_or_else(|| visible_text(&unit), Into::into)
    };
    truncate(unit, MAX_SYMBOL_BYTES)
}

/// The three lines of the row that is being built: symbols of `a`, marks, and symbols of `b`.
#[derive(Default)]
struct ReportRow {
    lines: [String; 3],
    width: usize,
    last: Option<EditKind>,
    /// Numbers of symbols before the row: of `a` and of `b`.
    from: (usize, usize),
    /// Numbers of symbols up to the end of the row: of `a` and of `b`.
    to: (usize, usize),
}

impl ReportRow {
    fn push(&mut self, edit: EditKind, cells: [String; 3], space: &str) {
        for (line, cell) in self.lines.iter_mut().zip(&cells) {
            if self.last != Some(edit) {
                if self.last.is_some_and(|last| last != EditKind::Equal) {
                    line.push_str("</span>");
                }
                line.push_str(space);
                if edit != EditKind::Equal {
                    // The class is a constant and needs no escaping.
                    line.push_str(&format!("<span class=\"{}\">", class(edit)));
                }
            } else {
                line.push_str(space);
            }
            line.push_str(&HtmlEscaped(cell).to_string());
        }
        self.last = Some(edit);
    }

    fn end(&mut self, out: &mut dyn Write, digits: usize) -> fmt::Result {
        if self.width > 0 {
            let close = if self.last.is_some_and(|last| last != EditKind::Equal) { "</span>" } else { "" };
            let first = |from: usize, to: usize| if to > from { from + 1 } else { from };
            let [a, marks, b] = &self.lines;
            writeln!(
                out,
                "<pre dir=\"ltr\"><small>a {:>digits$} </small>{a}{close}<small> {}</small>",
                first(self.from.0, self.to.0),
                self.to.0
            )?;
            writeln!(out, "<small>  {:digits$} </small>{marks}{close}", "")?;
            writeln!(out, "<small>b {:>digits$} </small>{b}{close}<small> {}</small></pre>", first(self.from.1, self.to.1), self.to.1)?;
        }
        *self = Self { from: self.to, to: self.to, ..Self::default() };
        Ok(())
    }
}

/// The writer of the rows of the alignment.
struct ReportRowWriter<'p> {
    pair: &'p Pair,
    is_lines: bool,
    row: ReportRow,
    bytes: usize,
}

impl ReportRowWriter<'_> {
    fn write(&mut self, out: &mut dyn Write, alignment: &Alignment) -> fmt::Result {
        let context = if self.is_lines { LINES_OF_CONTEXT } else { CONTEXT };
        let last = alignment.cigar_ops().len().saturating_sub(1);
        let (mut i, mut j, mut drawn, mut passed) = (alignment.a_start() as usize, alignment.b_start() as usize, 0u64, 0u64);
        (self.row.from, self.row.to) = ((i, j), (i, j));
        self.begin(out)?;
        for (number, stretch) in alignment.cigar_ops().iter().enumerate() {
            let (di, dj) = stretch.edit.consumed_symbols();
            let len = u64::from(stretch.len);
            let before = if number == 0 { 0 } else { context };
            let after = if number == last { 0 } else { context };
            let folded = if stretch.edit == EditKind::Equal && len > before + after + context { before..len - after } else { 0..0 };
            let mut at = 0;
            while at < len {
                if at == folded.start && !folded.is_empty() {
                    self.fold(out, folded.end - folded.start)?;
                    at = folded.end;
                    self.row.from = (i + (at * di) as usize, j + (at * dj) as usize);
                    self.row.to = self.row.from;
                    passed += folded.end - folded.start;
                    continue;
                }
                if drawn == MAX_COLUMNS || self.bytes > MAX_BYTES {
                    self.end(out)?;
                    let rest = grouped(alignment.summary().columns - passed);
                    return writeln!(out, "<p class=\"f\">The other {rest} columns are left out here.</p>");
                }
                let (a, b) = (i + (at * di) as usize, j + (at * dj) as usize);
                self.column(out, &AlignmentColumn { edit: stretch.edit, a: (di == 1).then_some(a), b: (dj == 1).then_some(b) })?;
                self.row.to = (a + di as usize, b + dj as usize);
                (at, drawn, passed) = (at + 1, drawn + 1, passed + 1);
            }
            (i, j) = (i + (di * len) as usize, j + (dj * len) as usize);
        }
        self.end(out)
    }

    fn digits(&self) -> usize {
        self.pair.a.len().max(self.pair.b.len()).to_string().len()
    }

    fn begin(&self, out: &mut dyn Write) -> fmt::Result {
        if self.is_lines { writeln!(out, "<table>") } else { Ok(()) }
    }

    fn end(&mut self, out: &mut dyn Write) -> fmt::Result {
        if self.is_lines { writeln!(out, "</table>") } else { self.row.end(out, self.digits()) }
    }

    fn fold(&mut self, out: &mut dyn Write, columns: u64) -> fmt::Result {
        let columns = grouped(columns);
        if self.is_lines {
            return writeln!(out, "<tr><td></td><td></td><td></td><td class=\"n\">… {columns} equal lines …</td></tr>");
        }
        self.row.end(out, self.digits())?;
        writeln!(out, "<p class=\"f\">… {columns} equal columns …</p>")
    }

    fn column(&mut self, out: &mut dyn Write, column: &AlignmentColumn) -> fmt::Result {
        let cell = |text: &Text, at: Option<usize>| at.map(|at| shown(text, at));
        let (a, b) = (cell(&self.pair.a, column.a), cell(&self.pair.b, column.b));
        self.bytes += a.as_ref().map_or(0, String::len) + b.as_ref().map_or(0, String::len);
        if self.is_lines {
            return self.line(out, column, [a, b]);
        }
        let width = [&a, &b].into_iter().flatten().map(|cell| cell_width(cell)).max().unwrap_or(1).max(1);
        let space = if self.pair.a.unit() == Unit::Words && self.row.width > 0 { " " } else { "" };
        if self.row.width > 0 && self.row.width + space.len() + width > WIDTH {
            self.row.end(out, self.digits())?;
        }
        let space = if self.row.width > 0 { space } else { "" };
        self.row.width += space.len() + width;
        let mark = match column.edit {
            EditKind::Equal => "|",
            EditKind::Substitute => "×",
            EditKind::Insert => "+",
            EditKind::Delete => "−",
            EditKind::Transpose => "⇄",
        };
        let padded = |cell: Option<String>| match cell {
            Some(cell) => format!("{cell}{}", " ".repeat(width - cell_width(&cell).min(width))),
            None => "-".repeat(width),
        };
        self.row.push(column.edit, [padded(a), mark.repeat(width), padded(b)], space);
        Ok(())
    }

    /// Writes a table row for `column`, a column of an alignment of lines: a line of `a` only, a line of `b` only, or
    /// an equal line of both. For two different lines, writes two table rows. `cells` has the text of each line.
    fn line(&self, out: &mut dyn Write, column: &AlignmentColumn, cells: [Option<String>; 2]) -> fmt::Result {
        let [a, b] = cells;
        let number = |at: Option<usize>| at.map(|at| grouped(at as u64 + 1)).unwrap_or_default();
        let mut row = |[i, j]: [Option<usize>; 2], class: &str, mark: &str, text: &str| {
            let (i, j) = (number(i), number(j));
            writeln!(
                out,
                "<tr class=\"{class}\"><td class=\"r\">{i}</td><td class=\"r\">{j}</td><td>{mark}</td><td class=\"c\" dir=\"auto\">{}</td></tr>",
                HtmlEscaped(text)
            )
        };
        match (column.edit, a, b) {
            (EditKind::Equal, Some(a), _) => row([column.a, column.b], "", "", &a),
            (_, a, b) => {
                a.map_or(Ok(()), |a| row([column.a, None], "d", "−", &a))?;
                b.map_or(Ok(()), |b| row([None, column.b], "i", "+", &b))
            }
        }
    }
}

/// Writes the list of edits, one row for each run of substitutions, insertions, deletions or transpositions.
fn edits(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let runs = alignment.cigar_ops().iter().filter(|stretch| stretch.edit != EditKind::Equal).count();
    if runs == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Edits</h2>\n<table>\n<tr><th scope=\"col\">a</th><th scope=\"col\">b</th><th scope=\"col\">edit</th><th scope=\"col\">symbols</th></tr>"
    )?;
    let (mut i, mut j, mut listed, mut bytes) = (alignment.a_start(), alignment.b_start(), 0, 0);
    for stretch in alignment.cigar_ops() {
        let ((di, dj), len) = (stretch.edit.consumed_symbols(), u64::from(stretch.len));
        let (a, b) = (i..i + di * len, j..j + dj * len);
        (i, j) = (a.end, b.end);
        if stretch.edit == EditKind::Equal {
            continue;
        }
        if listed == MAX_EDITS || bytes > MAX_BYTES {
            break;
        }
        let symbols = |text: &Text, range: &std::ops::Range<u64>| {
            let between = if matches!(text.unit(), Unit::Words | Unit::Lines) { " " } else { "" };
            let shown: Vec<String> =
                (range.start..range.end.min(range.start + MAX_EDIT_SYMBOLS)).map(|at| shown(text, at as usize)).collect();
            shown.join(between) + if range.end - range.start > MAX_EDIT_SYMBOLS { "…" } else { "" }
        };
        let (of_a, of_b) = (symbols(&pair.a, &a), symbols(&pair.b, &b));
        (listed, bytes) = (listed + 1, bytes + of_a.len() + of_b.len());
        let place = |range: &std::ops::Range<u64>| match range.end - range.start {
            0 => String::new(),
            1 => grouped(range.end),
            _ => format!("{}–{}", grouped(range.start + 1), grouped(range.end)),
        };
        let (of_a, of_b) = (format!("<bdi>{}</bdi>", HtmlEscaped(&of_a)), format!("<bdi>{}</bdi>", HtmlEscaped(&of_b)));
        let (name, symbols) = match stretch.edit {
            EditKind::Insert => ("+ insert", of_b),
            EditKind::Delete => ("− delete", of_a),
            EditKind::Transpose => ("⇄ transpose", format!("{of_a} by {of_b}")),
            EditKind::Substitute | EditKind::Equal => ("× substitute", format!("{of_a} by {of_b}")),
        };
        let class = class(stretch.edit);
        writeln!(
            out,
            "<tr><td class=\"r\">{}</td><td class=\"r\">{}</td><td><span class=\"{class}\">{name}</span></td><td class=\"c\">{symbols}</td></tr>",
            place(&a),
            place(&b)
        )?;
    }
    writeln!(out, "</table>")?;
    let rest = runs - listed;
    if rest > 0 { writeln!(out, "<p class=\"n\">{} more edits are not listed.</p>", grouped(rest as u64)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use kernels::text::ReadingOptions;
    use oracle::serial;

    use super::*;

    fn written(a: &str, b: &str, unit: Unit) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        let mut out = String::new();
        write(&mut out, &pair, &serial::edit_distance::align(&pair).1, None, Some(&EditCosts::LEVENSHTEIN)).unwrap();
        out
    }

    #[test]
    fn rows_have_signs_and_edits_are_listed() {
        let out = written("kitten", "sitting", Unit::Chars);
        assert!(out.contains("<b>3</b> edits turn a into b."), "{out}");
        assert!(
            out.contains("<span class=\"x\">k</span>itt<span class=\"x\">e</span>n<span class=\"i\">-</span><small> 6</small>"),
            "{out}"
        );
        assert!(out.contains("<span class=\"x\">×</span>|||<span class=\"x\">×</span>|<span class=\"i\">+</span>\n"), "{out}");
        assert!(out.contains("<td><span class=\"i\">+ insert</span></td><td class=\"c\"><bdi>g</bdi></td>"), "{out}");
        assert!(written("", "", Unit::Bytes).contains("No symbol of a and b differs."));
    }

    #[test]
    fn letters_of_ambiguity_codes_match_and_are_not_called_equal() {
        let pair = Pair::parse(&b"RN"[..], &b"GC"[..], &ReadingOptions { ambiguity: true, ..ReadingOptions::default() }).unwrap();
        let mut out = String::new();
        write(&mut out, &pair, &"2=".parse().unwrap(), None, None).unwrap();
        assert!(out.contains("All symbols of a and b match.") && out.contains("matching"), "{out}");
        let mut rows = String::new();
        super::super::blocks(&mut rows, &pair, &"2=".parse().unwrap(), None).unwrap();
        assert!(rows.contains("# '|' match by a common base, '.' no match"), "{rows}");
    }

    #[test]
    fn error_rate_has_the_name_of_the_unit() {
        let row = |name, rate| format!("<tr><th scope=\"row\">{name} with a as reference</th><td class=\"r\">{rate}</td></tr>");
        assert!(written("one two three", "one 2 three four", Unit::Words).contains(&row("word error rate", "66.6%")));
        assert!(written("kitten", "sitting", Unit::Chars).contains(&row("character error rate", "50.0%")));
        for (a, unit) in [("kitten", Unit::Bytes), ("", Unit::Chars)] {
            assert!(!written(a, "sitting", unit).contains("error rate"), "{unit:?}");
        }
    }

    #[test]
    fn texts_are_escaped_and_no_resource_is_loaded() {
        let evil = "<script>alert(1)</script>\"'&\u{202e}";
        for unit in [Unit::Chars, Unit::Words, Unit::Lines] {
            let out = written(evil, "<img src=x onerror=alert(1)>", unit);
            assert!(!out.contains("<script") && !out.contains("<img") && !out.contains('\u{202e}'), "{out}");
            assert!(!out.contains("http") && !out.contains("url("), "{out}");
        }
        let named = written(&format!(">{evil}\nACGT\n"), ">b\nACGT\n", Unit::Chars);
        assert!(named.contains("&lt;script&gt;") && !named.contains("<script"), "{named}");
    }

    #[test]
    fn lines_are_listed_vertically_and_equal_lines_are_folded() {
        let same: String = (0..40).map(|line| format!("same {line}\n")).collect();
        let out = written(&format!("{same}old\n{same}"), &format!("{same}new\n{same}"), Unit::Lines);
        assert_eq!(out.matches("… 37 equal lines …").count(), 2, "{out}");
        let removed = out.find("<td>−</td><td class=\"c\" dir=\"auto\">old</td>").unwrap();
        assert!(removed < out.find("<td>+</td><td class=\"c\" dir=\"auto\">new</td>").unwrap());
    }

    #[test]
    fn size_of_a_report_is_bounded() {
        let (a, b) = ("ab".repeat(60_000), "cd".repeat(60_000));
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let mut out = String::new();
        write(&mut out, &pair, &"1X1D1I".repeat(59_999).parse::<Alignment>().unwrap(), None, None).unwrap();
        assert!(out.len() < 4 << 20, "{}", out.len());
        assert!(out.contains("columns are left out here") && out.contains("more edits are not listed"));
    }
}
