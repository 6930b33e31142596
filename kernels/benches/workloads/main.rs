//! The named workloads: every answer is checked while it is timed.
//!
//! ```text
//! cargo xtask bench [--engine cpu|cuda|wasm] [--workload NAME]… [--threads N] [--simd LEVEL] [--scaling] [--wide] [--peers] [--json FILE]
//! ```
//!
//! One line a workload: best and median round, spread, cells per second by the median, peak memory. Under it the contenders that
//! took turns with it on the same texts, and how many times as long they take. An answer is checked before by
//! [`oracle::verified`]; what other people's code finds is compared too.
//!
//! - [`arguments`]: the command line
//! - [`table`]: the workloads
//! - [`race`]: contenders taking turns; [`program`]: those in other programs
//! - [`report`]: what is printed
//!
//! The other programs, in `benches/peers`, are crates, packages of PyPI, and node with the page's solver and packages of npm.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arguments::{Arguments, Ours};
use kernels::engine::{Cpu, Engine};
use kernels::event::Answer;
use kernels::job::Options;
use kernels::text::{Pair, Reading, Unit};
use oracle::verified;
use program::Program;
use race::{Contender, Course, Who, race};
use report::{Expected, Outcome, say};
use table::{WORKLOADS, Workload};

mod arguments;
mod program;
mod race;
mod report;
mod table;

/// A name that ends so is of a contender that finds an alignment.
const PATH: &str = "+path";

/// So does a name whose texts have symbols of 32 bits,
const WIDE: &str = "+wide";

/// and one whose texts have all bytes for letters.
const BYTES: &str = "+bytes";

/// Our solver in a program.
const OURS: &str = "editscope";

fn main() -> anyhow::Result<()> {
    let arguments = arguments::read()?;
    let folder = std::env::temp_dir().join(format!("editscope-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    report::head();
    let mut wanted = WORKLOADS.iter().filter(|workload| arguments.wants(workload.name));
    let outcome = wanted.try_for_each(|workload| all_widths(workload, &folder, &arguments).context(workload.name));
    std::fs::remove_dir_all(&folder)?;
    outcome
}

/// Measures a workload, and the same over all bytes and with wide symbols where that is asked for.
fn all_widths(workload: &Workload, folder: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    measure(workload, &Texts { suffix: "", unit: Unit::Bytes, texts: workload.texts() }, folder, arguments)?;
    let Some((bytes, texts)) = workload.wide_texts().filter(|_| arguments.wide) else { return Ok(()) };
    measure(workload, &Texts { suffix: BYTES, unit: Unit::Bytes, texts: bytes }, folder, arguments)?;
    measure(workload, &Texts { suffix: WIDE, unit: Unit::Chars, texts }, folder, arguments)
}

/// What is compared.
struct Texts {
    /// Of the workload's name.
    suffix: &'static str,
    unit: Unit,
    texts: (Vec<u8>, Vec<u8>),
}

/// Measures a workload on these texts, with and without alignment where its task has one.
fn measure(workload: &Workload, texts: &Texts, folder: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let Texts { suffix, unit, texts: (a, b) } = texts;
    let reading = Reading { unit: *unit, ..Reading::default() };
    let parse = |(a, b)| Pair::parse(a, b, &reading).map_err(|failure| anyhow::anyhow!("{failure}"));
    let pairs: Vec<Pair> = workload.cut(a).zip(workload.cut(b)).map(parse).collect::<Result<_, _>>()?;
    if arguments.named.is_empty() && workload.is_large(&pairs[0], arguments.ours.cells()) {
        let cells = pairs[0].cells() as f64;
        say(format_args!("{:<26} not run: {cells:.0e} cells take minutes here; name it to run it", workload.name));
        return Ok(());
    }
    let processor = Engine::Cpu(Cpu::all_cores());
    let engine = arguments.ours.engine().unwrap_or(&processor);
    let checked: Vec<Answer> = pairs.iter().map(|pair| verified(engine, workload.task, pair, &workload.options()).answer).collect();
    let expected = Expected::new(&checked);
    let mut programs = Vec::new();
    // Peers know bytes only, and are compared on the texts that the workload is named after.
    if suffix.is_empty() && (arguments.peers || arguments.ours.engine().is_none()) {
        std::fs::write(folder.join("a"), a)?;
        std::fs::write(folder.join("b"), b)?;
        programs = start(workload, &checked[0], arguments, folder)?;
    }
    for path in [false, true] {
        if path && checked[0].alignment().is_none() {
            continue;
        }
        let options = Options { alignment: path, ..workload.options() };
        let course = Course { task: workload.task, options, pairs: &pairs, calls: workload.calls };
        let single = Engine::Cpu(Cpu::SINGLE);
        let mut contenders = Vec::new();
        if let Some(engine) = arguments.ours.engine() {
            contenders.push(Contender::new(OURS, Who::Engine(engine)));
        }
        if arguments.scaling {
            contenders.push(Contender::new("one thread", Who::Engine(&single)));
        }
        for (number, program) in programs.iter().enumerate() {
            let fitting = program.names.iter().filter(|name| name.ends_with(PATH) == path);
            contenders.extend(fitting.map(|name| Contender::new(name, Who::Program(number))));
        }
        let name = format!("{}{suffix}{}", workload.name, if path { PATH } else { "" });
        let lost = |why: &str| say(format_args!("{name:<26} {why}"));
        let mut contenders = race(&course, contenders, &mut programs, &lost)?;
        let Some(first) = contenders.iter().position(|contender| contender.name.trim_end_matches(PATH) == OURS) else { continue };
        let outcome = Outcome { name, ours: contenders.remove(first), others: contenders, pair: &pairs[0], expected: &expected };
        outcome.print()?;
        if let Some(file) = &arguments.json {
            outcome.write(&arguments.ours, file)?;
        }
    }
    Ok(())
}

/// Starts the programs that take part. One that cannot be started is named and left out.
fn start(workload: &Workload, answer: &Answer, arguments: &Arguments, folder: &Path) -> anyhow::Result<Vec<Program>> {
    let beside = |file: &str| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers")).join(file).into_os_string();
    let mut commands: Vec<Vec<OsString>> = Vec::new();
    match &arguments.ours {
        Ours::Wasm(solver) => {
            let peers = if arguments.peers { "peers" } else { "alone" };
            let options = serde_json::to_string(&workload.options())?;
            commands.push(vec!["node".into(), beside("node.mjs"), solver.into(), peers.into(), options.into()]);
        }
        Ours::Engine(_) if arguments.peers => commands.push(vec!["python3".into(), beside("pypi.py")]),
        Ours::Engine(_) => {}
    }
    if arguments.peers {
        match std::env::var_os("EDITSCOPE_BENCH_PEERS") {
            Some(peers) => commands.push(vec![peers]),
            None => say(format_args!("  crates: not here (`cargo xtask bench --peers` builds them)")),
        }
    }
    // Who must be told how far to search is told the answer.
    let k = workload.options().max_distance.or(match answer {
        Answer::ApproximateSearch { distance, .. } => *distance,
        _ => None,
    });
    let asked = [workload.task.name().to_owned(), k.unwrap_or(0).to_string(), workload.pieces.to_string()];
    let started = commands.into_iter().filter_map(|command| {
        let program = Program::start(&command, folder, &asked, &|what| say(format_args!("  not here: {what}")));
        program.inspect_err(|why| say(format_args!("  {}: not run: {why:#}", command[0].display()))).ok()
    });
    Ok(started.collect())
}
