//! Sentences about a run: the current state for the run bar ([`sentence`]), and the way an answer was computed for the
//! line below the result ([`computed`]).

use kernels::plan::{EngineName, EnginePlace, JobPlan, PlanReason};

use crate::model::run::reason::plan_reason;
use crate::model::run::{RunPhase, RunState};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;

/// A sentence in four parts of different style, each of which may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledSentence {
    /// Text before the bold part, which only some languages need.
    pub before: String,
    /// The subject in bold, such as the engine.
    pub bold: String,
    /// The rest of the sentence, such as the reason.
    pub plain: String,
    /// Additional information in subdued letters.
    pub aside: String,
}

impl StyledSentence {
    fn of(bold: impl Into<String>, plain: impl Into<String>, aside: impl Into<String>) -> Self {
        Self { before: String::new(), bold: bold.into(), plain: plain.into(), aside: aside.into() }
    }
}

/// Returns the sentence of the run bar for a run without a plan.
pub fn unplanned(run: &RunState) -> StyledSentence {
    match run.phase {
        RunPhase::Reading => StyledSentence::of(t("Reading both texts."), "", ""),
        _ => StyledSentence::default(),
    }
}

/// Returns the sentence of the run bar for a run. `now` is the time of the page's clock, in milliseconds.
pub fn sentence(run: &RunState, now: f64) -> StyledSentence {
    let Some(plan) = &run.plan else { return unplanned(run) };
    match (&run.phase, plan.place) {
        (RunPhase::Done, _) => StyledSentence::default(),
        (RunPhase::Cancelled, EnginePlace::Browser) => StyledSentence::of(t("Cancelled."), spaced(t("Nothing was uploaded.")), ""),
        (RunPhase::Cancelled, EnginePlace::Server) => StyledSentence::of(t("Cancelled."), "", ""),
        (RunPhase::Failed(_), _) => StyledSentence::of(t("There is no answer."), spaced(t("Your texts are still in this page.")), ""),
        (RunPhase::Uploading { sent, total }, _) => {
            let (sent, total) = (humanize::bytes((*sent).min(*total)), humanize::bytes(*total));
            StyledSentence::of(t("Sending both texts:"), spaced(tr!("{part} of {whole}.", part = sent, whole = total)), "")
        }
        (RunPhase::Queued { position, starts }, _) => queued(*position, *starts, now),
        (RunPhase::Running | RunPhase::Reading, EnginePlace::Browser) => {
            StyledSentence::of("", t("Comparing in your browser."), slower_engine_reason(plan))
        }
        (RunPhase::Running | RunPhase::Reading, EnginePlace::Server) => {
            let said = match plan.engine {
                EngineName::Cpu => t("Comparing on the server’s processor."),
                EngineName::Cuda => t("Comparing on the server’s GPU."),
            };
            StyledSentence::of("", said, slower_engine_reason(plan))
        }
        (RunPhase::Idle | RunPhase::Waiting, _) => StyledSentence::of("", waiting(plan), slower_engine_reason(plan)),
    }
}

/// Formats the sentence about a plan that waits for the visitor to start it: "Runs on the server in about 0.3 s (about
/// 3 s in this browser)."
fn waiting(plan: &JobPlan) -> String {
    let time = humanize::expected_time(plan.expected_ms);
    let other = plan.alternative.as_ref().map(|other| (other.place, humanize::expected_time(other.expected_ms)));
    match (plan.place, other) {
        (EnginePlace::Server, Some((EnginePlace::Browser, other))) => {
            tr!("Runs on the server in {time} ({other} in this browser).", time = time, other = other)
        }
        (EnginePlace::Server, _) => tr!("Runs on the server in {time}.", time = time),
        (EnginePlace::Browser, Some((EnginePlace::Server, other))) => {
            tr!("Runs in your browser in {time} ({other} on the server).", time = time, other = other)
        }
        (EnginePlace::Browser, _) => tr!("Runs in your browser in {time}.", time = time),
    }
}

/// Returns the reason why an engine other than the fastest was chosen, or an empty string.
fn slower_engine_reason(plan: &JobPlan) -> String {
    match plan.reason {
        Some(PlanReason::Instead { .. }) => spaced(tr!("Chosen {because}.", because = plan_reason(plan))),
        Some(PlanReason::Quick { .. }) | None => String::new(),
    }
}

/// Returns two sentences about a run with an answer: how the answer was computed, and where the texts were. The second
/// one is empty if the server computed the answer. Returns `None` if the run has no plan.
pub fn computed(run: &RunState) -> Option<[String; 2]> {
    let plan = run.plan.as_ref()?;
    let time = run.metrics.get("total_ms").map(|ms| humanize::measured_time(*ms));
    Some(match (plan.place, time) {
        (EnginePlace::Browser, Some(time)) => {
            [tr!("Computed in your browser in {time}.", time = time), t("Your texts stayed on this device.").into()]
        }
        (EnginePlace::Browser, None) => [t("Computed in your browser.").into(), t("Your texts stayed on this device.").into()],
        (EnginePlace::Server, Some(time)) => [tr!("Computed on the server in {time}.", time = time), String::new()],
        (EnginePlace::Server, None) => [t("Computed on the server.").into(), String::new()],
    })
}

/// Prepends a space to a sentence that follows another one.
fn spaced(sentence: impl AsRef<str>) -> String {
    format!(" {}", sentence.as_ref())
}

/// Formats the position in the queue: "Two jobs are ahead of yours; it starts in about 6 s."
///
/// `starts` is the expected start and `now` the current time, in milliseconds of the page's clock.
pub fn queued(position: u64, starts: Option<f64>, now: f64) -> StyledSentence {
    let jobs = match position {
        0 => t("Yours is next").into(),
        1 => t("One job is ahead of yours").into(),
        2 => t("Two jobs are ahead of yours").into(),
        more => tr!("{n} jobs are ahead of yours", n = grouped(more)),
    };
    let said = match starts.map(|starts| starts - now) {
        Some(ms) if ms >= 1_000.0 => tr!("{jobs}; it starts in {time}.", jobs = jobs, time = humanize::expected_time(ms)),
        Some(_) => tr!("{jobs}; it starts in a moment.", jobs = jobs),
        None => format!("{jobs}."),
    };
    StyledSentence::of(said, "", spaced(t("You may close this page; the link stays.")))
}

#[cfg(test)]
mod tests {
    use kernels::event::{JobEvent, RunMetric, TaskAnswer};
    use kernels::job::Task;
    use kernels::plan::PlanAlternative;

    use super::*;

    fn planned(place: EnginePlace, expected_ms: f64) -> RunState {
        let mut run = RunState::new(RunPhase::Reading, 0.0);
        let alternative = Some(PlanAlternative { engine: EngineName::Cpu, place: EnginePlace::Browser, expected_ms: 17_000.0 });
        let reason = Some(PlanReason::Quick { task: Task::Lcs, cells: 1_000_000_000_000, sending: place == EnginePlace::Server });
        let device = "GPU".into();
        let plan = JobPlan { device, reason, expected_ms, alternative, ..JobPlan::unestimated(EngineName::Cuda, place) };
        run.apply(JobEvent::Planned(plan), 1.0);
        run
    }

    fn text(run: &RunState) -> String {
        let StyledSentence { before, bold, plain, aside } = sentence(run, 1_000.0);
        before + &bold + &plain + &aside
    }

    #[test]
    fn sentence_before_the_run_states_engine_and_duration() {
        let mut run = planned(EnginePlace::Server, 300.0);
        run.wait();
        assert_eq!(text(&run), "Runs on the server in about 300\u{a0}ms (about 17\u{a0}s in this browser).");
        let mut run = planned(EnginePlace::Browser, 17_000.0);
        run.wait();
        assert_eq!(text(&run), "Runs in your browser in about 17\u{a0}s.");
    }

    #[test]
    fn sentence_after_the_run_states_duration_and_privacy() {
        let mut run = planned(EnginePlace::Browser, 0.5);
        run.apply(JobEvent::Metric(RunMetric { name: "total_ms".into(), value: 0.06, unit: String::new() }), 2.0);
        run.apply(JobEvent::Answer(TaskAnswer::from_distance(3, None)), 2.0);
        assert_eq!(text(&run), "");
        let [how, texts] = computed(&run).unwrap();
        assert_eq!(how, "Computed in your browser in under 0.1\u{a0}ms.");
        assert_eq!(texts, "Your texts stayed on this device.");
    }

    #[test]
    fn queue_position_is_stated_in_jobs() {
        let mut run = planned(EnginePlace::Server, 1.0);
        run.phase = RunPhase::Queued { position: 2, starts: Some(7_000.0) };
        let close = " You may close this page; the link stays.";
        assert_eq!(text(&run), format!("Two jobs are ahead of yours; it starts in about 6\u{a0}s.{close}"));
        run.phase = RunPhase::Queued { position: 0, starts: None };
        assert_eq!(text(&run), format!("Yours is next.{close}"));
        run.phase = RunPhase::Uploading { sent: 3_000_000, total: 2_000_000 };
        assert_eq!(text(&run), "Sending both texts: 2\u{a0}MB of 2\u{a0}MB.");
    }
}
