//! The view of a run under way ([`RunView`]): stages, remaining time, progress bar, figures, speed, partial results,
//! log.

use kernels::event::RunStage;
use kernels::found::Hit;
use kernels::job::Task;
use leptos::prelude::*;

use super::rates;
use super::sweep::Sweep;
use crate::model::form::FormState;
use crate::model::run::log::EngineFallback;
use crate::model::run::reason::plan_reason;
use crate::model::run::sentence::queued;
use crate::model::run::{RunPhase, RunState};
use crate::model::task::AnswerSentences;
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, WorkUnit, grouped};
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr;
use crate::tr::t;
use crate::view::form::options::kinds::OptionSwitch;
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::icon::{Icon, icon};

/// Returns the name, the detail and the progress of each of a run's five stages, in their order.
pub fn stages(run: &RunState) -> [(&'static str, String, StageProgress); 5] {
    let now = match (&run.phase, run.stage) {
        (RunPhase::Uploading { .. }, _) => 0,
        (RunPhase::Queued { .. }, _) => 1,
        (_, None | Some(RunStage::Read | RunStage::Transfer)) => 2,
        (_, Some(RunStage::Compute | RunStage::Traceback)) => 3,
    };
    let progress = |at: usize| match at.cmp(&now) {
        std::cmp::Ordering::Less => StageProgress::Done,
        std::cmp::Ordering::Equal => StageProgress::Now,
        std::cmp::Ordering::Greater => StageProgress::Todo,
    };
    let sent = match run.phase {
        RunPhase::Uploading { sent, total } => {
            tr!("{part} of {whole}", part = humanize::bytes(sent.min(total)), whole = humanize::bytes(total))
        }
        _ => t("both texts are there").into(),
    };
    let queue = match run.phase {
        RunPhase::Queued { position, .. } if position > 0 => humanize::count(position, "job ahead", "jobs ahead"),
        RunPhase::Queued { .. } => t("next in line").into(),
        _ => String::new(),
    };
    let plan = run
        .plan
        .as_ref()
        .map_or_else(String::new, |plan| humanize::list(&[humanize::device(&plan.device), humanize::expected_time(plan.expected_ms)]));
    let running = match run.stage {
        Some(RunStage::Traceback) => t("tracing the alignment"),
        _ => t("computing"),
    };
    [
        (t("Uploaded"), sent, progress(0)),
        (t("Queued"), queue, progress(1)),
        (t("Planned"), plan, progress(2)),
        (t("Running"), running.into(), progress(3)),
        (t("Answer"), t("on this page, or by link").into(), progress(4)),
    ]
}

/// The progress of one stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageProgress {
    Done,
    Now,
    Todo,
}

impl StageProgress {
    fn class(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Now => "now",
            Self::Todo => "todo",
        }
    }
}

/// Renders the view of a run under way.
#[component]
pub fn RunView() -> impl IntoView {
    let page = expect_context::<Page>();
    let title = move || page.form.with(title);
    let facts = move || page.form.with(facts);
    let steps = move || {
        let step = |(name, about, progress): (&'static str, String, StageProgress)| {
            let at = page.run.with(|run| format!("{:.1}%", run.fraction() * 100.0));
            view! {
                <li class=progress.class() style=("--at", at) aria-current=(progress == StageProgress::Now).then_some("step")>
                    <b>{name}</b>
                    <small>{about}</small>
                </li>
            }
        };
        page.run.with(stages).map(step).collect_view()
    };
    view! {
        <div class="lead">
            <h1>{title}</h1>
            <p class="quiet">{facts}</p>
        </div>
        <ol class="stages" aria-label=t("Stages of the run")>
            {steps}
        </ol>
        <section class="progress stack" aria-label=t("Progress")>
            {move || page.run.with(|run| run.fell_back.as_ref().map(EngineFallback::sentence)).map(|said| view! { <div class="msg" role="status"><p class="say">{said}</p></div> })}
            <Clock />
            <Gauge />
            <Tiles />
            <div class="row">
                <button class="btn warn" type="button" data-takes-focus="" on:click=move |_| page.dispatch(Action::Cancel)>
                    {icon(Icon::Cross)}
                    {t("Cancel")}
                </button>
                <CopyAddress />
                <span class="note" hidden=move || page.job.with(Option::is_none)>
                    {t("You may close this page or lock your phone; the run continues at this address.")}
                </span>
                <span class="note" role="status">
                    {move || page.connection.get()}
                </span>
            </div>
        </section>
        <section class="section" aria-label=t("Live")>
            <div class="pair">
                <Sweep />
                <div class="stack loose">
                    <rates::Rates />
                    <rates::Bounds />
                    <SoFar />
                    <Log />
                </div>
            </div>
        </section>
    }
}

fn title(form: &FormState) -> String {
    let name = |side: &crate::model::form::FormText, other: &str| side.name.clone().unwrap_or_else(|| other.into());
    match (&form.a.name, &form.b.name) {
        (None, None) => TaskDescription::of(form.task).title().into(),
        _ => tr!("{a} and {b}", a = name(&form.a, "a"), b = name(&form.b, "b")),
    }
}

fn facts(form: &FormState) -> String {
    let task = TaskDescription::of(form.task).title();
    let (a, b) = (humanize::bytes(form.a.bytes()), humanize::bytes(form.b.bytes()));
    match (OptionSwitch::Alignment.is_of(form.task), form.options.alignment) {
        (false, _) => tr!("{task}, {a} × {b}", task = task, a = a, b = b),
        (true, true) => tr!("{task} with alignment, {a} × {b}", task = task, a = a, b = b),
        (true, false) => tr!("{task} without alignment, {a} × {b}", task = task, a = a, b = b),
    }
}

/// Renders the button that copies the address of the run.
#[component]
fn CopyAddress() -> impl IntoView {
    let page = expect_context::<Page>();
    let address = Signal::derive(move || {
        page.job.track();
        web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default()
    });
    view! {
        <span hidden=move || page.job.with(Option::is_none)>
            <CopyButton text=address label=t("Copy the link to this run") class="btn ghost" sign=Icon::Link />
        </span>
    }
}

/// Renders the remaining time as a big number, and the engine of the run.
#[component]
fn Clock() -> impl IntoView {
    let page = expect_context::<Page>();
    let left = move || {
        page.now.track();
        page.run.with(|run| {
            if let RunPhase::Queued { starts, .. } = run.phase {
                return starts.map(|starts| humanize::remaining_time((starts - page.now.get()).max(0.0)));
            }
            let eta = run.progress.map(|progress| progress.eta_ms);
            let expected = run.plan.as_ref().map(|plan| (plan.expected_ms - run.elapsed).max(0.0));
            eta.or(expected).map(humanize::remaining_time)
        })
    };
    let part = move |at: usize| move || left().map(|parts| parts[at].clone());
    let who = move || {
        page.run.with(|run| {
            if let RunPhase::Queued { position, starts } = run.phase {
                return queued(position, starts, page.now.get()).bold;
            }
            let who = run.plan.as_ref().map_or(t("The run"), |plan| humanize::engine(plan.engine, plan.place));
            match run.progress {
                Some(progress) if progress.cells_per_second > 0.0 => counted(page).speed(who, progress.cells_per_second),
                _ => tr!("{who} is working.", who = who),
            }
        })
    };
    // The planned time is shown until the run reports its remaining time.
    let because = move || {
        page.run.with(|run| {
            let plan = run.plan.as_ref().filter(|_| run.progress.is_none())?;
            Some(format!(" {}", tr!("Chosen {because}.", because = plan_reason(plan))))
        })
    };
    view! {
        <div class="clock">
            <p class="big">
                <small>{part(0)}</small> " " {move || left().map_or_else(|| "…".into(), |[_, number, _]| number)} " " <small>{part(2)}</small>
            </p>
            <p class="say">
                <strong>{who}</strong>
                <span class="aside">{because}</span>
            </p>
        </div>
    }
}

/// Returns the unit of work (cells or symbols) of the current task.
fn counted(page: Page) -> WorkUnit {
    TaskDescription::of(page.form.with(|form| form.task)).work_unit
}

/// Renders the progress of the run as a ruler.
#[component]
fn Gauge() -> impl IntoView {
    let page = expect_context::<Page>();
    let percent = Memo::new(move |_| page.run.with(|run| (run.fraction() * 1000.0).round() / 10.0));
    let tick = |at: u32| {
        let height = match at {
            at if at.is_multiple_of(10) => 12,
            at if at.is_multiple_of(5) => 6,
            _ => 3,
        };
        format!("M{} 36v-{height}", at * 10)
    };
    let ticks: String = (0..=100).map(tick).collect();
    let axis = [0.0, 0.25, 0.5, 0.75, 1.0].map(|at| view! { <span>{humanize::whole_percent(at)}</span> }).collect_view();
    view! {
        <div class="gauge">
            <progress max="100" aria-label=t("Progress") prop:value=percent></progress>
            <svg viewBox="0 0 1000 38" preserveAspectRatio="none" aria-hidden="true">
                <rect class="f-well" width="1000" height="22"></rect>
                <rect class="f-pine" width=move || percent.get() * 10.0 height="22"></rect>
                <path class="s-edge" vector-effect="non-scaling-stroke" d=ticks></path>
            </svg>
            <div class="axis">{axis}</div>
        </div>
    }
}

/// Renders four figures about the run, such as its speed.
#[component]
fn Tiles() -> impl IntoView {
    let page = expect_context::<Page>();
    let tiles = move || {
        let now = page.now.get();
        let counted = counted(page);
        page.run.with(|run| {
            let cells = run.progress.map(|progress| humanize::part_of(progress.done as f64, progress.total as f64));
            let (done, total) = cells.unwrap_or_else(|| ("–".into(), String::new()));
            let rate = run.progress.map_or_else(|| "–".into(), |progress| counted.rate(progress.cells_per_second));
            [
                (t("Done"), humanize::whole_percent(run.fraction()), String::new()),
                (counted.done(), done, total),
                (t("Running for"), humanize::measured_time((now - run.started_at).max(0.0)), String::new()),
                (t("Rate"), rate, String::new()),
            ]
        })
    };
    let tile = |(name, value, of): (&'static str, String, String)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>
                    {value} " " <small>{of}</small>
                </dd>
            </div>
        }
    };
    view! { <dl class="tiles">{move || tiles().map(tile).collect_view()}</dl> }
}

/// Describes the partial results of a search in a sentence. Returns `None` if there are none yet.
pub fn so_far(run: &RunState, task: Task) -> Option<String> {
    let best = run.best.and_then(|best| AnswerSentences::of(task).best(best));
    let found = run.hit_count.map(|found| match run.latest {
        Some(Hit { start, .. }) => tr!("{n} found so far, the latest at {place}.", n = grouped(found), place = humanize::position(start)),
        None => tr!("{n} found so far.", n = grouped(found)),
    });
    let parts: Vec<String> = [found, best].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Renders the partial results of a running search as a line of text ([`so_far`]), which is hidden while there are
/// none.
#[component]
fn SoFar() -> impl IntoView {
    let page = expect_context::<Page>();
    let said = move || page.run.with(|run| so_far(run, page.form.with(|form| form.task)));
    view! {
        <p class="say" hidden=move || said().is_none()>
            {said}
        </p>
    }
}

/// Renders the log, one line per stage.
#[component]
fn Log() -> impl IntoView {
    let page = expect_context::<Page>();
    // Time of day, in milliseconds since midnight, at which the page's clock was 0.
    let midnight = wall_ms() - crate::backend::now();
    let lines = move || page.run.with(|run| (run.started_at, run.log.clone()));
    let line = move |began: f64, line: crate::model::run::log::LogLine| {
        view! {
            <dt class="num">{humanize::clock(midnight + began + line.elapsed_ms)}</dt>
            <dd>{line.event.sentence()}</dd>
        }
    };
    view! {
        <div>
            <h2 class="mb" id="log-title">
                {t("What happened")}
            </h2>
            <div role="log" aria-labelledby="log-title">
                <dl class="facts start">
                    {move || {
                        let (began, lines) = lines();
                        lines.into_iter().map(|it| line(began, it)).collect_view()
                    }}
                </dl>
            </div>
        </div>
    }
}

/// Returns the local time of day, in milliseconds since midnight.
fn wall_ms() -> f64 {
    let date = js_sys::Date::new_0();
    f64::from(date.get_hours() * 3600 + date.get_minutes() * 60 + date.get_seconds()) * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_the_run() {
        let at = |phase: RunPhase, stage: Option<RunStage>| {
            let run = RunState { phase, stage, ..RunState::default() };
            stages(&run).map(|(_, _, progress)| progress)
        };
        use StageProgress::{Done, Now, Todo};
        assert_eq!(at(RunPhase::Uploading { sent: 1, total: 2 }, None), [Now, Todo, Todo, Todo, Todo]);
        assert_eq!(at(RunPhase::Queued { position: 2, starts: None }, None), [Done, Now, Todo, Todo, Todo]);
        assert_eq!(at(RunPhase::Running, Some(RunStage::Read)), [Done, Done, Now, Todo, Todo]);
        assert_eq!(at(RunPhase::Running, Some(RunStage::Traceback)), [Done, Done, Done, Now, Todo]);
    }

    #[test]
    fn search_shows_the_hits_so_far() {
        let run = |found, best| RunState { hit_count: found, best, ..RunState::default() };
        let told = |found, best, task| so_far(&run(found, best), task);
        assert_eq!(told(Some(12), None, Task::ExactSearch).as_deref(), Some("12 found so far."));
        assert_eq!(told(None, Some(263), Task::MatchCount).as_deref(), Some("Best so far: 263 equal."));
        assert_eq!(told(Some(2_000), Some(1), Task::ApproximateSearch).as_deref(), Some("2,000 found so far. Closest so far: 1 edit."));
        assert_eq!(told(None, None, Task::Lcs), None);
        let latest = Some(Hit::new(4_000, 4_003, 0));
        let run = RunState { hit_count: Some(12), latest, ..RunState::default() };
        assert_eq!(so_far(&run, Task::ExactSearch).as_deref(), Some("12 found so far, the latest at 4,000."));
    }
}
