//! Sentences of a step: templates of the catalogue (the translated texts), filled with the values of the step.
//! [`parts`] splits a sentence by style, [`plain`] joins it. In a template, `*j*` is a name, `{by}` a value, and
//! `{by!}` the most important value, which is bold.

use kernels::job::Points;
use std::ops::Range;

use explain::lens::frame::{LensLabel, LensSentence, PanelSum, SentenceValue, ShownValue};

use super::LensInput;
use super::lens_keys;
use crate::model::text::humanize::{cell_value, grouped, list, signed};

/// A piece of a sentence in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensSentencePart {
    /// Plain words.
    Text(String),
    /// A name in italics.
    Name(String),
    /// Symbols of a text.
    Symbols(String),
    /// The most important value.
    Bold(String),
}

/// Splits the sentence `said` of a lens into pieces of one style. Values that are symbols come from the texts of
/// `watched`.
pub fn parts(said: &LensSentence, watched: &LensInput) -> Vec<LensSentencePart> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = lens_keys::sentence(said.key);
    while let Some(at) = rest.find(['*', '{']) {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        let close = if behind.starts_with('*') { '*' } else { '}' };
        let Some((inside, after)) = behind[1..].split_once(close) else { break };
        let part = if close == '*' { LensSentencePart::Name(inside.to_owned()) } else { value(inside, said, watched) };
        if !text.is_empty() {
            parts.push(LensSentencePart::Text(std::mem::take(&mut text)));
        }
        parts.push(part);
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(LensSentencePart::Text(text));
    }
    parts
}

/// Returns the sentence `said` as plain text, for screen readers and drawings. Values that are symbols come from the
/// texts of `watched`.
pub fn plain(said: &LensSentence, watched: &LensInput) -> String {
    let parts = parts(said, watched).into_iter();
    parts
        .map(
            |(LensSentencePart::Text(text)
             | LensSentencePart::Name(text)
             | LensSentencePart::Symbols(text)
             | LensSentencePart::Bold(text))| text,
        )
        .collect()
}

fn value(name: &str, said: &LensSentence, watched: &LensInput) -> LensSentencePart {
    let (name, is_bold) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    let found = said.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let symbols = |symbols: &[String], range: &Range<usize>| {
        let text = symbols.get(range.clone()).unwrap_or_default().concat();
        LensSentencePart::Symbols(if text.is_empty() { "ε".into() } else { text })
    };
    let part = match found {
        None => LensSentencePart::Text(format!("{{{name}}}")),
        Some(SentenceValue::Number(number)) => LensSentencePart::Text(grouped(*number)),
        Some(SentenceValue::Signed(number)) => LensSentencePart::Text(signed(*number)),
        Some(SentenceValue::Numbers(numbers)) => {
            let numbers: Vec<String> = numbers.iter().map(|number| grouped(*number)).collect();
            LensSentencePart::Text(list(&numbers))
        }
        Some(SentenceValue::A(range)) => symbols(&watched.a, range),
        Some(SentenceValue::B(range)) => symbols(&watched.b, range),
    };
    match part {
        LensSentencePart::Text(text) if is_bold => LensSentencePart::Bold(text),
        part => part,
    }
}

/// Returns the text of a cell with the content `shows`, or an empty string for a cell without text. Symbols come from
/// the texts of `watched`.
pub fn shown(shows: ShownValue, watched: &LensInput) -> String {
    let symbol = |symbols: &[String], at: usize| symbols.get(at).cloned().unwrap_or_default();
    match shows {
        ShownValue::Nothing => String::new(),
        ShownValue::Unknown => "?".into(),
        ShownValue::Empty => "ε".into(),
        ShownValue::Gap => "–".into(),
        ShownValue::A(at) => symbol(&watched.a, at),
        ShownValue::B(at) => symbol(&watched.b, at),
        ShownValue::Number(number) => number.to_string(),
        ShownValue::Unreachable => "−∞".into(),
        ShownValue::Signed(number) => cell_value(number),
        ShownValue::Bit(bit) => u8::from(bit).to_string(),
    }
}

/// Formats the two parts of a sum, for example "4 − 1".
pub fn sum(sum: &PanelSum) -> String {
    let sign = if sum.adds < Points::ZERO { '−' } else { '+' };
    format!("{} {sign} {}", signed(sum.value), signed(sum.adds.abs()))
}

/// Formats a label followed by the value that it names, if any: "thread 3", `E[a]`. Symbols come from the texts of
/// `watched`.
pub fn label(label: &LensLabel, watched: &LensInput) -> String {
    let of = shown(label.index, watched);
    let text = if label.is_code { label.text } else { lens_keys::label(label.text) };
    match (text, of.as_str()) {
        (text, "") => text.to_owned(),
        ("", of) => of.to_owned(),
        (text, of) if label.is_code => format!("{text}[{of}]"),
        (text, of) => format!("{text} {of}"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::lens::tests::watched;

    #[test]
    fn sentence_contains_its_values_and_one_bold_number() {
        let watched = watched(Task::Lcs, "TEACHING", "LEARNING");
        let said = LensSentence::new(
            "two-rows.row",
            [("i", SentenceValue::number(2)), ("a", SentenceValue::a(1)), ("cells", SentenceValue::number(8))],
        );
        let parts = parts(&said, &watched);
        assert!(parts.contains(&LensSentencePart::Symbols("E".into())) && parts.contains(&LensSentencePart::Bold("8".into())), "{parts:?}");
        assert!(!plain(&said, &watched).contains(['{', '*']));
    }

    #[test]
    fn labels_show_their_values() {
        let watched = watched(Task::Lcs, "ab", "cd");
        assert_eq!(label(&LensLabel::code("E").with_index(ShownValue::A(1)), &watched), "E[b]");
        assert_eq!(label(&LensLabel::code("next"), &watched), "next");
        assert_eq!(label(&LensLabel::NONE.with_index(ShownValue::Number(3)), &watched), "3");
    }
}
