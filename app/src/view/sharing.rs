//! Links to results, results in frames of other sites, and results on paper.
//!
//! - [`share`]: the dialog of links; [`framed`]: a result in another page
//! - [`sheet`]: print sheets; [`on_paper`]: both texts on paper

pub mod framed;
pub mod on_paper;
pub mod share;
pub mod sheet;
