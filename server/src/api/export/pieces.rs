//! Pieces: a body that is written on a thread of its own while it is sent from another. There are few of those, and a client that takes
//! nothing for long, or takes pieces too slowly, gives its one back.

use std::fmt;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Release};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use futures::stream;
use kernels::event::Signal;
use kernels::run::Observer;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::error;

use crate::error::Problem;
use crate::results::exporting::{Exporting, Pace};

/// Bytes that are written before they are sent.
const PIECE: usize = 64 << 10;

/// Pieces that wait for a slow client.
const WAITING: usize = 4;

/// Collects what is written and hands it over in pieces.
pub(super) struct Pieces {
    pieces: mpsc::Sender<Bytes>,
    piece: Vec<u8>,
    _place: Exporting,
    pace: Pace,
    runtime: Handle,
}

/// A body of what `write` writes, on a thread that may block. The writer stops when the client goes away or takes too little. When it
/// fails, the body breaks off, so that nobody takes a part for the whole.
///
/// # Errors
/// `Internal` when there is no thread.
pub(super) fn body(place: Exporting, write: impl FnOnce(&mut Pieces) -> io::Result<()> + Send + 'static) -> Result<Body, Problem> {
    let (pieces, mut sent) = mpsc::channel(WAITING);
    let runtime = Handle::current();
    let whole = Arc::new(AtomicBool::new(false));
    let is_whole = whole.clone();
    let work = move || {
        let _inside = runtime.enter();
        let pace = place.pace();
        let mut out = Pieces { pieces, piece: Vec::with_capacity(PIECE), _place: place, pace, runtime: runtime.clone() };
        match write(&mut out).and_then(|()| out.flush()) {
            Ok(()) => whole.store(true, Release),
            // Nobody reads any more, or too slowly.
            Err(cause) if out.pieces.is_closed() || [io::ErrorKind::BrokenPipe, io::ErrorKind::TimedOut].contains(&cause.kind()) => {}
            Err(cause) => error!("an export broke off: {cause}"),
        }
    };
    std::thread::Builder::new().name("export".into()).spawn(work).map_err(Problem::internal)?;
    // Compression asks again after the end, which this stream bears.
    let next = move |context: &mut Context<'_>| -> Poll<Option<io::Result<Bytes>>> {
        match sent.poll_recv(context) {
            Poll::Ready(None) if !is_whole.swap(true, AcqRel) => Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
            piece => piece.map(|piece| piece.map(Ok)),
        }
    };
    Ok(Body::from_stream(stream::poll_fn(next)))
}

/// Whoever reads a body: has a run stopped when nobody does any more.
pub(super) struct Reader(mpsc::Sender<Bytes>);

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
        let (bytes, begun) = (piece.len(), Instant::now());
        let sent = timeout(self.pace.patience(), self.pieces.send(piece.into()));
        match self.runtime.block_on(sent) {
            Ok(Ok(())) => {
                self.pace.took(bytes, begun.elapsed());
                Ok(())
            }
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl fmt::Write for Pieces {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;
    use std::time::Duration;

    use futures::StreamExt as _;

    use super::*;
    use crate::config::Config;
    use crate::results::Results;
    use crate::store::Store;

    async fn place(seconds: &str) -> Exporting {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::read(|name| (name == "EDITSCOPE_CLIENT_SECONDS").then(|| seconds.to_owned())).unwrap();
        let config = Config { data: folder.path().to_owned(), ..config };
        Results::new(Store::open(&config).await.unwrap(), &config).exporting().unwrap()
    }

    async fn told(stops: Receiver<()>) {
        let waited = tokio::task::spawn_blocking(move || stops.recv_timeout(Duration::from_secs(10))).await.unwrap();
        assert_eq!(waited, Ok(()));
    }

    #[tokio::test]
    async fn who_reads_no_more_stops_the_run() {
        let (stopped, stops) = std::sync::mpsc::channel();
        let body = body(place("30").await, move |out| {
            let reader = out.reader();
            while reader.on_signal(Signal::Progress { done: 0, total: 0 }).is_continue() {
                std::thread::sleep(Duration::from_millis(1));
            }
            stopped.send(()).map_err(io::Error::other)
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(stops.try_recv().is_err(), "somebody reads");
        drop(body);
        told(stops).await;
    }

    /// Though it is there: the writer's thread and place are for others.
    #[tokio::test]
    async fn who_takes_nothing_ends_the_writing() {
        let (stopped, stops) = std::sync::mpsc::channel();
        let body = body(place("1").await, move |out| {
            let written = (0..100).try_for_each(|_| out.write_all(&[0; PIECE]));
            stopped.send(()).map_err(io::Error::other)?;
            written
        });
        told(stops).await;
        let pieces: Vec<_> = body.unwrap().into_data_stream().collect().await;
        assert!(pieces.len() < 100, "{} pieces", pieces.len());
        assert!(pieces.last().unwrap().is_err(), "a part is not taken for the whole");
    }

    /// Each piece within the time in which nothing may be taken, and all of them for half a minute.
    #[tokio::test]
    async fn who_takes_little_at_a_time_ends_the_writing() {
        let (stopped, stops) = std::sync::mpsc::channel();
        let body = body(place("1").await, move |out| {
            let written = (0..100).try_for_each(|_| out.write_all(&[0; 100]).and_then(|()| out.flush()));
            stopped.send(()).map_err(io::Error::other)?;
            written
        });
        let mut pieces = body.unwrap().into_data_stream();
        let read = async {
            while let Some(Ok(_)) = pieces.next().await {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        };
        let (_, ()) = tokio::join!(read, told(stops));
    }

    #[tokio::test]
    async fn what_is_written_to_its_end_ends() {
        let body = body(place("1").await, |out| out.write_all(&[0; 3 * PIECE])).unwrap();
        let pieces: Vec<_> = body.into_data_stream().collect().await;
        assert_eq!(pieces.into_iter().map(|piece| piece.unwrap().len()).sum::<usize>(), 3 * PIECE);
    }
}
