//! Tests of the form: facts and steps that follow from its texts and options.

use kernels::job::{AlignmentMode, ChosenRecord, EditCosts, GapPlacement, Points, SearchStrands};

use super::costs::{CostPreset, set_ambiguity, set_costs, set_method};
use super::*;
use crate::model::link::fragment::{self, FragmentError};
use crate::model::link::link_view::LinkView;
use crate::model::points::{PointsPreset, set_scoring};

fn form(a: TextContent, b: TextContent) -> FormState {
    let side = |content| FormText { content, ..FormText::default() };
    FormState { a: side(a), b: side(b), ..FormState::new(Task::EditDistance) }
}

fn file(bytes: u64) -> TextContent {
    TextContent::File { file: LocalFile::default(), bytes, head: String::new() }
}

fn stored() -> TextContent {
    TextContent::Stored { upload: "u".into(), bytes: 2_000, symbols: 1_000, head: String::new(), file: "/f".into() }
}

#[test]
fn short_stored_texts_are_fetched_and_long_ones_are_not() {
    let of_link = |bytes| TextContent::Stored { upload: String::new(), bytes, symbols: 1, head: String::new(), file: "/f".into() };
    assert!(form(of_link(100_000), TextContent::default()).is_to_fetch());
    assert!(!form(of_link(FETCHED_BYTES + 1), TextContent::default()).is_to_fetch());
    assert!(!form(stored(), TextContent::Typed("a".into())).is_to_fetch());
}

#[test]
fn short_read_only_file_has_its_reason() {
    let reason = |head: &str, bytes: u64| {
        FormText { content: TextContent::File { file: LocalFile::default(), bytes, head: head.into() }, ..FormText::default() }.read_only()
    };
    assert_eq!(reason("one\r\ntwo\n", 9), Some(ReadOnlyReason::Crlf));
    assert_eq!(reason("one\rtwo\r", 8), Some(ReadOnlyReason::Cr));
    assert_eq!(reason("caf\u{fffd}\r\n", 6), Some(ReadOnlyReason::Encoding));
    assert_eq!(reason("o\0n\0e\0", 6), Some(ReadOnlyReason::Encoding), "UTF-16");
    assert_eq!(reason("one", 500_000), Some(ReadOnlyReason::Other), "the reason lies in a later part of the file");
    assert_eq!((reason("a\0\0\0b\0\0c", 8), reason("", 0), reason("one\r\n", TYPED_BYTES + 1)), (None, None, None));
    assert_eq!(FormText::typed("one").read_only(), None);
}

#[test]
fn file_of_two_lines_is_split_without_line_ends() {
    for text in ["ababa\naba", "ababa\naba\n", "ababa\r\naba\r\n"] {
        assert_eq!(two_lines(text), Some(("ababa", "aba")), "{text:?}");
    }
    for text in ["", "ababa", "ababa\n", "\naba", "ababa\n\n", "a\nb\nc", "a\nb\n\n"] {
        assert_eq!(two_lines(text), None, "{text:?}");
    }
}

#[test]
fn small_edits_keep_the_view_and_other_texts_or_units_do_not() {
    let typed = |a: &str, b: &str| form(TextContent::Typed(a.into()), TextContent::Typed(b.into()));
    let last = typed("kitten", "sitting");
    let lcs = FormState { task: Task::Lcs, ..last.clone() };
    let mut words = last.clone();
    words.options.unit = Unit::Words;
    assert!(!last.is_other_than(&last) && !typed("kitten", "sittin").is_other_than(&last) && !lcs.is_other_than(&last));
    assert!(typed("sitting", "kitten").is_other_than(&last) && words.is_other_than(&last));
}

#[test]
fn small_texts_are_read_at_once_and_large_or_stored_ones_measured() {
    assert_eq!(form(TextContent::default(), TextContent::default()).next(), NextStep::Nothing);
    assert_eq!(form(TextContent::Typed("a".into()), TextContent::default()).next(), NextStep::Read);
    assert_eq!(form(file(0), TextContent::default()).next(), NextStep::Read);
    assert_eq!(form(file(READ_BYTES + 1), TextContent::default()).next(), NextStep::Measure);
    assert_eq!(form(TextContent::Typed("a".into()), stored()).next(), NextStep::Measure);
}

#[test]
fn empty_file_is_not_blank_but_an_empty_text_area_is() {
    assert!(FormText::default().is_blank());
    assert!(!FormText { content: file(0), ..FormText::default() }.is_blank());
    assert!(!FormText { name: Some("empty.txt".into()), ..FormText::default() }.is_blank());
}

#[test]
fn only_short_typed_texts_are_sent_inside_a_job() {
    let long = "x".repeat(INLINE_BYTES as usize + 1);
    assert_eq!(form(TextContent::Typed("a".into()), stored()).inline(FormSide::A), Some(TextSource::Text("a".into()).into()));
    assert_eq!(form(TextContent::Typed("a".into()), stored()).inline(FormSide::B), Some(TextSource::Upload("u".into()).into()));
    assert_eq!(form(TextContent::Typed(long.into()), file(3)).inline(FormSide::A), None);
    assert_eq!(form(TextContent::default(), file(3)).inline(FormSide::B), None);
    assert_eq!(form(file(3), stored()).bytes_to_send(), 3);
}

#[test]
fn record_choice_survives_edits_of_a_file_and_is_sent_with_the_job() {
    let choice = RecordChoice { record: Some(ChosenRecord::Number(1)), joined: false };
    let of_file = FormText { name: Some("two.fasta".into()), choice: choice.clone(), ..FormText::typed(">x\nAC\n>y\nGT\n") };
    let form = FormState { a: of_file.clone(), ..FormState::new(Task::EditDistance) };
    assert_eq!(form.inline(FormSide::A).unwrap().choice, choice);
    assert_eq!(of_file.retyped(">x\nAC\n>y\nGTA\n".into()).choice, choice);
    let other = of_file.retyped("kitten".into());
    assert_eq!((other.choice, other.name.as_deref()), (RecordChoice::default(), Some("two.fasta")));
    assert_eq!(of_file.retyped(String::new()), FormText::default());
}

#[test]
fn failed_file_has_no_text_until_it_is_replaced() {
    let problem = Problem::new("not-text", "a.png is an image", "");
    let failed = FormText::failed("a.png".into(), problem.clone());
    let form = FormState { a: failed.clone(), b: FormText::typed("kitten"), ..FormState::new(Task::EditDistance) };
    assert_eq!((form.next(), form.failure().map(|problem| &**problem), failed.text()), (NextStep::Nothing, Some(&problem), None));
    assert_eq!(failed.retyped("sitting".into()), FormText::typed("sitting"));
    assert_eq!(form.in_bytes().failure(), form.failure(), "an archive has no bytes to compare");
    let image = FormText { content: file(9), ..failed };
    let form = FormState { a: image, ..form }.in_bytes();
    assert_eq!((form.next(), form.options.unit, form.failure()), (NextStep::Read, Unit::Bytes, None));
}

#[test]
fn both_strands_are_offered_for_dna() {
    let offers =
        |task, a: &str, b: &str| FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(task) }.offers_strands();
    assert!(offers(Task::ExactSearch, "GATC", ">chr1 with a name\nacgtn\nGATTACA\n"));
    assert!(offers(Task::ApproximateSearch, "GAUUACA\n", "ACGRYSWKMBDHVN"));
    assert!(!offers(Task::MatchCount, "GATC", "GATC") && !offers(Task::Lcs, "GATC", "GATC"));
    for (a, b) in [("", "GATC"), ("GATC", ""), ("GATC", "some words"), ("hello", "GATC")] {
        assert!(!offers(Task::ExactSearch, a, b), "{a}, {b}");
    }
    let mut form = FormState { a: FormText::typed("hello"), ..FormState::new(Task::ExactSearch) };
    form.options.strands = SearchStrands::Both;
    assert!(form.offers_strands(), "a chosen option can be switched off");
}

#[test]
fn ambiguity_codes_are_offered_for_dna() {
    let offers =
        |task, a: &str, b: &str| FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(task) }.offers_ambiguity();
    assert!(Task::ALL.into_iter().all(|task| offers(task, "GTGYCAGC", "acgtn")));
    assert!(!offers(Task::ExactSearch, "hello", "GATC") && !offers(Task::Lcs, "GATC", "some words"));
    let mut form = FormState { a: FormText::typed("hello"), ..FormState::new(Task::MatchCount) };
    form.options.method = Some(PaperMethod::ShiftAdd);
    set_ambiguity(&mut form.options, true);
    assert_eq!((form.offers_ambiguity(), form.options.method), (true, None), "a chosen option can be switched off");
    assert!(form.job_options().ambiguity);
    set_method(&mut form.options, Some(PaperMethod::ShiftAdd));
    assert!(!form.options.ambiguity && form.job_options().method.is_some());
}

/// The choice of a visitor that comes last wins.
#[test]
fn ambiguity_codes_exclude_swaps_and_matrices() {
    let mut options = JobOptions { costs: EditCosts::OSA, ..JobOptions::default() };
    set_scoring(&mut options, PointsPreset::Blosum62.scoring());
    set_ambiguity(&mut options, true);
    assert_eq!((options.costs, options.matrix.clone(), options.gap.open), (EditCosts::LEVENSHTEIN, None, Points::whole(11)));
    set_costs(&mut options, EditCosts::INDEL);
    set_scoring(&mut options, PointsPreset::Blastn.scoring());
    assert!(options.ambiguity);
    set_costs(&mut options, EditCosts::OSA);
    assert!(!options.ambiguity);
    set_ambiguity(&mut options, true);
    set_scoring(&mut options, PointsPreset::Blosum62.scoring());
    assert!(!options.ambiguity && options.matrix.is_some());
}

#[test]
fn options_of_other_tasks_are_not_sent() {
    let chosen = JobOptions {
        unit: Unit::Words,
        alignment: false,
        costs: EditCosts::INDEL,
        equal: Points::whole(5),
        mode: AlignmentMode::Local,
        max_distance: Some(2),
        local_minima: true,
        max_mismatches: Some(3),
        ambiguity: true,
        strands: SearchStrands::Both,
        count_only: true,
        gaps: GapPlacement::Rightmost,
        blocks: Some(16),
        ..JobOptions::default()
    };
    let asked = |task| FormState { options: chosen.clone(), ..FormState::new(task) }.job_options();
    let plain = JobOptions { unit: Unit::Words, ..JobOptions::default() };
    let gaps = GapPlacement::Rightmost;
    assert_eq!(
        asked(Task::EditDistance),
        JobOptions { alignment: false, costs: EditCosts::INDEL, max_distance: Some(2), ambiguity: true, gaps, ..plain.clone() }
    );
    let by_method = JobOptions { method: Some(PaperMethod::Sequential), costs: EditCosts::LEVENSHTEIN, ..chosen.clone() };
    let by_method = FormState { options: by_method, ..FormState::new(Task::EditDistance) }.job_options();
    assert_eq!((by_method.max_distance, by_method.method), (None, Some(PaperMethod::Sequential)));
    assert_eq!(asked(Task::Lcs), JobOptions { alignment: false, ambiguity: true, gaps, ..plain.clone() });
    let scored =
        JobOptions { alignment: false, equal: Points::whole(5), mode: AlignmentMode::Local, ambiguity: true, gaps, ..plain.clone() };
    assert_eq!(asked(Task::SequenceAlignment), scored);
    let search = JobOptions { ambiguity: true, count_only: true, ..plain.clone() };
    let stranded = JobOptions { strands: SearchStrands::Both, ..search.clone() };
    let approximate = JobOptions { max_distance: Some(2), local_minima: true, gaps, ..stranded.clone() };
    assert_eq!(asked(Task::ApproximateSearch), approximate);
    assert_eq!(asked(Task::MatchCount), JobOptions { max_mismatches: Some(3), ..search });
    assert_eq!(asked(Task::ExactSearch), stranded);
    let sliced = FormState {
        options: JobOptions { method: Some(PaperMethod::Slices), ..chosen.clone() },
        ..FormState::new(Task::ApproximateSearch)
    };
    assert_eq!(sliced.job_options(), JobOptions { method: Some(PaperMethod::Slices), blocks: Some(16), ..approximate });
}

#[test]
fn limit_of_edits_does_not_pass_between_search_and_distance() {
    let mut form = FormState::new(Task::ApproximateSearch);
    form.options.max_distance = Some(2);
    form.change_task(Task::MatchCount);
    form.change_task(Task::ApproximateSearch);
    assert_eq!(form.options.max_distance, Some(2));
    form.change_task(Task::EditDistance);
    assert_eq!((form.task, form.options.max_distance), (Task::EditDistance, None));
    form.options.max_distance = Some(50);
    form.change_task(Task::EditDistance);
    assert_eq!(form.options.max_distance, Some(50));
    form.change_task(Task::Lcs);
    assert_eq!(form.options.max_distance, None);
}

/// Returns the fragment of the address of a form with `costs`, after both texts.
fn written(task: Task, costs: EditCosts) -> String {
    let mut form = FormState { a: FormText::typed("ab"), b: FormText::typed("ba"), ..FormState::new(task) };
    form.options.costs = costs;
    let address = fragment::address(&form, &LinkView::default(), None).unwrap();
    address.split_once("#a=ab&b=ba").unwrap().1.to_owned()
}

/// Returns the costs that a fragment with `parts` after both texts has.
fn read_costs(parts: &str) -> Result<EditCosts, FragmentError> {
    fragment::read(Task::EditDistance, &format!("a=ab&b=ba{parts}")).map(|read| {
        assert_eq!(read.unknown, Vec::<String>::new());
        read.form.unwrap().options.costs
    })
}

#[test]
fn costs_in_addresses_are_read_without_loss() {
    let own = EditCosts { substitute: 3, insert: 0, delete: 1_000, transpose: Some(2) };
    for (costs, expected) in [
        (EditCosts::LEVENSHTEIN, ""),
        (EditCosts::INDEL, "&costs=indel"),
        (EditCosts::OSA, "&costs=osa"),
        (own, "&substitute=3&insert=0&delete=1000&swap=2"),
        (EditCosts { transpose: Some(2), ..EditCosts::LEVENSHTEIN }, "&swap=2"),
        (EditCosts { transpose: Some(1), ..EditCosts::INDEL }, "&substitute=2&swap=1"),
    ] {
        assert_eq!((written(Task::EditDistance, costs).as_str(), read_costs(expected)), (expected, Ok(costs)));
    }
    assert_eq!(written(Task::Lcs, own), "", "the costs belong to another task");
}

#[test]
fn address_may_change_a_preset_in_any_order() {
    assert_eq!(read_costs("&costs=osa&swap=none"), Ok(EditCosts::LEVENSHTEIN));
    assert_eq!(read_costs("&insert=4&swap=0&costs=indel"), Ok(EditCosts { insert: 4, transpose: Some(0), ..EditCosts::INDEL }));
    for preset in CostPreset::ALL {
        assert_eq!(read_costs(&format!("&costs={}", preset.name())), Ok(preset.costs()));
    }
}

#[test]
fn invalid_costs_in_an_address_are_reported() {
    for (name, value) in [
        ("costs", "gotoh"),
        ("costs", ""),
        ("substitute", "1001"),
        ("insert", "-1"),
        ("delete", "1.5"),
        ("insert", "none"),
        ("swap", "two"),
    ] {
        let error = FragmentError::Value { name: name.into(), value: value.into() };
        assert_eq!(read_costs(&format!("&{name}={value}")), Err(error));
    }
    assert_eq!(read_costs("&costs=osa&method=diagonal"), Err(FragmentError::CostsWithMethod));
    assert_eq!(read_costs("&costs=osa&method=kmp"), Ok(EditCosts::OSA), "edit distance has no such method");
}

#[test]
fn costs_and_methods_of_papers_reset_each_other() {
    let mut options = JobOptions { method: Some(PaperMethod::Diagonal), ..JobOptions::default() };
    set_costs(&mut options, EditCosts::LEVENSHTEIN);
    assert_eq!(options.method, Some(PaperMethod::Diagonal));
    set_costs(&mut options, EditCosts::OSA);
    assert_eq!((options.costs, options.method), (EditCosts::OSA, None));
    for (method, costs) in
        [(None, EditCosts::OSA), (Some(PaperMethod::Kmp), EditCosts::OSA), (Some(PaperMethod::Sequential), EditCosts::LEVENSHTEIN)]
    {
        set_method(&mut options, method);
        assert_eq!((options.costs, options.method), (costs, method));
        let form = FormState { options: options.clone(), ..FormState::new(Task::EditDistance) };
        assert_eq!(form.job_options().check(Task::EditDistance), Ok(()));
    }
}
