//! Stream: counts a pattern in a text that arrives in pieces. Only the symbols that the next offsets need are kept.

use super::pattern::{PreparedPattern, ScoreScratch};
use super::score::ScoreSlice;
use crate::symbol::Symbol;

/// A match count of a pattern in a text that arrives in pieces of any size, so that the whole text need never be in
/// memory (paper 002, section 1).
///
/// Scores come in blocks of [`PreparedPattern::block`] offsets, and the rest at the end. Memory holds the pattern, and
/// of the text at most a block and one symbol less than the pattern. The time does not depend on the sizes of the
/// pieces.
///
/// ```
/// use kernels::task::match_count::{ExpectedText, PreparedPattern, ScoreStream};
///
/// let pattern = PreparedPattern::new(b"abba", &ExpectedText::default());
/// let mut stream = ScoreStream::new(&pattern);
/// let mut all = Vec::new();
/// for piece in [&b"acb"[..], b"", b"abaccb"] {
///     stream.push(piece, |_, scores| Ok::<_, ()>(all.extend(scores.iter()))).unwrap();
/// }
/// stream.finish(|_, scores| Ok::<_, ()>(all.extend(scores.iter()))).unwrap();
/// assert_eq!(all, [3, 1, 2, 2, 0, 1]);
/// ```
pub struct ScoreStream<'p, T> {
    pattern: &'p PreparedPattern,
    /// The text from the offset `next` on, as far as it has arrived. It is shorter than a block of scores needs.
    tail: Vec<T>,
    next: u64,
    scratch: ScoreScratch,
}

impl<'p, T: Symbol> ScoreStream<'p, T> {
    /// Creates a stream for `pattern`, at the beginning of a text.
    pub fn new(pattern: &'p PreparedPattern) -> Self {
        Self { pattern, tail: Vec::new(), next: 0, scratch: ScoreScratch::default() }
    }

    /// Adds the next piece of the text. Calls `each` for each completed block of scores, with the offset of its first
    /// score and the scores.
    ///
    /// # Errors
    /// Returns the error of `each`. The stream must not be used afterwards.
    pub fn push<E>(&mut self, piece: &[T], mut each: impl FnMut(u64, ScoreSlice) -> Result<(), E>) -> Result<(), E> {
        let overlap = self.pattern.len().saturating_sub(1);
        let block = self.pattern.block();
        let mut taken = 0;
        while !self.tail.is_empty() {
            let more = (block + overlap - self.tail.len()).min(piece.len() - taken);
            self.tail.extend_from_slice(&piece[taken..taken + more]);
            taken += more;
            if self.tail.len() < block + overlap {
                return Ok(());
            }
            each(self.next, self.pattern.count(&self.tail, block, &mut self.scratch))?;
            self.next += block as u64;
            if taken >= overlap {
                // From here on the piece alone has all symbols that are needed.
                taken -= overlap;
                self.tail.clear();
            } else {
                self.tail.drain(..block);
            }
        }
        let mut rest = &piece[taken..];
        while let Some(text) = rest.get(..block + overlap) {
            each(self.next, self.pattern.count(text, block, &mut self.scratch))?;
            self.next += block as u64;
            rest = &rest[block..];
        }
        self.tail.extend_from_slice(rest);
        Ok(())
    }

    /// Ends the text. Calls `each` for the remaining scores, if any, with the offset of the first one and the scores.
    ///
    /// # Errors
    /// Returns the error of `each`.
    pub fn finish<E>(mut self, mut each: impl FnMut(u64, ScoreSlice) -> Result<(), E>) -> Result<(), E> {
        let offsets = (self.tail.len() + 1).saturating_sub(self.pattern.len());
        if offsets == 0 {
            return Ok(());
        }
        each(self.next, self.pattern.count(&self.tail, offsets, &mut self.scratch))
    }
}
