//! Report: prints one line for each contender, and writes one JSON line for each workload.

use std::io::Write;

use kernels::cbor::from_bytes;
use kernels::event::TaskAnswer;
use serde::{Deserialize, Serialize};

use crate::race::RaceContender;

/// The result that every contender should find for all pieces (pairs of texts) of a workload.
pub(crate) struct ExpectedResult {
    /// For each piece, the number in its answer that all contenders compute.
    numbers: Vec<String>,
    /// For each piece, its answer in a few words.
    words: Vec<String>,
}

impl ExpectedResult {
    pub(crate) fn new(answers: &[TaskAnswer]) -> Self {
        Self { numbers: answers.iter().map(number).collect(), words: answers.iter().map(short).collect() }
    }

    /// Creates the result of contenders that compute one number.
    pub(crate) fn of_number(number: u64) -> Self {
        Self { numbers: vec![number.to_string()], words: vec![number.to_string()] }
    }

    /// Returns a message if the result `found` of a contender is not the expected one. For Editscope's engines, also
    /// compares the number of ends or offsets, which other programs do not report.
    pub(crate) fn differs(&self, found: &str) -> Option<String> {
        let same = match answers(found) {
            Some(answers) => answers.iter().map(short).eq(self.words.iter().cloned()),
            None => found == self.number(),
        };
        (!same).then(|| format!("finds {found:.60}"))
    }

    /// Describes the expected result in a few words.
    pub(crate) fn short(&self) -> String {
        match &self.words[..] {
            [only] => only.clone(),
            many => format!("{} in all of {} pairs", self.number(), many.len()),
        }
    }

    /// Returns the expected number, as other programs report it: the sum over all pieces.
    fn number(&self) -> String {
        match &self.numbers[..] {
            [only] => only.clone(),
            many => many.iter().filter_map(|number| number.parse::<u64>().ok()).sum::<u64>().to_string(),
        }
    }
}

/// Parses the result `found` of an engine of Editscope: JSON, or the CBOR of the solver in a browser. Returns `None`
/// for the result of another program.
fn answers(found: &str) -> Option<Vec<TaskAnswer>> {
    let Some(digits) = found.strip_prefix("cbor:") else { return serde_json::from_str(found).ok() };
    let pairs = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    from_bytes(&pairs.collect::<Option<Vec<u8>>>()?)
}

/// Formats an answer in a few words: its number, and the number of ends or offsets if the task has them.
fn short(answer: &TaskAnswer) -> String {
    match answer {
        TaskAnswer::EditDistance { .. } | TaskAnswer::Lcs { .. } | TaskAnswer::SequenceAlignment { .. } => number(answer),
        TaskAnswer::ApproximateSearch { total, .. } => format!("{} at {total} ends", number(answer)),
        TaskAnswer::MatchCount { total_best, .. } => format!("{} at {total_best} offsets", number(answer)),
        TaskAnswer::ExactSearch { .. } => format!("{} hits", number(answer)),
    }
}

/// Returns the number in an answer that all contenders compute: distance, length, best score or number of hits.
fn number(answer: &TaskAnswer) -> String {
    let found = match *answer {
        TaskAnswer::EditDistance { distance, .. } | TaskAnswer::ApproximateSearch { distance, .. } => distance,
        TaskAnswer::Lcs { length, .. } => Some(length),
        TaskAnswer::SequenceAlignment { score, .. } => return score.to_string(),
        TaskAnswer::MatchCount { best, .. } => best,
        TaskAnswer::ExactSearch { total, .. } => Some(total),
    };
    found.map_or("none".into(), |found| found.to_string())
}

/// The times of one contender in a race, and whether its result is right.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ContenderTimes {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) best_seconds: f64,
    /// Difference between the worst and the best round, in per cent of the median round.
    pub(crate) spread: f64,
    /// Whether the contender finds the expected result.
    pub(crate) agrees: bool,
    /// Message with the result that the contender found instead of the expected one, or empty.
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

/// The result of a race: the times of all contenders for one workload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RaceOutcome {
    pub(crate) workload: String,
    pub(crate) engine: String,
    pub(crate) device: String,
    pub(crate) m: u64,
    pub(crate) n: u64,
    /// Times of Editscope on parsed texts, which are on the GPU from an earlier call.
    pub(crate) ready: ContenderTimes,
    /// Times of Editscope from bytes, without texts cached on the GPU. `None` if they were not measured.
    pub(crate) from_bytes: Option<ContenderTimes>,
    pub(crate) cells_per_second: f64,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) answer: String,
    /// Description of the checks that the answer has passed.
    pub(crate) checked: String,
    pub(crate) others: Vec<ContenderTimes>,
}

/// Prints the head of the table that [`RaceOutcome::print`] continues.
pub(crate) fn head() {
    let (ready, bytes) = ("ready", "from bytes");
    say(format_args!("{:<29} {ready:>11} {bytes:>11} {:>7} {:>12} {:>10}  answer", "workload", "spread", "cells/s", "peak"));
}

impl RaceOutcome {
    /// Prints the line of Editscope, and a line for each other contender: how many times longer its calls take than
    /// those of Editscope on parsed texts and from bytes.
    ///
    /// # Errors
    /// Returns an error if Editscope's answer is not the expected one.
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

/// Formats a duration, given in seconds, with its unit.
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
