//! Job body: parses the JSON body of a request that submits a job (`parse`). Errors name the wrong member of the
//! document, with line and column.

use std::collections::HashMap;

use explain::collection::request::CollectionRequest;
use kernels::job::{JobRequest, Task};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::error::request::in_words;
use crate::error::{ApiProblem, ProblemKind};

/// Maximum length of an unknown task name that an error repeats, in characters.
const MAX_TASK_NAME_LETTERS: usize = 40;

/// Parses the JSON document `body` as the request of a job. Takes O(bytes) time.
///
/// # Errors
/// Returns `UnknownTask` if only the name of the task is wrong, and otherwise `Malformed`. The problem names the wrong
/// member, with line and column.
pub(super) fn parse(body: &[u8]) -> Result<JobRequest, ApiProblem> {
    let job = read(body).map_err(|problem| unknown_task(body).unwrap_or(problem))?;
    read::<JobBodyShape>(body)?;
    Ok(job)
}

/// The shape of a request body, in which these members must be JSON objects. The shape is checked separately, because
/// serde also accepts a list for a struct.
#[derive(Deserialize)]
#[expect(dead_code, reason = "their types say what there may be")]
struct JobBodyShape {
    a: JsonMembers,
    b: JsonMembers,
    options: Option<JsonMembers>,
}

type JsonMembers = HashMap<String, IgnoredAny>;

/// Parses the JSON document `body` as the request to compare a collection. Takes O(bytes) time.
///
/// # Errors
/// Returns the errors of [`parse`].
pub(super) fn parse_collection(body: &[u8]) -> Result<CollectionRequest, ApiProblem> {
    let request = read(body).map_err(|problem| unknown_task(body).unwrap_or(problem))?;
    read::<CollectionBodyShape>(body)?;
    Ok(request)
}

/// The shape of a request to compare a collection, in which these members must be JSON objects.
#[derive(Deserialize)]
#[expect(dead_code, reason = "their types say what there may be")]
struct CollectionBodyShape {
    a: JsonMembers,
    b: Option<JsonMembers>,
    options: Option<JsonMembers>,
    keep: Option<JsonMembers>,
    template: Option<JsonMembers>,
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiProblem> {
    if body.trim_ascii_start().first() == Some(&b'[') {
        let detail = "The request must be a JSON object: {\"task\": …, \"a\": …, \"b\": …}.";
        return Err(ApiProblem::new(ProblemKind::Malformed, detail));
    }
    parse_json(body)
}

/// Parses the JSON in `body`.
///
/// # Errors
/// Returns `Malformed` with the name of the member that cannot be read.
pub(super) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiProblem> {
    let malformed = |member: &str, cause: serde_json::Error| ApiProblem::new(ProblemKind::Malformed, in_words(member, &cause.to_string()));
    let mut json = serde_json::Deserializer::from_slice(body);
    let found = serde_path_to_error::deserialize(&mut json).map_err(|error| malformed(&error.path().to_string(), error.into_inner()))?;
    json.end().map_err(|cause| malformed(".", cause))?;
    Ok(found)
}

/// Returns the problem of an unknown task name if the name is the only error in `body`, and otherwise `None`.
fn unknown_task(body: &[u8]) -> Option<ApiProblem> {
    #[derive(Deserialize)]
    struct TaskMember {
        task: String,
    }
    let named: TaskMember = serde_json::from_slice(body).ok()?;
    let known: Vec<&str> = Task::ALL.into_iter().map(Task::name).collect();
    let name: String = named.task.chars().take(MAX_TASK_NAME_LETTERS).collect();
    let detail = format!("There is no task “{name}”. Tasks: {}.", known.join(", "));
    (!known.contains(&named.task.as_str())).then(|| ApiProblem::new(ProblemKind::UnknownTask, detail).tasks())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_job_body_is_reported_with_its_position() {
        let text = r#"{"text": "x"}"#;
        let said = |body: &str| parse(body.as_bytes()).map(|_| ()).map_err(|problem| problem.detail);
        assert_eq!(said(&format!(r#"{{"task": "lcs", "a": {text}, "b": {text}, "options": {{}}}}"#)), Ok(()));
        for (body, words) in [
            (r#"{"task": "lcs", "a": {}, "b": TEXT}"#, &["given either as text or as upload"][..]),
            (r#"{"task": "lcs", "a": TEXT, "b": {"text": "x", "upload": "y"}}"#, &["given either as text or as upload", "column"]),
            (r#"{"task": null, "a": TEXT, "b": TEXT}"#, &["task has no valid value"]),
            (r#"{"task": "lcs", "b": TEXT}"#, &["“a” is missing"]),
            (r#"{"task": "lcs", "a": TEXT, "b": {"text": 5}}"#, &["5 is not a valid value for b"]),
            (
                r#"{"task": "lcs", "a": TEXT, "b": TEXT, "options": {"unit": "ells"}}"#,
                &["“ells” is not a valid value for options.unit. Valid values: bytes, chars,"],
            ),
            (r#"{"task": "lcs", "a": TEXT, "b": TEXT, "options": []}"#, &["A list is not a valid value for options. It must be an object"]),
            (r#"{"task": "lcs", "a": ["x"], "b": TEXT}"#, &["A list is not a valid value for a"]),
            (r#"["lcs", [], TEXT, TEXT]"#, &["must be a JSON object"]),
            (r#"{"task": "lcs", "a": TEXT, "b": TEXT} more"#, &["more characters after its end"]),
            (r#"{"task": "guess", "a": TEXT, "b": TEXT}"#, &["There is no task “guess”. Tasks: edit-distance,"]),
        ] {
            let detail = said(&body.replace("TEXT", text)).expect_err(body);
            assert!(words.iter().all(|word| detail.contains(word)), "{body}: {detail}");
        }
    }
}
