//! Shape: how a pair is laid over a device. Tuning: it changes the time, never the answer.

use crate::gpu::compile::Source;
use crate::gpu::session::{DONE, OVER, SAID, STOP, TICKET, WISH};

/// Rows of a band for each word that a lane keeps: 32 lanes of 32 bits.
const UNITS: u64 = 1024;
/// Rows of the lowest band.
pub(super) const LEAST_HEIGHT: u64 = UNITS;
/// Words that a lane may keep.
pub(super) const WORDS: [u32; 5] = [1, 2, 4, 8, 16];
/// Largest number of bit planes: 256 symbols.
pub(super) const PLANES: u32 = 8;
/// Warps of the largest block. More would leave a lane too few registers for 16 words and 8 planes.
const WARPS: u32 = 8;
/// Warps that issue at the same time on one multiprocessor.
const SCHEDULERS: u32 = 4;
/// What a sweep is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Where an optimal path crosses the middle: the upper bands forwards and the lower bands backwards, meeting there.
    Middle,
    /// Where it crosses every border between bands: all bands forwards and all backwards.
    Borders,
}

/// Layout of one sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// What it is for.
    pub(super) goal: Goal,
    /// Words that a lane keeps, one of `WORDS`.
    pub(super) words: u32,
    /// Bits of a symbol number.
    pub(super) planes: u32,
    /// Warps of a block.
    pub(super) warps: u32,
    /// Blocks, at most one for each multiprocessor.
    pub(super) blocks: u32,
    /// Bands of the whole pair.
    pub(super) bands: u32,
    /// Rows, padded to whole bands.
    pub(super) rows: u64,
    /// Columns, padded by as much.
    pub(super) columns: u64,
}

/// Lengths of both texts, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: u64,
    pub(super) columns: u64,
}

impl Size {
    /// Of these two texts.
    pub(super) fn of(rows: &[u8], columns: &[u8]) -> Self {
        Self { rows: rows.len() as u64, columns: columns.len() as u64 }
    }
}

/// The part of a device's properties that matters here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// Multiprocessors of the device.
    pub(super) multiprocessors: u32,
    /// Cells that the host aligns in the time of one clock of the device, where that work follows.
    pub(super) host_cells: f64,
}

/// Bits that tell `alphabet` symbols apart, at least 1.
pub(super) fn planes(alphabet: u32) -> u32 {
    alphabet.max(2).next_power_of_two().ilog2()
}

/// Steps between two exchanges of bits among the lanes, a power of 2 below 32. More cost less a step and make a band longer on its
/// way: with more words a lane there are fewer bands.
fn group(words: u32) -> u32 {
    match words {
        1 | 2 => 2,
        4 | 8 => 4,
        _ => 8,
    }
}

/// Steps from the start of a band to the start of the band below it: the lag of a border word, and two blocks for the way
/// through memory.
fn fill(words: u32) -> u32 {
    32 * (32 + group(words) + 2)
}

/// The kernel for these words and planes.
pub(super) fn source(words: u32, planes: u32) -> Source {
    let defines = vec![
        ("WORDS", words.into()),
        ("PLANES", planes.into()),
        ("GROUP", group(words).into()),
        ("THREADS", (WARPS * 32).into()),
        ("TICKET", TICKET),
        ("STOP", STOP),
        ("DONE", DONE),
        ("SAID", SAID),
        ("OVER", OVER),
        ("WISH", WISH),
    ];
    Source { name: "edit-distance", text: include_str!("../kernel.cu"), defines }
}

impl Shape {
    /// The layout that is expected to take least time of those that need at most `limit` bytes.
    ///
    /// # Errors
    /// The least number of bytes that any layout needs.
    pub(super) fn choose(goal: Goal, size: Size, planes: u32, machine: Machine, limit: u64) -> Result<Self, u64> {
        let shapes = WORDS.map(|words| Self::new(goal, size, planes, words, machine));
        let fitting = shapes.iter().filter(|shape| shape.bytes() <= limit);
        let fastest = fitting.min_by(|one, other| one.clocks(machine).total_cmp(&other.clocks(machine)));
        fastest.copied().ok_or_else(|| shapes.iter().map(Self::bytes).min().unwrap_or(0))
    }

    pub(super) fn new(goal: Goal, Size { rows, columns }: Size, planes: u32, words: u32, machine: Machine) -> Self {
        let height = UNITS * u64::from(words);
        let bands = rows.div_ceil(height);
        let padding = bands * height - rows;
        let mut shape =
            Self { goal, words, planes, warps: 0, blocks: 0, bands: bands as u32, rows: rows + padding, columns: columns + padding };
        let tickets = shape.tickets();
        shape.warps = tickets.div_ceil(machine.multiprocessors).clamp(1, WARPS);
        shape.blocks = tickets.div_ceil(shape.warps).min(machine.multiprocessors);
        shape
    }

    /// Rows of a band.
    pub(super) fn height(&self) -> u64 {
        UNITS * u64::from(self.words)
    }

    /// Bands of the forward and of the backward pass.
    pub(super) fn passes(&self) -> [u32; 2] {
        match self.goal {
            Goal::Middle => [self.bands.div_ceil(2), self.bands / 2],
            Goal::Borders => [self.bands, self.bands],
        }
    }

    /// Bands of both passes.
    pub(super) fn tickets(&self) -> u32 {
        self.passes().iter().sum()
    }

    /// Border rows that a pass keeps: all where all are asked for, else one more than there are warps, used in a ring.
    pub(super) fn slots(&self) -> u32 {
        match self.goal {
            Goal::Middle => self.passes()[0].min(self.warps * self.blocks + 1),
            Goal::Borders => self.bands,
        }
    }

    /// Blocks of 32 columns.
    pub(super) fn text_words(&self) -> u64 {
        self.columns.div_ceil(32)
    }

    /// Words of one text's rows in bit planes.
    pub(super) fn row_words(&self) -> u64 {
        self.rows / 32 * u64::from(self.planes)
    }

    /// Device memory that a sweep takes beside the texts, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        2 * (u64::from(self.slots()) * self.text_words() * 8 + (self.row_words() + self.text_words() * u64::from(self.planes)) * 4)
    }

    /// What the progress counter of a finished sweep says: a count is 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        u64::from(self.tickets()) * self.text_words()
    }

    /// Times that a sweep goes over the whole pair.
    pub(super) fn times(&self) -> u64 {
        match self.goal {
            Goal::Middle => 1,
            Goal::Borders => 2,
        }
    }

    /// Expected time in clocks of a multiprocessor. A step of a lone warp waits for its own results; where several share a
    /// scheduler, what counts is how long each keeps it busy. Fitted to an H200 with 2 and 8 planes: 10 %
    /// off at most, but 23 % for a lone warp of 16 words and 8 planes.
    fn clocks(&self, machine: Machine) -> f64 {
        let (words, planes) = (f64::from(self.words), f64::from(self.planes));
        let logic = 2.0 * (3.0 + planes) * words;
        let alone = 21.0 + 2.5 * planes + 4.2 * words + logic;
        let shared = 17.5 + 2.5 * planes + 2.3 * words + logic;
        let step = alone.max(f64::from(self.warps.div_ceil(SCHEDULERS)) * shared);
        let passes = if self.passes()[1] == 0 { 1.0 } else { 2.0 };
        let at_once = f64::from(self.warps * self.blocks) / passes;
        let [bands, _] = self.passes().map(f64::from);
        let fill = f64::from(fill(self.words));
        let sweep = step * ((self.columns as f64 + fill) * (bands / at_once).max(1.0) + fill * bands.min(at_once));
        let after = match self.goal {
            Goal::Middle => 0.0,
            Goal::Borders => (self.rows * self.height()) as f64 / machine.host_cells,
        };
        sweep + after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Machine = Machine { multiprocessors: 132, host_cells: 50.0 };

    #[test]
    fn bands_cover_the_rows_and_both_sides_are_padded_alike() {
        for rows in [1u64, 31, 1024, 1025, 16384, 16385, 1 << 20, (1 << 24) + 1] {
            for goal in [Goal::Middle, Goal::Borders] {
                let shape = Shape::choose(goal, Size { rows, columns: 1000 }, 2, H200, u64::MAX).unwrap();
                assert_eq!(u64::from(shape.bands) * shape.height(), shape.rows);
                assert_eq!(shape.columns - 1000, shape.rows - rows);
                assert!(shape.rows - rows < shape.height());
                assert!(shape.warps <= WARPS && shape.blocks <= 132 && shape.slots() <= shape.bands);
            }
        }
    }

    #[test]
    fn long_pairs_take_many_words_and_short_ones_few() {
        let words = |length| Shape::choose(Goal::Middle, Size { rows: length, columns: length }, 2, H200, u64::MAX).unwrap().words;
        assert_eq!([words(1 << 14), words(1 << 20), words(1 << 24)], [1, 2, 16]);
    }

    #[test]
    fn little_memory_takes_more_words_or_is_refused() {
        let size = Size { rows: 1 << 20, columns: 1 << 20 };
        let choose = |limit| Shape::choose(Goal::Borders, size, 2, H200, limit);
        let fastest = choose(u64::MAX).unwrap();
        let smaller = choose(fastest.bytes() - 1).unwrap();
        assert!(smaller.words > fastest.words);
        let least = choose(0).unwrap_err();
        assert_eq!(choose(least).unwrap().words, 16);
        assert_eq!(choose(least - 1), Err(least));
    }

    #[test]
    fn planes_tell_symbols_apart() {
        assert_eq!([0, 1, 2, 3, 4, 5, 16, 17, 255, 256].map(planes), [1, 1, 1, 2, 2, 3, 4, 5, 8, 8]);
    }
}
