//! An alignment of lines as a unified diff ([`write_unified_diff`]), with which `patch` converts `a` to `b` byte for byte.
//!
//! Two lines may compare as equal although they differ in their line ends, or in text that the options ignore. The diff
//! removes the line of `a` and adds the line of `b` in this case too. This includes the last line if only one text ends
//! with a line feed.

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::Alignment;
use kernels::text::{Pair, Text};

/// Number of equal lines shown before and after a change.
const CONTEXT: usize = 3;

/// A change of the diff: a half-open range of lines of `a` that is replaced by a half-open range of lines of `b`.
struct LineChange {
    a: Range<usize>,
    b: Range<usize>,
}

/// The lines of both original files, divided at line feeds only, each with its line feed.
struct FileLines<'t> {
    a: Vec<&'t [u8]>,
    b: Vec<&'t [u8]>,
}

/// Writes the lines that differ as hunks of a unified diff, with three equal lines around each change. Writes nothing
/// if the texts are identical byte for byte. Takes O(bytes) time and O(lines) memory.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::diff::write_unified_diff;
/// use kernels::text::{Pair, ReadingOptions, Unit};
///
/// let reading = ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() };
/// let pair = Pair::parse(&b"one\ntwo\n"[..], &b"one\n2\n"[..], &reading).unwrap();
/// let mut out = String::new();
/// write_unified_diff(&mut out, &pair, &"1=1X".parse().unwrap()).unwrap();
/// assert_eq!(out, "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// ```
pub fn write_unified_diff(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let lines = FileLines { a: lines(&pair.a), b: lines(&pair.b) };
    let changes = changes(pair, alignment, &lines);
    if !changes.is_empty() {
        out.write_str("--- a\n+++ b\n")?;
    }
    changes.chunk_by(|one, next| next.a.start - one.a.end <= 2 * CONTEXT).try_for_each(|near| hunk(out, &lines, near))
}

/// Returns the lines of a file, each with its line feed. Line feeds are the only line ends that `patch` knows.
fn lines(text: &Text) -> Vec<&[u8]> {
    text.bytes().split_inclusive(|byte| *byte == b'\n').collect()
}

/// A map from compared lines (symbols of the text) to file lines (divided at line feeds only). The two divisions of a
/// file differ if a carriage return alone also ends compared lines.
struct LineStarts {
    /// For each compared line (a symbol of the text), the number of the file line that begins at the same byte, or
    /// `None` if no file line does. The whole list is `None` if compared lines and file lines are the same.
    starts: Option<Vec<Option<usize>>>,
    /// Number of compared lines.
    len: usize,
    /// Number of file lines.
    lines: usize,
}

impl LineStarts {
    fn of(text: &Text, lines: &[&[u8]]) -> Self {
        let starts = (text.len() != lines.len()).then(|| {
            let mut firsts = lines.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).enumerate().peekable();
            let start = |at: usize| {
                let byte = text.range(at).start;
                // A byte order mark belongs to the first line.
                if at == 0 {
                    firsts.next();
                    return Some(0);
                }
                while firsts.next_if(|(_, first)| *first < byte).is_some() {}
                firsts.next_if(|(_, first)| *first == byte).map(|(line, _)| line)
            };
            (0..text.len()).map(start).collect()
        });
        Self { starts, len: text.len(), lines: lines.len() }
    }

    /// Returns the number of the file line that begins together with compared line `at`, or `None` if no file line
    /// begins there. If `at` is the number of compared lines, returns the number of file lines.
    fn line(&self, at: usize) -> Option<usize> {
        match &self.starts {
            _ if at == self.len => Some(self.lines),
            None => Some(at),
            Some(starts) => starts.get(at).copied().flatten(),
        }
    }
}

/// Returns the runs of file lines that differ between the two files, ascending. `lines` are the file lines of both
/// texts of `pair`.
fn changes(pair: &Pair, alignment: &Alignment, lines: &FileLines) -> Vec<LineChange> {
    let mut changes: Vec<LineChange> = Vec::new();
    let mut change = |from: (usize, usize), to: (usize, usize)| match changes.last_mut().filter(|last| (last.a.end, last.b.end) == from) {
        Some(last) => (last.a.end, last.b.end) = to,
        None => changes.push(LineChange { a: from.0..to.0, b: from.1..to.1 }),
    };
    let starts = [LineStarts::of(&pair.a, &lines.a), LineStarts::of(&pair.b, &lines.b)];
    let (mut i, mut j) = (0, 0);
    // Numbers of the file lines of `a` and `b` up to which the files are compared.
    let mut last = (0, 0);
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        for _ in 0..stretch.len {
            (i, j) = (i + di as usize, j + dj as usize);
            let Some(at) = starts[0].line(i).zip(starts[1].line(j)) else { continue };
            if lines.a[last.0..at.0] != lines.b[last.1..at.1] {
                change(last, at);
            }
            last = at;
        }
    }
    // A file may consist of a byte order mark alone, without a compared line.
    let ends = (lines.a.len(), lines.b.len());
    if last != ends && lines.a[last.0..] != lines.b[last.1..] {
        change(last, ends);
    }
    changes
}

/// Writes one hunk. `near` are its changes, which are so close that their context lines overlap or touch. `lines` are
/// the file lines of both texts.
fn hunk(out: &mut dyn Write, lines: &FileLines, near: &[LineChange]) -> fmt::Result {
    let (Some(first), Some(last)) = (near.first(), near.last()) else { return Ok(()) };
    let before = first.a.start.min(CONTEXT);
    let after = (lines.a.len() - last.a.end).min(CONTEXT);
    let side = |start: usize, end: usize| {
        let lines = end + after - (start - before);
        // If one side of a hunk has no lines, its start is the line before them.
        format!("{},{lines}", start - before + usize::from(lines > 0))
    };
    writeln!(out, "@@ -{} +{} @@", side(first.a.start, last.a.end), side(first.b.start, last.b.end))?;
    let mut at = first.a.start - before;
    for change in near {
        write_lines(out, ' ', &lines.a[at..change.a.start])?;
        write_lines(out, '-', &lines.a[change.a.clone()])?;
        write_lines(out, '+', &lines.b[change.b.clone()])?;
        at = change.a.end;
    }
    write_lines(out, ' ', &lines.a[at..at + after])
}

fn write_lines(out: &mut dyn Write, mark: char, lines: &[&[u8]]) -> fmt::Result {
    lines.iter().try_for_each(|line| {
        // Texts of lines are always UTF-8.
        let line = String::from_utf8_lossy(line);
        match line.strip_suffix('\n') {
            Some(line) => writeln!(out, "{mark}{line}"),
            None => writeln!(out, "{mark}{line}\n\\ No newline at end of file"),
        }
    })
}

#[cfg(test)]
mod tests {
    use kernels::text::{ReadingOptions, Unit};
    use oracle::serial;

    use super::*;

    fn written(a: &str, b: &str) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit: Unit::Lines, ..ReadingOptions::default() }).unwrap();
        let mut out = String::new();
        write_unified_diff(&mut out, &pair, &serial::edit_distance::align(&pair).1).unwrap();
        out
    }

    fn numbered(changed: &[usize]) -> String {
        (1..=20).map(|line| if changed.contains(&line) { format!("new {line}\n") } else { format!("{line}\n") }).collect()
    }

    #[test]
    fn nearby_changes_share_a_hunk() {
        let heads = |changed: &[usize]| -> Vec<String> {
            written(&numbered(&[]), &numbered(changed)).lines().filter(|line| line.starts_with("@@")).map(str::to_owned).collect()
        };
        assert_eq!(heads(&[5, 12]), ["@@ -2,14 +2,14 @@"]);
        assert_eq!(heads(&[5, 13]), ["@@ -2,7 +2,7 @@", "@@ -10,7 +10,7 @@"]);
        assert_eq!(heads(&[1, 20]), ["@@ -1,4 +1,4 @@", "@@ -17,4 +17,4 @@"]);
    }

    #[test]
    fn empty_sides_have_valid_hunks() {
        assert_eq!(written("", "one\ntwo"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n");
        assert_eq!(written("one\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-one\n");
        assert_eq!((written("", ""), written("one\r\ntwo", "one\r\ntwo")), (String::new(), String::new()));
    }

    #[test]
    fn lines_with_different_line_ends_are_changed() {
        let head = "--- a\n+++ b\n";
        assert_eq!(written("one\r\ntwo\n", "one\ntwo\n"), format!("{head}@@ -1,2 +1,2 @@\n-one\r\n+one\n two\n"));
        let no_end = "\\ No newline at end of file\n";
        assert_eq!(written("x\ny\n", "x\nz\ny"), format!("{head}@@ -1,2 +1,3 @@\n x\n-y\n+z\n+y\n{no_end}"));
        assert_eq!(written("\u{feff}", ""), format!("{head}@@ -1,1 +0,0 @@\n-\u{feff}\n{no_end}"));
        assert_eq!(written("\u{feff}x\n", "x\n"), format!("{head}@@ -1,1 +1,1 @@\n-\u{feff}x\n+x\n"));
    }
}
