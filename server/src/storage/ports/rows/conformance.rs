//! Conformance tests of [`RowStore`](super::RowStore).

use super::{
    ClassCodeRow, DeleteOutcome, JobRow, LinkRow, MAX_ROW_BODY_BYTES, OwnedKind, PutOutcome, RequestRow, RowLookup, RowStore, TextRow,
};
use crate::id::Id;
use crate::storage::ports::StorageErrorKind;
use crate::storage::ports::hash::ContentHash;

/// Checks the store `rows`, which must be empty.
pub(crate) async fn check(rows: &impl RowStore) {
    rows.probe().await.unwrap();
    rows.probe().await.unwrap();
    class_codes(rows).await;
    texts(rows).await;
    jobs(rows).await;
    reopened(rows).await;
    listed(rows).await;
    links(rows).await;
    owners(rows).await;
    requests(rows).await;
    time(rows).await;
    bytes(rows).await;
}

/// Checks that deleted rows take no room, if bytes are counted.
async fn bytes(rows: &impl RowStore) {
    let Some(before) = rows.bytes().await.unwrap() else { return };
    let (id, owner) = (Id::random(), ContentHash::from_content(b"token"));
    let long = JobRow { owner: Some(owner), ..job(&"x".repeat(MAX_ROW_BODY_BYTES), &[], 0, None) };
    rows.put_job(id, long).await.unwrap();
    let with = rows.bytes().await.unwrap().unwrap();
    assert!(with >= before + MAX_ROW_BODY_BYTES as u64, "{with} bytes after a row of {MAX_ROW_BODY_BYTES} bytes, {before} before");
    rows.delete_owned(OwnedKind::Job, id, owner, 1).await.unwrap();
    let after = rows.bytes().await.unwrap().unwrap();
    assert!(after < before + MAX_ROW_BODY_BYTES as u64 / 2, "{before} before, {after} after");
}

fn job(body: &str, files: &[ContentHash], attempt: u32, ended_until: Option<u64>) -> JobRow {
    JobRow { body: body.into(), files: files.to_vec(), attempt, ended_until, owner: None, requests: Vec::new() }
}

/// Checks that unexpired codes of one length are counted, and that an existing code cannot be added again.
async fn class_codes(rows: &impl RowStore) {
    let row = |code: &str, expires_at| ClassCodeRow { code: code.into(), link: Id::random(), expires_at };
    let (first, second) = (row("bado", 50), row("kimu", 60));
    assert_eq!(rows.class_code("bado".into()).await.unwrap(), None);
    assert_eq!(rows.add_class_code(first.clone(), 10, 2).await.unwrap(), PutOutcome::Written);
    assert_eq!(rows.add_class_code(row("bado", 70), 10, 2).await.unwrap(), PutOutcome::Refused, "the code exists already");
    assert_eq!(rows.add_class_code(second.clone(), 10, 2).await.unwrap(), PutOutcome::Written);
    assert_eq!(rows.add_class_code(row("note", 70), 10, 2).await.unwrap(), PutOutcome::Refused, "two codes of this length are live");
    assert_eq!(
        rows.add_class_code(row("moriba", 55), 10, 2).await.unwrap(),
        PutOutcome::Written,
        "codes of another length count separately"
    );
    assert_eq!(rows.add_class_code(row("note", 70), 50, 2).await.unwrap(), PutOutcome::Written, "the first code has expired");
    assert_eq!(rows.class_code("bado".into()).await.unwrap(), Some(first));
    assert_eq!(rows.expire(59, 0, 100).await.unwrap(), 2);
    assert_eq!(rows.class_code("bado".into()).await.unwrap(), None);
    assert_eq!(rows.class_code("kimu".into()).await.unwrap(), Some(second));
    assert_eq!(rows.expire(100, 0, 100).await.unwrap(), 2);
}

async fn texts(rows: &impl RowStore) {
    let (id, owner) = (Id::random(), Some(ContentHash::from_content(b"token")));
    assert_eq!(rows.text(id).await.unwrap(), None);
    let row = TextRow { hash: ContentHash::from_content(b"text"), bytes: u64::MAX >> 1, expires_at: 1_000_000, owner };
    rows.add_text(id, row).await.unwrap();
    assert_eq!(rows.text(id).await.unwrap(), Some(row));
    assert_eq!(rows.add_text(id, row).await.unwrap_err().kind, StorageErrorKind::Broken, "ids are unique");
    assert!(rows.unused(vec![row.hash]).await.unwrap().is_empty());
}

async fn jobs(rows: &impl RowStore) {
    let (id, [one, two]) = (Id::random(), [ContentHash::from_content(b"one"), ContentHash::from_content(b"two")]);
    assert_eq!(rows.job(id).await.unwrap(), RowLookup::Never);
    let owner = Some(ContentHash::from_content(b"token"));
    assert_eq!(rows.put_job(id, JobRow { owner, ..job("begun", &[one], 1, None) }).await.unwrap(), PutOutcome::Written);
    assert_eq!(rows.open_jobs().await.unwrap(), [id]);
    let of = |found: RowLookup<JobRow>| match found {
        RowLookup::Here(row) => (row.body, row.attempt, row.ended_until, row.owner),
        other => panic!("{other:?}"),
    };
    assert_eq!(of(rows.job(id).await.unwrap()), ("begun".into(), 1, None, owner));
    assert_eq!(rows.put_job(id, job("given up", &[two], 0, Some(9))).await.unwrap(), PutOutcome::Refused, "an earlier attempt");
    assert_eq!(rows.unused(vec![one, two]).await.unwrap(), [two], "a refused row uses no file");
    assert_eq!(rows.put_job(id, job("taken over", &[one], 2, None)).await.unwrap(), PutOutcome::Written);
    assert_eq!(rows.put_job(id, job("ended", &[two], 2, Some(2_000_000))).await.unwrap(), PutOutcome::Written);
    assert_eq!(of(rows.job(id).await.unwrap()), ("ended".into(), 2, Some(2_000_000), owner), "the owner is unchanged");
    for attempt in 1..4 {
        assert_eq!(rows.put_job(id, job("late", &[], attempt, Some(9))).await.unwrap(), PutOutcome::Refused, "the job has ended");
    }
    assert_eq!((rows.open_jobs().await.unwrap(), rows.unused(vec![one, two]).await.unwrap()), (vec![], vec![one]));
    let long = job(&"x".repeat(MAX_ROW_BODY_BYTES + 1), &[], 0, None);
    assert_eq!(rows.put_job(Id::random(), long).await.unwrap_err().kind, StorageErrorKind::Broken, "the row is too long");

    let refused = Id::random();
    rows.put_job(refused, job("", &[one], 0, None)).await.unwrap();
    rows.drop_job(refused).await.unwrap();
    assert_eq!(rows.job(refused).await.unwrap(), RowLookup::Never);
    assert_eq!(rows.unreferenced_files(None, 10).await.unwrap(), [one], "the other file is still in use");
    assert!(rows.unreferenced_files(Some(one), 10).await.unwrap().is_empty());
    rows.delete_unreferenced(vec![one]).await.unwrap();
    assert!(rows.unreferenced_files(None, 10).await.unwrap().is_empty());
}

async fn reopened(rows: &impl RowStore) {
    let (id, file) = (Id::random(), ContentHash::from_content(b"reopened"));
    assert_eq!(rows.reopen_job(id, job("again", &[], 1, None)).await.unwrap(), PutOutcome::Refused, "the job does not exist");
    let owner = Some(ContentHash::from_content(b"token"));
    rows.put_job(id, JobRow { owner, ..job("begun", &[file], 1, None) }).await.unwrap();
    assert_eq!(rows.reopen_job(id, job("again", &[], 2, None)).await.unwrap(), PutOutcome::Refused, "the job has not ended");
    rows.put_job(id, job("failed", &[file], 3, Some(9))).await.unwrap();
    assert_eq!(rows.reopen_job(id, job("again", &[], 3, None)).await.unwrap(), PutOutcome::Refused, "the attempt is not a later one");
    assert_eq!(rows.reopen_job(id, job("again", &[], 4, None)).await.unwrap(), PutOutcome::Written);
    assert_eq!(rows.open_jobs().await.unwrap(), [id]);
    let expected = JobRow { owner, ..job("again", &[], 4, None) };
    assert_eq!(rows.job(id).await.unwrap(), RowLookup::Here(expected), "the owner is unchanged");
    assert_eq!(rows.expire(9, 0, 10).await.unwrap(), 0, "a reopened job does not expire");
    assert!(rows.unused(vec![file]).await.unwrap().is_empty(), "the reopened job uses the same files");
    assert_eq!(rows.put_job(id, job("late", &[file], 3, Some(9))).await.unwrap(), PutOutcome::Refused, "an earlier attempt");
    assert_eq!(rows.put_job(id, job("ended", &[file], 5, Some(9))).await.unwrap(), PutOutcome::Written);
    rows.expire(9, 0, 10).await.unwrap();
    assert_eq!(rows.reopen_job(id, job("again", &[], 6, None)).await.unwrap(), PutOutcome::Refused, "the job has expired");
    rows.expire(9, 9, 10).await.unwrap();
    rows.delete_unreferenced(vec![file]).await.unwrap();
}

async fn listed(rows: &impl RowStore) {
    let ids = async |after, most| rows.jobs(after, most).await.unwrap().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let before = ids(None, 100).await;
    let [one, two, three] = [(); 3].map(|()| Id::random());
    for (id, ended) in [(one, None), (two, Some(9)), (three, None)] {
        rows.put_job(id, job("listed", &[], 0, ended)).await.unwrap();
    }
    assert_eq!(ids(None, 2).await, [three, two], "the latest row is first");
    assert_eq!(ids(Some(two), 1).await, [one]);
    assert_eq!(ids(Some(one), 100).await, before);
    assert_eq!(rows.jobs(None, 2).await.unwrap()[1].1, job("listed", &[], 0, Some(9)));
    assert!(ids(Some(Id::random()), 100).await.is_empty(), "no row follows an unknown id");
    rows.expire(9, 0, 10).await.unwrap();
    assert_eq!(ids(Some(three), 1).await, [one], "expired rows are skipped");
    for id in [one, two, three] {
        rows.drop_job(id).await.unwrap();
    }
}

async fn links(rows: &impl RowStore) {
    let (id, file) = (Id::random(), ContentHash::from_content(b"shared"));
    assert_eq!(rows.link(id).await.unwrap(), RowLookup::Never);
    let row = LinkRow { body: "{}".into(), token: ContentHash::from_content(b"token"), created_at: 1, expires_at: None };
    rows.add_link(id, row.clone(), vec![file, file]).await.unwrap();
    assert_eq!(rows.link(id).await.unwrap(), RowLookup::Here(row.clone()));
    assert!(rows.unused(vec![file]).await.unwrap().is_empty());
    let later = [Id::random(), Id::random()];
    for link in later {
        rows.add_link(link, row.clone(), Vec::new()).await.unwrap();
    }
    let ids = async |after, most| rows.links(after, most).await.unwrap().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!((ids(None, 2).await, ids(Some(later[0]), 9).await), (vec![later[1], later[0]], vec![id]), "the latest row is first");
    assert_eq!(rows.links(None, 1).await.unwrap()[0].1, row);
    for link in later {
        rows.delete_link(link).await.unwrap();
    }
    assert_eq!(ids(None, 9).await, [id], "deleted rows are not listed");
    rows.delete_link(id).await.unwrap();
    assert_eq!((rows.link(id).await.unwrap(), rows.unused(vec![file]).await.unwrap()), (RowLookup::Gone, vec![file]));
    rows.delete_unreferenced(vec![file]).await.unwrap();
}

async fn owners(rows: &impl RowStore) {
    let (text, open, [mine, yours]) =
        (Id::random(), Id::random(), [ContentHash::from_content(b"mine"), ContentHash::from_content(b"yours")]);
    let file = ContentHash::from_content(b"owned");
    rows.add_text(text, TextRow { hash: file, bytes: 5, expires_at: 1_000_000, owner: Some(mine) }).await.unwrap();
    rows.put_job(open, JobRow { owner: Some(mine), ..job("{}", &[file], 0, None) }).await.unwrap();
    for (kind, id) in [(OwnedKind::Text, text), (OwnedKind::Job, open)] {
        assert_eq!(rows.delete_owned(kind, Id::random(), mine, 10).await.unwrap(), DeleteOutcome::Never);
        assert_eq!(rows.delete_owned(kind, id, yours, 10).await.unwrap(), DeleteOutcome::NotOwner);
        assert!(rows.unused(vec![file]).await.unwrap().is_empty());
        assert_eq!(rows.delete_owned(kind, id, mine, 10).await.unwrap(), DeleteOutcome::Gone);
    }
    assert_eq!((rows.text(text).await.unwrap(), rows.job(open).await.unwrap()), (None, RowLookup::Gone));
    assert_eq!(
        rows.put_job(open, job("late", &[file], 9, Some(9))).await.unwrap(),
        PutOutcome::Refused,
        "a deleted job cannot be written again"
    );
    assert_eq!((rows.open_jobs().await.unwrap(), rows.unused(vec![file]).await.unwrap()), (vec![], vec![file]));
    let nobodys = Id::random();
    rows.add_text(nobodys, TextRow { hash: file, bytes: 5, expires_at: 1_000_000, owner: None }).await.unwrap();
    assert_eq!(
        rows.delete_owned(OwnedKind::Text, nobodys, mine, 10).await.unwrap(),
        DeleteOutcome::NotOwner,
        "a text without owner cannot be deleted"
    );
    // By then, the id of the deleted job is deleted too.
    rows.expire(1_000_000, 10, 100).await.unwrap();
    rows.delete_unreferenced(rows.unreferenced_files(None, 100).await.unwrap()).await.unwrap();
}

async fn requests(rows: &impl RowStore) {
    let [key, question, later] = [b"key", b"que", b"lat"].map(|name| ContentHash::from_content(name));
    let request = |name, expires_at| RequestRow { name, body_hash: (name == key).then_some(question), expires_at };
    let (first, second) = (Id::random(), Id::random());
    let asked = |requests: Vec<RequestRow>| JobRow { requests, ..job("{}", &[], 0, None) };
    assert_eq!(rows.request(key).await.unwrap(), None);
    rows.put_job(first, asked(vec![request(key, 500), request(question, 400)])).await.unwrap();
    rows.put_job(first, asked(vec![])).await.unwrap();
    assert_eq!(rows.request(key).await.unwrap(), Some((request(key, 500), first)), "the request stays with the job");
    rows.put_job(second, asked(vec![request(question, 600), request(later, 700)])).await.unwrap();
    assert_eq!(rows.request(question).await.unwrap(), Some((request(question, 600), second)), "the request leads to the latest job");
    assert_eq!(rows.expire(500, 0, 10).await.unwrap(), 1);
    assert_eq!(rows.request(key).await.unwrap(), None);
    rows.trim_requests(2).await.unwrap();
    assert!(rows.request(question).await.unwrap().is_some());
    rows.trim_requests(1).await.unwrap();
    assert_eq!((rows.request(question).await.unwrap(), rows.request(later).await.unwrap().map(|(_, job)| job)), (None, Some(second)));
    let ended = JobRow { requests: vec![request(key, 800)], ..job("{}", &[], 0, Some(90)) };
    assert_eq!(rows.put_job(first, ended.clone()).await.unwrap(), PutOutcome::Written);
    let late = JobRow { requests: vec![request(question, 800)], ..ended };
    assert_eq!(rows.put_job(first, late).await.unwrap(), PutOutcome::Refused);
    assert_eq!(rows.request(question).await.unwrap(), None, "no request leads to a refused row");
    for id in [first, second] {
        rows.drop_job(id).await.unwrap();
    }
    assert_eq!(
        (rows.request(key).await.unwrap(), rows.request(later).await.unwrap()),
        (None, None),
        "requests of dropped jobs are dropped"
    );
}

async fn time(rows: &impl RowStore) {
    let (ids, file) = ([(); 3].map(|()| Id::random()), ContentHash::from_content(b"timed"));
    for id in ids {
        rows.put_job(id, job("{}", &[file], 0, Some(100))).await.unwrap();
    }
    let open = Id::random();
    rows.put_job(open, job("{}", &[], 0, None)).await.unwrap();
    let (ends, stays) = (Id::random(), Id::random());
    for (id, expires_at) in [(ends, Some(100)), (stays, None)] {
        rows.add_link(id, LinkRow { body: "{}".into(), token: file, created_at: 1, expires_at }, vec![]).await.unwrap();
    }
    assert_eq!(rows.expire(99, 0, 2).await.unwrap(), 0);
    assert_eq!(rows.expire(100, 0, 2).await.unwrap(), 3, "two jobs and a link expire per call");
    assert!(rows.unreferenced_files(None, 10).await.unwrap().is_empty(), "the third job uses the file");
    assert_eq!((rows.expire(100, 0, 2).await.unwrap(), rows.expire(100, 0, 2).await.unwrap()), (1, 0));
    assert_eq!(rows.unreferenced_files(None, 10).await.unwrap(), [file]);
    assert_eq!((rows.link(ends).await.unwrap(), rows.job(ids[0]).await.unwrap()), (RowLookup::Gone, RowLookup::Gone));
    assert!(matches!((rows.link(stays).await.unwrap(), rows.job(open).await.unwrap()), (RowLookup::Here(_), RowLookup::Here(_))));
    assert_eq!(rows.expire(100, 100, 10).await.unwrap(), 3, "the ids of expired jobs are forgotten later");
    assert_eq!((rows.job(ids[0]).await.unwrap(), rows.link(ends).await.unwrap()), (RowLookup::Never, RowLookup::Gone));
}
