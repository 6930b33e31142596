//! `editscope admin`: what whoever runs a server sees of its links and does to them, and of a site of many processes its jobs and workers too. The command is
//! a process of the site for as long as it takes, with the configuration that the others have.
//!
//! - `links`: links, of a single server too
//! - `print`: tables for people, JSON for programs

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Subcommand};
use explain::snapshot::State;
use serde_json::json;
use tokio::time::{Instant, sleep};

use self::print::{Printer, engine_in_words};
use crate::config::Config;
use crate::config::sources::ConfigSources;
use crate::engines::Engines;
use crate::id::Id;
use crate::jobs::operator::Dropped;
use crate::jobs::{Jobs, Messages, SitePorts};
use crate::ports::bus::Stop;
use crate::ports::bus::nats::NatsBus;
use crate::ports::nats::Nats;
use crate::ports::offers::nats::{SiteOffers, Whom};
use crate::ports::offers::{Takes, WorkerOffer};
use crate::ports::queue::nats::WorkQueue;
use crate::results::Results;
use crate::store::{Ports, Store};

mod links;
mod print;

/// How long a worker may take to say that it has heard what it was told.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(200);

/// What is asked of a site.
#[derive(Args, Debug)]
pub struct AdminArguments {
    /// What is to be done.
    #[command(subcommand)]
    what: What,
    /// Prints JSON.
    #[arg(long, global = true)]
    json: bool,
    /// TOML file with the site's settings, as for `serve`. The environment counts more.
    #[arg(long = "config", value_name = "FILE", env = "EDITSCOPE_CONFIG", global = true)]
    pub(super) config: Option<PathBuf>,
}

impl AdminArguments {
    /// The same with the settings in this file.
    pub(super) fn with_config(self, config: Option<PathBuf>) -> Self {
        Self { config, ..self }
    }
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the last links: id, kind, age, when its time is over, bytes of its texts or of what is sealed. Of a single server too, while it runs.
    Links {
        /// Only those that stay until somebody deletes them.
        #[arg(long)]
        staying: bool,
        /// How many at most.
        #[arg(long, default_value_t = 100, value_name = "COUNT")]
        most: usize,
    },
    /// Deletes links, whoever has made them; files that nothing else uses go after ten minutes. Of a single server too, while it runs.
    DropLinks {
        /// The links' ids.
        #[arg(required = true)]
        ids: Vec<Id>,
    },
    /// What takes a site of many processes.
    #[command(flatten)]
    OfSite(OfSite),
}

#[derive(Debug, Subcommand)]
enum OfSite {
    /// Lists the last jobs: id, state, task, engine, attempt, age, and which worker has them.
    Jobs {
        /// Only those that are queued, running, succeeded, failed or cancelled.
        #[arg(long, value_parser = state)]
        state: Option<State>,
        /// How many at most.
        #[arg(long, default_value_t = 100, value_name = "COUNT")]
        most: usize,
    },
    /// Has a job tried again that has failed or was cancelled, as another attempt, if its texts are still there.
    Retry {
        /// The job's id.
        id: Id,
    },
    /// Cancels a job that has not ended; removes one that has, with its result.
    Drop {
        /// The job's id.
        id: Id,
    },
    /// Lists the workers: what they compute with, and whether they take jobs.
    Workers,
    /// Tells a worker to take nothing more and to end what it has; a host is told for all of its workers, also those that begin later.
    Drain {
        /// A host or the id of a worker, as `workers` lists them.
        whom: String,
    },
    /// Tells a worker or a host to take jobs again.
    Undrain {
        /// A host or the id of a worker.
        whom: String,
    },
}

fn state(name: &str) -> Result<State, String> {
    let named = serde_json::from_value(name.into()).ok().filter(|state| *state != State::Expired);
    named.ok_or_else(|| "choose one of: queued, running, succeeded, failed, cancelled".into())
}

/// Does what is asked, and prints what there is to say.
///
/// # Errors
/// Says what is in the way.
pub fn admin(arguments: AdminArguments) -> anyhow::Result<()> {
    let config = Config::load(&ConfigSources { path: arguments.config, roles: None })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the system has no free threads")?;
    runtime.block_on(async {
        let printer = Printer { is_json: arguments.json };
        match arguments.what {
            What::Links { staying, most } => printer.links(&links::list(&config, staying, most).await?),
            What::DropLinks { ids } => printer.dropped(&links::drop_all(&config, &ids).await?),
            What::OfSite(what) => Site::open(&config).await?.answer(what, printer).await,
        }
    })
}

/// The site, as a process sees it that has no role.
struct Site {
    jobs: Jobs,
    offers: SiteOffers,
    bus: NatsBus,
}

impl Site {
    async fn answer(&self, what: OfSite, printer: Printer) -> anyhow::Result<()> {
        match what {
            OfSite::Jobs { state, most } => printer.jobs(&self.jobs.list(state, most).await?),
            OfSite::Retry { id } => {
                let engine = self.jobs.retry(id).await?;
                printer.done(&json!({ "id": id, "engine": engine }), &format!("job {id} is queued for {}", engine_in_words(engine)))
            }
            OfSite::Drop { id } => self.drop_job(id, printer).await,
            OfSite::Workers => printer.workers(&self.offers.read().await?),
            OfSite::Drain { whom } => self.drain(&whom, printer).await,
            OfSite::Undrain { whom } => self.undrain(&whom, printer).await,
        }
    }

    async fn open(config: &Config) -> anyhow::Result<Self> {
        let Some(address) = &config.nats else {
            bail!(
                "this command is for a site of many processes, and EDITSCOPE_NATS is not set. On a single server, \
                 DELETE /api/v1/jobs/ID cancels a job, and /metrics counts jobs"
            );
        };
        let nats = Nats::connect(address).await?;
        let queue = WorkQueue::open(nats.clone(), config.queue_seconds).await?;
        let offers = SiteOffers::open(nats.clone(), true).await?;
        let bus = NatsBus::open(nats).await?;
        let store = Store::of(Ports::open(config).await?);
        let messages = Messages { bus: Arc::new(bus.clone()), site: Some(SitePorts { queue, offers: offers.clone() }) };
        let jobs = Jobs::new(config, Engines::default(), store.clone(), Results::new(store, config), messages);
        Ok(Self { jobs, offers, bus })
    }

    async fn drop_job(&self, id: Id, printer: Printer) -> anyhow::Result<()> {
        let dropped = self.jobs.drop_job(id).await?;
        // Before this process ends: whoever runs it is told.
        self.bus.tell_stop(id, Stop::Cancelled).await?;
        let (word, said) = match dropped {
            Dropped::Cancelled => ("cancelled", format!("job {id} is cancelled")),
            Dropped::Removed => ("removed", format!("job {id} is removed")),
        };
        printer.done(&json!({ "id": id, "done": word }), &said)
    }

    /// Tells a worker or a host to take nothing more, and waits until all that are told say so.
    async fn drain(&self, name: &str, printer: Printer) -> anyhow::Result<()> {
        let workers = self.offers.read().await?;
        let whom = whom(name, &workers).with_context(|| unknown(name))?;
        self.offers.drain(&whom).await?;
        let told = self.until(&whom, |worker| worker.takes != Takes::Jobs).await?;
        printer.told(&told, "drained")
    }

    /// Tells them to take jobs again. Of a host its workers too that were told by themselves.
    async fn undrain(&self, name: &str, printer: Printer) -> anyhow::Result<()> {
        let workers = self.offers.read().await?;
        // A host that has no worker now may be told so too, for those that begin later.
        let of_host = Whom::Host(name.to_owned());
        let whom = match whom(name, &workers) {
            Some(whom) => whom,
            None if self.offers.is_drained(std::slice::from_ref(&of_host)).await? => of_host,
            None => bail!(unknown(name)),
        };
        match &whom {
            Whom::Worker(id) => {
                let host = workers.iter().find(|worker| worker.id == *id).map(|worker| &worker.host);
                if let Some(host) = host {
                    let is_drained = self.offers.is_drained(&[Whom::Host(host.clone())]).await?;
                    ensure!(!is_drained, "the worker {id} is drained because its whole host is. Undrain {host}");
                }
            }
            Whom::Host(host) => {
                for worker in workers.iter().filter(|worker| worker.host == *host) {
                    self.offers.undrain(&Whom::Worker(worker.id.clone())).await?;
                }
            }
        }
        self.offers.undrain(&whom).await?;
        let told = self.until(&whom, |worker| worker.takes != Takes::Drained).await?;
        printer.told(&told, "taking jobs")
    }

    /// Those who are told, once each of them says that it has heard, or after a while.
    async fn until(&self, whom: &Whom, has_heard: impl Fn(&WorkerOffer) -> bool) -> anyhow::Result<Vec<(WorkerOffer, bool)>> {
        let begin = Instant::now();
        loop {
            let mut told = self.offers.read().await?;
            told.retain(|worker| match whom {
                Whom::Worker(id) => worker.id == *id,
                Whom::Host(host) => worker.host == *host,
            });
            let told: Vec<_> = told.into_iter().map(|worker| (has_heard(&worker), worker)).map(|(heard, worker)| (worker, heard)).collect();
            if told.iter().all(|(_, heard)| *heard) || begin.elapsed() > PATIENCE {
                return Ok(told);
            }
            sleep(LOOK).await;
        }
    }
}

/// Whom a name means, if anybody: a worker by its id, or a host.
fn whom(name: &str, workers: &[WorkerOffer]) -> Option<Whom> {
    if workers.iter().any(|worker| worker.id == name) {
        return Some(Whom::Worker(name.into()));
    }
    workers.iter().any(|worker| worker.host == name).then(|| Whom::Host(name.into()))
}

fn unknown(name: &str) -> String {
    format!("there is neither a worker nor a host {name}: `editscope admin workers` lists them")
}
