//! Programs from PyPI, in virtual environments below the target folder. Versions are pinned, so that all machines use
//! the same readers and generators.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::shell::{command, run_quietly, target};

/// Returns the Python interpreter of the virtual environment `name` with exactly the packages `packages`. Creates the
/// environment if necessary.
///
/// # Errors
/// Returns an error if `python3` with `venv` is missing, or if the packages cannot be fetched.
pub(crate) fn venv_python(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
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

/// Creates a command that runs a script with the interpreter `python`. The text of the script is `text`, which this
/// function writes to the file `name` in `folder`. So the program needs no path to its sources.
pub(crate) fn script(python: &Path, folder: &Path, name: &str, text: &str) -> anyhow::Result<Command> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    let mut python = command(python);
    python.arg(path).current_dir(folder);
    Ok(python)
}
