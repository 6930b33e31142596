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
    assert!(inputs > 0, "the folder {} is empty", folder.display());
}

#[test]
fn edit_distance_corpus_is_solved() {
    replay("edit_distance");
}

#[test]
fn approximate_search_corpus_is_solved() {
    replay("approximate_search");
}

#[test]
fn lcs_corpus_is_solved() {
    replay("lcs");
}

#[test]
fn match_count_corpus_is_solved() {
    replay("match_count");
}

#[test]
fn exact_search_corpus_is_solved() {
    replay("exact_search");
}

#[test]
fn sequence_alignment_corpus_is_solved() {
    replay("sequence_alignment");
}

#[test]
fn text_corpus_is_read() {
    replay("text");
}
