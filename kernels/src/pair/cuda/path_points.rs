//! Path points: from border rows to points of one optimal path on all of them, by steps that all bands take at once.
//!
//! The sweep knows the cost of every prefix on the border rows of the upper half, of every suffix on those of the lower one, and
//! where an optimal path crosses the middle. From a point on one border row the band behind it can be swept the other way, from
//! that point alone: the column of the next border row where the cost so far and the cost of that step add up to the point's own
//! cost lies on an optimal path to it. One such step after another would follow the path, but wait for each.
//!
//! So every border row begins with a guess: the column where the cost so far and the least cost that may follow are least. All
//! bands step back from their guesses at once; where a step ends becomes the next guess of that row, and bands whose point
//! has changed step again. Optimal paths that begin near each other soon run into one, so that a few rounds do. When nothing
//! changes any more, each point is the step of the next one, up to the middle, whose point is known: the chain is an optimal path.
//! At the worst each round makes one more band final.

use super::Interrupted;
use super::crossing_points::CheapestCrossing;
use super::grid::Grid;
use super::single_band::Step;
use crate::failure::Failure;

/// Where the path of a pass is believed to cross a border row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Columns before it, in its pass.
    pub(super) column: u64,
    /// Cost of the border row there.
    cost: i64,
    /// Blocks of columns that the band behind it has to look at from there; nothing when it has done so.
    looks: Option<u32>,
}

/// Where one optimal path crosses the border rows of the forward and of the backward pass, up to the middle. The last sweep has kept
/// all border rows. Takes about `room` bytes of the device's memory.
pub(super) fn links(grid: &mut Grid, room: u64) -> Result<[Vec<Link>; 2], Interrupted> {
    let middle = grid.middle()?;
    let swept = grid.swept()?;
    let (passes, columns, total) = (swept.shape.passes(), swept.shape.columns, swept.shape.rows);
    let starts = swept.starts.clone();
    let (row, column) = middle.point;
    let ends = [(row, column), (total - row, columns - column)];
    let costs = [middle.before, middle.cost - middle.before];

    // A step goes about as far to the left as it goes up; where texts differ in length, paths may lean.
    let (shape, width) = (swept.shape, swept.shape.usual_width());
    let link = |column, cost, at: u32| Link { column, cost, looks: (at > 0).then_some(width) };
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
        // Those that must look further come last: most of them were wrong guesses, which the others put right.
        let Some(width) = links.iter().flatten().filter_map(|link| link.looks).min() else { return Ok(links) };
        let stale = |pass: usize| {
            let steps = links[pass].iter().enumerate().filter(|(_, link)| link.looks == Some(width));
            steps.map(move |(border, link)| Step { pass, band: border as u32, column: link.column })
        };
        let steps: Vec<Step> = stale(0).chain(stale(1)).collect();
        // As many at a time as there is room for.
        let most = (room / shape.step_bytes(width, false)).max(1) as usize;
        for steps in steps.chunks(most) {
            grid.run().tick(0)?;
            for (step, found) in steps.iter().zip(grid.steps(steps, width)?) {
                let made = |column, above, at: u32| link(column, starts[step.pass][at as usize] + above, at);
                if !settle(&mut links[step.pass], step, found, made) {
                    if u64::from(width) * 32 > columns {
                        return Err(Failure::engine("The GPU engine failed its own check: a path ends nowhere.").into());
                    }
                    links[step.pass][step.band as usize].looks = Some(width * 2);
                }
            }
        }
    }
}

/// Takes the step from a link to the one before it, which is made of its column, the cost of its row there, and its number. False
/// when the step did not see the column where it ends.
fn settle(links: &mut [Link], step: &Step, found: CheapestCrossing, link: impl Fn(u64, i64, u32) -> Link) -> bool {
    let at = step.band as usize;
    if links[at].column != step.column {
        return true; // an earlier step of this round has moved the link: it steps again
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
