//! Reading: converts the bytes of two texts to units, and defines which units are equal.
//!
//! ```text
//! bytes ─ UTF-8 ─ form (plain text or records; one decision for both) ─ ranges ─ units of the remaining bytes ─ keys ─ symbols
//! ```
//!
//! Nothing is dropped or folded silently: [`ReadReport`] reports for each text what it was read as, and a [`ReadWarning`]
//! reports doubts.
//!
//! - [`shared_bytes`]: bytes in the memory of a caller
//! - [`utf16`]: decodes UTF-16
//! - [`byte_order_mark`]: the length of marks at the start of a text
//! - [`text_format`]: decides whether both texts are plain text or files of records
//! - [`records`]: parses files of records; [`lines`]: iterates over their lines
//! - [`choice`]: selects the records of a text
//! - [`units`]: cuts the remaining text into units
//! - [`normalization`]: converts a text to normalisation form C, with a map back to its bytes
//! - [`layout`]: positions of records among the units
//! - [`mod@key`]: keys that units are compared by
//! - [`read_as`]: the report on a text; [`warning`]: the doubts
//! - [`unicode`]: queries to Unicode's tables

use serde::{Deserialize, Serialize};

use crate::cbor_enum;
use crate::failure::{InputError, JobFailure, large};
use crate::strand::SearchStrands;

mod byte_order_mark;
mod choice;
mod key;
mod layout;
mod lines;
mod normalization;
mod read_as;
mod records;
mod shared_bytes;
mod text_format;
pub mod unicode;
mod units;
mod utf16;
mod warning;

pub use byte_order_mark::mark_len;
pub use choice::{PairRecordChoices, RecordChoice};
pub(crate) use key::{key, without_end};
pub(crate) use layout::RecordLayout;
pub(crate) use normalization::NormalizedText;
pub use read_as::{ReadFormat, ReadReport};
pub use records::ChosenRecord;
pub use shared_bytes::SharedBytes;
pub use units::utf8;
pub(crate) use units::{CutText, UnitSpans};
pub use utf16::TextEncoding;
pub use warning::{ReadWarning, WarningKind};

/// The unit that counts as one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes. Every input is valid.
    #[default]
    Bytes,
    /// Unicode scalar values.
    Chars,
    /// Extended grapheme clusters: characters as users perceive them.
    Graphemes,
    /// Words and punctuation marks. White space between them is ignored.
    Words,
    /// Lines. The kind of line end is ignored.
    Lines,
}

cbor_enum!(Unit { 0 Bytes, 1 Chars, 2 Graphemes, 3 Words, 4 Lines });

impl Unit {
    /// All units, in ascending order of their usual length.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Chars, Self::Graphemes, Self::Words, Self::Lines];

    /// Returns the name of the unit in JSON, such as `graphemes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Chars => "chars",
            Self::Graphemes => "graphemes",
            Self::Words => "words",
            Self::Lines => "lines",
        }
    }

    /// Returns whether a unit never consists of several letters. Only such units allow texts to be read as records, in
    /// which every letter is a symbol.
    fn is_a_letter(self) -> bool {
        matches!(self, Self::Bytes | Self::Chars | Self::Graphemes)
    }
}

/// The choice whether texts are read as sequence files (FASTA, FASTQ, GenBank or EMBL). Reading removes header lines
/// and line ends and converts letters to upper case. The decision applies to both texts together. If the unit is words
/// or lines, texts are plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Fasta))]
pub enum FastaMode {
    /// Both texts are read as sequence files if one certainly is a sequence file, and the other is one too or consists
    /// of letters only. Quoted mail, a diff or a transcript is plain text.
    #[default]
    Auto,
    /// Both texts are read as plain text, from which no header or line end is removed.
    Never,
    /// Both texts are read as sequence files. A text without a header is one record without a name.
    Always,
}

cbor_enum!(FastaMode { 0 Auto, 1 Never, 2 Always });

impl FastaMode {
    /// All values, with the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Never, Self::Always];

    /// Returns the name of the value in JSON, such as `auto`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
            Self::Always => "always",
        }
    }

    /// Returns whether the value is `Auto`, which is the default.
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// The options that decide how texts are cut into units (symbols), and which units are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReadingOptions {
    /// Unit that is regarded as one symbol.
    pub unit: Unit,
    /// Whether the texts are read as files of records, such as FASTA, or as plain text.
    pub fasta: FastaMode,
    /// Whether units with the same full case folding are equal. For bytes, only ASCII letters are folded.
    pub case_insensitive: bool,
    /// Whether white space is ignored.
    pub ignore_whitespace: bool,
    /// Whether blank lines, white space before line ends and the kind of a line end are ignored. A line end between two
    /// lines remains a symbol.
    pub ignore_line_ends: bool,
    /// Whether punctuation (Unicode's general category P) is ignored. Has no effect on files of records, which have no
    /// punctuation.
    pub ignore_punctuation: bool,
    /// Whether accents are ignored: combining marks of Latin, Greek and Cyrillic letters, and the points of Hebrew and
    /// Arabic letters. An error for bytes.
    pub ignore_accents: bool,
    /// Whether decimal digits (Unicode's general category Nd) are ignored. Has no effect on files of records, which have
    /// no digits.
    pub ignore_digits: bool,
    /// Whether text is converted to Unicode normalisation form C before it is cut into units. An error for bytes.
    pub normalize: bool,
    /// Whether each letter stands for a set of bases, as IUPAC defines. Both texts must then consist of these letters.
    pub ambiguity: bool,
    /// Strands that a search covers. For both strands, the reverse complement of `a` is read too.
    pub strands: SearchStrands,
}

/// Cuts `a` and `b` into units. Returns both texts, and warnings if it is doubtful how they should be read. Either both
/// texts are read as files of records, or both as plain text. `choices` selects the records.
///
/// # Errors
/// Returns `BadInput` in these cases:
///
/// - a text is not UTF-8 and the unit is not bytes (the error names the text and the byte)
/// - bytes are to be normalised or compared without accents
/// - `choices` names a record that a file lacks, or none of several records although the task needs a single one
/// - a file has a bad record
///
/// Returns `TooLarge` if a text has 4 GiB or more.
pub(crate) fn read(
    a: SharedBytes,
    b: SharedBytes,
    reading: &ReadingOptions,
    choices: &PairRecordChoices,
) -> Result<([CutText; 2], Vec<ReadWarning>), JobFailure> {
    for bytes in [&a, &b] {
        check_size(bytes)?;
    }
    check_options(reading)?;
    let originals = [a.len(), b.len()];
    let mut warnings = Vec::new();
    let ((a, a_encoding), (b, b_encoding)) = (decoded("a", a, reading, &mut warnings)?, decoded("b", b, reading, &mut warnings)?);
    let [of_a, of_b] = text_format::choose_formats([&a, &b], reading, &mut warnings)?;
    let (of_a, of_b) = (of_a.choose("a", &a, &choices.a, false)?, of_b.choose("b", &b, &choices.b, choices.allows_many)?);
    let mut cuts = [units::cut("a", a, of_a, reading)?, units::cut("b", b, of_b, reading)?];
    for ((cut, original), encoding) in cuts.iter_mut().zip(originals).zip([a_encoding, b_encoding]) {
        (cut.original, cut.read_as.encoding) = (original, encoding);
    }
    Ok((cuts, warnings))
}

/// Checks that positions in a text of these bytes fit 32 bits.
fn check_size(bytes: &[u8]) -> Result<(), JobFailure> {
    if bytes.len() > u32::MAX as usize {
        return Err(JobFailure::TooLarge { what: large::BYTES.into(), got: bytes.len() as u64, limit: u32::MAX.into() });
    }
    Ok(())
}

/// Checks that the options fit the unit.
fn check_options(reading: &ReadingOptions) -> Result<(), JobFailure> {
    if reading.unit == Unit::Bytes && reading.ignore_accents {
        let message = "Accents of bytes cannot be ignored. Count in chars or graphemes, or leave out `ignore_accents`.";
        return Err(JobFailure::wrong(message, InputError::BytesHaveNoAccents));
    }
    if reading.unit == Unit::Bytes && reading.normalize {
        let message = "Bytes cannot be normalised. Count in chars or graphemes, or leave out `normalize`.";
        return Err(JobFailure::wrong(message, InputError::BytesNormalised));
    }
    Ok(())
}

/// The records that one text of a collection may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceRecords {
    /// The text is plain text or a file of one record.
    Single,
    /// The text is plain text or a file of records, each of which is separate.
    Any,
    /// The text is a file of records with headers, each of which is separate.
    Separate,
}

/// A text of a collection, decoded to UTF-8.
#[derive(Debug)]
pub(crate) struct SourceText {
    /// Name of the text in errors.
    pub(crate) name: String,
    pub(crate) bytes: SharedBytes,
    encoding: Option<TextEncoding>,
    /// Number of bytes before decoding.
    original: usize,
}

impl SourceText {
    /// Decodes the text `bytes`. Adds a warning to `warnings` if its encoding is doubtful.
    ///
    /// # Errors
    /// Returns `BadInput` if the text is invalid UTF-16 or the options do not fit the unit, and `TooLarge` if it has 4 GiB or
    /// more.
    pub(crate) fn decode(
        name: String,
        bytes: SharedBytes,
        reading: &ReadingOptions,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<Self, JobFailure> {
        check_size(&bytes)?;
        check_options(reading)?;
        let original = bytes.len();
        let (bytes, encoding) = decoded(&name, bytes, reading, warnings)?;
        Ok(Self { name, bytes, encoding, original })
    }

    /// Cuts this text into units. If `reading` leaves the format open, the text alone decides. Adds doubts to `warnings`.
    ///
    /// # Errors
    /// Returns the errors of [`read`], and `BadInput` if the text has other records than `records` allows.
    pub(crate) fn cut(
        self,
        reading: &ReadingOptions,
        records: SourceRecords,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<CutText, JobFailure> {
        let Self { name, bytes, encoding, original } = self;
        let form = text_format::choose_format(&name, &bytes, reading, records == SourceRecords::Separate, warnings)?;
        let form = form.choose_all(&name, &bytes, records != SourceRecords::Single)?;
        let mut cut = units::cut(&name, bytes, form, reading)?;
        (cut.original, cut.read_as.encoding) = (original, encoding);
        Ok(cut)
    }
}

/// Decides whether the texts of a collection are read as files of records or as plain text, all alike. They are files if one
/// certainly is a file, and every other one is a file or consists of letters only. `has_file` says that another text of the
/// collection is a file.
///
/// # Errors
/// Returns `BadInput` if the texts are files and one is FASTQ with a bad record.
pub(crate) fn common_fasta_mode(texts: &[&SourceText], reading: &ReadingOptions, has_file: bool) -> Result<FastaMode, JobFailure> {
    match reading.fasta {
        FastaMode::Auto if reading.unit.is_a_letter() => text_format::common_mode(texts, has_file),
        FastaMode::Auto => Ok(FastaMode::Never),
        mode => Ok(mode),
    }
}

/// The bytes of a text after decoding to UTF-8, and the encoding from which they were decoded. The encoding is `None`
/// if the bytes were left as they are.
type DecodedText = (SharedBytes, Option<TextEncoding>);

/// Converts `bytes` from UTF-16 to UTF-8 if they begin with a byte order mark of UTF-16, unless units are bytes.
/// Returns the bytes and their original encoding. Adds a warning to `warnings` if the encoding is doubtful. `who` names
/// the text in errors.
fn decoded(who: &str, bytes: SharedBytes, reading: &ReadingOptions, warnings: &mut Vec<ReadWarning>) -> Result<DecodedText, JobFailure> {
    let mut warn = |kind| warnings.push(ReadWarning::new(kind, Some(who), None));
    match (TextEncoding::marked(&bytes), reading.unit) {
        (Some(_), Unit::Bytes) => warn(WarningKind::Utf16AsBytes),
        (Some(encoding), _) => return Ok((encoding.decode(who, &bytes)?, Some(encoding))),
        (None, Unit::Bytes) => {}
        (None, _) if TextEncoding::unmarked(&bytes).is_some() => warn(WarningKind::LooksLikeUtf16),
        (None, _) => {}
    }
    Ok((bytes, None))
}

#[cfg(test)]
mod tests;
