//! Tests of a machine without the wasm target, and of one with almost nothing.
//!
//! Each has its own rustup home with a copy of the current toolchain: hard links because a toolchain is large, but
//! copies of files that rustup changes. A script replaces cargo. It records its call and compiles a line of Rust for
//! wasm, so that a build without the target fails like a real one.

use std::{
    collections::BTreeMap,
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use tempfile::TempDir;

use crate::files::{link, run, script};

const WASM_TARGET: &str = "rustc's standard library for wasm32-unknown-unknown (";

#[test]
fn xtask_installs_the_wasm_target_before_it_builds() {
    let Some(machine) = Machine::without_wasm() else { return };
    let before = stamps(&machine.original);

    let output = run(&mut machine.xtask(&["test", "clippy-wasm"]));
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        assert!(machine.builds().contains("--target wasm32-unknown-unknown"), "{said}");
    } else {
        assert!(said.contains(WASM_TARGET) && machine.builds().is_empty(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        let by_hand = run(machine.environment(Command::new("rustup")).args(["target", "add", "wasm32-unknown-unknown"]));
        assert!(!by_hand.status.success(), "rustup could have installed the target: {said}");
        let why = String::from_utf8_lossy(&by_hand.stderr);
        skipped(&format!("rustup cannot get the target: {}", why.lines().find(|line| line.starts_with("error")).unwrap_or(&why)));
    }
    assert_eq!(before, stamps(&machine.original), "the installed toolchain changed");
}

#[test]
fn failed_download_of_rustup_is_reported_in_one_line() {
    let Some(machine) = Machine::without_wasm() else { return };
    let output = run(machine.xtask(&["serve"]).env("RUSTUP_DIST_SERVER", "http://127.0.0.1:1"));
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().last().unwrap();
    assert!(line.starts_with(&format!("xtask: missing on this machine: {WASM_TARGET}rustup target add wasm32")), "{said}");
    assert!(line.contains("failed here: component download failed"), "{said}");
    assert_eq!(machine.builds(), "");
}

#[test]
fn all_missing_tools_are_reported_at_once() {
    let Some(machine) = Machine::without_wasm() else { return };
    let tools = machine.home.path().join("tools");
    fs::create_dir(&tools).unwrap();
    script(&tools.join("df"), "printf 'Filesystem blocks used free\\n/dev/disk 9000000 8000000 1000000 89%% /\\n'");
    let paths = [tools, machine.toolchain().join("bin")];
    let missing = |arguments: &[&str]| {
        let mut xtask = machine.xtask(arguments);
        let output = run(xtask.env("PATH", env::join_paths(&paths).unwrap()).env("NO_COMPONENTS", "1"));
        assert!(!output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(machine.builds(), "");
        let line = String::from_utf8(output.stdout).unwrap();
        let list = line.strip_prefix("xtask: missing on this machine: ").unwrap_or_else(|| panic!("{line}")).trim_end();
        list.split("; ").map(|need| need.split_once(" (").unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let target = WASM_TARGET.trim_end_matches(" (");
    assert_eq!(missing(&["serve"]), [target, "a C compiler", "2 GB of disk space"]);
    assert_eq!(missing(&["check"]), ["rustfmt", "clippy", "a C compiler", target, "5 GB of disk space"]);
    let all = ["rustfmt", "python3 with pip", "clippy", "a C compiler", target, "5 GB of disk space", "node", "npm", "Chromium"];
    assert_eq!(missing(&["test"]), [&all[..], &["Firefox", "WebKitWebDriver", "Xvfb"]].concat());
}

/// A machine whose toolchain lacks the wasm target.
struct Machine {
    /// Folder of everything: rustup's home, the program in its target folder, and the script that acts as cargo.
    home: TempDir,
    /// Name of the toolchain.
    name: String,
    /// Toolchain of this machine that was copied.
    original: PathBuf,
}

impl Machine {
    fn without_wasm() -> Option<Self> {
        let Ok(name) = env::var("RUSTUP_TOOLCHAIN") else {
            skipped("this toolchain is not rustup's");
            return None;
        };
        let sysroot = run(Command::new("rustc").args(["--print", "sysroot"])).stdout;
        let original = PathBuf::from(String::from_utf8(sysroot).unwrap().trim_end());
        // The target folder is more likely than the temporary folder to be on the toolchain's file system.
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let machine = Self { home, name, original };
        for folder in ["bin", "lib", "libexec"] {
            link(&machine.original.join(folder), &machine.toolchain().join(folder));
        }
        link(Path::new(env!("CARGO_BIN_EXE_xtask")), &machine.home.path().join("target/debug/xtask"));
        fs::write(machine.home.path().join("line.rs"), "pub fn line() {}").unwrap();
        let cargo = "case \"$*\" in *--version) test -z \"$NO_COMPONENTS\"; exit;; esac\n\
                     echo \"$@\" >>\"${0%/*}/builds\"\n\
                     exec rustc --target wasm32-unknown-unknown --crate-type lib --emit metadata --out-dir \"${0%/*}\" \"${0%/*}/line.rs\"";
        script(&machine.home.path().join("cargo"), cargo);
        if machine.toolchain().join("lib/rustlib/wasm32-unknown-unknown").exists() {
            let removed = run(machine.environment(Command::new("rustup")).args(["target", "remove", "wasm32-unknown-unknown"]));
            assert!(removed.status.success(), "{removed:?}");
        }
        Some(machine)
    }

    fn toolchain(&self) -> PathBuf {
        self.home.path().join("toolchains").join(&self.name)
    }

    fn xtask(&self, arguments: &[&str]) -> Command {
        let mut xtask = self.environment(Command::new(self.home.path().join("target/debug/xtask")));
        xtask.args(arguments).env("CARGO", self.home.path().join("cargo"));
        xtask
    }

    fn environment(&self, mut command: Command) -> Command {
        command.env("RUSTUP_HOME", self.home.path()).env("RUSTUP_TOOLCHAIN", &self.name).env("RUSTUP_AUTO_INSTALL", "0");
        // Inside cargo, these variables would lead rustc to the original toolchain's libraries.
        command.env_remove("LD_LIBRARY_PATH").env_remove("DYLD_FALLBACK_LIBRARY_PATH");
        command
    }

    /// Returns the arguments of every build that was started.
    fn builds(&self) -> String {
        fs::read_to_string(self.home.path().join("builds")).unwrap_or_default()
    }
}

/// Returns size and modification time of every file below `folder`.
fn stamps(folder: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut stamps = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (path, found) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
        if found.is_dir() {
            stamps.append(&mut self::stamps(&path));
        } else {
            stamps.insert(path, (found.len(), found.modified().unwrap()));
        }
    }
    stamps
}

/// Prints directly to standard error, because the test harness hides the output of passing tests.
fn skipped(why: &str) {
    let line = format!("skipped: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
