//! Explanations of answers: everything that page, worker and server show, export and say about a result. The crate
//! [`kernels`], which computes results, does not depend on this crate.
//!
//! ```text
//! Solution (TaskAnswer, Alignment | SearchResult) → windows, side by side, exports · pages of hits · matrix · dots
//! RunSignal ─ EventBuilder (with the time) → JobEvent → JobSnapshot
//! ```
//!
//! - [`window`]: a range of an alignment's columns with the text in it, and the overview of all columns
//! - [`difference_filter`]: the differences that have edits of chosen kinds
//! - [`side_by_side`]: rows with a line of each text, and the differences in them
//! - [`hit_page`]: a page of hits with the text around them
//! - [`matrix`]: every cell that a task fills, for short texts
//! - [`lens`]: views that show a method step by step on small texts
//! - [`dots`]: positions at which two texts of any size have a word in common
//! - [`invisible`]: visible replacements of invisible characters
//! - [`collection`]: answers about many texts as files, and the tree of similar texts
//! - [`mod@format`]: formats of a result; [`export`] writes them
//! - [`event_builder`]: converts the signals of a run into events
//! - [`snapshot`]: the state of a job as the sum of its events
//! - [`mod@file_kind`]: formats other than plain text; [`mod@unpacker`]: the content of gzip and Zstandard files;
//!   [`zip_archive`]: the files of an archive
//! - [`worker_protocol`]: messages between page and worker; [`wire`]: messages between page and server
//!
//! ```
//! use explain::window::AlignmentWindow;
//! use kernels::text::{Pair, ReadingOptions};
//!
//! let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
//! let window = AlignmentWindow::new(&"1X3=1X1=1I".parse().unwrap(), &pair, 4, 3);
//! assert_eq!((window.a.concat(), window.b.concat(), window.differences_before), ("en".into(), "ing".into(), 1));
//! ```

#![warn(missing_docs)]

pub mod collection;
pub mod difference_filter;
pub mod dots;
pub mod event_builder;
pub mod excerpt;
pub mod export;
pub mod file_kind;
pub mod format;
pub mod hit_page;
pub mod invisible;
pub mod lens;
pub mod matrix;
pub mod points;
pub mod side_by_side;
pub mod snapshot;
pub mod unpacker;
pub mod window;
pub mod wire;
pub mod worker_protocol;
pub mod zip_archive;
