//! Formats of files in which a result can be written ([`ExportFormat`]), and the results that each format can hold.
//! Page, worker and server use the list [`ExportFormat::ALL`].

use std::str::FromStr;

use kernels::cbor::Cbor;
use kernels::job::{JobOptions, Task, Unit};
use serde::{Deserialize, Serialize};

/// A format in which a result can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ExportFormat {
    /// Everything except the texts, as JSON.
    Json,
    /// A format of one alignment: of both texts, or of the pattern and one hit.
    Aligned(AlignmentFormat),
    /// A format of all findings of a search: hits, or a score for each offset.
    Listed(FindingsFormat),
}

/// A format in which one alignment can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlignmentFormat {
    /// The CIGAR string, in one line, with `=` for a match and `X` for a mismatch.
    Cigar,
    /// Blocks of both texts, for people.
    Text,
    /// Rows of both sequences in the format `pair` of EMBOSS.
    Emboss,
    /// Every edit with its positions, as comma-separated values.
    Edits,
    /// One line of PAF, a format of read mappers.
    Paf,
    /// A SAM file (a format of read mappers) with one read.
    Sam,
    /// One line of the tabular output of BLAST.
    Blast,
    /// A unified diff, if symbols are lines.
    Diff,
    /// The common subsequence of both texts, as plain text.
    Subsequence,
    /// The edits as changes that convert `a` to `b`, in VCF, for genome software.
    Vcf,
    /// Both sequences with gaps, in FASTA.
    Fasta,
    /// A picture of some columns of the alignment, in SVG.
    Picture,
    /// A report for people, as one HTML file.
    Report,
}

/// A format in which all findings of a search (hits, or a score for each offset) can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindingsFormat {
    /// All hits, as comma-separated values.
    Hits,
    /// The score of every offset (position of `a` along `b`), as comma-separated values.
    Scores,
    /// All hits, one line each of PAF, a format of read mappers.
    Paf,
    /// All hits, in one SAM file (a format of read mappers).
    Sam,
    /// All hits, one line each of BED, a format of genome browsers.
    Bed,
    /// The start of each hit, one per line, or "Not found". The program of paper 004, section III, prints the same.
    Positions,
}

const CIGAR: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Cigar);
const TEXT: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Text);
const EDITS: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Edits);
const EMBOSS: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Emboss);
const PAF: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Paf);
const SAM: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Sam);
const BLAST: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Blast);
const DIFF: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Diff);
const SUBSEQUENCE: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Subsequence);
const VCF: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Vcf);
const FASTA: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Fasta);
const PICTURE: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Picture);
const REPORT: ExportFormat = ExportFormat::Aligned(AlignmentFormat::Report);
const HITS: ExportFormat = ExportFormat::Listed(FindingsFormat::Hits);
const SCORES: ExportFormat = ExportFormat::Listed(FindingsFormat::Scores);
const HITS_PAF: ExportFormat = ExportFormat::Listed(FindingsFormat::Paf);
const HITS_SAM: ExportFormat = ExportFormat::Listed(FindingsFormat::Sam);
const HITS_BED: ExportFormat = ExportFormat::Listed(FindingsFormat::Bed);
const POSITIONS: ExportFormat = ExportFormat::Listed(FindingsFormat::Positions);

/// Error for an unknown format name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such format")]
pub struct UnknownFormatError;

impl ExportFormat {
    /// Every format, in the order in which the page offers them.
    pub const ALL: [Self; 20] = [
        CIGAR,
        TEXT,
        Self::Json,
        EMBOSS,
        PAF,
        SAM,
        BLAST,
        DIFF,
        SUBSEQUENCE,
        EDITS,
        VCF,
        FASTA,
        PICTURE,
        REPORT,
        HITS,
        HITS_PAF,
        HITS_SAM,
        HITS_BED,
        POSITIONS,
        SCORES,
    ];

    /// Returns the name of the format, as in URLs and messages.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the media type of the format, as in the header `Content-Type`.
    pub fn content_type(self) -> &'static str {
        self.row().2
    }

    /// Returns whether the format is comma-separated values.
    pub fn is_comma_separated(self) -> bool {
        self.content_type().starts_with("text/csv")
    }

    /// Returns the file name to suggest when a result of `task` is saved in this format.
    pub fn file_name(self, task: Task) -> String {
        format!("{}.{}", task.name(), self.row().1)
    }

    /// Returns whether results of `task` with `options` can be written in this format.
    pub fn suits(self, task: Task, options: &JobOptions) -> bool {
        self.suits_task(task) && self.suits_symbols(options)
    }

    /// Returns whether results of `task` can be written in this format, at least with some options.
    pub fn suits_task(self, task: Task) -> bool {
        let of_task: &[Self] = match task {
            Task::EditDistance => &[EMBOSS, PAF, SAM, DIFF, VCF, FASTA],
            Task::SequenceAlignment => &[EMBOSS, PAF, SAM, BLAST, FASTA],
            Task::Lcs => &[DIFF, SUBSEQUENCE, FASTA],
            Task::ApproximateSearch => &[PAF, SAM, FASTA, HITS, HITS_PAF, HITS_SAM, HITS_BED],
            Task::ExactSearch => &[PAF, SAM, FASTA, HITS, HITS_PAF, HITS_SAM, HITS_BED, POSITIONS],
            Task::MatchCount => &[PAF, SAM, FASTA, HITS, HITS_PAF, HITS_SAM, HITS_BED, SCORES],
        };
        [CIGAR, TEXT, Self::Json, EDITS, PICTURE, REPORT].contains(&self) || of_task.contains(&self)
    }

    fn suits_symbols(self, options: &JobOptions) -> bool {
        match self {
            // Programs for biological sequences accept only letters as symbols, no words and no lines.
            EMBOSS | PAF | SAM | BLAST | VCF | FASTA | HITS_PAF | HITS_SAM | HITS_BED => {
                matches!(options.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes)
            }
            // A diff contains every line, but lines that the options ignore are not symbols of the texts.
            DIFF => {
                let JobOptions { ignore_whitespace, ignore_line_ends, ignore_punctuation, ignore_accents, ignore_digits, .. } = *options;
                let ignores = ignore_whitespace || ignore_line_ends || ignore_punctuation || ignore_accents || ignore_digits;
                options.unit == Unit::Lines && !ignores
            }
            CIGAR | TEXT | EDITS | SUBSEQUENCE | PICTURE | REPORT | HITS | POSITIONS | SCORES | Self::Json => true,
        }
    }

    /// Returns the name in URLs, the file extension and the media type of the format.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        const PLAIN: &str = "text/plain; charset=utf-8";
        const COMMAS: &str = "text/csv; charset=utf-8";
        match self {
            CIGAR => ("cigar", "cigar", PLAIN),
            TEXT => ("text", "txt", PLAIN),
            Self::Json => ("json", "json", "application/json"),
            EDITS => ("edits", "edits.csv", COMMAS),
            EMBOSS => ("emboss", "pair.txt", PLAIN),
            PAF => ("paf", "paf", PLAIN),
            SAM => ("sam", "sam", PLAIN),
            BLAST => ("blast", "blast.tsv", PLAIN),
            DIFF => ("diff", "diff", PLAIN),
            SUBSEQUENCE => ("subsequence", "txt", PLAIN),
            VCF => ("vcf", "vcf", PLAIN),
            FASTA => ("fasta", "aligned.fasta", PLAIN),
            PICTURE => ("svg", "svg", "image/svg+xml"),
            REPORT => ("html", "html", "text/html; charset=utf-8"),
            HITS => ("csv", "csv", COMMAS),
            HITS_PAF => ("hits-paf", "hits.paf", PLAIN),
            HITS_SAM => ("hits-sam", "hits.sam", PLAIN),
            HITS_BED => ("bed", "bed", PLAIN),
            POSITIONS => ("positions", "positions.txt", PLAIN),
            SCORES => ("profile-csv", "profile.csv", COMMAS),
        }
    }
}

/// Encodes a format as its index in [`ExportFormat::ALL`].
impl Cbor for ExportFormat {
    fn write(&self, out: &mut Vec<u8>) {
        Self::ALL.iter().position(|format| format == self).unwrap_or_default().write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Self::ALL.get(usize::read(from)?).copied()
    }
}

impl FromStr for ExportFormat {
    type Err = UnknownFormatError;

    fn from_str(name: &str) -> Result<Self, UnknownFormatError> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or(UnknownFormatError)
    }
}

impl TryFrom<String> for ExportFormat {
    type Error = UnknownFormatError;

    fn try_from(name: String) -> Result<Self, UnknownFormatError> {
        name.parse()
    }
}

impl From<ExportFormat> for String {
    fn from(format: ExportFormat) -> Self {
        format.name().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_names_are_parsed_and_printed_without_loss() {
        for format in ExportFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(ExportFormat::try_from(String::from(format)), Ok(format));
        }
        assert_eq!("pdf".parse::<ExportFormat>(), Err(UnknownFormatError));
    }

    #[test]
    fn lines_have_no_sequence_formats_and_letters_no_diff() {
        let lines = JobOptions { unit: Unit::Lines, ..JobOptions::default() };
        let suits = |format: ExportFormat, options: &JobOptions| format.suits(Task::EditDistance, options);
        assert!(suits(DIFF, &lines) && !suits(PAF, &lines));
        assert!(!suits(DIFF, &JobOptions::default()) && suits(SAM, &JobOptions::default()));
        assert!(!HITS.suits(Task::Lcs, &lines) && SUBSEQUENCE.suits(Task::Lcs, &lines));
    }
}
