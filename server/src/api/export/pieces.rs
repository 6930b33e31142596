//! Pieces: a body that is written on one thread while it is sent from another.

use std::fmt;
use std::io::{self, Write as _};
use std::ops::ControlFlow;

use axum::body::{Body, Bytes};
use futures::stream;
use kernels::event::Signal;
use kernels::run::Observer;
use tokio::sync::mpsc;
use tracing::error;

/// Bytes that are written before they are sent.
const PIECE: usize = 64 << 10;

/// Pieces that wait for a slow client.
const WAITING: usize = 4;

/// Collects what is written and hands it over in pieces.
pub(super) struct Pieces {
    pieces: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

/// A body of what `write` writes, on a thread that may block. The writer stops when the client goes away. When it fails, the body
/// breaks off, so that nobody takes a part for the whole.
pub(super) fn body(write: impl FnOnce(&mut Pieces) -> io::Result<()> + Send + 'static) -> Body {
    let (pieces, mut sent) = mpsc::channel(WAITING);
    tokio::task::spawn_blocking(move || {
        let mut out = Pieces { pieces, piece: Vec::with_capacity(PIECE) };
        if let Err(cause) = write(&mut out).and_then(|()| out.flush())
            && !out.pieces.is_closed()
        {
            error!("an export broke off: {cause}");
            // An error here means that the client has gone away now.
            let _ = out.pieces.blocking_send(Err(cause));
        }
    });
    // Compression asks again after the end, which this stream bears.
    Body::from_stream(stream::poll_fn(move |context| sent.poll_recv(context)))
}

/// Whoever reads a body: has a run stopped when nobody does any more.
pub(super) struct Reader(mpsc::Sender<io::Result<Bytes>>);

impl Pieces {
    /// Its reader.
    pub(super) fn reader(&self) -> Reader {
        Reader(self.pieces.clone())
    }
}

impl Observer for Reader {
    fn on_signal(&self, _: Signal) -> ControlFlow<()> {
        if self.0.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        self.pieces.blocking_send(Ok(piece.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl fmt::Write for Pieces {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn who_reads_no_more_stops_the_run() {
        let (stopped, stops) = std::sync::mpsc::channel();
        let body = body(move |out| {
            let reader = out.reader();
            while reader.on_signal(Signal::Progress { done: 0, total: 0 }).is_continue() {
                std::thread::sleep(Duration::from_millis(1));
            }
            stopped.send(()).map_err(io::Error::other)
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(stops.try_recv().is_err(), "somebody reads");
        drop(body);
        let waited = tokio::task::spawn_blocking(move || stops.recv_timeout(Duration::from_secs(10))).await.unwrap();
        assert_eq!(waited, Ok(()));
    }
}
