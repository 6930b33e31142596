//! `editscope completions` and `editscope man`: the files that a shell and the manual take, written by clap's own crates.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use super::CommandLine;

/// The shell that completions are for.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// Your shell.
    shell: Shell,
}

/// The command that a page of the manual is about.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// A command, such as `solve`. Without it, the page is about the whole program.
    command: Option<String>,
}

/// Prints the completions of a shell.
///
/// # Errors
/// Returns an error if standard output cannot be written.
pub fn completions(arguments: &CompletionsArguments) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "editscope", &mut script);
    print(&script)
}

/// Prints a page of the manual in roff.
///
/// # Errors
/// Returns an error if there is no such command, or if standard output cannot be written.
pub fn man(arguments: &ManArguments) -> anyhow::Result<()> {
    let mut program = CommandLine::command();
    program.build();
    let command = match arguments.command.as_deref() {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone().display_name(format!("editscope-{name}")),
            None => bail!("There is no command “{name}”. `editscope help` lists the commands."),
        },
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    print(&page)
}

fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("The output could not be written")
}
