//! The look of a marked cell: a fill, a frame and a sign ([`MarkStyle`]). A mark is a state of the cell, such as new or
//! compared. No state differs by colour alone.

use explain::lens::frame::{LensMark, LensMarkSet, PanelCell, ShownValue};

/// The look of a cell of a lens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkStyle {
    /// CSS class of the background.
    pub fill: &'static str,
    /// CSS class of the letter.
    pub ink: &'static str,
    /// CSS class of the frame, or `None` for no frame.
    pub frame: Option<&'static str>,
    /// Sign beside the value, or `None` for no sign.
    pub sign: Option<&'static str>,
    /// Whether the cell is struck through.
    pub is_struck: bool,
}

/// Fills of marks, as CSS classes of background and letter, in order of precedence. The mark of a new value takes
/// precedence over that of a value that was read.
const FILLS: [(LensMark, &str, &str); 15] = [
    (LensMark::New, "lit", "inv strong"),
    (LensMark::Chosen, "lit", "inv strong"),
    (LensMark::Leaves, "lit", "inv strong"),
    (LensMark::Substituted, "fx", "strong"),
    (LensMark::Inserted, "fi", "strong"),
    (LensMark::Deleted, "fd", "strong"),
    (LensMark::Equal, "twice", "strong"),
    (LensMark::Again, "twice", ""),
    (LensMark::Found, "twice", "strong"),
    (LensMark::Overlap, "idle", ""),
    (LensMark::Idle, "idle", "f"),
    (LensMark::Ahead, "well", "f"),
    (LensMark::Known, "once", ""),
    (LensMark::Kept, "once", ""),
    (LensMark::Dropped, "cell", "f"),
];

/// CSS classes of the frames of marks, in order of precedence.
const FRAMES: [(LensMark, &str); 9] = [
    (LensMark::Compared, "now"),
    (LensMark::Different, "now"),
    (LensMark::Conflict, "now"),
    (LensMark::Path, "now"),
    (LensMark::Read, "from"),
    (LensMark::Also, "from dash"),
    (LensMark::Carried, "from dash"),
    (LensMark::Found, "from"),
    (LensMark::Open, "now"),
];

/// Signs of the edits, which are the same everywhere on the page, and of marks that would otherwise differ by colour
/// alone.
const SIGNS: [(LensMark, &str); 5] =
    [(LensMark::Substituted, "×"), (LensMark::Inserted, "+"), (LensMark::Deleted, "−"), (LensMark::Conflict, "×"), (LensMark::Also, "=")];

impl MarkStyle {
    /// Returns the look of a cell with `marks`. A cell without marks is plain.
    pub fn of(marks: LensMarkSet) -> Self {
        let first = FILLS.iter().find(|(mark, ..)| marks.has(*mark));
        let plain = if marks.has(LensMark::Open) { "once" } else { "cell" };
        let (fill, ink) = first.map_or((plain, ""), |(_, fill, ink)| (*fill, *ink));
        Self {
            fill,
            ink,
            frame: FRAMES.iter().find(|(mark, _)| marks.has(*mark)).map(|(_, frame)| *frame),
            sign: SIGNS.iter().find(|(mark, _)| marks.has(*mark)).map(|(_, sign)| *sign),
            is_struck: marks.has(LensMark::Different),
        }
    }

    /// Returns the look of a cell. It depends on the cell's marks, and on the number of times that the cell was
    /// computed. If the cell shows a bit, the fill shows the value of the bit.
    pub fn of_entry(entry: &PanelCell) -> Self {
        let look = Self::of(entry.marks);
        match (entry.value, entry.computed_times) {
            (ShownValue::Bit(is_set), _) => look.of_bit(is_set),
            (_, 0 | 1) => look,
            _ if look.fill == "lit" => look,
            (_, 2) => Self { fill: "twice", ink: "", ..look },
            _ => Self { fill: "lit", ink: "inv", ..look },
        }
    }

    /// Returns this look changed for a bit. A set bit gets the fill `ink`. The fill `lit` (of new, chosen and leaving
    /// cells) would look like a set bit, so that a frame stands for it. An unset bit keeps any other fill.
    fn of_bit(self, is_set: bool) -> Self {
        let is_made = self.fill == "lit";
        let (fill, ink) = match (is_set, is_made) {
            (true, _) => ("ink", "pap strong"),
            (false, true) => ("cell", "strong"),
            (false, false) => (self.fill, self.ink),
        };
        Self { fill, ink, frame: self.frame.or(is_made.then_some("from")), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every mark changes more than the colour: a frame, a pattern, a sign, the font weight, or a missing value.
    #[test]
    fn every_mark_is_visible_without_colour() {
        let plain = MarkStyle::of(LensMarkSet::NONE);
        for mark in LensMark::ALL {
            assert_ne!(MarkStyle::of(LensMarkSet::NONE.with(mark)), MarkStyle { fill: "", ..plain }, "{mark:?}");
        }
        for (mark, fill, _) in FILLS {
            assert_eq!(MarkStyle::of(LensMarkSet::NONE.with(mark)).fill, fill);
        }
        let edits =
            [LensMark::Substituted, LensMark::Inserted, LensMark::Deleted].map(|mark| MarkStyle::of(LensMarkSet::NONE.with(mark)).sign);
        assert_eq!(edits, [Some("×"), Some("+"), Some("−")]);
        let different = MarkStyle::of(LensMarkSet::NONE.with(LensMark::Different).with(LensMark::Compared));
        assert!(different.is_struck && different.frame == Some("now"));
    }

    #[test]
    fn bits_are_filled_by_value_and_framed_by_state() {
        let of = |bit: bool, mark: LensMark| MarkStyle::of_entry(&PanelCell::new(ShownValue::Bit(bit)).with_mark(mark));
        for mark in [LensMark::New, LensMark::Chosen, LensMark::Leaves, LensMark::Read, LensMark::Kept] {
            assert_ne!(of(true, mark).fill, of(false, mark).fill, "{mark:?}");
        }
        for bit in [true, false] {
            assert_eq!(of(bit, LensMark::New).frame, Some("from"));
            assert_eq!(of(bit, LensMark::Kept).frame, None);
        }
    }

    #[test]
    fn repeated_computations_are_drawn_darker() {
        let of = |times| MarkStyle::of_entry(&PanelCell { computed_times: times, ..PanelCell::default().with_mark(LensMark::Again) }).fill;
        assert_eq!([of(1), of(2), of(3)], ["twice", "twice", "lit"]);
    }
}
