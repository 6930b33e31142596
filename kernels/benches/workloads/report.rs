//! What is printed and written: one line a contender, and one JSON line a workload.

use std::io::Write;

use kernels::event::Answer;
use kernels::text::Pair;

use crate::arguments::Ours;
use crate::race::Contender;

/// What a contender should have found.
pub(crate) struct Expected {
    /// The answers of all pieces, as numbers, and in words where there is one piece.
    numbers: Vec<String>,
    words: Vec<String>,
}

impl Expected {
    pub(crate) fn new(answers: &[Answer]) -> Self {
        Self { numbers: answers.iter().map(number).collect(), words: answers.iter().map(short).collect() }
    }

    /// What is said about an answer that is not the expected one. Ours are compared as a whole, others by their number.
    pub(crate) fn differs(&self, found: &str) -> Option<String> {
        let same = match serde_json::from_str::<Vec<Answer>>(found) {
            Ok(answers) => answers.iter().map(short).eq(self.words.iter().cloned()),
            Err(_) => found == self.number(),
        };
        (!same).then(|| format!("finds {found:.60}"))
    }

    /// The answer in a few words.
    pub(crate) fn short(&self) -> String {
        match &self.words[..] {
            [only] => only.clone(),
            many => format!("{} in all of {} pairs", self.number(), many.len()),
        }
    }

    /// The sum over the pieces, as programs of other people say it.
    fn number(&self) -> String {
        match &self.numbers[..] {
            [only] => only.clone(),
            many => many.iter().filter_map(|number| number.parse::<u64>().ok()).sum::<u64>().to_string(),
        }
    }
}

/// The numbers of an answer.
fn short(answer: &Answer) -> String {
    match answer {
        Answer::EditDistance { .. } | Answer::Lcs { .. } => number(answer),
        Answer::ApproximateSearch { total, .. } => format!("{} at {total} ends", number(answer)),
        Answer::MatchCount { total_best, .. } => format!("{} at {total_best} offsets", number(answer)),
        Answer::ExactSearch { .. } => format!("{} hits", number(answer)),
    }
}

/// The number in an answer that everybody computes.
fn number(answer: &Answer) -> String {
    let found = match *answer {
        Answer::EditDistance { distance, .. } => Some(distance),
        Answer::ApproximateSearch { distance, .. } => distance,
        Answer::Lcs { length, .. } => Some(length),
        Answer::MatchCount { best, .. } => best,
        Answer::ExactSearch { total, .. } => Some(total),
    };
    found.map_or("none".into(), |found| found.to_string())
}

/// The head of the table.
pub(crate) fn head() {
    say(format_args!("{:<26} {:>11} {:>11} {:>7} {:>12} {:>10}  answer", "workload", "best", "median", "spread", "cells/s", "peak"));
}

/// What came out of a race.
pub(crate) struct Outcome<'o, 'e> {
    pub(crate) name: String,
    pub(crate) ours: Contender<'e>,
    pub(crate) others: Vec<Contender<'e>>,
    /// The pair, or one of many of its lengths.
    pub(crate) pair: &'o Pair,
    pub(crate) expected: &'o Expected,
}

impl Outcome<'_, '_> {
    /// Prints our line, and one for each other contender: how many times as long it takes, by the best rounds of both.
    ///
    /// # Errors
    /// When our answer is not the expected one.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let Self { name, ours, others, expected, .. } = self;
        if let Some(differs) = expected.differs(&ours.found) {
            anyhow::bail!("{name} {differs} instead of {}", expected.short());
        }
        let rate = format!("{:.2} G", self.cells() / ours.median() / 1e9);
        let peak = ours.peak.map_or(String::new(), |peak| format!("{} kB", peak / 1000));
        say(format_args!("{name:<26} {} {rate:>12} {peak:>10}  {}", times(ours), expected.short()));
        for other in others {
            let ratio = format!("{:.2} times", other.best() / ours.best());
            let differs = expected.differs(&other.found).unwrap_or_default();
            let line = format!("  {:<24} {} {ratio:>12} {:>10}  {differs}", other.name.trim_end_matches("+path"), times(other), "");
            say(format_args!("{}", line.trim_end()));
        }
        Ok(())
    }

    /// Writes it as one line of JSON.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write(&self, engine: &Ours, mut file: &std::fs::File) -> std::io::Result<()> {
        let Self { name, ours, others, pair, expected } = self;
        let other = |other: &Contender| {
            let (seconds, best) = (other.median(), other.best());
            let agrees = expected.differs(&other.found).is_none();
            serde_json::json!({ "name": other.name, "seconds": seconds, "best_seconds": best, "agrees": agrees })
        };
        let line = serde_json::json!({
            "workload": name, "engine": engine.name(), "device": engine.device(), "m": pair.a.len(), "n": pair.b.len(),
            "seconds": ours.median(), "best_seconds": ours.best(), "cells_per_second": self.cells() / ours.median(),
            "peak_bytes": ours.peak, "answer": expected.short(), "others": others.iter().map(other).collect::<Vec<_>>(),
        });
        writeln!(file, "{line}")
    }

    fn cells(&self) -> f64 {
        self.pair.cells() as f64
    }
}

fn times(contender: &Contender) -> String {
    format!("{:>11} {:>11} {:>6.0}%", time(contender.best()), time(contender.median()), contender.spread())
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn say(line: std::fmt::Arguments) {
    println!("{line}");
}
