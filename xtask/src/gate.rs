//! The gate that every change must pass: a list of steps, each of which can be run alone by its name.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow, bail};

use crate::{
    gate::browser::{browser, browsers, through_a_site},
    page,
    prerequisites::{
        self, C_COMPILER, CHROMIUM, CLIPPY, FIREFOX, GATE_DISK_SPACE, NODE, NPM, PIP, POSTGRESQL, Prerequisite, RUSTFMT, WASM_TARGET,
        WEBKIT, XVFB,
    },
    shell::{cargo, run},
    tools,
};

mod browser;
pub(crate) mod deny;

/// Environment variable with the number of concurrent tests of a test program.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// One step of the gate.
struct GateStep {
    name: &'static str,
    page: PageDependency,
    prerequisites: &'static [Prerequisite],
    run: fn() -> anyhow::Result<()>,
}

/// The relation of a step to the build of the page, which mostly runs on one core and so can run beside other steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageDependency {
    /// The step fails early, so that the build of the page begins after it.
    After,
    /// The page is built during the step.
    Beside,
    /// The step needs the whole machine, so that a build of the page must have ended before.
    Before,
    /// The step uses the page.
    Used,
}

/// Every step, the fastest to fail first.
const STEPS: [GateStep; 10] = [
    GateStep { name: "format", page: PageDependency::After, prerequisites: &[RUSTFMT], run: format },
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

/// Steps that run only by name, because they take long and mostly repeat the checks of others.
const NAMED_STEPS: [GateStep; 1] = [GateStep {
    name: "cluster",
    page: PageDependency::Used,
    prerequisites: &[WASM_TARGET, C_COMPILER, PIP, NODE, NPM, CHROMIUM, POSTGRESQL, GATE_DISK_SPACE],
    run: cluster,
}];

/// Runs the steps with these names, or all of [`STEPS`] without names, after providing their needs. Stops at the first
/// failure.
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
    prerequisites::provide(&needs)?;
    let start = Instant::now();
    let mut is_wanted = steps.iter().any(|step| step.page == PageDependency::Used);
    thread::scope(|scope| {
        let mut page = None;
        for step in &steps {
            if step.page != PageDependency::After && std::mem::take(&mut is_wanted) {
                page = Some(scope.spawn(|| page::build(page::BuildMode::Release)));
            }
            if matches!(step.page, PageDependency::Before | PageDependency::Used)
                && let Some(page) = page.take()
            {
                println!("== waiting for the page");
                page.join().map_err(|_| anyhow!("a thread panicked"))?.context("the page was not built")?;
            }
            println!("== {}", step.name);
            let begin = Instant::now();
            (step.run)().with_context(|| format!("step {} failed", step.name))?;
            println!("== {} passed in {}", step.name, seconds(begin.elapsed()));
        }
        println!("{} steps passed in {}", steps.len(), seconds(start.elapsed()));
        Ok(())
    })
}

fn format() -> anyhow::Result<()> {
    run(&mut cargo("fmt --all --check"))
}

fn clippy() -> anyhow::Result<()> {
    run(&mut cargo("clippy --locked --quiet --workspace --all-targets -- --deny warnings"))
}

fn clippy_wasm() -> anyhow::Result<()> {
    run(&mut cargo(
        "clippy --locked --quiet --package app --package worker --lib --target wasm32-unknown-unknown --features app/hydrate \
         -- --deny warnings",
    ))
}

/// Builds the documentation, including private items, because parent modules link to their private children.
fn docs() -> anyhow::Result<()> {
    let flags = "--deny warnings --allow rustdoc::private_intra_doc_links";
    run(cargo("doc --locked --quiet --workspace --no-deps --document-private-items").env("RUSTDOCFLAGS", flags))
}

/// Compiles the tests that [`native`] runs.
fn compile_tests() -> anyhow::Result<()> {
    run(&mut cargo("test --locked --workspace --no-run"))
}

/// Runs unit, property, integration and doc tests. Provides NVRTC, so that a kernel that does not compile fails here.
/// Runs two tests per core, because many server tests wait for a database, a clock or a process.
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

/// Provides PostgreSQL, an S3 server and NATS for tests, which start them, as far as available. With
/// `EDITSCOPE_TEST_SERVICES=required`, tests fail if one is missing.
///
/// # Errors
/// Returns an error if a folder cannot be part of `PATH`.
pub(crate) fn with_services(tests: &mut Command) -> anyhow::Result<()> {
    prerequisites::offer(&[POSTGRESQL]);
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

/// Tests the solver that browsers load, under node: it must give the same answers as the native engine.
fn wasm() -> anyhow::Result<()> {
    let page = page::build(page::BuildMode::Release)?;
    page.check_size()?;
    // Builds with the same features as the native tests, because the worker's package alone would compile the kernels
    // again.
    run(cargo("test --locked --workspace --test it -- --nocapture wasm_gives").env("EDITSCOPE_SITE", page.site))
}

/// Tests a cluster of many processes on its required services: its own tests, and every journey through it.
fn cluster() -> anyhow::Result<()> {
    let mut tests = cargo("test --locked --workspace --test it -- cluster::");
    with_services(&mut tests)?;
    run(tests.env("EDITSCOPE_TEST_SERVICES", "required"))?;
    through_a_site()
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}
