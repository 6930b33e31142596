//! The page that compares many texts: a frame that the server renders ([`frame`]), and everything in it, whose code is
//! downloaded after the first view ([`CollectionsView`]).
//!
//! - [`editor`]: the texts; [`members`]: the list of typed texts; [`mod@column`]: the column of a table; [`mod@template`]: a starter file;
//!   [`fields`]: parts of the editors of both pages; [`rename`]: names of texts
//! - [`mod@share`]: the button that opens the share dialog
//! - [`options`]: the options of the comparison
//! - [`run_line`]: progress, and the number of compared pairs; [`run_state`]: its part for comparisons and searches
//! - [`answer`]: the answer, as an overview or as a list of pairs
//! - [`patterns`]: the search for many patterns; `titles`: the title of both

use kernels::job::Task;
use leptos::prelude::*;

use self::answer::{AnswerState, AnswerView};
use self::editor::{CollectionEditors, Examples, FoldedEditor};
use self::options::CollectionOptions;
use self::patterns::PatternsView;
use self::run_line::RunLine;
use crate::model::collection::patterns::link::search_task;
use crate::model::collection::session::CollectionPhase;
use crate::model::visit::{COLLECTIONS, task_path};
use crate::page::Page;
use crate::page::collection::CollectionPage;
use crate::tr::t;

pub mod answer;
pub mod column;
pub mod editor;
pub mod fields;
pub mod frame;
pub mod members;
pub mod options;
pub mod patterns;
pub mod rename;
pub mod run_line;
pub mod run_state;
pub mod share;
pub mod template;
mod titles;

/// Renders the links between the page of two texts and the page of many texts.
pub fn how_many_texts(is_many: bool) -> impl IntoView {
    view! {
        <nav class="seg projector-off" aria-label=t("How many texts")>
            <a href=task_path(Task::EditDistance) aria-current=(!is_many).then_some("page")>
                {t("Two texts")}
            </a>
            <a href=COLLECTIONS aria-current=is_many.then_some("page")>
                {t("Many texts")}
            </a>
        </nav>
    }
}

/// Renders everything below the title: a comparison of many texts, or a search for many patterns, as the address says.
#[component]
pub fn CollectionsView() -> impl IntoView {
    let searched = || {
        let fragment = window().location().hash().unwrap_or_default();
        search_task(fragment.trim_start_matches('#')).is_some()
    };
    let is_search = RwSignal::new(searched());
    let moved = window_event_listener(leptos::ev::popstate, move |_| {
        if is_search.get_untracked() != searched() {
            is_search.set(searched());
        }
    });
    on_cleanup(move || moved.remove());
    Effect::new(move |before: Option<bool>| {
        let is_search = is_search.get();
        if is_search || before == Some(true) {
            titles::show(is_search);
        }
        is_search
    });
    move || if is_search.get() { view! { <PatternsView /> }.into_any() } else { view! { <ComparedView /> }.into_any() }
}

/// Renders the links between the comparison of many texts and the search for many patterns.
pub fn compare_or_search(is_search: bool) -> impl IntoView {
    view! {
        <nav class="seg projector-off" aria-label=t("Question")>
            <a href=COLLECTIONS aria-current=(!is_search).then_some("page")>
                {t("Compare all")}
            </a>
            <a href=format!("{COLLECTIONS}#task={}", Task::ApproximateSearch.name()) aria-current=is_search.then_some("page")>
                {t("Search for patterns")}
            </a>
        </nav>
    }
}

/// Marks the task of the page in the header.
fn mark_task(task: impl Fn() -> Task + 'static) {
    let header = expect_context::<Page>();
    Effect::new(move |_| header.task_of_many.set(Some(task())));
}

/// Renders a comparison of many texts.
#[component]
fn ComparedView() -> impl IntoView {
    let page = CollectionPage::new();
    let state = AnswerState::new(page);
    provide_context(page);
    provide_context(state);
    mark_task(move || page.form.with(|form| form.measure.task()));
    Effect::new(move |_| page.begin());
    let is_blank = Memo::new(move |_| page.form.with(|form| form.is_blank()));
    let has_answer = Memo::new(move |_| page.answer.with(Option::is_some));
    // Opened texts fold to one line once they are compared; typed ones stay, because the visitor goes on typing.
    let is_typing = RwSignal::new(false);
    let is_folded =
        Memo::new(move |_| has_answer.get() && !is_typing.get() && page.phase.with(|phase| *phase == CollectionPhase::Answered));
    view! {
        <div class="row wide many">{how_many_texts(true)} {compare_or_search(false)}</div>
        <div hidden=move || is_folded.get()>
            <CollectionEditors is_typing />
            <CollectionOptions />
        </div>
        <FoldedEditor is_folded is_typing />
        <RunLine />
        {move || is_blank.get().then(|| view! { <Examples is_typing /> })}
        {move || has_answer.get().then(|| view! { <AnswerView /> })}
    }
}
