//! Slices: the search for patterns that fit the lanes of one warp, in overlapping slices of the text.

use cudarc::driver::CudaSlice;

use super::shape::{DistanceGuess, MAX_SLICE_THREADS, PatternShape, ends_source};
use super::sweep::{PartLastRow, PartPlacement, PartSweep};
use crate::found::CHUNK;
use crate::gpu::Gpu;
use crate::gpu::compaction::DeviceHitList;
use crate::gpu::compile::KernelSource;
use crate::gpu::part;
use crate::gpu::session::{GpuSession, KernelArguments};
use crate::run::{Halt, Run};

/// Maximum number of matrix cells that are queued for a multiprocessor at a time, which take some thousandths of a
/// second.
const MAX_QUEUED_CELLS: u64 = 1 << 30;

/// Number of threads in a CUDA block that packs symbol codes into bit planes.
const SLICE_PACK_THREADS: u32 = 256;

#[derive(Clone, Copy)]
#[repr(C)]
struct SliceSweepArguments {
    planes: u64,
    rows: u64,
    last: u64,
    values: u64,
    found: u64,
    words: i32,
    columns: i32,
    m: i32,
    own: i32,
    lead: i32,
    skip: i32,
    lanes: i32,
    two: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launches state the bounds of every access.
unsafe impl KernelArguments for SliceSweepArguments {}

#[derive(Clone, Copy)]
#[repr(C)]
struct PackArguments {
    text: u64,
    codes: u64,
    planes: u64,
    symbols: u32,
    words: u32,
}

// SAFETY: as for `SliceSweepArguments`.
unsafe impl KernelArguments for PackArguments {}

/// The approximate search on the GPU for a pattern that fits the lanes of one warp. It searches the text part by part,
/// and each part in overlapping slices. The pattern stays in GPU memory.
pub(super) struct SliceSweep<'s> {
    gpu: &'s Gpu,
    session: GpuSession<'s>,
    shape: PatternShape,
    /// Size of a symbol of the text, in bytes.
    unit: u32,
    rows: CudaSlice<u32>,
    codes: CudaSlice<u16>,
    /// Number of the part that was packed last, and the bit planes of its symbol codes.
    packed: Option<(usize, CudaSlice<u32>)>,
}

impl<'s> SliceSweep<'s> {
    /// Uploads the pattern `shape`, for texts with symbols of `unit` bytes.
    pub(super) fn new(gpu: &'s Gpu, run: &'s Run<'s>, shape: PatternShape, unit: u32) -> Result<Self, Halt> {
        let session = GpuSession::new(gpu, run)?;
        let mut codes = shape.codes.clone();
        codes.resize(codes.len().max(256), 0);
        let (rows, codes) = (session.values(&shape.row_planes)?, session.values(&codes)?);
        Ok(Self { gpu, session, shape, unit, rows, codes, packed: None })
    }

    /// Returns the number of columns in a part of a text of `n` symbols. It is about `most` at most, a multiple of
    /// [`CHUNK`], and as large as GPU memory allows.
    ///
    /// # Errors
    /// Returns `TooLarge` if GPU memory is too small.
    pub(super) fn part(&self, n: u64, most: u64) -> Result<u64, Halt> {
        let shape = &self.shape;
        let at_a_time = MAX_QUEUED_CELLS * u64::from(self.gpu.multiprocessors()) / shape.rows();
        let part = n.min(most.min(at_a_time).next_multiple_of(CHUNK as u64));
        let bytes = |part| shape.bytes(part + DistanceGuess { most: shape.m }.lead(shape.m), self.unit);
        let wanted = part::PartRequirements { max_size: part, min_size: CHUNK as u64, bytes: bytes(part), limit: u64::MAX };
        part::largest(&self.session, wanted, |part, spare| part::check_memory_limit(bytes(part), spare))
    }

    /// Packs the symbol codes of the part at `place` into bit planes, and returns them.
    pub(super) fn pack(&self, place: &PartPlacement) -> Result<CudaSlice<u32>, Halt> {
        let words = place.columns.div_ceil(32) as u32;
        let planes = self.session.allocate_uninit::<u32>(words as usize * self.shape.planes as usize)?;
        let job = PackArguments {
            text: place.text,
            codes: self.session.address(&self.codes),
            planes: self.session.address(&planes),
            symbols: place.columns as u32,
            words,
        };
        let kernel = self.session.kernel(&self.ends(), "pack")?;
        // SAFETY: a thread for each word; symbols are read in vectors that begin below `symbols`, and zeros are behind
        // the text; every symbol has a code.
        unsafe { self.session.launch(&kernel, words.div_ceil(SLICE_PACK_THREADS), SLICE_PACK_THREADS, job)? };
        Ok(planes)
    }

    /// Queues the sweep of the part at `place` in slices, given the bit planes of its codes. Distances up to `guess`
    /// are exact. Writes to `found` the pattern length minus the least distance. Returns the last row of the matrix.
    pub(super) fn slices(
        &self,
        place: &PartPlacement,
        planes: &CudaSlice<u32>,
        guess: DistanceGuess,
        found: &DeviceHitList,
    ) -> Result<PartLastRow, Halt> {
        let (session, shape) = (&self.session, &self.shape);
        let words = place.columns.div_ceil(32);
        let row = PartLastRow::new(session, words)?;
        let own = shape.own(words - place.skip / 32, self.gpu.multiprocessors());
        let job = SliceSweepArguments {
            planes: session.address(planes),
            rows: session.address(&self.rows),
            last: session.address(&row.last),
            values: session.address(&row.values),
            found: found.address(session),
            words: words as i32,
            columns: place.columns as i32,
            m: shape.m as i32,
            own: own as i32,
            lead: (guess.lead(shape.m) / 32) as i32,
            skip: (place.skip / 32) as i32,
            lanes: shape.lanes as i32,
            two: 2,
        };
        let slices = (words - place.skip / 32).div_ceil(own) as u32;
        let blocks = slices.div_ceil(32 / shape.lanes).div_ceil(MAX_SLICE_THREADS / 32);
        let kernel = session.kernel(&shape.source(), "slices")?;
        // SAFETY: the slices cover the words from `skip` on; a word is read and written between 0 and `words` only, and
        // the value behind the last one by the slice that owns it.
        unsafe { session.launch(&kernel, blocks, MAX_SLICE_THREADS, job)? };
        Ok(row)
    }
}

impl<'s> PartSweep<'s> for SliceSweep<'s> {
    fn session(&self) -> &GpuSession<'s> {
        &self.session
    }

    fn m(&self) -> u64 {
        self.shape.m
    }

    fn ends(&self) -> KernelSource {
        ends_source(self.unit, self.shape.planes)
    }

    fn bytes(&self, columns: u64) -> u64 {
        self.shape.bytes(columns, self.unit)
    }

    fn row(&mut self, place: &PartPlacement, guess: DistanceGuess, found: &DeviceHitList) -> Result<PartLastRow, Halt> {
        let packed = match self.packed.take() {
            Some((number, planes)) if number == place.number => planes,
            before => {
                drop(before);
                self.pack(place)?
            }
        };
        let row = self.slices(place, &packed, guess, found)?;
        self.packed = Some((place.number, packed));
        Ok(row)
    }
}
