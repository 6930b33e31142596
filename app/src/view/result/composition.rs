//! The composition of an alignment: the number of columns of each kind, as a bar to scale ([`shares`]) and as a legend
//! ([`legend`]).

use kernels::alignment::{AlignmentSummary, EditKind};
use kernels::job::Points;
use leptos::either::Either;
use leptos::prelude::*;

use crate::model::alignment::sign::class;
use crate::model::text::humanize::{self, decimals, grouped};
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chip::{chip, similar_chip};
use crate::view::widgets::prose::prose;

/// Width of the bar, in user units of the SVG.
const WIDTH: f64 = 1200.0;

/// A kind of alignment columns in the bar and the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// The columns of one edit.
    Edit(EditKind),
    /// Columns of different symbols with points above 0. They do not count as different.
    Similar,
    /// Columns of different symbols in an alignment with points.
    Different,
}

impl ColumnKind {
    fn edit(self) -> EditKind {
        match self {
            Self::Edit(edit) => edit,
            Self::Similar | Self::Different => EditKind::Substitute,
        }
    }

    /// Returns the place of the kind among equal, similar, different, inserted and deleted columns.
    fn index(self) -> usize {
        match self {
            Self::Edit(EditKind::Equal) => 0,
            Self::Similar => 1,
            Self::Different | Self::Edit(EditKind::Substitute | EditKind::Transpose) => 2,
            Self::Edit(EditKind::Insert) => 3,
            Self::Edit(EditKind::Delete) => 4,
        }
    }
}

/// The kinds of columns that the bar and the legend show, and their numbers.
#[derive(Clone, Debug)]
pub struct Composition {
    pub summary: AlignmentSummary,
    /// Number of columns of similar symbols.
    pub similar: u64,
    pub bar: Vec<ColumnKind>,
    pub legend: Vec<ColumnKind>,
    /// Points of equal, similar, different, inserted and deleted columns, when they are known.
    points: Option<RwSignal<Option<[Points; 5]>>>,
    /// Whether letters stand for sets of bases, so that letters that match need not be equal.
    has_codes: bool,
}

impl Composition {
    /// Creates the composition of an alignment without points.
    pub fn of_edits(summary: AlignmentSummary, bar: &[EditKind], legend: &[EditKind]) -> Self {
        let [bar, legend] = [bar, legend].map(|kinds| kinds.iter().copied().map(ColumnKind::Edit).collect());
        Self { summary, similar: 0, bar, legend, points: None, has_codes: false }
    }

    /// Creates the composition of an alignment with points. `similar` is `None` if no pairs of symbols are similar.
    /// `points` receives those of equal, similar, different, inserted and deleted columns.
    pub fn of_points(summary: AlignmentSummary, similar: Option<u64>, points: RwSignal<Option<[Points; 5]>>) -> Self {
        let mut kinds = vec![ColumnKind::Edit(EditKind::Equal)];
        kinds.extend(similar.map(|_| ColumnKind::Similar));
        kinds.extend([ColumnKind::Different, ColumnKind::Edit(EditKind::Insert), ColumnKind::Edit(EditKind::Delete)]);
        Self { summary, similar: similar.unwrap_or(0), bar: kinds.clone(), legend: kinds, points: Some(points), has_codes: false }
    }

    /// Sets whether letters stand for sets of bases.
    #[must_use]
    pub fn with_codes(self, has_codes: bool) -> Self {
        Self { has_codes, ..self }
    }

    /// Returns the name of a kind of alignment column.
    fn name(&self, kind: ColumnKind) -> &'static str {
        match kind {
            ColumnKind::Edit(EditKind::Equal) if self.has_codes => t("matching"),
            kind => name(kind),
        }
    }

    fn columns(&self, kind: ColumnKind) -> u64 {
        match kind {
            ColumnKind::Edit(edit) => columns(&self.summary, edit),
            ColumnKind::Similar => self.similar,
            ColumnKind::Different => self.summary.mismatches.saturating_sub(self.similar),
        }
    }
}

fn columns(summary: &AlignmentSummary, edit: EditKind) -> u64 {
    match edit {
        EditKind::Equal => summary.matches,
        EditKind::Substitute => summary.mismatches,
        EditKind::Insert => summary.insertions,
        EditKind::Delete => summary.deletions,
        // Each exchange has two columns.
        EditKind::Transpose => 2 * summary.transpositions,
    }
}

/// Returns the name of a kind of alignment column.
fn name(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Edit(EditKind::Equal) => t("equal"),
        ColumnKind::Edit(EditKind::Substitute) => t("substituted"),
        ColumnKind::Edit(EditKind::Insert) => t("inserted"),
        ColumnKind::Edit(EditKind::Delete) => t("deleted"),
        ColumnKind::Edit(EditKind::Transpose) => t("transposed"),
        ColumnKind::Similar => t("similar pairs"),
        ColumnKind::Different => t("different"),
    }
}

/// Draws a bar to scale with the numbers of columns of the kinds in `bar`, and a label for the bar.
pub fn shares(of: &Composition) -> impl IntoView + use<> {
    let total: u64 = of.bar.iter().map(|kind| of.columns(*kind)).sum();
    let share = |kind: ColumnKind| of.columns(kind) as f64 / total.max(1) as f64;
    let mut at = 0.0;
    let bars: Vec<_> = of
        .bar
        .iter()
        .map(|kind| {
            let x = at;
            at += WIDTH * share(*kind);
            let width = (at - x - 3.0).max(0.0);
            let class = if *kind == ColumnKind::Similar { "bar-x similar".to_owned() } else { format!("bar-{}", class(kind.edit())) };
            view! {
                <g class=class>
                    <rect class="ground" x=decimals(x, 1) width=decimals(width, 1) height="14"></rect>
                    <rect class="edge" x=decimals(x, 1) y="12" width=decimals(width, 1) height="2"></rect>
                </g>
            }
        })
        .collect();
    let said: Vec<String> =
        of.bar.iter().map(|kind| format!("{} {}", humanize::whole_percent(share(*kind)), of.name(*kind).replace('*', ""))).collect();
    let label = tr!("Shares of the columns: {shares}", shares = humanize::list(&said));
    let title = label.clone();
    view! {
        <svg class="shares" class:none=move || total == 0 viewBox="0 0 1200 14" preserveAspectRatio="none" role="img" aria-label=label>
            <title>{title}</title>
            {bars}
        </svg>
    }
}

/// Renders the legend: the kinds of columns with their numbers, or with those of exchanges. Entries of edits are toggle
/// buttons, which select the edits that are shown.
pub fn legend(of: &Composition) -> impl IntoView + use<> {
    let page = use_context::<Page>();
    let entries: Vec<_> = of
        .legend
        .iter()
        .map(|&kind| {
            let is_exchange = kind == ColumnKind::Edit(EditKind::Transpose);
            let number = if is_exchange { of.summary.transpositions } else { of.columns(kind) };
            let is_fixed = is_exchange || matches!(kind, ColumnKind::Edit(EditKind::Equal) | ColumnKind::Similar);
            let count = column_count(of.name(kind), kind, number, of.points.filter(|_| number > 0));
            match page.filter(|_| !is_fixed && number > 0) {
                Some(page) => Either::Left(view! { <li><Filter page kind count=count.into_any() /></li> }),
                None => Either::Right(view! { <li class:zero=number == 0>{chip_of(kind)} {count}</li> }),
            }
        })
        .collect();
    view! { <ul class="legend">{entries}</ul> }
}

/// Draws the chip of a kind of columns.
fn chip_of(kind: ColumnKind) -> impl IntoView {
    match kind {
        ColumnKind::Similar => Either::Left(similar_chip()),
        ColumnKind::Edit(_) | ColumnKind::Different => Either::Right(chip(kind.edit())),
    }
}

/// Draws `number`, the `name` of the kind `kind`, and its sum in `points` when that is known, such as "3 inserted, −14".
fn column_count(name: &'static str, kind: ColumnKind, number: u64, points: Option<RwSignal<Option<[Points; 5]>>>) -> impl IntoView {
    let points = move || points?.get().map(|points| format!(", {}", humanize::plus(points[kind.index()])));
    view! {
        <span>
            <b>{grouped(number)}</b>
            " "
            {prose(name)}
            {points}
        </span>
    }
}

/// Renders an entry of the legend as a toggle button. It is pressed while edits of the kind `kind` are coloured,
/// stepped through and listed.
#[component]
fn Filter(page: Page, kind: ColumnKind, count: AnyView) -> impl IntoView {
    let on = move || page.kinds.with(|kinds| kinds.has(kind.edit()));
    let title = move || if on() { t("Leave these out of next, previous and the list") } else { t("Include these again") };
    view! {
        <button
            class="kind"
            type="button"
            title=title
            aria-pressed=move || if on() { "true" } else { "false" }
            on:click=move |_| page.kinds.update(|kinds| *kinds = kinds.toggled(kind.edit()))
        >
            {chip_of(kind)}
            {count}
        </button>
    }
}
