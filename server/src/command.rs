//! Command line: one program that runs the server, compares two files, checks a configuration or administers a cluster.
//!
//! - [`serve`](mod@serve): the server
//! - [`solve`](mod@solve): one job without a server
//! - [`collection`]: many texts compared with many, without a server
//! - [`check_config`]: prints the effective configuration
//! - [`admin`](mod@admin): links of a server; jobs and workers of a cluster
//! - [`messages`]: errors and warnings with the names of the command line
//! - [`shell`]: completions and manual pages
//! - [`terminal`]: text for terminals

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::sources::ConfigSources;

pub mod admin;
pub mod check_config;
pub mod collection;
mod messages;
pub mod serve;
pub mod shell;
pub mod solve;
pub mod terminal;

/// Exit status of `solve --check` if the texts differ or the search finds nothing.
pub const EXIT_DIFFERS: u8 = 1;

/// Exit status after an error. Clap uses the same status for invalid arguments.
pub const EXIT_FAILED: u8 = 2;

/// Compares two texts: a server with a web page and an API, or one comparison on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "editscope",
    version,
    after_help = "Without a command, editscope starts the server.\n`editscope check-config` prints every setting with its value.\n\nExit status: 0 success; 1 the texts differ (solve --check); 2 error."
)]
pub struct CommandLine {
    /// The command.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Settings of the server.
    #[command(flatten)]
    pub sources: ConfigSources,
}

/// A command of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Starts the server: the web page and the API.
    Serve(ConfigSources),
    /// Compares two files, or searches one in the other, without a server.
    Solve(solve::SolveArguments),
    /// Compares many texts with each other, or with those of other files, without a server.
    Collection(collection::CollectionArguments),
    /// Checks the settings and prints them as a configuration file.
    CheckConfig(ConfigSources),
    /// Lists and deletes links; on a site of several processes, manages jobs and workers.
    Admin(admin::AdminArguments),
    /// Prints completions for your shell.
    Completions(shell::CompletionsArguments),
    /// Prints a page of the manual.
    Man(shell::ManArguments),
}

impl CommandLine {
    /// Returns the command, with the settings that precede its name on the command line. Without a command, returns the
    /// command that starts the server.
    pub fn into_command(self) -> Command {
        let or = |sources: ConfigSources| sources.or(&self.sources);
        match self.command {
            None => Command::Serve(or(ConfigSources::default())),
            Some(Command::Serve(sources)) => Command::Serve(or(sources)),
            Some(Command::CheckConfig(sources)) => Command::CheckConfig(or(sources)),
            Some(Command::Admin(arguments)) => {
                let config = arguments.config.clone().or(self.sources.path);
                Command::Admin(arguments.with_config(config))
            }
            Some(other @ (Command::Solve(_) | Command::Collection(_) | Command::Completions(_) | Command::Man(_))) => other,
        }
    }
}

impl Command {
    /// Executes the command and returns the exit status of the process.
    ///
    /// # Errors
    /// Returns the error that ended the command.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Serve(sources) => serve::serve(&sources),
            Self::Solve(arguments) => return solve::solve(&arguments).map_err(messages::in_own_names),
            Self::Collection(arguments) => collection::compare(&arguments).map_err(messages::in_own_names),
            Self::CheckConfig(sources) => check_config::check_config(&sources),
            Self::Admin(arguments) => admin::admin(arguments),
            Self::Completions(arguments) => shell::completions(&arguments),
            Self::Man(arguments) => shell::man(&arguments),
        }
        .map(|()| ExitCode::SUCCESS)
    }
}
