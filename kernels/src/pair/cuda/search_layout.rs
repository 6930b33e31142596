//! Search layout: places a search on a device, as bands of its pattern and slices of the text. These choices change the
//! time, never the result.
//!
//! Bands wait for each other, so that a pattern of few bands keeps few warps busy. Slices do not wait for each other,
//! but each costs the warm-up columns before its own.

use super::KernelSpec;
use super::form::KernelVariant;
use super::shape::{DeviceLimits, FOLLOW_BLOCKS, SCHEDULERS, height};

/// Maximum number of bands per warp for which the number of slices is chosen. With more slices, more warps are busy in
/// the last round, but more warm-up columns are swept.
const MAX_BAND_ROUNDS: u32 = 4;

/// A part of a text to sweep for a pattern. Columns are counted in words of 32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchSection {
    /// Number of rows, which is the length of the pattern, at least 1.
    pub(crate) rows: u64,
    /// Number of words in the part.
    pub(crate) words: u64,
    /// Number of words before the requested ones, for warm-up.
    pub(crate) skip: u64,
    /// Number of preceding words on which the values of a word depend.
    pub(crate) lead: u64,
}

/// The layout in which a part of a text is swept: slices of the text, and bands of the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SearchLayout {
    /// Variant of the kernel that sweeps.
    pub(super) layout: KernelVariant,
    /// Number of warps in a block.
    pub(super) warps: u32,
    /// Number of blocks, at most one for each multiprocessor.
    pub(super) blocks: u32,
    /// Number of bands into which the pattern is cut.
    pub(super) bands: u32,
    /// Number of padding rows above the first row, which complete the first band.
    pub(super) before: u32,
    /// Number of border rows (last rows of bands) that a slice keeps: all, or one more than there are warps, used as a
    /// ring.
    pub(super) slots: u32,
    /// Number of slices.
    pub(crate) slices: u32,
    /// First word of the first slice. Each slice begins `own` words after the previous one.
    pub(crate) begin: u32,
    /// Number of warm-up words at the beginning of each slice. The results of the first slice begin with the first
    /// requested word.
    pub(crate) lead: u32,
    /// Number of words in each slice whose results count, after the warm-up words.
    pub(crate) own: u32,
}

impl SearchLayout {
    /// Chooses the layout with the least expected time, of those that fit in the memory of `device`.
    ///
    /// # Errors
    /// Returns the least number of bytes that any cut needs.
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

    /// Lists the candidate layouts for one variant of the kernel.
    fn all(layout: KernelVariant, stretch: SearchSection, device: DeviceLimits) -> impl Iterator<Item = Self> {
        let bands = stretch.rows.div_ceil(height(layout));
        [SCHEDULERS, 2 * SCHEDULERS].into_iter().flat_map(move |warps| {
            let warps = warps.min(layout.warps_on(&device));
            let filling = move |rounds| u64::from(rounds * warps * device.multiprocessors) / bands;
            let slices = (0..=MAX_BAND_ROUNDS).map(move |rounds| filling(rounds).clamp(1, stretch.words) as u32);
            slices.map(move |slices| Self::new(layout, stretch, slices, device).with_warps(warps, device))
        })
    }

    /// Cuts the part `stretch` into about `slices` slices, with the largest blocks that the variant `layout` and the
    /// device allow.
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

    /// Returns the number of bands in all slices together.
    pub(super) fn tickets(&self) -> u32 {
        self.slices * self.bands
    }

    /// Returns the number of words in a slice, including warm-up words.
    pub(super) fn width(&self) -> u32 {
        self.lead + self.own
    }

    /// Returns the number of words that all slices cover together.
    pub(super) fn text_words(&self) -> u32 {
        (self.slices - 1) * self.own + self.width()
    }

    /// Returns the number of words for the bit planes of a band's rows.
    pub(super) fn band_words(&self) -> u32 {
        32 * self.layout.words * self.layout.row_planes
    }

    /// Returns the number of words for the border rows of a slice.
    pub(super) fn border_words(&self) -> u64 {
        u64::from(self.slots) * u64::from(self.width())
    }

    /// Returns the device memory that a sweep takes, without the text, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let text = u64::from(self.text_words()) * u64::from(self.layout.text_words);
        let rows = u64::from(self.bands) * u64::from(self.band_words());
        8 * u64::from(self.slices) * self.border_words() + 4 * (text + rows)
    }

    /// Returns the final value of the kernel's progress counter, which counts every 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        u64::from(self.tickets()) * u64::from(self.width())
    }

    /// Estimates the time of a sweep in clocks, by the formula of
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
