//! Exact search by the methods of paper 004 on a GPU.

use super::{KernelWatch, SINGLE_THREAD_GRID, THREADS, check_lengths, run_watched};
use crate::event::RunStage;
use crate::found::PositionSet;
use crate::gpu::Gpu;
use crate::gpu::compaction::{BLOCK, DeviceBitSet, DeviceHitList, HIT_LIST_CAPACITY, HitCollector};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments, LaunchGrid};
use crate::methods::exact_search::kmp::get_next;
use crate::run::{Halt, Run};

#[derive(Clone, Copy)]
#[repr(C)]
struct NaiveSearchArguments {
    p: u64,
    s: u64,
    answer: u64,
    watch: KernelWatch,
    m: u32,
    offsets: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct KmpArguments {
    p: u64,
    s: u64,
    next: u64,
    answer: u64,
    watch: KernelWatch,
    m: u32,
    n: u32,
    threads: u32,
    whole: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct CollectArguments {
    answer: u64,
    bits: u64,
    counts: u64,
    positions: u32,
    pad: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the comments at the launches say why these stay within their
// buffers.
unsafe impl KernelArguments for NaiveSearchArguments {}
// SAFETY: see `NaiveSearchArguments`.
unsafe impl KernelArguments for KmpArguments {}
// SAFETY: see `NaiveSearchArguments`.
unsafe impl KernelArguments for CollectArguments {}

pub(super) fn source(unit: usize) -> KernelSource {
    let text = concat!(include_str!("watch.cuh"), include_str!("exact_search.cu"));
    super::source("method-exact-search", text, unit, &[("THREADS", THREADS.into()), ("BLOCK", BLOCK)])
}

/// A method for exact search: an algorithm, on one or on many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExactSearchVariant {
    /// "Brute Force" on one thread.
    Naive,
    /// Knuth, Morris and Pratt on one thread.
    Kmp,
    /// Knuth, Morris and Pratt with a thread for each piece of the text.
    Pieces,
}

/// Searches for `p` in `s` on a GPU by the method `way`. Returns the number of occurrences and the set of their
/// positions. `p` must not be empty or longer than `s`. The run reports `cells` steps in total.
///
/// Takes O(m + n) time, except for `Naive`, and a little more than one byte of GPU memory for each symbol of the text,
/// in addition to the text itself.
///
/// # Errors
/// Returns `Stopped` if the observer stops the run, `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if the
/// GPU fails.
pub(crate) fn search<T: DeviceSymbol>(
    gpu: &Gpu,
    p: &[T],
    s: &[T],
    way: ExactSearchVariant,
    cells: u64,
    run: &Run,
) -> Result<(u64, PositionSet), Halt> {
    check_lengths([p.len(), s.len()])?;
    run.stage(RunStage::Transfer)?;
    let mut session = GpuSession::new(gpu, run)?;
    session.yield_to_brief_jobs();
    let (m, n) = (p.len(), s.len());
    let next: Vec<u32> = get_next(p).into_iter().map(|len| len as u32).collect();
    let (next, p, s) = (session.values(&next)?, session.text_address(p)?, session.text_address(s)?);
    let answer = session.zeros::<u8>(n)?;
    let (next, address) = (session.address(&next), session.address(&answer));
    let kernel = session.kernel(&source(T::BYTES), if way == ExactSearchVariant::Naive { "naive" } else { "kmp" })?;
    run.stage(RunStage::Compute)?;
    if way == ExactSearchVariant::Naive {
        let (m, offsets) = (m as u32, (n - m + 1) as u32);
        let counts = u64::from(m) * u64::from(offsets);
        let arguments = |watch| NaiveSearchArguments { p, s, answer: address, watch, m, offsets };
        // SAFETY: one thread reads at most m symbols of the text at each offset, and marks it.
        unsafe { run_watched(&mut session, &kernel, SINGLE_THREAD_GRID, [counts, cells], arguments)? };
    } else {
        let whole = way == ExactSearchVariant::Kmp;
        let threads = if whole { 1 } else { (n / m) as u32 };
        let counts = if whole { n as u64 } else { in_pieces(m as u64, n as u64) };
        let launch = LaunchGrid { blocks: [threads.div_ceil(THREADS), 1], threads: THREADS, shared: 0 };
        let arguments = |watch| KmpArguments { p, s, next, answer: address, watch, m: m as u32, n: n as u32, threads, whole: whole.into() };
        // SAFETY: every thread reads the pattern, its table and the text, and marks positions that are in the text.
        unsafe { run_watched(&mut session, &kernel, launch, [counts, cells], arguments)? };
    }
    let marks = DeviceBitSet::new(&session, n as u64)?;
    let kernel = session.kernel(&source(T::BYTES), "collect")?;
    let [bits, counts] = [session.address(&marks.bits), session.address(&marks.counts)];
    let job = CollectArguments { answer: address, bits, counts, positions: n as u32, pad: 0 };
    // SAFETY: a thread for each position reads its mark; the first one of a warp writes a word of the n bits, and adds
    // to its count.
    unsafe { session.launch(&kernel, (n as u32).div_ceil(THREADS), THREADS, job)? };
    let found = DeviceHitList::new(&session, HIT_LIST_CAPACITY)?;
    marks.compact(&session, &found)?;
    let found = marks.positions(&session, &found)?;
    let mut collected = HitCollector::default();
    collected.push(0, found.ones);
    Ok((found.total, collected.positions()))
}

/// Returns the total length of all pieces, which overlap, of a text of `n` symbols for a pattern of `m` symbols.
fn in_pieces(m: u64, n: u64) -> u64 {
    let q = n / m;
    let (own, aid) = (q.div_ceil(2), q / 2);
    // The last piece and the last overlap may reach beyond the text.
    let beyond = (2 * m * aid + m).saturating_sub(n) * u64::from(aid > 0);
    (2 * m * own).min(n) + 2 * m * aid - beyond
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::exact_search::kmp_blocks::pieces;

    #[test]
    fn symbol_count_of_pieces_agrees_with_the_pieces() {
        for m in 1..8 {
            for n in m..12 * m {
                let expected: usize = pieces(m, n).iter().map(|piece| piece.len()).sum();
                assert_eq!(in_pieces(m as u64, n as u64), expected as u64, "{m} {n}");
            }
        }
    }
}
