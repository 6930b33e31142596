//! The run bar: one sentence about who solves this and why, and the button.

use kernels::plan::{Place, Plan};
use kernels::words::time_in_words;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use crate::page::Page;
use crate::run::{Phase, RunState};
use crate::source::At;
use crate::words;

/// A sentence in three voices: bold, plain, aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Who.
    pub bold: String,
    /// Why.
    pub plain: String,
    /// What else.
    pub aside: String,
}

impl Sentence {
    fn of(bold: impl Into<String>, plain: impl Into<String>, aside: impl Into<String>) -> Self {
        Self { bold: bold.into(), plain: plain.into(), aside: aside.into() }
    }
}

/// What the run bar says of a run.
pub fn sentence(run: &RunState) -> Sentence {
    let Some(plan) = &run.plan else {
        return match run.phase {
            Phase::Reading => Sentence::of("Reading", " both texts.", ""),
            _ => Sentence::of("Small texts are compared here, as you type.", " Large ones go to the server when you say so.", ""),
        };
    };
    let who = words::engine(plan.engine, plan.place);
    let because = &plan.because;
    match (&run.phase, plan.place) {
        (Phase::Done, Place::Browser) if plan.expected_ms <= kernels::plan::LOCAL_IS_FINE_MS => {
            Sentence::of(format!("{who} solved this as you typed,"), format!(" {because}."), " Nothing left this device.")
        }
        (Phase::Done, Place::Browser) => Sentence::of(format!("{who} solved this,"), format!(" {because}."), " Nothing left this device."),
        (Phase::Done, Place::Server) => {
            let took = run.metrics.get("total_ms").map_or_else(String::new, |ms| format!(" It took {}.", words::took(*ms)));
            Sentence::of(format!("{who} solved this,"), format!(" {because}."), took)
        }
        (Phase::Cancelled, _) => Sentence::of("Cancelled.", " Nothing is kept; the texts are still here.", ""),
        (Phase::Failed(_), _) => Sentence::of("There is no answer.", " The texts are still here.", ""),
        (Phase::Uploading { sent, total }, _) => {
            let (sent, total) = (words::bytes((*sent).min(*total)), words::bytes(*total));
            Sentence::of("Sending both texts:", format!(" {sent} of {total}."), "")
        }
        (Phase::Queued { position: 0 }, _) => Sentence::of("Next in line.", " You may close this page; the run has its own address.", ""),
        (Phase::Queued { position }, _) => {
            let jobs = words::count(*position, "job is", "jobs are");
            Sentence::of("In the queue.", format!(" {jobs} ahead of yours."), " You may close this page.")
        }
        _ => Sentence::of(format!("{who} solves this,"), format!(" {because}."), alternative(plan)),
    }
}

fn alternative(plan: &Plan) -> String {
    plan.alternative.as_ref().map_or_else(String::new, |other| {
        let who = words::engine_within(other.engine, other.place);
        let mut who = who.chars();
        let who = who.next().map_or_else(String::new, |first| first.to_uppercase().chain(who).collect());
        format!(" {who} would need {}.", time_in_words(other.expected_ms))
    })
}

/// Sentence and buttons.
#[component]
pub fn RunBar() -> impl IntoView {
    let page = expect_context::<Page>();
    let said = Memo::new(move |_| page.run.with(sentence));
    let under_way = Memo::new(move |_| page.run.with(|run| run.is_under_way() && run.phase != Phase::Reading) || slow_reading(page));
    let idle = Memo::new(move |_| page.form.with(|form| form.a.is_blank() && form.b.is_blank()));
    let share = use_context::<RwSignal<bool>>();
    let open_share = move |_| {
        if let Some(share) = share {
            share.set(true);
        }
    };
    let can_share = move || page.shown.with(|shown| shown.as_ref().is_some_and(|shown| !matches!(shown.at, At::Link(_))));
    view! {
        <section class="runbar" aria-label="Plan">
            <p class="say">
                <strong>{move || said.get().bold}</strong>
                {move || said.get().plain}
                <span class="aside">{move || said.get().aside}</span>
                <span class="aside" role="status">{move || page.remark.get().map(|remark| format!(" {remark}"))}</span>
            </p>
            <div class="row">
                <button class="btn" type="button" aria-haspopup="dialog" hidden=move || !can_share() on:click=open_share>
                    {icon(Icon::Link)}
                    "Share"
                </button>
                <button class="btn warn" type="button" hidden=move || !under_way.get() on:click=move |_| page.cancel()>
                    {icon(Icon::Cross)}
                    "Cancel"
                </button>
                <button class="btn main" type="button" hidden=under_way disabled=idle on:click=move |_| page.start()>
                    "Run"
                    <kbd class="key">"Ctrl ↵"</kbd>
                </button>
            </div>
        </section>
    }
}

/// The worker solves for longer than anybody overlooks.
fn slow_reading(page: Page) -> bool {
    page.run.with(|run| run.is_under_way() && page.now.get() - run.began > 400.0)
}

#[cfg(test)]
mod tests {
    use kernels::event::{Answer, Event};
    use kernels::plan::{Alternative, EngineName};

    use super::*;

    fn planned(place: Place, expected_ms: f64) -> RunState {
        let mut run = RunState::begun(Phase::Reading, 0.0);
        let alternative = Some(Alternative { engine: EngineName::Cpu, place: Place::Browser, expected_ms: 17_000.0 });
        let because = "because 10¹² cells take it about 0.1 s".into();
        run.apply(Event::Planned(Plan { engine: EngineName::Cuda, place, device: "GPU".into(), because, expected_ms, alternative }), 1.0);
        run
    }

    fn text(run: &RunState) -> String {
        let Sentence { bold, plain, aside } = sentence(run);
        bold + &plain + &aside
    }

    #[test]
    fn before_it_says_who_why_and_the_alternative() {
        let mut run = planned(Place::Server, 100.0);
        run.wait();
        assert_eq!(text(&run), "The server’s GPU solves this, because 10¹² cells take it about 0.1 s. This browser would need about 17 s.");
    }

    #[test]
    fn after_it_says_that_nothing_left_this_device() {
        let mut run = planned(Place::Browser, 0.5);
        run.apply(Event::Answer(Answer::EditDistance { distance: 3, alignment: None }), 2.0);
        assert_eq!(text(&run), "Your browser solved this as you typed, because 10¹² cells take it about 0.1 s. Nothing left this device.");
    }

    #[test]
    fn the_queue_is_told_in_jobs() {
        let mut run = planned(Place::Server, 1.0);
        run.phase = Phase::Queued { position: 1 };
        assert!(text(&run).contains("1 job is ahead of yours"), "{}", text(&run));
        run.phase = Phase::Uploading { sent: 3_000_000, total: 2_000_000 };
        assert_eq!(text(&run), "Sending both texts: 2\u{a0}MB of 2\u{a0}MB.");
    }
}
