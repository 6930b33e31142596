//! The name of a text, which a button turns into a field ([`Renaming`]).

use leptos::ev;
use leptos::html::Input;
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
}

impl Renaming {
    /// Returns the state of a list whose names `rename` changes.
    pub fn new(rename: Callback<(usize, String)>) -> Self {
        Self { number: RwSignal::new(None), draft: StoredValue::default(), rename }
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
        let keys = move |event: ev::KeyboardEvent| match event.key().as_str() {
            "Enter" => finish(true),
            "Escape" => finish(false),
            _ => {}
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
            self.draft.set_value(name.clone());
            self.number.set(Some(number));
        };
        view! {
            <button class="btn ghost small" type="button" aria-label=label on:click=begin>
                {t("Rename")}
            </button>
        }
    }
}
