//! A dot plot as a self-contained SVG for papers and slides ([`svg`]), with axes, names and a legend, in the colours of
//! the light theme.

use std::fmt::Write as _;

use explain::dots::{DotPlot, DotPlotFrame};

use super::alignment_path::AlignmentPath;
use super::{AxisRange, VisibleArea, full, parts, shade, sides, ticks};
use crate::model::preferences::positions;
use crate::model::text::humanize::grouped;
use crate::model::text::markup::escape_xml;

/// Number of shades of dots. Each shade of each strand has one SVG path.
const SHADES: u8 = 6;

/// Maximum width and height of the plot without its labels, in user units of the SVG.
const ROOM: (f64, f64) = (900.0, 900.0);
/// Margins for labels, in user units of the SVG: left, above, right, below.
const AROUND: [f64; 4] = [96.0, 64.0, 24.0, 56.0];

const INK: &str = "#15201c";
const OTHER: &str = "#b5304a";
const PINE: &str = "#0c6a54";

/// The content of a dot plot's SVG file.
pub struct DotPlotFile<'p> {
    pub dots: &'p DotPlot,
    pub way: Option<&'p AlignmentPath>,
    /// Names of both texts; `None` for a text without a name.
    pub names: [Option<String>; 2],
    /// Entries of the legend, each with its text and the sign drawn before the text.
    pub legend: Vec<(String, LegendSign)>,
}

/// The sign before an entry of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegendSign {
    /// A part (cell of the plot) with one dot.
    Faint,
    /// A part (cell of the plot) with as many dots as a line without differences has.
    Full,
    /// A part (cell of the plot) with dots of reverse complements.
    Other,
    /// The path of the alignment.
    Way,
    /// No sign, because the entry is a sentence.
    None,
}

impl LegendSign {
    fn paint(self) -> Option<(&'static str, f64)> {
        match self {
            Self::Faint => Some((INK, 0.28)),
            Self::Full => Some((INK, 1.0)),
            Self::Other => Some((OTHER, 1.0)),
            Self::Way => Some((PINE, 0.32)),
            Self::None => None,
        }
    }
}

/// Writes the SVG file of a dot plot. The size of the file grows with the number of runs of adjacent parts (cells of
/// the plot) that have dots, not with the number of symbols.
pub fn svg(plotted: &DotPlotFile) -> String {
    let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, .. } = plotted.dots.frame;
    let reach = |from: u64, to: u64| AxisRange { from: from as f64, to: to as f64 };
    let sight = VisibleArea { a: reach(from_a, to_a), b: reach(from_b, to_b) };
    let (across, down) = sides((to_a - from_a, to_b - from_b), ROOM);
    let [left, above, right, below] = AROUND;
    let lines = plotted.legend.len() as f64;
    let (all_across, all_down) = (left + across + right, above + down + below + 20.0 * lines);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {all_across:.0} {all_down:.0}\" width=\"{all_across:.0}\" height=\"{all_down:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"{INK}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let _ =
        writeln!(out, "<svg x=\"{left}\" y=\"{above}\" width=\"{across:.1}\" height=\"{down:.1}\" viewBox=\"0 0 {across:.1} {down:.1}\">");
    if let Some(way) = plotted.way {
        let at = |&(a, b): &(f64, f64)| format!("{:.1},{:.1}", sight.b.share(b) * across, sight.a.share(a) * down);
        let points: Vec<String> = way.iter().map(at).collect();
        let line = "fill=\"none\" stroke-width=\"9\" stroke-linejoin=\"round\" stroke-opacity=\"0.32\"";
        let _ = writeln!(out, "<polyline points=\"{}\" {line} stroke=\"{PINE}\"/>", points.join(" "));
    }
    let _ =
        writeln!(out, "<g transform=\"scale({:.6} {:.6})\" shape-rendering=\"crispEdges\">", across / width as f64, down / height as f64);
    for (inverted, ink) in [(false, INK), (true, OTHER)] {
        for level in 1..=SHADES {
            let path = runs(plotted.dots, inverted, level);
            if !path.is_empty() {
                let _ = writeln!(out, "<path d=\"{path}\" fill=\"{ink}\" fill-opacity=\"{:.2}\"/>", f64::from(level) / f64::from(SHADES));
            }
        }
    }
    out += "</g>\n</svg>\n";
    let _ = writeln!(out, "<rect x=\"{left}\" y=\"{above}\" width=\"{across:.1}\" height=\"{down:.1}\" fill=\"none\" stroke=\"#7d8984\"/>");
    axis(&mut out, sight.b, across, |along, label| {
        let x = left + along;
        format!(
            "<path d=\"M{x:.1} {above}v-5\" stroke=\"#7d8984\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            above - 10.0
        )
    });
    axis(&mut out, sight.a, down, |along, label| {
        let y = above + along;
        format!(
            "<path d=\"M{left} {y:.1}h-5\" stroke=\"#7d8984\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            left - 9.0,
            y + 4.5
        )
    });
    let [a, b] = ["a", "b"].map(|letter| format!("<tspan font-style=\"italic\" font-family=\"serif\" font-size=\"18\">{letter}</tspan>"));
    let name = |name: &Option<String>| name.as_ref().map_or_else(String::new, |name| format!(" {}", escape_xml(name)));
    let [name_a, name_b] = [&plotted.names[0], &plotted.names[1]].map(name);
    let _ = writeln!(out, "<text x=\"{:.1}\" y=\"24\" text-anchor=\"middle\">{b}{name_b}</text>", left + across / 2.0);
    let middle = above + down / 2.0;
    let _ = writeln!(out, "<text transform=\"translate(22 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{a}{name_a}</text>");
    for ((says, sign), nth) in plotted.legend.iter().zip(0..) {
        let y = above + down + 32.0 + 20.0 * f64::from(nth);
        if let Some((colour, opacity)) = sign.paint() {
            let _ = write!(
                out,
                "<rect x=\"{left}\" y=\"{:.1}\" width=\"13\" height=\"13\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>",
                y - 11.0
            );
        }
        let x = if sign.paint().is_some() { left + 22.0 } else { left };
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape_xml(says));
    }
    out += "</svg>\n";
    out
}

/// Returns an SVG path of all runs of adjacent parts (cells of the plot) with the shade number `level`, from 1 to
/// [`SHADES`]. `inverted` selects dots of reverse complements instead of direct ones. A part is one unit wide and high.
fn runs(dots: &DotPlot, inverted: bool, level: u8) -> String {
    let (full, width) = (full(dots), dots.frame.width.max(1));
    let of = |(count, is_inverted): (u32, bool)| {
        let shade = u32::from(shade(count, full)) * u32::from(SHADES);
        if count > 0 && is_inverted == inverted { shade.div_ceil(255) } else { 0 }
    };
    let levels: Vec<u32> = parts(dots).map(of).collect();
    let mut path = String::new();
    for (row, levels) in levels.chunks(width as usize).enumerate() {
        let mut column = 0;
        for run in levels.chunk_by(|one, next| one == next) {
            if run[0] == u32::from(level) {
                let _ = write!(path, "M{column} {row}h{}v1h-{}z", run.len(), run.len());
            }
            column += run.len();
        }
    }
    path
}

/// Draws labels at round positions of the range `reach` along an axis of `pixels` user units. `mark` returns the SVG of
/// one label, given its distance from the beginning of the axis and its text.
fn axis(out: &mut String, reach: AxisRange, pixels: f64, mark: impl Fn(f64, &str) -> String) {
    let first = positions().to_displayed(0) as f64;
    for number in ticks(AxisRange { from: reach.from + first, to: reach.to + first }, pixels, 90.0) {
        let along = reach.share(positions().to_zero_based(number) as f64) * pixels;
        let _ = writeln!(out, "{}", mark(along, &grouped(number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn() -> DotPlot {
        let frame = DotPlotFrame { to_a: 2, to_b: 4, width: 4, height: 2, word: Some(1), inverted: true, ..DotPlotFrame::default() };
        DotPlot {
            frame,
            one_in: 1,
            longest: 8,
            counts: vec![1, 1, 0, 1, 0, 0, 0, 0],
            inverted_counts: vec![0, 0, 0, 0, 0, 1, 0, 0],
            ..DotPlot::default()
        }
    }

    #[test]
    fn adjacent_dots_form_one_path_and_strands_have_their_colours() {
        let dots = drawn();
        let level = (1..=SHADES).find(|level| !runs(&dots, false, *level).is_empty()).unwrap();
        assert_eq!(runs(&dots, false, level), "M0 0h2v1h-2zM3 0h1v1h-1z");
        assert_eq!(runs(&dots, true, level), "M1 1h1v1h-1z");
    }

    #[test]
    fn file_has_axes_names_and_legend() {
        let dots = drawn();
        let way: AlignmentPath = vec![(0.0, 0.0), (2.0, 4.0)];
        let legend = vec![("one dot".to_owned(), LegendSign::Faint), ("A dot is one equal symbol.".to_owned(), LegendSign::None)];
        let file = svg(&DotPlotFile { dots: &dots, way: Some(&way), names: [Some("chr<1>\u{0}".into()), None], legend });
        for part in
            ["chr&lt;1&gt;", ">one dot<", "A dot is one equal symbol.", "<polyline points=\"0.0,0.0 900.0,450.0\"", OTHER, ">4</text>"]
        {
            assert!(file.contains(part), "{part} in {file}");
        }
        assert_eq!((file.matches("<svg").count(), file.matches("</svg>").count()), (2, 2));
    }
}
