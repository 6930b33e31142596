//! The template, whose lines and words do not count ([`TemplateRow`]).

use leptos::html::{Button, Input};
use leptos::prelude::*;

use super::fields::{FileChoice, FileField, press};
use crate::backend::files::archive::PathFile;
use crate::model::collection::sources::TextSource;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::browser::focus_next::focus_next;

/// Renders a button that adds a template, or the name of the template with a button that removes it.
#[component]
pub fn TemplateRow() -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let field = NodeRef::<Input>::new();
    let names = Memo::new(move |_| {
        let name = |source: &TextSource| source.name.to_string();
        collection.form.with(|form| form.template.iter().map(name).collect::<Vec<_>>())
    });
    let open = Callback::new(move |files: Vec<PathFile>| collection.open_template(files));
    let add = NodeRef::<Button>::new();
    let remove = move |_| {
        collection.edit(|form| form.template = Vec::new());
        // The button is hidden now.
        focus_next(move || add.get_untracked().map(Into::into));
    };
    let is_missing = move || names.with(Vec::is_empty);
    let says =
        move || tr!("Template: {names}. Its lines, and five or more of its words in a row, do not count.", names = names.get().join(", "));
    view! {
        <div class="row template">
            <p hidden=is_missing>{says}</p>
            <button class="btn ghost small" type="button" hidden=move || !is_missing() node_ref=add on:click=move |_| press(field)>
                {t("Add a template")}
            </button>
            // The focus moves here from the other button, which is hidden then.
            <button class="btn ghost small" type="button" data-takes-focus="" hidden=is_missing on:click=remove>
                {t("Remove the template")}
            </button>
            <FileField field choice=FileChoice::Files label=t("Template: a file with which all texts began") open />
        </div>
    }
}
