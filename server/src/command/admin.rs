//! `editscope admin`: lists and deletes links of a server, and manages jobs and workers of a cluster. The command runs
//! as a short-lived process of the cluster, with the cluster's configuration.
//!
//! - `links`: links, also of a single server
//! - `cluster`: jobs and workers of a cluster
//! - `print`: tables for people, JSON for programs

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use explain::snapshot::JobStatus;

use self::cluster::AdminSession;
use self::print::AdminPrinter;
use crate::config::Config;
use crate::config::sources::ConfigSources;
use crate::id::Id;

#[cfg_attr(not(feature = "cluster"), path = "admin/no_cluster.rs")]
mod cluster;
mod links;
mod print;

/// Arguments of `editscope admin`.
#[derive(Args, Debug)]
pub struct AdminArguments {
    /// Action to execute.
    #[command(subcommand)]
    what: AdminAction,
    /// Prints JSON.
    #[arg(long, global = true)]
    json: bool,
    /// TOML file with the settings of the server, as for `serve`. Environment variables take precedence.
    #[arg(long = "config", value_name = "FILE", env = "EDITSCOPE_CONFIG", global = true)]
    pub(super) config: Option<PathBuf>,
}

impl AdminArguments {
    /// Returns these arguments with the path `config` of the configuration file.
    pub(super) fn with_config(self, config: Option<PathBuf>) -> Self {
        Self { config, ..self }
    }
}

#[derive(Debug, Subcommand)]
enum AdminAction {
    /// Lists recent links: id, kind, age, expiry, and bytes of the texts or the sealed content. Also works with a
    /// single server, while it runs.
    Links {
        /// Only links that never expire.
        #[arg(long)]
        staying: bool,
        /// Maximum number of links.
        #[arg(long, default_value_t = 100, value_name = "COUNT")]
        most: usize,
    },
    /// Deletes links of any visitor. Files that nothing else uses are removed after ten minutes. Also works with a
    /// single server, while it runs.
    DropLinks {
        /// Ids of the links.
        #[arg(required = true)]
        ids: Vec<Id>,
    },
    /// Actions that need a cluster.
    #[command(flatten)]
    OfSite(ClusterAction),
}

/// An action that needs a cluster.
#[derive(Debug, Subcommand)]
pub enum ClusterAction {
    /// Lists recent jobs: id, state, task, engine, attempt, age, and the worker that runs them.
    Jobs {
        /// Only jobs in this state: queued, running, succeeded, failed or cancelled.
        #[arg(long, value_parser = state)]
        state: Option<JobStatus>,
        /// Maximum number of jobs.
        #[arg(long, default_value_t = 100, value_name = "COUNT")]
        most: usize,
    },
    /// Queues a failed or cancelled job again as a new attempt, if its texts still exist.
    Retry {
        /// Id of the job.
        id: Id,
    },
    /// Cancels a job that has not ended. Removes a job that has ended, with its result.
    Drop {
        /// Id of the job.
        id: Id,
    },
    /// Lists the workers: their engines, and whether they take jobs.
    Workers,
    /// Tells a worker to take no more jobs and to finish those that it has. For a host, this applies to all of its
    /// workers, also to later ones.
    Drain {
        /// A host or the id of a worker, as listed by `workers`.
        whom: String,
    },
    /// Tells a worker or a host to take jobs again.
    Undrain {
        /// A host or the id of a worker.
        whom: String,
    },
}

fn state(name: &str) -> Result<JobStatus, String> {
    serde_json::from_value(name.into()).map_err(|_| "choose one of: queued, running, succeeded, failed, cancelled".into())
}

/// Executes the action of the arguments and prints its result.
///
/// # Errors
/// Returns an error with the reason if the action fails.
pub fn admin(arguments: AdminArguments) -> anyhow::Result<()> {
    let config = Config::load(&ConfigSources { path: arguments.config, roles: None })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("the system has no free threads")?;
    runtime.block_on(async {
        let printer = AdminPrinter { is_json: arguments.json };
        match arguments.what {
            AdminAction::Links { staying, most } => printer.links(&links::list(&config, staying, most).await?),
            AdminAction::DropLinks { ids } => printer.dropped(&links::drop_all(&config, &ids).await?),
            AdminAction::OfSite(what) => AdminSession::open(&config).await?.answer(what, printer).await,
        }
    })
}
