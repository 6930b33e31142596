//! Sentence: who solves what is on the page, and why, as the run bar says it.

use kernels::plan::{Place, Plan};

use crate::model::run::reason::because;
use crate::model::run::{Phase, RunState};
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// A sentence in three voices: plain, bold, aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// What stands before that, in some languages.
    pub before: String,
    /// Who.
    pub bold: String,
    /// Why.
    pub plain: String,
    /// What else.
    pub aside: String,
}

impl Sentence {
    /// A sentence with its bold part between asterisks, and what else there is.
    fn marked(said: &str, aside: impl Into<String>) -> Self {
        let (before, rest) = said.split_once('*').unwrap_or(("", said));
        let (bold, plain) = rest.split_once('*').unwrap_or(("", rest));
        Self { before: before.into(), ..Self::of(bold, plain, aside) }
    }

    fn of(bold: impl Into<String>, plain: impl Into<String>, aside: impl Into<String>) -> Self {
        Self { before: String::new(), bold: bold.into(), plain: plain.into(), aside: aside.into() }
    }
}

/// What the run bar says of a run without a plan.
pub fn unplanned(run: &RunState) -> Sentence {
    match run.phase {
        Phase::Reading => Sentence::of(t("Reading both texts."), "", ""),
        _ => Sentence::of(t("Small texts are compared here, as you type."), spaced(t("Large ones go to the server when you say so.")), ""),
    }
}

/// What the run bar says of a run, at this time of the page's clock.
pub fn sentence(run: &RunState, now: f64) -> Sentence {
    let Some(plan) = &run.plan else { return unplanned(run) };
    let who = words::engine(plan.engine, plan.place);
    let because = because(plan);
    match (&run.phase, plan.place) {
        (Phase::Done, Place::Browser) if plan.expected_ms <= kernels::plan::LOCAL_IS_FINE_MS => {
            let said = tr!("*{who} solved this as you typed,* {because}.", who = who, because = because);
            Sentence::marked(&said, spaced(t("Nothing left this device.")))
        }
        (Phase::Done, Place::Browser) => {
            Sentence::marked(&tr!("*{who} solved this,* {because}.", who = who, because = because), spaced(t("Nothing left this device.")))
        }
        (Phase::Done, Place::Server) => {
            let took = run.metrics.get("total_ms").map_or_else(String::new, |ms| spaced(tr!("It took {time}.", time = words::took(*ms))));
            Sentence::marked(&tr!("*{who} solved this,* {because}.", who = who, because = because), took)
        }
        (Phase::Cancelled, Place::Browser) => Sentence::of(t("Cancelled."), spaced(t("Nothing was uploaded.")), ""),
        (Phase::Cancelled, Place::Server) => Sentence::of(t("Cancelled."), "", ""),
        (Phase::Failed(_), _) => Sentence::of(t("There is no answer."), spaced(t("The texts are still here.")), ""),
        (Phase::Uploading { sent, total }, _) => {
            let (sent, total) = (words::bytes((*sent).min(*total)), words::bytes(*total));
            Sentence::of(t("Sending both texts:"), spaced(tr!("{part} of {whole}.", part = sent, whole = total)), "")
        }
        (Phase::Queued { position, starts }, _) => queued(*position, *starts, now),
        _ => Sentence::marked(&tr!("*{who} solves this,* {because}.", who = who, because = because), alternative(plan)),
    }
}

/// A further sentence.
fn spaced(sentence: impl AsRef<str>) -> String {
    format!(" {}", sentence.as_ref())
}

/// "Two jobs are ahead of yours; it starts in about 6 s."
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
    Sentence::of(said, "", spaced(t("You may close this page; the run has its own address.")))
}

fn alternative(plan: &Plan) -> String {
    plan.alternative.as_ref().map_or_else(String::new, |other| {
        let time = words::about(other.expected_ms);
        spaced(match other.place {
            Place::Browser => tr!("This browser would need {time}.", time = time),
            Place::Server => tr!("{who} would need {time}.", who = words::engine(other.engine, other.place), time = time),
        })
    })
}

#[cfg(test)]
mod tests {
    use kernels::event::{Answer, Event};
    use kernels::job::Task;
    use kernels::plan::{Alternative, EngineName, Reason};

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
    fn before_it_says_who_why_and_the_alternative() {
        let mut run = planned(Place::Server, 100.0);
        run.wait();
        assert_eq!(
            text(&run),
            "The server’s GPU solves this, because 10¹² cells take it about 100\u{a0}ms, sending included. This browser would need about 17\u{a0}s."
        );
    }

    #[test]
    fn after_it_says_that_nothing_left_this_device() {
        let mut run = planned(Place::Browser, 0.5);
        run.apply(Event::Answer(Answer::EditDistance { distance: 3, alignment: None }), 2.0);
        assert_eq!(
            text(&run),
            "Your browser solved this as you typed, because 10¹² cells take it less than a millisecond. Nothing left this device."
        );
    }

    #[test]
    fn the_queue_is_told_in_jobs() {
        let mut run = planned(Place::Server, 1.0);
        run.phase = Phase::Queued { position: 2, starts: Some(7_000.0) };
        let close = " You may close this page; the run has its own address.";
        assert_eq!(text(&run), format!("Two jobs are ahead of yours; it starts in about 6\u{a0}s.{close}"));
        run.phase = Phase::Queued { position: 0, starts: None };
        assert_eq!(text(&run), format!("Yours is next.{close}"));
        run.phase = Phase::Uploading { sent: 3_000_000, total: 2_000_000 };
        assert_eq!(text(&run), "Sending both texts: 2\u{a0}MB of 2\u{a0}MB.");
    }
}
