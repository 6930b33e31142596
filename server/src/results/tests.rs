//! Tests of many concurrent queries of one result.

use explain::snapshot::{JobSnapshot, TextInfo};
use kernels::alignment::PairSide;
use kernels::job::JobOptions;

use super::*;

mod hits;
mod large;

async fn results(folder: &std::path::Path) -> ResultReader {
    let config = Config { data: folder.to_owned(), max_data_bytes: 1 << 30, ..Config::read(|_| None).unwrap() };
    ResultReader::new(Store::open(&config).await.unwrap(), &config)
}

/// Creates a stored result of two texts of 200,000 letters, as another process would have written it.
fn left(results: &ResultReader) -> StoredResult {
    let put = |bytes: &[u8]| results.store.files.put(bytes).unwrap();
    let (a, b) = (put("aé".repeat(100_000).as_bytes()), put("aè".repeat(100_000).as_bytes()));
    let alignment = Some(put("1=1X".repeat(100_000).as_bytes()));
    let options = JobOptions { unit: kernels::text::Unit::Chars, ..JobOptions::default() };
    let mut snapshot = JobSnapshot::new("1".into(), Task::EditDistance, options, TextInfo::default(), TextInfo::default());
    let summary = "1=1X".parse::<Alignment>().unwrap().summary();
    snapshot.answer = Some(kernels::event::TaskAnswer::from_distance(100_000, Some(summary)));
    StoredResult { alignment, ..StoredResult::new(snapshot, a, b) }
}

/// Checks that 200 clients with one link cause one parse of the texts and one read of the alignment.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_queries_of_a_result_read_its_files_once() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path()).await;
    let record = left(&results);
    let phones: Vec<_> = (0..200)
        .map(|_| {
            let (results, record) = (results.clone(), record.clone());
            tokio::spawn(async move { results.window(&record, None, 0, 100).await.unwrap().columns })
        })
        .collect();
    for phone in phones {
        assert_eq!(phone.await.unwrap(), 200_000);
    }
    assert_eq!(results.reads(), 2, "one read of the texts and one of the alignment");
}

/// Checks that callers waiting for a computation get its result although the caller that started it goes away.
#[tokio::test(flavor = "multi_thread")]
async fn other_callers_get_the_result_if_the_first_caller_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path()).await;
    let record = left(&results);
    let frame = DotPlotFrame { to_a: 1000, to_b: 1000, width: 10, height: 10, word: Some(1), ..DotPlotFrame::default() };
    let ask = || {
        let (results, record) = (results.clone(), record.clone());
        tokio::spawn(async move { results.dots(&record, frame).await.map(|dots| dots.counts.len()) })
    };
    let (first, second) = (ask(), ask());
    tokio::task::yield_now().await;
    first.abort();
    assert_eq!(second.await.unwrap().unwrap(), 100);
}

/// Checks that results of the same texts with different alignments have different layouts.
#[tokio::test(flavor = "multi_thread")]
async fn layout_belongs_to_its_alignment() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path()).await;
    let put = |text: &str| results.store.files.put(text.as_bytes()).unwrap();
    let mut outlines = Vec::new();
    for cigar in ["1D1=1I", "2X"] {
        let (a, b, alignment) = (put("one\ntwo\n"), put("two\none\n"), Some(put(cigar)));
        let mut record = StoredResult { a, b, alignment, ..left(&results) };
        record.snapshot.options.unit = kernels::text::Unit::Lines;
        let view = results.view(&record, None).await.unwrap();
        let outline = results.editions(&record, &view).await.unwrap().outline();
        assert_eq!(outline, SideBySideLayout::new(&view.pair, &view.alignment).unwrap().outline(), "{cigar}");
        outlines.push(outline);
    }
    assert_ne!(outlines[0], outlines[1]);
}

/// Checks that queries of large texts read the same as parsed texts, without parsing them.
#[tokio::test(flavor = "multi_thread")]
async fn large_results_are_queried_without_parsing_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path()).await;
    let put = |text: &str| results.store.files.put(text.repeat(100_000).as_bytes()).unwrap();
    let whole = StoredResult { a: put("aé\nbc"), b: put("aè\nbc"), alignment: Some(put("1=1X3=")), ..left(&results) };
    let pair = results.pair(whole.texts()).unwrap();
    let units = results.store_units(&pair, &whole.texts().reading).unwrap();
    let alignment = results.store.files.put(&aligned::write(&"1=1X3=".repeat(100_000).parse().unwrap())).unwrap();
    let indexed = StoredResult { alignment: Some(alignment), units, ..whole.clone() };
    let indexes: Vec<ContentHash> = units.unwrap().iter().filter_map(|units| units.index()).collect();
    assert_eq!(indexes.len(), 2);
    assert!(indexes.iter().all(|index| indexed.files().any(|file| file == *index)), "index files belong to the record");
    for (from, len) in [(0, 10), (250_001, 2000), (499_990, 100), (500_000, 1), (123_456, 0)] {
        let windows = [results.window(&whole, None, from, len).await.unwrap(), results.window(&indexed, None, from, len).await.unwrap()];
        assert_eq!(windows[0], windows[1], "{len} columns from {from}");
        let pieces = [results.letters(&whole).await.unwrap(), results.letters(&indexed).await.unwrap()];
        let pieces = pieces.map(|letters| letters.piece(PairSide::B, from, len).unwrap());
        assert_eq!(pieces[0], pieces[1], "{len} units from {from}");
    }
    let fresh = ResultReader::new(results.store.clone(), &Config::read(|_| None).unwrap());
    fresh.window(&indexed, None, 400_000, 10).await.unwrap();
    assert_eq!(fresh.reads(), 1, "only the alignment is read");
    assert_eq!(
        results.store_units(&results.pair(left(&results).texts()).unwrap(), &whole.texts().reading).unwrap(),
        None,
        "short texts have no index"
    );
}
