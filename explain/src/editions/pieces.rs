//! A line as marked pieces.

use std::ops::Range;

use kernels::alignment::{Alignment, Edit, Side};
use kernels::engine::{Cpu, Engine};
use kernels::job::{Options, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, Reading, Text, Unit};

use super::{Line, Row};

/// Bytes of a line that are shown.
const MOST_BYTES: usize = 4_000;

/// Cells up to which the words of two lines are aligned.
const MOST_CELLS: u64 = 1_000_000;

/// Of lines that share less than this share of their words, nothing inside is marked: they are another line altogether.
const LEAST_COMMON: f64 = 0.25;

type Pieces = Vec<(Edit, String)>;

/// Where the lines of a text of words begin. A line's end belongs to it; what follows the last one is a line if it is not empty.
pub(super) fn lines(text: &Text) -> Vec<Line> {
    let bytes = text.bytes();
    let mut word = 0;
    let mut line = |byte: usize| {
        while word < text.len() && text.range(word).start < byte {
            word += 1;
        }
        Line { byte: byte as u32, word: word as u32 }
    };
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).filter(|at| *at < bytes.len()).map(&mut line).collect()
}

/// Which lines hold a word that is not equal, of the first text or of the second.
pub(super) fn edited(alignment: &Alignment, lines: &[Line], first: bool) -> Vec<bool> {
    let mut edited = vec![false; lines.len()];
    let mut at = 0u64;
    for stretch in alignment.stretches() {
        let (di, dj) = stretch.edit.takes();
        let takes = if first { di } else { dj } * u64::from(stretch.len);
        if stretch.edit != Edit::Equal && takes > 0 {
            let line = |word: u64| lines.partition_point(|line| u64::from(line.word) <= word).saturating_sub(1);
            edited[line(at)..=line(at + takes - 1)].fill(true);
        }
        at += takes;
    }
    // A blank line between edited words has none itself.
    lines.windows(2).zip(&mut edited).filter(|(two, _)| two[0].word == two[1].word).for_each(|(_, edited)| *edited = false);
    edited
}

/// Both lines of a row where words are symbols, as the alignment marks them.
pub(super) fn of_words(pair: &Pair, alignment: &Alignment, lines: &[Vec<Line>; 2], row: Row) -> (Pieces, Pieces) {
    let line = |text: &Text, lines: &[Line], at: Option<u32>, side: Side| {
        let Some(at) = at.map(|at| at as usize) else { return Pieces::new() };
        let end = lines.get(at + 1).map_or((text.bytes().len(), text.len()), |next| (next.byte as usize, next.word as usize));
        let words = lines[at].word as usize..end.1;
        marked(text, lines[at].byte as usize..end.0, &words, &edits(alignment, side, &words))
    };
    (line(&pair.a, &lines[0], row.a, Side::A), line(&pair.b, &lines[1], row.b, Side::B))
}

/// What the alignment does with these symbols of a text.
fn edits(alignment: &Alignment, side: Side, words: &Range<usize>) -> Vec<Edit> {
    let wanted = words.start as u64..words.end as u64;
    let mut edits = Vec::with_capacity(words.len());
    let Some(first) = alignment.at_symbol(side, wanted.start) else { return edits };
    for placed in alignment.walk(first) {
        let symbols = placed.symbols(side);
        if symbols.start >= wanted.end {
            break;
        }
        edits.extend((symbols.start.max(wanted.start)..symbols.end.min(wanted.end)).map(|_| placed.stretch.edit));
    }
    edits
}

/// Both lines of a row where lines are symbols: equal ones as they are, of two different ones the words that differ.
pub(super) fn of_lines(pair: &Pair, row: Row) -> (Pieces, Pieces) {
    let whole = |text: &Text, at: Option<u32>, edit: Edit| match at {
        Some(at) => vec![(edit, shown(&text.bytes()[text.range(at as usize)]))],
        None => Pieces::new(),
    };
    match (row.a, row.b) {
        (Some(a), Some(b)) if pair.a_symbols.at(a as usize) == pair.b_symbols.at(b as usize) => {
            (whole(&pair.a, row.a, Edit::Equal), whole(&pair.b, row.b, Edit::Equal))
        }
        (Some(a), Some(b)) => {
            let line = |text: &Text, at: u32| shown(&text.bytes()[text.range(at as usize)]);
            let (a, b) = (line(&pair.a, a), line(&pair.b, b));
            inside(&a, &b).unwrap_or_else(|| (vec![(Edit::Substitute, a)], vec![(Edit::Substitute, b)]))
        }
        (a, b) => (whole(&pair.a, a, Edit::Delete), whole(&pair.b, b, Edit::Insert)),
    }
}

/// The words that differ in two lines; `None` where they have too little in common, or are too long.
fn inside(a: &str, b: &str) -> Option<(Pieces, Pieces)> {
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading { unit: Unit::Words, ..Reading::default() }).ok()?;
    if pair.cells() > MOST_CELLS {
        return None;
    }
    let solved = Engine::Cpu(Cpu::SINGLE).run(Task::EditDistance, &Options::default(), &pair, &Run::new(&NoObserver)).ok()?;
    let alignment = solved.alignment?;
    let summary = alignment.summary();
    let common = 2.0 * summary.matches as f64 / (pair.a.len() + pair.b.len()).max(1) as f64;
    if common < LEAST_COMMON {
        return None;
    }
    if summary.distance() == 0 {
        // They differ in white space only, which is no word.
        return None;
    }
    let line = |text: &Text, side: Side| {
        let words = 0..text.len();
        marked(text, 0..text.bytes().len(), &words, &edits(&alignment, side, &words))
    };
    Some((line(&pair.a, Side::A), line(&pair.b, Side::B)))
}

/// These bytes of a text of words, in pieces: what stands between two words belongs to them where both are edited alike.
fn marked(text: &Text, bytes: Range<usize>, words: &Range<usize>, edits: &[Edit]) -> Pieces {
    let mut pieces = Pieces::new();
    let mut push = |edit: Edit, part: Range<usize>| {
        let part = shown(&text.bytes()[part]);
        match pieces.last_mut().filter(|last: &&mut (Edit, String)| last.0 == edit) {
            Some(last) => last.1.push_str(&part),
            None if part.is_empty() => {}
            None => pieces.push((edit, part)),
        }
    };
    let end = bytes.end.min(bytes.start + MOST_BYTES);
    let (mut at, mut before) = (bytes.start, Edit::Equal);
    for (word, &edit) in words.clone().zip(edits) {
        let word = text.range(word);
        if word.end > end {
            break;
        }
        push(if before == edit { edit } else { Edit::Equal }, at..word.start.max(at));
        push(edit, word.start.max(at)..word.end);
        (at, before) = (word.end, edit);
    }
    if end < bytes.end {
        pieces.push((Edit::Equal, " …".into()));
    } else {
        push(Edit::Equal, at..bytes.end);
    }
    pieces
}

/// A line as it is shown: without its end, and of a very long one its beginning.
fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(MOST_BYTES)];
    let mut text = String::from_utf8_lossy(cut).trim_end_matches(['\n', '\r']).to_owned();
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}
