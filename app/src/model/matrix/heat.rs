//! A matrix of up to 2,000 symbols as a picture: a shade for each cell, and where the picture lies in its frame.

use explain::matrix::order::Steps;
use explain::matrix::{Cell, Matrix};
use kernels::job::Task;

use super::Board;

/// What the shade of a cell says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Heat {
    /// Its value, against the greatest one.
    Value,
    /// How far its value is from the best that its place allows: similar stretches are light along their diagonals.
    #[default]
    Excess,
}

/// A shade for each cell, row by row: 0 for the lightest, 255 for the strongest.
pub fn shades(board: &Board, heat: Heat) -> Vec<u8> {
    let matrix = &board.matrix;
    let values: Vec<u16> = match heat {
        Heat::Value => (0..=matrix.last().i).flat_map(|i| matrix.row(i)).copied().collect(),
        Heat::Excess => matrix.cells().map(|cell| excess(matrix, cell)).collect(),
    };
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    values.into_iter().map(|value| (u32::from(value) * 255 / u32::from(most)) as u8).collect()
}

/// What is to be seen of the cells of a row, from its first on: behind `filled` they are not filled yet, from `now` on by this step.
/// In every order a row is filled from left to right; `None` for orders that leave cells out, which are asked for one by one.
pub fn filled_of_row(steps: &Steps, i: usize, columns: usize, step: usize) -> Option<(usize, usize)> {
    if steps.filled() < steps.cells_of_matrix() {
        return None;
    }
    let by = |step: usize| {
        let (mut from, mut to) = (0, columns + 1);
        while from < to {
            let j = from + (to - from) / 2;
            if steps.of(Cell { i, j }).is_some_and(|at| at <= step) { from = j + 1 } else { to = j }
        }
        from
    };
    Some((by(step.saturating_sub(1)), by(step)))
}

/// Symbols between two numbers at an axis, a round number of them, so that the numbers are so many pixels apart.
pub fn between_ticks(scale: f64, pixels: f64) -> usize {
    let least = (pixels / scale).max(1.0);
    let ten = 10f64.powf(least.log10().floor());
    let rounds = [1.0, 2.0, 5.0, 10.0].into_iter().map(|round| round * ten);
    rounds.into_iter().find(|&round| round >= least - 1e-9).unwrap_or(10.0 * ten).round() as usize
}

/// How far a value is from the best that its place allows.
fn excess(matrix: &Matrix, cell: Cell) -> u16 {
    let (value, Cell { i, j }) = (matrix.value(cell), cell);
    match matrix.task() {
        Task::EditDistance => value - i.abs_diff(j) as u16,
        Task::ApproximateSearch => value,
        Task::Lcs => i.min(j) as u16 - value,
        Task::MatchCount => i.min(j) as u16 - value,
        Task::ExactSearch => 1 - value,
    }
}

/// Where the picture lies: which cell is in the middle of the frame, and how large a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Column in the middle, in cells.
    pub x: f64,
    /// Row in the middle.
    pub y: f64,
    /// Pixels of a cell.
    pub scale: f64,
}

/// A frame and what it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Columns of the matrix, the first one included.
    pub columns: f64,
    /// Rows.
    pub rows: f64,
}

/// Pixels of a cell, at most.
const LARGEST: f64 = 48.0;

impl Frame {
    /// The whole matrix.
    pub fn fit(&self) -> Camera {
        Camera { x: self.columns / 2.0, y: self.rows / 2.0, scale: self.least() }
    }

    /// The scale at which the whole matrix is seen.
    fn least(&self) -> f64 {
        (self.width / self.columns).min(self.height / self.rows).min(LARGEST)
    }

    /// What a frame of another matrix showed, as far as this one has it.
    pub fn fitted(&self, camera: Camera) -> Camera {
        self.held(Camera { scale: camera.scale.clamp(self.least(), LARGEST), ..camera })
    }

    /// Larger by this factor, with the point under `(px, py)` staying where it is.
    pub fn zoom(&self, camera: Camera, factor: f64, (px, py): (f64, f64)) -> Camera {
        let scale = (camera.scale * factor).clamp(self.least(), LARGEST);
        let (x, y) = self.at(camera, (px, py));
        self.held(Camera { x: x - (px - self.width / 2.0) / scale, y: y - (py - self.height / 2.0) / scale, scale })
    }

    /// Moved by so many pixels.
    pub fn pan(&self, camera: Camera, (dx, dy): (f64, f64)) -> Camera {
        self.held(Camera { x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale, ..camera })
    }

    /// The place under a point, in cells.
    pub fn at(&self, camera: Camera, (px, py): (f64, f64)) -> (f64, f64) {
        (camera.x + (px - self.width / 2.0) / camera.scale, camera.y + (py - self.height / 2.0) / camera.scale)
    }

    /// The cell under a point.
    pub fn cell(&self, camera: Camera, point: (f64, f64)) -> Option<Cell> {
        let (x, y) = self.at(camera, point);
        (x >= 0.0 && y >= 0.0 && x < self.columns && y < self.rows).then_some(Cell { i: y as usize, j: x as usize })
    }

    /// The cell under a point, where that is in the frame.
    pub fn cell_in(&self, camera: Camera, (px, py): (f64, f64)) -> Option<Cell> {
        let is_in = px >= 0.0 && py >= 0.0 && px < self.width && py < self.height;
        self.cell(camera, (px, py)).filter(|_| is_in)
    }

    /// The point of the frame where the corner of a place lies.
    pub fn point(&self, camera: Camera, (x, y): (f64, f64)) -> (f64, f64) {
        ((x - camera.x) * camera.scale + self.width / 2.0, (y - camera.y) * camera.scale + self.height / 2.0)
    }

    /// Moved as little as it takes to show a cell, with some cells around it.
    pub fn showing(&self, camera: Camera, Cell { i, j }: Cell) -> Camera {
        let near = |middle: f64, at: f64, frame: f64| {
            let half = (frame / 2.0 / camera.scale - 2.0).max(0.5);
            middle.clamp(at + 0.5 - half, at + 0.5 + half)
        };
        self.held(Camera { x: near(camera.x, j as f64, self.width), y: near(camera.y, i as f64, self.height), ..camera })
    }

    /// The picture fills the frame where it is large enough, and stands in its middle where not.
    fn held(&self, camera: Camera) -> Camera {
        let hold = |middle: f64, frame: f64, cells: f64| {
            let half = frame / 2.0 / camera.scale;
            if 2.0 * half >= cells { cells / 2.0 } else { middle.clamp(half, cells - half) }
        };
        Camera { x: hold(camera.x, self.width, self.columns), y: hold(camera.y, self.height, self.rows), ..camera }
    }
}

#[cfg(test)]
mod tests {
    use explain::matrix::order::Order;

    use super::super::tests::board;
    use super::*;

    const FRAME: Frame = Frame { width: 800.0, height: 600.0, columns: 2001.0, rows: 1001.0 };

    #[test]
    fn equal_texts_are_light_along_the_diagonal() {
        let equal = shades(&board(Task::EditDistance, "abcabc", "abcabc"), Heat::Excess);
        assert!(equal.iter().all(|&shade| shade == 0), "{equal:?}");
        let other = shades(&board(Task::EditDistance, "abcabc", "abcxyz"), Heat::Excess);
        assert!((0..4).all(|at| other[at * 8] == 0) && other[6 * 8] == 255, "{other:?}");
        for task in Task::ALL {
            assert_eq!(super::shades(&super::super::tests::board(task, "abca", "bcaab"), Heat::Excess).len(), 30);
            assert_eq!(
                super::shades(&super::super::tests::board(task, "", ""), Heat::Value),
                [if task == Task::ExactSearch { 255 } else { 0 }]
            );
        }
    }

    #[test]
    fn a_row_is_filled_from_the_left() {
        let board = board(Task::EditDistance, "abcab", "bcaabb");
        for &order in Order::of(Task::EditDistance) {
            let steps = board.steps(order);
            for step in 0..=steps.len() {
                for i in 0..=5 {
                    let Some((now, filled)) = filled_of_row(&steps, i, 6, step) else { continue };
                    for j in 0..=6 {
                        let at = steps.of(Cell { i, j }).unwrap();
                        assert_eq!((j < filled, j < now), (at <= step, at < step.max(1)), "{order:?} {step} {i} {j}");
                    }
                }
            }
        }
        assert_eq!(filled_of_row(&board.steps(Order::Band), 1, 6, 3).is_some(), board.steps(Order::Band).filled() == 30);
    }

    #[test]
    fn numbers_at_an_axis_are_round_and_apart() {
        assert_eq!([0.4, 1.0, 9.0, 48.0].map(|scale| between_ticks(scale, 60.0)), [200, 100, 10, 2]);
        assert_eq!(between_ticks(48.0, 20.0), 1);
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let camera = FRAME.fit();
        assert_eq!(camera.scale, 800.0 / 2001.0);
        let near = FRAME.zoom(camera, 8.0, (400.0, 300.0));
        let before = FRAME.at(near, (100.0, 200.0));
        let after = FRAME.at(FRAME.zoom(near, 1.5, (100.0, 200.0)), (100.0, 200.0));
        assert!((before.0 - after.0).abs() < 1e-9 && (before.1 - after.1).abs() < 1e-9, "{before:?} {after:?}");
        assert_eq!(FRAME.zoom(camera, 1e9, (0.0, 0.0)).scale, LARGEST);
        assert_eq!(FRAME.zoom(near, 1e-9, (0.0, 0.0)), camera);
    }

    #[test]
    fn another_matrix_is_shown_where_the_last_one_was() {
        let near = FRAME.zoom(FRAME.fit(), 20.0, (400.0, 300.0));
        assert_eq!(FRAME.fitted(near), near);
        let smaller = Frame { columns: 100.0, rows: 90.0, ..FRAME };
        let fitted = smaller.fitted(near);
        assert!(fitted.scale >= smaller.fit().scale && smaller.cell(fitted, (400.0, 300.0)).is_some(), "{fitted:?}");
    }

    #[test]
    fn the_picture_does_not_leave_its_frame() {
        let near = FRAME.zoom(FRAME.fit(), 20.0, (400.0, 300.0));
        let corner = FRAME.pan(near, (1e6, 1e6));
        assert_eq!(FRAME.cell(corner, (0.0, 0.0)), Some(Cell { i: 0, j: 0 }));
        let other = FRAME.pan(near, (-1e6, -1e6));
        assert_eq!(FRAME.cell(other, (799.9, 599.9)), Some(Cell { i: 1000, j: 2000 }));
        assert_eq!(FRAME.cell(FRAME.fit(), (400.0, 10.0)), None);
        let shown = FRAME.showing(corner, Cell { i: 500, j: 1500 });
        let (x, y) = FRAME.point(shown, (1500.5, 500.5));
        assert!((0.0..800.0).contains(&x) && (0.0..600.0).contains(&y), "{x} {y}");
        assert_eq!(FRAME.showing(shown, Cell { i: 500, j: 1500 }), shown);
    }
}
