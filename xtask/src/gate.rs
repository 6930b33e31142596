//! `cargo xtask test`: the gate that every change must pass. It is a list of steps (checks, see [`STEPS`]), each of
//! which can be run alone by its name.
//!
//! - `browser`: tests in browsers
//! - `deny`: licences of dependencies
//! - `outcome`: the table at the end

use std::{
    process::Command,
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow, bail};

use crate::{
    gate::{
        browser::{browser, browsers, run_cluster_journeys},
        outcome::StepTable,
    },
    page,
    prerequisites::{
        self, C_COMPILER, CHROMIUM, CLIPPY, FIREFOX, GATE_DISK_SPACE, NODE, NPM, PIP, POSTGRESQL, Prerequisite, RUSTFMT, WASM_TARGET,
        WEBKIT, XVFB,
    },
    prose,
    shell::{cargo, run},
    tools,
};

mod browser;
pub(crate) mod deny;
mod outcome;

/// Environment variable that sets the number of tests that a test program runs at the same time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// One step of the gate, a check that can be run alone by its name.
struct GateStep {
    name: &'static str,
    page: PageDependency,
    prerequisites: &'static [Prerequisite],
    run: fn() -> anyhow::Result<()>,
}

/// The relation of a step to the build of the page, which runs in the background. The build mostly runs on one core, so
/// that other steps can run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageDependency {
    /// The build of the page begins after the step, because the step fails early.
    After,
    /// The build of the page may run during the step.
    Beside,
    /// The build of the page must have ended before the step, because the step needs the whole machine.
    Before,
    /// The build of the page must have ended before the step, because the step uses the page.
    Used,
}

/// Steps of the whole gate, in the order in which they run. The steps that fail fastest come first.
const STEPS: [GateStep; 11] = [
    GateStep { name: "format", page: PageDependency::After, prerequisites: &[RUSTFMT], run: format },
    GateStep { name: "prose", page: PageDependency::After, prerequisites: &[], run: prose },
    GateStep { name: "deny", page: PageDependency::After, prerequisites: &[PIP], run: deny::deny },
    GateStep { name: "clippy", page: PageDependency::After, prerequisites: &[CLIPPY, C_COMPILER], run: clippy },
    GateStep { name: "clippy-wasm", page: PageDependency::After, prerequisites: &[CLIPPY, C_COMPILER, WASM_TARGET], run: clippy_wasm },
    GateStep { name: "docs", page: PageDependency::Beside, prerequisites: &[C_COMPILER], run: docs },
    GateStep { name: "tests", page: PageDependency::Beside, prerequisites: &[C_COMPILER, GATE_DISK_SPACE], run: compile_tests },
    GateStep { name: "native", page: PageDependency::Before, prerequisites: &[C_COMPILER, PIP, GATE_DISK_SPACE], run: native },
    GateStep { name: "wasm", page: PageDependency::Used, prerequisites: &[WASM_TARGET, C_COMPILER, NODE, GATE_DISK_SPACE], run: wasm },
    GateStep {
        name: "browser",
        page: PageDependency::Used,
        prerequisites: &[WASM_TARGET, C_COMPILER, NODE, NPM, CHROMIUM, GATE_DISK_SPACE],
        run: browser,
    },
    GateStep {
        name: "browsers",
        page: PageDependency::Used,
        prerequisites: &[WASM_TARGET, C_COMPILER, NODE, NPM, FIREFOX, WEBKIT, XVFB, GATE_DISK_SPACE],
        run: browsers,
    },
];

/// Steps that run only if they are named on the command line, because they take long or because other steps make the
/// same checks.
const NAMED_STEPS: [GateStep; 2] = [
    GateStep { name: "unit", page: PageDependency::After, prerequisites: &[C_COMPILER, GATE_DISK_SPACE], run: unit },
    GateStep {
        name: "cluster",
        page: PageDependency::Used,
        prerequisites: &[WASM_TARGET, C_COMPILER, PIP, NODE, NPM, CHROMIUM, POSTGRESQL, GATE_DISK_SPACE],
        run: cluster,
    },
];

/// Names of the steps of `cargo xtask check`. They find most mistakes in a few minutes.
pub(crate) const QUICK_STEPS: [&str; 5] = ["format", "prose", "clippy", "clippy-wasm", "unit"];

/// Runs the steps with these names, or all of [`STEPS`] if `names` is empty, after installing what they need. Stops at
/// the first failure. Prints a table of the steps at the end.
pub(crate) fn run_steps(names: &[String]) -> anyhow::Result<()> {
    let all = || STEPS.iter().chain(&NAMED_STEPS);
    if let Some(unknown) = names.iter().find(|name| all().all(|step| step.name != **name)) {
        let known = all().map(|step| step.name).collect::<Vec<_>>().join(", ");
        bail!("there is no step `{unknown}`; the steps are {known}");
    }
    let steps: Vec<&GateStep> = match names {
        [] => STEPS.iter().collect(),
        names => all().filter(|step| names.iter().any(|name| name == step.name)).collect(),
    };
    let needs: Vec<Prerequisite> = steps.iter().flat_map(|step| step.prerequisites).copied().collect();
    prerequisites::install_required(&needs)?;
    let mut table = StepTable::default();
    let (time, result) = timed(|| run_in_order(&steps, &mut table));
    table.add_missing(steps.iter().map(|step| step.name));
    table.add("total", time, &result);
    println!("{table}");
    result
}

/// Runs `steps` one after the other and adds their results to `table`. If a step uses the page, the page is built in
/// the background and gets a row of its own.
fn run_in_order(steps: &[&GateStep], table: &mut StepTable) -> anyhow::Result<()> {
    let mut is_wanted = steps.iter().any(|step| step.page == PageDependency::Used);
    thread::scope(|scope| {
        let mut page = None;
        for step in steps {
            if step.page != PageDependency::After && std::mem::take(&mut is_wanted) {
                page = Some(scope.spawn(|| timed(|| page::build(page::BuildMode::Release).map(|_| ()))));
            }
            if matches!(step.page, PageDependency::Before | PageDependency::Used)
                && let Some(page) = page.take()
            {
                await_page(page, table)?;
            }
            println!("== {}", step.name);
            let (time, result) = timed(step.run);
            table.add(step.name, time, &result);
            if let Err(error) = result {
                // A running build of the page is awaited, because the program cannot end before its thread.
                if let Some(Err(error)) = page.take().map(|page| await_page(page, table)) {
                    println!("{error:#}");
                }
                return Err(error).with_context(|| format!("step {} failed", step.name));
            }
            println!("== {} passed in {:.0} s", step.name, time.as_secs_f64());
        }
        Ok(())
    })
}

/// Waits for the build of the page on the thread `page`, and adds its result to `table`.
fn await_page(page: ScopedJoinHandle<'_, (Duration, anyhow::Result<()>)>, table: &mut StepTable) -> anyhow::Result<()> {
    println!("== waiting for the page");
    let (time, result) = page.join().map_err(|_| anyhow!("a thread panicked"))?;
    table.add("page", time, &result);
    result.context("the page was not built")
}

/// Calls `run`, and returns its duration and its result.
fn timed(run: impl FnOnce() -> anyhow::Result<()>) -> (Duration, anyhow::Result<()>) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

fn format() -> anyhow::Result<()> {
    run(&mut cargo("fmt --all --check"))
}

fn prose() -> anyhow::Result<()> {
    prose::report(&prose::ReportOptions::default())
}

/// Checks all code, and then the server that `cargo xtask serve` builds, because its stand-ins replace other modules.
fn clippy() -> anyhow::Result<()> {
    run(&mut cargo("clippy --locked --quiet --workspace --all-targets -- --deny warnings"))?;
    run(&mut cargo("clippy --locked --quiet --package server --no-default-features --bin editscope -- --deny warnings"))
}

fn clippy_wasm() -> anyhow::Result<()> {
    run(&mut cargo(
        "clippy --locked --quiet --package app --package worker --lib --target wasm32-unknown-unknown --features app/hydrate \
         -- --deny warnings",
    ))
}

/// Builds the documentation. Private items are included, because modules link to their private children.
fn docs() -> anyhow::Result<()> {
    let flags = "--deny warnings --allow rustdoc::private_intra_doc_links";
    run(cargo("doc --locked --quiet --workspace --no-deps --document-private-items").env("RUSTDOCFLAGS", flags))
}

/// Compiles the tests that the step [`native`] runs.
fn compile_tests() -> anyhow::Result<()> {
    run(&mut cargo("test --locked --workspace --no-run"))
}

/// Runs unit, property, integration and doc tests. Installs NVRTC, so that a CUDA kernel that does not compile fails a
/// test. Runs two tests per core, because many tests of the server wait for a database, a clock or a process.
fn native() -> anyhow::Result<()> {
    let mut tests = cargo("test --locked --workspace");
    if std::env::var_os(TEST_THREADS).is_none() {
        tests.env(TEST_THREADS, (2 * thread::available_parallelism()?.get()).to_string());
    }
    with_services(&mut tests)?;
    let mut libraries = vec![tools::nvrtc()?];
    libraries.extend(std::env::split_paths(&std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default()));
    run(tests.env("LD_LIBRARY_PATH", std::env::join_paths(libraries)?))
}

/// Adds PostgreSQL, an S3 server and NATS to the PATH of the command `tests`, as far as they are available. The tests
/// start these services. If the environment variable `EDITSCOPE_TEST_SERVICES` is `required`, tests fail if one is
/// missing.
///
/// # Errors
/// Returns an error if a folder cannot be part of `PATH`.
pub(crate) fn with_services(tests: &mut Command) -> anyhow::Result<()> {
    prerequisites::install_optional(&[POSTGRESQL]);
    let mut path = Vec::new();
    match tools::moto() {
        Ok(None) => {}
        Ok(Some((programs, packages))) => {
            path.push(programs);
            tests.env("PYTHONPATH", packages);
        }
        Err(error) => println!("  tests are skipped that want an S3 server: {error:#}"),
    }
    match tools::nats_server() {
        Ok(programs) => path.extend(programs),
        Err(error) => println!("  tests are skipped that want NATS: {error:#}"),
    }
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    tests.env("PATH", std::env::join_paths(path)?);
    Ok(())
}

/// Tests the solver that browsers load, under Node.js. Its answers must equal those of the native engine.
fn wasm() -> anyhow::Result<()> {
    let page = page::build(page::BuildMode::Release)?;
    page.check_size()?;
    // Built with the features of the native tests. With those of the worker's package alone, cargo would compile the
    // kernels again.
    run(cargo("test --locked --workspace --test it -- --nocapture wasm_gives").env("EDITSCOPE_SITE", page.site))
}

/// Runs the unit tests of all crates. The server's tests are compiled too, because cargo would otherwise compile crates
/// again with other features.
fn unit() -> anyhow::Result<()> {
    run(&mut cargo("test --locked --package kernels --package explain --package app --package server --lib"))
}

/// Tests a cluster of many processes, for which all services must be available. Runs the tests of the server about
/// clusters, and all browser tests through a cluster.
fn cluster() -> anyhow::Result<()> {
    let mut tests = cargo("test --locked --workspace --test it -- cluster::");
    with_services(&mut tests)?;
    run(tests.env("EDITSCOPE_TEST_SERVICES", "required"))?;
    run_cluster_journeys()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_steps_are_known_steps() {
        for name in QUICK_STEPS {
            assert!(STEPS.iter().chain(&NAMED_STEPS).any(|step| step.name == name), "{name}");
        }
    }

    #[test]
    fn table_contains_the_page_build_of_a_failed_step() {
        let mut table = StepTable::default();
        thread::scope(|scope| {
            let page = scope.spawn(|| timed(|| Err(anyhow!("no wasm"))));
            let error = await_page(page, &mut table).unwrap_err();
            assert_eq!(format!("{error:#}"), "the page was not built: no wasm");
        });
        assert!(table.to_string().ends_with("0.0  FAILED"), "{table}");
    }
}
