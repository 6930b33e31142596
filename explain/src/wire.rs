//! Types of the HTTP API: bodies of requests and responses. The server that writes them, the page and the tests that
//! read them, and the OpenAPI document (feature `schema`) share these definitions.
//!
//! Ids and addresses are strings here, because only the server knows whether they exist. Numbers count symbols or
//! columns unless their names say otherwise.

use std::ops::Not;

use kernels::found::ScoreSpan;
use kernels::job::Task;
use kernels::plan::{EngineName, PlannerOffer};
use serde::{Deserialize, Serialize};

use crate::hit_page::{HitPage, TextPassage};
use crate::side_by_side::{RowMove, RowPair, SideBySideOutline};
use crate::snapshot::JobSnapshot;
use crate::window::OverviewBin;

/// An accepted job, with the addresses to follow it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Taken))]
pub struct JobReceipt {
    /// Id of the job.
    pub id: String,
    /// Address of the job's snapshot.
    pub status_url: String,
    /// Address of the job's event stream.
    pub events_url: String,
    /// Token that deletes the job with its result. The server shows it only once.
    pub delete_token: String,
    /// Time that the result is kept after the job has ended, in seconds.
    #[serde(default)]
    pub keep_seconds: u64,
    /// Whether the job is an earlier one of the same client, or has the answer of an earlier one.
    #[serde(skip_serializing_if = "Not::not", default)]
    pub reused: bool,
}

/// The answer to a job request whose job ended while the request waited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Answered))]
pub struct AnsweredJob {
    /// Final state of the job, with its answer or failure.
    #[serde(flatten)]
    pub snapshot: JobSnapshot,
    /// Token that deletes the job with its result. The server shows it only once.
    pub delete_token: String,
    /// Time that the result is kept after the job has ended, in seconds.
    #[serde(default)]
    pub keep_seconds: u64,
    /// Whether the job is an earlier one of the same client, or has the answer of an earlier one.
    #[serde(skip_serializing_if = "Not::not", default)]
    pub reused: bool,
}

/// Compression format of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schema(as = Packed))]
pub enum PackedFormat {
    /// One or more gzip members, as bgzip also writes.
    Gzip,
    /// One or more Zstandard frames.
    Zstd,
}

impl PackedFormat {
    /// Returns the name used in JSON and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// A text that was uploaded and stored, for use in later jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Uploaded))]
pub struct StoredUpload {
    /// Id of the upload, by which job requests refer to the text.
    pub id: String,
    /// Token that deletes the upload. The server shows it only once.
    pub delete_token: String,
    /// Time at which the upload expires, in seconds since 1970.
    #[serde(default)]
    pub expires_at: u64,
    /// Size of the text after decompression, in bytes.
    pub bytes: u64,
    /// Compression format of the upload; absent if it was not compressed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unpacked_from: Option<PackedFormat>,
    /// Number of bytes after the gzip data that were ignored because they are not gzip.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub ignored_bytes: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Names to display for the two texts of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schema(as = Names))]
pub struct DisplayNames {
    /// Name of the first text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Name of the second text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

/// Lifetime of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Lifetime))]
pub enum LinkLifetime {
    /// One day.
    #[serde(rename = "1d")]
    Day,
    /// Thirty days.
    #[serde(rename = "30d")]
    Month,
    /// Until the link is deleted.
    #[serde(rename = "until-deleted")]
    UntilDeleted,
}

impl LinkLifetime {
    /// Returns the name used in JSON and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "1d",
            Self::Month => "30d",
            Self::UntilDeleted => "until-deleted",
        }
    }

    /// Returns the lifetime in seconds, or `None` if it is unlimited.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Day => Some(86_400),
            Self::Month => Some(30 * 86_400),
            Self::UntilDeleted => None,
        }
    }
}

/// Maximum size of [`NewLink::view`], the view that a class code opens, in bytes.
pub const MAX_VIEW_BYTES: usize = 500;

/// A request to share a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// Id of the job with the result.
    pub job: String,
    /// Lifetime of the link.
    pub lifetime: LinkLifetime,
    /// Names to display for texts without a name of their own.
    #[serde(default)]
    pub names: DisplayNames,
    /// Whether to create also a class code, a short word to type. This requires lifetime `1d`.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub class_code: bool,
    /// The view of the result that the class code opens, as the part of an address after `#`; at most 500 bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub view: Option<String>,
}

/// A link that was created. Its token is shown only once, because the server stores only a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Stored))]
pub struct CreatedLink {
    /// Path of the link's page.
    pub url: String,
    /// Id of the link.
    #[serde(default)]
    pub id: String,
    /// Token that deletes the link.
    pub delete_token: String,
    /// Time at which the link expires, in seconds since 1970; absent if it stays until it is deleted.
    #[serde(default)]
    pub expires_at: Option<u64>,
    /// Class code, if requested. The path `/c/` followed by this code leads to the link as long as the link exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class_code: Option<String>,
}

/// A result that is shared by a link: the job, the names of its texts, and the lifetime of the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SharedResult {
    /// The job in its final state.
    #[serde(flatten)]
    pub snapshot: JobSnapshot,
    /// Names of the texts, chosen by the client that shared the result.
    #[serde(default)]
    pub names: DisplayNames,
    /// Time at which the link was created, in seconds since 1970.
    #[serde(default)]
    pub created_at: u64,
    /// Time at which the link expires, in seconds since 1970; absent if it stays until it is deleted.
    #[serde(default)]
    pub expires_at: Option<u64>,
}

/// The numbers of edits in equal parts of an alignment's columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Overview))]
pub struct AlignmentOverview {
    /// Number of columns of the alignment.
    pub columns: u64,
    /// The numbers of edits in each part, from the first columns to the last ones.
    pub bins: Vec<OverviewBin>,
}

/// The answer to a request for a column of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Column))]
pub struct ColumnNumber {
    /// Number of the column, from 0.
    pub column: u64,
}

/// Both texts of a result side by side: the number of rows, the rows that differ, and the requested rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SideBySide {
    /// Total number of rows.
    pub rows: u64,
    /// Runs of rows that differ, each as the first row and the row after the last. Empty if rows are requested.
    pub changes: Vec<(u64, u64)>,
    /// Whether some line is split into several rows, one for each of its sentences.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sentences: bool,
    /// Moved blocks: blocks of words or lines that the second text has at another position than the first text. Empty
    /// if rows are requested.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub moves: Vec<RowMove>,
    /// Number of the first row in `lines`.
    pub from: u64,
    /// The requested rows.
    pub lines: Vec<RowPair>,
}

impl SideBySide {
    /// Combines the outline of a layout (its size and changes) with `lines`, its rows from number `from` on.
    pub fn new(SideBySideOutline { rows, changes, sentences, moves }: SideBySideOutline, from: u64, lines: Vec<RowPair>) -> Self {
        Self { rows, changes, sentences, moves, from, lines }
    }
}

/// A page of hits: some hits of a search, with the text around them and their alignments if requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Hits))]
pub struct HitPageResponse {
    /// Number of the first hit of this page, from 0.
    pub from: u64,
    /// Total number of hits.
    pub total: u64,
    /// The hits of this page.
    pub hits: Vec<kernels::found::Hit>,
    /// The text at and around the hits, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub passages: Vec<TextPassage>,
    /// The displayed symbols of `a`, the pattern, if `a` is short.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pattern: Vec<String>,
    /// The displayed symbols of the reverse complement of `a`, if `a` is short and a hit of the page is on the reverse
    /// strand.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reverse_pattern: Vec<String>,
    /// The CIGAR of each hit if the pattern is short. For a hit on the reverse strand, the CIGAR aligns the reverse
    /// complement of `a`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cigars: Vec<String>,
}

impl HitPageResponse {
    /// Creates a page of hits whose first hit has number `from` among `total` hits.
    pub fn new(from: u64, total: u64, HitPage { hits, passages, pattern, reverse_pattern, cigars }: HitPage) -> Self {
        Self { from, total, hits, passages, pattern, reverse_pattern, cigars }
    }
}

impl From<HitPageResponse> for HitPage {
    fn from(HitPageResponse { hits, passages, pattern, reverse_pattern, cigars, .. }: HitPageResponse) -> Self {
        Self { hits, passages, pattern, reverse_pattern, cigars }
    }
}

/// The number of substring ends with each distance, of an approximate search. An end is a position of `b`. Its distance
/// is the least distance between `a` and a substring of `b` that ends there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Counts))]
pub struct DistanceCounts {
    /// Numbers of ends with distance 0, 1, 2 and so on, up to the greatest distance.
    pub counts: Vec<u64>,
}

/// Scores at a range of offsets, summarised in equal parts of the range. An offset is a position of `a` along `b`; in
/// an approximate search, it is an end of a substring of `b`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Scores))]
pub struct OffsetScores {
    /// First offset of the first part.
    pub from: u64,
    /// Number of offsets in all parts together.
    pub len: u64,
    /// Total number of offsets that have a score.
    pub offsets: u64,
    /// Statistics of the scores in each part of the range.
    pub spans: Vec<ScoreSpan>,
}

/// A piece of a text as it was given, including headers and white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = TextPiece))]
pub struct OriginalTextPiece {
    /// Number of the first symbol in this piece, from 0.
    pub from: u64,
    /// Number of symbols in this piece.
    pub len: u64,
    /// Number of symbols of the whole text.
    pub symbols: u64,
    /// The text of the piece, in which invalid bytes are replaced.
    pub text: String,
}

/// A page of the records (such as FASTA sequences) of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Records))]
pub struct RecordPage {
    /// Number of the first record of this page, from 0.
    pub from: u64,
    /// Total number of records; 0 for plain text.
    pub total: u64,
    /// The records of this page.
    pub records: Vec<FileRecordInfo>,
}

/// A description of one record of a file, such as a FASTA sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = FileRecord))]
pub struct FileRecordInfo {
    /// Number of the record, from 0.
    pub number: u64,
    /// Header of the record; absent for a sequence without one.
    pub name: Option<String>,
    /// Position of the record's first symbol in the whole text, if records are searched separately.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start: Option<u64>,
    /// Number of symbols of the record, if records are searched separately.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbols: Option<u64>,
}

/// The engines that a server offers, the hosts of its cluster, and its limits. The page passes them to its worker
/// without parsing; the worker reads them as [`EngineOffers`](crate::worker_protocol::EngineOffers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Engines))]
pub struct ServerEngines {
    /// Engines with their measured rates. A cluster of several hosts lists each kind of device once.
    pub offers: Vec<PlannerOffer>,
    /// Hosts of a cluster that run jobs. A single server lists itself if an engine has several devices; otherwise the
    /// list is empty.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub hosts: Vec<ClusterHost>,
    /// Limits of the server.
    pub limits: ServerLimits,
}

/// A host of a cluster, with the devices that its workers use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Host))]
pub struct ClusterHost {
    /// Name of the host.
    pub name: String,
    /// Devices of the host's workers.
    pub devices: Vec<HostDevice>,
}

/// A device (CPU or GPU) of a host that computes jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Device))]
pub struct HostDevice {
    /// Engine that uses the device.
    pub engine: EngineName,
    /// Description of the device.
    pub device: String,
    /// Number of jobs that the device computes at a time.
    pub places: u64,
}

/// The limits of a server for requests, jobs and clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ServerLimits {
    /// Maximum size of an upload, in bytes.
    pub upload_bytes: u64,
    /// Maximum size of a JSON request body, in bytes.
    pub body_bytes: u64,
    /// Maximum size of the encrypted content of a private link, in bytes.
    pub sealed_bytes: u64,
    /// Maximum expected duration of all queued work of an engine, in seconds.
    pub queue_seconds: u64,
    /// Maximum number of matrix cells that the jobs of one client may compute in an hour. Queries on results have a
    /// separate budget of the same size.
    pub client_cells: u64,
    /// Maximum number of bytes that one client may send in an hour.
    pub client_bytes: u64,
    /// Maximum number of bytes that one client may store in a day.
    pub client_stored_bytes: u64,
    /// Maximum number of event streams that one client may have open.
    pub client_streams: u64,
    /// Maximum duration of a run, in seconds.
    pub job_seconds: u64,
    /// Time that the result of a job is kept, in seconds.
    pub job_keep_seconds: u64,
    /// Time that an upload is kept, in seconds.
    pub upload_keep_seconds: u64,
}

/// A problem document (RFC 9457), which is the body of an error response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Problem))]
pub struct ProblemDetails {
    /// Stable type of the problem: `/problems/…`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Short description of the problem's type.
    pub title: String,
    /// HTTP status of the error response.
    pub status: u16,
    /// Description of the problem and its remedy, in a sentence.
    pub detail: String,
    /// Limit that the request exceeded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<u64>,
    /// Value that exceeded the limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub got: Option<u64>,
    /// Seconds after which to retry, as in the header `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_after: Option<u64>,
    /// Names of all tasks, if the requested task does not exist.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tasks: Option<Vec<Task>>,
    /// Failure of the rejected job in machine-readable form, for translation by the client.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<Box<kernels::failure::JobFailure>>,
    /// Id by which the operator of the server finds the request in the log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<String>,
}
