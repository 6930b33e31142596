//! Services on other machines that hold the data of a store: a database of PostgreSQL and a bucket of an S3 server.

use std::sync::Arc;

use anyhow::Context as _;

use super::secret::SecretKey;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::FileStore;
use crate::storage::ports::files::bucket::{BucketAddress, BucketFiles};
use crate::storage::ports::files::short::ShortFiles;
use crate::storage::ports::files::short::postgres::PostgresShortFileTable;
use crate::storage::ports::rows::RowStore;
use crate::storage::ports::rows::postgres::{PostgresAddress, PostgresRows};

/// Text that is hashed with the secret key. The hash identifies the owner of a bucket's files.
const BUCKET_OWNER_INPUT: &[u8] = b"files";

/// An open database of PostgreSQL, and its address.
pub(super) struct Database {
    rows: PostgresRows,
    address: PostgresAddress,
}

/// Opens and locks the database at `address`, and reads its secret key. The lock is shared if `is_shared`. The first
/// server creates the key.
pub(super) async fn open_database(address: &PostgresAddress, is_shared: bool) -> anyhow::Result<(Arc<dyn RowStore>, SecretKey, Database)> {
    let rows = if is_shared { PostgresRows::open_shared(address).await? } else { PostgresRows::open_alone(address).await? };
    let secret = rows.secret(SecretKey::random().0).await.with_context(|| format!("cannot keep a secret in {address}"))?;
    Ok((Arc::new(rows.clone()), SecretKey(secret), Database { rows, address: address.clone() }))
}

/// Opens the database at `address` without a lock.
pub(super) async fn open_rows(address: &PostgresAddress) -> anyhow::Result<Arc<dyn RowStore>> {
    Ok(Arc::new(PostgresRows::open(address).await?))
}

/// Opens the bucket at `place`, which may store `capacity` bytes, for the owner of `secret`. If there is a `database`,
/// short files are stored in it.
pub(super) async fn open_bucket(
    place: &BucketAddress,
    capacity: u64,
    time: Arc<dyn Clock>,
    secret: &SecretKey,
    database: Option<Database>,
) -> anyhow::Result<Arc<dyn FileStore>> {
    let files = BucketFiles::open(place, capacity, time.clone()).await.with_context(|| format!("cannot use {place}"))?;
    let is_own = files.claim(&secret.hash(&[BUCKET_OWNER_INPUT])).await.with_context(|| format!("cannot use {place}"))?;
    anyhow::ensure!(is_own, "{place} has the files of another database; where that is gone, remove {place}/owner");
    let Some(Database { rows, address }) = database else { return Ok(Arc::new(files)) };
    let short = async {
        let table = PostgresShortFileTable::open(&rows, time).await?;
        ShortFiles::open(table, Arc::new(files), capacity).await
    };
    Ok(Arc::new(short.await.with_context(|| format!("cannot count the short files in {address}"))?))
}
