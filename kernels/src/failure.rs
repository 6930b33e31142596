//! Failure: why there is no answer. Split only where somebody acts differently on it.

use serde::{Deserialize, Serialize};

use crate::cbor_enum;
use crate::words::cells_in_words;

/// Why a job has no answer. The text is a sentence for the visitor; of what the visitor typed it quotes names of records only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Failure {
    /// The texts or the options cannot be used: the visitor changes them.
    #[error("{message}")]
    BadInput {
        /// What is wrong and where.
        message: String,
        /// The same in figures, where somebody may say it in another language.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        wrong: Option<Wrong>,
    },
    /// A limit was hit: the visitor asks for less or goes to another engine.
    #[error("{what} is {got}, and the limit here is {limit}.")]
    TooLarge {
        /// What was too large, as the subject of a sentence: "The number of cells". Those that a visitor may meet stand in [`large`].
        what: String,
        /// How large it is.
        got: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The engine failed: the same job may work again or elsewhere.
    #[error("{message}")]
    Engine {
        /// What failed while doing what.
        message: String,
    },
    /// The server stopped before the run ended.
    #[error("The server stopped before this job was done. Run it again.")]
    Interrupted,
    /// The job ran longer than this server allows.
    #[error("The job was stopped after {seconds} s, the longest that a job may run here{}.", reached_in_words(.reached))]
    OutOfTime {
        /// The limit in seconds.
        seconds: u64,
        /// How far it came: cells that were filled, of so many that it expected to fill; nothing where it had not begun.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reached: Option<[u64; 2]>,
    },
}

cbor_enum!(Failure {
    0 BadInput { message, wrong },
    1 TooLarge { what, got, limit },
    2 Engine { message },
    3 Interrupted,
    4 OutOfTime { seconds, reached },
});

/// ", when about 12% of its 2.5 × 10¹³ cells were filled"
fn reached_in_words(reached: &Option<[u64; 2]>) -> String {
    reached.map_or_else(String::new, |[done, total]| {
        let percent = 100.0 * done as f64 / total.max(1) as f64;
        let share = if percent < 1.0 { "less than 1".to_owned() } else { format!("about {}", percent.round_ties_even() as u64) };
        format!(", when {share}% of {} were filled", cells_in_words(total))
    })
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Wrong {
    /// A text is counted in units that only UTF-8 has.
    NotUtf8 {
        /// Which text, `a` or `b`.
        text: String,
        /// The first byte that does not fit.
        byte: u64,
        /// It looks like UTF-16 without a byte order mark.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        utf16: bool,
    },
    /// A file has several records, and one text is asked for.
    SeveralRecords {
        /// Which text, `a` or `b`.
        text: String,
        /// How many records it has.
        records: u64,
        /// The first ones' names, those that are long cut off.
        names: Vec<String>,
    },
    /// A text has no record like the one that was asked for.
    NoRecord {
        /// Which text, `a` or `b`.
        text: String,
        /// How many records it has; none of plain text.
        records: u64,
        /// The first ones' names, those that are long cut off.
        names: Vec<String>,
    },
    /// What is looked for on both strands has a symbol that is no letter of a nucleotide.
    NoNucleotide {
        /// Its position, from 0.
        at: u64,
    },
    /// Bytes have no normal form.
    BytesNormalised,
    /// Bytes have no accents that could be ignored.
    BytesHaveNoAccents,
    /// It does not fit a QR code.
    LongForCode,
    /// A text begins with the byte order mark of UTF-16, and is none.
    NotUtf16 {
        /// Which text, `a` or `b`.
        text: String,
        /// The first byte that does not fit.
        byte: u64,
    },
    /// A file of sequences has a record that is not as its format asks for.
    BadRecord {
        /// Which text, `a` or `b`.
        text: String,
        /// Number of the record, from 0, where records are told apart.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        record: Option<u64>,
        /// The first word of its header.
        name: String,
        /// The line in which it begins, or which does not fit; from 1.
        line: u64,
        /// What is wrong with it.
        fault: RecordFault,
    },
}

cbor_enum!(Wrong {
    0 NotUtf8 { text, byte, utf16 },
    1 SeveralRecords { text, records, names },
    2 NoRecord { text, records, names },
    3 NoNucleotide { at },
    4 BytesNormalised,
    5 LongForCode,
    6 NotUtf16 { text, byte },
    7 BadRecord { text, record, name, line, fault },
    8 BytesHaveNoAccents,
});

/// A way in which a record is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordFault {
    /// The file ends before the record does.
    BreaksOff,
    /// It has not as many qualities as letters.
    Qualities,
    /// A line is none of its format.
    Line,
}

cbor_enum!(RecordFault { 0 BreaksOff, 1 Qualities, 2 Line });

/// What can be too large.
pub mod large {
    /// Cells that a job is expected to fill.
    pub const CELLS: &str = "The number of cells";
    /// How long a job is expected to take.
    pub const SECONDS: &str = "The expected time in seconds";
    /// The longer text of a job.
    pub const SYMBOLS: &str = "The length of the longer text in symbols";
    /// How many symbols differ from each other.
    pub const DISTINCT: &str = "The number of distinct symbols";
    /// A text before it is read.
    pub const BYTES: &str = "The size of a text in bytes";
    /// The longer text of a matrix that is looked at.
    pub const MATRIX: &str = "The longer text of a matrix";
    /// Rows of two editions.
    pub const ROWS: &str = "The number of lines side by side";
    /// What a GPU needs for two texts.
    pub const GPU_TEXTS: &str = "The GPU memory that texts of this length need, in bytes,";
    /// What a GPU needs for a pattern.
    pub const GPU_PATTERN: &str = "The GPU memory that a pattern of this length needs, in bytes,";
    /// Distances that are made again when they are looked at.
    pub const DISTANCES: &str = "The number of cells of these distances";
    /// The pattern of such distances.
    pub const PATTERN: &str = "The pattern of these distances, in symbols,";

    /// All of them.
    pub const ALL: [&str; 11] = [CELLS, SECONDS, SYMBOLS, DISTINCT, BYTES, MATRIX, ROWS, GPU_TEXTS, GPU_PATTERN, DISTANCES, PATTERN];
}

impl Failure {
    /// Bad input with this sentence.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::BadInput { message: message.into(), wrong: None }
    }

    /// Bad input with this sentence, which says what is `wrong`.
    pub fn wrong(message: impl Into<String>, wrong: Wrong) -> Self {
        Self::BadInput { message: message.into(), wrong: Some(wrong) }
    }

    /// The engine failed with this sentence.
    pub fn engine(message: impl Into<String>) -> Self {
        Self::Engine { message: message.into() }
    }

    /// Stable name of the kind, the same as on the wire.
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
