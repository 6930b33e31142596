//! The page that compares many texts: a frame that the server renders ([`CollectionsMain`]), and everything in it, whose
//! code is downloaded after the first view ([`CollectionsView`]).
//!
//! - [`editor`]: the texts; [`column`]: the column of a table; [`template`]: a starter file;
//!   [`fields`]: parts of their fields
//! - [`options`]: the options of the comparison
//! - [`run_line`]: progress, and the number of compared pairs
//! - [`answer`]: the answer, as an overview or as a list of pairs

use leptos::prelude::*;

use self::answer::{AnswerState, AnswerView};
use self::editor::{CollectionEditors, Examples, FoldedEditor};
use self::options::CollectionOptions;
use self::run_line::RunLine;
use super::browser::lazy::lazy;
use super::browser::parts;
use super::form::recent::RecentOpen;
use super::widgets::help::HelpOpen;
use crate::model::collection::session::CollectionPhase;
use crate::model::visit::{COLLECTIONS, task_path};
use crate::page::collection::CollectionPage;
use crate::tr::t;

pub mod answer;
pub mod column;
pub mod editor;
pub mod fields;
pub mod options;
pub mod run_line;
pub mod template;

/// Renders the links between the page of two texts and the page of many texts.
pub fn how_many_texts(is_many: bool) -> impl IntoView {
    view! {
        <nav class="seg projector-off" aria-label=t("How many texts")>
            <a href=task_path(kernels::job::Task::EditDistance) aria-current=(!is_many).then_some("page")>
                {t("Two texts")}
            </a>
            <a href=COLLECTIONS aria-current=is_many.then_some("page")>
                {t("Many texts")}
            </a>
        </nav>
    }
}

/// Renders the frame of the page: its title, and the place for everything else.
#[component]
pub fn CollectionsMain() -> impl IntoView {
    view! {
        <main id="main" class="collections">
            <div class="lead">
                <h1>{t("Compare many texts")}</h1>
                <p class="say wide">
                    {t("The fewest single-symbol changes between every two texts of a collection: which are alike, how much, and where.")}
                </p>
            </div>
            {lazy(|| Some(()), parts::collections)}
        </main>
    }
}

/// Renders everything below the title.
#[component]
pub fn CollectionsView() -> impl IntoView {
    let page = CollectionPage::new();
    let state = AnswerState::new(page);
    provide_context(page);
    provide_context(state);
    Effect::new(move |_| page.begin());
    let is_blank = Memo::new(move |_| page.form.with(|form| form.is_blank()));
    let has_answer = Memo::new(move |_| page.answer.with(Option::is_some));
    // Opened texts fold to one line once they are compared; typed ones stay, because the visitor goes on typing.
    let is_typing = RwSignal::new(false);
    let is_folded =
        Memo::new(move |_| has_answer.get() && !is_typing.get() && page.phase.with(|phase| *phase == CollectionPhase::Answered));
    let (HelpOpen(help), RecentOpen(recent)) = (expect_context(), expect_context());
    let helped = Memo::new(move |before: Option<&bool>| before == Some(&true) || help.get());
    let recalled = Memo::new(move |before: Option<&bool>| before == Some(&true) || recent.get());
    view! {
        <div class="row wide many">{how_many_texts(true)}</div>
        <div hidden=move || is_folded.get()>
            <CollectionEditors is_typing />
            <CollectionOptions />
        </div>
        <FoldedEditor is_folded is_typing />
        <RunLine />
        {move || is_blank.get().then(|| view! { <Examples is_typing /> })}
        {move || has_answer.get().then(|| view! { <AnswerView /> })}
        {lazy(move || recalled.get().then_some(recent), parts::recent)}
        {lazy(move || helped.get().then_some(()), parts::help)}
    }
}
