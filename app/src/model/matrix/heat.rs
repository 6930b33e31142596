//! A matrix of up to 2,000 symbols per text as a picture: the shade of each cell ([`shades`]), and the camera over the
//! picture ([`Camera`]).

use explain::matrix::order::FillSteps;
use explain::matrix::{DpMatrix, MatrixCell};
use kernels::job::{EditCosts, Points, Task};

use super::MatrixBoard;

/// The quantity that the shade of a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HeatQuantity {
    /// The value of the cell.
    Value,
    /// The difference between the value of the cell and the best value that any texts could have in this cell. It is
    /// small, and so the shade is light, along the diagonals of similar parts of the texts.
    #[default]
    Excess,
}

/// Returns a shade for each cell, row by row, proportional to the quantity `heat`: 0 for none, 255 for the greatest
/// quantity in the matrix.
pub fn shades(board: &MatrixBoard, heat: HeatQuantity) -> Vec<u8> {
    let matrix = &board.matrix;
    let value = |cell: MatrixCell| matrix.value(matrix.best_of(cell)).number().unwrap_or_default();
    let mut values: Vec<Points> = matrix.cells().map(value).collect();
    if heat == HeatQuantity::Excess {
        let best = values.iter().copied().max().unwrap_or_default();
        values.iter_mut().zip(matrix.cells()).for_each(|(value, cell)| *value = excess(matrix, cell, *value, best));
    }
    // Only scores are below 0.
    let least = values.iter().copied().min().unwrap_or_default().min(Points::ZERO);
    let most = (values.iter().copied().max().unwrap_or_default() - least).tenths().max(1);
    values.into_iter().map(|value| ((value - least).tenths() * 255 / most) as u8).collect()
}

/// Returns how many cells of row `i` are filled, counted from the left: the number before step `step`, and the number
/// after it. `columns` is the number of the last column.
///
/// All orders that fill every cell fill a row from left to right. Returns `None` for an order that omits cells. Callers
/// then query every cell.
pub fn filled_of_row(steps: &FillSteps, i: usize, columns: usize, step: usize) -> Option<(usize, usize)> {
    if steps.filled() < steps.cells_of_matrix() {
        return None;
    }
    let by = |step: usize| {
        let (mut from, mut to) = (0, columns + 1);
        while from < to {
            let j = from + (to - from) / 2;
            if steps.step_of(MatrixCell { i, j }).is_some_and(|at| at <= step) { from = j + 1 } else { to = j }
        }
        from
    };
    Some((by(step.saturating_sub(1)), by(step)))
}

/// Returns the distance between labels on an axis, in symbols: a round number for which labels are at least `pixels`
/// pixels apart. `scale` is the size of a cell, in pixels.
pub fn between_ticks(scale: f64, pixels: f64) -> usize {
    let least = (pixels / scale).max(1.0);
    let ten = 10f64.powf(least.log10().floor());
    let rounds = [1.0, 2.0, 5.0, 10.0].into_iter().map(|round| round * ten);
    rounds.into_iter().find(|&round| round >= least - 1e-9).unwrap_or(10.0 * ten).round() as usize
}

/// Returns by how much the value `value` of `cell` is worse than the best value that any texts could have in this cell.
/// Local scores have no limit in a cell, so that they are compared with `best`, the best value of the matrix.
fn excess(matrix: &DpMatrix, MatrixCell { i, j }: MatrixCell, value: Points, best: Points) -> Points {
    match matrix.task() {
        Task::EditDistance => {
            // Other edits than these insertions or deletions do not change the difference of the lengths.
            let EditCosts { insert, delete, .. } = matrix.costs();
            let least = u64::from(insert) * j.saturating_sub(i) as u64 + u64::from(delete) * i.saturating_sub(j) as u64;
            value - Points::from(least as i64)
        }
        Task::ApproximateSearch => value,
        Task::SequenceAlignment => best - value,
        Task::Lcs | Task::MatchCount => Points::from(i.min(j) as i64) - value,
        Task::ExactSearch => Points::whole(1) - value,
    }
}

/// The camera over the picture: the point in the middle of the frame, and the size of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Column in the middle, as a fractional number of cells from the left edge of the matrix.
    pub x: f64,
    /// Row in the middle, as a fractional number of cells from the upper edge of the matrix.
    pub y: f64,
    /// Size of a cell, in pixels.
    pub scale: f64,
}

/// The area of the page that shows the picture of a matrix, and the size of this matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatFrame {
    /// Width of the area, in pixels.
    pub width: f64,
    /// Height of the area, in pixels.
    pub height: f64,
    /// Number of columns of the matrix, including the first one for the empty prefix.
    pub columns: f64,
    /// Number of rows of the matrix, including the first one for the empty prefix.
    pub rows: f64,
}

/// Maximum size of a cell, in pixels.
const MAX_CELL_PIXELS: f64 = 48.0;

impl HeatFrame {
    /// Returns the camera that shows the whole matrix in the area.
    pub fn fit(&self) -> Camera {
        Camera { x: self.columns / 2.0, y: self.rows / 2.0, scale: self.least() }
    }

    /// Returns the greatest size of a cell, in pixels, at which the whole matrix fits into the area. It is at most
    /// [`MAX_CELL_PIXELS`].
    fn least(&self) -> f64 {
        (self.width / self.columns).min(self.height / self.rows).min(MAX_CELL_PIXELS)
    }

    /// Returns `camera`, possibly one for another matrix, with position and scale clamped so that it shows a part of
    /// this matrix.
    pub fn clamp_camera(&self, camera: Camera) -> Camera {
        self.clamp_position(Camera { scale: camera.scale.clamp(self.least(), MAX_CELL_PIXELS), ..camera })
    }

    /// Returns `camera` zoomed by `factor`, as far as the limits allow. A factor above 1 makes cells larger. The cell
    /// under the point `(px, py)` of the area, in pixels, stays there if possible.
    pub fn zoom(&self, camera: Camera, factor: f64, (px, py): (f64, f64)) -> Camera {
        let scale = (camera.scale * factor).clamp(self.least(), MAX_CELL_PIXELS);
        let (x, y) = self.position_at(camera, (px, py));
        self.clamp_position(Camera { x: x - (px - self.width / 2.0) / scale, y: y - (py - self.height / 2.0) / scale, scale })
    }

    /// Returns `camera` after the picture was moved by `dx` pixels to the right and `dy` pixels down, as far as it
    /// still fills the area.
    pub fn pan(&self, camera: Camera, (dx, dy): (f64, f64)) -> Camera {
        self.clamp_position(Camera { x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale, ..camera })
    }

    /// Returns the column and the row under the point `(px, py)` of the area, in pixels, as fractional numbers of
    /// cells.
    pub fn position_at(&self, camera: Camera, (px, py): (f64, f64)) -> (f64, f64) {
        (camera.x + (px - self.width / 2.0) / camera.scale, camera.y + (py - self.height / 2.0) / camera.scale)
    }

    /// Returns the cell under `point`, in pixels from the upper left corner of the area. The point may be outside of
    /// the area. Returns `None` if it is outside of the matrix.
    pub fn cell(&self, camera: Camera, point: (f64, f64)) -> Option<MatrixCell> {
        let (x, y) = self.position_at(camera, point);
        (x >= 0.0 && y >= 0.0 && x < self.columns && y < self.rows).then_some(MatrixCell { i: y as usize, j: x as usize })
    }

    /// Returns the cell under the point `(px, py)` of the area, in pixels. Returns `None` if the point is outside of
    /// the area or of the matrix.
    pub fn cell_in(&self, camera: Camera, (px, py): (f64, f64)) -> Option<MatrixCell> {
        let is_in = px >= 0.0 && py >= 0.0 && px < self.width && py < self.height;
        self.cell(camera, (px, py)).filter(|_| is_in)
    }

    /// Returns the point of the area, in pixels, at the column `x` and the row `y`, given as fractional numbers of
    /// cells.
    pub fn point(&self, camera: Camera, (x, y): (f64, f64)) -> (f64, f64) {
        ((x - camera.x) * camera.scale + self.width / 2.0, (y - camera.y) * camera.scale + self.height / 2.0)
    }

    /// Returns `camera`, moved as little as necessary to show the cell `(i, j)` with some cells around it.
    pub fn showing(&self, camera: Camera, MatrixCell { i, j }: MatrixCell) -> Camera {
        let near = |middle: f64, at: f64, frame: f64| {
            let half = (frame / 2.0 / camera.scale - 2.0).max(0.5);
            middle.clamp(at + 0.5 - half, at + 0.5 + half)
        };
        self.clamp_position(Camera { x: near(camera.x, j as f64, self.width), y: near(camera.y, i as f64, self.height), ..camera })
    }

    /// Returns `camera`, moved so that the picture fills the area, or so that a picture smaller than the area is
    /// centred.
    fn clamp_position(&self, camera: Camera) -> Camera {
        let hold = |middle: f64, frame: f64, cells: f64| {
            let half = frame / 2.0 / camera.scale;
            if 2.0 * half >= cells { cells / 2.0 } else { middle.clamp(half, cells - half) }
        };
        Camera { x: hold(camera.x, self.width, self.columns), y: hold(camera.y, self.height, self.rows), ..camera }
    }
}

#[cfg(test)]
mod tests {
    use explain::matrix::order::FillOrder;

    use super::super::tests::board;
    use super::*;

    const FRAME: HeatFrame = HeatFrame { width: 800.0, height: 600.0, columns: 2001.0, rows: 1001.0 };

    #[test]
    fn diagonal_of_equal_texts_is_light() {
        let equal = shades(&board(Task::EditDistance, "abcabc", "abcabc"), HeatQuantity::Excess);
        assert!(equal.iter().all(|&shade| shade == 0), "{equal:?}");
        let other = shades(&board(Task::EditDistance, "abcabc", "abcxyz"), HeatQuantity::Excess);
        assert!((0..4).all(|at| other[at * 8] == 0) && other[6 * 8] == 255, "{other:?}");
        let costs = EditCosts { insert: 0, delete: 1_000, ..EditCosts::OSA };
        let free = shades(&super::super::tests::board_with_costs(costs, "abcabc", "axbcabyc"), HeatQuantity::Excess);
        assert_eq!((free[0], free[6 * 9 + 8]), (0, 0));
        for task in Task::ALL {
            assert_eq!(super::shades(&super::super::tests::board(task, "abca", "bcaab"), HeatQuantity::Excess).len(), 30);
            assert_eq!(
                super::shades(&super::super::tests::board(task, "", ""), HeatQuantity::Value),
                [if task == Task::ExactSearch { 255 } else { 0 }]
            );
        }
    }

    #[test]
    fn rows_are_filled_from_the_left() {
        let board = board(Task::EditDistance, "abcab", "bcaabb");
        for &order in FillOrder::for_task(Task::EditDistance, EditCosts::LEVENSHTEIN) {
            let steps = board.steps(order);
            for step in 0..=steps.len() {
                for i in 0..=5 {
                    let Some((now, filled)) = filled_of_row(&steps, i, 6, step) else { continue };
                    for j in 0..=6 {
                        let at = steps.step_of(MatrixCell { i, j }).unwrap();
                        assert_eq!((j < filled, j < now), (at <= step, at < step.max(1)), "{order:?} {step} {i} {j}");
                    }
                }
            }
        }
        assert_eq!(filled_of_row(&board.steps(FillOrder::Band), 1, 6, 3).is_some(), board.steps(FillOrder::Band).filled() == 30);
    }

    #[test]
    fn axis_numbers_are_round_and_spaced() {
        assert_eq!([0.4, 1.0, 9.0, 48.0].map(|scale| between_ticks(scale, 60.0)), [200, 100, 10, 2]);
        assert_eq!(between_ticks(48.0, 20.0), 1);
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let camera = FRAME.fit();
        assert_eq!(camera.scale, 800.0 / 2001.0);
        let near = FRAME.zoom(camera, 8.0, (400.0, 300.0));
        let before = FRAME.position_at(near, (100.0, 200.0));
        let after = FRAME.position_at(FRAME.zoom(near, 1.5, (100.0, 200.0)), (100.0, 200.0));
        assert!((before.0 - after.0).abs() < 1e-9 && (before.1 - after.1).abs() < 1e-9, "{before:?} {after:?}");
        assert_eq!(FRAME.zoom(camera, 1e9, (0.0, 0.0)).scale, MAX_CELL_PIXELS);
        assert_eq!(FRAME.zoom(near, 1e-9, (0.0, 0.0)), camera);
    }

    #[test]
    fn camera_is_kept_for_another_matrix() {
        let near = FRAME.zoom(FRAME.fit(), 20.0, (400.0, 300.0));
        assert_eq!(FRAME.clamp_camera(near), near);
        let smaller = HeatFrame { columns: 100.0, rows: 90.0, ..FRAME };
        let fitted = smaller.clamp_camera(near);
        assert!(fitted.scale >= smaller.fit().scale && smaller.cell(fitted, (400.0, 300.0)).is_some(), "{fitted:?}");
    }

    #[test]
    fn camera_stays_inside_the_matrix() {
        let near = FRAME.zoom(FRAME.fit(), 20.0, (400.0, 300.0));
        let corner = FRAME.pan(near, (1e6, 1e6));
        assert_eq!(FRAME.cell(corner, (0.0, 0.0)), Some(MatrixCell { i: 0, j: 0 }));
        let other = FRAME.pan(near, (-1e6, -1e6));
        assert_eq!(FRAME.cell(other, (799.9, 599.9)), Some(MatrixCell { i: 1000, j: 2000 }));
        assert_eq!(FRAME.cell(FRAME.fit(), (400.0, 10.0)), None);
        let shown = FRAME.showing(corner, MatrixCell { i: 500, j: 1500 });
        let (x, y) = FRAME.point(shown, (1500.5, 500.5));
        assert!((0.0..800.0).contains(&x) && (0.0..600.0).contains(&y), "{x} {y}");
        assert_eq!(FRAME.showing(shown, MatrixCell { i: 500, j: 1500 }), shown);
    }
}
