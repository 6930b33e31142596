//! Rows: uploads, jobs and links, and the files that each of them uses. Rows are authoritative: nothing without a row
//! was ever promised.
//!
//! - [`sqlite`]: a database in a local file
//! - [`postgres`]: PostgreSQL, shared by several machines
//! - `sql`: common parts of both
//!
//! A row names files and holds no text. The id of a deleted row is remembered, so that clients learn that it existed.

use std::fmt;

use futures::future::BoxFuture;

use super::StorageError;
use super::hash::ContentHash;
use crate::id::Id;

#[cfg(test)]
pub(crate) mod conformance;
pub mod postgres;
mod sql;
pub mod sqlite;

/// A pending answer of the database. If it is dropped, a change is made either completely or not at all.
pub type DbFuture<T> = BoxFuture<'static, Result<T, StorageError>>;

/// Maximum size of the JSON body of a row, in bytes. The body of a job has a few thousand; texts are not part of it.
pub const MAX_ROW_BODY_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRow {
    /// File of the text.
    pub hash: ContentHash,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Expiry in seconds since 1970.
    pub expires_at: u64,
    /// Hash of the token of the client that uploaded the text.
    pub owner: Option<ContentHash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// [Record](crate::store::record::StoredResult) of the job as JSON, with a version.
    pub body: String,
    /// Files that the job uses.
    pub files: Vec<ContentHash>,
    /// Number of the attempt at the job that writes this row.
    pub attempt: u32,
    /// Expiry in seconds since 1970; `None` while the job has not ended.
    pub ended_until: Option<u64>,
    /// Hash of the token of the client that sent the job. Set by the first write of the row; later writes do not change
    /// it.
    pub owner: Option<ContentHash>,
    /// New requests that lead to the job. Empty in a row that was read.
    pub requests: Vec<RequestRow>,
}

/// A request that led to a job. If the client repeats it, it leads to the same job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Hash of the client and of the key that the client gave the request.
    pub name: ContentHash,
    /// Hash of the content of the request, unless `name` covers it.
    pub body_hash: Option<ContentHash>,
    /// Expiry in seconds since 1970.
    pub expires_at: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Content of the link as JSON.
    pub body: String,
    /// Hash of the token with which a client may delete the link.
    pub token: ContentHash,
    /// Creation time in seconds since 1970.
    pub created_at: u64,
    /// Expiry in seconds since 1970; `None` if the link stays until it is deleted.
    pub expires_at: Option<u64>,
}

/// The row of a class code, which leads to a link for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCodeRow {
    /// Code in lower case.
    pub code: String,
    /// Link to which the code leads.
    pub link: Id,
    /// Expiry in seconds since 1970.
    pub expires_at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The row was written.
    Written,
    /// The row was refused. For a job, a later attempt has written it, or the job has ended or was deleted. For a class
    /// code, the code exists or there are too many.
    Refused,
}

/// Result of a lookup by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowLookup<T> {
    /// The row exists.
    Here(T),
    /// The row was deleted or has expired.
    Gone,
    /// No row with this id ever existed.
    Never,
}

impl<T> RowLookup<T> {
    /// Turns `Here` into `Gone` if `is_here` returns `false` for the row.
    pub fn filter(self, is_here: impl FnOnce(&T) -> bool) -> Self {
        match self {
            Self::Here(row) if !is_here(&row) => Self::Gone,
            other => other,
        }
    }
}

/// The kinds of rows that the client who made them can delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnedKind {
    /// An upload.
    Text,
    /// A job and its result.
    Job,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// The row is deleted, by this call or earlier.
    Gone,
    /// The row has another owner, and is not deleted.
    NotOwner,
    /// No row with this id ever existed.
    Never,
}

/// A store of rows. Every change is a transaction, and survives a power failure once its answer is there.
pub trait RowStore: fmt::Debug + Send + Sync {
    fn add_text(&self, id: Id, row: TextRow) -> DbFuture<()>;

    /// Returns an upload, even if it has expired, or `None` if it does not exist.
    fn text(&self, id: Id) -> DbFuture<Option<TextRow>>;

    /// Adds a job or replaces its row. Refused if a later attempt has written the row, or if the job has ended or was
    /// deleted.
    fn put_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome>;

    /// Reopens an ended job for a new attempt, with the same files. Refused if the job has not ended or was deleted, or
    /// if `row` does not have the highest attempt number.
    fn reopen_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome>;

    /// Removes the row of a job that was not accepted after all, and the requests that lead to it.
    fn drop_job(&self, id: Id) -> DbFuture<()>;

    /// Returns the row of a job, without its files.
    fn job(&self, id: Id) -> DbFuture<RowLookup<JobRow>>;

    /// Returns at most `most` existing jobs without their files, newest first. If `after` is given, only jobs older
    /// than it are returned. Rows with an invalid id are ignored.
    fn jobs(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, JobRow)>>;

    /// Returns the latest request with this name and the job that it leads to, even if the request has expired.
    fn request(&self, name: ContentHash) -> DbFuture<Option<(RequestRow, Id)>>;

    /// Deletes the requests that expire first, until at most `most` requests are left.
    fn trim_requests(&self, most: u32) -> DbFuture<()>;

    /// Returns the ids of the jobs that have not ended. Rows with an invalid id are ignored.
    fn open_jobs(&self) -> DbFuture<Vec<Id>>;

    /// Adds a link that uses `files`.
    fn add_link(&self, id: Id, row: LinkRow, files: Vec<ContentHash>) -> DbFuture<()>;

    /// Returns a link, even if it has expired.
    fn link(&self, id: Id) -> DbFuture<RowLookup<LinkRow>>;

    /// Returns at most `most` existing links, newest first. If `after` is given, only links older than it are returned.
    /// Rows with an invalid id are ignored.
    fn links(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, LinkRow)>>;

    /// Deletes the content of a link. The fact that the link existed stays recorded.
    fn delete_link(&self, id: Id) -> DbFuture<()>;

    /// Deletes an upload or a job at the time `now`, if `owner` made it. A job need not have ended.
    fn delete_owned(&self, kind: OwnedKind, id: Id, owner: ContentHash, now: u64) -> DbFuture<DeleteOutcome>;

    /// Adds a class code. Refused if the code exists, or if `max_live` codes of the same length are unexpired at `now`.
    /// Concurrent calls may not see each other's codes and exceed the maximum.
    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> DbFuture<PutOutcome>;

    /// Returns a class code, even if it has expired.
    fn class_code(&self, code: String) -> DbFuture<Option<ClassCodeRow>>;

    /// Deletes expired data: requests, class codes, uploads, and the contents of jobs and of links that have expired at
    /// `now`, at most `most` of each. Also deletes the ids of deleted jobs that had expired at `forget`. Returns the
    /// number of changed rows; nothing is left to do when it is 0.
    fn expire(&self, now: u64, forget: u64, most: u32) -> DbFuture<u64>;

    /// Returns at most `most` files that a row once used and no row uses now, in the order of their hashes. If `after`
    /// is given, only hashes above it are returned.
    fn unreferenced_files(&self, after: Option<ContentHash>, most: u32) -> DbFuture<Vec<ContentHash>>;

    /// Forgets files that [`dropped`](Self::dropped) returned, because they were removed.
    fn delete_unreferenced(&self, keys: Vec<ContentHash>) -> DbFuture<()>;

    /// Returns the files among `keys` that no row uses.
    fn unused(&self, keys: Vec<ContentHash>) -> DbFuture<Vec<ContentHash>>;

    /// Returns the size of all rows in bytes, without free pages of the database. Returns `None` if the database has
    /// its own operator, who watches its size.
    fn bytes(&self) -> DbFuture<Option<u64>>;

    /// Checks that the database works: writes a row, flushes it to disk and reads it.
    fn probe(&self) -> DbFuture<()>;
}
