//! Valid and invalid requests to the server, which schemathesis generates from the OpenAPI document. Every error must
//! be a problem document, and the only server errors are 503 and 507.

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::{StressRun, python, report::StressReport, server::ServerSetup};
use crate::shell::root;

/// Package of schemathesis, the generator of requests.
const PACKAGES: [&str; 1] = ["schemathesis==4.32.5"];

/// Minimum number of answers in a run without the option `quick`.
const MIN_ANSWERS: u64 = 10_000;

/// Number of requests generated for each operation in a run without the option `quick`. Other phases of schemathesis
/// add more.
const CASES_EACH: u64 = 400;

/// Settings of the server that keep jobs cheap and queries short, because schemathesis sends one request at a time.
const LIMITS: [(&str, &str); 4] = [
    ("EDITSCOPE_MAX_CELLS_CPU", "1e9"),
    ("EDITSCOPE_LOOK_SECONDS", "2"),
    ("EDITSCOPE_JOB_SECONDS", "5"),
    ("EDITSCOPE_CLIENT_SECONDS", "5"),
];

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("data", &ServerSetup::with_variables(&LIMITS))?;
    let committed = std::path::absolute(root().join("docs/openapi.json"))?;
    let document = std::fs::read(&committed).with_context(|| format!("no OpenAPI document in {}", committed.display()))?;
    let served = server.client.get("/api/v1/openapi.json")?;
    let same = served.status == 200 && served.json()? == serde_json::from_slice::<Value>(&document)?;
    report.must_hold("the server hands out the committed document", same, served.status);

    let python = python::venv_python("api", &PACKAGES)?;
    let folder = &stress.place.folder;
    let (hooks, counts) = (folder.join("hooks.py"), folder.join("counts.json"));
    std::fs::write(&hooks, include_str!("api.py"))?;
    let program = python.with_file_name("st");
    let mut command = crate::shell::command(program);
    command.arg("run").arg(&committed).arg("--url").arg(format!("http://{}", server.client.server)).current_dir(folder);
    command.env("SCHEMATHESIS_HOOKS", &hooks).env("EDITSCOPE_STRESS_COUNTS", &counts);
    let each = if stress.quick { 5 } else { CASES_EACH };
    command.args(["--checks", "problem_documents", "--continue-on-failure", "--mode", "all", "--suppress-health-check", "all"]);
    command.args(["--request-timeout", "20", "--warnings", "off", "--generation-database", "none"]);
    command.args(["--max-examples", &each.to_string(), "--seed", &stress.seed.to_string()]);
    let output = command.output().context("cannot start schemathesis")?;
    let said = String::from_utf8_lossy(&output.stdout);
    std::fs::write(folder.join("schemathesis.txt"), said.as_bytes())?;
    let counted: Value = serde_json::from_slice(&std::fs::read(&counts).with_context(|| format!("schemathesis broke down: {said}"))?)?;
    let statuses = counted.as_object().context("no counts")?;
    let complained = String::from_utf8_lossy(&output.stderr);
    ensure!(!statuses.is_empty(), "schemathesis asked nothing: {said}{complained}");
    let all: u64 = statuses.values().filter_map(Value::as_u64).sum();
    report.figure("answers, by status", &counted);
    if !stress.quick {
        report.must_hold(&format!("{MIN_ANSWERS} requests or more"), all >= MIN_ANSWERS, all);
    }
    if !output.status.success() {
        said.lines().skip_while(|line| !line.contains("FAILURES")).take(60).for_each(|line| println!("    {line}"));
    }
    report.must_hold("errors are problem documents, of the server's own only 503 and 507", output.status.success(), output.status);
    let alive = server.client.get("/livez")?.status;
    report.must_hold("the server lives", alive == 200, alive);
    Ok(())
}
