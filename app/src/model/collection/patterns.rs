//! Patterns: the page that searches for many patterns, without a browser.
//!
//! - [`form`]: the patterns, the texts, and the options
//! - [`link`]: form and view as an address
//! - [`session`]: the state machine
//! - [`answer`]: the places of all patterns, and what follows from them
//! - [`tracks`]: the marks of a pattern on its lane
//! - [`sentences`]: what the page says about an answer
//! - [`samples`]: two examples to start from

pub mod answer;
pub mod form;
pub mod link;
pub mod samples;
pub mod sentences;
pub mod session;
pub mod tracks;
