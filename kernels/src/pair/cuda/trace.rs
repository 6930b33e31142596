//! Trace: finds the edits of an optimal path on the GPU, one band of rows after another. The path's column at the last
//! row of every band is known (its point). From there, each band is computed again on its own with a record of every
//! step, and a warp follows the record back. Bands whose records do not fit in memory together are processed in
//! batches. A band whose own record does not fit is aligned by the host.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::DeviceRepr;

use super::DeviceWorkError;
use super::grid::DeviceGrid;
use super::path_points::PathLink;
use super::single_band::{BandRecords, BandStep};
use crate::gpu::session::{KernelArguments, LaunchGrid};

/// Maximum memory for the records of one batch of bands, in bytes. Larger batches would be no faster.
const MAX_RECORD_BYTES: u64 = 16 << 30;
/// Number of threads in a block of the kernel that follows records back. Each band takes one warp.
const WALK_THREADS: u32 = 128;

#[derive(Clone, Copy)]
#[repr(C)]
struct TracePiece {
    record: u64,
    edits: u64,
    row: i64,
    column: i64,
    height: u32,
    width: u32,
    towards: i32,
    spare: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct WalkArguments {
    rows: u64,
    columns: u64,
    pieces: u64,
    lens: u64,
    size: u32,
    count: u32,
}

// SAFETY: the same fields in the same order as the structs `Walk` and `Piece` in paths.cuh, without padding; the
// addresses are of buffers that live until the work stream has passed the launch.
unsafe impl KernelArguments for WalkArguments {}
// SAFETY: plain numbers without padding.
unsafe impl DeviceRepr for TracePiece {}

/// A section of an optimal path between two of its points, that is, between the last rows of two neighbouring bands.
#[derive(Clone, Debug)]
pub(super) struct PathPart {
    /// Rows that the section covers.
    pub(super) rows: Range<u64>,
    /// Columns that the section covers.
    pub(super) columns: Range<u64>,
    /// Edits of the section, or `None` if the host has to find them.
    pub(super) edits: Option<TracedEdits>,
}

/// Edits of a section that the GPU has traced, as a range of a buffer that several sections share.
#[derive(Clone, Debug)]
pub(super) struct TracedEdits {
    all: Arc<Vec<u8>>,
    own: Range<usize>,
    /// Whether the edits are stored from the end of the section to its start.
    pub(super) reversed: bool,
}

impl TracedEdits {
    /// Returns the edits in the order in which they are stored, one byte each: 0 for equal symbols, 1 for a
    /// substitution, 2 for an insertion, 3 for a deletion.
    pub(super) fn edits(&self) -> &[u8] {
        &self.all[self.own.clone()]
    }
}

impl PathPart {
    /// Returns the section moved by `rows` rows down and `columns` columns to the right.
    pub(super) fn moved(self, rows: u64, columns: u64) -> Self {
        let by = |range: Range<u64>, offset| range.start + offset..range.end + offset;
        Self { rows: by(self.rows, rows), columns: by(self.columns, columns), edits: self.edits }
    }
}

/// A section of an optimal path inside one row band, to be traced on the GPU.
struct BandTrace {
    step: BandStep,
    /// Number of rows of the section.
    height: u64,
    /// Number of columns of the section.
    width: u64,
}

/// Traces the path through the crossings `links` of the last sweep: those of the forward pass in order, then those of
/// the backward pass in order. Returns the sections of the path from the first row to the last, in positions of the
/// swept part of the matrix. Takes about `room` bytes of the GPU's memory, or less if other jobs have taken some.
///
/// # Errors
/// Returns `OutOfMemory` if a single band of usual width does not fit.
pub(super) fn parts(grid: &mut DeviceGrid, links: &[Vec<PathLink>; 2], room: u64) -> Result<Vec<PathPart>, DeviceWorkError> {
    let shape = grid.swept()?.shape;
    let [m, n] = grid.swept()?.lens();
    let height = shape.height();
    // First row and column of each pass in the texts. The backward pass begins with padding.
    let corners = [(0, 0), (shape.rows - m, shape.columns - n)];
    let column = |pass: usize, link: &PathLink| match pass {
        0 => link.column.min(n),
        _ => link.column.max(corners[1].1),
    };
    let mut ways = Vec::new();
    for pass in 0..2 {
        for (band, link) in links[pass].iter().enumerate() {
            let (row, at) = ((band as u64 + 1) * height, column(pass, link));
            let end = match band.checked_sub(1) {
                Some(before) => (row - height, column(pass, &links[pass][before])),
                None => corners[pass],
            };
            ways.push(BandTrace { step: BandStep { pass, band: band as u32, column: at }, height: row - end.0, width: at - end.1 });
        }
    }
    let mut edits: Vec<Option<TracedEdits>> = vec![None; ways.len()];
    let mut budget = MAX_RECORD_BYTES.min(room);
    let mut from = 0;
    while from < ways.len() {
        // A batch takes as many bands as fit. All its windows are as wide as the widest one.
        let (mut to, mut width) = (from, 0);
        while let Some(way) = ways.get(to) {
            let wider = width.max((way.width.div_ceil(32) as u32).max(1));
            if shape.step_bytes(wider, true) * (to - from + 1) as u64 > budget {
                break;
            }
            (to, width) = (to + 1, wider);
        }
        if to == from {
            from += 1; // too wide for any record
            continue;
        }
        grid.run().tick(0)?;
        match batch(grid, &ways[from..to], width) {
            Ok(found) => edits[from..to].iter_mut().zip(found).for_each(|(into, found)| *into = Some(found)),
            Err(DeviceWorkError::OutOfMemory(_)) if budget / 2 >= shape.step_bytes(shape.usual_width(), true) => {
                budget = (shape.step_bytes(width, true) * (to - from) as u64 / 2).max(shape.step_bytes(shape.usual_width(), true));
                continue;
            }
            Err(interrupted) => return Err(interrupted),
        }
        from = to;
    }
    let part = |(way, edits): (&BandTrace, Option<TracedEdits>)| {
        let BandStep { pass, band, column } = way.step;
        let row = (u64::from(band) + 1) * height;
        if pass == 0 {
            return PathPart { rows: row - way.height..row, columns: column - way.width..column, edits };
        }
        let (row, column) = (shape.rows - row, shape.columns - column);
        let edits = edits.map(|edits| TracedEdits { reversed: true, ..edits });
        PathPart { rows: row..row + way.height, columns: column..column + way.width, edits }
    };
    let mut parts: Vec<PathPart> = ways.iter().zip(edits).map(part).collect();
    parts[links[0].len()..].reverse();
    Ok(parts)
}

/// Traces the edits inside the bands of `ways`, which are computed again over `width` blocks of 32 columns. Returns the
/// edits of each band.
fn batch(grid: &mut DeviceGrid, ways: &[BandTrace], width: u32) -> Result<Vec<TracedEdits>, DeviceWorkError> {
    let steps: Vec<BandStep> = ways.iter().map(|way| way.step).collect();
    let shape = grid.swept()?.shape;
    let each = shape.record_bytes(width);
    let records = grid.session().allocate_uninit::<u8>(each as usize * ways.len())?;
    let record = BandRecords { address: grid.session().address(&records), each };
    grid.sweep_single(&steps, width, Some(record))?;

    let lens: Vec<usize> = ways.iter().map(|way| (way.height + way.width) as usize).collect();
    let edits = grid.session().ones::<u8>(lens.iter().sum())?;
    let mut at = grid.session().address(&edits);
    let mut pieces = Vec::with_capacity(ways.len());
    for (number, (way, len)) in ways.iter().zip(&lens).enumerate() {
        let row = (u64::from(way.step.band) + 1) * shape.height();
        let (towards, row, column) = match way.step.pass {
            0 => (-1, row, way.step.column),
            _ => (1, shape.rows - row, shape.columns - way.step.column),
        };
        pieces.push(TracePiece {
            record: record.address + number as u64 * each,
            edits: at,
            row: row as i64,
            column: column as i64,
            height: way.height as u32,
            width: way.width as u32,
            towards,
            spare: 0,
        });
        at += *len as u64;
    }
    let session = grid.session();
    let (uploaded, found) = (session.values(&pieces)?, session.allocate_uninit::<u32>(pieces.len())?);
    let [rows, columns] = grid.symbols()?;
    let (size, count) = (grid.symbol_size(), pieces.len() as u32);
    let job = WalkArguments { rows, columns, pieces: session.address(&uploaded), lens: session.address(&found), size, count };
    let launch = LaunchGrid { blocks: [count.div_ceil(WALK_THREADS / 32), 1], threads: WALK_THREADS, shared: 0 };
    // SAFETY: a warp for each of `count` pieces. The end point lies inside the band and its window, so that the record
    // has every cell of the path, and the path has at most as many edits as rows and columns.
    unsafe { session.launch_as(&grid.kernel("walk", &shape)?, launch, job)? };
    let (found, edits) = (session.download(&found)?, session.download(&edits)?);
    let all = Arc::new(edits);
    let mut from = 0;
    let one = |(&room, len): (&usize, u32)| {
        let own = from..from + (len as usize).min(room);
        from += room;
        TracedEdits { all: all.clone(), own, reversed: false }
    };
    Ok(lens.iter().zip(found).map(one).collect())
}
