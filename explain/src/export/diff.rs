//! An alignment of lines as a unified diff, which `patch` takes.

use std::fmt::{self, Write};
use std::ops::Range;

use kernels::alignment::{Alignment, Edit};
use kernels::text::{Pair, Text};

/// Equal lines shown before and after a change.
const CONTEXT: usize = 3;

/// Lines of `a` that give way to lines of `b`.
struct Change {
    a: Range<usize>,
    b: Range<usize>,
}

/// Writes the lines that differ, each with three equal ones around it; nothing for texts without a difference. Lines stand as they are,
/// equal ones as in `a`. Time and memory O(stretches) beside the lines written.
///
/// # Errors
/// When `out` takes no more.
///
/// ```
/// use explain::export::diff::unified;
/// use kernels::text::{Pair, Reading, Unit};
///
/// let reading = Reading { unit: Unit::Lines, ..Reading::default() };
/// let pair = Pair::parse(&b"one\ntwo\n"[..], &b"one\n2\n"[..], &reading).unwrap();
/// let mut out = String::new();
/// unified(&mut out, &pair, &"1=1X".parse().unwrap()).unwrap();
/// assert_eq!(out, "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// ```
pub fn unified(out: &mut dyn Write, pair: &Pair, alignment: &Alignment) -> fmt::Result {
    let changes = changes(alignment);
    if !changes.is_empty() {
        out.write_str("--- a\n+++ b\n")?;
    }
    changes.chunk_by(|one, next| next.a.start - one.a.end <= 2 * CONTEXT).try_for_each(|near| hunk(out, pair, near))
}

/// Runs of columns that are not equal.
fn changes(alignment: &Alignment) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for stretch in alignment.stretches() {
        let (di, dj) = stretch.edit.takes();
        let to = (i + di as usize * stretch.len as usize, j + dj as usize * stretch.len as usize);
        if stretch.edit != Edit::Equal {
            match changes.last_mut().filter(|last| (last.a.end, last.b.end) == (i, j)) {
                Some(last) => (last.a.end, last.b.end) = to,
                None => changes.push(Change { a: i..to.0, b: j..to.1 }),
            }
        }
        (i, j) = to;
    }
    changes
}

/// Changes that share their equal lines.
fn hunk(out: &mut dyn Write, pair: &Pair, near: &[Change]) -> fmt::Result {
    let (Some(first), Some(last)) = (near.first(), near.last()) else { return Ok(()) };
    let before = first.a.start.min(CONTEXT);
    let after = (pair.a.len() - last.a.end).min(CONTEXT);
    let side = |start: usize, end: usize| {
        let lines = end + after - (start - before);
        // A side without lines stands after the line of this number.
        format!("{},{lines}", start - before + usize::from(lines > 0))
    };
    writeln!(out, "@@ -{} +{} @@", side(first.a.start, last.a.end), side(first.b.start, last.b.end))?;
    let mut at = first.a.start - before;
    for change in near {
        lines(out, ' ', &pair.a, at..change.a.start)?;
        lines(out, '-', &pair.a, change.a.clone())?;
        lines(out, '+', &pair.b, change.b.clone())?;
        at = change.a.end;
    }
    lines(out, ' ', &pair.a, at..at + after)
}

fn lines(out: &mut dyn Write, mark: char, text: &Text, range: Range<usize>) -> fmt::Result {
    for at in range {
        let line = text.show(at);
        match line.strip_suffix('\n') {
            Some(line) => writeln!(out, "{mark}{line}")?,
            None => writeln!(out, "{mark}{line}\n\\ No newline at end of file")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kernels::text::{Reading, Unit};
    use oracle::serial;

    use super::*;

    fn written(a: &str, b: &str) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading { unit: Unit::Lines, ..Reading::default() }).unwrap();
        let mut out = String::new();
        unified(&mut out, &pair, &serial::edit_distance::align(&pair).1).unwrap();
        out
    }

    fn numbered(changed: &[usize]) -> String {
        (1..=20).map(|line| if changed.contains(&line) { format!("new {line}\n") } else { format!("{line}\n") }).collect()
    }

    #[test]
    fn changes_share_a_hunk_while_their_lines_meet() {
        let heads = |changed: &[usize]| -> Vec<String> {
            written(&numbered(&[]), &numbered(changed)).lines().filter(|line| line.starts_with("@@")).map(str::to_owned).collect()
        };
        assert_eq!(heads(&[5, 12]), ["@@ -2,14 +2,14 @@"]);
        assert_eq!(heads(&[5, 13]), ["@@ -2,7 +2,7 @@", "@@ -10,7 +10,7 @@"]);
        assert_eq!(heads(&[1, 20]), ["@@ -1,4 +1,4 @@", "@@ -17,4 +17,4 @@"]);
    }

    #[test]
    fn nothing_and_everything() {
        assert_eq!(written("one\r\ntwo\n", "one\ntwo"), "", "how a line ends does not count");
        assert_eq!(written("", "one\ntwo"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n");
        assert_eq!(written("one\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-one\n");
        assert_eq!(written("", ""), "");
    }
}
