//! Collections: the page that compares many texts, without a browser.
//!
//! ```text
//! typed or opened → form → request → worker → report, scores → answer → groups, histogram, map, pairs
//! ```
//!
//! - [`form`]: the texts and the options
//! - [`measure`]: the measure of two texts, and the threshold of alike texts
//! - [`link`]: form and view as an address
//! - [`choices`]: the choices in the view of an answer
//! - [`session`]: the state machine
//! - [`answer`]: the scores of all pairs, and what follows from them
//! - [`threshold`]: the histogram, and the suggested threshold
//! - [`map`]: layout, keys and drawing of the heat map
//! - [`pairs`]: the sorted list of pairs
//! - [`sentences`]: what the page says about an answer
//! - [`samples`]: two examples to start from
//! - [`patterns`]: searches for many patterns

pub mod answer;
pub mod choices;
pub mod form;
pub mod link;
pub mod map;
pub mod measure;
pub mod pairs;
pub mod patterns;
pub mod samples;
pub mod sentences;
pub mod session;
pub mod threshold;
