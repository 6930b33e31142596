//! Report: prints one line for each contender, and writes one JSON line for each workload.

use std::io::Write;

use kernels::cbor::from_bytes;
use kernels::event::TaskAnswer;
use serde::{Deserialize, Serialize};

use crate::race::RaceContender;

/// The result that every contender should find.
pub(crate) struct ExpectedResult {
    /// Answers of all pieces, as numbers and as short texts.
    numbers: Vec<String>,
    words: Vec<String>,
}

impl ExpectedResult {
    pub(crate) fn new(answers: &[TaskAnswer]) -> Self {
        Self { numbers: answers.iter().map(number).collect(), words: answers.iter().map(short).collect() }
    }

    /// Returns a message if `found` is not the expected result. Our answers are compared entirely, others by their
    /// number.
    pub(crate) fn differs(&self, found: &str) -> Option<String> {
        let same = match answers(found) {
            Some(answers) => answers.iter().map(short).eq(self.words.iter().cloned()),
            None => found == self.number(),
        };
        (!same).then(|| format!("finds {found:.60}"))
    }

    /// Describes the answer in a few words.
    pub(crate) fn short(&self) -> String {
        match &self.words[..] {
            [only] => only.clone(),
            many => format!("{} in all of {} pairs", self.number(), many.len()),
        }
    }

    /// Returns the sum over the pieces, as other programs report it.
    fn number(&self) -> String {
        match &self.numbers[..] {
            [only] => only.clone(),
            many => many.iter().filter_map(|number| number.parse::<u64>().ok()).sum::<u64>().to_string(),
        }
    }
}

/// Parses the answers of our engines: JSON, or the CBOR of the solver in a browser.
fn answers(found: &str) -> Option<Vec<TaskAnswer>> {
    let Some(digits) = found.strip_prefix("cbor:") else { return serde_json::from_str(found).ok() };
    let pairs = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    from_bytes(&pairs.collect::<Option<Vec<u8>>>()?)
}

/// Formats the numbers of an answer.
fn short(answer: &TaskAnswer) -> String {
    match answer {
        TaskAnswer::EditDistance { .. } | TaskAnswer::Lcs { .. } => number(answer),
        TaskAnswer::ApproximateSearch { total, .. } => format!("{} at {total} ends", number(answer)),
        TaskAnswer::MatchCount { total_best, .. } => format!("{} at {total_best} offsets", number(answer)),
        TaskAnswer::ExactSearch { .. } => format!("{} hits", number(answer)),
    }
}

/// Returns the number in an answer that all contenders compute.
fn number(answer: &TaskAnswer) -> String {
    let found = match *answer {
        TaskAnswer::EditDistance { distance, .. } => Some(distance),
        TaskAnswer::ApproximateSearch { distance, .. } => distance,
        TaskAnswer::Lcs { length, .. } => Some(length),
        TaskAnswer::MatchCount { best, .. } => best,
        TaskAnswer::ExactSearch { total, .. } => Some(total),
    };
    found.map_or("none".into(), |found| found.to_string())
}

/// The median time of one contender, and the spread of its rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ContenderTimes {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) best_seconds: f64,
    /// Difference between the worst and the best round, in per cent of the median.
    pub(crate) spread: f64,
    /// Whether the contender finds the expected result.
    pub(crate) agrees: bool,
    /// Result that the contender finds instead.
    #[serde(skip)]
    pub(crate) differs: String,
}

impl ContenderTimes {
    pub(crate) fn new(contender: &RaceContender, expected: &ExpectedResult) -> Self {
        let differs = expected.differs(&contender.found);
        Self {
            name: contender.name.clone(),
            seconds: contender.median(),
            best_seconds: contender.best(),
            spread: contender.spread(),
            agrees: differs.is_none(),
            differs: differs.unwrap_or_default(),
        }
    }
}

/// The result of a race.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RaceOutcome {
    pub(crate) workload: String,
    pub(crate) engine: String,
    pub(crate) device: String,
    pub(crate) m: u64,
    pub(crate) n: u64,
    /// Times on parsed texts, which are on the GPU already.
    pub(crate) ready: ContenderTimes,
    /// Times from bytes, without cached texts.
    pub(crate) from_bytes: Option<ContenderTimes>,
    pub(crate) cells_per_second: f64,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) answer: String,
    /// Checks that the answer has passed.
    pub(crate) checked: String,
    pub(crate) others: Vec<ContenderTimes>,
}

/// Prints the head of the table.
pub(crate) fn head() {
    let (ready, bytes) = ("ready", "from bytes");
    say(format_args!("{:<29} {ready:>11} {bytes:>11} {:>7} {:>12} {:>10}  answer", "workload", "spread", "cells/s", "peak"));
}

impl RaceOutcome {
    /// Prints our line, and one for each other contender: how many times longer it takes, compared with ours when ready
    /// and from bytes.
    ///
    /// # Errors
    /// Returns an error if our answer is not the expected one.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let Self { workload, ready, from_bytes, others, answer, .. } = self;
        for ours in [Some(ready), from_bytes.as_ref()].into_iter().flatten() {
            anyhow::ensure!(ours.agrees, "{workload} {} instead of {answer}", ours.differs);
        }
        let rate = format!("{:.2} G", self.cells_per_second / 1e9);
        let peak = self.peak_bytes.map_or(String::new(), |peak| format!("{} kB", peak / 1000));
        let bytes = from_bytes.as_ref().map_or(String::new(), |cold| time(cold.seconds));
        let line = format!("{workload:<29} {:>11} {bytes:>11} {:>6.0}% {rate:>12} {peak:>10}", time(ready.seconds), ready.spread);
        say(format_args!("{line}  {answer}"));
        for ContenderTimes { name, seconds, spread, differs, .. } in others {
            let ratios = [Some(ready), from_bytes.as_ref()].into_iter().flatten().map(|ours| format!("{:.2}", seconds / ours.seconds));
            let ratios = ratios.collect::<Vec<_>>().join(" | ");
            let line = format!(
                "  {:<27} {:>11} {:>11} {spread:>6.0}% {ratios:>17} times  {differs}",
                name.trim_end_matches("+path"),
                "",
                time(*seconds)
            );
            say(format_args!("{}", line.trim_end()));
        }
        Ok(())
    }

    /// Writes the outcome as one line of JSON.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn write(&self, mut file: &std::fs::File) -> anyhow::Result<()> {
        Ok(writeln!(file, "{}", serde_json::to_string(self)?)?)
    }
}

/// Formats a time with its unit.
pub(crate) fn time(seconds: f64) -> String {
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
