//! How figures, names and texts are written.
//!
//! - [`words`]: figures in words
//! - [`unseen`]: names of characters that nobody sees
//! - [`lookalikes`]: letters of different scripts that look alike
//! - [`markup`]: texts of visitors in markup

pub(crate) mod lookalikes;
pub mod markup;
pub(crate) mod unseen;
pub(crate) mod words;
