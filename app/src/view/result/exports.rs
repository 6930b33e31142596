//! Exports of a result: a menu of file formats for the alignment, the hits and the scores.

use explain::export::csv::BYTE_ORDER_MARK;
use explain::format::{AlignmentFormat, ExportFormat, FindingsFormat};
use kernels::event;
use kernels::job::Task;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use crate::backend::files;
use crate::model::form::{FormState, FormText};
use crate::model::preferences::{PositionBase, positions};
use crate::model::run::location::ResultLocation;
use crate::page::{Page, ShownResult};
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::widgets::icon::{Icon, icon};

/// Draws the list of formats in which a result can be exported.
#[inline(never)]
#[wasm_split(exports, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn exports() -> LazyPart<Signal<ShownResult>> {
    Ok(|place, shown| draw_into(place, move || view! { <Exports shown /> }))
}

fn label(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Json => "JSON",
        ExportFormat::Aligned(form) => match form {
            AlignmentFormat::Cigar => "CIGAR",
            AlignmentFormat::Text => t("Text blocks"),
            AlignmentFormat::Emboss => t("EMBOSS pair"),
            AlignmentFormat::Edits => t("CSV of edits"),
            AlignmentFormat::Paf => "PAF",
            AlignmentFormat::Sam => "SAM",
            AlignmentFormat::Blast => t("BLAST table"),
            AlignmentFormat::Diff => t("Unified diff"),
            AlignmentFormat::Subsequence => t("Subsequence"),
            AlignmentFormat::Vcf => "VCF",
            AlignmentFormat::Fasta => t("Aligned FASTA"),
            AlignmentFormat::Picture => t("Picture (SVG)"),
            AlignmentFormat::Report => t("Report (HTML)"),
        },
        ExportFormat::Listed(FindingsFormat::Hits) => t("CSV of matches"),
        ExportFormat::Listed(FindingsFormat::Paf) => t("PAF of matches"),
        ExportFormat::Listed(FindingsFormat::Sam) => t("SAM of matches"),
        ExportFormat::Listed(FindingsFormat::Bed) => t("BED of matches"),
        ExportFormat::Listed(FindingsFormat::Positions) => t("List of positions"),
        ExportFormat::Listed(FindingsFormat::Scores) => t("CSV of scores"),
    }
}

/// The setting whether saved tables begin with a byte order mark, by which Excel recognizes UTF-8.
#[derive(Clone, Copy)]
struct ByteOrderMark(RwSignal<bool>);

impl ByteOrderMark {
    /// Returns whether a file in `format` begins with a byte order mark, given the setting `mark`.
    fn is_on(mark: Option<Self>, format: ExportFormat) -> bool {
        format.is_comma_separated() && mark.is_some_and(|Self(is_on)| is_on.get())
    }
}

/// Returns the formats in which the alignment of a result can be exported. Formats of hits are offered beside the list
/// of hits.
fn of_alignment(form: &FormState) -> impl Iterator<Item = ExportFormat> + use<> {
    let (task, options) = (form.task, form.job_options());
    let has = |what: fn(&FormText) -> bool| what(&form.a) && what(&form.b);
    let (is_dna, is_sequence) = (has(FormText::may_be_dna), has(FormText::may_be_sequence));
    let suits = move |format: &ExportFormat| match format {
        ExportFormat::Listed(_) => false,
        ExportFormat::Aligned(AlignmentFormat::Vcf) => is_dna,
        ExportFormat::Aligned(AlignmentFormat::Fasta | AlignmentFormat::Emboss) => is_sequence,
        ExportFormat::Aligned(_) | ExportFormat::Json => true,
    };
    ExportFormat::ALL.into_iter().filter(move |format| format.suits(task, &options) && suits(format))
}

/// Returns the formats in which all hits of a search can be exported. Leaves out formats for biological sequences
/// unless both texts may be sequences.
pub(crate) fn of_hits(form: &FormState) -> impl Iterator<Item = ExportFormat> + use<> {
    let (task, options) = (form.task, form.job_options());
    let is_sequence = form.a.may_be_sequence() && form.b.may_be_sequence();
    let listed = [FindingsFormat::Hits, FindingsFormat::Positions, FindingsFormat::Paf, FindingsFormat::Sam, FindingsFormat::Bed]
        .map(ExportFormat::Listed);
    let of_sequences = move |format: &ExportFormat| {
        is_sequence || matches!(format, ExportFormat::Listed(FindingsFormat::Hits | FindingsFormat::Positions))
    };
    listed.into_iter().filter(move |format| format.suits(task, &options) && of_sequences(format)).chain([ExportFormat::Json])
}

/// Returns the groups of the export menu: the heading and the formats of each. `has_hits` is `false` for a search that
/// found nothing, and for a distance above its limit.
fn groups(form: &FormState, has_hits: bool) -> Vec<(&'static str, Vec<ExportFormat>)> {
    if !has_hits && form.task == Task::EditDistance {
        return vec![(t("The answer"), vec![ExportFormat::Json])];
    }
    if !has_hits {
        // An empty table is of no use. But the list of positions states that nothing was found, as the program of paper
        // 004 does.
        let says_so = |format: &ExportFormat| matches!(format, ExportFormat::Listed(FindingsFormat::Positions) | ExportFormat::Json);
        return vec![(t("The matches"), of_hits(form).filter(says_so).collect())];
    }
    if Task::SEARCHES.contains(&form.task) {
        let scores = ExportFormat::Listed(FindingsFormat::Scores);
        let has_scores = scores.suits(form.task, &form.job_options()) && !form.job_options().count_only;
        let (biology, all): (Vec<_>, Vec<_>) = of_hits(form).partition(is_of_biology);
        return vec![(t("The matches"), all.into_iter().chain(has_scores.then_some(scores)).collect()), (t("For biology"), biology)];
    }
    let (biology, all): (Vec<_>, Vec<_>) = of_alignment(form).partition(is_of_biology);
    let is_sequence = form.a.may_be_sequence() && form.b.may_be_sequence();
    vec![(t("The alignment"), all), (t("For biology"), biology.into_iter().filter(|_| is_sequence).collect())]
}

/// Returns whether `format` is read mainly by programs for biological sequences.
fn is_of_biology(format: &ExportFormat) -> bool {
    matches!(
        format,
        ExportFormat::Aligned(
            AlignmentFormat::Emboss
                | AlignmentFormat::Paf
                | AlignmentFormat::Sam
                | AlignmentFormat::Blast
                | AlignmentFormat::Vcf
                | AlignmentFormat::Fasta
        ) | ExportFormat::Listed(FindingsFormat::Paf | FindingsFormat::Sam | FindingsFormat::Bed)
    )
}

/// Renders the list of formats for the alignment of the opened hit at `at`.
#[component]
pub fn ExportsOfHit(at: ResultLocation, form: FormState) -> impl IntoView {
    let task = form.task;
    let items = of_alignment(&form).map(|format| view! { <li><Save at=at.clone() task format /></li> }).collect_view();
    view! {
        <div class="export-menu">
            <ul>{items}</ul>
        </div>
    }
}

/// Renders the export menu of a result.
#[component]
fn Exports(shown: Signal<ShownResult>) -> impl IntoView {
    let serial = Memo::new(move |_| shown.with(|shown| shown.serial));
    let files = move |_: u32| {
        let shown = shown.get_untracked();
        let has_hits = !matches!(
            shown.run.answer,
            Some(
                event::TaskAnswer::ExactSearch { total: 0, .. }
                    | event::TaskAnswer::ApproximateSearch { total: 0, .. }
                    | event::TaskAnswer::EditDistance { distance: None, .. }
            )
        );
        view! { <ExportsOf at=shown.location form=shown.form has_hits /> }
    };
    view! { <For each=move || [serial.get()] key=|serial| *serial children=files /> }
}

/// Renders the entries of the menu for the result at `at`. `has_hits` is `false` for a search that found nothing, and for
/// a distance above its limit. An exported picture shows the columns that are visible on the page.
#[component]
fn ExportsOf(at: ResultLocation, form: FormState, has_hits: bool) -> impl IntoView {
    let task = form.task;
    let group = |(title, formats): (&'static str, Vec<ExportFormat>)| {
        let items = formats.into_iter().map(|format| view! { <li><Save at=at.clone() task format /></li> }).collect_view();
        view! {
            <h3>{title}</h3>
            <ul>{items}</ul>
        }
    };
    let groups = groups(&form, has_hits);
    let mark = ByteOrderMark(RwSignal::new(false));
    provide_context(mark);
    let has_table = groups.iter().any(|(_, formats)| formats.iter().any(|format| format.is_comma_separated()));
    let groups = groups.into_iter().filter(|(_, formats)| !formats.is_empty()).map(group).collect_view();
    let mark = has_table.then(|| {
        view! {
            <label class="check">
                <input type="checkbox" prop:checked=mark.0 on:change:target=move |event| mark.0.set(event.target().checked()) />
                <span>{t("CSV for Excel (with a byte order mark)")}</span>
            </label>
        }
    });
    let print = |_| drop(window().print());
    view! {
        <div class="export-menu">
            {groups}
            {mark}
            <ul>
                <li>
                    <button class="btn small" type="button" on:click=print>
                        {icon(Icon::Print)}
                        {t("Print")}
                    </button>
                </li>
            </ul>
            <p class="note" hidden=positions() == PositionBase::FromZero>
                {t("Files count positions as their format does, whatever is chosen here: from 1 in text blocks, EMBOSS, BLAST, SAM and VCF, from 0 in all others.")}
            </p>
            <p class="note" hidden=positions() == PositionBase::FromOne>
                {t("Positions count from 0, in text blocks, EMBOSS and BLAST from 1. The number at the right of a row is where the next row starts. The picture is of the rows in view.")}
            </p>
        </div>
    }
}

/// Renders a button that saves a file in `format`, or a link if the server creates the file.
#[component]
pub fn Save(at: ResultLocation, task: Task, format: ExportFormat) -> impl IntoView {
    let page = expect_context::<Page>();
    let name = format.file_name(task);
    let picture = format == ExportFormat::Aligned(AlignmentFormat::Picture);
    let mark = use_context::<ByteOrderMark>();
    match at.export_address(format).filter(|_| !picture) {
        Some(address) => Either::Left(view! {
            <a
                class="btn small"
                href=move || if ByteOrderMark::is_on(mark, format) { format!("{address}&bom=1") } else { address.clone() }
                download=name
            >
                {icon(Icon::Down)}
                {label(format)}
            </a>
        }),
        None => {
            let save = move |_| {
                // If no rows of columns are visible, because both texts are shown side by side, the picture shows the
                // first columns.
                let (from, to) = page.in_view.get_value().filter(|(from, to)| to > from).unwrap_or((0, 400));
                let (at, name) = (at.clone(), name.clone());
                let before = if untrack(|| ByteOrderMark::is_on(mark, format)) { BYTE_ORDER_MARK } else { "" };
                spawn_local(async move {
                    match at.export(format, (from, to - from)).await {
                        Ok(bytes) => files::save_bytes(&[before.as_bytes(), &bytes].concat(), &name),
                        Err(problem) => page.problem.set(Some(problem)),
                    }
                });
            };
            Either::Right(view! {
                <button class="btn small" type="button" on:click=save>
                    {icon(Icon::Down)}
                    {label(format)}
                </button>
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Unit;

    use super::*;

    #[test]
    fn sequence_formats_are_offered_for_sequences() {
        let named = |a: &str, b: &str, task| {
            let form = FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(task) };
            let formats: Vec<ExportFormat> =
                if task == Task::EditDistance { of_alignment(&form).collect() } else { of_hits(&form).collect() };
            formats.into_iter().map(ExportFormat::name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(named("GAT", ">x\nGATC\n", Task::EditDistance), "cigar text json emboss paf sam edits vcf fasta svg html");
        assert_eq!(named("kitten", "sitting", Task::EditDistance), "cigar text json emboss paf sam edits fasta svg html");
        assert_eq!(named("a cat", "the cat", Task::EditDistance), "cigar text json paf sam edits svg html");
        assert_eq!(named("GAT", "GATC", Task::ExactSearch), "csv positions hits-paf hits-sam bed json");
        assert_eq!(named("cat", "the cat", Task::MatchCount), "csv json");
    }

    #[test]
    fn formats_are_offered_that_suit_the_alignment() {
        let mut form = FormState::new(Task::EditDistance);
        let labels = |form: &FormState| of_alignment(form).map(label).collect::<Vec<_>>();
        assert_eq!(labels(&form), ["CIGAR", "Text blocks", "JSON", "PAF", "SAM", "CSV of edits", "Picture (SVG)", "Report (HTML)"]);
        form.options.unit = Unit::Lines;
        assert_eq!(labels(&form), ["CIGAR", "Text blocks", "JSON", "Unified diff", "CSV of edits", "Picture (SVG)", "Report (HTML)"]);
    }
}
