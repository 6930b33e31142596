//! What a unit is compared by: two units are equal when their keys are.
//!
//! Folding is Unicode's full case folding, unit by unit: ς is σ, ǅ is ǆ, and a `ß` that is a unit of its own has the key `ss`, which no
//! unit `s` has, so that it differs from two of them; inside a word or a line it does not. Where units are normalised too, they are
//! compared as a canonical caseless match asks for: decomposed, folded, decomposed.

use std::borrow::Cow;

use super::{Reading, Unit, unicode};

/// The key of a unit that is written like this; `is_upper` where letters of ASCII are folded to upper case as those of a sequence.
pub(crate) fn key<'t>(unit: Cow<'t, str>, is_upper: bool, reading: &Reading) -> Cow<'t, str> {
    let mut key = unit;
    if reading.unit == Unit::Lines {
        let end = key.trim_end_matches('\n').trim_end_matches('\r').len();
        key = cut_to(key, end);
    }
    if reading.ignore_whitespace && key.contains(char::is_whitespace) {
        key = Cow::Owned(key.chars().filter(|char| !char.is_whitespace()).collect());
    }
    if is_upper && key.contains(|char: char| char.is_ascii_lowercase()) {
        key = Cow::Owned(key.to_ascii_uppercase());
    }
    if !reading.case_insensitive {
        return key;
    }
    if key.is_ascii() {
        return if key.contains(|char: char| char.is_ascii_uppercase()) { Cow::Owned(key.to_ascii_lowercase()) } else { key };
    }
    Cow::Owned((unicode::given().folded)(&key, reading.normalize))
}

/// Folds a scalar value: two have the same folding here exactly when they have the same full case folding (status C and F of Unicode's
/// CaseFolding.txt). The standard library's tables are in the program already; a test compares them with ICU's, for every scalar value.
pub(super) fn fold(char: char) -> impl Iterator<Item = char> {
    // ẞ is in upper case already, and SS only by way of ß. The dotless ı is a letter of its own, whose upper case is that of i.
    let is_dotless = char == 'ı';
    let folded = char.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).filter(move |_| !is_dotless);
    is_dotless.then_some(char).into_iter().chain(folded)
}

fn cut_to(text: Cow<'_, str>, end: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::fold;

    #[test]
    fn letters_fold_together_as_icu_folds_them() {
        let icu = icu_casemap::CaseMapper::new();
        let (mut by_ours, mut by_icu) = (HashMap::new(), HashMap::new());
        let mut unknown = 0;
        for char in '\0'..=char::MAX {
            let (ours, theirs) = (fold(char).collect::<String>(), icu.fold_string(char.encode_utf8(&mut [0; 4])).into_owned());
            // Letters of a later Unicode than the standard library's.
            if ours == theirs.as_str() || char.is_alphabetic() {
                assert_eq!(*by_ours.entry(ours.clone()).or_insert(theirs.clone()), theirs, "{char:?} is folded to {ours}");
                assert_eq!(*by_icu.entry(theirs.clone()).or_insert(ours.clone()), ours, "{char:?} is folded to {ours}");
            } else {
                unknown += 1;
            }
        }
        assert!(unknown < 100, "{unknown} letters are folded by ICU only");
    }
}
