//! The table of all cells of a matrix, or a table for each of its layers ([`Grid`]). Below the cells lies the ribbon, a
//! band along an optimal alignment, and above them lie the arrows. The HTML is written once. After that, only cells that
//! change their appearance are touched.

use std::sync::Arc;

use explain::matrix::{MatrixCell, MatrixLayer, MatrixNode};
use kernels::alignment::EditKind;
use leptos::either::Either;
use leptos::ev;
use leptos::html::{Div, Table};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::links::Links;
use super::scene::{MatrixScene, panels};
use crate::model::alignment::sign;
use crate::model::matrix::ink;
use crate::model::matrix::paint::{self, CellPaint, paint};
use crate::model::matrix::{MatrixBoard, cell_sentences, prefix, scores};
use crate::model::task::MatrixSentences;
use crate::model::text::humanize::cell_value;
use crate::tr;
use crate::tr::fill;
use crate::tr::t;
use crate::view::browser::resized::on_resize;
use crate::view::widgets::chip::chip;
use crate::view::widgets::prose::prose;

/// Maximum number of symbols of `b` with which three layers stand side by side.
const MAX_SIDE_BY_SIDE: usize = 13;

/// The elements of one drawn table: cells and headings, with the current appearance of each.
struct MountedGrid {
    layer: MatrixLayer,
    cells: Vec<HtmlElement>,
    /// The headings of the columns and of the rows, each with its class.
    heads: [Vec<(Element, &'static str)>; 2],
    paints: Vec<CellPaint>,
    selected: Option<usize>,
}

/// Renders the table of cells with ribbon and arrows. Three layers are three panels.
#[component]
pub fn Grid() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let board = scene.board.get_value();
    let paints = Memo::new(move |_| painted(scene));
    let spoken =
        move || scene.board.with_value(|board| cell_sentences::spoken(board, scene.cell.get(), scene.is_value_visible(scene.cell.get())));
    let tables = match panels(&board) {
        [only] => Either::Left(view! { <LayerGrid layer=*only paints /> }),
        layers => {
            let area = NodeRef::<Div>::new();
            let figures = layers.iter().map(|&layer| {
                let edit = match layer {
                    MatrixLayer::Main => EditKind::Equal,
                    MatrixLayer::Deletions => EditKind::Delete,
                    MatrixLayer::Insertions => EditKind::Insert,
                };
                view! {
                    <figure class="layer">
                        <figcaption>
                            {chip(edit)} <span><b><var>{layer.name()}</var></b> " " {prose(scores::caption(layer))}</span>
                        </figcaption>
                        <LayerGrid layer paints />
                    </figure>
                }
            });
            let is_stacked = board.b.len() > MAX_SIDE_BY_SIDE;
            Either::Right(view! {
                <div class="layers" class:stacked=is_stacked node_ref=area>
                    {figures.collect_view()}
                    <Links area />
                </div>
            })
        }
    };
    view! {
        {tables}
        <p class="vh" role="status">{spoken}</p>
    }
}

/// Renders the table of one layer. `paints` has the appearance of the cells of all layers.
#[component]
fn LayerGrid(layer: MatrixLayer, paints: Memo<Vec<CellPaint>>) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let board = scene.board.get_value();
    let last = board.matrix.last();
    let table = NodeRef::<Table>::new();
    let area = NodeRef::<Div>::new();
    let drawn = StoredValue::new_local(None::<MountedGrid>);
    Effect::new(move |_| {
        let Some(table) = table.get() else { return };
        drawn.update_value(|drawn| {
            let fresh = || MountedGrid::new(&table, layer);
            paints.with(|paints| drawn.get_or_insert_with(fresh).show(scene, paints));
        });
    });
    // Keeps the selected cell visible. The cell takes the focus if the visitor selected it, or if another cell has the
    // focus.
    Effect::new(move |_| {
        let node = scene.cell.get();
        let (Some(table), Some(area)) = (table.get(), area.get()) else { return };
        if node.layer != layer {
            return;
        }
        let asked = scene.focus.get();
        if asked {
            scene.focus.set(false);
        }
        let at = scene.board.with_value(|board| board.matrix.index(node.cell));
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
        Some(cell) if scene.held_cell.get_untracked() == Some(layer.at(cell)) => scene.release(),
        Some(cell) => scene.select(layer.at(cell)),
        None => {}
    };
    let over = move |event: ev::PointerEvent| {
        let cell = if event.pointer_type() == "mouse" { cell_of(&event) } else { None };
        let node = cell.map(|cell| layer.at(cell));
        if node != scene.hover.get_untracked() {
            scene.hover.set(node);
        }
    };
    let label = label(&board, layer);
    let size = board.a.len().max(board.b.len());
    let has_decimals = board.matrix.scoring().is_some_and(|scoring| scoring.scale > 1);
    let names = [(board.wide, " wide-symbols"), (size > 24, " many"), (has_decimals, " decimals")];
    let class: String = std::iter::once("matrix scroll").chain(names.into_iter().filter(|(has, _)| *has).map(|(_, name)| name)).collect();
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
                <Ribbon layer />
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
                    <tbody inner_html=paint::body(&board, layer)></tbody>
                </table>
                <Pens layer />
            </div>
        </div>
    }
}

/// Returns the label of the table of `layer`.
fn label(board: &MatrixBoard, layer: MatrixLayer) -> String {
    let (a, b) = (prefix(&board.a, board.a.len(), board.wide), prefix(&board.b, board.b.len(), board.wide));
    let label = fill(t(MatrixSentences::of(board.task()).label), &[("a", a), ("b", b)]);
    if board.has_layers() { tr!("{label}, layer {layer}", label = label, layer = layer.name()) } else { label }
}

/// Returns the appearance of all cells, layer by layer and row by row.
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
    fn new(table: &Element, layer: MatrixLayer) -> Self {
        let all = |selector: &str| -> Vec<Element> {
            let found = table.query_selector_all(selector).ok();
            let found = found.iter().flat_map(|found| (0..found.length()).filter_map(|at| found.get(at)));
            found.filter_map(|node| node.dyn_into().ok()).collect()
        };
        let cells: Vec<HtmlElement> = all("tbody td").into_iter().filter_map(|cell| cell.dyn_into().ok()).collect();
        let paints = vec![CellPaint::default(); cells.len()];
        let heads = ["thead th", "tbody th"].map(|selector| all(selector).into_iter().map(|head| (head, "")).collect());
        Self { layer, cells, heads, paints, selected: None }
    }

    /// Shows `paints`, which has the appearance of the cells of all layers.
    fn show(&mut self, scene: MatrixScene, paints: &[CellPaint]) {
        let board = scene.board.get_value();
        let first = board.matrix.index(self.layer.at(MatrixCell::default()));
        let Some(paints) = paints.get(first..first + self.cells.len()) else { return };
        for (at, (now, before)) in paints.iter().zip(&mut self.paints).enumerate() {
            let Some(cell) = self.cells.get(at).filter(|_| now != before) else { continue };
            cell.set_class_name(&now.classes());
            if now.shows_value() != before.shows_value() {
                let width = board.b.len() + 1;
                let value = board.matrix.value(self.layer.at(MatrixCell { i: at / width, j: at % width }));
                cell.set_text_content(now.shows_value().then(|| cell_value(value)).as_deref());
            }
            *before = *now;
        }
        self.show_heads(scene, &board);
        self.select(&board, scene.cell.get());
    }

    /// Marks the headings of the row and the column of the explained cell. Symbols outside of the aligned pieces are grey.
    fn show_heads(&mut self, scene: MatrixScene, board: &MatrixBoard) {
        let MatrixCell { i, j } = scene.explained_cell().cell;
        let path = scene.path.get().filter(|path| scene.player.is_done() && ink::piece(board, path).is_some());
        let ends = path.and_then(|path| Some((*path.cells.first()?, *path.cells.last()?)));
        let ranges = ends.map(|(from, to)| [from.j + 1..=to.j, from.i + 1..=to.i]);
        for (side, (heads, lit)) in self.heads.iter_mut().zip([j, i]).enumerate() {
            for (at, (head, class)) in heads.iter_mut().enumerate() {
                let is_outside = at > 0 && ranges.as_ref().is_some_and(|ranges| !ranges[side].contains(&at));
                let now = match (at == lit, is_outside) {
                    (true, _) => "lit",
                    (false, true) => "outside",
                    (false, false) => "",
                };
                if now != *class {
                    head.set_class_name(now);
                    *class = now;
                }
            }
        }
    }

    /// Lets the Tab key reach the cell at the position of `selected`. Only the cell in its layer is selected.
    fn select(&mut self, board: &Arc<MatrixBoard>, selected: MatrixNode) {
        let chosen = board.matrix.index(selected.cell);
        let put = |at: usize, is_reached: bool| {
            if let Some(cell) = self.cells.get(at) {
                cell.set_tab_index(if is_reached { 0 } else { -1 });
                let is_selected = is_reached && selected.layer == self.layer;
                let _ = cell.set_attribute("aria-selected", if is_selected { "true" } else { "false" });
            }
        };
        if let Some(before) = self.selected.filter(|before| *before != chosen) {
            put(before, false);
        }
        put(chosen, true);
        self.selected = Some(chosen);
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

/// Renders the ribbon: the part of the chosen optimal alignment in `layer` as a band under the cells. A frame surrounds
/// the pieces of a local or semi-global alignment.
#[component]
fn Ribbon(layer: MatrixLayer) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let bands = move || {
        let path = scene.path.get().filter(|_| scene.player.is_done());
        let frame = path.as_ref().and_then(|path| scene.board.with_value(|board| ink::piece(board, path)));
        let frame = frame.map(|[x, y, width, height]| {
            view! { <path class="piece" d=format!("M{x} {y}h{width}v{height}h-{width}z")></path> }
        });
        let bands = path.as_ref().map(|path| ink::ribbon(path, layer)).unwrap_or_default();
        let begin = path.and_then(|path| ink::beginning(&path, layer)).map(|d| view! { <path class="rib begin" d=d></path> });
        // An edge makes the band recognizable without colours.
        let bands = bands.into_iter().map(|(edit, d)| {
            let class = sign::class(edit);
            view! {
                <path class=format!("rib-edge {class}") d=d.clone()></path>
                <path class=format!("rib {class}") d=d></path>
            }
        });
        (frame, bands.collect_view(), begin)
    };
    view! {
        <svg class="under" viewBox=frame(scene) aria-hidden="true">
            {bands}
        </svg>
    }
}

/// Renders the arrows over the cells of `layer`, and the letters of other layers.
#[component]
fn Pens(layer: MatrixLayer) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let ink = Memo::new(move |_| {
        let board = scene.board.get_value();
        let path = scene.path.get().filter(|_| scene.player.is_done() && !scene.is_asking());
        ink::arrows(&board, layer, path.as_deref(), scene.arrows.get(), |cell| scene.is_value_visible(layer.at(cell)))
    });
    let letters = move || {
        let text = |(class, letters): (&str, &ink::LayerLetters)| {
            format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>", letters.x, letters.y, letters.text)
        };
        ink.with(|ink| ["eq", "d", "i"].into_iter().zip(&ink.letters).map(text).collect::<String>())
    };
    view! {
        <svg class="over" viewBox=frame(scene) aria-hidden="true">
            <g class="letters" inner_html=letters></g>
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
