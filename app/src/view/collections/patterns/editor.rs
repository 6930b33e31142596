//! Patterns and texts: two text areas or lists of files ([`PatternEditors`]), one line of them ([`FoldedPatterns`]), and
//! examples ([`PatternExamples`]).

use kernels::collection::MemberSplit;
use leptos::ev;
use leptos::html::{Input, Ol};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlSelectElement, HtmlTextAreaElement};

use super::super::fields::{DropArea, ExampleList, FileChoice, FileField, PageExample, focus_after_removal, focus_texts, press};
use crate::backend::files::archive::{DroppedEntries, PathFile};
use crate::model::collection::patterns::form::PatternForm;
use crate::model::collection::patterns::samples::PatternSample;
use crate::model::collection::patterns::sentences;
use crate::model::collection::sentences::split_says;
use crate::model::collection::sources::TextSource;
use crate::model::text::humanize::{bytes, count};
use crate::page::patterns::PatternPage;
use crate::tr;
use crate::tr::t;
use crate::view::browser::focus_next::focus_next;
use crate::view::widgets::icon::{Icon, icon};

/// Rules by which the texts may be divided.
const SPLITS: [MemberSplit; 3] = [MemberSplit::Files, MemberSplit::Lines, MemberSplit::Blank];

/// One of the two editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Patterns,
    Texts,
}

impl Side {
    /// Returns the id of the text area.
    fn id(self) -> &'static str {
        match self {
            Self::Patterns => "patterns",
            Self::Texts => "searched",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Patterns => t("Patterns"),
            Self::Texts => t("Searched text"),
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Patterns => t("One pattern in each line, or a FASTA file."),
            Self::Texts => t("Type or paste a text, or drop files here."),
        }
    }

    /// Returns the content of the text area, or `None` if it cannot show the texts.
    fn typed(self, form: &PatternForm) -> Option<&str> {
        match self {
            Self::Patterns => form.patterns.text(),
            Self::Texts => form.typed_text(),
        }
    }

    fn sources(self, form: &PatternForm) -> &[TextSource] {
        match self {
            Self::Patterns => std::slice::from_ref(&form.patterns),
            Self::Texts => &form.texts,
        }
    }

    fn retype(self, form: &mut PatternForm, text: &str) {
        match self {
            Self::Patterns => form.patterns = TextSource::typed(text),
            Self::Texts => form.retype_text(text),
        }
    }

    /// Returns the function that opens files. Patterns are one file; further texts are added to files that are there.
    fn opener(self) -> fn(&mut PatternForm, Vec<TextSource>) {
        match self {
            Self::Patterns => |form, files| form.patterns = files.into_iter().next().unwrap_or_else(|| TextSource::typed("")),
            Self::Texts => |form, files| {
                form.texts.retain(|text| !text.name.is_empty());
                form.texts.extend(files);
            },
        }
    }

    /// Returns what was read, once there is an answer.
    fn counted(self, page: PatternPage) -> Option<String> {
        page.answer.with(|texts| {
            texts.as_deref().map(|texts| match self {
                Self::Patterns => sentences::patterns_counted(texts),
                Self::Texts => sentences::texts_counted(texts),
            })
        })
    }
}

/// Renders both editors. `is_typing` becomes true if the visitor types, and false if texts are opened.
#[component]
pub fn PatternEditors(is_typing: RwSignal<bool>) -> impl IntoView {
    view! {
        <div class="editors">
            <SideEditor side=Side::Patterns is_typing />
            <SideEditor side=Side::Texts is_typing />
        </div>
    }
}

#[component]
fn SideEditor(side: Side, is_typing: RwSignal<bool>) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let open = Callback::new(move |entries: DroppedEntries| {
        is_typing.set(false);
        patterns.open_files(entries.files(), side.opener());
    });
    let is_typed = Memo::new(move |_| patterns.form.with(|form| side.typed(form).is_some()));
    let text = move || patterns.form.with(|form| side.typed(form).unwrap_or_default().to_owned());
    let typed = move |event: ev::Targeted<ev::Event, HtmlTextAreaElement>| {
        is_typing.set(true);
        let text = event.target().value();
        patterns.edit(|form| side.retype(form, &text));
    };
    let name = move || {
        patterns.form.with(|form| match side.sources(form) {
            [only] => only.name.to_string(),
            _ => String::new(),
        })
    };
    let counted = move || side.counted(patterns);
    let count_id = format!("count-{}", side.id());
    view! {
        <DropArea label=Signal::derive(move || side.label()) open>
            <header>
                <label for=side.id()>
                    <b>{side.label()}</b>
                    " "
                    <span>{name}</span>
                </label>
                <span class="count" id=count_id.clone()>{counted}</span>
            </header>
            <textarea
                id=side.id()
                class="few"
                aria-describedby=count_id
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=side.hint()
                hidden=move || !is_typed.get()
                prop:value=text
                on:input:target=typed
            ></textarea>
            {move || (!is_typed.get()).then(|| view! { <SideFiles side is_typing /> })}
            <div class="read-as">{match side {
                Side::Patterns => view! {
                    <p class="note">{t("With a name and edits of its own: name, letters and number between tabs; in a FASTA header k=2.")}</p>
                }.into_any(),
                Side::Texts => view! { <SplitChoice /> }.into_any(),
            }}</div>
            <footer>
                <SideButtons side is_typing />
            </footer>
        </DropArea>
    }
}

/// Renders the list of opened files of a side. `is_typing` becomes true if a button is pressed.
#[component]
fn SideFiles(side: Side, is_typing: RwSignal<bool>) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let list = NodeRef::<Ol>::new();
    let count = Memo::new(move |_| patterns.form.with(|form| side.sources(form).len()));
    let row = move |number: usize| {
        let source = Memo::new(move |_| patterns.form.with(|form| side.sources(form).get(number).cloned()).unwrap_or_default());
        let name = move || source.with(|source| source.name.to_string());
        let label = move || tr!("Leave out {name}", name = name());
        let leave_out = move |_| {
            patterns.edit(|form| match side {
                Side::Patterns => form.patterns = TextSource::typed(""),
                Side::Texts if number < form.texts.len() => drop(form.texts.remove(number)),
                Side::Texts => {}
            });
            focus_after_removal(list, number, side.id().to_owned());
        };
        view! {
            <li>
                <span>{name}</span>
                <span class="quiet">{move || source.with(|source| bytes(source.bytes.len() as u64))}</span>
                <button class="btn ghost only" type="button" aria-label=label on:click=leave_out>
                    {icon(Icon::Cross)}
                </button>
            </li>
        }
    };
    view! {
        <div class="list" tabindex="0" role="region" aria-label=t("Files") on:click=move |_| is_typing.set(true)>
            <ol node_ref=list>
                <For each=move || 0..count.get() key=|number| *number children=row />
            </ol>
        </div>
    }
}

/// Renders how the texts are divided.
#[component]
fn SplitChoice() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let split = Memo::new(move |_| patterns.form.with(|form| form.split));
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let split = SPLITS.into_iter().find(|split| split.name() == name);
        patterns.edit(|form| form.split = split.unwrap_or(form.split));
    };
    let options = SPLITS.map(|rule| {
        let says = if rule == MemberSplit::Files { t("one file or record") } else { split_says(rule) };
        view! {
            <option value=rule.name() prop:selected=move || split.get() == rule>
                {says}
            </option>
        }
    });
    view! {
        <label class="row">
            {t("Each text is")} <span class="select">
                <select id="split" on:change:target=choose>
                    {options}
                </select>
                {icon(Icon::Chevron)}
            </span>
        </label>
    }
}

/// Renders the buttons that open files and clear a side, and the files that were not read.
#[component]
fn SideButtons(side: Side, is_typing: RwSignal<bool>) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let field = NodeRef::<Input>::new();
    let open = Callback::new(move |files: Vec<PathFile>| {
        is_typing.set(false);
        patterns.open_files(std::future::ready(files), side.opener());
    });
    let clear = move |_| {
        patterns.unread.set(Vec::new());
        patterns.clear(|form| side.retype(form, ""));
        // The button is hidden now.
        focus_next(move || document().get_element_by_id(side.id())?.dyn_into().ok());
    };
    let is_empty = move || patterns.form.with(|form| side.sources(form).iter().all(|source| source.bytes.is_empty()));
    let (name, label, choice) = match side {
        Side::Patterns => (t("Open a file of patterns"), t("File of patterns"), FileChoice::OneFile),
        Side::Texts => (t("Open files"), t("Files to search"), FileChoice::Files),
    };
    view! {
        <button class="btn ghost small" type="button" on:click=move |_| press(field)>
            {icon(Icon::Up)}
            {name}
        </button>
        <FileField field choice label open />
        <button class="btn ghost small" type="button" hidden=is_empty on:click=clear>
            {t("Clear")}
        </button>
    }
}

fn open_sample(patterns: PatternPage, is_typing: RwSignal<bool>, sample: PatternSample) {
    is_typing.set(false);
    patterns.unread.set(Vec::new());
    patterns.replace(sample.form());
}

fn sample_name(sample: PatternSample) -> &'static str {
    match sample {
        PatternSample::Primers => t("Primers in a plasmid"),
        PatternSample::Words => t("Words in a sonnet"),
    }
}

/// Renders patterns and texts in one line, with a button that shows the editors again.
#[component]
pub fn FoldedPatterns(is_folded: Memo<bool>, is_typing: RwSignal<bool>) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let name = move |side: Side| {
        patterns.form.with(|form| match side.sources(form) {
            [only] if !only.name.is_empty() => only.name.to_string(),
            [_] => side.label().into(),
            files => count(files.len() as u64, "file", "files"),
        })
    };
    let part = move |side: Side| {
        view! {
            <b>{move || name(side)}</b>
            " "
            <span>{move || side.counted(patterns)}</span>
        }
    };
    let change = move |_| {
        is_typing.set(true);
        focus_texts(Side::Patterns.id().to_owned());
    };
    view! {
        <section class="folded-texts projector-off" aria-label=t("Searched texts") hidden=move || !is_folded.get()>
            <p>{part(Side::Patterns)} " · " {part(Side::Texts)}</p>
            // The focus moves here from the editors, which are hidden then.
            <button class="btn small" type="button" data-takes-focus="" on:click=change>
                {t("Change texts or options")}
            </button>
        </section>
    }
}

/// Renders the examples, as long as there are neither patterns nor texts.
#[component]
pub fn PatternExamples(is_typing: RwSignal<bool>) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let examples = PatternSample::ALL.map(|sample| {
        let about = match sample {
            PatternSample::Primers => {
                t("Six primers and three restriction sites in 20,000 letters, on both strands. Which of them bind, and where?")
            }
            PatternSample::Words => t("Modern words in a text of 1609. Which are there in another spelling?"),
        };
        let open = Callback::new(move |()| {
            open_sample(patterns, is_typing, sample);
            // The examples are gone now.
            focus_texts(Side::Patterns.id().to_owned());
        });
        PageExample { name: sample_name(sample), about, open }
    });
    view! { <ExampleList examples /> }
}
