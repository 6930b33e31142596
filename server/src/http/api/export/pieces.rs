//! Pieces: a response body that one thread writes while a task sends it (`body`, `PieceWriter`).
//!
//! Pieces that a slow client has not read are spooled (written to a temporary file), so that the writer's thread can
//! end. A client that reads too slowly loses its export slot, and the body breaks off.

use std::fmt;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Release};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use futures::stream;
use kernels::event::RunSignal;
use kernels::run::Observer;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::error;

use crate::error::ApiProblem;
use crate::results::exporting::ExportSlot;
use crate::results::spool::{ExportSpool, SpooledPiece};

/// Number of bytes that the writer collects before it hands them over as one piece.
const EXPORT_PIECE_BYTES: usize = 64 << 10;

/// Maximum number of pieces in memory. Half of them have permits of the writer, and half of them wait in the body's
/// channel to be sent.
const MAX_PIECES_IN_MEMORY: usize = 4;

/// Maximum time for which the writer waits for memory before it writes a piece to disk. It does not wait if the client
/// has unread pieces on disk. A client that reads fast is thus served from memory.
const SPOOL_TIMEOUT: Duration = Duration::from_millis(250);

/// A message from the thread that writes a body to the task that sends the body.
enum BodyPiece {
    /// A piece of the body in memory, with the writer's permit for its memory.
    Here(Bytes, OwnedSemaphorePermit),
    /// A piece of the body on disk.
    Spooled(SpooledPiece),
    /// The end of the body, which is sent only if the whole body was written.
    End,
}

/// The writer of a body. It collects bytes into pieces, and hands the pieces over to the task that sends them.
pub(in crate::http::api) struct PieceWriter {
    pieces: mpsc::UnboundedSender<BodyPiece>,
    piece: Vec<u8>,
    memory: Arc<Semaphore>,
    spool: ExportSpool,
    runtime: Handle,
}

/// Returns a body whose content `write` writes. `write` runs on a thread of its own, which may block. `place` is the
/// client's export slot.
///
/// The writer stops if the client disconnects or reads too slowly. If the writer fails, the body ends with an error, so
/// that no client takes a part for the whole.
///
/// # Errors
/// Returns `Internal` if no thread can be started.
pub(in crate::http::api) fn body(
    place: ExportSlot,
    write: impl FnOnce(&mut PieceWriter) -> io::Result<()> + Send + 'static,
) -> Result<Body, ApiProblem> {
    let (pieces, written) = mpsc::unbounded_channel();
    let (out, mut sent) = mpsc::channel(MAX_PIECES_IN_MEMORY / 2);
    let runtime = Handle::current();
    let whole = Arc::new(AtomicBool::new(false));
    let spool = place.spool();
    runtime.spawn(forward(written, out, place, whole.clone()));
    let work = move || {
        let _inside = runtime.enter();
        let memory = Arc::new(Semaphore::new(MAX_PIECES_IN_MEMORY / 2));
        let mut out = PieceWriter { pieces, piece: Vec::with_capacity(EXPORT_PIECE_BYTES), memory, spool, runtime: runtime.clone() };
        match write(&mut out).and_then(|()| out.flush()) {
            Ok(()) => drop(out.pieces.send(BodyPiece::End)),
            // The client has disconnected, or has read too slowly.
            Err(cause) if out.pieces.is_closed() || cause.kind() == io::ErrorKind::BrokenPipe => {}
            Err(cause) => error!("export failed: {cause}"),
        }
    };
    std::thread::Builder::new().name("export".into()).spawn(work).map_err(ApiProblem::internal)?;
    // The compression layer may poll the stream again after its end. This stream then returns its end again.
    let next = move |context: &mut Context<'_>| -> Poll<Option<io::Result<Bytes>>> {
        match sent.poll_recv(context) {
            Poll::Ready(None) if !whole.swap(true, AcqRel) => Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
            piece => piece.map(|piece| piece.map(Ok)),
        }
    };
    Ok(Body::from_stream(stream::poll_fn(next)))
}

/// Sends the pieces from `written` to the body's channel `out`, as fast as the client reads them. Sets `whole` if the
/// complete body was sent. Ends early if the client disconnects or reads too slowly, which also stops the writer. The
/// export slot `place` stays in use until this function ends, and measures how fast the client reads.
async fn forward(mut written: mpsc::UnboundedReceiver<BodyPiece>, out: mpsc::Sender<Bytes>, place: ExportSlot, whole: Arc<AtomicBool>) {
    let mut pace = place.pace();
    loop {
        let piece = tokio::select! {
            piece = written.recv() => piece,
            () = out.closed() => return,
        };
        let (piece, _in_memory) = match piece {
            Some(BodyPiece::Here(piece, permit)) => (piece, Some(permit)),
            Some(BodyPiece::Spooled(piece)) => match spawn_blocking(|| piece.read()).await.map_err(io::Error::other).flatten() {
                Ok(piece) => (piece.into(), None),
                Err(cause) => return error!("export failed: {cause}"),
            },
            Some(BodyPiece::End) => return whole.store(true, Release),
            None => return,
        };
        let (bytes, begun) = (piece.len(), Instant::now());
        let Ok(Ok(())) = timeout(pace.patience(), out.send(piece)).await else { return };
        pace.record_sent(bytes, begun.elapsed());
    }
}

/// An observer that stops a computation for an export if the client has disconnected or reads too slowly.
pub(in crate::http::api) struct DisconnectObserver(mpsc::UnboundedSender<BodyPiece>);

impl PieceWriter {
    /// Returns an observer that stops a computation if the client has disconnected or reads too slowly.
    pub(in crate::http::api) fn reader(&self) -> DisconnectObserver {
        DisconnectObserver(self.pieces.clone())
    }

    /// Waits at most `patience` for a permit to have one more piece in memory. Returns `None` after this time, or if
    /// the client has disconnected or reads too slowly.
    fn wait_for_permit(&self, patience: Duration) -> Option<OwnedSemaphorePermit> {
        let free = async {
            tokio::select! {
                place = self.memory.clone().acquire_owned() => place.ok(),
                () = self.pieces.closed() => None,
            }
        };
        self.memory.clone().try_acquire_owned().ok().or_else(|| self.runtime.block_on(timeout(patience, free)).ok().flatten())
    }

    /// Sends `piece` to the task that sends the body: in memory if the client reads fast enough, and otherwise on disk.
    /// Waits for memory if the spool is full. Returns `None` if the client has disconnected or reads too slowly.
    fn hand_over(&mut self, piece: Vec<u8>) -> Option<()> {
        let patience = if self.spool.has_unread() { Duration::ZERO } else { SPOOL_TIMEOUT };
        let piece = match self.wait_for_permit(patience) {
            Some(place) => BodyPiece::Here(piece.into(), place),
            None if self.pieces.is_closed() => return None,
            None => match self.spool.write_piece(&piece) {
                Some(spooled) => BodyPiece::Spooled(spooled),
                None => BodyPiece::Here(piece.into(), self.wait_for_permit(Duration::MAX)?),
            },
        };
        self.pieces.send(piece).ok()
    }
}

impl Observer for DisconnectObserver {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.0.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl io::Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= EXPORT_PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(EXPORT_PIECE_BYTES));
        self.hand_over(piece).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl fmt::Write for PieceWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;
    use std::time::Duration;

    use futures::StreamExt as _;
    use tempfile::TempDir;

    use super::*;
    use crate::config::Config;
    use crate::results::ResultReader;
    use crate::store::Store;

    async fn place(seconds: &str) -> (TempDir, ExportSlot) {
        place_of(&[("EDITSCOPE_CLIENT_SECONDS", seconds)]).await
    }

    async fn place_of(settings: &[(&str, &str)]) -> (TempDir, ExportSlot) {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::read(|name| settings.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())).unwrap();
        let config = Config { data: folder.path().to_owned(), ..config };
        let place = ResultReader::new(Store::open(&config).await.unwrap(), &config).begin_export().unwrap();
        (folder, place)
    }

    async fn told(stops: Receiver<()>) {
        let waited = tokio::task::spawn_blocking(move || stops.recv_timeout(Duration::from_secs(10))).await.unwrap();
        assert_eq!(waited, Ok(()));
    }

    #[tokio::test]
    async fn client_that_stops_reading_stops_the_run() {
        let (stopped, stops) = std::sync::mpsc::channel();
        let (_folder, place) = place("30").await;
        let body = body(place, move |out| {
            let reader = out.reader();
            while reader.on_signal(RunSignal::Progress { done: 0, total: 0 }).is_continue() {
                std::thread::sleep(Duration::from_millis(1));
            }
            stopped.send(()).map_err(io::Error::other)
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(stops.try_recv().is_err(), "the client still reads");
        drop(body);
        told(stops).await;
    }

    /// Writes 100 pieces with different bytes. Returns the body, and a receiver that gets whether the writer succeeded.
    fn hundred(place: ExportSlot) -> (Body, Receiver<bool>) {
        let (ended, ends) = std::sync::mpsc::channel();
        let body = body(place, move |out| {
            let written = (0..100).try_for_each(|number| out.write_all(&[number; EXPORT_PIECE_BYTES]));
            ended.send(written.is_ok()).map_err(io::Error::other)?;
            written
        });
        (body.unwrap(), ends)
    }

    /// Returns the first byte and the length of a piece, or `None` if the body ended with an error.
    fn numbers(piece: io::Result<Bytes>) -> Option<(u8, usize)> {
        let piece = piece.ok()?;
        assert!(piece.iter().all(|byte| *byte == piece[0]));
        Some((piece[0], piece.len()))
    }

    #[tokio::test]
    async fn export_is_finished_while_its_client_pauses() {
        let (_folder, place) = place("30").await;
        let (body, ends) = hundred(place);
        let is_whole = spawn_blocking(move || ends.recv_timeout(Duration::from_secs(10))).await.unwrap();
        assert_eq!(is_whole, Ok(true), "the thread does not wait for the client");
        let pieces = body.into_data_stream().map(|piece| numbers(piece.map_err(io::Error::other)));
        let all: Vec<_> = pieces.collect().await;
        assert!(all.into_iter().eq((0..100).map(|number| Some((number, EXPORT_PIECE_BYTES)))));
    }

    #[tokio::test]
    async fn client_with_pauses_gets_the_whole_file() {
        let (_folder, place) = place("30").await;
        let (body, _ends) = hundred(place);
        let pieces = body.into_data_stream().enumerate().then(|(at, piece)| async move {
            // Long enough for the writer to begin a spool, several times.
            if at % 30 == 10 {
                tokio::time::sleep(2 * SPOOL_TIMEOUT).await;
            }
            numbers(piece.map_err(io::Error::other))
        });
        assert!(pieces.collect::<Vec<_>>().await.into_iter().eq((0..100).map(|number| Some((number, EXPORT_PIECE_BYTES)))));
    }

    /// The pieces exist, but the client has lost its place to other exports.
    #[tokio::test]
    async fn client_that_reads_nothing_is_cut_off() {
        let (_folder, place) = place("1").await;
        let (body, _ends) = hundred(place);
        tokio::time::sleep(Duration::from_millis(2500)).await;
        let pieces: Vec<_> = body.into_data_stream().collect().await;
        assert!(pieces.len() < 100, "{} pieces", pieces.len());
        assert!(pieces.last().unwrap().is_err(), "an incomplete file ends with an error");
    }

    /// Without disk space the writer waits for the client, and ends when the client reads nothing for long.
    #[tokio::test]
    async fn without_disk_space_the_writer_waits_for_the_client() {
        let (_folder, place) = place_of(&[("EDITSCOPE_CLIENT_SECONDS", "1"), ("EDITSCOPE_MIN_FREE_BYTES", "8000000 GiB")]).await;
        let (body, ends) = hundred(place);
        assert_eq!(ends.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty));
        let is_whole = spawn_blocking(move || ends.recv_timeout(Duration::from_secs(10))).await.unwrap();
        assert_eq!(is_whole, Ok(false));
        let pieces: Vec<_> = body.into_data_stream().collect().await;
        assert!(pieces.len() <= MAX_PIECES_IN_MEMORY + 2 && pieces.last().unwrap().is_err(), "{} pieces", pieces.len());
    }

    /// Every piece arrives in time, but all pieces together would take half a minute.
    #[tokio::test]
    async fn client_that_reads_too_slowly_is_cut_off() {
        let (_folder, place) = place("1").await;
        let body = body(place, |out| (0..100).try_for_each(|_| out.write_all(&[0; 100]).and_then(|()| out.flush())));
        let mut pieces = body.unwrap().into_data_stream();
        let mut taken = 0;
        while let Some(Ok(_)) = pieces.next().await {
            taken += 1;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        assert!(taken < 30, "{taken} pieces");
    }

    #[tokio::test]
    async fn finished_export_ends_without_error() {
        let (_folder, place) = place("1").await;
        let body = body(place, |out| out.write_all(&[0; 3 * EXPORT_PIECE_BYTES])).unwrap();
        let pieces: Vec<_> = body.into_data_stream().collect().await;
        assert_eq!(pieces.into_iter().map(|piece| piece.unwrap().len()).sum::<usize>(), 3 * EXPORT_PIECE_BYTES);
    }
}
