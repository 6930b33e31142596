//! What the page knows, without a browser: plain values, and what follows from them. Nothing here draws, asks, waits or names an element, so that
//! all of it is tested natively; the rooms beside this one name it, and it names none of them.
//!
//! - [`task`]: what is said of each task, samples among it
//! - [`form`]: what was typed, dropped or opened, and what the texts were read as
//! - [`link`]: addresses and what stands in them, how a result is looked at among it; [`visit`]: the places of the page
//! - [`session`]: form, run and result as one machine; [`run`]: events to state, and what is said of it; [`problem`]: failures as sentences
//! - [`result`]: what an answer means, also in pictures and previews
//! - [`alignment`]: rows, where they lie, and the chart of all; [`search`]: hits in the lines of the text, scores as outlines
//! - [`mod@matrix`]: a matrix as the page shows it; [`dots`]: a dot plot; [`mod@watch`]: a method watched step by step
//! - [`glossary`]: terms that can be looked up in sentences
//! - [`text`]: figures in words, characters that nobody sees, markup; [`preferences`]: what was chosen for every result; [`recent`]: the comparisons that a browser remembers

pub(crate) mod alignment;
pub(crate) mod dots;
pub(crate) mod form;
pub(crate) mod glossary;
pub(crate) mod link;
pub(crate) mod matrix;
pub(crate) mod preferences;
pub(crate) mod problem;
pub(crate) mod recent;
pub mod result;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod session;
pub mod task;
pub mod text;
pub mod visit;
pub(crate) mod watch;
