//! The answer in one row: number and sentence, tabs, and actions.

use leptos::html::Div;
use leptos::prelude::*;

use super::answer::Answer;
use super::facets::Switch;
use super::icon::{Icon, icon};
use super::term::Glossary;
use super::{exports, menu};
use crate::model::link::look::Facet;
use crate::model::result::meaning::{meaning, text_names};
use crate::page::{Page, Shown};
use crate::source::document::composed;
use crate::tr::t;

/// Renders number, sentence, tabs, *Share* and *Export*.
#[component]
pub fn Headline(#[prop(into)] shown: Signal<Shown>) -> impl IntoView {
    let page = expect_context::<Page>();
    let meaning = Memo::new(move |_| {
        shown.with(|shown| {
            let answer = shown.run.answer.as_ref();
            answer
                .map(|answer| {
                    meaning(answer, shown.symbols, &shown.form.asked()).apart_from(answer, shown.run.warnings()).told_of(
                        answer,
                        &shown.form,
                        composed,
                    )
                })
                .unwrap_or_default()
        })
    });
    let names = Memo::new(move |_| shown.with(|shown| text_names(&shown.form)));
    let share = use_context::<RwSignal<bool>>();
    let open_share = move |_| {
        if let Some(share) = share {
            share.set(true);
        }
    };
    let glossary = Glossary::provide();
    let panel = NodeRef::<Div>::new();
    let label = view! { {icon(Icon::Down)} {t("Export")} {icon(Icon::Chevron)} };
    view! {
        <div class="headline">
            // A lens fills the first screen and shows the answer among its counts, so that this copy is for screen
            // readers only.
            <div class:vh=move || page.look.with(|look| look.facet == Facet::Matrix)>
                <Answer meaning names />
            </div>
            {glossary.draw()}
            <div class="tools">
                <Switch shown />
                <span class="share-export projector-off">
                    <button class="btn" type="button" aria-haspopup="dialog" on:click=open_share>
                        {icon(Icon::Link)}
                        {t("Share")}
                    </button>
                    {menu::menu_later("exports".into(), "btn", panel, label, move || shown, exports::exports)}
                </span>
            </div>
        </div>
    }
}
