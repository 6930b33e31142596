//! Key: the string by which a unit is compared. Two units are equal if their keys are.
//!
//! Folding is Unicode's full case folding, unit by unit: ς becomes σ, and ǅ becomes ǆ. A `ß` that is a unit of its own
//! has the key `ss`, which differs from two units `s`. Inside a word or a line, it equals `ss`. If units are normalised
//! too, the comparison is a canonical caseless match: decompose, fold, decompose. Ignored white space, punctuation,
//! digits and accents are removed from keys.

use std::borrow::Cow;

use super::{ReadingOptions, Unit, unicode};

/// Returns the string by which a unit is compared: the unit without what the options `reading` ignore. `is_upper` says
/// that ASCII letters are converted to upper case, as in sequences.
pub(crate) fn key<'t>(unit: Cow<'t, str>, is_upper: bool, reading: &ReadingOptions) -> Cow<'t, str> {
    let mut key = unit;
    if reading.unit == Unit::Lines {
        let end = without_end(key.as_bytes()).len();
        key = cut_to(key, end);
    }
    if reading.ignore_whitespace && key.contains(char::is_whitespace) {
        key = Cow::Owned(key.chars().filter(|char| !char.is_whitespace()).collect());
    }
    if reading.ignore_punctuation && key.contains(unicode::is_punctuation) {
        key = Cow::Owned(key.chars().filter(|char| !unicode::is_punctuation(*char)).collect());
    }
    if reading.ignore_digits && key.contains(unicode::is_digit) {
        key = Cow::Owned(key.chars().filter(|char| !unicode::is_digit(*char)).collect());
    }
    if reading.ignore_line_ends {
        key = match (reading.unit, key.as_ref()) {
            (Unit::Lines, line) => {
                let end = line.trim_end().len();
                cut_to(key, end)
            }
            (_, "\r" | "\r\n") => Cow::Borrowed("\n"),
            _ => key,
        };
    }
    if reading.ignore_accents && !key.is_ascii() {
        key = Cow::Owned((unicode::given().without_accents)(&key));
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

/// Returns a line without its line end. Line ends are never compared if units are lines.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
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
    use super::*;

    #[test]
    fn line_ends_do_not_change_the_key_of_a_line() {
        let rows: [(&[u8], &[u8]); 8] = [
            (b"one\r\n", b"one"),
            (b"one\n", b"one"),
            (b"one\r", b"one"),
            (b"one", b"one"),
            (b"\r\n", b""),
            (b"\r", b""),
            (b"", b""),
            (b"a\nb", b"a\nb"),
        ];
        rows.iter().for_each(|(line, expected)| assert_eq!(without_end(line), *expected));
    }
}
