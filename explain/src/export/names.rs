//! Names of texts and records in files for other programs: the first word of the header, unchanged if the format allows
//! it.
//!
//! | rule | format | allowed characters |
//! |---|---|---|
//! | [`NameRule::Sequence`] | SAM, VCF | printable ASCII but ``\ , " ' ` ( ) [ ] { } < >``, not beginning with `*` or `=` (SAMv1 1.2.1, VCF 4.3 1.4.7) |
//! | [`NameRule::Read`] | a query in SAM | printable ASCII but `@`, at most 254 (SAMv1 1.4) |
//! | [`NameRule::Word`] | PAF, CSV, FASTA | everything but white space and control characters |
//! | [`NameRule::Interval`] | BED | as for PAF, but not beginning with `#`, nor the words `track` and `browser` |
//!
//! Each character that is not allowed becomes `_`. A number is appended to a name that an earlier record, text or pattern already has.

use std::collections::{HashMap, HashSet};

use kernels::text::Text;

/// Maximum number of characters of a query name in SAM.
const MAX_READ_NAME: usize = 254;

/// A rule that says which names a file format allows, and how other names are changed to allowed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRule {
    /// The rule of reference sequences in SAM and contigs in VCF.
    Sequence,
    /// The rule of queries (reads) in SAM.
    Read,
    /// The rule of PAF, CSV and FASTA, where a name must not contain white space.
    Word,
    /// The rule of BED, where lines that begin with certain words are not intervals.
    Interval,
}

impl NameRule {
    /// Returns `word`, changed to a name that this rule allows.
    fn apply(self, word: &str) -> String {
        let allows = |at: usize, char: char| match self {
            Self::Sequence => char.is_ascii_graphic() && !"\\,\"'`()[]{}<>".contains(char) && (at > 0 || !"*=".contains(char)),
            Self::Read => char.is_ascii_graphic() && char != '@',
            Self::Word => !char.is_control() && !char.is_whitespace(),
            Self::Interval => !char.is_control() && !char.is_whitespace() && (at > 0 || char != '#'),
        };
        let name: String =
            word.chars().take(self.max_chars()).enumerate().map(|(at, char)| if allows(at, char) { char } else { '_' }).collect();
        if self == Self::Interval && matches!(name.as_str(), "track" | "browser") { format!("{name}_") } else { name }
    }

    /// Returns the name of a text with one record: the first word of its header, changed by this rule. Given names, such as
    /// those of files, are changed as a whole. A text without a name gets the name `other`.
    pub(super) fn of_text(self, text: &Text, other: &str) -> ExportedName {
        match text.name().map(str::trim).filter(|name| text.is_named() && !name.is_empty()) {
            Some(name) => self.of_word(name),
            None => self.of(text.name(), other),
        }
    }

    /// Returns the names of all records of a text, which are distinct and allowed by this rule. Records without a
    /// header are called `other`. Takes O(records) time.
    pub(super) fn of_records(self, text: &Text, other: &str) -> Vec<ExportedName> {
        let mut names = self.of_each_record(text, other);
        self.make_distinct(&mut names);
        names
    }

    /// Returns the names of all records of a text, allowed by this rule. Several records may have the same name. Records without a
    /// header are called `other`.
    pub(super) fn of_each_record(self, text: &Text, other: &str) -> Vec<ExportedName> {
        let own = |part: usize| match text.has_separate_records() {
            true => self.of(text.record_name(part as u64).as_deref().or(text.name()), other),
            false => self.of_text(text, other),
        };
        (0..text.record_count()).map(own).collect()
    }

    /// Appends a number from 2 to each name that an earlier one already has. Takes O(names) time.
    pub(super) fn make_distinct(self, names: &mut [ExportedName]) {
        // A name that is allowed as it is stays unchanged, even if an earlier name was changed to the same word.
        let unchanged: HashSet<String> = names.iter().filter(|name| name.original.is_none()).map(|name| name.name.clone()).collect();
        let mut taken: HashSet<String> = HashSet::new();
        let mut last_numbers: HashMap<String, u64> = HashMap::new();
        let longest = self.max_chars();
        let with_number = |name: &str, number: u64| {
            let end = format!("_{number}");
            name.chars().take(longest - end.len()).chain(end.chars()).collect::<String>()
        };
        for name in names {
            let is_first = !taken.contains(&name.name) && (name.original.is_none() || !unchanged.contains(&name.name));
            if !is_first {
                let last = last_numbers.entry(name.name.clone()).or_insert(1);
                let free = |candidate: &String| !taken.contains(candidate) && !unchanged.contains(candidate);
                let numbered = (*last + 1..).map(|number| (with_number(&name.name, number), number)).find(|(name, _)| free(name));
                if let Some((candidate, number)) = numbered {
                    *last = number;
                    let same = std::mem::replace(&mut name.name, candidate);
                    name.original.get_or_insert(same);
                }
            }
            taken.insert(name.name.clone());
        }
    }

    /// Returns the maximum number of characters of a name.
    fn max_chars(self) -> usize {
        if self == Self::Read { MAX_READ_NAME } else { usize::MAX }
    }

    fn of(self, header: Option<&str>, other: &str) -> ExportedName {
        self.of_word(header.and_then(|header| header.split_whitespace().next()).unwrap_or(other))
    }

    /// Returns a given name as a whole, changed by this rule.
    pub(super) fn of_word(self, word: &str) -> ExportedName {
        let written = self.apply(word);
        let original = (written != word).then(|| word.to_owned());
        ExportedName { name: written, original }
    }
}

/// A name of a text or record as it is written in a file, and the original name if it had to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExportedName {
    /// The name in the file.
    pub(super) name: String,
    /// The first word of the header (or the name for texts without a header), if it differs from `name`.
    pub(super) original: Option<String>,
}

impl ExportedName {
    /// Describes the change of the name on one line, as `NEW was OLD`, for comments of files. Returns `None` if the
    /// name is unchanged.
    pub(super) fn change(&self) -> Option<String> {
        let original = self.original.as_ref()?;
        let plain: String = original.chars().map(|char| if char.is_control() { '_' } else { char }).collect();
        Some(format!("{} was {plain}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use kernels::reading::{ChosenRecord, FastaMode, PairRecordChoices, ReadingOptions, RecordChoice};
    use kernels::text::Pair;

    use super::*;

    fn names(rule: NameRule, headers: &[&str]) -> Vec<String> {
        let b: String = headers.iter().map(|header| format!(">{header}\nACGT\n")).collect();
        let (reading, choices) = (
            ReadingOptions { fasta: FastaMode::Always, ..ReadingOptions::default() },
            PairRecordChoices { allows_many: true, ..PairRecordChoices::default() },
        );
        let pair = Pair::parse_records(&b"A"[..], b.as_bytes(), &reading, &choices).unwrap();
        let names = rule.of_records(&pair.b, "b");
        names.into_iter().map(|name| name.change().unwrap_or(name.name)).collect()
    }

    #[test]
    fn headers_are_cut_and_given_names_are_not() {
        let chosen = RecordChoice { record: Some(ChosenRecord::Number(1)), joined: false };
        let choices = PairRecordChoices { b: chosen, ..PairRecordChoices::default() };
        let reading = ReadingOptions { fasta: FastaMode::Always, ..ReadingOptions::default() };
        let pair = Pair::parse_records(&b">p one\nAC\n"[..], &b">chr1 x\nAC\n>chr2 Homo sapiens\nACGT\n"[..], &reading, &choices).unwrap();
        let names = |text: &Text| NameRule::Word.of_records(text, "b").into_iter().map(|name| name.name).collect::<Vec<_>>();
        assert_eq!((names(&pair.a), names(&pair.b)), (vec!["p".to_owned()], vec!["chr2".to_owned()]));
        assert_eq!(names(&pair.b.clone().named("my file.txt")), ["my_file.txt"]);
        assert_eq!(names(&pair.b.named(" ")), ["b"]);
    }

    #[test]
    fn every_format_has_its_own_rule_for_names() {
        let headers = ["HLA-A*01:01:01:01 x", "A/x(H5N8)", "a,b", "a=b@c", "@d", "*e", "é", "#f", "track", "\"q\""];
        let sequence = [
            "HLA-A*01:01:01:01",
            "A/x_H5N8_ was A/x(H5N8)",
            "a_b was a,b",
            "a=b@c",
            "@d",
            "_e was *e",
            "_ was é",
            "#f",
            "track",
            "_q_ was \"q\"",
        ];
        assert_eq!(names(NameRule::Sequence, &headers), sequence);
        let word = ["HLA-A*01:01:01:01", "A/x(H5N8)", "a,b", "a=b@c", "@d", "*e", "é", "#f", "track", "\"q\""];
        assert_eq!(names(NameRule::Word, &headers), word);
        let interval = ["HLA-A*01:01:01:01", "A/x(H5N8)", "a,b", "a=b@c", "@d", "*e", "é", "_f was #f", "track_ was track", "\"q\""];
        assert_eq!(names(NameRule::Interval, &headers), interval);
        assert_eq!(names(NameRule::Read, &["a@b", "a,b*"]), ["a_b was a@b", "a,b*"]);
    }

    #[test]
    fn names_of_records_are_unique() {
        let long = "x".repeat(300);
        let found = names(NameRule::Sequence, &["same", "same", "same_2", "same", "a,b", "a_b", &long, &long]);
        assert_eq!(found[..6], ["same", "same_3 was same", "same_2", "same_4 was same", "a_b_2 was a,b", "a_b"]);
        assert_eq!(found[6..], [long.clone(), format!("{long}_2 was {long}")]);
        let mut reads = [&long, &long].map(|long| NameRule::Read.of_word(long));
        NameRule::Read.make_distinct(&mut reads);
        assert_eq!(reads.map(|name| name.name), ["x".repeat(254), format!("{}_2", "x".repeat(252))]);
    }
}
