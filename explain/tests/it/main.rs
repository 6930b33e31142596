//! Tests of the public API of `explain`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpus;
mod files;
mod progress;
