//! The plan and the progress of a run.
//!
//! - [`plan`]: the line about the run; [`progress`]: the view of a long run
//! - [`rates`]: the speed of a run over time; [`sweep`]: a drawing of the filled cells

pub mod plan;
pub mod progress;
pub mod rates;
pub mod sweep;
