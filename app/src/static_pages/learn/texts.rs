//! Texts that a teacher enters for the lesson ([`TeacherTexts`]). They must be small enough for every method of the
//! lesson, and for a link.

use explain::matrix::document::MatrixSymbols;
use kernels::job::{JobOptions, Task};
use kernels::reading::FastaMode;
use kernels::text::{Pair, ReadingOptions, Unit};

use crate::model::link::percent::encode;

/// Maximum number of symbols in `a`. The search in slices, one of the methods, takes no more.
pub const MAX_A_SYMBOLS: usize = 16;

/// Maximum number of symbols in `b`.
pub const MAX_B_SYMBOLS: usize = 40;

/// Maximum number of bytes per symbol, on average. Letters with marks and emoji have several.
const BYTES_PER_SYMBOL: usize = 6;

/// Two texts that are small enough for the lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonTexts {
    /// The first text, which is the pattern in searches.
    pub a: String,
    /// The second text, in which searches search for the first one.
    pub b: String,
    distance: u64,
    symbols: (u64, u64),
}

/// The result of reading a teacher's texts from an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TeacherTexts {
    /// The address has no texts, so that the lesson uses its own.
    #[default]
    Nothing,
    /// The texts are unsuitable for the lesson.
    Refused,
    Texts(LessonTexts),
}

impl LessonTexts {
    /// Creates the pair of the texts `a` and `b`. Returns `None` if a text is empty, too long, or has control
    /// characters.
    pub fn new(a: &str, b: &str) -> Option<Self> {
        let fits = |text: &str, most: usize| text.len() <= BYTES_PER_SYMBOL * most && !text.chars().any(char::is_control);
        if !fits(a, MAX_A_SYMBOLS) || !fits(b, MAX_B_SYMBOLS) {
            return None;
        }
        // Texts are read in the same way as typed text in the form of the page.
        let reading = ReadingOptions { unit: Unit::Graphemes, fasta: FastaMode::Never, ..ReadingOptions::default() };
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).ok()?;
        let (sheet, _) = MatrixSymbols::from_pair(Task::EditDistance, &JobOptions::DEFAULT, &pair).ok()?;
        let (m, n) = (sheet.a.len(), sheet.b.len());
        if !(1..=MAX_A_SYMBOLS).contains(&m) || !(1..=MAX_B_SYMBOLS).contains(&n) {
            return None;
        }
        let matrix = sheet.matrix().ok()?;
        let distance = matrix.value(matrix.last()).count().into();
        Some(Self { a: a.to_owned(), b: b.to_owned(), distance, symbols: (m as u64, n as u64) })
    }

    /// Returns the edit distance of both texts.
    pub fn distance(&self) -> u64 {
        self.distance
    }

    /// Returns the number of symbols in `a` and in `b`.
    pub fn symbols(&self) -> (u64, u64) {
        self.symbols
    }

    /// Encodes the texts as a part of an address query or fragment.
    pub fn address(&self) -> String {
        format!("a={}&b={}", encode(&self.a), encode(&self.b))
    }

    /// Returns a hash (FNV-1a) of the texts, from which the questions follow.
    pub fn number(&self) -> u64 {
        let bytes = self.a.bytes().chain([0]).chain(self.b.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

impl TeacherTexts {
    /// Reads the texts from the values of two fields of a form. Two empty or missing values mean that there are no
    /// texts.
    pub fn read(a: Option<&str>, b: Option<&str>) -> Self {
        match (a.unwrap_or_default(), b.unwrap_or_default()) {
            ("", "") => Self::Nothing,
            (a, b) => LessonTexts::new(a, b).map_or(Self::Refused, Self::Texts),
        }
    }

    /// Returns the texts if they are suitable for the lesson.
    pub fn texts(&self) -> Option<&LessonTexts> {
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
    fn lesson_texts_are_short_and_visible() {
        assert_eq!(LessonTexts::new("kitten", "sitting").map(|texts| (texts.distance(), texts.symbols())), Some((3, (6, 7))));
        // Counts like the page: a letter with its combining mark is one symbol.
        assert_eq!(LessonTexts::new("e\u{301}", "e").map(|texts| texts.symbols()), Some((1, 1)));
        assert!(LessonTexts::new(&"a".repeat(MAX_A_SYMBOLS), &"b".repeat(MAX_B_SYMBOLS)).is_some());
        for (a, b) in [
            ("", "x"),
            ("x", ""),
            ("a\nb", "x"),
            (&*"a".repeat(MAX_A_SYMBOLS + 1), "x"),
            ("x", &*"a".repeat(MAX_B_SYMBOLS + 1)),
            ("x", &*"e\u{301}\u{302}".repeat(60)),
        ] {
            assert_eq!(TeacherTexts::read(Some(a), Some(b)), TeacherTexts::Refused, "{a:?} {b:?}");
        }
        assert_eq!(
            [TeacherTexts::read(None, None), TeacherTexts::read(Some(""), Some(""))],
            [TeacherTexts::Nothing, TeacherTexts::Nothing]
        );
        assert_eq!(TeacherTexts::read(Some("a"), None), TeacherTexts::Refused);
    }

    #[test]
    fn address_is_escaped_and_number_identifies_the_texts() {
        let texts = LessonTexts::new("a&b", "c d").unwrap();
        assert_eq!(texts.address(), "a=a%26b&b=c+d");
        let number = |a, b| LessonTexts::new(a, b).unwrap().number();
        assert_ne!(number("ab", "c"), number("a", "bc"));
    }
}
