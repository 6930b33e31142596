//! A search for many patterns as the fragment of an address:
//! `/collections#task=approximate-search&a=…&b=…&max_distance=2`.
//!
//! Short typed texts are plain (`a` has the patterns, `b` the text), all others are deflated together (`z`): the patterns,
//! then the texts, in the [`frame`](super::super::frame::frame) of a collection.

use kernels::collection::PatternCollection;
use kernels::job::Task;

use super::super::sources::{SPLITS, TextSource};
use super::answer::LaneOrder;
use super::form::PatternForm;
use crate::model::link::fragment::{FragmentError, MAX_FRAGMENT};
use crate::model::link::percent::{decode, encode};

/// Maximum size of typed texts that stand in an address as plain text, in bytes.
const MAX_PLAIN_BYTES: usize = 2_000;

/// The choices of the visitor in the view of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternView {
    /// Numbers of the chosen pattern, and of the chosen hit of this pattern.
    pub chosen: Option<(usize, usize)>,
    pub order: LaneOrder,
    /// The only pattern whose places are listed.
    pub only: Option<usize>,
}

/// The content of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedPatternLink {
    /// The form. Its texts are missing if they are deflated.
    pub form: PatternForm,
    /// Letters that encode the deflated texts.
    pub packed: Option<String>,
    pub view: PatternView,
}

/// Returns the task of a fragment, if it is one that searches for patterns.
pub fn search_task(fragment: &str) -> Option<Task> {
    let value = fragment.split('&').find_map(|part| part.strip_prefix("task="))?;
    PatternCollection::TASKS.into_iter().find(|task| task.name() == value)
}

/// Writes the fragment of a form and its view, without `#`. `packed` are the letters of the texts, if they were deflated.
/// Leaves out texts that would make the fragment too long.
pub fn write(form: &PatternForm, packed: Option<&str>, view: &PatternView) -> String {
    let usual = PatternForm::default();
    let mut parts = vec![format!("task={}", form.task.name())];
    if form.split != usual.split {
        parts.push(format!("split={}", form.split.name()));
    }
    if form.task == Task::ApproximateSearch && form.max_distance != usual.max_distance {
        parts.push(format!("max_distance={}", form.max_distance));
    }
    for (name, is_on) in
        [("strands=both", form.has_both_strands), ("ambiguity", form.has_ambiguity), ("case_insensitive", form.case_insensitive)]
    {
        parts.extend(is_on.then(|| name.to_owned()));
    }
    let texts = match (plain(form), packed) {
        _ if form.is_empty() => None,
        (Some([a, b]), _) => Some(format!("a={}&b={}", encode(a), encode(b))),
        (None, letters) => letters.map(|letters| format!("z={letters}")),
    };
    let mut view_parts = Vec::new();
    let mut add = |name: &str, value: Option<String>| view_parts.extend(value.map(|value| format!("{name}={value}")));
    add("chosen", view.chosen.map(|(pattern, hit)| format!("{pattern},{hit}")));
    add("sort", (view.order != LaneOrder::default()).then(|| view.order.name().to_owned()));
    add("only", view.only.map(|pattern| pattern.to_string()));
    let length = |parts: &[String]| parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let room = MAX_FRAGMENT.saturating_sub(length(&parts) + length(&view_parts));
    parts.extend(texts.filter(|texts| texts.len() < room));
    parts.extend(view_parts);
    parts.join("&")
}

/// Writes the fragment of a form and its view without the texts, which are elsewhere.
pub fn write_without_texts(form: &PatternForm, view: &PatternView) -> String {
    let blank = PatternForm { patterns: TextSource::default(), texts: Vec::new(), ..form.clone() };
    write(&blank, None, view)
}

/// Returns the typed texts, if they are short enough to stand in an address as plain text.
fn plain(form: &PatternForm) -> Option<[&str; 2]> {
    let is_typed = form.patterns.name.is_empty() && form.texts.iter().all(|text| text.name.is_empty());
    let (a, b) = (form.patterns.text()?, form.typed_text()?);
    (is_typed && a.len() + b.len() <= MAX_PLAIN_BYTES).then_some([a, b])
}

/// Returns whether the texts must be deflated for an address.
pub fn needs_deflating(form: &PatternForm) -> bool {
    !form.is_empty() && plain(form).is_none()
}

/// Gives a form the deflated `sources` of its address.
pub fn with_sources(mut form: PatternForm, sources: Vec<TextSource>) -> PatternForm {
    let mut sources = sources.into_iter();
    form.patterns = sources.next().unwrap_or(form.patterns);
    form.texts = sources.collect();
    form
}

/// Parses a fragment without its `#`. Ignores names that it does not know.
///
/// # Errors
/// Returns an error if a name has an invalid value.
pub fn read(fragment: &str) -> Result<ParsedPatternLink, FragmentError> {
    let mut link = ParsedPatternLink::default();
    for part in fragment.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = || FragmentError::Value { name: decode(name), value: decode(value) };
        let ParsedPatternLink { form, view, .. } = &mut link;
        match name {
            "v" if value != "1" => return Err(FragmentError::Newer),
            "task" => form.task = PatternCollection::TASKS.into_iter().find(|task| task.name() == value).ok_or_else(wrong)?,
            "a" => form.patterns = TextSource::typed(&decode(value)),
            "b" => form.retype_text(&decode(value)),
            "z" => link.packed = Some(value.to_owned()),
            "split" => form.split = SPLITS.into_iter().find(|split| split.name() == value).ok_or_else(wrong)?,
            "max_distance" => form.max_distance = value.parse().map_err(|_| wrong())?,
            "strands" => form.has_both_strands = if value == "both" { true } else { return Err(wrong()) },
            "ambiguity" => form.has_ambiguity = true,
            "case_insensitive" => form.case_insensitive = true,
            "sort" => view.order = LaneOrder::ALL.into_iter().find(|order| order.name() == value).ok_or_else(wrong)?,
            "only" => view.only = Some(value.parse().map_err(|_| wrong())?),
            "chosen" => {
                let (pattern, hit) = value.split_once(',').ok_or_else(wrong)?;
                view.chosen = Some((pattern.parse().map_err(|_| wrong())?, hit.parse().map_err(|_| wrong())?));
            }
            _ => {}
        }
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use kernels::collection::MemberSplit;

    use super::super::super::frame::{frame, unframe};
    use super::*;

    fn form(patterns: &str, text: &str) -> PatternForm {
        let mut form = PatternForm { patterns: TextSource::typed(patterns), ..PatternForm::default() };
        form.retype_text(text);
        form
    }

    #[test]
    fn short_texts_and_choices_are_restored() {
        let view = PatternView { chosen: Some((1, 19)), order: LaneOrder::Count, only: Some(1) };
        let form = PatternForm {
            max_distance: 2,
            has_both_strands: true,
            has_ambiguity: true,
            case_insensitive: true,
            split: MemberSplit::Lines,
            ..form("one\ntwo", "a one & two")
        };
        let fragment = write(&form, None, &view);
        assert_eq!(
            fragment,
            "task=approximate-search&split=lines&max_distance=2&strands=both&ambiguity&case_insensitive&a=one%0Atwo&b=a+one+%26+two&chosen=1,19&sort=count&only=1"
        );
        assert_eq!(read(&fragment), Ok(ParsedPatternLink { form, packed: None, view }));
        assert_eq!(
            write(&PatternForm { task: Task::ExactSearch, ..PatternForm::default() }, None, &PatternView::default()),
            "task=exact-search"
        );
    }

    #[test]
    fn task_tells_searches_from_comparisons() {
        assert_eq!(search_task("a=x&task=exact-search"), Some(Task::ExactSearch));
        assert_eq!(search_task("task=approximate-search"), Some(Task::ApproximateSearch));
        assert_eq!([search_task("task=lcs"), search_task("a=task"), search_task("")], [None; 3]);
    }

    #[test]
    fn bad_values_are_named() {
        for bad in ["task=lcs", "split=pages", "max_distance=few", "strands=one", "chosen=1", "chosen=1,x", "sort=up", "only=x"] {
            assert!(matches!(read(bad), Err(FragmentError::Value { .. })), "{bad}");
        }
        assert_eq!(read("v=2&a=x"), Err(FragmentError::Newer));
    }

    #[test]
    fn files_and_long_texts_are_deflated_together() {
        let long = form("kitten", &"sitting ".repeat(400));
        assert!(needs_deflating(&long) && !needs_deflating(&form("kitten", "sitting")) && !needs_deflating(&PatternForm::default()));
        assert_eq!(write(&long, Some("AQ"), &PatternView::default()), "task=approximate-search&z=AQ");
        let file = TextSource::file("b.fasta", b">x\nACGT");
        let of_file = PatternForm { texts: vec![file.clone(), file], ..form("AC", "") };
        assert!(needs_deflating(&of_file));
        let restored = unframe(&frame(of_file.sources())).unwrap();
        assert_eq!(with_sources(PatternForm::default(), restored), of_file);
    }
}
