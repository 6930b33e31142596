//! Dependencies between the modules of a crate, read from its sources. The tests of several crates use [`circles`] to
//! forbid circular dependencies, so that modules can be understood one after the other.
#![expect(clippy::unwrap_used, reason = "only tests use this crate")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A map from each module of a folder to the modules of the same folder that its code names.
pub type ModuleUses = BTreeMap<String, BTreeSet<String>>;

/// Returns the circular dependencies between modules of the same folder, for `src` and each folder below it. The key is
/// the path of the folder below `src`; folders without circles are left out. The modules include those that only depend
/// on a circle.
pub fn circles(src: &Path) -> BTreeMap<PathBuf, ModuleUses> {
    let folders: BTreeSet<PathBuf> = sources(src).into_iter().filter_map(|(path, _)| Some(path.parent()?.to_owned())).collect();
    let circles = folders.into_iter().map(|folder| (folder.clone(), among(uses(src, &folder))));
    circles.filter(|(_, uses)| !uses.is_empty()).collect()
}

/// Returns for each module directly in `folder`, a path below `src`, the modules of the same folder that it names.
/// Comments and tests are ignored.
pub fn uses(src: &Path, folder: &Path) -> ModuleUses {
    let prefix = folder.iter().fold("crate::".to_owned(), |path, part| path + part.to_str().unwrap() + "::");
    let mut uses = ModuleUses::new();
    for (file, code) in sources(&src.join(folder)) {
        let top = file.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if top != "lib" && top != "main" {
            let of_parent = (file.iter().count() == 1).then(|| named(&code, "super::"));
            let all = named(&code, &prefix).chain(of_parent.into_iter().flatten());
            uses.entry(top.clone()).or_default().extend(all.filter(|name| *name != top));
        }
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    uses.values_mut().for_each(|named| named.retain(|name| modules.contains(name)));
    uses
}

/// Returns the names that follow `path` (such as `super::`) in some code, including each item of a group in braces.
fn named<'c>(code: &'c str, path: &'c str) -> impl Iterator<Item = String> + 'c {
    let name = |rest: &str| rest.trim_start().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect::<String>();
    code.split(path).skip(1).flat_map(move |rest| match rest.strip_prefix('{') {
        Some(group) => group.split(';').next().unwrap_or_default().split(',').map(name).collect(),
        None => vec![name(rest)],
    })
}

/// Returns the source files below `folder`: the path in the folder, and the code without comments and tests.
pub fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
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

/// Returns the part of `uses` with the modules on circles and those that depend on a circle. Repeatedly removes modules
/// that use no remaining module.
fn among(mut uses: ModuleUses) -> ModuleUses {
    loop {
        let left: BTreeSet<String> = uses.keys().cloned().collect();
        uses.retain(|_, named| named.iter().any(|name| left.contains(name)));
        if uses.len() == left.len() {
            return uses;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, files: &[(&str, &str)]) -> Vec<PathBuf> {
        let folder = std::env::temp_dir().join(format!("modules-{name}-{}", std::process::id()));
        for (path, code) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, code).unwrap();
        }
        let circles = circles(&folder);
        fs::remove_dir_all(&folder).unwrap();
        circles.into_keys().collect()
    }

    #[test]
    fn cycle_is_found_on_each_level() {
        let of_parent = [("a.rs", ""), ("a/b.rs", "use super::c::C;"), ("a/c.rs", "use crate::a::{b::B, d};")];
        assert_eq!(found("inside", &of_parent), [PathBuf::from("a")]);
        assert_eq!(found("top", &[("a.rs", "use crate::b::B;"), ("b.rs", ""), ("b/c.rs", "crate::a::run()")]), [PathBuf::new()]);
    }

    #[test]
    fn comments_and_tests_are_not_counted_as_uses() {
        let files = [
            ("a.rs", "//! See crate::b.\nuse crate::{ServerState, c};\n#[cfg(test)]\nmod tests {\nuse crate::b;\n}\n"),
            ("b.rs", "use crate::a;"),
            ("c.rs", ""),
        ];
        assert!(found("none", &files).is_empty());
    }
}
