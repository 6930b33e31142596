//! Workloads: benchmarks of named workloads. Other people's code runs on the same texts in the same run, and every
//! answer is checked.
//!
//! ```text
//! cargo xtask bench [--engine cpu|cuda|wasm] [--workload NAME]… [--threads N] [--ready] [--peers] [--readme] [--json FILE] …
//! ```
//!
//! Prints one line for each workload with medians of its rounds. *ready* is a call on texts whose symbols are numbered,
//! and which are on the GPU from an earlier call. *from bytes* is the waiting time of a caller with bytes: each call
//! reads both texts, and copies them to a GPU without cached texts. Words and pairs of up to 4 KiB are compared by
//! [`kernels::distance()`]; a job with the same answer stands below. Then follow the spread of the rounds, cells per
//! second, and peak memory, all for *ready*. Below are the contenders that alternated with it on the same texts, and
//! how many times longer they take, compared with ready and from bytes. They receive bytes.
//!
//! [`check`] explains how answers are checked in advance. All later results, ours and other people's, are compared with
//! the checked answer.
//!
//! - [`arguments`]: the command line
//! - [`table`]: the workloads; [`texts`]: their texts; [`collections`]: the workloads about many texts
//! - [`race`]: contenders that alternate; [`program`]: contenders in other programs
//! - [`papers`]: the papers' tables, for `--papers`
//! - [`report`]: the output; [`readme`]: the rows of the tables in docs/performance.md
//!
//! The other programs are in `benches/peers`: crates, packages of PyPI, libraries that are built from a checkout, and
//! node with the page's solver and packages of npm.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use arguments::{BenchArguments, MeasuredEngine};
use check::PassedChecks;
use collections::{COLLECTIONS, CollectionWorkload};
use kernels::cbor::to_bytes;
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::JobOptions;
use kernels::run::{NoObserver, Run};
use kernels::text::{Pair, ReadingOptions, Unit};
use program::PeerProgram;
use race::{ContenderKind, RaceContender, RaceCourse, SharedTexts, race};
use report::{ContenderTimes, ExpectedResult, RaceOutcome, say};
use table::{WORKLOADS, Workload};

mod arguments;
mod check;
mod collections;
mod papers;
mod program;
mod race;
mod readme;
mod report;
mod table;
mod texts;

/// Suffix of the name of a contender that finds an alignment.
const PATH: &str = "+path";

/// Suffix of the name of a workload whose texts have symbols of 32 bits.
const WIDE: &str = "+wide";

/// Suffix of the name of a workload whose texts contain all byte values.
const BYTES: &str = "+bytes";

/// Name of Editscope's solver, in this process or in a program.
const OURS: &str = "editscope";

/// Name of a job from bytes, if another function compares short texts from bytes.
const JOB: &str = "as a job";

/// Names of Editscope's solver from bytes, in this process and in the page's solver.
const FROM_BYTES: [&str; 2] = ["from bytes", "as the page asks"];

fn main() -> anyhow::Result<()> {
    let arguments = arguments::read()?;
    if arguments.papers {
        let engine = arguments.ours.engine().context("--papers takes the engine cpu or cuda")?;
        return papers::print(engine, arguments.megabytes);
    }
    let folder = std::env::temp_dir().join(format!("editscope-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    if let Some(Engine::Cpu(cpu)) = arguments.ours.engine()
        && cpu.threads < Cpu::all_cores().threads
    {
        let cores = Cpu::all_cores().threads;
        say(format_args!(
            "ATTENTION: large texts are read on all {cores} cores, whatever --threads says; taskset keeps all of it to fewer"
        ));
    }
    report::head();
    let mut outcomes = Vec::new();
    let mut wanted = WORKLOADS.iter().filter(|workload| arguments.wants(workload.name));
    let outcome = wanted.try_for_each(|workload| all_widths(workload, &folder, &arguments, &mut outcomes).context(workload.name));
    let mut wanted = COLLECTIONS.iter().filter(|workload| arguments.wants(workload.name));
    let outcome = outcome.and_then(|()| {
        wanted.try_for_each(|workload| measure_collection(workload, &folder, &arguments, &mut outcomes).context(workload.name))
    });
    std::fs::remove_dir_all(&folder)?;
    outcome?;
    tell_checks(&outcomes);
    if arguments.readme {
        let (rows, ahead) = (readme::rows(&outcomes, &arguments.beside), readme::ahead(&outcomes));
        say(format_args!("\nREADME: workload, what, ready, from bytes, nearest peer, another device's ready, from bytes\n{rows}"));
        say(format_args!("README, others ahead: workload, they, ours ready, ours from bytes\n{ahead}"));
    }
    Ok(())
}

/// Prints how every answer in `outcomes` was checked, and which contenders found a different answer.
fn tell_checks(outcomes: &[RaceOutcome]) {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    outcomes.iter().for_each(|outcome| by.entry(&outcome.checked).or_default().push(&outcome.workload));
    say(format_args!(""));
    by.into_iter().for_each(|(words, names)| say(format_args!("checked by {words}: {}", names.join(" "))));
    for outcome in outcomes {
        let (agree, differ): (Vec<&ContenderTimes>, Vec<&ContenderTimes>) = outcome.others.iter().partition(|other| other.agrees);
        for other in differ {
            say(format_args!("{}: {} {} where {} others agree with us", outcome.workload, other.name, other.differs, agree.len()));
        }
    }
}

/// Measures `workload` and appends the results to `outcomes`. On request, also measures variants of its texts over all
/// bytes and with symbols of 32 bits. A workload whose files are missing is skipped with a message. `folder` is for
/// temporary files.
fn all_widths(workload: &Workload, folder: &Path, arguments: &BenchArguments, outcomes: &mut Vec<RaceOutcome>) -> anyhow::Result<()> {
    let texts = match workload.texts.bytes(&arguments.data) {
        Ok(texts) => texts,
        Err(why) => {
            say(format_args!("LEFT OUT {}: {why:#}", workload.name));
            return Ok(());
        }
    };
    outcomes.extend(measure(workload, &MeasuredTexts { suffix: "", unit: Unit::Bytes, texts }, folder, arguments)?);
    let Some((bytes, texts)) = workload.texts.wide().filter(|_| arguments.wide) else { return Ok(()) };
    outcomes.extend(measure(workload, &MeasuredTexts { suffix: BYTES, unit: Unit::Bytes, texts: bytes }, folder, arguments)?);
    outcomes.extend(measure(workload, &MeasuredTexts { suffix: WIDE, unit: Unit::Chars, texts }, folder, arguments)?);
    Ok(())
}

/// The two texts of a workload, or of one of its variants.
struct MeasuredTexts {
    /// Suffix for the name of the workload.
    suffix: &'static str,
    unit: Unit,
    texts: (Vec<u8>, Vec<u8>),
}

/// Measures `workload` on the texts `texts`, with and without alignment if its task has one. Returns a result for each.
/// `folder` is for the files that other programs read.
fn measure(workload: &Workload, texts: &MeasuredTexts, folder: &Path, arguments: &BenchArguments) -> anyhow::Result<Vec<RaceOutcome>> {
    let MeasuredTexts { suffix, unit, texts: (a, b) } = texts;
    let reading = ReadingOptions { unit: *unit, ..ReadingOptions::default() };
    let texts: Vec<SharedTexts> = workload.cut(a).map(Arc::from).zip(workload.cut(b).map(Arc::from)).collect();
    let parse = |(a, b): &SharedTexts| Pair::parse(a.clone(), b.clone(), &reading).map_err(|failure| anyhow::anyhow!("{failure}"));
    let pairs: Vec<Pair> = texts.iter().map(parse).collect::<Result<_, _>>()?;
    if arguments.named.is_empty() && workload.is_large(&pairs[0], arguments.ours.cells()) {
        let cells = pairs[0].cells() as f64;
        say(format_args!("LEFT OUT {}: {cells:.0e} cells take minutes here; name it to run it", workload.name));
        return Ok(Vec::new());
    }
    let processor = Engine::Cpu(Cpu::all_cores());
    let engine = arguments.ours.engine().unwrap_or(&processor);
    let mut answers = Vec::with_capacity(pairs.len());
    let mut checks = None;
    for (pair, (a, b)) in pairs.iter().zip(&texts) {
        let solution = engine.run(workload.task, &workload.options(), pair, &Run::new(&NoObserver));
        let solution = solution.map_err(|halt| anyhow::anyhow!("no answer: {halt:?}"))?;
        let bytes = matches!(unit, Unit::Bytes);
        checks = Some(if bytes { check::bytes((a, b), &workload.options(), &solution)? } else { check::chars((a, b), &solution)? });
        answers.push(solution.answer);
    }
    let expected = ExpectedResult::new(&answers);
    let mut programs = Vec::new();
    // Peers accept only bytes, and are compared on the texts that the workload is named after.
    if suffix.is_empty() && (arguments.peers || arguments.ours.engine().is_none()) {
        std::fs::write(folder.join("a"), a)?;
        std::fs::write(folder.join("b"), b)?;
        // Programs that need a search bound receive the answer. Programs that are slow for many edits receive their number.
        let k = workload.options().max_distance.or(match &answers[0] {
            TaskAnswer::ApproximateSearch { distance, .. } | TaskAnswer::EditDistance { distance, .. } => *distance,
            _ => None,
        });
        let asked = [workload.problem(), k.unwrap_or(0).to_string(), workload.pieces.to_string()];
        programs = start(&workload.options(), &asked, arguments, folder);
    }
    let mut outcomes = Vec::new();
    for path in [false, true] {
        if path && answers[0].alignment().is_none() {
            continue;
        }
        let options = JobOptions { alignment: path, ..workload.options() };
        let course = RaceCourse { task: workload.task, options, reading, texts: &texts, pairs: &pairs, calls: workload.calls };
        let single = Engine::Cpu(Cpu::SINGLE);
        let mut contenders = Vec::new();
        if let Some(engine) = arguments.ours.engine() {
            contenders.push(RaceContender::new(OURS, ContenderKind::Ready(engine)));
            let is_short = matches!(unit, Unit::Bytes) && workload.suits_distance_function(&pairs[0]);
            if !arguments.ready && is_short && !path && matches!(engine, Engine::Cpu(_)) {
                contenders.push(RaceContender::new(FROM_BYTES[0], ContenderKind::DistanceFunction));
                contenders.push(RaceContender::new(JOB, ContenderKind::FromBytes(engine)));
            } else if !arguments.ready {
                contenders.push(RaceContender::new(FROM_BYTES[0], ContenderKind::FromBytes(engine)));
            }
        }
        if arguments.scaling {
            contenders.push(RaceContender::new("one thread", ContenderKind::Ready(&single)));
        }
        for (number, program) in programs.iter().enumerate() {
            let fitting = program.names.iter().filter(|name| name.ends_with(PATH) == path);
            contenders.extend(fitting.map(|name| RaceContender::new(name, ContenderKind::Program(number))));
        }
        let name = format!("{}{suffix}{}", workload.name, if path { PATH } else { "" });
        let lost = |why: &str| say(format_args!("LEFT OUT {name}: {why}"));
        let contenders = race(&course, contenders, &mut programs, &lost)?;
        let times = |contender: &RaceContender| ContenderTimes::new(contender, &expected);
        let called = |names: &[&str]| contenders.iter().find(|contender| names.contains(&contender.name.trim_end_matches(PATH)));
        let Some(ours) = called(&[OURS]) else { continue };
        let others = contenders.iter().filter(|it| !FROM_BYTES.contains(&it.name.trim_end_matches(PATH)) && !std::ptr::eq(*it, ours));
        let outcome = RaceOutcome {
            workload: name,
            engine: arguments.ours.name().to_owned(),
            device: arguments.ours.device(),
            m: pairs[0].a.len() as u64,
            n: pairs[0].b.len() as u64,
            ready: times(ours),
            from_bytes: called(&FROM_BYTES).map(times),
            cells_per_second: pairs[0].cells() as f64 / ours.median(),
            peak_bytes: ours.peak,
            answer: expected.short(),
            checked: checks.map_or("nothing", PassedChecks::words).to_owned(),
            others: others.map(times).collect(),
        };
        outcome.print()?;
        if let Some(file) = &arguments.json {
            outcome.write(file)?;
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// Measures `workload` and appends the result to `outcomes`. `folder` is for the files that other programs read. A browser's
/// solver is not measured.
fn measure_collection(
    workload: &CollectionWorkload,
    folder: &Path,
    arguments: &BenchArguments,
    outcomes: &mut Vec<RaceOutcome>,
) -> anyhow::Result<()> {
    let Some(engine) = arguments.ours.engine() else { return Ok(()) };
    let (a, b) = workload.files();
    let collection = workload.parse((&a, &b))?;
    workload.check(&collection, engine)?;
    let expected = ExpectedResult::of_number(workload.solve(&collection, engine)?);
    let options = JobOptions::DEFAULT;
    let mut programs = Vec::new();
    if arguments.peers {
        std::fs::write(folder.join("a"), &a)?;
        std::fs::write(folder.join("b"), &b)?;
        programs = start(&options, &[workload.problem(), workload.within.unwrap_or(0).to_string(), "1".to_owned()], arguments, folder);
    }
    let ready = || workload.solve(&collection, engine);
    let from_bytes = || workload.solve(&workload.parse((&a, &b))?, engine);
    let mut contenders = vec![RaceContender::new(OURS, ContenderKind::Call(&ready))];
    if !arguments.ready {
        contenders.push(RaceContender::new(FROM_BYTES[0], ContenderKind::Call(&from_bytes)));
    }
    for (number, program) in programs.iter().enumerate() {
        contenders.extend(program.names.iter().map(|name| RaceContender::new(name, ContenderKind::Program(number))));
    }
    let course = RaceCourse { task: workload.task, options, reading: ReadingOptions::default(), texts: &[], pairs: &[], calls: 1000 };
    let lost = |why: &str| say(format_args!("LEFT OUT {}: {why}", workload.name));
    let contenders = race(&course, contenders, &mut programs, &lost)?;
    let times = |contender: &RaceContender| ContenderTimes::new(contender, &expected);
    let [ours, others @ ..] = &contenders[..] else { return Ok(()) };
    let outcome = RaceOutcome {
        workload: workload.name.to_owned(),
        engine: arguments.ours.name().to_owned(),
        device: arguments.ours.device(),
        m: a.len() as u64,
        n: b.len() as u64,
        ready: times(ours),
        from_bytes: others.iter().find(|contender| contender.name == FROM_BYTES[0]).map(times),
        cells_per_second: workload.cells((&a, &b)) / ours.median(),
        peak_bytes: None,
        answer: expected.short(),
        checked: "plain code for some pairs".to_owned(),
        others: others.iter().filter(|contender| contender.name != FROM_BYTES[0]).map(times).collect(),
    };
    outcome.print()?;
    if let Some(file) = &arguments.json {
        outcome.write(file)?;
    }
    outcomes.push(outcome);
    Ok(())
}

/// Starts the other programs that the command line requests, for the texts in `folder`. `asked` are the problem, the maximum
/// number of edits and the number of pairs. A program that cannot be started is skipped with a message.
fn start(options: &JobOptions, asked: &[String], arguments: &BenchArguments, folder: &Path) -> Vec<PeerProgram> {
    let beside = |file: &str| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers")).join(file).into_os_string();
    let mut commands: Vec<Vec<OsString>> = Vec::new();
    match &arguments.ours {
        MeasuredEngine::Wasm(solver) => {
            let peers = if arguments.peers { "peers" } else { "alone" };
            let options: String = to_bytes(options).iter().map(|byte| format!("{byte:02x}")).collect();
            commands.push(vec!["node".into(), beside("node.mjs"), solver.into(), peers.into(), options.into()]);
        }
        MeasuredEngine::Engine(_) if arguments.peers => commands.push(vec!["python3".into(), beside("pypi.py")]),
        MeasuredEngine::Engine(_) => {}
    }
    if arguments.peers {
        match std::env::var_os("EDITSCOPE_BENCH_PEERS") {
            Some(peers) => commands.extend(std::env::split_paths(&peers).map(|program| vec![program.into_os_string()])),
            None => say(format_args!("LEFT OUT what `cargo xtask bench --peers` builds")),
        }
    }
    let started = commands.into_iter().filter_map(|command| {
        let program = PeerProgram::start(&command, folder, asked, &|what| say(format_args!("LEFT OUT {what}")));
        program.inspect_err(|why| say(format_args!("LEFT OUT {}: {why:#}", command[0].display()))).ok()
    });
    started.collect()
}
