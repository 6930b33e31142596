//! A collection and the view of its answer as the fragment of an address: `/collections#split=lines&a=…&alike=30`.
//!
//! Short typed texts are plain (`a`), all others deflated (`z`). The browser deflates and inflates the [`frame`] of all
//! sources.
//!
//! ```text
//! letters:  base64url of: 1 | zlib of the frame
//! frame:    sources, 4 | (bytes of the name, 4 | bytes of the text, 4)* | names | texts
//! ```

use kernels::collection::MemberSplit;
use kernels::job::{Task, Unit};

use super::choices::{CollectionView, RowOrder, Tab};
use super::form::{CollectionForm, TextSource};
use super::measure::Measure;
use crate::model::link::base64url;
use crate::model::link::fragment::{FragmentError, MAX_FRAGMENT};
use crate::model::link::packed_texts::{PackedTextsError, deflated as zlib_of};
use crate::model::link::percent::{decode, encode};

/// Maximum size of typed texts that stand in an address as plain text, in bytes.
const MAX_PLAIN_BYTES: usize = 1_000;

/// Maximum size of a frame that is inflated, in bytes.
pub const MAX_INFLATED_BYTES: u64 = 64_000_000;

/// Version of the deflated texts, which is the first encoded byte.
const VERSION: u8 = 1;

/// The content of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedLink {
    /// The form. Its texts are missing if they are deflated.
    pub form: CollectionForm,
    /// Letters that encode the deflated texts.
    pub packed: Option<String>,
    pub view: CollectionView,
}

/// Writes the fragment of a form and its view, without `#`. `packed` are the letters of the texts, if they were deflated.
/// Leaves out texts that would make the fragment too long.
pub fn write(form: &CollectionForm, packed: Option<&str>, view: &CollectionView) -> String {
    let usual = CollectionForm::default();
    let mut parts = Vec::new();
    let mut add = |name: &str, value: Option<&str>| parts.extend(value.map(|value| format!("{name}={value}")));
    add("split", (form.split != usual.split).then(|| form.split.name()));
    add("measure", (form.measure != usual.measure).then(|| form.measure.name()));
    add("unit", (form.unit != usual.unit).then(|| form.unit.name()));
    if form.case_insensitive {
        parts.push("case_insensitive".into());
    }
    if form.ignore_whitespace {
        parts.push("ignore_whitespace".into());
    }
    let texts = match (plain(form), packed) {
        _ if form.is_blank() => None,
        (Some(text), _) => Some(format!("a={}", encode(text))),
        (None, letters) => letters.map(|letters| format!("z={letters}")),
    };
    let mut view_parts = Vec::new();
    let mut add = |name: &str, value: Option<String>| view_parts.extend(value.map(|value| format!("{name}={value}")));
    add(form.measure.threshold_name(), view.threshold.map(|value| value.to_string()));
    add("sort", (view.order != RowOrder::default()).then(|| view.order.name().to_owned()));
    add("chosen", view.chosen.map(|(a, b)| format!("{a},{b}")));
    add("view", (view.tab == Tab::Pairs).then(|| "pairs".to_owned()));
    add("names", (!view.has_names).then(|| "0".to_owned()));
    let length = |parts: &[String]| parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let room = MAX_FRAGMENT.saturating_sub(length(&parts) + length(&view_parts));
    parts.extend(texts.filter(|texts| texts.len() < room));
    parts.extend(view_parts);
    parts.join("&")
}

/// Returns the typed text, if it is short enough to stand in an address as plain text.
fn plain(form: &CollectionForm) -> Option<&str> {
    let is_typed = form.sources.first().is_none_or(|source| source.name.is_empty());
    form.typed().filter(|text| is_typed && text.len() <= MAX_PLAIN_BYTES)
}

/// Returns whether the texts must be deflated for an address.
pub fn needs_deflating(form: &CollectionForm) -> bool {
    !form.is_blank() && plain(form).is_none()
}

/// Parses a fragment without its `#`. Ignores names that it does not know.
///
/// # Errors
/// Returns an error if a name has an invalid value.
pub fn read(fragment: &str) -> Result<ParsedLink, FragmentError> {
    let mut link = ParsedLink::default();
    let mut thresholds = [None, None];
    for part in fragment.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = || FragmentError::Value { name: decode(name), value: decode(value) };
        let ParsedLink { form, view, .. } = &mut link;
        match name {
            "v" if value != "1" => return Err(FragmentError::Newer),
            "a" => form.sources = vec![TextSource::typed(&decode(value))],
            "z" => link.packed = Some(value.to_owned()),
            "split" => form.split = MemberSplit::ALL.into_iter().find(|split| split.name() == value).ok_or_else(wrong)?,
            "measure" => form.measure = Measure::ALL.into_iter().find(|measure| measure.name() == value).ok_or_else(wrong)?,
            "task" if value == Task::Lcs.name() => form.measure = Measure::LcsRatio,
            "unit" => form.unit = Unit::ALL.into_iter().find(|unit| unit.name() == value).ok_or_else(wrong)?,
            "case_insensitive" => form.case_insensitive = true,
            "ignore_whitespace" => form.ignore_whitespace = true,
            "alike" => thresholds[0] = Some(value.parse().map_err(|_| wrong())?),
            "alike-within" => thresholds[1] = Some(value.parse().map_err(|_| wrong())?),
            "sort" => view.order = RowOrder::ALL.into_iter().find(|order| order.name() == value).ok_or_else(wrong)?,
            "chosen" => {
                let (a, b) = value.split_once(',').ok_or_else(wrong)?;
                view.chosen = Some((a.parse().map_err(|_| wrong())?, b.parse().map_err(|_| wrong())?));
            }
            "view" if value == "pairs" => view.tab = Tab::Pairs,
            "names" if value == "0" => view.has_names = false,
            _ => {}
        }
    }
    link.view.threshold = thresholds[usize::from(link.form.measure == Measure::Edits)];
    Ok(link)
}

/// Joins the sources into one frame to deflate.
pub fn frame(sources: &[TextSource]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.extend((sources.len() as u32).to_le_bytes());
    for TextSource { name, bytes } in sources {
        frame.extend((name.len() as u32).to_le_bytes());
        frame.extend((bytes.len() as u32).to_le_bytes());
    }
    sources.iter().for_each(|source| frame.extend(source.name.as_bytes()));
    sources.iter().for_each(|source| frame.extend(&source.bytes[..]));
    frame
}

/// Splits an inflated [`frame`] into its sources.
///
/// # Errors
/// Returns an error if the frame is malformed.
pub fn unframe(frame: &[u8]) -> Result<Vec<TextSource>, PackedTextsError> {
    parse(frame).ok_or(PackedTextsError::Damaged)
}

fn parse(mut frame: &[u8]) -> Option<Vec<TextSource>> {
    let number = |from: &mut &[u8]| {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(u32::from_le_bytes(*bytes) as usize)
    };
    let count = number(&mut frame)?;
    // Each source takes eight bytes, so that the lengths are bounded by the frame.
    let lens = (0..count).map(|_| Some((number(&mut frame)?, number(&mut frame)?))).collect::<Option<Vec<_>>>()?;
    let mut cut = |len: usize| {
        let (own, rest) = frame.split_at_checked(len)?;
        frame = rest;
        Some(own)
    };
    let names = lens.iter().map(|(name, _)| std::str::from_utf8(cut(*name)?).ok()).collect::<Option<Vec<_>>>()?;
    let texts = lens.iter().map(|(_, text)| cut(*text)).collect::<Option<Vec<_>>>()?;
    let source = |(name, bytes): (&str, &[u8])| TextSource { name: name.into(), bytes: bytes.into() };
    frame.is_empty().then(|| names.into_iter().zip(texts).map(source).collect())
}

/// Encodes a deflated frame as letters of an address.
pub fn letters(deflated: &[u8]) -> String {
    base64url::encode(&[&[VERSION], deflated].concat())
}

/// Decodes letters of an address into the bytes to inflate.
///
/// # Errors
/// Returns an error if the letters are malformed, too many, or of a later version.
pub fn deflated(letters: &str) -> Result<Vec<u8>, PackedTextsError> {
    zlib_of(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> CollectionForm {
        CollectionForm { sources: vec![TextSource::typed(text)], ..CollectionForm::default() }
    }

    #[test]
    fn short_typed_texts_and_choices_are_restored() {
        let view =
            CollectionView { threshold: Some(30), order: RowOrder::Length, chosen: Some((1, 19)), tab: Tab::Pairs, has_names: false };
        let form = CollectionForm {
            split: MemberSplit::Blank,
            unit: Unit::Words,
            measure: Measure::LcsRatio,
            case_insensitive: true,
            ignore_whitespace: true,
            ..form("one two\n\nthree")
        };
        let fragment = write(&form, None, &view);
        assert_eq!(
            fragment,
            "split=blank&measure=lcs-ratio&unit=words&case_insensitive&ignore_whitespace&a=one+two%0A%0Athree&alike=30&sort=length&chosen=1,19&view=pairs&names=0"
        );
        assert_eq!(read(&fragment), Ok(ParsedLink { form, packed: None, view }));
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
        for bad in ["split=pages", "unit=x", "alike=much", "chosen=1", "chosen=1,x", "sort=up", "measure=weight"] {
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
        let file = TextSource { name: "a.txt".into(), bytes: b"x"[..].into() };
        assert!(needs_deflating(&CollectionForm { sources: vec![file], ..CollectionForm::default() }), "its name would be lost");
        assert_eq!(read("z=AQ&unit=words").unwrap().packed.as_deref(), Some("AQ"));
    }

    #[test]
    fn sources_are_restored_from_their_frame() {
        let source = |name: &str, bytes: &[u8]| TextSource { name: name.into(), bytes: bytes.into() };
        for sources in [vec![], vec![source("", b"a")], vec![source("ä.txt", b"\xff\0"), source("b", b""), source("", b"ccc")]] {
            let framed = frame(&sources);
            assert_eq!(unframe(&framed), Ok(sources));
            assert_eq!(unframe(&framed[..framed.len() - 1]), Err(PackedTextsError::Damaged));
            assert_eq!(unframe(&[&framed[..], b"x"].concat()), Err(PackedTextsError::Damaged));
        }
        assert_eq!(unframe(&[255; 8]), Err(PackedTextsError::Damaged));
        assert_eq!(deflated(&letters(&[7, 8])), Ok(vec![7, 8]));
    }
}
