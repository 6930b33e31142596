//! Reading: measures the time from bytes to symbols, and compares it with copying the same number of bytes into memory
//! that was used before.
//!
//! ```text
//! cargo bench -p kernels --bench reading [NAME]…
//! ```
//!
//! Prints nanoseconds for each byte: the best and the median of rounds in which copying and reading alternate. Uses one
//! core if the process may use only one. A large text is read into new memory, whose first use may take longer than
//! reading; the column `copied, new` shows copying into new memory.

use std::hint::black_box;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use kernels::text::{Pair, ReadingOptions, Unit};

/// Number of rounds for each measurement. In each round, the text is read once and copied twice.
const ROUNDS: usize = 9;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    say(format_args!("{:<22} {:>12} {:>12} {:>12} {:>12}", "ns a byte", "best", "median", "copied", "copied, new"));
    let unit = |unit| ReadingOptions { unit, ..ReadingOptions::default() };
    let folded = |reading| ReadingOptions { case_insensitive: true, ..reading };
    for (size, log) in [("1Mi", 20), ("64Mi", 26)] {
        let bytes = 1 << log;
        let dna = of_letters(b"ACGT", bytes);
        let prose = of_letters(b"etaoin shrdlu, cmfwyp. ETAOIN vbgkqjxz 0123456789\n", bytes);
        let lines = dna.chunks(70).flat_map(|line| line.iter().copied().chain([b'\n']));
        let fasta: Vec<u8> = b">chr1\n".iter().copied().chain(lines).collect();
        let scripts: String = "Größe und Maße: 漢字かな交じり文, naïve café — привет. ".chars().cycle().take(bytes / 2).collect();
        let rows = [
            ("dna", &dna, unit(Unit::Bytes)),
            ("bytes", &of_letters(&(0..=255).collect::<Vec<u8>>(), bytes), unit(Unit::Bytes)),
            ("prose", &prose, unit(Unit::Bytes)),
            ("prose-folded", &prose, folded(unit(Unit::Bytes))),
            ("prose-no-space", &prose, ReadingOptions { ignore_whitespace: true, ..unit(Unit::Bytes) }),
            ("dna-fasta", &fasta, unit(Unit::Bytes)),
            ("prose-chars", &prose, unit(Unit::Chars)),
            ("scripts-chars", &scripts.clone().into_bytes(), unit(Unit::Chars)),
            ("scripts-chars-folded", &scripts.into_bytes(), folded(unit(Unit::Chars))),
            ("prose-lines", &prose, unit(Unit::Lines)),
        ];
        for (name, text, reading) in rows {
            let name = format!("read-{name}-{size}");
            if asked.is_empty() || asked.iter().any(|asked| name.contains(asked.as_str())) {
                measure(&name, text, &reading);
            }
        }
    }
}

fn measure(name: &str, text: &[u8], reading: &ReadingOptions) {
    let (text, nothing): (Arc<[u8]>, Arc<[u8]>) = (text.into(), [].into());
    let mut there = text.to_vec();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        black_box(Pair::parse(Arc::clone(&text), Arc::clone(&nothing), reading).map_or(0, |pair| pair.a_symbols().len()));
        times[0].push(begin.elapsed());
        let begin = Instant::now();
        black_box(&mut there).copy_from_slice(&text);
        times[1].push(begin.elapsed());
        let begin = Instant::now();
        black_box(text.to_vec());
        times[2].push(begin.elapsed());
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let [read, copied, new] = times.map(|times| [0, ROUNDS / 2].map(|at| times[at].as_secs_f64() * 1e9 / text.len() as f64));
    say(format_args!("{name:<22} {:>12.3} {:>12.3} {:>12.3} {:>12.3}", read[0], read[1], copied[1], new[1]));
}

fn of_letters(letters: &[u8], len: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..len).map(|_| letters[random.usize(..letters.len())]).collect()
}

fn say(line: std::fmt::Arguments) {
    // Ignores errors, because the reader may have closed the pipe.
    let _ = writeln!(std::io::stdout(), "{line}");
}
