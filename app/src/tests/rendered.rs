//! Tests of rendering on the server. One thread renders a page, and another one may drop it after sending it.

use std::thread;

use leptos::prelude::*;

use crate::App;
use crate::model::visit::PageVisit;
use crate::tr::Language;

#[test]
fn rendered_page_may_be_dropped_on_another_thread() {
    for path in ["/", "/exact-search", "/print", "/collections", "/embed/r/none", "/nothing-here"] {
        let rendering = thread::spawn(move || {
            let owner = Owner::new();
            let html = owner.with(|| {
                provide_context(PageVisit { path: path.into(), language: Language::English, ..PageVisit::default() });
                App().to_html()
            });
            (owner, html)
        });
        let (owner, html) = rendering.join().expect("rendered");
        assert!(html.contains("<main"), "{path}: {html}");
        assert!(thread::spawn(move || drop(owner)).join().is_ok(), "{path}: dropping the page panicked");
    }
}

#[test]
fn first_page_loads_no_offline_script() {
    let options = LeptosOptions::builder().output_name("app").site_pkg_dir("pkg/0123").build();
    let html = Owner::new().with(|| {
        provide_context(PageVisit { path: "/".into(), language: Language::English, ..PageVisit::default() });
        crate::shell(&options).to_html()
    });
    assert!(html.contains("/pkg/0123/style.css"), "{html}");
    for word in ["offline.js", "serviceWorker"] {
        assert!(!html.contains(word), "{word}: {html}");
    }
}
