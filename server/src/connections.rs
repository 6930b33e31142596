//! Connections: so many at a time, of each client a part of them, and none that is there for nothing. One that brings no request, or takes
//! nothing of an answer, is closed: else a few thousand idle sockets keep everybody else out.

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

use crate::clients::address::Proxies;
use crate::clients::shares::Shares;
use crate::clients::{Client, Peer};
use crate::config::Config;
use crate::error::{Kind, Problem};
use crate::metrics::{self, Open};

/// Files that are left for the store, for engines and for what the process has open anyway.
const OTHER_FILES: u64 = 256;

/// Connections that may wait to be taken. A system has a limit of its own: 4,096 on Linux, unless told.
const WAITING: u32 = 4096;

/// When a client that has its share of the connections may try again, in seconds.
const RETRY: u64 = 10;

/// After a connection that could not be taken, for want of files say.
const REST: Duration = Duration::from_millis(100);

/// Of all connections one client may have three eighths: 1,536 of 4,096, which is six for each of 256 phones behind one address. Somebody who has an
/// address of IPv4 and one of IPv6 leaves others a quarter.
const SHARE: (usize, usize) = (3, 8);

/// What connections may do.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// How many there may be,
    connections: usize,
    /// of one client,
    per_client: usize,
    /// unless it is one of these, which connect for others.
    proxies: Proxies,
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
        let per_client = (connections * SHARE.0 / SHARE.1).max(1);
        Self { connections, per_client, proxies: config.proxies.clone(), silence, idle: silence * 5 / 2 }
    }
}

/// Gives the table of open files room for so many connections. Called before there are other threads it costs nothing; later the table is doubled whenever
/// it is full, and each time Linux waits until no core uses the old one, 10 to 20 ms in which nobody connects.
pub fn prepare_files(connections: usize) {
    #[cfg(target_os = "linux")]
    {
        let most = open_files().unwrap_or(u64::MAX);
        let wanted = most.min((connections as u64).saturating_add(OTHER_FILES));
        // The last number of all, taken and given back. Without, the table grows as it is needed.
        if let Ok(last) = i32::try_from(wanted.saturating_sub(1)) {
            let _ = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), last);
        }
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

/// Listens on an address. Two hundred people who press a key together are two hundred connections at once: the usual 128 that may wait to be taken
/// are too few for them, and whoever finds no place tries again after a second.
///
/// # Errors
/// When the address is not known or taken.
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
    // Where a server has ended another one may listen at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// What a client is told that has as many connections as it may, before it has asked anything: a whole answer of HTTP.
fn refusal(most: usize) -> String {
    let detail = format!("One visitor can have at most {most} connections at the same time. Close some, or try again later.");
    let problem = Problem::new(Kind::RateLimited, detail).limit(most as u64, None).retry_after(RETRY);
    let body = serde_json::to_string(&problem.document()).unwrap_or_default();
    let head = format!("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/problem+json\r\nContent-Length: {}", body.len());
    format!("{head}\r\nCache-Control: no-store\r\nRetry-After: {RETRY}\r\nConnection: close\r\n\r\n{body}")
}

/// Serves what connects, until whoever holds the other end of `closed` drops it, and the requests that are there then. A client that has its share
/// of the connections is refused, where the system has room for that in words, and the connection is closed.
pub async fn accept(listener: TcpListener, router: Router, allowed: Allowed, mut closed: Receiver<()>) {
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(allowed.idle);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(allowed.connections.min(Semaphore::MAX_PERMITS)));
    let shares = Arc::new(Shares::default());
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
        let network = allowed.proxies.network_of_connection(peer.ip());
        let share = network.map(|network| shares.take(Client::Network(network), allowed.per_client));
        if let Some(None) = share {
            metrics::limit_reached("connections");
            metrics::refused(Kind::RateLimited.slug());
            // Not waited for. Whoever has sent a request already may hear nothing but that the connection is closed.
            let _ = stream.into_std().and_then(|mut stream| stream.write(refusal(allowed.per_client).as_bytes()));
            continue;
        }
        // Small answers go at once.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(allowed.silence));
        // One route around the others: a layer over all of them would be made anew for each connection.
        let named = Router::new().fallback_service(router.clone()).layer(Extension(Peer(peer.ip())));
        let service = TowerToHyperService::new(named);
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _held = (place, share, Open::connection());
            if let Err(cause) = connection.await {
                debug!("a connection broke off: {cause}");
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
    fn the_table_of_files_has_its_size_before_anybody_connects() {
        let size = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let size = status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap();
            size.trim().parse::<u64>().unwrap()
        };
        let most = open_files().unwrap_or(u64::MAX);
        prepare_files(3000);
        assert!(size() >= most.min(3000 + OTHER_FILES), "{} of {most}", size());
    }

    #[tokio::test]
    #[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
    async fn a_lecture_that_connects_at_once_finds_places() {
        const LECTURE: usize = 300;
        let limit = std::fs::read_to_string("/proc/sys/net/core/somaxconn").ok().and_then(|limit| limit.trim().parse().ok());
        if limit.is_some_and(|limit: usize| limit < LECTURE) {
            println!("skipped: this system lets {limit:?} connections wait");
            return;
        }
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // Nobody takes them meanwhile. Who is turned away tries again after a second.
        let all = join_all((0..LECTURE).map(|_| timeout(Duration::from_millis(900), TcpStream::connect(address)))).await;
        let connected = all.iter().filter(|connected| matches!(connected, Ok(Ok(_)))).count();
        assert_eq!(connected, LECTURE);
    }
}
