//! Conversion of columns to rows ([`JobRow`] and others), common to all databases. Ids are stored as text, as users see
//! them, and hashes as bytes.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Encode, Type};
use tracing::warn;

use crate::id::Id;
use crate::storage::ports::hash::ContentHash;
use crate::storage::ports::rows::{ClassCodeRow, JobRow, LinkRow, RequestRow, RowLookup, TextRow};

/// The columns of an upload: hash of the text, size in bytes, expiry, owner.
pub(in crate::storage::ports::rows) type TextColumns = (ContentHash, i64, i64, Option<ContentHash>);

/// The columns of a job: body (`None` if it was deleted), whether the job has ended, expiry, attempt, owner.
pub(in crate::storage::ports::rows) type JobColumns = (Option<String>, bool, i64, i64, Option<ContentHash>);

/// The columns of a job in a list: its id, then those of [`JobColumns`].
pub(in crate::storage::ports::rows) type JobListColumns = (String, Option<String>, bool, i64, i64, Option<ContentHash>);

/// The columns of a link: body (`None` if it was deleted), token, creation time, expiry.
pub(in crate::storage::ports::rows) type LinkColumns = (Option<String>, ContentHash, i64, Option<i64>);

/// The columns of a link in a list: its id, then those of [`LinkColumns`].
pub(in crate::storage::ports::rows) type LinkListColumns = (String, Option<String>, ContentHash, i64, Option<i64>);

/// The columns of a request: hash of the content if the name does not cover the content, id of the job, expiry.
pub(in crate::storage::ports::rows) type RequestColumns = (Option<ContentHash>, Id, i64);

/// The columns of a class code: id of the link, expiry.
pub(in crate::storage::ports::rows) type ClassCodeColumns = (Id, i64);

pub(in crate::storage::ports::rows) fn class_code(code: String, (link, expires_at): ClassCodeColumns) -> ClassCodeRow {
    ClassCodeRow { code, link, expires_at: expires_at as u64 }
}

pub(in crate::storage::ports::rows) fn text((hash, bytes, expires_at, owner): TextColumns) -> TextRow {
    TextRow { hash, bytes: bytes as u64, expires_at: expires_at as u64, owner }
}

/// Converts the columns of a job to its row, or to `Never` if there are none. The files of the row are left empty.
///
/// # Errors
/// Returns an error if the attempt column is out of range.
pub(in crate::storage::ports::rows) fn job(columns: Option<JobColumns>) -> Result<RowLookup<JobRow>, sqlx::Error> {
    Ok(match columns {
        None => RowLookup::Never,
        Some((None, ..)) => RowLookup::Gone,
        Some((Some(body), ended, expires_at, attempt, owner)) => RowLookup::Here(JobRow {
            body,
            files: Vec::new(),
            attempt: u32::try_from(attempt).map_err(|cause| sqlx::Error::Decode(cause.into()))?,
            ended_until: ended.then_some(expires_at as u64),
            owner,
            requests: Vec::new(),
        }),
    })
}

/// Converts the columns of jobs to rows with their ids. The files of the rows are left empty. Ignores rows with an
/// invalid id.
///
/// # Errors
/// Returns the errors of [`job`].
pub(in crate::storage::ports::rows) fn jobs(rows: Vec<JobListColumns>) -> Result<Vec<(Id, JobRow)>, sqlx::Error> {
    let mut jobs = Vec::with_capacity(rows.len());
    for (id, body, ended, expires_at, attempt, owner) in rows {
        if let (Some(id), RowLookup::Here(row)) = (ids(&[id]).pop(), job(Some((body, ended, expires_at, attempt, owner)))?) {
            jobs.push((id, row));
        }
    }
    Ok(jobs)
}

pub(in crate::storage::ports::rows) fn link(columns: Option<LinkColumns>) -> RowLookup<LinkRow> {
    match columns {
        None => RowLookup::Never,
        Some((None, ..)) => RowLookup::Gone,
        Some((Some(body), token, created_at, expires_at)) => {
            RowLookup::Here(LinkRow { body, token, created_at: created_at as u64, expires_at: expires_at.map(|at| at as u64) })
        }
    }
}

/// Converts the columns of links to rows with their ids. Ignores rows with an invalid id.
pub(in crate::storage::ports::rows) fn links(rows: Vec<LinkListColumns>) -> Vec<(Id, LinkRow)> {
    let with_id = rows.into_iter().filter_map(|(id, body, token, created_at, expires_at)| {
        let RowLookup::Here(row) = link(Some((body, token, created_at, expires_at))) else { return None };
        Some((ids(&[id]).pop()?, row))
    });
    with_id.collect()
}

/// Converts the columns of the request `name`, and returns the request with the id of its job.
pub(in crate::storage::ports::rows) fn request(name: ContentHash, (said, job, expires_at): RequestColumns) -> (RequestRow, Id) {
    (RequestRow { name, body_hash: said, expires_at: expires_at as u64 }, job)
}

/// Parses `ids`, and ignores invalid ones.
pub(in crate::storage::ports::rows) fn ids(ids: &[String]) -> Vec<Id> {
    ids.iter().filter_map(|id| id.parse().inspect_err(|_| warn!("ignoring a row with an invalid id")).ok()).collect()
}

/// Returns the expiry column of a job that expires at `ended_until` (seconds since 1970). A job that has not ended
/// (`None`) never expires.
pub(in crate::storage::ports::rows) fn ends(ended_until: Option<u64>) -> i64 {
    ended_until.map_or(i64::MAX, |until| until as i64)
}

impl<D: Database> Type<D> for ContentHash
where
    Vec<u8>: Type<D>,
{
    fn type_info() -> D::TypeInfo {
        <Vec<u8> as Type<D>>::type_info()
    }

    fn compatible(of: &D::TypeInfo) -> bool {
        <Vec<u8> as Type<D>>::compatible(of)
    }
}

impl<'q, D: Database> Encode<'q, D> for ContentHash
where
    Vec<u8>: Encode<'q, D>,
{
    fn encode_by_ref(&self, arguments: &mut D::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        self.as_bytes().to_vec().encode(arguments)
    }
}

impl<'r, D: Database> Decode<'r, D> for ContentHash
where
    Vec<u8>: Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(blake3::Hash::from_slice(&<Vec<u8> as Decode<'r, D>>::decode(value)?)?.into())
    }
}

impl<D: Database> Type<D> for Id
where
    String: Type<D>,
{
    fn type_info() -> D::TypeInfo {
        <String as Type<D>>::type_info()
    }

    fn compatible(of: &D::TypeInfo) -> bool {
        <String as Type<D>>::compatible(of)
    }
}

impl<'q, D: Database> Encode<'q, D> for Id
where
    String: Encode<'q, D>,
{
    fn encode_by_ref(&self, arguments: &mut D::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        self.to_string().encode(arguments)
    }
}

impl<'r, D: Database> Decode<'r, D> for Id
where
    String: Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(<String as Decode<'r, D>>::decode(value)?.parse()?)
    }
}
