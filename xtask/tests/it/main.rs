//! The program from the outside: on machines that lack something, with a target folder elsewhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test says by an unwrap what must hold")]

mod bare_machine;
mod files;
mod target_folder;
