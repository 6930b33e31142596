//! Tests of the page as a whole.
//!
//! - `rendered`: rendering on the server
//! - `rooms`: dependencies between modules

#[cfg(feature = "ssr")]
mod rendered;
mod rooms;
