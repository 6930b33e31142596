//! The line about the comparison of many texts: progress, the number of pairs, and problems ([`RunLine`]).

use leptos::prelude::*;

use super::answer::AnswerState;
use super::run_state::{RunState, RunTexts};
use crate::model::collection::comparison::CollectionInput;
use crate::model::collection::sentences;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;

/// Renders the line.
#[component]
pub fn RunLine() -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let texts = RunTexts {
        running: t("Your browser compares all pairs."),
        asks: |cells, time| tr!("All pairs have {cells}, which take this browser {time}. Compare them here?", cells = cells, time = time),
        start: t("Compare here"),
        cancelled: t("The comparison was cancelled."),
        again: t("Compare again"),
    };
    let says = Signal::derive(move || state.with(sentences::run_says));
    let run = Callback::new(move |()| collection.handle_input(CollectionInput::Run));
    let cancel = Callback::new(move |()| collection.handle_input(CollectionInput::Cancel));
    let convert = Callback::new(move |()| collection.convert());
    view! {
        <section class="collection-run projector-off" aria-label=t("Comparison")>
            <RunState texts phase=collection.phase says is_stored=collection.is_stored run cancel convert />
        </section>
    }
}
