//! The command line: one program that serves, solves one job on two files, checks a configuration, or looks after a site.
//!
//! - [`serve`](mod@serve): the server
//! - [`solve`](mod@solve): one job without a server
//! - [`check_config`]: what the server would start with
//! - [`admin`](mod@admin): jobs and workers of a site of many processes

use clap::{Parser, Subcommand};

use crate::config::sources::ConfigSources;

pub mod admin;
pub mod check_config;
pub mod serve;
pub mod solve;

/// Compares strings exactly: a server with a web page and an API, or one job on two files.
#[derive(Debug, Parser)]
#[command(
    name = "editscope",
    version,
    after_help = "Without a command it serves. Every setting is in README.md, and `check-config` prints them."
)]
pub struct CommandLine {
    /// What is to be done.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// For a server.
    #[command(flatten)]
    pub sources: ConfigSources,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts the server: the page and the API.
    Serve(ConfigSources),
    /// Solves one job on two files and prints its events as JSON lines.
    Solve(solve::SolveArguments),
    /// Prints the configuration that the server would start with, as a file that would say the same, or what is wrong with it.
    CheckConfig(ConfigSources),
    /// Lists links, and of a site of many processes its jobs and workers, and tells them what to do.
    Admin(admin::AdminArguments),
}

impl CommandLine {
    /// What was asked for, with the file where it was named before the command.
    pub fn into_command(self) -> Command {
        let or = |sources: ConfigSources| sources.or(&self.sources);
        match self.command {
            None => Command::Serve(or(ConfigSources::default())),
            Some(Command::Serve(sources)) => Command::Serve(or(sources)),
            Some(Command::CheckConfig(sources)) => Command::CheckConfig(or(sources)),
            Some(Command::Solve(arguments)) => Command::Solve(arguments),
            Some(Command::Admin(arguments)) => {
                let config = arguments.config.clone().or(self.sources.path);
                Command::Admin(arguments.with_config(config))
            }
        }
    }
}
