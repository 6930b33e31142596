//! Integers for the differences between neighbouring cells, in SIMD lanes.

use std::fmt::Debug;

use fearless_simd::{Simd, SimdInt, SimdIntElement};

/// A signed integer that holds a difference between neighbouring cells, or stands for a symbol. Both have the same
/// width, so that they fill the same SIMD lanes.
///
/// Sums wrap around. Their final values fit, because all differences are from 0 to the sum of the costs of an insertion
/// and a deletion.
pub(crate) trait Cell: SimdIntElement + Copy + Ord + Debug + Default + Send + Sync + 'static {
    /// A vector of the widest instructions of a processor.
    type Vector<S: Simd>: SimdInt<S, Element = Self>;

    /// The greatest difference.
    const MAX: Self;

    /// Converts a number, of which all but the lowest bits are dropped. Numbers of symbols below 2 to the power of the
    /// width remain different.
    fn from_number(number: i32) -> Self;

    /// Returns the difference as a number.
    fn number(self) -> i32;
}

macro_rules! cell {
    ($cell:ty, $vector:ident) => {
        impl Cell for $cell {
            type Vector<S: Simd> = S::$vector;

            const MAX: Self = <$cell>::MAX;

            #[inline(always)]
            fn from_number(number: i32) -> Self {
                number as Self
            }

            #[inline(always)]
            fn number(self) -> i32 {
                self.into()
            }
        }
    };
}

cell!(i8, i8s);
cell!(i16, i16s);
cell!(i32, i32s);
