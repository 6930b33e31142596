//! Batches: items that arrive together are written in one transaction, so that they share one disk flush. A `Batcher`
//! collects the items, and a `BatchWriter` writes them.
//!
//! For example, a school class that presses a key together writes two hundred rows.

use std::time::Duration;
use std::{io, thread};

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{StorageError, StorageErrorKind};

/// Maximum number of items in a batch. A larger batch would delay callers, because each waits for the whole
/// transaction.
const MAX_BATCH_ITEMS: usize = 512;

/// Time without a new item after which [`BatchWriter::on_idle`] is called.
const WRITER_IDLE_DELAY: Duration = Duration::from_millis(500);

/// A handle to a thread that collects items of type `T` and writes them in batches. The result for an item has type
/// `R`.
#[derive(Clone, Debug)]
pub(in crate::storage::ports) struct Batcher<T, R>(mpsc::UnboundedSender<QueuedItem<T, R>>);

/// An item, and the channel that returns its result to the caller that queued it.
type QueuedItem<T, R> = (T, oneshot::Sender<Result<R, StorageError>>);

/// A writer of items of type `T`, called by a [`Batcher`]. The result for an item has type `R`.
pub(in crate::storage::ports) trait BatchWriter<T, R>: Send + Sync + 'static {
    /// Writes `items` in one transaction, and returns a result for each, in the order of the items.
    fn write<'a>(&'a self, items: &'a mut [T]) -> BoxFuture<'a, Result<Vec<R>, StorageError>>;

    /// Performs idle work. Called once when no item was written for [`WRITER_IDLE_DELAY`].
    fn on_idle(&self) {}
}

impl<T: Send + 'static, R: Send + 'static> Batcher<T, R> {
    /// Starts a thread called `name` that writes queued items with `writer`, until all clones of the returned handle
    /// are dropped.
    ///
    /// The thread is separate, because a commit is several calls to the database. On the threads that serve requests,
    /// each call would wait behind new requests. Then the database would be idle while these threads are busy, and busy
    /// while they are idle.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub(in crate::storage::ports) fn start(name: &str, writer: impl BatchWriter<T, R>) -> io::Result<Self> {
        let (queue, mut queued) = mpsc::unbounded_channel();
        let all = async move {
            let (mut items, mut is_quiet) = (Vec::new(), true);
            loop {
                let come = queued.recv_many(&mut items, MAX_BATCH_ITEMS);
                let come = if is_quiet { Ok(come.await) } else { timeout(WRITER_IDLE_DELAY, come).await };
                is_quiet = come.is_err();
                match come {
                    Ok(0) => break,
                    Ok(_) => commit(&writer, std::mem::take(&mut items)).await,
                    Err(_) => writer.on_idle(),
                }
            }
        };
        let runtime = Handle::current();
        thread::Builder::new().name(name.into()).spawn(move || runtime.block_on(all))?;
        Ok(Self(queue))
    }

    /// Queues `item`, and returns its result when the item is on disk.
    ///
    /// # Errors
    /// Returns an error if the item cannot be written.
    pub(in crate::storage::ports) async fn write(&self, item: T) -> Result<R, StorageError> {
        let (done, answer) = oneshot::channel();
        let ended = || StorageError::new(StorageErrorKind::Broken, "the thread that writes to the storage has ended");
        self.0.send((item, done)).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

/// Writes the items in `queued` and sends each result to its caller. If one item is invalid, writes every item in a
/// transaction of its own. Any other error would affect every transaction, so all items fail together.
async fn commit<T, R>(writer: &impl BatchWriter<T, R>, queued: Vec<QueuedItem<T, R>>) {
    let (mut items, callers): (Vec<T>, Vec<_>) = queued.into_iter().unzip();
    let written: Vec<Result<R, StorageError>> = match writer.write(&mut items).await {
        Ok(written) => written.into_iter().map(Ok).collect(),
        Err(error) if items.len() == 1 || error.kind != StorageErrorKind::Broken => items.iter().map(|_| Err(error.clone())).collect(),
        Err(_) => {
            let mut written = Vec::with_capacity(items.len());
            for item in items.chunks_mut(1) {
                written.push(writer.write(item).await.map(|mut one| one.remove(0)));
            }
            written
        }
    };
    // Capacity that failed items have reserved is released before any caller continues.
    drop(items);
    for (caller, written) in callers.into_iter().zip(written) {
        // If the caller has gone, the result is discarded.
        let _ = caller.send(written);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use futures::FutureExt as _;

    use super::*;

    /// A writer for tests that writes nothing, but makes a call that another thread answers, as a database does.
    struct Afar;

    impl BatchWriter<(), ()> for Afar {
        fn write<'a>(&'a self, items: &'a mut [()]) -> BoxFuture<'a, Result<Vec<()>, StorageError>> {
            let (answer, answered) = oneshot::channel();
            thread::spawn(move || answer.send(()));
            async move { Ok(answered.await.map(|()| vec![(); items.len()]).unwrap()) }.boxed()
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn items_are_written_while_async_threads_are_busy() {
        let batcher = Batcher::start("test", Afar).unwrap();
        let (begun, begins) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let busy = tokio::spawn(async move {
            begun.send(()).unwrap();
            ends.recv_timeout(Duration::from_secs(10))
        });
        begins.recv().unwrap();
        batcher.write(()).await.unwrap();
        let _ = end.send(());
        assert_eq!(busy.await.unwrap(), Ok(()), "the item waited for an async thread");
    }

    /// A writer for tests that records its batches. An item above 100 makes its batch fail.
    #[derive(Default)]
    struct Recorded(Mutex<Vec<Vec<u32>>>);

    impl BatchWriter<u32, u32> for Recorded {
        fn write<'a>(&'a self, items: &'a mut [u32]) -> BoxFuture<'a, Result<Vec<u32>, StorageError>> {
            self.0.lock().unwrap().push(items.to_vec());
            let kind = if items.contains(&200) { StorageErrorKind::Full } else { StorageErrorKind::Broken };
            let is_valid = items.iter().all(|item| *item <= 100);
            let written = if is_valid { Ok(items.to_vec()) } else { Err(StorageError::new(kind, "above 100")) };
            std::future::ready(written).boxed()
        }
    }

    #[tokio::test]
    async fn invalid_item_fails_alone_and_full_storage_fails_the_batch() {
        let written = async |items: [u32; 3]| {
            let writer = Recorded::default();
            let (callers, answers): (Vec<_>, Vec<_>) = items.map(|_| oneshot::channel()).into_iter().unzip();
            commit(&writer, items.into_iter().zip(callers).collect()).await;
            let answers = answers.into_iter().map(|mut answer| answer.try_recv().unwrap().map_err(|error| error.kind));
            (answers.collect::<Vec<_>>(), writer.0.into_inner().unwrap().len())
        };
        assert_eq!(written([1, 2, 3]).await, (vec![Ok(1), Ok(2), Ok(3)], 1));
        assert_eq!(written([1, 101, 3]).await, (vec![Ok(1), Err(StorageErrorKind::Broken), Ok(3)], 4));
        assert_eq!(written([1, 200, 3]).await, (vec![Err(StorageErrorKind::Full); 3], 1));
    }
}
