//! Parts of an alignment as the page shows them.
//!
//! - [`rows`]: a window of the alignment as rows; [`layout`]: positions of rows in the scroll area; [`sign`]: sign and
//!   CSS class of an edit
//! - [`columns`]: points of the columns; [`residues`]: colours of amino acids; [`substitutions`]: the matrix of points
//! - [`overview`]: the chart of the whole alignment; [`common`]: the text of its equal columns
//! - [`side_by_side`]: both texts line by line, side by side; [`unified`]: both texts in one column

pub mod columns;
pub mod common;
pub mod layout;
pub mod overview;
pub mod residues;
pub mod rows;
pub mod side_by_side;
pub mod sign;
pub mod substitutions;
pub mod unified;
