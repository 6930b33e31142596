//! The name of a text, which a button turns into a field ([`Renaming`]).

use leptos::ev;
use leptos::html::{Button, Input};
use leptos::leptos_dom::helpers::queue_microtask;
use leptos::prelude::*;

use crate::tr;
use crate::tr::t;

/// The text of a list that is being renamed. It outlives the rows of the list.
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

/// Returns the reference to a button of the row `number`. If `focused` becomes this number, the button receives the focus, and
/// `focused` becomes `None`.
fn focused_button(focused: RwSignal<Option<usize>>, number: usize) -> NodeRef<Button> {
    let button = NodeRef::<Button>::new();
    Effect::new(move |_| {
        if let Some(button) = button.get().filter(|_| focused.get() == Some(number)) {
            focused.set(None);
            request_animation_frame(move || drop(button.focus()));
        }
    });
    button
}

impl Renaming {
    /// Returns the state of a list whose names `rename` changes.
    pub fn new(rename: Callback<(usize, String)>) -> Self {
        Self { number: RwSignal::new(None), draft: StoredValue::default(), rename, finished: RwSignal::new(None) }
    }

    /// Ends the renaming of the text `number` if `identity` changes, because another text has the number then. The text keeps its name.
    pub fn cancel_if_changed<T: Send + Sync + 'static>(self, number: usize, identity: Memo<T>) {
        let cancel = move || {
            if self.number.try_get_untracked() == Some(Some(number)) {
                self.number.try_set(None);
            }
        };
        Effect::new(move |was_drawn: Option<bool>| {
            // A memo that was never read notifies nobody.
            identity.with(|_| ());
            if was_drawn == Some(true) {
                cancel();
            }
            true
        });
        on_cleanup(cancel);
    }

    /// Renders the name of the text `number`, or the field for another one.
    pub fn name(self, number: usize, name: Signal<String>) -> impl IntoView {
        let is_renamed = Memo::new(move |_| self.number.get() == Some(number));
        let field = NodeRef::<Input>::new();
        Effect::new(move |_| {
            if let Some(field) = field.get() {
                let _ = field.focus();
                field.select();
            }
        });
        let finish = move |takes: bool| {
            if self.number.try_get_untracked() != Some(Some(number)) {
                return;
            }
            self.number.set(None);
            if takes {
                self.rename.run((number, self.draft.get_value()));
            }
        };
        let leave = move |_| {
            // Some browsers report a blur before they remove or hide the field, and others when the window loses the focus.
            queue_microtask(move || {
                let is_left = field.try_get_untracked().flatten().is_some_and(|field| {
                    let is_focused = document().active_element().is_some_and(|active| active.is_same_node(Some(&field)));
                    field.is_connected() && field.offset_parent().is_some() && !is_focused
                });
                if is_left {
                    finish(true);
                }
            });
        };
        let keys = move |event: ev::KeyboardEvent| {
            // Enter takes letters from an input method. Safari reports it with this code.
            if event.is_composing() || event.key_code() == 229 {
                return;
            }
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
                        aria-label=move || tr!("Rename {name}", name = name.get())
                        value=self.draft.get_value()
                        node_ref=field
                        on:keydown=keys
                        on:input:target=type_name
                        on:blur=leave
                    />
                }
                .into_any()
            } else {
                view! { {move || name.get()} }.into_any()
            }
        }
    }

    /// Renders the button that renames the text `number` with this name.
    pub fn button(self, number: usize, name: Signal<String>) -> impl IntoView {
        let label = move || tr!("Rename {name}", name = name.get());
        let begin = move |_| {
            self.draft.set_value(name.get_untracked());
            self.number.set(Some(number));
        };
        view! {
            <button class="btn ghost small" type="button" aria-label=label node_ref=focused_button(self.finished, number) on:click=begin>
                {t("Rename")}
            </button>
        }
    }
}
