//! What tests, benchmarks and fuzzing check engines with: texts from a seed, the serial oracle of every task, and one check against it.
//! No program depends on this.
//!
//! - `texts`: random and edited texts
//! - [`serial`]: each task by its definition
//! - `checks`: an engine against the oracle

mod checks;
pub mod serial;
mod texts;

pub use checks::{agree, check, processors, solved, verified};
pub use texts::{bytes, mutated, random};
