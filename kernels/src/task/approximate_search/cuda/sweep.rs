//! Sweep: processes one part of the text, from the last row of its matrix to the ends of hits.

use cudarc::driver::CudaSlice;

use super::shape::DistanceGuess;
use crate::gpu::compaction::{BLOCK, DeviceBitSet, DeviceHitList, HIT_LIST_CAPACITY, PartOnes};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{GpuSession, KernelArguments};
use crate::job::JobOptions;
use crate::run::Halt;

/// An approximate search on the GPU, which computes the last row of the matrix of one part of the text at a time. Short
/// patterns (that fit one warp) and long patterns have separate implementations.
pub(super) trait PartSweep<'s> {
    /// Returns the session on the GPU.
    fn session(&self) -> &GpuSession<'s>;

    /// Returns the number of symbols in the pattern.
    fn m(&self) -> u64;

    /// Returns the kernels that find the ends of hits in the last row of a part.
    fn ends(&self) -> KernelSource;

    /// Returns the GPU memory for a part of `columns` columns, in bytes. Memory that [`row`](Self::row) reports itself
    /// is not included.
    fn bytes(&self, columns: u64) -> u64;

    /// Computes the last row of the matrix of the part at `place`. Distances up to `guess` are exact, and larger
    /// distances stay larger than `guess`. Writes to `found` the pattern length minus the least distance in the part's
    /// own columns.
    fn row(&mut self, place: &PartPlacement, guess: DistanceGuess, found: &DeviceHitList) -> Result<PartLastRow, Halt>;
}

/// The position of a part in the text and in GPU memory. Before its own columns, a part has columns that belong to the
/// part before it.
pub(super) struct PartPlacement {
    /// Number of the part, from 0.
    pub(super) number: usize,
    /// GPU address of the part's first symbol.
    pub(super) text: u64,
    /// Number of columns, including the columns that belong to the part before.
    pub(super) columns: u64,
    /// Number of columns that belong to the part before, a multiple of 32.
    pub(super) skip: u64,
    pub(super) is_last: bool,
}

/// The last row of a part's matrix in GPU memory: the differences between neighbouring columns, 32 columns per word
/// (`last`), and the distance before each word (`values`).
pub(super) struct PartLastRow {
    pub(super) last: CudaSlice<u64>,
    pub(super) values: CudaSlice<i32>,
}

impl PartLastRow {
    /// Allocates a row of `words` words of 32 columns.
    pub(super) fn new(session: &GpuSession, words: u64) -> Result<Self, Halt> {
        Ok(Self { last: session.allocate_uninit(words as usize)?, values: session.allocate_uninit(words as usize + 1)? })
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct EndsArguments {
    last: u64,
    values: u64,
    found: u64,
    bits: u64,
    counts: u64,
    turns: u64,
    words: i32,
    columns: i32,
    skip: i32,
    ends: i32,
    m: i32,
    within: i32,
    minima: u32,
    whole: u32,
}

// SAFETY: plain numbers and addresses in C's layout; the launch states the bounds of every access.
unsafe impl KernelArguments for EndsArguments {}

/// The hits in a part of the text.
pub(super) struct PartEnds {
    /// The least distance found in the part. It may be too large if it exceeds the guess of the sweep.
    pub(super) best: u64,
    /// Number of hits. If no maximum distance is requested, all of them have the least distance.
    pub(super) total: u64,
    pub(super) ones: PartOnes,
}

/// A finder of the ends of hits in the last rows of all parts of a text, one part after another.
pub(super) struct EndFinder {
    m: u64,
    source: KernelSource,
    /// For each part, the last change of the distance before the part: a fall or a rise.
    turns: CudaSlice<u32>,
}

impl EndFinder {
    /// Prepares the search in `parts` parts of the text, which are swept by `sweep`.
    pub(super) fn new<'s>(sweep: &impl PartSweep<'s>, parts: usize) -> Result<Self, Halt> {
        Ok(Self { m: sweep.m(), source: sweep.ends(), turns: sweep.session().zeros(parts + 1)? })
    }

    /// Sweeps the part at `place` and finds the ends of its hits.
    ///
    /// If the options have no `max_distance`, ends with a distance above `known` (the least distance of earlier parts)
    /// are no hits. `guess` is then lowered to `known` if it is greater. If the least distance of the part exceeds a
    /// `guess` below `known`, `guess` is raised to this distance, and the part is swept again.
    pub(super) fn part<'s>(
        &self,
        sweep: &mut impl PartSweep<'s>,
        place: &PartPlacement,
        guess: &mut DistanceGuess,
        options: &JobOptions,
        known: u64,
    ) -> Result<PartEnds, Halt> {
        let within = options.max_distance.map(|k| k.min(self.m));
        loop {
            if within.is_none() {
                guess.most = guess.most.min(known);
            }
            let found = DeviceHitList::new(sweep.session(), HIT_LIST_CAPACITY)?;
            let row = sweep.row(place, *guess, &found)?;
            let session = sweep.session();
            let marks = self.ends(session, place, &row, &found, within, options.local_minima)?;
            let (total, own, list) = found.fetch(session)?;
            let best = self.m - u64::from(own);
            // Beyond the guess, distances are upper bounds. The distance found is therefore large enough as the next
            // guess.
            if within.is_none() && best > guess.most && guess.most < known {
                guess.most = best;
                continue;
            }
            let wanted = !options.count_only && (within.is_some() || best <= known);
            let all = total == list.len() as u64;
            let ones = if all || !wanted { PartOnes::List(list) } else { PartOnes::Bits(session.download(&marks.bits)?) };
            return Ok(PartEnds { best, total, ones });
        }
    }

    /// Queues the kernels that find the ends of hits in `row`, the last row of the part at `place`, and list them in
    /// `found`. `within` is the maximum distance of a hit; if it is `None`, hits have the least distance. If `minima`,
    /// only local minima are hits. Returns a bit for each end.
    pub(super) fn ends(
        &self,
        session: &GpuSession,
        place: &PartPlacement,
        row: &PartLastRow,
        found: &DeviceHitList,
        within: Option<u64>,
        minima: bool,
    ) -> Result<DeviceBitSet, Halt> {
        // End 0 of the part lies before its first own column. The last part has one more end, behind its last column.
        let ends = place.columns - place.skip + u64::from(place.is_last);
        let marks = DeviceBitSet::new(session, ends)?;
        let job = EndsArguments {
            last: session.address(&row.last),
            values: session.address(&row.values),
            found: found.address(session),
            bits: session.address(&marks.bits),
            counts: session.address(&marks.counts),
            turns: session.address(&self.turns) + 4 * place.number as u64,
            words: place.columns.div_ceil(32) as i32,
            columns: place.columns as i32,
            skip: (place.skip / 32) as i32,
            ends: ends as i32,
            m: self.m as i32,
            within: within.map_or(-1, |k| k as i32),
            minima: minima.into(),
            whole: place.is_last.into(),
        };
        let kernel = session.kernel(&self.source, "ends")?;
        let blocks = ends.div_ceil(32).div_ceil(BLOCK) as u32;
        // SAFETY: a thread for each word of bits; differences are read below `words`, values up to it, which the sweep
        // has written.
        unsafe { session.launch(&kernel, blocks, BLOCK as u32, job)? };
        marks.compact(session, found)?;
        Ok(marks)
    }
}
