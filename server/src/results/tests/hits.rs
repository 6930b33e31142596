//! Tests of pages of hits of large texts. They are queried with empty caches, as in another process than the one that
//! found the hits.

use std::path::Path;

use kernels::task::{Solution, solver};
use kernels::text::Unit;

use super::*;
use crate::results::file::{self, TextIndex};
use crate::storage::ports::clock::SystemClock;
use crate::storage::ports::files::counted::CountedFiles;
use crate::store::{Ports, UNUSED_FILE_GRACE};

/// Creates the record of a search of large texts, as a job stores it.
pub(super) fn searched(results: &ResultReader, (task, options): (Task, JobOptions), a: &str, b: &str) -> StoredResult {
    let put = |text: &str| results.store.files.put(text.as_bytes()).unwrap();
    let snapshot = JobSnapshot::new("1".into(), task, options.clone(), TextInfo::default(), TextInfo::default());
    let (alignment, found, units) = (None, None, None);
    let mut record = StoredResult { alignment, found, units, ..StoredResult::new(snapshot, put(a), put(b)) };
    let pair = results.pair(record.texts()).unwrap();
    let run = Run::new(&NoObserver);
    let Solution { answer, found, .. } = solver(task).cpu(&kernels::engine::Cpu::all_cores(), &pair, &options, &run).unwrap();
    record.snapshot.answer = Some(answer);
    record.units = results.store_units(&pair, &options.reading()).unwrap();
    record.found = Some(results.store.files.put(&file::write(&found.unwrap(), &TextIndex::from_text(&pair.b)).unwrap()).unwrap());
    record
}

/// Returns results with empty caches, and their files.
async fn fresh(folder: &Path) -> (ResultReader, CountedFiles) {
    let config = Config { data: folder.to_owned(), max_data_bytes: 1 << 30, ..Config::read(|_| None).unwrap() };
    let ports = Ports::open(&config).await.unwrap();
    let files = CountedFiles::new(ports.files);
    let ports = Ports { files: Arc::new(files.clone()), clock: Arc::new(SystemClock::default()), grace: UNUSED_FILE_GRACE, ..ports };
    (ResultReader::new(Store::from_ports(ports), &config), files)
}

/// Generates lines of a twelve-letter word with occasional changes: a hit every 24 letters, some far from others.
fn text(letter: char, times: usize) -> String {
    let dense = format!("needle {letter}aystack needly hoystack\n").repeat(times / 3);
    let filler = "xyz ".repeat(10 * times);
    format!("{dense}{filler}\nneedle{filler}\nneedle\n{dense}")
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_hits_takes_few_reads_for_any_size() {
    let folder = tempfile::tempdir().unwrap();
    for (letter, unit) in [('h', Unit::Bytes), ('é', Unit::Chars), ('h', Unit::Words)] {
        let options = JobOptions { unit, max_distance: Some(1), ..JobOptions::default() };
        let tasks = [(Task::ApproximateSearch, options.clone()), (Task::ExactSearch, JobOptions { max_distance: None, ..options.clone() })];
        for (task, options) in tasks {
            let (results, _) = fresh(folder.path()).await;
            let record = searched(&results, (task, options), "needle", &text(letter, 12_000));
            assert!(record.units.is_some(), "the texts are large");
            let (total, _) = results.hits(&record, 0, 1, None).await.unwrap();
            assert!(total > 4_000);
            // The first page, two in the middle, one around distant hits, and the last.
            for from in [0, total / 2 - 40, total / 2 - 2, total - 100] {
                let (cold, files) = fresh(folder.path()).await;
                let seen = cold.hits(&record, from, 100, Some(40)).await.unwrap();
                let (reads, bytes) = files.take();
                assert!(reads <= 24 && bytes < 500_000, "{reads} reads of {bytes} bytes for 100 {unit:?} hits from {from}");
                assert_eq!(cold.reads(), 1, "only the file of hits is read");
                let whole = results.hits(&record, from, 100, Some(40)).await.unwrap();
                assert_eq!(seen, whole, "{task:?} in {unit:?} from {from}");
                let again = cold.hits(&record, from, 100, None).await.unwrap();
                assert_eq!((again.0, &again.1.hits), (total, &whole.1.hits));
                assert!(files.take().0 <= 20, "the marks are cached");
                let which = Some(AlignmentSelector::Hit(from));
                let aligned = [cold.window(&record, which, 0, 9).await.unwrap(), results.window(&record, which, 0, 9).await.unwrap()];
                assert_eq!(aligned[0], aligned[1]);
                assert!(files.take().1 < 300_000);
            }
        }
    }
}

/// Checks that older files of hits and searches of small texts are read whole and give the same pages.
#[tokio::test(flavor = "multi_thread")]
async fn results_without_an_index_are_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (results, _) = fresh(folder.path()).await;
    let job = (Task::ExactSearch, JobOptions::default());
    let indexed = searched(&results, job.clone(), "needle", &text('h', 12_000));
    let found = results.search(&indexed).await.unwrap().found;
    let before = results.store.files.put(&postcard::to_extend(&*found, vec![2]).unwrap()).unwrap();
    let small = searched(&results, job, "needle", &text('h', 100));
    assert_eq!(small.units, None);
    for record in [StoredResult { found: Some(before), ..indexed.clone() }, StoredResult { units: None, ..indexed.clone() }, small] {
        let (cold, _) = fresh(folder.path()).await;
        let whole = results.hits(&record, 20, 30, Some(9)).await.unwrap();
        assert_eq!(cold.hits(&record, 20, 30, Some(9)).await.unwrap(), whole);
    }
    let (cold, counted) = fresh(folder.path()).await;
    cold.hits(&indexed, 0, 100, Some(9)).await.unwrap();
    assert!(counted.take().1 < 500_000);
    // A query of all positions gives those of the whole file.
    assert_eq!(cold.search(&indexed).await.unwrap().found.positions, found.positions);
}
