//! Patterns of bytes that are rare in the text, by the crate `memchr`: two rare bytes at a time, at the speed of reading.
//!
//! A sample of the text says which bytes are rare. Where occurrences turn out to be many, each of which is found anew, the search
//! goes on with [probes](super::probe), which take as long for many as for none.

use memchr::arch::all::packedpair::HeuristicFrequencyRank;
use memchr::memmem::{Finder, FinderBuilder};

/// Pieces of the text that are sampled, and symbols of each: every piece is waited for.
const PIECES: usize = 32;
const PIECE: usize = 128;

/// Positions for one at which two rare bytes of the pattern may agree by chance.
const RARE: f64 = 1000.0;

/// Longest pattern: every chunk of positions is read with as many symbols behind it.
const LONGEST: usize = 1 << 16;

/// Symbols of the pattern among which rare ones are looked for, as in `memchr`.
const WITHIN: usize = 255;

/// Occurrences in a chunk up to which they are few.
pub(super) const FEW: usize = 64;

/// A pattern that is rare.
pub(super) struct Sparse<'p>(Finder<'p>);

/// Bytes from the rarest to the most frequent.
struct Ranks([u8; 256]);

impl HeuristicFrequencyRank for Ranks {
    fn rank(&self, byte: u8) -> u8 {
        self.0[usize::from(byte)]
    }
}

impl<'p> Sparse<'p> {
    /// A pattern of at least two symbols, if it has bytes that are rare in the text. Time O(|pattern|).
    pub(super) fn new(pattern: &'p [u8], text: &[u8]) -> Option<Self> {
        if !(2..=LONGEST).contains(&pattern.len()) {
            return None;
        }
        let mut counts = [0u32; 256];
        let pieces = text.chunks(PIECE).step_by((text.len() / (PIECES * PIECE)).max(1));
        pieces.flatten().for_each(|&byte| counts[usize::from(byte)] += 1);
        let sampled = f64::from(counts.iter().sum::<u32>());
        let mut rows: Vec<u32> = pattern.iter().take(WITHIN).map(|&byte| counts[usize::from(byte)]).collect();
        rows.sort_unstable();
        let share = |count: u32| f64::from(count.max(1)) / sampled;
        if share(rows[0]) * share(rows[1]) * RARE > 1.0 {
            return None;
        }
        let mut order: Vec<u8> = (0..=u8::MAX).collect();
        order.sort_by_key(|&byte| counts[usize::from(byte)]);
        let mut ranks = Ranks([0; 256]);
        // The highest ranks would mean that nothing is rare.
        (0..200).chain(std::iter::repeat(200)).zip(order).for_each(|(rank, byte)| ranks.0[usize::from(byte)] = rank);
        Some(Self(FinderBuilder::new().build_forward_with_ranker(ranks, pattern)))
    }

    /// The positions in a text of at most a chunk of them, ascending; `false` when there are more than [`FEW`].
    pub(super) fn find(&self, text: &[u8], positions: &mut Vec<u16>) -> bool {
        positions.clear();
        let mut from = 0;
        while let Some(at) = self.0.find(&text[from..]) {
            if positions.len() == FEW {
                return false;
            }
            positions.push((from + at) as u16);
            from += at + 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn it_is_for_patterns_with_rare_bytes() {
        let letters: Vec<u8> = (0..60).collect();
        let text = random(&letters, 100_000, 1);
        assert!(Sparse::new(&text[500..508], &text).is_some());
        assert!(Sparse::new(&text[500..501], &text).is_none(), "a single symbol");
        let dna = random(b"ACGT", 100_000, 1);
        assert!(Sparse::new(&dna[500..530], &dna).is_none(), "four letters");
        assert!(Sparse::new(&[200, 201], &dna).is_some(), "symbols that do not occur");
    }

    #[test]
    fn overlapping_occurrences_up_to_a_few() {
        let mut text = random(&(2..80).collect::<Vec<u8>>(), 5000, 1);
        text[100..100 + FEW + 2].fill(0);
        let sparse = Sparse::new(&[0, 0, 0], &text).unwrap();
        let mut positions = Vec::new();
        assert!(sparse.find(&text, &mut positions));
        assert_eq!(positions, (100..100 + FEW as u16).collect::<Vec<_>>());
        text[90..110].fill(0);
        assert!(!sparse.find(&text, &mut positions));
    }
}
