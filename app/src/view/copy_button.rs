//! A button that copies a text to the clipboard and says whether it did.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::icon::{Icon, icon};
use crate::source::{clipboard, sleep};
use crate::tr::t;

/// How long it is said that a text was copied, in milliseconds.
const SAID_MS: i32 = 1_600;

/// What came of copying, until it is forgotten.
#[derive(Clone, Copy)]
pub struct Copied {
    copied: RwSignal<Option<bool>>,
    number: StoredValue<u32>,
}

impl Default for Copied {
    fn default() -> Self {
        Self { copied: RwSignal::new(None), number: StoredValue::new(0) }
    }
}

impl Copied {
    /// Copies; once it is done, says for a while whether the browser has taken the text.
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

    /// Returns whether the browser has taken a text a moment ago.
    pub fn is_taken(self) -> bool {
        self.copied.get() == Some(true)
    }

    /// What is said instead of `label`; `refused` where the browser has not taken the text.
    pub fn said(self, label: &'static str, refused: &'static str) -> &'static str {
        match self.copied.get() {
            None => label,
            Some(true) => t("Copied"),
            Some(false) => refused,
        }
    }
}

/// The button. Where the browser refuses, the text is selected in `field`, if there is one, for the visitor to copy.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    #[prop(default = t("Copy"))] label: &'static str,
    #[prop(default = "btn")] class: &'static str,
    #[prop(default = Icon::Copy)] sign: Icon,
    #[prop(optional)] field: Option<NodeRef<Input>>,
) -> impl IntoView {
    let copied = Copied::default();
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
            {move || copied.said(label, refused)}
        </button>
        // What a button contains is its name: that it has changed is said beside it.
        <span class="vh" role="status">{move || copied.said("", refused)}</span>
    }
}
