//! How a program that has other people's code takes turns with ours.
//!
//! ```text
//! PROGRAM TASK A B K PIECES two files of so many texts each, and the edits that a search is told to allow or a pair has
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

/// Other people's code, ready to be called.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) solve: Solve,
}

/// Distance, length, most matches or number of hits of two texts; nothing where there is no hit.
pub(crate) type Solve = Box<dyn Fn(&[u8], &[u8]) -> Option<u64>>;

/// A contender of this name.
pub(crate) fn contender(name: &'static str, solve: impl Fn(&[u8], &[u8]) -> Option<u64> + 'static) -> Contender {
    Contender { name, solve: Box::new(solve) }
}

/// Reads the command line, says what contenders there are for the task and the first pair of texts, and times what is asked for until
/// nobody asks any more.
///
/// # Errors
/// When a file cannot be read, or what is asked is not understood.
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
