//! Match counts of a text that comes on standard input and need not end (paper 002): a line of JSON for each offset that matches well enough, once its
//! last byte has come.

use std::io::{self, Read as _, Write as _};
use std::ops::ControlFlow;

use anyhow::{Context as _, bail, ensure};
use kernels::engine::Engine;
use kernels::job::{Method, Options, Task, Unit};
use kernels::plan::EngineName;
use kernels::run::{Halt, NoObserver, Run};
use kernels::streaming::count_stream;
use serde_json::json;

use super::SolveArguments;
use super::file::read;

/// Bytes that are read at once, at most: what has come is taken in, and no more is waited for.
const PIECE: usize = 1 << 20;

/// Reads standard input until its end and prints offsets with at most `max_mismatches` mismatches, or all; then what was read.
///
/// # Errors
/// When the task is another one, an option is about what a stream has not, or anything cannot be read or written.
pub(super) fn solve(task: Task, options: &Options, engine: &Engine, arguments: &SolveArguments) -> anyhow::Result<()> {
    ensure!(task == Task::MatchCount, "{} needs all of its text: only match-count takes it from standard input", task.name());
    let bytes = Options { unit: Unit::Bytes, max_mismatches: options.max_mismatches, method: options.method, ..Options::default() };
    let is_usual = *options == Options { unit: options.unit, ..bytes };
    ensure!(
        is_usual && [Unit::Bytes, Options::default().unit].contains(&options.unit),
        "standard input is compared byte by byte: --set takes max_mismatches and method alone"
    );
    ensure!(
        arguments.hits.is_none() && arguments.record_b.is_none(),
        "what comes on standard input has no records, and its hits are printed"
    );
    let pattern = read(&arguments.a, arguments)?;
    let pattern = pattern.strip_suffix(b"\n").unwrap_or(&pattern);
    let usual = match engine.name() {
        EngineName::Cpu => Method::ShiftAdd,
        EngineName::Cuda => Method::ParallelShiftAdd,
    };
    let (m, mut offset, mut hits, mut read) = (pattern.len() as u64, 0u64, 0u64, 0u64);
    let (mut buffer, mut broken) = (vec![0; PIECE], None);
    let mut input = io::stdin().lock();
    let mut pieces = std::iter::from_fn(|| match input.read(&mut buffer) {
        Ok(0) => None,
        Ok(bytes) => {
            read += bytes as u64;
            Some(buffer[..bytes].to_vec())
        }
        Err(cause) => {
            broken = Some(cause);
            None
        }
    });
    let mut told = |scores: &[u32]| {
        let mut out = io::stdout().lock();
        let mut lines = Vec::new();
        for score in scores {
            let mismatches = m - u64::from(*score);
            if options.max_mismatches.is_none_or(|most| mismatches <= most) {
                lines.extend_from_slice(json!({ "offset": offset, "matches": score, "mismatches": mismatches }).to_string().as_bytes());
                lines.push(b'\n');
                hits += 1;
            }
            offset += 1;
        }
        match out.write_all(&lines).and_then(|()| out.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let run = Run::new(&NoObserver);
    let counted = count_stream(engine, options.method.unwrap_or(usual), pattern, &run, &mut pieces, &mut told);
    match counted {
        Ok(()) => {}
        Err(Halt::Stopped) => bail!("nobody reads the offsets"),
        Err(Halt::Failed(failure)) => bail!(failure),
    }
    if let Some(cause) = broken {
        return Err(cause).context("reading standard input");
    }
    super::print_line(&json!({ "read": read, "offsets": offset, "hits": hits }))
}
