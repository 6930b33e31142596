//! Group: the members in the lanes of a vector, and the points of their symbols.

use super::super::words::AlignedWords;
use super::strip_height;
use crate::job::AlignmentMode;
use crate::symbol::Symbol;
use crate::task::sequence_alignment::engine::{AlignmentModel, SymbolPoints};

/// Points of the rows below a member. No score depends on them.
const BELOW: i32 = -1000;

/// Members of a collection in the lanes of a vector.
pub(in super::super) struct PointGroup {
    /// Place of each lane's member in a row of scores.
    pub(super) places: Vec<usize>,
    /// Length of each lane's member.
    pub(super) lens: Vec<usize>,
    pub(super) strips: Vec<PointStrip>,
}

/// Some rows of all members of a group.
pub(super) struct PointStrip {
    /// Number of each symbol of a text within the strip. Symbols with equal numbers have equal points in all rows.
    pub(super) numbers: Vec<u16>,
    /// Points `[number][row]` in all lanes, and the sum of costs that the recurrence adds to them.
    pub(super) points: AlignedWords<i16>,
    /// The greatest number for each row `[row]` in the lanes whose member ends with the row. In others, the least number.
    pub(super) last_rows: AlignedWords<i16>,
    /// The greatest number for each row `[row]` in the lanes whose member has the row. In others, the least number.
    pub(super) member_rows: AlignedWords<i16>,
    /// Whether a member ends in the strip.
    pub(super) has_ends: bool,
}

impl PointGroup {
    /// Creates a group of at most `lanes` members, each with its place in a row of scores, sorted by length. Symbols are
    /// below `alphabet`. Takes O(rows · numbers · lanes + strips · alphabet) time.
    ///
    /// # Panics
    /// Panics if there is no member.
    pub(super) fn new<T: Symbol>(members: &[(usize, &[T])], model: &AlignmentModel, alphabet: u32, lanes: usize) -> Self {
        let longest = members[members.len() - 1].1.len();
        let strips = (0..longest).step_by(strip_height(lanes)).map(|top| PointStrip::new(members, top, model, alphabet, lanes));
        Self {
            places: members.iter().map(|(place, _)| *place).collect(),
            lens: members.iter().map(|(_, member)| member.len()).collect(),
            strips: strips.collect(),
        }
    }

    /// Returns the maximum memory of a group with members of up to `longest` symbols below `alphabet`, in bytes.
    pub(super) fn max_bytes(longest: usize, points: &SymbolPoints, alphabet: u32, lanes: usize) -> usize {
        let height = strip_height(lanes);
        let numbers = match points {
            SymbolPoints::Equality { .. } => (alphabet as usize).min(lanes * height) + 1,
            SymbolPoints::Table { size, .. } => *size,
        };
        let bytes = alphabet as usize * size_of::<u16>() + (numbers + 3) * height * lanes * size_of::<i16>();
        longest.div_ceil(height).saturating_mul(bytes)
    }
}

impl PointStrip {
    fn new<T: Symbol>(members: &[(usize, &[T])], top: usize, model: &AlignmentModel, alphabet: u32, lanes: usize) -> Self {
        let height = strip_height(lanes);
        let rows = |member: &[T]| top.min(member.len())..(top + height).min(member.len());
        let strip_symbols = || members.iter().flat_map(|(_, member)| &member[rows(member)]).map(|symbol| symbol.number());
        // One symbol of a text for each number. `None` is a symbol that is in no row.
        let mut of_number: Vec<Option<u32>> = Vec::new();
        let numbers = match &model.points {
            SymbolPoints::Equality { .. } => {
                let mut numbers = vec![0; alphabet as usize];
                of_number.push(None);
                for symbol in strip_symbols() {
                    if numbers[symbol as usize] == 0 {
                        numbers[symbol as usize] = of_number.len() as u16;
                        of_number.push(Some(symbol));
                    }
                }
                numbers
            }
            SymbolPoints::Table { classes, size, .. } => {
                of_number.resize(*size, None);
                let numbers = classes.iter().take(alphabet as usize).map(|&class| class.into()).collect();
                classes.iter().zip(0..alphabet).for_each(|(&class, symbol)| of_number[usize::from(class)] = Some(symbol));
                numbers
            }
        };
        let extend = model.gap.extend as i32;
        let is_local = model.mode == AlignmentMode::Local;
        let added = model.gap.open as i32 + if is_local { extend } else { 2 * extend };
        let (mut points, mut last_rows, mut member_rows) = (AlignedWords::default(), AlignedWords::default(), AlignedWords::default());
        let of_rows = points.zeroed(of_number.len() * height * lanes);
        for (symbol, of_rows) in of_number.iter().zip(of_rows.chunks_exact_mut(height * lanes)) {
            of_rows.fill((BELOW + added) as i16);
            for (lane, (_, member)) in members.iter().enumerate() {
                for (row, other) in member[rows(member)].iter().enumerate() {
                    let points = match (symbol, &model.points) {
                        (Some(symbol), points) => points.of(*symbol, other.number()),
                        (None, SymbolPoints::Equality { different, .. }) => *different,
                        // No symbol has this class.
                        (None, SymbolPoints::Table { .. }) => BELOW,
                    };
                    of_rows[row * lanes + lane] = (points + added) as i16;
                }
            }
        }
        let (last, inner) = (last_rows.zeroed(height * lanes), member_rows.zeroed(height * lanes));
        last.fill(i16::MIN);
        inner.fill(i16::MIN);
        let mut has_ends = false;
        for (lane, (_, member)) in members.iter().enumerate() {
            for row in rows(member) {
                inner[(row - top) * lanes + lane] = i16::MAX;
                if row + 1 == member.len() {
                    last[(row - top) * lanes + lane] = i16::MAX;
                    has_ends = true;
                }
            }
        }
        Self { numbers, points, last_rows, member_rows, has_ends }
    }
}
