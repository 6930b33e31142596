//! A field for one of the numbers of costs or points ([`number_input`]).

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::costs_host::CostsHost;
use crate::model::problem::Problem;

/// Id of the note below the numbers.
pub(super) const NOTE: &str = "costs-note";

/// The properties of a field that do not change.
#[derive(Clone, Copy)]
pub(super) struct NumberField {
    pub id: &'static str,
    /// Name of the field for screen readers, if its label is another one.
    pub name: Option<&'static str>,
    /// Whether the number may be below 0. Keyboards for numbers often have no minus sign.
    pub is_signed: bool,
}

/// Renders a field for a number of the form.
///
/// `shown` returns the number that counts, or `None` if the field is switched off. `apply` changes the form to a typed
/// number, or returns the problem of a text that is none. An unusable text stays in the field, and there is no answer,
/// until the field or another part of the form is changed. The field then shows the number that counts.
pub(super) fn number_input(
    host: CostsHost,
    field: NumberField,
    shown: impl Fn() -> Option<String> + Copy + Send + Sync + 'static,
    apply: impl Fn(&str) -> Result<(), Problem> + Copy + 'static,
) -> impl IntoView {
    let NumberField { id, name, is_signed } = field;
    let bad = RwSignal::new(None::<String>);
    let number = move || shown().unwrap_or_default();
    Effect::new(move |_| {
        host.form.track();
        bad.set(None);
    });
    let refuse = move |problem| host.refuse.run(problem);
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let text = event.target().value();
        if text.trim().is_empty() {
            // A cleared field waits for a number, and the last one still counts.
            if bad.with_untracked(Option::is_some) {
                bad.set(Some(text));
            }
        } else if let Err(problem) = apply(&text) {
            bad.set(Some(text));
            refuse(problem);
        } else if bad.with_untracked(Option::is_some) {
            // The form may have had this number before.
            bad.set(None);
        }
    };
    let leave = move |event: ev::Targeted<ev::FocusEvent, HtmlInputElement>| {
        let input = event.target();
        if input.value().trim().is_empty() {
            let number = untrack(number);
            if bad.with_untracked(Option::is_some)
                && let Err(problem) = apply(&number)
            {
                refuse(problem);
            }
            input.set_value(&number);
        }
    };
    view! {
        <input
            class="text column"
            id=id
            inputmode=if is_signed { "text" } else { "numeric" }
            autocomplete="off"
            aria-label=name
            aria-describedby=NOTE
            placeholder=number
            prop:value=move || bad.get().unwrap_or_else(number)
            disabled=move || shown().is_none()
            aria-invalid=move || bad.get().map(|_| "true")
            on:input:target=set
            on:blur:target=leave
        />
    }
}
