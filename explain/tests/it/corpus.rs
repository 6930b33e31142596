//! Runs every input of the fuzzing corpus through its target. This needs no libFuzzer.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[expect(unreachable_pub, reason = "it is a crate of its own, too")]
#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

fn replay(name: &str) {
    let (_, target) = fuzz::TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let data = fs::read(&path).unwrap();
        assert!(catch_unwind(|| target(&data)).is_ok(), "{name} on {}", path.display());
        inputs += 1;
    }
    assert!(inputs > 0, "nothing lies in {}", folder.display());
}

#[test]
fn edit_distance() {
    replay("edit_distance");
}

#[test]
fn approximate_search() {
    replay("approximate_search");
}

#[test]
fn lcs() {
    replay("lcs");
}

#[test]
fn match_count() {
    replay("match_count");
}

#[test]
fn exact_search() {
    replay("exact_search");
}

#[test]
fn text() {
    replay("text");
}
