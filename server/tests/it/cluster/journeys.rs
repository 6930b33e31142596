//! The journeys of `app/end2end` through a cluster: two web nodes behind an alternating proxy, two workers and a
//! sweeper. They take a quarter of an hour, so that the gate runs them against one process only: `cargo xtask test
//! cluster`.

use std::env;
use std::path::Path;
use std::process::Command;

use tokio::task::block_in_place;

use super::processes::Processes;
use super::proxy;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a quarter of an hour: cargo xtask test cluster"]
async fn browser_journeys_pass_on_a_cluster() {
    let page = env::var("EDITSCOPE_TEST_PAGE").expect("EDITSCOPE_TEST_PAGE is the folder of a built page");
    let limit =
        env::var("EDITSCOPE_TEST_UPLOAD_BYTES").expect("EDITSCOPE_TEST_UPLOAD_BYTES is the size of an upload that journeys go beyond");
    let more = vec![("EDITSCOPE_SITE", page), ("EDITSCOPE_MAX_UPLOAD_BYTES", limit), ("RUST_LOG", "info".into())];
    let Some(site) = Processes::of("journeys", more, None).await else { return };
    let address = proxy::start(site.programs[..2].iter().map(|program| program.web.base.clone()).collect()).await;
    let journeys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/end2end");
    let mut playwright = Command::new("npx");
    playwright.args(["--no-install", "playwright", "test"]).args(env::var("EDITSCOPE_TEST_JOURNEYS").ok());
    playwright.current_dir(journeys).env("EDITSCOPE_URL", format!("http://{address}"));
    assert!(block_in_place(|| playwright.status()).unwrap().success(), "journeys have failed");
}
