//! Tests that every lens must pass, on many small texts.

use std::collections::BTreeMap;

use kernels::alignment::{Alignment, EditKind};
use kernels::job::{AlignmentMode, GapCosts};
use kernels::text::Pair;
use oracle::{bytes, serial};

use super::frame::{CellTape, LensFrame, LensLabel, LensOutcome, LensSentence, PanelBody, SentenceValue};
use super::question::{LensQuestion, MAX_CHOICES, QuestionKind, QuestionReply, QuestionTurn, select_question};
use super::settings::{LensSettingsError, ParameterKind, ParameterValue};
use super::*;

/// Two texts as bytes and as numbers, so that oracle and lens read the same.
pub(super) struct Case {
    pub(super) a: Vec<u8>,
    pub(super) b: Vec<u8>,
}

impl Case {
    pub(super) fn new(a: impl Into<Vec<u8>>, b: impl Into<Vec<u8>>) -> Self {
        Self { a: a.into(), b: b.into() }
    }

    pub(super) fn texts(&self) -> LensTexts {
        let numbers = |text: &[u8]| text.iter().copied().map(u32::from).collect();
        LensTexts { a: numbers(&self.a), b: numbers(&self.b), ..LensTexts::default() }
    }

    /// Returns the texts with costs that the lens suits.
    fn texts_of(&self, name: LensName) -> LensTexts {
        LensTexts { costs: costs_of(name), scoring: scoring_of(name), ..self.texts() }
    }

    pub(super) fn pair(&self) -> Pair {
        bytes(&self.a, &self.b)
    }

    pub(super) fn open(&self, name: LensName, task: Task, settings: &str) -> Box<dyn Lens> {
        open(name, task, &self.texts_of(name), &LensSettings::parse(name, settings).unwrap()).unwrap()
    }
}

/// Returns small texts: empty ones, single symbols, equal symbols, periodic ones, `a` longer than `b`, and random ones.
pub(super) fn cases(most_a: usize, most_b: usize) -> Vec<Case> {
    let fixed = [
        ("", ""),
        ("a", ""),
        ("", "a"),
        ("a", "a"),
        ("a", "b"),
        ("aaaa", "aa"),
        ("aa", "aaaaaaa"),
        ("abab", "babababab"),
        ("kitten", "sitting"),
        ("TEACHING", "LEARNING"),
        ("TEACHPQRINGS", "TEACHINGS"),
        ("abacabad", "abacabacabadabacababacabacabad"),
        ("abbac", "acbabbaccb"),
    ];
    let mut cases: Vec<Case> = fixed.into_iter().map(|(a, b)| Case::new(a, b)).collect();
    let mut rng = fastrand::Rng::with_seed(41);
    for _ in 0..150 {
        let letters = rng.u8(1..5);
        let mut text = |most: usize| -> Vec<u8> {
            let len = rng.usize(0..=most.min(14));
            (0..len).map(|_| b'a' + rng.u8(..letters)).collect()
        };
        cases.push(Case { a: text(most_a), b: text(most_b) });
    }
    cases.push(Case { a: b"ab".repeat(most_a.min(60) / 2), b: b"abc".repeat(most_b.min(60) / 3) });
    cases
}

/// Returns costs that a lens suits.
fn costs_of(name: LensName) -> EditCosts {
    if name == LensName::Osa { EditCosts::OSA } else { EditCosts::LEVENSHTEIN }
}

/// Returns points that a lens suits.
fn scoring_of(name: LensName) -> Scoring {
    let linear = Scoring { equal: 2, different: -1, gap: GapCosts { open: 0, extend: 2 }, ..Scoring::DEFAULT };
    match name {
        LensName::SmithWaterman => Scoring { mode: AlignmentMode::Local, ..linear },
        LensName::Gotoh => Scoring { mode: AlignmentMode::Local, gap: GapCosts { open: 2, extend: 1 }, ..linear },
        _ => linear,
    }
}

fn settings_of(name: LensName) -> Vec<LensSettings> {
    let mut all = vec![LensSettings::defaults(name)];
    for one in name.parameters() {
        let values: Vec<String> = match one.kind {
            ParameterKind::Number { min: least, max: most, .. } => {
                [least, least + 1, least.midpoint(most), most].iter().map(u32::to_string).collect()
            }
            ParameterKind::Choice(names) => names.iter().map(|name| String::from(*name)).collect(),
            ParameterKind::Numbers { greatest, .. } => vec![String::new(), "0".into(), format!("{greatest}.0.1.1")],
        };
        all.extend(values.iter().filter_map(|value| LensSettings::defaults(name).with(one.key, value).ok()));
    }
    all
}

/// Returns the value of a cell by the oracle, computed for prefixes of both texts.
pub(super) fn value(task: Task, case: &Case, i: usize, j: usize) -> u64 {
    let pair = bytes(&case.a[..i], &case.b[..j]);
    match task {
        Task::EditDistance => serial::edit_distance::align(&pair).0,
        Task::Lcs => serial::lcs::align(&pair).0,
        Task::ApproximateSearch => serial::approximate_search::ends(&pair).last().map(|hit| hit.distance).unwrap(),
        Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => panic!("the task has no such value"),
    }
}

/// Returns a number from a sentence.
pub(super) fn said(said: &LensSentence, key: &str) -> usize {
    match said.values.iter().find(|(name, _)| *name == key) {
        Some((_, SentenceValue::Number(number))) => *number as usize,
        other => panic!("{key} of {said:?}: {other:?}"),
    }
}

/// Returns the questions about a step, without a seed and with some seeds.
pub(super) fn questions(lens: &dyn Lens, step: usize) -> Vec<LensQuestion> {
    (0..4).flat_map(|seed| lens.questions(step, QuestionTurn::new(step, seed))).collect()
}

/// Calls `check` for each lens, for each task that has the lens, on many pairs of small texts.
fn each(mut check: impl FnMut(LensName, Task, &Case, &LensSettings, &dyn Lens)) {
    for name in LensName::ALL {
        // With one cell per step, a large matrix would have thousands of frames.
        let is_by_cells = LensName::for_task(Task::EditDistance)[..4].contains(&name)
            || [LensName::CutOff, LensName::Offsets, LensName::Osa].contains(&name)
            || LensName::for_task(Task::SequenceAlignment).contains(&name);
        let (most_a, most_b) = if is_by_cells { (12, 12) } else { name.max_symbols() };
        for task in Task::ALL.into_iter().filter(|task| LensName::for_task(*task).contains(&name)) {
            for settings in settings_of(name) {
                for case in cases(most_a, most_b) {
                    let lens = open(name, task, &case.texts_of(name), &settings).unwrap();
                    check(name, task, &case, &settings, &*lens);
                }
            }
        }
    }
}

fn who(name: LensName, task: Task, case: &Case, settings: &LensSettings) -> String {
    let (a, b) = (String::from_utf8_lossy(&case.a), String::from_utf8_lossy(&case.b));
    format!("{} {} {a:?} {b:?} {}", name.name(), task.name(), settings.text())
}

#[test]
fn only_the_last_frame_has_the_answer_of_the_oracle() {
    each(|name, task, case, settings, lens| {
        let who = who(name, task, case, settings);
        for step in 0..lens.len() {
            assert_eq!(lens.frame(step).outcome, None, "{who}");
        }
        let outcome = lens.frame(lens.len()).outcome.unwrap_or_else(|| panic!("the last frame has no outcome: {who}"));
        assert_answers(name, task, case, &outcome, &who);
    });
}

/// Compares an outcome with the oracle.
fn assert_answers(name: LensName, task: Task, case: &Case, outcome: &LensOutcome, who: &str) {
    let pair = case.pair();
    let ends = || -> Vec<u64> { serial::approximate_search::ends(&pair).iter().map(|hit| hit.distance).collect() };
    let score = || match task {
        Task::EditDistance => serial::edit_distance::align_with_costs(&pair, costs_of(name)).0,
        Task::Lcs => serial::lcs::align(&pair).0,
        Task::ApproximateSearch => ends().into_iter().min().unwrap(),
        Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => panic!("the outcome has no score: {who}"),
    };
    match outcome {
        LensOutcome::Distance(distance) => assert_eq!(*distance, score(), "{who}"),
        LensOutcome::Common { length, matches } => {
            assert_eq!(*length, score(), "{who}");
            if let Some(matches) = matches {
                assert_eq!(matches.len() as u64, *length, "{who}");
                assert!(matches.iter().all(|&(i, j)| case.a[i] == case.b[j]), "{who}: {matches:?}");
                assert!(matches.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1), "{who}: {matches:?}");
            }
        }
        LensOutcome::Aligned { score: found, range, edits } => {
            assert_eq!(*found, score(), "{who}");
            let mut alignment = Alignment::default();
            edits.iter().for_each(|edit| alignment.push(*edit, 1));
            let part = case.texts().b[range.clone()].to_vec();
            assert_eq!(alignment.check(&case.texts().a, &part), Ok(()), "{who}");
            let equal = edits.iter().filter(|edit| **edit == EditKind::Equal).count() as u64;
            let own = if task == Task::Lcs { equal } else { edits.len() as u64 - equal };
            assert_eq!(own, *found, "{who}");
            if task != Task::ApproximateSearch {
                assert_eq!(*range, 0..case.b.len(), "{who}");
            }
        }
        LensOutcome::Scored { score, a, b, edits } => {
            let mut alignment = Alignment::default();
            edits.iter().for_each(|edit| alignment.push(*edit, 1));
            let alignment = alignment.starting_at(a.start as u64, b.start as u64);
            assert_eq!(alignment.score_in(&pair, &scoring_of(name)).map(|(sum, _)| sum), Ok(*score), "{who}");
        }
        LensOutcome::Scores(scores) => {
            assert_eq!(scores.iter().copied().map(u64::from).collect::<Vec<_>>(), serial::match_count::scores(&pair), "{who}");
        }
        LensOutcome::Positions(positions) => {
            assert_eq!(positions.iter().map(|at| *at as u64).collect::<Vec<_>>(), serial::exact_search::positions(&pair), "{who}");
        }
        LensOutcome::Column { j, values } => {
            let expected = (1..=case.a.len()).map(|i| value(task, case, i, *j));
            assert!(values.iter().copied().map(u64::from).eq(expected), "{who}");
        }
        LensOutcome::Table(next) => {
            let border = |end: usize| (0..end).rev().find(|length| case.a[..end].ends_with(&case.a[..*length])).unwrap_or_default();
            assert!(next.iter().map(|length| *length as usize).eq((1..=case.a.len()).map(border)), "{who}");
        }
        // The oracle has no time units; the lens has tests of its own.
        LensOutcome::TimeUnits { .. } => assert_eq!(task, Task::ApproximateSearch, "{who}"),
    }
}

#[test]
fn frame_does_not_depend_on_earlier_steps() {
    let mut rng = fastrand::Rng::with_seed(42);
    each(|name, task, case, settings, lens| {
        let who = who(name, task, case, settings);
        let stepped: Vec<LensFrame> = (0..=lens.len()).map(|step| lens.frame(step)).collect();
        let again = open(name, task, &case.texts_of(name), settings).unwrap();
        for _ in 0..6 {
            let step = rng.usize(0..=lens.len());
            assert!(again.frame(step) == stepped[step], "step {step} of {who}");
            assert!(questions(&*again, step) == questions(lens, step), "step {step} of {who}");
        }
        assert!(lens.frame(lens.len() + 7) == stepped[lens.len()], "{who}");
        assert_eq!(questions(lens, lens.len()), Vec::new(), "{who}");
        // Every step changes something.
        assert!(stepped.windows(2).all(|two| two[0] != two[1]), "{who}");
    });
}

#[test]
fn frames_are_well_formed() {
    each(|name, task, case, settings, lens| {
        let who = who(name, task, case, settings);
        let mut before: BTreeMap<&'static str, u64> = BTreeMap::new();
        for step in 0..=lens.len() {
            let frame = lens.frame(step);
            assert!(frame.line.is_none_or(|line| line < lens.code().len()), "{who}");
            assert!(!frame.sentences.is_empty() && frame.sentences.len() <= 3 && frame.counts.len() <= 4, "{who}");
            frame.sentences.iter().for_each(|said| assert_known(name, said, &who));
            for count in &frame.counts {
                let Some(total) = count.total else { continue };
                assert!(
                    count.now <= total && before.get(count.key).is_none_or(|before| *before <= count.now),
                    "step {step} of {who}: {count:?}"
                );
                assert!(step < lens.len() || count.now == total, "{who}: {count:?}");
                before.insert(count.key, count.now);
            }
            for panel in &frame.panels {
                assert_shaped(&panel.body, case, name, &who);
            }
        }
    });
}

/// Checks that the lens announces this key with these values.
fn assert_known(name: LensName, said: &LensSentence, who: &str) {
    let announced = name.sentence_templates().iter().find(|(key, _)| *key == said.key);
    let (_, values) = announced.unwrap_or_else(|| panic!("sentence {} is not listed: {who}", said.key));
    let mut given: Vec<&str> = said.values.iter().map(|(name, _)| *name).collect();
    let mut values = values.to_vec();
    given.sort_unstable();
    values.sort_unstable();
    assert_eq!(given, values, "{}: {who}", said.key);
}

fn assert_shaped(body: &PanelBody, case: &Case, name: LensName, who: &str) {
    let shows = |shown: super::frame::ShownValue| match shown {
        super::frame::ShownValue::A(at) => assert!(at < case.a.len(), "{who}"),
        super::frame::ShownValue::B(at) => assert!(at < case.b.len(), "{who}"),
        _ => {}
    };
    let label = |label: &LensLabel| shows(label.index);
    let tape = |tape: &CellTape, columns: usize| {
        label(&tape.label);
        assert!(tape.offset + tape.cells.len() <= columns, "{who}: {tape:?} in {columns}");
        assert!(tape.cursor.is_none_or(|at| at <= tape.cells.len()), "{who}: {tape:?}");
        let groups = if tape.group == 0 { 0 } else { tape.cells.len().div_ceil(tape.group) };
        assert!(tape.values.is_empty() || tape.values.len() == groups, "{who}: {tape:?}");
        assert!(tape.carries.is_empty() || tape.carries.len() + 1 == groups, "{who}: {tape:?}");
        tape.cells.iter().for_each(|cell| shows(cell.value));
        tape.note.iter().for_each(|said| assert_known(name, said, who));
    };
    match body {
        PanelBody::Grid(grid) => {
            assert_eq!(grid.cells.len(), grid.rows.len() * grid.columns.len(), "{who}");
            assert!(grid.labels.is_empty() || grid.labels.len() == grid.rows.len(), "{who}");
            grid.cells.iter().chain(&grid.rows).chain(&grid.columns).for_each(|cell| shows(cell.value));
            for part in &grid.rectangles {
                assert!(part.rows.start <= part.rows.end && part.rows.end <= grid.rows.len(), "{who}: {part:?}");
                assert!(part.columns.start <= part.columns.end && part.columns.end <= grid.columns.len(), "{who}: {part:?}");
            }
            for (i, j) in grid.links.iter().flat_map(|link| [link.from, link.to]) {
                assert!(i < grid.rows.len() && j < grid.columns.len(), "{who}");
            }
            grid.tapes_below.iter().for_each(|under| tape(under, grid.columns.len() + 1));
        }
        PanelBody::Tapes(tapes) => {
            tapes.tapes.iter().for_each(|one| tape(one, tapes.columns));
            for (row, at) in tapes.arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]) {
                assert!(at <= tapes.tapes[row].cells.len(), "{who}");
            }
            tapes.arrows.iter().filter_map(|arrow| arrow.note.as_ref()).for_each(|said| assert_known(name, said, who));
        }
        PanelBody::Lanes(lanes) => {
            for lane in &lanes.lanes {
                label(&lane.label);
                assert!(
                    lane.spans.iter().all(|span| span.range.start < span.range.end && span.range.end <= lanes.length),
                    "{who}: {lane:?}"
                );
                lane.note.iter().for_each(|said| assert_known(name, said, who));
            }
            assert!(lanes.now.is_none_or(|now| now <= lanes.length), "{who}");
        }
        PanelBody::Bars(bars) => bars.bars.iter().for_each(|bar| {
            label(&bar.label);
            assert!(bar.now <= bar.total, "{who}: {bar:?}");
        }),
        PanelBody::Sums(_) => {}
    }
}

/// Returns the kinds of questions that a lens must have.
fn kinds(name: LensName) -> &'static [QuestionKind] {
    use QuestionKind::{Inputs, Next, TimeUnits, Value};
    match name {
        // Each step of these lenses fills one cell or makes one move, so that there is no question about time units.
        LensName::Rows | LensName::Columns | LensName::Band | LensName::CutOff | LensName::Traceback => &[Value, Inputs, Next],
        LensName::TwoRows | LensName::Hirschberg | LensName::Diagonals | LensName::Offsets => &[Value, Inputs, Next, TimeUnits],
        // The naive search only compares symbols.
        LensName::Naive => &[Inputs, Next, TimeUnits],
        LensName::Kmp | LensName::FailureTable | LensName::Pieces | LensName::Slices => &[Value, Inputs, Next, TimeUnits],
        LensName::ShiftAnd | LensName::ShiftAdd | LensName::ParallelShiftAdd => &[Value, Inputs, Next, TimeUnits],
        LensName::Osa | LensName::NeedlemanWunsch | LensName::SmithWaterman | LensName::Gotoh => &[Value, Inputs, Next],
        LensName::BitVectors | LensName::CarrySelect | LensName::Machine | LensName::Furthest => &[Value, Inputs, Next, TimeUnits],
    }
}

#[test]
fn every_question_accepts_only_the_right_answer() {
    let mut seen: BTreeMap<&'static str, Vec<QuestionKind>> = BTreeMap::new();
    each(|name, task, case, settings, lens| {
        let who = who(name, task, case, settings);
        for step in 0..lens.len() {
            let once = lens.questions(step, QuestionTurn::new(step, 0));
            for (at, question) in once.iter().enumerate() {
                assert!(once[..at].iter().all(|other| other.kind != question.kind), "a kind of question occurs twice: {who}");
                assert_eq!(select_question(lens, step, 0, Some(question.kind)).as_ref(), Some(question), "{who}");
            }
            assert_eq!(select_question(lens, step, 0, None).is_some(), !once.is_empty(), "{who}");
            for question in questions(lens, step) {
                let kinds = seen.entry(name.name()).or_default();
                if !kinds.contains(&question.kind) {
                    kinds.push(question.kind);
                }
                assert_answered(name, &question, &who);
            }
        }
    });
    for name in LensName::ALL {
        let found: Vec<QuestionKind> = QuestionKind::ALL.into_iter().filter(|kind| seen[name.name()].contains(kind)).collect();
        assert_eq!(found, kinds(name), "{}", name.name());
    }
}

/// Checks that exactly one set of choices is accepted, and that each set survives a link.
fn assert_answered(name: LensName, question: &LensQuestion, who: &str) {
    assert_known(name, &question.prompt, who);
    question.reason.iter().for_each(|why| assert_known(name, why, who));
    assert!(question.is_right(&question.expected), "{who}");
    assert!(question.choices.is_sorted() || matches!(question.expected, QuestionReply::Key(_)), "{who}: {question:?}");
    assert!((1..=MAX_CHOICES).contains(&question.choices.len()), "{who}: {question:?}");
    let mut right = 0;
    for set in 1..1u8 << question.choices.len() {
        let Some(reply) = question.reply(set) else {
            assert!(set.count_ones() > 1 && !matches!(question.expected, QuestionReply::Cells(_)), "{who}");
            continue;
        };
        assert_eq!(question.picked(&reply), Some(set), "{who}");
        right += usize::from(question.is_right(&reply));
        assert_eq!(question.is_right(&reply), question.picked(&question.expected) == Some(set), "{who}: {question:?}");
    }
    assert_eq!(right, 1, "{who}: {question:?}");
    assert_eq!((question.reply(0), question.reply(1 << question.choices.len())), (None, None), "{who}");
    assert_eq!(question.picked(&QuestionReply::Key("none")), None);
}

#[test]
fn seed_alone_chooses_kinds_and_cells_of_questions() {
    let case = Case::new("SUNDAY", "SATURDAY");
    let lens = case.open(LensName::TwoRows, Task::EditDistance, "");
    let all = |seed| (0..lens.len()).map(|step| select_question(&*lens, step, seed, None).unwrap()).collect::<Vec<_>>();
    assert_eq!(all(7), all(7));
    assert_ne!(all(7), all(8));
    // Without a seed, kinds take turns, the value first.
    let kinds: Vec<QuestionKind> = all(0).iter().map(|question| question.kind).collect();
    assert_eq!(kinds[..4], QuestionKind::ALL);
    assert_eq!((said(&all(0)[0].prompt, "i"), said(&all(0)[0].prompt, "j")), (1, 1));
    for kind in QuestionKind::ALL {
        assert_eq!(QuestionKind::parse(kind.name()), Some(kind));
    }
    assert_eq!(QuestionKind::parse("on"), None);
}

#[test]
fn settings_are_parsed_and_printed_without_loss() {
    for name in LensName::ALL {
        assert_eq!(LensSettings::defaults(name).text(), "");
        for settings in settings_of(name) {
            assert_eq!(LensSettings::parse(name, &settings.text()), Ok(settings.clone()), "{}", settings.text());
        }
        assert_eq!(LensSettings::parse(name, "none:1"), Err(LensSettingsError::Key("none".into())));
        for one in name.parameters() {
            let wrong = match (one.kind, one.default_value()) {
                (ParameterKind::Number { max: most, .. }, ParameterValue::Number(_)) => {
                    vec![String::new(), "x".into(), "-1".into(), (most + 1).to_string()]
                }
                (ParameterKind::Choice(_), ParameterValue::Choice(0)) => vec![String::new(), "x".into()],
                (ParameterKind::Numbers { max_len: most, greatest, .. }, ParameterValue::Numbers(_)) => {
                    vec!["x".into(), "1..2".into(), (greatest + 1).to_string(), vec!["0"; most + 1].join(".")]
                }
                other => panic!("unexpected kind of value: {other:?}"),
            };
            for value in wrong {
                assert!(LensSettings::defaults(name).with(one.key, &value).is_err(), "{} {value:?}", one.key);
                assert!(LensSettings::parse(name, &format!("{}:{value}", one.key)).is_err(), "{} {value:?}", one.key);
            }
            let usual = match one.default_value() {
                ParameterValue::Number(number) => number.to_string(),
                ParameterValue::Choice(_) => LensSettings::defaults(name).choice(one.key).into(),
                ParameterValue::Numbers(numbers) => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
            };
            let twice = format!("{0}:{usual},{0}:{usual}", one.key);
            assert_eq!(LensSettings::parse(name, &twice), Err(LensSettingsError::Twice(one.key)));
        }
    }
}

#[test]
fn lens_names_are_unique_and_texts_have_limits() {
    for (at, name) in LensName::ALL.into_iter().enumerate() {
        assert!(LensName::ALL[..at].iter().all(|other| other.name() != name.name()));
        assert_eq!(LensName::parse(name.name()), Some(name));
        let tasks: Vec<Task> = Task::ALL.into_iter().filter(|task| LensName::for_task(*task).contains(&name)).collect();
        assert!(!tasks.is_empty(), "{}", name.name());
        let (most_a, most_b) = name.max_symbols();
        for task in Task::ALL {
            let usual = LensSettings::defaults(name);
            let texts =
                |a, b| LensTexts { a: vec![1; a], b: vec![1; b], costs: costs_of(name), scoring: scoring_of(name), ..LensTexts::default() };
            let opened = |a: usize, b: usize| open(name, task, &texts(a, b), &usual).map(|lens| lens.len());
            if !tasks.contains(&task) {
                assert_eq!(opened(1, 1), Err(LensError::Task));
                continue;
            }
            assert!(opened(most_a, most_b).is_ok());
            assert_eq!(opened(most_a + 1, 1), Err(LensError::TooLong { text: 'a', got: most_a + 1, most: most_a }));
            assert_eq!(opened(1, most_b + 1), Err(LensError::TooLong { text: 'b', got: most_b + 1, most: most_b }));
            assert!(!name.source(task).section.is_empty());
        }
    }
    assert_eq!(LensName::parse("none"), None);
}

#[test]
fn keys_of_sentences_and_labels_are_listed_and_used() {
    let mut used: [std::collections::BTreeSet<&'static str>; 5] = Default::default();
    let mut phrases = std::collections::BTreeSet::new();
    each(|_, _, _, _, lens| {
        let [titles, counts, labels, axes, replies] = &mut used;
        let mut say = |said: &LensSentence| {
            phrases.insert(said.key);
        };
        // Frames at large distances, and the beginning of each lens, suffice to use every key.
        let steps = (0..=lens.len()).step_by(1 + lens.len() / 20).chain([1, 2, lens.len()]);
        for step in steps {
            let frame = lens.frame(step);
            frame.sentences.iter().for_each(&mut say);
            counts.extend(frame.counts.iter().map(|count| count.key));
            for question in questions(lens, step) {
                say(&question.prompt);
                question.reason.iter().for_each(&mut say);
                replies.extend(
                    question.choices.iter().filter_map(|choice| if let QuestionReply::Key(key) = choice { Some(*key) } else { None }),
                );
            }
            for panel in &frame.panels {
                titles.insert(panel.title);
                let mut label = |label: &LensLabel| {
                    if !label.is_code && !label.text.is_empty() {
                        labels.insert(label.text);
                    }
                };
                let mut tape = |tape: &CellTape| {
                    label(&tape.label);
                    tape.note.iter().for_each(&mut say);
                };
                match &panel.body {
                    PanelBody::Grid(grid) => {
                        grid.tapes_below.iter().for_each(&mut tape);
                        grid.labels.iter().for_each(label);
                    }
                    PanelBody::Tapes(tapes) => {
                        tapes.tapes.iter().for_each(&mut tape);
                        tapes.arrows.iter().filter_map(|arrow| arrow.note.as_ref()).for_each(&mut say);
                    }
                    PanelBody::Lanes(lanes) => {
                        axes.insert(lanes.axis);
                        lanes.lanes.iter().for_each(|lane| label(&lane.label));
                        lanes.lanes.iter().filter_map(|lane| lane.note.as_ref()).for_each(&mut say);
                    }
                    PanelBody::Bars(bars) => {
                        bars.bars.iter().map(|bar| &bar.label).chain(bars.ticks.iter().map(|(_, label)| label)).for_each(label);
                    }
                    PanelBody::Sums(sums) => labels.extend(sums.iter().map(|sum| sum.key)),
                }
            }
        }
    });
    let listed = [lens_keys::TITLES, lens_keys::COUNTS, lens_keys::LABELS, lens_keys::AXES, lens_keys::REPLIES];
    for (used, listed) in used.iter().zip(listed) {
        assert_eq!(used, &listed.iter().copied().collect());
    }
    let announced = LensName::ALL.iter().flat_map(|name| name.sentence_templates()).map(|(key, _)| *key).collect();
    assert_eq!(phrases, announced);
}
