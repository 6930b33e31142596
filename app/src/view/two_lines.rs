//! The first line of a text searched for the second.

use kernels::job::Task;
use leptos::prelude::*;

use crate::model::form::Which;
use crate::page::Page;
use crate::tr::t;

/// The way from a file of two lines, a string and what is looked for in it, to both texts: such a file is what the program of paper 004
/// reads (its section III).
#[component]
pub fn TwoLines(which: Which) -> impl IntoView {
    let page = expect_context::<Page>();
    let is_offered = Memo::new(move |_| {
        page.form.with(|form| {
            let other = if which == Which::A { &form.b } else { &form.a };
            form.task == Task::ExactSearch && other.is_blank() && form.side(which).may_be_two_lines()
        })
    });
    view! {
        <Show when=move || is_offered.get()>
            <div class="read-as">
                <button class="btn small" type="button" on:click=move |_| page.search_lines(which)>
                    {t("Search the first line for the second")}
                </button>
            </div>
        </Show>
    }
}
