//! Arguments: the command line of the benchmark, parsed to [`BenchArguments`].

use std::path::PathBuf;

use anyhow::{Context, bail};
use kernels::engine::{Cpu, Engine};
use kernels::gpu::device_recovery::RecoverableGpu;
use lexopt::{Arg, ValueExt};

use crate::collections::COLLECTIONS;
use crate::readme;
use crate::report::{RaceOutcome, say};
use crate::table::WORKLOADS;

const USAGE: &str = "\
cargo xtask bench [ARGUMENT…]
  --engine cpu|cuda|wasm   what is measured; wasm is the page's solver under node. Default cpu
  --workload NAME          only this one; NAME may end in *, and the argument may be given more than once
  --threads N              of the cpu engine. Default: all cores
  --simd LEVEL             of the cpu engine at most avx512, avx2 or sse2
  --scaling                the same on one thread beside it
  --ready                  without the calls from bytes, which drive texts that are ready out of the processor's caches
  --wide                   the same lengths over all 256 bytes and over 1,000 letters, symbols of 32 bits, after it
  --peers                  other people's code on the same texts beside it: crates, packages of PyPI and npm, and
  --peer-wfa2 PATH, --peer-edlib PATH, --peer-quicked PATH, --peer-astarpa2 PATH
                           what is built from a checkout, or EDITSCOPE_PEER_WFA2, EDITSCOPE_PEER_EDLIB and the like
  --data FOLDER            of chromosome_1m.fasta and the like, or EDITSCOPE_TEST_DATA. Default: shared/data beside the repository
  --json FILE              one line a workload
  --papers                 in place of the workloads the tables of papers 000, 001 and 003: published, the method here, ours, predicted;
                           xtask writes them to kernels/benches/results too
  --megabytes N            of them the row of Table 2 of paper 001 with strings of so many MB alone, however long it takes
  --readme                 at the end the rows of the tables in docs/performance.md, and those of everybody who is ahead
  --beside FILE            what --json wrote of another engine, for the last columns of these rows
  --chart                  alone: measures nothing, and draws docs/speed.svg from the committed results";

/// The solver of Editscope that is measured.
pub(crate) enum MeasuredEngine {
    /// An engine that runs in this process.
    Engine(Engine),
    /// The page's solver (WebAssembly under node), in this folder.
    Wasm(PathBuf),
}

/// The parsed command line of the benchmark.
pub(crate) struct BenchArguments {
    pub(crate) ours: MeasuredEngine,
    /// Names of workloads, or their beginnings followed by `*`. Empty for all.
    pub(crate) named: Vec<String>,
    pub(crate) json: Option<std::fs::File>,
    pub(crate) peers: bool,
    pub(crate) scaling: bool,
    /// Whether calls that begin with the bytes of the texts are skipped, so that only calls on parsed texts are
    /// measured.
    pub(crate) ready: bool,
    pub(crate) wide: bool,
    pub(crate) readme: bool,
    /// Whether to print the papers' tables instead of running the workloads.
    pub(crate) papers: bool,
    /// With `papers`, only the row of Table 2 of paper 001 for strings of this number of megabytes.
    pub(crate) megabytes: Option<u64>,
    /// Outcomes of an earlier run on another engine, for the last columns of the tables in docs/performance.md.
    pub(crate) beside: Vec<RaceOutcome>,
    /// Folder with the files of real texts.
    pub(crate) data: PathBuf,
}

impl MeasuredEngine {
    pub(crate) fn engine(&self) -> Option<&Engine> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Wasm(_) => None,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Engine(Engine::Cpu(_)) => "cpu",
            Self::Engine(Engine::Cuda(_)) => "cuda",
            Self::Wasm(_) => "wasm",
        }
    }

    pub(crate) fn device(&self) -> String {
        match self {
            Self::Engine(engine) => engine.name_in_words(),
            Self::Wasm(_) => "WebAssembly under node, 1 thread".into(),
        }
    }

    /// Returns the number of cells above which a call of this solver takes minutes.
    pub(crate) fn cells(&self) -> u64 {
        match self {
            Self::Engine(Engine::Cpu(_)) => 1 << 41,
            Self::Engine(Engine::Cuda(_)) => u64::MAX,
            Self::Wasm(_) => 1 << 38,
        }
    }
}

impl BenchArguments {
    /// Returns whether the command line selects the workload with the name `workload`.
    pub(crate) fn wants(&self, workload: &str) -> bool {
        self.named.is_empty() || self.named.iter().any(|named| fits(named, workload))
    }
}

/// Iterates over the names of all workloads.
fn names() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|workload| workload.name).chain(COLLECTIONS.iter().map(|workload| workload.name))
}

fn fits(named: &str, workload: &str) -> bool {
    named.strip_suffix('*').map_or(named == workload, |start| workload.starts_with(start))
}

/// Parses the command line.
///
/// # Errors
/// Returns the usage if the command line is invalid.
pub(crate) fn read() -> anyhow::Result<BenchArguments> {
    let mut parser = lexopt::Parser::from_env();
    let (mut engine, mut threads) = ("cpu".to_owned(), Cpu::all_cores().threads);
    let (mut named, mut json, mut peers, mut scaling, mut wide) = (Vec::new(), None, false, false, false);
    let (mut ready, mut readme, mut papers, mut megabytes, mut beside) = (false, false, false, None, Vec::new());
    let mut data = std::env::var_os("EDITSCOPE_TEST_DATA").map(PathBuf::from);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("engine") => engine = parser.value()?.string()?,
            Arg::Long("threads") => threads = parser.value()?.parse()?,
            Arg::Long("workload") => named.push(parser.value()?.string()?),
            Arg::Long("json") => json = Some(std::fs::File::create(parser.value()?).context("--json takes a file that can be written")?),
            Arg::Long("peers") => peers = true,
            Arg::Long("scaling") => scaling = true,
            Arg::Long("ready") => ready = true,
            Arg::Long("wide") => wide = true,
            Arg::Long("readme") => readme = true,
            Arg::Long("papers") => papers = true,
            Arg::Long("megabytes") => megabytes = Some(parser.value()?.parse()?),
            Arg::Long("beside") => beside = readme::earlier(&PathBuf::from(parser.value()?))?,
            Arg::Long("data") => data = Some(parser.value()?.into()),
            // Highest SIMD level that this program was built for.
            Arg::Long("simd") => say(format_args!("at most {}", parser.value()?.string()?)),
            // Cargo passes this argument to every benchmark.
            Arg::Long("bench") => {}
            Arg::Long("help") | Arg::Short('h') => {
                say(format_args!("{USAGE}\n\nworkloads: {}", names().collect::<Vec<_>>().join(" ")));
                std::process::exit(0);
            }
            other => bail!("{}\n{USAGE}", other.unexpected()),
        }
    }
    for name in &named {
        anyhow::ensure!(names().any(|workload| fits(name, workload)), "no workload is called {name}; --help lists them");
    }
    anyhow::ensure!(threads > 0, "--threads takes a number from 1\n{USAGE}");
    let ours = match engine.as_str() {
        "cpu" => MeasuredEngine::Engine(Engine::Cpu(Cpu { threads })),
        "cuda" => MeasuredEngine::Engine(Engine::Cuda(RecoverableGpu::open(0, Some(std::env::temp_dir().join("editscope-kernels")))?)),
        "wasm" => {
            let site =
                std::env::var_os("EDITSCOPE_SITE").map(PathBuf::from).context("`cargo xtask bench --engine wasm` builds the page")?;
            let release = std::fs::read_to_string(site.join("release.txt")).context("EDITSCOPE_SITE is no built page")?;
            MeasuredEngine::Wasm(site.join("pkg").join(release.trim()))
        }
        other => bail!("no engine {other} here\n{USAGE}"),
    };
    let data = data.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into());
    Ok(BenchArguments { ours, named, json, peers, scaling, ready, wide, readme, papers, megabytes, beside, data })
}
