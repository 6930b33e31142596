//! Shape: divides a pattern among the lanes of a warp, and the text into slices. Also chooses the kernel.

use std::collections::HashMap;

use crate::gpu::compaction::{BLOCK, DeviceBitSet};
use crate::gpu::compile::KernelSource;

/// Maximum length of a pattern that fits one warp: 32 lanes of eight 32-row words.
pub(super) const MAX_LANE_ROWS: usize = 32 * 32 * 8;

/// Supported numbers of bits of a symbol code. There is a kernel for each.
pub(super) const PLANES: [u32; 6] = [1, 2, 3, 5, 8, 14];

/// Possible numbers of 32-row words of a lane that has a slice of the text for itself.
const LONE_LANE_WORDS: [u32; 4] = [1, 2, 3, 4];
/// Possible numbers of 32-row words of a lane if several lanes share a slice of the text.
const SHARED_LANE_WORDS: [u32; 4] = [3, 4, 6, 8];

/// Maximum number of threads in a block of the kernel that sweeps slices.
pub(super) const MAX_SLICE_THREADS: u32 = 128;

/// Number of steps (columns of the text) between two exchanges of bits among the lanes of a slice.
const STEPS_PER_EXCHANGE: u64 = 8;
/// Number of steps (columns of the text) without a branch, a multiple of [`STEPS_PER_EXCHANGE`].
const UNROLLED_STEPS: u64 = 8;

/// The greatest distance that has to be exact: `max_distance`, or a guess of the least distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DistanceGuess {
    pub(super) most: u64,
}

impl DistanceGuess {
    /// Returns the usual least distance of a pattern of `m` symbols in a random text with `alphabet` letters, or
    /// slightly more. The distance is a fraction of the pattern length; the fraction is larger for short patterns.
    pub(super) fn first(m: u64, alphabet: u32) -> Self {
        let sixteenths = match (alphabet, m) {
            (..=2, ..=64) => 8,
            (..=2, ..=256) => 6,
            (..=2, _) => 5,
            (..=4, ..=64) => 10,
            (..=4, _) => 8,
            (..=20, _) => 13,
            _ => 16,
        };
        Self { most: (m * sixteenths).div_ceil(16) }
    }

    /// Returns the number of columns before a column on which its distance depends, if this distance is within the
    /// guess. The pattern has `m` symbols. The number is rounded up to whole 32-column words.
    pub(super) fn lead(self, m: u64) -> u64 {
        (m + self.most).next_multiple_of(32)
    }
}

/// A pattern, divided among the lanes that share a slice of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternShape {
    pub(super) m: u64,
    /// Number of lanes of a warp that share a slice of the text.
    pub(super) lanes: u32,
    /// Number of 32-row words in a lane.
    pub(super) words: u32,
    pub(super) planes: u32,
    /// For each symbol number, its code. Symbols that are not in the pattern share one code.
    pub(super) codes: Vec<u16>,
    /// Bit planes of the pattern's codes, in the order in which the kernel reads them.
    pub(super) row_planes: Vec<u32>,
}

impl PatternShape {
    /// Encodes the pattern `a` of 1 to `MAX_LANE_ROWS` symbols, which are below `alphabet`.
    pub(super) fn new<T: Copy + Into<u32>>(a: &[T], alphabet: u32) -> Self {
        let m = a.len() as u64;
        let (lanes, words) = lanes_and_words(m);
        let mut numbers = HashMap::new();
        for &symbol in a {
            let next = numbers.len() as u16;
            numbers.entry(symbol.into()).or_insert(next);
        }
        // One code is for all symbols that are not in the pattern, and one for rows that equal no symbol.
        let other = numbers.len() as u16;
        let nothing = other + u16::from(numbers.len() < alphabet as usize);
        let rows = 32 * lanes as usize * words as usize;
        let count = nothing + u16::from(rows > a.len());
        let bits = u16::BITS - count.saturating_sub(1).leading_zeros();
        let planes = PLANES.into_iter().find(|&planes| planes >= bits).expect("a pattern has fewer than 2^14 − 1 codes");
        let codes = (0..alphabet).map(|symbol| numbers.get(&symbol).copied().unwrap_or(other)).collect();

        let mut row_planes = vec![0; (planes * words * lanes) as usize];
        let empty = rows - a.len();
        for row in 0..rows {
            let code = row.checked_sub(empty).map_or(nothing, |at| numbers[&a[at].into()]);
            let (bit, word) = (row / words as usize, row % words as usize);
            for plane in (0..planes as usize).filter(|plane| code >> plane & 1 == 1) {
                row_planes[(plane * words as usize + word) * lanes as usize + bit / 32] |= 1u32 << (bit % 32);
            }
        }
        Self { m, lanes, words, planes, codes, row_planes }
    }

    /// Returns the number of rows in all lanes, including padding rows above the pattern.
    pub(super) fn rows(&self) -> u64 {
        32 * u64::from(self.lanes) * u64::from(self.words)
    }

    /// Returns the number of words in each slice of a text of `words` words. There are as many slices as a GPU with
    /// `multiprocessors` multiprocessors runs at the same time.
    pub(super) fn own(&self, words: u64, multiprocessors: u32) -> u64 {
        let warps = if self.rows() <= 32 { 8 } else { 4 };
        let slices = u64::from(multiprocessors) * warps * u64::from(32 / self.lanes);
        words.div_ceil(slices).max(1)
    }

    /// Returns the GPU memory for a part of `columns` columns with symbols of `unit` bytes, in bytes.
    pub(super) fn bytes(&self, columns: u64, unit: u32) -> u64 {
        let words = columns / 32 + 2;
        columns * u64::from(unit)
            + words * (4 * u64::from(self.planes) + 12)
            + DeviceBitSet::bytes(columns)
            + 4 * self.codes.len() as u64
            + (1 << 20)
    }

    /// Returns the kernel that sweeps slices for this pattern.
    pub(super) fn source(&self) -> KernelSource {
        slices_source(self.words, self.planes, self.lanes > 1)
    }
}

/// Returns the number of lanes that share a slice and the number of words per lane, for a pattern of `m` symbols. These
/// are the smallest supported numbers that suffice.
fn lanes_and_words(m: u64) -> (u32, u32) {
    let alone = LONE_LANE_WORDS.map(|words| (1, words)).into_iter();
    let shared = [2, 4, 8, 16, 32].into_iter().flat_map(|lanes| SHARED_LANE_WORDS.map(|words| (lanes, words)));
    // More words in fewer lanes are slower, so that only the longest patterns use them.
    let fits = |&(lanes, words): &(u32, u32)| 32 * u64::from(lanes * words) >= m && (words <= 4 || lanes == 32);
    alone.chain(shared).find(fits).unwrap_or((32, 8))
}

/// Lists every kernel that a search for patterns of one warp can need.
pub(super) fn variants() -> impl Iterator<Item = KernelSource> {
    let slices = |planes| {
        let alone = LONE_LANE_WORDS.map(|words| slices_source(words, planes, false));
        alone.into_iter().chain(SHARED_LANE_WORDS.map(|words| slices_source(words, planes, true)))
    };
    let ends = |planes| [1, 4].map(|unit| ends_source(unit, planes));
    PLANES.into_iter().flat_map(move |planes| slices(planes).chain(ends(planes)))
}

fn slices_source(words: u32, planes: u32, grouped: bool) -> KernelSource {
    let defines = vec![
        ("WORDS", words.into()),
        ("PLANES", planes.into()),
        ("GROUPED", grouped.into()),
        ("GROUP", STEPS_PER_EXCHANGE),
        ("THREADS", MAX_SLICE_THREADS.into()),
        ("UNROLLED", UNROLLED_STEPS),
    ];
    KernelSource { name: "approximate-search", text: include_str!("slices.cu"), defines }
}

/// Returns the kernels that encode a part of the text before its sweep and find the ends of hits after it. Symbols have
/// `unit` bytes, and codes `planes` bits.
pub(super) fn ends_source(unit: u32, planes: u32) -> KernelSource {
    const { assert!(BLOCK == 1024, "a block of `ends` is a block of counts") };
    let defines = vec![("UNIT", unit.into()), ("PLANES", planes.into())];
    KernelSource { name: "approximate-search-ends", text: include_str!("ends.cu"), defines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Decodes the codes of all rows from the bit planes, as the kernel does.
    fn rows(shape: &PatternShape) -> Vec<u16> {
        let (lanes, words) = (shape.lanes as usize, shape.words as usize);
        let code = |row: usize| {
            let (bit, word) = (row / words, row % words);
            let plane = |plane: usize| shape.row_planes[(plane * words + word) * lanes + bit / 32] >> (bit % 32) & 1;
            (0..shape.planes as usize).fold(0, |code, at| code | (plane(at) as u16) << at)
        };
        (0..shape.rows() as usize).map(code).collect()
    }

    #[test]
    fn pattern_is_padded_at_the_top_with_rows_that_match_nothing() {
        for alphabet in [1, 2, 3, 4, 5, 20, 256, 9000] {
            let letters: Vec<u32> = (0..alphabet).collect();
            for m in [1, 31, 32, 33, 64, 65, 96, 97, 128, 129, 193, 256, 500, 1024, 1025, 4097, 8192] {
                let a = random(&letters, m, 7);
                let shape = PatternShape::new(&a, alphabet);
                let rows = rows(&shape);
                assert!(rows.len() >= m && (rows.len() < 2 * m || rows.len() == 32), "{} rows for {m}", rows.len());
                let (empty, full) = rows.split_at(rows.len() - m);
                assert!(a.iter().zip(full).all(|(&symbol, &code)| shape.codes[symbol as usize] == code), "{m} of {alphabet}");
                assert!(empty.iter().all(|code| !shape.codes.contains(code)), "{m} of {alphabet}");
                assert!((0..alphabet).all(|symbol| a.contains(&symbol) || !full.contains(&shape.codes[symbol as usize])));
            }
        }
    }

    #[test]
    fn whole_words_of_two_letters_need_one_plane() {
        for m in [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192] {
            let shape = PatternShape::new(&random(&[0u8, 1], m, 1), 2);
            assert_eq!((shape.planes, shape.rows()), (1, m as u64));
        }
        assert_eq!(PatternShape::new(&random(&[0u8, 1, 2, 3], 1024, 1), 4).planes, 2);
    }
}
