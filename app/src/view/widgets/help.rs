//! The help dialog, which lists all keys of the page.

use leptos::html::Dialog;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use super::keys::name_of;
use crate::backend::document::choose_shortcuts;
use crate::model::preferences::has_shortcuts;
use crate::tr::t;

/// The signal whether the help dialog is open, which the page provides to its views as a context.
#[derive(Clone, Copy, Debug)]
pub struct HelpOpen(pub RwSignal<bool>);

/// Returns the groups of keys for the help dialog. A group is a heading that says where the keys work, and a list of
/// pairs of key and meaning. Several keys with the same meaning are separated by spaces.
fn groups() -> [(&'static str, Vec<(&'static str, &'static str)>); 6] {
    [
        (
            t("Everywhere"),
            vec![
                ("Ctrl+↵ ⌘+↵", t("run, or run again")),
                ("X", t("swap a and b")),
                ("Ctrl+Z ⌘+Z", t("bring back texts that were cleared or replaced")),
                ("P", t("projector mode on or off")),
                ("S", t("share the result")),
                ("?", t("this sheet")),
                ("Esc", t("close a dialog")),
            ],
        ),
        (t("Alignment and matches"), vec![("J K", t("next and previous difference or match")), ("L", t("show or hide the list of edits"))]),
        (
            t("Overview"),
            vec![
                ("← →", t("one screen back or forward")),
                ("PgUp PgDn", t("forward or back 10%")),
                ("Home End", t("the first and the last column")),
            ],
        ),
        (
            t("Matrix"),
            vec![
                ("← ↑ → ↓", t("another cell")),
                ("Home End", t("ends of the row")),
                ("Ctrl+Home Ctrl+End", t("the first and the last cell")),
                ("Space", t("play and pause")),
                (", .", t("one step back or forward")),
            ],
        ),
        (t("Dot plot"), vec![("← ↑ → ↓", t("move")), ("+ -", t("zoom in or out")), ("0", t("fit all")), ("↵", t("choose the middle"))]),
        (t("Charts"), vec![("← →", t("move the end that has the focus")), ("+ -", t("zoom in or out"))]),
    ]
}

/// Renders the help dialog.
#[component]
pub fn HelpSheet() -> impl IntoView {
    let HelpOpen(open) = expect_context();
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get().filter(|dialog| open.get() && !dialog.open()) {
            let _ = dialog.show_modal();
        }
    });
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let keys = |keys: &'static str| {
        let whole = |key: &'static str| {
            key.split_inclusive('+').map(|part| view! { <kbd>{name_of(part.trim_end_matches('+'))}</kbd> }).collect_view()
        };
        keys.split(' ').map(|key| view! { <span class="key">{if key == "+" { view! { <kbd>"+"</kbd> }.into_any() } else { whole(key).into_any() }}</span> }).collect_view()
    };
    let group = |(title, entries): (&'static str, Vec<(&'static str, &'static str)>)| {
        let rows = entries.into_iter().map(|(pressed, does)| {
            view! {
                <dt>{keys(pressed)}</dt>
                <dd>{does}</dd>
            }
        });
        view! {
            <section>
                <h3>{title}</h3>
                <dl class="keys">{rows.collect_view()}</dl>
            </section>
        }
    };
    view! {
        <dialog node_ref=dialog aria-labelledby="help-title" on:close=move |_| open.set(false)>
            <header>
                <h2 id="help-title">{t("Keyboard")}</h2>
                <button class="btn ghost only" type="button" aria-label=t("Close") on:click=close>
                    {icon(Icon::Cross)}
                </button>
            </header>
            <div class="body help">
                <label class="check">
                    <input type="checkbox" prop:checked=has_shortcuts() on:change:target=move |event| choose_shortcuts(event.target().checked()) />
                    <span>{t("Single keys are shortcuts")}</span>
                </label>
                <p class="note">{t("Turn this off when you use voice control: single keys then only type. Keys for a picture that has the focus still work.")}</p>
                {groups().map(group).into_iter().collect_view()}
            </div>
        </dialog>
    }
}
