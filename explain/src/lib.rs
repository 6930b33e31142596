//! Explanations of answers: everything that page, worker and server show, export and say about a result. The crate
//! [`kernels`], which computes results, does not depend on this crate.
//!
//! ```text
//! Solution (Answer, Alignment | Found) → windows, editions, exports · pages of hits · matrix · dots
//! Signal ─ EventBuilder (with the time) → Event → Snapshot
//! ```
//!
//! - [`window`]: a range of an alignment's columns with the text in it, and the overview of all columns
//! - [`difference_filter`]: differences of some edit kinds
//! - [`side_by_side`]: words and lines side by side
//! - [`hit_page`]: a page of hits with the text around them
//! - [`matrix`]: every cell that a task fills, for short texts
//! - [`lens`]: methods step by step on small texts
//! - [`dots`]: positions at which two texts of any size have a word in common
//! - [`invisible`]: visible replacements of invisible characters
//! - [`mod@format`]: formats of a result; [`export`] writes them
//! - [`event_builder`]: converts signals into events; [`snapshot`] sums them up
//! - [`mod@file_kind`]: formats other than plain text; [`mod@unpacker`]: the content of gzip and Zstandard files
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
pub mod side_by_side;
pub mod snapshot;
pub mod unpacker;
pub mod window;
pub mod wire;
pub mod worker_protocol;
