//! Builds what the benchmarks need and runs them. The workloads live with the engines they measure, in
//! `kernels/benches/workloads`, other people's code in `kernels/benches/peers`.

use std::{ffi::OsString, path::PathBuf};

use anyhow::bail;

use crate::{
    needs::{self, NODE, NPM},
    page,
    shell::{cargo, root, run, target},
    tools,
};

/// SIMD levels, from the highest. Code for those above the wanted one is left out of the dispatch.
const LEVELS: [&str; 3] = ["avx512", "avx2", "sse2"];

/// Hands every argument on.
pub(crate) fn run_workloads(args: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let args: Vec<OsString> = args.collect();
    let given = |name: &str| args.iter().any(|arg| arg == name);
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg.to_string_lossy().split('=').next() == Some(name))?;
        let text = args[at].to_string_lossy().into_owned();
        let inside = text.split_once('=').map(|(_, value)| value.to_owned());
        inside.or_else(|| args.get(at + 1).map(|next| next.to_string_lossy().into_owned()))
    };
    let mut bench = cargo("bench --package kernels --bench workloads");
    if let Some(level) = value("--simd") {
        let above = LEVELS.iter().position(|name| *name == level);
        let Some(above) = above else { bail!("--simd takes one of {}", LEVELS.join(", ")) };
        // Flags from here stand for those of the configuration, which leave SSE4.2 out.
        let left_out = LEVELS[..above].iter().chain(["sse4_2"].iter());
        let flags: Vec<String> = left_out.map(|name| format!("--cfg\x1fdisable_dispatch_{name}")).collect();
        bench.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        bench.arg("--target-dir").arg(target()?.join(format!("simd-{}", LEVELS[above])));
    }
    if !given("--help") && !given("-h") {
        let wasm = value("--engine").is_some_and(|engine| engine == "wasm");
        if wasm {
            needs::provide(&[&page::NEEDS[..], &[NODE]].concat())?;
            bench.env("EDITSCOPE_SITE", page::build(page::Care::Release)?.site);
        }
        if given("--peers") {
            match crates() {
                Ok(program) => drop(bench.env("EDITSCOPE_BENCH_PEERS", program)),
                Err(why) => println!("  peers from crates are left out: {why:#}"),
            }
            if wasm && let Err(why) = needs::provide(&[NPM]).and_then(|()| tools::npm_packages(&root().join("kernels/benches/peers"))) {
                println!("  peers from npm are left out: {why:#}");
            }
        }
    }
    run(bench.arg("--").args(args))
}

/// Builds the peers that are crates, for this machine: `sassy` wants to know it at compile time, and it does no harm to others.
fn crates() -> anyhow::Result<PathBuf> {
    let target = target()?.join("peers");
    let mut build = cargo("build --quiet --release --locked --manifest-path kernels/benches/peers/Cargo.toml");
    run(build.arg("--target-dir").arg(&target).env("RUSTFLAGS", "-Ctarget-cpu=native"))?;
    Ok(target.join("release/peers"))
}
