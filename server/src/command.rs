//! The command line: one program that serves, solves one job on two files, checks a configuration, or looks after a site.
//!
//! - [`serve`](mod@serve): the server
//! - [`solve`](mod@solve): one job without a server
//! - [`check_config`]: what the server would start with
//! - [`admin`](mod@admin): jobs and workers of a site of many processes

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

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
    pub file: ConfigSources,
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

/// Where the settings are that the environment does not name.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigSources {
    /// TOML file with settings, by their names in lower case without EDITSCOPE_. The environment counts more.
    #[arg(long = "config", value_name = "FILE", env = "EDITSCOPE_CONFIG")]
    pub path: Option<PathBuf>,
    /// What this process does for a site of many: web, worker, sweeper, or several with commas. Counts more than EDITSCOPE_ROLES.
    #[arg(long, value_name = "ROLES")]
    pub roles: Option<String>,
}

impl CommandLine {
    /// What was asked for, with the file where it was named before the command.
    pub fn into_command(self) -> Command {
        let or = |file: ConfigSources| ConfigSources {
            path: file.path.or_else(|| self.file.path.clone()),
            roles: file.roles.or_else(|| self.file.roles.clone()),
        };
        match self.command {
            None => Command::Serve(or(ConfigSources::default())),
            Some(Command::Serve(file)) => Command::Serve(or(file)),
            Some(Command::CheckConfig(file)) => Command::CheckConfig(or(file)),
            Some(Command::Solve(arguments)) => Command::Solve(arguments),
            Some(Command::Admin(arguments)) => {
                let config = arguments.config.clone().or(self.file.path);
                Command::Admin(arguments.with_config(config))
            }
        }
    }
}
