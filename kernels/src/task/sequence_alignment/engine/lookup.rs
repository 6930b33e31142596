//! Points of the symbols in SIMD lanes.
//!
//! Points of a table are read from a profile: for each class of `b`, an array with the points of each row. A tree of
//! selections by the bits of the class takes the element of each lane from one of these arrays.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::coded::{CodedPoints, PADDING, TREE_CLASSES};
use crate::task::edit_distance::weighted::cell::Cell;

/// The depth of a tree for points of equality, which need none.
pub(super) const EQUALITY: usize = 0;
/// The depth of a tree for up to 8 classes.
pub(super) const FEW_CLASSES: usize = 3;
/// The depth of a tree for [`TREE_CLASSES`] classes.
pub(super) const MANY_CLASSES: usize = 5;

const _: () = assert!(1 << MANY_CLASSES == TREE_CLASSES);

/// The points of a matrix, in all lanes of a vector.
pub(super) struct VectorPoints<'p, S: Simd, C: Cell> {
    simd: S,
    equal: C::Vector<S>,
    different: C::Vector<S>,
    bits: [C::Vector<S>; MANY_CLASSES],
    /// The points of each row with each class of `b`.
    profile: &'p [C],
    /// Number of elements of `profile` for each class.
    stride: usize,
    /// Number of trees.
    trees: usize,
}

type Mask<S, C> = <<C as Cell>::Vector<S> as SimdBase<S>>::Mask;

impl<'p, S: Simd, C: Cell> VectorPoints<'p, S, C> {
    /// Loads the points of a tile with `m` rows. `profile` has the points of its rows, with padding.
    #[inline(always)]
    pub(super) fn new(simd: S, points: &CodedPoints<C>, m: usize, profile: &'p [C]) -> Self {
        let (equal, different, trees) = match points {
            CodedPoints::Equality { equal, different } => (*equal, *different, 0),
            CodedPoints::Table { in_b, .. } => (C::default(), C::default(), in_b.div_ceil(TREE_CLASSES)),
        };
        let mut bits = [C::Vector::splat(simd, C::default()); MANY_CLASSES];
        for (bit, vector) in bits.iter_mut().enumerate() {
            *vector = C::Vector::splat(simd, C::from_number(1 << bit));
        }
        let (equal, different) = (C::Vector::splat(simd, equal), C::Vector::splat(simd, different));
        Self { simd, equal, different, bits, profile, stride: m + PADDING, trees }
    }

    /// Returns the points of the rows from `row` on, whose symbols are `a`, with the symbols `b`.
    #[inline(always)]
    pub(super) fn of<const DEPTH: usize>(&self, row: usize, a: C::Vector<S>, b: C::Vector<S>) -> C::Vector<S> {
        if DEPTH == EQUALITY {
            return a.simd_eq(b).select(self.equal, self.different);
        }
        let mut masks = [self.bit(b, 0); MANY_CLASSES];
        for (bit, mask) in masks.iter_mut().enumerate().take(DEPTH).skip(1) {
            *mask = self.bit(b, bit);
        }
        if DEPTH == FEW_CLASSES {
            return self.tree_3(row, &masks);
        }
        let mut points = self.tree_5(row, &masks);
        for tree in 1..self.trees {
            let is_in_tree = (b >> MANY_CLASSES as u32).simd_eq(C::Vector::splat(self.simd, C::from_number(tree as i32)));
            points = is_in_tree.select(self.tree_5(row + tree * TREE_CLASSES * self.stride, &masks), points);
        }
        points
    }

    #[inline(always)]
    fn bit(&self, b: C::Vector<S>, bit: usize) -> Mask<S, C> {
        (b & self.bits[bit]).simd_eq(self.bits[bit])
    }

    // One function for each depth, because a function that is always inlined cannot call itself.
    #[inline(always)]
    fn tree_5(&self, at: usize, masks: &[Mask<S, C>; MANY_CLASSES]) -> C::Vector<S> {
        masks[4].select(self.tree_4(at + 16 * self.stride, masks), self.tree_4(at, masks))
    }

    #[inline(always)]
    fn tree_4(&self, at: usize, masks: &[Mask<S, C>; MANY_CLASSES]) -> C::Vector<S> {
        masks[3].select(self.tree_3(at + 8 * self.stride, masks), self.tree_3(at, masks))
    }

    #[inline(always)]
    fn tree_3(&self, at: usize, masks: &[Mask<S, C>; MANY_CLASSES]) -> C::Vector<S> {
        masks[2].select(self.tree_2(at + 4 * self.stride, masks), self.tree_2(at, masks))
    }

    #[inline(always)]
    fn tree_2(&self, at: usize, masks: &[Mask<S, C>; MANY_CLASSES]) -> C::Vector<S> {
        masks[1].select(self.tree_1(at + 2 * self.stride, masks), self.tree_1(at, masks))
    }

    #[inline(always)]
    fn tree_1(&self, at: usize, masks: &[Mask<S, C>; MANY_CLASSES]) -> C::Vector<S> {
        masks[0].select(self.load(at + self.stride), self.load(at))
    }

    #[inline(always)]
    fn load(&self, at: usize) -> C::Vector<S> {
        C::Vector::from_slice(self.simd, &self.profile[at..at + C::Vector::<S>::LEN])
    }
}
