//! One job on two files: events as JSON lines on standard output.
//!
//! ```text
//! solve TASK A B [--engine cpu|cuda] [--threads N] [--set option=value]… [--record-a R] [--record-b R] [--cigar FILE] [--hits FILE]
//! solve edit-distance a.fasta b.fasta --engine cuda --set alignment=true
//! solve approximate-search read.txt chromosome.fasta --set max_distance=3 --set local_minima=true --hits hits.csv
//! solve match-count pattern.txt text.txt --set max_mismatches=2 --hits hits.csv
//! ```
//!
//! The options are those of a job: `unit`, `fasta`, `case_insensitive`, `ignore_whitespace`, `normalize`; `alignment` of `edit-distance` and
//! `lcs`; `max_distance` and `local_minima` of `approximate-search`; `max_mismatches` of `match-count`; `count_only` of searches.
//! `--record-a` and `--record-b` choose a record of a file, by its number from 0 or its name, or all of them `joined`. Files of gzip and
//! zstd are unpacked. `--cigar` writes the alignment of both texts, `--hits` all that a search has found as comma-separated values.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, bail};
use explain::event_builder::{EventBuilder, Totals};
use explain::export::csv;
use kernels::engine::{Cpu, Engine};
use kernels::event::{Event, Signal, Stage};
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::job::{Choice, Choices, Options, Record, Task};
use kernels::plan::{EngineName, Place, Plan};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::task::{Searched, searcher};
use kernels::text::Pair;
use lexopt::{Arg, ValueExt};

const USAGE: &str = "usage: solve TASK A B [--engine cpu|cuda] [--threads N] [--set option=value]... [--record-a R] [--record-b R] [--cigar FILE] [--hits FILE]";

/// What the command line asks for.
struct Arguments {
    task: Task,
    files: [PathBuf; 2],
    engine: EngineName,
    threads: usize,
    options: Options,
    choices: Choices,
    cigar: Option<PathBuf>,
    hits: Option<PathBuf>,
}

/// Hits that are made at a time.
const PAGE: u64 = 10_000;

/// Prints events as they come.
struct Printer {
    builder: Mutex<EventBuilder>,
    clock: Instant,
}

impl Printer {
    fn now(&self) -> f64 {
        self.clock.elapsed().as_secs_f64() * 1e3
    }
}

impl Observer for Printer {
    fn on_signal(&self, signal: Signal) -> ControlFlow<()> {
        if let Ok(mut builder) = self.builder.lock() {
            builder.event(signal, self.now()).iter().for_each(print);
        }
        ControlFlow::Continue(())
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = arguments()?;
    let engine = match arguments.engine {
        EngineName::Cpu => Engine::Cpu(Cpu { threads: arguments.threads }),
        EngineName::Cuda => Engine::Cuda(RecoverableGpu::open(0, Some(std::env::temp_dir().join("editscope-kernels")))?),
    };
    let clock = Instant::now();
    let plan = Plan {
        engine: engine.name(),
        place: Place::Server,
        device: engine.name_in_words(),
        because: "because the command line says so".into(),
        reason: None,
        expected_ms: 0.0,
        alternative: None,
    };
    let printer = Printer { builder: Mutex::new(EventBuilder::new(&plan, 0.0)), clock };
    print(&Event::Planned(plan));
    let _ = printer.on_signal(Signal::Stage(Stage::Read));
    let [a, b] = &arguments.files;
    let pair = Pair::of_records(read(a)?, read(b)?, &arguments.options.reading(), &arguments.choices)?;
    print(&Event::Read((&pair).into()));
    let run = Run::new(&printer);
    let result = engine.run(arguments.task, &arguments.options, &pair, &run);
    let now = printer.now();
    let totals = Totals { cells: run.cells(), peak_bytes: run.peak_bytes(), machine: engine.machine() };
    let builder = printer.builder.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match result {
        Ok(solution) => {
            builder.finish(solution.answer.clone(), totals, now).iter().for_each(print);
            if let Some(file) = &arguments.cigar {
                let alignment = solution.alignment.context("--cigar: there is no alignment of both texts")?;
                std::fs::write(file, alignment.to_string()).with_context(|| format!("writing {}", file.display()))?;
            }
            if let Some(file) = &arguments.hits {
                let found = solution.found.context("--hits: there are no hits, or they were only counted")?;
                let searched = Searched { pair: &pair, options: &arguments.options, answer: &solution.answer, found: &found };
                write_hits(file, &arguments, &searched).with_context(|| format!("writing {}", file.display()))?;
            }
        }
        Err(Halt::Stopped) => print(&Event::Cancelled),
        Err(Halt::Failed(failure)) => print(&Event::Failed(failure)),
    }
    Ok(())
}

/// What is in a file, unpacked where it is gzip or zstd.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let unpacked = match bytes[..] {
        [0x1f, 0x8b, 8, ..] => {
            let mut inside = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut inside).map(|_| inside)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => zstd::decode_all(&bytes[..]),
        _ => Ok(bytes),
    };
    unpacked.with_context(|| format!("unpacking {}", file.display()))
}

/// All hits as comma-separated values, made page by page.
fn write_hits(file: &PathBuf, arguments: &Arguments, searched: &Searched) -> anyhow::Result<()> {
    let cpu = Cpu { threads: arguments.threads };
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    out.write_all(csv::head_of_hits(&searched.pair.b).as_bytes())?;
    for from in (0..searched.found.positions.len()).step_by(PAGE as usize) {
        let hits = searcher(arguments.task)?.hits(searched, from..from + PAGE, &cpu, &Run::new(&NoObserver)).map_err(Halt::failure)?;
        let mut page = String::new();
        csv::hits(&mut page, &searched.pair.b, &hits)?;
        out.write_all(page.as_bytes())?;
    }
    Ok(out.flush()?)
}

#[expect(clippy::print_stdout, reason = "events are what this program is for")]
fn print(event: &Event) {
    println!("{}", serde_json::to_string(event).unwrap_or_default());
}

fn arguments() -> anyhow::Result<Arguments> {
    let mut parser = lexopt::Parser::from_env();
    let mut places = Vec::new();
    let mut options = serde_json::Map::new();
    let mut choices = [Choice::default(), Choice::default()];
    let (mut engine, mut threads, mut cigar, mut hits) = (EngineName::Cpu, Cpu::all_cores().threads, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("engine") => engine = serde_json::from_value(parser.value()?.string()?.into()).context("engines are cpu and cuda")?,
            Arg::Long("threads") => threads = parser.value()?.parse()?,
            Arg::Long("record-a") => choices[0] = choice(parser.value()?.string()?),
            Arg::Long("record-b") => choices[1] = choice(parser.value()?.string()?),
            Arg::Long("cigar") => cigar = Some(parser.value()?.into()),
            Arg::Long("hits") => hits = Some(parser.value()?.into()),
            Arg::Long("set") => {
                let set = parser.value()?.string()?;
                let (name, value) = set.split_once('=').with_context(|| format!("--set takes option=value, not {set}"))?;
                options.insert(name.into(), serde_json::from_str(value).unwrap_or_else(|_| value.into()));
            }
            Arg::Value(place) => places.push(place),
            other => bail!("{}; {USAGE}", other.unexpected()),
        }
    }
    let Ok([task, a, b]) = <[OsString; 3]>::try_from(places) else { bail!(USAGE) };
    let task = serde_json::from_value(task.string()?.into()).context("unknown task")?;
    let options: Options = serde_json::from_value(options.into()).context("unknown option")?;
    options.check(task)?;
    let [of_a, of_b] = choices;
    let choices = Choices::of(task, of_a, of_b);
    Ok(Arguments { task, files: [a.into(), b.into()], engine, threads, options, choices, cigar, hits })
}

/// A record's number or name, or `joined`.
fn choice(said: String) -> Choice {
    match said.as_str() {
        "joined" => Choice { record: None, joined: true },
        _ => Choice { record: Some(said.parse().map_or(Record::Name(said), Record::Number)), joined: false },
    }
}
