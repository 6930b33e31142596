//! The latest comparisons that this browser remembers, in a dialog ([`RecentDialog`]) and on the first page
//! ([`RecentList`]).

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::backend::recent;
use crate::model::recent::{MAX_COMPARISONS, RecentComparison, RecentComparisons};
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Number of comparisons that the first page lists.
const FIRST_PAGE_COMPARISONS: usize = 3;

/// The signal whether the dialog of remembered comparisons is open, which the page provides to its views as a context.
#[derive(Clone, Copy, Debug)]
pub struct RecentOpen(pub RwSignal<bool>);

/// Renders the dialog with the comparisons that this browser remembers, while `open` is true.
#[component]
pub fn RecentDialog(open: RwSignal<bool>) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let (known, on) = (RwSignal::new(RecentComparisons::default()), RwSignal::new(true));
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get().filter(|dialog| open.get() && !dialog.open()) {
            known.set(recent::load());
            on.set(recent::is_on());
            let _ = dialog.show_modal();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let turn = move |event| {
        recent::turn(event_target_checked(&event));
        on.set(recent::is_on());
        known.set(recent::load());
    };
    let forget_all = move |_| {
        recent::clear();
        known.set(recent::load());
    };
    let is_empty = move || known.with(|known| known.comparisons().is_empty());
    let row = move |RecentComparison { at, address, about, .. }: RecentComparison| {
        let label = tr!("Delete {link}", link = about);
        let place = address.clone();
        let forget = move |_| {
            recent::remove(&place);
            known.set(recent::load());
        };
        view! {
            <tr>
                <td>
                    <a href=address on:click=move |_| close()>{about}</a>
                </td>
                <td class="r">{humanize::day(at)}</td>
                <td class="r">
                    <button class="btn small" type="button" aria-label=label on:click=forget>
                        {t("Delete")}
                    </button>
                </td>
            </tr>
        }
    };
    view! {
        <dialog node_ref=dialog class="recent" aria-labelledby="recent-title" on:close=move |_| open.set(false)>
            <header>
                <h2 id="recent-title">{t("Recent comparisons")}</h2>
                <button class="btn ghost only" type="button" aria-label=t("Close") on:click=move |_| close()>
                    {icon(Icon::Cross)}
                </button>
            </header>
            <div class="body stack">
                <p class="say" hidden=move || !is_empty()>{t("Comparisons that you make appear here, so that you can open them again.")}</p>
                <table class="figures" hidden=is_empty>
                    <caption class="vh">{t("Recent comparisons on this device")}</caption>
                    <thead>
                        <tr>
                            <th>{t("Result")}</th>
                            <th class="r">{t("Date")}</th>
                            <th>
                                <span class="vh">{t("Delete")}</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || known.with(|known| known.comparisons().to_vec()) key=|known| known.address.clone() let:known>
                            {row(known)}
                        </For>
                    </tbody>
                </table>
                <div class="row" hidden=is_empty>
                    <button class="btn small warn" type="button" on:click=forget_all>
                        {t("Delete all")}
                    </button>
                </div>
                <label class="check">
                    <input type="checkbox" prop:checked=on on:change=turn />
                    <span>{t("Remember comparisons on this device")}</span>
                </label>
                <p class="note">
                    {tr!(
                        "Only this browser keeps them: the last {n}, with their texts if these fit into a link. Nothing is sent, and private links are not kept. Switching this off deletes the list.",
                        n = MAX_COMPARISONS
                    )}
                </p>
            </div>
        </dialog>
    }
}

/// Renders the latest comparisons on the first page, and a button that sets `open` to show the dialog with all.
#[component]
pub fn RecentList(open: RwSignal<bool>) -> impl IntoView {
    let known = recent::load();
    let row = |RecentComparison { address, about, .. }: &RecentComparison| {
        view! {
            <li>
                <a href=address.clone()>{about.clone()}</a>
            </li>
        }
    };
    let rows = known.comparisons().iter().take(FIRST_PAGE_COMPARISONS).map(row).collect_view();
    view! {
        <section class="recent-list" aria-labelledby="recent-list-title">
            <h2 id="recent-list-title">{t("Recent comparisons")}</h2>
            <ul>{rows}</ul>
            <button class="go" type="button" on:click=move |_| open.set(true)>
                {t("Show all, or delete them")}
            </button>
        </section>
    }
}
