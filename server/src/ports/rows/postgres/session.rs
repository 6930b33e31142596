//! Session: how a connection is set up, and the tables that it finds.

use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::timeout;
use tracing::warn;

use super::{Address, TURN};
use crate::ports::rows::sql::{migrator, not_migrated};

/// How a session is set up. A commit is on the disk when it returns: what was answered with 201 outlives a power cut. Times are in milliseconds, or in
/// seconds for `tcp_keepalives_…`: a server whose machine is gone holds its locks for half a minute. The time of statements is not limited there, but by
/// [`LONGEST`](super::LONGEST) here: a commit whose time were over would be answered though no standby has it.
const SESSION: [(&str, &str); 10] = [
    ("synchronous_commit", "on"),
    ("default_transaction_isolation", "read committed"),
    ("statement_timeout", "0"),
    ("lock_timeout", "10000"),
    ("idle_in_transaction_session_timeout", "30000"),
    ("client_min_messages", "warning"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "4"),
    ("tcp_user_timeout", "30000"),
];

/// The steps that bring the tables up to date, each with what it is for.
pub(super) const MIGRATIONS: [(&str, &str); 3] = [
    ("tables", include_str!("../../../../migrations/postgres/0001_tables.sql")),
    ("files", include_str!("../../../../migrations/postgres/0002_files.sql")),
    ("class codes", include_str!("../../../../migrations/postgres/0003_class_codes.sql")),
];

/// What a connection to this database is made with.
pub(super) fn session(address: &Address) -> PgConnectOptions {
    address.options().clone().application_name("editscope").options(SESSION)
}

/// Brings the tables up to date, on a connection of its own, which waits for others that do the same, and for steps that take long.
///
/// # Errors
/// When the database cannot be reached, or was written by a newer version.
pub(super) async fn migrate(options: &PgConnectOptions) -> anyhow::Result<()> {
    let patient = options.clone().options([("lock_timeout", "0")]);
    let mut connection = timeout(TURN, patient.connect()).await.context("it does not answer")??;
    let migrated = migrator(&MIGRATIONS).run(&mut connection).await;
    migrated.map_err(|error| not_migrated(error, "it"))?;
    warn_of_loss(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// A database can be told to forget what it has answered for when the power fails.
async fn warn_of_loss(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let off: Vec<String> =
        sqlx::query_scalar("SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'")
            .fetch_all(connection)
            .await?;
    if !off.is_empty() {
        warn!("{} is off: the database may lose what it has when the power fails", off.join(", "));
    }
    Ok(())
}
