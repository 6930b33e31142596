//! Functions that run other programs, and the folders in which they work.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};

/// Returns the root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    here.parent().map_or(PathBuf::from("."), Path::to_owned)
}

/// Returns cargo's target folder. Finds it by the location of this program, which is in its subfolder `debug`.
pub(crate) fn target() -> anyhow::Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.ancestors().nth(2).context("this program lies in no target folder")?;
    Ok(target.to_owned())
}

/// Returns the folder for files that xtask makes. This is the target folder, or a subfolder for this clone if the
/// target folder is outside the workspace. So clones that share a target folder do not replace each other's pages.
pub(crate) fn outputs() -> anyhow::Result<PathBuf> {
    Ok(outputs_in(&target()?.canonicalize()?, &root().canonicalize()?))
}

fn outputs_in(target: &Path, root: &Path) -> PathBuf {
    if target.starts_with(root) {
        return target.to_owned();
    }
    let clone = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    target.join(format!("editscope-{}", &clone[..16]))
}

/// Creates a command that runs the same cargo as the one that started this program, in the root of the workspace.
/// `args` are its arguments, separated by spaces.
pub(crate) fn cargo(args: &str) -> Command {
    let mut command = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args.split_whitespace());
    // The variable may contain a path relative to the folder of the caller.
    if let Ok(target) = target() {
        command.env("CARGO_TARGET_DIR", target);
    }
    // These variables belong to the build of xtask. Cargo would treat them as changed inputs.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Creates a command that runs `program` in the root of the workspace, without standard input.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs `command` to its end. Returns an error if it cannot start or exits with a failure.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = describe(command);
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

/// Runs `command` like [`run`], but prints no output. If it fails, the error contains the output.
pub(crate) fn run_quietly(command: &mut Command) -> anyhow::Result<()> {
    let name = describe(command);
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{name} failed ({})\n{}", output.status, String::from_utf8_lossy(&said));
    }
    Ok(())
}

/// Returns whether `command` starts and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Returns the path of `program` if it is in a folder of the variable PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Returns the total size of all files below `folder`, in bytes.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => folder_bytes(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    format!("`{line}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_with_a_common_target_folder_build_separate_pages() {
        let outputs = |target: &str, root: &str| outputs_in(Path::new(target), Path::new(root));
        assert_eq!(outputs("/clone/target", "/clone"), Path::new("/clone/target"));
        assert_eq!(outputs("/clones/target", "/clones/a").parent(), Some(Path::new("/clones/target")));
        assert_ne!(outputs("/clones/target", "/clones/a"), outputs("/clones/target", "/clones/b"));
    }
}
