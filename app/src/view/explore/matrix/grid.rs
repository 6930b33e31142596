//! The table of all cells of a matrix ([`Grid`]). Below the cells lies the ribbon, a band along an optimal alignment,
//! and above them lie the arrows. The HTML is written once. After that, only cells that change their appearance are
//! touched.

use std::sync::Arc;

use explain::matrix::MatrixCell;
use leptos::ev;
use leptos::html::{Div, Table};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::scene::MatrixScene;
use crate::model::alignment::sign;
use crate::model::matrix::ink;
use crate::model::matrix::paint::{self, CellPaint, paint};
use crate::model::matrix::{MatrixBoard, cell_sentences, prefix};
use crate::model::task::MatrixSentences;
use crate::tr::fill;
use crate::tr::t;
use crate::view::browser::resized::on_resize;

/// The elements of the drawn table: cells and headings, with the current appearance of each cell.
struct MountedGrid {
    cells: Vec<HtmlElement>,
    columns: Vec<Element>,
    rows: Vec<Element>,
    paints: Vec<CellPaint>,
    lit: Option<MatrixCell>,
    selected: Option<usize>,
}

/// Renders the table of cells with ribbon and arrows.
#[component]
pub fn Grid() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let board = scene.board.get_value();
    let last = board.matrix.last();
    let table = NodeRef::<Table>::new();
    let area = NodeRef::<Div>::new();
    let drawn = StoredValue::new_local(None::<MountedGrid>);
    Effect::new(move |_| {
        let Some(table) = table.get() else { return };
        let paints = painted(scene);
        drawn.update_value(|drawn| {
            let fresh = || MountedGrid::new(&table);
            drawn.get_or_insert_with(fresh).show(scene, paints);
        });
    });
    // Keeps the selected cell visible. The cell takes the focus if the visitor selected it, or if another cell has the
    // focus.
    Effect::new(move |_| {
        let cell = scene.cell.get();
        let (Some(table), Some(area)) = (table.get(), area.get()) else { return };
        let asked = scene.focus.get();
        if asked {
            scene.focus.set(false);
        }
        let at = scene.board.with_value(|board| board.matrix.index(cell));
        let element = drawn.with_value(|drawn| drawn.as_ref().and_then(|drawn| drawn.cells.get(at)).cloned());
        let Some(element) = element else { return };
        let has_focus =
            document().active_element().is_some_and(|focused| focused.tag_name() == "TD" && table.contains(Some(focused.unchecked_ref())));
        if asked || has_focus {
            let _ = element.focus();
        }
        reveal(&area, &element);
    });
    // Controls beside the scroll area reduce its height after it is drawn. A cell that was visible stays visible; the
    // first time, the area is scrolled to the selected cell.
    let height = StoredValue::new_local(0);
    on_resize(area, move |area| {
        let (Some(before), now) = (height.try_get_value(), area.client_height()) else { return };
        height.set_value(now);
        let chosen = drawn.try_with_value(|drawn| drawn.as_ref().and_then(|drawn| drawn.cells.get(drawn.selected?).cloned())).flatten();
        let bottom = area.get_bounding_client_rect().top() + f64::from(before) + 2.0;
        let was_in_sight = |cell: &HtmlElement| now < before && cell.get_bounding_client_rect().bottom() <= bottom;
        if let Some(cell) = chosen.filter(|cell| before == 0 || was_in_sight(cell)) {
            reveal(area, &cell);
        }
    });
    let keys = move |event: ev::KeyboardEvent| {
        let control = event.ctrl_key() || event.meta_key();
        if !event.alt_key() && scene.key(&event.key(), control) {
            event.prevent_default();
        } else if event.key().chars().all(|key| key.is_ascii_digit()) && scene.quiz.with_untracked(Option::is_some) {
            super::guess::focus();
        }
    };
    // A second click on the held cell releases it.
    let click = move |event: ev::MouseEvent| match cell_of(&event) {
        Some(cell) if scene.held_cell.get_untracked() == Some(cell) => scene.release(),
        Some(cell) => scene.select(cell),
        None => {}
    };
    let over = move |event: ev::PointerEvent| {
        let cell = if event.pointer_type() == "mouse" { cell_of(&event) } else { None };
        if cell != scene.hover.get_untracked() {
            scene.hover.set(cell);
        }
    };
    let label = label(&board);
    let spoken =
        move || scene.board.with_value(|board| cell_sentences::spoken(board, scene.cell.get(), scene.is_value_visible(scene.cell.get())));
    let size = board.a.len().max(board.b.len());
    let class = format!("matrix scroll{}{}", if board.wide { " wide-symbols" } else { "" }, if size > 24 { " many" } else { "" });
    view! {
        <div
            class=class
            style=("--columns", (last.j + 2).to_string())
            style=("--rows", (last.i + 2).to_string())
            role="region"
            aria-label=t("Matrix, cell by cell")
            node_ref=area
        >
            <div class="sheet">
                <Ribbon />
                <table
                    role="grid"
                    aria-label=label
                    aria-describedby="grid-help"
                    node_ref=table
                    on:keydown=keys
                    on:click=click
                    on:pointerover=over
                    on:pointerleave=move |_| scene.hover.set(None)
                >
                    <thead>
                        <tr inner_html=format!("<td></td>{}", paint::head(&board))></tr>
                    </thead>
                    <tbody inner_html=paint::body(&board)></tbody>
                </table>
                <Pens />
            </div>
        </div>
        <p class="vh" role="status">{spoken}</p>
    }
}

/// Returns the accessible name of the table.
fn label(board: &MatrixBoard) -> String {
    let (a, b) = (prefix(&board.a, board.a.len(), board.wide), prefix(&board.b, board.b.len(), board.wide));
    fill(t(MatrixSentences::of(board.task()).label), &[("a", a), ("b", b)])
}

/// Returns the appearance of all cells, row by row.
fn painted(scene: MatrixScene) -> Vec<CellPaint> {
    let asked =
        if scene.is_asking() { scene.quiz.with(|quiz| quiz.as_ref().filter(|quiz| quiz.shows_cell()).map(|quiz| quiz.done)) } else { None };
    let (step, cell) = (scene.player.step.get(), scene.explained_cell());
    let path = scene.path.get();
    let path = path.as_deref();
    scene.steps.with(|steps| {
        scene.board.with_value(|board| paint(board, &paint::PaintState { steps, step, path, cell, quiz_filled_cells: asked }))
    })
}

impl MountedGrid {
    fn new(table: &Element) -> Self {
        let all = |selector: &str| -> Vec<Element> {
            let found = table.query_selector_all(selector).ok();
            let found = found.iter().flat_map(|found| (0..found.length()).filter_map(|at| found.get(at)));
            found.filter_map(|node| node.dyn_into().ok()).collect()
        };
        let cells: Vec<HtmlElement> = all("tbody td").into_iter().filter_map(|cell| cell.dyn_into().ok()).collect();
        let paints = vec![CellPaint::default(); cells.len()];
        Self { cells, columns: all("thead th"), rows: all("tbody th"), paints, lit: None, selected: None }
    }

    fn show(&mut self, scene: MatrixScene, paints: Vec<CellPaint>) {
        let board = scene.board.get_value();
        for (at, (now, before)) in paints.iter().zip(&mut self.paints).enumerate() {
            let Some(cell) = self.cells.get(at).filter(|_| now != before) else { continue };
            cell.set_class_name(&now.classes());
            if now.shows_value() != before.shows_value() {
                let width = board.b.len() + 1;
                let value = board.matrix.value(MatrixCell { i: at / width, j: at % width });
                cell.set_text_content(now.shows_value().then(|| value.to_string()).as_deref());
            }
            *before = *now;
        }
        self.light(&board, scene.explained_cell(), scene.cell.get());
    }

    /// Marks the headings of the row and the column of the cell `looked`, and lets the Tab key reach the cell
    /// `selected`.
    fn light(&mut self, board: &Arc<MatrixBoard>, looked: MatrixCell, selected: MatrixCell) {
        let lit = [&self.columns, &self.rows];
        if let Some(MatrixCell { i, j }) = self.lit.replace(looked) {
            lit.iter().zip([j, i]).filter_map(|(all, at)| all.get(at)).for_each(|head| head.set_class_name(""));
        }
        lit.iter().zip([looked.j, looked.i]).filter_map(|(all, at)| all.get(at)).for_each(|head| head.set_class_name("lit"));
        let chosen = board.matrix.index(selected);
        let before = self.selected.replace(chosen);
        if before == Some(chosen) {
            return;
        }
        let put = |at: usize, on: bool| {
            if let Some(cell) = self.cells.get(at) {
                cell.set_tab_index(if on { 0 } else { -1 });
                let _ = cell.set_attribute("aria-selected", if on { "true" } else { "false" });
            }
        };
        before.into_iter().for_each(|at| put(at, false));
        put(chosen, true);
    }
}

/// Scrolls the area `area`, but not the page, until `cell` is visible beside the headings, which do not scroll.
fn reveal(area: &Element, cell: &HtmlElement) {
    let (room, at) = (area.get_bounding_client_rect(), cell.get_bounding_client_rect());
    let (side, top) = (2.0 * at.width(), 2.0 * at.height());
    let by = |near: f64, far: f64| if near < 0.0 { near } else { far.max(0.0) };
    let across = by(at.left() - room.left() - side, at.right() - room.right() + 2.0);
    let down = by(at.top() - room.top() - top, at.bottom() - room.bottom() + 2.0);
    if across != 0.0 {
        area.set_scroll_left(area.scroll_left() + across as i32);
    }
    if down != 0.0 {
        area.set_scroll_top(area.scroll_top() + down as i32);
    }
}

/// Returns the cell of the matrix in which an event happened, if any.
fn cell_of(event: &JsValue) -> Option<MatrixCell> {
    let event: &web_sys::Event = event.unchecked_ref();
    let target: Element = event.target()?.dyn_into().ok()?;
    let cell = target.closest("tbody td").ok()??;
    let number = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).ok()?.as_f64();
    let (column, row) = (number(&cell, "cellIndex")?, number(&cell.parent_element()?.into(), "sectionRowIndex")?);
    Some(MatrixCell { i: row as usize, j: (column as usize).checked_sub(1)? })
}

/// Renders the ribbon: the chosen optimal alignment as a band under the cells.
#[component]
fn Ribbon() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let bands = move || {
        let path = scene.path.get().filter(|_| scene.player.is_done());
        let bands = path.as_ref().map(|path| ink::ribbon(path)).unwrap_or_default();
        let begin = path.and_then(|path| ink::beginning(&path)).map(|d| view! { <path class="rib begin" d=d></path> });
        // An edge makes the band recognizable without colours.
        let bands = bands.into_iter().map(|(edit, d)| {
            let class = sign::class(edit);
            view! {
                <path class=format!("rib-edge {class}") d=d.clone()></path>
                <path class=format!("rib {class}") d=d></path>
            }
        });
        (bands.collect_view(), begin)
    };
    view! {
        <svg class="under" viewBox=frame(scene) aria-hidden="true">
            {bands}
        </svg>
    }
}

/// Renders the arrows over the cells of the matrix.
#[component]
fn Pens() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let ink = Memo::new(move |_| {
        let board = scene.board.get_value();
        let path = scene.path.get().filter(|_| scene.player.is_done() && !scene.is_asking());
        ink::arrows(&board, path.as_deref(), scene.arrows.get(), |cell| scene.is_value_visible(cell))
    });
    view! {
        <svg class="over" viewBox=frame(scene) aria-hidden="true">
            <path class="arrow all" d=move || ink.with(|ink| ink.other.lines.clone())></path>
            <path class="head all" d=move || ink.with(|ink| ink.other.heads.clone())></path>
            <path class="arrow" d=move || ink.with(|ink| ink.winning.lines.clone())></path>
            <path class="head" d=move || ink.with(|ink| ink.winning.heads.clone())></path>
            <path class="arrow win" d=move || ink.with(|ink| ink.path.lines.clone())></path>
            <path class="head win" d=move || ink.with(|ink| ink.path.heads.clone())></path>
            <path class="arrow win by-x" d=move || ink.with(|ink| ink.substituted.lines.clone())></path>
            <path class="head win by-x" d=move || ink.with(|ink| ink.substituted.heads.clone())></path>
        </svg>
    }
}

/// Returns the SVG view box that ribbon and arrows share: the area of the cells without the headings.
fn frame(scene: MatrixScene) -> String {
    let MatrixCell { i, j } = scene.board.with_value(|board| board.matrix.last());
    format!("0 0 {} {}", ink::CELL * (j + 1), ink::CELL * (i + 1))
}
