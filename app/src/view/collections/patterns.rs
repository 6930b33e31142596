//! The search for many patterns ([`PatternsView`]).
//!
//! - [`editor`]: patterns and texts; [`options`]: the options of the search
//! - [`run_line`]: progress, and the number of searched patterns
//! - [`lanes`]: where each pattern occurs; [`places`]: the chosen place and the list of all places
//! - [`save`]: the menu of files

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use self::editor::{FoldedPatterns, PatternEditors, PatternExamples};
use self::lanes::Lanes;
use self::options::PatternOptions;
use self::places::Places;
use self::run_line::PatternRunLine;
use self::save::PatternSaveMenu;
use super::{compare_or_search, how_many_texts, mark_task};
use crate::model::collection::patterns::sentences::{self, PatternHeadline};
use crate::model::collection::session::CollectionPhase;
use crate::page::patterns::PatternPage;
use crate::tr::t;

pub mod editor;
pub mod lanes;
pub mod options;
pub mod places;
pub mod run_line;
pub mod save;

/// Renders the search.
#[component]
pub fn PatternsView() -> impl IntoView {
    let page = PatternPage::new();
    provide_context(page);
    mark_task(move || page.form.with(|form| form.task));
    Effect::new(move |_| page.begin());
    let is_blank = Memo::new(move |_| page.form.with(|form| form.is_empty()));
    let has_answer = Memo::new(move |_| page.answer.with(Option::is_some));
    // Opened texts fold to one line once they are searched; typed ones stay, because the visitor goes on typing.
    let is_typing = RwSignal::new(false);
    let is_folded =
        Memo::new(move |_| has_answer.get() && !is_typing.get() && page.phase.with(|phase| *phase == CollectionPhase::Answered));
    view! {
        <div class="row wide many">{how_many_texts(true)} {compare_or_search(true)}</div>
        <div hidden=move || is_folded.get()>
            <PatternEditors is_typing />
            <PatternOptions />
        </div>
        <FoldedPatterns is_folded is_typing />
        <PatternRunLine />
        {move || is_blank.get().then(|| view! { <PatternExamples is_typing /> })}
        {move || has_answer.get().then(|| view! { <PatternAnswer /> })}
    }
}

/// Chooses the next or the previous place of the list, if there is one.
pub fn step(page: PatternPage, by: isize) {
    let next = page.answer.with_untracked(|texts| {
        let texts = texts.as_deref()?;
        let view = page.view.get_untracked();
        let places = texts.listed(view.only);
        let now = view.chosen.and_then(|chosen| places.iter().position(|place| *place == chosen));
        let at = match now {
            Some(now) => now.checked_add_signed(by)?,
            None => 0,
        };
        places.get(at).copied()
    });
    if next.is_some() {
        page.look(|view| view.chosen = next);
    }
}

/// Renders the answer.
#[component]
fn PatternAnswer() -> impl IntoView {
    let page = expect_context::<PatternPage>();
    let headline = Memo::new(move |_| page.answer.with(|texts| texts.as_deref().map(sentences::headline)));
    let says = move |part: fn(PatternHeadline) -> String| move || headline.get().map(part);
    let keys = window_event_listener(ev::keydown, move |event| {
        let is_typed = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlElement>().ok())
            .is_some_and(|element| element.is_content_editable() || matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"));
        if is_typed || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "j" => step(page, 1),
            "k" => step(page, -1),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <section aria-label=t("Answer") data-part="answer">
            <div class="row apart headline-row">
                <div class="answer">
                    <output class="big">{says(|headline| headline.number)}</output>
                    <p class="say">
                        {says(|headline| headline.says)}
                        " "
                        <span>{says(|headline| headline.note)}</span>
                    </p>
                </div>
            </div>
            <p class="vh" aria-live="polite" data-live="">
                {move || headline.get().map(|headline| format!("{} {}", headline.number, headline.says))}
            </p>
        </section>
        <Lanes />
        <Places />
        <PatternSaveMenu />
    }
}
