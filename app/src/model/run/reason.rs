//! Reason for the choice of an engine, as the end of a sentence in the visitor's language: [`plan_reason`]. The planner
//! gives the reason in English for users of the API, and in figures for the page.

use kernels::failure::JobFailure;
use kernels::plan::{JobPlan, PlanReason};

use crate::model::problem::run_failure::subject;
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Formats the reason of a plan, for example "because 10¹² cells take it about 17 s". Falls back to the planner's
/// English words if there are no figures.
pub fn plan_reason(plan: &JobPlan) -> String {
    match &plan.reason {
        None => plan.because.clone(),
        Some(PlanReason::Quick { task, cells, sending }) => {
            let (work, time) = (TaskDescription::of(*task).work_unit.work(*cells), humanize::expected_time(plan.expected_ms));
            match (sending, humanize::is_one(*cells)) {
                (false, true) => tr!("because {work} takes it {time}", work = work, time = time),
                (false, false) => tr!("because {work} take it {time}", work = work, time = time),
                (true, true) => tr!("because {work} takes it {time}, sending included", work = work, time = time),
                (true, false) => tr!("because {work} take it {time}, sending included", work = work, time = time),
            }
        }
        Some(PlanReason::Instead { failure: JobFailure::TooLarge { what, got, limit } }) => {
            let what = subject(what).unwrap_or(what).trim_end_matches(',');
            tr!(
                "because another engine cannot take it ({what}: {got}, at most {limit})",
                what = what,
                got = grouped(*got),
                limit = grouped(*limit)
            )
        }
        Some(PlanReason::Instead { .. }) => t("because another engine failed at it").into(),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::plan::{EngineLimits, EnginePlace, JobWork, PlannerOffer, TaskRate, plan};

    use super::*;

    /// Page and planner both have the English words, which must agree.
    #[test]
    fn page_and_planner_give_the_same_reason() {
        let works = [(Task::Lcs, 1), (Task::Lcs, 2_499), (Task::EditDistance, 1_000_000_000_000), (Task::ExactSearch, 42_000_000)];
        for ((task, cells), place) in
            works.into_iter().flat_map(|work| [EnginePlace::Browser, EnginePlace::Server].map(|place| (work, place)))
        {
            let offer = PlannerOffer {
                engine: kernels::plan::EngineName::Cpu,
                place,
                device: String::new(),
                tasks: vec![TaskRate { task, cells_per_second: 1e9 }],
                start_ms: 0.0,
                bytes_per_second: 1e9,
                limits: EngineLimits::NONE,
                version: String::new(),
            };
            let plan = plan(&JobWork { bytes: 2, ..JobWork::from_cells(task, cells) }, &[offer]).unwrap();
            assert_eq!(plan_reason(&plan).replace('\u{a0}', " "), plan.because);
        }
    }

    #[test]
    fn failure_of_another_engine_is_stated() {
        let large = JobFailure::TooLarge { what: kernels::failure::large::GPU_TEXTS.into(), got: 9_000, limit: 8_000 };
        let chosen = || JobPlan::unestimated(kernels::plan::EngineName::Cpu, EnginePlace::Server);
        let plan = |reason| JobPlan { because: "because".into(), reason, ..chosen() };
        assert!(plan_reason(&plan(Some(PlanReason::Instead { failure: large }))).ends_with("in bytes: 9,000, at most 8,000)"));
        assert!(plan_reason(&plan(Some(PlanReason::Instead { failure: JobFailure::Interrupted }))).contains("failed"));
        assert_eq!(plan_reason(&plan(None)), "because");
    }
}
