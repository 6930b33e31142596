//! Path points: finds the points of one optimal path on all border rows (last rows of bands), by steps that all bands
//! take at the same time.
//!
//! The sweep knows the cost of every prefix on the border rows of the upper half, of every suffix on those of the lower
//! half, and where an optimal path crosses the middle. From a point on one border row, the band behind it can be swept
//! in the opposite direction, from that point alone. Consider the column of the next border row at which the cost so
//! far plus the cost of that step equals the cost of the point. This column lies on an optimal path to the point. Steps
//! one after another would follow the path, but each would wait for the previous one.
//!
//! Therefore every border row begins with a guess: the column with the least sum of the cost so far and the least cost
//! that may follow. All bands step back from their guesses at the same time. The end of a step becomes the next guess
//! of the border row that it reaches, and bands whose point has changed step again. Optimal paths that begin near each
//! other soon meet, so that a few rounds suffice. When nothing changes any more, each point is the step of the next
//! one, up to the middle, whose point is known. The chain is therefore an optimal path. In the worst case each round
//! makes one more band final.

use super::DeviceWorkError;
use super::crossing_points::CheapestCrossing;
use super::grid::DeviceGrid;
use super::single_band::BandStep;
use crate::failure::JobFailure;

/// The assumed crossing of an optimal path with a border row (last row of a band), in the forward or the backward pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathLink {
    /// Number of columns before the crossing, counted from the end of the text at which the pass begins.
    pub(super) column: u64,
    /// Cost of a path from the start of the pass to the crossing.
    cost: i64,
    /// Number of 32-column blocks before the crossing in which to search for the crossing of the previous border row.
    /// `None` after this search, or if there is no previous border row.
    looks: Option<u32>,
}

/// Finds the crossings of one optimal path with the border rows (last rows of bands). Returns them for the forward and
/// for the backward pass, each up to the middle row. The last sweep must have kept all border rows. Takes about `room`
/// bytes of the GPU's memory.
pub(super) fn links(grid: &mut DeviceGrid, room: u64) -> Result<[Vec<PathLink>; 2], DeviceWorkError> {
    let middle = grid.middle()?;
    let swept = grid.swept()?;
    let (passes, columns, total) = (swept.shape.passes(), swept.shape.columns, swept.shape.rows);
    let starts = swept.starts.clone();
    let (row, column) = middle.point;
    let ends = [(row, column), (total - row, columns - column)];
    let costs = [middle.before, middle.cost - middle.before];

    // A step goes about as many columns to the left as rows up, and more columns if texts differ in length.
    let (shape, width) = (swept.shape, swept.shape.usual_width());
    let link = |column, cost, at: u32| PathLink { column, cost, looks: (at > 0).then_some(width) };
    let borders: Vec<(usize, u32)> = (0..2).flat_map(|pass| (1..passes[pass]).map(move |band| (pass, band - 1))).collect();
    let mut links = [Vec::new(), Vec::new()];
    if !borders.is_empty() {
        for (&(pass, border), found) in borders.iter().zip(grid.guesses(&borders, ends)?) {
            links[pass].push(link(found.column, starts[pass][border as usize] + found.above, border));
        }
    }
    for pass in (0..2).filter(|&pass| passes[pass] > 0) {
        links[pass].push(link(ends[pass].1, costs[pass], passes[pass] - 1));
    }
    loop {
        // Links that need a wider search come last, because most of them were wrong guesses that other links correct.
        let Some(width) = links.iter().flatten().filter_map(|link| link.looks).min() else { return Ok(links) };
        let stale = |pass: usize| {
            let steps = links[pass].iter().enumerate().filter(|(_, link)| link.looks == Some(width));
            steps.map(move |(border, link)| BandStep { pass, band: border as u32, column: link.column })
        };
        let steps: Vec<BandStep> = stale(0).chain(stale(1)).collect();
        // The number of steps at once is limited by the available memory.
        let most = (room / shape.step_bytes(width, false)).max(1) as usize;
        for steps in steps.chunks(most) {
            grid.run().tick(0)?;
            for (step, found) in steps.iter().zip(grid.steps(steps, width)?) {
                let made = |column, above, at: u32| link(column, starts[step.pass][at as usize] + above, at);
                if !settle(&mut links[step.pass], step, found, made) {
                    if u64::from(width) * 32 > columns {
                        return Err(JobFailure::engine("The GPU engine failed its own check: a path ends nowhere.").into());
                    }
                    links[step.pass][step.band as usize].looks = Some(width * 2);
                }
            }
        }
    }
}

/// Updates `links` by `found`, the result of the search `step`:
///
/// - If another step has moved the link of the step's band, changes nothing and returns `true`.
/// - If the search was too narrow to reach the column at which the path enters the band, changes nothing and returns
///   `false`.
/// - Otherwise marks the link of the step's band as searched and returns `true`. If the previous link has another
///   column than `found`, replaces it by `link(column, cost, number)`.
fn settle(links: &mut [PathLink], step: &BandStep, found: CheapestCrossing, link: impl Fn(u64, i64, u32) -> PathLink) -> bool {
    let at = step.band as usize;
    if links[at].column != step.column {
        return true; // an earlier step of this round has moved the link, so that it steps again
    }
    if found.cost > links[at].cost {
        return false;
    }
    links[at].looks = None;
    if links[at - 1].column != found.column {
        links[at - 1] = link(found.column, found.above, step.band - 1);
    }
    true
}
