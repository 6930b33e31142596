//! Failure: the reasons why a job has no answer ([`JobFailure`]), and the structured form of errors in its input
//! ([`InputError`]). Two reasons have separate variants only if callers react to them differently.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;
use crate::humanize::cells_in_words;

/// The reason why a job has no answer. The message is a sentence for the user. It quotes nothing from the texts except
/// names of records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Failure))]
pub enum JobFailure {
    /// The texts or the options are invalid. The user must change them.
    #[error("{message}")]
    BadInput {
        /// Sentence that describes the error and its position.
        message: String,
        /// The same error in structured form, so that clients can translate it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        wrong: Option<InputError>,
    },
    /// A limit was exceeded. The user can reduce the job or choose another engine.
    #[error("{what} is {got}, and the limit here is {limit}.")]
    TooLarge {
        /// Quantity that exceeds the limit, as the subject of a sentence: "The number of cells". Quantities that users
        /// may see are in [`large`].
        what: String,
        /// Value of the quantity.
        got: u64,
        /// Maximum allowed value.
        limit: u64,
    },
    /// The engine failed. The same job may succeed on another attempt or engine.
    #[error("{message}")]
    Engine {
        /// Sentence that describes the failed operation.
        message: String,
    },
    /// The server stopped before the run ended.
    #[error("The server stopped before this job was done. Run it again.")]
    Interrupted,
    /// The job ran longer than this server allows.
    #[error("The job was stopped after {seconds} s, the longest that a job may run here{}.", reached_in_words(.reached))]
    OutOfTime {
        /// Limit, in seconds.
        seconds: u64,
        /// Cells computed and cells expected when the job was stopped. Absent if the computation had not begun.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reached: Option<[u64; 2]>,
    },
}

cbor_enum!(JobFailure {
    0 BadInput { message, wrong },
    1 TooLarge { what, got, limit },
    2 Engine { message },
    3 Interrupted,
    4 OutOfTime { seconds, reached },
});

/// Formats the end of the time-out message from `reached`, the computed and the expected number of cells: ", when about
/// 12% of its 2.5 × 10¹³ cells were filled".
fn reached_in_words(reached: &Option<[u64; 2]>) -> String {
    reached.map_or_else(String::new, |[done, total]| {
        let percent = 100.0 * done as f64 / total.max(1) as f64;
        let share = if percent < 1.0 { "less than 1".to_owned() } else { format!("about {}", percent.round_ties_even() as u64) };
        format!(", when {share}% of {} were filled", cells_in_words(total))
    })
}

/// An error in the texts or the options of a job, in structured form, so that clients can translate the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "what", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Wrong))]
pub enum InputError {
    /// A text is not valid UTF-8, but the unit requires UTF-8.
    NotUtf8 {
        /// The text with the error, `a` or `b`.
        text: String,
        /// Position of the first invalid byte.
        byte: u64,
        /// Whether the text looks like UTF-16 without a byte order mark.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        utf16: bool,
    },
    /// A file has several records, but the task needs one text.
    SeveralRecords {
        /// The text with the error, `a` or `b`.
        text: String,
        /// Number of records in the file.
        records: u64,
        /// Names of the first records. Long names are cut off.
        names: Vec<String>,
    },
    /// A text lacks the requested record.
    NoRecord {
        /// The text with the error, `a` or `b`.
        text: String,
        /// Number of records in the file, or 0 for plain text.
        records: u64,
        /// Names of the first records. Long names are cut off.
        names: Vec<String>,
    },
    /// The pattern of a search on both strands has a symbol that is not a nucleotide letter.
    NoNucleotide {
        /// Name of the pattern, `a` if there is one pattern.
        #[serde(default = "the_only_pattern")]
        text: String,
        /// Position of the symbol, from 0.
        at: u64,
    },
    /// A symbol is no letter for a set of bases, although the job asks for ambiguity.
    NoBaseCode {
        /// Name of the text with the error: `a`, `b`, or that of a pattern, a file or a record.
        text: String,
        /// Position of the symbol in this text, from 0.
        at: u64,
        /// The symbol.
        symbol: String,
    },
    /// The job asks for Unicode normalisation of bytes.
    BytesNormalised,
    /// The job asks to ignore accents in bytes.
    BytesHaveNoAccents,
    /// The content is too long for a QR code.
    LongForCode,
    /// A text begins with the byte order mark of UTF-16, but is not valid UTF-16.
    NotUtf16 {
        /// The text with the error, `a` or `b`.
        text: String,
        /// Position of the first invalid byte.
        byte: u64,
    },
    /// A record of a sequence file violates its format.
    BadRecord {
        /// The text with the error, `a` or `b`.
        text: String,
        /// Number of the record, from 0, if records are numbered.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        record: Option<u64>,
        /// First word of the record's header.
        name: String,
        /// Number of the line at which the record begins, or of the invalid line; from 1.
        line: u64,
        /// Kind of the error.
        fault: RecordFault,
    },
}

/// Returns the name of the pattern of a failure that an earlier version of the program has stored.
fn the_only_pattern() -> String {
    "a".into()
}

cbor_enum!(InputError {
    0 NotUtf8 { text, byte, utf16 },
    1 SeveralRecords { text, records, names },
    2 NoRecord { text, records, names },
    3 NoNucleotide { text, at },
    4 BytesNormalised,
    5 LongForCode,
    6 NotUtf16 { text, byte },
    7 BadRecord { text, record, name, line, fault },
    8 BytesHaveNoAccents,
    9 NoBaseCode { text, at, symbol },
});

/// A way in which a record violates its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordFault {
    /// The file ends inside the record.
    BreaksOff,
    /// The numbers of qualities and letters differ.
    Qualities,
    /// A line does not belong to the format.
    Line,
    /// The record has no sequence.
    NoSequence,
}

cbor_enum!(RecordFault { 0 BreaksOff, 1 Qualities, 2 Line, 3 NoSequence });

/// Names of the quantities in [`JobFailure::TooLarge`]. Each is the subject of a sentence.
pub mod large {
    /// Cells that a job is expected to compute.
    pub const CELLS: &str = "The number of cells";
    /// Expected duration of a job, in seconds.
    pub const SECONDS: &str = "The expected time in seconds";
    /// Length of the longer text of a job, in symbols.
    pub const SYMBOLS: &str = "The length of the longer text in symbols";
    /// Number of distinct symbols in both texts.
    pub const DISTINCT: &str = "The number of distinct symbols";
    /// Size of a text before it is cut into units, in bytes.
    pub const BYTES: &str = "The size of a text in bytes";
    /// Length of the longer text of a matrix that is shown cell by cell.
    pub const MATRIX: &str = "The longer text of a matrix";
    /// Number of rows of the side-by-side view.
    pub const ROWS: &str = "The number of lines side by side";
    /// GPU memory that both texts of a job need, in bytes.
    pub const GPU_TEXTS: &str = "The GPU memory that texts of this length need, in bytes,";
    /// GPU memory that the pattern of a search needs, in bytes.
    pub const GPU_PATTERN: &str = "The GPU memory that a pattern of this length needs, in bytes,";
    /// Number of matrix cells that are recomputed to show the distances around a hit.
    pub const DISTANCES: &str = "The number of cells of these distances";
    /// Length of the pattern for which distances are recomputed for display, in symbols.
    pub const PATTERN: &str = "The pattern of these distances, in symbols,";

    /// Length of a pattern with ambiguity codes, in letters.
    pub const AMBIGUOUS_PATTERN: &str = "The pattern with ambiguity codes, in letters,";

    /// Number of scores of all pairs of a collection.
    pub const SCORES: &str = "The number of scores";

    /// Number of pairs of a collection that the answer keeps.
    pub const KEPT_PAIRS: &str = "The number of kept pairs";

    /// Number of patterns of a search for many.
    pub const PATTERNS: &str = "The number of patterns";

    /// Number of hits of all patterns.
    pub const HITS: &str = "The number of hits";

    /// All names in this module.
    pub const ALL: [&str; 16] = [
        CELLS,
        SECONDS,
        SYMBOLS,
        DISTINCT,
        BYTES,
        MATRIX,
        ROWS,
        GPU_TEXTS,
        GPU_PATTERN,
        DISTANCES,
        PATTERN,
        AMBIGUOUS_PATTERN,
        SCORES,
        KEPT_PAIRS,
        PATTERNS,
        HITS,
    ];
}

impl JobFailure {
    /// Creates a [`JobFailure::BadInput`] with the sentence `message`.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::BadInput { message: message.into(), wrong: None }
    }

    /// Creates a [`JobFailure::BadInput`] with the sentence `message`, and the same error in structured form as
    /// `wrong`.
    pub fn wrong(message: impl Into<String>, wrong: InputError) -> Self {
        Self::BadInput { message: message.into(), wrong: Some(wrong) }
    }

    /// Creates a [`JobFailure::Engine`] with the sentence `message`.
    pub fn engine(message: impl Into<String>) -> Self {
        Self::Engine { message: message.into() }
    }

    /// Returns the name of the failure's kind in JSON, such as `too-large`. It never changes.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::BadInput { .. } => "bad-input",
            Self::TooLarge { .. } => "too-large",
            Self::Engine { .. } => "engine",
            Self::Interrupted => "interrupted",
            Self::OutOfTime { .. } => "out-of-time",
        }
    }
}
