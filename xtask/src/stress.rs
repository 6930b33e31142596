//! `cargo xtask stress [NAME…]`: stress tests of the real server that take too long for the gate. Each scenario starts
//! its own servers on loopback only. It prints measurements with their limits, and fails if a limit is broken.
//!
//! - [`load`]: a thousand open streams and many small jobs at once
//! - [`abuse`]: abusive clients, and the service for all others meanwhile
//! - [`kill`]: SIGKILL at random moments, and a check of all confirmed data afterwards
//! - [`cluster`]: a cluster under repeated kills, and its overhead
//! - [`devices`]: jobs on all GPUs of a host, and on one
//! - [`disk`]: full, read-only and locked storage, and the recovery
//! - [`api`]: requests that schemathesis generates from the OpenAPI document
//! - [`formats`]: exports read by other programs
//! - [`biology`]: alignments beside EMBOSS and bcftools
//! - [`server`] and [`http`]: the program under test and its clients; [`small_jobs`]: the most frequent measurement;
//!   [`report`]: the results; [`python`]: packages from PyPI

mod abuse;
mod api;
mod biology;
mod cluster;
mod devices;
mod disk;
mod formats;
mod http;
mod kill;
mod load;
mod python;
mod report;
mod server;
mod small_jobs;

use std::{path::PathBuf, process::Command, time::Instant};

use anyhow::{Context as _, bail};
use lexopt::{Arg, Parser, ValueExt as _};

use self::{report::StressReport, server::ScenarioEnvironment};
use crate::shell::run;

/// A stress test: its name on the command line, and the function that runs it.
struct StressScenario {
    name: &'static str,
    run: fn(&StressRun, &mut StressReport) -> anyhow::Result<()>,
}

const SCENARIOS: [StressScenario; 10] = [
    StressScenario { name: "load", run: load::run },
    StressScenario { name: "abuse", run: abuse::run },
    StressScenario { name: "kill", run: kill::run },
    StressScenario { name: "cluster", run: cluster::run_cluster },
    StressScenario { name: "overhead", run: cluster::measure },
    StressScenario { name: "devices", run: devices::run },
    StressScenario { name: "disk", run: disk::run },
    StressScenario { name: "api", run: api::run },
    StressScenario { name: "formats", run: formats::run },
    StressScenario { name: "biology", run: biology::run },
];

/// Number of files that this process and each server may have open. A thousand streams need one file each, and abusive
/// clients open many sockets.
const OPEN_FILES: u64 = 8192;

/// The run of one scenario: the arguments of the command, and the environment of the scenario.
pub(crate) struct StressRun {
    /// Whether to run for seconds instead of minutes, with smaller loads.
    quick: bool,
    /// Seed of the generator of all random choices.
    seed: u64,
    place: ScenarioEnvironment,
}

/// Runs the scenarios whose names are in `args`, or all scenarios if there are no names.
///
/// # Errors
/// Returns an error if a limit is broken or a scenario cannot run.
pub(crate) fn run_scenarios(mut args: Parser) -> anyhow::Result<()> {
    let (mut names, mut quick, mut debug, mut seed, mut program, mut cores) = (Vec::new(), false, false, 1, None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Value(name) => names.push(name.string()?),
            Arg::Long("quick") => quick = true,
            Arg::Long("debug") => debug = true,
            Arg::Long("seed") => seed = args.value()?.parse()?,
            Arg::Long("cores") => cores = Some(args.value()?.string()?),
            Arg::Long("server") => program = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(unknown) = names.iter().find(|name| SCENARIOS.iter().all(|scenario| scenario.name != **name)) {
        let known = SCENARIOS.map(|scenario| scenario.name).join(", ");
        bail!("there is no scenario `{unknown}`; the scenarios are {known}");
    }
    allow_open_files()?;
    let program = match program {
        Some(program) => std::path::absolute(program)?,
        None => server::build(debug)?,
    };
    let mut broken = 0;
    for scenario in SCENARIOS.iter().filter(|scenario| names.is_empty() || names.iter().any(|name| name == scenario.name)) {
        let how = if quick { ", quick: fewer and smaller of everything than is said" } else { "" };
        println!("== {} (seed {seed}{how})", scenario.name);
        let begin = Instant::now();
        let stress = StressRun { quick, seed, place: ScenarioEnvironment::new(program.clone(), cores.clone(), scenario.name)? };
        let mut report = StressReport::default();
        (scenario.run)(&stress, &mut report).with_context(|| format!("scenario {} could not go on", scenario.name))?;
        println!("== {} took {:.0} s, {} bounds are broken", scenario.name, begin.elapsed().as_secs_f64(), report.broken_count());
        broken += report.broken_count();
        if report.broken_count() == 0 {
            std::fs::remove_dir_all(&stress.place.folder)?;
        }
    }
    if broken > 0 {
        bail!("{broken} bounds are broken; logs and data are in the folder `stress` of the target folder");
    }
    Ok(())
}

/// Raises the limit of open files to [`OPEN_FILES`] for this process and for servers that it starts.
fn allow_open_files() -> anyhow::Result<()> {
    let limits = std::fs::read_to_string("/proc/self/limits").context("this needs Linux")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).context("no limit of open files in /proc")?;
    let soft = line.split_whitespace().next().unwrap_or_default();
    if soft != "unlimited" && soft.parse::<u64>()? < OPEN_FILES {
        let limit = format!("--nofile={OPEN_FILES}:");
        run(Command::new("prlimit").args(["--pid", &std::process::id().to_string(), &limit]))
            .context("a thousand streams need as many open files: raise `ulimit -n`")?;
    }
    // Duplicates a file to the highest descriptor and closes the copy, which grows the table of open files now.
    // Otherwise it would grow during a burst of 200 requests, and the server would seem slower.
    #[cfg(unix)]
    rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), i32::try_from(OPEN_FILES)? - 1)?;
    Ok(())
}

/// A deterministic generator of pseudo-random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next random number of 64 bits.
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a random number from 0 to `end` - 1.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// Returns a random text of `letters` letters of DNA.
    pub(crate) fn dna(&mut self, letters: usize) -> Vec<u8> {
        let mut all = Vec::with_capacity(letters + 32);
        while all.len() < letters {
            let number = self.number();
            all.extend((0..32).map(|letter| b"ACGT"[(number >> (2 * letter)) as usize & 3]));
        }
        all.truncate(letters);
        all
    }
}
