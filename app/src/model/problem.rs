//! Problem: why something did not work, as sentences that say what to do. Made of the server's problem documents, of failures of
//! a run, and of what happens on this device.
//!
//! - [`failed`]: failures of a run
//! - [`foreign`]: files that hold no plain text
//! - `told`: the server's problems in other languages than English

use kernels::failure::Failure;
use serde::Deserialize;

use crate::model::text::words::grouped;
use crate::tr;
use crate::tr::{Language, language, t};

pub use failed::of_failure;

pub mod failed;
pub mod foreign;
mod told;

/// What the visitor can do about a problem with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Count in bytes, where any input is valid.
    CountBytes,
    /// Ask for the score without the alignment.
    ScoreOnly,
    /// The same again.
    RunAgain,
    /// What did not load is fetched again.
    LoadAgain,
    /// The parts of a result are fetched again.
    FetchAgain,
    /// A new comparison.
    StartOver,
    /// Both texts without a choice of records.
    WholeTexts,
}

/// The kind of files that hold no plain text, and whose bytes may be compared.
const NOT_TEXT: &str = "not-text";

/// The kind of [`Problem::unreachable`].
const UNREACHABLE: &str = "unreachable";

/// The kind of [`Problem::part_missing`].
const PART_MISSING: &str = "part-missing";

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
    /// Seconds after which to come back, 0 where that is not known.
    pub retry_after: u32,
    /// Why a job was refused or has failed, in figures.
    pub failure: Option<Box<Failure>>,
    /// What whoever mends it should know, in English.
    #[serde(skip)]
    pub said: Option<Box<str>>,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: &str, title: &str, detail: impl Into<String>) -> Self {
        Self { title: title.into(), detail: detail.into(), kind: kind.into(), ..Self::default() }
    }

    /// The server's answer to a request that it refused.
    pub fn of_response(status: u16, body: &str) -> Self {
        let parsed = serde_json::from_slice::<Self>(body.as_bytes()).ok().filter(|problem| !problem.title.is_empty());
        let mut problem = parsed.unwrap_or_else(|| Self::of_status(status));
        problem.kind = problem.kind.trim_start_matches("/problems/").to_owned();
        if let Some(failure) = &problem.failure {
            problem = of_failure(failure);
        } else if let (Some((title, detail)), true) = (told::told(&problem), language() != Language::English || problem.kind == "gone") {
            (problem.title, problem.detail) = (title.to_owned(), detail);
        }
        problem.status = status;
        problem
    }

    /// What a status says by itself; 0 where nobody answered.
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

    /// The address leads to no page.
    pub fn no_page() -> Self {
        Self { status: 404, ..Self::new("not-found", t("This page does not exist"), t("Check the address, or start a comparison.")) }
    }

    /// This browser has deleted what was here, on this day.
    pub fn deleted(day: &str) -> Self {
        let title = tr!("You deleted this result on {day}", day = day);
        Self { status: 410, ..Self::new("gone", &title, t("It cannot be brought back.")) }
    }

    /// A part of the result that is shown could not be fetched.
    pub fn not_fetched() -> Self {
        Self::new("not-fetched", t("A part of the result could not be loaded"), t("It appears as soon as you are online again."))
    }

    /// Whether the server was not reached.
    pub fn is_of_network(&self) -> bool {
        self.kind == UNREACHABLE
    }

    /// Whether nothing is at the address.
    pub fn is_of_address(&self) -> bool {
        matches!(self.kind.as_str(), "gone" | "not-found")
    }

    /// Nobody answers.
    pub fn unreachable() -> Self {
        Self::new(
            UNREACHABLE,
            t("The server cannot be reached"),
            t(
                "Check the connection and try again. Short texts are still compared in this browser. Nothing was lost; your texts are still here.",
            ),
        )
    }

    /// The server speaks otherwise than this page.
    pub fn not_understood() -> Self {
        Self::new("server", t("The server's answer is not understood"), t("Reload the page: it may be older than the server."))
    }

    /// A link says what only a later version reads.
    pub fn newer_link() -> Self {
        Self::new(
            "newer",
            t("This link was made by a newer version"),
            t("Reload the page, or ask the operator of this server to update it."),
        )
    }

    /// A part of the page could not be downloaded.
    pub fn part_missing() -> Self {
        Self::new(
            PART_MISSING,
            t("A part of the page did not load"),
            t(
                "Check the connection and try again. Nothing was lost; your texts are still here. If the server was updated meanwhile, reload the page.",
            ),
        )
    }

    /// Whether it is that.
    pub fn is_of_part(&self) -> bool {
        self.kind == PART_MISSING
    }

    /// The solver broke down.
    pub fn crashed(why: &str) -> Self {
        let memory = why.contains("memory") || why.contains("unreachable");
        let detail = if memory {
            t("Its memory was probably full. Try shorter texts, or leave out the alignment. Nothing was lost; your texts are still here.")
        } else {
            t("Run it again. Nothing was lost; your texts are still here.")
        };
        Self::new("worker-failed", t("The comparison in this browser has stopped"), detail)
    }

    /// The solver, or a part of it, could not be downloaded.
    pub fn solver_missing() -> Self {
        Self::new(
            "solver-missing",
            t("The program that compares did not load"),
            t(
                "Check the connection and try again. Nothing was lost; your texts are still here. If the server was updated meanwhile, reload the page.",
            ),
        )
    }

    /// The solver says that it goes on no more, and why; before `is_ready` it has never begun. What it could not fetch is told apart from what
    /// went wrong in it: browsers name that as they like, all by one of these words.
    pub fn of_solver(why: &str, is_ready: bool) -> Self {
        let is_fetched = ["fetch", "Load failed", "NetworkError", "import"].iter().any(|word| why.contains(word));
        if is_fetched || !is_ready { Self::solver_missing() } else { Self::crashed(why) }
    }

    /// The alignment and the distance contradict each other.
    pub fn not_checked() -> Self {
        Self::new(
            "check-failed",
            t("This answer is not reliable"),
            t("The columns of the alignment do not add up to the score. Run it again; wrong answers are not stored."),
        )
    }

    /// What can be done about it.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self.kind.as_str() {
            "not-utf-8" | NOT_TEXT => vec![Remedy::CountBytes],
            "no-record" => vec![Remedy::WholeTexts],
            "several-records" => Vec::new(),
            "too-large" | "out-of-time" => vec![Remedy::ScoreOnly],
            "gone" | "not-found" => vec![Remedy::StartOver],
            PART_MISSING => vec![Remedy::LoadAgain],
            "not-fetched" => vec![Remedy::FetchAgain],
            "newer" | "unknown-part" | "unreadable-link" | "wrong-key" | "no-encryption" => Vec::new(),
            "archive" | "bad-input" | "too-many-cells" | "upload-too-large" | "malformed" | "unknown-task" | "forbidden" => Vec::new(),
            _ => vec![Remedy::RunAgain],
        }
    }

    /// The line in small type under the sentence: the limit, or what whoever mends it should know.
    pub fn small_print(&self) -> Option<String> {
        self.limit.map(|limit| tr!("Limit: {limit}", limit = grouped(limit))).or_else(|| self.said.as_deref().map(ToOwned::to_owned))
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
        assert_eq!(problem.small_print().as_deref(), Some("Limit: 1,000"));
    }

    #[test]
    fn a_solver_that_did_not_come_has_not_broken_down() {
        let kinds = |why: &str| [true, false].map(|is_ready| Problem::of_solver(why, is_ready).kind);
        assert_eq!(kinds("RuntimeError: unreachable"), ["worker-failed", "solver-missing"]);
        assert_eq!(kinds("TypeError: Failed to fetch"), ["solver-missing", "solver-missing"]);
        assert_eq!(kinds("TypeError: Load failed")[0], "solver-missing");
        assert_eq!(Problem::solver_missing().remedies(), [Remedy::RunAgain]);
    }

    #[test]
    fn anything_else_becomes_a_sentence_too() {
        for status in [0, 404, 410, 413, 500, 502] {
            let problem = Problem::of_response(status, "<html>nginx</html>");
            assert!(!problem.title.is_empty() && problem.detail.ends_with('.'), "{problem:?}");
        }
    }

    #[test]
    fn a_failure_in_a_document_is_said_by_its_figures() {
        let body = r#"{"type": "/problems/bad-input", "title": "The input cannot be used", "status": 422, "detail": "a is not …",
            "failure": {"kind": "bad-input", "message": "a is not …", "wrong": {"what": "not-utf8", "text": "a", "byte": 4}}}"#;
        let problem = Problem::of_response(422, body);
        assert_eq!((problem.kind.as_str(), problem.status, problem.remedies()), ("not-utf-8", 422, vec![Remedy::CountBytes]));
    }
}
