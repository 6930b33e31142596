//! Sets: occurrences of a pattern whose letters stand for sets of bases, at 64 positions at once.
//!
//! The letters that stand for the fewest bases are compared first, because they exclude the most positions.

use fearless_simd::{Simd, prelude::*, u8x64};

use crate::base_set::{BASE_SETS, SymbolMatch};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::LANES;

/// Number of comparisons of 64 positions between two checks for a stop.
const CHECK_INTERVAL: usize = 1 << 22;

/// Number of stretches of a text that represent it in estimates.
const STRETCHES: usize = 16;

/// Number of symbols of a stretch.
const STRETCH_SYMBOLS: usize = 1 << 12;

/// A letter of the pattern.
struct SetProbe {
    /// Position in the pattern.
    offset: usize,
    /// Set of bases.
    set: u8,
}

/// A pattern of sets of bases.
pub(super) struct SetPattern {
    /// The letters, those with the fewest bases first.
    probes: Vec<SetProbe>,
}

impl SetPattern {
    /// Prepares the pattern `a`, whose symbols are sets of bases. Takes O(m log m) time.
    pub(super) fn new<T: Symbol>(a: &[T]) -> Self {
        let mut probes: Vec<SetProbe> = a.iter().enumerate().map(|(offset, symbol)| SetProbe { offset, set: symbol.lowest() }).collect();
        probes.sort_by_key(|probe| probe.set.count_ones());
        Self { probes }
    }

    /// Estimates how many letters of the pattern are compared with 64 positions of `text`, by [`STRETCHES`] stretches of the
    /// text. Takes O(m) time.
    ///
    /// In a run of N, all letters of the pattern are compared.
    pub(super) fn expected_comparisons<T: Symbol>(&self, text: &[T]) -> f64 {
        let stretches = text.chunks(text.len().div_ceil(STRETCHES).max(1));
        let sample = || stretches.clone().flat_map(|stretch| &stretch[..stretch.len().min(STRETCH_SYMBOLS)]);
        let each = 1.0 / sample().count().max(1) as f64;
        let mut shares = [0.0; BASE_SETS as usize];
        sample().for_each(|symbol| shares[usize::from(symbol.lowest() & 15)] += each);
        let matching = |set: u8| -> f64 {
            (0..).zip(shares).filter(|(other, _)| SymbolMatch::Overlap.matches(*other, set.into())).map(|(_, share)| share).sum()
        };
        let by_set: [f64; BASE_SETS as usize] = std::array::from_fn(|set| matching(set as u8));
        let mut left = LANES as f64;
        let expected = |probe: &SetProbe| {
            let compared = left.min(1.0);
            left *= by_set[usize::from(probe.set & 15)];
            compared
        };
        let independent: f64 = self.probes.iter().map(expected).sum();
        independent.max(shares[BASE_SETS as usize - 1] * self.probes.len() as f64)
    }

    /// Sets the bits in `words` of the positions of `text` at which the pattern occurs, and clears all others. Bit `i` of
    /// word `w` stands for position `64·w + i`. `text` must end with the last symbol of an occurrence at the last position.
    /// Takes O(positions · m / 64) time, and less if a few letters exclude all positions.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    #[inline(always)]
    pub(super) fn find<S: Simd, T: Symbol>(&self, s: S, text: &[T], words: &mut [u64], run: &Run) -> Result<(), Halt> {
        let positions = text.len() + 1 - self.probes.len();
        let mut compared = 0;
        for (at, word) in words.iter_mut().enumerate() {
            let first = LANES * at;
            *word = if positions - first >= LANES { !0 } else { (1 << (positions - first)) - 1 };
            for probe in &self.probes {
                let here = &text[first + probe.offset..];
                *word &= match here.first_chunk() {
                    Some(symbols) => !(T::saturated(s, symbols) & u8x64::splat(s, probe.set)).simd_eq(u8x64::splat(s, 0)).to_bitmask(),
                    None => {
                        let is_match = |symbol: &T| SymbolMatch::Overlap.matches(symbol.number(), probe.set.into());
                        here.iter().zip(0..).fold(0, |word, (symbol, bit)| word | u64::from(is_match(symbol)) << bit)
                    }
                };
                compared += 1;
                if *word == 0 {
                    break;
                }
            }
            if compared >= CHECK_INTERVAL {
                compared = 0;
                run.tick(0)?;
            }
        }
        Ok(())
    }
}
