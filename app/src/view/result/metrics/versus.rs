//! The panel "This device and the server" ([`Versus`]): runs one job in this browser and then on the server, and
//! compares the times.

use leptos::either::EitherOf4;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::bench::{self, EngineBench, SharedBench};
use super::time::{Time, TimelineRow};
use crate::model::form::{FormSide, FormState, TextContent};
use crate::model::problem::Problem;
use crate::model::run::RunState;
use crate::model::run::figures::{MeasuredRun, agree, verdict};
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, WorkUnit};
use crate::page::ShownResult;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// The stage of the comparison between this browser and the server.
#[derive(Clone, Debug, PartialEq)]
enum VersusState {
    Idle,
    Running(String),
    Ended(Box<(MeasuredRun, MeasuredRun)>),
    Refused(Problem),
}

/// Returns a sentence about the amount of data that the comparison would transfer.
fn promise(form: &FormState) -> String {
    let fetched: u64 = FormSide::BOTH
        .into_iter()
        .map(|which| form.side(which))
        .filter(|side| matches!(side.content, TextContent::Stored { .. }))
        .map(|side| side.bytes())
        .sum();
    let sent = bench::to_send(form);
    let moves = match (fetched, sent) {
        (0, sent) => tr!("The button sends both texts, {size}, to the server, which keeps them for an hour.", size = humanize::bytes(sent)),
        (fetched, 0) => tr!("The button brings the texts, {size}, into this browser.", size = humanize::bytes(fetched)),
        (fetched, sent) => {
            tr!(
                "The button brings {size} into this browser, and sends {sent} to the server, which keeps them for an hour.",
                size = humanize::bytes(fetched),
                sent = humanize::bytes(sent)
            )
        }
    };
    format!(
        "{} {moves}",
        t(
            "Is the server worth the round trip? The same job runs here and there, one after the other. Short jobs run three times, and the fastest counts."
        )
    )
}

fn progress(who: &str, run: &RunState) -> String {
    match run.progress {
        Some(progress) if progress.total > 0 => {
            let left = humanize::remaining_time(progress.eta_ms).join(" ");
            format!("{who} {}, {}", humanize::whole_percent(run.fraction()), left.trim())
        }
        _ => who.to_owned(),
    }
}

async fn measure(shared: &SharedBench, shown: &ShownResult, state: RwSignal<VersusState>) -> Result<(MeasuredRun, MeasuredRun), Problem> {
    let say = move |said: String| {
        state.try_set(VersusState::Running(said));
    };
    say(t("Loading the texts.").into());
    let form = bench::with_fetched_texts(&shown.form).await?;
    let who = t("This browser computes.");
    say(who.into());
    let here = bench::solve_locally(shared, &form, |run| say(progress(who, run))).await?;
    let who = t("The server computes.");
    say(who.into());
    // Texts that the server already has are not sent again.
    let there = bench::solve_on_server(shared, &bench::uploaded(&shown.form, form), |run| say(progress(who, run))).await?;
    Ok((here, there))
}

/// Renders the button that starts the comparison, and the measured times.
#[component]
pub fn Versus(shown: ShownResult) -> impl IntoView {
    let state = RwSignal::new(VersusState::Idle);
    let current = StoredValue::new_local(None::<SharedBench>);
    let counted = TaskDescription::of(shown.form.task).work_unit;
    let end = move || {
        if let Some(shared) = current.try_update_value(Option::take).flatten() {
            bench::stop(&shared);
        }
    };
    on_cleanup(end);
    let promised = promise(&shown.form);
    let shown = StoredValue::new(shown);
    let start = move |_| {
        let shared = SharedBench::new(std::cell::RefCell::new(EngineBench::default()));
        current.set_value(Some(shared.clone()));
        state.set(VersusState::Running(t("Loading the texts.").into()));
        spawn_local(async move {
            let Some(shown) = shown.try_get_value() else { return };
            let ended = measure(&shared, &shown, state).await;
            if current.try_with_value(|current| current.as_ref().is_some_and(|current| std::rc::Rc::ptr_eq(current, &shared))) != Some(true)
            {
                return;
            }
            current.set_value(None);
            state.set(match ended {
                Ok(both) => VersusState::Ended(Box::new(both)),
                Err(problem) => VersusState::Refused(problem),
            });
        });
    };
    let stop = move |_| {
        end();
        state.set(VersusState::Idle);
    };
    let running = Memo::new(move |_| state.with(|state| matches!(state, VersusState::Running(_))));
    view! {
        <section class="stack" aria-labelledby="versus-title">
            <h3 id="versus-title">{t("This device and the server")}</h3>
            <p class="note wide">{promised}</p>
            <div class="row">
                <button class="btn" type="button" hidden=running on:click=start>
                    {icon(Icon::Play)}
                    {t("Run it here and on the server")}
                </button>
                <button class="btn warn" type="button" hidden=move || !running.get() on:click=stop>
                    {icon(Icon::Cross)}
                    {t("Stop")}
                </button>
            </div>
            <div class="stack" role="status">
                {move || match state.get() {
                    VersusState::Idle => EitherOf4::A(()),
                    VersusState::Running(said) => EitherOf4::B(view! { <p class="say">{said}</p> }),
                    VersusState::Refused(problem) => EitherOf4::C(view! {
                        <div class="msg">
                            <p class="say">{problem.detail}</p>
                        </div>
                    }),
                    VersusState::Ended(both) => EitherOf4::D(results(*both, counted)),
                }}
            </div>
        </section>
    }
}

/// Draws the runs in this browser (`here`) and on the server (`there`) below one ruler, and says which was faster and
/// whether the answers agree. `counted` is the unit of the work.
fn results((here, there): (MeasuredRun, MeasuredRun), counted: WorkUnit) -> impl IntoView {
    let line = |measured: &MeasuredRun, name: &'static str| {
        let total = measured.total_ms();
        let device = measured.run.plan.as_ref().map(|plan| humanize::device(&plan.device)).unwrap_or_default();
        let rate = measured.run.metrics.get("cells_per_second").filter(|_| total >= 1.0).map(|rate| format!(", {}", counted.rate(*rate)));
        let about = tr!(
            "{device}{rate}; answered after {time}, sending and waiting included",
            device = device,
            rate = rate.unwrap_or_default(),
            time = humanize::measured_time(measured.wall_ms)
        );
        let way = (measured.wall_ms - total).max(0.0);
        TimelineRow { name: name.into(), spans: vec![(0.0, total, true), (total, way, false)], took: humanize::measured_time(total), about }
    };
    let lines = vec![line(&here, t("This browser")), line(&there, t("Server"))];
    let same = agree(here.run.answer.as_ref(), there.run.answer.as_ref());
    let said = if same {
        leptos::either::Either::Left(view! { <p class="ok start">{icon(Icon::Check)} <span>{t("Both found the same.")}</span></p> })
    } else {
        leptos::either::Either::Right(view! {
            <div class="msg bad" role="alert">
                <p class="say">{t("Their answers differ, which must never happen: one of them is wrong. Please report it with the lines below.")}</p>
            </div>
        })
    };
    view! {
        <p class="say">{verdict(&here, &there)}</p>
        <Time lines />
        {said}
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn transfer_is_announced_with_its_content_and_direction() {
        let mut form = FormState { a: FormText::typed("kitten"), b: FormText::typed("sitting"), ..FormState::new(Task::EditDistance) };
        assert!(promise(&form).ends_with("sends both texts, 13 bytes, to the server, which keeps them for an hour."));
        let stored = |upload: &str| FormText {
            content: TextContent::Stored { upload: upload.into(), bytes: 100, symbols: 100, head: String::new(), file: String::new() },
            ..FormText::default()
        };
        (form.a, form.b) = (stored("u"), stored("v"));
        assert!(promise(&form).ends_with("brings the texts, 200 bytes, into this browser."));
        form.b = stored("");
        assert!(promise(&form).contains("brings 200 bytes") && promise(&form).contains("sends 100 bytes"));
    }
}
