//! Connections: so many at a time, and none that is there for nothing. One that brings no request, or takes nothing of an answer, is closed:
//! else a few hundred idle sockets keep everybody else out.

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::sync::oneshot::Receiver;
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, warn};

use crate::clients::Peer;
use crate::config::Config;
use crate::metrics::Open;

/// Files that are left for the store, for engines and for what the process has open anyway.
const OTHER_FILES: u64 = 256;

/// After a connection that could not be taken, for want of files say.
const REST: Duration = Duration::from_millis(100);

/// What connections may do.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// How many there may be.
    connections: usize,
    /// How long one may take nothing of an answer,
    silence: Duration,
    /// and bring no request. Longer than a proxy keeps connections by default, which would else send a request into one that closes.
    idle: Duration,
}

impl Allowed {
    /// By the configuration, and as far as this process may have so many files open; it asks for as many as it can get.
    pub fn of(config: &Config) -> Self {
        let most = open_files().map_or(u64::MAX, |files| files.saturating_sub(OTHER_FILES).max(files / 2));
        let connections = usize::try_from(most).unwrap_or(usize::MAX).min(config.connections);
        if connections < config.connections {
            warn!("{connections} connections at a time, since this process may not have more files open");
        }
        let silence = Duration::from_secs(config.client_seconds);
        Self { connections, silence, idle: silence * 5 / 2 }
    }
}

/// How many files this process may have open, if there is a limit.
#[cfg(unix)]
fn open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let files = getrlimit(Resource::Nofile);
    // Where that is refused there are as many as there were.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn open_files() -> Option<u64> {
    None
}

/// Serves what connects, until whoever holds the other end of `closed` drops it, and the requests that are there then.
pub async fn accept(listener: TcpListener, router: Router, allowed: Allowed, mut closed: Receiver<()>) {
    // Which version comes is not waited for, since that has no deadline.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(allowed.idle);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(allowed.connections.min(Semaphore::MAX_PERMITS)));
    loop {
        let taken = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, connected) = tokio::select! { taken = taken => taken, _ = &mut closed => break };
        let (Ok(place), stream) = (place, connected) else { break };
        let (stream, peer) = match stream {
            Ok(connected) => connected,
            Err(cause) => {
                warn!("a connection could not be taken: {cause}");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        // Small answers go at once.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(allowed.silence));
        // One route around the others: a layer over all of them would be made anew for each connection.
        let named = Router::new().fallback_service(router.clone()).layer(Extension(Peer(peer.ip())));
        let service = TowerToHyperService::new(named);
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _held = (place, Open::connection());
            if let Err(cause) = connection.await {
                debug!("a connection broke off: {cause}");
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
}
