//! Connections: accepts network connections ([`listen`], [`accept`]) and limits their number, in total and for each
//! client ([`ConnectionLimits`]). Closes a connection that brings no request, or whose client does not read the answer.
//! Otherwise a few thousand idle connections could lock out all other clients.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};
use tokio::sync::Semaphore;
use tokio::sync::oneshot::Receiver;
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, warn};

use crate::clients::PeerAddress;
use crate::clients::shares::ClientSlotTable;
use crate::config::Config;
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::identity::address::TrustedProxies;
use crate::ops::metrics::{self, OpenGauge};

/// Number of file descriptors that are left for the store, the engines and other parts of the process, and not used for
/// connections.
const RESERVED_FILES: u64 = 256;

/// Maximum number of connections that the system has accepted and this process has not taken yet. The system may lower
/// this number; the default maximum on Linux is 4,096.
const ACCEPT_BACKLOG: u32 = 4096;

/// Number of seconds after which a client with its maximum number of connections may try again.
const CONNECTION_RETRY_SECONDS: u64 = 10;

/// Pause after a connection could not be accepted, for example because no file descriptor is free.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Maximum share of all connections that one client may have, as numerator and denominator. Three eighths are 1,536 of
/// 4,096 connections, or six for each of 256 phones behind one address. A client with both an IPv4 and an IPv6 address
/// still leaves a quarter for others.
const MAX_CLIENT_SHARE: (usize, usize) = (3, 8);

/// The limits for the number of connections and for their idle times.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of connections of all clients together.
    connections: usize,
    /// Maximum number of connections of one client.
    per_client: usize,
    /// Trusted proxies, which may have any number of connections, because they connect for many clients.
    proxies: TrustedProxies,
    /// Time for which the client may read nothing of an answer, before the connection is closed.
    silence: Duration,
    /// Time for which a connection may stay open without a request. It is longer than the idle time of common proxies,
    /// so that the proxy closes a connection first and never sends a request into a closing one.
    idle: Duration,
}

impl ConnectionLimits {
    /// Derives the limits from the settings `config` and from the system's limit of open files. Raises the system's
    /// limit as far as possible.
    pub fn from_config(config: &Config) -> Self {
        let most = open_files().map_or(u64::MAX, |files| files.saturating_sub(RESERVED_FILES).max(files / 2));
        let connections = usize::try_from(most).unwrap_or(usize::MAX).min(config.connections);
        if connections < config.connections {
            warn!("at most {connections} connections, because this process may not open more files");
        }
        let silence = Duration::from_secs(config.client_seconds);
        let per_client = (connections * MAX_CLIENT_SHARE.0 / MAX_CLIENT_SHARE.1).max(1);
        Self { connections, per_client, proxies: config.proxies.clone(), silence, idle: silence * 5 / 2 }
    }
}

/// Reserves entries for `connections` connections in the process's table of open files. Before other threads exist,
/// this takes no time. Later, Linux stalls at each enlargement of the table until no core uses the old one, and
/// meanwhile no client can connect.
pub fn prepare_files(connections: usize) {
    #[cfg(target_os = "linux")]
    {
        let most = open_files().unwrap_or(u64::MAX);
        let wanted = most.min((connections as u64).saturating_add(RESERVED_FILES));
        // Duplicates a file to the highest descriptor and closes the copy. This enlarges the table in one step.
        if let Ok(last) = i32::try_from(wanted.saturating_sub(1)) {
            let _ = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), last);
        }
    }
}

/// Raises the limit of open files of this process as far as possible. Returns the new limit, or `None` if the number is
/// unlimited.
#[cfg(unix)]
fn open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let files = getrlimit(Resource::Nofile);
    // The old limit stays if it cannot be raised.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn open_files() -> Option<u64> {
    None
}

/// Listens on `address`, with a long backlog of connections that are not yet accepted. If 200 people press a key at the
/// same time, they open 200 connections together. The usual backlog of 128 is too short for them, and a client that
/// finds the backlog full tries again only after a second.
///
/// # Errors
/// Returns an error if `address` is unknown or in use.
pub async fn listen(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut trouble = io::Error::new(io::ErrorKind::InvalidInput, "the address names no place");
    for address in lookup_host(address).await? {
        match listen_on(address) {
            Ok(listener) => return Ok(listener),
            Err(cause) => trouble = cause,
        }
    }
    Err(trouble)
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows a new server to listen on the address of one that has just ended.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_BACKLOG)
}

/// Formats the HTTP response to a client that already has its maximum of `most` connections. The server sends it
/// without reading the request.
fn refusal(most: usize) -> String {
    let detail = format!("One visitor can have at most {most} connections at the same time. Close some, or try again later.");
    let problem = ApiProblem::new(ProblemKind::RateLimited, detail).limit(most as u64, None).retry_after(CONNECTION_RETRY_SECONDS);
    let body = serde_json::to_string(&problem.document()).unwrap_or_default();
    let head = format!("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/problem+json\r\nContent-Length: {}", body.len());
    format!("{head}\r\nCache-Control: no-store\r\nRetry-After: {CONNECTION_RETRY_SECONDS}\r\nConnection: close\r\n\r\n{body}")
}

/// Accepts connections of `listener` and serves their requests with `router`, until the sender of `closed` is dropped.
/// Then waits for the end of open requests. A connection of a client that already has its maximum number of connections
/// is refused with a short response and closed.
pub async fn accept(listener: TcpListener, router: Router, allowed: ConnectionLimits, mut closed: Receiver<()>) {
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(allowed.idle);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(allowed.connections.min(Semaphore::MAX_PERMITS)));
    let shares = Arc::new(ClientSlotTable::default());
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
                warn!("connection could not be accepted: {cause}");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let network = allowed.proxies.network_of_connection(peer.ip());
        let share = network.map(|network| shares.take(ClientIdentity::Network(network), allowed.per_client));
        if let Some(None) = share {
            metrics::limit_reached("connections");
            metrics::problem_sent(ProblemKind::RateLimited.slug());
            // Does not wait until the client has read the response. If its request is already under way, it may see
            // only a closed connection.
            let _ = stream.into_std().and_then(|mut stream| stream.write(refusal(allowed.per_client).as_bytes()));
            continue;
        }
        // Turns off Nagle's algorithm, so that small answers are sent without delay.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(allowed.silence));
        // The router is used as a fallback service, because a layer around all routes would be built anew for each
        // connection.
        let named = Router::new().fallback_service(router.clone()).layer(Extension(PeerAddress(peer.ip())));
        let service = TowerToHyperService::new(named);
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _held = (place, share, OpenGauge::connection());
            if let Err(cause) = connection.await {
                debug!("connection failed: {cause}");
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use tokio::net::TcpStream;
    use tokio::time::timeout;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn file_table_is_enlarged_before_the_first_connection() {
        let size = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let size = status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap();
            size.trim().parse::<u64>().unwrap()
        };
        let most = open_files().unwrap_or(u64::MAX);
        prepare_files(3000);
        assert!(size() >= most.min(3000 + RESERVED_FILES), "{} of {most}", size());
    }

    #[tokio::test]
    #[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
    async fn all_clients_of_a_lecture_can_connect_at_once() {
        const LECTURE: usize = 300;
        let limit = std::fs::read_to_string("/proc/sys/net/core/somaxconn").ok().and_then(|limit| limit.trim().parse().ok());
        if limit.is_some_and(|limit: usize| limit < LECTURE) {
            println!("skipped: this system lets {limit:?} connections wait");
            return;
        }
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // The server does not accept these connections yet. A client that finds the backlog full would try again after
        // a second.
        let all = join_all((0..LECTURE).map(|_| timeout(Duration::from_millis(900), TcpStream::connect(address)))).await;
        let connected = all.iter().filter(|connected| matches!(connected, Ok(Ok(_)))).count();
        assert_eq!(connected, LECTURE);
    }
}
