//! How the panels of a lens lie where the room is given and letters must not be small: on a projector, whose last row reads them, and on paper.
//!
//! A projector has room beside the sentence, or its whole width above it. Panels stand where the lens wants them or in rows, and many rows of cells
//! in one column or two. Where letters were too small they are made larger in the drawing's own units, while cells stay. Only where that makes no
//! room for all panels are, on a projector, those below left out, then those beside the large part. Of texts that are too long even for that
//! cells stay without letters.

use explain::lens::frame::{Frame, Place};

use super::Watched;
use super::draw::{SMALLEST, Setting};
use super::places::{GAP, Layout, Places, SIZE, Sizes, beside, fits, in_rows, measured, whole};

/// Heights of letters that are tried, in units of a panel. With more than the last one a number of two digits is wider than its cell.
const HEIGHTS: [f64; 7] = [SMALLEST, 17.0, 20.0, 23.0, 26.0, 29.0, 32.0];

/// How large units get on a screen.
pub(super) const MOST_SCALE: f64 = 1.15;

/// Pixels of the smallest letters on a screen, where the texts are short enough for them.
pub(super) const LEAST_ON_SCREEN: f64 = 11.0;

/// Which panels are drawn, by where the lens wants them.
type Part = fn(Place) -> bool;

/// All, those not below, the large part.
static PARTS: [Part; 3] = [|_| true, |place| place != Place::Below, |place| place == Place::Main];

/// The rooms that a drawing can have, in pixels.
pub(super) struct Rooms {
    /// Width and height of each, and whether the drawing is [flat](Layout::is_flat) in it.
    rooms: Vec<([f64; 2], bool)>,
    /// Height of letters, as it is wanted and as it is accepted.
    letters: [f64; 2],
    /// A unit at most.
    most_scale: f64,
    /// What may be drawn, the most first.
    parts: &'static [Part],
}

/// A window on a projector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// Its width in pixels.
    width: f64,
    /// Its height.
    height: f64,
    /// Pixels of the root's letters.
    root: f64,
}

impl Default for Screen {
    fn default() -> Self {
        Self::of(1280.0, 720.0)
    }
}

impl Screen {
    /// A window of this width and height.
    pub fn of(width: f64, height: f64) -> Self {
        Self { width, height, root: (0.013 * width).clamp(22.0, 35.2) }
    }

    /// Beside what is said, or over the whole width and above it, where it is so many sentences of a line each.
    pub(super) fn rooms(self, sentences: usize) -> Rooms {
        // As the style sheet's `--chrome`: what is above the drawing and below it.
        let chrome = if self.width < 50.0 * self.root { 11.9 } else { 9.75 };
        let less = |across: f64, down: f64| [self.width - across * self.root, self.height - down * self.root].map(|side| side.max(120.0));
        let rooms = vec![(less(4.5 + 16.5 + 1.5, chrome + 0.3), false), (less(4.5, chrome + 2.15 + 1.6 * sentences as f64), true)];
        Rooms { rooms, letters: [18.0, 16.0], most_scale: self.root / 13.2, parts: &PARTS }
    }
}

/// A sheet of A4 with text above the drawing and below it.
pub(super) fn paper() -> Rooms {
    Rooms { rooms: vec![([686.0, 430.0], true)], letters: [11.0, 10.0], most_scale: 0.95, parts: &PARTS[..1] }
}

/// A screen, where the drawing has one size.
pub(super) fn screen() -> Rooms {
    Rooms { rooms: vec![(SIZE, false)], letters: [LEAST_ON_SCREEN; 2], most_scale: MOST_SCALE, parts: &PARTS[..1] }
}

/// The layout for these frames.
pub(super) fn layout(frames: &[Frame], watched: &Watched, rooms: &Rooms) -> Layout {
    let mut tried = Tried { frames, watched, rooms, sizes: Vec::new() };
    tried.readable().unwrap_or_else(|| tried.without_letters_in_cells())
}

/// The layout for these frames, if one has such letters.
pub(super) fn readable(frames: &[Frame], watched: &Watched, rooms: &Rooms) -> Option<Layout> {
    Tried { frames, watched, rooms, sizes: Vec::new() }.readable()
}

/// Ways to draw panels that were tried, with the sizes that they have then.
struct Tried<'a> {
    frames: &'a [Frame],
    watched: &'a Watched,
    rooms: &'a Rooms,
    sizes: Vec<(Setting, Sizes)>,
}

impl Tried<'_> {
    fn of(&mut self, setting: Setting, part: Part) -> Layout {
        let known = self.sizes.iter().position(|(known, _)| *known == setting);
        let at = known.unwrap_or_else(|| {
            self.sizes.push((setting, measured(self.frames, self.watched, setting)));
            self.sizes.len() - 1
        });
        largest(&self.sizes[at].1, setting, part, self.rooms)
    }

    /// Letters that are accepted come before leaving something out.
    fn readable(&mut self) -> Option<Layout> {
        let rooms = self.rooms;
        let mut wishes = rooms.parts.iter().flat_map(|part| rooms.letters.map(|least| (*part, least)));
        wishes.find_map(|(part, least)| {
            let found = [1, 2].map(|columns| self.first(columns, part, least));
            found.into_iter().flatten().reduce(|one, two| if two.scale > one.scale { two } else { one })
        })
    }

    /// The smaller letters are in the drawing's units, the larger is the drawing: with larger ones it is never larger than with the smallest.
    fn first(&mut self, columns: usize, part: Part, least: f64) -> Option<Layout> {
        let most = self.of(Setting { columns, ..Setting::default() }, part).scale;
        let mut heights = HEIGHTS.into_iter().filter(|height| height * most >= least);
        heights.find_map(|height| Some(self.of(Setting { columns, least: height }, part)).filter(|layout| letters(layout) >= least))
    }

    /// No cell has room for such letters; those beside cells are made large enough.
    fn without_letters_in_cells(&mut self) -> Layout {
        let (parts, [wanted, accepted]) = (self.rooms.parts, self.rooms.letters);
        let least_part = parts[parts.len() - 1];
        let mut layout = self.of(Setting::default(), least_part);
        for _ in 0..6 {
            if letters(&layout) < accepted {
                layout = self.of(Setting { columns: 1, least: wanted / layout.scale }, least_part);
            }
        }
        layout
    }
}

/// Pixels of the smallest letters.
fn letters(layout: &Layout) -> f64 {
    layout.setting.least * layout.scale
}

/// The largest drawing of some panels.
fn largest(sizes: &Sizes, setting: Setting, part: Part, rooms: &Rooms) -> Layout {
    let drawn: Sizes = sizes.iter().filter(|(place, _)| part(*place)).copied().collect();
    let mut best = Layout { setting, ..Layout::default() };
    for places in arrangements(&drawn) {
        let size = whole(&places, &drawn);
        for (room, is_flat) in rooms.rooms.iter().copied() {
            let scale = fits(size, room).min(rooms.most_scale);
            if scale > best.scale {
                // A flat drawing is no higher than it needs to be: what is said stands below it.
                let height = if is_flat { room[1].min(size[1] * scale + 8.0) } else { room[1] };
                best = Layout { places: places.clone(), scale, size: [room[0], height], is_flat, ..best };
            }
        }
    }
    let mut of_drawn = best.places.into_iter();
    best.places = sizes.iter().map(|(place, _)| if part(*place) { of_drawn.next().flatten() } else { None }).collect();
    best
}

/// Ways to place panels: as the lens wants them, and in rows of each width that some of them have together.
fn arrangements(sizes: &Sizes) -> Vec<Places> {
    let together = |sizes: &[(Place, [f64; 2])]| sizes.iter().map(|(_, [width, _])| width + GAP).sum::<f64>();
    let widths = (0..sizes.len()).flat_map(|from| (from + 1..=sizes.len()).map(move |to| together(&sizes[from..to])));
    let widest = sizes.iter().map(|(_, [width, _])| *width).fold(0.0, f64::max);
    let rows = widths.filter(|width| *width > widest).map(|width| in_rows(sizes, width));
    std::iter::once(beside(sizes)).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::Settings;
    use explain::lens::{Lens, Name, open};
    use kernels::job::Task;

    use super::*;
    use crate::model::watch::compose::Room;
    use crate::model::watch::tests::{samples, watched};

    /// Each lens on the samples, and on texts of up to forty symbols.
    fn each(mut check: impl FnMut(Name, &Watched, &dyn Lens)) {
        let long = |name: Name, task: Task| {
            let (most_a, most_b) = name.most();
            watched(task, &"abcdefghij".repeat(6)[..most_a.min(40)], &"jihgfedcba".repeat(6)[..most_b.min(40)])
        };
        for sample in samples() {
            let task = sample.task.unwrap();
            for name in sample.offered() {
                for watched in [sample.clone(), long(name, task)] {
                    let Ok(lens) = open(name, task, &watched.texts, &Settings::usual(name)) else { continue };
                    check(name, &watched, lens.as_ref());
                }
            }
        }
    }

    #[test]
    fn letters_are_as_high_as_they_must_be_and_the_drawing_has_room() {
        each(|name, watched, lens| {
            let screens = [(1280.0, 720.0), (1440.0, 900.0), (1024.0, 768.0), (1920.0, 1080.0)];
            for screen in screens.into_iter().take(if watched.a.len() > 10 { 1 } else { 4 }) {
                let screen = Screen::of(screen.0, screen.1);
                let layout = Layout::of(lens, watched, Room::Projected(screen));
                assert!(letters(&layout) >= 16.0, "{name:?} {screen:?}: {}", letters(&layout));
                let room = screen
                    .rooms(if name == Name::Slices { 2 } else { 1 })
                    .rooms
                    .into_iter()
                    .find(|(_, is_flat)| *is_flat == layout.is_flat)
                    .unwrap()
                    .0;
                assert!(layout.size[0] <= room[0] && layout.size[1] <= room[1], "{name:?} {screen:?}: {:?}", layout.size);
            }
            let layout = Layout::of(lens, watched, Room::Paper);
            assert!(letters(&layout) >= 10.0 && layout.size[0] <= 686.0, "{name:?}: {}", letters(&layout));
            assert!(layout.places.iter().all(Option::is_some), "{name:?}: paper shows all");
        });
    }

    /// The fourteen rows of words of bits, which were 10 pixels high on a projector of 1,280 × 720.
    #[test]
    fn many_rows_stand_in_two_columns_on_a_projector() {
        let watched = &samples()[0];
        let lens = open(Name::BitVectors, watched.task.unwrap(), &watched.texts, &Settings::usual(Name::BitVectors)).unwrap();
        let of = |room: Room| Layout::of(lens.as_ref(), watched, room);
        let (projected, narrow) = (of(Room::Projected(Screen::default())), of(Room::Narrow));
        assert_eq!((projected.setting.columns, narrow.setting.columns), (2, 1));
        let texts = |layout: &Layout| layout.draw(&lens.frame(2), watched).body.matches("<text").count();
        assert!(texts(&projected) > texts(&narrow), "nothing is left out, and the letters stand above both columns");
    }

    /// Forty symbols in slices: six panels, of which text was 12 pixels high.
    #[test]
    fn slices_are_read_from_afar() {
        let watched = watched(Task::ApproximateSearch, "read", "the word we write are the world we read");
        let lens = open(Name::Slices, Task::ApproximateSearch, &watched.texts, &Settings::usual(Name::Slices)).unwrap();
        let layout = Layout::of(lens.as_ref(), &watched, Room::Projected(Screen::default()));
        assert!(letters(&layout) >= 16.0 && layout.places.iter().flatten().count() >= 4, "{layout:?}");
    }

    /// The same on a screen, where panels as the lens wants them left half of the room empty and letters of 9 pixels.
    #[test]
    fn slices_are_read_on_a_screen() {
        let watched = watched(Task::ApproximateSearch, "read", "the word we write are the world we read");
        let lens = open(Name::Slices, Task::ApproximateSearch, &watched.texts, &Settings::usual(Name::Slices)).unwrap();
        let layout = Layout::of(lens.as_ref(), &watched, Room::Wide);
        assert!(letters(&layout) >= 11.0 && layout.size == SIZE && layout.places.iter().all(Option::is_some), "{layout:?}");
    }
}
