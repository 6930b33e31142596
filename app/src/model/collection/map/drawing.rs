//! The drawing over the pixels of the heat map ([`MapDrawing`]): tree, values, frames of groups, numbers and names.

use std::fmt::Write as _;

use super::{MIN_NAMED_ROW, MIN_VALUE_CELL, MapLayout, NAMES, NearnessScale, TREE, value_in_cell};
use crate::model::collection::answer::{ComparedTexts, TextGroup};
use crate::model::collection::choices::RowOrder;
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::text::markup::escape;

/// Maximum number of groups that have a letter in the map.
const MAX_TAGS: usize = 200;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 24;

/// Share of the width of a tree by points at which the nearest pair is joined.
const MAX_POINTS_SHARE: f64 = 0.9;

/// The content of a drawing over the pixels of a map.
pub struct MapDrawing<'m> {
    pub texts: &'m ComparedTexts,
    /// Texts in the order shown.
    pub rows: &'m [usize],
    pub layout: MapLayout,
    pub groups: &'m [TextGroup],
    pub threshold: Threshold,
    pub scale: NearnessScale,
    /// Names of the texts by their numbers.
    pub names: &'m dyn Fn(usize) -> String,
}

impl MapDrawing<'_> {
    /// Returns the drawing as SVG elements: tree, values, frames of groups, numbers and names.
    pub fn svg(&self, order: RowOrder) -> String {
        let mut svg = String::new();
        let layout = &self.layout;
        if layout.has_tree {
            self.tree(&mut svg);
        }
        let _ = write!(
            svg,
            r#"<rect class="edge" x="{:.1}" y="{:.1}" width="{size:.1}" height="{size:.1}"/>"#,
            layout.left - 0.5,
            layout.top - 0.5,
            size = layout.size() + 1.0
        );
        if layout.block == 1 && layout.point >= MIN_VALUE_CELL {
            self.values(&mut svg);
        }
        if order == RowOrder::Tree {
            self.frames(&mut svg);
        }
        self.numbers(&mut svg);
        svg
    }

    /// Returns the frame of the chosen cell and its number and name, as SVG elements.
    pub fn chosen(&self, (row, column): (usize, usize)) -> String {
        let layout = &self.layout;
        let window = layout.window;
        let is_inside =
            (window.row..window.row + window.len).contains(&row) && (window.column..window.column + window.len).contains(&column);
        if !is_inside {
            return String::new();
        }
        // The frame lies around the cell, so that its value stays readable.
        let size = layout.cell().max(4.0) + 3.0;
        let (x, y) = (layout.x(column) + (layout.cell() - size) / 2.0, layout.y(row) + (layout.cell() - size) / 2.0);
        let mut svg = String::new();
        for class in ["halo", "chosen"] {
            let _ = write!(svg, r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{size:.1}" height="{size:.1}"/>"#);
        }
        // Number and name replace those of the drawing below.
        let number = layout.x(column) + layout.cell() / 2.0;
        let _ = write!(svg, r#"<rect class="ground" x="{:.1}" y="0" width="24" height="{:.1}"/>"#, number - 12.0, layout.top - 4.0);
        if layout.has_names {
            let (right, height) = (layout.left + layout.size() + 2.0, layout.cell().max(MIN_NAMED_ROW));
            let y = layout.y(row) + (layout.cell() - height) / 2.0;
            let _ = write!(svg, r#"<rect class="ground" x="{right:.1}" y="{y:.1}" width="{NAMES:.1}" height="{height:.1}"/>"#);
        }
        self.column_number(&mut svg, column, " lit");
        if layout.has_names {
            self.name(&mut svg, row, " lit");
        } else {
            self.row_number(&mut svg, row, " lit");
        }
        svg
    }

    fn tree(&self, svg: &mut String) {
        let linked = self.texts.linked();
        let layout = &self.layout;
        let least = self.threshold.nearness();
        let [far, near] =
            linked.links.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[far, near], link| [far.min(*link), near.max(*link)]);
        let share = |nearness: f64| match self.texts.form.measure {
            Measure::Similarity | Measure::LcsRatio => nearness,
            Measure::Edits => 1.0 + nearness / 1.0_f64.max(-far),
            // A text has no points of its own, so that the nearest pair is joined a little before its leaves.
            Measure::Points => MAX_POINTS_SHARE * (nearness - far) / 1.0_f64.max(near - far),
        };
        let at_share = |share: f64| 4.0 + share.clamp(0.0, 1.0) * (TREE - 8.0);
        let (x, leaf) = (|nearness: f64| at_share(share(nearness)), at_share(1.0));
        // By the first place of a subtree: its last place, and the point at which it joins others.
        let mut ends: Vec<usize> = (0..linked.order.len()).collect();
        let mut starts = ends.clone();
        let mut joints: Vec<(f64, f64)> = ends.iter().map(|&place| (leaf, layout.y(place) + layout.cell() / 2.0)).collect();
        let mut links: Vec<usize> = (0..linked.links.len()).collect();
        links.sort_by(|a, b| linked.links[*b].total_cmp(&linked.links[*a]));
        let mut paths = [String::new(), String::new()];
        for link in links {
            let nearness = linked.links[link];
            let (first, second) = (starts[link], link + 1);
            let (end, at) = (ends[second], x(nearness));
            let [(x1, y1), (x2, y2)] = [joints[first], joints[second]];
            let path = &mut paths[usize::from(nearness >= least)];
            let _ = write!(path, "M{x1:.1} {y1:.1}H{at:.1}V{y2:.1}H{x2:.1}");
            joints[first] = (at, (y1 + y2) / 2.0);
            ends[first] = end;
            starts[end] = first;
        }
        for (class, path) in ["branch", "branch near"].into_iter().zip(paths) {
            let _ = write!(svg, r#"<path class="{class}" d="{path}"/>"#);
        }
        let at = x(match self.threshold {
            Threshold::Percent(percent) => f64::from(percent) / 100.0,
            Threshold::Edits(edits) => -f64::from(edits),
            Threshold::Points(points) => points.into(),
        });
        let _ = write!(svg, r#"<path class="limit" d="M{at:.1} {:.1}V{:.1}"/>"#, layout.top - 6.0, layout.top + layout.size());
    }

    fn values(&self, svg: &mut String) {
        let layout = &self.layout;
        let window = layout.window;
        let least = self.threshold.nearness();
        for row in window.row..window.row + window.len {
            for column in window.column..window.column + window.len {
                let (a, b) = (self.rows[row], self.rows[column]);
                let nearness = self.texts.nearness(a, b);
                if row == column || nearness < least {
                    continue;
                }
                let step = (self.scale.share(nearness) * 8.0).round() as usize;
                let (x, y) = (layout.x(column) + layout.point / 2.0, layout.y(row) + layout.point / 2.0 + 4.0);
                let _ = write!(svg, r#"<text class="value h{step}" x="{x:.1}" y="{y:.1}">{}</text>"#, value_in_cell(self.texts, a, b));
            }
        }
    }

    fn frames(&self, svg: &mut String) {
        let layout = &self.layout;
        let window = layout.window;
        let mut places = vec![0; self.rows.len()];
        self.rows.iter().enumerate().for_each(|(place, &text)| places[text] = place);
        let size = layout.size();
        for (number, group) in self.groups.iter().enumerate() {
            // A group is contiguous in the order of the tree.
            let first = group.members.iter().map(|&text| places[text]).min().unwrap_or(0);
            let end = first + group.members.len();
            let is_outside = |from: usize| end <= from || first >= from + window.len;
            if is_outside(window.row) || is_outside(window.column) {
                continue;
            }
            let clip = |at: f64, from: f64| at.clamp(from, from + size);
            let (x, right) = (clip(layout.x(first), layout.left), clip(layout.x(end), layout.left));
            let (y, bottom) = (clip(layout.y(first), layout.top), clip(layout.y(end), layout.top));
            let _ = write!(svg, r#"<rect class="group" x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}"/>"#, right - x, bottom - y);
            if number < MAX_TAGS && layout.cell() * group.members.len() as f64 >= 8.0 {
                let is_last = right + 16.0 > layout.left + size;
                let (at, anchor) = if is_last { (x - 5.0, "end") } else { (right + 5.0, "start") };
                let _ = write!(svg, r#"<text class="tag" x="{at:.1}" y="{:.1}" text-anchor="{anchor}">{}</text>"#, y + 12.0, group.letter);
            }
        }
    }

    fn numbers(&self, svg: &mut String) {
        let layout = &self.layout;
        let window = layout.window;
        let step = self.step();
        for place in (window.column..window.column + window.len).filter(|place| self.is_numbered(*place, step)) {
            self.column_number(svg, place, "");
        }
        for place in window.row..window.row + window.len {
            if layout.has_names {
                self.name(svg, place, "");
            } else if !layout.has_tree && self.is_numbered(place, step) {
                self.row_number(svg, place, "");
            }
        }
    }

    /// Returns the distance between two numbered rows.
    fn step(&self) -> usize {
        let min = 22.0 / self.layout.cell().max(1e-6);
        [1, 5, 10, 50, 100, 500, 1000].into_iter().find(|&step| step as f64 >= min).unwrap_or(5000)
    }

    fn is_numbered(&self, place: usize, step: usize) -> bool {
        step == 1 || place == 0 || (place + 1).is_multiple_of(step)
    }

    fn column_number(&self, svg: &mut String, place: usize, class: &str) {
        let layout = &self.layout;
        let x = layout.x(place) + layout.cell() / 2.0;
        let _ =
            write!(svg, r#"<text class="name{class}" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#, layout.top - 7.0, place + 1);
    }

    fn row_number(&self, svg: &mut String, place: usize, class: &str) {
        let layout = &self.layout;
        let y = layout.y(place) + layout.cell() / 2.0 + 4.0;
        let _ = write!(svg, r#"<text class="name{class}" x="{:.1}" y="{y:.1}" text-anchor="end">{}</text>"#, layout.left - 6.0, place + 1);
    }

    fn name(&self, svg: &mut String, place: usize, class: &str) {
        let layout = &self.layout;
        let text = self.rows[place];
        let grouped = if self.groups.iter().any(|group| group.members.binary_search(&text).is_ok()) { " in" } else { "" };
        let (x, y) = (layout.left + layout.size() + 26.0, layout.y(place) + layout.cell() / 2.0 + 4.0);
        let name = (self.names)(text);
        let brief: String = name.chars().take(MAX_NAME).collect();
        let more = if brief.len() < name.len() { "…" } else { "" };
        let _ = write!(
            svg,
            r#"<text class="name{grouped}{class}" x="{x:.1}" y="{y:.1}" text-anchor="end">{}</text><text class="name{grouped}{class}" x="{:.1}" y="{y:.1}">{}{more}</text>"#,
            place + 1,
            x + 8.0,
            escape(&brief),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::collection::answer::tests::compared;
    use crate::model::collection::map::MapWindow;

    #[test]
    fn drawing_has_frames_values_names_and_a_tree() {
        let texts = compared(&["kitten", "<b>", "mitten"], Measure::Similarity);
        let rows = texts.rows(RowOrder::Tree);
        let threshold = Threshold::Percent(80);
        let groups = texts.groups(threshold);
        let layout = MapLayout::new(3, MapWindow::all(3), RowOrder::Tree, 800.0);
        let names = |text: usize| texts.report.members[text].name.clone();
        let scale = NearnessScale::new(Measure::Similarity, 0, 0);
        let drawing = MapDrawing { texts: &texts, rows: &rows, layout, groups: &groups, threshold, scale, names: &names };
        let svg = drawing.svg(RowOrder::Tree);
        assert_eq!(svg.matches(r#"class="group""#).count(), 1, "{svg}");
        assert_eq!(svg.matches(">83</text>").count(), 2, "{svg}");
        assert!(svg.contains("branch near") && svg.contains("&lt;b&gt;") && svg.contains(">A</text>"), "{svg}");
        let chosen = drawing.chosen((0, 1));
        assert!(chosen.contains(r#"class="chosen""#) && chosen.contains("lit"), "{chosen}");
        assert_eq!(drawing.chosen((0, 7)), "");
    }
}
