//! Sentences of a step: templates of the catalogue with their values. `*j*` is a name, `{by}` a value, and `{by!}` the
//! most important value, which is bold.

use std::ops::Range;

use explain::lens::frame::{Label, Said, Shown, Value};

use super::Watched;
use super::words;
use crate::model::text::words::{grouped, list};

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Plain words.
    Text(String),
    /// A name in italics.
    Name(String),
    /// Symbols of a text.
    Symbols(String),
    /// The most important value.
    Bold(String),
}

/// Returns the parts of a sentence, with symbols from the texts of `watched`.
pub fn parts(said: &Said, watched: &Watched) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = words::sentence(said.key);
    while let Some(at) = rest.find(['*', '{']) {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        let close = if behind.starts_with('*') { '*' } else { '}' };
        let Some((inside, after)) = behind[1..].split_once(close) else { break };
        let part = if close == '*' { Part::Name(inside.to_owned()) } else { value(inside, said, watched) };
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(part);
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// Returns the sentence as plain text, for screen readers and drawings.
pub fn plain(said: &Said, watched: &Watched) -> String {
    let parts = parts(said, watched).into_iter();
    parts.map(|(Part::Text(text) | Part::Name(text) | Part::Symbols(text) | Part::Bold(text))| text).collect()
}

fn value(name: &str, said: &Said, watched: &Watched) -> Part {
    let (name, is_bold) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    let found = said.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let symbols = |symbols: &[String], range: &Range<usize>| {
        let text = symbols.get(range.clone()).unwrap_or_default().concat();
        Part::Symbols(if text.is_empty() { "ε".into() } else { text })
    };
    let part = match found {
        None => Part::Text(format!("{{{name}}}")),
        Some(Value::Number(number)) => Part::Text(grouped(*number)),
        Some(Value::Numbers(numbers)) => {
            let numbers: Vec<String> = numbers.iter().map(|number| grouped(*number)).collect();
            Part::Text(list(&numbers))
        }
        Some(Value::A(range)) => symbols(&watched.a, range),
        Some(Value::B(range)) => symbols(&watched.b, range),
    };
    match part {
        Part::Text(text) if is_bold => Part::Bold(text),
        part => part,
    }
}

/// Returns the text that a cell shows, or an empty string.
pub fn shown(shows: Shown, watched: &Watched) -> String {
    let symbol = |symbols: &[String], at: usize| symbols.get(at).cloned().unwrap_or_default();
    match shows {
        Shown::Nothing => String::new(),
        Shown::Unknown => "?".into(),
        Shown::Empty => "ε".into(),
        Shown::Gap => "–".into(),
        Shown::A(at) => symbol(&watched.a, at),
        Shown::B(at) => symbol(&watched.b, at),
        Shown::Number(number) => number.to_string(),
        Shown::Bit(bit) => u8::from(bit).to_string(),
    }
}

/// Formats a label with its subject: "thread 3", `E[a]`.
pub fn label(label: &Label, watched: &Watched) -> String {
    let of = shown(label.of, watched);
    let text = if label.is_code { label.text } else { words::label(label.text) };
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
    use crate::model::watch::tests::watched;

    #[test]
    fn a_sentence_has_its_values_and_one_bold_number() {
        let watched = watched(Task::Lcs, "TEACHING", "LEARNING");
        let said = Said::new("two-rows.row", [("i", Value::number(2)), ("a", Value::a(1)), ("cells", Value::number(8))]);
        let parts = parts(&said, &watched);
        assert!(parts.contains(&Part::Symbols("E".into())) && parts.contains(&Part::Bold("8".into())), "{parts:?}");
        assert!(!plain(&said, &watched).contains(['{', '*']));
    }

    #[test]
    fn labels_are_of_something() {
        let watched = watched(Task::Lcs, "ab", "cd");
        assert_eq!(label(&Label::code("E").of(Shown::A(1)), &watched), "E[b]");
        assert_eq!(label(&Label::code("next"), &watched), "next");
        assert_eq!(label(&Label::NONE.of(Shown::Number(3)), &watched), "3");
    }
}
