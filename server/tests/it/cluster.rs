//! NATS beside PostgreSQL and a bucket: what processes of one site hear of each other.

use std::process::Command;

use serde_json::json;

use crate::client::{site, typed};
use crate::hosts::Services;
use crate::restart::Program;
use crate::services::{Nats, PASSWORD};

#[tokio::test(flavor = "multi_thread")]
async fn nats_that_goes_away_stops_no_job() {
    let (Some(services), Some(mut nats)) = (Services::start("cluster"), Nats::start()) else { return };
    let (folder, address) = (tempfile::tempdir().unwrap(), nats.address());
    let mut variables = services.variables("s3://cluster/one");
    variables.push(("EDITSCOPE_NATS", &address));
    let program = Program::with(folder.path(), &variables);
    assert_eq!(program.web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3);
    let running = program.web.start_slow().await;
    nats.stop();
    let cancelled = program.web.delete(&format!("/api/v1/jobs/{running}")).await;
    assert!([202, 204].contains(&cancelled.status), "{}", cancelled.text);
    program.web.wait_for(&running, "cancelled").await;
    assert_eq!(program.web.solve(&typed("kitten", "mitten")).await["answer"]["distance"], 1);
    nats.go_on();
    assert_eq!(program.web.solve(&typed("kitten", "fitting")).await["answer"]["distance"], json!(3));
}

#[test]
fn nats_that_cannot_be_reached_is_named_at_the_start() {
    let (Some(services), folder) = (Services::start("unreached"), tempfile::tempdir().unwrap()) else { return };
    let mut variables = services.variables("s3://unreached/one");
    let address = format!("nats://editscope:{PASSWORD}@127.0.0.1:9");
    variables.push(("EDITSCOPE_NATS", &address));
    let started = Command::new(env!("CARGO_BIN_EXE_editscope"))
        .envs(variables)
        .env("EDITSCOPE_ADDR", "127.0.0.1:0")
        .env("EDITSCOPE_DATA", folder.path().join("data"))
        .env("EDITSCOPE_SITE", site(folder.path()).root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(!started.status.success() && said.contains("cannot connect to nats://127.0.0.1:9"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
}
