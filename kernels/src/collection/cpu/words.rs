//! Words: memory for vectors that begins at the border of a cache line.

/// Size of a cache line in bytes.
const LINE: usize = 64;

/// Numbers in memory from the border of a cache line on, because a vector that crosses one takes two accesses.
#[derive(Debug, Default)]
pub(super) struct AlignedWords<W> {
    words: Vec<W>,
    start: usize,
    len: usize,
}

impl<W: Copy + Default> AlignedWords<W> {
    /// Number of words of a cache line.
    const LINE_WORDS: usize = LINE / size_of::<W>();

    /// Returns the words.
    #[inline(always)]
    pub(super) fn get(&self) -> &[W] {
        &self.words[self.start..self.start + self.len]
    }

    /// Sets the number of words to `len` and all of them to 0. Reuses the memory if it suffices.
    pub(super) fn zeroed(&mut self, len: usize) -> &mut [W] {
        if self.words.len() < len + Self::LINE_WORDS {
            self.words = vec![W::default(); len + Self::LINE_WORDS];
            // The result may be any number if the border is unknown.
            self.start = self.words.as_ptr().align_offset(LINE).min(Self::LINE_WORDS);
        } else {
            self.words[self.start..self.start + len].fill(W::default());
        }
        self.len = len;
        &mut self.words[self.start..self.start + len]
    }
}
