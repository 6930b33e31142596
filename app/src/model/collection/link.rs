//! A collection and the view of its answer as the fragment of an address: `/collections#split=lines&a=…&alike=30`.
//!
//! Short typed texts are plain (`a` and `b`), all others deflated (`z`). Names of fields of the second collection end with
//! `-b`. [`frame`](super::frame) describes the deflated texts.

use kernels::collection::MemberSplit;
use kernels::job::{Task, Unit};

use super::choices::{CollectionView, RowOrder, Tab};
use super::form::CollectionForm;
use super::measure::Measure;
use super::member_edits::MemberEdits;
use super::sources::{SPLITS, TextSide, TextSource};
use super::table::ColumnChoice;
use crate::model::form::FormSide;
use crate::model::link::fragment::{FragmentError, MAX_FRAGMENT, ignore, ignored};
use crate::model::link::percent::{decode, encode};
use crate::model::link::{costs, points};
use crate::model::points::set_scoring;

/// Maximum size of typed texts that stand in an address as plain text, in bytes.
const MAX_PLAIN_BYTES: usize = 1_000;

/// The content of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedLink {
    /// The form. Its texts are missing if they are deflated.
    pub form: CollectionForm,
    /// Letters that encode the deflated texts.
    pub packed: Option<String>,
    /// Numbers of the deflated sources of both sides and of the template. Without them, all sources are those of the first
    /// side.
    counts: Option<[usize; 3]>,
    pub view: CollectionView,
}

impl ParsedLink {
    /// Returns the form with the inflated `sources`.
    pub fn form_with(self, mut sources: Vec<TextSource>) -> CollectionForm {
        let mut form = self.form;
        if let Some([first, second, template]) = self.counts {
            let mut rest = sources.split_off(first.min(sources.len()));
            form.template = rest.split_off(second.min(rest.len()));
            form.template.truncate(template);
            if let Some(b) = &mut form.b {
                b.sources = rest;
            }
        }
        form.a.sources = sources;
        form
    }
}

/// Writes the fragment of a form and its view, without `#`. `packed` are the letters of the texts, if they were deflated.
/// Leaves out texts that would make the fragment too long.
pub fn write(form: &CollectionForm, packed: Option<&str>, view: &CollectionView) -> String {
    let usual = CollectionForm::default();
    let mut parts = Vec::new();
    let mut add = |name: &str, value: Option<&str>| parts.extend(value.map(|value| format!("{name}={value}")));
    for (side, ending) in form.sides().zip(["", "-b"]) {
        let column = side.column.map(written_column);
        add(&format!("split{ending}"), (column.is_none() && side.split != MemberSplit::Lines).then(|| side.split.name()));
        add(&format!("column{ending}"), column.as_deref());
    }
    add("measure", (form.measure != usual.measure).then(|| form.measure.name()));
    add("unit", (form.options.unit != usual.options.unit).then(|| form.options.unit.name()));
    parts.extend(match form.measure {
        Measure::Similarity | Measure::Edits => costs::write(form.options.costs),
        Measure::LcsRatio => Vec::new(),
        Measure::Points => points::write(&form.options.scoring()),
    });
    parts.extend(ignored(&form.options).map(str::to_owned));
    let (mut texts, is_plain) = (Vec::new(), !needs_deflating(form));
    for (side, name) in form.sides().zip(["a", "b"]).filter(|_| is_plain) {
        // An empty `b` says that there are two collections.
        let text = side.typed().filter(|text| name == "b" || !text.is_empty());
        texts.extend(text.map(|text| format!("{name}={}", encode(text))));
        let ending = if name == "b" { "-b" } else { "" };
        if let Some(edits) = side.edits() {
            texts.extend(edits.written_left_out().map(|numbers| format!("out{ending}={numbers}")));
            texts.extend(edits.written_names().map(|names| format!("named{ending}={names}")));
        }
    }
    parts.extend(written_counts(form).filter(|_| !is_plain));
    texts.extend(packed.filter(|_| !is_plain).map(|letters| format!("z={letters}")));
    let mut view_parts = Vec::new();
    let mut add = |name: &str, value: Option<String>| view_parts.extend(value.map(|value| format!("{name}={value}")));
    add(form.measure.threshold_name(), view.threshold.map(|value| value.to_string()));
    add("sort", (view.order != RowOrder::default()).then(|| view.order.name().to_owned()));
    add("chosen", view.chosen.map(|(a, b)| format!("{a},{b}")));
    add("view", (view.tab == Tab::Pairs).then(|| "pairs".to_owned()));
    add("names", (!view.has_names).then(|| "0".to_owned()));
    let length = |parts: &[String]| parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let room = MAX_FRAGMENT.saturating_sub(length(&parts) + length(&view_parts));
    if length(&texts) <= room {
        parts.extend(texts);
    }
    parts.extend(view_parts);
    parts.join("&")
}

/// Writes the numbers of sources of both sides and of the template, unless all are those of the first side.
fn written_counts(form: &CollectionForm) -> Option<String> {
    // A missing number says that there is no second collection.
    let second = form.b.as_ref().map(|b| b.sources.len().to_string()).unwrap_or_default();
    let is_needed = form.b.is_some() || !form.template.is_empty();
    is_needed.then(|| format!("counts={},{second},{}", form.a.sources.len(), form.template.len()))
}

/// Writes the fragment of a form and its view without the texts, which are elsewhere.
pub fn write_without_texts(form: &CollectionForm, view: &CollectionView) -> String {
    let mut blank = form.clone();
    blank.a.sources.clear();
    blank.b.iter_mut().for_each(|b| b.sources.clear());
    blank.template.clear();
    let fragment = write(&blank, None, view);
    [written_counts(form), Some(fragment).filter(|fragment| !fragment.is_empty())].into_iter().flatten().collect::<Vec<_>>().join("&")
}

/// Name of the key of files that another page has handed over.
const HANDED: &str = "handed=";

/// Writes the fragment that opens the files with the key `key`, which the page of a task has handed over. A search has no
/// measure of texts.
pub fn handed_fragment(key: &str, task: Task) -> String {
    let task = [Task::Lcs, Task::SequenceAlignment].contains(&task).then(|| format!("&task={}", task.name()));
    format!("{HANDED}{key}{}", task.unwrap_or_default())
}

/// Returns the key of the files that another page has handed over, and the rest of the fragment.
pub fn handed(fragment: &str) -> Option<(&str, &str)> {
    let (key, rest) = fragment.strip_prefix(HANDED)?.split_once('&').unwrap_or((fragment.strip_prefix(HANDED)?, ""));
    Some((key, rest))
}

/// Parses the numbers of sources of both sides and of the template, and whether there is a second side.
fn parsed_counts(value: &str) -> Option<([usize; 3], bool)> {
    let mut parts = value.split(',');
    let (first, second, template) = (parts.next()?, parts.next()?, parts.next()?);
    let second_count = if second.is_empty() { 0 } else { second.parse().ok()? };
    let counts = [first.parse().ok()?, second_count, template.parse().ok()?];
    parts.next().is_none().then_some((counts, !second.is_empty()))
}

/// Writes the column of the texts, that of the names, and `plain` if no row has headings: `2,0,plain`.
fn written_column(ColumnChoice { text, name, has_headings }: ColumnChoice) -> String {
    let name = name.map(|name| format!(",{name}")).unwrap_or_default();
    format!("{text}{name}{}", if has_headings { "" } else { ",plain" })
}

fn parsed_column(value: &str) -> Option<ColumnChoice> {
    let (value, has_headings) = value.strip_suffix(",plain").map_or((value, true), |value| (value, false));
    let (text, name) = value.split_once(',').map_or((value, None), |(text, name)| (text, Some(name)));
    let name = match name {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    Some(ColumnChoice { text: text.parse().ok()?, name, has_headings })
}

/// Returns whether the texts must be deflated for an address, because they are long or have names.
pub fn needs_deflating(form: &CollectionForm) -> bool {
    let is_typed = |side: &TextSide| side.typed().is_some() && side.sources.iter().all(|source| source.name.is_empty());
    let bytes: usize = form.sources().map(|source| source.bytes.len()).sum();
    let is_plain = bytes <= MAX_PLAIN_BYTES && form.sides().all(is_typed) && form.template.is_empty();
    !is_plain && (!form.is_blank() || !form.template.is_empty())
}

/// Returns the number of the threshold of a measure among those of all measures.
fn threshold_number(measure: Measure) -> usize {
    match measure {
        Measure::Similarity | Measure::LcsRatio => 0,
        Measure::Edits => 1,
        Measure::Points => 2,
    }
}

/// Parses a fragment without its `#`. Ignores names that it does not know.
///
/// # Errors
/// Returns an error if a name has an invalid value.
pub fn read(fragment: &str) -> Result<ParsedLink, FragmentError> {
    let mut link = ParsedLink::default();
    let mut thresholds = [None; 3];
    let mut edits = [["", ""]; 2];
    for part in fragment.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = || FragmentError::Value { name: decode(name), value: decode(value) };
        let numbers = || {
            let (a, b) = value.split_once(',').ok_or_else(wrong)?;
            Ok((a.parse().map_err(|_| wrong())?, b.parse().map_err(|_| wrong())?))
        };
        let ParsedLink { form, view, .. } = &mut link;
        let (field, side) = name.strip_suffix("-b").map_or((name, FormSide::A), |name| (name, FormSide::B));
        match (field, side) {
            ("v", _) if value != "1" => return Err(FragmentError::Newer),
            ("a", FormSide::A) => form.a.sources = vec![TextSource::typed(&decode(value))],
            ("b", FormSide::A) => {
                let text = decode(value);
                form.side_mut(FormSide::B).sources = if text.is_empty() { Vec::new() } else { vec![TextSource::typed(&text)] };
            }
            ("z", FormSide::A) => link.packed = Some(value.to_owned()),
            ("counts", FormSide::A) => {
                let (counts, is_two) = parsed_counts(value).ok_or_else(wrong)?;
                if is_two {
                    form.side_mut(FormSide::B);
                }
                link.counts = Some(counts);
            }
            ("split", side) => {
                form.side_mut(side).split = SPLITS.into_iter().find(|split| split.name() == value).ok_or_else(wrong)?;
            }
            ("column", side) => form.side_mut(side).column = Some(parsed_column(value).ok_or_else(wrong)?),
            ("out", side) => edits[side as usize][0] = value,
            ("named", side) => edits[side as usize][1] = value,
            ("measure", _) => form.measure = Measure::ALL.into_iter().find(|measure| measure.name() == value).ok_or_else(wrong)?,
            ("task", _) if value == Task::Lcs.name() => form.measure = Measure::LcsRatio,
            ("task", _) if value == Task::SequenceAlignment.name() => form.measure = Measure::Points,
            ("unit", _) => form.options.unit = Unit::ALL.into_iter().find(|unit| unit.name() == value).ok_or_else(wrong)?,
            ("alike", _) => thresholds[0] = Some(value.parse().map_err(|_| wrong())?),
            ("alike-within", _) => thresholds[1] = Some(value.parse().map_err(|_| wrong())?),
            ("alike-points", _) => thresholds[2] = Some(value.parse().map_err(|_| wrong())?),
            ("sort", _) => view.order = RowOrder::ALL.into_iter().find(|order| order.name() == value).ok_or_else(wrong)?,
            ("chosen", _) => view.chosen = Some(numbers()?),
            ("view", _) if value == "pairs" => view.tab = Tab::Pairs,
            ("names", _) if value == "0" => view.has_names = false,
            (name, _) => {
                ignore(&mut form.options, name);
            }
        }
    }
    let wrong = |(name, value): (&str, &str)| FragmentError::Value { name: decode(name), value: decode(value) };
    for (side, [left_out, names]) in FormSide::BOTH.into_iter().zip(edits) {
        let own = MemberEdits::parse(left_out, "").ok_or_else(|| wrong(("out", left_out)))?;
        let edits = if names.is_empty() { Some(own) } else { MemberEdits::parse(left_out, names) };
        let edits = edits.ok_or_else(|| wrong(("named", names)))?;
        if !edits.is_empty() && link.form.side(side).is_some() {
            link.form.side_mut(side).set_edits(edits);
        }
    }
    let (number, options) = (threshold_number(link.form.measure), &mut link.form.options);
    match link.form.measure {
        Measure::Similarity | Measure::Edits => options.costs = costs::read(fragment).map_err(wrong)?,
        Measure::LcsRatio => {}
        Measure::Points => set_scoring(options, points::read(fragment).map_err(wrong)?),
    }
    link.view.threshold = thresholds[number];
    Ok(link)
}

#[cfg(test)]
mod tests {
    use kernels::job::{EditCosts, JobOptions};

    use super::*;
    use crate::model::points::PointsPreset;

    fn side(text: &str) -> TextSide {
        TextSide { sources: vec![TextSource::typed(text)], ..TextSide::default() }
    }

    fn form(text: &str) -> CollectionForm {
        CollectionForm { a: side(text), ..CollectionForm::default() }
    }

    #[test]
    fn short_typed_texts_and_choices_are_restored() {
        let view =
            CollectionView { threshold: Some(30), order: RowOrder::Length, chosen: Some((1, 19)), tab: Tab::Pairs, has_names: false };
        let form = CollectionForm {
            a: TextSide { split: MemberSplit::Blank, ..side("one two\n\nthree") },
            measure: Measure::LcsRatio,
            options: JobOptions {
                unit: Unit::Words,
                case_insensitive: true,
                ignore_whitespace: true,
                ignore_digits: true,
                ..CollectionForm::default().options
            },
            ..CollectionForm::default()
        };
        let fragment = write(&form, None, &view);
        assert_eq!(
            fragment,
            "split=blank&measure=lcs-ratio&unit=words&case_insensitive&ignore_whitespace&ignore_digits&a=one+two%0A%0Athree&alike=30&sort=length&chosen=1,19&view=pairs&names=0"
        );
        assert_eq!(read(&fragment), Ok(ParsedLink { form, view, ..ParsedLink::default() }));
        assert_eq!(write(&CollectionForm::default(), None, &CollectionView::default()), "");
        assert_eq!(read("").unwrap(), ParsedLink::default());
    }

    #[test]
    fn threshold_is_that_of_the_measure() {
        let edits = CollectionForm { measure: Measure::Edits, ..form("a") };
        let view = CollectionView { threshold: Some(2), ..CollectionView::default() };
        assert_eq!(write(&edits, None, &view), "measure=edits&a=a&alike-within=2");
        assert_eq!(read("alike-within=2&measure=edits&alike=30").unwrap().view.threshold, Some(2));
        assert_eq!(read("alike-within=2&alike=30").unwrap().view.threshold, Some(30));
        assert_eq!(read("task=lcs").unwrap().form.measure, Measure::LcsRatio);
    }

    #[test]
    fn bad_values_are_named() {
        for bad in [
            "column=x",
            "column=1,x",
            "split-b=pages",
            "counts=1",
            "counts=1,2",
            "counts=1,b,0",
            "split=pages",
            "split=plain",
            "unit=x",
            "alike=much",
            "chosen=1",
            "chosen=1,x",
            "sort=up",
            "measure=weight",
            "a=x&out=x",
            "a=x&named=x",
        ] {
            assert!(matches!(read(bad), Err(FragmentError::Value { .. })), "{bad}");
        }
        assert_eq!(read("v=2&a=x"), Err(FragmentError::Newer));
        assert_eq!(read("v=1&what=x").unwrap(), ParsedLink::default());
    }

    #[test]
    fn long_texts_and_files_are_deflated_and_left_out_if_too_long() {
        let long = form(&"kitten\n".repeat(200));
        assert!(needs_deflating(&long) && !needs_deflating(&form("kitten")) && !needs_deflating(&CollectionForm::default()));
        assert_eq!(write(&long, None, &CollectionView::default()), "");
        assert_eq!(write(&long, Some("AQ"), &CollectionView::default()), "z=AQ");
        assert_eq!(write(&long, Some(&"A".repeat(MAX_FRAGMENT)), &CollectionView::default()), "");
        let named = TextSide { sources: vec![TextSource::file("a.txt", b"x")], ..TextSide::default() };
        assert!(needs_deflating(&CollectionForm { a: named, ..CollectionForm::default() }), "its name would be lost");
        assert_eq!(read("z=AQ&unit=words").unwrap().packed.as_deref(), Some("AQ"));
    }

    #[test]
    fn names_and_left_out_lines_are_restored_with_the_texts() {
        let mut two = CollectionForm { b: Some(side("mitten\nkit")), ..form("kitten\nsitting\nkit\nsit") };
        two.a.edit_members(|edits| {
            (1..3).for_each(|number| edits.leave_out(number, true));
            edits.rename(0, "Mia & Tom");
        });
        two.b.as_mut().unwrap().edit_members(|edits| edits.rename(1, "Saga"));
        let fragment = write(&two, None, &CollectionView::default());
        assert_eq!(fragment, "a=kitten%0Asitting%0Akit%0Asit&out=1-2&named=,Mia+%26+Tom&b=mitten%0Akit&named-b=1,Saga");
        assert_eq!(read(&fragment).unwrap().form, two);
        // Edits need the texts.
        assert_eq!(read("out=1&named=2,x").unwrap(), ParsedLink::default());
        let long = CollectionForm {
            a: TextSide {
                sources: vec![TextSource { edits: two.a.sources[0].edits.clone(), ..TextSource::typed(&"kitten\n".repeat(200)) }],
                ..TextSide::default()
            },
            ..CollectionForm::default()
        };
        assert_eq!(write(&long, Some("AQ"), &CollectionView::default()), "z=AQ");
        let restored = crate::model::collection::frame::unframe(&crate::model::collection::frame::frame(long.sources())).unwrap();
        assert_eq!(read("z=AQ").unwrap().form_with(restored), long);
    }

    #[test]
    fn handed_files_are_compared_by_the_task_of_the_page_that_has_them() {
        assert_eq!(handed_fragment("17", Task::EditDistance), "handed=17");
        assert_eq!(handed("handed=17"), Some(("17", "")));
        let of_lcs = handed_fragment("17", Task::Lcs);
        assert_eq!(handed(&of_lcs), Some(("17", "task=lcs")));
        assert_eq!(read(&of_lcs).unwrap().form.measure, Measure::LcsRatio);
        assert_eq!((handed("a=handed=17"), handed("")), (None, None));
    }

    #[test]
    fn column_is_restored() {
        let choices = [(2, Some(0), true, "2,0"), (1, None, true, "1"), (0, Some(3), false, "0,3,plain"), (7, None, false, "7,plain")];
        for (text, name, has_headings, written) in choices {
            let column = Some(ColumnChoice { text, name, has_headings });
            let table = CollectionForm { a: TextSide { column, ..side("a,b") }, ..CollectionForm::default() };
            let fragment = write(&table, None, &CollectionView::default());
            assert_eq!(fragment, format!("column={written}&a=a,b"));
            assert_eq!(read(&fragment).unwrap().form, table);
        }
    }

    #[test]
    fn two_collections_are_restored() {
        let two = CollectionForm { b: Some(TextSide { split: MemberSplit::Blank, ..side("mitten") }), ..form("kitten\nsitting") };
        let fragment = write(&two, None, &CollectionView::default());
        assert_eq!(fragment, "split-b=blank&a=kitten%0Asitting&b=mitten");
        assert_eq!(read(&fragment).unwrap().form, two);
        let half = CollectionForm { b: Some(TextSide::default()), ..form("kitten") };
        assert_eq!(write(&half, None, &CollectionView::default()), "a=kitten&b=");
        assert_eq!(read("a=kitten&b=").unwrap().form, half);
        let mut files = two;
        files.open(FormSide::B, ["x", "y"].map(|name| TextSource::file(name, name.as_bytes())).to_vec());
        let fragment = write(&files, Some("AQ"), &CollectionView::default());
        assert_eq!(fragment, "split-b=files&counts=1,2,0&z=AQ");
        let sources = files.sources().cloned().collect();
        assert_eq!(read(&fragment).unwrap().form_with(sources), files);
        assert_eq!(read("counts=9,9,9").unwrap().form_with(vec![TextSource::typed("x")]).a.sources.len(), 1);
        let starter = CollectionForm { template: vec![TextSource::file("starter.py", b"pass")], ..form("kitten") };
        let fragment = write(&starter, Some("AQ"), &CollectionView::default());
        assert_eq!(fragment, "counts=1,,1&z=AQ");
        assert_eq!(read(&fragment).unwrap().form_with(starter.sources().cloned().collect()), starter);
        assert_eq!(read("z=AQ").unwrap().form_with(vec![TextSource::typed("x")]), form("x"));
    }

    #[test]
    fn options_without_texts_are_restored_with_them() {
        let view = CollectionView { threshold: Some(30), ..CollectionView::default() };
        let mut two = CollectionForm { b: Some(side("mitten")), ..form("kitten") };
        assert_eq!(write_without_texts(&form("kitten"), &CollectionView::default()), "");
        two.template = vec![TextSource::file("starter.py", b"pass")];
        let fragment = write_without_texts(&two, &view);
        assert_eq!(fragment, "counts=1,1,1&b=&alike=30");
        let link = read(&fragment).unwrap();
        assert_eq!((link.view.clone(), link.form_with(two.sources().cloned().collect())), (view, two));
    }

    #[test]
    fn costs_and_points_are_restored_with_their_thresholds() {
        let with = |measure, set: &dyn Fn(&mut JobOptions)| {
            let mut form = CollectionForm { measure, ..form("ab") };
            set(&mut form.options);
            form
        };
        let own = EditCosts { substitute: 3, transpose: Some(2), ..EditCosts::LEVENSHTEIN };
        let points = PointsPreset::Gotoh.scoring();
        for (form, threshold, expected) in [
            (with(Measure::Edits, &|options| options.costs = EditCosts::OSA), 2, "measure=edits&costs=osa&a=ab&alike-within=2"),
            (with(Measure::Similarity, &|options| options.costs = own), 30, "substitute=3&swap=2&a=ab&alike=30"),
            (with(Measure::Points, &|options| set_scoring(options, points.clone())), -7, "measure=points&costs=gotoh&a=ab&alike-points=-7"),
            (with(Measure::Points, &|_| ()), 0, "measure=points&a=ab&alike-points=0"),
        ] {
            let view = CollectionView { threshold: Some(threshold), ..CollectionView::default() };
            assert_eq!(write(&form, None, &view), expected);
            assert_eq!(read(expected), Ok(ParsedLink { form, view, ..ParsedLink::default() }));
        }
        assert_eq!(read("task=sequence-alignment&a=ab").unwrap().form.measure, Measure::Points);
        for fragment in ["costs=gotoh", "measure=points&costs=osa", "measure=edits&swap=1001", "measure=points&gap=1"] {
            assert!(read(fragment).is_err(), "{fragment}");
        }
    }
}
