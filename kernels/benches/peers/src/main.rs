//! Crates that compute what Editscope computes: contenders of `cargo xtask bench --peers`.
//!
//! ```text
//! peers TASK A B K PIECES   two files of so many texts each, and the edits that a search is told to allow
//! → has rapidfuzz-rs        one line a contender; its name ends in `+path` where it finds an alignment
//! → lacks edlib (pip …)     what could be here
//! → ready
//! ← rapidfuzz-rs⇥100        a name and a number of calls, a multiple of PIECES
//! → 0.00123⇥47              seconds of all calls, and what was found: the sum over the pieces
//! ```
//!
//! Each contender is called as its documentation shows, on bytes, with everything that depends on both texts inside the clock.
//! Searches collect all positions.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::Context;

mod contenders;
mod scalar;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, a, b, k, pieces] = &arguments[..] else { anyhow::bail!("peers TASK A B K PIECES") };
    let pieces: usize = pieces.parse()?;
    let (a, b) = (std::fs::read(a)?, std::fs::read(b)?);
    let texts: Vec<(&[u8], &[u8])> = cut(&a, pieces).zip(cut(&b, pieces)).collect();
    let contenders = contenders::of(task, texts[0], k.parse()?);
    let mut out = std::io::stdout().lock();
    for contender in &contenders {
        writeln!(out, "has {}", contender.name)?;
    }
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, calls) = line.split_once('\t').context("a name and a number of calls")?;
        let calls: usize = calls.parse()?;
        let contender = contenders.iter().find(|contender| contender.name == name).context("a name that was said")?;
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
