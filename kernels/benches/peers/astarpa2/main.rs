//! A*PA2, a program for the edit distance of DNA, on one core, built from a checkout of its repository. `cargo xtask
//! bench --peer-astarpa2 CHECKOUT` builds this program and times its contenders.
//!
//! The contender `full` uses seeds and pruning, `simple` doubles a band, and `nw` fills the matrix. A*PA2 accepts
//! upper-case DNA without N.

use astarpa2::AstarPa2Params;
use turns::{Contender, contender};

#[path = "../src/turns.rs"]
mod turns;

/// Maximum number of cells for the contender that fills the whole matrix. With more cells, a call takes seconds.
const MATRIX: usize = 20_000_000_000;

/// Maximum number of cells for all contenders. With more cells, a call takes a minute.
const MOST: usize = 2_000_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    turns::serve(|task, (a, b), _| {
        let cells = a.len() * b.len();
        let dna = a.iter().chain(b).all(|byte| b"ACGT".contains(byte));
        if task != "edit-distance" || !dna || cells > MOST {
            return Vec::new();
        }
        let mut all = vec![
            aligner("A*PA2 full", AstarPa2Params::full(), false),
            aligner("A*PA2 full+path", AstarPa2Params::full(), true),
            aligner("A*PA2 simple+path", AstarPa2Params::simple(), true),
        ];
        if cells <= MATRIX {
            all.push(aligner("A*PA2 nw", AstarPa2Params::nw(), false));
        }
        all
    })
}

fn aligner(name: &'static str, parameters: AstarPa2Params, trace: bool) -> Contender {
    contender(name, move |a, b| u64::try_from(parameters.make_aligner(trace).align(a, b).0).ok())
}
