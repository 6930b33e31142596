//! Rows: uploads, jobs, links and class codes in a database ([`RowStore`]), and the files that each of them uses. Rows
//! are authoritative: nothing without a row was ever promised to a client.
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
#[cfg(feature = "cluster")]
pub mod postgres;
mod sql;
pub mod sqlite;

/// A pending answer of the database. If it is dropped, its change is made either completely or not at all.
pub type DbFuture<T> = BoxFuture<'static, Result<T, StorageError>>;

/// Maximum size of the JSON body of a row, in bytes. The body of a job has a few thousand bytes, because texts are not
/// part of it.
pub const MAX_ROW_BODY_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRow {
    /// Name of the file with the text.
    pub hash: ContentHash,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Time of expiry, in seconds since 1970.
    pub expires_at: u64,
    /// Hash of the token of the client that uploaded the text and may delete it.
    pub owner: Option<ContentHash>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Stored form of the job ([`StoredResult`](crate::store::record::StoredResult)) as JSON, with a format version.
    pub body: String,
    /// Names of the files that the job uses.
    pub files: Vec<ContentHash>,
    /// Number of the attempt at the job that writes this row.
    pub attempt: u32,
    /// Time at which the ended job expires, in seconds since 1970, or `None` while the job has not ended.
    pub ended_until: Option<u64>,
    /// Hash of the token of the client that sent the job and may delete it. Set by the first write of the row, and not
    /// changed by later writes.
    pub owner: Option<ContentHash>,
    /// New requests that led to the job, to be stored with it. Empty in a row that was read.
    pub requests: Vec<RequestRow>,
}

/// A request that led to a job. If the client repeats the request, it receives the same job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Name of the request: a hash of the client and of the idempotency key that the client chose.
    pub name: ContentHash,
    /// Hash of the content of the request, or `None` if `name` covers the content.
    pub body_hash: Option<ContentHash>,
    /// Time of expiry, in seconds since 1970.
    pub expires_at: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Content of the link as JSON.
    pub body: String,
    /// Hash of the token with which a client may delete the link.
    pub token: ContentHash,
    /// Time of creation, in seconds since 1970.
    pub created_at: u64,
    /// Time of expiry in seconds since 1970, or `None` if the link stays until it is deleted.
    pub expires_at: Option<u64>,
}

/// The row of a class code, a short code to type, which leads to a link for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCodeRow {
    /// Code that a visitor types, in lower case.
    pub code: String,
    /// Link to which the code leads.
    pub link: Id,
    /// Time of expiry, in seconds since 1970.
    pub expires_at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The row was written.
    Written,
    /// The row was refused. The row of a job is refused if a later attempt has written it, or if the job has ended or
    /// was deleted. A class code is refused if the code exists or there are too many.
    Refused,
}

/// The result of a lookup of a row by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowLookup<T> {
    /// The row exists. The field is the row.
    Here(T),
    /// The row was deleted or has expired.
    Gone,
    /// No row with this id ever existed.
    Never,
}

impl<T> RowLookup<T> {
    /// Converts `Here` to `Gone` if `is_here` returns `false` for the row, for example because it has expired.
    pub fn filter(self, is_here: impl FnOnce(&T) -> bool) -> Self {
        match self {
            Self::Here(row) if !is_here(&row) => Self::Gone,
            other => other,
        }
    }
}

/// The kinds of rows that the client that made them can delete.
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
    /// The row has another owner, and was not deleted.
    NotOwner,
    /// No row with this id ever existed.
    Never,
}

/// A store of rows. Every change is a transaction. When the answer of a method has arrived, its change survives a power
/// failure.
pub trait RowStore: fmt::Debug + Send + Sync {
    fn add_text(&self, id: Id, row: TextRow) -> DbFuture<()>;

    /// Returns the upload `id`, even if it has expired, or `None` if it does not exist.
    fn text(&self, id: Id) -> DbFuture<Option<TextRow>>;

    /// Adds the job `id` or replaces its row. Refused if a later attempt has written the row, or if the job has ended
    /// or was deleted.
    fn put_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome>;

    /// Reopens the ended job `id` for a new attempt, with the same files. Refused if the job has not ended or was
    /// deleted, or if `row` does not have the highest attempt number.
    fn reopen_job(&self, id: Id, row: JobRow) -> DbFuture<PutOutcome>;

    /// Removes the row of the job `id`, which was not accepted after all, and the requests that lead to it.
    fn drop_job(&self, id: Id) -> DbFuture<()>;

    /// Returns the row of the job `id`, without its files.
    fn job(&self, id: Id) -> DbFuture<RowLookup<JobRow>>;

    /// Returns at most `most` existing jobs with their ids and without their files, newest first. If `after` is given,
    /// returns only jobs older than `after`. Ignores rows with an invalid id.
    fn jobs(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, JobRow)>>;

    /// Returns the latest request with the name `name` and the id of the job to which it led, even if the request has
    /// expired.
    fn request(&self, name: ContentHash) -> DbFuture<Option<(RequestRow, Id)>>;

    /// Deletes stored requests until at most `most` are left, beginning with those that expire first.
    fn trim_requests(&self, most: u32) -> DbFuture<()>;

    /// Returns the ids of the jobs that have not ended. Ignores rows with an invalid id.
    fn open_jobs(&self) -> DbFuture<Vec<Id>>;

    /// Adds the link `id`, which uses `files`.
    fn add_link(&self, id: Id, row: LinkRow, files: Vec<ContentHash>) -> DbFuture<()>;

    /// Returns the link `id`, even if it has expired.
    fn link(&self, id: Id) -> DbFuture<RowLookup<LinkRow>>;

    /// Returns at most `most` existing links with their ids, newest first. If `after` is given, returns only links
    /// older than `after`. Ignores rows with an invalid id.
    fn links(&self, after: Option<Id>, most: u32) -> DbFuture<Vec<(Id, LinkRow)>>;

    /// Deletes the content of the link `id`. The fact that the link existed stays recorded.
    fn delete_link(&self, id: Id) -> DbFuture<()>;

    /// Deletes the upload or job `id` at the time `now` (seconds since 1970), if `owner` is the hash of its owner's
    /// token. A job need not have ended.
    fn delete_owned(&self, kind: OwnedKind, id: Id, owner: ContentHash, now: u64) -> DbFuture<DeleteOutcome>;

    /// Adds a class code. Refused if the code exists, or if `max_live` codes of the same length are unexpired at the
    /// time `now`. Concurrent calls may not see each other's codes and may exceed the maximum.
    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> DbFuture<PutOutcome>;

    /// Returns the row of the class code `code`, even if it has expired.
    fn class_code(&self, code: String) -> DbFuture<Option<ClassCodeRow>>;

    /// Deletes requests, class codes, uploads, and the contents of jobs and links that have expired at the time `now`,
    /// at most `most` of each. Also deletes the ids of deleted jobs that had expired at the time `forget`. Returns the
    /// number of changed rows; nothing is left to do when it is 0.
    fn expire(&self, now: u64, forget: u64, most: u32) -> DbFuture<u64>;

    /// Returns at most `most` names of files that a row once used and no row uses now, in the order of their hashes. If
    /// `after` is given, returns only hashes greater than `after`.
    fn unreferenced_files(&self, after: Option<ContentHash>, most: u32) -> DbFuture<Vec<ContentHash>>;

    /// Removes `keys` from the list that [`unreferenced_files`](Self::unreferenced_files) returns, because these files were removed.
    fn delete_unreferenced(&self, keys: Vec<ContentHash>) -> DbFuture<()>;

    /// Returns the names of the files among `keys` that no row uses.
    fn unused(&self, keys: Vec<ContentHash>) -> DbFuture<Vec<ContentHash>>;

    /// Returns the size of all rows in bytes, without free pages of the database. Returns `None` if the database has an
    /// operator of its own, who watches its size.
    fn bytes(&self) -> DbFuture<Option<u64>>;

    /// Checks that the database works: writes a row, flushes the row to disk and reads it.
    fn probe(&self) -> DbFuture<()>;
}
