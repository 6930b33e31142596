//! Deletion tokens, each of which allows to delete one object on the server. This browser stores the tokens of the
//! links, jobs and uploads that were made in it, so that the visitor can list them ([`list_objects`]) and [`delete`] them before
//! they expire. The key of a private link is not stored, so that only the link contains the key.

use explain::wire::CreatedLink;
use kernels::job::{JobRequest, TextSource};
use serde::{Deserialize, Serialize};
use web_sys::Storage;

use super::http;
use crate::model::form::local_file;
use crate::model::problem::Problem;
use crate::model::task::TaskDescription;

/// Prefix of the storage key of an object's token. The object's [path](OwnedObject::path) follows.
const PREFIX: &str = "delete ";

/// Prefix of the storage key of the time at which an object was deleted. The object's [path](OwnedObject::path)
/// follows.
const DELETED: &str = "deleted ";

/// Time for which this browser remembers a deletion, in seconds.
const DELETION_MEMORY_SECONDS: u64 = 90 * 86_400;

/// Beginning of the [path](OwnedObject::path) of every upload.
const UPLOADS: &str = "/api/v1/texts/";

/// Longest time for which a job may wait and run, in seconds. Because this browser may not learn when a job ends, it
/// forgets the job's token only this time after the estimated expiry.
const MAX_JOB_SECONDS: u64 = 86_400;

/// An object on the server (a link, job or upload) that was created in this browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedObject {
    /// Path that identifies the object: the path of its page, or the API path of an upload, which has no page.
    pub path: String,
    pub record: ObjectRecord,
}

/// The data that this browser stores about an object on the server, including the object's deletion token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectRecord {
    token: String,
    /// A few words about the object's content.
    pub about: String,
    /// Expiry of the object, in seconds since 1970. For a job it is an estimate, as if the job ended at once. `None` if
    /// the object does not expire.
    pub ends: Option<u64>,
    /// Time for which the server stores a job after the job's end, in seconds. 0 for other objects.
    #[serde(default, skip_serializing_if = "is_none")]
    pub keep_seconds: u64,
    /// Paths of the objects that the deletion of this one would delete too: the uploads of a job, or the job of a link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
    /// Names of the files that were the texts of a job, on the visitor's computer.
    #[serde(default, skip_serializing_if = "is_nameless")]
    names: [Option<String>; 2],
}

impl ObjectRecord {
    /// Parses a stored entry. Old versions of the page stored only the token.
    fn read(value: &str) -> Self {
        serde_json::from_slice(value.as_bytes()).unwrap_or_else(|_| Self { token: value.to_owned(), ..Self::default() })
    }

    /// Returns the latest expiry of the uploads of a job, in seconds since 1970. Returns `None` if the job has no
    /// uploads.
    pub fn uploads_end(&self) -> Option<u64> {
        self.with.iter().filter_map(|place| find_record(place)?.ends).max()
    }

    /// Returns whether the object with the path `place` has certainly expired on the server at the time `now`, in
    /// seconds since 1970.
    fn has_expired(&self, place: &str, now: u64) -> bool {
        let longer = if place.starts_with("/j/") { MAX_JOB_SECONDS } else { 0 };
        self.ends.is_some_and(|ends| ends + longer <= now)
    }
}

fn is_nameless(names: &[Option<String>; 2]) -> bool {
    names.iter().all(Option::is_none)
}

fn is_none(seconds: &u64) -> bool {
    *seconds == 0
}

/// Returns the [path](OwnedObject::path) of the job `id`.
pub fn job_path(id: &str) -> String {
    format!("/j/{id}")
}

/// Returns the [path](OwnedObject::path) of the upload `id`.
pub fn upload_path(id: &str) -> String {
    format!("{UPLOADS}{id}")
}

/// Returns the names of the files that were the texts of the job `id`, if the job was started in this browser.
pub fn names_of_job(id: &str) -> [Option<String>; 2] {
    find_record(&job_path(id)).map(|kept| kept.names).unwrap_or_default()
}

/// Returns the time at which this browser deleted the object with the path `place`, in seconds since 1970. Returns
/// `None` if it did not.
pub fn deleted_at(place: &str) -> Option<u64> {
    storage()?.get_item(&format!("{DELETED}{place}")).ok()??.parse().ok()
}

/// Returns the address `url` of a link without its fragment, which may contain the key of a private link. The result
/// identifies the link ([`OwnedObject::path`]).
pub fn link_path(url: &str) -> String {
    url.split('#').next().unwrap_or_default().to_owned()
}

/// Stores the deletion token of the upload `id`, which expires at `ends`, in seconds since 1970.
pub fn keep_upload(id: &str, token: &str, ends: u64) {
    keep(&format!("{UPLOADS}{id}"), &ObjectRecord { token: token.to_owned(), ends: Some(ends), ..ObjectRecord::default() });
}

/// Stores the deletion token of the job `id`. The server stores the job for `keep_seconds` seconds after the job's end.
/// `names` are the names of the files that are its texts.
pub fn keep_job(id: &str, token: &str, job: &JobRequest, keep_seconds: u64, names: [Option<String>; 2]) {
    let uploads = [&job.a, &job.b].into_iter().filter_map(|source| match &source.given {
        TextSource::Upload(id) => Some(format!("{UPLOADS}{id}")),
        TextSource::Text(_) => None,
    });
    let about = TaskDescription::of(job.task).title().to_owned();
    let (token, ends) = (token.to_owned(), Some(now() + keep_seconds));
    keep(&job_path(id), &ObjectRecord { token, about, ends, keep_seconds, with: uploads.collect(), names });
}

/// Stores the deletion token of the link `stored`, with the description `about`. If the job `made_for_it` was created
/// for this link alone, the deletion of the link will delete the job too.
pub fn keep_link(stored: &CreatedLink, about: &str, made_for_it: Option<&str>) {
    let with = made_for_it.map(job_path).into_iter().collect();
    let kept = ObjectRecord {
        token: stored.delete_token.clone(),
        about: about.to_owned(),
        ends: stored.expires_at,
        with,
        ..ObjectRecord::default()
    };
    keep(&link_path(&stored.url), &kept);
}

fn keep(place: &str, kept: &ObjectRecord) {
    if let (Some(storage), Ok(value)) = (storage(), serde_json::to_string(kept)) {
        let _ = storage.set_item(&format!("{PREFIX}{place}"), &value);
    }
}

/// Returns the stored data about the object with the path `place`, if there is any.
pub fn find_record(place: &str) -> Option<ObjectRecord> {
    storage()?.get_item(&format!("{PREFIX}{place}")).ok()?.map(|value| ObjectRecord::read(&value))
}

/// Returns the objects to list: those of this browser that have not expired, sorted by expiry. Leaves out an object
/// that the deletion of another listed object would delete too. Also removes the stored data of expired objects and of
/// old deletions.
pub fn list_objects() -> Vec<OwnedObject> {
    let Some(storage) = storage() else { return Vec::new() };
    let names: Vec<String> = (0..storage.length().unwrap_or(0)).filter_map(|at| storage.key(at).ok()?).collect();
    let now = now();
    let mut all = Vec::new();
    for name in names {
        if name.starts_with(DELETED) {
            let at: Option<u64> = storage.get_item(&name).ok().flatten().and_then(|at| at.parse().ok());
            if at.is_none_or(|at| at + DELETION_MEMORY_SECONDS <= now) {
                let _ = storage.remove_item(&name);
            }
        }
        let Some(place) = name.strip_prefix(PREFIX) else { continue };
        let Some(value) = storage.get_item(&name).ok().flatten() else { continue };
        let kept = ObjectRecord::read(&value);
        if kept.has_expired(place, now) {
            let _ = storage.remove_item(&name);
        } else {
            all.push(OwnedObject { path: place.to_owned(), record: kept });
        }
    }
    without_dependents(all)
}

/// Returns the objects to list, sorted by expiry. Leaves out an object that the deletion of another listed object would
/// delete too, such as an upload of a job.
fn without_dependents(mut all: Vec<OwnedObject>) -> Vec<OwnedObject> {
    let with: Vec<String> = all.iter().flat_map(|yours| yours.record.with.iter().cloned()).collect();
    all.retain(|yours| !with.contains(&yours.path));
    all.sort_by_key(|yours| (yours.record.ends.unwrap_or(u64::MAX), yours.path.clone()));
    all
}

/// Deletes the server's object with the path `place`, and then the objects that belong to it, such as the uploads of a
/// job. Removes their stored tokens. Does nothing if this browser has no token for `place`.
///
/// # Errors
/// Returns an error if the server cannot be reached or refuses. It is no error if the server no longer has an object.
pub async fn delete(place: &str) -> Result<(), Problem> {
    let Some(kept) = find_record(place) else { return Ok(()) };
    let mut left = vec![(place.to_owned(), kept)];
    while let Some((place, kept)) = left.pop() {
        match http::delete(&address_of(&place), Some(&kept.token)).await {
            Err(problem) if !matches!(problem.status, 404 | 410) => return Err(problem),
            _ => {}
        }
        if place.starts_with(UPLOADS) {
            local_file::forget_sent();
        }
        left.extend(kept.with.iter().filter_map(|place| Some((place.clone(), find_record(place)?))));
        if let Some(storage) = storage() {
            let _ = storage.remove_item(&format!("{PREFIX}{place}"));
            if !place.starts_with(UPLOADS) {
                let _ = storage.set_item(&format!("{DELETED}{place}"), &now().to_string());
            }
        }
    }
    Ok(())
}

/// Returns the API address for deleting the object with the path `place`.
fn address_of(place: &str) -> String {
    match place.strip_prefix("/j/") {
        _ if place.starts_with(UPLOADS) => place.to_owned(),
        Some(job) => format!("/api/v1/jobs/{job}"),
        None => format!("/api/v1/links/{}", place.rsplit('/').next().unwrap_or_default()),
    }
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn now() -> u64 {
    (js_sys::Date::now() / 1e3) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_older_versions_are_read() {
        assert_eq!(ObjectRecord::read("abc").token, "abc");
        let before = r#"{"token":"t","about":"3 edits","ends":7}"#;
        let kept = ObjectRecord { token: "t".into(), about: "3 edits".into(), ends: Some(7), ..ObjectRecord::default() };
        assert_eq!(ObjectRecord::read(before), kept);
        assert_eq!(ObjectRecord::read(&serde_json::to_string(&kept).unwrap()), kept);
        assert_eq!(link_path("/s/1#key"), "/s/1");
    }

    #[test]
    fn every_object_has_its_delete_address() {
        for (place, address) in
            [("/r/1", "/api/v1/links/1"), ("/s/2", "/api/v1/links/2"), ("/j/3", "/api/v1/jobs/3"), ("/api/v1/texts/4", "/api/v1/texts/4")]
        {
            assert_eq!(address_of(place), address);
        }
    }

    #[test]
    fn dependent_objects_are_not_listed_and_unfinished_jobs_are_not_expired() {
        let yours = |place: &str, ends: u64, with: &[&str]| {
            let with = with.iter().map(|&place| place.to_owned()).collect();
            OwnedObject { path: place.into(), record: ObjectRecord { ends: Some(ends), with, ..ObjectRecord::default() } }
        };
        let all = vec![
            yours("/api/v1/texts/1", 1, &[]),
            yours("/j/2", 9, &["/api/v1/texts/1"]),
            yours("/r/3", 8, &["/j/2"]),
            yours("/api/v1/texts/4", 7, &[]),
        ];
        let places: Vec<String> = without_dependents(all).into_iter().map(|yours| yours.path).collect();
        assert_eq!(places, ["/api/v1/texts/4", "/r/3"]);
        let kept = ObjectRecord { ends: Some(10), ..ObjectRecord::default() };
        assert!(kept.has_expired("/r/1", 10) && !kept.has_expired("/j/1", 10) && kept.has_expired("/j/1", 10 + MAX_JOB_SECONDS));
    }
}
