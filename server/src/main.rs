//! Editscope's program: see [`server::command`] for what it does, and [`server::config`] for what may be decided.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use allocator::MiMalloc;
use clap::Parser as _;
use server::command::terminal::visible_lines;
use server::command::{CommandLine, FAILED};

/// Two hundred small jobs at once take a quarter less time than with the allocator of glibc.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    CommandLine::parse().into_command().execute().unwrap_or_else(|cause| {
        complain(&cause);
        ExitCode::from(FAILED)
    })
}

/// Prints why the program ends. Names of files and of records may hold anything.
#[expect(clippy::print_stderr, reason = "that is where a program says why it ends")]
fn complain(cause: &anyhow::Error) {
    eprintln!("editscope: {}", visible_lines(&format!("{cause:#}")));
}
