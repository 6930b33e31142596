//! What a search has found, as the page shows it.
//!
//! - [`found`]: hits in the lines of the text
//! - [`chart`]: scores as outlines, with their scales

pub mod chart;
pub mod found;
