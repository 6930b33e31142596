//! Lines that appear only in print: both texts, and the address of the page ([`OnPaper`]). A screen shows them
//! elsewhere.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use crate::model::form::{FormSide, FormState};
use crate::page::Page;

/// Maximum number of letters of a printed text or address.
const LETTERS: usize = 240;

/// Renders a line for each text and one for the address. They are written when the page is printed, as generated
/// content of a style rule, so that searches and screen readers do not find the texts twice.
#[component]
pub fn OnPaper() -> impl IntoView {
    let page = expect_context::<Page>();
    let place = NodeRef::<Div>::new();
    // Effects run only in a browser, and only a browser prints.
    Effect::new(move |_| {
        let print = window_event_listener(ev::beforeprint, move |_| {
            let address = window().location().href().unwrap_or_default();
            if let Some(place) = place.get_untracked() {
                let _ = place.set_attribute("data-paper", &page.form.with_untracked(|form| lines(form, &address)));
            }
        });
        on_cleanup(move || print.remove());
    });
    view! { <div class="on-paper" node_ref=place></div> }
}

/// Returns the lines to print: both texts, and `address` unless it is too long to be typed.
fn lines(form: &FormState, address: &str) -> String {
    let text = |which: FormSide| {
        let side = form.side(which);
        let typed = side.text().unwrap_or_default();
        let shown = match &side.name {
            Some(name) if typed.is_empty() || typed.chars().count() > LETTERS => name.clone(),
            _ => excerpt(typed),
        };
        (!shown.is_empty()).then(|| format!("{}: {shown}", which.name()))
    };
    let address = Some(address.to_owned()).filter(|address| address.chars().count() <= LETTERS);
    FormSide::BOTH.into_iter().filter_map(text).chain(address).collect::<Vec<_>>().join("\n")
}

/// Returns `text` as one line, shortened to [`LETTERS`] letters.
fn excerpt(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &one_line[..end]),
        None => one_line,
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    #[test]
    fn printed_page_names_texts_and_address() {
        let mut form = FormState { a: FormText::typed("kitten"), b: FormText::typed("two\nlines"), ..FormState::new(Task::EditDistance) };
        assert_eq!(lines(&form, "http://x/#a"), "a: kitten\nb: two lines\nhttp://x/#a");
        form.a = FormText { name: Some("phage.fasta".into()), ..FormText::typed("A".repeat(LETTERS + 1)) };
        assert_eq!(lines(&form, &"x".repeat(LETTERS + 1)), "a: phage.fasta\nb: two lines");
        form.a.name = None;
        assert!(lines(&form, "").starts_with(&format!("a: {}…\n", "A".repeat(LETTERS))));
    }
}
