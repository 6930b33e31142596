//! Exporting: limits the number of simultaneous exports (downloads of a whole result), and the time that slow clients
//! may take. An export needs a thread while it is written, and disk space for the bytes that its client has not
//! received. Therefore there are few slots, one client may use only some of them, and a client that reads too slowly
//! loses its slot.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::spool::{ExportSpool, SpoolFolder};
use crate::clients::MIN_BYTES_PER_SECOND;
use crate::clients::shares::{ClientSlot, ClientSlotTable};
use crate::error::{ApiProblem, ProblemKind};
use crate::identity::ClientIdentity;
use crate::ops::metrics;

/// Maximum number of simultaneous exports.
const MAX_EXPORTS: usize = 32;

/// Maximum number of simultaneous exports of one network address.
const MAX_ADDRESS_EXPORTS: usize = MAX_EXPORTS / 4;
/// Maximum number of simultaneous exports of one school class.
const MAX_CLASS_EXPORTS: usize = MAX_EXPORTS / 2;

/// Delay in seconds after which a rejected client may try again. It is constant, because the ends of running exports
/// are not known in advance.
const EXPORT_RETRY_DELAY_SECONDS: u64 = 10;

/// The limiter of exports: the slots of the server, and the number of slots that each client uses.
#[derive(Debug)]
pub(super) struct ExportLimiter {
    places: Arc<Semaphore>,
    shares: Arc<ClientSlotTable>,
    client_for: Duration,
    spools: Arc<SpoolFolder>,
}

/// The slot of a running export. Dropping it frees the slot.
#[derive(Debug)]
pub struct ExportSlot {
    _place: OwnedSemaphorePermit,
    _share: Option<ClientSlot>,
    /// Maximum lag of the client behind the minimum rate, after which it loses its slot. See [`DownloadPace`].
    client_for: Duration,
    spools: Arc<SpoolFolder>,
}

impl ExportLimiter {
    /// Creates the slots. A client that lags behind the minimum rate by more than `client_for` loses its slot. `spools`
    /// has the disk buffers for slow clients.
    pub(super) fn new(client_for: Duration, spools: SpoolFolder) -> Self {
        Self { places: Arc::new(Semaphore::new(MAX_EXPORTS)), shares: Arc::default(), client_for, spools: Arc::new(spools) }
    }

    /// Acquires an export slot for `client`, without waiting.
    ///
    /// # Errors
    /// Returns `NotReady` if all slots are in use, and `RateLimited` if this client uses its maximum number of slots.
    pub(super) fn take(&self, client: ClientIdentity) -> Result<ExportSlot, ApiProblem> {
        let most = match client {
            ClientIdentity::Local => None,
            ClientIdentity::Network(_) => Some(MAX_ADDRESS_EXPORTS),
            ClientIdentity::Class(_) => Some(MAX_CLASS_EXPORTS),
        };
        let share = most.map(|most| self.shares.take(client, most).ok_or_else(|| too_many_exports(most))).transpose()?;
        let place = self.places.clone().try_acquire_owned().map_err(|_| ApiProblem::busy("files"))?;
        Ok(ExportSlot { _place: place, _share: share, client_for: self.client_for, spools: self.spools.clone() })
    }
}

fn too_many_exports(most: usize) -> ApiProblem {
    metrics::limit_reached("exports");
    let detail = format!("One visitor can download at most {most} files at the same time. Wait until one of them is finished.");
    ApiProblem::new(ProblemKind::RateLimited, detail).limit(most as u64, None).retry_after(EXPORT_RETRY_DELAY_SECONDS)
}

impl ExportSlot {
    /// Creates the tracker of the speed at which the client of this export reads.
    pub fn pace(&self) -> DownloadPace {
        DownloadPace { patience: self.client_for, behind: Duration::ZERO }
    }

    /// Creates an empty disk buffer for this export.
    pub fn spool(&self) -> ExportSpool {
        ExportSpool::new(self.spools.clone())
    }
}

/// A measure of how far a download lags behind the minimum rate of 4 kB/s. The lag is the time for which sent bytes
/// waited for the client, minus the time that they would take at the minimum rate. It is never negative, because much
/// of a file is buffered before the client reads it: reading faster at first earns no time for later.
#[derive(Clone, Copy, Debug)]
pub struct DownloadPace {
    patience: Duration,
    behind: Duration,
}

impl DownloadPace {
    /// Returns how much longer the next bytes may wait for the client.
    pub fn patience(self) -> Duration {
        self.patience.saturating_sub(self.behind)
    }

    /// Records that the client received `bytes` bytes, after they had waited for the duration `waited`.
    pub fn record_sent(&mut self, bytes: usize, waited: Duration) {
        let due = Duration::from_secs_f64(bytes as f64 / MIN_BYTES_PER_SECOND as f64);
        self.behind = (self.behind + waited).saturating_sub(due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT_TIMEOUT_SECONDS: u64 = 30;

    fn exports() -> ExportLimiter {
        ExportLimiter::new(Duration::from_secs(CLIENT_TIMEOUT_SECONDS), SpoolFolder::new(std::env::temp_dir(), 0))
    }

    /// Returns the number of 64 KiB pieces, of at most 1,000, that a client receives if it reads one every `seconds`
    /// seconds.
    fn sent(seconds: u64) -> usize {
        let mut pace = exports().take(ClientIdentity::Local).unwrap().pace();
        let waited = Duration::from_secs(seconds);
        let is_sent = |_: &usize| {
            let is_sent = pace.patience() >= waited;
            pace.record_sent(64 << 10, waited);
            is_sent
        };
        (0..1000).take_while(is_sent).count()
    }

    #[test]
    fn slow_client_gets_fewer_pieces() {
        assert_eq!([31, 29, 20].map(sent), [0, 1, 3]);
        assert_eq!([16, 1].map(sent), [1000; 2], "a client at 4 kB a second is not limited");
    }

    #[test]
    fn fast_transfer_gives_no_credit_for_later_pauses() {
        let mut pace = exports().take(ClientIdentity::Local).unwrap().pace();
        pace.record_sent(1 << 30, Duration::from_secs(1));
        assert_eq!(pace.patience(), Duration::from_secs(CLIENT_TIMEOUT_SECONDS));
    }

    #[test]
    fn one_client_leaves_export_slots_to_others() {
        let exports = exports();
        let address = |text: &str| ClientIdentity::Network(text.parse::<std::net::IpAddr>().unwrap().into());
        let take = |client, count: usize| (0..count).map(|_| exports.take(client)).collect::<Result<Vec<_>, _>>();
        let refused = |client| exports.take(client).unwrap_err().kind;
        let _one = take(address("192.0.2.1"), 8).unwrap();
        assert_eq!(refused(address("192.0.2.1")), ProblemKind::RateLimited);
        let class = take(ClientIdentity::Class(0), 16).unwrap();
        assert_eq!(refused(ClientIdentity::Class(0)), ProblemKind::RateLimited);
        let _here = take(ClientIdentity::Local, 8).unwrap();
        assert_eq!(refused(ClientIdentity::Local), ProblemKind::NotReady);
        assert_eq!(refused(address("192.0.2.2")), ProblemKind::NotReady);
        drop(class);
        let _another = take(address("192.0.2.2"), 8).expect("a refused client holds no slot");
    }
}
