//! Turns: the protocol between a program with other people's code and the benchmark, which times this code and
//! Editscope alternately.
//!
//! ```text
//! PROGRAM TASK A B K PIECES two files with PIECES texts each, and the maximum edits of a search or the edits of a pair
//! → has rapidfuzz-rs        one line a contender; its name ends in `+path` where it finds an alignment
//! → lacks edlib (pip …)     a contender that is not installed
//! → ready
//! ← rapidfuzz-rs⇥100        a name and a number of calls, a multiple of PIECES
//! → 0.00123⇥47              seconds of all calls, and the sum of the results over the pieces
//! ```
//!
//! Each contender is called as its documentation shows, on bytes. All work that depends on both texts is timed.
//! Searches collect all positions.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

/// A contender: a function that solves the task, mostly other people's code, with the name under which it is timed.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) solve: Solve,
}

/// A function that returns the distance, length, maximum matches or number of hits of two texts, or `None` without a
/// hit.
pub(crate) type Solve = Box<dyn Fn(&[u8], &[u8]) -> Option<u64>>;

/// Creates a contender with the name `name`, which calls `solve`.
pub(crate) fn contender(name: &'static str, solve: impl Fn(&[u8], &[u8]) -> Option<u64> + 'static) -> Contender {
    Contender { name, solve: Box::new(solve) }
}

/// Reads the command line and lists the contenders, which `contenders` returns for the task, the first pair of texts
/// and the maximum number of edits. Then times each requested contender until the input ends.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a request is malformed.
pub(crate) fn serve(contenders: impl Fn(&str, (&[u8], &[u8]), usize) -> Vec<Contender>) -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, a, b, k, pieces] = &arguments[..] else { return Err("PROGRAM TASK A B K PIECES".into()) };
    let pieces: usize = pieces.parse()?;
    let (a, b) = (std::fs::read(a)?, std::fs::read(b)?);
    let texts: Vec<(&[u8], &[u8])> = cut(&a, pieces).zip(cut(&b, pieces)).collect();
    let contenders = contenders(task, texts[0], k.parse()?);
    let mut out = std::io::stdout().lock();
    for contender in &contenders {
        writeln!(out, "has {}", contender.name)?;
    }
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, calls) = line.split_once('\t').ok_or("a name and a number of calls")?;
        let calls: usize = calls.parse()?;
        let contender = contenders.iter().find(|contender| contender.name == name).ok_or("a name that was said")?;
        let clock = Instant::now();
        let mut found = Some(0);
        for _ in 0..calls / pieces {
            found = texts.iter().map(|(a, b)| black_box((contender.solve)(black_box(a), black_box(b)))).sum();
        }
        let seconds = clock.elapsed().as_secs_f64();
        writeln!(out, "{seconds}\t{}", found.map_or("none".into(), |found| found.to_string()))?;
        out.flush()?;
    }
    Ok(())
}

fn cut(text: &[u8], pieces: usize) -> impl Iterator<Item = &[u8]> {
    let size = text.len() / pieces;
    (0..pieces).map(move |at| &text[at * size..(at + 1) * size])
}
