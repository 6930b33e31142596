//! The offer to search the first line of a text for its second line: [`TwoLines`].

use leptos::prelude::*;

use crate::model::form::FormSide;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::t;
use crate::view::form::read_as::has_two_lines;

/// Renders a button that splits a file of two lines into both texts. The first line is the text to search in, the
/// second the pattern. The program of paper 004 reads such files (section III).
#[component]
pub fn TwoLines(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let is_offered = Memo::new(move |_| has_two_lines(page, which));
    view! {
        <Show when=move || is_offered.get()>
            <div class="read-as">
                <button class="btn small" type="button" on:click=move |_| page.dispatch(Action::SearchLines(which))>
                    {t("Search the first line for the second")}
                </button>
            </div>
        </Show>
    }
}
