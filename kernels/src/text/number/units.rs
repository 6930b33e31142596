//! Units: numbers units of any length. Two units have the same number if their keys are equal. A key is the unit
//! without what the options ignore ([`key`](fn@crate::reading::key)).
//!
//! Most units are one scalar value, whose number is in a table. Longer units are looked up in a map by their bytes in
//! the text, so that nothing is copied. A key is created only for the first occurrence of a unit, and only if the
//! options ignore a part of units, such as their case.

use std::collections::{HashMap, VecDeque};

use crate::reading::{ReadingOptions, Unit, key, without_end};
use crate::text::{Text, TextSymbols, UnitSpans};

/// Mark for a unit or a border between records that has no number yet.
const NO_NUMBER: u32 = u32::MAX;

/// Number of scalar values in a page. The table of numbers consists of pages. A page is allocated when a value in it
/// occurs.
const PAGE: usize = 256;

/// Numbers the units of all texts, which compare as `reading` says. Returns the symbol numbers of each text, and the
/// number of distinct symbols. All borders between records of the last text have one number, which no unit has.
pub(super) fn number(texts: &[&Text], reading: &ReadingOptions) -> (VecDeque<TextSymbols>, u32) {
    let mut numbers = UnitNumbers { reading, scalars: Vec::new(), units: HashMap::new(), keys: HashMap::new(), alphabet: 0 };
    let mut symbols: Vec<Vec<u32>> = texts.iter().map(|text| numbers.number(text)).collect();
    if let Some((_, last)) = texts.last().zip(symbols.last_mut()).filter(|(text, _)| text.has_separate_records()) {
        let border = numbers.next();
        last.iter_mut().filter(|symbol| **symbol == NO_NUMBER).for_each(|symbol| *symbol = border);
    }
    let is_narrow = numbers.alphabet <= 256;
    let symbols = symbols.into_iter().map(|symbols| match is_narrow {
        true => TextSymbols::Narrow(symbols.into_iter().map(|symbol| symbol as u8).collect()),
        false => TextSymbols::Wide(symbols),
    });
    (symbols.collect(), numbers.alphabet)
}

/// The numbers of the units that have occurred so far.
struct UnitNumbers<'t> {
    reading: &'t ReadingOptions,
    /// Numbers of units of one scalar value, in pages of [`PAGE`] adjacent values. A page without such units is `None`.
    scalars: Vec<Option<Box<[u32; PAGE]>>>,
    /// Numbers of longer units, by their bytes in a text.
    units: HashMap<&'t [u8], u32>,
    /// Numbers by key, if the options ignore a part of units, such as their case. Otherwise unused.
    keys: HashMap<String, u32>,
    alphabet: u32,
}

impl<'t> UnitNumbers<'t> {
    fn number(&mut self, text: &'t Text) -> Vec<u32> {
        let mut symbols = Vec::with_capacity(text.len());
        for part in 0..text.record_count() {
            if part > 0 {
                symbols.push(NO_NUMBER);
            }
            let part = text.record_range(part);
            match (&*text.spans, &text.normalized) {
                (_, Some(normal)) => symbols.extend(part.map(|at| self.of(normal.unit(at).as_bytes(), text))),
                (UnitSpans::Ranges(ranges), None) => {
                    symbols.extend(ranges[part].iter().map(|&(start, end)| self.of(&text.bytes[start as usize..end as usize], text)));
                }
                (UnitSpans::Pieces { .. }, None) => symbols.extend(part.map(|at| self.of(&text.bytes[text.range(at)], text))),
            }
        }
        symbols
    }

    fn of(&mut self, unit: &'t [u8], text: &Text) -> u32 {
        let unit = if self.reading.unit == Unit::Lines { without_end(unit) } else { unit };
        let Some(scalar) = scalar(unit) else {
            if let Some(&number) = self.units.get(unit) {
                return number;
            }
            let number = self.of_key(unit, text);
            self.units.insert(unit, number);
            return number;
        };
        if self.scalars.len() <= scalar / PAGE {
            self.scalars.resize(scalar / PAGE + 1, None);
        }
        let known = self.scalars[scalar / PAGE].get_or_insert_with(|| Box::new([NO_NUMBER; PAGE]))[scalar % PAGE];
        if known != NO_NUMBER {
            return known;
        }
        let number = self.of_key(unit, text);
        if let Some(page) = &mut self.scalars[scalar / PAGE] {
            page[scalar % PAGE] = number;
        }
        number
    }

    /// Returns the number of `unit`, a unit of `text` whose bytes have not occurred before. The number is new unless
    /// another unit has the same key.
    fn of_key(&mut self, unit: &[u8], text: &Text) -> u32 {
        let ReadingOptions { case_insensitive, ignore_whitespace, ignore_line_ends, .. } = self.reading;
        let ReadingOptions { ignore_punctuation, ignore_accents, ignore_digits, .. } = self.reading;
        let ignores_letters = *ignore_punctuation || *ignore_accents || *ignore_digits;
        let folds = *case_insensitive || *ignore_whitespace || *ignore_line_ends || ignores_letters;
        // A byte that is not text equals only itself.
        let is_byte = unit.len() == 1 && !unit.is_ascii();
        if is_byte || !(folds || text.is_upper()) {
            return self.next();
        }
        let key = key(String::from_utf8_lossy(unit), text.is_upper(), self.reading);
        if let Some(&number) = self.keys.get(key.as_ref()) {
            return number;
        }
        let (number, key) = (self.next(), key.into_owned());
        self.keys.insert(key, number);
        number
    }

    fn next(&mut self) -> u32 {
        self.alphabet += 1;
        self.alphabet - 1
    }
}

/// Returns the scalar value that the UTF-8 bytes encode, if they encode exactly one.
fn scalar(unit: &[u8]) -> Option<usize> {
    let value = |lead: u8, rest: &[u8]| rest.iter().fold(usize::from(lead), |value, byte| value << 6 | usize::from(byte & 0x3f));
    match *unit {
        [byte] => Some(byte.into()),
        [lead @ 0xc0..0xe0, ref rest @ ..] if rest.len() == 1 => Some(value(lead & 0x1f, rest)),
        [lead @ 0xe0..0xf0, ref rest @ ..] if rest.len() == 2 => Some(value(lead & 0x0f, rest)),
        [lead @ 0xf0..=0xff, ref rest @ ..] if rest.len() == 3 => Some(value(lead & 0x07, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;
    use crate::reading::FastaMode;
    use crate::text::Pair;

    /// Numbers the keys of all units with a map, in the order of the texts.
    fn one_by_one(texts: [&Text; 2], reading: &ReadingOptions) -> (Vec<Vec<u32>>, usize) {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let symbols = texts.map(|text| {
            let unit = |at: usize| {
                let as_it_stands = || String::from_utf8_lossy(&text.bytes[text.range(at)]);
                let unit = text.normalized.as_ref().map_or_else(as_it_stands, |normal| normal.unit(at).into());
                key(unit, text.is_upper(), reading).into_owned()
            };
            let mut number = |key: String| {
                let next = numbers.len() as u32;
                *numbers.entry(key).or_insert(next)
            };
            (0..text.len()).map(|at| number(unit(at))).collect()
        });
        (symbols.into(), numbers.len())
    }

    #[test]
    fn every_unit_and_option_agrees_with_the_simple_code() {
        let letters = [
            "a",
            "A",
            "ä",
            "Ä",
            "a\u{308}",
            "ß",
            "ẞ",
            "ss",
            "ς",
            "Σ",
            "漢",
            "字",
            "👍🏽",
            "👍",
            "\r\n",
            "\n",
            "\r",
            " ",
            "\u{a0}",
            "K",
            "\u{212a}",
            ".",
            "’",
            "7",
            "٣",
            "\u{7f}",
            "\u{80}",
            "\u{7ff}",
            "\u{800}",
            "\u{ffff}",
            "\u{10000}",
            "\u{10ffff}",
        ];
        for unit in [Unit::Chars, Unit::Graphemes, Unit::Words, Unit::Lines] {
            for options in 0..128 {
                let flag = |bit: u32| options >> bit & 1 == 1;
                let reading = ReadingOptions {
                    unit,
                    fasta: FastaMode::Never,
                    case_insensitive: flag(0),
                    ignore_whitespace: flag(1),
                    normalize: flag(2),
                    ignore_line_ends: flag(3),
                    ignore_punctuation: flag(4),
                    ignore_accents: flag(5),
                    ignore_digits: flag(6),
                    ..ReadingOptions::default()
                };
                for seed in 0..4 {
                    let text = |len, seed| random(&letters, len, seed).concat();
                    let (a, b) = (text(100 * (seed as usize % 3), seed), text(300, seed + 100));
                    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
                    let (expected, alphabet) = one_by_one([&pair.a, &pair.b], &reading);
                    let all = |symbols: &TextSymbols| (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect::<Vec<_>>();
                    assert_eq!([all(pair.a_symbols()), all(pair.b_symbols())].as_slice(), expected, "{reading:?}: {a:?}, {b:?}");
                    assert_eq!(pair.alphabet() as usize, alphabet, "{reading:?}");
                }
            }
        }
    }

    #[test]
    fn single_scalar_values_are_recognized() {
        for char in ('\0'..=char::MAX).step_by(7) {
            assert_eq!(scalar(char.to_string().as_bytes()), Some(char as usize));
        }
        for unit in ["", "ab", "aä", "äa", "漢a", "e\u{301}", "👍🏽"] {
            assert_eq!(scalar(unit.as_bytes()), None, "{unit:?}");
        }
    }
}
