//! Both texts as small fields over their matrix: a letter can be changed where one sees what that changes.

use leptos::ev;
use leptos::prelude::*;

use crate::form::{Form, Which};
use crate::look::Facet;
use crate::page::Page;
use crate::tr;
use crate::tr::t;

/// Bytes of a text that a small field shows.
const MOST_BYTES: usize = 100;

/// Whether the fields are there: beside a matrix, of two typed texts of one short line each. Once they are there they stay while the
/// texts are written, whatever becomes of the result.
pub fn is_there(page: Page, before: bool) -> bool {
    let fits = |form: &Form, which: Which| form.side(which).text().is_some_and(|text| text.len() <= MOST_BYTES && !text.contains('\n'));
    page.look.with(|look| look.facet == Facet::Matrix)
        && page.form.with(|form| Which::BOTH.into_iter().all(|which| fits(form, which)))
        && (before || page.shown.with(Option::is_some))
}

/// The fields.
#[component]
pub fn Texts() -> impl IntoView {
    let page = expect_context::<Page>();
    let field = move |which: Which| {
        let name = which.name();
        let text = move || page.form.with(|form| form.side(which).text().unwrap_or_default().to_owned());
        let typed = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
            let text = event.target().value();
            page.put(which, page.form.with_untracked(|form| form.side(which).retyped(text)));
        };
        view! {
            <label class="short-text">
                <var>{name}</var>
                <input
                    class="text"
                    aria-label=tr!("Short field for {name}", name = name)
                    spellcheck="false"
                    autocapitalize="off"
                    autocomplete="off"
                    prop:value=text
                    on:input:target=typed
                />
            </label>
        }
    };
    view! {
        <div class="short-texts projector-off" role="group" aria-label=t("Texts")>
            {Which::BOTH.map(field)}
        </div>
    }
}
