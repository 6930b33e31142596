//! Problems as sentences that say what to do: [`Problem`]. Created from the server's problem documents (RFC 9457),
//! failures of a run, and local errors. [`ProblemRemedy`] is an action that may solve a problem.
//!
//! - [`run_failure`]: failures of a run
//! - [`foreign`]: files that hold no plain text
//! - `translation`: translations of the server's problems

use kernels::failure::JobFailure;
use serde::Deserialize;

use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::{Language, language, t};

pub use run_failure::{bad_record, of_failure};

pub mod foreign;
pub mod run_failure;
mod translation;

/// An action that may solve a problem with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemRemedy {
    /// Compare by bytes, for which every input is valid.
    CountBytes,
    /// Compute the score without the alignment.
    ScoreOnly,
    /// Run the same job again.
    RunAgain,
    /// Load the missing part of the page again.
    LoadAgain,
    /// Fetch the parts of the result again.
    FetchAgain,
    /// Start a new comparison.
    StartOver,
    /// Use both texts without a choice of records.
    WholeTexts,
}

/// Kind of the problem that a file is not text. Its bytes may be compared instead.
const NOT_TEXT: &str = "not-text";

/// Kind of the problem that the server does not answer, [`Problem::unreachable`].
const UNREACHABLE: &str = "unreachable";

/// Kind of the problem that a part of the page could not be downloaded, [`Problem::part_missing`].
const PART_MISSING: &str = "part-missing";

/// A problem document (RFC 9457), as the server sends it or the page creates it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The problem in a few words.
    pub title: String,
    /// The problem and its solution, in one or two sentences.
    pub detail: String,
    /// Name of the kind of problem, such as `unreachable`. Names never change, so that code can compare them.
    #[serde(rename = "type")]
    pub kind: String,
    /// HTTP status, or 0 if the problem has none.
    pub status: u16,
    /// The limit that the request exceeded, in the unit of the limited quantity.
    pub limit: Option<u64>,
    /// Seconds after which to retry, or 0 if unknown.
    pub retry_after: u32,
    /// Structured reason why a job was refused or failed.
    pub failure: Option<Box<JobFailure>>,
    /// Details for developers, in English.
    #[serde(skip)]
    pub said: Option<Box<str>>,
}

impl Problem {
    /// Creates a problem of the kind `kind`, with `title` in a few words and `detail` in sentences, and without status,
    /// limit and failure.
    pub fn new(kind: &str, title: &str, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: detail.into(), kind: kind.into(), ..Self::default() }
    }

    /// Parses the body of an error response. Falls back to [`Self::of_status`] if the body is no problem document.
    pub fn of_response(status: u16, body: &str) -> Self {
        let parsed = serde_json::from_slice::<Self>(body.as_bytes()).ok().filter(|problem| !problem.title.is_empty());
        let mut problem = parsed.unwrap_or_else(|| Self::of_status(status));
        problem.kind = problem.kind.trim_start_matches("/problems/").to_owned();
        if let Some(failure) = &problem.failure {
            problem = of_failure(failure);
        } else if let (Some((title, detail)), true) =
            (translation::localized_text(&problem), language() != Language::English || problem.kind == "gone")
        {
            (problem.title, problem.detail) = (title.to_owned(), detail);
        }
        problem.status = status;
        problem
    }

    /// Creates the problem for an HTTP status. The status 0 means that the server did not answer.
    pub fn of_status(status: u16) -> Self {
        let problem = match status {
            0 => Self::unreachable(),
            404 => Self::new(
                "not-found",
                t("There is nothing at this address"),
                t("The job or link is unknown here. Check the address, or start a new comparison."),
            ),
            410 => Self::new("gone", t("This result has expired"), t("The person who made it can make a new one.")),
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
        };
        Self { status, ..problem }
    }

    /// Creates the problem of an address without a page.
    pub fn no_page() -> Self {
        Self { status: 404, ..Self::new("not-found", t("This page does not exist"), t("Check the address, or start a comparison.")) }
    }

    /// Creates the problem of a result that was deleted in this browser on `day`.
    pub fn deleted(day: &str) -> Self {
        let title = tr!("You deleted this result on {day}", day = day);
        Self { status: 410, ..Self::new("gone", &title, t("It cannot be brought back.")) }
    }

    /// Creates the problem of a part of the result that could not be fetched.
    pub fn not_fetched() -> Self {
        Self::new("not-fetched", t("A part of the result could not be loaded"), t("It appears as soon as you are online again."))
    }

    /// Returns whether the server could not be reached.
    pub fn is_of_network(&self) -> bool {
        self.kind == UNREACHABLE
    }

    /// Returns whether the problem is that the address leads to nothing.
    pub fn is_of_address(&self) -> bool {
        matches!(self.kind.as_str(), "gone" | "not-found")
    }

    /// Creates the problem of a server that does not answer.
    pub fn unreachable() -> Self {
        Self::new(
            UNREACHABLE,
            t("The server cannot be reached"),
            t(
                "Check the connection and try again. Short texts are still compared in this browser. Nothing was lost; your texts are still here.",
            ),
        )
    }

    /// Creates the problem of a response that the page cannot parse.
    pub fn not_understood() -> Self {
        Self::new("server", t("The server's answer is not understood"), t("Reload the page: it may be older than the server."))
    }

    /// Creates the problem of a link whose format is newer than this page.
    pub fn newer_link() -> Self {
        Self::new(
            "newer",
            t("This link was made by a newer version"),
            t("Reload the page, or ask the operator of this server to update it."),
        )
    }

    /// Creates the problem of a part of the page that could not be downloaded.
    pub fn part_missing() -> Self {
        Self::new(
            PART_MISSING,
            t("A part of the page did not load"),
            t(
                "Check the connection and try again. Nothing was lost; your texts are still here. If the server was updated meanwhile, reload the page.",
            ),
        )
    }

    /// Returns whether a part of the page could not be downloaded.
    pub fn is_of_part(&self) -> bool {
        self.kind == PART_MISSING
    }

    /// Creates the problem of a solver that crashed. `why` is the browser's message.
    pub fn crashed(why: &str) -> Self {
        // An allocation that fails ends in unreachable code. A panic does, too, and is much rarer.
        let is_trap = why.starts_with("RuntimeError") && why.to_lowercase().contains("unreachable");
        let detail = if is_trap || why.contains("memory") || why.contains("capacity overflow") {
            t("Its memory was probably full. Try shorter texts, or leave out the alignment. Nothing was lost; your texts are still here.")
        } else {
            t("Run it again. Nothing was lost; your texts are still here.")
        };
        Self::new("worker-failed", t("The comparison in this browser has stopped"), detail)
    }

    /// Creates the problem of a solver that could not be downloaded completely.
    pub fn solver_missing() -> Self {
        Self::new(
            "solver-missing",
            t("The program that compares did not load"),
            t(
                "Check the connection and try again. Nothing was lost; your texts are still here. If the server was updated meanwhile, reload the page.",
            ),
        )
    }

    /// Creates the problem of a solver that stopped with the message `why`. `is_ready` is false if it never started.
    ///
    /// Failed downloads are recognized by words, because browsers phrase their messages differently.
    pub fn of_solver(why: &str, is_ready: bool) -> Self {
        let is_fetched = ["fetch", "Load failed", "NetworkError", "import"].iter().any(|word| why.contains(word));
        if is_fetched || !is_ready { Self::solver_missing() } else { Self::crashed(why) }
    }

    /// Creates the problem of an alignment that contradicts the score.
    pub fn not_checked() -> Self {
        Self::new(
            "check-failed",
            t("This answer is not reliable"),
            t("The columns of the alignment do not add up to the score. Run it again; wrong answers are not stored."),
        )
    }

    /// Returns the actions that may solve the problem.
    pub fn remedies(&self) -> Vec<ProblemRemedy> {
        match self.kind.as_str() {
            "not-utf-8" | NOT_TEXT => vec![ProblemRemedy::CountBytes],
            "no-record" => vec![ProblemRemedy::WholeTexts],
            "several-records" => Vec::new(),
            "too-large" | "out-of-time" => vec![ProblemRemedy::ScoreOnly],
            "gone" | "not-found" => vec![ProblemRemedy::StartOver],
            PART_MISSING => vec![ProblemRemedy::LoadAgain],
            "not-fetched" => vec![ProblemRemedy::FetchAgain],
            "newer" | "unknown-part" | "unreadable-link" | "wrong-key" | "no-encryption" => Vec::new(),
            "archive" | "bad-input" | "too-many-cells" | "upload-too-large" | "malformed" | "unknown-task" | "forbidden" => Vec::new(),
            _ => vec![ProblemRemedy::RunAgain],
        }
    }

    /// Returns the line in small type: the exceeded limit if there is one, or else the details for developers. Returns
    /// `None` if the problem has neither.
    pub fn small_print(&self) -> Option<String> {
        self.limit.map(|limit| tr!("Limit: {limit}", limit = grouped(limit))).or_else(|| self.said.as_deref().map(ToOwned::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_document_is_read_unchanged() {
        let body = r#"{"type": "/problems/upload-too-large", "title": "The text is too large", "status": 413, "detail": "Up to 1 GB.", "limit": 1000}"#;
        let problem = Problem::of_response(413, body);
        assert_eq!(
            (problem.kind.as_str(), problem.title.as_str(), problem.limit),
            ("upload-too-large", "The text is too large", Some(1000))
        );
        assert_eq!(problem.small_print().as_deref(), Some("Limit: 1,000"));
    }

    #[test]
    fn solver_that_did_not_load_is_not_reported_as_crashed() {
        let kinds = |why: &str| [true, false].map(|is_ready| Problem::of_solver(why, is_ready).kind);
        assert_eq!(kinds("RuntimeError: unreachable"), ["worker-failed", "solver-missing"]);
        assert_eq!(kinds("TypeError: Failed to fetch"), ["solver-missing", "solver-missing"]);
        assert_eq!(kinds("TypeError: Load failed")[0], "solver-missing");
        assert_eq!(Problem::solver_missing().remedies(), [ProblemRemedy::RunAgain]);
    }

    #[test]
    fn trap_is_reported_as_probable_lack_of_memory_in_every_browser() {
        let is_full = |why: &str| Problem::crashed(why).detail.contains("memory");
        for why in [
            "RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "RuntimeError: Unreachable code should not be executed (evaluating 'a.receive(b)')",
            "RangeError: Out of memory",
        ] {
            assert!(is_full(why), "{why}");
        }
        assert!(!is_full("it ended without a word"));
    }

    #[test]
    fn unknown_responses_become_a_sentence() {
        for status in [0, 404, 410, 413, 500, 502] {
            let problem = Problem::of_response(status, "<html>nginx</html>");
            assert!(!problem.title.is_empty() && problem.detail.ends_with('.'), "{problem:?}");
        }
    }

    #[test]
    fn failure_in_a_problem_document_is_explained_with_its_values() {
        let body = r#"{"type": "/problems/bad-input", "title": "The input cannot be used", "status": 422, "detail": "a is not …",
            "failure": {"kind": "bad-input", "message": "a is not …", "wrong": {"what": "not-utf8", "text": "a", "byte": 4}}}"#;
        let problem = Problem::of_response(422, body);
        assert_eq!((problem.kind.as_str(), problem.status, problem.remedies()), ("not-utf-8", 422, vec![ProblemRemedy::CountBytes]));
    }
}
