//! The tabs of a result, and a panel for each. The views in the panels are downloaded only when the visitor selects
//! their tab. Therefore arrow keys only move the focus among the tabs, and Enter or Space selects a tab (manual
//! activation in the terms of the ARIA practices).

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::model::link::link_view::Tab;
use crate::model::run::checked::CheckOutcome;
use crate::page::actions::Action;
use crate::page::{Page, ShownResult};
use crate::tr::t;
use crate::view::browser::lazy::lazy;
use crate::view::browser::parts;

/// Renders the panel of the tab `facet` with its content. The panel is hidden while another tab is selected, and keeps
/// its state.
pub fn panel(facet: Tab, content: AnyView) -> AnyView {
    let page = expect_context::<Page>();
    view! {
        <div
            role="tabpanel"
            id=format!("panel-{}", facet.name())
            aria-labelledby=format!("tab-{}", facet.name())
            hidden=move || page.link_view.with(|look| look.tab) != facet
        >
            {content}
        </div>
    }
    .into_any()
}

/// Handles a key of the row of tabs: moves the focus from one tab to another.
fn on_key(event: ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    let Some(focused) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Some(tabs) = focused.parent_element().and_then(|list| list.query_selector_all("[role=tab]:not([hidden])").ok()) else { return };
    let of = (0..tabs.length()).find(|at| tabs.item(*at).as_ref() == Some(focused.as_ref()));
    let next = of.and_then(|of| beside(&event.key(), of, tabs.length())).and_then(|next| tabs.item(next));
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        let _ = next.focus();
    }
}

/// Returns the index of the tab to which `key` moves the focus from the tab with index `of`, out of `tabs` tabs.
/// Returns `None` for keys that do not move it.
fn beside(key: &str, of: u32, tabs: u32) -> Option<u32> {
    match key {
        "ArrowRight" => Some((of + 1) % tabs),
        "ArrowLeft" => Some((of + tabs - 1) % tabs),
        "Home" => Some(0),
        "End" => Some(tabs - 1),
        _ => None,
    }
}

/// Renders the row of tabs. The selected tab is part of the address.
#[component]
pub fn Switch(#[prop(into)] shown: Signal<ShownResult>) -> impl IntoView {
    let page = expect_context::<Page>();
    let of = Memo::new(move |_| shown.with(|shown| (shown.form.task, shown.symbols)));
    let task = move || of.get().0;
    // An address may name the dot plot although the search has no dot plot.
    Effect::new(move |_| {
        if !Tab::Dots.suits(task(), (1, 1)) && page.link_view.with_untracked(|look| look.tab == Tab::Dots) {
            page.link_view.update(|look| look.tab = Tab::Found);
        }
    });
    let choice = move |facet: Tab| {
        let current = move || page.link_view.with(|look| look.tab) == facet;
        let suits = move || {
            let (task, symbols) = of.get();
            facet.suits(task, symbols)
        };
        view! {
            <button
                hidden=move || !suits() && !current()
                type="button"
                role="tab"
                id=format!("tab-{}", facet.name())
                aria-controls=format!("panel-{}", facet.name())
                aria-selected=move || if current() { "true" } else { "false" }
                tabindex=move || if current() { "0" } else { "-1" }
                on:click=move |_| page.dispatch(Action::LookAt(facet))
            >
                {move || facet.title(task())}
            </button>
        }
    };
    view! {
        <span class="seg facets" role="tablist" aria-label=t("View") on:keydown=on_key>
            {Tab::ALL.map(choice).collect_view()}
        </span>
    }
}

/// Renders the panels of all tabs except the first one. Each is drawn only while its tab is selected.
#[component]
pub fn Others(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let page = expect_context::<Page>();
    let facet = Memo::new(move |_| page.link_view.with(|look| look.tab));
    let shown = StoredValue::new(shown);
    let (task, options) = shown.with_value(|shown| (shown.form.task, shown.form.job_options()));
    let is_watched = Memo::new(move |_| page.link_view.with(|look| look.lens(task, &options)).is_some());
    let matrix = lazy(move || (facet.get() == Tab::Matrix && !is_watched.get()).then(|| shown.get_value()), parts::matrix);
    let watch = lazy(move || (facet.get() == Tab::Matrix && is_watched.get()).then(|| shown.get_value()), parts::watch);
    let dots = lazy(move || (facet.get() == Tab::Dots).then(|| shown.get_value()), parts::dots);
    let metrics = lazy(move || (facet.get() == Tab::Metrics).then(|| (shown.get_value(), checked)), parts::metrics);
    view! {
        {panel(Tab::Matrix, (matrix, watch).into_any())}
        {panel(Tab::Dots, dots.into_any())}
        {panel(Tab::Metrics, metrics.into_any())}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_move_among_tabs_and_home_and_end_to_both_ends() {
        let to = |key| [0, 1, 2].map(|of| beside(key, of, 3));
        assert_eq!(to("ArrowRight"), [Some(1), Some(2), Some(0)]);
        assert_eq!(to("ArrowLeft"), [Some(2), Some(0), Some(1)]);
        assert_eq!((to("Home"), to("End")), ([Some(0); 3], [Some(2); 3]));
        assert_eq!(to("Enter"), [None; 3]);
    }
}
