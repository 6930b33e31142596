//! What is true of all the page.
//!
//! - `rendered`: how the server renders it
//! - `rooms`: which modules name which

#[cfg(feature = "ssr")]
mod rendered;
mod rooms;
