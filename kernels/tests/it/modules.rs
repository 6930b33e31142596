//! The modules of a crate have no circles: whoever reads one can leave out all that it does not use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// For each top-level module those that it names as `crate::…`, comments and tests left out.
fn uses(src: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources(src) {
        let inside = path.strip_prefix(src).unwrap();
        let top = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if top == "lib" || inside.iter().any(|part| part == "tests.rs" || part == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let named = uses.entry(top.to_owned()).or_default();
        let name = |rest: &str| rest.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect::<String>();
        named.extend(code.split("crate::").skip(1).map(name).filter(|name| !name.is_empty() && name != top));
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    uses.values_mut().for_each(|named| named.retain(|name| modules.contains(name)));
    uses
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// Modules on circles, or that use one on a circle: what is left when those that use nothing that is left are taken away, again and again.
fn circles(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let left: BTreeSet<String> = uses.keys().cloned().collect();
        uses.retain(|_, named| named.iter().any(|name| left.contains(name)));
        if uses.len() == left.len() {
            return uses;
        }
    }
}

#[test]
fn no_circle_among_the_modules() {
    for name in ["kernels", "explain"] {
        let uses = uses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"));
        assert!(uses.len() > 5, "{name}: {uses:?}");
        assert_eq!(circles(uses), BTreeMap::new(), "{name}");
    }
}

#[test]
fn a_circle_is_seen() {
    let uses =
        |edges: &[(&str, &str)]| edges.iter().map(|(one, other)| ((*one).to_owned(), BTreeSet::from([(*other).to_owned()]))).collect();
    assert!(circles(uses(&[("a", "b"), ("b", "c")])).is_empty());
    assert_eq!(circles(uses(&[("a", "b"), ("b", "c"), ("c", "a")])).len(), 3);
}
