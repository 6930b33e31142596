//! Helpers of tests, benchmarks and fuzzing: seeded texts, a serial oracle for every task, and checks of engines
//! against it. No program depends on this crate.
//!
//! - `texts`: random and edited texts
//! - [`serial`]: each task by its definition
//! - `checks`: an engine against the oracle

mod checks;
pub mod serial;
mod texts;

pub use checks::{agree, check, processors, solve_and_verify, solve_edit_distance};
pub use texts::{bytes, mutated, random};
