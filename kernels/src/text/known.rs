//! Known: texts that consist of units that were cut before, such as a few units of a large text for display.
//!
//! Cutting a part of a text again would not give the same units. Words and grapheme clusters depend on the text around
//! them, and records on all lines before them. This module builds a text from stored positions of units. The units
//! compare equal exactly as in the whole text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Pair, Text, UnitSpans, number};
use crate::failure::JobFailure;
use crate::reading::{NormalizedText, ReadReport, ReadingOptions, Unit};
use crate::strand::NucleicAcid;

/// A unit of a text, such as a letter or a word, that was found when the whole text was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownUnit {
    /// Range of the unit's bytes in the text.
    pub range: Range<u32>,
    /// Unit after normalisation, or `None` if the unit equals its bytes.
    pub normal: Option<String>,
}

impl Text {
    /// Creates a text from `bytes` and the units in it, whose ranges are positions in `bytes`. The text has no records.
    /// `unit` is the kind of all units. `is_upper` says that ASCII letters are converted to upper case, as in
    /// sequences. Takes O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `Engine` if a unit lies outside of the bytes.
    pub fn from_known(bytes: Vec<u8>, units: &[KnownUnit], unit: Unit, is_upper: bool) -> Result<Self, JobFailure> {
        let own = |range: &Range<u32>| bytes.get(range.start as usize..range.end as usize);
        if units.iter().any(|unit| own(&unit.range).is_none()) {
            return Err(JobFailure::engine("A unit lies outside of its text."));
        }
        let normal = units.iter().any(|unit| unit.normal.is_some()).then(|| {
            let mut normal = NormalizedText::default();
            for KnownUnit { range, normal: made } in units {
                let own = || String::from_utf8_lossy(own(range).unwrap_or_default());
                normal.push(&made.as_deref().map_or_else(own, Cow::Borrowed));
            }
            Arc::new(normal)
        });
        let spans = UnitSpans::Ranges(units.iter().map(|unit| (unit.range.start, unit.range.end)).collect()).into();
        let read_as = ReadReport { folded: is_upper, ..ReadReport::default() };
        let original = bytes.len();
        Ok(Self {
            bytes: bytes.into(),
            unit,
            spans,
            normalized: normal,
            layout: Arc::default(),
            name: None,
            is_named: false,
            is_strict: true,
            read_as,
            original,
        })
    }
}

impl Pair {
    /// Creates a pair from two texts of [`Text::from_known`]. Units compare as in texts that were read with `reading`.
    /// `acid` is the kind of nucleic acid of the original texts, which is needed if both strands are requested. Takes
    /// O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` if both strands or ambiguity are requested and a symbol is not a nucleotide letter.
    ///
    /// ```
    /// use kernels::strand::NucleicAcid;
    /// use kernels::text::{KnownUnit, Pair, ReadingOptions, Text, Unit};
    ///
    /// let unit = |start, end| KnownUnit { range: start..end, normal: None };
    /// let known = |bytes: &str, units: &[KnownUnit]| Text::from_known(bytes.into(), units, Unit::Words, false);
    /// let reading = ReadingOptions { unit: Unit::Words, case_insensitive: true, ..ReadingOptions::default() };
    /// let (a, b) = (known("Red", &[unit(0, 3)])?, known("a red hat", &[unit(2, 5), unit(6, 9)])?);
    /// let pair = Pair::from_known(a, b, &reading, NucleicAcid::Dna)?;
    /// assert_eq!((pair.a_symbols().symbol_at(0), pair.b_symbols().symbol_at(0)), (0, 0));
    /// assert_ne!(pair.b_symbols().symbol_at(1), 0);
    /// # Ok::<(), kernels::failure::JobFailure>(())
    /// ```
    pub fn from_known(a: Text, b: Text, reading: &ReadingOptions, acid: NucleicAcid) -> Result<Self, JobFailure> {
        let other = if reading.strands.is_forward() { None } else { Some(a.reversed("a", acid)?) };
        let texts = number::TextsToNumber { a: &a, other: other.as_ref(), b: &b };
        let numbered = if reading.ambiguity { number::number_base_sets(&texts)? } else { number::number_units(&texts, reading) };
        Ok(Self::of_numbers(numbered, a, other, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Returns the units of a text, one by one.
    fn units(text: &Text) -> Vec<KnownUnit> {
        let unit = |at: usize| {
            let range = text.range(at);
            let normal = Some(text.display_unit(at)).filter(|shown| shown.as_bytes() != &text.bytes()[range.clone()]);
            KnownUnit { range: range.start as u32..range.end as u32, normal }
        };
        (0..text.len()).map(unit).collect()
    }

    #[test]
    fn cached_units_have_the_same_equality() {
        let letters =
            ["a", "A", "e\u{301}", "é", "É", "ß", "SS", "\u{958}", "\r\n", "\n", " ", "👍🏽", "漢", "K", "\u{212a}", "x y", ".", "’", "7"];
        for unit in Unit::ALL {
            for options in 0..128 {
                let flag = |bit: u32| options >> bit & 1 == 1;
                let reading = ReadingOptions {
                    unit,
                    case_insensitive: flag(0),
                    ignore_whitespace: flag(1),
                    normalize: flag(2) && unit != Unit::Bytes,
                    ignore_line_ends: flag(3),
                    ignore_punctuation: flag(4),
                    ignore_accents: flag(5) && unit != Unit::Bytes,
                    ignore_digits: flag(6),
                    ..ReadingOptions::default()
                };
                for seed in 0..3 {
                    let [a, b] = [(40, seed), (90, seed + 100)].map(|(len, seed)| random(&letters, len, seed).concat());
                    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
                    let known = |text: &Text| Text::from_known(text.bytes().to_vec(), &units(text), unit, text.is_upper()).unwrap();
                    // A byte that is not text has a different form when it is shown.
                    let again = match unit {
                        Unit::Bytes => continue,
                        _ => Pair::from_known(known(&pair.a), known(&pair.b), &reading, NucleicAcid::Dna).unwrap(),
                    };
                    for (one, two) in [(&pair.a, &again.a), (&pair.b, &again.b)] {
                        assert!(
                            (0..one.len()).all(|at| one.display_unit(at) == two.display_unit(at)
                                && one.display_with_ignored(at) == two.display_with_ignored(at)),
                            "{reading:?}"
                        );
                    }
                    let symbols = |pair: &Pair| (pair.a_symbols().clone(), pair.b_symbols().clone(), pair.b_lowest().to_vec());
                    if !matches!(*pair.a.spans, UnitSpans::Pieces { .. }) {
                        assert_eq!(symbols(&pair), symbols(&again), "{reading:?}: {a:?} {b:?}");
                    }
                }
            }
        }
        let outside = KnownUnit { range: 0..2, normal: None };
        assert!(Text::from_known(vec![b'a'], &[outside], Unit::Bytes, false).is_err());
    }
}
