//! A result told in short, the same by the page, its pictures, its previews and the pages without scripts.
//!
//! - [`mod@meaning`]: what an answer means, in sentences
//! - [`picture`]: a result as a picture
//! - [`preview`]: what other programs show of it before anybody opens it

pub mod meaning;
pub mod picture;
pub mod preview;
