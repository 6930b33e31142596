//! A form as an address: `/lcs#a=kitten&b=sitting`. [`address`] writes it, and [`read`] parses its fragment.
//!
//! The task is the path, and everything else is in the fragment. Browsers do not send the fragment to servers, so that
//! a link needs no state on a server. Names are those of the wire format, and default values are left out. Long texts
//! are [deflated](mod@crate::model::link::packed_texts) if that is shorter: `/lcs#z=…`.
//!
//! Addresses have a version. Version 1 is not written. A page that changes the meaning of a name writes `v=2`; this
//! page then reports that it cannot read the link, instead of comparing something else. Names that this page does not
//! know are reported, and the rest is read.

use kernels::job::{FastaMode, GapPlacement, JobOptions, PaperMethod, RecordChoice, SearchStrands, Task, Unit};

use crate::model::form::costs::{excludes_ambiguity, has_conflict, set_ambiguity};
use crate::model::form::records;
use crate::model::form::{FormSide, FormState, TextContent};
use crate::model::link::costs;
use crate::model::link::link_view::LinkView;
use crate::model::link::packed_texts::{self, MAX_DEFLATED_BYTES, PackedTexts, TextPair};
use crate::model::link::percent::{decode, encode};
use crate::model::link::points;
use crate::model::points::set_scoring;
use crate::model::problem::Problem;
use crate::model::text::humanize;
use crate::model::visit::task_path;
use crate::tr;
use crate::tr::{language, t};

/// Maximum length of a fragment with plain texts, in characters, because some mail and chat programs cut longer
/// addresses.
pub const MAX_PLAIN_FRAGMENT: usize = 8_000;

/// Maximum length of a fragment with deflated texts, in characters.
pub const MAX_FRAGMENT: usize = 32_000;

/// Maximum length of plain texts in a fragment, in bytes, for which deflating is not tried. Longer plain texts are hard
/// to read in an address, and their QR code is hard to scan.
const MAX_READABLE_BYTES: usize = 2_000;

/// Returns the address of a form and of the view of its result, without a host. Returns `None` if a text was not typed
/// or the address would be too long.
///
/// `packed` are the texts that were deflated last, if any.
pub fn address(form: &FormState, look: &LinkView, packed: Option<&PackedTexts>) -> Option<String> {
    let whole = [vec![write(form, packed)?], look.write()].concat().join("&");
    Some(format!("{}#{whole}", task_path(form.task)))
}

/// Returns the texts of a form if its address needs them in deflated form. Returns `None` if the texts are short enough
/// to stand there as plain text, too long to deflate, or not typed.
pub fn to_deflate(form: &FormState) -> Option<TextPair> {
    let texts = packed_texts::texts_of(form)?;
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.len());
    let is_readable = || plain(form).is_some_and(|plain| plain.len() <= MAX_READABLE_BYTES);
    (a + b <= MAX_DEFLATED_BYTES && !is_readable()).then_some(texts)
}

/// The newest version of addresses that this page reads.
const VERSION: u32 = 1;

/// The content of a fragment, the part of an address after `#`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedFragment {
    /// The form, or `None` if the fragment has no texts.
    pub form: Option<FormState>,
    /// The letters that encode the deflated texts of the form, or `None` if the fragment has plain texts only.
    pub packed: Option<String>,
    /// Names in the fragment that this version of the page does not know, in their order.
    pub unknown: Vec<String>,
}

impl ParsedFragment {
    /// Returns a warning that unknown parts of the link were ignored, so that the answer may differ from the original
    /// one. Returns `None` if there are no such parts, or if the fragment has no texts.
    pub fn warning(&self) -> Option<Problem> {
        let names: Vec<String> = self.unknown.iter().take(3).map(|name| language().quoted(&brief(name))).collect();
        (self.form.is_some() && !names.is_empty()).then(|| {
            let detail = tr!(
                "Parts that this version does not know were ignored: {names}. The answer may differ from the one that the author of the link saw.",
                names = humanize::list(&names)
            );
            Problem::new("unknown-part", t("This link has parts that this version does not know"), detail)
        })
    }
}

/// The reason why a fragment is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FragmentError {
    /// The fragment has a version that is newer than this page.
    Newer,
    /// A name has an invalid value.
    Value { name: String, value: String },
    /// The fragment has both costs and a method that does not have them.
    CostsWithMethod,
    /// The fragment has both a limit of the edit distance and a method that has none.
    LimitWithMethod,
    /// The fragment has both ambiguity codes and an option without them, in the part with this name.
    AmbiguityWith(&'static str),
}

impl FragmentError {
    /// Creates the error for the encoded `value` of `name`.
    pub(super) fn value(name: &str, value: &str) -> Self {
        Self::Value { name: decode(name), value: decode(value) }
    }
}

impl From<FragmentError> for Problem {
    fn from(unread: FragmentError) -> Self {
        match unread {
            FragmentError::Newer => Self::newer_link(),
            FragmentError::Value { name, value } => Self::new(
                "unreadable-link",
                t("This link cannot be read"),
                tr!(
                    "“{value}” is not a valid value for {name}. The link was changed on its way, or a newer version made it.",
                    value = brief(&value),
                    name = brief(&name)
                ),
            ),
            FragmentError::CostsWithMethod => Self::new(
                "unreadable-link",
                t("This link cannot be read"),
                t("It has costs and a method of a paper, but those methods count every edit as 1. Leave one of them out."),
            ),
            FragmentError::LimitWithMethod => Self::new(
                "unreadable-link",
                t("This link cannot be read"),
                t("It has max_distance and method, but the methods of the papers compute the whole distance. Leave one of them out."),
            ),
            FragmentError::AmbiguityWith(name) => Self::new(
                "unreadable-link",
                t("This link cannot be read"),
                tr!("It has ambiguity and {name}, which exclude each other. Leave one of them out.", name = name),
            ),
        }
    }
}

/// Cuts a text to a length that fits into a sentence.
fn brief(text: &str) -> String {
    let mut letters = text.chars();
    let begin: String = letters.by_ref().take(40).collect();
    if letters.next().is_some() { format!("{begin}…") } else { begin }
}

/// Formats the part of a fragment with both texts as plain text. Returns `None` if a text was not typed or is too long.
fn plain(form: &FormState) -> Option<String> {
    let mut parts = Vec::new();
    for which in FormSide::BOTH {
        let text = form.side(which).text().filter(|text| text.len() <= MAX_PLAIN_FRAGMENT)?;
        parts.push(format!("{}={}", which.name(), encode(text)));
    }
    Some(parts.join("&"))
}

/// Writes the fragment for `form`, without its `#`. Short texts are plain; of longer ones, the plain or deflated form
/// is used, whichever is shorter. `packed` are the texts that were deflated last. Returns `None` if the fragment would
/// be too long, or if a text was not typed.
fn write(form: &FormState, packed: Option<&PackedTexts>) -> Option<String> {
    let options = options(form);
    let whole = |texts: String| [vec![texts], options.clone()].concat().join("&");
    let texts = plain(form);
    let is_readable = texts.as_ref().is_some_and(|texts| texts.len() <= MAX_READABLE_BYTES);
    let plain = texts.map(whole).filter(|plain| plain.len() <= MAX_PLAIN_FRAGMENT);
    if is_readable {
        return plain;
    }
    let letters = packed.filter(|packed| packed.matches_form(form)).and_then(PackedTexts::letters);
    let deflated = letters.map(|letters| whole(format!("z={letters}"))).filter(|deflated| deflated.len() <= MAX_FRAGMENT);
    [deflated, plain].into_iter().flatten().min_by_key(String::len)
}

/// Lists `name=value` for all options of the form that differ from the defaults.
fn options(form: &FormState) -> Vec<String> {
    let usual = FormState::new(form.task);
    let mut parts = Vec::new();
    if form.options.unit != usual.options.unit {
        parts.push(format!("unit={}", form.options.unit.name()));
    }
    let options = form.job_options();
    if !options.fasta.is_auto() {
        parts.push(format!("fasta={}", options.fasta.name()));
    }
    for which in FormSide::BOTH {
        let RecordChoice { record, joined } = &form.side(which).choice;
        let name = which.name();
        parts.extend(record.as_ref().map(|record| format!("record_{name}={}", encode(&records::format_record(record)))));
        parts.extend(joined.then(|| format!("joined_{name}")));
    }
    if !options.strands.is_forward() {
        parts.push(format!("strands={}", options.strands.name()));
    }
    if !options.gaps.is_leftmost() {
        parts.push(format!("gaps={}", options.gaps.name()));
    }
    parts.extend(costs::write(options.costs));
    parts.extend(points::write(&options.scoring()));
    parts.extend((options.pieces != 1).then(|| format!("pieces={}", options.pieces)));
    parts.extend(options.method.map(|method| format!("method={}", method.name())));
    for (number, value) in [("max_distance", options.max_distance), ("max_mismatches", options.max_mismatches), ("blocks", options.blocks)]
    {
        parts.extend(value.map(|value| format!("{number}={value}")));
    }
    parts.extend(ignored(&options).map(str::to_owned));
    for (flag, on) in [
        ("no_alignment", !options.alignment),
        ("local_minima", options.local_minima),
        ("ambiguity", options.ambiguity),
        ("count_only", options.count_only),
    ] {
        if on {
            parts.push(flag.into());
        }
    }
    parts
}

/// Access to an option that makes the comparison ignore something.
type IgnoredField = fn(&mut JobOptions) -> &mut bool;

/// Options that make the comparison ignore something, with their names.
const IGNORED: [(&str, IgnoredField); 7] = [
    ("case_insensitive", |options| &mut options.case_insensitive),
    ("ignore_whitespace", |options| &mut options.ignore_whitespace),
    ("ignore_line_ends", |options| &mut options.ignore_line_ends),
    ("ignore_punctuation", |options| &mut options.ignore_punctuation),
    ("ignore_accents", |options| &mut options.ignore_accents),
    ("ignore_digits", |options| &mut options.ignore_digits),
    ("normalize", |options| &mut options.normalize),
];

/// Lists the names of what `options` ignore.
pub fn ignored(options: &JobOptions) -> impl Iterator<Item = &'static str> {
    let mut options = options.clone();
    IGNORED.into_iter().filter(move |(_, field)| *field(&mut options)).map(|(name, _)| name)
}

/// Switches on the option called `name`. Returns `false` if it ignores nothing or is unknown.
pub fn ignore(options: &mut JobOptions, name: &str) -> bool {
    let Some((_, field)) = IGNORED.iter().find(|(known, _)| *known == name) else { return false };
    *field(options) = true;
    true
}

/// Parses a fragment (without its `#`) at the path of `task`. If the fragment names a task itself, as in older links,
/// that task takes precedence.
///
/// # Errors
/// Returns an error if the fragment has a newer version, or if a name has an invalid value. Also returns an error if options
/// exclude each other, because the comparison would not be the intended one.
pub fn read(task: Task, fragment: &str) -> Result<ParsedFragment, FragmentError> {
    let mut form = FormState::new(task);
    let mut texts = 0;
    let mut packed = None;
    let (mut unknown, mut of_scores) = (Vec::new(), Vec::new());
    for part in fragment.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = || FragmentError::value(name, value);
        match name {
            "v" if value.parse::<u32>().map_err(|_| wrong())? > VERSION => return Err(FragmentError::Newer),
            "v" => {}
            "a" | "b" => {
                let which = if name == "a" { FormSide::A } else { FormSide::B };
                form.side_mut(which).content = TextContent::Typed(decode(value).into());
                texts += 1;
            }
            // Deflated texts take precedence over plain ones, because a page that writes both writes the same texts.
            "z" => packed = Some(value.to_owned()),
            "fasta" => form.options.fasta = FastaMode::ALL.into_iter().find(|fasta| fasta.name() == value).ok_or_else(wrong)?,
            "strands" => form.options.strands = SearchStrands::ALL.into_iter().find(|strands| strands.name() == value).ok_or_else(wrong)?,
            "gaps" => form.options.gaps = GapPlacement::ALL.into_iter().find(|gaps| gaps.name() == value).ok_or_else(wrong)?,
            "record_a" => form.a.choice.record = Some(records::record(&decode(value))),
            "record_b" => form.b.choice.record = Some(records::record(&decode(value))),
            "joined_a" => form.a.choice.joined = true,
            "joined_b" => form.b.choice.joined = true,
            "task" => form.task = Task::ALL.into_iter().find(|task| task.name() == value).ok_or_else(wrong)?,
            "method" => form.options.method = Some(PaperMethod::ALL.into_iter().find(|method| method.name() == value).ok_or_else(wrong)?),
            "unit" => form.options.unit = Unit::ALL.into_iter().find(|unit| unit.name() == value).ok_or_else(wrong)?,
            "no_alignment" => form.options.alignment = false,
            "max_distance" => form.options.max_distance = Some(value.parse().map_err(|_| wrong())?),
            "max_mismatches" => form.options.max_mismatches = Some(value.parse().map_err(|_| wrong())?),
            "pieces" => {
                let pieces = value.parse().ok().filter(|pieces| (1..=JobOptions::MAX_PIECES).contains(pieces));
                form.options.pieces = pieces.ok_or_else(wrong)?;
            }
            "blocks" => form.options.blocks = Some(value.parse().map_err(|_| wrong())?),
            "local_minima" => form.options.local_minima = true,
            "ambiguity" => form.options.ambiguity = true,
            "count_only" => form.options.count_only = true,
            "" => {}
            name if ignore(&mut form.options, name) => {}
            name if costs::NAMES.contains(&name) || points::NAMES.contains(&name) => of_scores.push(name),
            name if LinkView::knows(name) => {}
            name => unknown.push(decode(name)),
        }
    }
    let wrong = |(name, value): (&str, &str)| FragmentError::value(name, value);
    let has_codes = form.options.ambiguity;
    let known: &[&str] = if form.task == Task::SequenceAlignment {
        set_scoring(&mut form.options, points::read(fragment).map_err(wrong)?);
        &points::NAMES
    } else {
        form.options.costs = costs::read(fragment).map_err(wrong)?;
        &costs::NAMES
    };
    unknown.extend(of_scores.into_iter().filter(|name| !known.contains(name)).map(decode));
    if has_conflict(&form.options) {
        return Err(FragmentError::CostsWithMethod);
    }
    if form.task == Task::EditDistance && form.options.max_distance.is_some() && form.job_options().method.is_some() {
        return Err(FragmentError::LimitWithMethod);
    }
    form.options.ambiguity = has_codes;
    if let Some(name) = excludes_ambiguity(&JobOptions { ambiguity: has_codes, ..form.job_options() }) {
        // A preset may have the exchange or the matrix.
        let is_written = fragment.split('&').any(|part| part.split('=').next() == Some(name));
        return Err(FragmentError::AmbiguityWith(if is_written { name } else { "costs" }));
    }
    if has_codes {
        // The fragment may have options of other tasks, which exclude ambiguity codes there.
        set_ambiguity(&mut form.options, true);
    }
    Ok(ParsedFragment { form: (texts > 0 || packed.is_some()).then_some(form), packed, unknown })
}

#[cfg(test)]
mod tests {
    use kernels::job::ChosenRecord;

    use super::*;
    use crate::model::form::FormText;
    use crate::model::form::local_file::LocalFile;

    fn of(form: FormState) -> ParsedFragment {
        ParsedFragment { form: Some(form), ..ParsedFragment::default() }
    }

    fn wrong(name: &str, value: &str) -> FragmentError {
        FragmentError::Value { name: name.into(), value: value.into() }
    }

    fn typed(a: &str, b: &str) -> FormState {
        FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(Task::EditDistance) }
    }

    #[test]
    fn fragment_of_a_small_form_is_readable() {
        assert_eq!(write(&typed("kitten", "sitting"), None).unwrap(), "a=kitten&b=sitting");
    }

    #[test]
    fn written_form_is_read_without_loss() {
        let mut form = typed("naïve +&=%#\r\n\t👩‍🚀", "");
        form.options.unit = Unit::Lines;
        form.options.case_insensitive = true;
        form.options.normalize = true;
        form.options.ignore_digits = true;
        form.options.alignment = false;
        form.options.fasta = FastaMode::Always;
        form.a.choice.record = Some(ChosenRecord::Name("chr 2&c".into()));
        form.b.choice.joined = true;
        let fragment = write(&form, None).unwrap();
        assert!(fragment.is_ascii() && !fragment.contains('#'), "{fragment}");
        assert_eq!(read(form.task, &fragment), Ok(of(form)));
    }

    #[test]
    fn address_of_a_task_contains_the_options_of_the_task() {
        let mut form = FormState { task: Task::ApproximateSearch, ..typed("annual", "annealing") };
        form.options.max_distance = Some(3);
        form.options.local_minima = true;
        form.options.strands = SearchStrands::Both;
        form.options.ambiguity = true;
        form.options.gaps = GapPlacement::Rightmost;
        let written = "/approximate-search#a=annual&b=annealing&strands=both&gaps=rightmost&max_distance=3&local_minima&ambiguity";
        assert_eq!(address(&form, &LinkView::default(), None).unwrap(), written);
        assert_eq!(read(form.task, &write(&form, None).unwrap()), Ok(of(form.clone())));
        form.task = Task::Lcs;
        assert_eq!(address(&form, &LinkView::default(), None).unwrap(), "/lcs#a=annual&b=annealing&gaps=rightmost&ambiguity");
        form.task = Task::EditDistance;
        assert_eq!(address(&form, &LinkView::default(), None).unwrap(), "/#a=annual&b=annealing&gaps=rightmost&max_distance=3&ambiguity");
        assert_eq!(read(form.task, "a=x&max_distance=3").unwrap().form.unwrap().job_options().max_distance, Some(3));
        assert_eq!(read(form.task, "a=x&max_distance=3&method=diagonal"), Err(FragmentError::LimitWithMethod));
        assert!(read(Task::ApproximateSearch, "a=x&max_distance=3&method=diagonal").is_ok());
        assert_eq!(read(Task::ExactSearch, "a=R&ambiguity&method=kmp"), Err(FragmentError::AmbiguityWith("method")));
        assert_eq!(read(Task::EditDistance, "a=R&ambiguity&method=diagonal"), Err(FragmentError::AmbiguityWith("method")));
        assert_eq!(read(Task::EditDistance, "a=R&ambiguity&costs=osa"), Err(FragmentError::AmbiguityWith("costs")));
        assert_eq!(read(Task::EditDistance, "a=R&ambiguity&swap=1"), Err(FragmentError::AmbiguityWith("swap")));
        assert_eq!(read(Task::SequenceAlignment, "a=R&ambiguity&costs=blosum62"), Err(FragmentError::AmbiguityWith("costs")));
        let other = read(Task::ExactSearch, "a=R&b=G&ambiguity&costs=osa").unwrap().form.unwrap();
        assert!(other.job_options().ambiguity);
        let edits = FormState { task: Task::EditDistance, ..other }.job_options();
        assert!(edits.ambiguity && edits.costs.transpose.is_none(), "another task of the same form is valid too");
        assert_eq!(read(Task::SequenceAlignment, "a=R&ambiguity&matrix=nuc44"), Err(FragmentError::AmbiguityWith("matrix")));
        assert!(read(Task::SequenceAlignment, "a=R&ambiguity&equal=2").unwrap().form.unwrap().job_options().ambiguity);
    }

    #[test]
    fn link_may_name_its_task_in_the_fragment() {
        let form = FormState { task: Task::Lcs, ..typed("x", "y") };
        assert_eq!(read(Task::EditDistance, "task=lcs&a=x&b=y"), Ok(of(form)));
        assert_eq!(read(Task::EditDistance, "task=tea&a=x&b=y"), Err(wrong("task", "tea")));
    }

    #[test]
    fn record_is_chosen_by_number_or_name() {
        let form = read(Task::ExactSearch, "a=x&b=y&record_b=2&record_a=chr+2&fasta=always").unwrap().form.unwrap();
        assert_eq!((form.a.choice.record, form.b.choice.record), (Some(ChosenRecord::Name("chr 2".into())), Some(ChosenRecord::Number(2))));
        assert_eq!(form.options.fasta, FastaMode::Always);
        assert_eq!(read(Task::ExactSearch, "a=x&fasta=perhaps"), Err(wrong("fasta", "perhaps")));
    }

    #[test]
    fn long_texts_and_files_have_no_fragment() {
        assert_eq!(write(&typed(&"x".repeat(MAX_PLAIN_FRAGMENT), "y"), None), None);
        let mut form = typed("a", "b");
        form.a.content = TextContent::File { file: LocalFile::default(), bytes: 1, head: String::new() };
        assert_eq!((write(&form, None), to_deflate(&form)), (None, None));
    }

    /// Returns the texts of a form as if deflated to `bytes` bytes.
    fn deflated(form: &FormState, bytes: usize) -> PackedTexts {
        PackedTexts::new(packed_texts::texts_of(form).unwrap(), Some(&vec![0; bytes]))
    }

    #[test]
    fn long_texts_are_deflated_and_short_ones_stay_readable() {
        let short = typed("kitten", "sitting");
        assert_eq!((to_deflate(&short), write(&short, Some(&deflated(&short, 9)))), (None, Some("a=kitten&b=sitting".into())));
        let long = typed(&"kitten ".repeat(200), &"字".repeat(200));
        assert_eq!(to_deflate(&long), packed_texts::texts_of(&long));
        let packed = deflated(&long, 300);
        let letters = packed.letters().unwrap();
        let form = FormState { task: Task::ApproximateSearch, ..long.clone() };
        let written = address(&form, &LinkView::read("view=dots"), Some(&packed)).unwrap();
        assert_eq!(written, format!("/approximate-search#z={letters}&view=dots"));
        // The texts are plain if deflating made them longer, is not supported, or is not done yet.
        let plain = write(&long, None).unwrap();
        assert!(plain.starts_with("a=kitten+kitten"));
        let unable = PackedTexts::new(packed_texts::texts_of(&long).unwrap(), None);
        let other = deflated(&short, 9);
        for packed in [&deflated(&long, 4_000), &unable, &other] {
            assert_eq!(write(&long, Some(packed)).as_ref(), Some(&plain));
        }
        // Longer texts fit only deflated, up to the maximum length of an address.
        let longer = typed(&"x".repeat(100_000), "y");
        assert_eq!(write(&longer, None), None);
        assert!(write(&longer, Some(&deflated(&longer, 20_000))).is_some_and(|whole| whole.len() <= MAX_FRAGMENT));
        assert_eq!(write(&longer, Some(&deflated(&longer, 24_000))), None);
        assert_eq!(to_deflate(&typed(&"x".repeat(MAX_DEFLATED_BYTES), "y")), None);
    }

    #[test]
    fn deflated_texts_are_read_with_options_and_view() {
        let opened = read(Task::Lcs, "z=AQc-_w&unit=words&record_b=2&case_insensitive&view=matrix&gap_costs=2").unwrap();
        let form = opened.form.clone().unwrap();
        assert_eq!((opened.packed.as_deref(), opened.unknown.as_slice()), (Some("AQc-_w"), &["gap_costs".to_owned()][..]));
        assert_eq!((form.task, form.options.unit, form.options.case_insensitive), (Task::Lcs, Unit::Words, true));
        assert_eq!(form.b.choice.record, Some(ChosenRecord::Number(2)));
        assert!(opened.warning().is_some() && form.a.is_blank() && form.b.is_blank());
    }

    #[test]
    fn invalid_percent_codes_are_read_literally() {
        let read = |fragment| read(Task::EditDistance, fragment);
        assert_eq!(
            (read(""), read("main")),
            (Ok(ParsedFragment::default()), Ok(ParsedFragment { unknown: vec!["main".into()], ..ParsedFragment::default() }))
        );
        assert_eq!(read("a=100%&b=%4"), Ok(of(typed("100%", "%4"))));
        assert_eq!(read("a=%+F&b=%-1"), Ok(of(typed("% F", "%-1"))));
    }

    #[test]
    fn invalid_values_and_newer_versions_are_reported() {
        let read = |fragment| read(Task::EditDistance, fragment);
        assert_eq!(read("a=x&unit=furlongs"), Err(wrong("unit", "furlongs")));
        assert_eq!(read("a=x&gaps=middle"), Err(wrong("gaps", "middle")));
        assert_eq!(read("a=x&max_distance=few"), Err(wrong("max_distance", "few")));
        assert_eq!(read("v=2&a=x&b=y"), Err(FragmentError::Newer));
        assert_eq!(read("v=two&a=x&b=y"), Err(wrong("v", "two")));
        assert_eq!(read("v=1&a=x&b=y"), Ok(of(typed("x", "y"))));
        let problem = Problem::from(wrong("unit", &"furlong ".repeat(40)));
        assert!(problem.detail.contains("for unit.") && problem.detail.len() < 250 && problem.remedies().is_empty(), "{problem:?}");
        assert!(Problem::from(FragmentError::Newer).remedies().is_empty());
    }

    #[test]
    fn unknown_parameters_are_reported() {
        let opened = read(Task::EditDistance, "a=x&b=y&gap_costs=2&view=matrix&step=3&texts&controls=off").unwrap();
        assert_eq!((opened.form.clone(), opened.unknown.clone()), (Some(typed("x", "y")), vec!["gap_costs".to_owned()]));
        assert!(opened.warning().is_some_and(|problem| problem.detail.contains("“gap_costs”") && problem.remedies().is_empty()));
        assert_eq!((of(typed("x", "y")).warning(), read(Task::Lcs, "main").unwrap().warning()), (None, None));
    }
}
