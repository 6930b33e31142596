//! Serving requests: starts the background tasks, accepts connections and shuts the server down.

use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::http::connections::{self, ConnectionLimits};
use crate::http::site::PageAssets;
use crate::storage::store::UNUSED_FILE_GRACE;
use crate::{ServerState, router};

/// Time for runs and for open connections to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval in which expired data is removed.
const COLLECT_INTERVAL: Duration = Duration::from_secs(60);

/// Serves until `stop` resolves, and then shuts down. A shutdown accepts no more jobs and gives cluster jobs the
/// configured time to end. It interrupts all other runs and returns within a few seconds.
///
/// # Errors
/// Returns no error today.
pub async fn serve(
    listener: TcpListener,
    state: ServerState,
    site: Option<&PageAssets>,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let is_sweeper = state.config.roles.sweeper;
    let collector = if is_sweeper { tokio::spawn(collect(state.clone())) } else { tokio::spawn(count(state.clone())) };
    let (jobs, sweeping) = (state.jobs.clone(), is_sweeper);
    let sweeper = sweeping.then(|| tokio::spawn(async move { jobs.sweep().await }));
    let (closing, closed) = tokio::sync::oneshot::channel::<()>();
    let mut server = tokio::spawn(connections::accept(listener, router(state.clone(), site), ConnectionLimits::of(&state.config), closed));
    stop.await;
    info!("stopping");
    state.jobs.drain(Duration::from_secs(state.config.drain_seconds)).await;
    // Now the listener closes, and every event stream ends with its job.
    drop(closing);
    state.jobs.close(SHUTDOWN_TIMEOUT).await;
    state.jobs.withdraw().await;
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, &mut server).await.is_err() {
        warn!("a connection did not end in time");
        server.abort();
    }
    state.store.empty_disk_cache().await;
    [collector].into_iter().chain(sweeper).for_each(|task| task.abort());
    Ok(())
}

/// Waits until the process receives control-C or SIGTERM.
pub async fn told_to_stop() {
    let interrupt = async {
        // If signals cannot be received, the process just gets killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

/// Counts the stored bytes again at intervals, in a process without sweeper role. The cluster's sweeper removes files
/// that this process has counted.
async fn count(state: ServerState) {
    let mut clock = tokio::time::interval(UNUSED_FILE_GRACE);
    // The first tick is immediate, and opening the store has just counted everything.
    clock.tick().await;
    loop {
        clock.tick().await;
        let store = state.store.clone();
        match tokio::task::spawn_blocking(move || store.count()).await {
            Ok(Ok(())) => {}
            Ok(Err(cause)) => warn!("stored bytes could not be counted: {cause:#}"),
            Err(cause) => warn!("count of stored bytes panicked: {cause}"),
        }
    }
}

async fn collect(state: ServerState) {
    let mut clock = tokio::time::interval(COLLECT_INTERVAL);
    loop {
        clock.tick().await;
        let store = state.store.clone();
        match tokio::task::spawn_blocking(move || store.collect()).await {
            Ok(Ok(0)) => {}
            Ok(Ok(files)) => info!("{files} expired files removed"),
            Ok(Err(cause)) => warn!("expired data could not be removed: {cause:#}"),
            Err(cause) => warn!("collector panicked: {cause}"),
        }
    }
}
