//! Programs from PyPI, in an environment of their own below the target folder. Versions are pinned: what reads our files, and what asks our
//! API, is the same on every machine.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::shell::{command, run_quietly, target};

/// The interpreter of an environment that has exactly these packages, made where it is not there yet.
///
/// # Errors
/// When there is no `python3` with `venv`, or the packages cannot be fetched.
pub(crate) fn with(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = target()?.join("python").join(name);
    let (python, mark) = (folder.join("bin/python"), folder.join("installed.txt"));
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    run_quietly(command("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    run_quietly(command(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages))?;
    std::fs::write(mark, wanted)?;
    Ok(python)
}

/// `script`, a file beside this one, to be run by `python`. It is given by its text, so that the program needs no path to it.
pub(crate) fn script(python: &Path, folder: &Path, name: &str, text: &str) -> anyhow::Result<Command> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    let mut python = command(python);
    python.arg(path).current_dir(folder);
    Ok(python)
}
