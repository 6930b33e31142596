//! How figures, names and texts are written.
//!
//! - [`words`]: figures in words
//! - [`unseen`]: names of characters that nobody sees
//! - [`markup`]: texts of visitors in markup

pub mod markup;
pub(crate) mod unseen;
pub(crate) mod words;
