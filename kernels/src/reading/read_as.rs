//! Read as: the report to the client on how a text was read. The report mentions everything that was dropped.

use serde::{Deserialize, Serialize};

use super::TextEncoding;
use crate::{cbor_enum, cbor_struct};

/// The format that a text was read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReadFormat {
    /// Plain text. Every symbol is compared.
    #[default]
    Plain,
    /// Letters without a header that are compared with a file of records. Line ends are dropped.
    Sequence,
    /// FASTA. Headers, comments and line ends are dropped.
    Fasta,
    /// FASTQ. Names, qualities and line ends are dropped.
    Fastq,
    /// GenBank. Only the letters below `ORIGIN` are read.
    Genbank,
    /// EMBL. Only the letters below `SQ` are read.
    Embl,
}

cbor_enum!(ReadFormat { 0 Plain, 1 Sequence, 2 Fasta, 3 Fastq, 4 Genbank, 5 Embl });

/// The report on how one text was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
#[cfg_attr(feature = "schema", schema(as = ReadAs))]
pub struct ReadReport {
    /// Format of the text.
    pub format: ReadFormat,
    /// Whether letters were converted to upper case, as for sequences.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// Whether a byte order mark at the start was dropped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub byte_order_mark: bool,
    /// Number of records in the file, or 0 for plain text.
    pub records: u64,
    /// Headers of the first records. Long headers are cut off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Number of the chosen record, from 0, if the file has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Whether all records were joined without a border. If neither `record` nor `joined` is set, several records are
    /// separate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
    /// Encoding that the text was decoded from, unless it was UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<TextEncoding>,
}

cbor_struct!(ReadReport { format, folded, byte_order_mark, records, names, record, joined, encoding });

impl ReadReport {
    /// Maximum number of records whose headers a report contains.
    pub const MAX_REPORTED_NAMES: usize = 100;

    /// Maximum number of characters of each header in a report.
    pub const MAX_REPORTED_NAME_CHARS: usize = 200;
}
