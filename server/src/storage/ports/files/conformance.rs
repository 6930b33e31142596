//! Conformance tests of [`FileStore`].

use std::io::{ErrorKind, Read as _};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};

use super::{ContentHash, FileStore, StorageUsage};
use crate::storage::ports::clock::{Clock, ManualClock};

const MINUTE: Duration = Duration::from_secs(60);

/// Checks the file stores that `make` creates for a capacity in bytes and a clock. The second value that `make` returns
/// is held for the duration of the test.
pub(crate) fn check<F: FileStore + Clone, H>(make: impl Fn(u64, Arc<dyn Clock>) -> (F, H)) {
    let clock = Arc::new(ManualClock::default());
    let made = || make(1000, clock.clone());
    contents(&made().0);
    room(&made().0);
    concurrent_equal_writes_count_once(&made().0);
    age(&made().0, &clock);
}

fn contents(files: &impl FileStore) {
    let first = files.put(b"kitten").unwrap();
    let mut second = files.create().unwrap();
    second.write(b"kit").unwrap();
    second.write(b"ten").unwrap();
    assert_eq!(second.finish().unwrap(), first, "the same content is one file");
    assert_eq!(first, ContentHash::from_content(b"kitten"));
    let empty = files.put(b"").unwrap();
    assert_eq!((files.read(&first).unwrap(), files.read(&empty).unwrap()), (b"kitten".to_vec(), vec![]));
    assert_eq!((files.bytes(&first).unwrap(), files.bytes(&empty).unwrap()), (6, 0));
    for (from, len, part) in [(0, 3, "kit"), (3, 3, "ten"), (3, u64::MAX, "ten"), (6, 1, ""), (u64::MAX, 1, ""), (2, 0, "")] {
        assert_eq!(files.range(&first, from, len).unwrap(), part.as_bytes(), "{len} from {from}");
    }
    let missing = ContentHash::from_content(b"sitting");
    for error in [files.read(&missing).err(), files.range(&missing, 0, 0).err(), files.bytes(&missing).err(), files.open(&missing).err()] {
        assert_eq!(error.unwrap().kind(), ErrorKind::NotFound);
    }
    assert!(files.renew(&first).unwrap() && !files.renew(&missing).unwrap());

    let opened = files.open(&first).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let pieces: Vec<Vec<u8>> = runtime.block_on(opened.into_stream(4).boxed().try_collect()).unwrap();
    assert_eq!(pieces, [b"kitt".to_vec(), b"en".to_vec()]);
}

fn room(files: &impl FileStore) {
    files.put(&[1; 600]).unwrap();
    assert_eq!(files.put(&[2; 401]).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(files.usage(), StorageUsage { used_bytes: 600, capacity: 1000 }, "refused contents take no space");
    files.put(&[1; 600]).expect("the content is stored already");
    let [mut one, mut other] = [files.create().unwrap(), files.create().unwrap()];
    one.write(&[3; 300]).unwrap();
    assert_eq!(other.write(&[4; 200]).unwrap_err().kind(), ErrorKind::StorageFull, "space is reserved before the write");
    drop(one);
    other.write(&[4; 200]).expect("an aborted write releases its space");
    other.finish().unwrap();
    assert_eq!(files.usage().used_bytes, 800);
}

fn concurrent_equal_writes_count_once(files: &impl FileStore) {
    let writers = [(); 2].map(|()| {
        let mut writer = files.create().unwrap();
        writer.write(&[1; 400]).unwrap();
        writer
    });
    let barrier = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        for writer in writers {
            scope.spawn(|| {
                barrier.wait();
                writer.finish().unwrap();
            });
        }
    });
    assert_eq!(files.usage().used_bytes, 400, "equal contents count once");
}

fn age(files: &impl FileStore, clock: &ManualClock) {
    let (one, other) = (files.put(b"one").unwrap(), files.put(b"other").unwrap());
    assert!(!files.remove_old(&one, MINUTE).unwrap() && files.old(MINUTE).unwrap().is_empty(), "both contents are too young");
    clock.put_forth(10 * MINUTE);
    assert!(!files.remove_old(&one, MINUTE).unwrap(), "a changed time of day is no elapsed time");
    clock.advance(2 * MINUTE);
    assert_eq!(files.put(b"other").unwrap(), other);
    assert_eq!(files.old(MINUTE).unwrap(), [one], "the other content was renewed");
    let mut opened = files.open(&one).unwrap();
    assert!(files.remove_old(&one, MINUTE).unwrap() && !files.remove_old(&other, MINUTE).unwrap());
    assert!(files.remove_old(&one, MINUTE).unwrap(), "removing a missing content succeeds");
    assert_eq!((files.read(&one).unwrap_err().kind(), files.usage().used_bytes), (ErrorKind::NotFound, 5));
    let mut content = Vec::new();
    opened.content.read_to_end(&mut content).unwrap();
    assert_eq!((opened.bytes, content), (3, b"one".to_vec()), "an open content can be read to its end");
}
