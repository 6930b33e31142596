//! Stream: match counts for a text on standard input, which may be endless (paper 002). A matching offset is printed as
//! a line of text or JSON as soon as the last byte under the pattern has arrived.

use std::io::{self, Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use kernels::engine::Engine;
use kernels::humanize::grouped;
use kernels::job::{JobOptions, PaperMethod, Task, Unit};
use kernels::plan::EngineName;
use kernels::run::{Halt, NoObserver, Run};
use kernels::streaming::count_stream;
use serde_json::json;

use super::SolveArguments;
use super::file::read;
use super::readable::offset_line;

/// Maximum number of bytes of one read. A read returns the bytes that have arrived, and does not wait for more.
const MAX_READ_BYTES: usize = 1 << 20;

/// Reads standard input until its end, and counts the matches of the pattern at every offset. Prints the offsets with
/// at most `max_mismatches` mismatches, or all offsets without this option, and then a summary. Returns the number of
/// printed offsets.
///
/// # Errors
/// Returns an error for a task other than match count, for an option that a stream does not support, or if reading or
/// writing fails.
pub(super) fn solve(task: Task, options: &JobOptions, engine: &Engine, arguments: &SolveArguments) -> anyhow::Result<u64> {
    ensure!(task == Task::MatchCount, "{} needs the whole text, so it cannot read standard input. Only match-count can.", task.name());
    let bytes = JobOptions { unit: Unit::Bytes, max_mismatches: options.max_mismatches, method: options.method, ..JobOptions::default() };
    let is_usual = *options == JobOptions { unit: options.unit, ..bytes };
    ensure!(
        is_usual && [Unit::Bytes, JobOptions::default().unit].contains(&options.unit),
        "Standard input is compared byte by byte. Here --set takes only max_mismatches and method."
    );
    ensure!(
        arguments.hits.is_none() && arguments.record_b.is_none(),
        "Standard input has no records, and its matches are printed. Leave out --hits and --record-b."
    );
    let pattern = read(Path::new(&arguments.a), arguments.ask_for_bytes())?;
    let pattern = pattern.strip_suffix(b"\n").unwrap_or(&pattern);
    let usual = match engine.name() {
        EngineName::Cpu => PaperMethod::ShiftAdd,
        EngineName::Cuda => PaperMethod::ParallelShiftAdd,
    };
    let (m, mut offset, mut hits, mut read) = (pattern.len() as u64, 0u64, 0u64, 0u64);
    let is_json = arguments.is_json();
    let (mut buffer, mut broken) = (vec![0; MAX_READ_BYTES], None);
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
                let line = if is_json {
                    format!("{}\n", json!({ "offset": offset, "matches": score, "mismatches": mismatches }))
                } else {
                    offset_line(offset, *score, m)
                };
                lines.extend_from_slice(line.as_bytes());
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
        Err(Halt::Stopped) => bail!("Nobody reads the output any more."),
        Err(Halt::Failed(failure)) => bail!(failure),
    }
    if let Some(cause) = broken {
        return Err(cause).context("reading standard input");
    }
    if is_json {
        super::print_line(&json!({ "read": read, "offsets": offset, "hits": hits }))?;
    } else {
        let summary = format!("{} of {} matched, in {} bytes.\n", grouped(hits), grouped(offset), grouped(read));
        io::stdout().lock().write_all(summary.as_bytes()).context("The output could not be written")?;
    }
    Ok(hits)
}
