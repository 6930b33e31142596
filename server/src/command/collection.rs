//! `editscope collection`: compares many texts with each other, or with those of other files, without a server. Nothing
//! is stored.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use explain::collection::found::FoundPatterns;
use explain::collection::template::TextTemplate;
use explain::collection::write::WriteError;
use explain::collection::{AnsweredCollection, CollectionFormat};
use indicatif::{ProgressBar, ProgressStyle};
use kernels::collection::{
    AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, PatternCollection, RowSteps, SideSources,
};
use kernels::engine::{Cpu, Engine};
use kernels::event::RunSignal;
use kernels::gpu::device_recovery::RecoverableGpu;
use kernels::job::Task;
use kernels::plan::EngineName;
use kernels::run::{Halt, NoObserver, Observer, Run};
use serde_json::Value;

use super::messages;
use super::solve::{ask_for_bytes, engine, file, option, parse_options, task};

/// Arguments of `editscope collection`.
#[derive(Args, Debug)]
#[command(after_help = COLLECTION_HELP)]
pub struct CollectionArguments {
    /// Task: edit-distance, lcs or sequence-alignment; exact-search or approximate-search for many patterns.
    #[arg(value_parser = task)]
    task: Task,
    /// Files with the texts; in a search, with the patterns. Gzip and zstd files are unpacked.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File with texts of a second collection, which each text is compared with. Can be repeated. In a search, the file that is searched.
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Rule by which files are divided into texts. By default, a single file is divided into lines, and several files are a text each.
    #[arg(long, value_name = "RULE")]
    split: Option<SplitArgument>,
    /// Rule by which the files of --against are divided, with the same default.
    #[arg(long, value_name = "RULE")]
    split_against: Option<SplitArgument>,
    /// File whose lines, and five or more of whose words in a row, do not count, such as a starter file. Can be repeated.
    #[arg(long, value_name = "FILE")]
    template: Vec<PathBuf>,
    /// Pairs of the answer: all, within=K (at most K edits, or this sum of their costs), nearest=K (of each text) or similarity=S (from 0 to 1).
    #[arg(long, value_name = "PAIRS", default_value = "all", value_parser = kept_pairs)]
    keep: KeptPairs,
    /// Format of the answer: json, pairs (default), matrix or groups (CSV), phylip, newick or npy. In a search, json, hits (default) or counts (CSV), bed, paf or sam.
    #[arg(long, value_name = "FORMAT")]
    format: Option<CollectionFormat>,
    /// Writes the answer to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Engine to compute on: cpu or cuda. Searches use the processor.
    #[arg(long, default_value = "cpu", value_parser = engine)]
    engine: EngineName,
    /// Number of threads; by default one for each core.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Option of the task, as of `editscope solve`. Can be repeated.
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = option)]
    options: Vec<(String, Value)>,
}

/// A rule by which files are divided into texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplitArgument {
    /// Each file is a text.
    Files,
    /// Each line is a text.
    Lines,
    /// Each record of a sequence file is a text.
    Records,
    /// Each group of lines between blank lines is a text.
    Blank,
    /// Each file is a text, also if it looks like a sequence file.
    Plain,
}

impl From<SplitArgument> for MemberSplit {
    fn from(split: SplitArgument) -> Self {
        match split {
            SplitArgument::Files => Self::Files,
            SplitArgument::Lines => Self::Lines,
            SplitArgument::Records => Self::Records,
            SplitArgument::Blank => Self::Blank,
            SplitArgument::Plain => Self::Plain,
        }
    }
}

const COLLECTION_HELP: &str = "\
Examples:
  editscope collection edit-distance words.txt --keep within=1
  editscope collection edit-distance essays/*.txt --set unit=words --keep similarity=0.3 --format groups
  editscope collection edit-distance hand-ins/*.py --template starter.py --set unit=words --keep similarity=0.3
  editscope collection edit-distance reads.fastq --split records --against barcodes.txt --keep nearest=1
  editscope collection lcs names.txt --format newick --output names.nwk
  editscope collection approximate-search primers.fasta --split records --against genome.fasta --set max_distance=2
      --set strands=both --format bed
  editscope collection sequence-alignment proteins.fasta --split records --set matrix=BLOSUM62 --set gap.open=11 --format matrix";

/// Limits of the answer. There is no other client, so that only numbers of pairs are limited.
const LIMITS: AnswerLimits = AnswerLimits { max_scores: 1 << 31, max_pairs: 1 << 31 };

fn kept_pairs(text: &str) -> Result<KeptPairs, String> {
    let invalid = || "choose all, within=K, nearest=K or similarity=S".to_owned();
    let Some((name, value)) = text.split_once('=') else { return if text == "all" { Ok(KeptPairs::All) } else { Err(invalid()) } };
    match name {
        "within" => value.parse().map(KeptPairs::Within).map_err(|_| invalid()),
        "nearest" => value.parse().map(KeptPairs::Nearest).map_err(|_| invalid()),
        "similarity" => value.parse().map(KeptPairs::Similarity).map_err(|_| invalid()),
        _ => Err(invalid()),
    }
}

/// Returns the names of files: without their folders, unless two files would have the same name.
fn names(files: &[PathBuf]) -> Vec<String> {
    let short = |file: &PathBuf| file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
    let names: Vec<String> = files.iter().map(short).collect();
    let distinct: HashSet<&String> = names.iter().collect();
    if distinct.len() < names.len() { files.iter().map(|file| file.display().to_string()).collect() } else { names }
}

/// An observer that moves a progress bar on standard error. The bar is hidden if standard error is not a terminal.
struct BarObserver(ProgressBar);

impl Observer for BarObserver {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        if let RunSignal::Progress { done, total } = signal {
            self.0.set_length(total);
            self.0.set_position(done);
        }
        ControlFlow::Continue(())
    }
}

/// Compares the texts that the arguments name, and writes the answer.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or if the question does not fit the texts.
pub fn compare(arguments: &CollectionArguments) -> anyhow::Result<()> {
    let options = parse_options(arguments.task, arguments.options.iter().cloned().collect())?;
    let takes_bytes = ask_for_bytes(&arguments.options);
    let is_search = PatternCollection::TASKS.contains(&arguments.task);
    let side = |files: &[PathBuf], split: Option<SplitArgument>| -> anyhow::Result<SideSources> {
        let default = if files.len() == 1 { MemberSplit::Lines } else { MemberSplit::Files };
        let names = names(files);
        let source = |(file, name): (&PathBuf, String)| -> anyhow::Result<MemberSource> {
            Ok(MemberSource { name, bytes: file::read(file, takes_bytes)?.into() })
        };
        let sources = files.iter().zip(names).map(source).collect::<anyhow::Result<_>>()?;
        Ok(SideSources { sources, split: split.map_or(default, MemberSplit::from) })
    };
    let a = side(&arguments.files, arguments.split)?;
    // A searched file is a text, and its lines are not.
    let split_against = arguments.split_against.or(is_search.then_some(SplitArgument::Files));
    let b = if arguments.against.is_empty() { None } else { Some(side(&arguments.against, split_against)?) };
    let (a, b) = if arguments.template.is_empty() {
        (a, b)
    } else if is_search {
        bail!("--template has lines that do not count, and a search finds patterns in whole texts");
    } else {
        let starter = side(&arguments.template, Some(SplitArgument::Files))?.sources;
        let template = TextTemplate::of_sources(&starter, options.unit)?;
        (template.remove_from_side(a)?, b.map(|b| template.remove_from_side(b)).transpose()?)
    };
    let cpu = arguments.threads.map_or_else(Cpu::all_cores, |threads| Cpu { threads: threads.get() });
    let bar = ProgressBar::no_length().with_style(ProgressStyle::with_template("[{bar:30}] {percent:>3}%  {eta}")?);
    let observer = BarObserver(bar);
    let run = Run::new(&observer);
    let stopped = |halt: Halt| match halt {
        Halt::Stopped => anyhow!("The comparison was stopped."),
        Halt::Failed(failure) => anyhow!(failure),
    };
    let (task, keep) = (arguments.task, arguments.keep);
    if is_search {
        let b = b.context("a search needs --against, the file with the hits")?;
        if keep != KeptPairs::All {
            bail!("--keep has pairs of texts, and a search has hits");
        }
        let default = if options.count_only { CollectionFormat::Counts } else { CollectionFormat::Hits };
        let format = arguments.format.unwrap_or(default);
        format.check_search(task, options.count_only)?;
        let collection = PatternCollection::parse(a, b, task, &options)?;
        let hits = arguments.open_engine(cpu)?.find(&collection, LIMITS.max_pairs, &run).map_err(stopped)?;
        observer.0.finish_and_clear();
        let found = FoundPatterns { collection: &collection, hits: &hits };
        return arguments.write(|to| found.write(format, to, &cpu, &Run::new(&NoObserver)));
    }
    let collection = Collection::parse(a, b, &options.reading())?;
    let question = CollectionQuestion::new(task, &options, keep, &collection)?;
    let format = arguments.format.unwrap_or(CollectionFormat::Pairs);
    format.check(&question.rule(), keep, &collection, LIMITS.max_pairs)?;
    collection.warnings().iter().for_each(|warning| messages::warn(&warning.message));
    if collection.pairs() == 0 {
        messages::warn(
            "One text has no pairs. Give several files, divide the file by another --split, or give other texts with --against.",
        );
    }
    let answer = arguments.open_engine(cpu)?.compare(&question, &collection, &LIMITS, &mut RowSteps::none(), &run).map_err(stopped)?;
    observer.0.finish_and_clear();
    let answered = AnsweredCollection {
        has_names: true,
        collection: &collection,
        rule: question.rule(),
        keep,
        answer: &answer,
        max_pairs: LIMITS.max_pairs,
    };
    arguments.write(|to| answered.write(format, to))
}

impl CollectionArguments {
    /// Opens the engine of the arguments, or returns `cpu`.
    fn open_engine(&self, cpu: Cpu) -> anyhow::Result<Engine> {
        Ok(match self.engine {
            EngineName::Cpu => Engine::Cpu(cpu),
            EngineName::Cuda => Engine::Cuda(RecoverableGpu::open(0, Some(std::env::temp_dir().join("editscope-kernels")))?),
        })
    }

    /// Calls `write` with the output file, or with standard output.
    fn write(&self, write: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> anyhow::Result<()> {
        match &self.output {
            Some(path) => {
                let writing = || format!("writing {}", path.display());
                let mut file = BufWriter::new(File::create(path).with_context(writing)?);
                write(&mut file).with_context(writing)?;
                file.flush().with_context(writing)
            }
            None => {
                let mut output = BufWriter::new(std::io::stdout().lock());
                write(&mut output)?;
                output.flush().context("writing to standard output")
            }
        }
    }
}
