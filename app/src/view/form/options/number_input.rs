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

/// Returns whether `text` may be the begin of another number than it is: its last character is a decimal mark, or it is 0
/// with a minus sign.
fn is_begun(text: &str) -> bool {
    let text = text.trim();
    let digits = text.trim_start_matches(['-', '−']);
    text.ends_with(['.', ',']) || (digits.len() < text.len() && digits.trim_matches(['0', '.', ',']).is_empty())
}

/// Renders a field for a number of the form.
///
/// `shown` returns the number that counts, or `None` if the field is switched off. `apply` changes the form to a typed
/// number, or returns the problem of a text that is none. An unusable text stays in the field, and there is no answer,
/// until the field or another part of the form is changed. The field then shows the number that counts. The begin of a
/// decimal number, such as "−0" or "2.", stays in the field until it loses the focus.
pub(super) fn number_input(
    host: CostsHost,
    field: NumberField,
    shown: impl Fn() -> Option<String> + Copy + Send + Sync + 'static,
    apply: impl Fn(&str) -> Result<(), Problem> + Copy + 'static,
) -> impl IntoView {
    let NumberField { id, name, is_signed } = field;
    let bad = RwSignal::new(None::<String>);
    // A begun number, and the number that counted after it was typed.
    let begun = RwSignal::new(None::<(String, String)>);
    let number = move || shown().unwrap_or_default();
    let shown_text = move || {
        let begun = begun.get().filter(|(_, counted)| *counted == number());
        bad.get().or(begun.map(|(text, _)| text)).unwrap_or_else(number)
    };
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
        } else {
            begun.set(is_begun(&text).then(|| (text, untrack(number))));
            if bad.with_untracked(Option::is_some) {
                // The form may have had this number before.
                bad.set(None);
            }
        }
    };
    let leave = move |event: ev::Targeted<ev::FocusEvent, HtmlInputElement>| {
        let input = event.target();
        begun.set(None);
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
            prop:value=shown_text
            disabled=move || shown().is_none()
            aria-invalid=move || bad.get().map(|_| "true")
            on:input:target=set
            on:blur:target=leave
        />
    }
}
