//! Small elements that several views share.
//!
//! - [`icon`], [`chip`], [`symbol`], [`mod@prose`], [`term`], [`two_lines`]: signs and texts
//! - [`copy_button`], [`menu`], [`mod@more_button`], [`positions`], [`help`]: controls; [`keys`]: tests whether a key is a shortcut
//! - [`canvas`], [`chart`], [`viewport`]: drawings; [`sheets`]: style sheets that are fetched with a view

pub mod canvas;
pub mod chart;
pub mod chip;
pub mod copy_button;
pub mod help;
pub mod icon;
pub mod keys;
pub mod menu;
pub mod more_button;
pub mod positions;
pub mod prose;
pub mod sheets;
pub mod symbol;
pub mod term;
pub mod two_lines;
pub mod viewport;
