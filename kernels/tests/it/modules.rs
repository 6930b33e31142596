//! Checks that the modules of this crate and of `explain` have no cyclic dependencies. A test of the page and one of
//! the server check their modules in the same way.

use std::collections::BTreeMap;
use std::path::Path;

use modules::{circles, uses};

#[test]
fn modules_form_no_cycle() {
    for name in ["kernels", "explain"] {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        assert!(uses(&src, Path::new("")).len() > 5, "{name}");
        assert_eq!(circles(&src), BTreeMap::new(), "{name}");
    }
}
