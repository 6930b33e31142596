//! Functions: one function for each task, on byte strings. Every byte is a symbol; no byte is skipped or folded, and
//! nothing is cached.
//!
//! Each function runs on the calling thread. [Jobs](crate::engine::Engine::run) support other symbols than bytes,
//! several threads, progress, cancellation and other engines.
//!
//! - [`mod@distance`]: a solver that owns its buffers, for many pairs

use std::convert::Infallible;

use crate::alignment::{Alignment, EditKind, GapPlacement};
use crate::cpu::Cpu;
use crate::found::Hit;
use crate::job::JobOptions;
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, NoObserver, Run};
use crate::task::match_count::{ExpectedText, PreparedPattern, ScoreSlice, ScoreStream};
use crate::task::{approximate_search, edit_distance, exact_search, lcs as lcs_task};
pub use distance::DistanceSolver;
use distance::NumberedBytes;

mod distance;

/// Returns the Levenshtein distance: the minimum number of bytes to substitute, insert or delete that turns `a` into
/// `b`.
///
/// Takes O(|a||b| / 64) time. If the distance d is small, takes only about O((|a| + |b|) · d / 64) time. Takes O(|a| +
/// |b|) memory, or none if one string has at most 64 bytes. [`DistanceSolver`] is faster for many pairs of longer strings.
///
/// ```
/// assert_eq!(kernels::distance(b"kitten", b"sitting"), 3);
/// ```
pub fn distance(a: &[u8], b: &[u8]) -> u64 {
    DistanceSolver::new().distance(a, b)
}

/// Returns an alignment of `a` to `b` with the minimum number of edits. Of several such alignments, it has every gap as
/// far left as possible.
///
/// Takes about twice as long as [`distance()`] and O(|a| + |b|) memory.
///
/// ```
/// assert_eq!(kernels::align(b"kitten", b"sitting").to_string(), "1X3=1X1=1I");
/// ```
pub fn align(a: &[u8], b: &[u8]) -> Alignment {
    let mut numbered = NumberedBytes::default();
    let alphabet = numbered.number(a, b);
    expect_done(edit_distance::align(&numbered.a, &numbered.b, alphabet, GapPlacement::Leftmost, &Cpu::SINGLE, &Run::new(&NoObserver)))
}

/// Returns the length of the longest common subsequence of `a` and `b`.
///
/// Takes O(|a||b| / 64) time, less for similar texts, and O(|a| + |b|) memory.
///
/// ```
/// assert_eq!(kernels::lcs(b"nematode", b"empty"), 3);
/// ```
pub fn lcs(a: &[u8], b: &[u8]) -> u64 {
    subsequence(a, b, PairOutput::Distance).0
}

/// Returns a longest common subsequence of `a` and `b`. Takes about twice as long as [`lcs`] and O(|a| + |b|) memory.
///
/// ```
/// assert_eq!(kernels::common_subsequence(b"nematode", b"empty"), b"emt");
/// ```
pub fn common_subsequence(a: &[u8], b: &[u8]) -> Vec<u8> {
    let (length, alignment) = subsequence(a, b, PairOutput::Alignment);
    let mut common = Vec::with_capacity(length as usize);
    let mut at = 0;
    for stretch in alignment.unwrap_or_default().cigar_ops() {
        let (rows, _) = stretch.edit.consumed_symbols();
        let next = at + rows as usize * stretch.len as usize;
        if stretch.edit == EditKind::Equal {
            common.extend_from_slice(&a[at..next]);
        }
        at = next;
    }
    common
}

fn subsequence(a: &[u8], b: &[u8], want: PairOutput) -> (u64, Option<Alignment>) {
    let mut numbered = NumberedBytes::default();
    let alphabet = numbered.number(a, b);
    let (length, alignment) =
        expect_done(lcs_task::solve(&numbered.a, &numbered.b, alphabet, want.into(), &Cpu::SINGLE, &Run::new(&NoObserver)));
    (length, alignment.map(|alignment| alignment.left_aligned(&numbered.a, &numbered.b)))
}

/// Returns all positions at which `a` occurs in `b`, in ascending order. Occurrences may overlap. An empty `a` occurs
/// at all |b| + 1 positions.
///
/// Takes O(|a| + |b|) time and the memory of the positions.
///
/// ```
/// assert_eq!(kernels::find(b"ana", b"bananas"), [1, 3]);
/// ```
pub fn find(a: &[u8], b: &[u8]) -> Vec<u64> {
    expect_done(exact_search::positions(a, b, &Run::new(&NoObserver))).iter().collect()
}

/// Returns a hit for each position in `b` at which a substring within `most` edits of `a` ends, in ascending order. The
/// hit is the substring nearest to `a` that ends there, and the shortest one of several.
///
/// Takes O(|a||b| / 64) time, less for a small `most`, plus at most O(|a|²) for each hit, and O(|a| + |b|) memory.
///
/// ```
/// let hits = kernels::find_within(b"needle", b"a needel in hay", 1);
/// assert_eq!(hits.iter().map(|hit| (hit.start, hit.end, hit.distance)).collect::<Vec<_>>(), [(2, 7, 1)]);
/// ```
pub fn find_within(a: &[u8], b: &[u8], most: u64) -> Vec<Hit> {
    let options = JobOptions { max_distance: Some(most), ..JobOptions::default() };
    expect_done(approximate_search::find_all(a, b, 1 << u8::BITS, &options, &Run::new(&NoObserver)))
}

/// Returns, for every offset of `a` in `b`, the number of bytes of `a` that equal the bytes of `b` under them.
///
/// The vector has |b| − |a| + 1 elements, or none if `a` is longer than `b`. A short `a` takes O(|a||b|) byte
/// comparisons, of which 64 are executed at once. A long `a` takes O(|b| log |a|) time.
///
/// ```
/// assert_eq!(kernels::match_counts(b"abba", b"acbabaccb"), [3, 1, 2, 2, 0, 1]);
/// ```
pub fn match_counts(a: &[u8], b: &[u8]) -> Vec<u64> {
    let offsets = (b.len() as u64 + 1).saturating_sub(a.len() as u64);
    let pattern = PreparedPattern::new(a, &ExpectedText { offsets: Some(offsets), ..ExpectedText::default() });
    let mut stream = ScoreStream::new(&pattern);
    let mut all = Vec::with_capacity(offsets as usize);
    let mut take = |_, scores: ScoreSlice| {
        all.extend(scores.iter());
        Ok::<_, Infallible>(())
    };
    let Ok(()) = stream.push(b, &mut take);
    let Ok(()) = stream.finish(&mut take);
    all
}

/// Returns the value of a finished run, which could neither be stopped nor fail.
fn expect_done<R>(result: Result<R, Halt>) -> R {
    result.unwrap_or_else(|halt| unreachable!("nobody stops it, and these tasks fail for no input: {halt:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Task;
    use crate::oracle::{bytes, mutated, random, serial};

    /// Returns pairs of arbitrary bytes with lengths around a word, including texts that look like FASTA.
    fn pairs() -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let all: Vec<u8> = (0..=255).collect();
        let texts = move |seed: u64| {
            let letters = [&b"ACGT"[..], b"ab", &all, b">\nACGTacgt"][seed as usize % 4].to_vec();
            let a = random(&letters, [0, 1, 20, 63, 64, 65, 200, 700][seed as usize / 4 % 8], seed);
            let b = [random(&letters, seed as usize % 7 * 30, seed + 1), mutated(&a, &letters, 0.1, seed + 2)].concat();
            (a, b)
        };
        (0..160).map(texts)
    }

    /// Returns a pair whose symbols are the bytes of `a` and of `b`.
    fn unread(a: &[u8], b: &[u8]) -> crate::text::Pair {
        let [a, b] = [a, b].map(|bytes| crate::text::TextSymbols::Narrow(bytes.to_vec()));
        bytes(b"", b"").with_symbols(a, b, 256)
    }

    /// Returns the oracle's answer for `task` with `options`. Each byte of `a` and `b` is one symbol: nothing is
    /// decoded, and FASTA headers or line breaks are not removed.
    fn expected(task: Task, a: &[u8], b: &[u8], options: &JobOptions) -> crate::task::Solution {
        serial::solve(task, &unread(a, b), options)
    }

    #[test]
    fn every_function_agrees_with_the_oracle() {
        let options = JobOptions::default();
        let mut solver = DistanceSolver::new();
        for (a, b) in pairs() {
            let crate::event::TaskAnswer::EditDistance { distance: Some(d), .. } = expected(Task::EditDistance, &a, &b, &options).answer
            else {
                panic!("a distance")
            };
            assert_eq!([distance(&a, &b), distance(&b, &a), solver.distance(&a, &b), solver.distance(&b, &a)], [d; 4], "{a:?}, {b:?}");
            let alignment = align(&a, &b);
            assert_eq!((alignment.check(&a, &b), alignment.summary().distance()), (Ok(()), d));
            let crate::event::TaskAnswer::Lcs { length, .. } = expected(Task::Lcs, &a, &b, &options).answer else { panic!("a length") };
            let common = common_subsequence(&a, &b);
            assert_eq!((lcs(&a, &b), common.len() as u64), (length, length), "{a:?}, {b:?}");
            for text in [&a, &b] {
                let mut text = text.iter();
                assert!(common.iter().all(|byte| text.any(|other| other == byte)), "{common:?} is no subsequence of a text");
            }
            let piece = &a[..a.len().min(5)];
            let found = expected(Task::ExactSearch, piece, &b, &options).found.unwrap();
            assert_eq!(find(piece, &b), found.positions.iter().collect::<Vec<_>>(), "{piece:?}, {b:?}");
            assert_eq!(match_counts(piece, &b), serial::match_count::scores(&unread(piece, &b)));
        }
    }

    #[test]
    fn parts_within_a_bound_of_edits_are_found() {
        for (a, b) in pairs().filter(|(a, _)| a.len() <= 65) {
            for most in [0, 1, 3] {
                let pair = unread(&a, &b);
                let options = JobOptions { max_distance: Some(most), ..JobOptions::default() };
                assert_eq!(find_within(&a, &b, most), serial::approximate_search::hits(&pair, &options), "{a:?}, {b:?}, {most}");
            }
        }
    }
}
