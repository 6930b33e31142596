//! Reading compared with other libraries: ICU for normal forms and case folding, needletail for FASTA and FASTQ, and
//! plain code for the rest.

use std::collections::HashMap;

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use kernels::reading::{FastaMode, ReadFormat, ReadingOptions, Unit};
use kernels::text::{Pair, Text};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

/// Letters for the tests: letters whose normal form has several scalar values, letters that combine, that fold to
/// others or to several, white space, and marks.
const LETTERS: [&str; 51] = [
    "a",
    "A",
    "e",
    "É",
    "e\u{301}",
    "\u{301}",
    "\u{307}",
    "\u{323}",
    "q\u{307}\u{323}",
    "q\u{323}\u{307}",
    "\u{958}",
    "\u{915}\u{93c}",
    "\u{93c}",
    "\u{fb2a}",
    "\u{5e9}\u{5c1}",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{ac00}",
    "ß",
    "ẞ",
    "ss",
    "Σ",
    "ς",
    "σ",
    "ǅ",
    "Ǆ",
    "İ",
    "ı",
    "I",
    "ﬁ",
    "\u{345}",
    "ᾳ",
    "\u{212b}",
    "\u{212a}",
    " ",
    "\u{a0}",
    "\n",
    "\r\n",
    "\r",
    "\t",
    ".",
    "’",
    "¿",
    "$",
    "7",
    "٣",
    "½",
    "👍🏽",
    "\u{200d}",
    "\u{feff}",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&LETTERS[..]), 0..14).prop_map(|letters| letters.concat())
}

fn reading() -> impl Strategy<Value = ReadingOptions> {
    let all = (prop::sample::select(&Unit::ALL[1..]), prop::sample::select(&[FastaMode::Auto, FastaMode::Never][..]), any::<[bool; 7]>());
    all.prop_map(|(unit, fasta, flags)| {
        let [case_insensitive, ignore_whitespace, normalize, ignore_line_ends, ignore_punctuation, ignore_accents, ignore_digits] = flags;
        ReadingOptions {
            unit,
            fasta,
            case_insensitive,
            ignore_whitespace,
            normalize,
            ignore_line_ends,
            ignore_punctuation,
            ignore_accents,
            ignore_digits,
            ..ReadingOptions::default()
        }
    })
}

/// Returns whether a character is punctuation.
fn is_punctuation(char: char) -> bool {
    GeneralCategoryGroup::Punctuation.contains(CodePointMapData::<GeneralCategory>::new().get(char))
}

/// Returns whether a character is a decimal digit.
fn is_digit(char: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(char) == GeneralCategory::DecimalNumber
}

/// Returns whether a character is an accent. Only valid for the marks among [`LETTERS`].
fn is_accent(char: char) -> bool {
    let script = CodePointMapData::<Script>::new().get(char);
    let is_mark = CodePointMapData::<GeneralCategory>::new().get(char) == GeneralCategory::NonspacingMark;
    is_mark && [Script::Inherited, Script::Hebrew, Script::Arabic].contains(&script)
}

/// Removes ignored units.
fn counted<'t>(units: Vec<&'t str>, reading: &ReadingOptions) -> Vec<&'t str> {
    let ignored = |char: char| {
        reading.ignore_whitespace && char.is_whitespace()
            || reading.ignore_punctuation && is_punctuation(char)
            || reading.ignore_digits && is_digit(char)
            || reading.ignore_accents && is_accent(char)
    };
    let is_ignored = |unit: &&str| match reading.unit {
        Unit::Lines if unit.trim().is_empty() => reading.ignore_whitespace || reading.ignore_line_ends,
        Unit::Lines if reading.ignore_line_ends => unit.trim_end().chars().all(ignored),
        Unit::Lines => unit.trim_end_matches('\n').chars().all(ignored),
        _ => unit.chars().all(ignored),
    };
    let units: Vec<&str> = units.into_iter().filter(|unit| !is_ignored(unit)).collect();
    if !reading.ignore_line_ends || matches!(reading.unit, Unit::Words | Unit::Lines) {
        return units;
    }
    // Lines without blanks at their ends, with one line end between two lines that are not blank.
    let is_end = |unit: &&str| matches!(*unit, "\n" | "\r" | "\r\n");
    let lines = units.split(is_end).map(|line| {
        let end = line.iter().rposition(|unit| !unit.trim().is_empty()).map_or(0, |last| last + 1);
        line[..end].to_vec()
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(&"\n")
}

/// Returns the keys by which the units of a plain text are compared.
fn keys(text: &str, reading: &ReadingOptions) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let text = if reading.normalize { ComposingNormalizer::new_nfc().normalize(text).into_owned() } else { text.to_owned() };
    let text = if reading.unit == Unit::Lines { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    let units: Vec<&str> = match reading.unit {
        Unit::Bytes | Unit::Chars => text.split("").filter(|unit| !unit.is_empty()).collect(),
        Unit::Graphemes => text.graphemes(true).collect(),
        Unit::Words => text.split_word_bounds().filter(|word| !word.trim().is_empty()).collect(),
        Unit::Lines => text.split_inclusive('\n').collect(),
    };
    let key = |unit: &str| {
        let mut key = unit.to_owned();
        if reading.unit == Unit::Lines {
            key = key.trim_end_matches('\n').to_owned();
        }
        if reading.ignore_punctuation {
            key.retain(|char| !is_punctuation(char));
        }
        if reading.ignore_digits {
            key.retain(|char| !is_digit(char));
        }
        if reading.ignore_line_ends && reading.unit == Unit::Lines {
            key = key.trim_end().to_owned();
        }
        if reading.ignore_whitespace {
            key.retain(|char| !char.is_whitespace());
        }
        if reading.ignore_accents {
            key = DecomposingNormalizer::new_nfd().normalize(&key).chars().filter(|char| !is_accent(*char)).collect();
        }
        if reading.case_insensitive {
            let nfd = DecomposingNormalizer::new_nfd();
            let decomposed = |text: String| if reading.normalize { nfd.normalize(&text).into_owned() } else { text };
            key = decomposed(CaseMapper::new().fold_string(&decomposed(key)).into_owned());
        }
        key
    };
    counted(units, reading).into_iter().map(key).collect()
}

/// Checks that units lie in order, and that each unit is shown as its bytes after normalisation, or as a part of them.
fn maps_back(text: &Text, reading: &ReadingOptions) {
    let mut last = 0..0;
    for at in 0..text.len() {
        let range = text.range(at);
        assert!(range.start >= last.start && range.end >= last.end && !range.is_empty(), "{range:?} after {last:?}");
        let original = String::from_utf8_lossy(&text.bytes()[range.clone()]);
        let shown = text.display_unit(at);
        if reading.normalize {
            let normal = ComposingNormalizer::new_nfc().normalize(&original).into_owned();
            assert!(normal.contains(&shown), "{shown:?} of {original:?}");
        } else {
            assert_eq!(shown, original);
        }
        last = range;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn units_are_equal_exactly_if_icu_says_so(a in text(), b in text(), reading in reading()) {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
        let mut numbers = HashMap::new();
        for (text, symbols, original) in [(&pair.a, pair.a_symbols(), &a), (&pair.b, pair.b_symbols(), &b)] {
            let keys = keys(original, &reading);
            prop_assert_eq!(keys.len(), text.len(), "{:?}", (0..text.len()).map(|at| text.display_unit(at)).collect::<Vec<_>>());
            for (at, key) in keys.into_iter().enumerate() {
                prop_assert_eq!(*numbers.entry(key.clone()).or_insert(symbols.symbol_at(at)), symbols.symbol_at(at), "{:?}", key);
            }
            maps_back(text, &reading);
        }
        prop_assert_eq!(numbers.len(), pair.alphabet() as usize);
    }
}

/// A record: its name, its letters, and the width of its lines.
type Record = (String, String, usize);

fn record() -> impl Strategy<Value = Record> {
    ("[a-zA-Z0-9][ -~]{0,8}[!-~]", "[ACGTNacgtn*-]{0,40}", 1usize..20)
}

/// The style in which a FASTA file is written.
#[derive(Clone, Debug)]
struct Written {
    end: &'static str,
    mark: bool,
    comments: bool,
    blank: &'static str,
}

fn written() -> impl Strategy<Value = Written> {
    let all = (prop::sample::select(&["\n", "\r\n", "\r"][..]), any::<[bool; 2]>(), prop::sample::select(&["", " ", "\t "][..]));
    all.prop_map(|(end, [mark, comments], blank)| Written { end, mark, comments, blank })
}

fn fasta(records: &[Record], how: &Written) -> String {
    let mut file = String::from(if how.mark { "\u{feff}" } else { "" });
    let mut line = |text: &str| file.extend([text, how.end]);
    for (name, letters, width) in records {
        if how.comments {
            line("; a comment, and an empty line");
            line("");
        }
        line(&format!(">{name}{}", how.blank));
        letters.as_bytes().chunks(*width).for_each(|part| line(&format!("{}{}", String::from_utf8_lossy(part), how.blank)));
    }
    file
}

/// Returns the names and letters that needletail finds.
fn parsed(file: &[u8]) -> Vec<(String, String)> {
    let mut reader = needletail::parse_fastx_reader(file).unwrap();
    let mut records = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        records.push((String::from_utf8_lossy(record.id()).into_owned(), String::from_utf8_lossy(&record.seq()).into_owned()));
    }
    records
}

fn shown(text: &Text) -> String {
    (0..text.len()).map(|at| text.display_unit(at)).collect()
}

proptest! {
    #[test]
    fn fasta_letters_agree_with_needletail(one in record(), how in written(), unit in 0usize..3, fasta_or_auto in any::<bool>()) {
        let mut one = one;
        one.1.push('A');
        let reading = ReadingOptions { unit: Unit::ALL[unit], fasta: if fasta_or_auto { FastaMode::Always } else { FastaMode::Auto }, ..ReadingOptions::default() };
        let plain = Written { end: "\n", mark: false, comments: false, blank: "" };
        let (name, letters) = parsed(fasta(std::slice::from_ref(&one), &plain).as_bytes()).remove(0);
        let file = fasta(std::slice::from_ref(&one), &how);
        let pair = Pair::parse(file.as_bytes(), letters.to_lowercase().into_bytes(), &reading).unwrap();
        prop_assert_eq!((pair.a.read_as().format, pair.b.read_as().format), (ReadFormat::Fasta, ReadFormat::Sequence));
        prop_assert_eq!(pair.a.name(), Some(name.as_str()));
        prop_assert_eq!(shown(&pair.a), letters.to_uppercase());
        prop_assert_eq!(pair.a_symbols(), pair.b_symbols());
        for at in 0..pair.a.len() {
            prop_assert_eq!(&pair.a.bytes()[pair.a.range(at)], &one.1.as_bytes()[at..=at]);
        }
    }

    #[test]
    fn fastq_letters_agree_with_needletail(letters in "[ACGTNacgtn]{1,40}", qualities in "[!-~]{40}", end in 0usize..2) {
        let end = ["\n", "\r\n"][end];
        let file = ["@read 1", &letters, "+", &qualities[..letters.len()], ""].join(end);
        let pair = Pair::parse(file.as_bytes(), letters.as_bytes(), &ReadingOptions::default()).unwrap();
        let (name, found) = parsed(file.as_bytes()).remove(0);
        prop_assert_eq!((pair.a.read_as().format, pair.a.name()), (ReadFormat::Fastq, Some(name.as_str())));
        prop_assert_eq!(shown(&pair.a), found.to_uppercase());
        prop_assert_eq!(pair.a_symbols(), pair.b_symbols());
    }
}
