//! A relative target folder: it is relative to the caller's folder, although xtask calls cargo in the workspace's root.

use std::{fs, process::Command};

use crate::files::{link, run, script};

#[test]
fn builds_use_the_target_folder_of_xtask() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let xtask = home.path().join("target/debug/xtask");
    link(env!("CARGO_BIN_EXE_xtask").as_ref(), &xtask);
    let cargo = home.path().join("cargo");
    script(&cargo, "echo \"$CARGO_TARGET_DIR\" >\"${0%/*}/folder\"");

    let output = run(Command::new(&xtask).args(["test", "format"]).env("CARGO", cargo).env("CARGO_TARGET_DIR", "../target"));
    assert!(output.status.success(), "{output:?}");
    let folder = fs::read_to_string(home.path().join("folder")).unwrap();
    assert_eq!(fs::canonicalize(folder.trim_end()).unwrap(), home.path().join("target").canonicalize().unwrap());
}
