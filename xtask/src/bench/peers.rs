//! Builds the programs of other projects (peers) for `cargo xtask bench --peers`: crates from the registry, and four
//! libraries from checkouts.
//!
//! In the benchmark, each peer runs alternately with ours. A missing peer is reported with the way to get it.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;

use crate::shell::{cargo, command, find, root, run_quietly, target};

/// A peer (program of another project) that is a library built from a checkout of its repository.
struct PeerCheckout {
    /// Name of the library, as in the argument `--peer-NAME` and the variable `EDITSCOPE_PEER_NAME`.
    name: &'static str,
    address: &'static str,
    /// Function that builds a program from the checkout (first argument) into a folder (second argument), and returns
    /// its path.
    build: fn(&Path, &Path) -> anyhow::Result<PathBuf>,
}

const CHECKOUTS: [PeerCheckout; 4] = [
    PeerCheckout { name: "wfa2", address: "https://github.com/smarco/WFA2-lib", build: wfa2 },
    PeerCheckout { name: "edlib", address: "https://github.com/Martinsos/edlib", build: edlib },
    PeerCheckout { name: "quicked", address: "https://github.com/maxdoblas/QuickEd", build: quicked },
    PeerCheckout { name: "astarpa2", address: "https://github.com/RagnarGrootKoerkamp/astar-pairwise-aligner", build: astarpa2 },
];

/// Compiler for A*PA2. Later compilers have removed or renamed features of Rust that A*PA2 uses.
const ASTARPA2_TOOLCHAIN: &str = "nightly-2025-10-20";

/// Compiler flag that optimizes for this machine's CPU. The peer `sassy` needs the flag. The makefiles of the C
/// libraries and A*PA2 set a similar one.
const NATIVE: &str = "-Ctarget-cpu=native";

/// The paths of checkouts, each with the name of its peer.
type CheckoutPaths = Vec<(String, PathBuf)>;

/// Removes `--peer-NAME PATH` and `--peer-NAME=PATH` from the arguments. Returns the remaining arguments, and the
/// removed names with their paths.
///
/// # Errors
/// Returns an error if a path is missing or the name is unknown.
pub(super) fn split_peer_arguments(args: Vec<OsString>) -> anyhow::Result<(Vec<OsString>, CheckoutPaths)> {
    let (mut rest, mut paths) = (Vec::new(), Vec::new());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        let Some(peer) = text.strip_prefix("--peer-") else {
            rest.push(arg);
            continue;
        };
        let (name, path) = match peer.split_once('=') {
            Some((name, path)) => (name.to_owned(), PathBuf::from(path)),
            None => (peer.to_owned(), args.next().with_context(|| format!("{text} takes a folder"))?.into()),
        };
        anyhow::ensure!(CHECKOUTS.iter().any(|checkout| checkout.name == name), "{text} names no peer: {}", names());
        paths.push((name, path));
    }
    Ok((rest, paths))
}

/// Builds all available peers (programs of other projects) and returns the paths of the built programs. Prints the
/// version of each peer, or the reason why it is left out. `paths` are the names of peers and the paths of their
/// checkouts.
///
/// # Errors
/// Returns an error if the build folder cannot be created.
pub(super) fn build(paths: &[(String, PathBuf)]) -> anyhow::Result<Vec<PathBuf>> {
    let folder = target()?.join("peers");
    fs::create_dir_all(&folder)?;
    let mut programs = Vec::new();
    match crates(&folder) {
        Ok(program) => programs.push(program),
        Err(why) => println!("LEFT OUT peers from crates: {why:#}"),
    }
    for PeerCheckout { name, address, build } in CHECKOUTS {
        let variable = format!("EDITSCOPE_PEER_{}", name.to_uppercase());
        let given = paths.iter().find(|(given, _)| given == name).map(|(_, path)| path.clone());
        let Some(checkout) = given.or_else(|| std::env::var_os(&variable).map(PathBuf::from)) else {
            println!("LEFT OUT {name}: --peer-{name} or {variable} names a checkout of {address}");
            continue;
        };
        let built = checkout.canonicalize().map_err(anyhow::Error::from).and_then(|checkout| {
            println!("peer {name}: {address}, commit {}", commit(&checkout)?);
            build(&checkout, &folder)
        });
        match built {
            Ok(program) => programs.push(program),
            Err(why) => println!("LEFT OUT {name}: {why:#}"),
        }
    }
    Ok(programs)
}

fn names() -> String {
    CHECKOUTS.map(|checkout| format!("--peer-{}", checkout.name)).join(", ")
}

/// Returns the commit of a checkout, with a note if there are local changes.
pub(super) fn commit(checkout: &Path) -> anyhow::Result<String> {
    let mut git = command("git");
    let output = git.arg("-C").arg(checkout).args(["describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]).output()?;
    anyhow::ensure!(output.status.success(), "{} is no checkout: {}", checkout.display(), String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn crates(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut build = cargo("build --quiet --release --locked --manifest-path kernels/benches/peers/Cargo.toml --target-dir");
    run_quietly(build.arg(folder).env("RUSTFLAGS", NATIVE))?;
    Ok(folder.join("release/peers"))
}

/// Returns the path of `file` in the folder of our code that measures peers.
fn beside(file: &str) -> PathBuf {
    root().join("kernels/benches/peers").join(file)
}

/// Builds WFA2 with its own makefile, which optimizes for this machine's CPU.
fn wfa2(checkout: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let library = checkout.join("lib/libwfa.a");
    if !library.is_file() {
        run_quietly(command("make").args(["BUILD_TOOLS=0", "BUILD_EXAMPLES=0", "-C"]).arg(checkout))?;
    }
    let program = folder.join("wfa2");
    run_quietly(native("cc", checkout).arg(beside("native/wfa2.c")).arg(library).arg("-lm").arg("-o").arg(&program))?;
    Ok(program)
}

fn edlib(checkout: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let program = folder.join("edlib");
    let mut compiler = native("c++", &checkout.join("edlib/include"));
    run_quietly(compiler.arg(beside("native/edlib.cpp")).arg(checkout.join("edlib/src/edlib.cpp")).arg("-o").arg(&program))?;
    Ok(program)
}

/// Builds QuickEd from the sources and with the flags of its own release build, which needs CMake.
fn quicked(checkout: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut sources = Vec::new();
    for part in ["quicked/src", "quicked_utils/src"] {
        for file in fs::read_dir(checkout.join(part))? {
            sources.push(file?.path());
        }
    }
    // The heat map is a tool for plots, which the library itself leaves out.
    sources.retain(|path| {
        path.extension().is_some_and(|extension| extension == "c") && path.file_stem().is_some_and(|stem| stem != "heatmap")
    });
    let program = folder.join("quicked");
    let mut compiler = native("cc", checkout);
    for headers in ["quicked", "quicked/include", "quicked_utils/include"] {
        compiler.arg("-I").arg(checkout.join(headers));
    }
    compiler.args(["-std=gnu11", "-flto=auto"]).arg(beside("native/quicked.c")).args(sources);
    run_quietly(compiler.args(["-lm", "-o"]).arg(&program))?;
    Ok(program)
}

fn native(compiler: &str, headers: &Path) -> Command {
    let mut compiler = command(compiler);
    compiler.args(["-O3", "-march=native", "-I"]).arg(headers);
    compiler
}

/// Builds A*PA2. Creates a package in `folder` with our code. The package depends on the checkout by path, and uses the
/// versions of the checkout's lock file.
fn astarpa2(checkout: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let rustup = find("rustup").context("its compiler comes by rustup, which is not here")?;
    let package = folder.join("astarpa2");
    fs::create_dir_all(&package)?;
    let (library, harness) = (toml(&checkout.join("astarpa2")), toml(&beside("astarpa2/main.rs")));
    let manifest = format!(
        "[package]\nname = \"astarpa2-peer\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nastarpa2 = {{ path = {library} }}\n\n\
         [[bin]]\nname = \"astarpa2-peer\"\npath = {harness}\n\n[profile.release]\nlto = \"thin\"\n\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    fs::copy(checkout.join("Cargo.lock"), package.join("Cargo.lock"))?;
    let mut build = command(rustup);
    build.args(["run", ASTARPA2_TOOLCHAIN, "cargo", "build", "--quiet", "--release", "--manifest-path"]).arg(package.join("Cargo.toml"));
    build.arg("--target-dir").arg(package.join("target")).env("RUSTFLAGS", NATIVE);
    // These variables would make cargo use the compiler of this workspace.
    build.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC");
    run_quietly(&mut build)
        .with_context(|| format!("`rustup toolchain install {ASTARPA2_TOOLCHAIN} --profile minimal` brings its compiler"))?;
    Ok(package.join("target/release/astarpa2-peer"))
}

/// Formats a path as a string in a TOML file.
fn toml(path: &Path) -> String {
    format!("'{}'", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn peer_paths_are_separated_from_the_arguments() {
        let (rest, paths) = split_peer_arguments(words("--threads 1 --peer-wfa2 /w --workload ed-* --peer-edlib=/e")).unwrap();
        assert_eq!(rest, words("--threads 1 --workload ed-*"));
        assert_eq!(paths, [("wfa2".to_owned(), PathBuf::from("/w")), ("edlib".to_owned(), PathBuf::from("/e"))]);
    }

    #[test]
    fn unknown_peer_is_an_error() {
        assert!(split_peer_arguments(words("--peer-wfa3 /w")).is_err());
        assert!(split_peer_arguments(words("--peer-wfa2")).is_err());
    }
}
