//! Collections: the page that compares many texts, without a browser.
//!
//! ```text
//! typed or opened → form → request → worker → report, scores → answer → groups, histogram, map, pairs
//! ```
//!
//! - [`form`]: the texts and the options; [`sources`]: the texts of one side; [`hand_in`]: the time of a hand-in
//! - [`opened`]: files as texts; [`hand_in_list`]: their names, labels and times; [`table`]: a column of a table
//! - [`measure`]: the measure of two texts, and the threshold of alike texts
//! - [`link`]: form and view as an address; [`frame`]: its deflated texts
//! - [`choices`]: the choices in the view of an answer
//! - [`session`]: the state machine; [`comparison`]: that of a comparison
//! - [`answer`]: the scores of all pairs, and what follows from them
//! - [`assignment`]: texts of a second collection by their nearest text of the first one
//! - [`threshold`]: the histogram, and the suggested threshold
//! - [`map`]: layout, keys and drawing of the heat map; [`strip`]: the map of two collections
//! - [`pairs`]: the sorted list of pairs; [`members`]: the list of texts; [`member_edits`]: their names, and texts left out
//! - [`time_line`]: when the texts were handed in
//! - [`sentences`]: what the page says about an answer
//! - [`samples`]: two examples to start from
//! - [`patterns`]: searches for many patterns

pub mod answer;
pub mod assignment;
pub mod choices;
pub mod comparison;
pub mod form;
pub mod frame;
pub mod hand_in;
pub mod hand_in_list;
pub mod link;
pub mod map;
pub mod measure;
pub mod member_edits;
pub mod members;
pub mod opened;
pub mod pairs;
pub mod patterns;
pub mod samples;
pub mod sentences;
pub mod session;
pub mod sources;
pub mod strip;
pub mod table;
pub mod threshold;
pub mod time_line;
