//! What a change must pass: one list of steps, each with a name by which it can be run alone.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow, bail};

use crate::{
    gate::browser::{browser, browsers, through_a_site},
    needs::{
        self, C_COMPILER, CHROMIUM, CLIPPY, FIREFOX, NODE, NPM, Need, PIP, POSTGRESQL, ROOM_TO_TEST, RUSTFMT, WASM_TARGET, WEBKIT, XVFB,
    },
    page,
    shell::{cargo, run},
    tools,
};

mod browser;
pub(crate) mod deny;

/// How many tests of a program run at a time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// One step of the gate.
struct Step {
    name: &'static str,
    page: ThePage,
    needs: &'static [Need],
    run: fn() -> anyhow::Result<()>,
}

/// What a step has to do with the page. Much of it is compiled on one core, so that it is built beside steps that leave room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThePage {
    /// The step fails soon where it fails: the page is not begun before.
    After,
    /// The page is built meanwhile.
    Beside,
    /// The step wants the machine for itself, and the page, where it was begun, to be ready.
    Before,
    /// The step uses the page.
    Used,
}

/// Every step, the quickest to fail first.
const STEPS: [Step; 10] = [
    Step { name: "format", page: ThePage::After, needs: &[RUSTFMT], run: format },
    Step { name: "deny", page: ThePage::After, needs: &[PIP], run: deny::deny },
    Step { name: "clippy", page: ThePage::After, needs: &[CLIPPY, C_COMPILER], run: clippy },
    Step { name: "clippy-wasm", page: ThePage::After, needs: &[CLIPPY, C_COMPILER, WASM_TARGET], run: clippy_wasm },
    Step { name: "docs", page: ThePage::Beside, needs: &[C_COMPILER], run: docs },
    Step { name: "tests", page: ThePage::Beside, needs: &[C_COMPILER, ROOM_TO_TEST], run: compile_tests },
    Step { name: "native", page: ThePage::Before, needs: &[C_COMPILER, PIP, ROOM_TO_TEST], run: native },
    Step { name: "wasm", page: ThePage::Used, needs: &[WASM_TARGET, C_COMPILER, NODE, ROOM_TO_TEST], run: wasm },
    Step { name: "browser", page: ThePage::Used, needs: &[WASM_TARGET, C_COMPILER, NODE, NPM, CHROMIUM, ROOM_TO_TEST], run: browser },
    Step {
        name: "browsers",
        page: ThePage::Used,
        needs: &[WASM_TARGET, C_COMPILER, NODE, NPM, FIREFOX, WEBKIT, XVFB, ROOM_TO_TEST],
        run: browsers,
    },
];

/// Steps that run only where they are named: they take long, and most of what they look at others do too.
const NAMED: [Step; 1] = [Step {
    name: "cluster",
    page: ThePage::Used,
    needs: &[WASM_TARGET, C_COMPILER, PIP, NODE, NPM, CHROMIUM, POSTGRESQL, ROOM_TO_TEST],
    run: cluster,
}];

/// Runs the steps with these names, or all of [`STEPS`] when there are none, once everything they need is there. Stops at the first that fails.
pub(crate) fn run_steps(names: &[String]) -> anyhow::Result<()> {
    let all = || STEPS.iter().chain(&NAMED);
    if let Some(unknown) = names.iter().find(|name| all().all(|step| step.name != **name)) {
        let known = all().map(|step| step.name).collect::<Vec<_>>().join(", ");
        bail!("there is no step `{unknown}`; the steps are {known}");
    }
    let steps: Vec<&Step> = match names {
        [] => STEPS.iter().collect(),
        names => all().filter(|step| names.iter().any(|name| name == step.name)).collect(),
    };
    let needs: Vec<Need> = steps.iter().flat_map(|step| step.needs).copied().collect();
    needs::provide(&needs)?;
    let start = Instant::now();
    let mut is_wanted = steps.iter().any(|step| step.page == ThePage::Used);
    thread::scope(|scope| {
        let mut page = None;
        for step in &steps {
            if step.page != ThePage::After && std::mem::take(&mut is_wanted) {
                page = Some(scope.spawn(|| page::build(page::Care::Release)));
            }
            if matches!(step.page, ThePage::Before | ThePage::Used)
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

/// Private items too, since a parent module says what its children are for and links to them.
fn docs() -> anyhow::Result<()> {
    let flags = "--deny warnings --allow rustdoc::private_intra_doc_links";
    run(cargo("doc --locked --quiet --workspace --no-deps --document-private-items").env("RUSTDOCFLAGS", flags))
}

/// As [`native`] runs them.
fn compile_tests() -> anyhow::Result<()> {
    run(&mut cargo("test --locked --workspace --no-run"))
}

/// Unit, property, integration and doc tests. With NVRTC at hand, so that a kernel that does not compile fails here. Two at a time for each core: many of the
/// server's wait for a database, a clock or a process.
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

/// Gives tests PostgreSQL, an S3 server and NATS where they can be had, which they start. Where `EDITSCOPE_TEST_SERVICES` is `required`, tests fail without.
///
/// # Errors
/// When a folder cannot stand in `PATH`.
pub(crate) fn with_services(tests: &mut Command) -> anyhow::Result<()> {
    needs::offer(&[POSTGRESQL]);
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

/// The solver as the browser gets it, under node: the same cases as the native engine, the same answers.
fn wasm() -> anyhow::Result<()> {
    let page = page::build(page::Care::Release)?;
    page.check_size()?;
    // As the native tests were built, with the same features: the worker's package alone would compile the kernels once more.
    run(cargo("test --locked --workspace --test it -- --nocapture wasm_gives").env("EDITSCOPE_SITE", page.site))
}

/// A site of many processes on the engines that sites have, which must be there: its own tests, and every journey through it.
fn cluster() -> anyhow::Result<()> {
    let mut tests = cargo("test --locked --workspace --test it -- cluster::");
    with_services(&mut tests)?;
    run(tests.env("EDITSCOPE_TEST_SERVICES", "required"))?;
    through_a_site()
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}
