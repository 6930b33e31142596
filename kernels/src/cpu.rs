//! The processor, as an engine.

use std::convert::Infallible;
use std::sync::OnceLock;

use fearless_simd::Level;

/// The CPU engine: bit-parallel words in SIMD lanes, on some threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Threads of one run, at least 1. In wasm always 1.
    pub threads: usize,
}

impl Cpu {
    /// One thread: the browser, and benchmarks against single-threaded peers.
    pub const SINGLE: Self = Self { threads: 1 };

    /// All cores that this process may use, counted once: the system reads several files for that, which takes as long as comparing
    /// two short texts a thousand times.
    pub fn all_cores() -> Self {
        static CORES: OnceLock<usize> = OnceLock::new();
        Self { threads: *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, Into::into)) }
    }
}

/// Bits that one instruction of this processor works on: those of the widest vectors that it has, or of a plain word.
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

/// What `work` makes of the parts, in their order, on at most so many threads, of which this one is the first. Each takes the next
/// part that is left.
pub(crate) fn spread<P: Sync, R: Send>(parts: &[P], threads: usize, work: impl Fn(&P) -> R + Sync) -> Vec<R> {
    let Ok(made) = try_spread(parts, threads, |part| Ok::<_, Infallible>(work(part)));
    made
}

/// As [`spread`], for a work that may fail.
///
/// # Errors
/// The first one of `work`; no thread begins a part after its own.
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

/// One after the other: there are no threads here.
#[cfg(target_family = "wasm")]
pub(crate) fn try_spread<P, R, E>(parts: &[P], _threads: usize, work: impl Fn(&P) -> Result<R, E>) -> Result<Vec<R>, E> {
    parts.iter().map(work).collect()
}

/// Both of two works, on two threads where there are as many. This one does the first, which had better be the one that asks for
/// more memory: what another thread has used is given back to the system, and taken from it page by page again.
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

/// One after the other: there are no threads here.
#[cfg(target_family = "wasm")]
pub(crate) fn both<A, B>(_threads: usize, one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
    (one(), other())
}
