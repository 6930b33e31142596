//! Program: another program ([`PeerProgram`]), which times its contenders on request, so that its calls and the calls
//! of Editscope alternate. The file `peers/src/turns.rs` describes the protocol.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};

/// A running program that waits for requests to time one of its contenders.
pub(crate) struct PeerProgram {
    child: Child,
    ask: ChildStdin,
    said: BufReader<ChildStdout>,
    /// Names of the contenders that the program can time.
    pub(crate) names: Vec<String>,
}

impl PeerProgram {
    /// Starts the program `command` and waits until it is ready. The folder `texts` holds the two texts as the files
    /// `a` and `b`. `asked` are the further arguments: task, maximum number of edits and number of pieces. Passes the
    /// names of missing contenders to `lacks`.
    ///
    /// # Errors
    /// Returns an error if the program does not start or ends before it is ready.
    pub(crate) fn start(command: &[OsString], texts: &Path, asked: &[String], lacks: &dyn Fn(&str)) -> anyhow::Result<Self> {
        let [program, arguments @ ..] = command else { bail!("no program") };
        let (task, rest) = asked.split_first().context("no task")?;
        let mut command = Command::new(program);
        command.args(arguments).arg(task).arg(texts.join("a")).arg(texts.join("b")).args(rest);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(ask), Some(said)) = (child.stdin.take(), child.stdout.take()) else { bail!("no pipes") };
        let mut program = Self { child, ask, said: BufReader::new(said), names: Vec::new() };
        loop {
            let line = program.line()?;
            match line.split_once(' ') {
                Some(("has", name)) => program.names.push(name.to_owned()),
                Some(("lacks", what)) => lacks(what),
                _ if line == "ready" => return Ok(program),
                _ => bail!("said: {line}"),
            }
        }
    }

    /// Measures `calls` calls of the contender called `name`. Returns their total duration in seconds, the result, and
    /// the peak of working memory in bytes, if reported.
    ///
    /// # Errors
    /// Returns an error if the program has ended.
    pub(crate) fn time(&mut self, name: &str, calls: u64) -> anyhow::Result<(f64, String, Option<u64>)> {
        writeln!(self.ask, "{name}\t{calls}")?;
        self.ask.flush()?;
        let line = self.line()?;
        let mut fields = line.split('\t');
        let (Some(seconds), Some(found)) = (fields.next(), fields.next()) else { bail!("{line}") };
        let peak = fields.next().map(str::parse).transpose()?;
        Ok((seconds.parse()?, found.to_owned(), peak))
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        if self.said.read_line(&mut line)? == 0 {
            bail!("it ended");
        }
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for PeerProgram {
    fn drop(&mut self) {
        // Both calls fail only if the program has already ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
