//! Texts the shorter of which fits a machine word: the recurrence of Hyyrö on one `u64`, column by column.

use crate::alignment::{Alignment, EditKind};
use crate::pair::cpu::WORD;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of symbols of the text between two progress reports.
const TICK: usize = 1 << 20;

/// Computes the equality masks of a pattern: a word for each symbol number below `alphabet`, with a bit for each row of
/// the pattern that has this symbol.
fn masks<T: Symbol>(pattern: &[T], alphabet: u32) -> Vec<u64> {
    let mut masks = vec![0; alphabet as usize];
    pattern.iter().enumerate().for_each(|(i, symbol)| masks[symbol.number() as usize] |= 1 << i);
    masks
}

/// Computes the column of the matrix L after the column `v`. A column has a set bit for each row in which L does not
/// rise. `eq` has a set bit for each row whose symbol equals that of the new column.
#[inline]
fn next(v: u64, eq: u64) -> u64 {
    let u = v & eq;
    v.wrapping_add(u) | (v & !eq)
}

/// Computes the length of the longest common subsequence of a pattern of 1 to 64 symbols and a text. Symbols are below
/// `alphabet`. Takes O(|text| + alphabet) time.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn length<T: Symbol>(pattern: &[T], text: &[T], alphabet: u32, run: &Run) -> Result<u64, Halt> {
    debug_assert!((1..=WORD).contains(&pattern.len()));
    let masks = masks(pattern, alphabet);
    let cells = |text: &[T]| pattern.len() as u64 * text.len() as u64;
    run.raise_expected(cells(text));
    let mut v = !0;
    for piece in text.chunks(TICK) {
        v = piece.iter().fold(v, |v, symbol| next(v, masks[symbol.number() as usize]));
        run.tick(cells(piece))?;
    }
    // Rows below the pattern have no equal symbols and never rise.
    Ok(v.count_zeros().into())
}

/// Computes an optimal alignment of the pattern (`a`) to the text (`b`). Takes 8 bytes of memory per symbol of the
/// text.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn align<T: Symbol>(pattern: &[T], text: &[T], alphabet: u32, run: &Run) -> Result<Alignment, Halt> {
    debug_assert!((1..=WORD).contains(&pattern.len()));
    let masks = masks(pattern, alphabet);
    let (cells, bytes) = ((pattern.len() * text.len()) as u64, 8 * text.len() as u64);
    run.raise_expected(cells);
    run.hold(bytes);
    let seen: Vec<u64> = text
        .iter()
        .scan(!0, |v, symbol| {
            *v = next(*v, masks[symbol.number() as usize]);
            Some(*v)
        })
        .collect();
    run.tick(cells)?;
    let mut backwards = Alignment::default();
    let (mut i, mut j) = (pattern.len(), text.len());
    while i > 0 && j > 0 {
        let edit = if pattern[i - 1] == text[j - 1] {
            EditKind::Equal
        } else if seen[j - 1] >> (i - 1) & 1 == 1 {
            // L does not rise from the row above.
            EditKind::Delete
        } else {
            EditKind::Insert
        };
        backwards.push(edit, 1);
        let (di, dj) = edit.consumed_symbols();
        (i, j) = (i - di as usize, j - dj as usize);
    }
    backwards.push(EditKind::Delete, i as u64);
    backwards.push(EditKind::Insert, j as u64);
    run.release(bytes);
    Ok(backwards.reversed())
}
