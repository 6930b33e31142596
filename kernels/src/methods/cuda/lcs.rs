//! Longest common subsequence: fills the tables of paper 001 on a GPU, with Hirschberg's recursion on the CPU.

use super::{KernelWatch, SINGLE_THREAD_GRID, check_lengths, run_watched};
use crate::event::RunStage;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments};
use crate::methods::StepSink;
use crate::methods::lcs::bit_parallel::lengths;
use crate::methods::lcs::bit_parallel_blocks::{BLOCK, MIN_BLOCK_TABLE_SYMBOLS};
use crate::methods::lcs::conditional_sum::WORDS;
use crate::methods::lcs::hirschberg::{by_rows, llcs};
use crate::methods::lcs::{DirectedSymbols, LastColumn, MatchedPositions, columns};
use crate::run::{Halt, Run};

/// Number of threads in a block of the kernel that creates the match vectors of symbols.
const MASK_THREADS: u32 = 256;

/// Maximum number of kernel calls that are queued between two ticks of the run. This many calls take some hundredths of
/// a second.
const MAX_QUEUED_CALLS: u32 = 256;
/// Maximum number of 32-bit words that queued calls process between two ticks of the run. This many words take some
/// hundredths of a second.
const MAX_QUEUED_WORDS: u64 = 1 << 32;

/// Minimum number of symbols of `a` from which the GPU fills a table. For fewer symbols, a single thread of the GPU
/// would not be faster than the CPU.
const MIN_DEVICE_TABLE_SYMBOLS: usize = 64;

/// A text or a part of a text on the GPU, which a kernel reads forwards or backwards.
#[derive(Clone, Copy)]
#[repr(C)]
struct DirectedText {
    symbols: u64,
    length: u32,
    reversed: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct CellsArguments {
    a: DirectedText,
    b: DirectedText,
    rows: u64,
    watch: KernelWatch,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MasksArguments {
    a: DirectedText,
    masks: u64,
    words: u32,
    pad: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct WordsArguments {
    b: DirectedText,
    masks: u64,
    v: u64,
    watch: KernelWatch,
    words: u32,
    pad: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct BlocksArguments {
    b: DirectedText,
    masks: u64,
    v: u64,
    below: u64,
    above: u64,
    words: u32,
    call: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the comments at the launches say why these stay within their
// buffers.
unsafe impl KernelArguments for CellsArguments {}
// SAFETY: see `CellsArguments`.
unsafe impl KernelArguments for MasksArguments {}
// SAFETY: see `CellsArguments`.
unsafe impl KernelArguments for WordsArguments {}
// SAFETY: see `CellsArguments`.
unsafe impl KernelArguments for BlocksArguments {}

pub(super) fn source(unit: usize) -> KernelSource {
    super::source("method-lcs", concat!(include_str!("watch.cuh"), include_str!("lcs.cu")), unit, &[])
}

/// The algorithm of paper 001 that fills a table of lengths of common subsequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LcsFillMethod {
    /// Listing 1: cell by cell, on one thread.
    Cells,
    /// Listing 3: bit vectors in words of 32 bits, on one thread.
    Words,
    /// Listing 4: bit vectors in blocks of 1,024 bits, with 32 threads for each block.
    Blocks,
}

/// Two texts whose symbol numbers are below `alphabet`.
#[derive(Clone, Copy)]
pub(crate) struct LcsTexts<'t, T> {
    pub(crate) a: &'t [T],
    pub(crate) b: &'t [T],
    pub(crate) alphabet: u32,
}

/// Computes the length of a longest common subsequence of `texts`, with one table that is filled by `filling`.
///
/// # Errors
/// Returns `Stopped` if the observer stops the run, `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if the
/// GPU fails.
pub(crate) fn length<T: DeviceSymbol>(gpu: &Gpu, texts: LcsTexts<T>, filling: LcsFillMethod, run: &Run) -> Result<u32, Halt> {
    let LcsTexts { a, b, .. } = texts;
    let mut tables = LcsTables::new(gpu, texts, filling, run)?;
    tables.short = 0;
    let column = tables.last_column(DirectedSymbols::forwards(a), DirectedSymbols::forwards(b), &mut |steps| run.tick(steps))?;
    Ok(column[a.len()])
}

/// Finds a longest common subsequence of `texts` by Hirschberg's recursion, with tables that are filled by `filling`.
///
/// # Errors
/// Returns the errors of [`length`].
pub(crate) fn matches<T: DeviceSymbol>(gpu: &Gpu, texts: LcsTexts<T>, filling: LcsFillMethod, run: &Run) -> Result<MatchedPositions, Halt> {
    let LcsTexts { a, b, alphabet } = texts;
    let tick: StepSink = &mut |steps| run.tick(steps);
    if filling == LcsFillMethod::Cells {
        // The last row of the table is the last column for the swapped texts.
        return by_rows(a, b, &mut LcsTables::new(gpu, LcsTexts { a: b, b: a, alphabet }, filling, run)?, tick);
    }
    columns::lcs(a, b, &mut LcsTables::new(gpu, texts, filling, run)?, tick)
}

/// Both texts on a GPU, and the algorithm that fills tables for parts of these texts.
struct LcsTables<'g> {
    session: GpuSession<'g>,
    source: KernelSource,
    a: u64,
    b: u64,
    alphabet: usize,
    filling: LcsFillMethod,
    /// Minimum number of symbols of `a` from which the GPU fills a table. The CPU fills smaller tables.
    short: usize,
}

impl<'g> LcsTables<'g> {
    fn new<T: DeviceSymbol>(gpu: &'g Gpu, texts: LcsTexts<T>, filling: LcsFillMethod, run: &'g Run<'g>) -> Result<Self, Halt> {
        let LcsTexts { a, b, alphabet } = texts;
        check_lengths([a.len(), b.len()])?;
        run.stage(RunStage::Transfer)?;
        let mut session = GpuSession::new(gpu, run)?;
        session.yield_to_brief_jobs();
        let short = if filling == LcsFillMethod::Blocks { MIN_BLOCK_TABLE_SYMBOLS } else { MIN_DEVICE_TABLE_SYMBOLS };
        let tables = Self {
            source: source(T::BYTES),
            a: session.text_address(a)?,
            b: session.text_address(b)?,
            session,
            alphabet: alphabet as usize,
            filling,
            short,
        };
        run.stage(RunStage::Compute)?;
        Ok(tables)
    }

    /// Computes the last column of the table of `a` and `b` by Listing 1, which computes it as the last row of the
    /// table of the swapped texts.
    fn by_cells(&mut self, a: DirectedText, b: DirectedText) -> Result<Vec<u32>, Halt> {
        let row = a.length as usize + 1;
        let rows = self.session.zeros::<u32>(2 * row)?;
        let address = self.session.address(&rows);
        let kernel = self.session.kernel(&self.source, "cells")?;
        let cells = u64::from(a.length) * u64::from(b.length);
        // SAFETY: one thread reads both texts, and reads and writes two rows.
        unsafe {
            run_watched(&mut self.session, &kernel, SINGLE_THREAD_GRID, [cells; 2], |watch| CellsArguments {
                a: b,
                b: a,
                rows: address,
                watch,
            })?
        };
        let last = b.length as usize % 2 * row;
        Ok(self.session.download_range(&rows, last..last + row)?)
    }

    /// Creates the match vectors, one of `words` words for each symbol of the alphabet, and returns their buffer. A
    /// vector has a set bit for each position of `a` at which the symbol occurs.
    fn masks(&self, a: DirectedText, words: usize) -> Result<cudarc::driver::CudaSlice<u32>, Halt> {
        let masks = self.session.zeros::<u32>(self.alphabet * words)?;
        let kernel = self.session.kernel(&self.source, "masks")?;
        let job = MasksArguments { a, masks: self.session.address(&masks), words: words as u32, pad: 0 };
        // SAFETY: the launch has a thread for each word with symbols of `a`, all of which are below `alphabet`; it
        // writes that word of the vectors.
        unsafe { self.session.launch(&kernel, a.length.div_ceil(32).div_ceil(MASK_THREADS), MASK_THREADS, job)? };
        Ok(masks)
    }

    /// Computes V, the bit vector of the last column of the table of `a` and `b`, by Listing 3.
    fn by_words(&mut self, a: DirectedText, b: DirectedText) -> Result<Vec<u32>, Halt> {
        let words = a.length.div_ceil(32);
        let masks = self.masks(a, words as usize)?;
        let v = self.session.ones::<u32>(words as usize)?;
        let (masks, address) = (self.session.address(&masks), self.session.address(&v));
        let kernel = self.session.kernel(&self.source, "words")?;
        let counts = u64::from(words) * u64::from(b.length);
        let cells = u64::from(a.length.div_ceil(64)) * u64::from(b.length);
        let arguments = |watch| WordsArguments { b, masks, v: address, watch, words, pad: 0 };
        // SAFETY: one thread reads `b` and as many words of each symbol's vector as V has, and reads and writes V.
        unsafe { run_watched(&mut self.session, &kernel, SINGLE_THREAD_GRID, [counts, cells], arguments)? };
        Ok(self.session.download(&v)?)
    }

    /// Computes V, the bit vector of the last column of the table of `a` and `b`, by Listing 4. Reports the steps to
    /// `tick`.
    fn by_blocks(&mut self, a: DirectedText, b: DirectedText, tick: StepSink) -> Result<Vec<u32>, Halt> {
        let (num_x, num_y) = (a.length.div_ceil(BLOCK as u32), b.length.div_ceil(BLOCK as u32));
        let words = num_x as usize * WORDS;
        let masks = self.masks(a, words)?;
        let v = self.session.ones::<u32>(words)?;
        // Buffers with a bit for each column of a step: carries out of the blocks in this call, and in the previous call.
        let carries = [self.session.zeros::<u32>(words)?, self.session.zeros::<u32>(words)?];
        let kernel = self.session.kernel(&self.source, "blocks")?;
        let [mut below, mut above] = carries.each_ref().map(|carries| self.session.address(carries));
        let (masks, address) = (self.session.address(&masks), self.session.address(&v));
        let (mut queued, mut calls) = (0, 0);
        for call in 0..num_x + num_y - 1 {
            let job = BlocksArguments { b, masks, v: address, below, above, words: words as u32, call };
            // SAFETY: the launch has a block for each 32 words of V, of the vectors and of the carries; columns are
            // within `b`.
            unsafe { self.session.launch(&kernel, num_x, 32, job)? };
            std::mem::swap(&mut below, &mut above);
            queued += filled([num_x, num_y], call, b.length);
            calls += 1;
            if queued >= MAX_QUEUED_WORDS || calls >= MAX_QUEUED_CALLS || call + 2 == num_x + num_y {
                self.session.synchronize()?;
                tick(std::mem::take(&mut queued))?;
                calls = 0;
            }
        }
        Ok(self.session.download(&v)?)
    }
}

/// Returns the number of 32-bit words that the kernel call with number `call` computes in all of its columns. `num_x`
/// is the number of blocks, `num_y` the number of steps, and `n` the length of the second text.
fn filled([num_x, num_y]: [u32; 2], call: u32, n: u32) -> u64 {
    let (first, last) = (call.saturating_sub(num_y - 1), call.min(num_x - 1));
    let blocks = u64::from(last - first + 1);
    // If the first active block is in its last step, this step may have fewer columns.
    let missing = if call - first == num_y - 1 { num_y * BLOCK as u32 - n } else { 0 };
    WORDS as u64 * (blocks * BLOCK as u64 - u64::from(missing))
}

impl<T: DeviceSymbol> LastColumn<T> for LcsTables<'_> {
    fn last_column(&mut self, a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
        if a.len() < self.short || a.len() == 0 || b.len() == 0 {
            return llcs(b, a, tick);
        }
        let text = |address: u64, view: DirectedSymbols<T>| DirectedText {
            symbols: address + (view.start() * T::BYTES) as u64,
            length: view.len() as u32,
            reversed: view.is_reversed().into(),
        };
        let (m, a, b) = (a.len(), text(self.a, a), text(self.b, b));
        let v = match self.filling {
            LcsFillMethod::Cells => return self.by_cells(a, b),
            LcsFillMethod::Words => self.by_words(a, b)?,
            LcsFillMethod::Blocks => self.by_blocks(a, b, tick)?,
        };
        Ok(lengths(m, |i| v[i / 32] >> (i % 32) & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_fill_all_words() {
        for (m, n) in [(1u32, 1u32), (1024, 1024), (1025, 1024), (3072, 4096), (5000, 1), (1, 5000), (4100, 3000)] {
            let shape @ [num_x, num_y] = [m, n].map(|len| len.div_ceil(1024));
            let all: u64 = (0..num_x + num_y - 1).map(|call| filled(shape, call, n)).sum();
            assert_eq!(all, u64::from(num_x * 32) * u64::from(n), "{m} {n}");
        }
    }
}
