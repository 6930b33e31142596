//! What explains an answer: everything that page, worker and server show of it, hand out and say about it. What computes it is in
//! [`kernels`], which knows nothing of this crate.
//!
//! ```text
//! Solution (Answer, Alignment | Found) → windows, editions, exports · pages of hits · matrix · dots
//! Signal ─ EventBuilder (told the time) → Event → Snapshot
//! ```
//!
//! - [`window`]: a stretch of an alignment's columns with the texts under it, and the overview of all columns
//! - [`kinds`]: differences of some kinds only
//! - [`editions`]: words and lines side by side
//! - [`seen`]: a page of hits with the text around them
//! - [`matrix`]: every cell that a task fills, for short texts
//! - [`lens`]: methods watched step by step on small texts
//! - [`dots`]: where two texts of any size have words in common
//! - [`unseen`]: pictures of characters that nobody sees
//! - [`mod@format`]: what a result can be written as; [`export`] writes it
//! - [`event_builder`]: turns signals into events; [`snapshot`] is their sum
//! - [`mod@file_kind`]: formats that hold no plain text; [`mod@unpacker`]: what is in gzip and Zstandard files
//! - [`ask`]: what the page and its worker say to each other; [`wire`] the page and the server
//!
//! ```
//! use explain::window::Window;
//! use kernels::text::{Pair, Reading};
//!
//! let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &Reading::default()).unwrap();
//! let window = Window::new(&"1X3=1X1=1I".parse().unwrap(), &pair, 4, 3);
//! assert_eq!((window.a.concat(), window.b.concat(), window.differences_before), ("en".into(), "ing".into(), 1));
//! ```

#![warn(missing_docs)]

pub mod ask;
pub mod dots;
pub mod editions;
pub mod event_builder;
pub mod excerpt;
pub mod export;
pub mod file_kind;
pub mod format;
pub mod kinds;
pub mod lens;
pub mod matrix;
pub mod seen;
pub mod snapshot;
pub mod unpacker;
pub mod unseen;
pub mod window;
pub mod wire;
