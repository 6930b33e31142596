//! Runs the browser tests in `app/end2end` against a server with an empty data folder: all tests in Chromium, the main
//! tests in Firefox and WebKit.

use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command},
};

use anyhow::{Context as _, bail};

use crate::{
    page,
    prerequisites::{self, HEADLESS_CHROMIUM},
    shell::{cargo, command, outputs, run, target},
    tools,
};

/// Maximum size of an upload to the tested server, in bytes. It is low enough for a test to exceed it, and high enough
/// for a chromosome of a megabase.
const MAX_UPLOAD_BYTES: &str = "1500000";

/// Runs all browser tests in Chromium.
pub(crate) fn browser() -> anyhow::Result<()> {
    prerequisites::install_if_possible(&[HEADLESS_CHROMIUM]);
    let chromium = tools::chromium().context("Chromium is not on PATH")?;
    run_journeys("end2end-data", &[], ("EDITSCOPE_CHROMIUM", chromium))
}

/// Runs the main browser tests in Firefox and then in WebKit.
pub(crate) fn browsers() -> anyhow::Result<()> {
    let firefox = tools::firefox().context("Firefox is not on PATH")?;
    run_journeys("other-browsers-data", &["--config", "playwright.browsers.ts"], ("EDITSCOPE_FIREFOX", firefox))
}

/// Runs all browser tests in Chromium through a cluster of many processes, which a test of the server starts.
pub(crate) fn run_cluster_journeys() -> anyhow::Result<()> {
    let chromium = tools::chromium().context("Chromium is not on PATH")?;
    tools::npm_packages(&tools::browser_tests())?;
    let page = page::build(page::BuildMode::Release)?;
    let mut journeys = cargo("test --locked --workspace --test it -- --ignored --nocapture cluster::journeys");
    super::with_services(&mut journeys)?;
    journeys.env("EDITSCOPE_TEST_SERVICES", "required").env("EDITSCOPE_CHROMIUM", chromium);
    run(journeys.env("EDITSCOPE_TEST_PAGE", page.site).env("EDITSCOPE_TEST_UPLOAD_BYTES", MAX_UPLOAD_BYTES))
}

/// Builds page and server, starts the server with the data folder `data` on a free port, and runs Playwright with
/// `arguments`. `program` is the path of the browser, which Playwright receives in the environment variable `variable`.
fn run_journeys(data: &str, arguments: &[&str], (variable, program): (&str, PathBuf)) -> anyhow::Result<()> {
    tools::npm_packages(&tools::browser_tests())?;
    let page = page::build(page::BuildMode::Release)?;
    // The server's tests are built already, in a profile with optimized solvers.
    run(&mut cargo("test --locked --workspace --no-run"))?;

    let data = outputs()?.join(data);
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    let addr = format!("127.0.0.1:{}", free_port()?);
    let server = JourneyServer::start(
        command(target()?.join("debug/editscope"))
            .env("EDITSCOPE_ADDR", &addr)
            .env("EDITSCOPE_DATA", data)
            .env("EDITSCOPE_SITE", page.site)
            .env("EDITSCOPE_MAX_UPLOAD_BYTES", MAX_UPLOAD_BYTES)
            .env("RUST_LOG", "warn"),
    )?;
    let journeys = run(command("npx")
        .args(["--no-install", "playwright", "test"])
        .args(arguments)
        .current_dir(tools::browser_tests())
        .env("EDITSCOPE_URL", format!("http://{addr}"))
        .env(variable, program));
    drop(server);
    journeys
}

/// The server that browsers test. It is killed when this value is dropped.
struct JourneyServer(Child);

impl JourneyServer {
    fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.spawn()?;
        if let Some(status) = child.try_wait()? {
            bail!("the server ended at once ({status})");
        }
        Ok(Self(child))
    }
}

impl Drop for JourneyServer {
    fn drop(&mut self) {
        // Both calls fail only if the server has already ended.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
