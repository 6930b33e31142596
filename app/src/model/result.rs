//! Short descriptions of a result, shared by the page, pictures, previews and pages without scripts.
//!
//! - [`mod@meaning`]: the meaning of an answer, in sentences
//! - [`picture`]: a result as a picture
//! - [`preview`]: title and description that other programs show for a link

pub mod meaning;
pub mod picture;
pub mod preview;
