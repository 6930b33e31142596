//! Serving: starts the background tasks, accepts connections, and shuts the server down.

use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::http::connections::{self, ConnectionLimits};
use crate::http::site::PageAssets;
use crate::store::UNUSED_FILE_GRACE;
use crate::{ServerState, router};

/// Time that runs and open connections have to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval at which expired data is removed.
const COLLECT_INTERVAL: Duration = Duration::from_secs(60);

/// Serves connections of `listener` until `stop` resolves, and then shuts down. From then on no job is accepted, and
/// jobs of a cluster have the configured time to end. All other runs are interrupted, and the function returns within a
/// few seconds.
///
/// # Errors
/// Returns no error today.
pub async fn serve(
    listener: TcpListener,
    state: ServerState,
    site: Option<&PageAssets>,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let collector = if state.config.roles.sweeper { tokio::spawn(collect(state.clone())) } else { tokio::spawn(count(state.clone())) };
    let (closing, closed) = tokio::sync::oneshot::channel::<()>();
    let mut server = tokio::spawn(connections::accept(listener, router(state.clone(), site), ConnectionLimits::of(&state.config), closed));
    stop.await;
    info!("stopping");
    if let Some(member) = state.jobs.cluster_member() {
        member.drain(Duration::from_secs(state.config.drain_seconds)).await;
    }
    // Now the listener closes, and every event stream ends with its job.
    drop(closing);
    state.jobs.close(SHUTDOWN_TIMEOUT).await;
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, &mut server).await.is_err() {
        warn!("a connection did not end in time");
        server.abort();
    }
    state.store.empty_disk_cache().await;
    collector.abort();
    Ok(())
}

/// Waits until the process receives control-C or SIGTERM.
pub async fn told_to_stop() {
    let interrupt = async {
        // If the signal cannot be received, it ends the process without a shutdown.
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

/// Counts the stored bytes again at intervals, in a process without the sweeper role. Files may be gone by then,
/// because another process of the cluster removes expired ones.
async fn count(state: ServerState) {
    let mut clock = tokio::time::interval(UNUSED_FILE_GRACE);
    // The first tick comes at once. The bytes were just counted when the store was opened.
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
