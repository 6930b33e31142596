//! Two texts as integers in SIMD lanes, with the points of each two of them.

use super::{AlignmentModel, SymbolPoints};
use crate::pair::cells::{Cell, PADDING};
use crate::symbol::Symbol;

/// Maximum number of classes that one tree of selections distinguishes.
pub(super) const TREE_CLASSES: usize = 32;

/// The direction in which texts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forwards,
    Backwards,
}

/// The symbols of two texts, as wide as the values of cells.
pub(super) struct CodedTexts<C> {
    /// Number of symbols of `a`.
    pub(super) m: usize,
    /// Number of symbols of `b`.
    pub(super) n: usize,
    /// The symbols of `a`, or their classes, then padding.
    pub(super) a: Vec<C>,
    /// The symbols of `b` from the last to the first, or their classes, then padding.
    pub(super) b: Vec<C>,
    pub(super) points: CodedPoints<C>,
}

/// The points of two symbols, as wide as the values of cells.
#[derive(Clone, Debug)]
pub(super) enum CodedPoints<C> {
    Equality {
        equal: C,
        different: C,
    },
    /// The points of each class in `a` and each of the `in_b` classes in `b`. A row of the table has the points of a
    /// class in `a`.
    Table {
        in_b: usize,
        points: Vec<C>,
    },
}

impl<C: Cell> CodedTexts<C> {
    /// Prepares two texts that are read in `direction`. `points` converts the points of `model`. Takes O(|a| + |b|) time
    /// and memory.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], model: &AlignmentModel, direction: Direction, convert: impl Fn(i32) -> i32) -> Self {
        let value = |points: i32| C::from_number(convert(points));
        match &model.points {
            SymbolPoints::Equality { equal, different } => {
                let code = |symbol: T| C::from_number(symbol.number() as i32);
                let points = CodedPoints::Equality { equal: value(*equal), different: value(*different) };
                Self::with_codes(a, b, direction, code, code, points)
            }
            SymbolPoints::Table { classes, size, points } => {
                let class = |symbol: T| usize::from(classes[symbol.number() as usize]);
                // Numbers the classes that occur in b, because the time of a cell grows with their number.
                let mut used = vec![false; *size];
                b.iter().for_each(|symbol| used[class(*symbol)] = true);
                let in_b: Vec<usize> = (0..*size).filter(|class| used[*class]).collect();
                let mut numbers = vec![0; *size];
                in_b.iter().enumerate().for_each(|(number, class)| numbers[*class] = number as i32);
                let coded = (0..*size).flat_map(|x| in_b.iter().map(move |y| value(points[x * size + y]))).collect();
                let a_code = |symbol: T| C::from_number(class(symbol) as i32);
                let b_code = |symbol: T| C::from_number(numbers[class(symbol)]);
                Self::with_codes(a, b, direction, a_code, b_code, CodedPoints::Table { in_b: in_b.len(), points: coded })
            }
        }
    }

    fn with_codes<T: Symbol>(
        a: &[T],
        b: &[T],
        direction: Direction,
        a_code: impl Fn(T) -> C,
        b_code: impl Fn(T) -> C,
        points: CodedPoints<C>,
    ) -> Self {
        let padding = [C::default(); PADDING];
        let (a_codes, b_codes) = (a.iter().map(|symbol| a_code(*symbol)), b.iter().map(|symbol| b_code(*symbol)));
        let (coded_a, coded_b) = match direction {
            Direction::Forwards => (a_codes.chain(padding).collect(), b_codes.rev().chain(padding).collect()),
            Direction::Backwards => (a_codes.rev().chain(padding).collect(), b_codes.chain(padding).collect()),
        };
        Self { m: a.len(), n: b.len(), a: coded_a, b: coded_b, points }
    }

    /// Returns the symbols of `rows`, and padding.
    pub(super) fn rows(&self, rows: &std::ops::Range<usize>) -> &[C] {
        &self.a[rows.start..rows.end + PADDING]
    }

    /// Returns the symbols of `columns` from the last to the first, and padding.
    pub(super) fn columns(&self, columns: &std::ops::Range<usize>) -> &[C] {
        &self.b[self.n - columns.end..self.n - columns.start + PADDING]
    }
}

impl<C: Cell> CodedPoints<C> {
    /// Returns the points of a coded symbol of `a` and one of `b`.
    pub(super) fn of(&self, a: C, b: C) -> C {
        match self {
            Self::Equality { equal, different } => *if a == b { equal } else { different },
            Self::Table { in_b, points } => points[a.number() as usize * in_b + b.number() as usize],
        }
    }

    /// Writes the points of the symbols `a` with each class of `b` to `buffer`, and returns the part of it that has them.
    /// Each class takes `stride` elements. The number of classes is rounded up to a whole number of trees.
    pub(super) fn profile<'b>(&self, a: &[C], stride: usize, buffer: &'b mut Vec<C>) -> &'b [C] {
        let Self::Table { in_b, points } = self else { return &[] };
        let len = in_b.next_multiple_of(TREE_CLASSES) * stride;
        buffer.resize(len + PADDING, C::default());
        // Vectors that lie within a line of the cache are loaded faster.
        let first = buffer.as_ptr().align_offset(PADDING).min(PADDING);
        let profile = &mut buffer[first..first + len];
        for (class, row) in profile.chunks_exact_mut(stride).take(*in_b).enumerate() {
            a.iter().zip(row).for_each(|(a, cell)| *cell = points[a.number() as usize * in_b + class]);
        }
        profile
    }
}
