//! Fallback: the pure function `fallback`, which plans a job again after its engine has failed.

use kernels::failure::JobFailure;
use kernels::plan::{JobPlan, JobWork, PlanReason, PlannerOffer, plan};

/// Plans `work` again on `offers`, the engines that have not failed. The reason in the plan names `failure`, the
/// failure of the earlier run. Returns `None` if no engine in `offers` accepts the work.
pub(super) fn fallback(work: &JobWork, offers: &[PlannerOffer], failure: &JobFailure) -> Option<JobPlan> {
    let because = format!("because {}", as_a_clause(&failure.to_string()));
    let reason = Some(PlanReason::Instead { failure: failure.clone() });
    plan(work, offers).ok().map(|plan| JobPlan { because, reason, ..plan })
}

/// Converts a sentence to a clause for the middle of another sentence: without full stop, and with a small first
/// letter.
fn as_a_clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::plan::{EngineLimits, EngineName, EnginePlace, TaskRate};

    use super::*;

    const CPU: EngineName = EngineName::Cpu;

    fn work() -> JobWork {
        JobWork { symbols: 100, alphabet: 4, ..JobWork::from_cells(Task::Lcs, 1000) }
    }

    fn offers(cells: u64) -> Vec<PlannerOffer> {
        let offer = PlannerOffer {
            engine: CPU,
            place: EnginePlace::Server,
            device: "a device".into(),
            tasks: vec![TaskRate { task: Task::Lcs, cells_per_second: 1e9 }],
            start_ms: 0.0,
            bytes_per_second: 1e9,
            limits: EngineLimits { cells, ..EngineLimits::NONE },
            version: String::new(),
        };
        vec![offer]
    }

    #[test]
    fn fallback_plan_states_the_failure() {
        let rows = [
            (JobFailure::engine("The GPU engine failed: it is gone."), "because the GPU engine failed: it is gone"),
            (
                JobFailure::TooLarge { what: "The memory in bytes".into(), got: 9, limit: 8 },
                "because the memory in bytes is 9, and the limit here is 8",
            ),
        ];
        for (failure, because) in rows {
            let plan = fallback(&work(), &offers(u64::MAX), &failure).unwrap();
            assert_eq!((plan.engine, plan.because.as_str()), (CPU, because));
            assert_eq!(plan.reason, Some(PlanReason::Instead { failure }));
        }
    }

    #[test]
    fn job_that_is_too_large_or_failed_everywhere_has_no_fallback() {
        let failure = JobFailure::engine("It failed.");
        assert_eq!(fallback(&work(), &offers(999), &failure), None);
        assert_eq!(fallback(&work(), &[], &failure), None);
    }
}
