//! Results of a search, as the page shows them.
//!
//! - [`found`]: hits in the lines of the text
//! - [`chart`]: scores as outlines, with their scales

pub mod chart;
pub mod hit_groups;
