//! Options of the panel with their texts and their place in the options of a job: switches (`OptionSwitch`) and
//! numbers (`LimitOption`).

use kernels::job::{JobOptions, PaperMethod, Task};

use crate::model::problem::Problem;
use crate::model::task::{TaskDescription, TaskOption};
use crate::tr::t;

pub(super) fn takes(task: Task, option: TaskOption) -> bool {
    TaskDescription::of(task).takes.contains(&option)
}

/// An option that is on or off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionSwitch {
    Alignment,
    LocalMinima,
    CountOnly,
    Case,
    Whitespace,
    LineEnds,
    Accents,
    Punctuation,
    Digits,
    Normalize,
}

impl OptionSwitch {
    pub(crate) const ALL: [Self; 10] = [
        Self::Alignment,
        Self::LocalMinima,
        Self::CountOnly,
        Self::Case,
        Self::Whitespace,
        Self::LineEnds,
        Self::Accents,
        Self::Punctuation,
        Self::Digits,
        Self::Normalize,
    ];

    /// Returns whether a task has this option.
    pub(crate) fn is_of(self, task: Task) -> bool {
        match self {
            Self::Alignment => takes(task, TaskOption::Alignment),
            Self::LocalMinima => takes(task, TaskOption::LocalMinima),
            Self::CountOnly => takes(task, TaskOption::CountOnly),
            Self::Case | Self::Whitespace | Self::LineEnds | Self::Accents | Self::Punctuation | Self::Digits | Self::Normalize => true,
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Alignment => t("Show the alignment"),
            Self::LocalMinima => t("Merge overlapping matches"),
            Self::CountOnly => t("Only count"),
            Self::Case => t("Upper and lower case"),
            Self::Whitespace => t("White space"),
            Self::LineEnds => t("Line ends and blank lines"),
            Self::Accents => t("Accents"),
            Self::Punctuation => t("Punctuation"),
            Self::Digits => t("Digits"),
            Self::Normalize => t("How accents are stored (Unicode NFC)"),
        }
    }

    /// Returns whether the option makes the comparison ignore something.
    pub(crate) const fn ignores(self) -> bool {
        match self {
            Self::Alignment | Self::LocalMinima | Self::CountOnly => false,
            Self::Case | Self::Whitespace | Self::LineEnds | Self::Accents | Self::Punctuation | Self::Digits | Self::Normalize => true,
        }
    }

    /// Returns the words for the option in the sentence about options that differ from their defaults.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Alignment => t("without the alignment"),
            Self::LocalMinima => t("overlapping matches merged"),
            Self::CountOnly => t("only counted"),
            Self::Case => t("case"),
            Self::Whitespace => t("white space"),
            Self::LineEnds => t("line ends and blank lines"),
            Self::Accents => t("accents"),
            Self::Punctuation => t("punctuation"),
            Self::Digits => t("digits"),
            Self::Normalize => t("how accents are stored"),
        }
    }

    /// Returns an explanation of the option in one line.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Alignment => t("Also finds where the edits are, not only how many. It takes about twice as long, and more memory."),
            Self::LocalMinima => t("Of matches that overlap, keeps the one with the fewest edits."),
            Self::CountOnly => t("Counts the matches without keeping their places: less memory, but nothing to look at."),
            Self::Case => t("A and a are equal. The texts are still shown as they were typed."),
            Self::Whitespace => t("Spaces, tabs and line ends do not count."),
            Self::LineEnds => t("Blank lines, spaces at line ends and the kind of line end do not count."),
            Self::Accents => t("é and e are equal, and so are letters with and without vowel points."),
            Self::Punctuation => t("Commas, full stops, quotation marks and hyphens do not count."),
            Self::Digits => t("0 to 9 and the digits of other scripts do not count; fractions do."),
            Self::Normalize => t("é as one character and é as e with an accent are equal, as readers expect."),
        }
    }

    pub(crate) fn value_mut(self, options: &mut JobOptions) -> &mut bool {
        match self {
            Self::Alignment => &mut options.alignment,
            Self::LocalMinima => &mut options.local_minima,
            Self::CountOnly => &mut options.count_only,
            Self::Case => &mut options.case_insensitive,
            Self::Whitespace => &mut options.ignore_whitespace,
            Self::LineEnds => &mut options.ignore_line_ends,
            Self::Accents => &mut options.ignore_accents,
            Self::Punctuation => &mut options.ignore_punctuation,
            Self::Digits => &mut options.ignore_digits,
            Self::Normalize => &mut options.normalize,
        }
    }
}

/// An option with a number, which the visitor may leave out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitOption {
    Edits,
    Mismatches,
    Blocks,
}

impl LimitOption {
    pub(super) const ALL: [Self; 3] = [Self::Edits, Self::Mismatches, Self::Blocks];

    /// Returns whether the task has this option with the method in `options`.
    pub(super) fn is_of(self, task: Task, options: &JobOptions) -> bool {
        match self {
            // The methods of edit distance have no limit.
            Self::Edits if task == Task::EditDistance => options.method.is_none_or(|method| !PaperMethod::for_task(task).contains(&method)),
            Self::Edits => takes(task, TaskOption::MaxDistance),
            Self::Mismatches => takes(task, TaskOption::MaxMismatches),
            Self::Blocks => options.method == Some(PaperMethod::Slices) && PaperMethod::for_task(task).contains(&PaperMethod::Slices),
        }
    }

    /// Returns the placeholder of the field, which says what an empty field means for `task`.
    pub(super) fn empty(self, task: Task) -> &'static str {
        match self {
            Self::Edits if task == Task::EditDistance => t("no limit"),
            Self::Edits | Self::Mismatches => t("best only"),
            Self::Blocks => "128",
        }
    }

    /// Parses a typed number. Returns `None` for an empty field, and an error if the text is not a valid value of this
    /// option.
    pub(super) fn read(self, text: &str) -> Result<Option<u64>, ()> {
        let number = parse(text)?;
        let fits = self != Self::Blocks || number.is_none_or(|blocks| (1..=JobOptions::MAX_SLICE_BLOCKS).contains(&blocks));
        if fits { Ok(number) } else { Err(()) }
    }

    /// Returns the problem that explains an invalid number.
    pub(super) fn problem(self, task: Task) -> Problem {
        let (title, detail) = match self {
            Self::Edits if task == Task::EditDistance => {
                (t("k is a whole number"), t("Type a number such as 50, or leave the field empty for no limit."))
            }
            Self::Edits | Self::Mismatches => {
                (t("k is a whole number"), t("Type a number such as 3, or leave the field empty for the best only."))
            }
            Self::Blocks => (t("D is a whole number"), t("Type a number from 1 to 65,535, or leave the field empty for 128.")),
        };
        Problem::new("bad-input", title, detail)
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Edits => "max-distance",
            Self::Mismatches => "max-mismatches",
            Self::Blocks => "blocks",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Edits => t("At most k edits"),
            Self::Mismatches => t("At most k unequal"),
            Self::Blocks => t("Slices, D"),
        }
    }

    pub(super) fn about(self, task: Task) -> &'static str {
        match self {
            Self::Edits if task == Task::EditDistance => t(
                "Ends as soon as the distance must be more than k, and says only that. With other costs, k limits their sum. Empty: no limit.",
            ),
            Self::Edits => t("The most edits that a match may have. Empty: only the best matches."),
            Self::Mismatches => t("How many symbols may differ at an offset. Empty: only the best offsets."),
            Self::Blocks => t("Into how many slices b is cut, each searched by a block of threads of its own. Empty: 128."),
        }
    }

    pub(super) fn value_mut(self, options: &mut JobOptions) -> &mut Option<u64> {
        match self {
            Self::Edits => &mut options.max_distance,
            Self::Mismatches => &mut options.max_mismatches,
            Self::Blocks => &mut options.blocks,
        }
    }
}

/// Parses the content of a number field: a whole number with or without separators of thousands. Returns `None` if it
/// is empty.
pub(super) fn parse(text: &str) -> Result<Option<u64>, ()> {
    let text: String = text.chars().filter(|char| !char.is_whitespace() && *char != ',').collect();
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| ()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::form::FormState;

    #[test]
    fn bound_is_a_number_or_empty() {
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse(" 3 "), Ok(Some(3)));
        assert_eq!(parse("1,024"), Ok(Some(1_024)));
        for bad in ["k", "-1", "2.5", "99999999999999999999999"] {
            assert_eq!(parse(bad), Err(()), "{bad}");
        }
    }

    #[test]
    fn switch_of_another_task_has_no_effect() {
        for task in Task::ALL {
            let mut form = FormState::new(task);
            let before = form.job_options();
            for switch in OptionSwitch::ALL {
                let options = form.options.clone();
                *switch.value_mut(&mut form.options) ^= true;
                assert_eq!(form.job_options() != before, switch.is_of(task), "{task:?}");
                form.options = options;
            }
        }
    }
}
