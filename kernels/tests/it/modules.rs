//! Checks that the modules of a crate have no cyclic dependencies, so that modules can be understood one
//! after the other. A test of the page checks its modules in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::uses::{circles, uses};

mod uses;

#[test]
fn no_circle_among_the_modules() {
    for name in ["kernels", "explain"] {
        let uses = uses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"), "crate::");
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
