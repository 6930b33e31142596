//! Messages: errors ([`in_own_names`]) and warnings ([`warn`]) with the names of the command line.
//!
//! Errors of jobs and collections are sentences for clients of the API. They quote the names of its fields with backticks,
//! such as `` `keep.within` ``.

use std::io::Write as _;

use anyhow::anyhow;

use super::terminal::visible_lines;

/// Quoted fields of a request, with the arguments that set them.
const ARGUMENTS: [(&str, &str); 12] = [
    ("a", "FILES"),
    ("a.joined", "--record-a joined"),
    ("a.record", "--record-a"),
    ("b", "--against"),
    ("b.joined", "--record-b joined"),
    ("b.record", "--record-b"),
    ("keep", "--keep"),
    ("keep.all", "--keep all"),
    ("keep.nearest", "--keep nearest"),
    ("keep.similarity", "--keep similarity"),
    ("keep.within", "--keep within"),
    ("split", "--split or --split-against"),
];

/// Quoted options of a task, with or without a value. `--set` sets them.
const OPTIONS: [&str; 12] = [
    "ambiguity",
    "costs.delete",
    "costs.insert",
    "count_only",
    "fasta",
    "fasta=always",
    "fasta=never",
    "ignore_accents",
    "max_distance",
    "method",
    "normalize",
    "pieces",
];

/// Prints a warning to standard error.
pub(super) fn warn(message: &str) {
    // If standard error is closed, only the warning is lost, and not the answer.
    let _ = writeln!(std::io::stderr(), "warning: {}", visible_lines(&with_own_names(message)));
}

/// Returns `error` and its causes as one message with the names of the command line.
pub(super) fn in_own_names(error: anyhow::Error) -> anyhow::Error {
    anyhow!(with_own_names(&format!("{error:#}")))
}

/// Replaces quoted fields of a request by arguments of the command line. Other quoted words stay, such as those in names of
/// files.
fn with_own_names(message: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(message.len()), message);
    while let Some((before, quoted)) = rest.split_once('`') {
        out.push_str(before);
        let known = quoted.split_once('`').and_then(|(field, after)| Some((argument(field)?, after)));
        match known {
            Some((argument, after)) => {
                out.push_str(&argument);
                rest = after;
            }
            None => {
                out.push('`');
                rest = quoted;
            }
        }
    }
    out + rest
}

/// Returns the argument of the command line that sets the field `field`, or `None` if there is none.
fn argument(field: &str) -> Option<String> {
    let argument = ARGUMENTS.into_iter().find(|(known, _)| *known == field).map(|(_, argument)| argument.to_owned());
    argument.or_else(|| OPTIONS.contains(&field).then(|| format!("--set {field}")))
}

#[cfg(test)]
mod tests {
    use explain::collection::CollectionFormat;
    use kernels::collection::{Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, ScoreRule, SideSources};
    use kernels::event::TaskAnswer;
    use kernels::job::{AlignmentMode, ChosenRecord, EditCosts, JobOptions, PairRecordChoices, PaperMethod, RecordChoice, Task};
    use kernels::reading::FastaMode;
    use kernels::text::Pair;

    use super::*;

    const RECORDS: &str = ">x\nACGT\n>y\nACGA\n";

    const BAD_RECORDS: &str = "@x\nACGT\n+\nIII\n";

    fn side(text: &str, split: MemberSplit) -> SideSources {
        SideSources { sources: vec![MemberSource { name: "x`.fasta".into(), bytes: text.as_bytes().into() }], split }
    }

    fn of_collection(a: &str, b: Option<&str>, split: MemberSplit, options: &JobOptions) -> String {
        let b = b.map(|b| side(b, split));
        Collection::parse(side(a, split), b, &options.reading()).unwrap_err().to_string()
    }

    fn of_question(options: &JobOptions, keep: KeptPairs) -> String {
        let collection = Collection::parse(side("a\nb", MemberSplit::Lines), None, &options.reading()).unwrap();
        let task = if options.pieces > 1 { Task::SequenceAlignment } else { Task::EditDistance };
        CollectionQuestion::new(task, options, keep, &collection).unwrap_err().to_string()
    }

    fn of_pair(a: &str, b: &str, options: &JobOptions, record: Option<RecordChoice>) -> String {
        let choice = record.unwrap_or_default();
        let choices = PairRecordChoices { a: choice.clone(), b: choice, allows_many: false };
        Pair::parse_records(a.as_bytes(), b.as_bytes(), &options.reading(), &choices).unwrap_err().to_string()
    }

    /// Returns the errors and warnings of shared code that name fields of a request.
    fn shared_messages() -> Vec<String> {
        let plain = JobOptions::default();
        let unequal = JobOptions { costs: EditCosts { insert: 2, ..EditCosts::LEVENSHTEIN }, ..plain.clone() };
        let local = JobOptions { mode: AlignmentMode::Local, pieces: 2, ..plain.clone() };
        let never = JobOptions { fasta: FastaMode::Never, ..plain.clone() };
        let within = KeptPairs::Within(1);
        let two = Collection::parse(side("a\nb", MemberSplit::Lines), None, &plain.reading()).unwrap();
        let doubted = Pair::parse(&b">x\nACGTACGTTT\nGG?AC\n"[..], &b">y\nACGTACGTTT\n"[..], &plain.reading()).unwrap();
        vec![
            of_collection("", None, MemberSplit::Lines, &plain),
            of_collection("a", Some(""), MemberSplit::Lines, &plain),
            of_collection(RECORDS, None, MemberSplit::Files, &plain),
            of_collection(RECORDS, None, MemberSplit::Records, &never),
            of_question(&JobOptions { method: Some(PaperMethod::Sequential), ..plain.clone() }, within),
            of_question(&JobOptions { ambiguity: true, ..plain.clone() }, within),
            of_question(&JobOptions { max_distance: Some(1), ..plain.clone() }, within),
            of_question(&local, KeptPairs::All),
            of_question(&unequal, within),
            of_question(&plain, KeptPairs::Nearest(0)),
            of_question(&plain, KeptPairs::Similarity(2.0)),
            CollectionFormat::Groups.check(&ScoreRule::new(Task::EditDistance, &plain), KeptPairs::All, &two, 9).unwrap_err().to_string(),
            CollectionFormat::Hits.check_search(Task::ExactSearch, true).unwrap_err().to_string(),
            of_pair(RECORDS, "ACGT", &plain, None),
            of_pair("ACGT", RECORDS, &plain, None),
            of_pair("plain text", "and more", &plain, Some(RecordChoice { record: Some(ChosenRecord::Number(0)), joined: false })),
            of_pair(BAD_RECORDS, "ACGT", &plain, None),
            of_collection(BAD_RECORDS, None, MemberSplit::Records, &plain),
            of_pair("a", "b", &JobOptions { ignore_accents: true, ..plain.clone() }, None),
            of_pair("a", "b", &JobOptions { normalize: true, ..plain.clone() }, None),
            doubted.warnings()[0].message.clone(),
            TaskAnswer::above_distance(1).no_alignment_reason().unwrap(),
        ]
    }

    #[test]
    fn every_known_field_is_in_a_shared_message() {
        let messages = shared_messages();
        for field in ARGUMENTS.into_iter().map(|(field, _)| field).chain(OPTIONS) {
            let quoted = format!("`{field}`");
            assert!(messages.iter().any(|message| message.contains(&quoted)), "{quoted} is in none of {messages:#?}");
        }
    }

    #[test]
    fn every_quoted_field_has_an_argument() {
        for message in shared_messages() {
            let own = with_own_names(&message).replace("x`.fasta", "");
            assert!(own != message && !own.contains('`'), "{own}");
        }
    }

    #[test]
    fn only_quoted_fields_are_replaced() {
        assert_eq!(
            with_own_names("a`b `split.txt` holds 2 records. Set `split` to records, or use `fasta=never`."),
            "a`b `split.txt` holds 2 records. Set --split or --split-against to records, or use --set fasta=never."
        );
        let error = anyhow!("Leave out `method`.").context("reading `a");
        assert_eq!(in_own_names(error).to_string(), "reading `a: Leave out --set method.");
    }
}
