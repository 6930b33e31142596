//! Texts that a teacher gives. They must be small enough for every method of the lesson, and for a link.

use explain::matrix::Matrix;
use explain::matrix::document::Sheet;
use kernels::job::Task;
use kernels::reading::Fasta;
use kernels::text::{Pair, Reading, Unit};

use crate::model::link::percent::encode;

/// Maximum number of symbols in `a`, which is the limit of the search in slices.
pub const MOST_A: usize = 16;

/// Maximum number of symbols in `b`.
pub const MOST_B: usize = 40;

/// Maximum number of bytes per symbol, on average. Letters with marks and emoji have several.
const BYTES_PER_SYMBOL: usize = 6;

/// Two small texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The pattern in searches.
    pub a: String,
    /// The text in searches.
    pub b: String,
    distance: u64,
    symbols: (u64, u64),
}

/// The result of reading texts from an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// The address has no texts, so that the lesson uses its own.
    #[default]
    Nothing,
    /// The texts are unsuitable for the lesson.
    Refused,
    Texts(Texts),
}

impl Texts {
    /// Creates the pair if both texts are small enough and visible.
    pub fn new(a: &str, b: &str) -> Option<Self> {
        let fits = |text: &str, most: usize| text.len() <= BYTES_PER_SYMBOL * most && !text.chars().any(char::is_control);
        if !fits(a, MOST_A) || !fits(b, MOST_B) {
            return None;
        }
        // Texts are read in the same way as typed text in the form of the page.
        let reading = Reading { unit: Unit::Graphemes, fasta: Fasta::Never, ..Reading::default() };
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).ok()?;
        let (sheet, _) = Sheet::of(Task::EditDistance, &pair).ok()?;
        let (m, n) = (sheet.a.len(), sheet.b.len());
        if !(1..=MOST_A).contains(&m) || !(1..=MOST_B).contains(&n) {
            return None;
        }
        let matrix = Matrix::new(Task::EditDistance, sheet.a_numbers, sheet.b_numbers).ok()?;
        let distance = matrix.value(matrix.last()).into();
        Some(Self { a: a.to_owned(), b: b.to_owned(), distance, symbols: (m as u64, n as u64) })
    }

    /// Returns the edit distance.
    pub fn distance(&self) -> u64 {
        self.distance
    }

    /// Returns the number of symbols in both texts.
    pub fn symbols(&self) -> (u64, u64) {
        self.symbols
    }

    /// Encodes the texts as a part of an address.
    pub fn address(&self) -> String {
        format!("a={}&b={}", encode(&self.a), encode(&self.b))
    }

    /// Returns a hash of the texts: FNV-1a.
    pub fn number(&self) -> u64 {
        let bytes = self.a.bytes().chain([0]).chain(self.b.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

impl Given {
    /// Reads two fields of a form. Two empty fields mean no texts.
    pub fn read(a: Option<&str>, b: Option<&str>) -> Self {
        match (a.unwrap_or_default(), b.unwrap_or_default()) {
            ("", "") => Self::Nothing,
            (a, b) => Texts::new(a, b).map_or(Self::Refused, Self::Texts),
        }
    }

    /// Returns the texts, if any.
    pub fn texts(&self) -> Option<&Texts> {
        match self {
            Self::Texts(texts) => Some(texts),
            Self::Nothing | Self::Refused => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_small_and_can_be_seen() {
        assert_eq!(Texts::new("kitten", "sitting").map(|texts| (texts.distance(), texts.symbols())), Some((3, (6, 7))));
        // Counts like the page: a letter with its combining mark is one symbol.
        assert_eq!(Texts::new("e\u{301}", "e").map(|texts| texts.symbols()), Some((1, 1)));
        assert!(Texts::new(&"a".repeat(MOST_A), &"b".repeat(MOST_B)).is_some());
        for (a, b) in [
            ("", "x"),
            ("x", ""),
            ("a\nb", "x"),
            (&*"a".repeat(MOST_A + 1), "x"),
            ("x", &*"a".repeat(MOST_B + 1)),
            ("x", &*"e\u{301}\u{302}".repeat(60)),
        ] {
            assert_eq!(Given::read(Some(a), Some(b)), Given::Refused, "{a:?} {b:?}");
        }
        assert_eq!([Given::read(None, None), Given::read(Some(""), Some(""))], [Given::Nothing, Given::Nothing]);
        assert_eq!(Given::read(Some("a"), None), Given::Refused);
    }

    #[test]
    fn a_part_of_an_address_is_escaped_and_the_number_is_the_texts() {
        let texts = Texts::new("a&b", "c d").unwrap();
        assert_eq!(texts.address(), "a=a%26b&b=c+d");
        let number = |a, b| Texts::new(a, b).unwrap().number();
        assert_ne!(number("ab", "c"), number("a", "bc"));
    }
}
