//! Search: a long pattern against a text on a device. The text is swept in slices as [`Cut`] says, all of them in one launch, and what
//! is left of each is how the pattern's last row grows along it.

use cudarc::driver::CudaSlice;

use super::form::Form;
use super::grid::{Pass, SweepArguments};
use super::search_layout::{Cut, Stretch};
use super::shape::DeviceLimits;
use super::strip::{PACK, Strip};
use super::{LARGE, MOST_DISTINCT, MOST_SYMBOLS, planes, within};
use crate::failure::large;
use crate::gpu::Gpu;
use crate::gpu::session::{DeviceSymbol, Launch, Session};
use crate::run::{Halt, Run};

/// Diagonals are all followed: no one is so far out.
const FAR: i64 = 1 << 40;

/// A long pattern on the device.
pub(crate) struct LongPatternSearch<'a> {
    gpu: &'a Gpu,
    run: &'a Run<'a>,
    session: Session<'a>,
    form: Form,
    /// Bits of a symbol number.
    planes: u32,
    /// Address of the pattern's symbols, and how many there are.
    rows: u64,
    len: u64,
    /// Bytes of a symbol.
    size: u32,
    /// Memory that a sweep may take beside the text, in bytes.
    pub(crate) bytes: u64,
    /// Where a test asks for one cut.
    #[cfg(test)]
    pub(crate) fixed: Option<Fixed>,
}

/// Words of a lane, slices, and multiprocessors that are used.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    pub(crate) words: u32,
    pub(crate) slices: u32,
    pub(crate) multiprocessors: u32,
}

/// A pattern and how much of a text it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongPattern<'t, T> {
    pub(crate) symbols: &'t [T],
    /// Symbols of both are below it.
    pub(crate) alphabet: u32,
    /// Columns of all parts.
    pub(crate) columns: u64,
}

/// A part of a text on the device: the address of its symbols, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) address: u64,
    pub(crate) count: u64,
}

/// Where the last rows of all slices are: words of 32 columns, `hn:hp` with the first column highest.
pub(crate) struct LastRows {
    borders: CudaSlice<u64>,
    /// Words before the first slice's, and from one slice's to the next one's.
    before: u64,
    pub(crate) apart: u64,
}

impl LastRows {
    /// Address of the first slice's.
    pub(crate) fn address(&self, session: &Session) -> u64 {
        session.address(&self.borders) + 8 * self.before
    }
}

impl<'a> LongPatternSearch<'a> {
    /// Brings a pattern, which is not empty, to the device.
    ///
    /// # Errors
    /// `TooLarge` where it is too long or has too many distinct symbols; `Stopped`; `Engine` when the device fails.
    pub(crate) fn new<T: DeviceSymbol>(gpu: &'a Gpu, run: &'a Run<'a>, form: Form, pattern: LongPattern<T>) -> Result<Self, Halt> {
        let LongPattern { symbols, alphabet, columns } = pattern;
        let len = symbols.len() as u64;
        within(large::SYMBOLS, len, MOST_SYMBOLS)?;
        within(large::DISTINCT, alphabet.into(), MOST_DISTINCT)?;
        let mut session = Session::new(gpu, run)?;
        let rows = session.text(symbols)?;
        if len * columns > LARGE {
            session.give_way();
        }
        Ok(Self {
            gpu,
            run,
            session,
            form,
            planes: planes(alphabet),
            rows,
            len,
            size: T::BYTES as u32,
            bytes: u64::MAX,
            #[cfg(test)]
            fixed: None,
        })
    }

    /// Symbols of the pattern.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of a symbol.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// The job that it is for.
    pub(crate) fn run(&self) -> &'a Run<'a> {
        self.run
    }

    /// Where it computes.
    pub(crate) fn session(&self) -> &Session<'a> {
        &self.session
    }

    /// Leaves the device to brief jobs, however little there is to do.
    #[cfg(test)]
    pub(crate) fn give_way(&mut self) {
        self.session.give_way();
    }

    /// Words of a lane that there are kernels for.
    #[cfg(test)]
    pub(crate) fn words(&self) -> Vec<u32> {
        self.form.fitting(self.planes).map(|layout| layout.words).collect()
    }

    /// How a part is swept, and the bytes that this takes.
    ///
    /// # Errors
    /// The least number of bytes that it needs, where that is more than it may take.
    pub(crate) fn cut(&self, stretch: Stretch) -> Result<(Cut, u64), u64> {
        self.cut_within(stretch, self.bytes)
    }

    /// As [`cut`](Self::cut), in so many bytes.
    ///
    /// # Errors
    /// As `cut`.
    pub(crate) fn cut_within(&self, stretch: Stretch, bytes: u64) -> Result<(Cut, u64), u64> {
        let device = DeviceLimits { bytes, ..DeviceLimits::of(self.gpu) };
        #[cfg(test)]
        if let Some(Fixed { words, slices, multiprocessors }) = self.fixed {
            let layout = self.form.fitting(self.planes).find(|layout| layout.words == words).expect("a variant");
            let cut = Cut::new(layout, stretch, slices, DeviceLimits { multiprocessors, ..device });
            return Ok((cut, cut.bytes()));
        }
        Cut::choose(&self.form, self.planes, stretch, device).map(|cut| (cut, cut.bytes()))
    }

    /// Sweeps a part, and tells the run of so many cells.
    ///
    /// # Errors
    /// `Stopped`; `Engine` when the device fails.
    pub(crate) fn sweep(&mut self, cut: &Cut, columns: Columns, cells: u64) -> Result<LastRows, Halt> {
        let layout = cut.layout;
        let source = self.form.source(&layout);
        let sweep = self.session.kernel(&source, "sweep")?;
        self.session.reset()?;
        let rows = self.session.room::<u32>((cut.bands * cut.band_words()) as usize)?;
        let text = self.session.room::<u32>(cut.text_words() as usize * layout.text_words as usize)?;
        let borders = self.session.ones::<u64>((u64::from(cut.slices) * cut.border_words()) as usize)?;
        self.pack(cut, columns, &rows, &text)?;
        let pass = |slice: u32| Pass {
            rows: self.session.address(&rows),
            text: self.session.address(&text) + 4 * u64::from(slice * cut.own) * u64::from(layout.text_words),
            borders: self.session.address(&borders) + 8 * u64::from(slice) * cut.border_words(),
            record: 0,
            bands: cut.bands.into(),
        };
        let passes = self.session.values(&(0..cut.slices).map(pass).collect::<Vec<_>>())?;
        let nothing = Pass { rows: 0, text: 0, borders: 0, record: 0, bands: 0 };
        let job = SweepArguments {
            pass: [nothing; 2],
            alone: self.session.address(&passes),
            control: self.session.control(),
            board: self.session.board(),
            state: 0,
            counts: cut.counts(),
            low: -FAR,
            high: FAR,
            tickets: cut.tickets(),
            words: cut.width(),
            slots: cut.slots,
            stride: cut.width(),
            two: 2,
            resumes: 0,
        };
        let launch = Launch { blocks: [cut.blocks, 1], threads: cut.warps * 32, shared: cut.warps * layout.shared };
        // SAFETY: `tickets` is `bands` of each of the slices, every one of which has `width` words of the text and `slots` border rows
        // of as many words; its bands read and write only those, modulo `slots`.
        unsafe { job.run(&mut self.session, &sweep, launch, cells)? };
        Ok(LastRows { borders, before: u64::from((cut.bands - 1) % cut.slots) * u64::from(cut.width()), apart: cut.border_words() })
    }

    /// Packs the pattern below rows that are none, and the text from the first slice on.
    fn pack(&self, cut: &Cut, columns: Columns, rows: &CudaSlice<u32>, text: &CudaSlice<u32>) -> Result<(), Halt> {
        let source = self.form.source(&cut.layout);
        let strip = Strip {
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
        let launch = |words: u32| Launch { blocks: [words.div_ceil(PACK), 1], threads: PACK, shared: 0 };
        let kernel = self.session.kernel(&source, "pack_rows")?;
        // SAFETY: a thread for each of `words` groups of planes, and a symbol is read only below `length`.
        unsafe { self.session.launch_as(&kernel, launch(strip.words), strip)? };
        let first = u64::from(cut.begin) * 32;
        let strip = Strip {
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
