//! Cluster processes with private services, so that a test may kill each of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use services::{Nats, Postgres};
use tempfile::TempDir;
use tokio::sync::Mutex;
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::client::Web;
use crate::hosts::{Services, until_ready};
use crate::restart::Program;

/// A cluster whose processes are killed and started again.
pub(super) struct Processes {
    folders: [TempDir; 5],
    pub(super) programs: Vec<Program>,
    pub(super) postgres: Postgres,
    nats: [Nats; 3],
    services: Services,
    bucket: &'static str,
    /// Additional settings of all processes.
    more: Vec<(&'static str, String)>,
    /// Program of another version, for processes that have not been replaced yet.
    other: Option<PathBuf>,
    /// Addresses of the NATS servers.
    pub(super) address: String,
}

/// Roles of the processes: two web nodes, two workers and a sweeper.
const ROLES: [&str; 5] = ["web", "web", "worker", "worker", "sweeper"];

/// Index of the sweeper.
pub(super) const SWEEPER: usize = 4;

impl Processes {
    /// Starts a cluster with a private database and this bucket.
    pub(super) async fn start(bucket: &'static str) -> Option<Self> {
        Self::of(bucket, Vec::new(), None).await
    }

    /// Starts a cluster with additional settings and optionally the program of another version.
    pub(super) async fn of(bucket: &'static str, more: Vec<(&'static str, String)>, other: Option<PathBuf>) -> Option<Self> {
        let (postgres, nats) = (Postgres::start()?, Nats::cluster()?);
        let services = Services::on(&postgres, bucket)?;
        let address = nats.each_ref().map(Nats::address).join(",");
        let folders = ROLES.map(|_| tempfile::tempdir().unwrap());
        let mut site = Self { folders, programs: Vec::new(), postgres, nats, services, bucket, more, other, address };
        for at in 0..ROLES.len() {
            let other = site.other.clone();
            site.programs.push(site.program(at, other.as_deref()));
            until_ready(&site.programs[at]).await;
        }
        Some(site)
    }

    /// Returns the address of the database.
    pub(super) fn database(&self) -> &str {
        self.services.database()
    }

    /// Replaces a process by one of this version, as an upgrade does.
    pub(super) async fn replace(&mut self, at: usize) {
        self.restart(at, "-TERM").await;
    }

    /// Sends a signal to a process and starts one of this version once it has ended.
    async fn restart(&mut self, at: usize, signal: &str) {
        let restarted = {
            let old = self.programs.remove(at);
            block_in_place(|| old.signal(signal));
            self.program(at, None)
        };
        self.programs.insert(at, restarted);
        until_ready(&self.programs[at]).await;
    }

    fn program(&self, at: usize, other: Option<&Path>) -> Program {
        let files = format!("s3://{}/site", self.bucket);
        let mut variables = self.services.variables(&files);
        variables.extend([("EDITSCOPE_NATS", self.address.as_str()), ("EDITSCOPE_ROLES", ROLES[at]), ("EDITSCOPE_PROXIES", "1")]);
        variables.push(("EDITSCOPE_METRICS_ADDRESS", "127.0.0.1:0"));
        variables.extend(self.more.iter().map(|(name, value)| (*name, value.as_str())));
        let own = Path::new(env!("CARGO_BIN_EXE_editscope"));
        block_in_place(|| Program::of(other.unwrap_or(own), self.folders[at].path(), &variables))
    }

    /// Kills and restarts a web node, a worker, a NATS server and PostgreSQL, one after the other; in each fourth round
    /// also the sweeper.
    pub(super) async fn kill_one_of_each(&mut self, round: usize, web: &Mutex<[Web; 2]>) {
        let sweeper = (round % 4 == 3).then_some(SWEEPER);
        for at in [round % 2, 2 + round % 2].into_iter().chain(sweeper) {
            self.restart(at, "-9").await;
            if at < 2 {
                web.lock().await[at] = self.programs[at].web.clone();
            }
        }
        let nats = &mut self.nats[round % 3];
        block_in_place(|| nats.stop());
        sleep(Duration::from_secs(2)).await;
        block_in_place(|| nats.restart());
        block_in_place(|| self.postgres.kill());
        block_in_place(|| self.postgres.restart());
    }
}
