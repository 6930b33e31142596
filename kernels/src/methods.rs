//! Methods: the algorithms of the five papers as published, one file each, in plain scalar code on one core, and on a CUDA device.
//!
//! They are here to be run, watched and measured beside what [`task`](crate::task) solves a job with, which is thousands of times
//! faster and gives the same answers. Each follows its paper's pseudo-code line by line; where that errs or leaves something open, the
//! file says so, and a test shows it.
//!
//! | number | paper |
//! |---|---|
//! | 000 | Man, Nakano, Ito: "An Optimal Implementation of the Approximate String Matching on the Hierarchical Memory Machine", IEICE Transactions E97-D 12, 2014 |
//! | 001 | Kawanami, Fujimoto: "Computing the Longest Common Subsequence with Bit-Parallelism on a GPU" |
//! | 002 | Baba, E, Yu: "A Parallel Computation for Shift-Add Algorithm", DOI Technical Report 230, Kyushu University, 2007 |
//! | 003 | Man, Song: "A Parallel Algorithm for Approximate String Matching Based on Hierarchical Memory Machine", 2015 |
//! | 004 | Shen: "CUDA-based Parallel Programming", 2015 |
//!
//! - [`approximate_search`]: row by row, along diagonals, in slices (000, 003)
//! - [`edit_distance`]: the same two ways of filling the matrix (000); an alignment by the division of 001
//! - [`lcs`]: Hirschberg, by bit vectors, by bit vectors in blocks (001)
//! - [`match_count`]: by comparisons, Shift-Add, parallel Shift-Add (002)
//! - [`exact_search`]: by comparisons, Knuth–Morris–Pratt, the same in pieces (004)
//! - `cuda`: all of them on a device: the parallel ones with their paper's blocks and threads, the others on one thread
//!
//! A method reports steps as it goes: cells, comparisons or words, as its documentation says. Their sum is what its formula says, or
//! is bounded by it. What a device would take for the parallel ones is in [`machine`](crate::machine).

use crate::run::Halt;

pub mod approximate_search;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
pub mod edit_distance;
pub mod exact_search;
mod fill;
pub mod lcs;
pub mod match_count;

/// Is told of steps; an error stops the method, which returns it.
pub type Tick<'t> = &'t mut dyn FnMut(u64) -> Result<(), Halt>;

/// Counts all steps of a method.
#[cfg(test)]
fn counted<T>(method: impl FnOnce(Tick) -> Result<T, Halt>) -> (T, u64) {
    let mut steps = 0;
    let result = method(&mut |more| {
        steps += more;
        Ok(())
    });
    (result.expect("nobody stops it"), steps)
}
