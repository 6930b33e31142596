//! Formatting of numbers, names and texts.
//!
//! - [`humanize`]: numbers in words
//! - [`invisible`]: names of invisible characters
//! - [`lookalikes`]: letters of different scripts that look alike
//! - [`markup`]: escaping of texts in HTML and XML

pub(crate) mod humanize;
pub(crate) mod invisible;
pub(crate) mod lookalikes;
pub mod markup;
