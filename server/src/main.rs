//! Editscope's program: see [`server::command`] for what it does, and [`server::config`] for what may be decided.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use allocator::MiMalloc;
use clap::Parser as _;
use server::command::admin::admin;
use server::command::check_config::check_config;
use server::command::serve::serve;
use server::command::solve::solve;
use server::command::{Command, CommandLine};

/// Two hundred small jobs at once take a quarter less time than with the allocator of glibc.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let done = match CommandLine::parse().into_command() {
        Command::Serve(file) => serve(&file),
        Command::Solve(arguments) => solve(arguments),
        Command::CheckConfig(file) => check_config(&file),
        Command::Admin(arguments) => admin(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            complain(&cause);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "that is where a program says why it ends")]
fn complain(cause: &anyhow::Error) {
    eprintln!("editscope: {cause:#}");
}
