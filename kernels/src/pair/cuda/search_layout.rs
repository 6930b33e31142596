//! Search layout: divides a search among the warps of a GPU, as row bands of its pattern and slices of the text. These
//! choices change the time, never the result.
//!
//! Bands wait for each other, so that a pattern of few bands keeps few warps busy. Slices do not wait for each other,
//! but each slice begins with warm-up columns that other slices sweep too.

use super::KernelSpec;
use super::kernel_spec::KernelVariant;
use super::shape::{DeviceLimits, FOLLOW_BLOCKS, SCHEDULERS, height};

/// Maximum number of row bands per warp with which numbers of slices are tried. With more slices, more warps are busy
/// in the last round, but more warm-up columns are swept.
const MAX_BAND_ROUNDS: u32 = 4;

/// A part of a text in which a pattern is searched. A word is 32 columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchSection {
    /// Number of rows, which is the length of the pattern, at least 1.
    pub(crate) rows: u64,
    /// Number of words (of 32 columns) in the part.
    pub(crate) words: u64,
    /// Number of words (of 32 columns) of the part before the first word whose results are requested. They are swept
    /// for warm-up only.
    pub(crate) skip: u64,
    /// Number of preceding words (of 32 columns) on which the values of a word depend.
    pub(crate) lead: u64,
}

/// The layout in which a part of a text is swept: slices of the text, and row bands of the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SearchLayout {
    /// Variant of the kernel that sweeps the part.
    pub(super) layout: KernelVariant,
    /// Number of warps in a block.
    pub(super) warps: u32,
    /// Number of blocks, at most one for each multiprocessor.
    pub(super) blocks: u32,
    /// Number of row bands into which the pattern is cut.
    pub(super) bands: u32,
    /// Number of padding rows above the first row, which make the first band as high as all others.
    pub(super) before: u32,
    /// Number of border rows (last rows of bands) for which a slice has memory: all, or one more than there are warps,
    /// used as a ring.
    pub(super) slots: u32,
    /// Number of slices into which the part is cut.
    pub(crate) slices: u32,
    /// Number of words (of 32 columns) of the part before the first slice. Each slice begins `own` words after the
    /// previous one.
    pub(crate) begin: u32,
    /// Number of warm-up words (of 32 columns) at the beginning of each slice.
    pub(crate) lead: u32,
    /// Number of words (of 32 columns) in each slice, after the warm-up words, whose results are used.
    pub(crate) own: u32,
}

impl SearchLayout {
    /// Chooses the layout with the least expected time for the part `stretch`, of those that fit in the memory of
    /// `device`. `planes` is the number of bits of a symbol number.
    ///
    /// # Errors
    /// Returns the least number of bytes that any layout needs.
    pub(super) fn choose(form: &KernelSpec, planes: u32, stretch: SearchSection, device: DeviceLimits) -> Result<Self, u64> {
        let all: Vec<Self> = form
            .fitting(planes)
            .filter(|layout| layout.warps_on(&device) > 0)
            .flat_map(|layout| Self::all(layout, stretch, device))
            .collect();
        let fitting = all.iter().filter(|cut| cut.bytes() <= device.bytes);
        let fastest = fitting.min_by(|one, other| one.clocks().total_cmp(&other.clocks()));
        fastest.copied().ok_or_else(|| all.iter().map(Self::bytes).min().unwrap_or(0))
    }

    /// Lists the candidate layouts of the part `stretch` for the kernel variant `layout`, within the limits of
    /// `device`.
    fn all(layout: KernelVariant, stretch: SearchSection, device: DeviceLimits) -> impl Iterator<Item = Self> {
        let bands = stretch.rows.div_ceil(height(layout));
        [SCHEDULERS, 2 * SCHEDULERS].into_iter().flat_map(move |warps| {
            let warps = warps.min(layout.warps_on(&device));
            let filling = move |rounds| u64::from(rounds * warps * device.multiprocessors) / bands;
            let slices = (0..=MAX_BAND_ROUNDS).map(move |rounds| filling(rounds).clamp(1, stretch.words) as u32);
            slices.map(move |slices| Self::new(layout, stretch, slices, device).with_warps(warps, device))
        })
    }

    /// Cuts the part `stretch` into about `slices` slices, with the largest blocks that the kernel variant `layout` and
    /// the limits of `device` allow.
    pub(super) fn new(layout: KernelVariant, stretch: SearchSection, slices: u32, device: DeviceLimits) -> Self {
        let SearchSection { rows, words, skip, lead } = stretch;
        let bands = rows.div_ceil(height(layout));
        let begin = skip - skip.min(lead);
        let all = words - begin;
        let own = all.saturating_sub(lead).div_ceil(slices.max(1).into()).max(1);
        let slices = all.saturating_sub(lead).div_ceil(own).max(1);
        let (lead, own) = if slices == 1 { (0, all) } else { (lead, own) };
        let cut = Self {
            layout,
            warps: 1,
            blocks: 1,
            bands: bands as u32,
            before: (bands * height(layout) - rows) as u32,
            slots: 1,
            slices: slices as u32,
            begin: begin as u32,
            lead: lead as u32,
            own: own as u32,
        };
        cut.with_warps(layout.warps_on(&device).max(1), device)
    }

    fn with_warps(self, warps: u32, device: DeviceLimits) -> Self {
        let blocks = self.tickets().div_ceil(warps).min(device.multiprocessors);
        Self { warps, blocks, slots: self.bands.min(warps * blocks + 1), ..self }
    }

    /// Returns the number of row bands of all slices together, each of which one warp sweeps.
    pub(super) fn tickets(&self) -> u32 {
        self.slices * self.bands
    }

    /// Returns the number of words (of 32 columns) in a slice, including warm-up words.
    pub(super) fn width(&self) -> u32 {
        self.lead + self.own
    }

    /// Returns the number of words (of 32 columns) that all slices cover together.
    pub(super) fn text_words(&self) -> u32 {
        (self.slices - 1) * self.own + self.width()
    }

    /// Returns the number of 32-bit words that the bit planes of a band's rows take.
    pub(super) fn band_words(&self) -> u32 {
        32 * self.layout.words * self.layout.row_planes
    }

    /// Returns the number of 64-bit words that the border rows (last rows of bands) of a slice take.
    pub(super) fn border_words(&self) -> u64 {
        u64::from(self.slots) * u64::from(self.width())
    }

    /// Returns the GPU memory that a sweep takes, without the text, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let text = u64::from(self.text_words()) * u64::from(self.layout.text_words);
        let rows = u64::from(self.bands) * u64::from(self.band_words());
        8 * u64::from(self.slices) * self.border_words() + 4 * (text + rows)
    }

    /// Returns the final value of the kernel's progress counter. It rises by one for every 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        u64::from(self.tickets()) * u64::from(self.width())
    }

    /// Estimates the time of a sweep in clock cycles, by the formula of
    /// [`SweepShape::clocks`](super::shape::SweepShape::clocks).
    fn clocks(&self) -> f64 {
        let column = |warps: u32| self.layout.alone.max(f64::from(warps.div_ceil(self.blocks).div_ceil(SCHEDULERS)) * self.layout.busy);
        let at_once = (self.warps * self.blocks).min(self.tickets());
        let (lag, width) = (f64::from(32 * (self.layout.lag + FOLLOW_BLOCKS)), 32.0 * f64::from(self.width()));
        let waiting = f64::from(self.bands - 1) * lag + width + lag;
        let in_a_slice = f64::from(at_once.div_ceil(self.slices));
        let (rounds, rest) = (f64::from(self.tickets() / at_once), self.tickets() % at_once);
        let last = if rest > 0 { column(rest) } else { 0.0 };
        let working = (rounds * column(at_once) + last) * (width + lag) + column(at_once) * in_a_slice * lag;
        working.max(column(at_once) * waiting)
    }
}

#[cfg(test)]
mod tests;
