//! Sweep: processes one part of the text, from its last row to the ends that count.

use cudarc::driver::CudaSlice;

use super::shape::DistanceGuess;
use crate::gpu::compaction::{BLOCK, DeviceBitSet, DeviceHitList, HIT_LIST_CAPACITY, PartOnes};
use crate::gpu::compile::KernelSource;
use crate::gpu::session::{GpuSession, KernelArguments};
use crate::job::JobOptions;
use crate::run::Halt;

/// A method to sweep a part of the text for the pattern.
pub(super) trait PartSweep<'s> {
    /// Returns the session on the device.
    fn session(&self) -> &GpuSession<'s>;

    /// Returns the number of symbols in the pattern.
    fn m(&self) -> u64;

    /// Returns the kernels that process the last row.
    fn ends(&self) -> KernelSource;

    /// Returns the memory for `columns` columns in bytes, without the memory that [`row`](Self::row) reports itself.
    fn bytes(&self, columns: u64) -> u64;

    /// Computes the last row of a part. Values up to the guess are exact, and larger ones stay larger than the guess.
    /// Writes m less the least value of the part's own columns to the task's own word in `found`.
    fn row(&mut self, place: &PartPlacement, guess: DistanceGuess, found: &DeviceHitList) -> Result<PartLastRow, Halt>;
}

/// The position of a part in the text and on the device.
pub(super) struct PartPlacement {
    /// Number of the part, from 0.
    pub(super) number: usize,
    /// Address of the part's symbols.
    pub(super) text: u64,
    /// Number of columns, including those before the part's own.
    pub(super) columns: u64,
    /// Number of columns before the part's own, in whole words.
    pub(super) skip: u64,
    pub(super) is_last: bool,
}

/// The result of a sweep on the device, for the part's own columns: the differences of the last row, 32 columns per
/// word, and the value before each word.
pub(super) struct PartLastRow {
    pub(super) last: CudaSlice<u64>,
    pub(super) values: CudaSlice<i32>,
}

impl PartLastRow {
    /// Allocates `words` words.
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

/// The ends of a part.
pub(super) struct PartEnds {
    /// The least distance.
    pub(super) best: u64,
    /// Number of ends that count. Without a bound, these have the best distance.
    pub(super) total: u64,
    pub(super) ones: PartOnes,
}

/// The search for the ends of all parts.
pub(super) struct EndFinder {
    m: u64,
    source: KernelSource,
    /// The last change of the value before each part.
    turns: CudaSlice<u32>,
}

impl EndFinder {
    /// Prepares the search in `parts` parts.
    pub(super) fn new<'s>(sweep: &impl PartSweep<'s>, parts: usize) -> Result<Self, Halt> {
        Ok(Self { m: sweep.m(), source: sweep.ends(), turns: sweep.session().zeros(parts + 1)? })
    }

    /// Finds the ends of a part. Without a bound, only ends at most as far as `known` matter, and the guess follows the
    /// results.
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
            // Beyond the guess values are upper bounds. The value found is therefore large enough as the next guess.
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

    /// Queues the search for ends and the compaction of their list.
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
