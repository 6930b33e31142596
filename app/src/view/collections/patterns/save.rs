//! The menu of files of an answer about many patterns ([`PatternSaveMenu`]).

use explain::collection::CollectionFormat;
use leptos::html::Div;
use leptos::prelude::*;

use crate::model::collection::patterns::answer::SearchedTexts;
use crate::model::text::humanize::count;
use crate::page::patterns::PatternPage;
use crate::tr::t;
use crate::view::collections::share::share_button;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;

/// The offered formats.
const FORMATS: [CollectionFormat; 6] = [
    CollectionFormat::Hits,
    CollectionFormat::Counts,
    CollectionFormat::Bed,
    CollectionFormat::Paf,
    CollectionFormat::Sam,
    CollectionFormat::Json,
];

/// Returns the name of a format and its content.
fn label(format: CollectionFormat) -> (&'static str, &'static str) {
    match format {
        CollectionFormat::Hits => (t("CSV of places"), t("pattern, text, positions and edits")),
        CollectionFormat::Counts => (t("CSV of counts"), t("the number of places of each pattern")),
        CollectionFormat::Bed => ("BED", t("for genome browsers")),
        CollectionFormat::Paf => ("PAF", t("with the alignment of each place")),
        CollectionFormat::Sam => ("SAM", t("for programs that read mappings")),
        CollectionFormat::Json => ("JSON", t("names, lengths and places")),
        format => (format.name(), ""),
    }
}

/// Renders the menu.
#[component]
pub fn PatternSaveMenu() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let panel = NodeRef::<Div>::new();
    let entries = FORMATS.map(|format| {
        let (name, about) = label(format);
        let save = move |_| {
            menu::close(panel);
            patterns.save(format);
        };
        view! {
            <li>
                <button type="button" on:click=save>
                    <b>{name}</b>
                    <small>{about}</small>
                </button>
            </li>
        }
    });
    let button = view! { {icon(Icon::Down)} {t("Save")} {icon(Icon::Chevron)} };
    let patterns_of = |texts: &SearchedTexts| texts.report.patterns.len() as u64;
    let about = move || count(patterns.answer.with_untracked(|texts| texts.as_deref().map_or(0, patterns_of)), "pattern", "patterns");
    let problem = move || patterns.unsaved.get().map(|problem| problem.detail);
    view! {
        <section class="section projector-off" aria-labelledby="take-title">
            <h2 id="take-title">{t("Take it with you")}</h2>
            <div class="row">
                {share_button(*patterns, about)} {menu::menu("files".into(), "btn", panel, button, view! { <ul>{entries}</ul> })}
            </div>
            <p class="note mt">{t("Files count positions from 0, and ends are not included. They never contain the texts.")}</p>
            <p class="note" role="status">{problem}</p>
        </section>
    }
}
