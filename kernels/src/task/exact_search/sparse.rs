//! Patterns two symbols of which are rare in the text: where both are, the pattern is compared.
//!
//! The text is read as fast as memory gives it, which is faster from several places at once: eight stretches take turns. Where
//! positions with both symbols turn out to be many, the search goes on with all [probes](super::probe), which take as long for many as
//! for none.

use fearless_simd::{Level, Simd, dispatch};

use super::lanes::{LANES, Symbol};
use super::needle::{Needle, Probe};

/// Stretches of a piece that take turns.
const STRETCHES: usize = 8;

/// Vectors of each stretch between two looks whether a position is left, and their symbols.
const VECTORS: usize = 4;
const TOGETHER: usize = VECTORS * LANES;

/// Stretches begin so many symbols after a multiple of that many: otherwise they would share a few places of the caches.
const APART: usize = 5 * TOGETHER;
const PAGE: usize = 16 * TOGETHER;

/// Longest pattern: every candidate may be compared as a whole.
const LONGEST: usize = 1 << 14;

/// Positions for one at which both symbols may be.
const RARE: usize = 256;

/// A pattern with two rare symbols.
pub(super) struct Sparse<'p, T> {
    pattern: &'p [T],
    probes: [Probe<T>; 2],
}

/// What is found in a piece.
#[derive(Default)]
pub(super) struct Few {
    /// Positions in each stretch, and after all of them, ascending.
    pub(super) positions: [Vec<usize>; STRETCHES + 1],
    /// Positions that may still be candidates.
    left: usize,
}

impl<'p, T: Symbol> Sparse<'p, T> {
    /// A pattern, if it has such symbols.
    pub(super) fn new(needle: &Needle<'p, T>) -> Option<Self> {
        let is_sparse = needle.is_rare && needle.pattern.len() <= LONGEST;
        is_sparse.then(|| Self { pattern: needle.pattern, probes: [needle.probes[0], needle.probes[1]] })
    }

    /// The occurrences in a piece of the text, which ends with the last one that is possible; `false` when candidates are too many.
    /// Time that of reading, and of comparing some candidates.
    pub(super) fn find(&self, text: &[T], few: &mut Few) -> bool {
        let positions = text.len() + 1 - self.pattern.len();
        few.positions.iter_mut().for_each(Vec::clear);
        few.left = positions / RARE;
        // One place alone gives wide symbols as fast as there are channels.
        let pages = if size_of::<T>() > 1 { None } else { (positions / STRETCHES / PAGE).checked_sub(1) };
        let len = pages.map_or(0, |pages| pages * PAGE + APART);
        let rest = STRETCHES * len;
        let scanned = positions / TOGETHER * TOGETHER;
        let (stretches, last) = (Part { from: 0, len, first: 0 }, Part { from: rest, len: scanned - rest, first: STRETCHES });
        let few_so_far = dispatch!(Level::new(), s => {
            scan::<_, T, STRETCHES>(s, self, text, stretches, few) && scan::<_, T, 1>(s, self, text, last, few)
        });
        few.positions[STRETCHES].extend((scanned..positions).filter(|&at| self.occurs(text, at)));
        few_so_far
    }

    /// Compares the pattern at the positions that are left of some. `false` when there were too many.
    #[inline(never)]
    fn compare(&self, text: &[T], at: usize, words: &[u64; VECTORS], found: &mut Vec<usize>, left: &mut usize) -> bool {
        for (word, first) in words.iter().zip((at..).step_by(LANES)) {
            let mut word = *word;
            while word != 0 {
                let at = first + word.trailing_zeros() as usize;
                word &= word - 1;
                if self.occurs(text, at) {
                    found.push(at);
                }
                let Some(less) = left.checked_sub(1) else { return false };
                *left = less;
            }
        }
        true
    }

    fn occurs(&self, text: &[T], at: usize) -> bool {
        text[at..at + self.pattern.len()] == *self.pattern
    }
}

/// Some neighbouring stretches.
#[derive(Clone, Copy)]
struct Part {
    /// Where the first one begins.
    from: usize,
    /// Positions of each: a multiple of [`TOGETHER`].
    len: usize,
    /// The number of the first one.
    first: usize,
}

/// Looks for both symbols in `N` stretches. `false` when there were too many candidates.
#[inline(always)]
fn scan<S: Simd, T: Symbol, const N: usize>(s: S, sparse: &Sparse<T>, text: &[T], part: Part, few: &mut Few) -> bool {
    let [one, two] = sparse.probes;
    let symbols = [one.symbol.splat(s), two.symbol.splat(s)];
    let groups = part.len / TOGETHER;
    let window = |stretch: usize, offset: usize| {
        let text = &text[part.from + stretch * part.len + offset..][..part.len];
        &text.as_chunks::<LANES>().0.as_chunks::<VECTORS>().0[..groups]
    };
    let texts: [_; N] = std::array::from_fn(|stretch| [window(stretch, one.offset), window(stretch, two.offset)]);
    for group in 0..groups {
        for (stretch, [first, second]) in texts.iter().enumerate() {
            let (first, second) = (&first[group], &second[group]);
            let mut words = [0; VECTORS];
            let mut any = 0;
            for vector in 0..VECTORS {
                let equal = T::equal(s, &first[vector], symbols[0]);
                words[vector] = T::bits(T::both(equal, T::equal(s, &second[vector], symbols[1])));
                any |= words[vector];
            }
            if any != 0 {
                let at = part.from + stretch * part.len + group * TOGETHER;
                let Few { positions, left } = few;
                if !sparse.compare(text, at, &words, &mut positions[part.first + stretch], left) {
                    return false;
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    fn sparse<'p, T: Symbol>(pattern: &'p [T], text: &[T]) -> Option<Sparse<'p, T>> {
        Sparse::new(&Needle::new(pattern, text))
    }

    #[test]
    fn it_is_for_patterns_with_rare_symbols() {
        let letters: Vec<u8> = (0..60).collect();
        let text = random(&letters, 100_000, 1);
        assert!(sparse(&text[500..508], &text).is_some());
        assert!(sparse(&text[500..501], &text).is_none(), "a single symbol");
        assert!(sparse(&text[500..508], &text[..10_000]).is_none(), "a short text");
        let dna = random(b"ACGT", 100_000, 1);
        assert!(sparse(&dna[500..530], &dna).is_none(), "four letters");
        assert!(sparse(&[200, 201], &dna).is_some(), "symbols that do not occur");
        let wide: Vec<u32> = text.iter().map(|&symbol| u32::from(symbol) << 8).collect();
        assert!(sparse(&wide[500..508], &wide).is_some());
    }

    /// Pieces of any length, with occurrences at the borders of all stretches.
    #[test]
    fn occurrences_at_every_border() {
        let letters: Vec<u8> = (2..90).collect();
        borders([0, 7, 1], &random(&letters, 300_000, 1));
        let letters: Vec<u32> = (1002..1090).collect();
        borders([1000, 1007, 1001], &random(&letters, 300_000, 1));
    }

    fn borders<T: Symbol>(pattern: [T; 3], text: &[T]) {
        let sparse = sparse(&pattern, text).unwrap();
        for len in [3, 4, 258, 259, 700, 33_000, 70_000, 150_001, 300_000] {
            let mut text = text[..len].to_vec();
            let mut expected = Vec::new();
            for at in (0..len - 2).filter(|at| at % 1280 < 2 || at + 3 == len || at % 4096 == 4095) {
                if expected.last().is_none_or(|last| last + 3 <= at) {
                    text[at..at + 3].copy_from_slice(&pattern);
                    expected.push(at);
                }
            }
            let mut few = Few::default();
            assert!(sparse.find(&text, &mut few) || expected.len() > len / RARE, "{len}");
            if expected.len() <= len / RARE {
                assert_eq!(few.positions.concat(), expected, "{len}");
            }
        }
        assert!(!sparse.find(&pattern.repeat(20_000), &mut Few::default()), "too many");
    }
}
