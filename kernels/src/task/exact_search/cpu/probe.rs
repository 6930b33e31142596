//! Probes: finds the positions of the text at which chosen symbols of the pattern agree with the text. A machine word
//! holds 64 positions, and a probe is one comparison of vectors.

use fearless_simd::Simd;

use super::needle::{Needle, SymbolProbe};
use crate::symbol::Symbol;
use crate::symbol::lanes::LANES;

/// Number of probes between two checks whether any position is still a candidate (all probes so far agree with the text
/// there), after the first check.
const PROBES_PER_CHECK: usize = 4;

/// Sets the bits in `words` of the positions of `text` at which all probes of `needle` agree, and clears all others.
/// Bit `i` of word `w` stands for position `64·w + i`. `text` must end with the last symbol of an occurrence at the
/// last position. `words` must have one bit for each position. Returns whether any bit is set. Takes at most O(n ·
/// probes / lanes) time, and less if a few probes exclude all positions.
#[inline(always)]
pub(super) fn candidates<S: Simd, T: Symbol>(s: S, needle: &Needle<T>, text: &[T], words: &mut [u64]) -> bool {
    let positions = text.len() + 1 - needle.pattern.len();
    let (full, rest) = words.split_at_mut(positions / LANES);
    let mut any = match needle.head {
        1 => headed::<S, T, 1>(s, &needle.probes, text, full),
        2 => headed::<S, T, 2>(s, &needle.probes, text, full),
        3 => headed::<S, T, 3>(s, &needle.probes, text, full),
        4 => headed::<S, T, 4>(s, &needle.probes, text, full),
        6 => headed::<S, T, 6>(s, &needle.probes, text, full),
        8 => headed::<S, T, 8>(s, &needle.probes, text, full),
        12 => headed::<S, T, 12>(s, &needle.probes, text, full),
        _ => unreachable!("a head is one of these numbers"),
    };
    if let Some(word) = rest.first_mut() {
        let agrees = |at: &usize| needle.probes.iter().all(|probe| text[at + probe.offset] == probe.symbol);
        let first = positions / LANES * LANES;
        *word = (first..positions).filter(agrees).fold(0, |word, at| word | 1 << (at - first));
        any |= *word;
    }
    any != 0
}

/// Computes `words` like [`candidates`] for whole words of positions, and returns their union. The first `HEAD` probes
/// are compared everywhere. The remaining probes are compared only in words in which all of these agree somewhere.
#[inline(always)]
fn headed<S: Simd, T: Symbol, const HEAD: usize>(s: S, probes: &[SymbolProbe<T>], text: &[T], words: &mut [u64]) -> u64 {
    let len = words.len();
    let windows = |probe: &SymbolProbe<T>| &text[probe.offset..probe.offset + LANES * len].as_chunks::<LANES>().0[..len];
    let (head, rest) = probes.split_at(HEAD);
    let texts: [&[[T; LANES]]; HEAD] = std::array::from_fn(|k| windows(&head[k]));
    let mut symbols = [head[0].symbol.splat(s); HEAD];
    for (symbol, probe) in symbols.iter_mut().zip(head) {
        *symbol = probe.symbol.splat(s);
    }
    let mut any = 0;
    for (at, word) in words.iter_mut().enumerate() {
        let mut equal = T::equal(s, &texts[0][at], symbols[0]);
        for k in 1..HEAD {
            equal = T::both(equal, T::equal(s, &texts[k][at], symbols[k]));
        }
        let mut left = T::bits(equal);
        if !rest.is_empty() && left != 0 {
            left = others(s, rest, &text[LANES * at..], left);
        }
        *word = left;
        any |= left;
    }
    any
}

/// Returns `left` without the bits of positions at which one of `probes` does not agree. Bit `i` of `left` stands for
/// position `i` of `text`.
#[inline(always)]
fn others<S: Simd, T: Symbol>(s: S, probes: &[SymbolProbe<T>], text: &[T], mut left: u64) -> u64 {
    for probes in probes.chunks(PROBES_PER_CHECK) {
        for probe in probes {
            if let Some(text) = text[probe.offset..].first_chunk() {
                left &= T::bits(T::equal(s, text, probe.symbol.splat(s)));
            }
        }
        if left == 0 {
            break;
        }
    }
    left
}
