//! Reports of the solver or the server on how the texts of the form were read ([`ReadingReport`]), and the choice
//! between their records ([`entries`], [`choice_of`]).

use kernels::failure::{InputError, JobFailure};
use kernels::job::{ChosenRecord, RecordChoice, Task};
use kernels::reading::{ReadFormat, ReadReport, ReadWarning, TextEncoding, WarningKind};

use crate::model::form::{FormSide, FormState};
use crate::model::problem::Problem;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;

/// The report on how a text was read into records, or on why it was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingReport {
    /// The recognised format and other properties of the text, or `None` if reading failed before they were known.
    pub read_as: Option<ReadReport>,
    /// Number of records in the text.
    pub records: u64,
    /// Names of the first records in the text, not necessarily of all.
    pub names: Vec<String>,
}

impl ReadingReport {
    /// Returns the report on the text `which`: from `problem` if it is about the records of this text, otherwise from
    /// `read_as`. Returns `None` if neither has a report.
    pub fn of(which: FormSide, problem: Option<&Problem>, read_as: Option<&ReadReport>) -> Option<Self> {
        let refused = problem.and_then(|problem| problem.failure.as_deref()).and_then(|failure| match failure {
            JobFailure::BadInput { wrong: Some(wrong), .. } => Self::of_wrong(which, wrong),
            _ => None,
        });
        refused.or_else(|| read_as.cloned().map(Self::from))
    }

    fn of_wrong(which: FormSide, wrong: &InputError) -> Option<Self> {
        match wrong {
            InputError::SeveralRecords { text, records, names } | InputError::NoRecord { text, records, names } if text == which.name() => {
                Some(Self { read_as: None, records: *records, names: names.clone() })
            }
            _ => None,
        }
    }

    /// Formats the recognized format and the skipped parts in one or two sentences.
    pub fn in_words(&self) -> String {
        let Some(read_as) = &self.read_as else { return String::new() };
        let taken = match read_as.format {
            ReadFormat::Plain => t("Plain text: every symbol counts."),
            ReadFormat::Sequence => t("A sequence, like the other text: line breaks are skipped; upper and lower case are the same."),
            ReadFormat::Fasta => t("FASTA: headers and line breaks are skipped; upper and lower case are the same."),
            ReadFormat::Fastq => t("FASTQ: names, qualities and line breaks are skipped; upper and lower case are the same."),
            ReadFormat::Genbank => t("GenBank: only the sequence counts; upper and lower case are the same."),
            ReadFormat::Embl => t("EMBL: only the sequence counts; upper and lower case are the same."),
        };
        let mark = match (read_as.encoding, read_as.byte_order_mark) {
            (Some(TextEncoding::Utf16Le | TextEncoding::Utf16Be), _) => t("The file is UTF-16; its text is compared."),
            (None, true) => t("The byte order mark is skipped."),
            (None, false) => "",
        };
        format!("{taken} {mark}").trim_end().to_owned()
    }

    /// Returns whether the report is worth showing, because the text is not plain or has several records.
    pub fn is_of_note(&self) -> bool {
        self.records > 1
            || self
                .read_as
                .as_ref()
                .is_some_and(|read_as| read_as.format != ReadFormat::Plain || read_as.byte_order_mark || read_as.encoding.is_some())
    }

    /// Returns the name of a record: the first word of its header, or its number from 0.
    pub fn name(&self, number: u64) -> String {
        let word = usize::try_from(number).ok().and_then(|at| self.names.get(at)).and_then(|name| name.split_whitespace().next());
        word.map_or_else(|| tr!("record {number}", number = number), str::to_owned)
    }
}

impl From<ReadReport> for ReadingReport {
    fn from(read_as: ReadReport) -> Self {
        Self { records: read_as.records, names: read_as.names.clone(), read_as: Some(read_as) }
    }
}

/// Formats the warnings about how the text `which` was read, in one or two sentences each.
pub fn doubts(which: FormSide, warnings: &[ReadWarning]) -> Vec<String> {
    warnings.iter().filter(|warning| warning.text.as_deref() == Some(which.name())).filter_map(doubt).collect()
}

/// Formats one warning, or returns `None` if the sentences about the answer already mention it.
fn doubt(warning: &ReadWarning) -> Option<String> {
    let line = grouped(warning.line.unwrap_or(1));
    Some(match warning.kind {
        WarningKind::ReadAsText => tr!("This looks like FASTA, but line {line} does not fit. Both texts were read as text.", line = line),
        WarningKind::OtherIsText => {
            tr!("This is a file of sequences, but the other text is not (line {line}). Both were read as text.", line = line)
        }
        WarningKind::NumbersSkipped => tr!("Numbers and spaces between the letters are skipped, the first in line {line}.", line = line),
        WarningKind::GapsCount => tr!("Gaps (- or .), the first in line {line}, count as symbols.", line = line),
        WarningKind::BreaksOff => t("The last record has no end. The file may be cut off.").into(),
        WarningKind::LooksLikeUtf16 => t("This looks like UTF-16 without a byte order mark. Save it as UTF-8 and open it again.").into(),
        WarningKind::Utf16AsBytes => t("This is UTF-16, and its bytes are compared. Compare by characters to see its text.").into(),
        WarningKind::NoSequence => {
            let name = warning.record.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            tr!("Records without a sequence, the first in line {line}, are empty.", line = line + &name)
        }
        WarningKind::OnlyLineEnds => return None,
    })
}

/// Maximum number of records that the list of choices offers. Other records are chosen by typing their name.
pub const MAX_OFFERED_RECORDS: u64 = 100;

/// One entry of the list from which the records of a text are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordOption {
    /// Value of the entry in the list.
    pub value: String,
    /// Displayed label.
    pub label: String,
}

/// Value of the list entry for searching every record separately.
const APART: &str = "apart";

/// Value of the list entry for reading all records as one text.
const JOINED: &str = "joined";

/// Lists the choices for a text of several records, as reported by `told`. If the text is searched (`is_searched`), the
/// first entry is to search all records separately. Otherwise the first entry is a prompt to choose a record.
pub fn entries(told: &ReadingReport, is_searched: bool) -> Vec<RecordOption> {
    let entry = |value: &str, label: &str| RecordOption { value: value.into(), label: label.into() };
    let first = if is_searched { entry(APART, t("All, one by one")) } else { entry("", t("Choose a record")) };
    let record = |number: u64| {
        let name = usize::try_from(number).ok().and_then(|at| told.names.get(at)).filter(|name| !name.trim().is_empty());
        RecordOption { value: number.to_string(), label: name.cloned().unwrap_or_else(|| tr!("record {number}", number = number)) }
    };
    [first, entry(JOINED, t("All as one text"))].into_iter().chain((0..told.records.min(MAX_OFFERED_RECORDS)).map(record)).collect()
}

/// Returns the value of the list entry for `choice`. `told` and `is_searched` must be as for [`entries`].
pub fn entry_of(choice: &RecordChoice, told: &ReadingReport, is_searched: bool) -> String {
    match choice {
        RecordChoice { joined: true, .. } => JOINED.into(),
        RecordChoice { record: Some(ChosenRecord::Number(number)), .. } => number.to_string(),
        RecordChoice { record: Some(ChosenRecord::Name(_)), .. } => {
            told.read_as.as_ref().and_then(|read_as| read_as.record).map(|number| number.to_string()).unwrap_or_default()
        }
        RecordChoice { record: None, joined: false } => if is_searched { APART } else { "" }.into(),
    }
}

/// Returns the choice of records for the value of a list entry.
pub fn choice_of(value: &str) -> RecordChoice {
    match value.trim() {
        "" | APART => RecordChoice::default(),
        JOINED => RecordChoice { record: None, joined: true },
        named => RecordChoice { record: Some(record(named)), joined: false },
    }
}

/// Returns the choice of the record that the visitor typed: its name, or its number from 0 if no record has this name.
pub fn typed_choice(typed: &str) -> RecordChoice {
    RecordChoice { record: Some(ChosenRecord::Name(typed.trim().into())), joined: false }
}

/// Marks a name in an address that would otherwise be a number.
const NAME_MARK: char = '=';

/// Parses a record in an address: its number from 0, or its name.
pub fn record(said: &str) -> ChosenRecord {
    match said.strip_prefix(NAME_MARK) {
        Some(name) => ChosenRecord::Name(name.into()),
        None => said.parse().map_or_else(|_| ChosenRecord::Name(said.into()), ChosenRecord::Number),
    }
}

/// Formats a record so that [`record()`] parses it again.
pub fn format_record(record: &ChosenRecord) -> String {
    match record {
        ChosenRecord::Number(number) => number.to_string(),
        ChosenRecord::Name(name) if name.starts_with(NAME_MARK) || name.parse::<u64>().is_ok() => format!("{NAME_MARK}{name}"),
        ChosenRecord::Name(name) => name.clone(),
    }
}

/// Returns whether the task searches in the text `which`, so that its records may be searched separately.
pub fn is_searched(form: &FormState, which: FormSide) -> bool {
    which == FormSide::B && Task::SEARCHES.contains(&form.task)
}

/// Returns whether the beginning of a text looks like a file of records.
pub fn looks_like_records(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let is_flat = text.starts_with("LOCUS ") || text.starts_with("ID   ");
    (is_flat || text.starts_with(['>', '@', ';'])) && text.contains(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::of_failure;

    fn three() -> ReadingReport {
        ReadReport {
            format: ReadFormat::Fasta,
            records: 3,
            names: ["chr1 of a phage", "", "chr3"].map(String::from).to_vec(),
            ..ReadReport::default()
        }
        .into()
    }

    #[test]
    fn refusal_of_a_text_replaces_its_earlier_reading_report() {
        let wrong = InputError::SeveralRecords { text: "b".into(), records: 2, names: vec!["x".into(), "y".into()] };
        let problem = of_failure(&JobFailure::wrong("", wrong));
        let fasta = ReadReport { format: ReadFormat::Fasta, ..ReadReport::default() };
        let told = |which| ReadingReport::of(which, Some(&problem), Some(&fasta)).unwrap();
        assert_eq!((told(FormSide::B).records, told(FormSide::B).read_as), (2, None));
        assert!(told(FormSide::A).in_words().starts_with("FASTA: headers"));
        assert_eq!(ReadingReport::of(FormSide::A, None, None), None);
        let marked = ReadingReport::from(ReadReport { byte_order_mark: true, ..ReadReport::default() });
        assert_eq!(marked.in_words(), "Plain text: every symbol counts. The byte order mark is skipped.");
        assert!(marked.is_of_note() && !ReadingReport::from(ReadReport::default()).is_of_note());
        let utf16 =
            ReadingReport::from(ReadReport { encoding: Some(TextEncoding::Utf16Le), byte_order_mark: true, ..ReadReport::default() });
        assert_eq!(utf16.in_words(), "Plain text: every symbol counts. The file is UTF-16; its text is compared.");
    }

    #[test]
    fn every_warning_is_shown_at_its_text() {
        let reading = |unit| kernels::job::JobOptions { unit, ..kernels::job::JobOptions::default() }.reading();
        let pair = |a: &str, b: &str, unit| kernels::text::Pair::parse(a.as_bytes(), b.as_bytes(), &reading(unit)).unwrap();
        let blocks = pair(">x\n1 ACGTACGTAC\n", ">y\nACG.TACGTACGT\n", kernels::job::Unit::Bytes);
        let said = |which| doubts(which, blocks.warnings());
        assert_eq!(said(FormSide::A), ["Numbers and spaces between the letters are skipped, the first in line 2."]);
        assert_eq!(said(FormSide::B), ["Gaps (- or .), the first in line 2, count as symbols."]);
        let flat = "ID   X1; 4 BP.\nSQ   4 BP;\n     acgt 4\n//\nID   X2; 4 BP.\n//\n";
        let choices = kernels::reading::PairRecordChoices { allows_many: true, ..Default::default() };
        let bytes = reading(kernels::job::Unit::Bytes);
        let flat = kernels::text::Pair::parse_records(&b"ACGT"[..], flat.as_bytes(), &bytes, &choices).unwrap();
        assert_eq!(doubts(FormSide::B, flat.warnings()), ["Records without a sequence, the first in line 5 (X2), are empty."]);
        let ends = pair("one\r\n", "one\n", kernels::job::Unit::Lines);
        assert_eq!((ends.warnings().len(), doubts(FormSide::A, ends.warnings()).len()), (1, 0));
    }

    #[test]
    fn every_menu_entry_is_a_choice_and_every_choice_an_entry() {
        for is_searched in [false, true] {
            let values: Vec<String> = entries(&three(), is_searched).into_iter().map(|entry| entry.value).collect();
            assert_eq!(values[1..], ["joined", "0", "1", "2"]);
            for value in values {
                assert_eq!(entry_of(&choice_of(&value), &three(), is_searched), value);
            }
        }
        for typed in [" chr3 ", "3"] {
            let name = ChosenRecord::Name(typed.trim().into());
            assert_eq!(typed_choice(typed), RecordChoice { record: Some(name), joined: false });
        }
        let chosen = ReadingReport { read_as: Some(ReadReport { record: Some(2), ..ReadReport::default() }), ..three() };
        assert_eq!(entry_of(&choice_of("chr3"), &chosen, false), "2");
    }

    #[test]
    fn names_of_digits_stay_names_in_addresses() {
        let named = |name: &str| ChosenRecord::Name(name.into());
        for (record, written) in [(named("2"), "=2"), (named("=2"), "==2"), (named("chr2"), "chr2"), (ChosenRecord::Number(2), "2")] {
            assert_eq!(format_record(&record), written);
            assert_eq!(super::record(written), record);
        }
    }

    #[test]
    fn records_are_named_by_the_first_word_of_their_header_or_by_number() {
        let labels: Vec<String> = entries(&three(), false).into_iter().map(|entry| entry.label).collect();
        assert_eq!(labels, ["Choose a record", "All as one text", "chr1 of a phage", "record 1", "chr3"]);
        assert_eq!([0, 1, 7].map(|number| three().name(number)), ["chr1", "record 1", "record 7"]);
    }

    #[test]
    fn single_header_line_is_not_taken_for_records() {
        assert!(looks_like_records("\u{feff}\n>x\nACGT") && looks_like_records("@r\nA\n+\nI") && looks_like_records("> Hi,\n> you"));
        assert!(!looks_like_records(">") && !looks_like_records("kitten\n>") && !looks_like_records(""));
    }
}
