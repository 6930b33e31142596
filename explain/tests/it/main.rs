//! Tests of what is handed out, from outside, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpus;
mod files;
mod progress;
