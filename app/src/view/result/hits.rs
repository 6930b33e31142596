//! Hits of a search: the text with marked hits, a list, and the alignment of the opened hit.
//!
//! - [`list`]: the loaded hits and requests for more
//! - [`verse`]: the text
//! - [`table`]: the list

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::list::{HitList, PAGE};
use self::table::Table;
use self::verse::Verse;
use crate::model::link::link_view::Tab;
use crate::model::run::checked::CheckOutcome;
use crate::model::search::hit_groups::HitGrouping;
use crate::model::text::humanize::{self, grouped};
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::explore::alignment::AlignmentView;
use crate::view::widgets::copy_button::CopyOutcome;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::keys::is_shortcut;
use crate::view::widgets::positions::PositionsMenu;

pub mod list;
pub mod table;
pub mod verse;

/// The parts of the view of hits that depend on the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitsViewParts {
    pub title: &'static str,
    /// Heading of the column with the distances of the hits; `None` if the list has no such column.
    pub score: Option<&'static str>,
    /// The rule by which hits are grouped into the entries of the list.
    pub together: HitGrouping,
    /// Whether the text is shown with the hits marked in it.
    pub verse: bool,
    /// Whether hits can be opened to show their alignment, which says more than the hit itself.
    pub opens: bool,
}

/// Renders the text, the list, and the alignment of the opened hit. `aside` stands below the list. `checked` receives
/// the outcome of the verification of an opened hit.
#[component]
pub fn Hits<A: IntoView + 'static>(shown: ShownResult, list: HitList, checked: RwSignal<CheckOutcome>, aside: A) -> impl IntoView {
    let look = list.look;
    let listed = list.has_entries();
    let page = expect_context::<Page>();
    let keys = window_event_listener(ev::keydown, move |event| {
        // While an alignment is visible, these keys step through its differences instead.
        let is_hidden = page.link_view.with_untracked(|look| look.tab != Tab::Found);
        if !listed || !look.verse || is_hidden || !is_shortcut(&event) || list.opened.with_untracked(Option::is_some) {
            return;
        }
        match event.key().as_str() {
            "j" | "J" => list.step(1),
            "k" | "K" => list.step(-1),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
    let of = shown.clone();
    let opened = move || {
        list.opened.get().map(|opened| {
            let shown = ShownResult { location: opened.location.clone(), ..of.clone() };
            view! {
                <AlignmentView shown summary=opened.summary checked strand=opened.strand />
            }
        })
    };
    view! {
        <section class="section hits-section" aria-labelledby="hits-title" hidden=!listed>
            <header>
                <div class="row wide">
                    <h2 id="hits-title">{look.title}</h2>
                    <Position list />
                    <span class="note">{move || list.ends_in_words()}</span>
                </div>
                <div class="row">
                    <CopyTable list />
                    <PositionsMenu id="positions-hits" />
                </div>
            </header>
            <div class:pair=look.verse>
                {look.verse.then(|| view! { <Verse list /> })}
                <div class="stack loose">
                    <div class="stack tight">
                        <Pager list />
                        <Table list />
                    </div>
                    {aside}
                </div>
            </div>
        </section>
        {opened}
    }
}

/// Renders the button that copies the current page of the list.
#[component]
fn CopyTable(list: HitList) -> impl IntoView {
    let copied = CopyOutcome::default();
    let copy = move |_| {
        spawn_local(async move {
            copied.copy(&table::as_text(list)).await;
        });
    };
    view! {
        <button class="btn small projector-off" type="button" on:click=copy>
            {icon(Icon::Copy)}
            {move || copied.button_text(t("Copy the table"), t("Not copied"))}
        </button>
        <span class="vh" role="status">{move || copied.button_text("", t("Not copied"))}</span>
    }
}

/// Renders the number of the current hit, and buttons that go to the previous and the next one.
#[component]
fn Position(list: HitList) -> impl IntoView {
    let position = move || match list.current.get() {
        Some(at) => tr!("{n} of {all}", n = grouped(at + 1), all = list.places_in_words()),
        None => list.places_in_words(),
    };
    view! {
        <span class="seg">
            <button type="button" aria-label=t("Previous match") title=t("Previous match (K)") on:click=move |_| list.step(-1)>
                {icon(Icon::Previous)}
            </button>
            <button type="button" aria-label=t("Next match") title=t("Next match (J)") on:click=move |_| list.step(1)>
                {icon(Icon::Next)}
            </button>
        </span>
        <span class="num small" role="status">
            {position}
        </span>
    }
}

/// Renders the range of the listed hits, with controls to page through them.
#[component]
fn Pager(list: HitList) -> impl IntoView {
    let all = move || list.all();
    let shown = move || {
        let first = list.first.get();
        tr!("{from} to {to} of {all}", from = grouped(first + 1), to = grouped((first + list.page_len()).min(all())), all = grouped(all()))
    };
    let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        if let Some(hit) = humanize::typed_number(&event.target().value()) {
            list.go_to(hit.saturating_sub(1));
        }
    };
    let few = move || all() <= list.page_len();
    // A button with the attribute `disabled` would lose the focus at the press that shows the last page.
    let at_start = move || if list.first.get() == 0 { "true" } else { "false" };
    let at_end = move || if list.first.get() + list.page_len() < all() { "false" } else { "true" };
    let back = move |_| list.go_to(list.first.get_untracked().saturating_sub(PAGE));
    let on = move |_| list.go_to(list.first.get_untracked() + list.page_len());
    view! {
        <div class="row pager" hidden=few>
            <span class="seg">
                <button type="button" aria-label=t("Previous page") title=t("Previous page") aria-disabled=at_start on:click=back>
                    {icon(Icon::Previous)}
                </button>
                <button type="button" aria-label=t("Next page") title=t("Next page") aria-disabled=at_end on:click=on>
                    {icon(Icon::Next)}
                </button>
            </span>
            <span class="num small">{shown}</span>
            <label class="row small">
                {t("Go to number")}
                " "
                <input class="text column" inputmode="numeric" autocomplete="off" on:change:target=go />
            </label>
        </div>
    }
}
