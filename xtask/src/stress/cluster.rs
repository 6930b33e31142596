//! A cluster of many processes: repeated kills under load, and the overhead compared to one process. The tests
//! (`server/tests/it/cluster`) start all services: PostgreSQL, an S3 server, three NATS servers, two web nodes, two
//! workers and a sweeper.

use super::{StressRun, report::StressReport};
use crate::{
    gate,
    shell::{cargo, run},
};

pub(crate) fn run_cluster(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let (jobs, pause) = if stress.quick { ("500", "20") } else { ("10000", "60") };
    let killed = test("cluster::stress", &[("EDITSCOPE_STRESS_JOBS", jobs), ("EDITSCOPE_STRESS_PAUSE", pause)])?;
    report.must_hold("every accepted job ended once, with the right answer", killed == "yes", &killed);
    Ok(())
}

/// Measures the overhead of a cluster compared to a single process. There are no limits, because one machine with all
/// ten processes says little about ten machines.
pub(crate) fn measure(_: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let measured = test("cluster::overhead", &[])?;
    report.must_hold("a site and one process solved the same jobs in turns", measured == "yes", &measured);
    Ok(())
}

/// Runs a test of the server that the gate leaves out, in a release build with these environment variables. Returns
/// `yes`, or a description of the failure.
fn test(name: &str, variables: &[(&str, &str)]) -> anyhow::Result<String> {
    let mut tests = cargo("test --locked --quiet --release --package server --test it -- --ignored --nocapture");
    gate::with_services(tests.arg(name))?;
    tests.envs(variables.iter().copied()).env("EDITSCOPE_TEST_SERVICES", "required");
    Ok(run(&mut tests).map_or_else(|error| format!("{error:#}"), |()| "yes".to_owned()))
}
