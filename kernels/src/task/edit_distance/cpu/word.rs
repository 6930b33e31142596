//! Texts the shorter of which fits a machine word, or a few words: Myers' algorithm on `u64`, column by column.

#[cfg(not(target_family = "wasm"))]
use fearless_simd::{Level, Simd, dispatch};

use crate::alignment::{CigarOp, EditKind};
use crate::pair::cpu::WORD;
use crate::pair::cpu::recurrence::unit_cost::{PatternColumn, VerticalWord, step_back};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
#[cfg(not(target_family = "wasm"))]
use crate::symbol::lanes::LaneWindow;

/// Adds the equality masks of a pattern to `masks`: `W` words for each symbol number, with a bit for each row of the
/// pattern that has this symbol.
fn masks<T: Symbol, const W: usize>(pattern: &[T], masks: &mut [[u64; W]]) {
    for (word, symbols) in pattern.chunks(WORD).enumerate().take(W) {
        for (bit, symbol) in symbols.iter().enumerate() {
            masks[symbol.number() as usize][word] |= 1 << bit;
        }
    }
}

/// Maximum number of matrix cells up to which words in registers are faster than SIMD lanes, which take time to fill.
const MAX_WORD_CELLS: usize = 1 << 16;

/// Returns whether [`distance`] is the fastest method for texts of the lengths `pattern` and `text`, with symbols below
/// `alphabet`.
pub(super) fn suits(pattern: usize, text: usize, alphabet: u32) -> bool {
    pattern <= WORD || pattern <= 4 * WORD && pattern * text <= MAX_WORD_CELLS && alphabet <= 256
}

/// Computes the distance of `pattern` to `text`. [`suits`] must return `true` for their lengths and `alphabet`, below
/// which all symbols are. Takes O(|text| · words + alphabet) time. The table of masks is only as large as the alphabet
/// requires, and lies on the stack for alphabets of bytes.
pub(super) fn distance<T: Symbol>(pattern: &[T], text: &[T], alphabet: u32) -> u64 {
    debug_assert!(suits(pattern.len(), text.len(), alphabet));
    #[cfg(not(target_family = "wasm"))]
    if alphabet >= MIN_COMPARED_ALPHABET
        && let Some(distance) = distance_by_vectors(pattern, text)
    {
        return distance;
    }
    match (pattern.len().div_ceil(WORD), alphabet) {
        (1, ..=8) => distance_by_word(pattern, text, &mut [[0]; 8]),
        (1, ..=32) => distance_by_word(pattern, text, &mut [[0]; 32]),
        (1, ..=64) => distance_by_word(pattern, text, &mut [[0]; 64]),
        (1, ..=256) => distance_by_word(pattern, text, &mut [[0]; 256]),
        (1, _) => distance_by_word(pattern, text, &mut vec![[0]; alphabet as usize]),
        (2, ..=32) => distance_by_words::<T, 2>(pattern, text, &mut [[0; 2]; 32]),
        (2, _) => distance_by_words::<T, 2>(pattern, text, &mut [[0; 2]; 256]),
        (_, ..=32) => distance_by_words::<T, 4>(pattern, text, &mut [[0; 4]; 32]),
        (_, _) => distance_by_words::<T, 4>(pattern, text, &mut [[0; 4]; 256]),
    }
}

/// Number of symbols of the text between two progress reports.
const TICK: usize = 1 << 20;

/// Maximum length of a pattern of which one vector of the smallest machine holds all symbols, if they are bytes.
#[cfg(not(target_family = "wasm"))]
const MAX_NARROW_PATTERN: usize = 16;

/// Minimum size of an alphabet for whose symbols vectors are faster than a table, which has an entry for each symbol.
#[cfg(not(target_family = "wasm"))]
const MIN_COMPARED_ALPHABET: u32 = 65;

/// Maximum length of a text of which each symbol is compared with the whole pattern by vectors. A longer text gives back
/// the time for a table, which takes fewer operations for each symbol.
#[cfg(not(target_family = "wasm"))]
const MAX_COMPARED_TEXT: usize = 1024;

/// Computes the distance like [`distance`], but without a table: each symbol of the text is compared with the whole
/// pattern by vectors. Symbols may be arbitrarily large. Returns `None` for a pattern of more than 64 symbols, for a text
/// of more than [`MAX_COMPARED_TEXT`], and on a machine without vectors. Takes O(|text|) time.
///
/// A browser computes by tables, because this function would enlarge the first download.
#[cfg(not(target_family = "wasm"))]
fn distance_by_vectors<T: Symbol>(pattern: &[T], text: &[T]) -> Option<u64> {
    if pattern.len() > WORD || text.len() > MAX_COMPARED_TEXT {
        return None;
    }
    dispatch!(Level::new(), s => match (s.level().is_fallback(), pattern.len()) {
        (true, _) => None,
        (false, ..=MAX_NARROW_PATTERN) => Some(by_vectors::<_, T, MAX_NARROW_PATTERN>(s, pattern, text)),
        (false, _) => Some(by_vectors::<_, T, WORD>(s, pattern, text)),
    })
}

#[cfg(not(target_family = "wasm"))]
#[inline(always)]
fn by_vectors<S: Simd, T: Symbol + LaneWindow<N>, const N: usize>(s: S, pattern: &[T], text: &[T]) -> u64 {
    let mut rows = [T::default(); N];
    rows[..pattern.len()].copy_from_slice(pattern);
    let mut column = PatternColumn::FIRST;
    for &symbol in text {
        // Rows below the pattern do not change the rows of the pattern.
        column = column.next(!T::differ(s, &rows, &[symbol; N]));
    }
    column.distance(pattern.len(), text.len())
}

/// Computes the distance like [`distance`], but reports the progress to the run. Texts of more than [`TICK`] symbols
/// need a pattern of one word.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn distance_of_long<T: Symbol>(pattern: &[T], text: &[T], alphabet: u32, run: &Run) -> Result<u64, Halt> {
    let cells = |text: &[T]| pattern.len() as u64 * text.len() as u64;
    run.raise_expected(cells(text));
    if text.len() <= TICK {
        let distance = distance(pattern, text, alphabet);
        run.tick(cells(text))?;
        return Ok(distance);
    }
    // Texts of this length only occur with a pattern of one word.
    let mut table = vec![[0]; alphabet as usize];
    masks::<T, 1>(pattern, &mut table);
    let mut last = PatternColumn::FIRST;
    for piece in text.chunks(TICK) {
        last = piece.iter().fold(last, |column, symbol| column.next(table[symbol.number() as usize][0]));
        run.tick(cells(piece))?;
    }
    Ok(last.distance(pattern.len(), text.len()))
}

// In a browser, one copy of the loop serves tables of all sizes. The cost of the call is not measurable there, and
// every user downloads the code.
#[cfg_attr(not(target_family = "wasm"), inline)]
#[cfg_attr(target_family = "wasm", inline(never))]
fn distance_by_word<T: Symbol>(pattern: &[T], text: &[T], table: &mut [[u64; 1]]) -> u64 {
    masks(pattern, table);
    let last = text.iter().fold(PatternColumn::FIRST, |column, symbol| column.next(table[symbol.number() as usize][0]));
    last.distance(pattern.len(), text.len())
}

/// Computes the distance like [`distance`], but without a table indexed by symbol numbers, so that symbols may be
/// arbitrarily large. Compares each symbol of the text with the whole pattern, which has 1 to 64 symbols. Takes
/// O(|pattern||text|) time.
pub(super) fn distance_unnumbered<T: Symbol>(pattern: &[T], text: &[T]) -> u64 {
    let rows = |symbol: &T| pattern.iter().rev().fold(0, |mask, row| mask << 1 | u64::from(row == symbol));
    let last = text.iter().fold(PatternColumn::FIRST, |column, symbol| column.next(rows(symbol)));
    last.distance(pattern.len(), text.len())
}

/// Computes the distance like [`distance_by_word`], for a pattern in `W` words, each of which passes differences to the
/// next. `table` must be zero. Rows below the pattern are computed and ignored.
#[cfg_attr(not(target_family = "wasm"), inline)]
#[cfg_attr(target_family = "wasm", inline(never))]
fn distance_by_words<T: Symbol, const W: usize>(pattern: &[T], text: &[T], table: &mut [[u64; W]]) -> u64 {
    masks(pattern, table);
    let (word, last) = ((pattern.len() - 1) / WORD, (pattern.len() - 1) % WORD);
    let mut distance = pattern.len() as u64;
    let mut column = [VerticalWord::FIRST; W];
    for symbol in text {
        let equal = table[symbol.number() as usize];
        let mut above = [1, 0];
        let (mut rises, mut falls) = ([0; W], [0; W]);
        for w in 0..W {
            [rises[w], falls[w]] = column[w].step(equal[w], above);
            above = [rises[w] >> (WORD - 1), falls[w] >> (WORD - 1)];
        }
        distance = distance + (rises[word] >> last & 1) - (falls[word] >> last & 1);
    }
    distance
}

/// Computes an optimal alignment of the pattern (`a`) to the text (`b`). Returns its runs of equal edits, the last one
/// first; some may be empty. Symbols are below `alphabet`. Takes 16 bytes of memory per symbol of the text.
pub(super) fn align<T: Symbol>(pattern: &[T], text: &[T], alphabet: u32) -> Vec<CigarOp> {
    debug_assert!((1..=WORD).contains(&pattern.len()));
    match alphabet {
        0..=8 => back(pattern, text, &mut [[0]; 8]),
        9..=64 => back(pattern, text, &mut [[0]; 64]),
        65..=256 => back(pattern, text, &mut [[0]; 256]),
        _ => back(pattern, text, &mut vec![[0]; alphabet as usize]),
    }
}

#[cfg_attr(not(target_family = "wasm"), inline)]
#[cfg_attr(target_family = "wasm", inline(never))]
fn back<T: Symbol>(pattern: &[T], text: &[T], table: &mut [[u64; 1]]) -> Vec<CigarOp> {
    masks(pattern, table);
    let mut column = PatternColumn::FIRST;
    let columns = text.iter().map(|symbol| {
        column = column.next(table[symbol.number() as usize][0]);
        (column.free, column.rise)
    });
    let seen: Vec<(u64, u64)> = columns.collect();
    let mut backwards = Vec::with_capacity(pattern.len());
    let (mut i, mut j) = (pattern.len(), text.len());
    let mut last = CigarOp { edit: EditKind::Equal, len: 0 };
    while i > 0 && j > 0 {
        let (free, rise) = seen[j - 1];
        let edit = step_back(pattern[i - 1] == text[j - 1], free >> (i - 1) & 1 == 1, rise >> (i - 1) & 1 == 1);
        if edit != last.edit {
            backwards.push(std::mem::replace(&mut last, CigarOp { edit, len: 0 }));
        }
        last.len += 1;
        let (di, dj) = edit.consumed_symbols();
        (i, j) = (i - di as usize, j - dj as usize);
    }
    let rest = [(EditKind::Delete, i), (EditKind::Insert, j)].map(|(edit, len)| CigarOp { edit, len: len as u32 });
    backwards.extend([last].into_iter().chain(rest));
    backwards
}
