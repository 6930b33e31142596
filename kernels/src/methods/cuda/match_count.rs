//! Match count by the methods of paper 002 on a GPU.

use cudarc::driver::{CudaFunction, CudaSlice};

use super::{KernelWatch, SINGLE_THREAD_GRID, THREADS, check_lengths, run_watched};
use crate::event::RunStage;
use crate::gpu::Gpu;
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments};
use crate::methods::match_count::shift_add::fields;
use crate::run::{Halt, Run};

/// Approximate number of words that are processed in each symbol's bit sequence for one piece of the text. This many
/// words take some hundredths of a second.
const PIECE_WORDS: usize = 1 << 20;
/// Minimum number of symbols in a piece of the text, unless the text has fewer.
const MIN_PIECE_SYMBOLS: usize = 1 << 10;

#[derive(Clone, Copy)]
#[repr(C)]
struct NaiveCountArguments {
    p: u64,
    t: u64,
    scores: u64,
    watch: KernelWatch,
    m: u32,
    offsets: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct ShiftAddArguments {
    t: u64,
    masks: u64,
    d: u64,
    scores: u64,
    watch: KernelWatch,
    m: u32,
    n: u32,
    b: u32,
    words: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct StreamsArguments {
    t: u64,
    symbols: u64,
    ft: u64,
    fp: u64,
    scores: u64,
    length: u32,
    skip: u32,
    processors: u32,
    words: u32,
    top: u32,
    pad: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the comments at the launches say why these stay within their
// buffers.
unsafe impl KernelArguments for NaiveCountArguments {}
// SAFETY: see `NaiveCountArguments`.
unsafe impl KernelArguments for ShiftAddArguments {}
// SAFETY: see `NaiveCountArguments`.
unsafe impl KernelArguments for StreamsArguments {}

pub(super) fn source(unit: usize) -> KernelSource {
    let text = concat!(include_str!("watch.cuh"), include_str!("match_count.cu"));
    super::source("method-match-count", text, unit, &[("THREADS", THREADS.into())])
}

fn session<'g, T>(gpu: &'g Gpu, p: &[T], t: &[T], run: &'g Run<'g>) -> Result<GpuSession<'g>, Halt> {
    check_lengths([p.len(), t.len()])?;
    run.stage(RunStage::Transfer)?;
    let mut session = GpuSession::new(gpu, run)?;
    session.yield_to_brief_jobs();
    Ok(session)
}

/// Counts the equal symbols at every offset of `p` in `t` by comparisons on one thread. `p` must not be empty or longer
/// than `t`.
///
/// # Errors
/// Returns `Stopped` if the observer stops the run, `TooLarge` for a text of more than 2³¹ symbols, and `Engine` if the
/// GPU fails.
pub(crate) fn naive<T: DeviceSymbol>(gpu: &Gpu, p: &[T], t: &[T], run: &Run) -> Result<Vec<u32>, Halt> {
    let mut session = session(gpu, p, t, run)?;
    let (m, offsets) = (p.len() as u32, (t.len() - p.len() + 1) as u32);
    let (p, t) = (session.text_address(p)?, session.text_address(t)?);
    let scores = session.allocate_uninit::<u32>(offsets as usize)?;
    let (address, kernel) = (session.address(&scores), session.kernel(&source(T::BYTES), "naive")?);
    run.stage(RunStage::Compute)?;
    let steps = u64::from(m) * u64::from(offsets);
    // SAFETY: one thread reads m symbols of the text at each offset, and writes its score.
    unsafe {
        run_watched(&mut session, &kernel, SINGLE_THREAD_GRID, [steps; 2], |watch| NaiveCountArguments {
            p,
            t,
            scores: address,
            watch,
            m,
            offsets,
        })?
    };
    Ok(session.download(&scores)?)
}

/// Counts the equal symbols at every offset of `p` in `t` by Shift-Add on one thread. Symbols must be below `alphabet`,
/// and `p` must not be empty or longer than `t`. The run reports a step for each word of 64 bits, as on the CPU.
///
/// # Errors
/// Returns the errors of [`naive`].
pub(crate) fn shift_add<T: DeviceSymbol>(gpu: &Gpu, p: &[T], t: &[T], alphabet: u32, run: &Run) -> Result<Vec<u32>, Halt> {
    let mut session = session(gpu, p, t, run)?;
    let (m, n, b) = (p.len() as u32, t.len() as u32, fields(p.len()));
    let bits = p.len() * b;
    let words = bits.div_ceil(32);
    let mut masks = vec![0u32; alphabet as usize * words];
    for (j, &symbol) in p.iter().enumerate() {
        // The first symbol of the pattern, p_1, is in the highest field.
        let bit = (p.len() - 1 - j) * b;
        masks[symbol.into() as usize * words + bit / 32] |= 1 << (bit % 32);
    }
    let (masks, d, t) = (session.values(&masks)?, session.zeros::<u32>(words)?, session.text_address(t)?);
    let scores = session.allocate_uninit::<u32>((n - m + 1) as usize)?;
    let kernel = session.kernel(&source(T::BYTES), "shift_add")?;
    run.stage(RunStage::Compute)?;
    let steps = [words as u64 * u64::from(n), bits.div_ceil(64) as u64 * u64::from(n)];
    let [masks, d, address] = [session.address(&masks), session.address(&d), session.address(&scores)];
    let arguments = |watch| ShiftAddArguments { t, masks, d, scores: address, watch, m, n, b: b as u32, words: words as u32 };
    // SAFETY: one thread reads the text and the words of its symbols, all of which are below `alphabet`, and writes D
    // and n − m + 1 scores.
    unsafe { run_watched(&mut session, &kernel, SINGLE_THREAD_GRID, steps, arguments)? };
    Ok(session.download(&scores)?)
}

/// Counts the equal symbols at every offset of `p` in `t` by parallel Shift-Add, with a thread for each distinct symbol
/// of `p`. Copies `t` to the GPU piece by piece. `p` must not be empty or longer than `t`.
///
/// # Errors
/// Returns the errors of [`naive`].
pub(crate) fn parallel_shift_add<T: DeviceSymbol>(gpu: &Gpu, p: &[T], t: &[T], run: &Run) -> Result<Vec<u32>, Halt> {
    let mut streams = DeviceSymbolStreams::new(session(gpu, p, t, run)?, p)?;
    run.stage(RunStage::Compute)?;
    let steps = (streams.processors * p.len().div_ceil(64)) as u64;
    let mut scores = Vec::with_capacity(t.len() - p.len() + 1);
    for text in t.chunks(streams.most()) {
        scores.extend(streams.push(text)?);
        run.tick(steps * text.len() as u64)?;
    }
    Ok(scores)
}

/// The bit sequences of parallel Shift-Add on the GPU, one for each distinct symbol of a pattern. The text arrives in
/// pieces, and may be endless.
pub(crate) struct DeviceSymbolStreams<'g> {
    session: GpuSession<'g>,
    kernel: CudaFunction,
    symbols: CudaSlice<u32>,
    ft: CudaSlice<u32>,
    fp: CudaSlice<u32>,
    m: usize,
    /// Number of distinct symbols of the pattern, which is also the number of threads.
    processors: usize,
    /// Number of words of 32 bits in each bit sequence.
    words: usize,
    /// Number of symbols of the text that were read so far, counted only up to the length m of the pattern.
    read: usize,
}

impl<'g> DeviceSymbolStreams<'g> {
    /// Creates the bit sequences for the pattern `p`, which must not be empty, and a text that arrives in pieces.
    ///
    /// # Errors
    /// Returns the errors of [`naive`].
    pub(crate) fn open<T: DeviceSymbol>(gpu: &'g Gpu, p: &[T], run: &'g Run<'g>) -> Result<Self, Halt> {
        Self::new(session(gpu, p, &[], run)?, p)
    }

    /// Processes the next piece of the text, of any length. Returns the scores (numbers of equal symbols) of the
    /// offsets whose last symbol is in this piece.
    ///
    /// # Errors
    /// Returns the errors of [`naive`].
    pub(crate) fn push_all<T: DeviceSymbol>(&mut self, text: &[T]) -> Result<Vec<u32>, Halt> {
        let mut scores = Vec::with_capacity(text.len());
        for part in text.chunks(self.most()) {
            scores.extend(self.push(part)?);
        }
        Ok(scores)
    }

    /// Returns the maximum length of a text for one call of [`push`](Self::push).
    fn most(&self) -> usize {
        (PIECE_WORDS / self.words).max(MIN_PIECE_SYMBOLS)
    }

    fn new<T: DeviceSymbol>(session: GpuSession<'g>, p: &[T]) -> Result<Self, Halt> {
        let numbers: Vec<u32> = p.iter().map(|&symbol| symbol.into()).collect();
        let mut symbols = numbers.clone();
        symbols.sort_unstable();
        symbols.dedup();
        let (processors, words) = (symbols.len(), p.len().div_ceil(32));
        let mut fp = vec![0u32; processors * words];
        for (i, number) in numbers.iter().enumerate() {
            let own = symbols.partition_point(|symbol| symbol < number);
            // The symbol that was pushed last is in the lowest bit.
            let bit = p.len() - 1 - i;
            fp[bit / 32 * processors + own] |= 1 << (bit % 32);
        }
        Ok(Self {
            kernel: session.kernel(&source(T::BYTES), "streams")?,
            symbols: session.values(&symbols)?,
            ft: session.zeros(processors * words)?,
            fp: session.values(&fp)?,
            session,
            m: p.len(),
            processors,
            words,
            read: 0,
        })
    }

    /// Processes the next piece of the text, of at most [`most`](Self::most) symbols. Returns the scores (numbers of
    /// equal symbols) of the offsets whose last symbol is in this piece.
    fn push<T: DeviceSymbol>(&mut self, text: &[T]) -> Result<Vec<u32>, Halt> {
        let skip = (self.m - 1 - self.read.min(self.m - 1)).min(text.len());
        let part = self.session.copy_part(text)?;
        let scores = self.session.zeros::<u32>(text.len() - skip)?;
        let job = StreamsArguments {
            t: part.address(),
            symbols: self.session.address(&self.symbols),
            ft: self.session.address(&self.ft),
            fp: self.session.address(&self.fp),
            scores: self.session.address(&scores),
            length: text.len() as u32,
            skip: skip as u32,
            processors: self.processors as u32,
            words: self.words as u32,
            top: u32::MAX >> (self.words * 32 - self.m),
            pad: 0,
        };
        // SAFETY: the launch has a thread for each processor, and further threads return at once. A thread accesses its
        // own words of `ft` and `fp`, reads the piece, and adds to one score for each symbol that is not skipped.
        unsafe {
            self.session.launch(&self.kernel, (self.processors as u32).div_ceil(THREADS), (self.processors as u32).min(THREADS), job)?
        };
        let found = self.session.download_range(&scores, 0..text.len() - skip)?;
        self.read = (self.read + text.len()).min(self.m);
        Ok(found)
    }
}
