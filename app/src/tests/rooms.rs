//! Checks that the top modules of the page depend on each other in one direction, and that the model uses no browser
//! API.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use modules::{ModuleUses, circles, sources, uses};

/// The modules in their order. Each uses only modules before it.
const ROOMS: [&str; 6] = ["tr", "model", "backend", "page", "view", "static_pages"];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Lists the forbidden dependencies, as pairs of a module and the module that it uses.
fn against_the_order(uses: &ModuleUses) -> Vec<(String, String)> {
    let place = |name: &str| ROOMS.iter().position(|room| *room == name);
    let named = uses.iter().flat_map(|(room, named)| named.iter().map(move |name| (room.clone(), name.clone())));
    named.filter(|(room, name)| place(name) >= place(room)).collect()
}

#[test]
fn modules_use_only_modules_before_them() {
    let uses = uses(&src(), Path::new(""));
    assert_eq!(uses.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(ROOMS), "a module is missing in the order");
    assert!(uses.values().skip(1).any(|named| named.len() > 2), "{uses:?}");
    assert_eq!(against_the_order(&uses), []);
}

#[test]
fn use_of_a_view_by_the_model_is_detected() {
    let folder = std::env::temp_dir().join(format!("rooms-{}", std::process::id()));
    fs::create_dir_all(folder.join("model")).unwrap();
    for (path, code) in [
        ("model.rs", "//! See crate::page.\nmod form;\n"),
        ("model/form.rs", "use crate::{tr::t, view::Main};\n#[cfg(test)]\nmod tests {\nuse crate::page::Page;\n}\n"),
        ("view.rs", "use crate::model::form;\n"),
        ("page.rs", ""),
        ("tr.rs", ""),
    ] {
        fs::write(folder.join(path), code).unwrap();
    }
    let found = against_the_order(&uses(&folder, Path::new("")));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found, [("model".to_owned(), "view".to_owned())]);
}

/// The modules of `view` form a circle, because views name the entries of downloaded parts, and the entries name views.
#[test]
fn only_the_views_form_a_cycle() {
    let model = uses(&src(), Path::new("model"));
    assert!(model.len() > 10, "{model:?}");
    assert_eq!(circles(&src()).into_keys().collect::<Vec<_>>(), [PathBuf::from("view")]);
    assert_eq!(circles(&src().join("../worker/src")), BTreeMap::new());
}

/// Only `local_file` uses a browser API, because files of this device belong to the browser and a form holds handles to
/// them.
#[test]
fn model_uses_no_browser_api() {
    for (path, code) in sources(&src().join("model")) {
        let found = ["leptos", "web_sys", "js_sys", "wasm_bindgen"].into_iter().find(|name| code.contains(name));
        let expected = path.ends_with("form/local_file.rs").then_some("web_sys");
        assert_eq!(found, expected, "{}", path.display());
    }
}
