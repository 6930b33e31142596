//! Format: what a result can be written as, and which results.

use std::str::FromStr;

use kernels::job::{Options, Task, Unit};

use crate::error::{Kind, Problem};

/// What a result can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everything but the texts, for programs.
    Json,
    /// An alignment: of both texts, or of a hit.
    Aligned(Aligned),
    /// All that a search has found.
    Listed(Listed),
}

/// What an alignment can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aligned {
    /// The CIGAR with distinct match and mismatch, one line.
    Cigar,
    /// Blocks, for people.
    Text,
    /// A line of PAF.
    Paf,
    /// A SAM file of one read.
    Sam,
    /// A unified diff of lines.
    Diff,
    /// The common subsequence as a text.
    Subsequence,
}

/// Lists of a search, as comma-separated values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// All hits.
    Hits,
    /// The score at every offset.
    Scores,
}

const CIGAR: Format = Format::Aligned(Aligned::Cigar);
const TEXT: Format = Format::Aligned(Aligned::Text);
const PAF: Format = Format::Aligned(Aligned::Paf);
const SAM: Format = Format::Aligned(Aligned::Sam);
const DIFF: Format = Format::Aligned(Aligned::Diff);
const SUBSEQUENCE: Format = Format::Aligned(Aligned::Subsequence);
const HITS: Format = Format::Listed(Listed::Hits);
const SCORES: Format = Format::Listed(Listed::Scores);

impl Format {
    const ALL: [Self; 9] = [CIGAR, TEXT, Self::Json, PAF, SAM, DIFF, SUBSEQUENCE, HITS, SCORES];

    /// Name in the address.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The media type.
    pub fn content_type(self) -> &'static str {
        self.row().2
    }

    /// The name that a browser saves it under.
    pub fn file_name(self, task: Task) -> String {
        format!("{}.{}", task.name(), self.row().1)
    }

    /// Refuses a format that makes no sense for a result.
    ///
    /// # Errors
    /// `UnsupportedFormat` with the formats that do.
    pub fn check(self, task: Task, options: &Options) -> Result<Self, Problem> {
        let suits = |format: &Self| format.suits(task) && format.suits_symbols(options);
        if suits(&self) {
            return Ok(self);
        }
        let others: Vec<&str> = Self::ALL.into_iter().filter(suits).map(Self::name).collect();
        let of = if self.suits(task) { format!("in {} read like this", options.unit.name()) } else { format!("of {}", task.name()) };
        let detail = format!("A result {of} is not written as {}, but as {}.", self.name(), others.join(", "));
        Err(Problem::new(Kind::UnsupportedFormat, detail))
    }

    fn suits(self, task: Task) -> bool {
        let of_task: &[Self] = match task {
            Task::EditDistance => &[PAF, SAM, DIFF],
            Task::Lcs => &[DIFF, SUBSEQUENCE],
            Task::ApproximateSearch | Task::ExactSearch => &[PAF, SAM, HITS],
            Task::MatchCount => &[PAF, SAM, HITS, SCORES],
        };
        [CIGAR, TEXT, Self::Json].contains(&self) || of_task.contains(&self)
    }

    fn suits_symbols(self, options: &Options) -> bool {
        match self {
            // What read mappers know are letters.
            PAF | SAM => matches!(options.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes),
            // A diff counts every line, and blank ones are no symbols where white space does not count.
            DIFF => options.unit == Unit::Lines && !options.ignore_whitespace,
            CIGAR | TEXT | SUBSEQUENCE | HITS | SCORES | Self::Json => true,
        }
    }

    /// Name, ending, media type.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        const PLAIN: &str = "text/plain; charset=utf-8";
        const COMMAS: &str = "text/csv; charset=utf-8";
        match self {
            CIGAR => ("cigar", "cigar", PLAIN),
            TEXT => ("text", "txt", PLAIN),
            Self::Json => ("json", "json", "application/json"),
            PAF => ("paf", "paf", PLAIN),
            SAM => ("sam", "sam", PLAIN),
            DIFF => ("diff", "diff", PLAIN),
            SUBSEQUENCE => ("subsequence", "txt", PLAIN),
            HITS => ("csv", "csv", COMMAS),
            SCORES => ("profile-csv", "profile.csv", COMMAS),
        }
    }
}

impl FromStr for Format {
    type Err = Problem;

    fn from_str(name: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            Problem::new(Kind::UnsupportedFormat, format!("Formats are {}; not every result has each.", known.join(", ")))
        })
    }
}
