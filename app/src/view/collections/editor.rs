//! The texts of one or two collections: text areas or lists of files ([`CollectionEditors`]), one line of them
//! ([`FoldedEditor`]), and examples ([`Examples`]).

use leptos::ev;
use leptos::html::{Input, Ol};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use super::answer::AnswerState;
use super::column::ColumnChooser;
use super::fields::{DropArea, ExampleList, FileChoice, FileField, PageExample, focus_after_removal, focus_texts, id_of, press};
use super::members::{MemberList, length_bar};
use super::rename::Renaming;
use super::template::TemplateRow;
use crate::backend::files::archive::{DroppedEntries, PathFile};
use crate::model::collection::answer::ComparedTexts;
use crate::model::collection::member_edits::MemberEdits;
use crate::model::collection::samples::CollectionSample;
use crate::model::collection::sentences;
use crate::model::collection::sources::{SPLITS, TextSide, TextSource};
use crate::model::collection::table::{self, ColumnChoice};
use crate::model::form::FormSide;
use crate::model::text::humanize::bytes;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::browser::focus_next::focus_next;
use crate::view::widgets::icon::{Icon, icon};

/// Value of the option that takes the texts from a column.
const COLUMN: &str = "column";

/// Returns the label of the texts of a side.
fn label_of(collection: CollectionPage, side: FormSide) -> &'static str {
    match (collection.form.with(|form| form.b.is_some()), side) {
        (false, _) => t("Texts"),
        (true, FormSide::A) => t("a: texts"),
        (true, FormSide::B) => t("b: texts"),
    }
}

/// Renders the editors of one or two collections, and the switch between one and two. `is_typing` becomes true if the
/// visitor types, and false if texts are opened.
#[component]
pub fn CollectionEditors(is_typing: RwSignal<bool>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let is_two = Memo::new(move |_| collection.form.with(|form| form.b.is_some()));
    let choose = [false, true].map(|two| {
        let pressed = move || if is_two.get() == two { "true" } else { "false" };
        let name = if two { t("a against b") } else { t("All pairs in a") };
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| collection.compare_two(two)>
                {name}
            </button>
        }
    });
    view! {
        <div class="seg which-pairs" role="group" aria-label=t("What is compared")>
            {choose}
        </div>
        <div class="sides" class:two=is_two>
            <CollectionEditor side=FormSide::A is_typing />
            {move || is_two.get().then(|| view! { <CollectionEditor side=FormSide::B is_typing /> })}
        </div>
    }
}

/// Renders the editor of a side.
#[component]
fn CollectionEditor(side: FormSide, is_typing: RwSignal<bool>) -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let open = Callback::new(move |entries: DroppedEntries| {
        is_typing.set(false);
        collection.open_files(side, entries.files());
    });
    let typed = Memo::new(move |_| collection.form.with(|form| form.side(side).and_then(TextSide::typed).map(str::to_owned)));
    let type_text = move |event: ev::Targeted<ev::Event, HtmlTextAreaElement>| {
        is_typing.set(true);
        let text = event.target().value();
        collection.edit(|form| form.side_mut(side).retype(&text));
    };
    let name = move || {
        let only = |side: &TextSide| side.sources.first().filter(|_| side.sources.len() == 1).map(|only| only.name.to_string());
        collection.form.with(|form| form.side(side).and_then(only))
    };
    let counted = move || {
        let is_current = |texts: &ComparedTexts| texts.form.side(side).is_some();
        let counted = state.with(|texts| is_current(texts).then(|| sentences::counted(texts, side))).flatten();
        counted.unwrap_or_else(|| collection.form.with(|form| sentences::uncounted(form.side(side))))
    };
    let heading = move || match collection.form.with(|form| form.b.is_some()) {
        true => view! { <var>{side.name()}</var> }.into_any(),
        false => view! { <b>{t("Texts")}</b> }.into_any(),
    };
    // The text is the source. Only the solver divides it into records.
    let can_be_listed = Memo::new(move |_| {
        typed.with(|typed| typed.as_ref().is_some_and(|text| !text.is_empty()))
            && (collection.form.with(|form| form.side(side).is_some_and(TextSide::has_parts))
                || state.with(|texts| texts.form.side(side).is_some()) == Some(true))
    });
    let wants_list = RwSignal::new(false);
    // The next text is typed, and not listed.
    Effect::new(move |_| {
        if typed.with(|typed| typed.as_deref().is_none_or(str::is_empty)) {
            wants_list.set(false);
        }
    });
    let is_listed = Memo::new(move |_| wants_list.get() && can_be_listed.get());
    let views = [(true, t("List")), (false, t("Text"))].map(|(list, name)| {
        let pressed = move || if is_listed.get() == list { "true" } else { "false" };
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| wants_list.set(list)>
                {name}
            </button>
        }
    });
    let (id, count_id) = (id_of("texts", side), id_of("count-texts", side));
    view! {
        <DropArea label=Signal::derive(move || label_of(collection, side)) open>
            <header>
                <label for=id.clone()>
                    {heading}
                    " "
                    <span>{name}</span>
                </label>
                <span class="count" id=count_id.clone()>{counted}</span>
                <div class="seg" role="group" aria-label=t("View of the texts") hidden=move || !can_be_listed.get()>
                    {views}
                </div>
            </header>
            <textarea
                id=id
                aria-label=move || label_of(collection, side)
                aria-describedby=count_id
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=t("Type or paste one text in each line, or drop many files here.")
                hidden=move || typed.with(Option::is_none) || is_listed.get()
                prop:value=move || typed.get().unwrap_or_default()
                on:input:target=type_text
            ></textarea>
            {move || typed.with(Option::is_none).then(|| view! { <Files side is_typing /> })}
            {move || is_listed.get().then(|| view! { <MemberList side is_typing /> })}
            <ReadAs side />
            <footer>
                <FileButtons side is_typing />
            </footer>
        </DropArea>
    }
}

/// Renders the list of opened files. `is_typing` becomes true if a button is pressed.
#[component]
fn Files(side: FormSide, is_typing: RwSignal<bool>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let list = NodeRef::<Ol>::new();
    let renaming = Renaming::new(Callback::new(move |(number, name): (usize, String)| {
        collection.edit(|form| form.side_mut(side).sources.get_mut(number).into_iter().for_each(|source| source.rename(&name)));
    }));
    let sources = move |read: &dyn Fn(&[TextSource]) -> usize| {
        collection.form.with(|form| form.side(side).map(|side| read(&side.sources)).unwrap_or_default())
    };
    let count = Memo::new(move |_| sources(&|sources| sources.len()));
    let longest = Memo::new(move |_| sources(&|sources| sources.iter().map(|source| source.bytes.len()).max().unwrap_or(0).max(1)));
    let row = move |number: usize| {
        let source = Memo::new(move |_| {
            collection.form.with(|form| form.side(side).and_then(|side| side.sources.get(number).cloned())).unwrap_or_default()
        });
        let name = Signal::derive(move || source.with(|source| source.title().to_string()));
        let size = move || source.with(|source| bytes(source.bytes.len() as u64));
        let share = Signal::derive(move || source.with(|source| source.bytes.len()) as f64 / longest.get().max(1) as f64);
        let details = move || {
            let about = source.with(|source| source.about.clone());
            let (label, time) = (about.label.to_string(), about.handed_in.map(|time| time.to_string()));
            [Some(label).filter(|label| !label.is_empty()), time].into_iter().flatten().collect::<Vec<_>>().join(" · ")
        };
        let leave_says = move || tr!("Leave out {name}", name = name.get());
        let leave_out = move |_| {
            collection.edit(|form| {
                let sources = &mut form.side_mut(side).sources;
                if number < sources.len() {
                    sources.remove(number);
                }
            });
            focus_after_removal(list, number, id_of("texts", side));
        };
        renaming.cancel_if_changed(number, Memo::new(move |_| source.with(TextSource::identity)));
        view! {
            <li>
                <span>{renaming.name(number, name)} " " <span class="quiet">{details}</span></span>
                <span class="quiet">{size}</span>
                {length_bar(share)}
                {renaming.button(number, name)}
                <button class="btn ghost only" type="button" aria-label=leave_says on:click=leave_out>
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

/// Renders how the texts are divided, and files that were not read.
#[component]
fn ReadAs(side: FormSide) -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let split = Memo::new(move |_| collection.form.with(|form| form.side(side).map(|side| side.split)).unwrap_or_default());
    let is_column = Memo::new(move |_| collection.form.with(|form| form.side(side).is_some_and(|side| side.column.is_some())));
    let sources = Memo::new(move |_| collection.form.with(|form| form.side(side).map(|side| side.sources.clone())).unwrap_or_default());
    let guess = Memo::new(move |_| sources.with(|sources| guessed(sources)));
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let split = SPLITS.into_iter().find(|split| split.name() == name);
        collection.edit(|form| {
            let side = form.side_mut(side);
            side.column = guess.get_untracked().filter(|_| name == COLUMN);
            side.split = split.unwrap_or(side.split);
            // Numbers of other parts.
            side.set_edits(MemberEdits::default());
        });
    };
    let options = SPLITS.map(|rule| {
        view! {
            <option value=rule.name() prop:selected=move || !is_column.get() && split.get() == rule>
                {sentences::split_says(rule)}
            </option>
        }
    });
    let column_option = move || {
        (is_column.get() || guess.with(Option::is_some)).then(|| {
            view! {
                <option value=COLUMN prop:selected=move || is_column.get()>
                    {t("one cell of a table’s column")}
                </option>
            }
        })
    };
    let own = move |all: &[(FormSide, String)]| all.iter().filter(|(of, _)| *of == side).map(|(_, says)| says.clone()).collect::<Vec<_>>();
    let unread = Memo::new(move |_| collection.unread.with(|all| own(all)));
    let rows = move || unread.get().into_iter().map(|says| view! { <li>{says}</li> }).collect_view();
    let exceptions = move || state.with(|texts| sentences::exceptions(texts, side)).flatten();
    view! {
        <div class="read-as">
            <p>{exceptions}</p>
            <ul class="unread" role="status" hidden=move || unread.with(Vec::is_empty)>{rows}</ul>
            <label class="row">
                {t("Each text is")} <span class="select">
                    <select id=id_of("split", side) on:change:target=choose>
                        {options}
                        {column_option}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </label>
            <ColumnChooser side />
            {(side == FormSide::A).then(|| view! { <TemplateRow /> })}
        </div>
    }
}

/// Guesses the column of a single table.
fn guessed(sources: &[TextSource]) -> Option<ColumnChoice> {
    let [only] = sources else { return None };
    ColumnChoice::guess(&table::rows(&only.bytes))
}

/// Renders the buttons that open files and clear the texts.
#[component]
fn FileButtons(side: FormSide, is_typing: RwSignal<bool>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let (files, folder) = (NodeRef::<Input>::new(), NodeRef::<Input>::new());
    let open = Callback::new(move |files: Vec<PathFile>| {
        is_typing.set(false);
        collection.open_files(side, std::future::ready(files));
    });
    let clear = move |_| {
        is_typing.set(false);
        collection.unread.update(|all| all.retain(|(other, _)| *other != side));
        // The next texts are divided as those of an empty form.
        collection.clear(|form| *form.side_mut(side) = TextSide::default());
        // The button is hidden now.
        focus_next(move || document().get_element_by_id(&id_of("texts", side))?.dyn_into().ok());
    };
    let is_blank = move || collection.form.with(|form| form.side(side).is_none_or(TextSide::is_blank));
    let samples = (side == FormSide::A).then(|| {
        CollectionSample::ALL.map(|sample| {
            let show = move |_| open_sample(collection, is_typing, sample);
            view! {
                <button class="btn ghost small" type="button" on:click=show>
                    {sample_name(sample)}
                </button>
            }
        })
    });
    view! {
        <button class="btn ghost small" type="button" on:click=move |_| press(files)>
            {icon(Icon::Up)}
            {t("Open files")}
        </button>
        <FileField field=files choice=FileChoice::Files label=t("Files to compare") open />
        <button class="btn ghost small folder" type="button" on:click=move |_| press(folder)>
            {t("Open a folder")}
        </button>
        <FileField field=folder choice=FileChoice::Folder label=t("Folder to compare") open />
        <button class="btn ghost small" type="button" hidden=is_blank on:click=clear>
            {t("Clear")}
        </button>
        <span class="at-end" hidden=move || collection.form.with(|form| form.b.is_some())>{samples}</span>
        <span class="quiet" role="status">{move || collection.opening.with(|sides| sides.contains(&side)).then(|| t("Files are being read."))}</span>
    }
}

fn open_sample(collection: CollectionPage, is_typing: RwSignal<bool>, sample: CollectionSample) {
    is_typing.set(false);
    collection.unread.set(Vec::new());
    collection.replace(sample.form());
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
    let sides = move || {
        let row = |side: FormSide| {
            let name = collection.form.with(|form| form.side(side).map(sentences::name_of_side))?;
            let says = state.with(|texts| [Some(sentences::counted(texts, side)), sentences::exceptions(texts, side)]);
            let says = says.into_iter().flatten().flatten().collect::<Vec<_>>().join(" · ");
            let letter = state.is_two.get().then(|| view! { <var>{side.name()}</var> " " });
            Some(view! { <p>{letter} <b>{name}</b> " " <span>{says}</span></p> })
        };
        FormSide::BOTH.map(row)
    };
    let hide = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let is_hidden = event.target().checked();
        collection.look(|view| view.has_names = !is_hidden);
    };
    let unread = move || collection.unread.with(Vec::is_empty);
    let change = move |_| {
        is_typing.set(true);
        focus_texts(id_of("texts", FormSide::A));
    };
    view! {
        <section class="folded-texts projector-off" aria-label=t("Compared texts") hidden=move || !is_folded.get()>
            <div class="texts-of">{sides}</div>
            <p class="unread" hidden=unread>
                {move || collection.unread.with(|all| all.iter().map(|(_, says)| says.as_str()).collect::<Vec<_>>().join(" "))}
            </p>
            <div class="row">
                <label class="check">
                    <input type="checkbox" prop:checked=move || collection.view.with(|view| !view.has_names) on:change:target=hide />
                    <span>{t("Hide names")}</span>
                </label>
                // The focus moves here from the editor, which is hidden then.
                <button class="btn small" type="button" data-takes-focus="" on:click=change>
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
    let examples = CollectionSample::ALL.map(|sample| {
        let about = match sample {
            CollectionSample::Essays => t("Thirty hand-ins on one question. Which are alike, how much, and where? Counted in words."),
            CollectionSample::Barcodes => t("288 reads of 24 barcodes, with sequencing errors. Which reads belong together?"),
        };
        let open = Callback::new(move |()| {
            open_sample(collection, is_typing, sample);
            // The examples are gone now.
            focus_texts(id_of("texts", FormSide::A));
        });
        PageExample { name: sample_name(sample), about, open }
    });
    view! { <ExampleList examples /> }
}
