//! State of the page, without a browser: plain values and functions on them.
//!
//! This module does not draw, send requests, wait, or refer to elements of the document, so that native tests cover all
//! of it. The modules beside this one use it, and it uses none of them.
//!
//! - [`task`]: sentences and samples of each task
//! - [`form`]: texts that were typed, dropped or opened, and how they were read
//! - [`link`]: addresses and their parts, including the view of a result; [`visit`]: the paths of the page
//! - [`session`]: form, run and result as one state machine; [`run`]: reducer of events, and its sentences;
//!   [`problem`]: failures as sentences
//! - [`result`]: the meaning of an answer, also in pictures and previews
//! - [`alignment`]: rows, their layout, and the overview chart; [`search`]: hits in the lines of the text, scores as
//!   outlines
//! - [`mod@matrix`]: a matrix as the page shows it; [`dots`]: a dot plot; [`mod@lens`]: a method shown step by step
//! - [`points`]: points of sequence alignment
//! - [`collection`]: the page that compares many texts
//! - [`glossary`]: terms in sentences that can be looked up
//! - [`text`]: numbers in words, invisible characters, markup; [`preferences`]: settings for all results; [`recent`]:
//!   the comparisons that a browser remembers

pub(crate) mod alignment;
pub(crate) mod collection;
pub(crate) mod dots;
pub(crate) mod form;
pub(crate) mod glossary;
pub(crate) mod lens;
pub(crate) mod link;
pub(crate) mod matrix;
pub(crate) mod points;
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
