//! Technical terms in a sentence, with their meanings ([`with_terms`]). The meaning of a term appears when the pointer
//! is over the term, or after a press.

use std::time::Duration;

use leptos::either::Either;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::menu::place_beside;
use crate::model::glossary::{GlossaryPiece, GlossaryTerm, pieces};

/// Time for which a meaning stays visible after the pointer has left its term. Within that time the pointer can move
/// onto the meaning.
const HIDE_DELAY: Duration = Duration::from_millis(250);

/// The panel that shows the meaning of a term. Each view with terms provides one panel.
#[derive(Clone, Copy)]
pub struct GlossaryPanel {
    shown: RwSignal<Option<&'static GlossaryTerm>>,
    panel: NodeRef<Div>,
}

impl GlossaryPanel {
    /// Creates the panel, and provides it to the terms of the current view and of its children.
    pub fn provide() -> Self {
        let glossary = Self { shown: RwSignal::new(None), panel: NodeRef::new() };
        provide_context(glossary);
        glossary
    }

    /// Draws the panel. Callers place it outside of the sentences, because it is not part of their text.
    pub fn draw(self) -> impl IntoView {
        let meaning = move || self.shown.get().map(|term| (term.meaning)());
        view! {
            <div class="menu-panel meaning" popover="auto" role="status" node_ref=self.panel>
                {meaning}
            </div>
        }
    }

    fn show(self, term: &'static GlossaryTerm, button: &Element) {
        let Some(panel) = self.panel.get_untracked() else { return };
        self.shown.set(Some(term));
        place_beside(button, &panel);
        let _ = panel.show_popover();
    }

    /// Hides the meaning, unless the pointer is over the panel.
    fn hide(self) {
        let Some(panel) = self.panel.get_untracked() else { return };
        if !panel.matches(":hover").unwrap_or_default() {
            let _ = panel.hide_popover();
        }
    }
}

/// Draws `text`. If an ancestor provides a [`GlossaryPanel`], marks the first use of each of `terms`, and the panel
/// shows the meaning of a marked term.
pub fn with_terms(text: &str, terms: &'static [GlossaryTerm]) -> impl IntoView + use<> {
    let Some(glossary) = use_context::<GlossaryPanel>() else { return Either::Left(text.to_owned()) };
    let piece = |piece: GlossaryPiece<'_>| match piece {
        GlossaryPiece::Text(text) => Either::Left(text.to_owned()),
        GlossaryPiece::Term(text, term) => Either::Right(marked(glossary, text.to_owned(), term)),
    };
    Either::Right(pieces(text, terms).into_iter().map(piece).collect_view())
}

fn marked(glossary: GlossaryPanel, text: String, term: &'static GlossaryTerm) -> impl IntoView {
    // After a press the meaning stays visible when the pointer leaves.
    let is_pressed = StoredValue::new(false);
    let show = move |event: &web_sys::Event| {
        if let Some(button) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) {
            glossary.show(term, &button);
        }
    };
    let enter = move |event: ev::PointerEvent| {
        // A touch shows the meaning by a press only. A pointer that passes must not close an open menu.
        let is_open = document().query_selector(":popover-open").is_ok_and(|open| open.is_some());
        if event.pointer_type() == "mouse" && !is_open {
            is_pressed.set_value(false);
            show(&event);
        }
    };
    let leave = move |event: ev::PointerEvent| {
        if event.pointer_type() == "mouse" && !is_pressed.get_value() {
            set_timeout(move || glossary.hide(), HIDE_DELAY);
        }
    };
    let press = move |event: ev::MouseEvent| {
        is_pressed.set_value(true);
        show(&event);
    };
    view! {
        <button class="term" type="button" on:pointerenter=enter on:pointerleave=leave on:click=press>
            {text}
        </button>
    }
}
