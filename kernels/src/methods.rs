//! Methods: the algorithms of five papers as published, in plain scalar code on one core and as CUDA kernels.
//!
//! The methods exist so that users can run, watch and measure them beside the implementations in [`task`](crate::task),
//! which give the same answers thousands of times faster. Each method follows the pseudo-code of its paper line by
//! line. If a paper is wrong or leaves something open, the file says so, and a test shows it.
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
//! - [`edit_distance`]: the matrix row by row and along diagonals (000); an alignment by Hirschberg's division (001)
//! - [`lcs`]: Hirschberg's algorithm, bit vectors, bit vectors in blocks (001)
//! - [`match_count`]: comparisons, Shift-Add, parallel Shift-Add (002)
//! - [`exact_search`]: comparisons, Knuth–Morris–Pratt, Knuth–Morris–Pratt in pieces (004)
//! - `cuda`: all methods on a GPU: parallel methods with their paper's blocks and threads, all others on one thread
//!
//! A method reports its steps: cells, comparisons or words, as its documentation says. Their sum equals the method's
//! formula or is bounded by it. [`machine`](crate::machine) predicts the time of the parallel methods on a GPU.

use crate::run::Halt;

pub mod approximate_search;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
pub mod edit_distance;
pub mod exact_search;
mod fill;
pub mod lcs;
pub mod match_count;

/// A callback with which a method reports how many steps it has executed since the last call. If the callback returns
/// an error, the method stops and returns this error.
pub type StepSink<'t> = &'t mut dyn FnMut(u64) -> Result<(), Halt>;

/// Runs `method` and returns its result with the total number of steps.
#[cfg(test)]
fn counted<T>(method: impl FnOnce(StepSink) -> Result<T, Halt>) -> (T, u64) {
    let mut steps = 0;
    let result = method(&mut |more| {
        steps += more;
        Ok(())
    });
    (result.expect("this tick never stops a method"), steps)
}
