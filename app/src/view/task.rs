//! One view a task: the answer in words, then what there is to look at.
//!
//! - [`edit_distance`], [`lcs`]: an alignment of both whole texts
//! - [`approximate_search`], [`match_count`], [`exact_search`]: hits in pages, each with its own alignment
//! - [`kpick`]: how many edits, with what each number would give

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod kpick;
pub mod lcs;
pub mod match_count;
