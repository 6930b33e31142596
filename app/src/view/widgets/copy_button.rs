//! A button that copies a text to the clipboard and shows whether the browser accepted the text: [`CopyButton`], and
//! [`CopyOutcome`] for other controls that copy.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::icon::{Icon, icon};
use crate::backend::{clipboard, sleep};
use crate::tr::t;

/// Time for which the outcome of a copy is shown, in milliseconds.
const SAID_MS: i32 = 1_600;

/// The outcome of the last copy to the clipboard, as long as it is shown.
#[derive(Clone, Copy)]
pub struct CopyOutcome {
    copied: RwSignal<Option<bool>>,
    number: StoredValue<u32>,
}

impl Default for CopyOutcome {
    fn default() -> Self {
        Self { copied: RwSignal::new(None), number: StoredValue::new(0) }
    }
}

impl CopyOutcome {
    /// Copies `text` to the clipboard, then shows the outcome for a while. Returns whether the browser accepted the
    /// text.
    pub async fn copy(self, text: &str) -> bool {
        let taken = clipboard::copy(text).await;
        self.number.try_update_value(|number| *number += 1);
        let number = self.number.try_get_value();
        self.copied.try_set(Some(taken));
        spawn_local(async move {
            sleep(SAID_MS).await;
            if number.is_some() && self.number.try_get_value() == number {
                self.copied.try_set(None);
            }
        });
        taken
    }

    /// Returns whether a text was copied a moment ago, so that the outcome is still shown.
    pub fn is_taken(self) -> bool {
        self.copied.get() == Some(true)
    }

    /// Returns the text of the button: `label`, or for a moment after a copy the outcome. The outcome is `refused` if
    /// the browser did not accept the text.
    pub fn button_text(self, label: &'static str, refused: &'static str) -> &'static str {
        match self.copied.get() {
            None => label,
            Some(true) => t("Copied"),
            Some(false) => refused,
        }
    }
}

/// Renders the button. If the browser refuses to copy and `field` is given, selects the text in that field, so that the
/// visitor can copy it by hand.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    #[prop(default = t("Copy"))] label: &'static str,
    #[prop(default = "btn")] class: &'static str,
    #[prop(default = Icon::Copy)] sign: Icon,
    #[prop(optional)] field: Option<NodeRef<Input>>,
) -> impl IntoView {
    let copied = CopyOutcome::default();
    let refused = if field.is_some() { t("Press Ctrl C") } else { t("Not copied") };
    let copy = move |_| {
        spawn_local(async move {
            let taken = copied.copy(&text.get_untracked()).await;
            if !taken && let Some(field) = field.and_then(|field| field.try_get_untracked().flatten()) {
                field.select();
            }
        });
    };
    view! {
        <button class=class type="button" on:click=copy>
            {icon(sign)}
            {move || copied.button_text(label, refused)}
        </button>
        // Screen readers do not announce a change of a button's content, so that a status beside the button tells the
        // outcome.
        <span class="vh" role="status">{move || copied.button_text("", refused)}</span>
    }
}
