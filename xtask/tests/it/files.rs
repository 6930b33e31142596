//! Helpers of the tests for files and programs.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

/// Makes `to` a copy of `from`, which may be missing. Files are hard links, except those that rustup changes.
pub(crate) fn link(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            link(&from.join(&name), &to.join(&name));
        }
    } else if from.exists() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let of_rustup = from.parent().unwrap().ends_with("lib/rustlib");
        if of_rustup || fs::hard_link(from, to).is_err() {
            fs::copy(from, to).unwrap();
        }
    }
}

/// Writes an executable shell script.
pub(crate) fn script(path: &Path, lines: &str) {
    fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `command` to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
