//! Problem: why something did not work, as sentences that say what to do. Made of the server's problem documents, of failures of
//! a run, and of what happens on this device.

use kernels::failure::Failure;
use kernels::job::Unit;
use serde::Deserialize;

use crate::tr;
use crate::tr::t;
use crate::words::grouped;

/// What the visitor can do about a problem with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Count in bytes, where any input is valid.
    CountBytes,
    /// Ask for the score without the alignment.
    ScoreOnly,
    /// The same again.
    RunAgain,
    /// A new comparison.
    StartOver,
}

/// One problem.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// What happened, in a few words.
    pub title: String,
    /// What happened and what can be done, in a sentence or two.
    pub detail: String,
    /// Stable name of the kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// HTTP status, 0 where there is none.
    pub status: u16,
    /// The limit that was hit.
    pub limit: Option<u64>,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: &str, title: &str, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: detail.into(), kind: kind.into(), status: 0, limit: None }
    }

    /// The server's answer to a request that it refused.
    pub fn of_response(status: u16, body: &str) -> Self {
        let parsed = serde_json::from_slice::<Self>(body.as_bytes()).ok().filter(|problem| !problem.title.is_empty());
        let mut problem = parsed.unwrap_or_else(|| Self::of_status(status));
        problem.status = status;
        problem.kind = problem.kind.trim_start_matches("/problems/").to_owned();
        problem
    }

    fn of_status(status: u16) -> Self {
        match status {
            0 => Self::unreachable(),
            404 => Self::new(
                "not-found",
                t("There is nothing at this address"),
                t("The job or link is unknown here. Check the address, or start a new comparison."),
            ),
            410 => Self::new("gone", t("This link has ended"), t("The texts are deleted and cannot be brought back.")),
            413 => Self::new(
                "too-large",
                t("The text is too large for this server"),
                t("Choose a smaller file, or run your own server with a higher limit."),
            ),
            _ => Self::new(
                "server",
                t("The server cannot do this now"),
                tr!("It answered with status {status}. Try again in a moment.", status = status),
            ),
        }
    }

    /// Nobody answers.
    pub fn unreachable() -> Self {
        Self::new(
            "unreachable",
            t("The server cannot be reached"),
            t("Check the connection and run it again. Small texts are still compared in this browser, and nothing that you typed is lost."),
        )
    }

    /// The server speaks otherwise than this page.
    pub fn not_understood() -> Self {
        Self::new("server", t("The server's answer is not understood"), t("Load the page again: it may be older than the server."))
    }

    /// A part of the page could not be downloaded.
    pub fn part_missing() -> Self {
        Self::new(
            "part-missing",
            t("A part of the page did not load"),
            t("Check the connection and try again; nothing that you typed is lost. If the server was updated meanwhile, reload the page."),
        )
    }

    /// The solver broke down.
    pub fn crashed(why: &str) -> Self {
        let memory = why.contains("memory") || why.contains("unreachable");
        let detail = if memory {
            t(
                "It probably ran out of memory. A fresh one is ready: try smaller texts, or leave out the alignment. Nothing that you typed is lost.",
            )
        } else {
            t("A fresh one is ready; run it again. Nothing that you typed is lost.")
        };
        Self::new("worker-failed", t("The solver in this browser broke down"), detail)
    }

    /// The alignment and the distance contradict each other.
    pub fn not_checked() -> Self {
        Self::new(
            "check-failed",
            t("We do not trust this answer"),
            t("The columns of the alignment do not add up to the score. Run it again; we keep no wrong answers."),
        )
    }

    /// What can be done about it.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self.kind.as_str() {
            "not-utf-8" => vec![Remedy::CountBytes],
            "too-large" | "out-of-time" => vec![Remedy::ScoreOnly],
            "gone" | "not-found" => vec![Remedy::StartOver],
            "bad-input" | "upload-too-large" | "malformed" | "unknown-task" | "forbidden" => Vec::new(),
            _ => vec![Remedy::RunAgain],
        }
    }

    /// The line in small type under the sentence: kind and limit.
    pub fn type_line(&self) -> String {
        match self.limit {
            Some(limit) => tr!("{kind} · limit {limit}", kind = self.kind, limit = grouped(limit)),
            None => self.kind.clone(),
        }
    }
}

/// The problem that a failure is, for a job counted in `unit`.
pub fn of_failure(failure: &Failure, unit: Unit) -> Problem {
    match failure {
        Failure::BadInput { message } if message.contains("UTF-8") && unit != Unit::Bytes => {
            Problem::new("not-utf-8", t("A text is not UTF-8"), message)
        }
        Failure::BadInput { message } => Problem::new("bad-input", t("This cannot be compared"), message),
        Failure::TooLarge { what, got, limit } => {
            let (got, most) = (grouped(*got), grouped(*limit));
            let detail = tr!("{what} is {got}, and the limit here is {most}. Choose shorter texts.", what = what, got = got, most = most);
            Problem { limit: Some(*limit), ..Problem::new("too-large", t("Too large for every engine here"), detail) }
        }
        Failure::Engine { message } => {
            Problem::new("engine", t("The engine failed"), tr!("{message} Run it again; the texts are still here.", message = message))
        }
        Failure::Interrupted => Problem::new("interrupted", t("The run was interrupted"), failure.to_string()),
        Failure::OutOfTime { .. } => Problem::new(
            "out-of-time",
            t("The run took too long"),
            tr!("{failure} Choose shorter texts, or leave out the alignment.", failure = failure),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_document_is_taken_as_it_is() {
        let body = r#"{"type": "/problems/upload-too-large", "title": "The text is too large", "status": 413, "detail": "Up to 1 GB.", "limit": 1000}"#;
        let problem = Problem::of_response(413, body);
        assert_eq!(
            (problem.kind.as_str(), problem.title.as_str(), problem.limit),
            ("upload-too-large", "The text is too large", Some(1000))
        );
        assert_eq!(problem.type_line(), "upload-too-large · limit 1,000");
    }

    #[test]
    fn anything_else_becomes_a_sentence_too() {
        for status in [0, 404, 410, 413, 500, 502] {
            let problem = Problem::of_response(status, "<html>nginx</html>");
            assert!(!problem.title.is_empty() && problem.detail.ends_with('.'), "{problem:?}");
        }
    }

    #[test]
    fn every_failure_says_what_to_do() {
        let not_text = Failure::bad_input("a is not valid UTF-8 at byte 4. Count in bytes, or save the file as UTF-8.");
        assert_eq!(of_failure(&not_text, Unit::Chars).remedies(), [Remedy::CountBytes]);
        let large = Failure::TooLarge { what: "The number of cells".into(), got: 5_000, limit: 4_000 };
        assert!(of_failure(&large, Unit::Bytes).detail.contains("limit here is 4,000"));
        assert_eq!(of_failure(&Failure::Interrupted, Unit::Bytes).remedies(), [Remedy::RunAgain]);
    }
}
