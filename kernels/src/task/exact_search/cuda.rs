//! The CUDA engine: one pass over the text for the first symbols of the pattern, and a second pass for the remaining
//! symbols of a long pattern.
//!
//! A pattern of at most [`HEAD`] symbols is found by the first pass alone. For a longer pattern, the pass finds
//! candidates. A few candidates are compared directly. Many candidates are found again by [`fingerprint`], in time that
//! does not depend on how repetitive the pattern is. If the text is long or GPU memory is short, the text is processed
//! in parts. An empty pattern and a pattern longer than the text are left to the processor, because the answer is
//! trivial.

use cudarc::driver::CudaSlice;

use crate::event::RunStage;
use crate::found::{CHUNK, PositionSet};
use crate::gpu::Gpu;
use crate::gpu::compaction::{BLOCK, DeviceBitSet, DeviceHitList, HitCollector, LIST, PartOnes};
use crate::gpu::compile::KernelSource;
use crate::gpu::part;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments, TEXT_PADDING_BYTES};
use crate::run::{Halt, Run};
use crate::task::search::SearchTexts;

mod fingerprint;

/// Maximum number of symbols of the pattern that the first pass over the text compares, a multiple of 4.
const HEAD: usize = 32;

/// Number of threads in a CUDA block. It changes the time, but no result.
const THREADS: u32 = 256;
/// Number of bytes of the text that a thread processes at a time. It changes the time, but no result.
const BYTES_PER_THREAD: u32 = 32;
/// Number of blocks that run on a multiprocessor at the same time. It changes the time, but no result.
const BLOCKS: u32 = 6;

/// Maximum number of positions that one pass lists, because the host sorts the list.
const MAX_LISTED_CANDIDATES: u32 = 1 << 13;

/// Maximum number of symbols to compare at all candidates, for each symbol of the text, in addition to
/// [`COMPARED_ALLOWANCE`]. If there are more, fingerprints are faster.
const COMPARED_PER_SYMBOL: u64 = 16;
/// Number of symbols that may be compared at all candidates even if the text is short.
const COMPARED_ALLOWANCE: u64 = 1 << 24;

#[derive(Clone, Copy)]
#[repr(C)]
struct FindArguments {
    text: u64,
    found: u64,
    bits: u64,
    counts: u64,
    symbols: u32,
    offsets: u32,
    m: u32,
    mask: u32,
    room: u32,
    head: [u32; HEAD / 4],
}

// SAFETY: plain numbers and addresses in C's layout; `ExactSearcher::find` states the bounds of every access.
unsafe impl KernelArguments for FindArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct NarrowArguments {
    symbols: u64,
    codes: u64,
    text: u64,
    length: u32,
}

// SAFETY: plain numbers and addresses in C's layout; `ExactSearcher::narrow` states the bounds of every access.
unsafe impl KernelArguments for NarrowArguments {}

/// Lists every kernel that an exact search can need.
pub fn variants() -> impl Iterator<Item = KernelSource> {
    [source(), fingerprint::source(1), fingerprint::source(4)].into_iter()
}

fn source() -> KernelSource {
    let defines = vec![("THREADS", THREADS.into()), ("HEAD", HEAD as u64), ("LIST", LIST), ("BLOCK", BLOCK)];
    KernelSource { name: "exact-search", text: include_str!("cuda/find.cu"), defines }
}

/// Finds every occurrence of `texts.a` in `texts.b`. The pattern must not be empty, and the text must not be shorter.
/// Returns the number of occurrences and, unless `count_only`, their positions. Takes O(|a| + |b|) time, and at most 6
/// bytes of GPU memory per symbol of a part of the text.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, `TooLarge` if the GPU's memory is too small for the pattern, and `Engine`
/// if the GPU fails.
pub(super) fn search<T: DeviceSymbol>(gpu: &Gpu, texts: SearchTexts<T>, count_only: bool, run: &Run) -> Result<(u64, PositionSet), Halt> {
    search_within(gpu, texts, count_only, run, u64::MAX)
}

/// Searches like [`search`], in at most `limit` bytes of GPU memory.
fn search_within<T: DeviceSymbol>(
    gpu: &Gpu,
    texts: SearchTexts<T>,
    count_only: bool,
    run: &Run,
    limit: u64,
) -> Result<(u64, PositionSet), Halt> {
    let SearchTexts { a, b, .. } = texts;
    let (m, all) = (a.len() as u64, (b.len() - a.len() + 1) as u64);
    let session = GpuSession::new(gpu, run)?;
    let part = part_of::<T>(&session, m, all, limit)?;
    run.stage(RunStage::Transfer)?;
    let searcher = ExactSearcher::new(gpu, session, texts)?;
    run.stage(RunStage::Compute)?;
    let mut collected = HitCollector::default();
    let (mut total, mut told) = (0, 0);
    for from in (0..all).step_by(part as usize) {
        let offsets = part.min(all - from);
        let bytes = bytes::<T>(offsets, m);
        run.hold(bytes);
        let found = searcher.part(&b[from as usize..(from + offsets + m - 1) as usize], offsets, count_only);
        run.release(bytes);
        let (here, ones) = found?;
        total += here;
        collected.push(from, ones);
        let done = if from + offsets == all { m + b.len() as u64 } else { from + offsets };
        run.tick(done - std::mem::replace(&mut told, done))?;
    }
    Ok((total, collected.positions()))
}

/// Returns the GPU memory in bytes for a part of the text with `offsets` possible positions of a pattern of `m`
/// symbols.
fn bytes<T: DeviceSymbol>(offsets: u64, m: u64) -> u64 {
    let symbols = offsets + m;
    let narrowed = if T::BYTES == 1 { 0 } else { symbols };
    symbols * T::BYTES as u64 + narrowed + fingerprint::bytes(symbols) + DeviceBitSet::bytes(offsets) + m * T::BYTES as u64 + (1 << 20)
}

/// Returns the number of positions in a part of the text, as many as GPU memory and `limit` (in bytes) allow. `all` is
/// the number of positions in the whole text, and `m` the length of the pattern.
fn part_of<T: DeviceSymbol>(session: &GpuSession, m: u64, all: u64, limit: u64) -> Result<u64, Halt> {
    let part = all.min(part::MAX_PART_OFFSETS);
    let wanted = part::PartRequirements { max_size: part, min_size: CHUNK as u64, bytes: bytes::<T>(part, m), limit };
    part::largest(session, wanted, |part, spare| part::check_memory_limit(bytes::<T>(part, m), spare))
}

/// An exact search for one pattern on the GPU, which searches one part of the text at a time. Holds the session on the
/// GPU, and the first symbols of the pattern as the kernels receive them.
struct ExactSearcher<'a, T> {
    gpu: &'a Gpu,
    session: GpuSession<'a>,
    a: &'a [T],
    head: [u32; HEAD / 4],
    /// For each symbol number, a code: the first index of the symbol in the first [`HEAD`] symbols of the pattern, or
    /// 255. `None` if symbols are bytes.
    codes: Option<CudaSlice<u8>>,
}

impl<'a, T: DeviceSymbol> ExactSearcher<'a, T> {
    fn new(gpu: &'a Gpu, session: GpuSession<'a>, texts: SearchTexts<'a, T>) -> Result<Self, Halt> {
        let head = &texts.a[..texts.a.len().min(HEAD)];
        let mut bytes = [0u8; HEAD];
        let mut codes = None;
        if T::BYTES == 1 {
            bytes.iter_mut().zip(head).for_each(|(byte, &symbol)| *byte = symbol.into() as u8);
        } else {
            let mut table = vec![u8::MAX; texts.alphabet as usize];
            for (at, &symbol) in head.iter().enumerate() {
                let code = &mut table[symbol.into() as usize];
                if *code == u8::MAX {
                    *code = at as u8;
                }
                bytes[at] = *code;
            }
            codes = Some(session.values(&table)?);
        }
        let (words, _) = bytes.as_chunks::<4>();
        let mut head = [0; HEAD / 4];
        head.iter_mut().zip(words).for_each(|(word, &bytes)| *word = u32::from_le_bytes(bytes));
        Ok(Self { gpu, session, a: texts.a, head, codes })
    }

    /// Finds the occurrences at `offsets` positions of `b`, one part of the text. Returns their number and their
    /// positions. If `count_only`, positions may be missing.
    fn part(&self, b: &[T], offsets: u64, count_only: bool) -> Result<(u64, PartOnes), Halt> {
        let on_device = self.session.copy_part(b)?;
        let text = on_device.address();
        let narrow = self.narrow(text, b.len())?;
        let bytes = narrow.as_ref().map_or(text, |narrow| self.session.address(narrow));
        let (total, _, mut list) = self.find(bytes, offsets, None)?.fetch(&self.session)?;
        list.sort_unstable();
        // The pass stops listing when the list is full.
        let all = total == list.len() as u64;
        if self.a.len() <= HEAD {
            if all {
                return Ok((total, PartOnes::List(list)));
            }
            let marks = DeviceBitSet::new(&self.session, offsets)?;
            let (total, ..) = self.find(bytes, offsets, Some(&marks))?.fetch(&self.session)?;
            let ones = if count_only { PartOnes::List(Vec::new()) } else { PartOnes::Bits(self.session.download(&marks.bits)?) };
            return Ok((total, ones));
        }
        if total == 0 {
            return Ok((total, PartOnes::List(list)));
        }
        let long = fingerprint::LongPatternPart { session: &self.session, a: self.a, text, offsets };
        if all && total * self.a.len() as u64 <= COMPARED_PER_SYMBOL * b.len() as u64 + COMPARED_ALLOWANCE {
            let list = long.compare(&list)?;
            return Ok((list.len() as u64, PartOnes::List(list)));
        }
        long.search()
    }

    /// Converts `len` symbols at the GPU address `text` to codes of one byte. Returns `None` if symbols are bytes
    /// already.
    fn narrow(&self, text: u64, len: usize) -> Result<Option<CudaSlice<u8>>, Halt> {
        let Some(codes) = &self.codes else { return Ok(None) };
        let narrow = self.session.zeros::<u8>(len + TEXT_PADDING_BYTES)?;
        let kernel = self.session.kernel(&source(), "narrow")?;
        let job =
            NarrowArguments { symbols: text, codes: self.session.address(codes), text: self.session.address(&narrow), length: len as u32 };
        // SAFETY: a thread for each of `len` symbols, all of which are below the table's length; threads beyond return
        // at once.
        unsafe { self.session.launch(&kernel, (len as u32).div_ceil(THREADS), THREADS, job)? };
        Ok(Some(narrow))
    }

    /// Queues the pass that finds the first [`HEAD`] symbols of the pattern at `offsets` positions of the bytes at the
    /// GPU address `text`. The result is a list of positions. If `marks` is given, the positions are its set bits
    /// instead, and the list only has their number.
    fn find(&self, text: u64, offsets: u64, marks: Option<&DeviceBitSet>) -> Result<DeviceHitList, Halt> {
        let session = &self.session;
        let blocks = (offsets as u32).div_ceil(THREADS * BYTES_PER_THREAD);
        let found = DeviceHitList::new(session, if marks.is_some() { 0 } else { MAX_LISTED_CANDIDATES })?;
        let job = FindArguments {
            text,
            found: found.address(session),
            bits: marks.map_or(0, |marks| session.address(&marks.bits)),
            counts: marks.map_or(0, |marks| session.address(&marks.counts)),
            symbols: (offsets + self.a.len() as u64 - 1) as u32,
            offsets: offsets as u32,
            m: self.a.len().min(HEAD) as u32,
            mask: u32::MAX >> (8 * (4 - self.a.len().min(4))),
            room: found.room(),
            head: self.head,
        };
        let kernel = self.session.kernel(&source(), "find")?;
        // SAFETY: a piece of 16 bytes is read only if it begins below `symbols`, and bytes read beyond lie in the zeros
        // behind the text; the list is cut off at `room`; bits are written below `offsets`.
        unsafe { session.launch(&kernel, blocks.min(BLOCKS * self.gpu.multiprocessors()), THREADS, job)? };
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
