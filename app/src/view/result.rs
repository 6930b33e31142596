//! A result: the answer, and the lists, charts and numbers about it.
//!
//! - [`headline`], [`answer`]: number and sentences; [`tabs`]: the tabs; [`exports`]: files
//! - [`task`]: the view of each task; [`hits`], [`profile`]: lists and charts of searches
//! - [`composition`], [`minimap`]: kinds of columns, and the overview of an alignment
//! - [`metrics`]: measurements of the run

pub mod answer;
pub mod composition;
pub mod exports;
pub mod headline;
pub mod hits;
pub mod metrics;
pub mod minimap;
pub mod profile;
pub mod tabs;
pub mod task;
