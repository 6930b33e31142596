//! Texts of units that were cut before: a few of a large text, which are looked at without the others.
//!
//! Units are not found again by cutting a part of a text: words and grapheme clusters depend on what is around them, records on all lines
//! before. Whoever keeps where the units lie makes a text of some of them here, and they are equal as they are in the whole.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Pair, Spans, Text, number};
use crate::failure::Failure;
use crate::reading::{Normal, ReadAs, Reading, Unit};
use crate::strand::NucleicAcid;

/// A unit that was cut before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownUnit {
    /// Its bytes among those of the text.
    pub range: Range<u32>,
    /// What it is, where that is not its bytes.
    pub normal: Option<String>,
}

impl Text {
    /// A text of these units, without records. `is_upper` where letters of ASCII are folded to upper case as those of a sequence. Time and memory
    /// O(bytes).
    ///
    /// # Errors
    /// `Engine` when a unit lies outside of the bytes.
    pub fn of_known(bytes: Vec<u8>, units: &[KnownUnit], unit: Unit, is_upper: bool) -> Result<Self, Failure> {
        let own = |range: &Range<u32>| bytes.get(range.start as usize..range.end as usize);
        if units.iter().any(|unit| own(&unit.range).is_none()) {
            return Err(Failure::engine("A unit lies outside of its text."));
        }
        let normal = units.iter().any(|unit| unit.normal.is_some()).then(|| {
            let mut normal = Normal::default();
            for KnownUnit { range, normal: made } in units {
                let own = || String::from_utf8_lossy(own(range).unwrap_or_default());
                normal.push(&made.as_deref().map_or_else(own, Cow::Borrowed));
            }
            Arc::new(normal)
        });
        let spans = Spans::Ranges(units.iter().map(|unit| (unit.range.start, unit.range.end)).collect()).into();
        let read_as = ReadAs { folded: is_upper, ..ReadAs::default() };
        let original = bytes.len();
        Ok(Self { bytes: bytes.into(), unit, spans, normal, layout: Arc::default(), name: None, is_strict: true, read_as, original })
    }
}

impl Pair {
    /// Two texts of known units, which are parts of texts in `acid` if both strands are wanted. Two units are equal when they are as
    /// units of texts that were read so. Time and memory O(bytes).
    ///
    /// # Errors
    /// `BadInput` when both strands are wanted of an `a` that has none.
    ///
    /// ```
    /// use kernels::strand::NucleicAcid;
    /// use kernels::text::{KnownUnit, Pair, Reading, Text, Unit};
    ///
    /// let unit = |start, end| KnownUnit { range: start..end, normal: None };
    /// let of = |bytes: &str, units: &[KnownUnit]| Text::of_known(bytes.into(), units, Unit::Words, false);
    /// let reading = Reading { unit: Unit::Words, case_insensitive: true, ..Reading::default() };
    /// let pair = Pair::of_known(of("Red", &[unit(0, 3)])?, of("a red hat", &[unit(2, 5), unit(6, 9)])?, &reading, NucleicAcid::Dna)?;
    /// assert_eq!((pair.a_symbols.at(0), pair.b_symbols.at(0)), (0, 0));
    /// assert_ne!(pair.b_symbols.at(1), 0);
    /// # Ok::<(), kernels::failure::Failure>(())
    /// ```
    pub fn of_known(a: Text, b: Text, reading: &Reading, acid: NucleicAcid) -> Result<Self, Failure> {
        let other = if reading.strands.is_forward() { None } else { Some(a.reversed(acid)?) };
        Ok(number::of_units(&number::Texts { a: &a, other: other.as_ref(), b: &b }, reading).pair(a, other, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// The units of a text, one by one.
    fn units(text: &Text) -> Vec<KnownUnit> {
        let unit = |at: usize| {
            let range = text.range(at);
            let normal = Some(text.show(at)).filter(|shown| shown.as_bytes() != &text.bytes()[range.clone()]);
            KnownUnit { range: range.start as u32..range.end as u32, normal }
        };
        (0..text.len()).map(unit).collect()
    }

    #[test]
    fn known_units_are_equal_as_they_were() {
        let letters =
            ["a", "A", "e\u{301}", "é", "É", "ß", "SS", "\u{958}", "\r\n", "\n", " ", "👍🏽", "漢", "K", "\u{212a}", "x y", ".", "’"];
        for unit in Unit::ALL {
            for options in 0..64 {
                let flag = |bit: u32| options >> bit & 1 == 1;
                let reading = Reading {
                    unit,
                    case_insensitive: flag(0),
                    ignore_whitespace: flag(1),
                    normalize: flag(2) && unit != Unit::Bytes,
                    ignore_line_ends: flag(3),
                    ignore_punctuation: flag(4),
                    ignore_accents: flag(5) && unit != Unit::Bytes,
                    ..Reading::default()
                };
                for seed in 0..3 {
                    let [a, b] = [(40, seed), (90, seed + 100)].map(|(len, seed)| random(&letters, len, seed).concat());
                    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
                    let known = |text: &Text| Text::of_known(text.bytes().to_vec(), &units(text), unit, text.is_upper()).unwrap();
                    // Bytes that are no text are shown otherwise.
                    let again = match unit {
                        Unit::Bytes => continue,
                        _ => Pair::of_known(known(&pair.a), known(&pair.b), &reading, NucleicAcid::Dna).unwrap(),
                    };
                    for (one, two) in [(&pair.a, &again.a), (&pair.b, &again.b)] {
                        assert!((0..one.len()).all(|at| one.show(at) == two.show(at) && one.written(at) == two.written(at)), "{reading:?}");
                    }
                    let symbols = |pair: &Pair| (pair.a_symbols.clone(), pair.b_symbols.clone(), pair.b_lowest.clone());
                    if !matches!(*pair.a.spans, Spans::Pieces { .. }) {
                        assert_eq!(symbols(&pair), symbols(&again), "{reading:?}: {a:?} {b:?}");
                    }
                }
            }
        }
        let outside = KnownUnit { range: 0..2, normal: None };
        assert!(Text::of_known(vec![b'a'], &[outside], Unit::Bytes, false).is_err());
    }
}
