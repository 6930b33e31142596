//! The line about a search for many patterns: progress, the number of patterns, and problems ([`PatternRunLine`]).

use leptos::prelude::*;

use super::super::run_state::{RunState, RunTexts};
use crate::model::collection::patterns::sentences;
use crate::model::collection::patterns::session::PatternInput;
use crate::page::patterns::PatternPage;
use crate::tr;
use crate::tr::t;

/// Renders the line.
#[component]
pub fn PatternRunLine() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let texts = RunTexts {
        running: t("Your browser searches for all patterns."),
        asks: |cells, time| tr!("This search has {cells}, which take this browser {time}. Search here?", cells = cells, time = time),
        start: t("Search here"),
        cancelled: t("The search was cancelled."),
        again: t("Search again"),
    };
    let says = Signal::derive(move || patterns.answer.with(|texts| texts.as_deref().map(sentences::run_says)));
    let run = Callback::new(move |()| patterns.handle_input(PatternInput::Run));
    let cancel = Callback::new(move |()| patterns.handle_input(PatternInput::Cancel));
    let convert = Callback::new(move |()| patterns.convert());
    let unread = move || {
        let item = |says: &String| view! { <li>{says.clone()}</li> };
        patterns.unread.with(|unread| unread.iter().map(item).collect_view())
    };
    view! {
        <section class="collection-run projector-off" aria-label=t("Search")>
            <ul class="unread" role="status" hidden=move || patterns.unread.with(Vec::is_empty)>{unread}</ul>
            <p class="quiet" role="status">{move || patterns.is_opening.get().then(|| t("Files are being read."))}</p>
            <RunState texts phase=patterns.phase says is_stored=patterns.is_stored run cancel convert />
        </section>
    }
}
