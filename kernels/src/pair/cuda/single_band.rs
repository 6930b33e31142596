//! Single band: sweeps row bands one by one, each backwards from a point of an optimal path, for the traceback.

use cudarc::driver::CudaSlice;

use super::grid::{DeviceGrid, SweepArguments, SweepPass};
use super::shape::{DeviceLimits, SCHEDULERS};
use super::{DeviceWorkError, KernelVariant};
use crate::gpu::session::LaunchGrid;

/// A row band to sweep backwards, from a point of an optimal path up to the last row of the previous band. This sweep
/// has the opposite direction of the pass (the sweep of the whole matrix) that the band belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandStep {
    /// Pass that the band belongs to: 0 for the forward pass, 1 for the backward pass.
    pub(super) pass: usize,
    /// Number of the band, counted from the end of the text at which the pass begins.
    pub(super) band: u32,
    /// Column of the path's point, which lies on the band's last row.
    pub(super) column: u64,
}

/// GPU memory for the records of steps that single row bands write for the traceback.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandRecords {
    pub(super) address: u64,
    /// Size of the record of one band, in bytes.
    pub(super) each: u64,
}

/// Number of clock cycles below which a launch neither reports progress nor yields, because a launch this short ends
/// before that would help.
const MAX_BRIEF_CLOCKS: f64 = 5e6;

/// Estimates the number of clock cycles of a launch that sweeps `bands` bands over `width` blocks of 32 columns.
/// `layout` is the kernel variant, and `at_once` bands are swept at the same time.
fn clocks(layout: KernelVariant, width: u32, bands: u32, at_once: u32) -> f64 {
    let column = layout.alone.max(f64::from(layout.warps.div_ceil(SCHEDULERS)) * layout.busy);
    column * 32.0 * f64::from(width + layout.lag) * f64::from(bands.div_ceil(at_once.max(1)))
}

impl DeviceGrid<'_> {
    /// Sweeps a band for each of `steps`, from the step's point against the direction of its pass, over `width` blocks
    /// of 32 columns. Writes the records of all steps to `record` if given. Returns the last rows of all bands in one
    /// buffer, one after another.
    ///
    /// # Errors
    /// Returns `OutOfMemory` if the bands do not fit in memory together.
    pub(super) fn sweep_single(
        &mut self,
        steps: &[BandStep],
        width: u32,
        record: Option<BandRecords>,
    ) -> Result<CudaSlice<u64>, DeviceWorkError> {
        self.session.reset()?;
        let swept = self.swept()?;
        let (shape, part) = (swept.shape, &swept.part);
        let (layout, count) = (shape.layout, steps.len());
        let text = self.session.allocate_uninit::<u32>(count * width as usize * layout.text_words as usize)?;
        let borders = self.session.ones::<u64>(count * width as usize)?;
        let mut passes = Vec::with_capacity(count);
        for pass in 0..2 {
            let own: Vec<&BandStep> = steps.iter().filter(|step| step.pass == pass).collect();
            let at = |number: usize, bytes: u32| (number * width as usize) as u64 * u64::from(bytes);
            let planes = self.session.address(&text) + at(passes.len(), 4 * layout.text_words);
            let columns: Vec<i64> = own.iter().map(|step| (shape.columns - step.column) as i64).collect();
            self.pack_windows(&shape, part, 1 - pass as u32, &columns, width, planes)?;
            for BandStep { band, .. } in own {
                let opposite = u64::from(shape.bands - 1 - band) * shape.band_words() * 4;
                passes.push(SweepPass {
                    rows: self.session.address(&swept.rows[1 - pass]) + opposite,
                    text: self.session.address(&text) + at(passes.len(), 4 * layout.text_words),
                    borders: self.session.address(&borders) + at(passes.len(), 8),
                    record: record.map_or(0, |record| record.address + passes.len() as u64 * record.each),
                    bands: 1,
                });
            }
        }
        let alone = self.session.values(&passes)?;
        let nothing = SweepPass { rows: 0, text: 0, borders: 0, record: 0, bands: 0 };
        let job = SweepArguments {
            pass: [nothing; 2],
            alone: self.session.address(&alone),
            control: self.session.control(),
            board: self.session.board(),
            state: 0,
            counts: count as u64 * u64::from(width),
            low: -(1 << 40),
            high: 1 << 40,
            tickets: count as u32,
            words: width,
            slots: 1,
            stride: width,
            two: 2,
            resumes: 0,
        };
        let device = DeviceLimits::from_gpu(self.gpu);
        let warps = (count as u32).div_ceil(device.multiprocessors).clamp(1, layout.warps_on(&device).max(1));
        let blocks = (count as u32).div_ceil(warps).min(device.multiprocessors);
        let launch = LaunchGrid { blocks: [blocks, 1], threads: warps * 32, shared: warps * layout.shared };
        let kernel = self.kernel(if record.is_some() { "record" } else { "sweep" }, &shape)?;
        let session = &mut self.session;
        // SAFETY: each of `count` bands has its rows, `width` blocks of columns, and a border row of as many words. If
        // the kernel records, each band also has a record of all its steps.
        unsafe {
            if clocks(layout, width, count as u32, warps * blocks) < MAX_BRIEF_CLOCKS {
                session.register_brief();
                session.launch_as(&kernel, launch, job)?;
            } else if record.is_some() {
                job.run_whole(session, &kernel, launch)?;
            } else {
                job.run(session, &kernel, launch, 0)?;
            }
        }
        Ok(borders)
    }
}
