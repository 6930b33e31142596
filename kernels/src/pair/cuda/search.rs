//! Search: finds a long pattern in a text on a GPU. One launch sweeps the text in overlapping slices, as defined by
//! [`SearchLayout`]. The result of a slice is the last row of its matrix: by how much the cost grows from column to
//! column.

use cudarc::driver::CudaSlice;

use super::grid::{SweepArguments, SweepPass};
use super::kernel_spec::KernelSpec;
use super::search_layout::{SearchLayout, SearchSection};
use super::shape::DeviceLimits;
use super::strip::{STRIP_PACK_THREADS, StripArguments};
use super::{MAX_DEVICE_DISTINCT_SYMBOLS, MAX_DEVICE_SYMBOLS, MIN_YIELDING_CELLS, planes, within};
use crate::failure::large;
use crate::gpu::Gpu;
use crate::gpu::session::{DeviceSymbol, GpuSession, LaunchGrid};
use crate::run::{Halt, Run};

/// A diagonal beyond all diagonals of any matrix, used as a bound if all of them are swept.
const FAR_DIAGONAL: i64 = 1 << 40;

/// A long pattern on the GPU, with everything that is needed to search parts of a text for it.
pub(crate) struct LongPatternSearch<'a> {
    gpu: &'a Gpu,
    run: &'a Run<'a>,
    session: GpuSession<'a>,
    kernel_spec: KernelSpec,
    /// Number of bits in a symbol number.
    planes: u32,
    /// Address of the pattern's symbols on the GPU.
    rows: u64,
    /// Number of symbols in the pattern.
    len: u64,
    /// Size of a symbol, in bytes.
    size: u32,
    /// Maximum memory for the sweep of one part of the text, in bytes, without the text itself.
    pub(crate) bytes: u64,
    /// Layout of the sweep that a test requests, in place of the fastest one. `None` outside of such a test.
    #[cfg(test)]
    pub(crate) fixed: Option<FixedLayout>,
}

/// The layout of a sweep that a test requests: number of words of a lane, of slices, and of multiprocessors in use.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedLayout {
    pub(crate) words: u32,
    pub(crate) slices: u32,
    pub(crate) multiprocessors: u32,
}

/// A pattern to upload, and the size of the text in which it will be searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongPattern<'t, T> {
    pub(crate) symbols: &'t [T],
    /// Exclusive upper bound on the symbol numbers of pattern and text.
    pub(crate) alphabet: u32,
    /// Total number of columns that all sweeps together cover. Columns of overlapping parts of the text are counted
    /// repeatedly.
    pub(crate) columns: u64,
}

/// A part of a text on the GPU: the address and the number of its symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceColumns {
    pub(crate) address: u64,
    pub(crate) count: u64,
}

/// The last rows of the matrices of all slices of a text, as differences: each column minus the column before it. A
/// 64-bit word holds 32 columns. Its lower half marks the differences +1 and its upper half the differences −1, each
/// with the first column in the highest bit.
pub(crate) struct LastRows {
    borders: CudaSlice<u64>,
    /// Number of words in the buffer before the last row of the first slice.
    before: u64,
    /// Number of words from the beginning of one slice's last row to the beginning of the next slice's.
    pub(crate) apart: u64,
}

impl LastRows {
    /// Returns the address of the first slice's last row on the GPU.
    pub(crate) fn address(&self, session: &GpuSession) -> u64 {
        session.address(&self.borders) + 8 * self.before
    }
}

impl<'a> LongPatternSearch<'a> {
    /// Uploads `pattern`, which must not be empty, to the GPU. `form` describes the kernels of the recurrence.
    ///
    /// # Errors
    /// Returns `TooLarge` if the pattern is too long or has too many distinct symbols, `Stopped` if the run is stopped,
    /// and `Engine` if the GPU fails.
    pub(crate) fn new<T: DeviceSymbol>(gpu: &'a Gpu, run: &'a Run<'a>, form: KernelSpec, pattern: LongPattern<T>) -> Result<Self, Halt> {
        let LongPattern { symbols, alphabet, columns } = pattern;
        let len = symbols.len() as u64;
        within(large::SYMBOLS, len, MAX_DEVICE_SYMBOLS)?;
        within(large::DISTINCT, alphabet.into(), MAX_DEVICE_DISTINCT_SYMBOLS)?;
        let mut session = GpuSession::new(gpu, run)?;
        let rows = session.text_address(symbols)?;
        if len * columns > MIN_YIELDING_CELLS {
            session.yield_to_brief_jobs();
        }
        Ok(Self {
            gpu,
            run,
            session,
            kernel_spec: form,
            planes: planes(alphabet),
            rows,
            len,
            size: T::BYTES as u32,
            bytes: u64::MAX,
            #[cfg(test)]
            fixed: None,
        })
    }

    /// Returns the number of symbols in the pattern.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the size of a symbol, in bytes.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    pub(crate) fn run(&self) -> &'a Run<'a> {
        self.run
    }

    pub(crate) fn session(&self) -> &GpuSession<'a> {
        &self.session
    }

    /// Makes the session yield to brief jobs, however small the work is.
    #[cfg(test)]
    pub(crate) fn yield_to_brief_jobs(&mut self) {
        self.session.yield_to_brief_jobs();
    }

    /// Lists the numbers of words per lane that have kernels.
    #[cfg(test)]
    pub(crate) fn words(&self) -> Vec<u32> {
        self.kernel_spec.fitting(self.planes).map(|layout| layout.words).collect()
    }

    /// Chooses the fastest layout in which to sweep the part `stretch` of a text. Returns the layout and the number of
    /// bytes that it takes.
    ///
    /// # Errors
    /// Returns the least number of bytes that the part needs, if that exceeds the memory limit.
    pub(crate) fn choose_layout(&self, stretch: SearchSection) -> Result<(SearchLayout, u64), u64> {
        self.choose_layout_within(stretch, self.bytes)
    }

    /// Chooses a layout like [`choose_layout`](Self::choose_layout), with at most `bytes` bytes instead of the default limit.
    ///
    /// # Errors
    /// Returns the least number of bytes that the part needs, if that exceeds `bytes`.
    pub(crate) fn choose_layout_within(&self, stretch: SearchSection, bytes: u64) -> Result<(SearchLayout, u64), u64> {
        let device = DeviceLimits { bytes, ..DeviceLimits::from_gpu(self.gpu) };
        #[cfg(test)]
        if let Some(FixedLayout { words, slices, multiprocessors }) = self.fixed {
            let layout = self.kernel_spec.fitting(self.planes).find(|layout| layout.words == words).expect("a variant");
            let cut = SearchLayout::new(layout, stretch, slices, DeviceLimits { multiprocessors, ..device });
            return Ok((cut, cut.bytes()));
        }
        SearchLayout::choose(&self.kernel_spec, self.planes, stretch, device).map(|cut| (cut, cut.bytes()))
    }

    /// Sweeps the part `columns` of the text in the layout `cut`, and returns the last rows of all slices. Reports
    /// `cells` cells as computed to the run.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails.
    pub(crate) fn sweep(&mut self, cut: &SearchLayout, columns: DeviceColumns, cells: u64) -> Result<LastRows, Halt> {
        let layout = cut.layout;
        let source = self.kernel_spec.source(&layout);
        let sweep = self.session.kernel(&source, "sweep")?;
        self.session.reset()?;
        let rows = self.session.allocate_uninit::<u32>((cut.bands * cut.band_words()) as usize)?;
        let text = self.session.allocate_uninit::<u32>(cut.text_words() as usize * layout.text_words as usize)?;
        let borders = self.session.ones::<u64>((u64::from(cut.slices) * cut.border_words()) as usize)?;
        self.pack(cut, columns, &rows, &text)?;
        let pass = |slice: u32| SweepPass {
            rows: self.session.address(&rows),
            text: self.session.address(&text) + 4 * u64::from(slice * cut.own) * u64::from(layout.text_words),
            borders: self.session.address(&borders) + 8 * u64::from(slice) * cut.border_words(),
            record: 0,
            bands: cut.bands.into(),
        };
        let passes = self.session.values(&(0..cut.slices).map(pass).collect::<Vec<_>>())?;
        let nothing = SweepPass { rows: 0, text: 0, borders: 0, record: 0, bands: 0 };
        let job = SweepArguments {
            pass: [nothing; 2],
            alone: self.session.address(&passes),
            control: self.session.control(),
            board: self.session.board(),
            state: 0,
            counts: cut.counts(),
            low: -FAR_DIAGONAL,
            high: FAR_DIAGONAL,
            tickets: cut.tickets(),
            words: cut.width(),
            slots: cut.slots,
            stride: cut.width(),
            two: 2,
            resumes: 0,
        };
        let launch = LaunchGrid { blocks: [cut.blocks, 1], threads: cut.warps * 32, shared: cut.warps * layout.shared };
        // SAFETY: `tickets` is `bands` for each slice. Every slice has `width` words of the text and `slots` border
        // rows of `width` words, and its bands read and write only those, modulo `slots`.
        unsafe { job.run(&mut self.session, &sweep, launch, cells)? };
        Ok(LastRows { borders, before: u64::from((cut.bands - 1) % cut.slots) * u64::from(cut.width()), apart: cut.border_words() })
    }

    /// Packs the symbols of the pattern into `rows`, below its padding rows, and the symbols of `columns`, slice after
    /// slice, into `text`.
    fn pack(&self, cut: &SearchLayout, columns: DeviceColumns, rows: &CudaSlice<u32>, text: &CudaSlice<u32>) -> Result<(), Halt> {
        let source = self.kernel_spec.source(&cut.layout);
        let strip = StripArguments {
            symbols: self.rows,
            planes: self.session.address(rows),
            starts: 0,
            length: self.len as i64,
            padded: 0,
            size: self.size,
            reversed: 0,
            words: cut.bands * cut.layout.words * 32,
            before: cut.before,
        };
        let launch = |words: u32| LaunchGrid { blocks: [words.div_ceil(STRIP_PACK_THREADS), 1], threads: STRIP_PACK_THREADS, shared: 0 };
        let kernel = self.session.kernel(&source, "pack_rows")?;
        // SAFETY: a thread for each of `words` groups of planes, and a symbol is read only below `length`.
        unsafe { self.session.launch_as(&kernel, launch(strip.words), strip)? };
        let first = u64::from(cut.begin) * 32;
        let strip = StripArguments {
            symbols: columns.address + first * u64::from(self.size),
            planes: self.session.address(text),
            length: (columns.count - first) as i64,
            words: cut.text_words(),
            before: 0,
            ..strip
        };
        let kernel = self.session.kernel(&source, "pack_text")?;
        // SAFETY: a thread for each of `words` blocks, for which there is room; a symbol is read only below `length`.
        unsafe { self.session.launch_as(&kernel, launch(strip.words), strip)? };
        Ok(())
    }
}
