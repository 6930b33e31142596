//! Words: memory of machine words that begins at the border of a cache line.

/// Size of a cache line in words.
const LINE: usize = 8;

/// Words in memory from the border of a cache line on, because a vector that crosses one takes two accesses.
#[derive(Debug, Default)]
pub(super) struct AlignedWords {
    words: Vec<u64>,
    start: usize,
    len: usize,
}

impl AlignedWords {
    /// Returns the words.
    #[inline(always)]
    pub(super) fn get(&self) -> &[u64] {
        &self.words[self.start..self.start + self.len]
    }

    /// Sets the number of words to `len` and all of them to 0. Reuses the memory if it suffices.
    pub(super) fn zeroed(&mut self, len: usize) -> &mut [u64] {
        if self.words.len() < len + LINE {
            self.words = vec![0; len + LINE];
            // The result may be any number if the border is unknown.
            self.start = self.words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        } else {
            self.words[self.start..self.start + len].fill(0);
        }
        self.len = len;
        &mut self.words[self.start..self.start + len]
    }
}
