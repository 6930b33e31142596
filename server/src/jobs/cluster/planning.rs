//! Planning of jobs for the workers of a cluster: chooses a worker's engine by the offers ([`Cluster::plan`]).

use std::time::Duration;

use kernels::failure::JobFailure;
use kernels::plan::{JobPlan, JobWork, PlanAlternative, PlannerOffer, plan};
use tokio::time::timeout;
use tracing::warn;

use super::{Cluster, queue_unreachable};
use crate::error::{ApiProblem, ProblemKind};
use crate::jobs::queue_status::NO_WORKER_RETRY_SECONDS;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::offers::cached::fetching_ms;
use crate::storage::ports::offers::{WorkerOffer, accepting_workers};

/// Timeout for reading the list of workers.
const WORKER_LIST_TIMEOUT: Duration = Duration::from_secs(3);

impl Cluster {
    /// Chooses an engine for `work` among the engines of the workers. The `texts` are given as hash and number of
    /// bytes. The inner error is the reason why no engine accepts the job.
    ///
    /// # Errors
    /// Returns `NotReady` if there is no worker or the list of workers cannot be read.
    pub(in crate::jobs) async fn plan(
        &self,
        work: &JobWork,
        texts: &[(ContentHash, u64)],
    ) -> Result<Result<JobPlan, JobFailure>, ApiProblem> {
        plan_among(work, texts, &known_workers(self).await?).ok_or_else(no_worker)
    }
}

/// Returns the known workers of `cluster`. If none is known, reads the list from NATS, because a worker may have just
/// started.
async fn known_workers(cluster: &Cluster) -> Result<Vec<WorkerOffer>, ApiProblem> {
    let workers = cluster.offers.workers();
    if !workers.is_empty() {
        return Ok(workers);
    }
    if !cluster.queue.is_connected() {
        return Err(queue_unreachable());
    }
    match timeout(WORKER_LIST_TIMEOUT, cluster.offers.read()).await {
        Ok(Ok(workers)) => Ok(workers),
        Ok(Err(cause)) => {
            warn!("list of workers cannot be read: {cause:#}");
            Err(queue_unreachable())
        }
        Err(_) => Err(queue_unreachable()),
    }
}

/// Chooses an engine for `work` among the engines of `workers`. The `texts` are given as hash and number of bytes.
/// Returns `None` if the workers have no engine. The alternative in the plan is another engine, not another device of
/// the chosen engine.
pub(super) fn plan_among(work: &JobWork, texts: &[(ContentHash, u64)], workers: &[WorkerOffer]) -> Option<Result<JobPlan, JobFailure>> {
    // Treats all texts as sent to the worker. For a worker with cached texts the transfer takes no time.
    let work = &JobWork { bytes: texts.iter().map(|(_, bytes)| bytes).sum(), ..*work };
    let of_worker = |worker: &&WorkerOffer| {
        let bytes_per_second = 1e3 * work.bytes.max(1) as f64 / fetching_ms(worker, texts);
        let offers = worker.engines.iter().map(|engine| engine.offered.for_work(work));
        offers.map(|offer| PlannerOffer { bytes_per_second, ..offer }).collect::<Vec<_>>()
    };
    let offers: Vec<PlannerOffer> = accepting_workers(workers).iter().flat_map(of_worker).collect();
    if offers.is_empty() {
        return None;
    }
    Some(plan(work, &offers).map(|best| {
        let others: Vec<PlannerOffer> = offers.into_iter().filter(|offer| offer.engine != best.engine).collect();
        let alternative = plan(work, &others).ok();
        let alternative = alternative.map(|JobPlan { engine, place, expected_ms, .. }| PlanAlternative { engine, place, expected_ms });
        JobPlan { alternative, ..best }
    }))
}

fn no_worker() -> ApiProblem {
    let detail = format!("No worker that can run this job is available. Try again in {NO_WORKER_RETRY_SECONDS} s.");
    ApiProblem::new(ProblemKind::NotReady, detail).retry_after(NO_WORKER_RETRY_SECONDS)
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::plan::EngineName;

    use super::*;
    use crate::storage::ports::offers::WorkerAvailability;
    use crate::storage::ports::offers::tests::worker;

    #[test]
    fn job_is_planned_on_engines_of_available_workers() {
        let (cpu, cuda) = (EngineName::Cpu, EngineName::Cuda);
        let mut workers = [worker("one", cpu, 1e9, 1), worker("two", cpu, 2e9, 1), worker("three", cuda, 1e12, 1)];
        let work = JobWork::from_cells(Task::EditDistance, 1_000_000_000_000);
        let planned = |workers: &[WorkerOffer]| plan_among(&work, &[], workers).unwrap().unwrap();
        let plan = planned(&workers);
        assert_eq!((plan.engine, plan.device.as_str()), (cuda, "a device of three"));
        assert_eq!(plan.alternative.map(|other| (other.engine, other.expected_ms.round())), Some((cpu, 500_000.0)));
        assert_eq!(planned(&workers[..2]).alternative, None, "a device of the same engine is no alternative");
        workers[2].takes = WorkerAvailability::Drained;
        assert_eq!(planned(&workers).engine, cpu);
        assert_eq!(planned(&workers[2..]).engine, cuda, "the only worker is used although it drains");
        assert_eq!(plan_among(&work, &[], &[]), None);
        workers[0].engines.clear();
        assert_eq!(plan_among(&work, &[], &workers[..1]), None, "a worker without engines is ignored");
        workers[1].engines[0].offered.offer.limits.cells = 10;
        assert!(matches!(plan_among(&work, &[], &workers[1..2]), Some(Err(JobFailure::TooLarge { .. }))));
    }
    #[test]
    fn worker_with_cached_texts_is_preferred_to_a_slightly_faster_one() {
        let text = ContentHash::from_content(b"text");
        let near = WorkerOffer { cached: vec![text.prefix()], ..worker("near", EngineName::Cpu, 1e9, 1) };
        let workers = [worker("far", EngineName::Cuda, 2e9, 1), near];
        let planned = |cells, bytes| {
            let plan = plan_among(&JobWork::from_cells(Task::EditDistance, cells), &[(text, bytes)], &workers).unwrap().unwrap();
            assert!(plan.because.ends_with("sending included"), "{}", plan.because);
            (plan.device, plan.expected_ms.round())
        };
        // Two seconds here, versus one second there and eight of fetching.
        assert_eq!(planned(2_000_000_000, 1_000_000_000), ("a device of near".into(), 2000.0));
        assert_eq!(planned(2_000_000_000, 1_000), ("a device of far".into(), 1000.0));
        assert_eq!(planned(20_000_000_000, 1_000_000_000), ("a device of far".into(), 18_000.0), "a long job pays for fetching");
    }
}
