//! Tests of the program from outside: on machines that lack something, and with an external target folder.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test says by an unwrap what must hold")]

mod bare_machine;
mod files;
mod target_folder;
