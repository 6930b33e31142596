//! Exact string comparison: the vocabulary, the tasks and the engines of Editscope.
//!
//! ```text
//! Text, Text → Pair (dense symbols) → a job's task on an Engine → Solution (TaskAnswer, Alignment | SearchResult)
//!                                       ↓ RunSignal               ↑ stop
//!                                     JobEvent, by a caller with a clock
//! ```
//!
//! | task | CPU, native and wasm | CUDA |
//! |---|---|---|
//! | `edit-distance` | [`task::edit_distance`] | same module, except on wasm |
//! | `approximate-search` | [`task::approximate_search`] | same module, except on wasm |
//! | `lcs` | [`task::lcs`] | same module, except on wasm |
//! | `match-count` | [`task::match_count`] | same module, except on wasm |
//! | `exact-search` | [`task::exact_search`] | same module, except on wasm |
//! | `sequence-alignment` | [`task::sequence_alignment`] | same module, except on wasm |
//!
//! [`methods`] contains the algorithms of five papers as published, and [`machine`] computes their cost in machine
//! models. [`streaming`] counts matches in a text of unknown length.
//!
//! Kernels know no HTTP, DOM, async runtime, clock or logger. The choice of the engine never changes an answer, except
//! that engines may find different alignments of the same score.
//!
//! The simplest interface is one function for each task, on byte strings: [`distance()`], [`align`], [`lcs`],
//! [`common_subsequence`], [`find`], [`find_within`] and [`match_counts`]. [`DistanceSolver`] computes the distances of
//! many pairs.
//!
//! ```
//! assert_eq!(kernels::distance(b"intention", b"execution"), 5);
//! ```
//!
//! A job offers other symbols than bytes, a choice of engines, progress and an alignment:
//!
//! ```
//! use kernels::engine::{Cpu, Engine};
//! use kernels::event::TaskAnswer;
//! use kernels::job::{JobOptions, Task};
//! use kernels::run::{NoObserver, Run};
//! use kernels::text::{Pair, ReadingOptions};
//!
//! let pair = Pair::parse(&b"intention"[..], &b"execution"[..], &ReadingOptions::default()).unwrap();
//! let solution = Engine::Cpu(Cpu::all_cores()).run(Task::EditDistance, &JobOptions::default(), &pair, &Run::new(&NoObserver)).unwrap();
//! assert!(matches!(solution.answer, TaskAnswer::EditDistance { distance: Some(5), .. }));
//! ```

#![warn(missing_docs)]

pub mod alignment;
pub mod base_set;
mod byte_table;
pub mod cbor;
pub mod collection;
pub mod cpu;
pub mod engine;
pub mod event;
pub mod failure;
pub mod found;
mod functions;
#[cfg(not(target_family = "wasm"))]
pub mod gpu;
pub mod humanize;
pub mod job;
pub mod machine;
pub mod methods;
mod pair;
pub mod plan;
pub mod rates;
pub mod reading;
pub mod run;
pub mod strand;
#[cfg(not(target_family = "wasm"))]
pub mod streaming;
pub mod symbol;
pub mod task;
pub mod text;

pub use functions::{DistanceSolver, align, common_subsequence, distance, find, find_within, lcs, match_counts};

// Compiles the oracle as a part of this crate, so that it uses the types of this crate. A development dependency would
// use the types of a second copy of this crate.
#[cfg(test)]
extern crate self as kernels;
#[cfg(test)]
#[path = "../../oracle/src/lib.rs"]
pub mod oracle;
