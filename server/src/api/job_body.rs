//! The body of a request for a job, and what is wrong with it, by its place.

use std::collections::HashMap;

use kernels::job::{Job, Task};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::error::{Kind, Problem};

/// Reads the body. Time O(bytes).
///
/// # Errors
/// `Malformed` or `UnknownTask`, with the member that is wrong and its line and column.
pub(super) fn parse(body: &[u8]) -> Result<Job, Problem> {
    let job = read(body).map_err(|problem| unknown_task(body).unwrap_or(problem))?;
    read::<Shape>(body)?;
    Ok(job)
}

/// Members that are objects: a struct would be read from a list too.
#[derive(Deserialize)]
#[expect(dead_code, reason = "their types say what there may be")]
struct Shape {
    a: Members,
    b: Members,
    options: Option<Members>,
}

type Members = HashMap<String, IgnoredAny>;

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let malformed = |what: String| Problem::new(Kind::Malformed, format!("The request is not a job: {what}."));
    if body.trim_ascii_start().first() == Some(&b'[') {
        return Err(malformed("a job is an object, which begins with {".into()));
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let found = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let member = error.path().to_string();
        let place = if member == "." { String::new() } else { format!("in `{member}`: ") };
        malformed(format!("{place}{}", error.into_inner()))
    })?;
    json.end().map_err(|error| malformed(error.to_string()))?;
    Ok(found)
}

/// Whether it is only the task's name that cannot be read.
fn unknown_task(body: &[u8]) -> Option<Problem> {
    #[derive(Deserialize)]
    struct Named {
        task: String,
    }
    let named: Named = serde_json::from_slice(body).ok()?;
    let known: Vec<&str> = Task::ALL.into_iter().map(Task::name).collect();
    let detail = format!("This server knows these tasks: {}.", known.join(", "));
    (!known.contains(&named.task.as_str())).then(|| Problem::new(Kind::UnknownTask, detail).tasks())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let text = r#"{"text": "x"}"#;
        let said = |body: &str| parse(body.as_bytes()).map(|_| ()).map_err(|problem| problem.detail);
        assert_eq!(said(&format!(r#"{{"task": "lcs", "a": {text}, "b": {text}, "options": {{}}}}"#)), Ok(()));
        for (body, words) in [
            (r#"{"task": "lcs", "a": {}, "b": TEXT}"#, &["`a`", "either as text or as upload"][..]),
            (r#"{"task": "lcs", "a": TEXT, "b": {"text": "x", "upload": "y"}}"#, &["`b`", "either as text or as upload", "column"]),
            (r#"{"task": null, "a": TEXT, "b": TEXT}"#, &["`task`"]),
            (r#"{"task": "lcs", "b": TEXT}"#, &["missing field `a`"]),
            (r#"{"task": "lcs", "a": TEXT, "b": {"text": 5}}"#, &["`b", "integer `5`"]),
            (r#"{"task": "lcs", "a": TEXT, "b": TEXT, "options": {"unit": "ells"}}"#, &["`options.unit`", "ells"]),
            (r#"{"task": "lcs", "a": TEXT, "b": TEXT, "options": []}"#, &["`options`", "sequence"]),
            (r#"{"task": "lcs", "a": ["x"], "b": TEXT}"#, &["`a`", "sequence"]),
            (r#"["lcs", [], TEXT, TEXT]"#, &["an object"]),
            (r#"{"task": "lcs", "a": TEXT, "b": TEXT} more"#, &["trailing characters"]),
            (r#"{"task": "guess", "a": TEXT, "b": TEXT}"#, &["knows these tasks", "lcs"]),
        ] {
            let detail = said(&body.replace("TEXT", text)).expect_err(body);
            assert!(words.iter().all(|word| detail.contains(word)), "{body}: {detail}");
        }
    }
}
