//! Plan: groups of patterns, chunks of a text, and memory.

use super::SearchedText;
use super::rows::SPACINGS;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DONE, KEPT, OVER, SAID, STOP, WISH};

/// Numbers of words of a lane.
const WORDS: [u32; 5] = [2, 4, 6, 8, 10];

/// Number of threads of a block.
pub(super) const THREADS: u32 = 256;

/// Number of blocks that a multiprocessor has at least, by the registers of a thread.
const RESIDENT_BLOCKS: u32 = 2;

/// Shared memory of a block that the kernel itself declares, and that the driver reserves, in bytes.
const RESERVED_SHARED_BYTES: u64 = 1280;

/// Number of columns of which chunks, pieces and parts are multiples, because a thread loads as many symbols at a time.
pub(super) const COLUMNS_AT_ONCE: u64 = 16;

/// Number of columns before a chunk: the symbols of a substring within 32 edits of the rows of a word. More edits are always
/// within the bound.
pub(super) const CHUNK_LEAD: u64 = 64;

/// Number of columns before a part: the maximum number of symbols of a hit, rounded up.
pub(super) const PART_LEAD: u64 = 128;

/// Bounds of the number of columns of a chunk.
const CHUNK_COLUMNS: [u64; 2] = [256, 8192];

/// Number of items of a launch for each block, so that the last ones end together.
const ITEMS_PER_BLOCK: u64 = 8;

/// Sizes of a search. They change its speed, and never its hits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchSettings {
    /// Maximum number of columns of a part.
    pub(crate) part: u64,
    /// Maximum number of columns of a chunk.
    pub(crate) chunk: u64,
    /// Maximum number of hits of a piece.
    pub(crate) capacity: u64,
    /// Maximum number of hits of all patterns. Patterns with the most hits are left to the caller beyond it.
    pub(crate) max_hits: u64,
    /// Maximum number of masks of symbols of the patterns that are searched at a time.
    pub(crate) masks: u64,
    /// Whether patterns with many hits are searched, too.
    pub(crate) is_for_all: bool,
}

impl SearchSettings {
    /// The sizes for a GPU.
    pub(crate) const DEVICE: Self =
        Self { part: 1 << 31, chunk: CHUNK_COLUMNS[1], capacity: 1 << 24, max_hits: 1 << 25, masks: 1 << 25, is_for_all: false };
}

/// Lists every variant of the kernel.
pub(crate) fn variants() -> impl Iterator<Item = KernelSource> {
    SPACINGS.into_iter().flat_map(|spacing| WORDS.into_iter().map(move |words| Layout { words, spacing }.source()))
}

/// Returns whether the masks of the symbols of `text` fit into the shared memory of `gpu`.
pub(crate) fn takes(gpu: &Gpu, text: &SearchedText) -> bool {
    WORDS.iter().any(|words| shared_bytes(*words, text.alphabet) <= shared_limit(gpu.shared_bytes()))
}

/// Returns the shared memory of a block, in bytes.
fn shared_bytes(words: u32, alphabet: u32) -> u64 {
    let lanes = 32 * u64::from(words);
    4 * (lanes * (u64::from(alphabet) + 2) + u64::from(THREADS / 32) * (32 + lanes))
}

/// Returns the shared memory that a kernel may ask for if a block may have `bytes` bytes.
fn shared_limit(bytes: u32) -> u64 {
    u64::from(bytes).saturating_sub(RESERVED_SHARED_BYTES)
}

/// The variant of the kernel for some patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of patterns of a lane.
    pub(super) words: u32,
    /// Number of columns between two comparisons.
    pub(super) spacing: u32,
}

impl Layout {
    /// Chooses the layout for `patterns` patterns. If a block may have `shared` bytes of shared memory, two blocks share a
    /// multiprocessor where that is possible.
    pub(super) fn new(patterns: usize, spacing: u32, alphabet: u32, shared: u32) -> Option<Self> {
        let limit = shared_limit(shared);
        let fits = |limit: u64| WORDS.into_iter().filter(move |words| shared_bytes(*words, alphabet) <= limit);
        let half = (limit / u64::from(RESIDENT_BLOCKS)).saturating_sub(RESERVED_SHARED_BYTES);
        let best =
            |limit| fits(limit).min_by_key(|words| (patterns.div_ceil(32 * *words as usize) as u64 * u64::from(*words), 100 - words));
        let words = best(half).or_else(|| best(limit))?;
        Some(Self { words, spacing })
    }

    /// Returns the number of patterns of a group.
    pub(super) fn lanes(self) -> usize {
        32 * self.words as usize
    }

    /// Returns the number of groups of `patterns` patterns.
    pub(super) fn groups(self, patterns: usize) -> usize {
        patterns.div_ceil(self.lanes())
    }

    pub(super) fn shared_bytes(self, alphabet: u32) -> u32 {
        shared_bytes(self.words, alphabet) as u32
    }

    /// Returns the place of the word of a lane among those of a symbol.
    pub(super) fn place(self, slot: usize) -> usize {
        let (word, lane) = (slot / 32, slot % 32);
        word / 2 * 64 + lane * 2 + word % 2
    }

    pub(super) fn source(self) -> KernelSource {
        let defines = vec![
            ("WORDS", self.words.into()),
            ("SPACING", self.spacing.into()),
            ("THREADS", THREADS.into()),
            ("STOP", STOP),
            ("DONE", DONE),
            ("KEPT", KEPT),
            ("SAID", SAID),
            ("OVER", OVER),
            ("WISH", WISH),
        ];
        KernelSource { name: "collection-patterns", text: include_str!("../patterns.cu"), defines }
    }
}

/// The items of a launch: chunks of columns for each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaunchPlan {
    /// Number of columns of a chunk.
    pub(super) chunk: u64,
    /// Number of items of a group, each with a chunk for each warp of a block.
    pub(super) runs: u64,
    /// Number of items.
    pub(super) items: u64,
    /// Number of blocks.
    pub(super) blocks: u64,
}

impl LaunchPlan {
    /// Divides `columns` columns for `groups` groups among the multiprocessors.
    pub(super) fn new(columns: u64, groups: usize, multiprocessors: u32, settings: &SearchSettings) -> Self {
        let warps = u64::from(THREADS / 32);
        let resident = u64::from(multiprocessors) * u64::from(RESIDENT_BLOCKS);
        let wanted = columns * groups as u64 / (resident * ITEMS_PER_BLOCK * warps);
        let chunk = wanted.clamp(CHUNK_COLUMNS[0], CHUNK_COLUMNS[1]).min(settings.chunk).next_multiple_of(COLUMNS_AT_ONCE);
        let runs = columns.div_ceil(chunk * warps).max(1);
        let items = runs * groups as u64;
        // More blocks than are resident at least, because kernels with few words have more resident ones.
        Self { chunk, runs, items, blocks: items.min(4 * resident) }
    }
}

/// Cuts a text of `columns` columns into parts of equal length. A part has at most `most` columns of its own.
pub(super) fn parts(columns: u64, most: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    let count = columns.div_ceil(most.max(COLUMNS_AT_ONCE)).max(1);
    let each = columns.div_ceil(count).next_multiple_of(COLUMNS_AT_ONCE).max(COLUMNS_AT_ONCE);
    (0..columns).step_by(each as usize).map(move |from| from..(from + each).min(columns))
}

/// Cuts a piece of a part in two. Returns `None` if the piece is so short that the patterns have too many hits.
pub(super) fn halves(piece: &std::ops::Range<u64>) -> Option<[std::ops::Range<u64>; 2]> {
    let half = ((piece.end - piece.start) / 2).next_multiple_of(COLUMNS_AT_ONCE);
    let middle = piece.start + half;
    (half > 0 && middle < piece.end).then_some([piece.start..middle, middle..piece.end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_has_few_padding_words() {
        let words = |patterns, alphabet, shared| Layout::new(patterns, 4, alphabet, shared).map(|layout| layout.words);
        assert_eq!(words(624, 4, 227 << 10), Some(10));
        assert_eq!(words(1, 4, 227 << 10), Some(2));
        assert_eq!(words(100, 4, 227 << 10), Some(4));
        assert_eq!(words(100_000, 256, 227 << 10), Some(2));
        assert_eq!((words(1, 256, 99 << 10), words(1, 256, 48 << 10)), (Some(2), None));
        for patterns in 1..2000 {
            let layout = Layout::new(patterns, 1, 5, 99 << 10).unwrap();
            assert!(layout.groups(patterns) * layout.lanes() < patterns + 64, "{patterns}");
        }
    }

    #[test]
    fn words_of_a_symbol_have_places_of_their_own() {
        for words in WORDS {
            let layout = Layout { words, spacing: 4 };
            let mut places: Vec<usize> = (0..layout.lanes()).map(|slot| layout.place(slot)).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..layout.lanes()));
        }
    }

    #[test]
    fn chunks_cover_all_columns() {
        for columns in [1, 15, 16, 17, 255, 256, 257, 100_000, 3_100_000_000] {
            for (groups, chunk) in [(1, 8192), (2, 8192), (7, 16), (3000, 8192)] {
                let settings = SearchSettings { chunk, ..SearchSettings::DEVICE };
                let plan = LaunchPlan::new(columns, groups, 132, &settings);
                assert_eq!(plan.chunk % COLUMNS_AT_ONCE, 0);
                assert!(plan.chunk <= chunk && plan.chunk * plan.runs * 8 >= columns, "{plan:?}");
                assert!(plan.items >= groups as u64 && u32::try_from(plan.items).is_ok() || chunk == 16, "{plan:?}");
                assert!(plan.blocks >= 1 && plan.blocks <= plan.items);
            }
        }
    }

    #[test]
    fn parts_and_pieces_cover_a_text_without_overlap() {
        for columns in [1_u64, 16, 17, 1000, 3_100_000_000] {
            for most in [1, 16, 100, 1 << 31] {
                if columns / most > 1 << 20 {
                    continue;
                }
                let parts: Vec<_> = parts(columns, most).collect();
                assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, columns));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].end.is_multiple_of(COLUMNS_AT_ONCE)));
                assert!(parts.iter().all(|part| part.end - part.start <= most.next_multiple_of(COLUMNS_AT_ONCE)));
            }
        }
        assert_eq!(halves(&(0..100)), Some([0..64, 64..100]));
        assert_eq!(halves(&(128..145)), Some([128..144, 144..145]));
        assert_eq!((halves(&(128..144)), halves(&(0..1)), halves(&(0..0))), (None, None, None));
        assert_eq!(parts(0, 16).count(), 0);
    }
}
