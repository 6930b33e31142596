//! Layouts of a lens (a view that shows an algorithm step by step) for projectors and paper, where the available area
//! is fixed and letters must be readable from a distance. [`ProjectorScreen`] is the window on a projector.
//!
//! On a projector the drawing is beside the sentence, or above it over the whole width. Panels are in the positions
//! that the lens gives them or in rows, and many rows of cells are in one column or two. If letters are too small, they
//! are enlarged in the drawing's units while cells keep their size.
//!
//! If the panels still do not fit on a projector, the panels below the main panel are left out first, then those beside
//! it. If even that does not suffice because of long texts, cells have no letters.

use explain::lens::frame::{LensFrame, PanelPosition};

use super::LensInput;
use super::draw::{MIN_LETTER_HEIGHT, PanelSettings};
use super::places::{GAP, PanelLayout, PanelPositions, PanelSizes, SIZE, fits, in_rows, measure_panels, preferred_positions, whole};

/// Heights of letters to try, in units of a panel. With letters higher than the last of these, a number of two digits
/// would be wider than its cell.
const HEIGHTS: [f64; 7] = [MIN_LETTER_HEIGHT, 17.0, 20.0, 23.0, 26.0, 29.0, 32.0];

/// Maximum scale of panels on a screen, in pixels per unit of a panel.
pub(super) const MAX_SCREEN_SCALE: f64 = 1.15;

/// Minimum height of letters on a screen, in pixels, provided that the texts are short enough.
pub(super) const MIN_SCREEN_LETTER_HEIGHT: f64 = 11.0;

/// A function that returns whether a panel is drawn, given the position (main, beside or below) that the lens gives the
/// panel.
type PanelSelection = fn(PanelPosition) -> bool;

/// The selections of panels to try, in order of preference: all panels, all except those below, the main panel only.
static PARTS: [PanelSelection; 3] = [|_| true, |place| place != PanelPosition::Below, |place| place == PanelPosition::Main];

/// The areas of the page in which a drawing may be, and limits for its layout.
pub(super) struct AvailableRooms {
    /// Each area of the page: its width and height in pixels, and whether the drawing in the area is
    /// [flat](PanelLayout::is_flat).
    rooms: Vec<([f64; 2], bool)>,
    /// Minimum heights of letters, in pixels: the preferred one, and the lowest acceptable one.
    letters: [f64; 2],
    /// Maximum scale of panels, in pixels per unit of a panel.
    most_scale: f64,
    /// Allowed selections of panels, in order of preference.
    parts: &'static [PanelSelection],
}

/// A window on a projector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectorScreen {
    /// Width in pixels.
    width: f64,
    /// Height in pixels.
    height: f64,
    /// Font size of the root element, in pixels.
    root: f64,
}

impl Default for ProjectorScreen {
    fn default() -> Self {
        Self::of(1280.0, 720.0)
    }
}

impl ProjectorScreen {
    /// Creates a window of this width and height, in pixels.
    pub fn of(width: f64, height: f64) -> Self {
        Self { width, height, root: (0.013 * width).clamp(22.0, 35.2) }
    }

    /// Returns the two areas for the drawing: beside the text, and above the text over the whole width. In the second
    /// area, space is left for `sentences` lines of text.
    pub(super) fn rooms(self, sentences: usize) -> AvailableRooms {
        // Height above and below the drawing, in root font sizes, equal to `--chrome` in the style sheet for a page with
        // a strip of methods.
        let chrome = 11.6;
        let less = |across: f64, down: f64| [self.width - across * self.root, self.height - down * self.root].map(|side| side.max(120.0));
        let rooms = vec![(less(4.5 + 16.5 + 1.5, chrome + 0.3), false), (less(4.5, chrome + 2.15 + 1.6 * sentences as f64), true)];
        AvailableRooms { rooms, letters: [18.0, 16.0], most_scale: self.root / 13.2, parts: &PARTS }
    }
}

/// Returns the area on a sheet of A4 with text above and below the drawing.
pub(super) fn paper() -> AvailableRooms {
    AvailableRooms { rooms: vec![([686.0, 430.0], true)], letters: [11.0, 10.0], most_scale: 0.95, parts: &PARTS[..1] }
}

/// Returns the area on a computer screen, where the drawing has a fixed size.
pub(super) fn screen() -> AvailableRooms {
    AvailableRooms { rooms: vec![(SIZE, false)], letters: [MIN_SCREEN_LETTER_HEIGHT; 2], most_scale: MAX_SCREEN_SCALE, parts: &PARTS[..1] }
}

/// Returns the best layout for `frames` (steps of a lens) in one of the areas `rooms`, if necessary without letters in
/// cells. `watched` are the texts that the lens shows.
pub(super) fn layout(frames: &[LensFrame], watched: &LensInput, rooms: &AvailableRooms) -> PanelLayout {
    let mut tried = LayoutSearch { frames, watched, rooms, sizes: Vec::new() };
    tried.readable().unwrap_or_else(|| tried.without_letters_in_cells())
}

/// Returns the best layout for `frames` (steps of a lens) in one of the areas `rooms`. Returns `None` if letters would
/// be too small in all layouts. `watched` are the texts that the lens shows.
pub(super) fn readable(frames: &[LensFrame], watched: &LensInput, rooms: &AvailableRooms) -> Option<PanelLayout> {
    LayoutSearch { frames, watched, rooms, sizes: Vec::new() }.readable()
}

/// A search for the best layout of a lens, which caches the sizes of the panels for each setting.
struct LayoutSearch<'a> {
    frames: &'a [LensFrame],
    watched: &'a LensInput,
    rooms: &'a AvailableRooms,
    sizes: Vec<(PanelSettings, PanelSizes)>,
}

impl LayoutSearch<'_> {
    fn of(&mut self, setting: PanelSettings, part: PanelSelection) -> PanelLayout {
        let known = self.sizes.iter().position(|(known, _)| *known == setting);
        let at = known.unwrap_or_else(|| {
            self.sizes.push((setting, measure_panels(self.frames, self.watched, setting)));
            self.sizes.len() - 1
        });
        largest(&self.sizes[at].1, setting, part, self.rooms)
    }

    /// Finds a layout with letters that are large enough, or returns `None` if there is none. Letters of the lowest
    /// acceptable height are preferred to fewer panels.
    fn readable(&mut self) -> Option<PanelLayout> {
        let rooms = self.rooms;
        let mut wishes = rooms.parts.iter().flat_map(|part| rooms.letters.map(|least| (*part, least)));
        wishes.find_map(|(part, least)| {
            let found = [1, 2].map(|columns| self.first(columns, part, least));
            found.into_iter().flatten().reduce(|one, two| if two.scale > one.scale { two } else { one })
        })
    }

    /// Finds the layout with the lowest of [`HEIGHTS`] for which letters have at least `least` pixels. Returns `None`
    /// if no height suffices. `columns` is the number of columns of tapes, and `part` selects the panels to show.
    ///
    /// Larger letters never make the drawing's scale larger. Heights that are too small at the largest scale are
    /// therefore skipped.
    fn first(&mut self, columns: usize, part: PanelSelection, least: f64) -> Option<PanelLayout> {
        let most = self.of(PanelSettings { columns, ..PanelSettings::default() }, part).scale;
        let mut heights = HEIGHTS.into_iter().filter(|height| height * most >= least);
        heights.find_map(|height| {
            Some(self.of(PanelSettings { columns, min_letter_height: height }, part)).filter(|layout| letters(layout) >= least)
        })
    }

    /// Returns a layout in which letters are large enough to read, but may be too large for cells. Such letters are not
    /// drawn, so that cells stay empty.
    fn without_letters_in_cells(&mut self) -> PanelLayout {
        let (parts, [wanted, accepted]) = (self.rooms.parts, self.rooms.letters);
        let least_part = parts[parts.len() - 1];
        let mut layout = self.of(PanelSettings::default(), least_part);
        for _ in 0..6 {
            if letters(&layout) < accepted {
                layout = self.of(PanelSettings { columns: 1, min_letter_height: wanted / layout.scale }, least_part);
            }
        }
        layout
    }
}

/// Returns the height of the smallest letters in a layout, in pixels.
fn letters(layout: &PanelLayout) -> f64 {
    layout.setting.min_letter_height * layout.scale
}

/// Returns the layout with the largest scale for the panels that `part` selects, among all arrangements in all areas of
/// `rooms`. `sizes` has the sizes of all panels when they are drawn with `setting`.
fn largest(sizes: &PanelSizes, setting: PanelSettings, part: PanelSelection, rooms: &AvailableRooms) -> PanelLayout {
    let drawn: PanelSizes = sizes.iter().filter(|(place, _)| part(*place)).copied().collect();
    let mut best = PanelLayout { setting, ..PanelLayout::default() };
    for places in arrangements(&drawn) {
        let size = whole(&places, &drawn);
        for (room, is_flat) in rooms.rooms.iter().copied() {
            let scale = fits(size, room).min(rooms.most_scale);
            if scale > best.scale {
                // A flat drawing is no higher than necessary, because the text is below it.
                let height = if is_flat { room[1].min(size[1] * scale + 8.0) } else { room[1] };
                best = PanelLayout { places: places.clone(), scale, size: [room[0], height], is_flat, ..best };
            }
        }
    }
    let mut of_drawn = best.places.into_iter();
    best.places = sizes.iter().map(|(place, _)| if part(*place) { of_drawn.next().flatten() } else { None }).collect();
    best
}

/// Returns the arrangements to try for panels of the sizes `sizes`: in the positions that the lens gives them, and in
/// rows. The maximum widths tried for rows are the total widths of consecutive panels.
fn arrangements(sizes: &PanelSizes) -> Vec<PanelPositions> {
    let together = |sizes: &[(PanelPosition, [f64; 2])]| sizes.iter().map(|(_, [width, _])| width + GAP).sum::<f64>();
    let widths = (0..sizes.len()).flat_map(|from| (from + 1..=sizes.len()).map(move |to| together(&sizes[from..to])));
    let widest = sizes.iter().map(|(_, [width, _])| *width).fold(0.0, f64::max);
    let rows = widths.filter(|width| *width > widest).map(|width| in_rows(sizes, width));
    std::iter::once(preferred_positions(sizes)).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::LensSettings;
    use explain::lens::{Lens, LensName, LensTexts, open};
    use kernels::job::Task;

    use super::*;
    use crate::model::lens::compose::DisplayMedium;
    use crate::model::lens::tests::{samples, watched};

    /// Calls `check` for each lens on the samples, and on texts of up to forty symbols.
    fn each(mut check: impl FnMut(LensName, &LensInput, &dyn Lens)) {
        let long = |name: LensName, task: Task, sample: &LensInput| {
            let (most_a, most_b) = name.max_symbols();
            let watched = watched(task, &"abcdefghij".repeat(6)[..most_a.min(40)], &"jihgfedcba".repeat(6)[..most_b.min(40)]);
            let LensTexts { costs, scoring, .. } = sample.texts.clone();
            LensInput { texts: LensTexts { costs, scoring, ..watched.texts }, ..watched }
        };
        for sample in samples() {
            let task = sample.task.unwrap();
            for name in sample.offered() {
                for watched in [sample.clone(), long(name, task, &sample)] {
                    let Ok(lens) = open(name, task, &watched.texts, &LensSettings::defaults(name)) else { continue };
                    check(name, &watched, lens.as_ref());
                }
            }
        }
    }

    #[test]
    fn projected_letters_are_large_and_drawings_fit_the_screen() {
        each(|name, watched, lens| {
            let screens = [(1280.0, 720.0), (1440.0, 900.0), (1024.0, 768.0), (1920.0, 1080.0)];
            for screen in screens.into_iter().take(if watched.a.len() > 10 { 1 } else { 4 }) {
                let screen = ProjectorScreen::of(screen.0, screen.1);
                let layout = PanelLayout::of(lens, watched, DisplayMedium::Projected(screen));
                assert!(letters(&layout) >= 16.0, "{name:?} {screen:?}: {}", letters(&layout));
                let room = screen
                    .rooms(if name == LensName::Slices { 2 } else { 1 })
                    .rooms
                    .into_iter()
                    .find(|(_, is_flat)| *is_flat == layout.is_flat)
                    .unwrap()
                    .0;
                assert!(layout.size[0] <= room[0] && layout.size[1] <= room[1], "{name:?} {screen:?}: {:?}", layout.size);
            }
            let layout = PanelLayout::of(lens, watched, DisplayMedium::Paper);
            assert!(letters(&layout) >= 10.0 && layout.size[0] <= 686.0, "{name:?}: {}", letters(&layout));
            assert!(layout.places.iter().all(Option::is_some), "{name:?}: a panel is missing on paper");
        });
    }

    /// Fourteen rows of bits, whose letters were too small in one column on a projector of 1,280 × 720 pixels.
    #[test]
    fn many_rows_take_two_columns_on_a_projector() {
        let watched = &samples()[0];
        let lens =
            open(LensName::BitVectors, watched.task.unwrap(), &watched.texts, &LensSettings::defaults(LensName::BitVectors)).unwrap();
        let of = |room: DisplayMedium| PanelLayout::of(lens.as_ref(), watched, room);
        let (projected, narrow) = (of(DisplayMedium::Projected(ProjectorScreen::default())), of(DisplayMedium::Narrow));
        assert_eq!((projected.setting.columns, narrow.setting.columns), (2, 1));
        let texts = |layout: &PanelLayout| layout.draw(&lens.frame(2), watched).body.matches("<text").count();
        assert!(texts(&projected) > texts(&narrow), "each column has its own heading");
    }

    /// Forty symbols in slices: six panels, whose letters were too small on a projector.
    #[test]
    fn letters_of_slices_are_large_on_a_projector() {
        let watched = watched(Task::ApproximateSearch, "read", "the word we write are the world we read");
        let lens = open(LensName::Slices, Task::ApproximateSearch, &watched.texts, &LensSettings::defaults(LensName::Slices)).unwrap();
        let layout = PanelLayout::of(lens.as_ref(), &watched, DisplayMedium::Projected(ProjectorScreen::default()));
        assert!(letters(&layout) >= 16.0 && layout.places.iter().flatten().count() >= 4, "{layout:?}");
    }

    /// Six panels on a screen, where the lens's own arrangement leaves half of the room empty and letters too small.
    #[test]
    fn letters_of_slices_are_large_enough_on_a_screen() {
        let watched = watched(Task::ApproximateSearch, "read", "the word we write are the world we read");
        let lens = open(LensName::Slices, Task::ApproximateSearch, &watched.texts, &LensSettings::defaults(LensName::Slices)).unwrap();
        let layout = PanelLayout::of(lens.as_ref(), &watched, DisplayMedium::Wide);
        assert!(letters(&layout) >= 11.0 && layout.size == SIZE && layout.places.iter().all(Option::is_some), "{layout:?}");
    }
}
