//! Results of a search, as the page shows them.
//!
//! - [`hit_groups`]: hits in the lines of the text
//! - [`chart`]: scores as outlines, with their scales

pub mod chart;
pub mod hit_groups;
