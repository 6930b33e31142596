//! CPU: the processor as an engine, and functions that run parts of a job on several threads.

use std::convert::Infallible;
use std::sync::OnceLock;

use fearless_simd::Level;

/// The CPU engine. It computes with bit-parallel words in SIMD lanes, on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Number of threads that a run uses, at least 1. Always 1 in wasm.
    pub threads: usize,
}

impl Cpu {
    /// An engine with one thread, as in the browser and in benchmarks against single-threaded peers.
    pub const SINGLE: Self = Self { threads: 1 };

    /// Returns an engine with one thread for each core that this process may use.
    ///
    /// The cores are counted only once, because the system reads several files to count them. This takes as long as a
    /// thousand comparisons of two short texts.
    pub fn all_cores() -> Self {
        static CORES: OnceLock<usize> = OnceLock::new();
        Self { threads: *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, Into::into)) }
    }
}

/// Returns the width of the widest vector instructions of this processor in bits, or 64 if it has none.
pub fn vector_bits() -> u64 {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if level.as_avx512().is_some() {
        return 512;
    } else if level.as_avx2().is_some() {
        return 256;
    }
    if level.is_fallback() { 64 } else { 128 }
}

/// Calls `work` with each of `parts` and returns the results in the order of the parts.
///
/// Uses at most `threads` threads, including the calling one. A thread that is free takes the next part that no thread
/// has begun.
pub(crate) fn spread<P: Sync, R: Send>(parts: &[P], threads: usize, work: impl Fn(&P) -> R + Sync) -> Vec<R> {
    let Ok(made) = try_spread(parts, threads, |part| Ok::<_, Infallible>(work(part)));
    made
}

/// Calls `work`, which may fail, with each of `parts`, like [`spread`]. Returns the results in the order of the parts.
///
/// # Errors
/// Returns the first error of `work`. A thread begins no further part after its own error.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn try_spread<P: Sync, R: Send, E: Send>(
    parts: &[P],
    threads: usize,
    work: impl Fn(&P) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    let threads = threads.min(parts.len());
    if threads <= 1 {
        return parts.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || -> Result<Vec<(usize, R)>, E> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(part) = parts.get(number) else { return Ok(done) };
            done.push((number, work(part)?));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut all = take();
        for other in others {
            let done = match other.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all = all.and_then(|mut all| {
                all.extend(done?);
                Ok(all)
            });
        }
        all
    })?;
    all.sort_unstable_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, made)| made).collect())
}

/// Calls `work` with one of `parts` after another, because the wasm program has no threads. Stops at the first error.
#[cfg(target_family = "wasm")]
pub(crate) fn try_spread<P, R, E>(parts: &[P], _threads: usize, work: impl Fn(&P) -> Result<R, E>) -> Result<Vec<R>, E> {
    parts.iter().map(work).collect()
}

/// Calls `one` on the calling thread, and `other` on a second thread if `threads` is at least 2. Returns both results.
///
/// `one` should be the closure that allocates more memory. Memory that a second thread has allocated is returned to the
/// system, and must be obtained again page by page.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn both<A, B: Send>(threads: usize, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    if threads <= 1 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        match other.join() {
            Ok(other) => (one, other),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Calls `one`, then `other`, on the calling thread, because the wasm program has no threads. Returns both results.
#[cfg(target_family = "wasm")]
pub(crate) fn both<A, B>(_threads: usize, one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
    (one(), other())
}
