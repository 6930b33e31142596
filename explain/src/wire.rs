//! What the HTTP API says around the kernels' own types: bodies of requests and answers, one type each for the server that writes
//! them, the page and the tests that read them, and the OpenAPI document (feature `schema`).
//!
//! Ids and addresses are text here: whether there is something under them only the server knows. Numbers are of symbols or columns
//! unless their names say otherwise.

use std::ops::Not;

use kernels::found::Span;
use kernels::job::Task;
use kernels::plan::{EngineName, Offer};
use serde::{Deserialize, Serialize};

use crate::editions::{Move, Outline, Twin};
use crate::seen::{Passage, Seen};
use crate::snapshot::Snapshot;
use crate::window::Bin;

/// A job that was taken: where it can be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Taken {
    /// Its id.
    pub id: String,
    /// Address of its snapshot.
    pub status_url: String,
    /// Address of its events.
    pub events_url: String,
    /// What deletes it with its result, shown this once.
    pub delete_token: String,
    /// How long it is kept when it has ended, in seconds.
    #[serde(default)]
    pub keep_seconds: u64,
    /// Whether it is, or has the answer of, a job that the same client sent before.
    #[serde(skip_serializing_if = "Not::not", default)]
    pub reused: bool,
}

/// A job that has ended in the time that its request waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Answered {
    /// Where it stands.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// What deletes it with its result, shown this once.
    pub delete_token: String,
    /// How long it is kept when it has ended, in seconds.
    #[serde(default)]
    pub keep_seconds: u64,
    /// Whether it is, or has the answer of, a job that the same client sent before.
    #[serde(skip_serializing_if = "Not::not", default)]
    pub reused: bool,
}

/// What an upload was compressed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Packed {
    /// One or more members of gzip, which bgzip is too.
    Gzip,
    /// One or more frames of Zstandard.
    Zstd,
}

impl Packed {
    /// Name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// An upload that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Uploaded {
    /// Its id, which a job names.
    pub id: String,
    /// What deletes it, shown this once.
    pub delete_token: String,
    /// When it is deleted without that, in seconds since 1970.
    #[serde(default)]
    pub expires_at: u64,
    /// Size of the text: after it was unpacked.
    pub bytes: u64,
    /// What it was compressed as.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unpacked_from: Option<Packed>,
    /// Bytes behind the gzip data that are no gzip and were ignored.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub ignored_bytes: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What two texts are called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Names {
    /// The first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

/// How long a link lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Lifetime {
    /// One day.
    #[serde(rename = "1d")]
    Day,
    /// Thirty days.
    #[serde(rename = "30d")]
    Month,
    /// Until somebody deletes it.
    #[serde(rename = "until-deleted")]
    UntilDeleted,
}

impl Lifetime {
    /// Name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "1d",
            Self::Month => "30d",
            Self::UntilDeleted => "until-deleted",
        }
    }

    /// Seconds; `None` where it has no end.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Day => Some(86_400),
            Self::Month => Some(30 * 86_400),
            Self::UntilDeleted => None,
        }
    }
}

/// Bytes of the view of a class code, at most.
pub const MAX_VIEW_BYTES: usize = 500;

/// A result that shall be shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// Id of the job that it is the result of.
    pub job: String,
    /// For how long.
    pub lifetime: Lifetime,
    /// What the texts are called, where they do not say it themselves.
    #[serde(default)]
    pub names: Names,
    /// Whether the link gets a class code too, a short word to type. Its lifetime is `1d` then.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub class_code: bool,
    /// The view that the class code opens, as it stands behind the `#` of an address; at most 500 bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub view: Option<String>,
}

/// A link that was made. The token is shown this once: the server keeps only its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Stored {
    /// Path of its page.
    pub url: String,
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// What deletes it.
    pub delete_token: String,
    /// When it ends, in seconds since 1970; `None` when it stays until somebody deletes it.
    #[serde(default)]
    pub expires_at: Option<u64>,
    /// Its class code, if one was asked for: `/c/` and this leads to it, for as long as the link stays.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class_code: Option<String>,
}

/// A shared result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SharedResult {
    /// The job as it ended.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// What whoever shared it calls the texts.
    #[serde(default)]
    pub names: Names,
    /// When it was shared, in seconds since 1970.
    #[serde(default)]
    pub created_at: u64,
    /// When it ends, in seconds since 1970; `None` when it stays until somebody deletes it.
    #[serde(default)]
    pub expires_at: Option<u64>,
}

/// Edits in equal parts of an alignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Overview {
    /// Columns of the alignment.
    pub columns: u64,
    /// The edits in each part.
    pub bins: Vec<Bin>,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Column {
    /// Its number, from 0.
    pub column: u64,
}

/// Both texts side by side: what they consist of, and some rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SideBySide {
    /// Number of rows.
    pub rows: u64,
    /// Runs of rows that differ: the first, and the one after the last. Empty where rows are asked for.
    pub changes: Vec<(u64, u64)>,
    /// Whether some lines have a row for each of their sentences.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sentences: bool,
    /// Blocks that stand elsewhere in the second text. Empty where rows are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub moves: Vec<Move>,
    /// The first of these rows.
    pub from: u64,
    /// The rows.
    pub lines: Vec<Twin>,
}

impl SideBySide {
    /// These rows of an outline.
    pub fn new(Outline { rows, changes, sentences, moves }: Outline, from: u64, lines: Vec<Twin>) -> Self {
        Self { rows, changes, sentences, moves, from, lines }
    }
}

/// A page of hits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hits {
    /// Number of the first one in this page.
    pub from: u64,
    /// All hits.
    pub total: u64,
    /// The hits of this page.
    pub hits: Vec<kernels::found::Hit>,
    /// The text at and around them, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub passages: Vec<Passage>,
    /// The symbols of `a`, of a short one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pattern: Vec<String>,
    /// The symbols of its reverse complement, where both strands are searched.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reverse_pattern: Vec<String>,
    /// The CIGAR of each hit, where the pattern is short. That of a hit on the other strand is of the reverse complement.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cigars: Vec<String>,
}

impl Hits {
    /// A page that begins at the hit number `from` of `total`.
    pub fn new(from: u64, total: u64, Seen { hits, passages, pattern, reverse_pattern, cigars }: Seen) -> Self {
        Self { from, total, hits, passages, pattern, reverse_pattern, cigars }
    }
}

impl From<Hits> for Seen {
    fn from(Hits { hits, passages, pattern, reverse_pattern, cigars, .. }: Hits) -> Self {
        Self { hits, passages, pattern, reverse_pattern, cigars }
    }
}

/// How many ends have each distance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Counts {
    /// Ends at distance 0, 1, …
    pub counts: Vec<u64>,
}

/// Scores over a range of offsets, down-sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Scores {
    /// First offset.
    pub from: u64,
    /// Offsets in all spans together.
    pub len: u64,
    /// All offsets that have a score.
    pub offsets: u64,
    /// The scores in equal parts of the range.
    pub spans: Vec<Span>,
}

/// A piece of a text as it was given, headers and white space included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TextPiece {
    /// First symbol.
    pub from: u64,
    /// Symbols in this piece.
    pub len: u64,
    /// Symbols of the whole text.
    pub symbols: u64,
    /// The piece; bytes that are no text are replaced.
    pub text: String,
}

/// A page of a file's records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Records {
    /// Number of the first one in this page.
    pub from: u64,
    /// All of them; none of a plain text.
    pub total: u64,
    /// The records of this page.
    pub records: Vec<FileRecord>,
}

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileRecord {
    /// Its number, from 0.
    pub number: u64,
    /// Its header; none of a sequence without one.
    pub name: Option<String>,
    /// Its first symbol in the whole text, where records are searched apart.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start: Option<u64>,
    /// How many it has, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbols: Option<u64>,
}

/// What a server can do. The page hands the offers to its worker unread, which knows them as [`Offers`](crate::ask::Offers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Engines {
    /// Its engines with their measured rates. Of a site of several hosts each device of each kind once.
    pub offers: Vec<Offer>,
    /// The hosts that take jobs of a site that has workers. Where the server is one process its own machine, if it has several devices of an engine, else none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub hosts: Vec<Host>,
    /// What it takes.
    pub limits: ServerLimits,
}

/// A host of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Host {
    /// Its name.
    pub name: String,
    /// What its workers compute with.
    pub devices: Vec<Device>,
}

/// What a worker computes with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Device {
    /// Which engine.
    pub engine: EngineName,
    /// The device in words.
    pub device: String,
    /// Jobs that it computes at a time.
    pub places: u64,
}

/// What a server takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ServerLimits {
    /// Size of one upload.
    pub upload_bytes: u64,
    /// Size of a request that is JSON.
    pub body_bytes: u64,
    /// Size of what a private link leads to.
    pub sealed_bytes: u64,
    /// Work that may wait for an engine, in the seconds that it is expected to take.
    pub queue_seconds: u64,
    /// Cells that one client's jobs may fill in an hour, and as many by looking at results.
    pub client_cells: u64,
    /// Bytes that one client may send in an hour.
    pub client_bytes: u64,
    /// Bytes that one client may have stored in a day.
    pub client_stored_bytes: u64,
    /// Streams of events that one client may have open.
    pub client_streams: u64,
    /// Longest run.
    pub job_seconds: u64,
    /// How long a job's result is kept.
    pub job_keep_seconds: u64,
    /// How long an upload is kept.
    pub upload_keep_seconds: u64,
}

/// Why a request has no answer (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Problem {
    /// What kind: `/problems/…`, stable.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in words.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What happened and what to do, in a sentence.
    pub detail: String,
    /// The limit that was hit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<u64>,
    /// What hit it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub got: Option<u64>,
    /// Seconds after which to come back, as in the header `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_after: Option<u64>,
    /// The tasks that there are, when there is none of the name that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tasks: Option<Vec<Task>>,
    /// The failure of a job that was refused, in figures, for whoever says it in another language.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<Box<kernels::failure::Failure>>,
    /// By which whoever runs the server finds the request in the log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<String>,
}
