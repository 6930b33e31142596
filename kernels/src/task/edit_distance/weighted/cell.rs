//! Integers for the differences between neighbouring cells, each with a type for symbols of the same width, so that
//! both fill the same SIMD lanes.

use std::fmt::Debug;

/// A signed integer that holds a difference between neighbouring cells.
///
/// Sums wrap around. Their final values fit, because all differences are from 0 to the sum of the costs of an insertion
/// and a deletion.
pub(crate) trait Cell: Copy + Ord + Debug + Default + Send + Sync + 'static {
    /// A number for a symbol, as wide as a difference.
    type Code: Copy + PartialEq + Default + Debug + Send + Sync + 'static;

    /// The greatest difference.
    const MAX: Self;

    /// Converts a cost, which must fit.
    fn from_cost(cost: i32) -> Self;

    /// Returns the difference as a number.
    fn number(self) -> i32;

    /// Adds `other`, modulo the range of the type.
    fn plus(self, other: Self) -> Self;

    /// Subtracts `other`, modulo the range of the type.
    fn minus(self, other: Self) -> Self;

    /// Converts the number of a symbol, which must fit.
    fn code(symbol: u32) -> Self::Code;
}

macro_rules! cell {
    ($cell:ty, $code:ty) => {
        impl Cell for $cell {
            type Code = $code;

            const MAX: Self = <$cell>::MAX;

            #[inline(always)]
            fn from_cost(cost: i32) -> Self {
                cost as Self
            }

            #[inline(always)]
            fn number(self) -> i32 {
                self.into()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn code(symbol: u32) -> $code {
                symbol as $code
            }
        }
    };
}

cell!(i8, u8);
cell!(i16, u16);
cell!(i32, u32);
