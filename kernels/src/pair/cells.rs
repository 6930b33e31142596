//! Cells: matrices of two texts whose cells are integers in SIMD lanes. For recurrences in which neighbouring cells
//! differ by more than 1.
//!
//! A matrix is cut into tiles, and a tile is computed along its anti-diagonals.
//!
//! - [`cell`]: integers in SIMD lanes
//! - [`anti_diagonal`]: the cells of a tile that do not depend on each other
//! - [`corridor`]: the diagonals that an optimal alignment can reach
//! - [`wavefront`]: the order in which several threads compute the tiles
//! - `cuda`: differences between neighbouring cells on a GPU

pub(crate) use anti_diagonal::{AntiDiagonal, CellDiagonals, Lanes, PADDING, padded};
pub(crate) use cell::Cell;
pub(crate) use corridor::Corridor;

mod anti_diagonal;
mod cell;
mod corridor;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda;
pub(crate) mod wavefront;
