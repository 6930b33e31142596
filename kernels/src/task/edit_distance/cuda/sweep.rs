//! Sweep: one launch of the kernel over a pair, and where optimal paths cross its border rows.

use std::ops::Range;

use cudarc::driver::CudaSlice;

use super::shape::{Goal, Shape, source};
use crate::gpu::Gpu;
use crate::gpu::session::{Arguments, Session};
use crate::run::{Halt, Run};

/// Threads of a block that packs symbols, and of one that looks for a crossing.
const PACK: u32 = 128;
const CROSS: u32 = 1024;

#[derive(Clone, Copy)]
#[repr(C)]
struct Pass {
    rows: u64,
    text: u64,
    borders: u64,
    bands: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Job {
    pass: [Pass; 2],
    control: u64,
    board: u64,
    counts: u64,
    words: u32,
    slots: u32,
    two: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Strip {
    symbols: u64,
    planes: u64,
    length: u32,
    padded: u32,
    reversed: u32,
    words: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Cross {
    forward: u64,
    backward: u64,
    found: u64,
    columns: u32,
    words: u32,
    slots: u32,
    first: i32,
    last: i32,
}

// SAFETY: the same fields in the same order as `Sweep`, `Strip` and `Cross` in kernel.cu; the addresses are of buffers that
// `Grid::sweep` holds until the work stream is idle.
unsafe impl Arguments for Job {}
// SAFETY: as above.
unsafe impl Arguments for Strip {}
// SAFETY: as above.
unsafe impl Arguments for Cross {}

/// Where an optimal path crosses a border between bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crossing {
    /// Rows above it.
    pub(super) row: u64,
    /// Columns left of it; the leftmost of all optimal paths.
    pub(super) column: u64,
    /// Length of the whole path: the distance.
    pub(super) distance: u64,
}

/// Both texts on the device: the longer one as rows.
pub(super) struct Grid<'a> {
    gpu: &'a Gpu,
    run: &'a Run<'a>,
    session: Session<'a>,
    rows: CudaSlice<u8>,
    columns: CudaSlice<u8>,
}

impl<'a> Grid<'a> {
    pub(super) fn new(gpu: &'a Gpu, run: &'a Run<'a>, rows: &[u8], columns: &[u8]) -> Result<Self, Halt> {
        let session = Session::new(gpu, run)?;
        let (rows, columns) = (session.upload(rows)?, session.upload(columns)?);
        Ok(Self { gpu, run, session, rows, columns })
    }

    /// Sweeps the part of the pair that `shape` was chosen for. Returns a crossing for every border that its goal asks for,
    /// from the first row to the last.
    pub(super) fn sweep(&mut self, rows: Range<u64>, columns: Range<u64>, shape: &Shape) -> Result<Vec<Crossing>, Halt> {
        self.run.hold(shape.bytes());
        let crossings = self.swept(rows, columns, shape);
        self.run.release(shape.bytes());
        crossings
    }

    fn swept(&mut self, rows: Range<u64>, columns: Range<u64>, shape: &Shape) -> Result<Vec<Crossing>, Halt> {
        let variant = source(shape.words, shape.planes);
        let kernel = |name| self.gpu.kernel(&variant, name);
        let (pack_rows, pack_text, sweep, cross) = (kernel("pack_rows")?, kernel("pack_text")?, kernel("sweep")?, kernel("cross")?);
        let session = &mut self.session;
        session.reset()?;
        let (text_words, slots, [forward, backward]) = (shape.text_words() as u32, shape.slots(), shape.passes());

        let cells = shape.times() * (rows.end - rows.start) * (columns.end - columns.start);
        self.run.expect(cells);
        let mut buffers = Vec::new();
        let mut pass = |reversed: u32, bands: u32| -> Result<Pass, Halt> {
            let planes = [session.ones::<u32>(shape.row_words() as usize)?, session.ones(text_words as usize * shape.planes as usize)?];
            let borders = session.ones::<u64>(slots as usize * text_words as usize)?;
            let strips = [
                (&pack_rows, session.address(&self.rows), &rows, shape.rows, shape.rows as u32 / 32),
                (&pack_text, session.address(&self.columns), &columns, shape.columns, text_words),
            ];
            for ((kernel, symbols, range, padded, words), planes) in strips.into_iter().zip(&planes) {
                let strip = Strip {
                    symbols: symbols + range.start,
                    planes: session.address(planes),
                    length: (range.end - range.start) as u32,
                    padded: padded as u32,
                    reversed,
                    words,
                };
                // SAFETY: one thread for each of `words` groups of planes; threads beyond them return at once, and a
                // symbol is read only below `length`.
                unsafe { session.launch(kernel, words.div_ceil(PACK), PACK, strip)? };
            }
            let [rows, text] = [&planes[0], &planes[1]].map(|planes| session.address(planes));
            let pass = Pass { rows, text, borders: session.address(&borders), bands };
            buffers.push((planes, borders));
            Ok(pass)
        };
        let pass = [pass(0, forward)?, pass(1, backward)?];
        let job =
            Job { pass, control: session.control(), board: session.board(), counts: shape.counts(), words: text_words, slots, two: 2 };
        // SAFETY: the planes and `slots` border rows of `words` words of both passes were allocated above, and every band
        // reads and writes only rows of its pass, modulo `slots`.
        unsafe { session.launch(&sweep, shape.blocks, shape.warps * 32, job)? };
        session.watch(shape.counts(), cells)?;

        let (first, last, count) = match shape.goal {
            Goal::Middle => (forward - 1, backward as i32 - 1, 1),
            Goal::Borders => (0, backward as i32 - 2, shape.bands - 1),
        };
        if count == 0 {
            return Ok(Vec::new());
        }
        let found = session.ones::<i64>(2 * count as usize)?;
        let [forward, backward] = pass.map(|pass| pass.borders);
        let columns = shape.columns as u32;
        let job = Cross { forward, backward, found: session.address(&found), columns, words: text_words, slots, first: first as i32, last };
        // SAFETY: a block for each of `count` pairs of border rows, which the sweep has written; two results each.
        unsafe { session.launch(&cross, count, CROSS, job)? };
        let found = session.download(&found)?;
        let row = |at: usize| (u64::from(first) + at as u64 + 1) * shape.height();
        let crossing = |(at, pair): (usize, &[i64])| Crossing {
            row: row(at),
            column: pair[1].unsigned_abs(),
            distance: (shape.rows as i64 + pair[0]).unsigned_abs(),
        };
        Ok(found.chunks_exact(2).enumerate().map(crossing).collect())
    }
}
