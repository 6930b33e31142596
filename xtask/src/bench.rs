//! `cargo xtask bench`: builds and runs the benchmarks. Their workloads are in `kernels/benches/workloads`. The code
//! that measures programs of other projects (peers) is in `kernels/benches/peers`.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, bail};

use crate::{
    page,
    prerequisites::{self, NODE, NPM},
    shell::{cargo, command, root, run, target},
    tools,
};

mod chart;
mod peers;

/// Levels of vector instructions (SIMD), highest first. The benchmark chooses one of them when it starts. If the user
/// requests a level, the levels above it are left out of the compiled program.
const LEVELS: [&str; 3] = ["avx512", "avx2", "sse2"];

/// Runs the benchmark with the arguments `args`, except those that name checkouts of peers (programs of other
/// projects). The argument `--chart` alone measures nothing and draws the committed results.
pub(crate) fn run_workloads(args: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let (args, checkouts) = peers::split_peer_arguments(args.collect())?;
    if args.iter().any(|arg| arg == "--chart") {
        anyhow::ensure!(args.len() == 1, "--chart takes no other argument");
        return chart::write_chart();
    }
    let given = |name: &str| args.iter().any(|arg| arg == name);
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg.to_string_lossy().split('=').next() == Some(name))?;
        let text = args[at].to_string_lossy().into_owned();
        let inside = text.split_once('=').map(|(_, value)| value.to_owned());
        inside.or_else(|| args.get(at + 1).map(|next| next.to_string_lossy().into_owned()))
    };
    let mut bench = cargo("bench --locked --package kernels --bench workloads");
    if let Some(level) = value("--simd") {
        let above = LEVELS.iter().position(|name| *name == level);
        let Some(above) = above else { bail!("--simd takes one of {}", LEVELS.join(", ")) };
        // These flags replace the flags of the configuration, which disable SSE4.2.
        let left_out = LEVELS[..above].iter().chain(["sse4_2"].iter());
        let flags: Vec<String> = left_out.map(|name| format!("--cfg\x1fdisable_dispatch_{name}")).collect();
        bench.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        bench.arg("--target-dir").arg(target()?.join(format!("simd-{}", LEVELS[above])));
    }
    if !given("--help") && !given("-h") {
        println!("{}", head(&args, &checkouts)?);
        let wasm = value("--engine").is_some_and(|engine| engine == "wasm");
        if wasm {
            prerequisites::install_required(&[&page::PAGE_PREREQUISITES[..], &[NODE]].concat())?;
            bench.env("EDITSCOPE_SITE", page::build(page::BuildMode::Release)?.site);
        }
        if given("--peers") {
            bench.env("EDITSCOPE_BENCH_PEERS", std::env::join_paths(peers::build(&checkouts)?)?);
            if wasm
                && let Err(why) =
                    prerequisites::install_required(&[NPM]).and_then(|()| tools::npm_packages(&root().join("kernels/benches/peers")))
            {
                println!("LEFT OUT peers from npm: {why:#}");
            }
        }
    }
    if given("--papers") && !given("--help") && !given("-h") {
        return keep(bench.arg("--").args(&args), &head(&args, &checkouts)?, &value("--engine").unwrap_or_else(|| "cpu".to_owned()));
    }
    run(bench.arg("--").args(args))
}

/// Runs the command `bench` and prints its output, which has the tables of papers 000 to 004. Also writes the output,
/// after the lines in `head`, to a file named by the date and `engine`.
fn keep(bench: &mut Command, head: &str, engine: &str) -> anyhow::Result<()> {
    let mut child = bench.stdout(Stdio::piped()).spawn()?;
    let lines = BufReader::new(child.stdout.take().context("no pipe")?).lines();
    let mut kept = format!("{head}\n\n");
    for line in lines {
        let line = line?;
        println!("{line}");
        kept.push_str(line.trim_end());
        kept.push('\n');
    }
    anyhow::ensure!(child.wait()?.success(), "the tables were not finished");
    let day = head.lines().nth(1).and_then(|line| line.get(..10)).context("no day")?;
    let file = format!("kernels/benches/results/{day}-{engine}-papers.txt");
    fs::write(root().join(&file), kept)?;
    println!("written to {file}");
    Ok(())
}

/// Describes how a result is measured: the command line with the arguments `args` and the names of `checkouts`, the
/// date, the commit, the machine and the compiler. A checkout is the name of a peer and its path. Paths are left out.
fn head(args: &[OsString], checkouts: &[(String, PathBuf)]) -> anyhow::Result<String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field =
        |name: &str| cpus.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(": ")).map_or("?", |(_, it)| it);
    let cores = thread::available_parallelism()?;
    let said = |program: &str, argument: &str| -> anyhow::Result<String> {
        Ok(String::from_utf8_lossy(&command(program).arg(argument).output()?.stdout).trim().to_owned())
    };
    let words = args.iter().map(|arg| match arg.to_string_lossy() {
        _ if Path::new(arg).is_absolute() => " PATH".to_owned(),
        plain if plain.contains(['*', ' ']) => format!(" '{plain}'"),
        plain => format!(" {plain}"),
    });
    let paths = checkouts.iter().map(|(name, _)| format!(" --peer-{name} PATH"));
    let command: String = words.chain(paths).collect();
    let (processor, family, model) = (field("model name"), field("cpu family"), field("model\t"));
    let machine = format!("{processor}, family {family} model {model}, {cores} cores allowed; {}", said("rustc", "--version")?);
    let day = said("date", "--iso-8601")?;
    Ok(format!("cargo xtask bench{command}\n{day}, commit {}; {machine}", peers::commit(&root())?))
}
