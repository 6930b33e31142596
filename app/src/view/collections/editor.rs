//! The texts of a collection: a text area or a list of files ([`CollectionEditor`]), one line of them
//! ([`FoldedEditor`]), and examples ([`Examples`]).

use kernels::collection::MemberSplit;
use leptos::ev;
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{FileList, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use super::answer::AnswerState;
use crate::model::collection::form::CollectionForm;
use crate::model::collection::samples::CollectionSample;
use crate::model::collection::sentences;
use crate::model::text::humanize::{bytes, count};
use crate::page::Page;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

pub(super) fn files_of(list: Option<FileList>) -> Vec<web_sys::File> {
    list.iter().flat_map(|list| (0..list.length()).filter_map(|at| list.get(at))).collect()
}

/// Renders the editor. `is_typing` becomes true if the visitor types, and false if texts are opened.
#[component]
pub fn CollectionEditor(is_typing: RwSignal<bool>) -> impl IntoView {
    let (collection, page, state) = (expect_context::<CollectionPage>(), expect_context::<Page>(), expect_context::<AnswerState>());
    let dragging = RwSignal::new(false);
    let open = move |files: Vec<web_sys::File>| {
        is_typing.set(false);
        collection.open_files(files);
    };
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        dragging.set(false);
        open(files_of(event.data_transfer().and_then(|data| data.files())));
    };
    let over = move |event: ev::DragEvent| {
        event.prevent_default();
        dragging.set(true);
    };
    let is_typed = Memo::new(move |_| collection.form.with(|form| form.typed().is_some()));
    let text = move || collection.form.with(|form| form.typed().unwrap_or_default().to_owned());
    let typed = move |event: ev::Targeted<ev::Event, HtmlTextAreaElement>| {
        is_typing.set(true);
        let text = event.target().value();
        collection.edit(|form| form.retype(&text));
    };
    let name =
        move || collection.form.with(|form| form.sources.first().filter(|_| form.sources.len() == 1).map(|only| only.name.to_string()));
    let counted = move || state.with(sentences::counted).unwrap_or_else(|| t("no texts yet").into());
    view! {
        <section class="editor collection" class:dragging=dragging aria-label=t("Texts") on:drop=drop on:dragover=over on:dragleave=move |_| dragging.set(false) on:focusin=move |_| page.warm_up()>
            <header>
                <label for="texts">
                    <b>{t("Texts")}</b>
                    " "
                    <span>{name}</span>
                </label>
                <span class="count" id="count-texts">{counted}</span>
            </header>
            <textarea
                id="texts"
                aria-describedby="count-texts"
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=t("Type or paste one text in each line, or drop many files here.")
                hidden=move || !is_typed.get()
                prop:value=text
                on:input:target=typed
            ></textarea>
            {move || (!is_typed.get()).then(|| view! { <Files /> })}
            <ReadAs />
            <footer>
                <FileButtons open is_typing />
            </footer>
        </section>
    }
}

/// Renders the list of opened files.
#[component]
fn Files() -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let rows = move || {
        let row = |(number, source): (usize, &crate::model::collection::form::TextSource)| {
            let (name, size) = (source.name.to_string(), bytes(source.bytes.len() as u64));
            let label = tr!("Leave out {name}", name = name);
            let leave_out = move |_| collection.edit(|form| drop(form.sources.remove(number)));
            view! {
                <li>
                    <span>{name}</span>
                    <span class="quiet">{size}</span>
                    <button class="btn ghost only" type="button" aria-label=label on:click=leave_out>
                        {icon(Icon::Cross)}
                    </button>
                </li>
            }
        };
        collection.form.with(|form| form.sources.iter().enumerate().map(row).collect_view())
    };
    view! {
        <div class="list" tabindex="0" role="region" aria-label=t("Files")>
            <ol>{rows}</ol>
        </div>
    }
}

/// Renders how the texts are divided, and files that were not read.
#[component]
fn ReadAs() -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let split = Memo::new(move |_| collection.form.with(|form| form.split));
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let split = MemberSplit::ALL.into_iter().find(|split| split.name() == name);
        collection.edit(|form| form.split = split.unwrap_or(form.split));
    };
    let options = MemberSplit::ALL.map(|rule| {
        view! {
            <option value=rule.name() prop:selected=move || split.get() == rule>
                {sentences::split_says(rule)}
            </option>
        }
    });
    let unread = move || {
        let file = |file: &crate::page::collection::UnreadFile| {
            view! { <li>{tr!("Not read: {name}. {reason}", name = file.name, reason = file.reason)}</li> }
        };
        collection.unread.with(|unread| unread.iter().map(file).collect_view())
    };
    let exceptions = move || state.with(sentences::exceptions).flatten();
    view! {
        <div class="read-as">
            <p>{exceptions}</p>
            <ul class="unread" role="status" hidden=move || collection.unread.with(Vec::is_empty)>{unread}</ul>
            <label class="row">
                {t("Each text is")} <span class="select">
                    <select id="split" on:change:target=choose>
                        {options}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </label>
        </div>
    }
}

/// Renders the buttons that open files and clear the texts.
#[component]
fn FileButtons(open: impl Fn(Vec<web_sys::File>) + Copy + Send + 'static, is_typing: RwSignal<bool>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let picker = NodeRef::<Input>::new();
    let pick = move |_| {
        if let Some(picker) = picker.get_untracked() {
            picker.click();
        }
    };
    let picked = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        open(files_of(input.files()));
        // Resets the input so that the same files can be chosen again.
        input.set_value("");
    };
    let clear = move |_| {
        is_typing.set(false);
        collection.unread.set(Vec::new());
        collection.edit(|form| form.sources = Vec::new());
    };
    let samples = CollectionSample::ALL.map(|sample| {
        let show = move |_| open_sample(collection, is_typing, sample);
        view! {
            <button class="btn ghost small" type="button" on:click=show>
                {sample_name(sample)}
            </button>
        }
    });
    view! {
        <button class="btn ghost small" type="button" on:click=pick>
            {icon(Icon::Up)}
            {t("Open files")}
        </button>
        <input class="vh" type="file" multiple=true tabindex="-1" aria-label=t("Files to compare") node_ref=picker on:change:target=picked />
        <button class="btn ghost small" type="button" hidden=move || collection.form.with(CollectionForm::is_blank) on:click=clear>
            {t("Clear")}
        </button>
        <span class="at-end">{samples}</span>
        <span class="quiet" role="status">{move || collection.is_opening.get().then(|| t("Files are being read."))}</span>
    }
}

fn open_sample(collection: CollectionPage, is_typing: RwSignal<bool>, sample: CollectionSample) {
    is_typing.set(false);
    collection.unread.set(Vec::new());
    collection.edit(|form| *form = sample.form());
}

fn sample_name(sample: CollectionSample) -> &'static str {
    match sample {
        CollectionSample::Essays => t("A class’s essays"),
        CollectionSample::Barcodes => t("Barcodes with errors"),
    }
}

/// Renders the compared texts in one line, with a button that shows the editor again.
#[component]
pub fn FoldedEditor(is_folded: Memo<bool>, is_typing: RwSignal<bool>) -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let name = move || {
        collection.form.with(|form| match &form.sources[..] {
            [only] if !only.name.is_empty() => only.name.to_string(),
            [_] => t("Typed texts").into(),
            files => count(files.len() as u64, "file", "files"),
        })
    };
    let says = move || {
        let parts = state.with(|texts| [Some(sentences::counted(texts)), sentences::exceptions(texts)]);
        parts.into_iter().flatten().flatten().collect::<Vec<_>>().join(" · ")
    };
    let hide = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let is_hidden = event.target().checked();
        collection.look(|view| view.has_names = !is_hidden);
    };
    let unread = move || collection.unread.with(Vec::is_empty);
    view! {
        <section class="folded-texts projector-off" aria-label=t("Compared texts") hidden=move || !is_folded.get()>
            <p>
                <b>{name}</b>
                " "
                <span>{says}</span>
            </p>
            <p class="unread" hidden=unread>
                {move || collection.unread.with(|files| files.iter().map(|file| tr!("Not read: {name}. {reason}", name = file.name, reason = file.reason)).collect::<Vec<_>>().join(" "))}
            </p>
            <div class="row">
                <label class="check">
                    <input type="checkbox" prop:checked=move || collection.view.with(|view| !view.has_names) on:change:target=hide />
                    <span>{t("Hide names")}</span>
                </label>
                <button class="btn small" type="button" on:click=move |_| is_typing.set(true)>
                    {t("Change texts or options")}
                </button>
            </div>
        </section>
    }
}

/// Renders the examples, as long as there are no texts.
#[component]
pub fn Examples(is_typing: RwSignal<bool>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let tries = CollectionSample::ALL.map(|sample| {
        let about = match sample {
            CollectionSample::Essays => t("Thirty hand-ins on one question. Which are alike, how much, and where? Counted in words."),
            CollectionSample::Barcodes => t("288 reads of 24 barcodes, with sequencing errors. Which reads belong together?"),
        };
        view! {
            <button type="button" on:click=move |_| open_sample(collection, is_typing, sample)>
                <b>{sample_name(sample)}</b>
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
