//! Points of the symbols in SIMD lanes.
//!
//! Points of a table are read from a profile: for each class of `b`, an array with the points of each row. A tree of
//! selections by the bits of the class takes the element of each lane from one of these arrays.

use crate::pair::cells::{Cell, PADDING};
use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::coded::{CodedPoints, TREE_CLASSES};

/// The depth of a tree for points of equality, which need none.
pub(super) const EQUALITY: usize = 0;
/// The depth of a tree for up to 8 classes.
pub(super) const FEW_CLASSES: usize = 3;
/// The depth of a tree for [`TREE_CLASSES`] classes.
pub(super) const MANY_CLASSES: usize = 5;

const _: () = assert!(1 << MANY_CLASSES == TREE_CLASSES);

impl<C> CodedPoints<C> {
    /// Returns the depth of the trees that look up these points.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Equality { .. } => EQUALITY,
            Self::Table { in_b, .. } if *in_b <= 1 << FEW_CLASSES => FEW_CLASSES,
            Self::Table { .. } => MANY_CLASSES,
        }
    }
}

/// Size of the points of one class in a profile without padding, in bytes. A profile of [`TREE_CLASSES`] classes fits the
/// fastest cache.
const CLASS_BYTES: usize = 1 << 9;

/// Returns the maximum number of rows that a profile has.
pub(super) const fn profile_rows<C>() -> usize {
    CLASS_BYTES / size_of::<C>()
}

/// Returns the number of elements of a profile for each class.
pub(super) const fn profile_stride<C>() -> usize {
    profile_rows::<C>() + PADDING
}

/// The points of a matrix, in all lanes of a vector.
pub(super) struct VectorPoints<'p, S: Simd, C: Cell> {
    simd: S,
    equal: C::Vector<S>,
    different: C::Vector<S>,
    bits: [C::Vector<S>; MANY_CLASSES],
    /// The points of each row with each class of `b`.
    profile: &'p [C],
    /// Number of classes of `b`.
    classes: usize,
}

type Mask<S, C> = <<C as Cell>::Vector<S> as SimdBase<S>>::Mask;

impl<'p, S: Simd, C: Cell> VectorPoints<'p, S, C> {
    /// Loads the points of a tile. `profile` has the points of its rows.
    #[inline(always)]
    pub(super) fn new(simd: S, points: &CodedPoints<C>, profile: &'p [C]) -> Self {
        let (equal, different, classes) = match points {
            CodedPoints::Equality { equal, different } => (*equal, *different, 0),
            CodedPoints::Table { in_b, .. } => (C::default(), C::default(), *in_b),
        };
        let mut bits = [C::Vector::splat(simd, C::default()); MANY_CLASSES];
        for (bit, vector) in bits.iter_mut().enumerate() {
            *vector = C::Vector::splat(simd, C::from_number(1 << bit));
        }
        let (equal, different) = (C::Vector::splat(simd, equal), C::Vector::splat(simd, different));
        Self { simd, equal, different, bits, profile, classes }
    }

    /// Returns the points of the rows from `row` on, whose symbols are `a`, with the symbols `b`.
    #[inline(always)]
    pub(super) fn of<const DEPTH: usize>(&self, row: usize, a: C::Vector<S>, b: C::Vector<S>) -> C::Vector<S> {
        if DEPTH == EQUALITY {
            return a.simd_eq(b).select(self.equal, self.different);
        }
        if DEPTH == FEW_CLASSES {
            return self.tree_3(self.tree(row, 1 << FEW_CLASSES), b);
        }
        let mut points = self.tree_5(self.tree(row, TREE_CLASSES), b, self.classes <= 24);
        for tree in 1..self.classes.div_ceil(TREE_CLASSES) {
            let is_in_tree = (b >> MANY_CLASSES as u32).simd_eq(C::Vector::splat(self.simd, C::from_number(tree as i32)));
            let first = row + tree * TREE_CLASSES * const { profile_stride::<C>() };
            points = is_in_tree.select(self.tree_5(self.tree(first, TREE_CLASSES), b, false), points);
        }
        points
    }

    /// Returns the elements of the profile in which the points of `classes` classes begin.
    #[inline(always)]
    fn tree(&self, first: usize, classes: usize) -> &'p [C] {
        &self.profile[first..][..(classes - 1) * const { profile_stride::<C>() } + C::Vector::<S>::LEN]
    }

    /// Returns the lanes whose class has a bit.
    #[inline(always)]
    fn bit(&self, b: C::Vector<S>, bit: usize) -> Mask<S, C> {
        (b & self.bits[bit]).simd_eq(self.bits[bit])
    }

    // One function for each depth, because a function that is always inlined cannot call itself.
    #[inline(always)]
    fn tree_5(&self, tree: &[C], b: C::Vector<S>, is_three_quarters: bool) -> C::Vector<S> {
        let upper = &tree[const { 16 * profile_stride::<C>() }..];
        let upper = if is_three_quarters { self.tree_3(upper, b) } else { self.tree_4(upper, b) };
        self.bit(b, 4).select(upper, self.tree_4(tree, b))
    }

    #[inline(always)]
    fn tree_4(&self, tree: &[C], b: C::Vector<S>) -> C::Vector<S> {
        let upper = &tree[const { 8 * profile_stride::<C>() }..];
        self.bit(b, 3).select(self.tree_3(upper, b), self.tree_3(tree, b))
    }

    #[inline(always)]
    fn tree_3(&self, tree: &[C], b: C::Vector<S>) -> C::Vector<S> {
        let upper = &tree[const { 4 * profile_stride::<C>() }..];
        self.bit(b, 2).select(self.tree_2(upper, b), self.tree_2(tree, b))
    }

    #[inline(always)]
    fn tree_2(&self, tree: &[C], b: C::Vector<S>) -> C::Vector<S> {
        let upper = &tree[const { 2 * profile_stride::<C>() }..];
        self.bit(b, 1).select(self.tree_1(upper, b), self.tree_1(tree, b))
    }

    #[inline(always)]
    fn tree_1(&self, tree: &[C], b: C::Vector<S>) -> C::Vector<S> {
        let upper = &tree[const { profile_stride::<C>() }..];
        self.bit(b, 0).select(self.load(upper), self.load(tree))
    }

    #[inline(always)]
    fn load(&self, array: &[C]) -> C::Vector<S> {
        C::Vector::from_slice(self.simd, &array[..C::Vector::<S>::LEN])
    }
}
