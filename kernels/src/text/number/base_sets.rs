//! Base sets: numbers letters of DNA and RNA by the sets of bases for which they stand, so that ambiguity codes can match
//! the bases that they mean.

use super::{NumberedTexts, TextsToNumber};
use crate::base_set::SymbolMatch;
use crate::base_set::{BASE_SETS, base_set};
use crate::failure::{InputError, JobFailure};
use crate::text::{Text, TextSymbols, UnitSpans};

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
fn sets(name: &str, text: &Text) -> Result<TextSymbols, JobFailure> {
    let table: [u8; 256] = std::array::from_fn(|letter| base_set(letter as u8).unwrap_or(0));
    let mut sets: Vec<u8> = match (&*text.spans, &text.normalized) {
        (UnitSpans::Pieces { .. }, None) => text.pieces().flatten().map(|letter| table[usize::from(*letter)]).collect(),
        _ => {
            let set = |at: usize| <[u8; 1]>::try_from(text.display_unit(at).as_bytes()).map_or(0, |[letter]| table[usize::from(letter)]);
            (0..text.len()).map(set).collect()
        }
    };
    for record in 0..text.record_count() {
        let units = text.record_range(record);
        if let Some(place) = memchr::memchr(0, &sets[units.clone()]) {
            let (at, symbol) = (units.start + place, text.display_unit(units.start + place));
            let message = format!(
                "Symbol {at} of {name}, counted from 0, is {symbol:?}, which is no code of a base. With ambiguity, texts consist of the \
                 letters A, C, G, T, U, R, Y, S, W, K, M, B, D, H, V and N. Leave out ambiguity, or ignore white space."
            );
            return Err(JobFailure::wrong(message, InputError::NoBaseCode { text: name.to_owned(), at: at as u64, symbol }));
        }
        // The unit after a record is the border to the next one.
        if let Some(border) = sets.get_mut(units.end) {
            *border = 0;
        }
    }
    Ok(TextSymbols::Narrow(sets))
}
