//! Exports read by other programs: SAM by pysam (htslib), CSV by Python, diffs by GNU patch, PAF and CIGAR by a reader
//! that walks over both texts. Names and texts contain characters that a format or a spreadsheet could misinterpret.

use anyhow::{Context as _, bail};

use super::{StressRun, python, report::StressReport, server::ServerSetup};

/// Package of pysam, the reader of SAM. Version 0.24.1 contains htslib 1.24.
const PACKAGES: [&str; 1] = ["pysam==0.24.1"];

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("data", &ServerSetup::default())?;
    let python = python::venv_python("formats", &PACKAGES)?;
    let mut script = python::script(&python, &stress.place.folder, "formats.py", include_str!("formats.py"))?;
    let pairs = if stress.quick { 10 } else { 150 };
    let base = format!("http://{}", server.client.server);
    let output = script.args([base, stress.seed.to_string(), pairs.to_string()]).output().context("cannot start python")?;
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in wrong.lines().take(40) {
        println!("    {line}");
    }
    if !output.status.success() {
        bail!("the readers broke down");
    }
    let mut readers = 0;
    for line in said.lines() {
        let [name, files, broken] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("no such line was expected: {line}") };
        report.exactly(&format!("{name}: {files} files, of which were not as they must be"), broken.parse()?, 0);
        readers += 1;
    }
    report.must_hold("every reader has read", readers >= 14, readers);
    Ok(())
}
