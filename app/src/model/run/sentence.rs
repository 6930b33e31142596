//! Sentences about a run: the current state for the run bar, and the way an answer was computed for the line below.

use kernels::plan::{EngineName, Place, Plan, Reason};

use crate::model::run::reason::because;
use crate::model::run::{Phase, RunState};
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// A sentence with bold, plain and subdued parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Text before the bold part, which only some languages need.
    pub before: String,
    /// The subject, such as the engine.
    pub bold: String,
    /// The reason.
    pub plain: String,
    /// Additional information.
    pub aside: String,
}

impl Sentence {
    fn of(bold: impl Into<String>, plain: impl Into<String>, aside: impl Into<String>) -> Self {
        Self { before: String::new(), bold: bold.into(), plain: plain.into(), aside: aside.into() }
    }
}

/// Returns the sentence of the run bar for a run without a plan.
pub fn unplanned(run: &RunState) -> Sentence {
    match run.phase {
        Phase::Reading => Sentence::of(t("Reading both texts."), "", ""),
        _ => Sentence::default(),
    }
}

/// Returns the sentence of the run bar for a run. `now` is the time of the page's clock.
pub fn sentence(run: &RunState, now: f64) -> Sentence {
    let Some(plan) = &run.plan else { return unplanned(run) };
    match (&run.phase, plan.place) {
        (Phase::Done, _) => Sentence::default(),
        (Phase::Cancelled, Place::Browser) => Sentence::of(t("Cancelled."), spaced(t("Nothing was uploaded.")), ""),
        (Phase::Cancelled, Place::Server) => Sentence::of(t("Cancelled."), "", ""),
        (Phase::Failed(_), _) => Sentence::of(t("There is no answer."), spaced(t("Your texts are still in this page.")), ""),
        (Phase::Uploading { sent, total }, _) => {
            let (sent, total) = (words::bytes((*sent).min(*total)), words::bytes(*total));
            Sentence::of(t("Sending both texts:"), spaced(tr!("{part} of {whole}.", part = sent, whole = total)), "")
        }
        (Phase::Queued { position, starts }, _) => queued(*position, *starts, now),
        (Phase::Running | Phase::Reading, Place::Browser) => Sentence::of("", t("Comparing in your browser."), instead(plan)),
        (Phase::Running | Phase::Reading, Place::Server) => {
            let said = match plan.engine {
                EngineName::Cpu => t("Comparing on the server’s processor."),
                EngineName::Cuda => t("Comparing on the server’s GPU."),
            };
            Sentence::of("", said, instead(plan))
        }
        (Phase::Idle | Phase::Waiting, _) => Sentence::of("", waiting(plan), instead(plan)),
    }
}

/// Formats a plan that waits for the visitor: "Runs on the server in about 0.3 s (about 3 s in this browser)."
fn waiting(plan: &Plan) -> String {
    let time = words::about(plan.expected_ms);
    let other = plan.alternative.as_ref().map(|other| (other.place, words::about(other.expected_ms)));
    match (plan.place, other) {
        (Place::Server, Some((Place::Browser, other))) => {
            tr!("Runs on the server in {time} ({other} in this browser).", time = time, other = other)
        }
        (Place::Server, _) => tr!("Runs on the server in {time}.", time = time),
        (Place::Browser, Some((Place::Server, other))) => {
            tr!("Runs in your browser in {time} ({other} on the server).", time = time, other = other)
        }
        (Place::Browser, _) => tr!("Runs in your browser in {time}.", time = time),
    }
}

/// Returns the reason why an engine other than the fastest was chosen, or an empty string.
fn instead(plan: &Plan) -> String {
    match plan.reason {
        Some(Reason::Instead { .. }) => spaced(tr!("Chosen {because}.", because = because(plan))),
        Some(Reason::Quick { .. }) | None => String::new(),
    }
}

/// Returns how an answer was computed and where the texts were, or `None` if there is no answer yet.
pub fn computed(run: &RunState) -> Option<[String; 2]> {
    let plan = run.plan.as_ref()?;
    let time = run.metrics.get("total_ms").map(|ms| words::took(*ms));
    Some(match (plan.place, time) {
        (Place::Browser, Some(time)) => {
            [tr!("Computed in your browser in {time}.", time = time), t("Your texts stayed on this device.").into()]
        }
        (Place::Browser, None) => [t("Computed in your browser.").into(), t("Your texts stayed on this device.").into()],
        (Place::Server, Some(time)) => [tr!("Computed on the server in {time}.", time = time), String::new()],
        (Place::Server, None) => [t("Computed on the server.").into(), String::new()],
    })
}

/// Prepends a space to a sentence that follows another one.
fn spaced(sentence: impl AsRef<str>) -> String {
    format!(" {}", sentence.as_ref())
}

/// Formats the position in the queue: "Two jobs are ahead of yours; it starts in about 6 s."
pub fn queued(position: u64, starts: Option<f64>, now: f64) -> Sentence {
    let jobs = match position {
        0 => t("Yours is next").into(),
        1 => t("One job is ahead of yours").into(),
        2 => t("Two jobs are ahead of yours").into(),
        more => tr!("{n} jobs are ahead of yours", n = grouped(more)),
    };
    let said = match starts.map(|starts| starts - now) {
        Some(ms) if ms >= 1_000.0 => tr!("{jobs}; it starts in {time}.", jobs = jobs, time = words::about(ms)),
        Some(_) => tr!("{jobs}; it starts in a moment.", jobs = jobs),
        None => format!("{jobs}."),
    };
    Sentence::of(said, "", spaced(t("You may close this page; the link stays.")))
}

#[cfg(test)]
mod tests {
    use kernels::event::{Answer, Event, Metric};
    use kernels::job::Task;
    use kernels::plan::Alternative;

    use super::*;

    fn planned(place: Place, expected_ms: f64) -> RunState {
        let mut run = RunState::begun(Phase::Reading, 0.0);
        let alternative = Some(Alternative { engine: EngineName::Cpu, place: Place::Browser, expected_ms: 17_000.0 });
        let reason = Some(Reason::Quick { task: Task::Lcs, cells: 1_000_000_000_000, sending: place == Place::Server });
        let device = "GPU".into();
        let plan = Plan { engine: EngineName::Cuda, place, device, because: String::new(), reason, expected_ms, alternative };
        run.apply(Event::Planned(plan), 1.0);
        run
    }

    fn text(run: &RunState) -> String {
        let Sentence { before, bold, plain, aside } = sentence(run, 1_000.0);
        before + &bold + &plain + &aside
    }

    #[test]
    fn before_it_says_where_and_how_long() {
        let mut run = planned(Place::Server, 300.0);
        run.wait();
        assert_eq!(text(&run), "Runs on the server in about 300\u{a0}ms (about 17\u{a0}s in this browser).");
        let mut run = planned(Place::Browser, 17_000.0);
        run.wait();
        assert_eq!(text(&run), "Runs in your browser in about 17\u{a0}s.");
    }

    #[test]
    fn after_it_says_how_and_that_the_texts_stayed_here() {
        let mut run = planned(Place::Browser, 0.5);
        run.apply(Event::Metric(Metric { name: "total_ms".into(), value: 0.06, unit: String::new() }), 2.0);
        run.apply(Event::Answer(Answer::EditDistance { distance: 3, alignment: None }), 2.0);
        assert_eq!(text(&run), "");
        let [how, texts] = computed(&run).unwrap();
        assert_eq!(how, "Computed in your browser in under 0.1\u{a0}ms.");
        assert_eq!(texts, "Your texts stayed on this device.");
    }

    #[test]
    fn the_queue_is_told_in_jobs() {
        let mut run = planned(Place::Server, 1.0);
        run.phase = Phase::Queued { position: 2, starts: Some(7_000.0) };
        let close = " You may close this page; the link stays.";
        assert_eq!(text(&run), format!("Two jobs are ahead of yours; it starts in about 6\u{a0}s.{close}"));
        run.phase = Phase::Queued { position: 0, starts: None };
        assert_eq!(text(&run), format!("Yours is next.{close}"));
        run.phase = Phase::Uploading { sent: 3_000_000, total: 2_000_000 };
        assert_eq!(text(&run), "Sending both texts: 2\u{a0}MB of 2\u{a0}MB.");
    }
}
