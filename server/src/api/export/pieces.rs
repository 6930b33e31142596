//! Pieces: a body that is written on one thread while it is sent from another.

use std::fmt;
use std::io::{self, Write as _};

use axum::body::{Body, Bytes};
use futures::stream;
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
            && cause.kind() != io::ErrorKind::BrokenPipe
        {
            error!("an export broke off: {cause}");
            // An error here means that the client has gone away too.
            let _ = out.pieces.blocking_send(Err(cause));
        }
    });
    // Compression asks again after the end, which this stream bears.
    Body::from_stream(stream::poll_fn(move |context| sent.poll_recv(context)))
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
