//! Serve: starts the background tasks, accepts connections, and shuts the server down ([`serve`]).

use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::http::connections::{self, ConnectionLimits};
use crate::http::page_assets::PageAssets;
use crate::store::UNUSED_FILE_GRACE;
use crate::{ServerState, router};

/// Maximum time for runs to end after the server was told to stop, and then again for open connections.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval between removals of expired data.
const COLLECT_INTERVAL: Duration = Duration::from_secs(60);

/// Serves the connections of `listener` until `stop` resolves, and then shuts down. Gives jobs of a cluster the
/// configured time to end. Then accepts no more jobs, interrupts all other runs, and returns a few seconds later.
///
/// # Errors
/// Never fails at present.
pub async fn serve(
    listener: TcpListener,
    state: ServerState,
    site: Option<&PageAssets>,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let collector = if state.config.roles.sweeper { tokio::spawn(collect(state.clone())) } else { tokio::spawn(count(state.clone())) };
    let (closing, closed) = tokio::sync::oneshot::channel::<()>();
    let mut server =
        tokio::spawn(connections::accept(listener, router(state.clone(), site), ConnectionLimits::from_config(&state.config), closed));
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
pub async fn wait_for_stop_signal() {
    let interrupt = async {
        // Without a handler of the signal, control-C ends the process at once.
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

/// Counts the stored bytes at intervals, forever. Needed in a process without the sweeper role, because another process
/// of the cluster removes expired files.
async fn count(state: ServerState) {
    let mut clock = tokio::time::interval(UNUSED_FILE_GRACE);
    // The first tick comes at once, but the bytes were counted when the store was opened.
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
