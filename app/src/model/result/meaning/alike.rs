//! The meaning of an edit distance for texts that look alike: equal apart from ignored properties, or different in
//! invisible characters.

use explain::invisible::{is_hidden, is_shaping, is_space};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Unit};

use super::AnswerMeaning;
use crate::model::form::{FormSide, FormState};
use crate::model::text::humanize;
use crate::model::text::lookalikes::skeleton;
use crate::tr::t;

/// Maximum size of a text, in bytes, for which this module compares how the texts look. The comparison runs while the
/// visitor types.
const MAX_BYTES: usize = 20_000;

impl AnswerMeaning {
    /// Replaces the sentence by a remark on how short texts differ, if the answer alone would mislead. `compose` is a
    /// function that converts a text to Unicode NFC.
    pub fn with_visible_difference(self, answer: &TaskAnswer, form: &FormState, compose: fn(&str) -> String) -> Self {
        let TaskAnswer::EditDistance { distance: Some(distance), .. } = answer else { return self };
        let JobOptions { costs, ambiguity, .. } = form.job_options();
        // Letters of ambiguity codes match although they differ visibly.
        if ambiguity {
            return self;
        }
        // A sum of costs is no number of edits, and free edits may be visible.
        if !costs.is_levenshtein() && (*distance > 0 || costs.has_free_edit()) {
            return self;
        }
        let says = match FormSide::BOTH.map(|which| form.side(which).text().filter(|text| text.len() <= MAX_BYTES)) {
            [Some(a), Some(b)] if a != b && !a.is_empty() && !b.is_empty() => match distance {
                0 => ignored_difference(&form.job_options()),
                distance => invisible_difference(a, b, *distance, form.options.unit, compose),
            },
            _ => None,
        };
        match says {
            Some(says) if *distance == 0 => Self { says: says.into(), aside: String::new(), ..self },
            Some(says) => Self { says: says.into(), ..self },
            None => self,
        }
    }
}

/// Returns the remark on the differences that `options` ignore, for texts with distance 0 that are not identical.
/// Returns `None` if the options ignore nothing.
fn ignored_difference(options: &JobOptions) -> Option<&'static str> {
    let ignored = [
        (options.case_insensitive, t("differences, apart from case.")),
        (options.ignore_whitespace, t("differences, apart from white space.")),
        (options.ignore_line_ends, t("differences, apart from the line ends.")),
        (options.ignore_punctuation, t("differences, apart from punctuation.")),
        (options.ignore_accents, t("differences, apart from accents.")),
        (options.ignore_digits, t("differences, apart from digits.")),
        (options.normalize, t("differences, apart from how accents are stored.")),
    ];
    let mut ignored = ignored.into_iter().filter(|(is_on, _)| *is_on).map(|(_, says)| says);
    let first = ignored.next()?;
    Some(if ignored.next().is_some() { t("differences, apart from what is ignored.") } else { first })
}

/// Returns a remark on how the texts `a` and `b` differ if they look the same or alike, else `None`. `distance` is
/// their edit distance in symbols of `unit`. `compose` is a function that converts a text to Unicode NFC.
fn invisible_difference(a: &str, b: &str, distance: u64, unit: Unit, compose: fn(&str) -> String) -> Option<&'static str> {
    if matches!(unit, Unit::Words | Unit::Lines) || a.is_ascii() && b.is_ascii() {
        return None;
    }
    let [a, b] = [visible_form(&compose(a)), visible_form(&compose(b))];
    if a == b {
        return Some(match distance {
            _ if humanize::is_one(distance) => t("edit, and the two look the same."),
            2 => t("edits, both invisible."),
            _ => t("edits, all invisible."),
        });
    }
    let is_alike = a.chars().map(skeleton).eq(b.chars().map(skeleton));
    is_alike.then(|| match humanize::is_one(distance) {
        true => t("edit between two letters that look alike."),
        false => t("edits between letters that look alike."),
    })
}

/// Returns the visible form of a text: without invisible characters, and with every space as U+0020.
fn visible_form(text: &str) -> String {
    let visible = text.chars().filter(|letter| !is_hidden(*letter) && !is_shaping(*letter));
    visible.map(|letter| if is_space(letter) { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use kernels::job::{EditCosts, Task};

    use super::*;
    use crate::model::form::FormText;
    use crate::model::result::meaning::meaning;

    /// Returns NFC for these tests, whose only accented letter is é.
    fn compose(text: &str) -> String {
        text.replace("e\u{301}", "é")
    }

    fn said(a: &str, b: &str, distance: u64, options: JobOptions) -> String {
        let form =
            FormState { a: FormText::typed(a), b: FormText::typed(b), options: options.clone(), ..FormState::new(Task::EditDistance) };
        let answer = TaskAnswer::from_distance(distance, None);
        meaning(&answer, (9, 9), &options).with_visible_difference(&answer, &form, compose).plain()
    }

    #[test]
    fn texts_that_differ_only_in_ignored_characters_are_reported_so() {
        let plain = JobOptions::default();
        let case = JobOptions { case_insensitive: true, ..plain.clone() };
        let both = JobOptions { ignore_whitespace: true, ..case.clone() };
        assert_eq!(said("Cat", "cat", 0, case.clone()), "0 differences, apart from case.");
        assert_eq!(said("cat 1", "cat 2", 0, JobOptions { ignore_digits: true, ..plain.clone() }), "0 differences, apart from digits.");
        assert_eq!(said("C at", "cat", 0, both), "0 differences, apart from what is ignored.");
        assert_eq!(said("cat", "cat", 0, case.clone()), "0 edits: a and b are equal.");
        assert_eq!(said("Cat", "cat", 0, JobOptions { costs: EditCosts::OSA, ..case.clone() }), "0 differences, apart from case.");
        let free = EditCosts { substitute: 0, ..EditCosts::OSA };
        assert!(said("Cat", "cat", 0, JobOptions { costs: free, ..case.clone() }).starts_with("0 is the least sum of costs"));
        let zero_width = said(
            "pass\u{200b}",
            "pass",
            2,
            JobOptions { costs: EditCosts { delete: 2, ..EditCosts::OSA }, unit: Unit::Chars, ..plain.clone() },
        );
        assert!(zero_width.starts_with("2 is the least sum of costs"), "{zero_width}");
    }

    #[test]
    fn invisible_edits_are_called_invisible() {
        let plain = JobOptions { unit: Unit::Graphemes, ..JobOptions::default() };
        let rows = [
            ("cafe\u{301}", "café", 1, "1 edit, and the two look the same. 88.9% similar (1 − 1/9)"),
            ("pass\u{200b}wo\u{200b}rd", "password", 2, "2 edits, both invisible. 77.8% similar (1 − 2/9)"),
            ("a\u{a0}b\u{a0}c\u{a0}d", "a b c d", 3, "3 edits, all invisible. 66.7% similar (1 − 3/9)"),
            ("p\u{430}ypal", "paypal", 1, "1 edit between two letters that look alike. 88.9% similar (1 − 1/9)"),
            ("p\u{430}yp\u{430}l", "paypal", 2, "2 edits between letters that look alike. 77.8% similar (1 − 2/9)"),
            ("p\u{430}ypal", "payback", 4, "4 edits turn a into b. 55.6% similar (1 − 4/9)"),
            ("", "\u{200b}", 1, "1 edit turns a into b. 88.9% similar (1 − 1/9)"),
        ];
        for (a, b, distance, expected) in rows {
            assert_eq!(said(a, b, distance, plain.clone()), expected);
        }
        assert!(said("pass\u{200b}", "pass", 1, JobOptions { unit: Unit::Words, ..plain.clone() }).starts_with("1 word edit"));
    }
}
