//! Reading: how the bytes of two texts become units, and which units are equal.
//!
//! ```text
//! bytes ─ UTF-8 ─ form (plain text or records; one decision for both) ─ ranges ─ units, from what is left of the bytes ─ keys ─ symbols
//! ```
//!
//! Nothing is left out or folded in silence: [`ReadAs`] says of each text what it was taken for, and a [`Warning`] what is doubtful about it.
//!
//! - [`utf16`]: decoding of UTF-16
//! - [`form`]: whether both texts are plain text or files of records
//! - [`records`]: files of records, taken apart; [`lines`]: where their lines are
//! - [`choice`]: which records make a text
//! - [`units`]: what is left, cut into units
//! - [`normal`]: normalisation form C of a text, with the way back to its bytes
//! - [`layout`]: where records lie among the units
//! - [`mod@key`]: what a unit is compared by
//! - [`read_as`]: what is told about it; [`warning`]: the doubts
//! - [`unicode`]: what Unicode's tables are asked

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cbor_enum;
use crate::failure::{Failure, Wrong, large};
use crate::strand::Strands;

mod choice;
mod form;
mod key;
mod layout;
mod lines;
mod normal;
mod read_as;
mod records;
pub mod unicode;
mod units;
mod utf16;
mod warning;

pub use choice::{Choice, Choices};
pub(crate) use key::{key, without_end};
pub(crate) use layout::Layout;
pub(crate) use normal::Normal;
pub use read_as::{Format, ReadAs};
pub use records::Record;
pub(crate) use units::{Cut, Spans};
pub use utf16::Encoding;
pub use warning::{Warning, WarningKind};

/// What counts as one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes. Any input is valid.
    #[default]
    Bytes,
    /// Unicode scalar values.
    Chars,
    /// Extended grapheme clusters: what a reader calls a letter.
    Graphemes,
    /// Words and punctuation marks; white space between them does not count.
    Words,
    /// Lines; how a line ends does not count.
    Lines,
}

cbor_enum!(Unit { 0 Bytes, 1 Chars, 2 Graphemes, 3 Words, 4 Lines });

impl Unit {
    /// All units, from the smallest to the largest.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Chars, Self::Graphemes, Self::Words, Self::Lines];

    /// Plural name, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Chars => "chars",
            Self::Graphemes => "graphemes",
            Self::Words => "words",
            Self::Lines => "lines",
        }
    }

    /// Whether a sequence can be counted in it, letter by letter: only then texts are read as records.
    fn is_a_letter(self) -> bool {
        matches!(self, Self::Bytes | Self::Chars | Self::Graphemes)
    }
}

/// Whether texts are read as FASTA, FASTQ, GenBank or EMBL: header lines dropped, line ends dropped, letters folded to upper case. Decided for both
/// texts together; where words or lines are counted they are plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fasta {
    /// When one of them is such a file beyond doubt, and the other is one too or letters only. Quoted mail, a diff or a transcript is
    /// plain text.
    #[default]
    Auto,
    /// Never: not a byte is dropped.
    Never,
    /// Always: a text without a header is one record without a name.
    Always,
}

cbor_enum!(Fasta { 0 Auto, 1 Never, 2 Always });

impl Fasta {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Never, Self::Always];

    /// Name, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
            Self::Always => "always",
        }
    }

    /// Whether this is what is done unless somebody says otherwise.
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// How a text is read: the options that decide what its symbols are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reading {
    /// What counts as one symbol.
    pub unit: Unit,
    /// Whether both texts are files of records.
    pub fasta: Fasta,
    /// Units whose full case folding is the same are equal (ASCII letters only, where the unit is a byte).
    pub case_insensitive: bool,
    /// White space does not count.
    pub ignore_whitespace: bool,
    /// Blank lines, white space before line ends and the kind of a line end do not count. A line end stays a symbol between two lines.
    pub ignore_line_ends: bool,
    /// Punctuation (Unicode's general category P) does not count. Files of records have none.
    pub ignore_punctuation: bool,
    /// Accents do not count: combining marks of Latin, Greek and Cyrillic letters, and the points of Hebrew and Arabic ones. Has no
    /// meaning for bytes.
    pub ignore_accents: bool,
    /// A text is brought to Unicode normalisation form C before it is cut into units. Has no meaning for bytes.
    pub normalize: bool,
    /// Whether the reverse complement of the first is read too.
    pub strands: Strands,
}

/// Cuts both texts into units: one decision on what they are, then each for itself. Tells the doubts about that.
///
/// # Errors
/// `BadInput` when a text is not UTF-8 (it names the text and the byte) and the unit is not bytes, when bytes are to be normalised
/// or compared without accents,
/// when the choice of records is none, or when a file has a bad record; `TooLarge` when a text has 4 GiB or more.
pub(crate) fn read(a: Arc<[u8]>, b: Arc<[u8]>, reading: &Reading, choices: &Choices) -> Result<([Cut; 2], Vec<Warning>), Failure> {
    for bytes in [&a, &b] {
        if bytes.len() > u32::MAX as usize {
            return Err(Failure::TooLarge { what: large::BYTES.into(), got: bytes.len() as u64, limit: u32::MAX.into() });
        }
    }
    if reading.unit == Unit::Bytes && reading.ignore_accents {
        let message = "Accents of bytes cannot be ignored. Count in chars or graphemes, or leave ignore_accents off.";
        return Err(Failure::wrong(message, Wrong::BytesHaveNoAccents));
    }
    if reading.unit == Unit::Bytes && reading.normalize {
        let message = "Bytes cannot be normalised. Count in chars or graphemes, or leave normalisation off.";
        return Err(Failure::wrong(message, Wrong::BytesNormalised));
    }
    let originals = [a.len(), b.len()];
    let mut warnings = Vec::new();
    let ((a, a_encoding), (b, b_encoding)) = (decoded("a", a, reading, &mut warnings)?, decoded("b", b, reading, &mut warnings)?);
    let [of_a, of_b] = form::of([&a, &b], reading, &mut warnings)?;
    let (of_a, of_b) = (of_a.choose("a", &a, &choices.a, false)?, of_b.choose("b", &b, &choices.b, choices.many)?);
    let mut cuts = [units::cut("a", a, of_a, reading)?, units::cut("b", b, of_b, reading)?];
    for ((cut, original), encoding) in cuts.iter_mut().zip(originals).zip([a_encoding, b_encoding]) {
        (cut.original, cut.read_as.encoding) = (original, encoding);
    }
    Ok((cuts, warnings))
}

/// A text as UTF-8, and what it was decoded from.
type Decoded = (Arc<[u8]>, Option<Encoding>);

/// Decodes a text that begins with a mark of UTF-16, and notes doubts about its encoding.
fn decoded(who: &str, bytes: Arc<[u8]>, reading: &Reading, warnings: &mut Vec<Warning>) -> Result<Decoded, Failure> {
    let mut warn = |kind| warnings.push(Warning::new(kind, Some(who), None));
    match (Encoding::marked(&bytes), reading.unit) {
        (Some(_), Unit::Bytes) => warn(WarningKind::Utf16AsBytes),
        (Some(encoding), _) => return Ok((encoding.decode(who, &bytes)?, Some(encoding))),
        (None, Unit::Bytes) => {}
        (None, _) if Encoding::unmarked(&bytes).is_some() => warn(WarningKind::LooksLikeUtf16),
        (None, _) => {}
    }
    Ok((bytes, None))
}

#[cfg(test)]
mod tests;
