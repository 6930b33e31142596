//! Failures of a run as problems, formatted in the visitor's language: [`of_failure`].

use explain::worker_protocol::PART_MISSING;
use kernels::failure::{InputError, JobFailure, RecordFault, large};

use super::Problem;
use crate::model::alignment::rows::visible;
use crate::model::text::humanize::{self, WorkUnit, grouped};
use crate::tr;
use crate::tr::{Language, language, t};

/// Converts the failure of a run into a problem to show.
pub fn of_failure(failure: &JobFailure) -> Problem {
    match failure {
        JobFailure::BadInput { message, wrong: None } => Problem::new("bad-input", t("This cannot be compared"), message),
        JobFailure::BadInput { wrong: Some(wrong), .. } => Problem { failure: Some(Box::new(failure.clone())), ..of_wrong(wrong) },
        JobFailure::TooLarge { what, got, limit } => {
            // A matrix without an alignment has as many cells and takes as much time, so that leaving out the alignment
            // is not offered.
            let of_matrix = [large::CELLS, large::SECONDS].contains(&what.as_str());
            let (got, most) = (grouped(*got), grouped(*limit));
            let what = subject(what).unwrap_or(what);
            let detail = tr!("{what} is {got}, and the limit here is {most}. Choose shorter texts.", what = what, got = got, most = most);
            let kind = if of_matrix { "too-many-cells" } else { "too-large" };
            Problem { limit: Some(*limit), ..Problem::new(kind, t("Too large for every engine here"), detail) }
        }
        JobFailure::Engine { message } => of_engine(message),
        JobFailure::Interrupted => {
            Problem::new("interrupted", t("The run was interrupted"), t("The server stopped before this job was done. Run it again."))
        }
        JobFailure::OutOfTime { seconds, reached } => {
            let detail = match *reached {
                None => tr!(
                    "The job was stopped after {seconds} s, the longest that a job may run here. Choose shorter texts, or texts that are more alike.",
                    seconds = grouped(*seconds),
                ),
                Some([done, total]) => tr!(
                    "The job was stopped after {seconds} s, the longest that a job may run here, when about {percent} of {cells} were filled. Choose shorter texts, or texts that are more alike.",
                    seconds = grouped(*seconds),
                    percent = humanize::percent((done as f64 / total.max(1) as f64 * 100.0).round() / 100.0),
                    cells = WorkUnit::Cells.work(total),
                ),
            };
            Problem::new("out-of-time", t("The run took too long"), detail)
        }
    }
}

fn of_wrong(wrong: &InputError) -> Problem {
    match wrong {
        InputError::NotUtf8 { text, utf16: true, .. } => Problem::new(
            "not-utf-8",
            t("A text is not UTF-8"),
            tr!("{text} looks like UTF-16 without a byte order mark. Compare by bytes, or save the file as UTF-8.", text = text),
        ),
        InputError::NotUtf16 { text, byte } => Problem::new(
            "not-utf-8",
            t("A text is not UTF-16"),
            tr!(
                "{text} begins like UTF-16, but is not valid UTF-16 at byte {byte}. Compare by bytes, or save the file as UTF-8.",
                text = text,
                byte = grouped(*byte)
            ),
        ),
        InputError::BadRecord { text, name, line, fault, .. } => {
            let remedy = match fault {
                RecordFault::BreaksOff | RecordFault::NoSequence => t("Open the whole file, or read both texts as text."),
                RecordFault::Qualities | RecordFault::Line => t("Repair the file, or read both texts as text."),
            };
            bad_record(text, name, *line, *fault, remedy)
        }
        InputError::NotUtf8 { text, byte, utf16: false } => Problem::new(
            "not-utf-8",
            t("A text is not UTF-8"),
            tr!(
                "{text} is not valid UTF-8 at byte {byte}. Compare by bytes, or save the file as UTF-8.",
                text = text,
                byte = grouped(*byte)
            ),
        ),
        InputError::SeveralRecords { text, records, names } => Problem::new(
            "several-records",
            t("A file has several records"),
            tr!(
                "{text} has {records} records: {names}. Choose one of them beside the text, or take all as one.",
                text = text,
                records = grouped(*records),
                names = listed(names, *records),
            ),
        ),
        InputError::NoRecord { text, records: 0, .. } => {
            Problem::new("no-record", t("There is no such record"), tr!("{text} is plain text and has no records.", text = text))
        }
        InputError::NoRecord { text, records, names } => Problem::new(
            "no-record",
            t("There is no such record"),
            tr!(
                "{text} has no such record. It has {records}: {names}.",
                text = text,
                records = grouped(*records),
                names = listed(names, *records),
            ),
        ),
        InputError::NoNucleotide { text, at } => Problem::new(
            "bad-input",
            t("The pattern has no other strand"),
            tr!(
                "Both strands can be searched only in DNA and RNA, and the symbol at position {n} of {text} is not a nucleotide. Search one strand, or ignore white space.",
                n = humanize::position(*at),
                text = text
            ),
        ),
        InputError::NoBaseCode { text, at, symbol } => Problem::new(
            "bad-input",
            t("This cannot be compared"),
            tr!(
                "With ambiguity codes, both texts consist of letters for bases. The symbol “{symbol}” at position {n} of {text} is none. Turn ambiguity codes off, or ignore white space.",
                symbol = visible(symbol),
                n = humanize::position(*at),
                text = text
            ),
        ),
        InputError::BytesNormalised => Problem::new(
            "bad-input",
            t("This cannot be compared"),
            t("Bytes cannot be normalised. Compare by characters or code points, or turn normalisation off."),
        ),
        InputError::BytesHaveNoAccents => Problem::new(
            "bad-input",
            t("This cannot be compared"),
            t("Accents of bytes cannot be ignored. Compare by characters, or do not ignore accents."),
        ),
        InputError::LongForCode => Problem::new("bad-input", t("There is no QR code"), t("This is too long for a QR code.")),
    }
}

/// Creates the problem of a file with a faulty record. `text` is the name of the file. `name` is the name of the record, or empty,
/// and `line` the line in which the record begins. `remedy` is a sentence, or empty.
pub fn bad_record(text: &str, name: &str, line: u64, fault: RecordFault, remedy: &str) -> Problem {
    let line = if name.is_empty() { grouped(line) } else { format!("{} ({name})", grouped(line)) };
    let says = match fault {
        RecordFault::BreaksOff => tr!("{text} is cut off: the record that begins in line {line} has no end.", text = text, line = line),
        RecordFault::Qualities => {
            tr!("In {text}, the record that begins in line {line} does not have as many qualities as letters.", text = text, line = line)
        }
        RecordFault::Line => tr!("In {text}, the record in line {line} does not follow the format of the file.", text = text, line = line),
        RecordFault::NoSequence => tr!("In {text}, the record in line {line} has no sequence.", text = text, line = line),
    };
    Problem::new("bad-record", t("A file cannot be read"), format!("{says} {remedy}").trim_end())
}

/// Formats a list of the first ten of `names`. It ends with an ellipsis if the file has more `records`.
fn listed(names: &[String], records: u64) -> String {
    let names = &names[..names.len().min(10)];
    let more = if records > names.len() as u64 { t(", ").to_owned() + "…" } else { String::new() };
    format!("{}{more}", humanize::list(names))
}

/// Converts an error message of an engine into a problem. The message stays in English, because it is for developers;
/// pages in other languages show it in small type.
fn of_engine(message: &str) -> Problem {
    if message == PART_MISSING {
        // The remedy, to run again, also downloads the missing part.
        return Problem { kind: "engine".into(), ..Problem::part_missing() };
    }
    match language() {
        Language::English => {
            Problem::new("engine", t("The engine failed"), tr!("{message} Run it again; the texts are still here.", message = message))
        }
        Language::German | Language::Spanish | Language::French | Language::Japanese | Language::Chinese => Problem {
            said: Some(message.into()),
            ..Problem::new("engine", t("The engine failed"), t("Run it again; the texts are still here."))
        },
    }
}

/// Returns the quantity of an exceeded limit, called `what` in a failure, as the subject of a sentence. Returns `None`
/// if `what` is not one of the names in [`large`], but an engine's own words.
pub fn subject(what: &str) -> Option<&'static str> {
    Some(match what {
        large::CELLS => t("The number of cells"),
        large::SECONDS => t("The expected time in seconds"),
        large::SYMBOLS => t("The length of the longer text in symbols"),
        large::DISTINCT => t("The number of distinct symbols"),
        large::BYTES => t("The size of a text in bytes"),
        large::MATRIX => t("The longer text of a matrix"),
        large::ROWS => t("The number of lines side by side"),
        large::GPU_TEXTS => t("The GPU memory that texts of this length need, in bytes,"),
        large::GPU_PATTERN => t("The GPU memory that a pattern of this length needs, in bytes,"),
        large::DISTANCES => t("The number of cells of these distances"),
        large::PATTERN => t("The pattern of these distances, in symbols,"),
        large::SCORES => t("The number of scores"),
        large::KEPT_PAIRS => t("The number of kept pairs"),
        large::PATTERNS => t("The number of patterns"),
        large::HITS => t("The number of hits"),
        large::AMBIGUOUS_PATTERN => t("The pattern with ambiguity codes, in letters,"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::ProblemRemedy;
    use super::*;

    #[test]
    fn every_failure_suggests_a_remedy() {
        let not_text = JobFailure::wrong("", InputError::NotUtf8 { text: "a".into(), byte: 4_000, utf16: false });
        let problem = of_failure(&not_text);
        assert_eq!(problem.remedies(), [ProblemRemedy::CountBytes]);
        assert_eq!(problem.detail, "a is not valid UTF-8 at byte 4,000. Compare by bytes, or save the file as UTF-8.");
        let cut_off =
            InputError::BadRecord { text: "b".into(), record: Some(1), name: "r2".into(), line: 5, fault: RecordFault::BreaksOff };
        let expected = "b is cut off: the record that begins in line 5 (r2) has no end. Open the whole file, or read both texts as text.";
        assert_eq!(of_failure(&JobFailure::wrong("", cut_off)).detail, expected);
        let none = InputError::BadRecord { text: "a".into(), record: Some(0), name: "X1".into(), line: 1, fault: RecordFault::NoSequence };
        let expected = "In a, the record in line 1 (X1) has no sequence. Open the whole file, or read both texts as text.";
        assert_eq!(of_failure(&JobFailure::wrong("", none)).detail, expected);
        let large = JobFailure::TooLarge { what: large::CELLS.into(), got: 5_000, limit: 4_000 };
        assert!(of_failure(&large).remedies().is_empty());
        assert!(of_failure(&large).detail.starts_with("The number of cells is 5,000, and the limit here is 4,000."));
        assert_eq!(of_failure(&JobFailure::Interrupted).remedies(), [ProblemRemedy::RunAgain]);
        let stopped = of_failure(&JobFailure::OutOfTime { seconds: 600, reached: Some([3_000_000_000_000, 25_000_000_000_000]) });
        let expected =
            "The job was stopped after 600 s, the longest that a job may run here, when about 12% of 2.5 × 10¹³ cells were filled.";
        assert!(stopped.detail.starts_with(expected), "{}", stopped.detail);
        assert!(of_failure(&JobFailure::OutOfTime { seconds: 600, reached: None }).detail.contains("600 s"));
        assert!(of_failure(&JobFailure::engine("It failed.")).detail.starts_with("It failed. Run it again"));
    }

    /// Every limit of `kernels` has a translated text.
    #[test]
    fn every_limit_has_a_translated_subject() {
        for what in large::ALL {
            assert_eq!(subject(what), Some(what));
        }
    }
}
