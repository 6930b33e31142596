//! Crossover: measures the three methods to count equal symbols at every offset: comparing, adding bits, and Fourier
//! transforms. Shows where adding becomes faster than comparing, where Fourier transforms become faster than both, and
//! whether the automatic choice is right.
//!
//! ```sh
//! cargo run --release -p kernels --example crossover
//! ```
//!
//! Prints a line for each alphabet and pattern: nanoseconds per offset for each method on one core, and for the method
//! that the cost model chooses. The constants of the choice are in `task/match_count/cpu/cost_model.rs` and
//! `spectrum.rs`.

#![expect(clippy::print_stdout, reason = "a table is what it is for")]

use std::time::Instant;

use kernels::task::match_count::{ExpectedText, PreparedPattern, ScoreMethod, ScoreSlice, ScoreStream};
use oracle::random;

/// Number of symbols of the text, which are more than the second-level cache holds.
const TEXT: usize = 4 << 20;

/// Number of measurements of each method, of which the fastest counts.
const ROUNDS: usize = 5;

fn main() {
    let letters: Vec<u8> = (0..=u8::MAX).collect();
    println!("{:>8} {:>8} {:>12} {:>12} {:>12} {:>12}  chosen", "letters", "m", "compare", "add", "transform", "chosen ns");
    for alphabet in [2, 4, 20, 62, 256] {
        let letters = &letters[..alphabet];
        let text = random(letters, TEXT, 1);
        for m in [64, 128, 256, 512, 768, 1024, 1536, 2048, 4096, 16384, 65536] {
            let pattern = random(letters, m, 2);
            let ns = |method| {
                let offsets = (TEXT - m + 1) as u64;
                let sample = &text[..4096];
                let pattern = PreparedPattern::new(
                    &pattern,
                    &ExpectedText { alphabet: Some(alphabet as u32), sample, offsets: Some(offsets), method, ..ExpectedText::default() },
                );
                let rounds = if m > 4096 { 1 } else { ROUNDS };
                let seconds = (0..rounds).map(|_| seconds(&pattern, &text)).fold(f64::INFINITY, f64::min);
                seconds * 1e9 / offsets as f64
            };
            let [compare, add, transform] = [ScoreMethod::Compare, ScoreMethod::Add, ScoreMethod::Transform].map(|method| ns(Some(method)));
            let chosen = ns(None);
            let least = compare.min(add).min(transform);
            let better = if least == compare {
                "compare"
            } else if least == add {
                "add"
            } else {
                "transform"
            };
            let verdict = if chosen > 1.3 * least { format!("SLOW: {better} is better") } else { better.into() };
            println!("{alphabet:>8} {m:>8} {compare:>12.3} {add:>12.3} {transform:>12.3} {chosen:>12.3}  {verdict}");
        }
    }
}

fn seconds(pattern: &PreparedPattern, text: &[u8]) -> f64 {
    let start = Instant::now();
    let mut best = 0;
    let mut keep = |_, scores: ScoreSlice| {
        best = best.max(scores.len());
        Ok::<_, ()>(())
    };
    let mut stream = ScoreStream::new(pattern);
    stream.push(text, &mut keep).and_then(|()| stream.finish(&mut keep)).expect("nothing stops it");
    assert!(best > 0);
    start.elapsed().as_secs_f64()
}
