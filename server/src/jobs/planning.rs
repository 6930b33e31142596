//! Planning: chooses the engine of a job, in this process or on a worker of the cluster ([`JobService::plan`]).
//!
//! A brief job is solved in the process that accepts it. In a cluster, any other job is planned on the offers of the
//! workers, whatever engines this process has. The worker that takes the job plans it again among its own engines,
//! because the planned engine may be busy or gone by then.

use std::sync::Arc;

use kernels::failure::JobFailure;
use kernels::plan::{JobPlan, JobWork, PlannerOffer, plan};

use super::JobService;
use super::cluster::Cluster;
use super::queue_status::NO_WORKER_RETRY_SECONDS;
use crate::error::{ApiProblem, ProblemKind};
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::offers::accepting_workers;
use crate::storage::ports::queue::QueueClass;

/// A plan of [`JobService::plan`], and the place where the job runs: this process or a worker of the cluster.
#[derive(Clone, Debug)]
pub struct PlacedPlan {
    /// Engine of the job, and the reason for choosing it.
    pub plan: JobPlan,
    /// The cluster whose workers run the job, or `None` if this process runs it.
    pub(super) cluster: Option<Arc<Cluster>>,
}

impl JobService {
    /// Chooses an engine for `work` on `texts`, each given as hash and number of bytes. A brief job uses this process's
    /// engines. Any other job of a cluster is planned among the workers, including the time in which a worker fetches
    /// texts that it has not cached.
    ///
    /// # Errors
    /// Returns `TooLarge` if no engine accepts the job, and `NotReady` if there is no worker or the list of workers
    /// cannot be read.
    pub async fn plan(&self, work: &JobWork, texts: &[(ContentHash, u64)]) -> Result<PlacedPlan, ApiProblem> {
        let own = plan(work, &self.shared.engines.offers_for(work));
        let cluster = self.shared.cluster.clone().filter(|_| !own.as_ref().is_ok_and(|plan| QueueClass::from_plan(plan).brief));
        let plan = match &cluster {
            None => own,
            Some(cluster) => cluster.plan(work, texts).await?,
        };
        Ok(PlacedPlan { plan: plan.map_err(no_plan)?, cluster })
    }

    /// Returns the engines of the cluster's workers, one entry for each engine and model of device. If no worker is
    /// known, returns this process's engines.
    pub fn offers(&self) -> Vec<PlannerOffer> {
        let mut offers: Vec<PlannerOffer> = Vec::new();
        let workers = self.workers();
        for offer in accepting_workers(&workers).iter().flat_map(|worker| &worker.engines).map(|engine| &engine.offered.offer) {
            if !offers.iter().any(|other| (other.engine, &other.device) == (offer.engine, &offer.device)) {
                offers.push(offer.clone());
            }
        }
        if offers.is_empty() { self.shared.engines.offers() } else { offers }
    }
}

/// Converts `failure`, the reason why no plan was found, into a problem. A missing engine is not reported as the
/// client's fault.
fn no_plan(failure: JobFailure) -> ApiProblem {
    match failure {
        JobFailure::Engine { .. } => ApiProblem::new(ProblemKind::NotReady, failure.to_string()).retry_after(NO_WORKER_RETRY_SECONDS),
        failure => failure.into(),
    }
}
