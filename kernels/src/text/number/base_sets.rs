//! Base sets: numbers letters of DNA and RNA by the sets of bases for which they stand.

use super::{NumberedTexts, TextsToNumber};
use crate::base_set::{BASE_SETS, SymbolMatch, base_set};
use crate::failure::{InputError, JobFailure};
use crate::text::{Text, TextSymbols, UnitSpans};

/// Maximum number of characters of a symbol in an error.
const MAX_SHOWN_CHARS: usize = 20;

/// Numbers the units of texts by their sets of bases. The borders between records are the empty set, which overlaps no
/// set. Takes O(units) time.
///
/// # Errors
/// Returns `BadInput` with the first unit that is not a nucleotide letter.
pub(in crate::text) fn number_base_sets(texts: &TextsToNumber) -> Result<NumberedTexts, JobFailure> {
    let (a, b) = (sets("a", texts.a)?, sets("b", texts.b)?);
    let other = texts.other.map(|other| sets("a", other)).transpose()?;
    Ok(NumberedTexts { a, other, b, alphabet: BASE_SETS, symbol_match: SymbolMatch::Overlap })
}

/// Returns the sets of the units of `text`, which is called `name` in errors.
///
/// # Errors
/// Returns `BadInput` with the first unit that is not a nucleotide letter.
pub(super) fn sets(name: &str, text: &Text) -> Result<TextSymbols, JobFailure> {
    let table: [u8; 256] = std::array::from_fn(|letter| base_set(letter as u8).unwrap_or(0));
    let set = |unit: &[u8]| <[u8; 1]>::try_from(unit).map_or(0, |[letter]| table[usize::from(letter)]);
    let mut sets = Vec::with_capacity(text.len());
    match (&*text.spans, &text.normalized) {
        (_, Some(normal)) => sets.extend((0..text.len()).map(|at| set(normal.unit(at).as_bytes()))),
        (UnitSpans::Pieces { .. }, None) => {
            text.pieces().for_each(|piece| sets.extend(piece.iter().map(|letter| table[usize::from(*letter)])));
        }
        (UnitSpans::Ranges(ranges), None) => {
            sets.extend(ranges.iter().map(|&(start, end)| set(&text.bytes[start as usize..end as usize])));
        }
    }
    for record in 0..text.record_count() {
        let units = text.record_range(record);
        if let Some(place) = memchr::memchr(0, &sets[units.clone()]) {
            return Err(no_code(name, text, record, place));
        }
        // The unit after a record is the border to the next one.
        if let Some(border) = sets.get_mut(units.end) {
            *border = 0;
        }
    }
    Ok(TextSymbols::Narrow(sets))
}

/// Creates the error for the unit at position `at` of a record of `text`, which is no code of a base. The error names the record
/// if the records are separate texts.
fn no_code(name: &str, text: &Text, record: usize, at: usize) -> JobFailure {
    let symbol: String = text.display_unit(text.record_range(record).start + at).chars().take(MAX_SHOWN_CHARS).collect();
    let name = if text.has_separate_records() { text.record_word(record as u64) } else { name.to_owned() };
    let message = format!(
        "Symbol {at} of {name}, counted from 0, is {symbol:?}, which is no code of a base. With `ambiguity`, texts consist of the \
         letters A, C, G, T, U, R, Y, S, W, K, M, B, D, H, V and N. Leave out `ambiguity`, or ignore white space."
    );
    JobFailure::wrong(message, InputError::NoBaseCode { text: name, at: at as u64, symbol })
}
