//! Draws the chart of docs/performance.md and prints the rows of README's table, from committed results: `cargo xtask
//! bench --chart`.
//!
//! The same results always give the same bytes, so that a test compares the committed chart with them.

use std::{fmt::Write as _, fs, iter};

use anyhow::Context as _;

use crate::shell::root;

/// File with the times on one core, of our program and of other programs. The texts were given as bytes.
const CORE_RESULT: &str = "kernels/benches/results/2026-12-02-xeon-peers.txt";

/// File with the times on one GPU. Its fifth and sixth columns are medians of calls whose texts were given as bytes.
const GPU_RESULT: &str = "kernels/benches/results/2026-11-22-h200-lengths.txt";

/// File of the chart.
const CHART: &str = "docs/speed.svg";

/// One workload for each task: its name in the results, and two lines that describe it in the chart.
const WORKLOADS: [(&str, [&str; 2]); 5] = [
    ("ed-dna-100k-30", ["Edit distance", "100,000 letters, 30 % edits"]),
    ("lcs-dna-100k", ["Longest common subsequence", "length, 100,000 letters"]),
    ("asm-binary-1024x4Mi", ["Approximate search", "1,024 bits in 4 Mi"]),
    ("match-dna-1024x40M", ["Match count", "1,024 letters in 40 million"]),
    ("exact-alnum-8x38M", ["Exact search", "8 letters in 38 million"]),
];

/// Names in the results of the programs that belong to this project.
const OURS: [&str; 2] = ["scalar reference", "one thread"];

/// Horizontal position at which all bars begin, in pixels.
const BAR_START: f64 = 210.0;

/// Width of a factor of ten on the logarithmic axis, in pixels.
const DECADE: f64 = 125.0;

/// Height of a bar, in pixels.
const BAR_HEIGHT: usize = 13;

/// Height of all bars and texts of one workload, in pixels.
const ROW_HEIGHT: usize = 62;

/// Height of the space above the first row, in pixels.
const TOP: usize = 46;

/// Width of the chart, in pixels.
const WIDTH: usize = 760;

/// Height of the chart, in pixels.
const HEIGHT: usize = TOP + WORKLOADS.len() * ROW_HEIGHT + 30;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 11px; fill: #59636e }
.grid { stroke: #d1d9e0 }
.core { fill: #0a7d5f }
.other { fill: #9198a1 }
.gpu { fill: #6e5bd0 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .core { fill: #3fb68b }
  .other { fill: #7d8590 }
  .gpu { fill: #a094f0 }
}
";

/// The times of one workload, in milliseconds: ours on one core, of the fastest other program, and ours on a GPU.
struct WorkloadTimes {
    title: [&'static str; 2],
    core: f64,
    /// Name and time of the fastest program of other projects on the same core.
    other: (String, f64),
    gpu: f64,
}

/// Writes the chart and prints the rows of README's table.
///
/// # Errors
/// Returns an error if a result lacks a workload, or if the chart cannot be written.
pub(super) fn write_chart() -> anyhow::Result<()> {
    let rows = rows()?;
    fs::write(root().join(CHART), svg(&rows))?;
    println!("written to {CHART}; the rows of README's table:\n{}", table(&rows));
    Ok(())
}

fn rows() -> anyhow::Result<Vec<WorkloadTimes>> {
    let read = |file: &str| fs::read_to_string(root().join(file)).with_context(|| file.to_owned());
    let (core, gpu) = (read(CORE_RESULT)?, read(GPU_RESULT)?);
    let row = |&(name, title): &(&str, [&'static str; 2])| {
        let (core, other) = on_one_core(&core, name).with_context(|| format!("{CORE_RESULT} has no times of {name}"))?;
        let gpu = on_a_gpu(&gpu, name).with_context(|| format!("{GPU_RESULT} has no times of {name}"))?;
        Ok(WorkloadTimes { title, core, other, gpu })
    };
    WORKLOADS.iter().map(row).collect()
}

/// Returns our time for the workload `name` on one core, and the name and the time of the fastest program of other
/// projects. Times are in milliseconds. In `result`, the times of other programs are in the lines below the line of the
/// workload.
fn on_one_core(result: &str, name: &str) -> Option<(f64, (String, f64))> {
    let mut lines = result.lines().skip_while(|line| line.split_whitespace().next() != Some(name));
    let ours = milliseconds(columns(lines.next()?).nth(2)?)?;
    let others = lines.take_while(|line| line.starts_with(' ')).filter_map(|line| {
        let mut columns = columns(line);
        let program = columns.next().filter(|program| !OURS.contains(program))?;
        let program = program.split([',', ' ']).next()?;
        Some((program.to_owned(), milliseconds(columns.next()?)?))
    });
    Some((ours, others.min_by(|one, other| one.1.total_cmp(&other.1))?))
}

/// Returns our time for the workload `name` on a GPU, in milliseconds: the lower of the two medians in the fifth and
/// sixth column of `result`.
fn on_a_gpu(result: &str, name: &str) -> Option<f64> {
    let line = result.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    let times: Vec<f64> = line.split_whitespace().skip(1).map_while(|time| time.parse().ok()).collect();
    Some(times.get(4)?.min(*times.get(5)?))
}

/// Splits a line of a result into columns, which are separated by two or more spaces.
fn columns(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|column| !column.is_empty())
}

/// Parses a time such as `17.852 ms`. Returns it in milliseconds.
fn milliseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let factor = match unit {
        "ns" => 1e-6,
        "µs" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

fn in_words(ms: f64) -> String {
    match ms {
        ..9.95 => format!("{ms:.1} ms"),
        9.95..999.5 => format!("{ms:.0} ms"),
        _ => format!("{:.2} s", ms / 1e3),
    }
}

/// Returns the rows of README's table. The time of another program is bold if it is faster than ours.
fn table(rows: &[WorkloadTimes]) -> String {
    let row = |row: &WorkloadTimes| {
        let (name, ms) = &row.other;
        let other = format!("{} {}", name.replace('*', "\\*"), in_words(*ms));
        let other = if *ms < row.core { format!("**{other}**") } else { other };
        let [task, what] = row.title;
        format!("| {}: {what} | {} | {other} | {} |\n", task.to_lowercase(), in_words(row.core), in_words(row.gpu))
    };
    rows.iter().map(row).collect()
}

fn svg(rows: &[WorkloadTimes]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>Time of one workload for each task, from bytes; shorter is better</title>\n<style>\n{STYLE}</style>\n"
    );
    legend(&mut out);
    axis(&mut out);
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + number * ROW_HEIGHT;
        let [task, what] = row.title;
        let _ = writeln!(out, "<text x=\"0\" y=\"{}\">{task}</text>", top + 22);
        let _ = writeln!(out, "<text class=\"small\" x=\"0\" y=\"{}\">{what}</text>", top + 38);
        let (name, ms) = &row.other;
        let bars = [("core", row.core, String::new()), ("other", *ms, format!(" {name}")), ("gpu", row.gpu, String::new())];
        for (place, (class, ms, name)) in bars.into_iter().enumerate() {
            let (y, length) = (top + 6 + place * (BAR_HEIGHT + 2), length(ms));
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{BAR_START}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR_HEIGHT}\" rx=\"2\"/>\n\
                 <text class=\"small\" x=\"{:.1}\" y=\"{}\">{}{name}</text>",
                BAR_START + length + 6.0,
                y + 10,
                in_words(ms),
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String) {
    let names = [("core", "Editscope, one core"), ("other", "fastest other program, same core"), ("gpu", "Editscope, one GPU")];
    let places = iter::successors(Some(BAR_START as usize), |x| Some(x + if *x == BAR_START as usize { 150 } else { 222 }));
    for ((class, name), x) in names.into_iter().zip(places) {
        let _ = writeln!(out, "<rect class=\"{class}\" x=\"{x}\" y=\"6\" width=\"12\" height=\"12\" rx=\"2\"/>");
        let _ = writeln!(out, "<text class=\"small\" x=\"{}\" y=\"16\">{name}</text>", x + 18);
    }
}

/// Draws the lines of the axis at 1, 10, 100 and 1,000 milliseconds.
fn axis(out: &mut String) {
    for (ms, name) in [(1.0, "1 ms"), (10.0, "10 ms"), (100.0, "100 ms"), (1000.0, "1 s")] {
        let (x, bottom) = (BAR_START + length(ms), HEIGHT - 26);
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>", TOP - 12);
        let _ = writeln!(out, "<text class=\"small\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>", bottom + 16);
    }
}

/// Returns the length of the bar for the time `ms`, in pixels. The axis is logarithmic and begins at half a
/// millisecond.
fn length(ms: f64) -> f64 {
    (ms / 0.5).log10().max(0.0) * DECADE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_chart_is_the_generated_one() {
        let rows = rows().unwrap();
        let committed = fs::read_to_string(root().join(CHART)).unwrap();
        assert!(committed == svg(&rows), "{CHART} is old: cargo xtask bench --chart");
        for class in ["core", "other", "gpu"] {
            let bars = committed.matches(&format!("<rect class=\"{class}\"")).count();
            assert_eq!(bars, rows.len() + 1, "a bar for each row and one in the legend");
        }
    }

    #[test]
    fn readme_contains_the_rows_of_the_results() {
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let rows = table(&rows().unwrap());
        assert!(readme.contains(&rows), "README.md lacks these rows:\n{rows}");
    }

    #[test]
    fn times_are_parsed_in_every_unit() {
        let times = ["12 ns", "39 µs", "17.852 ms", "1.086 s", "3 weeks"].map(milliseconds);
        assert_eq!(times, [Some(12.0 * 1e-6), Some(39.0 * 1e-3), Some(17.852), Some(1.086 * 1e3), None]);
        assert_eq!([3.34, 9.96, 17.852, 1086.0].map(in_words), ["3.3 ms", "10 ms", "18 ms", "1.09 s"]);
    }
}
