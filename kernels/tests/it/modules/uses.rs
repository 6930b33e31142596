//! Uses: finds out from the sources which modules of a folder use each other. The tests of the page compile this file
//! too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns for each module directly in `folder` the modules of the same folder that it names with the prefix `path`,
/// such as `crate::` in a crate's `src`. Comments and tests are ignored.
pub(crate) fn uses(folder: &Path, path: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, code) in sources(folder) {
        let top = file.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if top != "lib" {
            let named = named(&code, path).filter(|name| *name != top).collect::<Vec<_>>();
            uses.entry(top).or_default().extend(named);
        }
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    uses.values_mut().for_each(|named| named.retain(|name| modules.contains(name)));
    uses
}

/// Returns the names that follow `path` in some code, including each item of a group.
fn named<'c>(code: &'c str, path: &'c str) -> impl Iterator<Item = String> + 'c {
    let name = |rest: &str| rest.trim_start().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect::<String>();
    code.split(path).skip(1).flat_map(move |rest| match rest.strip_prefix('{') {
        Some(group) => group.split(';').next().unwrap_or_default().split(',').map(name).collect(),
        None => vec![name(rest)],
    })
}

/// Returns the code of each source file in a folder with its path in the folder, without comments and tests.
pub(crate) fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for path in files(folder) {
        let inside = path.strip_prefix(folder).unwrap().to_owned();
        if inside.iter().any(|part| part == "tests.rs" || part == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        sources.push((inside, code));
    }
    sources
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// Returns the modules on cycles, and those that depend on a cycle. Repeatedly removes modules that use no remaining
/// module.
pub(crate) fn circles(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let left: BTreeSet<String> = uses.keys().cloned().collect();
        uses.retain(|_, named| named.iter().any(|name| left.contains(name)));
        if uses.len() == left.len() {
            return uses;
        }
    }
}
