//! Ids and hashes as columns of every database: ids are text, as people see them, and hashes are their bytes. Rows as their columns say them.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgHasArrayType, PgTypeInfo};
use sqlx::{Database, Decode, Encode, Type};
use tracing::warn;

use crate::id::Id;
use crate::ports::files::Hash;
use crate::ports::rows::{ClassCodeRow, Found, JobRow, LinkRow, RequestRow, TextRow};

/// Content, size, when its time is over, owner.
pub(in crate::ports::rows) type TextColumns = (Hash, i64, i64, Option<Hash>);

/// Body, whether it has ended, when its time is over, attempt, owner.
pub(in crate::ports::rows) type JobColumns = (Option<String>, bool, i64, i64, Option<Hash>);

/// Id, and the same.
pub(in crate::ports::rows) type JobsColumns = (String, Option<String>, bool, i64, i64, Option<Hash>);

/// Body, token, when it was made, when its time is over.
pub(in crate::ports::rows) type LinkColumns = (Option<String>, Hash, i64, Option<i64>);

/// Id, and the same.
pub(in crate::ports::rows) type LinksColumns = (String, Option<String>, Hash, i64, Option<i64>);

/// What it said, the job, until when it is remembered.
pub(in crate::ports::rows) type RequestColumns = (Option<Hash>, Id, i64);

/// The link and when its time is over.
pub(in crate::ports::rows) type ClassCodeColumns = (Id, i64);

/// A class code.
pub(in crate::ports::rows) fn class_code(code: String, (link, expires_at): ClassCodeColumns) -> ClassCodeRow {
    ClassCodeRow { code, link, expires_at: expires_at as u64 }
}

/// An upload.
pub(in crate::ports::rows) fn text((hash, bytes, expires_at, owner): TextColumns) -> TextRow {
    TextRow { hash, bytes: bytes as u64, expires_at: expires_at as u64, owner }
}

/// A job, without its files.
///
/// # Errors
/// When the attempt has a number that none has.
pub(in crate::ports::rows) fn job(columns: Option<JobColumns>) -> Result<Found<JobRow>, sqlx::Error> {
    Ok(match columns {
        None => Found::Never,
        Some((None, ..)) => Found::Gone,
        Some((Some(body), ended, expires_at, attempt, owner)) => Found::Here(JobRow {
            body,
            files: Vec::new(),
            attempt: u32::try_from(attempt).map_err(|cause| sqlx::Error::Decode(cause.into()))?,
            ended_until: ended.then_some(expires_at as u64),
            owner,
            requests: Vec::new(),
        }),
    })
}

/// Jobs with their ids, without their files.
///
/// # Errors
/// Those of [`job`].
pub(in crate::ports::rows) fn jobs(rows: Vec<JobsColumns>) -> Result<Vec<(Id, JobRow)>, sqlx::Error> {
    let mut jobs = Vec::with_capacity(rows.len());
    for (id, body, ended, expires_at, attempt, owner) in rows {
        if let (Some(id), Found::Here(row)) = (ids(&[id]).pop(), job(Some((body, ended, expires_at, attempt, owner)))?) {
            jobs.push((id, row));
        }
    }
    Ok(jobs)
}

/// A link.
pub(in crate::ports::rows) fn link(columns: Option<LinkColumns>) -> Found<LinkRow> {
    match columns {
        None => Found::Never,
        Some((None, ..)) => Found::Gone,
        Some((Some(body), token, created_at, expires_at)) => {
            Found::Here(LinkRow { body, token, created_at: created_at as u64, expires_at: expires_at.map(|at| at as u64) })
        }
    }
}

/// Links with their ids.
pub(in crate::ports::rows) fn links(rows: Vec<LinksColumns>) -> Vec<(Id, LinkRow)> {
    let with_id = rows.into_iter().filter_map(|(id, body, token, created_at, expires_at)| {
        let Found::Here(row) = link(Some((body, token, created_at, expires_at))) else { return None };
        Some((ids(&[id]).pop()?, row))
    });
    with_id.collect()
}

/// A request of this name, and its job.
pub(in crate::ports::rows) fn request(name: Hash, (said, job, expires_at): RequestColumns) -> (RequestRow, Id) {
    (RequestRow { name, said, expires_at: expires_at as u64 }, job)
}

/// Those that are ids.
pub(in crate::ports::rows) fn ids(ids: &[String]) -> Vec<Id> {
    ids.iter().filter_map(|id| id.parse().inspect_err(|_| warn!("a job's row has an id that is none")).ok()).collect()
}

/// The column of when a job's time is over, which is never while it has not ended.
pub(in crate::ports::rows) fn ends(ended_until: Option<u64>) -> i64 {
    ended_until.map_or(i64::MAX, |until| until as i64)
}

impl<D: Database> Type<D> for Hash
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

impl<'q, D: Database> Encode<'q, D> for Hash
where
    Vec<u8>: Encode<'q, D>,
{
    fn encode_by_ref(&self, arguments: &mut D::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        self.as_bytes().to_vec().encode(arguments)
    }
}

impl<'r, D: Database> Decode<'r, D> for Hash
where
    Vec<u8>: Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(blake3::Hash::from_slice(&<Vec<u8> as Decode<'r, D>>::decode(value)?)?.into())
    }
}

impl PgHasArrayType for Hash {
    fn array_type_info() -> PgTypeInfo {
        <Vec<u8> as PgHasArrayType>::array_type_info()
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

impl PgHasArrayType for Id {
    fn array_type_info() -> PgTypeInfo {
        <String as PgHasArrayType>::array_type_info()
    }
}
