//! Translations of the server's problems, by their kind and their numbers. The server's own sentences are English and
//! have more details.

use super::Problem;
use crate::model::text::humanize::{grouped, measured_time};
use crate::tr;
use crate::tr::t;

/// Returns a title and a sentence about `problem` in the visitor's language. Returns `None` if its kind has no
/// translation, so that the server's English sentence is shown.
pub(super) fn localized_text(problem: &Problem) -> Option<(&'static str, String)> {
    let most = || problem.limit.map(grouped);
    Some(match problem.kind.as_str() {
        "gone" => (t("This result has expired"), t("The person who made it can make a new one.").into()),
        "not-found" => (
            t("There is nothing at this address"),
            t("The job or link is unknown here. Check the address, or start a new comparison.").into(),
        ),
        "upload-too-large" => (
            t("The text is too large for this server"),
            match most() {
                Some(most) => tr!("At most {most} bytes can be sent here. Choose a shorter text.", most = most),
                None => t("Choose a smaller file, or run your own server with a higher limit.").into(),
            },
        ),
        "too-large" => (t("Too large for every engine here"), tr!("The limit is {most}. Choose shorter texts.", most = most()?)),
        "queue-full" => (t("The queue is full"), t("Too many jobs are waiting. Try again later.").into()),
        "rate-limited" => (
            t("You have reached a limit for one visitor"),
            match problem.retry_after {
                seconds @ 1.. => tr!("Try again in {time}.", time = measured_time(f64::from(seconds) * 1e3)),
                0 => t("Try again a little later.").into(),
            },
        ),
        "no-space" => (t("The server is full"), t("It has no room for another text. Try again later.").into()),
        "no-result" => (t("There is no result"), t("This job has no such result.").into()),
        "not-ready" => (t("The server cannot do this now"), t("Try again in a minute.").into()),
        "interrupted" => (t("The run was interrupted"), t("The server stopped before this job was done. Run it again.").into()),
        "forbidden" => (t("This browser cannot delete it"), t("Only the browser that made a link can delete it.").into()),
        "internal" => {
            (t("Something went wrong on the server"), t("Try again. If it happens again, tell the person who runs this server.").into())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_contains_the_limits() {
        let problem = |kind: &str, limit| Problem { limit, ..Problem::new(kind, "", "") };
        let said = |kind, limit| localized_text(&problem(kind, limit)).map(|(_, sentence)| sentence);
        assert_eq!(said("upload-too-large", Some(1_000)).unwrap(), "At most 1,000 bytes can be sent here. Choose a shorter text.");
        assert!(said("upload-too-large", None).is_some());
        assert_eq!(said("rate-limited", None).unwrap(), "Try again a little later.");
        let later = Problem { retry_after: 400, ..problem("rate-limited", None) };
        assert_eq!(localized_text(&later).unwrap().1, "Try again in 6.7\u{a0}min.");
        assert_eq!(said("too-large", None), None);
        assert_eq!(said("malformed", None), None, "the server's text has the position");
    }
}
