//! Both texts line by line, side by side or in one column, if symbols are words or lines. Only the visible rows are
//! drawn. [`SideBySideState`] has the rows and the scroll position.
//!
//! - [`row`]: one row
//! - [`copy`]: copies to the clipboard
//! - [`moves`]: the moved blocks, above the rows

use std::collections::HashMap;
use std::sync::Arc;

use explain::difference_filter::EditKinds;
use explain::side_by_side::{MarkedLine, RowPair, SideBySideOutline};
use explain::worker_protocol::query::{OutlineQuery, RowPairsQuery};
use kernels::alignment::EditKind;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use self::copy::{CopyRows, column_of, copy_column};
use self::moves::moved_blocks;
use self::row::{Rows, drawn};
use super::AlignmentLayout;
use super::edits::{INITIAL_LISTED_EDITS, in_words, more, note, quoted, table};
use crate::backend::sleep;
use crate::model::alignment::side_by_side::{ChunkLayout, RowChunk, next_change};
use crate::model::run::location::ResultLocation;
use crate::model::text::humanize::{self, grouped};
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::browser::resized::on_resize;
use crate::view::widgets::chip::chip;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::viewport::Viewport;

mod copy;
mod moves;
mod row;

/// Estimated height of a row before it is measured, in pixels.
const ROW: f64 = 34.0;

/// Minimum number of rows of a view that has a field to go to a row by its number.
const MIN_ROWS_FOR_GOTO: u64 = 60;

/// Height above and below the visible part within which rows are drawn in advance, in pixels.
const MARGIN: f64 = 400.0;

/// Maximum number of cached chunks (blocks of neighbouring rows that are fetched together). The visible part needs
/// three or four.
const MAX_CACHED_CHUNKS: usize = 400;

/// State of the side-by-side view: its rows and their positions. Copies share one state.
#[derive(Clone, Copy)]
pub struct SideBySideState {
    location: StoredValue<ResultLocation>,
    outline: RwSignal<Arc<SideBySideOutline>>,
    fold: RwSignal<bool>,
    opened: RwSignal<Vec<u64>>,
    chunks: RwSignal<ChunkLayout>,
    rows: RwSignal<HashMap<RowChunk, Arc<Vec<RowPair>>>>,
    current: RwSignal<Option<usize>>,
    /// Number of the first visible row.
    top: RwSignal<u64>,
    /// The pending return to the row that was the first visible one in the previous result. `None` after the return,
    /// and when the visitor scrolls.
    returns: StoredValue<Option<ScrollReturn>>,
    viewport: Viewport,
    kinds: RwSignal<EditKinds>,
    /// Whether both texts are in one column instead of side by side.
    in_one_column: Memo<bool>,
}

/// A return to the row that was the first visible one in the previous result. It takes several scroll steps, because
/// the height of a row is unknown until the row is drawn.
#[derive(Clone, Copy)]
struct ScrollReturn {
    row: u64,
    /// Scroll position after the latest scroll step, in pixels.
    scroll_top: f64,
    /// Number of remaining scroll steps.
    steps: u8,
}

/// Maximum number of scroll steps of a [`ScrollReturn`].
const MAX_RETURN_STEPS: u8 = 20;

impl SideBySideState {
    /// Creates the state for a result in the layout `way`, and requests the outline of its rows. Sets `refused` if the
    /// result has no rows side by side.
    pub(super) fn new(shown: &ShownResult, way: RwSignal<AlignmentLayout>, refused: RwSignal<bool>) -> Self {
        let page = expect_context::<Page>();
        let pages = Self {
            location: StoredValue::new(shown.location.clone()),
            outline: RwSignal::default(),
            fold: page.stored_setting(SettingLifetime::Always, "editions-fold", true, |fold| fold),
            opened: page.stored_setting(SettingLifetime::WithTexts, "editions-opened", Vec::new(), |opened| opened),
            chunks: RwSignal::default(),
            rows: RwSignal::default(),
            current: RwSignal::new(None),
            top: page.stored_setting(SettingLifetime::WithTexts, "editions-top", 0, |top| top),
            returns: StoredValue::new(None),
            viewport: Viewport::new(),
            kinds: page.kinds,
            in_one_column: Memo::new(move |_| way.get() == AlignmentLayout::Column),
        };
        pages.stay_at_top();
        let at = shown.location.clone();
        spawn_local(async move {
            match at.query(OutlineQuery {}).await {
                Ok(outline) => drop(pages.outline.try_set(Arc::new(outline))),
                Err(_) => drop(refused.try_set(true)),
            }
        });
        pages
    }

    /// Connects the state with the drawn scroll area. Recomputes the positions of rows whenever rows fold or unfold,
    /// fetches visible rows that are not loaded, and measures drawn rows.
    fn attach(self) {
        Effect::new(move |before: Option<bool>| {
            // The heights of rows depend on the layout, and a redrawn area starts at the top.
            let in_one_column = self.in_one_column.get();
            if before != Some(in_one_column) {
                self.stay_at_top();
            }
            let chunks = ChunkLayout::new(&self.outline.get(), ROW, self.fold.get(), &self.opened.get());
            self.chunks.set(chunks);
            in_one_column
        });
        Effect::new(move |_| {
            let (scroll, height) = self.viewport.sight();
            let missing: Vec<RowChunk> = self.chunks.with(|chunks| {
                let seen = chunks.visible(scroll, height, MARGIN);
                self.rows.with_untracked(|rows| seen.iter().copied().filter(|it| !it.folded && !rows.contains_key(it)).collect())
            });
            for chunk in missing {
                self.rows.update_untracked(|rows| {
                    if rows.len() > MAX_CACHED_CHUNKS {
                        rows.retain(|kept, _| kept.first.abs_diff(chunk.first) < MAX_CACHED_CHUNKS as u64);
                    }
                    rows.insert(chunk, Arc::default());
                });
                spawn_local(async move {
                    let at = self.location.get_value();
                    match at.query(RowPairsQuery { from: chunk.first, len: chunk.len }).await {
                        Ok(twins) => drop(self.rows.try_update(|rows| rows.insert(chunk, Arc::new(twins)))),
                        Err(_) => drop(self.rows.try_update_untracked(|rows| rows.remove(&chunk))),
                    }
                });
            }
        });
        // Measures rows once they are drawn.
        Effect::new(move |_| {
            self.rows.track();
            self.chunks.track();
            self.viewport.sight();
            request_animation_frame(move || self.measure());
        });
        on_resize(self.viewport.area, move |_| self.measure());
    }

    /// Measures the heights of the drawn rows and updates the positions of all rows. Visible rows stay where they are.
    fn measure(self) {
        let Some(area) = self.viewport.element() else { return };
        let Ok(Some(tall)) = area.query_selector(".tall") else { return };
        let placed = std::iter::successors(tall.first_element_child(), web_sys::Element::next_element_sibling);
        let drawn = placed.filter_map(|place| place.first_element_child()?.dyn_into::<HtmlElement>().ok());
        let mut heights = Vec::new();
        let known = untrack(|| self.in_view());
        for element in drawn {
            let first = element.dataset().get("rows").and_then(|first| first.parse::<u64>().ok());
            let chunk = known.iter().find(|chunk| Some(chunk.first) == first).copied();
            let height = element.get_bounding_client_rect().height();
            if let Some(chunk) = chunk.filter(|_| height > 0.0) {
                heights.push((chunk, height));
            }
        }
        self.viewport.measure();
        let mut chunks = self.chunks.get_untracked();
        let scroll = f64::from(area.scroll_top());
        let moved = chunks.measured(&heights, scroll);
        if self.chunks.with_untracked(|now| *now != chunks) {
            self.chunks.set(chunks);
            if moved.abs() > 0.5 && self.returns.with_value(Option::is_none) {
                area.set_scroll_top((scroll + moved) as i32);
            }
        }
        match self.returns.with_value(Option::is_some) {
            true => self.go_back(),
            // Newly known heights may change which row is the first visible one.
            false => self.note_top(),
        }
    }

    /// Starts a [`ScrollReturn`] to the first visible row, so that it stays in place until the visitor scrolls.
    fn stay_at_top(self) {
        let row = self.top.get_untracked();
        let at = untrack(|| self.viewport.sight()).0;
        self.returns.set_value((row > 0).then_some(ScrollReturn { row, scroll_top: at, steps: MAX_RETURN_STEPS }));
    }

    fn note_top(self) {
        let (scroll, _) = untrack(|| self.viewport.sight());
        self.top.set(self.chunks.with_untracked(|chunks| chunks.row_at(scroll)));
    }

    /// Does a step of the [`ScrollReturn`]: scrolls towards its row, as far as the heights of rows are known.
    fn go_back(self) {
        let Some(ScrollReturn { row, steps, .. }) = self.returns.get_value() else { return };
        let (chunks, (_, height)) = (self.chunks.get_untracked(), untrack(|| self.viewport.sight()));
        let scroll = self.viewport.element().map_or(0.0, |area| f64::from(area.scroll_top()));
        let to = chunks.top_of(row).min(chunks.height() - height).ceil();
        if chunks.height() > 0.0 && (scroll - to).abs() >= 2.0 {
            self.viewport.scroll_to(to);
            let at = untrack(|| self.viewport.sight()).0;
            self.returns.set_value((steps > 0).then_some(ScrollReturn { row, scroll_top: at, steps: steps.saturating_sub(1) }));
        }
    }

    /// Goes `by` changes (runs of rows that differ) forward from the current one, or back if `by` is negative.
    pub fn step(self, by: i64) {
        let outline = self.outline.get_untracked();
        let Some(next) = next_change(&outline, self.current.get_untracked(), by) else { return };
        self.current.set(Some(next));
        self.go_to(outline.changes[next].0);
    }

    /// Scrolls to `row`, and unfolds it first if it is folded.
    fn go_to(self, row: u64) {
        let folded = self.chunks.with_untracked(|chunks| {
            let top = chunks.top_of(row);
            chunks
                .visible(top, 1.0, 0.0)
                .iter()
                .find(|chunk| chunk.folded && (chunk.first..chunk.first + chunk.len).contains(&row))
                .copied()
        });
        if let Some(folded) = folded {
            self.opened.update(|opened| opened.push(folded.first));
        }
        spawn_local(async move {
            // Scrolls twice, because new rows have a height only once they are drawn.
            for _ in 0..2 {
                let (_, height) = untrack(|| self.viewport.sight());
                if !self.viewport.scroll_to(self.chunks.with_untracked(|chunks| chunks.top_of(row)) - height / 3.0) {
                    return;
                }
                sleep(60).await;
            }
            self.viewport.bring_into_view();
        });
    }

    /// Handles a scroll event of the area.
    fn scrolled(self) {
        if self.viewport.scrolled() {
            let (scroll, _) = untrack(|| self.viewport.sight());
            if self.returns.with_value(|returns| returns.is_some_and(|back| (scroll - back.scroll_top).abs() < 2.0)) {
                return;
            }
            self.returns.set_value(None);
            self.note_top();
        }
    }

    fn in_view(self) -> Vec<RowChunk> {
        let (scroll, height) = self.viewport.sight();
        self.chunks.with(|chunks| chunks.visible(scroll, height, MARGIN).to_vec())
    }
}

/// Draws the rows of both texts, below the names of the texts.
#[inline(never)]
#[wasm_split(editions, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn rows() -> LazyPart<(ShownResult, SideBySideState)> {
    Ok(|place, (shown, pages)| draw_into(place, move || view! { <Editions shown pages /> }))
}

/// Draws the buttons that fold equal rows and step through the changes.
#[inline(never)]
#[wasm_split(editions, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn controls() -> LazyPart<SideBySideState> {
    Ok(|place, pages| draw_into(place, move || view! { <PagesControls pages /> }))
}

/// Draws the visible edits in words.
#[inline(never)]
#[wasm_split(editions, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn edits() -> LazyPart<SideBySideState> {
    Ok(|place, pages| draw_into(place, move || view! { <PagesEdits pages /> }))
}

/// Renders the rows of both texts, below the names of the texts.
#[component]
fn Editions(shown: ShownResult, pages: SideBySideState) -> impl IntoView {
    pages.attach();
    let name = |side: &crate::model::form::FormText, other: &str| side.name.clone().unwrap_or_else(|| tr!("text {name}", name = other));
    let names = [("a", name(&shown.form.a, "a")), ("b", name(&shown.form.b, "b"))];
    let serif = shown.form.options.unit == kernels::job::Unit::Words;
    let scrolled = move |_| {
        pages.scrolled();
    };
    let column = RwSignal::new(None::<&'static str>);
    let is_beside = move || !pages.in_one_column.get_untracked();
    let copy = move |event: web_sys::ClipboardEvent| {
        if is_beside() {
            copy_column(&event);
        }
    };
    let press = move |event: web_sys::PointerEvent| {
        column.set(event.target().filter(|_| is_beside()).and_then(|target| column_of(&target)));
    };
    let heads = names.map(|(letter, name)| view! { <h3><var>{letter}</var> " " {name}</h3> });
    let digits = move || grouped(pages.outline.with(|outline| outline.rows)).len().to_string();
    let draw = move |chunk: RowChunk| {
        let top = move || format!("{:.1}px", pages.chunks.with(|chunks| chunks.top(chunk)));
        view! {
            <div class="at" style:top=top>
                <Rows chunk pages />
            </div>
        }
    };
    let unit = shown.form.options.unit;
    view! {
        {moved_blocks(pages, unit)}
        <div class="twinned" class:serif=serif class:one=move || pages.in_one_column.get() style=("--digits", digits) data-column=move || column.get() on:pointerdown=press on:copy=copy>
            <div class="heads">{heads}</div>
            <div class="scroller" role="region" aria-label=t("Both texts, line by line") tabindex="0" node_ref=pages.viewport.area on:scroll=scrolled>
                <div class="tall" style:height=move || format!("{:.0}px", pages.chunks.with(ChunkLayout::height))>
                    <For each=move || pages.in_view() key=|chunk| *chunk let:chunk>
                        {draw(chunk)}
                    </For>
                </div>
            </div>
        </div>
    }
}

/// Renders the buttons that fold equal rows and step through the changes.
#[component]
fn PagesControls(pages: SideBySideState) -> impl IntoView {
    let all = move || pages.outline.with(|outline| outline.changes.len() as u64);
    let position = move || match pages.current.get() {
        Some(number) => tr!("{n} of {changes}", n = grouped(number as u64 + 1), changes = humanize::count(all(), "change", "changes")),
        None => humanize::count(all(), "change", "changes"),
    };
    let has_folds = Memo::new(move |_| pages.outline.with(|outline| ChunkLayout::new(outline, ROW, true, &[]).has_folds()));
    let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let rows = pages.outline.with_untracked(|outline| outline.rows);
        if let Some(row) = humanize::typed_number(&event.target().value()) {
            pages.go_to(row.saturating_sub(1).min(rows.saturating_sub(1)));
        }
    };
    view! {
        <button
            class="btn small"
            type="button"
            hidden=move || !has_folds.get()
            aria-pressed=move || if pages.fold.get() { "true" } else { "false" }
            on:click=move |_| {
                pages.opened.set(Vec::new());
                pages.fold.update(|fold| *fold = !*fold);
            }
        >
            {move || pages.fold.get().then(|| icon(Icon::Check))}
            {move || if pages.outline.with(|outline| outline.sentences) { t("Hide equal sentences") } else { t("Hide equal lines") }}
        </button>
        <span class="seg">
            <button type="button" aria-label=t("Previous change") title=t("Previous change (K)") disabled=move || all() == 0 on:click=move |_| pages.step(-1)>
                {icon(Icon::Previous)}
            </button>
            <button type="button" aria-label=t("Next change") title=t("Next change (J)") disabled=move || all() == 0 on:click=move |_| pages.step(1)>
                {icon(Icon::Next)}
            </button>
        </span>
        <span class="num small" role="status">
            {position}
        </span>
        <label class="row small goto" hidden=move || pages.outline.with(|outline| outline.rows < MIN_ROWS_FOR_GOTO)>
            {t("Go to row")} " "
            <input class="text column" inputmode="numeric" autocomplete="off" on:change:target=go />
        </label>
        <CopyRows pages />
    }
}

/// An edit of a row, for the list of visible edits in words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RowEdit {
    edit: EditKind,
    row: u64,
    lines: (Option<u64>, Option<u64>),
    old: String,
    new: String,
    /// The whole deleted text and the whole inserted text, which `old` and `new` shorten.
    whole: (String, String),
}

/// Returns the edits of row number `row`, whose content is `twin`, with a kind in `kinds`. Substituted pieces of the
/// two lines are paired in order, each pair as an edit. If the lines have different numbers of substituted pieces, all
/// these pieces together are one edit.
fn row_edits(row: u64, twin: &RowPair, kinds: EditKinds) -> Vec<RowEdit> {
    let of = |side: &Option<MarkedLine>, edit: EditKind| -> Vec<String> {
        let pieces = side.iter().flat_map(|side| &side.pieces).filter(|piece| piece.0 == edit);
        let text = |text: &str| if text.trim().is_empty() { text.to_owned() } else { text.trim().to_owned() };
        pieces.map(|piece| text(&piece.1)).collect()
    };
    let lines = (twin.a.as_ref().map(|side| side.line + 1), twin.b.as_ref().map(|side| side.line + 1));
    let short = |pieces: &[String]| pieces.iter().map(|piece| quoted(std::slice::from_ref(piece))).collect::<Vec<_>>().join(" … ");
    let one = |edit: EditKind, old: &[String], new: &[String]| {
        let (whole, old, new) = ((old.concat(), new.concat()), short(old), short(new));
        RowEdit { edit, row, lines, old, new, whole }
    };
    let (old, new) = (of(&twin.a, EditKind::Substitute), of(&twin.b, EditKind::Substitute));
    let substituted = if old.len() == new.len() {
        old.chunks(1).zip(new.chunks(1)).map(|(old, new)| one(EditKind::Substitute, old, new)).collect()
    } else {
        vec![one(EditKind::Substitute, &old, &new)]
    };
    let inserted = of(&twin.b, EditKind::Insert).into_iter().map(|new| one(EditKind::Insert, &[], &[new]));
    let deleted = of(&twin.a, EditKind::Delete).into_iter().map(|old| one(EditKind::Delete, &[old], &[]));
    substituted.into_iter().chain(deleted).chain(inserted).filter(|said| kinds.has(said.edit)).collect()
}

/// Renders the visible edits in words. Screen readers read this list instead of the rows.
#[component]
fn PagesEdits(pages: SideBySideState) -> impl IntoView {
    let most = expect_context::<Page>().stored_setting(SettingLifetime::WithTexts, "edits", INITIAL_LISTED_EDITS, |most| most);
    let found = Memo::new(move |_| {
        let kinds = pages.kinds.get();
        let (scroll, view) = pages.viewport.sight();
        let seen = pages.chunks.with(|chunks| chunks.visible(scroll, view, 0.0).to_vec());
        pages.rows.with(|rows| {
            let twins = seen.iter().filter_map(|chunk| rows.get(chunk).map(|twins| (chunk.first, twins)));
            let twins = twins.flat_map(|(first, twins)| (first..).zip(twins.iter()));
            let below =
                |row: u64| pages.chunks.with_untracked(|chunks| chunks.top_of(row + 1) > scroll && chunks.top_of(row) < scroll + view);
            let mut all: Vec<_> =
                twins.filter(|(row, twin)| twin.changed && below(*row)).flat_map(|(row, twin)| row_edits(row, twin, kinds)).collect();
            let rest = all.len().saturating_sub(most.get());
            all.truncate(most.get());
            (all, rest)
        })
    });
    let row = move |said: RowEdit| {
        let RowEdit { edit, row, lines, old, new, whole } = said;
        let bold = |text: String| match text.is_empty() {
            true => t("an empty line").into_any(),
            false => view! { <b><bdi>{drawn(&text, true)}</bdi></b> }.into_any(),
        };
        let number = |line: Option<u64>| line.map_or_else(|| "–".into(), grouped);
        view! {
            <tr>
                <td>{chip(edit)}</td>
                <td>
                    <button class="go" type="button" on:click=move |_| pages.go_to(row)>
                        {in_words(edit, bold(old), bold(new))}
                    </button>
                    {note(&whole.0, &whole.1, true)}
                </td>
                <td class="r">{number(lines.0)}</td>
                <td class="r">{number(lines.1)}</td>
            </tr>
        }
    };
    let rows = move || found.with(|(edits, _)| edits.clone()).into_iter().map(row).collect_view();
    view! {
        {table(move || found.with(|(edits, _)| edits.is_empty()), [t("line of *a*"), t("of *b*")], rows)}
        {more(Memo::new(move |_| found.with(|(edits, rest)| edits.len() + rest)), most)}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(pieces: &[(EditKind, &str)]) -> Option<MarkedLine> {
        Some(MarkedLine { line: 4, continues: false, pieces: pieces.iter().map(|(edit, text)| (*edit, (*text).to_owned())).collect() })
    }

    #[test]
    fn changes_of_a_row_are_listed_in_words() {
        use EditKind::{Equal, Insert, Substitute};
        let a = marked(&[(Equal, "A host of "), (Substitute, "dancing Daffodils"), (Equal, ";")]);
        let b = marked(&[(Equal, "A host"), (Insert, ","), (Equal, " of "), (Substitute, "golden daffodils"), (Equal, ";")]);
        let twin = RowPair { a, b, changed: true, coarse: false };
        let told: Vec<_> = row_edits(3, &twin, EditKinds::ALL).into_iter().map(|said| (said.edit, said.old, said.new)).collect();
        let expected = [(Substitute, "dancing Daffodils", "golden daffodils"), (Insert, "", ",")];
        assert_eq!(told, expected.map(|(edit, old, new)| (edit, old.to_owned(), new.to_owned())));
        assert_eq!(row_edits(3, &twin, "D".parse().unwrap()), []);
    }
}
