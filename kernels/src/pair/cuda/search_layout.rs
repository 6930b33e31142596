//! Search layout: how a search is laid over a device: the bands of its pattern, and slices of the text. Tuning: it changes the time, never
//! what is found.
//!
//! Bands wait for each other, so a pattern of few bands keeps few warps busy. Slices do not, and cost the columns that are swept
//! before each one's own.

use super::Form;
use super::form::Layout;
use super::shape::{DeviceLimits, SCHEDULERS, WAY, height};

/// How often all warps of a device may take a band: with more slices the last of them fills the device better.
const ROUNDS: u32 = 4;

/// A part of a text that is to be swept for a pattern, in words of 32 columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// Rows of the pattern, at least 1.
    pub(crate) rows: u64,
    /// Words of the part.
    pub(crate) words: u64,
    /// Words before those that are asked for.
    pub(crate) skip: u64,
    /// Words before each one that its values depend on, as far as they matter.
    pub(crate) lead: u64,
}

/// A part of a text in slices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// The kernel's variant.
    pub(super) layout: Layout,
    /// Warps of a block, and blocks, at most one for each multiprocessor.
    pub(super) warps: u32,
    pub(super) blocks: u32,
    /// Bands of the pattern, and rows on top that are none.
    pub(super) bands: u32,
    pub(super) before: u32,
    /// Border rows that a slice keeps: all, or one more than there are warps, used in a ring.
    pub(super) slots: u32,
    /// How many slices there are.
    pub(crate) slices: u32,
    /// First word of the first slice; the next one begins `own` words later.
    pub(crate) begin: u32,
    /// Words of a slice before its own, and its own. Those of the first slice begin with what is asked for.
    pub(crate) lead: u32,
    pub(crate) own: u32,
}

impl Cut {
    /// The one that is expected to take least time of those that fit in the device's memory.
    ///
    /// # Errors
    /// The least number of bytes that any of them needs.
    pub(super) fn choose(form: &Form, planes: u32, stretch: Stretch, device: DeviceLimits) -> Result<Self, u64> {
        let all: Vec<Self> = form
            .fitting(planes)
            .filter(|layout| layout.warps_on(&device) > 0)
            .flat_map(|layout| Self::all(layout, stretch, device))
            .collect();
        let fitting = all.iter().filter(|cut| cut.bytes() <= device.bytes);
        let fastest = fitting.min_by(|one, other| one.clocks().total_cmp(&other.clocks()));
        fastest.copied().ok_or_else(|| all.iter().map(Self::bytes).min().unwrap_or(0))
    }

    /// What comes into question with this layout.
    fn all(layout: Layout, stretch: Stretch, device: DeviceLimits) -> impl Iterator<Item = Self> {
        let bands = stretch.rows.div_ceil(height(layout));
        [SCHEDULERS, 2 * SCHEDULERS].into_iter().flat_map(move |warps| {
            let warps = warps.min(layout.warps_on(&device));
            let filling = move |rounds| u64::from(rounds * warps * device.multiprocessors) / bands;
            let slices = (0..=ROUNDS).map(move |rounds| filling(rounds).clamp(1, stretch.words) as u32);
            slices.map(move |slices| Self::new(layout, stretch, slices, device).with_warps(warps, device))
        })
    }

    /// In about so many slices, with as many warps a block as there can be.
    pub(super) fn new(layout: Layout, stretch: Stretch, slices: u32, device: DeviceLimits) -> Self {
        let Stretch { rows, words, skip, lead } = stretch;
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

    /// Bands of all slices.
    pub(super) fn tickets(&self) -> u32 {
        self.slices * self.bands
    }

    /// Words of a slice.
    pub(super) fn width(&self) -> u32 {
        self.lead + self.own
    }

    /// Words from the first one of the first slice to the last one of the last.
    pub(super) fn text_words(&self) -> u32 {
        (self.slices - 1) * self.own + self.width()
    }

    /// Words of the bit planes of a band's rows.
    pub(super) fn band_words(&self) -> u32 {
        32 * self.layout.words * self.layout.row_planes
    }

    /// Words of a slice's border rows.
    pub(super) fn border_words(&self) -> u64 {
        u64::from(self.slots) * u64::from(self.width())
    }

    /// Device memory that a sweep takes beside the text, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let text = u64::from(self.text_words()) * u64::from(self.layout.text_words);
        let rows = u64::from(self.bands) * u64::from(self.band_words());
        8 * u64::from(self.slices) * self.border_words() + 4 * (text + rows)
    }

    /// What the progress counter of a finished sweep says: a count is 32 columns of a band.
    pub(super) fn counts(&self) -> u64 {
        u64::from(self.tickets()) * u64::from(self.width())
    }

    /// Expected time in clocks of a multiprocessor, by the same reckoning as that of a pair.
    fn clocks(&self) -> f64 {
        let column = |warps: u32| self.layout.alone.max(f64::from(warps.div_ceil(self.blocks).div_ceil(SCHEDULERS)) * self.layout.busy);
        let at_once = (self.warps * self.blocks).min(self.tickets());
        let (lag, width) = (f64::from(32 * (self.layout.lag + WAY)), 32.0 * f64::from(self.width()));
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
