//! Positions of the panels of a frame (one step of a lens) in one drawing, and the size of all panels together.
//! [`PanelLayout`] has the result. Panels are beside and below the main panel, stacked, or in rows.

use explain::lens::frame::{LensFrame, PanelPosition};

use super::LensInput;
use super::draw::{PanelDrawing, PanelSettings, panel};

/// Width and height of the drawing on a screen, in user units of the SVG.
pub const SIZE: [f64; 2] = [940.0, 600.0];

/// Space between panels, in units of a panel.
pub(super) const GAP: f64 = 34.0;

/// Margin around the panels, in units of a panel, so that frames at the edge are not cut off.
pub(super) const MARGIN: f64 = 4.0;

/// Upper left corner `[x, y]` of each panel, in units of a panel, by the panel's number in the frame. `None` if the
/// panel is not drawn.
pub(super) type PanelPositions = Vec<Option<[f64; 2]>>;

/// For each panel: the position that the lens gives it (main, beside or below), and its maximum width and height over
/// the measured steps.
pub(super) type PanelSizes = Vec<(PanelPosition, [f64; 2])>;

/// A layout: the positions of panels in a drawing, and its scale and size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PanelLayout {
    /// Settings for drawing the panels.
    pub(super) setting: PanelSettings,
    /// Upper left corners of the panels.
    pub(super) places: PanelPositions,
    /// Scale of the panels, in user units of the SVG per unit of a panel.
    pub(super) scale: f64,
    /// Width and height of the drawing's view box, in user units of the SVG.
    pub(super) size: [f64; 2],
    /// Whether the drawing takes the whole width of a projector or of a sheet of paper, with text below it instead of
    /// beside it.
    pub(super) is_flat: bool,
}

/// Returns, for each panel, the position that the lens gives it, and its maximum size over the `frames` (steps of a
/// lens). `watched` are the texts that the lens shows.
pub(super) fn measure_panels(frames: &[LensFrame], watched: &LensInput, setting: PanelSettings) -> PanelSizes {
    let mut sizes = PanelSizes::new();
    for frame in frames {
        for (number, one) in frame.panels.iter().enumerate() {
            let PanelDrawing { width, height, .. } = panel(one, watched, setting);
            if number == sizes.len() {
                sizes.push((one.position, [0.0, 0.0]));
            }
            let [most_width, most_height] = &mut sizes[number].1;
            (*most_width, *most_height) = (most_width.max(width), most_height.max(height));
        }
    }
    sizes
}

/// Returns the width and height of the area that all panels take together, without the margin.
pub(super) fn whole(places: &PanelPositions, sizes: &PanelSizes) -> [f64; 2] {
    let drawn = places.iter().zip(sizes).filter_map(|(place, (_, size))| place.map(|place| (place, size)));
    drawn.fold([1.0, 1.0], |[right, bottom]: [f64; 2], ([x, y], [width, height])| [right.max(x + width), bottom.max(y + height)])
}

/// Returns the largest scale at which panels of this total `width` and `height`, with the margin around them, fit into
/// the area `room` (width and height).
pub(super) fn fits([width, height]: [f64; 2], room: [f64; 2]) -> f64 {
    ((room[0] - 2.0 * MARGIN) / width).min((room[1] - 2.0 * MARGIN) / height)
}

/// Returns positions for all panels in one column, each below the one before.
pub(super) fn stacked(sizes: &PanelSizes) -> PanelPositions {
    let mut y = 0.0;
    let below = |(_, [_, height]): &(PanelPosition, [f64; 2])| {
        let place = [0.0, y];
        y += height + GAP;
        Some(place)
    };
    sizes.iter().map(below).collect()
}

/// Returns the positions that the lens gives the panels: beside and below the main panel.
pub(super) fn preferred_positions(sizes: &PanelSizes) -> PanelPositions {
    let stack = |place: PanelPosition| -> [f64; 2] {
        let of = sizes.iter().filter(|(of, _)| *of == place);
        of.fold([0.0, 0.0], |[width, sum]: [f64; 2], (_, [w, h])| [width.max(*w), sum + h + GAP])
    };
    let ([main, main_height], [_, side_height]) = (stack(PanelPosition::Main), stack(PanelPosition::Side));
    let lower = main_height.max(side_height);
    let below: f64 = sizes.iter().filter(|(place, _)| *place == PanelPosition::Below).map(|(_, [width, _])| width + GAP).sum();
    let upper = main + GAP + stack(PanelPosition::Side)[0];
    // Panels below the main panel are side by side if that does not widen the drawing, and else stacked.
    let in_row = below <= upper.max(SIZE[0]);
    let (mut main_y, mut side_y, mut below_at) = (0.0, 0.0, [0.0, lower]);
    let place = |(place, [width, height]): &(PanelPosition, [f64; 2])| match place {
        PanelPosition::Main => {
            let at = [0.0, main_y];
            main_y += height + GAP;
            at
        }
        PanelPosition::Side => {
            let at = [main + GAP, side_y];
            side_y += height + GAP;
            at
        }
        PanelPosition::Below => {
            let at = below_at;
            if in_row {
                below_at[0] += width + GAP
            } else {
                below_at[1] += height + GAP
            }
            at
        }
    };
    sizes.iter().map(place).map(Some).collect()
}

/// Returns positions for the panels in rows, in the order of the panels. A row is at most `most` units wide, unless its
/// only panel is wider.
pub(super) fn in_rows(sizes: &PanelSizes, most: f64) -> PanelPositions {
    let ([mut x, mut y], mut height) = ([0.0, 0.0], 0.0_f64);
    let place = |(_, [width, high]): &(PanelPosition, [f64; 2])| {
        if x > 0.0 && x + width > most {
            (x, y, height) = (0.0, y + height + GAP, 0.0);
        }
        let place = [x, y];
        (x, height) = (x + width + GAP, height.max(*high));
        Some(place)
    };
    sizes.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_panels_use_the_available_width() {
        let sizes: PanelSizes = [(300.0, 20.0), (100.0, 50.0), (100.0, 10.0), (200.0, 30.0)]
            .map(|(width, height)| (PanelPosition::Main, [width, height]))
            .into();
        let at = |most: f64| in_rows(&sizes, most).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(at(300.0), [[0.0, 0.0], [0.0, 54.0], [134.0, 54.0], [0.0, 138.0]]);
        assert_eq!(at(0.0), [[0.0, 0.0], [0.0, 54.0], [0.0, 138.0], [0.0, 182.0]]);
        assert_eq!(whole(&in_rows(&sizes, 9999.0), &sizes), [802.0, 50.0]);
    }
}
