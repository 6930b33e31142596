//! `kmp`: the search of Knuth, Morris and Pratt; paper 004, section VI, `getNext` and `KMP`.
//!
//! ```text
//! getNext:                                    KMP:
//!   len = 0; next[0] = 0; i = 1                 j = 0; i = 0
//!   while (i < pattern_len)                     while (i < text_len)
//!     if (pattern[i] == pattern[len])             if (pattern[j] == text[i])
//!       len++; next[i] = len; i++                   j++; i++
//!     else if (len != 0)                          if (j == pattern_len)
//!       len = next[len - 1]                         answer[i - j] = 1; j = next[j - 1]
//!     else                                        else if (pattern[j] != text[i])
//!       next[i] = 0; i++                            if (j != 0) j = next[j - 1]
//!                                                   else i = i + 1
//! ```
//!
//! After a match at the last symbol of the text, the second test of `KMP` reads `text[text_len]`, which does not exist.
//! The test then changes only `j` and `i`, which are not used again. This implementation omits the test there.

use std::ops::Range;

use crate::methods::StepSink;
use crate::run::Halt;

/// Number of iterations of the loop of `KMP` between two calls of `tick`.
const ROUNDS: u64 = 1 << 12;

/// Returns the partial match table of `pattern`: `next[i]` is the length of the longest prefix of the pattern that also
/// ends at position `i`, other than `pattern[..=i]` itself. Takes O(m) time.
///
/// ```
/// # use kernels::methods::exact_search::kmp::get_next;
/// assert_eq!(get_next(b"abacaba"), [0, 0, 1, 0, 1, 2, 3]);
/// ```
pub fn get_next<T: Eq>(pattern: &[T]) -> Vec<usize> {
    let mut next = vec![0; pattern.len()];
    let (mut len, mut i) = (0, 1);
    while i < pattern.len() {
        if pattern[i] == pattern[len] {
            len += 1;
            next[i] = len;
            i += 1;
        } else if len != 0 {
            len = next[len - 1];
        } else {
            next[i] = 0;
            i += 1;
        }
    }
    next
}

/// Returns all positions at which `p` occurs in `s`, in ascending order. Takes O(m + n) time. Reports its steps to
/// `tick`. A step is an iteration of the loop of `KMP`; there are at most 2n.
///
/// # Errors
/// Returns the error of `tick`.
pub fn kmp<T: Copy + Eq>(p: &[T], s: &[T], tick: StepSink) -> Result<Vec<usize>, Halt> {
    if p.is_empty() {
        return Ok((0..=s.len()).collect());
    }
    let next = get_next(p);
    let mut positions = Vec::new();
    search(p, s, &next, 0..s.len(), &mut |at| positions.push(at), tick)?;
    Ok(positions)
}

/// Executes the loop of `KMP` on `range` of `text`, with `next`, the partial match table of `pattern`. Calls `on_match`
/// with the position of each occurrence that lies entirely in the range. Reports its steps to `tick`.
pub(super) fn search<T: Copy + Eq>(
    pattern: &[T],
    text: &[T],
    next: &[usize],
    range: Range<usize>,
    on_match: &mut dyn FnMut(usize),
    tick: StepSink,
) -> Result<(), Halt> {
    let (mut i, mut j, mut rounds) = (range.start, 0, 0);
    while i < range.end {
        if pattern[j] == text[i] {
            j += 1;
            i += 1;
        }
        if j == pattern.len() {
            on_match(i - j);
            j = next[j - 1];
        } else if i < range.end && pattern[j] != text[i] {
            if j != 0 {
                j = next[j - 1];
            } else {
                i += 1;
            }
        }
        rounds += 1;
        if rounds == ROUNDS {
            tick(rounds)?;
            rounds = 0;
        }
    }
    tick(rounds)
}
