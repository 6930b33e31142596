//! Session: the options of connections to PostgreSQL (`session`), and the migration of the tables (`migrate`).

use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::timeout;
use tracing::warn;

use super::{POSTGRES_CONNECT_TIMEOUT, PostgresAddress};
use crate::storage::ports::rows::sql::{migrator, not_migrated};

/// Session settings of each connection: names and values.
///
/// A commit is on disk when it returns, so that answers with status 201 survive a power failure. Times are in
/// milliseconds, except for `tcp_keepalives_…` in seconds: a server whose machine is lost holds its locks for half a
/// minute.
///
/// Statements have no timeout in the database, but `POSTGRES_CALL_TIMEOUT` in the client. Otherwise a commit that times
/// out in the server would be confirmed although no standby has it.
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

/// Migrations of the tables: the name and the SQL statements of each step, in their order.
pub(super) const MIGRATIONS: [(&str, &str); 3] = [
    ("tables", include_str!("../../../../../migrations/postgres/0001_tables.sql")),
    ("files", include_str!("../../../../../migrations/postgres/0002_files.sql")),
    ("class codes", include_str!("../../../../../migrations/postgres/0003_class_codes.sql")),
];

/// Returns the options for connections to `address`, with the session settings.
pub(super) fn session(address: &PostgresAddress) -> PgConnectOptions {
    address.options().clone().application_name("editscope").options(SESSION)
}

/// Updates the tables of the database to this version. Uses a connection of its own without a lock timeout, so that it
/// waits for migrations of other processes however long they take.
///
/// # Errors
/// Returns an error if the database cannot be reached, or if a newer version of this program wrote it.
pub(super) async fn migrate(options: &PgConnectOptions) -> anyhow::Result<()> {
    let patient = options.clone().options([("lock_timeout", "0")]);
    let mut connection = timeout(POSTGRES_CONNECT_TIMEOUT, patient.connect()).await.context("it does not answer")??;
    let migrated = migrator(&MIGRATIONS).run(&mut connection).await;
    migrated.map_err(|error| not_migrated(error, "it"))?;
    warn_of_loss(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Logs a warning if settings of the database allow confirmed data to be lost in a power failure.
async fn warn_of_loss(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let off: Vec<String> =
        sqlx::query_scalar("SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'")
            .fetch_all(connection)
            .await?;
    if !off.is_empty() {
        warn!("{} is off: the database may lose data in a power failure", off.join(", "));
    }
    Ok(())
}
