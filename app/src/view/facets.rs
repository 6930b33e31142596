//! The facets of a result: the switch between them, and each in its place.

use leptos::prelude::*;

use super::later::later;
use super::parts;
use crate::model::link::look::Facet;
use crate::model::run::checked::Checked;
use crate::page::{Page, Shown};
use crate::tr::t;

/// The switch. A facet is part of the address.
#[component]
pub fn Switch(#[prop(into)] shown: Signal<Shown>) -> impl IntoView {
    let page = expect_context::<Page>();
    let of = Memo::new(move |_| shown.with(|shown| (shown.form.task, shown.symbols)));
    let task = move || of.get().0;
    // An address may name the dot plot of a search that has none.
    Effect::new(move |_| {
        if !Facet::Dots.suits(task(), (1, 1)) && page.look.with_untracked(|look| look.facet == Facet::Dots) {
            page.look_at(Facet::Found);
        }
    });
    let choice = move |facet: Facet| {
        let current = move || page.look.with(|look| look.facet) == facet;
        let suits = move || {
            let (task, symbols) = of.get();
            facet.suits(task, symbols)
        };
        view! {
            <button hidden=move || !suits() && !current() type="button" aria-pressed=move || if current() { "true" } else { "false" } on:click=move |_| page.look_at(facet)>
                {move || facet.title(task())}
            </button>
        }
    };
    view! {
        <div class="row facets projector-off">
            <span class="seg" role="group" aria-label=t("View")>
                {Facet::ALL.map(choice).collect_view()}
            </span>
        </div>
    }
}

/// The other facets, each drawn while it is looked at.
#[component]
pub fn Others(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let page = expect_context::<Page>();
    let facet = Memo::new(move |_| page.look.with(|look| look.facet));
    let shown = StoredValue::new(shown);
    let task = shown.with_value(|shown| shown.form.task);
    let is_watched = Memo::new(move |_| page.look.with(|look| look.lens(task)).is_some());
    let matrix = later(move || (facet.get() == Facet::Matrix && !is_watched.get()).then(|| shown.get_value()), parts::matrix);
    let watch = later(move || (facet.get() == Facet::Matrix && is_watched.get()).then(|| shown.get_value()), parts::watch);
    let dots = later(move || (facet.get() == Facet::Dots).then(|| shown.get_value()), parts::dots);
    let metrics = later(move || (facet.get() == Facet::Metrics).then(|| (shown.get_value(), checked)), parts::metrics);
    view! {
        {matrix}
        {watch}
        {dots}
        {metrics}
    }
}
