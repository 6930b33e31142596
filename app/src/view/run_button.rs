//! The button of the run bar: it runs, and cancels what is under way. What somebody presses is what they saw when they went for it.

use leptos::ev;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use crate::model::run::Phase;
use crate::page::Page;
use crate::source;
use crate::tr::t;

/// Who presses the button so soon after it has turned means what it was before.
const TURNED_MS: f64 = 300.0;

/// Runs, or cancels while `under_way`; cannot be pressed to run while `idle`.
#[component]
pub fn RunButton(under_way: Memo<bool>, idle: Memo<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    // While it is held down it does not turn: the press would be nobody's.
    let held = RwSignal::new(false);
    let cancels = Memo::new(move |before: Option<&bool>| if held.get() { before.copied().unwrap_or(false) } else { under_way.get() });
    let turned = StoredValue::new(0.0);
    // Whoever has asked for the run may cancel it at once.
    let asked = StoredValue::new(false);
    Effect::new(move |_| {
        if cancels.get() {
            turned.set_value(source::now());
        } else {
            asked.set_value(false);
        }
    });
    Effect::new(move |_| {
        // After the click, which follows in the same task.
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
        page.start();
    };
    let cancel = move |_| {
        let is_reading = page.run.with_untracked(|run| run.phase == Phase::Reading);
        if is_reading && !asked.get_value() && source::now() - turned.get_value() < TURNED_MS { run() } else { page.cancel() }
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
