//! Parts of the editors of both pages: ids ([`id_of`]), files ([`DropArea`], [`FileField`]), examples ([`ExampleList`]) and
//! the focus ([`focus_texts`], [`focus_after_removal`]).

use leptos::ev;
use leptos::html::{Input, Ol};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlInputElement;

use crate::backend::files::archive::{self, DroppedEntries, PathFile};
use crate::model::form::FormSide;
use crate::page::Page;
use crate::tr::t;
use crate::view::browser::focus_next::focus_next;

/// Returns an id of an element of a side.
pub fn id_of(name: &str, side: FormSide) -> String {
    match side {
        FormSide::A => name.to_owned(),
        FormSide::B => format!("{name}-b"),
    }
}

/// Renders an editor, on which files and folders can be dropped.
#[component]
pub fn DropArea(label: Signal<&'static str>, open: Callback<DroppedEntries>, children: Children) -> impl IntoView {
    let page = expect_context::<Page>();
    let dragging = RwSignal::new(false);
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        dragging.set(false);
        if let Some(transfer) = event.data_transfer() {
            open.run(archive::dropped(&transfer));
        }
    };
    let over = move |event: ev::DragEvent| {
        event.prevent_default();
        dragging.set(true);
    };
    view! {
        <section class="editor collection" class:dragging=dragging aria-label=move || label.get() on:drop=drop on:dragover=over on:dragleave=move |_| dragging.set(false) on:focusin=move |_| page.warm_up()>
            {children()}
        </section>
    }
}

/// The files that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChoice {
    OneFile,
    Files,
    Folder,
}

/// Renders a hidden field for files, which a button opens with [`press`]. `label` is its name for screen readers.
#[component]
pub fn FileField(field: NodeRef<Input>, choice: FileChoice, label: &'static str, open: Callback<Vec<PathFile>>) -> impl IntoView {
    if choice == FileChoice::Folder {
        // No type of HTML has this attribute.
        Effect::new(move |_| {
            if let Some(field) = field.get() {
                let _ = field.set_attribute("webkitdirectory", "");
            }
        });
    }
    let picked = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        let files = picked_files(&input);
        if !files.is_empty() {
            // The editor may have been removed while the dialog was open.
            open.try_run(files);
        }
        // Resets the input so that the same files can be chosen again.
        input.set_value("");
    };
    view! { <input class="vh" type="file" multiple=choice == FileChoice::Files tabindex="-1" aria-label=label node_ref=field on:change:target=picked /> }
}

/// Opens the dialog of a [`FileField`].
pub fn press(field: NodeRef<Input>) {
    if let Some(field) = field.get_untracked() {
        field.click();
    }
}

/// Returns the files that were chosen, with their paths.
fn picked_files(input: &HtmlInputElement) -> Vec<PathFile> {
    let path_file = |file: web_sys::File| PathFile { path: archive::path_of(&file), content: file.into() };
    archive::listed(input.files()).into_iter().map(path_file).collect()
}

/// Moves the focus to the text area with the id `text`, or to the list in its place.
pub fn focus_texts(text: String) {
    focus_next(move || {
        let area = document().get_element_by_id(&text)?;
        let list = area.parent_element()?.query_selector(".list").ok()?.filter(|_| area.has_attribute("hidden"));
        list.unwrap_or(area).dyn_into().ok()
    });
}

/// Moves the focus after a press of the button at the end of row `number` of `list` has removed the row: to the button of the row
/// that has its number, or of the last one. If the list is gone, moves it to the text area with the id `text`.
pub fn focus_after_removal(list: NodeRef<Ol>, number: usize, text: String) {
    focus_next(move || {
        let rows = list.try_get_untracked().flatten().filter(|list| list.is_connected()).map(|list| list.children());
        let row = rows.and_then(|rows| rows.item((number as u32).min(rows.length().saturating_sub(1))));
        let button = row.and_then(|row| row.last_element_child());
        button.or_else(|| document().get_element_by_id(&text)).and_then(|element| element.dyn_into().ok())
    });
}

/// An example to start from.
#[derive(Clone, Copy, Debug)]
pub struct PageExample {
    pub name: &'static str,
    pub about: &'static str,
    pub open: Callback<()>,
}

/// Renders the examples.
#[component]
pub fn ExampleList(examples: [PageExample; 2]) -> impl IntoView {
    let tries = examples.map(|PageExample { name, about, open }| {
        view! {
            <button type="button" on:click=move |_| open.run(())>
                <b>{name}</b>
                <span class="quiet">{about}</span>
            </button>
        }
    });
    view! {
        <section class="first" aria-labelledby="first-title">
            <h2 id="first-title">{t("Or start with an example")}</h2>
            <div class="tries">{tries}</div>
        </section>
    }
}
