//! `editscope solve`: solves one job on two files or texts, without a server. Nothing is stored.
//!
//! Prints a readable answer if the output is a terminal, and otherwise the events of the job as JSON lines.
//!
//! - [`costs`]: the costs of edits
//! - [`mod@file`]: reads a file
//! - [`progress`]: the progress bar
//! - [`readable`]: the readable answer
//! - [`scoring`]: points of columns and costs of gaps
//! - [`stream`]: a text on standard input

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use explain::event_builder::{EventBuilder, RunTotals};
use explain::export::hit_file::HitFile;
use explain::export::{blast, blocks, emboss};
use explain::format::FindingsFormat;
use kernels::alignment::Alignment;
use kernels::engine::{Cpu, Engine};
use kernels::event::{JobEvent, RunSignal, RunStage, TaskAnswer};
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::job::{ChosenRecord, JobOptions, JobRequest, PairRecordChoices, RecordChoice, Task};
use kernels::plan::{EngineName, EnginePlace, JobPlan};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::task::{FinishedSearch, Solution, searcher};
use kernels::text::Pair;
use serde_json::{Map, Value, json};

use self::progress::RunProgressBar;
use self::readable::{SolvedJob, TerminalFormat};
use super::{EXIT_DIFFERS, messages};
use crate::error::request::in_words;

mod costs;
pub(super) mod file;
mod progress;
mod readable;
mod scoring;
mod stream;

/// Arguments of `editscope solve`.
#[derive(Args, Debug)]
#[command(after_help = SOLVE_HELP)]
pub struct SolveArguments {
    /// Task: edit-distance, approximate-search, lcs, match-count, exact-search or sequence-alignment.
    #[arg(value_parser = task)]
    task: Task,
    /// File with the first text; in a search, the pattern. Gzip and zstd files are unpacked.
    a: OsString,
    /// File with the second text; in a search, the text to search. `-` reads standard input (match-count only). If it is left out, exact-search reads the text from line 1 of the first file and the pattern from line 2.
    b: Option<OsString>,
    /// Takes A and B as the texts themselves, not as files. They are compared by letters (unit=graphemes).
    #[arg(long)]
    text: bool,
    /// Exits with status 1 if the texts differ, or if a search finds nothing.
    #[arg(long)]
    check: bool,
    /// Prints events as JSON lines. This is the default if the output is not a terminal.
    #[arg(long, conflicts_with = "readable")]
    json: bool,
    /// Prints an answer for people, even if the output is not a terminal.
    #[arg(long)]
    readable: bool,
    /// Prints every difference or place, not only the first 20 lines.
    #[arg(long)]
    all: bool,
    /// Colors of the answer. `auto` colors on a terminal, unless the variable NO_COLOR is set.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Engine to compute on: cpu or cuda.
    #[arg(long, default_value = "cpu", value_parser = engine)]
    engine: EngineName,
    /// Number of threads on the CPU; by default one for each core.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Option of the task, see below. Can be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = option)]
    options: Vec<(String, Value)>,
    /// Record of the first file: its name, its number (from 0) if no record has this name, or `joined` for all records concatenated.
    #[arg(long, value_name = "RECORD", value_parser = choice)]
    record_a: Option<RecordChoice>,
    /// Record of the second file.
    #[arg(long, value_name = "RECORD", value_parser = choice)]
    record_b: Option<RecordChoice>,
    /// Saves the alignment to this file, as a CIGAR string.
    #[arg(long, value_name = "FILE")]
    cigar: Option<PathBuf>,
    /// Saves the alignment to this file. The file extension chooses the format: .pair (as EMBOSS writes it), .tsv (a
    /// line of BLAST's table, for sequence-alignment) or else blocks of text.
    #[arg(long, value_name = "FILE")]
    alignment: Option<PathBuf>,
    /// Saves all hits of a search to this file. The file extension chooses the format: .paf, .sam, .bed, .txt
    /// (positions, or "Not found") or else CSV.
    #[arg(long, value_name = "FILE")]
    hits: Option<PathBuf>,
}

/// The condition for colors in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    fn is_on(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                std::io::stdout().is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

impl SolveArguments {
    /// Returns whether events are printed as JSON lines: with `--json`, and by default if the output is not a terminal.
    fn is_json(&self) -> bool {
        self.json || !self.readable && !std::io::stdout().is_terminal()
    }

    fn screen(&self) -> TerminalFormat {
        readable::of_terminal(self.color.is_on(), self.all)
    }

    /// Returns the bytes of the text that the argument `given` names: those of the file with this path or, with
    /// `--text`, of the argument itself.
    fn read(&self, given: &OsStr) -> anyhow::Result<Vec<u8>> {
        if !self.text {
            return file::read(Path::new(given), self.ask_for_bytes());
        }
        let text = given.to_str().context("A text on the command line is not valid UTF-8. Put it into a file")?;
        Ok(text.as_bytes().to_vec())
    }

    /// Returns the name of a text in the answer: the file name in the path `given` or, with `--text`, the letter
    /// `letter`.
    fn name<'n>(&self, letter: &'n str, given: &'n OsStr) -> std::borrow::Cow<'n, str> {
        let file = Path::new(given).file_name().filter(|_| !self.text);
        file.map_or(letter.into(), OsStr::to_string_lossy)
    }

    fn ask_for_bytes(&self) -> bool {
        ask_for_bytes(&self.options)
    }
}

/// Returns whether the user has chosen bytes as the unit of comparison.
pub(super) fn ask_for_bytes(options: &[(String, Value)]) -> bool {
    options.iter().any(|(name, value)| name == "unit" && value == "bytes")
}

const SOLVE_HELP: &str = "\
Options of a task, for --set:
  unit=bytes|chars|graphemes|words|lines   what is compared (default: bytes)
  fasta=auto|never|always                  read the files as FASTA
  case_insensitive, ignore_whitespace, ignore_line_ends, ignore_punctuation, ignore_accents,
  ignore_digits, normalize=true            what does not count
  alignment=true|false                     edit-distance, lcs, sequence-alignment
  gaps=leftmost|rightmost                  where a gap goes that may go to several places (default: leftmost)
  costs=levenshtein|indel|osa              edit-distance: substitution 2 (indel), transposition 1 (osa)
  costs.substitute=K, costs.insert=K, costs.delete=K, costs.transpose=K
                                           edit-distance: cost of one kind of edit, from 0 to 1000
  mode=global|local|semi-global            sequence-alignment: what is aligned (default: global)
  free_ends=ENDS                           sequence-alignment with mode=semi-global: any of a-start, a-end, b-start,
                                           b-end, separated by commas; or fit (a into b), or overlap
  pieces=K                                 sequence-alignment with mode=local: the K best pieces, without common pairs
  match=P, mismatch=P                      sequence-alignment: points of two symbols, from -1000 to 1000
  matrix=NAME                              sequence-alignment: points of two letters, such as BLOSUM62 or NUC.4.4
  matrix=@FILE                             sequence-alignment: a custom matrix, in NCBI's format
  gap.open=K, gap.extend=K                 sequence-alignment: a gap of n symbols costs open + n * extend
  max_distance=K                           edit-distance: stop above K edits; approximate-search
  local_minima=true                        approximate-search
  max_mismatches=K                         match-count
  ambiguity=true                           DNA and RNA: codes match if they share a base
  strands=both                             approximate-search, exact-search: the reverse complement too
  count_only=true                          searches: count, but keep no places
  method=NAME                              a published method; docs/api.md lists them
  blocks=D                                 number of slices of the method slices

Examples:
  editscope solve edit-distance --text kitten sitting
  editscope solve edit-distance old.txt new.txt --set unit=lines
  editscope solve edit-distance a.fasta b.fasta --engine cuda --cigar out.cigar
  editscope solve edit-distance --text smiht smith --set costs=osa
  editscope solve sequence-alignment a.fasta b.fasta --set mode=local --set matrix=BLOSUM62 --set gap.open=11
  editscope solve sequence-alignment a.fasta b.fasta --set matrix=BLOSUM62 --set gap.open=11 --alignment out.pair
  editscope solve approximate-search read.txt chromosome.fasta --set max_distance=3 --set strands=both --hits hits.sam
  editscope solve match-count pattern.txt text.txt --set max_mismatches=2 --hits hits.csv
  editscope solve exact-search needle.txt haystack.txt --json | jq
  tail -f log.txt | editscope solve match-count pattern.txt - --set max_mismatches=2

Exit status: 0 success; 1 the texts differ, or nothing was found (--check); 2 error.";

pub(super) fn task(name: &str) -> Result<Task, String> {
    let known = Task::ALL.into_iter().find(|task| task.name() == name);
    known.ok_or_else(|| format!("choose one of: {}", Task::ALL.map(Task::name).join(", ")))
}

pub(super) fn engine(name: &str) -> Result<EngineName, String> {
    serde_json::from_value(name.into()).map_err(|_| "choose cpu or cuda".into())
}

pub(super) fn option(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write it as OPTION=VALUE, such as unit=words")?;
    Ok((name.into(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}

/// Joins the options `name.MEMBER` to the option `name`, which is an object. `named` returns the object that another value
/// of `name` stands for.
///
/// # Errors
/// Returns the errors of `named`.
fn join_members(
    options: &mut Map<String, Value>,
    name: &str,
    named: impl FnOnce(&Value) -> anyhow::Result<Map<String, Value>>,
) -> anyhow::Result<()> {
    let member = |option: &str| option.strip_prefix(name)?.strip_prefix('.').map(str::to_owned);
    let members: Map<String, Value> = options.iter().filter_map(|(option, value)| Some((member(option)?, value.clone()))).collect();
    options.retain(|option, _| member(option).is_none());
    let mut object = match options.remove(name) {
        None if members.is_empty() => return Ok(()),
        None => Map::new(),
        Some(Value::Object(object)) => object,
        Some(value) => named(&value)?,
    };
    object.extend(members);
    options.insert(name.into(), object.into());
    Ok(())
}

/// Parses the choice of a record: its name, its number if no record has this name, or the word `joined` for all records
/// concatenated.
fn choice(text: &str) -> Result<RecordChoice, String> {
    Ok(match text {
        "joined" => RecordChoice { record: None, joined: true },
        _ => RecordChoice { record: Some(ChosenRecord::Name(text.into())), joined: false },
    })
}

/// An observer that prints the events of a run and updates its progress bar. Stops the run if the output is closed.
struct SolveObserver {
    builder: Mutex<EventBuilder>,
    clock: Instant,
    bar: RunProgressBar,
    is_json: bool,
}

impl SolveObserver {
    fn now(&self) -> f64 {
        self.clock.elapsed().as_secs_f64() * 1e3
    }

    fn tell(&self, event: &JobEvent) -> anyhow::Result<()> {
        self.bar.tell(event);
        if self.is_json { print(event) } else { Ok(()) }
    }
}

impl Observer for SolveObserver {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let event = self.builder.lock().unwrap_or_else(PoisonError::into_inner).event(signal, self.now());
        match event.map_or(Ok(()), |event| self.tell(&event)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Parses the values of `--set`, by name.
///
/// # Errors
/// Returns an error with the name of an option that is unknown, has an invalid value or does not fit `task`.
pub(super) fn parse_options(task: Task, mut given: Map<String, Value>) -> anyhow::Result<JobOptions> {
    costs::join_costs(&mut given)?;
    scoring::join_scoring(&mut given)?;
    // The options are parsed like a request of the API, so that an unknown option is an error.
    let asked = json!({ "task": task, "options": given, "a": { "text": "" }, "b": { "text": "" } });
    let JobRequest { options, .. } = serde_path_to_error::deserialize(asked).map_err(|error| {
        let name = error.path().to_string();
        anyhow!("--set: {}", in_words(name.strip_prefix("options.").unwrap_or(&name), &error.into_inner().to_string()))
    })?;
    options.check(task).context("--set")?;
    Ok(options)
}

/// Solves the job that the arguments describe, and prints its answer or its events. Returns the exit status of the
/// process.
///
/// # Errors
/// Returns an error if a file cannot be read or written, the options do not fit the task, the output is closed, or the
/// job fails.
pub fn solve(arguments: &SolveArguments) -> anyhow::Result<ExitCode> {
    let task = arguments.task;
    // Of an option that is given twice, the last value counts.
    let mut given: Map<String, Value> = arguments.options.iter().cloned().collect();
    if arguments.text {
        given.entry("unit").or_insert_with(|| "graphemes".into());
    }
    let options = parse_options(task, given)?;
    check_files(arguments, &options)?;
    let choices =
        PairRecordChoices::of(task, arguments.record_a.clone().unwrap_or_default(), arguments.record_b.clone().unwrap_or_default());
    let cpu = arguments.threads.map_or_else(Cpu::all_cores, |threads| Cpu { threads: threads.get() });
    let engine = match arguments.engine {
        EngineName::Cpu => Engine::Cpu(cpu),
        EngineName::Cuda => Engine::Cuda(RecoverableGpu::open(0, Some(std::env::temp_dir().join("editscope-kernels")))?),
    };
    if !arguments.text && arguments.b.as_deref() == Some(OsStr::new("-")) {
        return stream::solve(task, &options, &engine, arguments).map(|hits| arguments.status(hits == 0));
    }
    let clock = Instant::now();
    let (device, because) = (engine.name_in_words(), "because the command line says so".into());
    let plan = JobPlan { device, because, ..JobPlan::unestimated(engine.name(), EnginePlace::Server) };
    let builder = Mutex::new(EventBuilder::new(&plan, 0.0));
    let is_json = arguments.is_json();
    // JSON events on a terminal already show the progress, and a bar would mix with them.
    let bar = RunProgressBar::start(!(is_json && std::io::stdout().is_terminal()));
    let mut printer = SolveObserver { builder, clock, bar, is_json };
    printer.tell(&JobEvent::Planned(plan))?;
    let run = Run::new(&printer);
    // A closed output is ignored here, because the next printed line reports it.
    let _ = run.stage(RunStage::Read);
    let (a, b) = match &arguments.b {
        Some(b) => (arguments.read(&arguments.a)?, arguments.read(b)?),
        None if arguments.text => bail!("Two texts are needed, and only one was given."),
        None if task != Task::ExactSearch => bail!("{} needs two files, and only one was given.", task.name()),
        None => two_lines(arguments.read(&arguments.a)?).with_context(|| format!("reading {}", Path::new(&arguments.a).display()))?,
    };
    let pair = Pair::parse_records(a, b, &options.reading(), &choices)?;
    pair.warnings().iter().for_each(|warning| messages::warn(&warning.message));
    printer.tell(&JobEvent::Read((&pair).into()))?;
    let result = engine.run(task, &options, &pair, &run);
    let now = printer.now();
    let totals = RunTotals { cells: run.cells(), peak_bytes: run.peak_bytes(), machine: engine.machine() };
    printer.bar.end();
    let solution = match result {
        Ok(solution) => solution,
        Err(Halt::Stopped) => bail!("Nobody reads the output any more."),
        Err(Halt::Failed(failure)) => {
            printer.tell(&JobEvent::Failed(failure.clone()))?;
            bail!(failure)
        }
    };
    if printer.is_json {
        let builder = printer.builder.into_inner().unwrap_or_else(PoisonError::into_inner);
        for event in builder.finish(solution.answer.clone(), totals, now) {
            print(&event)?;
        }
    } else {
        let names = [arguments.name("a", &arguments.a), arguments.name("b", arguments.b.as_deref().unwrap_or(&arguments.a))];
        let [a, b] = &names;
        let took = format!("{} ({})", milliseconds(now), engine.name_in_words());
        let solved = SolvedJob { task, options: &options, pair: &pair, solution: &solution, names: [a, b], cpu: &cpu, took };
        readable::print(&solved, arguments.screen())?;
    }
    save(arguments, &options, &pair, &solution, &cpu)?;
    Ok(arguments.status(is_different(&solution.answer, &options, &pair)))
}

impl SolveArguments {
    /// Returns the exit status of the process: [`EXIT_DIFFERS`] with `--check` and a set `differs` (the texts differ,
    /// or nothing was found), and otherwise success.
    fn status(&self, differs: bool) -> ExitCode {
        if self.check && differs { ExitCode::from(EXIT_DIFFERS) } else { ExitCode::SUCCESS }
    }
}

/// Checks before the computation that the files of `--cigar`, `--alignment` and `--hits` suit the task, and that their folders
/// exist.
///
/// # Errors
/// Returns an error with the name of the option whose file could not be written.
fn check_files(arguments: &SolveArguments, options: &JobOptions) -> anyhow::Result<()> {
    let task = arguments.task;
    let is_search = matches!(task, Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch);
    for (option, file) in [("--cigar", &arguments.cigar), ("--alignment", &arguments.alignment), ("--hits", &arguments.hits)] {
        let Some(file) = file else { continue };
        match option {
            "--hits" => ensure!(is_search && !options.count_only, "--hits: this task finds no places, or count_only=true was set"),
            _ => {
                ensure!(!is_search && options.alignment, "{option}: this task makes no alignment of both texts, or alignment=false was set")
            }
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        ensure!(folder.is_none_or(Path::is_dir), "{option}: the folder of {} does not exist", file.display());
        ensure!(!file.is_dir(), "{option}: {} is a folder", file.display());
    }
    let is_table = arguments.alignment.as_ref().is_some_and(|file| file.extension() == Some(OsStr::new("tsv")));
    ensure!(!is_table || task == Task::SequenceAlignment, "--alignment: the table of BLAST needs the score of sequence-alignment");
    Ok(())
}

/// Writes the files that the options `--cigar`, `--alignment` and `--hits` name: the alignment, and the hits of a search.
fn save(arguments: &SolveArguments, options: &JobOptions, pair: &Pair, solution: &Solution, cpu: &Cpu) -> anyhow::Result<()> {
    let alignment = |option: &str| {
        let none = || match solution.answer.no_alignment_reason() {
            Some(reason) => format!("{option}: {reason}"),
            None => format!("{option}: this task makes no alignment of both texts, or alignment=false was set"),
        };
        solution.alignment.as_ref().with_context(none)
    };
    if let Some(file) = &arguments.cigar {
        std::fs::write(file, alignment("--cigar")?.to_string()).with_context(|| format!("writing {}", file.display()))?;
    }
    if let Some(file) = &arguments.alignment {
        let content = aligned(file, alignment("--alignment")?, options, pair, &solution.answer).context("--alignment")?;
        std::fs::write(file, content).with_context(|| format!("writing {}", file.display()))?;
    }
    if let Some(file) = &arguments.hits {
        let found = solution.found.as_ref().context("--hits: this task finds no places, or count_only=true was set")?;
        let searched = FinishedSearch { pair, options, answer: &solution.answer, found };
        write_hits(file, arguments.task, cpu, &searched).with_context(|| format!("writing {}", file.display()))?;
    }
    Ok(())
}

/// Returns the alignment as the content of `file`, whose extension determines the format.
///
/// # Errors
/// Returns an error if the format cannot express the alignment.
fn aligned(file: &Path, alignment: &Alignment, options: &JobOptions, pair: &Pair, answer: &TaskAnswer) -> anyhow::Result<String> {
    let (score, scoring) = (answer.alignment_score(), options.scoring());
    let mut content = String::new();
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("pair") => {
            emboss::check(pair, alignment)?;
            emboss::write(&mut content, pair, alignment, score.map(|score| (score, &scoring)))?;
        }
        Some("tsv") => {
            let score = score.context("the table of BLAST needs the score of sequence-alignment")?;
            blast::write(&mut content, pair, alignment, score, answer.next_pieces())?;
        }
        _ => blocks(&mut content, pair, alignment, score)?,
    }
    Ok(content)
}

/// Returns whether the two texts differ or, for a search, whether nothing was found.
fn is_different(answer: &TaskAnswer, options: &JobOptions, pair: &Pair) -> bool {
    match answer {
        TaskAnswer::EditDistance { distance, alignment, .. } => {
            *distance != Some(0) || readable::has_free_edits(pair, options, alignment.as_ref())
        }
        TaskAnswer::SequenceAlignment { .. } => pair.a_symbols() != pair.b_symbols(),
        TaskAnswer::Lcs { length, .. } => *length < pair.a.len().max(pair.b.len()) as u64,
        TaskAnswer::ApproximateSearch { total, .. } | TaskAnswer::ExactSearch { total, .. } => *total == 0,
        TaskAnswer::MatchCount { best, within, .. } => within.map_or(best.is_none(), |within| within == 0),
    }
}

/// Formats a duration of `ms` milliseconds, such as "12 ms" or "3.4 s".
fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms < 0.1 => "under 0.1 ms".into(),
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1e3 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1e3),
    }
}

/// Splits the content of a file with the text in line 1 and the pattern in line 2 (paper 004, section III). Returns the
/// pattern and then the text, without line ends. A line ends with LF, CR LF or CR.
fn two_lines(mut content: Vec<u8>) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let end = |bytes: &[u8]| bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let after = |bytes: &[u8], end: usize| end + if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
    let has_second = |&first: &usize| after(&content, first) < content.len();
    let first = end(&content).filter(has_second).context("the file has no second line; give a second file, or put the pattern there")?;
    let mut pattern = content.split_off(after(&content, first));
    content.truncate(first);
    if let Some(second) = end(&pattern) {
        if after(&pattern, second) < pattern.len() {
            bail!("the file has more than two lines; give a second file");
        }
        pattern.truncate(second);
    }
    Ok((pattern, content))
}

/// Writes all hits of the search `searched` to `file`, page by page. The file extension determines the format.
fn write_hits(file: &Path, task: Task, cpu: &Cpu, searched: &FinishedSearch) -> anyhow::Result<()> {
    let form = match file.extension().and_then(|ending| ending.to_str()) {
        Some("paf") => FindingsFormat::Paf,
        Some("sam") => FindingsFormat::Sam,
        Some("bed") => FindingsFormat::Bed,
        Some("txt") if task == Task::ExactSearch => FindingsFormat::Positions,
        _ => FindingsFormat::Hits,
    };
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let (searcher, run) = (searcher(task)?, Run::new(&NoObserver));
    let listed = HitFile::new(form, searched.pair, searched.options.strands)?;
    out.write_all(listed.header(searched.found.positions.len()).as_bytes())?;
    let mut has_line = false;
    for from in (0..searched.found.positions.len()).step_by(listed.max_hits_per_page() as usize) {
        let hits = searcher.hits(searched, from..from + listed.max_hits_per_page(), cpu, &run).map_err(Halt::failure)?;
        let align = |hit| searcher.align(searched.pair, hit, searched.options.gaps, cpu, &run);
        let page = listed.page(&mut has_line, &hits, &align).map_err(Halt::failure)?;
        out.write_all(page.as_bytes())?;
    }
    Ok(out.flush()?)
}

fn print(event: &JobEvent) -> anyhow::Result<()> {
    print_line(event)
}

fn print_line(of: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(of)?;
    if std::io::stdout().is_terminal() {
        line = escaped(&line);
    }
    line.push('\n');
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).and_then(|()| out.flush()).context("The output could not be written")
}

/// Escapes all characters of a line of JSON that are not printable ASCII. The JSON value stays the same, and no
/// character can control a terminal.
fn escaped(line: &str) -> String {
    let mut units = [0; 2];
    let escape = |char: char| match char {
        ' '..='~' => char.to_string(),
        char => char.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    line.chars().map(escape).collect()
}
