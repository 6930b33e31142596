//! Lanes: compares 64 adjacent symbols together. A result is a word in which each bit stands for one symbol. The code
//! serves bytes and symbols of 32 bits, at every SIMD level.
//!
//! The code uses loops instead of closures, because closures would be compiled without the instruction set of the
//! caller.

use fearless_simd::{Level, Simd, dispatch, mask8x64, mask32x16, prelude::*, u8x16, u8x64, u32x16};

use super::Symbol;

/// Number of adjacent symbols that are compared together: one for each bit of a word.
pub(crate) const LANES: usize = 64;

/// Number of adjacent symbols that are compared together in texts shorter than [`LANES`].
const SHORT_LANES: usize = 16;

/// The vector operations on a symbol type. The trait also seals [`Symbol`].
pub trait SymbolLanes: Sized + LaneWindow<LANES> + LaneWindow<SHORT_LANES> {
    /// A vector of 64 lanes that all contain one symbol.
    type Vector<S: Simd>: Copy;
    /// The result of a comparison in 64 lanes, in the form that the processor computes. [`bits`](Self::bits) converts
    /// it to a word.
    type Equal<S: Simd>: Copy;

    /// Creates a vector with this symbol in all lanes.
    fn splat<S: Simd>(self, s: S) -> Self::Vector<S>;

    /// Compares 64 symbols with one. Returns the lanes in which `text` has the symbol that all lanes of `symbol`
    /// contain.
    fn equal<S: Simd>(s: S, text: &[Self; LANES], symbol: Self::Vector<S>) -> Self::Equal<S>;

    /// Returns the lanes that are set in both `x` and `y`.
    fn both<S: Simd>(x: Self::Equal<S>, y: Self::Equal<S>) -> Self::Equal<S>;

    /// Converts the result of a comparison to a word. Lane `i` becomes bit `i`.
    fn bits<S: Simd>(equal: Self::Equal<S>) -> u64;

    /// Converts 64 symbols to bytes. Symbols above 255 become 255.
    fn saturated<S: Simd>(s: S, text: &[Self; LANES]) -> u8x64<S>;

    /// Returns whether no other symbol has the same [saturated](Self::saturated) byte as this symbol.
    fn has_own_byte(self) -> bool;

    /// Returns the lowest byte of each symbol: `symbols` itself if symbols are bytes, otherwise a copy in `buffer`.
    fn lowest_bytes<'s>(symbols: &'s [Self], buffer: &'s mut Vec<u8>) -> &'s [u8];
}

/// A symbol type of which `N` adjacent symbols of one text can be compared with `N` of another text together.
pub trait LaneWindow<const N: usize>: Sized {
    /// Compares `x[i]` with `y[i]` for all `i`. Bit `i` of the result is set if they differ.
    fn differ<S: Simd>(s: S, x: &[Self; N], y: &[Self; N]) -> u64;
}

impl SymbolLanes for u8 {
    type Vector<S: Simd> = u8x64<S>;
    type Equal<S: Simd> = mask8x64<S>;

    #[inline(always)]
    fn splat<S: Simd>(self, s: S) -> u8x64<S> {
        u8x64::splat(s, self)
    }

    #[inline(always)]
    fn equal<S: Simd>(s: S, text: &[u8; LANES], symbol: u8x64<S>) -> mask8x64<S> {
        u8x64::from_slice(s, text).simd_eq(symbol)
    }

    #[inline(always)]
    fn both<S: Simd>(x: mask8x64<S>, y: mask8x64<S>) -> mask8x64<S> {
        x & y
    }

    #[inline(always)]
    fn bits<S: Simd>(equal: mask8x64<S>) -> u64 {
        equal.to_bitmask()
    }

    #[inline(always)]
    fn saturated<S: Simd>(s: S, text: &[u8; LANES]) -> u8x64<S> {
        u8x64::from_slice(s, text)
    }

    fn has_own_byte(self) -> bool {
        true
    }

    fn lowest_bytes<'s>(symbols: &'s [u8], _: &'s mut Vec<u8>) -> &'s [u8] {
        symbols
    }
}

impl LaneWindow<LANES> for u8 {
    #[inline(always)]
    fn differ<S: Simd>(s: S, x: &[u8; LANES], y: &[u8; LANES]) -> u64 {
        !u8x64::from_slice(s, x).simd_eq(u8x64::from_slice(s, y)).to_bitmask()
    }
}

impl LaneWindow<SHORT_LANES> for u8 {
    #[inline(always)]
    fn differ<S: Simd>(s: S, x: &[u8; SHORT_LANES], y: &[u8; SHORT_LANES]) -> u64 {
        u8x16::from_slice(s, x).simd_eq(u8x16::from_slice(s, y)).to_bitmask() ^ 0xffff
    }
}

/// Index of the first lane of each quarter of a vector.
const QUARTERS: [usize; 4] = [0, SHORT_LANES, 2 * SHORT_LANES, 3 * SHORT_LANES];

impl SymbolLanes for u32 {
    type Vector<S: Simd> = u32x16<S>;
    type Equal<S: Simd> = [mask32x16<S>; 4];

    #[inline(always)]
    fn splat<S: Simd>(self, s: S) -> u32x16<S> {
        u32x16::splat(s, self)
    }

    #[inline(always)]
    fn equal<S: Simd>(s: S, text: &[u32; LANES], symbol: u32x16<S>) -> [mask32x16<S>; 4] {
        let mut equal = [mask32x16::splat(s, false); 4];
        for (equal, at) in equal.iter_mut().zip(QUARTERS) {
            *equal = u32x16::from_slice(s, &text[at..at + SHORT_LANES]).simd_eq(symbol);
        }
        equal
    }

    #[inline(always)]
    fn both<S: Simd>(mut x: [mask32x16<S>; 4], y: [mask32x16<S>; 4]) -> [mask32x16<S>; 4] {
        for (x, y) in x.iter_mut().zip(y) {
            *x &= y;
        }
        x
    }

    #[inline(always)]
    fn bits<S: Simd>(equal: [mask32x16<S>; 4]) -> u64 {
        let mut bits = 0;
        for (equal, at) in equal.into_iter().zip(QUARTERS) {
            bits |= equal.to_bitmask() << at;
        }
        bits
    }

    #[inline(always)]
    fn saturated<S: Simd>(s: S, text: &[u32; LANES]) -> u8x64<S> {
        let [one, two, three, four] = quarters(s, text);
        s.saturating_narrow_u16x32(s.saturating_narrow_u32x16(one, two), s.saturating_narrow_u32x16(three, four))
    }

    fn has_own_byte(self) -> bool {
        self < u8::MAX.into()
    }

    fn lowest_bytes<'s>(symbols: &'s [u32], buffer: &'s mut Vec<u8>) -> &'s [u8] {
        buffer.resize(symbols.len(), 0);
        dispatch!(Level::new(), s => narrow(s, symbols, buffer));
        buffer
    }
}

#[inline(always)]
fn quarters<S: Simd>(s: S, text: &[u32; LANES]) -> [u32x16<S>; 4] {
    QUARTERS.map(|at| u32x16::from_slice(s, &text[at..at + SHORT_LANES]))
}

/// Writes the lowest byte of each symbol to `bytes`, which must be as long as `symbols`.
#[inline(always)]
fn narrow<S: Simd>(s: S, symbols: &[u32], bytes: &mut [u8]) {
    let (whole, rest) = symbols.as_chunks::<LANES>();
    let (whole_bytes, rest_bytes) = bytes.as_chunks_mut::<LANES>();
    for (symbols, bytes) in whole.iter().zip(whole_bytes) {
        let [one, two, three, four] = quarters(s, symbols);
        s.narrow_u16x32(s.narrow_u32x16(one, two), s.narrow_u32x16(three, four)).store_slice(bytes);
    }
    rest.iter().zip(rest_bytes).for_each(|(symbol, byte)| *byte = *symbol as u8);
}

impl LaneWindow<LANES> for u32 {
    #[inline(always)]
    fn differ<S: Simd>(s: S, x: &[u32; LANES], y: &[u32; LANES]) -> u64 {
        let mut equal = 0;
        for at in QUARTERS {
            let (x, y) = (u32x16::from_slice(s, &x[at..at + SHORT_LANES]), u32x16::from_slice(s, &y[at..at + SHORT_LANES]));
            equal |= x.simd_eq(y).to_bitmask() << at;
        }
        !equal
    }
}

impl LaneWindow<SHORT_LANES> for u32 {
    #[inline(always)]
    fn differ<S: Simd>(s: S, x: &[u32; SHORT_LANES], y: &[u32; SHORT_LANES]) -> u64 {
        u32x16::from_slice(s, x).simd_eq(u32x16::from_slice(s, y)).to_bitmask() ^ 0xffff
    }
}

/// Returns the length of the longest common prefix of two texts.
#[inline(always)]
pub(crate) fn common_prefix<S: Simd, T: Symbol>(s: S, x: &[T], y: &[T]) -> usize {
    let len = x.len().min(y.len());
    let (x, y) = (&x[..len], &y[..len]);
    if len >= LANES {
        first_difference::<S, T, LANES>(s, x, y)
    } else if len >= SHORT_LANES {
        first_difference::<S, T, SHORT_LANES>(s, x, y)
    } else {
        x.iter().zip(y).take_while(|(x, y)| x == y).count()
    }
}

/// Returns the first position at which `x` and `y`, which have equal lengths, differ. Returns their length if they are
/// equal. The length must be at least `N`.
#[inline(always)]
fn first_difference<S: Simd, T: LaneWindow<N>, const N: usize>(s: S, x: &[T], y: &[T]) -> usize {
    for (at, (x, y)) in x.as_chunks().0.iter().zip(y.as_chunks().0).enumerate() {
        let differ = T::differ(s, x, y);
        if differ != 0 {
            return N * at + differ.trailing_zeros() as usize;
        }
    }
    // The last window overlaps symbols that are known to be equal.
    let (Some(last), Some(other)) = (x.last_chunk(), y.last_chunk()) else { return x.len() };
    let differ = T::differ(s, last, other);
    if differ == 0 { x.len() } else { x.len() - N + differ.trailing_zeros() as usize }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    fn check<T: Symbol>(symbol: impl Fn(usize) -> T) {
        for len in 0..200 {
            let x: Vec<T> = (0..len).map(&symbol).collect();
            for differs in 0..=len {
                let mut y = x.clone();
                if let Some(y) = y.get_mut(differs) {
                    *y = symbol(1000);
                }
                y.push(symbol(0));
                let found = dispatch!(Level::new(), s => common_prefix(s, &x, &y));
                assert_eq!(found, differs, "of {len}");
            }
        }
    }

    #[test]
    fn first_difference_is_found_at_any_position() {
        check(|at| if at == 1000 { 255u8 } else { at as u8 });
        check(|at| if at == 1000 { u32::MAX } else { at as u32 });
    }
}
