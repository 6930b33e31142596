//! Lines divided into pieces, each marked with its edit, by [`pieces_of_words`] and [`pieces_of_lines`].

use std::borrow::Cow;
use std::ops::Range;

use kernels::alignment::{Alignment, EditKind, PairSide};
use kernels::engine::{Cpu, Engine};
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, ReadingOptions, Text, Unit};

use super::sentences::later_sentences;
use super::shortening::{LinePieces, LineSpans, boundary_after, boundary_before, shortened};
use super::{RowLines, SentenceSpan};

/// Maximum number of matrix cells to align the words of two lines. The common beginning and the common end of the lines
/// take no cells.
const MAX_CELLS: u64 = 4_000_000;

/// Maximum number of bytes of two lines together whose words are compared.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Minimum share of words that two lines must have in common. With a smaller share, the lines are unrelated, and each
/// is marked as a whole.
const MIN_COMMON_SHARE: f64 = 0.25;

/// The pieces of both lines of a row, each with its edit.
pub(super) struct PairedPieces {
    pub(super) a: LinePieces,
    pub(super) b: LinePieces,
    /// Whether some edits are not marked, because the lines are too long or have too many edits.
    pub(super) is_coarse: bool,
}

/// Returns the sentences of `text`, whose symbols are words. The end of a line belongs to the last sentence of the
/// line. Text after the last line end is a line if it is not empty.
pub(super) fn lines(text: &Text) -> Vec<SentenceSpan> {
    let mut lines = Vec::new();
    let (mut word, mut byte) = (0, 0);
    for (number, line) in (0u32..).zip(text.bytes().split_inclusive(|byte| *byte == b'\n')) {
        let later = std::str::from_utf8(line).map(later_sentences).unwrap_or_default();
        for start in std::iter::once(0).chain(later).map(|start| byte + start) {
            while word < text.len() && text.range(word).start < start {
                word += 1;
            }
            lines.push(SentenceSpan { byte: start as u32, word: word as u32, number });
        }
        byte += line.len();
    }
    lines
}

/// Returns, for each of the `lines` (or sentences) of one text, whether it contains a word that is not equal in the
/// alignment. The text is the first one if `first` is set, otherwise the second.
pub(super) fn has_edits(alignment: &Alignment, lines: &[SentenceSpan], first: bool) -> Vec<bool> {
    let mut edited = vec![false; lines.len()];
    let mut at = 0u64;
    for stretch in alignment.cigar_ops() {
        let (di, dj) = stretch.edit.consumed_symbols();
        let takes = if first { di } else { dj } * u64::from(stretch.len);
        if stretch.edit != EditKind::Equal && takes > 0 {
            let line = |word: u64| lines.partition_point(|line| u64::from(line.word) <= word).saturating_sub(1);
            edited[line(at)..=line(at + takes - 1)].fill(true);
        }
        at += takes;
    }
    // A blank line between edited words contains no word.
    lines.windows(2).zip(&mut edited).filter(|(two, _)| two[0].word == two[1].word).for_each(|(_, edited)| *edited = false);
    edited
}

/// Returns both lines of `row` as pieces with the edits of the alignment, if symbols are words. `lines` are the
/// sentences of both texts. The pieces of a line have at most `budget` bytes, without the ellipsis for the rest.
pub(super) fn pieces_of_words(
    pair: &Pair,
    alignment: &Alignment,
    lines: &[Vec<SentenceSpan>; 2],
    row: RowLines,
    budget: usize,
) -> PairedPieces {
    let line = |text: &Text, lines: &[SentenceSpan], at: Option<u32>, side: PairSide| {
        let Some(at) = at.map(|at| at as usize) else { return (LinePieces::new(), false) };
        let end = lines.get(at + 1).map_or((text.bytes().len(), text.len()), |next| (next.byte as usize, next.word as usize));
        let words = lines[at].word as usize..end.1;
        let start = lines[at].byte as usize;
        let line = &text.bytes()[start..end.0];
        // White space between two sentences of a line is shown with neither sentence.
        let is_inside = lines.get(at + 1).is_some_and(|next| next.number == lines[at].number);
        let ends = line.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r') || is_inside && **byte == b' ').count();
        let spans = spans(text, start..end.0 - ends, &words, &edits(alignment, side, &words));
        shortened(&spans, &|part| String::from_utf8_lossy(&text.bytes()[part]), budget)
    };
    let ((a, a_cut), (b, b_cut)) = (line(&pair.a, &lines[0], row.a, PairSide::A), line(&pair.b, &lines[1], row.b, PairSide::B));
    PairedPieces { a, b, is_coarse: a_cut || b_cut }
}

/// Returns the edit of each symbol of the text `side` with a position in `words`. Exchanged words count as substituted,
/// because both sides mark them alike.
fn edits(alignment: &Alignment, side: PairSide, words: &Range<usize>) -> Vec<EditKind> {
    let wanted = words.start as u64..words.end as u64;
    let mut edits = Vec::with_capacity(words.len());
    let Some(first) = alignment.op_at_symbol(side, wanted.start) else { return edits };
    for placed in alignment.walk(first) {
        let symbols = placed.symbols(side);
        if symbols.start >= wanted.end {
            break;
        }
        let edit = match placed.cigar_op.edit {
            EditKind::Transpose => EditKind::Substitute,
            edit => edit,
        };
        edits.extend((symbols.start.max(wanted.start)..symbols.end.min(wanted.end)).map(|_| edit));
    }
    edits
}

/// Returns whether line `x` of `a` and line `y` of `b` match, if symbols are lines.
pub(super) fn lines_match(pair: &Pair, x: u32, y: u32) -> bool {
    pair.symbol_match.matches(pair.a_symbols().symbol_at(x as usize), pair.b_symbols().symbol_at(y as usize))
}

/// Returns both lines of `row` as pieces, if symbols are lines. In two different lines, the words that differ are
/// marked. The pieces of a line have at most `budget` bytes, without the ellipsis for the rest.
pub(super) fn pieces_of_lines(pair: &Pair, row: RowLines, budget: usize) -> PairedPieces {
    let line = |text: &Text, at: Option<u32>| -> String {
        let bytes = at.map_or(0..0, |at| text.range(at as usize));
        String::from_utf8_lossy(&text.bytes()[bytes]).trim_end_matches(['\n', '\r']).to_owned()
    };
    let (a, b) = (line(&pair.a, row.a), line(&pair.b, row.b));
    let whole = |edit: EditKind| LineComparison { a: vec![(edit, 0..a.len())], b: vec![(edit, 0..b.len())], is_coarse: false };
    let compared = match (row.a, row.b) {
        (Some(x), Some(y)) if lines_match(pair, x, y) => whole(EditKind::Equal),
        (Some(_), Some(_)) => compare(&a, &b),
        (Some(_), None) => whole(EditKind::Delete),
        (None, _) => whole(EditKind::Insert),
    };
    let texts = |line: &str, spans: &LineSpans, is_there: bool| match is_there {
        true => shortened(spans, &|part| Cow::Borrowed(&line[part]), budget),
        false => (LinePieces::new(), false),
    };
    let ((a, a_cut), (b, b_cut)) = (texts(&a, &compared.a, row.a.is_some()), texts(&b, &compared.b, row.b.is_some()));
    PairedPieces { a, b, is_coarse: compared.is_coarse || a_cut || b_cut }
}

/// The pieces of two compared lines, each with its edit, and whether the comparison is coarse (some edits are not
/// marked).
struct LineComparison {
    a: LineSpans,
    b: LineSpans,
    is_coarse: bool,
}

/// Compares two different lines by words. Lines with few words in common are one edit each. Takes time linear in the
/// bytes, plus the time for at most [`MAX_CELLS`] cells of a matrix. Beyond this limit or [`MAX_LINE_BYTES`],
/// everything between the common beginning and end is one edit, and the comparison is coarse.
fn compare(a: &str, b: &str) -> LineComparison {
    let whole =
        || LineComparison { a: vec![(EditKind::Substitute, 0..a.len())], b: vec![(EditKind::Substitute, 0..b.len())], is_coarse: false };
    if a.len() + b.len() > MAX_LINE_BYTES {
        return around(a, b);
    }
    let reading = ReadingOptions { unit: Unit::Words, ..ReadingOptions::default() };
    let parse = |a: &str, b: &str| Pair::parse(a.as_bytes(), b.as_bytes(), &reading).ok();
    let Some(pair) = parse(a, b) else { return whole() };
    let (n, m) = (pair.a.len(), pair.b.len());
    let equal = |i: usize, j: usize| pair.a_symbols().symbol_at(i) == pair.b_symbols().symbol_at(j);
    // The common end is removed first, so that a gap with several possible positions takes the leftmost one.
    let ends = (0..n.min(m)).take_while(|at| equal(n - 1 - at, m - 1 - at)).count();
    let begins = (0..n.min(m) - ends).take_while(|at| equal(*at, *at)).count();
    let (p, q) = (n - begins - ends, m - begins - ends);
    if (p, q) == (0, 0) {
        return blanks(&pair).unwrap_or_else(whole);
    }
    if p as u64 * q as u64 > MAX_CELLS {
        return around(a, b);
    }
    let core = |text: &Text, words: usize| match words {
        0 => {
            let at = if begins > 0 { text.range(begins - 1).end } else { 0 };
            at..at
        }
        _ => text.range(begins).start..text.range(begins + words - 1).end,
    };
    let (in_a, in_b) = (core(&pair.a, p), core(&pair.b, q));
    let Some(inner) = parse(&a[in_a.clone()], &b[in_b.clone()]) else { return whole() };
    let solved = Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &JobOptions::default(), &inner, &Run::new(&NoObserver)).ok();
    let Some(alignment) = solved.and_then(|solved| solved.alignment) else { return whole() };
    let matches = alignment.summary().matches + (begins + ends) as u64;
    if 2.0 * matches as f64 / ((n + m) as f64) < MIN_COMMON_SHARE {
        return whole();
    }
    let line = |text: &Text, side: PairSide, core: Range<usize>, len: usize| {
        let words = 0..text.len();
        let mut all = LineSpans::new();
        push(&mut all, EditKind::Equal, 0..core.start);
        for (edit, part) in spans(text, 0..text.bytes().len(), &words, &edits(&alignment, side, &words)) {
            push(&mut all, edit, core.start + part.start..core.start + part.end);
        }
        push(&mut all, EditKind::Equal, core.end..len);
        all
    };
    LineComparison { a: line(&inner.a, PairSide::A, in_a, a.len()), b: line(&inner.b, PairSide::B, in_b, b.len()), is_coarse: false }
}

/// Compares the white space of two lines that have the same words. Returns `None` if the white space is the same too.
fn blanks(pair: &Pair) -> Option<LineComparison> {
    let gap = |text: &Text, at: usize| {
        let from = if at > 0 { text.range(at - 1).end } else { 0 };
        from..if at < text.len() { text.range(at).start } else { text.bytes().len() }
    };
    let (mut a, mut b) = (LineSpans::new(), LineSpans::new());
    for at in 0..=pair.a.len() {
        let (x, y) = (gap(&pair.a, at), gap(&pair.b, at));
        let (before, p, q) = core(text(&pair.a, &x), text(&pair.b, &y));
        let edit = match (p, q) {
            (_, 0) => EditKind::Delete,
            (0, _) => EditKind::Insert,
            _ => EditKind::Substitute,
        };
        for (spans, text, gap, len) in [(&mut a, &pair.a, x, p), (&mut b, &pair.b, y, q)] {
            let from = gap.start + before;
            push(spans, EditKind::Equal, gap.start..from);
            push(spans, edit, from..from + len);
            push(spans, EditKind::Equal, from + len..gap.end);
            if at < text.len() {
                push(spans, EditKind::Equal, text.range(at));
            }
        }
    }
    let is_edited = |spans: &LineSpans| spans.iter().any(|span| span.0 != EditKind::Equal);
    (is_edited(&a) || is_edited(&b)).then_some(LineComparison { a, b, is_coarse: false })
}

/// Returns the bytes `part` of a text whose symbols are words. The bytes of such a text are always valid UTF-8.
fn text<'a>(text: &'a Text, part: &Range<usize>) -> &'a str {
    std::str::from_utf8(&text.bytes()[part.clone()]).unwrap_or_default()
}

/// Compares two lines without an alignment: everything between their common beginning and end is one edit.
fn around(a: &str, b: &str) -> LineComparison {
    let (before, p, q) = core(a, b);
    let line = |len: usize, edited: usize| {
        let mut spans = LineSpans::new();
        push(&mut spans, EditKind::Equal, 0..before);
        push(&mut spans, EditKind::Substitute, before..before + edited);
        push(&mut spans, EditKind::Equal, before + edited..len);
        spans
    };
    LineComparison { a: line(a.len(), p), b: line(b.len(), q), is_coarse: true }
}

/// Returns three numbers of bytes. The first is the length of the common beginning of `a` and `b`. The others are the
/// lengths of the differing middle parts of `a` and of `b`, before the common end. Does not cut inside letters
/// (grapheme clusters).
fn core(a: &str, b: &str) -> (usize, usize, usize) {
    let most = a.len().min(b.len());
    let ends = a.bytes().rev().zip(b.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    let ends = (a.len() - boundary_after(a, a.len() - ends)).min(b.len() - boundary_after(b, b.len() - ends));
    let (inner_a, inner_b) = (&a[..a.len() - ends], &b[..b.len() - ends]);
    let begins = inner_a.bytes().zip(inner_b.bytes()).take_while(|(a, b)| a == b).count();
    let begins = boundary_before(inner_a, begins).min(boundary_before(inner_b, begins));
    (begins, inner_a.len() - begins, inner_b.len() - begins)
}

/// Appends the bytes `part` to `spans` as a piece with the edit `edit`, or extends the last piece if it has the same
/// edit.
fn push(spans: &mut LineSpans, edit: EditKind, part: Range<usize>) {
    match spans.last_mut().filter(|last| last.0 == edit) {
        Some(last) => last.1.end = part.end,
        None if part.is_empty() => {}
        None => spans.push((edit, part)),
    }
}

/// Divides the range `bytes` of a text whose symbols are words into pieces. `edits` has the edit of each of the
/// `words`. Text between two words has their edit if both have the same edit, and is equal otherwise.
fn spans(text: &Text, bytes: Range<usize>, words: &Range<usize>, edits: &[EditKind]) -> LineSpans {
    let mut spans = LineSpans::new();
    let (mut at, mut before) = (bytes.start, EditKind::Equal);
    for (word, &edit) in words.clone().zip(edits) {
        let word = text.range(word);
        push(&mut spans, if before == edit { edit } else { EditKind::Equal }, at..word.start.max(at));
        push(&mut spans, edit, word.start.max(at)..word.end);
        (at, before) = (word.end, edit);
    }
    push(&mut spans, EditKind::Equal, at..bytes.end.max(at));
    spans
}
