//! Readme: formats the rows of the tables in docs/performance.md from measurements, so that no figures are copied by
//! hand. The option `--readme` prints these rows.
//!
//! Also prints rows for all contenders that are faster than Editscope in any workload, whether or not the tables show
//! the workload.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::PATH;
use crate::report::{ContenderTimes, RaceOutcome};

/// Workloads of the tables in docs/performance.md, with their descriptions.
const ROWS: &[(&str, &str)] = &[
    ("ed-short-5", "distance / alignment of 5 letters"),
    ("ed-dna-1k-5", "distance / alignment, 5 % edits"),
    ("ed-dna-1k-30", "30 % edits"),
    ("ed-dna-10k-5", ""),
    ("ed-dna-10k-30", ""),
    ("ed-dna-100k-5", ""),
    ("ed-dna-100k-30", ""),
    ("ed-dna-1m-5", ""),
    ("ed-dna-1m-30", ""),
    ("ed-dna-16m-30", ""),
    ("ed-chromosome-1m-6", "a real megabase, 6 % edits"),
    ("lcs-dna-100k", "length / subsequence"),
    ("lcs-dna-16m", ""),
    ("asm-binary-1024x4Mi", "nearest substrings, no *k* given"),
    ("asm-dna-20-k1x32M", "all within 1 edit: there is none"),
    ("asm-dna-20-k1x32M-planted", "2,000 copies with up to 1 and up to 2 edits"),
    ("asm-dna-20-k1x32M-repeats", "the same among tandem repeats"),
    ("asm-dna-100-k3x32M-planted", "100 symbols, up to 3 and up to 4 edits"),
    ("match-dna-1024x40M", "all offsets"),
    ("exact-alnum-1x38M", "612,337 places"),
    ("exact-alnum-2x38M", "10,008 places"),
    ("exact-alnum-3x38M", "164 places"),
    ("exact-alnum-8x38M", "one place"),
    ("exact-periodic", "a⁴⁰⁹⁶ in a⁴ᴹⁱ"),
];

/// Names of contenders that are Editscope's own code, and therefore no peers.
const OURS: [&str; 2] = ["scalar reference", "one thread"];

/// Reads the outcomes of an earlier run from `file`, which the option `--json` has written.
///
/// # Errors
/// Returns an error if the file is not in this format.
pub(crate) fn earlier(file: &Path) -> anyhow::Result<Vec<RaceOutcome>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| file.display().to_string())).collect()
}

/// Formats the rows of the tables. Columns are workload, description, times on parsed texts, times from bytes, and the
/// fastest peer, all from `outcomes`. Two more columns have both kinds of times from `beside`, the outcomes on another
/// engine.
pub(crate) fn rows(outcomes: &[RaceOutcome], beside: &[RaceOutcome]) -> String {
    let (here, there) = (by_name(outcomes), by_name(beside));
    let present = ROWS.iter().filter(|(name, _)| here.contains_key(*name) || there.contains_key(*name));
    let row = |(name, what): &(&str, &str)| {
        let both = |from: &BTreeMap<&str, &RaceOutcome>, times: fn(&RaceOutcome) -> Option<&ContenderTimes>| {
            let found =
                [*name, &format!("{name}{PATH}")].map(|name| from.get(name).and_then(|outcome| times(outcome)).map(|it| it.seconds));
            in_words(&found.into_iter().flatten().collect::<Vec<_>>())
        };
        let nearest: Vec<String> = [*name, &format!("{name}{PATH}")].iter().filter_map(|name| nearest(here.get(*name)?)).collect();
        format!(
            "| `{name}` | {what} | {} | {} | {} | {} | {} |\n",
            both(&here, ready),
            both(&here, from_bytes),
            nearest.join(" / "),
            both(&there, ready),
            both(&there, from_bytes),
        )
    };
    present.map(row).collect()
}

fn ready(outcome: &RaceOutcome) -> Option<&ContenderTimes> {
    Some(&outcome.ready)
}

fn from_bytes(outcome: &RaceOutcome) -> Option<&ContenderTimes> {
    outcome.from_bytes.as_ref()
}

/// Formats a row for each workload in which a peer is faster than Editscope: the times of these peers, and Editscope's
/// times on parsed texts and from bytes.
pub(crate) fn ahead(outcomes: &[RaceOutcome]) -> String {
    let row = |outcome: &RaceOutcome| {
        let mut quicker: Vec<&ContenderTimes> = peers(outcome).filter(|peer| is_ahead(peer, outcome)).collect();
        quicker.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let quicker: Vec<String> = quicker.into_iter().map(named).collect();
        let bytes = outcome.from_bytes.as_ref().map_or(String::new(), |cold| in_words(&[cold.seconds]));
        let ready = in_words(&[outcome.ready.seconds]);
        (!quicker.is_empty()).then(|| format!("| `{}` | {} | {ready} | {bytes} |\n", outcome.workload, quicker.join(", ")))
    };
    outcomes.iter().filter_map(row).collect()
}

fn by_name(outcomes: &[RaceOutcome]) -> BTreeMap<&str, &RaceOutcome> {
    outcomes.iter().map(|outcome| (outcome.workload.as_str(), outcome)).collect()
}

/// Iterates over the contenders in `outcome` that are other people's code and find the expected result.
fn peers(outcome: &RaceOutcome) -> impl Iterator<Item = &ContenderTimes> {
    outcome.others.iter().filter(|other| other.agrees && !OURS.contains(&other.name.trim_end_matches(PATH)))
}

/// Returns whether `peer` is faster than Editscope, either from bytes or on parsed texts. Peers receive bytes.
fn is_ahead(peer: &ContenderTimes, outcome: &RaceOutcome) -> bool {
    peer.seconds < outcome.from_bytes.as_ref().unwrap_or(&outcome.ready).seconds.max(outcome.ready.seconds)
}

/// Formats the name and time of the fastest peer in `outcome`, in bold if it is faster than Editscope. Returns `None`
/// if no peer found the expected result.
fn nearest(outcome: &RaceOutcome) -> Option<String> {
    let nearest = peers(outcome).min_by(|one, other| one.seconds.total_cmp(&other.seconds))?;
    Some(if is_ahead(nearest, outcome) { format!("**{}**", named(nearest)) } else { named(nearest) })
}

fn named(times: &ContenderTimes) -> String {
    format!("{} {}", times.name.trim_end_matches(PATH).replace('*', "\\*"), in_words(&[times.seconds]))
}

/// Formats durations, given in seconds, with three digits, and two durations with a common unit if possible.
fn in_words(seconds: &[f64]) -> String {
    let words: Vec<(String, &str)> = seconds.iter().map(|&seconds| digits(seconds)).collect();
    match &words[..] {
        [(first, unit), (second, same)] if unit == same => format!("{first} / {second} {unit}"),
        all => all.iter().map(|(digits, unit)| format!("{digits} {unit}")).collect::<Vec<_>>().join(" / "),
    }
}

fn digits(seconds: f64) -> (String, &'static str) {
    // Rounding to three digits may reach the next unit.
    let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")];
    let (scale, unit) = units.into_iter().find(|(scale, _)| seconds / scale < 999.5).unwrap_or(units[3]);
    let value = seconds / scale;
    let places = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    (format!("{value:.places$}"), unit)
}
