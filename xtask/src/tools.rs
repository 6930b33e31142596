//! Tools that are not Rust crates: where they are, and how they are installed when they are missing.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::shell::{command, find, root, run, run_quietly, target};

/// The newest compiler library for CUDA kernels that the kernels' code is written for.
const NVRTC: &str = "nvidia-cuda-nvrtc>=13,<14";

/// `wasm-opt`, from the browser tests' npm packages or from PATH. Without it the page works and is a little larger.
pub(crate) fn wasm_opt() -> Option<PathBuf> {
    let from_npm = browser_tests().join("node_modules/.bin/wasm-opt");
    if !from_npm.exists() && find("npm").is_some() {
        // A machine without network still gets its page.
        npm_packages(&browser_tests()).ok();
    }
    let found = if from_npm.exists() { Some(from_npm) } else { find("wasm-opt") };
    if found.is_none() {
        println!("  wasm-opt is missing, the page will be larger; install node with npm, or binaryen");
    }
    found
}

/// Where the browser tests are.
pub(crate) fn browser_tests() -> PathBuf {
    root().join("app/end2end")
}

/// Installs the npm packages that `folder` names unless the installed ones are those of its lock file.
pub(crate) fn npm_packages(folder: &Path) -> anyhow::Result<()> {
    if find("npm").is_none() {
        bail!("npm is missing: install node with npm (Debian: apt-get install nodejs npm)");
    }
    let lock = std::fs::read(folder.join("package-lock.json"))?;
    let mark = folder.join("node_modules/.installed");
    if std::fs::read(&mark).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run_quietly(command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))?;
    std::fs::write(mark, lock)?;
    Ok(())
}

/// Where Chromium is. Installs the system's when root on Debian.
pub(crate) fn chromium() -> anyhow::Result<PathBuf> {
    const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let present = || NAMES.iter().find_map(|name| find(name));
    if let Some(path) = present() {
        return Ok(path);
    }
    if find("apt-get").is_some() && is_root() {
        run_quietly(command("apt-get").args(["update", "-q"]))?;
        run_quietly(command("apt-get").args(["install", "-q", "-y", "--no-install-recommends", "chromium"]))?;
    }
    present().context("the browser tests need Chromium: install it (Debian: apt-get install chromium)")
}

/// The folder of NVRTC, from PyPI, so that kernels are compiled by the tests on machines without a GPU.
pub(crate) fn nvrtc() -> anyhow::Result<PathBuf> {
    let wheel = target()?.join("nvrtc");
    if let Some(folder) = nvrtc_in(&wheel) {
        return Ok(folder);
    }
    if find("python3").is_none() {
        bail!("the kernels' tests need python3 with pip: install them (Debian: apt-get install python3-pip)");
    }
    let mut pip = command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(&wheel);
    run(pip.arg(NVRTC)).context("python3 with pip is needed (Debian: apt-get install python3-pip)")?;
    nvrtc_in(&wheel).context("the NVRTC package holds no library")
}

fn nvrtc_in(wheel: &Path) -> Option<PathBuf> {
    let folder = wheel.join("nvidia/cu13/lib");
    folder.join("libnvrtc.so.13").is_file().then_some(folder)
}

fn is_root() -> bool {
    let id = command("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.starts_with(b"0"))
}
