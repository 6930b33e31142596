//! Both lines of a side-by-side row merged into one, with deleted text before inserted text ([`line_of_both`]). Also
//! formats rows as a unified diff to copy ([`as_text`]).
//!
//! The lines are merged character by character, because a row only gives the edit of each piece. Characters that differ
//! only in case are regarded as equal, and so are runs of white space of any length.

use explain::side_by_side::{MarkedLine, RowPair};
use kernels::alignment::{EditKind, PairSide};

/// A piece of a merged line: text of one line, or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnifiedPiece {
    /// The only side that has the piece, or `None` if both have it.
    pub side: Option<PairSide>,
    pub text: String,
}

/// A line of a text as pieces, each with its edit and its characters.
type EditedLine = [(EditKind, String)];

/// Merges both lines of a row. Returns `None` if the row has only one line, or if the lines cannot be merged (see
/// [`merged`]).
pub fn line_of_both(row: &RowPair) -> Option<Vec<UnifiedPiece>> {
    merged(&row.a.as_ref()?.pieces, &row.b.as_ref()?.pieces)
}

/// Merges the lines `a` and `b`. Takes O(|a| + |b|) time.
///
/// Returns `None` if the lines have no word in common. Also returns `None` if words of one line are equal to words in
/// another row of the other text, because the merged line would misrepresent them.
fn merged(a: &EditedLine, b: &EditedLine) -> Option<Vec<UnifiedPiece>> {
    let (mut a, mut b) = (RemainingPieces::new(a), RemainingPieces::new(b));
    let mut pieces = Vec::new();
    loop {
        while let Some(text) = a.take_edited() {
            pieces.push(UnifiedPiece { side: Some(PairSide::A), text: text.to_owned() });
        }
        while let Some(text) = b.take_edited() {
            pieces.push(UnifiedPiece { side: Some(PairSide::B), text: text.to_owned() });
        }
        let (x, y) = (a.equal(), b.equal());
        if x.is_empty() && y.is_empty() {
            break;
        }
        let (p, q) = in_common(x, y);
        if (p, q) == (0, 0) {
            return None;
        }
        push_equal(&mut pieces, if p > 0 { &x[..p] } else { &y[..q] });
        a.pass(p);
        b.pass(q);
    }
    let is_edited = pieces.iter().any(|piece| piece.side.is_some());
    let is_shared = pieces.iter().any(|piece| piece.side.is_none() && !piece.text.trim().is_empty());
    (is_shared || !is_edited).then(|| with_edits_together(&pieces))
}

/// Joins all deletions between two equal words into one piece, and all insertions between them into a second piece
/// after it.
fn with_edits_together(pieces: &[UnifiedPiece]) -> Vec<UnifiedPiece> {
    let is_edited = |at: usize| pieces.get(at).is_some_and(|piece: &UnifiedPiece| piece.side.is_some());
    let is_between = |at: usize| is_edited(at + 1) && pieces[at].text.trim().is_empty();
    let mut together = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while at < pieces.len() {
        let edits = (at..pieces.len()).take_while(|at| is_edited(*at) || (*at > 0 && is_edited(*at - 1) && is_between(*at))).count();
        if edits == 0 {
            together.push(pieces[at].clone());
            at += 1;
            continue;
        }
        for side in [PairSide::A, PairSide::B] {
            let (mut text, mut blank) = (String::new(), "");
            for piece in &pieces[at..at + edits] {
                if piece.side.is_none() {
                    blank = &piece.text;
                } else if piece.side == Some(side) {
                    text += if text.is_empty() { "" } else { blank };
                    text += &piece.text;
                    blank = "";
                }
            }
            if !text.is_empty() {
                together.push(UnifiedPiece { side: Some(side), text });
            }
        }
        at += edits;
    }
    together
}

fn push_equal(pieces: &mut Vec<UnifiedPiece>, text: &str) {
    match pieces.last_mut().filter(|last| last.side.is_none()) {
        Some(last) => last.text.push_str(text),
        None => pieces.push(UnifiedPiece { side: None, text: text.to_owned() }),
    }
}

/// The rest of a line that is being merged: the pieces, or parts of pieces, that were not consumed yet.
struct RemainingPieces<'a> {
    pieces: &'a EditedLine,
    /// Number of bytes of the first remaining piece that were already consumed.
    taken: usize,
}

impl<'a> RemainingPieces<'a> {
    fn new(pieces: &'a EditedLine) -> Self {
        Self { pieces, taken: 0 }
    }

    /// Consumes and returns the next piece if it is an edit. Returns `None` if it is equal in both texts, or if no
    /// piece is left.
    fn take_edited(&mut self) -> Option<&'a str> {
        let ((edit, text), rest) = self.pieces.split_first()?;
        (*edit != EditKind::Equal).then(|| {
            self.pieces = rest;
            text.as_str()
        })
    }

    /// Returns the rest of the next piece if it is equal in both texts, else an empty string. Consumes nothing.
    fn equal(&self) -> &'a str {
        match self.pieces.first() {
            Some((EditKind::Equal, text)) => &text[self.taken..],
            _ => "",
        }
    }

    /// Consumes `bytes` bytes of the next piece, which must be equal in both texts.
    fn pass(&mut self, bytes: usize) {
        self.taken += bytes;
        if self.equal().is_empty() && matches!(self.pieces.first(), Some((EditKind::Equal, _))) {
            self.pieces = &self.pieces[1..];
            self.taken = 0;
        }
    }
}

/// Returns the length of the common beginning of `x` and `y`, in bytes of `x` and in bytes of `y`. Case and the length
/// of white space are ignored.
///
/// If only one of the texts begins with white space, returns the length of this white space for that text, and 0 for
/// the other text.
fn in_common(x: &str, y: &str) -> (usize, usize) {
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let (mut p, mut q) = (0, 0);
    while let (Some(c), Some(d)) = (x[p..].chars().next(), y[q..].chars().next()) {
        if c.is_whitespace() && d.is_whitespace() {
            (p, q) = (p + blanks(&x[p..]), q + blanks(&y[q..]));
        } else if c == d || c.to_lowercase().eq(d.to_lowercase()) {
            (p, q) = (p + c.len_utf8(), q + d.len_utf8());
        } else {
            break;
        }
    }
    match (p, q) {
        (0, 0) if blanks(x) > 0 => (blanks(x), 0),
        (0, 0) => (0, blanks(y)),
        both => both,
    }
}

/// Formats rows as a unified diff: an equal line once, after a space; a changed one as the line of `a` after `-`, then
/// the line of `b` after `+`.
pub fn as_text(rows: &[RowPair]) -> String {
    let mut out = String::new();
    let mut line = |sign: char, marked: &Option<MarkedLine>| {
        if let Some(marked) = marked {
            out.push(sign);
            out.extend(marked.pieces.iter().map(|piece| piece.1.as_str()));
            out.push('\n');
        }
    };
    for row in rows {
        let is_equal = !row.changed && line_of_both(row).is_some();
        line(if is_equal { ' ' } else { '-' }, &row.a);
        if !is_equal {
            line('+', &row.b);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use kernels::alignment::EditKind::{Delete, Equal, Insert, Substitute};

    use super::*;

    fn pieces(pieces: &[(EditKind, &str)]) -> Vec<(EditKind, String)> {
        pieces.iter().map(|(edit, text)| (*edit, (*text).to_owned())).collect()
    }

    /// Formats a merged line for tests: deleted pieces as `[-…]`, inserted ones as `[+…]`.
    fn drawn(a: &[(EditKind, &str)], b: &[(EditKind, &str)]) -> Option<String> {
        let piece = |piece: UnifiedPiece| match piece.side {
            None => piece.text,
            Some(PairSide::A) => format!("[-{}]", piece.text),
            Some(PairSide::B) => format!("[+{}]", piece.text),
        };
        Some(merged(&pieces(a), &pieces(b))?.into_iter().map(piece).collect())
    }

    #[test]
    fn merged_line_has_insertions_after_deletions() {
        let a = [(Equal, "A host of "), (Substitute, "dancing Daffodils"), (Equal, ";")];
        let b = [(Equal, "A host"), (Insert, ","), (Equal, " of "), (Substitute, "golden daffodils"), (Equal, ";")];
        assert_eq!(drawn(&a, &b).as_deref(), Some("A host[+,] of [-dancing Daffodils][+golden daffodils];"));
        assert_eq!(drawn(&[(Equal, "same")], &[(Equal, "same")]).as_deref(), Some("same"));
        assert_eq!(drawn(&[], &[]).as_deref(), Some(""), "two empty lines");
    }

    #[test]
    fn merged_line_keeps_the_blanks_of_both_sides() {
        let gone = [(Equal, "x "), (Delete, "d"), (Equal, " y")];
        assert_eq!(drawn(&gone, &[(Equal, "x y")]).as_deref(), Some("x [-d] y"));
        assert_eq!(
            drawn(&[(Equal, "x y")], &gone.map(|(edit, text)| (if edit == Equal { edit } else { Insert }, text))).as_deref(),
            Some("x [+d] y")
        );
        assert_eq!(drawn(&[(Equal, "x  y")], &[(Equal, "x y")]).as_deref(), Some("x  y"));
        assert_eq!(drawn(&[(Equal, "x"), (Delete, "  ")], &[(Equal, "x")]).as_deref(), Some("x[-  ]"));
    }

    #[test]
    fn edits_between_two_equal_words_are_grouped() {
        let a = [(Equal, "some "), (Delete, "variability:"), (Equal, " "), (Substitute, "indeed"), (Equal, " I am")];
        let b = [(Equal, "some "), (Substitute, "variabilityindeed"), (Equal, " I am")];
        assert_eq!(drawn(&a, &b).as_deref(), Some("some [-variability: indeed][+variabilityindeed] I am"));
        let b = [(Insert, "And a"), (Equal, " "), (Substitute, "new line"), (Equal, ".")];
        assert_eq!(drawn(&[(Substitute, "The end"), (Equal, ".")], &b).as_deref(), Some("[-The end][+And a new line]."));
        // A row may have an edit without letters.
        assert_eq!(drawn(&[(Equal, "x"), (Delete, "")], &[(Equal, "x")]).as_deref(), Some("x"));
    }

    #[test]
    fn letters_that_differ_in_case_are_merged_as_in_the_first_text() {
        let b = [(Equal, "ÄRGER and "), (Substitute, "you")];
        assert_eq!(drawn(&[(Equal, "Ärger and "), (Substitute, "me")], &b).as_deref(), Some("Ärger and [-me][+you]"));
    }

    #[test]
    fn lines_without_correspondence_are_not_merged() {
        // The last word of the first line begins the next line of the other text.
        assert_eq!(drawn(&[(Equal, "one two three")], &[(Equal, "one two")]), None);
        assert_eq!(drawn(&[(Substitute, "alpha beta")], &[(Substitute, "gamma delta")]), None);
        assert_eq!(drawn(&[(Substitute, "alpha"), (Equal, " "), (Delete, "b")], &[(Substitute, "gamma"), (Equal, " ")]), None);
        assert_eq!(drawn(&[(Equal, "café "), (Delete, "x")], &[(Equal, "cafe ")]), None);
    }

    #[test]
    fn merged_line_contains_both_of_its_lines() {
        let text = |len: usize, seed: usize| -> Vec<(EditKind, String)> {
            (0..len)
                .map(|at| ((seed >> at) & 1, (seed >> (2 * at)) & 3))
                .map(|(edited, word)| (if edited == 1 { Delete } else { Equal }, ["one", " ", "two ", " zwei"][word].to_owned()))
                .collect()
        };
        let squeezed = |text: String| text.split_whitespace().collect::<String>();
        for seed in 0..4_000 {
            let (a, b) = (text(seed % 5, seed), text(seed % 4, seed / 3));
            let Some(pieces) = merged(&a, &b) else { continue };
            for (line, other) in [(&a, PairSide::B), (&b, PairSide::A)] {
                let of_side = pieces.iter().filter(|piece| piece.side != Some(other)).map(|piece| piece.text.as_str());
                assert_eq!(squeezed(of_side.collect()), squeezed(line.iter().map(|piece| piece.1.as_str()).collect()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn rows_are_copied_with_their_signs() {
        let marked = |line: u64, text: &[(EditKind, &str)]| Some(MarkedLine { line, continues: false, pieces: pieces(text) });
        let rows = [
            RowPair { a: marked(0, &[(Equal, "same")]), b: marked(0, &[(Equal, "same")]), changed: false, coarse: false },
            RowPair {
                a: marked(1, &[(Equal, "port = "), (Substitute, "80")]),
                b: marked(1, &[(Equal, "port = "), (Substitute, "8080")]),
                changed: true,
                coarse: false,
            },
            RowPair { a: None, b: marked(2, &[(Insert, "more")]), changed: true, coarse: false },
            RowPair { a: marked(2, &[]), b: None, changed: true, coarse: false },
            // The line is broken earlier in the other text.
            RowPair { a: marked(3, &[(Equal, "one two")]), b: marked(3, &[(Equal, "one")]), changed: false, coarse: false },
        ];
        assert_eq!(as_text(&rows), " same\n-port = 80\n+port = 8080\n+more\n-\n-one two\n+one\n");
    }
}
