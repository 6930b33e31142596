//! Long: the search for patterns that do not fit the lanes of one warp. The pattern is swept in bands of rows like
//! those of a [pair](crate::pair::cuda), in slices of the text. The last rows of all slices are then joined.

use super::shape::{DistanceGuess, ends_source};
use super::sweep::{PartLastRow, PartPlacement, PartSweep};
use crate::failure::{JobFailure, large};
use crate::found::CHUNK;
use crate::gpu::Gpu;
use crate::gpu::compaction::{DeviceBitSet, DeviceHitList};
use crate::gpu::compile::KernelSource;
use crate::gpu::part;
use crate::gpu::session::{DeviceSymbol, GpuSession, KernelArguments};
use crate::pair::cuda::recurrence::carried::searches;
use crate::pair::cuda::{DeviceColumns, KernelSpec, LongPattern, LongPatternSearch, MAX_DEVICE_SYMBOLS, SearchSection};
use crate::run::{Halt, Run};
use crate::task::search::SearchTexts;

/// The kernels for the edit distance by bands of rows, in which a path may begin at any column.
const SEARCH_KERNEL_SPEC: KernelSpec = KernelSpec { layouts: searches, pads_columns: false, rises: true };

/// Maximum number of columns in a part of the text, including the columns that are swept before its own columns. The
/// limit comes from 32-bit numbers.
pub(super) const MAX_PART_COLUMNS: u64 = MAX_DEVICE_SYMBOLS / CHUNK as u64 * CHUNK as u64;

/// Number of bits of a symbol code for which the kernels that find ends are compiled. They do not depend on it.
const PLANES: u32 = 2;

#[derive(Clone, Copy)]
#[repr(C)]
struct RowsArguments {
    borders: u64,
    last: u64,
    values: u64,
    found: u64,
    apart: u64,
    words: i32,
    columns: i32,
    m: i32,
    begin: i32,
    lead: i32,
    own: i32,
    skip: i32,
    spare: i32,
}

// SAFETY: plain numbers and addresses in C's layout; the launch states the bounds of every access.
unsafe impl KernelArguments for RowsArguments {}

/// Lists every kernel that a search for long patterns can need.
pub(super) fn variants() -> impl Iterator<Item = KernelSource> {
    SEARCH_KERNEL_SPEC.sources().into_iter()
}

/// The approximate search on the GPU for a pattern that does not fit the lanes of one warp. It searches the text part
/// by part, and each part in slices of the text and bands of rows. The pattern stays in GPU memory.
pub(super) struct BandSweep<'s> {
    pub(super) search: LongPatternSearch<'s>,
    /// Number of the part of the text that was swept last.
    last: Option<usize>,
}

impl<'s> BandSweep<'s> {
    /// Uploads the pattern of `texts`. Neither pattern nor text may be empty.
    ///
    /// # Errors
    /// Returns `TooLarge` if the GPU's memory is too small, `Stopped` if the run is stopped, and `Engine` if the GPU
    /// fails.
    pub(super) fn new<T: DeviceSymbol>(gpu: &'s Gpu, run: &'s Run<'s>, texts: SearchTexts<T>) -> Result<Self, Halt> {
        let pattern = LongPattern { symbols: texts.a, alphabet: texts.alphabet, columns: texts.b.len() as u64 };
        Ok(Self { search: LongPatternSearch::new(gpu, run, SEARCH_KERNEL_SPEC, pattern)?, last: None })
    }

    /// Returns the number of columns in a part of a text of `n` symbols. It is about `most` at most, a multiple of
    /// [`CHUNK`], and as large as GPU memory allows.
    ///
    /// # Errors
    /// Returns `TooLarge` if GPU memory is too small.
    pub(super) fn part(&mut self, n: u64, most: u64) -> Result<u64, Halt> {
        let m = self.m();
        let lead = DistanceGuess { most: m }.lead(m);
        let part = n.min(most.next_multiple_of(CHUNK as u64));
        // Columns of the longest part, and the section of the matrix that is swept for them.
        let longest = |part: u64| {
            let columns = n.min(part + lead);
            (columns, stretch(columns, if part < n { lead.min(columns - 1) } else { 0 }, m, lead))
        };
        let (columns, stretch) = longest(part);
        let bytes = self.bytes(columns) + self.search.choose_layout(stretch).map_or(0, |(_, bytes)| bytes);
        let wanted = part::PartRequirements { max_size: part, min_size: CHUNK as u64, bytes, limit: u64::MAX };
        let (search, mut within) = (&self.search, u64::MAX);
        let part = part::largest(search.session(), wanted, |part, spare| {
            let (columns, stretch) = longest(part);
            let beside = self.bytes(columns);
            within = spare.saturating_sub(beside);
            match search.choose_layout_within(stretch, within) {
                Ok(_) if columns <= MAX_DEVICE_SYMBOLS => Ok(()),
                Ok(_) => Err(JobFailure::TooLarge { what: large::SYMBOLS.into(), got: n, limit: MAX_DEVICE_SYMBOLS }),
                Err(least) => part::check_memory_limit(least + beside, spare),
            }
        })?;
        self.search.bytes = within;
        Ok(part)
    }
}

/// Describes the sweep of a part of `columns` columns for a pattern of `m` symbols. The first `skip` columns belong to
/// the part before. Each distance depends on `lead` columns before it.
fn stretch(columns: u64, skip: u64, m: u64, lead: u64) -> SearchSection {
    SearchSection { rows: m, words: columns.div_ceil(32), skip: skip / 32, lead: lead / 32 }
}

impl<'s> PartSweep<'s> for BandSweep<'s> {
    fn session(&self) -> &GpuSession<'s> {
        self.search.session()
    }

    fn m(&self) -> u64 {
        self.search.len()
    }

    fn ends(&self) -> KernelSource {
        ends_source(self.search.size(), PLANES)
    }

    fn bytes(&self, columns: u64) -> u64 {
        let words = columns / 32 + 2;
        columns * u64::from(self.search.size()) + words * 12 + DeviceBitSet::bytes(columns) + (1 << 20)
    }

    fn row(&mut self, place: &PartPlacement, guess: DistanceGuess, found: &DeviceHitList) -> Result<PartLastRow, Halt> {
        let (run, m) = (self.search.run(), self.m());
        let limit = self.search.bytes;
        let too_large = |got| JobFailure::TooLarge { what: large::GPU_PATTERN.into(), got, limit };
        let stretch = stretch(place.columns, place.skip, m, guess.lead(m));
        let (cut, bytes) = self.search.choose_layout(stretch).map_err(too_large)?;
        let cells = m * (place.columns - place.skip);
        if self.last.replace(place.number) == Some(place.number) {
            run.raise_expected(cells); // sweeps this part again
        }
        run.hold(bytes);
        let swept = self.search.sweep(&cut, DeviceColumns { address: place.text, count: place.columns }, cells);
        run.release(bytes);
        let swept = swept?;
        let session = self.search.session();
        let row = PartLastRow::new(session, stretch.words)?;
        let job = RowsArguments {
            borders: swept.address(session),
            last: session.address(&row.last),
            values: session.address(&row.values),
            found: found.address(session),
            apart: swept.apart,
            words: stretch.words as i32,
            columns: place.columns as i32,
            m: m as i32,
            begin: cut.begin as i32,
            lead: cut.lead as i32,
            own: cut.own as i32,
            skip: stretch.skip as i32,
            spare: 0,
        };
        let kernel = session.kernel(&self.ends(), "row")?;
        // SAFETY: a block for each slice, whose last row has `lead + own` words; words are written from `skip` to
        // `words`, and a value behind the last one by the slice that owns that.
        unsafe { session.launch(&kernel, cut.slices, 1024, job)? };
        Ok(row)
    }
}
