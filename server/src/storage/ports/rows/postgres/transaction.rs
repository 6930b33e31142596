//! Retries of transactions that conflict with others (`attempt`).

use std::future::Future;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::storage::ports::rows::sql::invalid_row;
use crate::storage::ports::{StorageError, StorageErrorKind};

/// Timeout of a whole call of the database, including retries.
const POSTGRES_CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of attempts at a transaction that conflicts with others.
const MAX_TRANSACTION_ATTEMPTS: u32 = 5;

/// Runs the transaction `work`, and retries it if it conflicts with another one.
///
/// # Errors
/// Returns the error of the last attempt, or `Unavailable` after [`POSTGRES_CALL_TIMEOUT`].
pub(in crate::storage::ports) async fn attempt<T, W: Future<Output = Result<T, sqlx::Error>>>(
    work: impl Fn() -> W,
) -> Result<T, StorageError> {
    let all = async {
        for tried in 1.. {
            match work().await {
                Err(error) if tried < MAX_TRANSACTION_ATTEMPTS && is_transaction_conflict(&error) => {
                    sleep(Duration::from_millis(10 << tried)).await
                }
                done => return Ok(done?),
            }
        }
        Err(invalid_row("the transaction has no attempts"))
    };
    let silent = |_| {
        StorageError::new(StorageErrorKind::Unavailable, format!("the database has said nothing for {} s", POSTGRES_CALL_TIMEOUT.as_secs()))
    };
    timeout(POSTGRES_CALL_TIMEOUT, all).await.map_err(silent)?
}

/// Returns whether a transaction failed because of a concurrent one, by a serialization failure or a deadlock.
fn is_transaction_conflict(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| ["40001", "40P01"].contains(&code.as_ref()))
}
