//! The name of a text, which a button turns into a field ([`Renaming`]).

use leptos::ev;
use leptos::html::{Button, Input};
use leptos::prelude::*;

use crate::tr;
use crate::tr::t;

/// The text of a list that is being renamed. It outlives the rows, which an answer draws again.
#[derive(Clone, Copy, Debug)]
pub struct Renaming {
    /// Number of the text.
    number: RwSignal<Option<usize>>,
    /// The typed name.
    draft: StoredValue<String>,
    rename: Callback<(usize, String)>,
    /// The text that was renamed by a key. Its button has the focus afterwards.
    finished: RwSignal<Option<usize>>,
}

/// Returns the reference to a button of the row `number`. If that is the row `focused`, and drawing the rows has removed the
/// focus, the button receives it.
pub fn focused_button(focused: RwSignal<Option<usize>>, number: usize) -> NodeRef<Button> {
    let button = NodeRef::<Button>::new();
    Effect::new(move |_| {
        if let Some(button) = button.get().filter(|_| focused.get() == Some(number)) {
            request_animation_frame(move || {
                if document().active_element().is_none_or(|active| active.tag_name() == "BODY") {
                    let _ = button.focus();
                }
            });
        }
    });
    button
}

impl Renaming {
    /// Returns the state of a list whose names `rename` changes.
    pub fn new(rename: Callback<(usize, String)>) -> Self {
        Self { number: RwSignal::new(None), draft: StoredValue::default(), rename, finished: RwSignal::new(None) }
    }

    /// Renders the name of the text `number`, or the field for another one.
    pub fn name(self, number: usize, name: String) -> impl IntoView {
        let is_renamed = Memo::new(move |_| self.number.get() == Some(number));
        let field = NodeRef::<Input>::new();
        Effect::new(move |_| {
            if let Some(field) = field.get() {
                let _ = field.focus();
                field.select();
            }
        });
        // Removing the field takes its focus, too.
        let finish = move |takes: bool| {
            if self.number.try_get_untracked() != Some(Some(number)) {
                return;
            }
            self.number.set(None);
            if takes {
                self.rename.run((number, self.draft.get_value()));
            }
        };
        let keys = move |event: ev::KeyboardEvent| {
            if let key @ ("Enter" | "Escape") = event.key().as_str() {
                self.finished.set(Some(number));
                finish(key == "Enter");
            }
        };
        move || {
            if is_renamed.get() {
                let type_name =
                    move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| self.draft.set_value(event.target().value());
                view! {
                    <input
                        class="text"
                        aria-label=tr!("Rename {name}", name = name)
                        value=self.draft.get_value()
                        node_ref=field
                        on:keydown=keys
                        on:input:target=type_name
                        on:blur=move |_| finish(true)
                    />
                }
                .into_any()
            } else {
                name.clone().into_any()
            }
        }
    }

    /// Renders the button that renames the text `number` with this name.
    pub fn button(self, number: usize, name: String) -> impl IntoView {
        let label = tr!("Rename {name}", name = name);
        let begin = move |_| {
            self.finished.set(None);
            self.draft.set_value(name.clone());
            self.number.set(Some(number));
        };
        view! {
            <button class="btn ghost small" type="button" aria-label=label node_ref=focused_button(self.finished, number) on:click=begin>
                {t("Rename")}
            </button>
        }
    }
}
