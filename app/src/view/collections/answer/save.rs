//! The menu of files of an answer about many texts ([`SaveMenu`]).

use explain::collection::CollectionFormat;
use leptos::html::Div;
use leptos::prelude::*;

use super::{AnswerState, report};
use crate::model::collection::measure::Measure;
use crate::model::collection::session::CollectionPhase;
use crate::model::text::humanize::count;
use crate::tr::t;
use crate::view::collections::share::share_button;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;

/// The offered formats.
const FORMATS: [CollectionFormat; 6] = [
    CollectionFormat::Pairs,
    CollectionFormat::Matrix,
    CollectionFormat::Json,
    CollectionFormat::Npy,
    CollectionFormat::Phylip,
    CollectionFormat::Newick,
];

/// Returns the name of a format and its content.
fn label(format: CollectionFormat) -> (&'static str, &'static str) {
    match format {
        CollectionFormat::Pairs => (t("CSV of pairs"), t("two names, score and similarity")),
        CollectionFormat::Matrix => (t("CSV of the matrix"), t("every text against every other")),
        CollectionFormat::Json => ("JSON", t("names, lengths and scores")),
        CollectionFormat::Npy => ("NumPy (.npy)", t("the matrix, as numbers only")),
        CollectionFormat::Phylip => (t("PHYLIP distances"), t("full names, for tree programs")),
        CollectionFormat::Newick => (t("Newick tree"), t("for tree programs")),
        format => (format.name(), ""),
    }
}

/// Renders the menu.
#[component]
pub fn SaveMenu() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let collection = state.page;
    let panel = NodeRef::<Div>::new();
    let entries = FORMATS.map(|format| {
        let (name, about) = label(format);
        let save = move |_| {
            menu::close(panel);
            collection.save(format);
        };
        let is_of_tree = matches!(format, CollectionFormat::Phylip | CollectionFormat::Newick);
        // Two collections have no tree, points are no distances, and a tree needs one distance for both orders of two texts.
        let has_tree = move || {
            let costs = state.costs.get();
            !state.is_two.get() && state.measure.get() != Measure::Points && costs.insert == costs.delete
        };
        view! {
            <li hidden=move || is_of_tree && !has_tree()>
                <button type="button" disabled=move || collection.phase.with(|phase| *phase != CollectionPhase::Answered) on:click=save>
                    <b>{name}</b>
                    <small>{about}</small>
                </button>
            </li>
        }
    });
    let print = move |_| {
        menu::close(panel);
        report::print(state);
    };
    let paper = view! {
        <li>
            <button type="button" on:click=print>
                <b>{t("Report to print")}</b>
                <small>{t("headline, histogram, map, groups and alike pairs")}</small>
            </button>
        </li>
    };
    let button = view! { {icon(Icon::Down)} {t("Save")} {icon(Icon::Chevron)} };
    let about =
        move || collection.answer.with_untracked(|texts| count(texts.as_ref().map_or(0, |texts| texts.len()) as u64, "text", "texts"));
    let problem = move || collection.unsaved.get().map(|problem| problem.detail);
    view! {
        <section class="section projector-off" aria-labelledby="take-title">
            <h2 id="take-title">{t("Take it with you")}</h2>
            <div class="row">
                {share_button(*collection, about)} {menu::menu("files".into(), "btn", panel, button, view! { <ul>{entries} {paper}</ul> })}
            </div>
            <p class="note" role="status">{problem}</p>
        </section>
    }
}
