//! `editscope solve`: one job on two files, with its events as JSON lines on standard output. No server, no network, nothing is kept.
//!
//! - `stream`: a text that comes on standard input

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, bail};
use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use clap::Args;
use explain::event_builder::{EventBuilder, Totals};
use explain::export::listed::HitFile;
use explain::format::Listed;
use kernels::engine::{Cpu, Engine};
use kernels::event::{Event, Signal, Stage};
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::job::{Choice, Choices, Job, Record, Task};
use kernels::plan::{EngineName, Place, Plan};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::task::{Searched, searcher};
use kernels::text::Pair;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _};

mod stream;

/// What is solved, and how.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct SolveArguments {
    /// edit-distance, approximate-search, lcs, match-count or exact-search.
    #[arg(value_parser = task)]
    task: Task,
    /// File of the first text, the one that is looked for. Gzip and zstd are unpacked.
    a: PathBuf,
    /// File of the second text, the one that is searched; `-` for standard input, which match-count takes as it comes, whether or not it ends. Without it, the lines of the first file are both texts, the searched one first, as in paper 004.
    b: Option<PathBuf>,
    /// cpu or cuda.
    #[arg(long, default_value = "cpu", value_parser = engine)]
    engine: EngineName,
    /// Threads of the CPU engine; all cores where nobody says otherwise.
    #[arg(long)]
    threads: Option<usize>,
    /// An option of the job; may be given several times.
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = option)]
    options: Vec<(String, Value)>,
    /// Record of the first file: its number from 0, its name, or `joined` for all of them.
    #[arg(long, value_name = "RECORD", value_parser = choice)]
    record_a: Option<Choice>,
    /// Record of the second file.
    #[arg(long, value_name = "RECORD", value_parser = choice)]
    record_b: Option<Choice>,
    /// Writes the alignment of both texts to this file.
    #[arg(long, value_name = "FILE")]
    cigar: Option<PathBuf>,
    /// Writes all that a search has found to this file: as PAF, SAM or BED where its name ends so; a list of positions, or
    /// "Not found", where it ends with .txt; else as comma-separated values.
    #[arg(long, value_name = "FILE")]
    hits: Option<PathBuf>,
}

const HELP: &str = "\
Options of a job, for --set:
  unit=bytes|chars|graphemes|words|lines   what is compared
  fasta=auto|never|always                  whether the files are FASTA
  case_insensitive, ignore_whitespace, normalize=true
  alignment=true|false                     edit-distance, lcs
  max_distance=K, local_minima=true        approximate-search
  max_mismatches=K                         match-count
  strands=both                             approximate-search, exact-search: the reverse complement too
  count_only=true                          searches
  method=NAME                              a paper's method: docs/api.md has their names
  blocks=D                                 slices of the method slices

Examples:
  editscope solve edit-distance a.fasta b.fasta --engine cuda --set alignment=true
  editscope solve approximate-search read.txt chromosome.fasta --set max_distance=3 --set strands=both --hits hits.sam
  editscope solve match-count pattern.txt text.txt --set max_mismatches=2 --hits hits.csv
  tail -f log.txt | editscope solve match-count pattern.txt - --set max_mismatches=2";

fn task(name: &str) -> Result<Task, String> {
    let known = Task::ALL.into_iter().find(|task| task.name() == name);
    known.ok_or_else(|| format!("the tasks are {}", Task::ALL.map(Task::name).join(", ")))
}

fn engine(name: &str) -> Result<EngineName, String> {
    serde_json::from_value(name.into()).map_err(|_| "the engines are cpu and cuda".into())
}

fn option(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("option=value is wanted")?;
    Ok((name.into(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}

/// A record's number or name, or `joined`.
fn choice(text: &str) -> Result<Choice, String> {
    Ok(match text {
        "joined" => Choice { record: None, joined: true },
        _ => Choice { record: Some(text.parse().map_or_else(|_| Record::Name(text.into()), Record::Number)), joined: false },
    })
}

/// Prints events as they come, and stops the run when nobody reads them.
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
        let event = self.builder.lock().unwrap_or_else(PoisonError::into_inner).event(signal, self.now());
        match event.map_or(Ok(()), |event| print(&event)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Solves the job and prints its events.
///
/// # Errors
/// When a file cannot be read or written, the options do not fit the task, nobody reads the events, or the job fails.
pub fn solve(arguments: SolveArguments) -> anyhow::Result<()> {
    let task = arguments.task;
    let given: serde_json::Map<String, Value> = arguments.options.iter().cloned().collect();
    // As in a request, where a name that is not known is a mistake.
    let asked = json!({ "task": task, "options": given, "a": { "text": "" }, "b": { "text": "" } });
    let Job { options, .. } = serde_json::from_value(asked).context("--set")?;
    options.check(task)?;
    let choices = Choices::of(task, arguments.record_a.clone().unwrap_or_default(), arguments.record_b.clone().unwrap_or_default());
    let cpu = arguments.threads.map_or_else(Cpu::all_cores, |threads| Cpu { threads: threads.max(1) });
    let engine = match arguments.engine {
        EngineName::Cpu => Engine::Cpu(cpu),
        EngineName::Cuda => Engine::Cuda(RecoverableGpu::open(0, Some(std::env::temp_dir().join("editscope-kernels")))?),
    };
    if arguments.b.as_deref() == Some(Path::new("-")) {
        return stream::solve(task, &options, &engine, &arguments);
    }
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
    print(&Event::Planned(plan))?;
    let run = Run::new(&printer);
    // A run that stops has nobody who reads; the next line that is printed says so.
    let _ = run.stage(Stage::Read);
    let (a, b) = match &arguments.b {
        Some(b) => (read(&arguments.a)?, read(b)?),
        None if task != Task::ExactSearch => bail!("{} needs two files; exact-search may have both texts as the lines of one", task.name()),
        None => two_lines(read(&arguments.a)?).with_context(|| format!("reading {}", arguments.a.display()))?,
    };
    let pair = Pair::of_records(a, b, &options.reading(), &choices)?;
    pair.warnings().iter().for_each(|warning| eprintln!("warning: {}", warning.message));
    print(&Event::Read((&pair).into()))?;
    let result = engine.run(task, &options, &pair, &run);
    let now = printer.now();
    let totals = Totals { cells: run.cells(), peak_bytes: run.peak_bytes(), machine: engine.machine() };
    let builder = printer.builder.into_inner().unwrap_or_else(PoisonError::into_inner);
    match result {
        Ok(solution) => {
            for event in builder.finish(solution.answer.clone(), totals, now) {
                print(&event)?;
            }
            if let Some(file) = &arguments.cigar {
                let alignment = solution.alignment.context("--cigar: there is no alignment of both texts")?;
                std::fs::write(file, alignment.to_string()).with_context(|| format!("writing {}", file.display()))?;
            }
            if let Some(file) = &arguments.hits {
                let found = solution.found.context("--hits: there are no hits, or they were only counted")?;
                let searched = Searched { pair: &pair, options: &options, answer: &solution.answer, found: &found };
                write_hits(file, task, &cpu, &searched).with_context(|| format!("writing {}", file.display()))?;
            }
            Ok(())
        }
        Err(Halt::Stopped) => bail!("nobody reads the events"),
        Err(Halt::Failed(failure)) => {
            print(&Event::Failed(failure.clone()))?;
            bail!(failure)
        }
    }
}

/// What is in a file, unpacked where it is gzip or zstd.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    // The decoders are those of uploads, which are read as they come in; here nothing is waited for.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let unpacked = match bytes[..] {
        [0x1f, 0x8b, 8, ..] => {
            let mut decoder = GzipDecoder::new(&bytes[..]);
            decoder.multiple_members(true);
            runtime.block_on(all(decoder))
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let mut decoder = ZstdDecoder::new(&bytes[..]);
            decoder.multiple_members(true);
            runtime.block_on(all(decoder))
        }
        _ => Ok(bytes),
    };
    unpacked.with_context(|| format!("unpacking {}", file.display()))
}

async fn all(mut decoder: impl AsyncRead + Unpin) -> std::io::Result<Vec<u8>> {
    let mut inside = Vec::new();
    decoder.read_to_end(&mut inside).await.map(|_| inside)
}

/// Pattern and text of a file that holds the text in its first line and the pattern in its second one (paper 004, III). A line ends with
/// LF, CR LF or CR.
fn two_lines(mut content: Vec<u8>) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let end = |bytes: &[u8]| bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let after = |bytes: &[u8], end: usize| end + if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
    let first = end(&content).context("one file is given, and it has no second line")?;
    let mut pattern = content.split_off(after(&content, first));
    content.truncate(first);
    if let Some(second) = end(&pattern) {
        if after(&pattern, second) < pattern.len() {
            bail!("one file is given, and it has more than two lines");
        }
        pattern.truncate(second);
    }
    Ok((pattern, content))
}

/// All hits as the ending of the file says, made page by page.
fn write_hits(file: &Path, task: Task, cpu: &Cpu, searched: &Searched) -> anyhow::Result<()> {
    let form = match file.extension().and_then(|ending| ending.to_str()) {
        Some("paf") => Listed::Paf,
        Some("sam") => Listed::Sam,
        Some("bed") => Listed::Bed,
        Some("txt") if task == Task::ExactSearch => Listed::Positions,
        _ => Listed::Hits,
    };
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let (searcher, run) = (searcher(task)?, Run::new(&NoObserver));
    let listed = HitFile::new(form, searched.pair, searched.options.strands)?;
    out.write_all(listed.head(searched.found.positions.len()).as_bytes())?;
    for from in (0..searched.found.positions.len()).step_by(listed.at_once() as usize) {
        let hits = searcher.hits(searched, from..from + listed.at_once(), cpu, &run).map_err(Halt::failure)?;
        let page = listed.page(from, &hits, &|hit| searcher.align(searched.pair, hit, cpu, &run)).map_err(Halt::failure)?;
        out.write_all(page.as_bytes())?;
    }
    Ok(out.flush()?)
}

fn print(event: &Event) -> anyhow::Result<()> {
    print_line(event)
}

fn print_line(of: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(of)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).context("printing an event")
}
