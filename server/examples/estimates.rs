//! Compares plans with reality: prints for jobs of every kind the duration that the planner expects on this machine,
//! and the measured duration.
//!
//! The column `ratio` is the expected duration divided by the measured one. The column `by lengths` is the same ratio
//! for a plan that only knows the lengths of the texts. The column `looked at` is the time for examining the texts
//! before planning.
//!
//! ```text
//! cargo run --release -p server --example estimates -- [FOLDER] [--engine cpu|cuda] [--only PREFIX] [--small]
//! ```
//!
//! `FOLDER` contains real texts (`phage.fasta`, `chromosome_1m.fasta` and their mutated copies). Without it, all texts
//! are generated. `--only` selects the jobs whose names begin with `PREFIX`. `--small` leaves out jobs that take longer
//! than some seconds on two cores. A measured duration is the median of three runs, or that of one run if it took long.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use kernels::job::{JobOptions, Task};
use kernels::plan::{EngineLimits, JobWork, PlannerOffer, plan};
use kernels::run::{NoObserver, Run};
use kernels::task::{InputSize, solver};
use kernels::text::Pair;
use lexopt::{Arg, ValueExt};
use oracle::{mutated, random};
use server::config::Config;
use server::engines::EnginePool;

/// A job of the table: its name, task and options, and a function that creates its texts.
struct Case {
    name: &'static str,
    task: Task,
    options: JobOptions,
    texts: Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>>,
}

/// Duration of a first run above which the job is not run again.
const ONCE: Duration = Duration::from_secs(2);

const DNA: &[u8] = b"ACGT";

fn main() -> anyhow::Result<()> {
    let mut parser = lexopt::Parser::from_env();
    let (mut folder, mut engine, mut only, mut small) = (None, "cpu".to_owned(), String::new(), false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("engine") => engine = parser.value()?.string()?,
            Arg::Long("only") => only = parser.value()?.string()?,
            Arg::Long("small") => small = true,
            Arg::Value(value) => folder = Some(PathBuf::from(value)),
            other => bail!("{}", other.unexpected()),
        }
    }
    let data = tempfile::tempdir()?;
    let variables = [("EDITSCOPE_ENGINES", engine.clone())];
    let lookup = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    let config = Config { data: data.path().into(), ..Config::read(lookup)? };
    let engines = EnginePool::open(&config);
    let kept = data.path().join(format!("engines/{engine}.json"));
    for _ in 0..600 {
        if kept.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let offer = engines.offers().pop().context("there is no such engine here")?;
    say(&format!("{}: {:?}", offer.device, offer.tasks.iter().map(|rate| format!("{:.1e}", rate.cells_per_second)).collect::<Vec<_>>()));
    let head = ["expected", "took", "by lengths", "ratio", "planned", "filled", "looked at"];
    let [expected, took, lengths, ratio, planned, filled, looked] = head;
    say(&format!("{:<30} {expected:>12} {took:>12} {lengths:>10} {ratio:>7} {planned:>9} {filled:>9} {looked:>9}", "job"));
    for case in cases(folder.as_deref(), small) {
        if case.name.starts_with(&only) {
            let [a, b] = (case.texts)()?;
            report(&case, &Pair::parse(a, b, &case.options.reading())?, &engines)?;
        }
    }
    Ok(())
}

/// Plans and runs the job `case` on the texts `pair`, and prints its line of the table.
fn report(case: &Case, pair: &Pair, engines: &EnginePool) -> anyhow::Result<()> {
    let looked = Instant::now();
    let work = JobWork { bytes: 0, ..solver(case.task).work_for(pair, &case.options) };
    let looked = 1e3 * looked.elapsed().as_secs_f64();
    let by_lengths = JobWork { bytes: 0, ..solver(case.task).work(&InputSize::from(pair), &case.options) };
    let unlimited = |work: &JobWork| {
        let offers = engines.offers_for(work).into_iter();
        offers.map(|offer| PlannerOffer { limits: EngineLimits::NONE, ..offer }).collect::<Vec<_>>()
    };
    let (before, plan) = (plan(&by_lengths, &unlimited(&by_lengths))?, plan(&work, &unlimited(&work))?);
    let engine = engines.lend(plan.engine, false, &[]).context("its engine is not here")?;
    let mut times = Vec::new();
    let mut filled = 0;
    for _ in 0..3 {
        let run = Run::new(&NoObserver);
        let start = Instant::now();
        engine.run(case.task, &case.options, pair, &run).map_err(kernels::run::Halt::failure)?;
        times.push(start.elapsed());
        filled = run.cells();
        if times[0] > ONCE {
            break;
        }
    }
    times.sort_unstable();
    let took = 1e3 * times[times.len() / 2].as_secs_f64();
    let line = format!(
        "{:<30} {:>9.2} ms {:>9.2} ms {:>10.2} {:>7.2} {:>9.1e} {:>9.1e} {:>6.2} ms",
        case.name,
        plan.expected_ms,
        took,
        before.expected_ms / took,
        plan.expected_ms / took,
        work.effort(plan.engine).cells as f64,
        filled as f64,
        looked,
    );
    say(&line);
    Ok(())
}

fn cases(folder: Option<&Path>, small: bool) -> Vec<Case> {
    let plain = || JobOptions { alignment: false, ..JobOptions::default() };
    let aligned = JobOptions::default;
    let mut all = Vec::new();
    let mut add = |name, task, options, texts: Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>>| all.push(Case { name, task, options, texts });
    if let Some(folder) = folder {
        for (name, task, options, [a, b]) in [
            ("ed read 90 %", Task::EditDistance, aligned(), ["read_10k", "read_10k_90"]),
            ("ed phage 99 %", Task::EditDistance, aligned(), ["phage", "phage_99"]),
            ("ed phage 90 %", Task::EditDistance, aligned(), ["phage", "phage_90"]),
            ("ed phage 60 %", Task::EditDistance, aligned(), ["phage", "phage_60"]),
            ("ed chromosome 99 %", Task::EditDistance, aligned(), ["chromosome_1m", "chromosome_1m_99"]),
            ("ed chromosome 97 %", Task::EditDistance, aligned(), ["chromosome_1m", "chromosome_1m_97"]),
            ("ed chromosome 94 %", Task::EditDistance, aligned(), ["chromosome_1m", "chromosome_1m_94"]),
            ("ed chromosome 94 % plain", Task::EditDistance, plain(), ["chromosome_1m", "chromosome_1m_94"]),
            ("ed chromosome 60 %", Task::EditDistance, aligned(), ["chromosome_1m", "chromosome_1m_60"]),
            ("lcs phage 99 %", Task::Lcs, aligned(), ["phage", "phage_99"]),
            ("lcs phage 60 %", Task::Lcs, aligned(), ["phage", "phage_60"]),
            ("lcs chromosome 99 %", Task::Lcs, aligned(), ["chromosome_1m", "chromosome_1m_99"]),
            ("lcs chromosome 94 %", Task::Lcs, aligned(), ["chromosome_1m", "chromosome_1m_94"]),
            ("lcs chromosome 94 % plain", Task::Lcs, plain(), ["chromosome_1m", "chromosome_1m_94"]),
            ("asm read in chromosome", Task::ApproximateSearch, plain(), ["read_10k", "chromosome_1m"]),
        ] {
            let read = [a, b].map(|name| folder.join(format!("{name}.fasta")));
            let texts = move || Ok([std::fs::read(&read[0])?, std::fs::read(&read[1])?]);
            add(name, task, options, Box::new(texts));
        }
    }
    let pair = |len: usize, rate: f64| -> Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>> {
        Box::new(move || {
            let a = random(DNA, len, 1);
            let b = if rate < 1.0 { mutated(&a, DNA, rate, 2) } else { random(DNA, len, 2) };
            Ok([a, b])
        })
    };
    let letters: Vec<u8> = (b'a'..=b'z').collect();
    let of_letters = move |len: usize, rate: f64| -> Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>> {
        let letters = letters.clone();
        Box::new(move || {
            let a = random(&letters, len, 1);
            let b = mutated(&a, &letters, rate, 2);
            Ok([a, b])
        })
    };
    // Creates a text of `len` letters, and a copy in which the first third has edits and is followed by `len` / 20 new
    // letters.
    let moved = |len: usize| -> Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>> {
        Box::new(move || {
            let a = random(DNA, len, 1);
            let b = [&mutated(&a[..len / 3], DNA, 0.01, 2)[..], &random(DNA, len / 20, 3), &a[len / 3..]].concat();
            Ok([a, b])
        })
    };
    for (name, task, options, texts, is_small) in [
        ("ed 10k 5 %", Task::EditDistance, aligned(), pair(10_000, 0.05), true),
        ("ed 10k 30 %", Task::EditDistance, aligned(), pair(10_000, 0.3), true),
        ("ed 10k unrelated", Task::EditDistance, aligned(), pair(10_000, 1.0), true),
        ("ed 100k 0.1 %", Task::EditDistance, aligned(), pair(100_000, 0.001), true),
        ("ed 100k 5 %", Task::EditDistance, aligned(), pair(100_000, 0.05), true),
        ("ed 100k 15 %", Task::EditDistance, aligned(), pair(100_000, 0.15), true),
        ("ed 100k 30 %", Task::EditDistance, aligned(), pair(100_000, 0.3), true),
        ("ed 100k unrelated", Task::EditDistance, aligned(), pair(100_000, 1.0), true),
        ("ed 100k letters 10 %", Task::EditDistance, aligned(), of_letters(100_000, 0.1), true),
        ("ed 1m equal", Task::EditDistance, aligned(), pair(1_000_000, 0.0), true),
        ("ed 1m 0.01 %", Task::EditDistance, aligned(), pair(1_000_000, 0.0001), true),
        ("ed 1m 0.1 %", Task::EditDistance, aligned(), pair(1_000_000, 0.001), true),
        ("ed 1m 5 %", Task::EditDistance, aligned(), pair(1_000_000, 0.05), true),
        ("ed 1m 15 %", Task::EditDistance, aligned(), pair(1_000_000, 0.15), true),
        ("ed 1m 30 %", Task::EditDistance, aligned(), pair(1_000_000, 0.3), false),
        ("ed 1m unrelated", Task::EditDistance, aligned(), pair(1_000_000, 1.0), false),
        ("ed 1m with 50k more", Task::EditDistance, aligned(), moved(1_000_000), true),
        ("ed 5m 0.1 %", Task::EditDistance, aligned(), pair(5_000_000, 0.001), true),
        ("ed 5m 0.1 % plain", Task::EditDistance, plain(), pair(5_000_000, 0.001), true),
        ("ed 5m 1 %", Task::EditDistance, aligned(), pair(5_000_000, 0.01), true),
        ("lcs 10k 30 %", Task::Lcs, aligned(), pair(10_000, 0.3), true),
        ("lcs 100k 5 %", Task::Lcs, aligned(), pair(100_000, 0.05), true),
        ("lcs 100k unrelated", Task::Lcs, aligned(), pair(100_000, 1.0), true),
        ("lcs 1m 0.1 %", Task::Lcs, aligned(), pair(1_000_000, 0.001), true),
        ("lcs 1m 5 %", Task::Lcs, aligned(), pair(1_000_000, 0.05), true),
        ("lcs 1m 30 %", Task::Lcs, aligned(), pair(1_000_000, 0.3), false),
        ("lcs 5m 0.1 %", Task::Lcs, aligned(), pair(5_000_000, 0.001), true),
    ] {
        if is_small || !small {
            add(name, task, options, texts);
        }
    }
    // Creates a pattern of `m` letters and a text of `n` letters. With `planted`, the text contains a copy of the
    // pattern with this rate of edits.
    let search = |letters: &'static [u8], m: usize, n: usize, planted: Option<f64>| -> Box<dyn Fn() -> anyhow::Result<[Vec<u8>; 2]>> {
        Box::new(move || {
            let (a, mut b) = (random(letters, m, 1), random(letters, n, 2));
            if let Some(rate) = planted {
                let copy = mutated(&a, letters, rate, 3);
                b.splice(n / 2..n / 2 + copy.len().min(n / 2), copy);
            }
            Ok([a, b])
        })
    };
    let within = |k: u64| JobOptions { max_distance: Some(k), ..JobOptions::default() };
    let asm = Task::ApproximateSearch;
    for (name, task, options, texts) in [
        ("asm 20 in 10m", asm, plain(), search(DNA, 20, 10_000_000, None)),
        ("asm 20 in 10m, k 2", asm, within(2), search(DNA, 20, 10_000_000, None)),
        ("asm 20 in 10m, k 5", asm, within(5), search(DNA, 20, 10_000_000, None)),
        ("asm 64 in 10m", asm, plain(), search(DNA, 64, 10_000_000, None)),
        ("asm 64 in 10m, k 4", asm, within(4), search(DNA, 64, 10_000_000, None)),
        ("asm 200 in 10m", asm, plain(), search(DNA, 200, 10_000_000, None)),
        ("asm 200 in 10m, planted", asm, plain(), search(DNA, 200, 10_000_000, Some(0.03))),
        ("asm 200 in 10m, k 5", asm, within(5), search(DNA, 200, 10_000_000, Some(0.01))),
        ("asm 200 in 10m, k 40", asm, within(40), search(DNA, 200, 10_000_000, Some(0.01))),
        ("asm 1000 in 10m", asm, plain(), search(DNA, 1000, 10_000_000, None)),
        ("asm 1000 in 10m, planted", asm, plain(), search(DNA, 1000, 10_000_000, Some(0.05))),
        ("asm 1000 in 10m, k 30", asm, within(30), search(DNA, 1000, 10_000_000, Some(0.01))),
        ("asm 10000 in 1m", asm, plain(), search(DNA, 10_000, 1_000_000, None)),
        ("asm 10000 in 1m, planted", asm, plain(), search(DNA, 10_000, 1_000_000, Some(0.05))),
        ("asm 10000 in 1m, k 500", asm, within(500), search(DNA, 10_000, 1_000_000, Some(0.02))),
        ("asm letters 100 in 10m, k 5", asm, within(5), search(b"abcdefghijklmnopqrstuvwxyz", 100, 10_000_000, Some(0.01))),
        ("match 20 in 10m", Task::MatchCount, plain(), search(DNA, 20, 10_000_000, None)),
        ("match 200 in 10m", Task::MatchCount, plain(), search(DNA, 200, 10_000_000, None)),
        ("match 1000 in 10m", Task::MatchCount, plain(), search(DNA, 1000, 10_000_000, None)),
        ("match 10000 in 10m", Task::MatchCount, plain(), search(DNA, 10_000, 10_000_000, None)),
        ("match 100000 in 10m", Task::MatchCount, plain(), search(DNA, 100_000, 10_000_000, None)),
        ("match letters 1000 in 10m", Task::MatchCount, plain(), search(b"abcdefghijklmnopqrstuvwxyz", 1000, 10_000_000, None)),
        ("exact 8 in 10m", Task::ExactSearch, plain(), search(DNA, 8, 10_000_000, None)),
        ("exact 30 in 10m", Task::ExactSearch, plain(), search(DNA, 30, 10_000_000, Some(0.0))),
        ("exact 1000 in 10m", Task::ExactSearch, plain(), search(DNA, 1000, 10_000_000, Some(0.0))),
        ("exact 2 in 10m", Task::ExactSearch, plain(), search(DNA, 2, 10_000_000, None)),
    ] {
        add(name, task, options, texts);
    }
    all
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn say(line: &str) {
    println!("{line}");
}
