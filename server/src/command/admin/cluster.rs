//! Jobs and workers of a cluster: the actions for clusters (`AdminSession`).
//!
//! - `print`: their output

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde_json::json;
use tokio::time::{Instant, sleep};

use self::print::engine_in_words;
use super::ClusterAction;
use super::print::AdminPrinter;
use crate::config::Config;
use crate::engines::EnginePool;
use crate::id::Id;
use crate::jobs::cluster::operator::JobDropOutcome;
use crate::jobs::cluster::{ClusterMember, ClusterPorts};
use crate::jobs::{JobService, MessagePorts};
use crate::results::ResultReader;
use crate::storage::ports::bus::StopReason;
use crate::storage::ports::bus::nats::NatsBus;
use crate::storage::ports::nats::NatsConnection;
use crate::storage::ports::offers::nats::{ClusterOffers, DrainTarget};
use crate::storage::ports::offers::{WorkerAvailability, WorkerOffer};
use crate::storage::ports::queue::nats::WorkQueue;
use crate::store::{Ports, Store};

mod print;

/// Maximum time for which the command waits until workers confirm that they drain or resume.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval between checks whether workers have confirmed.
const CONFIRMATION_INTERVAL: Duration = Duration::from_millis(200);

/// The connections of an administration command to the cluster. Its process serves no clients and runs no jobs.
pub(super) struct AdminSession {
    member: ClusterMember,
    offers: ClusterOffers,
    bus: NatsBus,
}

impl AdminSession {
    pub(super) async fn answer(&self, what: ClusterAction, printer: AdminPrinter) -> anyhow::Result<()> {
        match what {
            ClusterAction::Jobs { state, most } => printer.jobs(&self.member.list(state, most).await?),
            ClusterAction::Retry { id } => {
                let engine = self.member.retry(id).await?;
                printer.done(&json!({ "id": id, "engine": engine }), &format!("job {id} is queued for {}", engine_in_words(engine)))
            }
            ClusterAction::Drop { id } => self.drop_job(id, printer).await,
            ClusterAction::Workers => printer.workers(&self.offers.read().await?),
            ClusterAction::Drain { whom } => self.drain(&whom, printer).await,
            ClusterAction::Undrain { whom } => self.undrain(&whom, printer).await,
        }
    }

    pub(super) async fn open(config: &Config) -> anyhow::Result<Self> {
        let Some(address) = &config.nats else {
            bail!(
                "this command is for a site of many processes, and EDITSCOPE_NATS is not set. On a single server, \
                 DELETE /api/v1/jobs/ID cancels a job, and /metrics counts jobs"
            );
        };
        let nats = NatsConnection::connect(address).await?;
        let queue = WorkQueue::open(nats.clone(), config.queue_seconds).await?;
        let offers = ClusterOffers::open(nats.clone(), true).await?;
        let bus = NatsBus::open(nats).await?;
        let store = Store::from_ports(Ports::open(config).await?);
        let messages = MessagePorts { bus: Arc::new(bus.clone()), cluster: Some(ClusterPorts { queue, offers: offers.clone() }) };
        let jobs = JobService::new(config, EnginePool::default(), store.clone(), ResultReader::new(store, config), messages);
        let member = jobs.cluster_member().context("this process is none of a site")?;
        Ok(Self { member, offers, bus })
    }

    async fn drop_job(&self, id: Id, printer: AdminPrinter) -> anyhow::Result<()> {
        let dropped = self.member.drop_job(id).await?;
        // Sent directly, because this process ends before a background task could notify the worker.
        self.bus.publish_stop(id, StopReason::Cancelled).await?;
        let (word, said) = match dropped {
            JobDropOutcome::Cancelled => ("cancelled", format!("job {id} is cancelled")),
            JobDropOutcome::Removed => ("removed", format!("job {id} is removed")),
        };
        printer.done(&json!({ "id": id, "done": word }), &said)
    }

    /// Tells a worker or all workers of a host to take no more jobs. Waits until each of them has confirmed, and prints
    /// which of them have. `name` is a worker's id or the name of a host.
    async fn drain(&self, name: &str, printer: AdminPrinter) -> anyhow::Result<()> {
        let workers = self.offers.read().await?;
        let whom = whom(name, &workers).with_context(|| unknown(name))?;
        self.offers.drain(&whom).await?;
        let told = self.wait_for_workers(&whom, |worker| worker.takes != WorkerAvailability::Jobs).await?;
        printer.print_drained_workers(&told, "drained")
    }

    /// Tells a worker or all workers of a host to take jobs again. Waits until each of them has confirmed, and prints
    /// which of them have. `name` is a worker's id or the name of a host. For a host, workers that were drained
    /// individually are included.
    async fn undrain(&self, name: &str, printer: AdminPrinter) -> anyhow::Result<()> {
        let workers = self.offers.read().await?;
        // A host without workers may be drained too, so that workers started there later take no jobs.
        let of_host = DrainTarget::Host(name.to_owned());
        let whom = match whom(name, &workers) {
            Some(whom) => whom,
            None if self.offers.is_drained(std::slice::from_ref(&of_host)).await? => of_host,
            None => bail!(unknown(name)),
        };
        match &whom {
            DrainTarget::Worker(id) => {
                let host = workers.iter().find(|worker| worker.id == *id).map(|worker| &worker.host);
                if let Some(host) = host {
                    let is_drained = self.offers.is_drained(&[DrainTarget::Host(host.clone())]).await?;
                    ensure!(!is_drained, "the worker {id} is drained because its whole host is. Undrain {host}");
                }
            }
            DrainTarget::Host(host) => {
                for worker in workers.iter().filter(|worker| worker.host == *host) {
                    self.offers.undrain(&DrainTarget::Worker(worker.id.clone())).await?;
                }
            }
        }
        self.offers.undrain(&whom).await?;
        let told = self.wait_for_workers(&whom, |worker| worker.takes != WorkerAvailability::Drained).await?;
        printer.print_drained_workers(&told, "taking jobs")
    }

    /// Waits until `has_heard` returns `true` for every worker in `whom`, or until [`CONFIRMATION_TIMEOUT`]. Returns
    /// these workers, each with whether it has confirmed.
    async fn wait_for_workers(
        &self,
        whom: &DrainTarget,
        has_heard: impl Fn(&WorkerOffer) -> bool,
    ) -> anyhow::Result<Vec<(WorkerOffer, bool)>> {
        let begin = Instant::now();
        loop {
            let mut told = self.offers.read().await?;
            told.retain(|worker| match whom {
                DrainTarget::Worker(id) => worker.id == *id,
                DrainTarget::Host(host) => worker.host == *host,
            });
            let told: Vec<_> = told.into_iter().map(|worker| (has_heard(&worker), worker)).map(|(heard, worker)| (worker, heard)).collect();
            if told.iter().all(|(_, heard)| *heard) || begin.elapsed() > CONFIRMATION_TIMEOUT {
                return Ok(told);
            }
            sleep(CONFIRMATION_INTERVAL).await;
        }
    }
}

/// Returns the target with the name `name`: the worker with this id, or all workers of the host with this name. Returns
/// `None` if `workers` has neither.
fn whom(name: &str, workers: &[WorkerOffer]) -> Option<DrainTarget> {
    if workers.iter().any(|worker| worker.id == name) {
        return Some(DrainTarget::Worker(name.into()));
    }
    workers.iter().any(|worker| worker.host == name).then(|| DrainTarget::Host(name.into()))
}

fn unknown(name: &str) -> String {
    format!("there is neither a worker nor a host {name}: `editscope admin workers` lists them")
}
