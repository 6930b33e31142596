//! Points and colours of the columns of `sequence-alignment`: switches above the rows, additions to the rows, and below
//! them the chosen column, sums and the substitution matrix. The code is downloaded when it is drawn ([`part`]).
//!
//! - [`decor`]: additions to the rows
//! - [`column`](mod@column): the chosen column, and pairs of letters with their sums
//! - [`grid`]: the substitution matrix

use std::collections::HashMap;
use std::sync::Arc;

use explain::points::{PointsSummary, PointsWindow};
use explain::worker_protocol::query::{PointSumsQuery, PointsQuery};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::scroller::{AlignmentScroller, WINDOW_ROWS};
use crate::model::alignment::columns::{ChosenColumn, RowPoints};
use crate::model::alignment::layout::ScrollItem;
use crate::model::alignment::residues::{ResidueColours, ResidueGroup};
use crate::model::alignment::rows::AlignmentRow;
use crate::model::form::FormText;
use crate::model::text::humanize::signed;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::widgets::prose::prose;
use crate::view::widgets::sheets::sheets;

mod column;
mod decor;
mod grid;

/// Id of the element below the rows, into which the part draws.
pub const BELOW: &str = "below-alignment";

/// Maximum number of cached windows of points.
const MAX_WINDOWS: usize = 128;

/// Draws the switches for points and colours, and adds both to the rows of the alignment.
#[inline(never)]
#[wasm_split(points, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn part() -> LazyPart<ShownResult> {
    Ok(|place, shown| draw_into(place, move || view! { <Points shown /> }))
}

/// Windows of points for rows of one width, by their numbers. `None` stands for a requested window.
#[derive(Clone, Debug, Default)]
struct PointWindows {
    width: u64,
    windows: HashMap<u64, Option<Arc<PointsWindow>>>,
}

/// State that the switches, the rows and the views below them share.
#[derive(Clone, Copy)]
struct PointsState {
    scroller: AlignmentScroller,
    page: Page,
    /// Meaning of the colours in the rows.
    colours: Memo<ResidueColours>,
    windows: RwSignal<PointWindows>,
    summary: RwSignal<Option<Arc<PointsSummary>>>,
    /// Whether letters are ambiguity codes.
    has_codes: bool,
}

impl PointsState {
    fn new(scroller: AlignmentScroller, page: Page, is_protein: bool, has_codes: bool) -> Self {
        let colours = Memo::new(move |_| {
            let name = page.link_view.with(|look| look.detail("colours").and_then(ResidueColours::of_name));
            name.filter(|_| is_protein).unwrap_or_default()
        });
        Self { scroller, page, colours, windows: RwSignal::default(), summary: RwSignal::new(None), has_codes }
    }

    /// Fetches the sums.
    fn fetch_sums(self) {
        let location = self.scroller.location();
        spawn_local(async move {
            if let Ok(summary) = location.query(PointSumsQuery {}).await {
                self.scroller.kind_points.try_set(Some(summary.by_kind()));
                self.summary.try_set(Some(Arc::new(summary)));
            }
        });
    }

    /// Fetches the points of all visible rows that are not loaded.
    fn fetch_visible(self) {
        let width = self.scroller.width.get();
        let mut numbers: Vec<u64> = self.scroller.in_view.with(|items| {
            items.iter().filter_map(|item| if let ScrollItem::Row(row) = item { Some(row / WINDOW_ROWS) } else { None }).collect()
        });
        numbers.dedup();
        if width == 0 {
            return;
        }
        let missing = self.windows.try_update_untracked(|all| {
            if all.width != width || all.windows.len() > MAX_WINDOWS {
                *all = PointWindows { width, windows: HashMap::new() };
            }
            numbers.retain(|number| !all.windows.contains_key(number));
            all.windows.extend(numbers.iter().map(|number| (*number, None)));
            numbers
        });
        for number in missing.unwrap_or_default() {
            let location = self.scroller.location();
            spawn_local(async move {
                let len = WINDOW_ROWS * width;
                let window = location.query(PointsQuery { from: number * len, len }).await.ok();
                self.windows.try_update(|all| {
                    if all.width == width {
                        match window {
                            Some(window) => drop(all.windows.insert(number, Some(Arc::new(window)))),
                            None => drop(all.windows.remove(&number)),
                        }
                    }
                });
            });
        }
    }

    /// Returns the points of a row when they are loaded.
    fn points_of(self, row: &AlignmentRow) -> Option<RowPoints> {
        let window = self.windows.with(|all| {
            let number = row.column.checked_div(all.width)? / WINDOW_ROWS;
            all.windows.get(&number).cloned().flatten()
        });
        RowPoints::new(row, &*window?)
    }

    /// Returns the chosen column when its row is loaded.
    fn chosen(self) -> Option<ChosenColumn> {
        let column = self.scroller.spot.get()?;
        let row = self.scroller.row(column.checked_div(self.scroller.width.get())?)?;
        ChosenColumn::new(column, &row, &self.points_of(&row)?)
    }

    /// Chooses the column `by` columns after the chosen one and scrolls to it if it is not visible.
    fn step(self, by: i64) {
        let all = self.scroller.summary.columns;
        let next = match self.scroller.spot.get_untracked() {
            Some(column) => column.saturating_add_signed(by).min(all.saturating_sub(1)),
            None => untrack(|| self.scroller.columns_in_view()).0,
        };
        let (from, end) = untrack(|| self.scroller.columns_in_view());
        if (from..end).contains(&next) {
            self.scroller.spot.set(Some(next));
        } else {
            self.scroller.go_to_column(next);
        }
    }

    /// Shows or hides the line of points.
    fn show_points(self, is_shown: bool) {
        self.scroller.has_points.set(is_shown);
        self.page.remember("points", (!is_shown).then(|| "0".to_owned()));
        // Rows have another height.
        request_animation_frame(move || {
            if self.scroller.width.try_get_untracked().is_some() {
                self.scroller.measure();
            }
        });
    }
}

/// Returns the column of the alignment at a pressed position, or `None` beside the columns.
fn pressed_column(event: &ev::MouseEvent, area: &HtmlElement) -> Option<u64> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let block = target.closest(".block[data-column]").ok()??;
    if !area.contains(Some(&block)) {
        return None;
    }
    let first: u64 = block.get_attribute("data-column")?.parse().ok()?;
    let len: u64 = block.get_attribute("data-len")?.parse().ok()?;
    let line = block.query_selector(".points-line").ok()??.get_bounding_client_rect();
    let at = (f64::from(event.client_x()) - line.left()) / line.width() * len as f64;
    (at >= 0.0 && at < len as f64).then_some(first + at as u64)
}

/// Renders the switches, and adds points and colours to the rows.
#[component]
fn Points(shown: ShownResult) -> impl IntoView {
    let (scroller, page) = (expect_context::<AlignmentScroller>(), expect_context::<Page>());
    let has = |what: fn(&FormText) -> bool| what(&shown.form.a) && what(&shown.form.b);
    let has_amino_acids = scroller.matrix.with_value(|matrix| matrix.as_ref().is_some_and(|matrix| matrix.letters().contains('X')));
    let is_protein = has(FormText::may_be_sequence) && (has_amino_acids || !has(FormText::may_be_dna));
    let state = PointsState::new(scroller, page, is_protein, shown.form.options.ambiguity);
    let (links, styled) = sheets(["points.css"]);
    state.fetch_sums();
    Effect::new(move |_| state.fetch_visible());
    // The rows change and everything below them is drawn once the rules apply.
    let mounted = StoredValue::new_local(None);
    Effect::new(move |_| {
        if styled.get() {
            scroller.decor.set(Some(decor::rows(state)));
            let below = document().get_element_by_id(BELOW).and_then(|element| element.dyn_into().ok());
            mounted.set_value(below.map(|element| draw_into(element, move || view! { <Below state /> })));
        }
    });
    let press = window_event_listener(ev::click, move |event| {
        let area = scroller.viewport.element();
        if let Some(column) = area.and_then(|area| pressed_column(&event, &area)) {
            scroller.spot.set(Some(column));
        }
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        let by = match event.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            _ => return,
        };
        let is_plain = !event.ctrl_key() && !event.alt_key() && !event.meta_key() && !event.shift_key();
        let has_focus = scroller.viewport.element().is_some_and(|area| document().active_element().as_ref() == Some(&*area));
        if is_plain && has_focus {
            event.prevent_default();
            state.step(by);
        }
    });
    on_cleanup(move || {
        press.remove();
        keys.remove();
        mounted.dispose();
    });
    view! {
        {links}
        {move || styled.get().then(|| tools(state, is_protein))}
    }
}

/// Renders the switches, and the score of each text with itself.
fn tools(state: PointsState, is_protein: bool) -> impl IntoView {
    let PointsState { scroller, page, colours, summary, .. } = state;
    let choices = is_protein.then(|| {
        let choice = |meaning: ResidueColours| {
            let choose = move |_| page.remember("colours", (meaning != ResidueColours::default()).then(|| meaning.name().to_owned()));
            view! {
                <button type="button" aria-pressed=move || if colours.get() == meaning { "true" } else { "false" } on:click=choose>
                    {meaning.title()}
                </button>
            }
        };
        view! {
            <span class="row">
                <span aria-hidden="true">{t("Colours")}</span>
                <span class="seg" role="group" aria-label=t("Colours")>
                    {ResidueColours::ALL.map(choice).collect_view()}
                </span>
            </span>
        }
    });
    let itself = move || {
        summary.get().map(|summary| {
            prose(&tr!("Aligned with itself, *a* scores {a} and *b* {b}.", a = signed(summary.a_itself), b = signed(summary.b_itself)))
        })
    };
    view! {
        <div class="points-tools">
            {choices}
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || scroller.has_points.get()
                    on:change:target=move |event| state.show_points(event.target().checked())
                />
                <span>{t("Points")}</span>
            </label>
            <span class="note">{itself}</span>
        </div>
    }
}

/// Renders the legend of colours, the chosen column, the pairs of letters, and the substitution matrix.
#[component]
fn Below(state: PointsState) -> impl IntoView {
    view! {
        {move || legend(state.colours.get())}
        <div class="points-below">
            {column::chosen(state)}
            {column::pairs(state)}
        </div>
        {grid::substitutions(state)}
    }
}

/// Renders the groups of amino acids with their colours and letters, if colours mean properties.
fn legend(colours: ResidueColours) -> impl IntoView {
    let groups = colours.groups();
    (!groups.is_empty()).then(|| {
        let entry = |group: &'static ResidueGroup| {
            view! {
                <li>
                    <span class=format!("chip aa {}", group.class) aria-hidden="true">
                        {&group.letters[..1]}
                    </span>
                    <span>{colours.property(group)} " " <span class="seq">{group.letters}</span></span>
                </li>
            }
        };
        view! { <ul class="legend residues" aria-label=t("Colours")>{groups.iter().map(entry).collect_view()}</ul> }
    })
}
