//! Texts about a step of a lens: the sentence and its reason, counts, the line of code, and the legend of the drawing.

use std::collections::BTreeMap;

use explain::lens::frame::{LensFrame, LensMark, PanelBody, PanelCell, ShownValue};
use leptos::prelude::*;

use super::scene::LensScene;
use crate::model::lens::glossary::OF_METHODS;
use crate::model::lens::lens_keys;
use crate::model::lens::marks::MarkStyle;
use crate::model::lens::sentence_parts::{LensSentencePart, parts};
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::term::{GlossaryPanel, with_terms};

/// Draws a sentence whose values have their own typefaces.
pub fn sentence(parts: Vec<LensSentencePart>) -> impl IntoView {
    let piece = |part: LensSentencePart| match part {
        LensSentencePart::Text(text) => with_terms(&text, &OF_METHODS).into_any(),
        LensSentencePart::Name(name) => view! { <var>{name}</var> }.into_any(),
        LensSentencePart::Symbols(symbols) => view! { <bdi class="m">{symbols}</bdi> }.into_any(),
        LensSentencePart::Bold(value) => view! { <b>{value}</b> }.into_any(),
    };
    parts.into_iter().map(piece).collect_view()
}

/// Renders the sentence about the current step, the reason and the cost.
#[component]
pub fn Told() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let said = move |at: usize| {
        let said = scene.frame.with(|frame| frame.sentences.get(at).cloned());
        said.map(|said| sentence(scene.watched.with_value(|watched| parts(&said, watched))))
    };
    let takes = move || said(2);
    let glossary = GlossaryPanel::provide();
    view! {
        <div class="step-says">
            <p class="say">{move || said(0)}</p>
            <p class="why projector-off">{move || said(1)}</p>
            {move || takes().map(|takes| view! { <p class="why takes">{takes}</p> })}
            {glossary.draw()}
        </div>
    }
}

/// Renders the counts that grow with the steps, with their totals.
#[component]
pub fn Counts() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let entries = move || {
        let counts = scene.frame.with(|frame| frame.counts.clone());
        let entry = |count: explain::lens::frame::LensCount| {
            let total = count.total.map(|total| view! { <small>" " {tr!("of {all}", all = grouped(total))}</small> });
            view! {
                <div>
                    <dt>{lens_keys::label(count.key)}</dt>
                    <dd>{grouped(count.now)} {total}</dd>
                </div>
            }
        };
        counts.into_iter().map(entry).collect_view()
    };
    view! { <dl class="counts">{entries}</dl> }
}

/// Renders the pseudocode of the method and its publication. The line that was executed last is marked.
#[component]
pub fn Code() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let now = Memo::new(move |_| scene.frame.with(|frame| frame.line));
    let lines = scene.code().iter().enumerate().map(|(at, line)| {
        let in_paper = (!line.number.is_empty()).then(|| tr!("Line {number} in the paper", number = line.number));
        let text = line.text.trim_start();
        // The continuation of a wrapped line is indented more than its start.
        let indent = line.text.len() - text.len();
        let is_near = move || now.get().is_some_and(|now| now.abs_diff(at) <= 1);
        view! {
            <li aria-current=move || (now.get() == Some(at)).then_some("step") class:near=is_near title=in_paper>
                <i>{at + 1}</i>
                <span style=("--indent", indent.to_string())>{text}</span>
            </li>
        }
    });
    let source = scene.watched.with_value(|watched| watched.task).map(|task| scene.name.source(task));
    let source = source.map(|source| match source.paper {
        "" => source.section.to_owned(),
        paper => tr!("Paper {paper}, section {section}", paper = paper, section = source.section),
    });
    view! {
        <section class="lines" aria-label=t("Code")>
            <h2>{lens_keys::name(scene.name)} " · " <a href="/papers">{source}</a></h2>
            <ol>{lines.collect_view()}</ol>
        </section>
    }
}

/// Returns the marks (highlights of cells) that a frame uses. A key is the mark's index in [`LensMark::ALL`]. Its value
/// says whether only bits have the mark.
fn marks(frame: &LensFrame) -> BTreeMap<usize, bool> {
    let mut seen = BTreeMap::new();
    let mut add = |entry: &PanelCell| {
        let is_bit = matches!(entry.value, ShownValue::Bit(_));
        entry.marks.iter().for_each(|mark| *seen.entry(mark as usize).or_insert(true) &= is_bit);
    };
    let mut all = |entries: &[PanelCell]| entries.iter().for_each(&mut add);
    for panel in &frame.panels {
        match &panel.body {
            PanelBody::Grid(grid) => {
                all(&grid.cells);
                grid.tapes_below.iter().for_each(|tape| all(&tape.cells));
            }
            PanelBody::Tapes(tapes) => tapes.tapes.iter().for_each(|tape| all(&tape.cells)),
            PanelBody::Lanes(lanes) => lanes.lanes.iter().flat_map(|lane| &lane.spans).for_each(|span| all(&[span.entry])),
            PanelBody::Bars(_) | PanelBody::Sums(_) => {}
        }
    }
    seen
}

/// Renders the legend: the meaning of the marks (highlights of cells) in the current drawing.
#[component]
pub fn Marked() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let seen = Memo::new(move |_| scene.frame.with(marks));
    let entries = move || {
        let entry = |(at, is_of_bits): (usize, bool)| {
            let mark = LensMark::ALL[at];
            view! {
                <li>
                    <svg class="pic" viewBox="0 0 24 24" aria-hidden="true" inner_html=chip(mark, is_of_bits)></svg>
                    {lens_keys::mark(mark)}
                </li>
            }
        };
        seen.get().into_iter().map(entry).collect_view()
    };
    view! {
        <ul class="marks" aria-label=t("What the marks mean")>
            {entries}
        </ul>
    }
}

/// Returns a cell of 24 × 24 units with `mark`, as SVG elements for the legend. If only bits have the mark
/// (`is_of_bits`), the cell is drawn as a bit that is 0.
fn chip(mark: LensMark, is_of_bits: bool) -> String {
    let shows = if is_of_bits { ShownValue::Bit(false) } else { ShownValue::Nothing };
    let look = MarkStyle::of_entry(&PanelCell::new(shows).with_mark(mark));
    let frame = look.frame.map(|frame| format!(r#"<rect class="{frame}" x="3" y="3" width="18" height="18"/>"#));
    let sign = look.sign.map(|sign| format!(r#"<text x="12" y="17" class="mid strong on">{sign}</text>"#));
    let stroke = if look.is_struck { r#"<path class="cut" d="M6 18L18 6"/>"# } else { "" };
    format!(
        r#"<rect class="{}" x="1.5" y="1.5" width="21" height="21"/>{}{}{stroke}"#,
        look.fill,
        frame.unwrap_or_default(),
        sign.unwrap_or_default()
    )
}
