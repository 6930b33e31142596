//! Rows: uploads, jobs and links, and which of them use which files. They are the truth: what has no row was never promised.
//!
//! - [`sqlite`]: a database in a file of this machine
//! - [`postgres`]: PostgreSQL, which several machines reach
//! - `sql`: what both share
//!
//! A row names files and holds no text. A row that is gone leaves its id behind, so that whoever asks is told that it was here.

use std::fmt;

use futures::future::BoxFuture;

use super::Error;
use super::files::Hash;
use crate::id::Id;

#[cfg(test)]
pub(crate) mod conformance;
pub mod postgres;
mod sql;
pub mod sqlite;

/// What is on its way. Nothing is half written when it is dropped.
pub type Answer<T> = BoxFuture<'static, Result<T, Error>>;

/// The most bytes of a row's body. What a job says of itself takes a few thousand; a text is not part of it.
pub const MOST_BODY: usize = 1 << 20;

/// An upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRow {
    /// Its content.
    pub hash: Hash,
    /// Its size.
    pub bytes: u64,
    /// When its time is over, in seconds since 1970.
    pub expires_at: u64,
    /// Hash of the token of whoever made it.
    pub owner: Option<Hash>,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// The job, as JSON.
    pub body: String,
    /// Its files.
    pub files: Vec<Hash>,
    /// Which attempt at the job writes this.
    pub attempt: u32,
    /// When its time is over, in seconds since 1970; `None` while it has not ended.
    pub ended_until: Option<u64>,
    /// Hash of the token of whoever made it. The first row says it; later ones of the same job leave it as it is.
    pub owner: Option<Hash>,
    /// Requests that lead to it, beside those that did before: a row that is read has none.
    pub requests: Vec<RequestRow>,
}

/// A request that leads to a job, also when it comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Hash of who asks and of what it is known by.
    pub name: Hash,
    /// Hash of all that it said, where its name does not say it.
    pub said: Option<Hash>,
    /// Until when it is remembered, in seconds since 1970.
    pub expires_at: u64,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// What it leads to, as JSON.
    pub body: String,
    /// Hash of the token that deletes it.
    pub token: Hash,
    /// When it was made, in seconds since 1970.
    pub created_at: u64,
    /// When its time is over; `None` when it stays until somebody deletes it.
    pub expires_at: Option<u64>,
}

/// A class code, which leads to a link for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCodeRow {
    /// The code, in lower case.
    pub code: String,
    /// The link.
    pub link: Id,
    /// When its time is over, in seconds since 1970.
    pub expires_at: u64,
}

/// What became of a row that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It is written.
    Written,
    /// A later attempt has written the job's row, or it has ended, or it is gone: this attempt was given up.
    Refused,
}

/// What is under an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// This.
    Here(T),
    /// Something that was deleted or whose time is over.
    Gone,
    /// Nothing, ever.
    Never,
}

impl<T> Found<T> {
    /// This, unless its time is over.
    pub fn filter(self, is_here: impl FnOnce(&T) -> bool) -> Self {
        match self {
            Self::Here(row) if !is_here(&row) => Self::Gone,
            other => other,
        }
    }
}

/// Which kind of row an owner deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned {
    /// An upload.
    Text,
    /// A job and its result.
    Job,
}

/// What became of something that was to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// It is gone, now or since before.
    Gone,
    /// It is somebody else's.
    Foreign,
    /// There never was such a thing.
    Never,
}

/// Where rows are kept. Every change is a transaction, and outlives a power cut once it is answered.
pub trait Rows: fmt::Debug + Send + Sync {
    /// Adds an upload.
    fn add_text(&self, id: Id, row: TextRow) -> Answer<()>;

    /// An upload.
    fn text(&self, id: Id) -> Answer<Option<TextRow>>;

    /// Adds a job, or replaces its row: refused where a later attempt has written it, or it has ended or is gone.
    fn put_job(&self, id: Id, row: JobRow) -> Answer<Put>;

    /// Has a job that has ended go on, by a later attempt than all before: refused where it has not ended, is gone, or a later one has written it. It uses
    /// the files that it used.
    fn reopen_job(&self, id: Id, row: JobRow) -> Answer<Put>;

    /// Removes the row of a job that was not taken in the end, and that any request led to it.
    fn drop_job(&self, id: Id) -> Answer<()>;

    /// A job; its files are left out.
    fn job(&self, id: Id) -> Answer<Found<JobRow>>;

    /// At most `most` jobs that are here, the last one first, after this one where it is named; their files are left out. Rows whose id is none are passed over.
    fn jobs(&self, after: Option<Id>, most: u32) -> Answer<Vec<(Id, JobRow)>>;

    /// The latest request of this name, and its job; its time may be over.
    fn request(&self, name: Hash) -> Answer<Option<(RequestRow, Id)>>;

    /// Forgets requests, those first whose time is over first, until there are no more than `most`.
    fn trim_requests(&self, most: u32) -> Answer<()>;

    /// Ids of the jobs that have not ended. Rows whose id is none are passed over.
    fn open_jobs(&self) -> Answer<Vec<Id>>;

    /// Adds a link that uses these files.
    fn add_link(&self, id: Id, row: LinkRow, files: Vec<Hash>) -> Answer<()>;

    /// A link.
    fn link(&self, id: Id) -> Answer<Found<LinkRow>>;

    /// At most `most` links that are here, the last one first, after this one where it is named. Rows whose id is none are passed over.
    fn links(&self, after: Option<Id>, most: u32) -> Answer<Vec<(Id, LinkRow)>>;

    /// Forgets a link's content; that it was there stays known.
    fn delete_link(&self, id: Id) -> Answer<()>;

    /// Deletes what `owner` has made, by `now`, whether it has ended or not.
    fn delete_owned(&self, kind: Owned, id: Id, owner: Hash, now: u64) -> Answer<Deleted>;

    /// Adds a class code: refused if there is such a row, or if `max_live` codes of as many letters are live at `now`. Of several that are added at the same
    /// moment each may count without the others.
    fn add_class_code(&self, row: ClassCodeRow, now: u64, max_live: u64) -> Answer<Put>;

    /// Returns a class code; its time may be over.
    fn class_code(&self, code: String) -> Answer<Option<ClassCodeRow>>;

    /// Forgets at most `most` requests and class codes, and the content of at most `most` uploads, jobs and links each, whose time is over by `now`, and that there were jobs whose time was over
    /// by `forget`. Returns how many rows have changed: all are done when there are none.
    fn expire(&self, now: u64, forget: u64, most: u32) -> Answer<u64>;

    /// At most `most` files that a row has used and no row does now, in the order of their names, after this one.
    fn dropped(&self, after: Option<Hash>, most: u32) -> Answer<Vec<Hash>>;

    /// Forgets that these were dropped: they were removed.
    fn forget_dropped(&self, keys: Vec<Hash>) -> Answer<()>;

    /// Those of these files that no row uses.
    fn unused(&self, keys: Vec<Hash>) -> Answer<Vec<Hash>>;

    /// Bytes that all rows take, without room that is free for later ones. `None` where the database has an operator of its own, who sees to its size.
    fn bytes(&self) -> Answer<Option<u64>>;

    /// Writes something, brings it to disk and reads it.
    fn probe(&self) -> Answer<()>;
}
