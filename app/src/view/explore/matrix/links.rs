//! Lines between the panels of three layers ([`Links`]), drawn where the panels stand side by side. A line runs along the
//! upper edge of a row, from a dot at a value to a tip in the cell of another layer from which the value comes.

use std::fmt::Write as _;

use explain::matrix::{MatrixCell, MatrixNode};
use leptos::html::Div;
use leptos::prelude::*;
use web_sys::{DomRect, Element, HtmlElement};

use super::scene::{MatrixScene, panels};
use crate::model::matrix::ink::{self, LayerLink};
use crate::view::browser::resized::on_resize;

/// Distance in pixels between the end of a line and the middle of its tip.
const TIP: f64 = 9.0;

/// The places of the cells of all panels, in pixels from the upper left corner of the area around them.
#[derive(Clone, Debug, PartialEq)]
struct PanelPlaces {
    /// For each panel, the left and the upper edge of its first cell.
    origins: Vec<(f64, f64)>,
    /// Width and height of a cell.
    cell: f64,
}

/// The lines of one style as SVG paths: shafts, and filled dots and tips.
#[derive(Clone, Debug, Default, PartialEq)]
struct LinkStrokes {
    lines: String,
    tips: String,
}

/// Renders the lines between the panels in `area`.
#[component]
pub fn Links(area: NodeRef<Div>) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let places = RwSignal::new(None::<PanelPlaces>);
    let columns = scene.board.with_value(|board| board.b.len() + 1);
    on_resize(area, move |area| {
        places.try_set(measure(area, columns));
    });
    let strokes = Memo::new(move |_| {
        let is_done = scene.player.is_done() && !scene.is_asking();
        let path = scene.path.get().filter(|_| is_done);
        let selected = Some(scene.explained_cell()).filter(|node| is_done || scene.is_value_visible(*node));
        let links = scene.board.with_value(|board| ink::links(board, path.as_deref(), selected));
        let place = |node: MatrixNode| scene.board.with_value(|board| panels(board).iter().position(|layer| *layer == node.layer));
        places.with(|places| {
            let Some(places) = places else { return Default::default() };
            let mut strokes = [LinkStrokes::default(), LinkStrokes::default()];
            for link in links {
                let (Some(to), Some(from)) = (place(link.to), place(link.from)) else { continue };
                strokes[usize::from(link.is_soft)].draw(
                    &link,
                    places.middle(to, link.to.cell),
                    places.middle(from, link.from.cell),
                    places.cell,
                );
            }
            strokes
        })
    });
    let of =
        move |at: usize, part: fn(&LinkStrokes) -> &String| move || strokes.with(|strokes: &[LinkStrokes; 2]| part(&strokes[at]).clone());
    view! {
        <svg class="between" aria-hidden="true">
            <path class="halo" d=of(0, |strokes| &strokes.lines)></path>
            <path class="link soft" d=of(1, |strokes| &strokes.lines)></path>
            <path class="tip soft" d=of(1, |strokes| &strokes.tips)></path>
            <path class="link" d=of(0, |strokes| &strokes.lines)></path>
            <path class="tip" d=of(0, |strokes| &strokes.tips)></path>
        </svg>
    }
}

/// Measures the panels in `area`, each with `columns` columns of cells. Returns `None` if they do not stand side by side.
fn measure(area: &HtmlElement, columns: usize) -> Option<PanelPlaces> {
    let found = area.query_selector_all(".over").ok()?;
    let elements = (0..found.length()).filter_map(|at| wasm_bindgen::JsCast::dyn_into::<Element>(found.get(at)?).ok());
    let panels: Vec<DomRect> = elements.map(|panel| panel.get_bounding_client_rect()).collect();
    let frame = area.get_bounding_client_rect();
    let top = panels.first()?.top();
    let is_in_row = panels.iter().all(|panel| (panel.top() - top).abs() < 4.0 && panel.right() <= frame.right() + 1.0);
    let origins = panels.iter().map(|panel| (panel.left() - frame.left(), panel.top() - frame.top())).collect();
    is_in_row.then(|| PanelPlaces { origins, cell: panels[0].width() / columns as f64 })
}

impl PanelPlaces {
    /// Returns the middle of `cell` in panel number `panel`.
    fn middle(&self, panel: usize, MatrixCell { i, j }: MatrixCell) -> (f64, f64) {
        let (left, top) = self.origins.get(panel).copied().unwrap_or_default();
        (left + (j as f64 + 0.5) * self.cell, top + (i as f64 + 0.5) * self.cell)
    }
}

impl LinkStrokes {
    /// Adds the line of `link` from the middle `to` of the later cell to the middle `from` of the earlier one.
    fn draw(&mut self, link: &LayerLink, to: (f64, f64), from: (f64, f64), cell: f64) {
        // Several lines may begin at the selected cell.
        let (x, y) = (to.0 + if link.is_soft { 8.0 } else { 0.0 }, to.1 - cell / 2.0);
        // The tip points up if the earlier cell is above the line.
        let up = if link.from.cell.i < link.to.cell.i { -1.0 } else { 1.0 };
        let turn = if from.0 > x { 5.0 } else { -5.0 };
        let _ = write!(self.lines, "M{x:.1} {y:.1}H{:.1}Q{:.1} {y:.1} {:.1} {:.1}", from.0 - turn, from.0, from.0, y + up * 5.0);
        let (radius, tip) = (if link.is_soft { 3.0 } else { 4.0 }, y + up * TIP);
        let _ = write!(
            self.tips,
            "M{:.1} {y:.1}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0 -{} 0",
            x - radius,
            2.0 * radius,
            2.0 * radius
        );
        let _ = write!(self.tips, "M{:.1} {:.1}l5 {}h-10z", from.0, tip + up * 5.0, -up * TIP);
    }
}

#[cfg(test)]
mod tests {
    use explain::matrix::MatrixLayer;

    use super::*;

    #[test]
    fn line_runs_along_the_row_and_its_tip_points_into_the_earlier_cell() {
        let places = PanelPlaces { origins: vec![(0.0, 0.0), (300.0, 0.0)], cell: 40.0 };
        let node = |layer: MatrixLayer, i, j| layer.at(MatrixCell { i, j });
        let link = LayerLink { to: node(MatrixLayer::Deletions, 3, 2), from: node(MatrixLayer::Main, 2, 2), is_soft: false };
        let mut strokes = LinkStrokes::default();
        strokes.draw(&link, places.middle(0, link.to.cell), places.middle(1, link.from.cell), places.cell);
        assert_eq!(strokes.lines, "M100.0 120.0H395.0Q400.0 120.0 400.0 115.0");
        assert_eq!(strokes.tips, "M96.0 120.0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M400.0 106.0l5 9h-10z");
    }
}
