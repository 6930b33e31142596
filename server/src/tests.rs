//! Tests of the server's modules as a whole.

use std::collections::BTreeMap;
use std::path::Path;

use modules::{circles, uses};

#[test]
fn modules_form_no_cycle() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert!(uses(&src, Path::new("")).len() > 10);
    assert_eq!(circles(&src), BTreeMap::new());
}
