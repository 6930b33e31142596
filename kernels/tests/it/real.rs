//! Real DNA with known answers. The texts are edlib's public test data, and the answers are those of edlib 1.3.9.

use std::path::PathBuf;

use kernels::engine::{Cpu, Engine};
use kernels::job::JobOptions;
use kernels::text::{Pair, ReadingOptions};
use oracle::solve_edit_distance;

fn pair(folder: &str, a: &str, b: &str) -> Option<Pair> {
    let read = |name: &str| std::fs::read(PathBuf::from(folder).join(name)).ok();
    Some(Pair::parse(read(a)?, read(b)?, &ReadingOptions::default()).unwrap())
}

fn here(a: &str, b: &str, expected: u64) {
    let pair = pair(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"), a, b).expect("the file is in tests/data");
    assert_eq!(solve_edit_distance(&Engine::Cpu(Cpu::all_cores()), &pair, &JobOptions::default()).0, expected);
}

#[test]
fn distance_of_real_reads_is_right() {
    here("read_10k.fasta", "read_10k_90.fasta", 1017);
}

#[test]
fn distances_of_real_phages_are_right() {
    here("phage.fasta", "phage_99.fasta", 990);
    here("phage.fasta", "phage_60.fasta", 39829);
}

/// Reads texts of megabases from a folder that the environment names, because they are too large for the repository.
#[test]
fn distances_of_real_chromosomes_are_right() {
    let folder = std::env::var("EDITSCOPE_TEST_DATA").unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into());
    for (b, expected) in [("chromosome_1m_99.fasta", 9927), ("chromosome_1m_97.fasta", 31467), ("chromosome_1m_94.fasta", 62190)] {
        match pair(&folder, "chromosome_1m.fasta", b) {
            Some(pair) => assert_eq!(solve_edit_distance(&Engine::Cpu(Cpu::all_cores()), &pair, &JobOptions::default()).0, expected),
            None => println!("skipped: no test data (set EDITSCOPE_TEST_DATA to a folder with {b})"),
        }
    }
}
