//! The button of the run bar ([`RunButton`]), which starts and cancels a run. If its label changes while the visitor is
//! about to press it, the press still counts for the earlier label.

use leptos::ev;
use leptos::prelude::*;

use crate::backend;
use crate::model::run::RunPhase;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Time after a change of the label for which a press still counts for the label before, in milliseconds.
const TURNED_MS: f64 = 300.0;

/// Renders the button, which cancels while `under_way` and runs otherwise. While `idle` it is disabled unless it
/// cancels.
#[component]
pub fn RunButton(under_way: Memo<bool>, idle: Memo<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    // The label does not change while the button is held down. Otherwise the release would hit another button, and
    // there would be no click.
    let held = RwSignal::new(false);
    let cancels = Memo::new(move |before: Option<&bool>| if held.get() { before.copied().unwrap_or(false) } else { under_way.get() });
    let turned = StoredValue::new(0.0);
    // A visitor who pressed Run may cancel at once.
    let asked = StoredValue::new(false);
    Effect::new(move |_| {
        if cancels.get() {
            turned.set_value(backend::now());
        } else {
            asked.set_value(false);
        }
    });
    Effect::new(move |_| {
        // Waits for the click, which follows in the same task.
        let let_go = move || set_timeout(move || _ = held.try_set(false), std::time::Duration::ZERO);
        let up = window_event_listener(ev::pointerup, move |_| let_go());
        let away = window_event_listener(ev::pointercancel, move |_| let_go());
        on_cleanup(move || {
            up.remove();
            away.remove();
        });
    });
    let run = move || {
        asked.set_value(true);
        page.dispatch(Action::Start);
    };
    let cancel = move |_| {
        let is_reading = page.run.with_untracked(|run| run.phase == RunPhase::Reading);
        if is_reading && !asked.get_value() && backend::now() - turned.get_value() < TURNED_MS {
            run()
        } else {
            page.dispatch(Action::Cancel)
        }
    };
    view! {
        <button class="btn warn" type="button" hidden=move || !cancels.get() on:click=cancel>
            {icon(Icon::Cross)}
            {t("Cancel")}
        </button>
        <button
            class="btn main"
            type="button"
            hidden=cancels
            disabled=idle
            on:pointerdown=move |event| held.set(event.button() == 0)
            on:click=move |_| run()
        >
            {t("Run")}
            <kbd class="key">{t("Ctrl")} " ↵"</kbd>
        </button>
    }
}
