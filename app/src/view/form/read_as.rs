//! The note beside a text about how it was read ([`ReadAsBar`]): its format and the parts left out, with a switch, and
//! a choice of records.

use kernels::job::{FastaMode, Task, Unit};
use kernels::reading::ReadWarning;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use crate::model::form::records::{
    MAX_OFFERED_RECORDS, ReadingReport, RecordOption, choice_of, doubts, entries, entry_of, is_searched, looks_like_records, typed_choice,
};
use crate::model::form::{FormSide, ReadOnlyReason, TextContent};
use crate::model::text::humanize;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

fn label(fasta: FastaMode) -> &'static str {
    match fasta {
        FastaMode::Auto => t("what it looks like"),
        FastaMode::Never => t("text"),
        FastaMode::Always => t("FASTA or FASTQ"),
    }
}

/// Renders the note if the text is a file of a known format, if it looks like a file, or if the visitor chose how to
/// read it.
#[component]
pub fn ReadAsBar(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    // Keeps the previous information while a text that this device does not read is read again.
    let before = StoredValue::new(None::<(TextContent, ReadingReport)>);
    let told = Memo::new(move |_| {
        let told = reading_of(page, which);
        page.form.with(|form| match &form.side(which).content {
            TextContent::Typed(_) => told,
            content => {
                if let Some(told) = &told {
                    before.set_value(Some((content.clone(), told.clone())));
                }
                told.or_else(|| before.get_value().filter(|(of, _)| of == content).map(|(_, told)| told))
            }
        })
    });
    let doubted = Memo::new(move |_| with_warnings(page, |warnings| doubts(which, warnings)));
    let is_shown = Memo::new(move |_| {
        told.with(|told| told.as_ref().is_some_and(ReadingReport::is_of_note))
            || may_be_file(page, which)
            || doubted.with(|doubted| !doubted.is_empty())
    });
    let has_switch = move || page.form.with(|form| by_letters(form.options.unit));
    let says = move || told.with(|told| told.as_ref().map(ReadingReport::in_words).unwrap_or_default());
    view! {
        <Show when=move || is_shown.get()>
            <div class="read-as">
                <p>{says}</p>
                {move || doubted.get().into_iter().map(|doubt| view! { <p class="doubt">{doubt}</p> }).collect_view()}
                <Show when=has_switch>
                    <Records which told />
                    <Switch which />
                </Show>
            </div>
        </Show>
    }
}

/// Returns the report on how this device read a text, or else how the run read it.
fn reading_of(page: Page, which: FormSide) -> Option<ReadingReport> {
    let problem = page.trouble();
    page.form_facts.with(|read| {
        page.run.with(|run| {
            let of_run = run.reading.as_ref().map(|reading| if which == FormSide::A { &reading.a } else { &reading.b });
            ReadingReport::of(which, problem.as_ref(), read.as_ref().map(|read| &read.side(which).read_as).or(of_run))
        })
    })
}

/// Calls `of` with the warnings from reading the texts on this device, or else with those from the run.
fn with_warnings<T: Default>(page: Page, of: impl Fn(&[ReadWarning]) -> T) -> T {
    page.form_facts.with(|read| match read {
        Some(read) => of(&read.warnings),
        None => page.run.with(|run| run.reading.as_ref().map(|reading| of(&reading.warnings)).unwrap_or_default()),
    })
}

/// Returns whether a text looks like a file of records or the visitor chose how it is read.
fn may_be_file(page: Page, which: FormSide) -> bool {
    page.form.with(|form| {
        let side = form.side(which);
        let looks = match &side.content {
            TextContent::Typed(text) => looks_like_records(text),
            TextContent::File { head, .. } | TextContent::Stored { head, .. } => looks_like_records(head),
        };
        !side.is_blank() && by_letters(form.options.unit) && (looks || !form.options.fasta.is_auto())
    })
}

/// Returns whether the page must say how a text was read or offer another way to read it.
pub fn needs_note(page: Page, which: FormSide) -> bool {
    let has_warning = move || with_warnings(page, |warnings| warnings.iter().any(|warning| warning.text.as_deref() == Some(which.name())));
    reading_of(page, which).is_some_and(|told| told.is_of_note())
        || may_be_file(page, which)
        || has_warning()
        || has_two_lines(page, which)
        || read_only(page, which).is_some()
}

/// Returns whether a text has two lines, so that one of them can be searched for in the other.
pub(crate) fn has_two_lines(page: Page, which: FormSide) -> bool {
    page.form.with(|form| {
        let other = if which == FormSide::A { &form.b } else { &form.a };
        form.task == Task::ExactSearch && other.is_blank() && form.side(which).may_be_two_lines()
    })
}

/// Returns the reason why a text that is short enough to edit is shown read-only.
pub(crate) fn read_only(page: Page, which: FormSide) -> Option<ReadOnlyReason> {
    page.form.with(|form| form.side(which).read_only())
}

/// Returns whether `unit` is smaller than a word. Sequence files consist of letters, so that only such units suit them.
fn by_letters(unit: Unit) -> bool {
    !matches!(unit, Unit::Words | Unit::Lines)
}

/// Renders the switch between the format of the file and plain text. Its setting applies to both texts, so that the
/// switches of both move together.
#[component]
fn Switch(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let id = format!("read-as-{}", which.name());
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let chosen = event.target().value();
        if let Some(fasta) = FastaMode::ALL.into_iter().find(|fasta| fasta.name() == chosen) {
            page.set_fasta(fasta);
        }
    };
    let options = FastaMode::ALL.map(|fasta| {
        let selected = move || page.form.with(|form| form.options.fasta) == fasta;
        view! { <option value=fasta.name() prop:selected=selected>{label(fasta)}</option> }
    });
    view! {
        <span class="row">
            <label for=id.clone()>{t("Read both as")}</label>
            <span class="select small">
                <select id=id on:change:target=choose>
                    {options.collect_view()}
                </select>
                {icon(Icon::Chevron)}
            </span>
        </span>
    }
}

/// Renders the choice of records of a file: a list, and a field for their names if the list does not hold all. `told`
/// says how the text was read.
#[component]
fn Records(which: FormSide, told: Memo<Option<ReadingReport>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let name = which.name();
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| page.choose(which, choice_of(&event.target().value()));
    let named = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let value = event.target().value();
        if !value.trim().is_empty() {
            page.choose(which, typed_choice(&value));
        }
    };
    let searched = Memo::new(move |_| page.form.with(|form| is_searched(form, which)));
    let several = Memo::new(move |_| told.get().filter(|told| told.records > 1));
    let list = move |told: ReadingReport| {
        let current = page.form.with(|form| entry_of(&form.side(which).choice, &told, searched.get()));
        let option = |RecordOption { value, label }: RecordOption| {
            let selected = value == current;
            view! { <option value=value selected=selected prop:selected=selected>{label}</option> }
        };
        let options = entries(&told, searched.get()).into_iter().map(option).collect_view();
        let more = told.records > MAX_OFFERED_RECORDS;
        view! {
            <span class="row">
                <label for=format!("record-{name}")>{humanize::count(told.records, "record", "records")}</label>
                <span class="select small">
                    <select id=format!("record-{name}") on:change:target=choose>
                        {options}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
                {more
                    .then(|| {
                        view! {
                            <input
                                class="text column"
                                autocomplete="off"
                                spellcheck="false"
                                aria-label=tr!("Record of {name}, by name or number", name = name)
                                placeholder=t("name or number")
                                on:change:target=named
                            />
                        }
                    })}
            </span>
        }
    };
    move || several.get().map(list)
}

/// Formats the length of a text as far as known, such as "1,000,000 letters, 4 distinct".
pub fn count(page: Page, which: FormSide) -> String {
    let unit = page.form.with(|form| form.options.unit);
    let (bytes, stored) = page.form.with(|form| {
        let side = form.side(which);
        let stored = match &side.content {
            TextContent::Stored { symbols, .. } => Some(*symbols),
            TextContent::Typed(_) | TextContent::File { .. } => None,
        };
        (side.bytes(), stored)
    });
    if let Some(symbols) = stored {
        return humanize::symbols(symbols, unit);
    }
    page.form_facts.with(|read| match read {
        Some(read) => {
            let facts = read.side(which);
            let header = facts.name.as_ref().map_or_else(String::new, |name| format!("{name} · "));
            format!("{header}{}", humanize::symbols(facts.symbols, unit))
        }
        None => counted(page, which).map_or_else(|| humanize::symbols(bytes, Unit::Bytes), |symbols| humanize::symbols(symbols, unit)),
    })
}

/// Returns the number of symbols of a text that this device has not read, as counted by its job.
fn counted(page: Page, which: FormSide) -> Option<u64> {
    page.form.with(|form| {
        page.shown.with(|shown| {
            let shown = shown.as_ref().filter(|shown| shown.form.side(which) == form.side(which) && shown.form.options == form.options)?;
            Some(if which == FormSide::A { shown.symbols.0 } else { shown.symbols.1 })
        })
    })
}
