//! Reads the documentation comments of a file ([`DocComment`]) and their first sentences.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::prose::pattern;

/// The kind of the item that a comment documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A module or a macro.
    Module,
    Function,
    Type,
    /// A constant, a field or a variant.
    Value,
}

/// A documentation comment, and the kind of the documented item.
#[derive(Debug)]
pub(super) struct DocComment<'a> {
    /// Line number at which the comment begins, from 1.
    pub(super) line: usize,
    /// Lines of the comment without the markers `///` or `//!`.
    pub(super) body: Vec<&'a str>,
    pub(super) item: ItemKind,
}

/// Patterns that determine the kind of an item by its words, each with this kind. They are tried in this order.
static ITEMS: LazyLock<[(Regex, ItemKind); 4]> = LazyLock::new(|| {
    [
        (pattern(r"\bfn\s+\w+"), ItemKind::Function),
        (pattern(r"\b(struct|enum|trait|union|type)\s+\w+"), ItemKind::Type),
        (pattern(r"\b(const|static)\s+(mut\s+)?\w+"), ItemKind::Value),
        (pattern(r"\bmod\s+\w+|macro_rules!"), ItemKind::Module),
    ]
});

/// Pattern of the attributes of tests and of their helpers.
static TEST_ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(test|fixture|rstest)\b"));

/// Pattern of a Markdown link, with its text as the first group.
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\]]*)\](\([^)]*\))?"));

/// Pattern of code between backticks.
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([^`]*)`"));

/// Pattern of characters inside code that would look like the end of a sentence.
static CODE_STOP: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?]\s"));

/// Pattern of the first sentence of a text.
static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.*?[.!?])(\s+[A-Z`(]|$)"));

/// Returns the documentation comments of a file with the content `text`. Comments of tests are left out.
pub(super) fn parse_comments(text: &str) -> Vec<DocComment<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut comments = Vec::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let Some((marker, _)) = split_marker(line) else {
            next += 1;
            continue;
        };
        let same_marker = |line: &&'_ str| split_marker(line).filter(|(found, _)| *found == marker).is_some();
        let count = lines[next..].iter().take_while(|line| same_marker(line)).count();
        let (body, below) = lines[next..].split_at(count);
        let item = if marker == "//!" { Some(ItemKind::Module) } else { find_item(below) };
        if let Some(item) = item {
            let body = body.iter().filter_map(|line| split_marker(line)).map(|(_, text)| text).collect();
            comments.push(DocComment { line: next + 1, body, item });
        }
        next += count;
    }
    comments
}

/// Splits a line of a comment into its marker (`///` or `//!`) and its text. Returns `None` for other lines.
fn split_marker(line: &str) -> Option<(&str, &str)> {
    let (marker, text) = line.trim_start().split_at_checked(3)?;
    let is_comment = (marker == "///" || marker == "//!") && !text.starts_with('/');
    is_comment.then(|| (marker, text.strip_prefix(char::is_whitespace).unwrap_or(text)))
}

/// Returns the kind of the item that begins in `lines`, after its attributes. Returns `None` for a test.
fn find_item(lines: &[&str]) -> Option<ItemKind> {
    let mut open_brackets = 0;
    let mut is_test = false;
    for line in lines {
        let line = line.trim();
        if !line.starts_with("#[") && open_brackets == 0 {
            let item = ITEMS.iter().find(|(words, _)| words.is_match(line));
            return (!is_test).then_some(item.map_or(ItemKind::Value, |(_, kind)| *kind));
        }
        open_brackets += line.matches('[').count() as isize - line.matches(']').count() as isize;
        is_test |= TEST_ATTRIBUTE.is_match(line);
    }
    (!is_test).then_some(ItemKind::Value)
}

/// Returns the first sentence of a comment. Links are replaced by their texts. A list, a table or a heading ends the
/// sentence.
pub(super) fn first_sentence(body: &[&str]) -> String {
    let is_text = |line: &&&str| !line.trim().is_empty() && !["#", "- ", "* ", "```", "|", "["].iter().any(|mark| line.starts_with(mark));
    let text = body.iter().take_while(is_text).map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let text = LINK.replace_all(&text, "$1");
    let text = CODE.replace_all(&text, |code: &Captures<'_>| format!("`{}`", CODE_STOP.replace_all(&code[1], "_")));
    let sentence = SENTENCE.captures(&text).and_then(|parts| parts.get(1)).map_or(&*text, |sentence| sentence.as_str());
    sentence.trim().to_owned()
}
