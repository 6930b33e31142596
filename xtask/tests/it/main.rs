//! The program from the outside, on machines that lack something.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test says by an unwrap what must hold")]

mod bare_machine;
