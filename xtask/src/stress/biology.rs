//! Alignments beside EMBOSS and bcftools. Scores of ten real pairs of proteins and ten of DNA (`biology.fasta`) are
//! compared with those of `needle` and `water`. Biopython reads the files for EMBOSS and BLAST, and `bcftools norm`
//! must move no gap of a VCF.
//!
//! The proteins are from UniProt (CC BY 4.0), in the release that the test data of EMBOSS 6.6.0 have. The DNA is from
//! the test data of edlib (MIT).

use anyhow::{Context as _, bail};

use super::{StressRun, python, report::StressReport, server::ServerSetup};

/// Package of Biopython, the reader of the files.
const PACKAGES: [&str; 1] = ["biopython==1.88"];

/// Number of random pairs whose VCF bcftools reads.
const PAIRS: usize = 200;

pub(crate) fn run(stress: &StressRun, report: &mut StressReport) -> anyhow::Result<()> {
    let server = stress.place.start("data", &ServerSetup::default())?;
    let python = python::venv_python("biology", &PACKAGES)?;
    let mut script = python::script(&python, &stress.place.folder, "biology.py", include_str!("biology.py"))?;
    std::fs::write(stress.place.folder.join("biology.fasta"), include_str!("biology.fasta"))?;
    let base = format!("http://{}", server.client.server);
    let output = script.args([base, "biology.fasta".into(), stress.seed.to_string(), PAIRS.to_string()]).output();
    let output = output.context("cannot start python")?;
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in wrong.lines().take(40) {
        println!("    {line}");
    }
    if !output.status.success() {
        bail!("the checks broke down; needle, water and bcftools must be installed");
    }
    let mut checks = 0;
    for line in said.lines() {
        let [name, cases, broken] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("no such line was expected: {line}") };
        report.exactly(&format!("{name}: {cases} cases, of which were not as they must be"), broken.parse()?, 0);
        checks += 1;
    }
    report.must_hold("every check has run", checks >= 9, checks);
    Ok(())
}
