//! An alignment as the page shows it.
//!
//! - [`rows`]: a window of it as rows; [`layout`]: where rows lie in their scroll area; [`sign`]: the sign and the class of an edit
//! - [`overview`]: the chart of all of it
//! - [`editions`]: both texts line by line, beside each other; [`unified`]: in one column

pub mod editions;
pub mod layout;
pub mod overview;
pub mod rows;
pub mod sign;
pub mod unified;
