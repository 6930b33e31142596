//! Measures queries of a stored result of 64 million columns, for kernels/benches/results/large-results.md.
//!
//! One process makes the result and another one queries it, so that no memory is reused. Before each query, the files
//! are removed from the page cache, and the caches of the process are empty.
#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use kernels::alignment::{CigarOp, EditKind};
use kernels::text::Unit;

use super::*;

/// Environment variable with the folder that the first process filled.
const FOLDER: &str = "EDITSCOPE_TEST_LARGE_RESULT";

const COLUMNS: u32 = 64_000_000;

/// Generates the columns of a pair of noisy reads: one edit in ten columns.
fn stretches() -> impl Iterator<Item = CigarOp> {
    let edits = [EditKind::Substitute, EditKind::Insert, EditKind::Delete].into_iter().cycle();
    edits.take(COLUMNS as usize / 10).flat_map(|edit| [CigarOp { edit: EditKind::Equal, len: 9 }, CigarOp { edit, len: 1 }])
}

async fn make(folder: &Path, unit: Unit, letter: &str) {
    let results = results(&folder.join("data")).await;
    let alignment = Alignment::new(stretches());
    let summary = alignment.summary();
    let symbols = (summary.columns - summary.insertions, summary.columns - summary.deletions);
    let put = |symbols: u64| results.store.files.put(letter.repeat(symbols as usize).as_bytes()).unwrap();
    let (a, b) = (put(symbols.0), put(symbols.1));
    let options = JobOptions { unit, ..JobOptions::default() };
    let mut snapshot = JobSnapshot::new("1".into(), Task::EditDistance, options.clone(), TextInfo::default(), TextInfo::default());
    snapshot.answer = Some(kernels::event::TaskAnswer::from_distance(summary.distance(), Some(summary)));
    let mut record = StoredResult::new(snapshot, a, b);
    let pair = results.pair(record.texts()).unwrap();
    let begun = Instant::now();
    record.units = results.store_units(&pair, &options.reading()).unwrap();
    let units_ms = begun.elapsed().as_millis();
    record.alignment = Some(results.store.files.put(&aligned::write(&alignment)).unwrap());
    fs::write(folder.join("record.json"), serde_json::to_vec(&record).unwrap()).unwrap();
    let bytes = |hash: ContentHash| fs::metadata(folder.join("data/files").join(hash.to_string())).unwrap().len();
    let index = record.units.and_then(|[a, _]| a.index()).map_or(0, bytes);
    let alignment = record.alignment.map_or(0, bytes);
    println!("{unit:?}: text {} bytes, its index {index} ({units_ms} ms for both), alignment {alignment}", bytes(a));
}

fn kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().unwrap()
}

/// Prints the name, duration and memory growth of a query.
async fn look<T>(folder: &Path, what: &str, look: impl AsyncFn(&ResultReader, &StoredResult) -> T) -> T {
    for file in fs::read_dir(folder.join("data/files")).unwrap() {
        let file = format!("if={}", file.unwrap().path().display());
        assert!(Command::new("dd").args([&file, "iflag=nocache", "count=0", "status=none"]).status().unwrap().success());
    }
    let results = results(&folder.join("data")).await;
    let record: StoredResult = serde_json::from_slice(&fs::read(folder.join("record.json")).unwrap()).unwrap();
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let (before, begun) = (kib("VmRSS"), Instant::now());
    let seen = look(&results, &record).await;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    println!("{what}: {ms:.1} ms, {} kB more memory", kib("VmHWM") - before);
    seen
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes 500 MB; prints figures"]
async fn window_of_64_million_columns_is_measured() {
    for (unit, letter) in [(Unit::Bytes, "A"), (Unit::Chars, "é")] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), unit, letter).await;
        let this = std::env::current_exe().unwrap();
        let tests = ["--ignored", "--exact", "--nocapture", "results::tests::large::stored_alignment_is_queried"];
        assert!(Command::new(this).args(tests).env(FOLDER, folder.path()).status().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "reads the files of window_of_64_million_columns_is_measured"]
async fn stored_alignment_is_queried() {
    let Some(folder) = std::env::var_os(FOLDER) else { return println!("skipped: {FOLDER} names no folder") };
    let folder = Path::new(&folder);
    for (from, len) in [(0, 500), (u64::from(COLUMNS) / 2 + 3, 500), (u64::from(COLUMNS) - 500, 500), (20_000_000, 20_000)] {
        let what = format!("{len} columns from {from}");
        let window = look(folder, &what, async |results, record| results.window(record, None, from, len).await.unwrap()).await;
        assert_eq!((window.len, window.columns), (len, COLUMNS.into()));
        assert_eq!(window.a.len() as u64, len - window.stretches.iter().filter(|one| one.edit == EditKind::Insert).count() as u64);
    }
    look(folder, "overview in 1,000 parts", async |results, record| results.overview(record, None, 1000).await.unwrap()).await;
    let all = (explain::difference_filter::EditKinds::ALL, explain::difference_filter::DifferenceQuery::Number(3_000_000));
    look(folder, "difference 3,000,000", async |results, record| results.find_difference(record, None, all).await.unwrap().unwrap()).await;
}

/// Environment variable with the folder of a large search.
const SEARCH: &str = "EDITSCOPE_TEST_LARGE_SEARCH";

/// Measures texts of 64 MB with a hit every 16 letters, and with one hit in a hundred thousand letters.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes 400 MB; prints figures"]
async fn page_of_4_million_hits_is_measured() {
    let rare = format!("{}needle of gold\n", "straw, ".repeat(14_000));
    for (what, unit, times, text) in [
        ("a hit every 16 bytes", Unit::Bytes, 4_000_000, "needle of straw\n"),
        ("a hit every 16 letters beyond ASCII", Unit::Chars, 4_000_000, "needlé of strâw\n"),
        ("a hit every 98,000 bytes", Unit::Bytes, 653, &rare),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let results = results(&folder.path().join("data")).await;
        let options = JobOptions { unit, max_distance: Some(1), ..JobOptions::default() };
        let a = if unit == Unit::Bytes { "needle" } else { "needlé" };
        let begun = Instant::now();
        let record = super::hits::searched(&results, (Task::ApproximateSearch, options), a, &text.repeat(times));
        let (total, _) = results.hits(&record, 0, 1, None).await.unwrap();
        fs::write(folder.path().join("record.json"), serde_json::to_vec(&record).unwrap()).unwrap();
        let bytes = |hash: ContentHash| fs::metadata(folder.path().join("data/files").join(hash.to_string())).unwrap().len();
        let index = record.units.and_then(|[_, b]| b.index()).map_or(0, bytes);
        let (text, found, seconds) = (bytes(record.b), record.found.map_or(0, bytes), begun.elapsed().as_secs());
        println!("{what}: text {text} bytes, its index {index}, {total} hits in {found} ({seconds} s to make)");
        drop(results);
        let this = std::env::current_exe().unwrap();
        let tests = ["--ignored", "--exact", "--nocapture", "results::tests::large::stored_search_is_queried"];
        assert!(Command::new(this).args(tests).env(SEARCH, folder.path()).status().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "reads the files of page_of_4_million_hits_is_measured"]
async fn stored_search_is_queried() {
    let Some(folder) = std::env::var_os(SEARCH) else { return println!("skipped: {SEARCH} names no folder") };
    let folder = Path::new(&folder);
    let hits = async |results: &ResultReader, record: &StoredResult, from, len| results.hits(record, from, len, Some(40)).await.unwrap();
    let (total, _) = look(folder, "the first hit", async |results, record| hits(results, record, 0, 1).await).await;
    for (from, len) in [(0, 100), (total / 2, 100), (total - 100, 100), (total / 3, 1000)] {
        let what = format!("{len} hits from {from}");
        let (_, seen) = look(folder, &what, async |results, record| hits(results, record, from, len).await).await;
        assert_eq!(seen.hits.len() as u64, len.min(total - from));
    }
    let which = Some(AlignmentSelector::Hit(total / 2));
    look(folder, "the alignment of one", async |results, record| results.window(record, which, 0, 100).await.unwrap()).await;
}
