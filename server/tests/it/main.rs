//! Tests of the server over real HTTP: every route, every problem, restarts of the real program.
#![expect(clippy::unwrap_used, reason = "a test says by an unwrap what must hold")]

mod abuse;
mod cases;
mod client;
mod clients;
#[cfg(unix)]
mod cluster;
mod collection_jobs;
mod collections;
mod configuration;
mod costs;
mod distances;
mod documentation;
mod dots;
mod engines;
mod errors;
mod events;
mod faults;
mod formats;
#[cfg(unix)]
mod hosts;
mod jobs;
mod limits;
mod links;
mod matrix;
mod nth_write;
mod openapi;
mod operations;
mod packed;
mod pages;
mod program;
mod reading;
mod real;
mod rescore;
mod restart;
mod results;
mod sealed;
mod searches;
mod sequence_alignment;
mod shared;
mod texts;
