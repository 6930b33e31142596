//! The template, whose lines and words do not count ([`TemplateRow`]).

use leptos::ev;
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::fields::picked_files;
use crate::model::collection::sources::TextSource;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;

/// Renders a button that adds a template, or the name of the template with a button that removes it.
#[component]
pub fn TemplateRow() -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let picker = NodeRef::<Input>::new();
    let names = Memo::new(move |_| {
        let name = |source: &TextSource| source.name.to_string();
        collection.form.with(|form| form.template.iter().map(name).collect::<Vec<_>>())
    });
    let pick = move |_| {
        if let Some(picker) = picker.get_untracked() {
            picker.click();
        }
    };
    let picked = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        collection.open_template(picked_files(&input));
        // Resets the input so that the same file can be chosen again.
        input.set_value("");
    };
    let is_missing = move || names.with(Vec::is_empty);
    let says =
        move || tr!("Template: {names}. Its lines, and five or more of its words in a row, do not count.", names = names.get().join(", "));
    view! {
        <div class="row template">
            <p hidden=is_missing>{says}</p>
            <button class="btn ghost small" type="button" hidden=move || !is_missing() on:click=pick>
                {t("Add a template")}
            </button>
            <button class="btn ghost small" type="button" hidden=is_missing on:click=move |_| collection.edit(|form| form.template = Vec::new())>
                {t("Remove the template")}
            </button>
            <input class="vh" type="file" multiple=true tabindex="-1" aria-label=t("Template: a file with which all texts began") node_ref=picker on:change:target=picked />
        </div>
    }
}
