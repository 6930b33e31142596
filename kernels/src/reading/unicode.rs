//! Unicode: queries to Unicode's tables about characters beyond ASCII. The tables take 200 kB. In the browser, the
//! solver fetches them when a text first needs them ([`needs_tables`]). So comparing two words does not require this
//! download. In the browser, `provide` must be called before such a text is read. Other programs contain the tables.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_segmentation::UnicodeSegmentation as _;

use super::normalization::NfcParts;
use super::{ReadingOptions, Unit};

/// A callback that receives each unit of a text: the position of its first byte, and the unit itself.
type UnitSink<'f, 't> = &'f mut dyn FnMut(usize, &'t str);

/// The functions that need Unicode's tables, so that a program can load them later.
#[derive(Clone, Copy)]
pub struct UnicodeTables {
    /// Function that returns whether a text is in normalisation form C.
    pub(super) is_nfc: fn(&str) -> bool,
    /// Function that converts a text to normalisation form C.
    pub(super) nfc: fn(&str) -> NfcParts,
    /// Function that passes the extended grapheme clusters of a text (characters as users perceive them) to a callback.
    pub(super) clusters: for<'t> fn(&'t str, UnitSink<'_, 't>),
    /// Function that passes the parts of a text between its word boundaries to a callback.
    pub(super) words: for<'t> fn(&'t str, UnitSink<'_, 't>),
    /// Function that applies full case folding to a unit, so that upper and lower case become equal. If
    /// `is_normalized`, decomposes the unit before and after folding.
    pub(super) folded: fn(unit: &str, is_normalized: bool) -> String,
    /// Function that decomposes a unit and removes its accents.
    pub(super) without_accents: fn(unit: &str) -> String,
    /// Function that returns whether a character beyond ASCII belongs to Unicode's general category P (punctuation).
    pub(super) is_punctuation: fn(char) -> bool,
    /// Function that returns whether a character beyond ASCII belongs to Unicode's general category Nd (decimal digits).
    pub(super) is_digit: fn(char) -> bool,
}

/// Returns the functions that use Unicode's tables. A program that calls this function contains the tables.
pub const fn tables() -> UnicodeTables {
    UnicodeTables {
        is_nfc: unicode_normalization::is_nfc,
        nfc: NfcParts::from_text,
        clusters: |text, take| text.grapheme_indices(true).for_each(|(at, cluster)| take(at, cluster)),
        words: |text, take| text.split_word_bound_indices().for_each(|(at, word)| take(at, word)),
        folded: |unit, is_normalized| match is_normalized {
            true => unit.nfd().flat_map(fold).nfd().collect(),
            false => unit.chars().flat_map(fold).collect(),
        },
        without_accents: |unit| unit.nfd().filter(|char| !is_accent(*char)).collect(),
        is_punctuation: |char| char.general_category_group() == GeneralCategoryGroup::Punctuation,
        is_digit: |char| char.general_category() == GeneralCategory::DecimalNumber,
    }
}

/// Returns whether a character belongs to Unicode's general category P (punctuation).
pub(super) fn is_punctuation(char: char) -> bool {
    match char {
        '!'..='#' | '%'..='*' | ','..='/' | ':' | ';' | '?' | '@' | '['..=']' | '_' | '{' | '}' => true,
        _ => !char.is_ascii() && (given().is_punctuation)(char),
    }
}

/// Returns whether a character belongs to Unicode's general category Nd (decimal digits). Other numbers, such as ½, ² and
/// Ⅷ, are no digits.
pub(super) fn is_digit(char: char) -> bool {
    char.is_ascii_digit() || !char.is_ascii() && (given().is_digit)(char)
}

/// Returns whether a character is a combining mark that readers consider an accent.
///
/// Accents are the blocks of combining diacritical marks, the points of Hebrew, and the vowel signs of Arabic. Vowel
/// signs of Indic scripts and the voicing marks of Japanese are parts of letters.
pub(super) fn is_accent(char: char) -> bool {
    matches!(char,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}')
}

/// Returns a folded form of a scalar value. Two values have equal forms exactly if they have the same full case folding
/// (status C and F of Unicode's CaseFolding.txt).
///
/// Uses the standard library's tables, which the program contains anyway. A test compares the result with ICU's for
/// every scalar value.
fn fold(char: char) -> impl Iterator<Item = char> {
    // ẞ is already in upper case and reaches SS only through ß. The dotless ı is a separate letter, but its upper case
    // is that of i.
    let is_dotless = char == 'ı';
    let folded = char.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).filter(move |_| !is_dotless);
    is_dotless.then_some(char).into_iter().chain(folded)
}

/// Returns whether reading `texts` with the options `reading` requires Unicode's tables. May return `true` for texts
/// that can be read without them. Takes O(length of the texts) time.
pub fn needs_tables(texts: [&[u8]; 2], reading: &ReadingOptions) -> bool {
    let is_ascii = || texts.iter().all(|text| text.is_ascii());
    match reading.unit {
        Unit::Bytes => false,
        Unit::Words => true,
        // CR LF is one cluster.
        Unit::Graphemes => !is_ascii() || texts.iter().any(|text| memchr::memchr(b'\r', text).is_some()),
        Unit::Chars | Unit::Lines => {
            let ReadingOptions { normalize, case_insensitive, ignore_punctuation, ignore_accents, ignore_digits, .. } = *reading;
            (normalize || case_insensitive || ignore_punctuation || ignore_accents || ignore_digits) && !is_ascii()
        }
    }
}

#[cfg(not(any(target_family = "wasm", test)))]
pub(super) const fn given() -> UnicodeTables {
    tables()
}

#[cfg(test)]
pub(super) fn given() -> UnicodeTables {
    tests::ASKED.set(true);
    tables()
}

#[cfg(target_family = "wasm")]
pub use provided::{are_provided, provide};

#[cfg(target_family = "wasm")]
pub(super) use provided::given;

#[cfg(target_family = "wasm")]
mod provided {
    use std::sync::OnceLock;

    use super::UnicodeTables;

    static PROVIDED: OnceLock<UnicodeTables> = OnceLock::new();

    /// Sets the functions that use Unicode's tables, for all texts that are read later. Further calls have no effect.
    pub fn provide(tables: UnicodeTables) {
        let _ = PROVIDED.set(tables);
    }

    /// Returns whether [`provide`] has been called, so that texts beyond ASCII can be read.
    pub fn are_provided() -> bool {
        PROVIDED.get().is_some()
    }

    pub(in super::super) fn given() -> UnicodeTables {
        *PROVIDED.get().expect("tables are provided before a text that needs them is read")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashMap;

    use super::super::FastaMode;
    use super::*;
    use crate::text::Pair;

    thread_local! {
        /// Whether this thread has used the tables.
        pub(super) static ASKED: Cell<bool> = const { Cell::new(false) };
    }

    const TEXTS: [&str; 8] = [
        "",
        "kitten 7",
        "Two words\nand two\nLines",
        "a\r\nb",
        "straße ΣΊΣΥΦΟΣ",
        "e\u{301}te\u{301}",
        "\u{a0}\u{2003}",
        ">one\nACGT\n>two\r\nac gt!\n",
    ];

    #[test]
    fn text_without_need_for_unicode_tables_is_read_without_them() {
        let (mut without, mut with) = (0, 0);
        for (a, b) in TEXTS.iter().flat_map(|a| TEXTS.map(|b| (*a, b))) {
            for number in 0..Unit::ALL.len() * 256 {
                let flag = |bit: usize| number & bit != 0;
                let unit = Unit::ALL[number / 256];
                let fasta = if flag(1) { FastaMode::Never } else { FastaMode::Auto };
                let normalize = flag(2) && unit != Unit::Bytes;
                let reading = ReadingOptions {
                    unit,
                    fasta,
                    normalize,
                    case_insensitive: flag(4),
                    ignore_whitespace: flag(8),
                    ignore_line_ends: flag(16),
                    ignore_punctuation: flag(32),
                    ignore_accents: flag(64) && unit != Unit::Bytes,
                    ignore_digits: flag(128),
                    ..ReadingOptions::default()
                };
                ASKED.set(false);
                Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
                if needs_tables([a.as_bytes(), b.as_bytes()], &reading) {
                    with += usize::from(ASKED.get());
                } else {
                    assert!(!ASKED.get(), "{a:?} and {b:?} by {reading:?}");
                    without += 1;
                }
            }
        }
        assert!(without > 1000 && with > 1000, "{without} texts are read without tables, {with} with tables");
    }

    #[test]
    fn punctuation_agrees_with_icu() {
        use icu_properties::CodePointMapData;
        use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
        let categories = CodePointMapData::<GeneralCategory>::new();
        let differing = ('\0'..=char::MAX)
            .filter(|&char| is_punctuation(char) != GeneralCategoryGroup::Punctuation.contains(categories.get(char)))
            .count();
        // Marks that only one of the two versions of Unicode has.
        assert!(differing < 20, "{differing} characters differ");
        assert!(('\0'..='\u{2fff}').all(|char| is_punctuation(char) == GeneralCategoryGroup::Punctuation.contains(categories.get(char))));
    }

    #[test]
    fn digits_agree_with_icu() {
        use icu_properties::CodePointMapData;
        use icu_properties::props::GeneralCategory;
        let categories = CodePointMapData::<GeneralCategory>::new();
        let differs = |char: &char| is_digit(*char) != (categories.get(*char) == GeneralCategory::DecimalNumber);
        // Scripts that only one of the two versions of Unicode has have ten digits each.
        assert!(('\0'..=char::MAX).filter(differs).count() <= 30);
        assert!(!('\0'..='\u{2fff}').any(|char| differs(&char)));
    }

    #[test]
    fn case_folding_agrees_with_icu() {
        let icu = icu_casemap::CaseMapper::new();
        let (mut by_ours, mut by_icu) = (HashMap::new(), HashMap::new());
        let mut unknown = 0;
        for char in '\0'..=char::MAX {
            let (ours, theirs) = (fold(char).collect::<String>(), icu.fold_string(char.encode_utf8(&mut [0; 4])).into_owned());
            // Letters of a later version of Unicode than the standard library's.
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
