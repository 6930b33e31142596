//! The look of a marked cell: a fill, a frame and a sign. No state differs by colour alone.

use explain::lens::frame::{Entry, Mark, Marks, Shown};

/// The look of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// CSS class of the background.
    pub fill: &'static str,
    /// CSS class of the letter.
    pub ink: &'static str,
    /// CSS class of the frame.
    pub frame: Option<&'static str>,
    /// Sign beside the value.
    pub sign: Option<&'static str>,
    /// Whether the cell is struck through.
    pub is_struck: bool,
}

/// Fills, in order of precedence. New values take precedence over values that were read.
const FILLS: [(Mark, &str, &str); 15] = [
    (Mark::New, "lit", "inv strong"),
    (Mark::Chosen, "lit", "inv strong"),
    (Mark::Leaves, "lit", "inv strong"),
    (Mark::Substituted, "fx", "strong"),
    (Mark::Inserted, "fi", "strong"),
    (Mark::Deleted, "fd", "strong"),
    (Mark::Equal, "twice", "strong"),
    (Mark::Again, "twice", ""),
    (Mark::Found, "twice", "strong"),
    (Mark::Overlap, "idle", ""),
    (Mark::Idle, "idle", "f"),
    (Mark::Ahead, "well", "f"),
    (Mark::Known, "once", ""),
    (Mark::Kept, "once", ""),
    (Mark::Dropped, "cell", "f"),
];

/// Frames, in order of precedence.
const FRAMES: [(Mark, &str); 9] = [
    (Mark::Compared, "now"),
    (Mark::Different, "now"),
    (Mark::Conflict, "now"),
    (Mark::Path, "now"),
    (Mark::Read, "from"),
    (Mark::Also, "from dash"),
    (Mark::Carried, "from dash"),
    (Mark::Found, "from"),
    (Mark::Open, "now"),
];

/// Signs of the edits, as everywhere on the page, and of marks that would otherwise differ by colour alone.
const SIGNS: [(Mark, &str); 5] =
    [(Mark::Substituted, "×"), (Mark::Inserted, "+"), (Mark::Deleted, "−"), (Mark::Conflict, "×"), (Mark::Also, "=")];

impl Look {
    /// Returns the look for these marks. Without marks a cell is plain.
    pub fn of(marks: Marks) -> Self {
        let first = FILLS.iter().find(|(mark, ..)| marks.has(*mark));
        let plain = if marks.has(Mark::Open) { "once" } else { "cell" };
        let (fill, ink) = first.map_or((plain, ""), |(_, fill, ink)| (*fill, *ink));
        Self {
            fill,
            ink,
            frame: FRAMES.iter().find(|(mark, _)| marks.has(*mark)).map(|(_, frame)| *frame),
            sign: SIGNS.iter().find(|(mark, _)| marks.has(*mark)).map(|(_, sign)| *sign),
            is_struck: marks.has(Mark::Different),
        }
    }

    /// Returns the look of a cell. It also depends on how often the cell was computed, and the fill of a bit is its
    /// value.
    pub fn of_entry(entry: &Entry) -> Self {
        let look = Self::of(entry.marks);
        match (entry.shows, entry.times) {
            (Shown::Bit(is_set), _) => look.of_bit(is_set),
            (_, 0 | 1) => look,
            _ if look.fill == "lit" => look,
            (_, 2) => Self { fill: "twice", ink: "", ..look },
            _ => Self { fill: "lit", ink: "inv", ..look },
        }
    }

    /// Moves the state of a bit from the fill to the frame.
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
    fn every_mark_is_seen() {
        let plain = Look::of(Marks::NONE);
        for mark in Mark::ALL {
            assert_ne!(Look::of(Marks::NONE.with(mark)), Look { fill: "", ..plain }, "{mark:?}");
        }
        for (mark, fill, _) in FILLS {
            assert_eq!(Look::of(Marks::NONE.with(mark)).fill, fill);
        }
        let edits = [Mark::Substituted, Mark::Inserted, Mark::Deleted].map(|mark| Look::of(Marks::NONE.with(mark)).sign);
        assert_eq!(edits, [Some("×"), Some("+"), Some("−")]);
        let different = Look::of(Marks::NONE.with(Mark::Different).with(Mark::Compared));
        assert!(different.is_struck && different.frame == Some("now"));
    }

    #[test]
    fn bits_of_a_step_are_filled_by_their_values_and_framed_by_their_state() {
        let of = |bit: bool, mark: Mark| Look::of_entry(&Entry::new(Shown::Bit(bit)).mark(mark));
        for mark in [Mark::New, Mark::Chosen, Mark::Leaves, Mark::Read, Mark::Kept] {
            assert_ne!(of(true, mark).fill, of(false, mark).fill, "{mark:?}");
        }
        for bit in [true, false] {
            assert_eq!(of(bit, Mark::New).frame, Some("from"));
            assert_eq!(of(bit, Mark::Kept).frame, None);
        }
    }

    #[test]
    fn what_is_computed_again_is_stronger() {
        let of = |times| Look::of_entry(&Entry { times, ..Entry::default().mark(Mark::Again) }).fill;
        assert_eq!([of(1), of(2), of(3)], ["twice", "twice", "lit"]);
    }
}
