//! Symbol: the numbers of which texts consist after reading ([`Pair`](crate::text::Pair)), with the trait [`Symbol`] of
//! their two types.
//!
//! - [`lanes`]: operations on 64 symbols at once

use std::fmt::Debug;

use lanes::SymbolLanes;

pub(crate) mod lanes;

/// Number of symbols that the default implementations of [`Symbol`] compare together.
const BLOCK: usize = 4;

/// A number that stands for a unit of a text: `u8` or `u32`. Equal units have equal numbers. Kernels rely on the fact
/// that no other type implements this trait.
pub trait Symbol: Copy + Ord + Debug + Default + Send + Sync + Into<u32> + SymbolLanes {
    /// Size of a symbol in memory, in bytes.
    const BYTES: usize;

    /// Returns the symbol as a number.
    #[inline]
    fn number(self) -> u32 {
        self.into()
    }

    /// Returns the lowest byte of the number, for searches that compare bytes first.
    fn lowest(self) -> u8;

    /// Returns the symbols as bytes, or `None` if a symbol is larger than a byte.
    #[inline]
    fn as_bytes(_symbols: &[Self]) -> Option<&[u8]> {
        None
    }

    /// Returns the number of equal symbols at the start of `a` and `b`. Takes O(equal symbols) time.
    fn common_prefix(a: &[Self], b: &[Self]) -> usize {
        let ((a_blocks, _), (b_blocks, _)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
        let equal = BLOCK * a_blocks.iter().zip(b_blocks).take_while(|(x, y)| x == y).count();
        equal + a[equal..].iter().zip(&b[equal..]).take_while(|(x, y)| x == y).count()
    }

    /// Returns the number of equal symbols at the end of `a` and `b`. Takes O(equal symbols) time.
    fn common_suffix(a: &[Self], b: &[Self]) -> usize {
        let ((_, a_blocks), (_, b_blocks)) = (a.as_rchunks::<BLOCK>(), b.as_rchunks::<BLOCK>());
        let blocks = a_blocks.iter().rev().zip(b_blocks.iter().rev());
        let equal = BLOCK * blocks.take_while(|(x, y)| x == y).count();
        let rest = a[..a.len() - equal].iter().rev().zip(b[..b.len() - equal].iter().rev());
        equal + rest.take_while(|(x, y)| x == y).count()
    }

    /// Returns the number of equal symbols from the position `i` of `a` and `j` of `b` on, if one of the next symbols differs.
    /// Returns `None` if this takes longer to decide, or if a position lies beyond its text.
    #[inline(always)]
    fn equal_of_next(_a: &[Self], _i: usize, _b: &[Self], _j: usize) -> Option<usize> {
        None
    }

    /// Returns the number of equal symbols before the position `i` of `a` and `j` of `b`, if one of the last symbols differs.
    /// Returns `None` if this takes longer to decide, or if a position lies beyond its text.
    #[inline(always)]
    fn equal_of_last(_a: &[Self], _i: usize, _b: &[Self], _j: usize) -> Option<usize> {
        None
    }
}

impl Symbol for u8 {
    const BYTES: usize = 1;

    fn lowest(self) -> u8 {
        self
    }

    #[inline]
    fn as_bytes(symbols: &[Self]) -> Option<&[u8]> {
        Some(symbols)
    }

    /// Compares eight symbols at a time.
    #[inline]
    fn common_prefix(a: &[Self], b: &[Self]) -> usize {
        let (mut x, mut y, mut len) = (a, b, 0);
        while let (Some((left, after_left)), Some((right, after_right))) = (x.split_first_chunk(), y.split_first_chunk()) {
            let unequal = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
            if unequal != 0 {
                return len + unequal.trailing_zeros() as usize / 8;
            }
            (x, y, len) = (after_left, after_right, len + 8);
        }
        len + x.iter().zip(y).take_while(|(x, y)| x == y).count()
    }

    #[inline(always)]
    fn equal_of_next(a: &[Self], i: usize, b: &[Self], j: usize) -> Option<usize> {
        let (left, right) = (a.get(i..)?.first_chunk()?, b.get(j..)?.first_chunk()?);
        let unequal = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        (unequal != 0).then(|| unequal.trailing_zeros() as usize / 8)
    }

    #[inline(always)]
    fn equal_of_last(a: &[Self], i: usize, b: &[Self], j: usize) -> Option<usize> {
        let (left, right) = (a.get(..i)?.last_chunk()?, b.get(..j)?.last_chunk()?);
        let unequal = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        (unequal != 0).then(|| unequal.leading_zeros() as usize / 8)
    }

    /// Compares eight symbols at a time.
    #[inline]
    fn common_suffix(a: &[Self], b: &[Self]) -> usize {
        let (mut x, mut y, mut len) = (a, b, 0);
        while let (Some((before_left, left)), Some((before_right, right))) = (x.split_last_chunk(), y.split_last_chunk()) {
            let unequal = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
            if unequal != 0 {
                return len + unequal.leading_zeros() as usize / 8;
            }
            (x, y, len) = (before_left, before_right, len + 8);
        }
        len + x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count()
    }
}

impl Symbol for u32 {
    const BYTES: usize = 4;

    fn lowest(self) -> u8 {
        self as u8
    }
}

/// Evaluates an expression with the symbols of both texts of a [`Pair`](crate::text::Pair), as two slices of `u8` or
/// two of `u32`. The code is compiled for both types.
///
/// The enclosing function must return a `Result`. It returns a [`JobFailure`](crate::failure::JobFailure) if both texts
/// were numbered separately.
///
/// ```
/// use kernels::failure::JobFailure;
/// use kernels::text::{Pair, ReadingOptions};
///
/// fn equal_at_the_end(pair: &Pair) -> Result<bool, JobFailure> {
///     Ok(kernels::with_symbols!(pair, |a, b| a.last() == b.last()))
/// }
///
/// let pair = Pair::parse(&b"kitten"[..], &b"button"[..], &ReadingOptions::default())?;
/// assert!(equal_at_the_end(&pair)?);
/// # Ok::<_, JobFailure>(())
/// ```
#[macro_export]
macro_rules! with_symbols {
    ($pair:expr, |$a:ident, $b:ident| $body:expr) => {
        match $pair.symbol_slices()? {
            $crate::text::SymbolSlices::Narrow($a, $b) => $body,
            $crate::text::SymbolSlices::Wide($a, $b) => $body,
        }
    };
}

/// Evaluates an expression like [`with_symbols!`], but with the units of both texts, which are the bytes of the texts if
/// possible ([`Pair::unit_slices`](crate::text::Pair::unit_slices)).
#[macro_export]
macro_rules! with_units {
    ($pair:expr, |$a:ident, $b:ident| $body:expr) => {
        match $pair.unit_slices()? {
            $crate::text::SymbolSlices::Narrow($a, $b) => $body,
            $crate::text::SymbolSlices::Wide($a, $b) => $body,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Symbol>(symbol: impl Fn(usize) -> T) {
        for len in 0..40 {
            let a: Vec<T> = (0..len).map(&symbol).collect();
            for differs in 0..=len {
                let mut b = a.clone();
                if let Some(other) = b.get_mut(differs) {
                    *other = symbol(1000);
                }
                let longer = [&[symbol(7)], &b[..], &[symbol(9)]].concat();
                assert_eq!(T::common_prefix(&a, &longer[1..]), differs, "of {len}");
                let after = if differs == len { len } else { len - differs - 1 };
                assert_eq!(T::common_suffix(&a, &longer[..=len]), after, "of {len}");
            }
        }
    }

    #[test]
    fn common_prefixes_and_suffixes_of_any_length_are_found() {
        check(|at| if at == 1000 { 255u8 } else { at as u8 });
        check(|at| if at == 1000 { u32::MAX } else { at as u32 });
    }
}
