//! The fast engine on the CPU: pieces of the text on any number of threads, in chunks of positions.
//!
//! - [`sparse`]: patterns with two rare symbols, at the speed of memory; 32-bit symbols by their lowest bytes
//! - [`needle`]: chooses the symbols to compare first
//! - [`probe`]: finds positions at which symbols agree, 64 at a time
//! - [`sets`]: patterns of letters that stand for sets of bases
//! - [`cursor`], [`factors`]: find the occurrences of a long pattern among the candidates

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use fearless_simd::{Level, Simd, dispatch};

use crate::base_set::SymbolMatch;
use crate::event::PartialAnswer;
use crate::found::{CHUNK, CHUNK_WORDS, Hit, PositionChunk, PositionSet};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::LANES;
use cursor::{ChunkBits, OccurrenceCursor};
use needle::Needle;
use probe::candidates;
use sets::SetPattern;
use sparse::{ScanPiece, SparseHits, SparsePattern};

mod cursor;
mod factors;
mod needle;
mod probe;
mod sets;
mod sparse;

/// Number of positions between two progress reports, and the minimum number that a thread takes at a time.
const SPAN: usize = 1 << 20;

/// Number of positions that a thread takes at a time if the pattern has rare symbols and the text is long enough.
const SPARSE_PIECE: usize = 4 * SPAN;

/// The occurrences of a pattern.
#[derive(Default)]
pub(super) struct ExactHits {
    /// Number of occurrences.
    pub(super) total: u64,
    /// Positions of the occurrences. Empty if occurrences are only counted.
    pub(super) positions: PositionSet,
}

/// The pattern and the text of a search.
pub(super) struct ScanTexts<'t, T> {
    pub(super) a: &'t [T],
    pub(super) b: &'t [T],
    /// Lowest byte of each symbol of the text.
    pub(super) lowest: &'t [u8],
    /// The rule by which symbols match.
    pub(super) symbol_match: SymbolMatch,
}

/// The parameters of a search, and its results so far, which all threads share.
struct ExactScan<'s, T> {
    /// The pattern, prepared for the search, or `None` if it is empty or consists of sets of bases. An empty pattern occurs
    /// everywhere.
    needle: Option<Needle<'s, T>>,
    /// The pattern, prepared for the search, if its symbols are sets of bases.
    sets: Option<SetPattern>,
    /// The pattern, prepared for a search by two symbols that are rare in the text, if it has such symbols.
    sparse: Option<SparsePattern<'s, T>>,
    /// Whether the symbols of `sparse` turned out to occur too often, so that `sparse` is no longer used.
    is_frequent: AtomicBool,
    m: usize,
    text: &'s [T],
    lowest: &'s [u8],
    positions: usize,
    count_only: bool,
    /// Number of positions that a thread takes at a time. It is a multiple of [`CHUNK`]. It is at least the number of
    /// symbols that the thread reads beyond these positions, unless there are too few positions for all threads.
    piece: usize,
    next: AtomicUsize,
    /// For each piece of the text, the occurrences in it. Empty until the piece is finished.
    done: Mutex<Vec<Vec<PositionChunk>>>,
    total: Mutex<u64>,
    run: &'s Run<'s>,
}

/// Buffers and results of one thread of an exact search.
struct ScanWorker {
    candidates: Vec<u64>,
    hits: Vec<u64>,
    few: SparseHits,
    cursor: OccurrenceCursor,
    chunks: Vec<PositionChunk>,
    total: u64,
    latest: usize,
}

/// Estimates how many symbols are compared with 64 positions of the text `b`, if letters stand for sets of bases. Takes
/// O(|a| log |a|) time.
pub(super) fn set_comparisons<T: Symbol>(a: &[T], b: &[T]) -> f64 {
    SetPattern::new(a).expected_comparisons(b)
}

/// Finds every position at which `texts.a` occurs in `texts.b`, on at most `threads` threads. If `count_only`,
/// positions are not recorded. Takes O(|a| + |b|) time, or up to O(|a||b| / 64) for sets of bases. Takes at most |b| / 8 bytes
/// of memory.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn search<T: Symbol>(texts: ScanTexts<T>, threads: usize, count_only: bool, run: &Run) -> Result<ExactHits, Halt> {
    let ScanTexts { a, b, lowest, symbol_match } = texts;
    let Some(longer) = b.len().checked_sub(a.len()) else { return Ok(ExactHits::default()) };
    let positions = longer + 1;
    let is_equality = symbol_match.is_equality();
    let needle = (!a.is_empty() && is_equality).then(|| Needle::new(a, b));
    let sets = (!a.is_empty() && !is_equality).then(|| SetPattern::new(a));
    let sparse = needle.as_ref().and_then(SparsePattern::new);
    let (each, least) = (positions.div_ceil(threads.max(1)), if sparse.is_some() { SPARSE_PIECE } else { a.len() });
    let piece = least.min(each).max(SPAN).next_multiple_of(CHUNK);
    let pieces = positions.div_ceil(piece);
    let done = Mutex::new(std::iter::repeat_with(Vec::new).take(pieces).collect());
    let scan = ExactScan {
        needle,
        sets,
        sparse,
        is_frequent: false.into(),
        m: a.len(),
        text: b,
        lowest,
        positions,
        count_only,
        piece,
        next: 0.into(),
        done,
        total: 0.into(),
        run,
    };
    let threads = threads.min(pieces);
    if threads <= 1 {
        scan.work()?;
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| scan.work())).collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
    }
    let chunks = scan.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let total = scan.total.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(ExactHits { total, positions: chunks.into_iter().flatten().collect::<Vec<_>>().into() })
}

impl<T: Symbol> ExactScan<'_, T> {
    /// Runs one thread: searches piece after piece until none is left.
    fn work(&self) -> Result<(), Halt> {
        let mut worker = ScanWorker {
            candidates: vec![0; CHUNK_WORDS],
            hits: vec![0; CHUNK_WORDS],
            few: SparseHits::default(),
            cursor: OccurrenceCursor::at(0),
            chunks: Vec::new(),
            total: 0,
            latest: 0,
        };
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            let start = number * self.piece;
            if start >= self.positions {
                return Ok(());
            }
            let piece = start..self.positions.min(start + self.piece);
            if !self.rare(&piece, &mut worker)? {
                worker.cursor = OccurrenceCursor::at(start);
                for start in piece.clone().step_by(SPAN) {
                    self.span(start..piece.end.min(start + SPAN), &mut worker)?;
                }
            }
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done[number] = std::mem::take(&mut worker.chunks);
        }
    }

    /// Searches a piece of the text by two rare symbols of the pattern, and reports the result to the run. Returns
    /// `false` if the pattern has no rare symbols or they occur too often. The caller must then search the piece by
    /// [`span`](Self::span).
    fn rare(&self, piece: &Range<usize>, worker: &mut ScanWorker) -> Result<bool, Halt> {
        let Some(sparse) = self.sparse.as_ref().filter(|_| !self.is_frequent.load(Relaxed)) else { return Ok(false) };
        let symbols = piece.start..piece.end + self.m - 1;
        if !sparse.find(ScanPiece { text: &self.text[symbols.clone()], lowest: &self.lowest[symbols] }, &mut worker.few) {
            self.is_frequent.store(true, Relaxed);
            return Ok(false);
        }
        let known = worker.chunks.len();
        let positions: Vec<usize> = worker.few.positions.iter().flatten().map(|at| piece.start + at).collect();
        worker.total = positions.len() as u64;
        worker.latest = positions.last().copied().unwrap_or_default();
        if !self.count_only {
            let mut list: Vec<u16> = Vec::new();
            for positions in positions.chunk_by(|one, next| one / CHUNK == next / CHUNK) {
                list.clear();
                list.extend(positions.iter().map(|at| (at % CHUNK) as u16));
                worker.chunks.push(PositionChunk::from_list(positions[0] / CHUNK, &list));
            }
        }
        self.report(piece.len(), known, worker)?;
        Ok(true)
    }

    /// Searches the positions `span` of a piece, and reports the result to the run.
    fn span(&self, span: Range<usize>, worker: &mut ScanWorker) -> Result<(), Halt> {
        worker.total = 0;
        let known = worker.chunks.len();
        for start in span.clone().step_by(CHUNK) {
            let chunk = start..span.end.min(start + CHUNK);
            dispatch!(Level::new(), s => self.chunk(s, &chunk, worker))?;
        }
        self.report(span.len(), known, worker)
    }

    /// Reports to the run that `positions` more positions are done. Their occurrences are in the chunks of `worker`,
    /// without the first `known` chunks.
    fn report(&self, positions: usize, known: usize, worker: &ScanWorker) -> Result<(), Halt> {
        self.run.hold(worker.chunks[known..].iter().map(PositionChunk::bytes).sum());
        if worker.total > 0 {
            let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
            *total += worker.total;
            let latest = Hit::new(worker.latest as u64, (worker.latest + self.m) as u64, 0);
            self.run.partial(PartialAnswer::Found { total: *total, latest: Some(latest) })?;
        }
        self.run.tick(positions as u64)
    }

    #[inline(always)]
    fn chunk<S: Simd>(&self, s: S, positions: &Range<usize>, worker: &mut ScanWorker) -> Result<(), Halt> {
        let words = positions.len().div_ceil(LANES);
        let hits = &mut worker.hits[..words];
        match (&self.needle, &self.sets) {
            (None, Some(sets)) => sets.find(s, &self.text[positions.start..positions.end + self.m - 1], hits, self.run)?,
            (None, None) => {
                hits.fill(!0);
                hits[words - 1] >>= words * LANES - positions.len();
            }
            (Some(needle), _) if needle.is_short() => {
                if !candidates(s, needle, &self.text[positions.start..positions.end + self.m - 1], hits) {
                    return Ok(());
                }
            }
            (Some(needle), _) => {
                hits.fill(0);
                let bits = &mut ChunkBits { candidates: &mut worker.candidates[..words], hits };
                worker.cursor.advance(s, needle, self.text, positions, bits, self.run)?;
            }
        }
        let len: u64 = hits.iter().map(|word| u64::from(word.count_ones())).sum();
        if len == 0 {
            return Ok(());
        }
        worker.total += len;
        let last = hits.iter().rposition(|&word| word != 0).unwrap_or_default();
        worker.latest = positions.start + LANES * last + hits[last].ilog2() as usize;
        if !self.count_only {
            worker.chunks.extend(PositionChunk::from_words(positions.start / CHUNK, hits, len));
        }
        Ok(())
    }
}
