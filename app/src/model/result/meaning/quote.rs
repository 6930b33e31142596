//! The piece of text that an answer is about, quoted in its sentence: a short common subsequence, or the closest match
//! ([`TextQuote`]).

use explain::hit_page::HitPage;
use explain::window::AlignmentWindow;
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Unit};

use super::{AnswerMeaning, MAX_NAMED_LETTERS, symbols_noun};
use crate::model::alignment::common::common_text;
use crate::model::alignment::rows::visible_text;
use crate::model::search::hit_groups::{named_line, piece};
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;

/// Maximum number of columns of an alignment whose common subsequence may be quoted.
pub const MAX_COLUMNS: u64 = 200;

/// Word that stands, between asterisks, for the quoted text in a sentence.
pub(super) const PLACE: &str = "quote";

/// A short piece of a text, quoted in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextQuote {
    /// The piece, with invisible characters replaced by glyphs.
    pub text: String,
    /// Line number from 1, if the piece is not in the first line.
    pub line: Option<u64>,
}

impl TextQuote {
    /// Quotes the common subsequence of an alignment. `window` must contain the whole alignment. Returns `None` if the
    /// subsequence is empty or long.
    pub fn of_subsequence(window: &AlignmentWindow, unit: Unit) -> Option<Self> {
        Self::new(&common_text(window, unit), None)
    }

    /// Quotes the text of the first hit of a page. Returns `None` if that text is empty or long.
    pub fn of_hit(seen: &HitPage, unit: Unit) -> Option<Self> {
        let hit = seen.hits.first().filter(|hit| hit.end > hit.start)?;
        let line = named_line(&seen.passages, hit.start, unit);
        Self::new(&piece(&seen.passages, hit.start, hit.end), line)
    }

    fn new(text: &str, line: Option<u64>) -> Option<Self> {
        let is_short = !text.trim().is_empty() && text.chars().nth(MAX_NAMED_LETTERS).is_none();
        is_short.then(|| Self { text: visible_text(text), line })
    }
}

impl AnswerMeaning {
    /// Puts `quote`, the text that the answer is about, into the sentence. `a` and `b` are the lengths of the texts.
    pub fn quoting(self, quote: Option<TextQuote>, answer: &TaskAnswer, (a, b): (u64, u64), options: &JobOptions) -> Self {
        let Some(quote) = quote else { return self };
        let says = match answer {
            // Other sentences say that one text is a subsequence of the other.
            TaskAnswer::Lcs { length, .. } if *length > 0 && *length < a.min(b) => {
                let symbols = symbols_noun(*length, options.unit);
                match length {
                    1 => tr!("{symbols} in common: *quote*.", symbols = symbols),
                    _ => tr!("{symbols} in common, in the same order: *quote*.", symbols = symbols),
                }
            }
            TaskAnswer::ApproximateSearch { distance: Some(distance), .. } if *distance > 0 && options.max_distance.is_none() => {
                match (humanize::is_one(*distance), quote.line.map(humanize::grouped)) {
                    (true, None) => t("edit: the closest match is *quote*.").into(),
                    (false, None) => t("edits: the closest match is *quote*.").into(),
                    (true, Some(line)) => tr!("edit: the closest match is *quote* in line {line}.", line = line),
                    (false, Some(line)) => tr!("edits: the closest match is *quote* in line {line}.", line = line),
                }
            }
            _ => return self,
        };
        Self { says, quote: Some(quote.text), ..self }
    }
}

#[cfg(test)]
mod tests {
    use explain::hit_page::TextPassage;
    use kernels::found::Hit;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;
    use crate::model::result::meaning::meaning;

    fn subsequence(a: &str, b: &str, cigar: &str, unit: Unit) -> Option<TextQuote> {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        TextQuote::of_subsequence(&AlignmentWindow::new(&cigar.parse().unwrap(), &pair, 0, MAX_COLUMNS), unit)
    }

    fn said(answer: &TaskAnswer, quote: Option<TextQuote>, symbols: (u64, u64)) -> String {
        let options = JobOptions { unit: Unit::Graphemes, ..JobOptions::default() };
        meaning(answer, symbols, &options).quoting(quote, answer, symbols, &options).plain()
    }

    #[test]
    fn short_subsequence_is_quoted() {
        let lcs = |length| TaskAnswer::Lcs { length, alignment: None };
        let quote = subsequence("kitten", "sitting", "1D1I3=1D1I1=1I", Unit::Graphemes);
        assert_eq!(quote, Some(TextQuote { text: "ittn".into(), line: None }));
        assert_eq!(said(&lcs(4), quote.clone(), (6, 7)), "4 letters in common, in the same order: ittn. 57.1% of the longer text");
        assert_eq!(said(&lcs(4), quote, (4, 7)), "4 letters in common: all of a is in b, in the same order. 57.1% of the longer text");
        assert_eq!(said(&lcs(4), None, (6, 7)), "4 letters in common, in the same order. 57.1% of the longer text");
        let one = subsequence("xt", "ty", "1D1=1I", Unit::Graphemes);
        assert_eq!(said(&lcs(1), one, (2, 2)), "1 letter in common: t. 50% of the longer text");
        let words = subsequence("the red cat", "the cat", "1=1D1=", Unit::Words).map(|quote| quote.text);
        assert_eq!(words.as_deref(), Some("the cat"));
        let long = "abcdefghijklmnopq";
        assert_eq!(subsequence(long, &format!("{long}x"), "17=1I", Unit::Graphemes), None);
    }

    #[test]
    fn closest_match_is_quoted_with_its_line() {
        let letters = "cold winde doth".chars().map(String::from).collect();
        let passages = vec![TextPassage { from: 50, line: 2, letters }];
        let seen = |end| HitPage { hits: vec![Hit::new(55, end, 2)], passages: passages.clone(), ..HitPage::default() };
        let answer = |distance| TaskAnswer::ApproximateSearch { distance: Some(distance), total: 1, hits: Vec::new(), reverse: None };
        let quote = TextQuote::of_hit(&seen(60), Unit::Graphemes);
        assert_eq!(said(&answer(2), quote.clone(), (6, 90)), "2 edits: the closest match is winde in line 3. This is the only best match.");
        assert!(said(&answer(1), quote, (6, 90)).starts_with("1 edit: the closest match is winde in line 3."));
        let quote = TextQuote::of_hit(&seen(60), Unit::Lines);
        assert!(said(&answer(1), quote.clone(), (6, 90)).starts_with("1 edit: the closest match is winde."));
        assert!(said(&answer(0), quote, (6, 90)).starts_with("0 edits: a occurs exactly."));
        assert_eq!(TextQuote::of_hit(&seen(55), Unit::Graphemes), None);
    }
}
