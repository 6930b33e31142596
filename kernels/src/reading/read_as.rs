//! What a text was read as, told to whoever asked: nothing is left out in silence.

use serde::{Deserialize, Serialize};

use super::Encoding;
use crate::{cbor_enum, cbor_struct};

/// What a text was taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ReadFormat))]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text: every symbol counts.
    #[default]
    Plain,
    /// Letters without a header, compared with a file of records: its line ends are left out.
    Sequence,
    /// FASTA: headers, comments and line ends are left out.
    Fasta,
    /// FASTQ: names, qualities and line ends are left out.
    Fastq,
    /// GenBank: only the letters below `ORIGIN` count.
    Genbank,
    /// EMBL: only the letters below `SQ` count.
    Embl,
}

cbor_enum!(Format { 0 Plain, 1 Sequence, 2 Fasta, 3 Fastq, 4 Genbank, 5 Embl });

/// How one text was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ReadAs {
    /// What it was taken for.
    pub format: Format,
    /// Its letters were folded to upper case, as those of a sequence are.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// It begins with a byte order mark, which was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub byte_order_mark: bool,
    /// Records that the file has; none of plain text.
    pub records: u64,
    /// Headers of the first ones, those that are long cut off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Number of the one that was chosen among several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// All of several follow each other without a border. Where neither is said, several are apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joined: bool,
    /// What it was decoded from, if that is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

cbor_struct!(ReadAs { format, folded, byte_order_mark, records, names, record, joined, encoding });

impl ReadAs {
    /// Names that are told at most.
    pub const NAMES: usize = 100;

    /// Characters of a name that are told at most.
    pub const NAME: usize = 200;
}
