//! Messages of the page: a problem with its remedies ([`Message`]), and the explanations on the first page without
//! texts ([`FirstVisit`], [`PlainTasks`]).

use kernels::job::Task;
use leptos::ev;
use leptos::prelude::*;

use super::options::kinds::OptionSwitch;
use crate::model::problem::{Problem, ProblemRemedy};
use crate::model::task::TaskDescription;
use crate::model::task::samples::SampleEntry;
use crate::model::visit::task_path;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Renders a problem: title, sentence, remedies, and small print. Remedies change the comparison on the page.
/// `just_said` leaves them out if the problem is not about that comparison, but for example about a dialog.
#[component]
pub fn Message(problem: Problem, #[prop(optional)] just_said: bool) -> impl IntoView {
    let page = expect_context::<Page>();
    let aligned = page.form.with_untracked(|form| OptionSwitch::Alignment.is_of(form.task) && form.options.alignment);
    let counts_edits = page.form.with_untracked(|form| form.task == Task::EditDistance && form.job_options().costs.is_levenshtein());
    let remedies = if just_said { Vec::new() } else { problem.remedies() };
    let remedies = remedies.into_iter().filter(|remedy| *remedy != ProblemRemedy::ScoreOnly || aligned).map(|remedy| {
        let (label, act): (_, fn(Page)) = match remedy {
            ProblemRemedy::CountBytes => (t("Compare by bytes"), Page::count_bytes),
            ProblemRemedy::ScoreOnly if counts_edits => (t("Only count the edits"), Page::leave_out_alignment),
            ProblemRemedy::ScoreOnly => (t("Leave out the alignment"), Page::leave_out_alignment),
            ProblemRemedy::RunAgain => (t("Try again"), |page| page.dispatch(Action::Start)),
            // Retries the download of missing parts after the message is removed.
            ProblemRemedy::LoadAgain => (t("Try again"), Page::load_again),
            ProblemRemedy::FetchAgain => (t("Try now"), |page| page.dispatch(Action::Online)),
            ProblemRemedy::WholeTexts => (t("Choose no record"), Page::choose_no_record),
            ProblemRemedy::StartOver => (t("Start a comparison"), Page::start_over),
        };
        view! {
            <button class="btn small" type="button" on:click=move |_| act(page)>
                {label}
            </button>
        }
    });
    view! {
        <div class="msg bad" role="alert">
            <h2>{icon(Icon::Alert)} {problem.title.clone()}</h2>
            <p class="say">{problem.detail.clone()}</p>
            <div class="row">{remedies.collect_view()}</div>
            {problem.small_print().map(|said| view! { <p class="type">{said}</p> })}
        </div>
    }
}

/// Renders a task in plain words, with a link to it.
fn in_plain_words(task: Task) -> impl IntoView {
    let page = expect_context::<Page>();
    let says = match task {
        Task::EditDistance => t("How many changes turn one text into the other, and where they are."),
        Task::ApproximateSearch => t("Where a word occurs in a text, misspelled or not."),
        Task::Lcs => t("What two texts have in common, in the same order."),
        Task::MatchCount => t("Where one text fits best on the other when it slides along."),
        Task::SequenceAlignment => t("How two sequences fit together: equal symbols earn points, differences and gaps cost some."),
        Task::ExactSearch => t("Every place where a text occurs, letter by letter."),
    };
    // With a modifier the link opens a window of its own, which starts without texts.
    let choose = move |event: ev::MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key()) {
            event.prevent_default();
            page.set_task(task);
        }
    };
    view! {
        <li>
            <a href=task_path(task) on:click=choose>{TaskDescription::of(task).title()}</a>
            <p>{says}</p>
        </li>
    }
}

/// Renders samples to try, as long as the form has no texts.
#[component]
pub fn FirstVisit() -> impl IntoView {
    let page = expect_context::<Page>();
    let task = Memo::new(move |_| page.form.with(|form| form.task));
    let tries = move || {
        let entry = |(number, sample): (usize, &'static SampleEntry)| {
            view! {
                <button type="button" on:click=move |_| page.try_sample(number)>
                    <b>{t(sample.title)}</b>
                    <span class="quiet">{t(sample.about)}</span>
                </button>
            }
        };
        TaskDescription::of(task.get()).menu.iter().enumerate().map(entry).collect_view()
    };
    view! {
        <section class="first" aria-labelledby="first-title">
            <h2 id="first-title">{t("Or start with an example")}</h2>
            <div class="tries">{tries}</div>
        </section>
    }
}

/// Renders a sentence for each task, which says in plain words what the task computes.
#[component]
pub fn PlainTasks() -> impl IntoView {
    view! {
        <nav class="plain-tasks" aria-label=t("What Editscope computes")>
            <ul>{TaskDescription::ORDER.map(in_plain_words).collect_view()}</ul>
        </nav>
    }
}
