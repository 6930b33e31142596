//! `editscope collection`: compares many texts with each other, or with those of other files, without a server. Nothing
//! is stored.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use explain::collection::{AnsweredCollection, CollectionFormat};
use indicatif::{ProgressBar, ProgressStyle};
use kernels::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, SideSources};
use kernels::cpu::Cpu;
use kernels::event::RunSignal;
use kernels::job::Task;
use kernels::run::{Halt, Observer, Run};
use serde_json::Value;

use super::solve::{ask_for_bytes, file, option, parse_options, task};

/// Arguments of `editscope collection`.
#[derive(Args, Debug)]
#[command(after_help = COLLECTION_HELP)]
pub struct CollectionArguments {
    /// Task: edit-distance, lcs or sequence-alignment.
    #[arg(value_parser = task)]
    task: Task,
    /// Files with the texts. Gzip and zstd files are unpacked.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File with texts of a second collection, which each text is compared with. Can be repeated.
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Rule by which files are divided into texts. By default, a single file is divided into lines.
    #[arg(long, value_name = "RULE")]
    split: Option<SplitArgument>,
    /// Pairs of the answer: all, within=K (at most K edits), nearest=K (of each text) or similarity=S (from 0 to 1).
    #[arg(long, value_name = "PAIRS", default_value = "all", value_parser = kept_pairs)]
    keep: KeptPairs,
    /// Format of the answer: json, pairs, matrix or groups (CSV), phylip, newick or npy.
    #[arg(long, value_name = "FORMAT", default_value = "pairs")]
    format: CollectionFormat,
    /// Writes the answer to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Number of threads; by default one for each core.
    #[arg(long)]
    threads: Option<usize>,
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
}

impl From<SplitArgument> for MemberSplit {
    fn from(split: SplitArgument) -> Self {
        match split {
            SplitArgument::Files => Self::Files,
            SplitArgument::Lines => Self::Lines,
            SplitArgument::Records => Self::Records,
            SplitArgument::Blank => Self::Blank,
        }
    }
}

const COLLECTION_HELP: &str = "\
Examples:
  editscope collection edit-distance words.txt --keep within=1
  editscope collection edit-distance essays/*.txt --set unit=words --keep similarity=0.3 --format groups
  editscope collection edit-distance reads.fastq --split records --against barcodes.txt --keep nearest=1
  editscope collection lcs names.txt --format newick --output names.nwk
  editscope collection sequence-alignment proteins.fasta --split records --set matrix=BLOSUM62 --set gap.open=11 --format matrix";

/// Limits of the answer. There is no other client, so that only numbers of pairs are limited.
const LIMITS: AnswerLimits = AnswerLimits { max_scores: 1 << 32, max_pairs: 1 << 32 };

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
    let side = |files: &[PathBuf]| -> anyhow::Result<SideSources> {
        let default = if files.len() == 1 { MemberSplit::Lines } else { MemberSplit::Files };
        let split = arguments.split.map_or(default, MemberSplit::from);
        let source = |file: &PathBuf| -> anyhow::Result<MemberSource> {
            let name = file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
            Ok(MemberSource { name, bytes: file::read(file, takes_bytes)?.into() })
        };
        Ok(SideSources { sources: files.iter().map(source).collect::<anyhow::Result<_>>()?, split })
    };
    let a = side(&arguments.files)?;
    let b = if arguments.against.is_empty() { None } else { Some(side(&arguments.against)?) };
    let collection = Collection::parse(a, b, &options.reading())?;
    let question = CollectionQuestion::new(arguments.task, &options, arguments.keep, &collection)?;
    let cpu = arguments.threads.map_or_else(Cpu::all_cores, |threads| Cpu { threads: threads.max(1) });
    let bar = ProgressBar::no_length().with_style(ProgressStyle::with_template("[{bar:30}] {percent:>3}%  {eta}")?);
    let observer = BarObserver(bar);
    let answer = match question.solve(&collection, &LIMITS, &cpu, &Run::new(&observer)) {
        Ok(answer) => answer,
        Err(Halt::Stopped) => bail!("The comparison was stopped."),
        Err(Halt::Failed(failure)) => bail!(failure),
    };
    observer.0.finish_and_clear();
    let (task, keep) = (arguments.task, arguments.keep);
    let answered = AnsweredCollection { collection: &collection, task, keep, answer: &answer, max_pairs: LIMITS.max_pairs };
    match &arguments.output {
        Some(path) => {
            let writing = || format!("writing {}", path.display());
            let mut file = BufWriter::new(File::create(path).with_context(writing)?);
            answered.write(arguments.format, &mut file).with_context(writing)?;
            file.flush().with_context(writing)
        }
        None => {
            let mut output = BufWriter::new(std::io::stdout().lock());
            answered.write(arguments.format, &mut output)?;
            output.flush().context("writing to standard output")
        }
    }
}
