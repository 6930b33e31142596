//! Group: the members in the lanes of a vector, and the masks of their symbols.

use super::super::words::AlignedWords;
use super::{WORD, vector_words};
use crate::symbol::Symbol;

/// Members of a collection in the lanes of a vector.
pub(in super::super) struct LaneGroup {
    /// Place of each lane's member in a row of scores.
    pub(super) places: Vec<u32>,
    /// Length of each lane's member.
    pub(super) lens: Vec<i32>,
    /// Whether the places of all lanes follow each other.
    pub(super) is_in_order: bool,
    pub(super) strips: Vec<MaskStrip>,
}

/// Some rows of all members of a group.
pub(super) struct MaskStrip {
    /// Number of each symbol within the strip. 0 if no row has this symbol.
    pub(super) numbers: Vec<u16>,
    /// Vectors `[number][row]` of the lanes whose row has the symbol.
    pub(super) masks: AlignedWords<u64>,
    /// Vectors `[row]` of the lanes whose member has the row.
    pub(super) member_rows: AlignedWords<u64>,
}

impl LaneGroup {
    /// Creates a group of at most [`lanes`](super::lanes) members, each with its place in a row of scores,
    /// sorted by length. Symbols are below `alphabet`. A strip has `height` rows of the longest member.
    ///
    /// Takes O(symbols + strips · alphabet) time and [`max_bytes`](Self::max_bytes) of memory.
    ///
    /// # Panics
    /// Panics if there is no member.
    pub(super) fn new<T: Symbol>(members: &[(usize, &[T])], alphabet: u32, height: usize) -> Self {
        let words = vector_words();
        debug_assert!(members.len() <= words * WORD);
        let longest = members[members.len() - 1].1.len();
        let strips = (0..longest).step_by(height).map(|top| MaskStrip::new(members, top, height, words, alphabet)).collect();
        Self {
            places: members.iter().map(|(place, _)| *place as u32).collect(),
            lens: members.iter().map(|(_, member)| member.len() as i32).collect(),
            is_in_order: members.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0),
            strips,
        }
    }

    /// Returns the maximum memory of a group with members of up to `longest` symbols below `alphabet` and strips of `height`
    /// rows, in bytes.
    pub(super) fn max_bytes(longest: usize, alphabet: u32, height: usize) -> usize {
        let words = vector_words();
        let distinct = (alphabet as usize).min(words * WORD * height) + 2;
        longest.div_ceil(height).saturating_mul(alphabet as usize * size_of::<u16>() + distinct * height * words * size_of::<u64>())
    }

    /// Returns the least difference of the lengths of a member and of a text of `text` symbols. Members are sorted by
    /// length.
    pub(super) fn least_difference(&self, text: usize) -> usize {
        let (shortest, longest) = (self.lens[0] as usize, self.lens[self.lens.len() - 1] as usize);
        shortest.saturating_sub(text).max(text.saturating_sub(longest))
    }

    /// Writes the difference of the lengths of each member and of a text of `text` symbols.
    pub(super) fn write_differences(&self, text: usize, scores: &mut [i32]) {
        self.places.iter().zip(&self.lens).for_each(|(&place, &len)| scores[place as usize] = (len - text as i32).abs());
    }
}

impl MaskStrip {
    fn new<T: Symbol>(members: &[(usize, &[T])], top: usize, height: usize, words: usize, alphabet: u32) -> Self {
        let rows = |member: &[T]| top.min(member.len())..(top + height).min(member.len());
        let mut numbers = vec![0; alphabet as usize];
        let mut distinct = 0u16;
        for (_, member) in members {
            for symbol in &member[rows(member)] {
                let number: &mut u16 = &mut numbers[symbol.number() as usize];
                if *number == 0 {
                    distinct += 1;
                    *number = distinct;
                }
            }
        }
        let (mut masks, mut member_rows) = (AlignedWords::default(), AlignedWords::default());
        let mask_words = masks.zeroed((usize::from(distinct) + 1) * height * words);
        let row_words = member_rows.zeroed(height * words);
        for (lane, (_, member)) in members.iter().enumerate() {
            let (word, bit) = (lane / WORD, 1 << (lane % WORD));
            for (row, symbol) in member[rows(member)].iter().enumerate() {
                let number = usize::from(numbers[symbol.number() as usize]);
                mask_words[(number * height + row) * words + word] |= bit;
                row_words[row * words + word] |= bit;
            }
        }
        Self { numbers, masks, member_rows }
    }
}
