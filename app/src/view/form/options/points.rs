//! Points of sequence alignment: their numbers ([`Numbers`]), the choice of the parts that are aligned ([`Parts`]), and a
//! note about both ([`note`]).

use kernels::job::{AlignmentMode, JobOptions, Points, PublishedMatrix, Scoring, ScoringMatrix};
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::custom_matrix::{CustomMatrixText, copied, too_large_beside_decimals};

use super::costs_host::CostsHost;
use super::number_input::{NumberField, number_input};
use crate::model::link::points::{ENDS, FreeEndField, matrix_of_name, name_of_matrix};
use crate::model::points::sentences::name_of_parts;
use crate::model::points::{AlignedParts, PointsNumber, PointsPreset, never_pairs_different, set_scoring, with_matrix};
use crate::model::problem::Problem;
use crate::model::text::humanize::signed;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::prose;

/// Value of the menu entry for points without a name.
pub(super) const OWN: &str = "own-points";

/// Value of the choice of a matrix that is not published.
const CUSTOM: &str = "custom";

/// Returns the name of a preset.
pub(super) fn called(preset: PointsPreset) -> &'static str {
    match preset {
        PointsPreset::NeedlemanWunsch => "Needleman–Wunsch",
        PointsPreset::Gotoh => "Gotoh",
        PointsPreset::SmithWaterman => "Smith–Waterman",
        PointsPreset::Blastn => t("DNA, as BLAST"),
        PointsPreset::Blosum62 => t("Protein, BLOSUM62"),
    }
}

/// Returns the menu entry of a preset.
pub(super) fn entry(preset: PointsPreset) -> &'static str {
    match preset {
        PointsPreset::NeedlemanWunsch => t("Needleman–Wunsch: equal +1, different −1, −1 for each symbol of a gap"),
        PointsPreset::Gotoh => t("Gotoh: +2 and −1; a gap: −2 to open, −1 for each symbol"),
        PointsPreset::SmithWaterman => t("Smith–Waterman: equal +3, different −3, −2 for each symbol of a gap"),
        PointsPreset::Blastn => t("DNA, as BLAST: +2 and −3; a gap: −5 to open, −2 for each symbol"),
        PointsPreset::Blosum62 => t("Protein, BLOSUM62: a number for every two residues; a gap: −11 and −1"),
    }
}

/// Returns a note about gaps: how other programs write the same gap, and whether different symbols are never paired.
pub(super) fn note(scoring: &Scoring) -> String {
    let gap = scoring.numbers().gap;
    let [open, each, first] = [gap.open, gap.extend, gap.open + gap.extend].map(signed);
    let range = t("Numbers from −1,000 to 1,000, or from −100 to 100 with one decimal; those of gaps are at most 0.");
    let same = tr!(
        "The first symbol of a gap costs both numbers, {first} in sum. BLAST writes this gap as existence {open} and extension {each}; EMBOSS as open {first} and extend {each}; Biopython as open −{first} and extend −{each}.",
        first = first,
        open = open,
        each = each
    );
    let never = if never_pairs_different(scoring) { t("Different symbols will never be paired: leaving out both costs less.") } else { "" };
    [range, &same, never].join(" ").trim_end().to_owned()
}

fn id(number: PointsNumber) -> &'static str {
    match number {
        PointsNumber::Equal => "points-equal",
        PointsNumber::Different => "points-different",
        PointsNumber::Open => "points-open",
        PointsNumber::Each => "points-each",
    }
}

fn label(number: PointsNumber) -> &'static str {
    match number {
        PointsNumber::Equal => t("Equal"),
        PointsNumber::Different => t("Different"),
        PointsNumber::Open => t("A gap opens"),
        PointsNumber::Each => t("Each symbol"),
    }
}

/// Parses a number in the language of the page.
fn parse(text: &str) -> Option<Points> {
    PointsNumber::parse(text, tr::language().marks())
}

/// Returns the problem of a text that is no value of `number`.
fn problem(number: PointsNumber, text: &str) -> Problem {
    let points = parse(text);
    let earns = number.is_of_gaps() && points.is_some_and(|points| points > Points::ZERO);
    let (title, detail) = match (number.is_of_gaps(), earns) {
        _ if points.is_some_and(|points| number.has_in_range(points)) => return too_large_beside_decimals(),
        (_, true) => (
            t("A gap must not earn points"),
            t("Type a number from −1,000 to 0. With points for gaps, the best alignment would be as many gaps as possible."),
        ),
        (true, false) => (t("Points have at most one decimal"), t("Type a number from −1,000 to 0.")),
        (false, false) => (t("Points have at most one decimal"), t("Type a number from −1,000 to 1,000.")),
    };
    Problem::new("bad-input", title, detail)
}

/// Returns the problem of a text that is no number of pieces.
fn problem_of_pieces() -> Problem {
    Problem::new("bad-input", t("The number of pieces is a whole number"), t("Type a number from 1 to 100."))
}

/// Changes the scoring of the form by calling `change`.
fn change(host: CostsHost, change: impl FnOnce(Scoring) -> Scoring) {
    host.set_options(|options| set_scoring(options, change(options.scoring())));
}

/// Renders the numbers of the scoring, and the choice of a matrix.
#[component]
pub(super) fn Numbers() -> impl IntoView {
    let host = expect_context::<CostsHost>();
    let scoring = Memo::new(move |_| host.form.with(|form| form.options.scoring()));
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let matrix =
            if name == CUSTOM { Some(host.form.with_untracked(copied).into()) } else { matrix_of_name(&name).map(ScoringMatrix::from) };
        change(host, |scoring| with_matrix(scoring, matrix));
    };
    let is_chosen = move |is: fn(&ScoringMatrix) -> bool| scoring.with(|scoring| scoring.matrix.as_ref().is_some_and(is));
    let matrix = move |matrix: PublishedMatrix| {
        let selected = move || scoring.with(|scoring| scoring.matrix.as_ref().and_then(ScoringMatrix::published) == Some(matrix));
        view! { <option value=name_of_matrix(matrix) prop:selected=selected>{matrix.name()}</option> }
    };
    let family = move |name: &'static str| {
        let matrices = PublishedMatrix::all().filter(|matrix| matrix.name().starts_with(name));
        view! { <optgroup label=name>{matrices.map(matrix).collect_view()}</optgroup> }
    };
    let field = move |number: PointsNumber| {
        let hidden = move || !number.is_of_gaps() && scoring.with(|scoring| scoring.matrix.is_some());
        let shown = move || Some(signed(scoring.with(|scoring| number.of(scoring))));
        let apply = move |text: &str| {
            let changed = parse(text).and_then(|points| scoring.with_untracked(|scoring| number.replace(scoring, points)));
            let changed = changed.ok_or_else(|| problem(number, text))?;
            change(host, |_| changed);
            Ok(())
        };
        view! {
            <div class="field" hidden=hidden>
                <label for=id(number)>{label(number)}</label>
                {number_input(host, NumberField { id: id(number), name: None, is_signed: true }, shown, apply)}
            </div>
        }
    };
    view! {
        <div class="numbers" role="group" aria-label=t("Points")>
            <div class="field">
                <label for="points-matrix">{t("Pairs by")}</label>
                <span class="select">
                    <select id="points-matrix" on:change:target=choose>
                        <option value="" prop:selected=move || scoring.with(|scoring| scoring.matrix.is_none())>{t("two numbers: equal, different")}</option>
                        {matrix(PublishedMatrix::NUC_4_4)} {["BLOSUM", "PAM"].map(family).collect_view()}
                        <option value=CUSTOM prop:selected=move || is_chosen(|matrix| matrix.published().is_none())>
                            {t("Custom matrix")}
                        </option>
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            {PointsNumber::ALL.map(field).collect_view()} <CustomMatrixText />
        </div>
    }
}

/// Returns the two bars of a picture of aligned parts, each as start and width of the text and of its aligned part.
fn bars(parts: AlignedParts) -> [[u32; 4]; 2] {
    match parts {
        AlignedParts::Whole => [[6, 60, 6, 60], [6, 60, 6, 60]],
        AlignedParts::BestPieces => [[6, 60, 24, 24], [6, 60, 24, 24]],
        AlignedParts::WithinB => [[22, 30, 22, 30], [6, 60, 22, 30]],
        AlignedParts::EndOnStart => [[6, 40, 26, 20], [26, 40, 26, 20]],
    }
}

/// Draws what is aligned: solid bars for aligned parts, thin lines for free ones.
fn picture(parts: AlignedParts) -> impl IntoView {
    let [a, b] = bars(parts);
    let bar = |[start, width, from, len]: [u32; 4], y: u32| {
        view! {
            <rect class="free" x=start y=y + 3 width=width height="2"></rect>
            <rect class="solid" x=from y=y width=len height="8"></rect>
        }
    };
    let ticks: String = (a[2] + 3..a[2] + a[3]).step_by(6).map(|x| format!("M{x} 13v6")).collect();
    view! {
        <svg viewBox="0 0 72 32" aria-hidden="true">
            {bar(a, 4)}
            <path class="pairs" d=ticks></path>
            {bar(b, 20)}
        </svg>
    }
}

/// Returns the label of the free end with this name in addresses.
fn name_of_end(name: &str) -> &'static str {
    match name {
        "a-start" => t("start of *a*"),
        "a-end" => t("end of *a*"),
        "b-start" => t("start of *b*"),
        _ => t("end of *b*"),
    }
}

/// Renders the choice of the parts that are aligned, and of the free ends of a semi-global alignment.
#[component]
pub(super) fn Parts() -> impl IntoView {
    let host = expect_context::<CostsHost>();
    let scoring = Memo::new(move |_| host.form.with(|form| form.options.scoring()));
    let choice = move |parts: AlignedParts| {
        let (name, field) = name_of_parts(parts);
        view! {
            <label>
                <input
                    type="radio"
                    name="aligned-parts"
                    prop:checked=move || scoring.with(AlignedParts::of) == parts
                    on:change=move |_| change(host, |scoring| parts.apply(scoring))
                />
                {picture(parts)}
                <span>
                    <b>{prose(name)}</b>
                    " "
                    <small>{field}</small>
                </span>
            </label>
        }
    };
    let end = move |(name, end): (&'static str, FreeEndField)| {
        let on = move || *end(&mut scoring.with(|scoring| scoring.free_ends));
        let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
            change(host, |mut scoring| {
                *end(&mut scoring.free_ends) = event.target().checked();
                scoring
            });
        };
        view! {
            <label class="check">
                <input type="checkbox" prop:checked=on on:change:target=set />
                <span>{prose(name_of_end(name))}</span>
            </label>
        }
    };
    let pieces = move || Some(host.form.with(|form| form.options.pieces).to_string());
    let set_pieces = move |text: &str| {
        let pieces = parse(text).filter(|pieces| pieces.is_whole()).and_then(|pieces| u32::try_from(pieces.rounded()).ok());
        let pieces = pieces.filter(|pieces| (1..=JobOptions::MAX_PIECES).contains(pieces)).ok_or_else(problem_of_pieces)?;
        host.set_options(|options| options.pieces = pieces);
        Ok(())
    };
    view! {
        <fieldset class="parts">
            <legend>{t("Align")}</legend>
            {AlignedParts::ALL.map(choice).collect_view()}
        </fieldset>
        <div class="field" hidden=move || !host.is_pair || scoring.with(|scoring| scoring.mode) != AlignmentMode::Local>
            <label for="pieces">{t("Number of best pieces")}</label>
            {number_input(host, NumberField { id: "pieces", name: None, is_signed: false }, pieces, set_pieces)}
        </div>
        <fieldset class="free-ends" hidden=move || scoring.with(|scoring| scoring.mode) != AlignmentMode::SemiGlobal>
            <legend>{t("Free ends")}</legend>
            {ENDS.map(end).collect_view()}
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_has_the_gap_of_other_programs() {
        let note_of_blast = note(&PointsPreset::Blastn.scoring());
        assert!(
            note_of_blast.contains("existence 5 and extension 2; EMBOSS as open 7 and extend 2; Biopython as open −7"),
            "{note_of_blast}"
        );
        assert!(
            !note_of_blast.contains("never")
                && note(&Scoring { different: -3, ..Scoring::DEFAULT }).ends_with("leaving out both costs less.")
        );
    }

    #[test]
    fn problem_names_the_range() {
        assert!(problem(PointsNumber::Equal, "1001").detail.contains("from −1,000 to 1,000"));
        assert_eq!(problem(PointsNumber::Open, "5").title, "A gap must not earn points");
        assert!(problem(PointsNumber::Each, "many").detail.contains("from −1,000 to 0."));
    }
}
