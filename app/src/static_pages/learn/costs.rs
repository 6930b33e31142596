//! A lesson about costs: the same two words under five cost models, and what changes.
//!
//! Each model has a section with its rule, its sum, and an optimal alignment. All are computed when the page is
//! requested. A teacher may give two small texts, which the link contains. No script runs in the page.
//!
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts of the page

use kernels::alignment::Alignment;
use kernels::cpu::Cpu;
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task, Unit};
use kernels::reading::FastaMode;
use kernels::run::{NoObserver, Run};
use kernels::task::solver;
use kernels::text::Pair;
use leptos::prelude::*;

use super::texts::{LessonTexts, TeacherTexts};
use super::{OwnTextsForm, PATH as LEARN, own};
use crate::model::alignment::sign::sign;
use crate::model::form::costs::CostPreset;
use crate::model::link::percent::decode;
use crate::model::points::{PointsPreset, set_scoring};
use crate::model::text::humanize::signed;
use crate::model::visit::task_path;
use crate::static_pages::{StaticPageFrame, StaticPageRequest, document};
use crate::tr::{Language, fill, language};
use crate::view::widgets::prose::prose;

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod spanish;

/// Path of the page.
pub const PATH: &str = "/learn/costs";

/// Number of cost models.
const MODELS: usize = 5;

/// The words that are compared if the address has none. Their answers differ under all models.
const WORDS: (&str, &str) = ("beleiver", "relieved");

/// The texts of the page in one language. In them `*m*` is a name in italics, and `{m}` is replaced by a value.
pub(super) struct CostsTexts {
    pub(super) title: &'static str,
    about: &'static str,
    /// Introduction of the words {a} and {b}.
    words: &'static str,
    models: [ModelTexts; MODELS],
    /// The least sum of costs.
    sum: &'static str,
    /// The largest sum of points.
    points: &'static str,
    /// The ranges of both words that a local alignment covers, counted from 1.
    pieces: &'static str,
    /// Says that a local alignment covers nothing.
    nothing: &'static str,
    /// Says that the alignment has the same columns as that of the first model.
    same: &'static str,
    /// Says that the alignment has other columns than that of the first model.
    other: &'static str,
    open: &'static str,
    own_note: &'static str,
    back: &'static str,
}

/// The texts of a cost model in one language.
struct ModelTexts {
    title: &'static str,
    text: &'static str,
}

pub(super) fn page_texts(language: Language) -> &'static CostsTexts {
    told_in!(language)
}

/// A cost model: the task that solves it, its options, and its name in addresses.
struct CostModel {
    task: Task,
    name: &'static str,
    options: JobOptions,
}

impl CostModel {
    /// The model of an edit distance.
    fn costs(preset: CostPreset) -> Self {
        Self { task: Task::EditDistance, name: preset.name(), options: JobOptions { costs: preset.costs(), ..OPTIONS } }
    }

    /// The model of a sequence alignment.
    fn points(preset: PointsPreset) -> Self {
        let mut options = OPTIONS;
        set_scoring(&mut options, preset.scoring());
        Self { task: Task::SequenceAlignment, name: preset.name(), options }
    }
}

/// Options that all cost models share. Words are read like typed text in the form of the page.
const OPTIONS: JobOptions = JobOptions { unit: Unit::Graphemes, fasta: FastaMode::Never, ..JobOptions::DEFAULT };

/// Returns the cost models in the order of the page.
fn models() -> [CostModel; MODELS] {
    [
        CostModel::costs(CostPreset::Levenshtein),
        CostModel::costs(CostPreset::Indel),
        CostModel::costs(CostPreset::Osa),
        CostModel::points(PointsPreset::NeedlemanWunsch),
        CostModel::points(PointsPreset::SmithWaterman),
    ]
}

/// The two texts of the lesson, as the query of an address contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostsLesson {
    given: TeacherTexts,
}

impl CostsLesson {
    /// Parses the query of an address.
    pub fn read(query: &str) -> Self {
        let value = |name: &str| {
            let mut parts = query.split('&').filter_map(|part| part.split_once('='));
            parts.find(|(known, _)| *known == name).map(|(_, value)| decode(value))
        };
        Self { given: TeacherTexts::read(value("a").as_deref(), value("b").as_deref()) }
    }
}

/// Returns the HTML of the page of `lesson`.
pub fn page(reader: StaticPageRequest, lesson: CostsLesson) -> String {
    let told = page_texts(reader.language);
    let title = || page_texts(language()).title;
    let frame = StaticPageFrame { reader, title, about: told.about, languages_of: Some(PATH), styles: &["lens.css"] };
    document(frame, move || text(told, &lesson).into_any())
}

fn text(told: &'static CostsTexts, lesson: &CostsLesson) -> impl IntoView + use<> {
    let texts = lesson.given.texts().cloned().or_else(|| LessonTexts::new(WORDS.0, WORDS.1));
    let sections = texts.map(|texts| {
        let words = fill(told.words, &[("a", texts.a.clone()), ("b", texts.b.clone())]);
        view! {
            <p class="say">{prose(&words)}</p>
            {sections(told, &texts)}
        }
    });
    let form = OwnTextsForm { note: told.own_note, path: PATH, seed: None, given: &lesson.given, without: PATH.into() };
    view! {
        {own(super::page_texts(language()), form)}
        <div class="lesson">
            {sections}
            <p class="hand"><a href=LEARN>{told.back}</a></p>
        </div>
    }
}

fn sections(told: &'static CostsTexts, texts: &LessonTexts) -> impl IntoView + use<> {
    let pair = Pair::parse(texts.a.as_bytes(), texts.b.as_bytes(), &OPTIONS.reading()).ok();
    let solved = pair.into_iter().flat_map(|pair| {
        models().map(|model| {
            let solution = solver(model.task).cpu(&Cpu::SINGLE, &pair, &model.options, &Run::new(&NoObserver)).ok()?;
            Some((solution.answer, AlignedRows::new(&pair, &solution.alignment?)))
        })
    });
    let solved: Vec<Option<(TaskAnswer, AlignedRows)>> = solved.collect();
    let first = solved.first().and_then(Option::as_ref).map(|(_, rows)| rows.signs.clone());
    let all = models().into_iter().zip(&told.models).zip(solved).enumerate();
    all.map(|(at, ((model, ModelTexts { title, text }), solved))| {
        let changes =
            solved.as_ref().filter(|_| at > 0).map(|(_, rows)| if Some(&rows.signs) == first.as_ref() { told.same } else { told.other });
        let whole = format!("{}#{}&costs={}", task_path(model.task), texts.address(), model.name);
        let found = solved.map(|(answer, rows)| view! { {sum(told, &answer)} {rows.view()} });
        view! {
            <section class="section station">
                <h2>{format!("{}. ", at + 1)} {*title}</h2>
                <p class="say">{prose(text)}</p>
                {found}
                {changes.map(|changes| view! { <p class="note">{changes}</p> })}
                <p class="hand"><a href=whole>{told.open}</a></p>
            </section>
        }
    })
    .collect::<Vec<_>>()
}

/// Renders the sum of an answer, and the pieces that it covers if they are not whole words.
fn sum(told: &'static CostsTexts, answer: &TaskAnswer) -> impl IntoView + use<> {
    let said = match answer {
        TaskAnswer::SequenceAlignment { score, a, b, .. } => {
            let points = fill(told.points, &[("points", signed(*score))]);
            let places = [("a1", a.start + 1), ("a2", a.end), ("b1", b.start + 1), ("b2", b.end)];
            let pieces = fill(told.pieces, &places.map(|(name, place)| (name, place.to_string())));
            if a.start == a.end { format!("{points} {}", told.nothing) } else { format!("{points} {pieces}") }
        }
        TaskAnswer::EditDistance { distance, .. } => fill(told.sum, &[("sum", distance.unwrap_or_default().to_string())]),
        TaskAnswer::Lcs { .. } | TaskAnswer::ApproximateSearch { .. } | TaskAnswer::MatchCount { .. } | TaskAnswer::ExactSearch { .. } => {
            String::new()
        }
    };
    view! { <p class="say score">{prose(&said)}</p> }
}

/// The rows of an alignment, with one symbol or one gap for each column.
struct AlignedRows {
    a: Vec<String>,
    signs: String,
    b: Vec<String>,
}

/// The symbol of a row in a column with a gap.
const GAP: &str = "−";

impl AlignedRows {
    fn new(pair: &Pair, alignment: &Alignment) -> Self {
        let mut rows = Self { a: Vec::new(), signs: String::new(), b: Vec::new() };
        let (mut i, mut j) = (alignment.a_start() as usize, alignment.b_start() as usize);
        for stretch in alignment.cigar_ops() {
            for _ in 0..stretch.len {
                rows.signs.push_str(sign(stretch.edit));
                let (taken_a, taken_b) = stretch.edit.consumed_symbols();
                rows.a.push(if taken_a > 0 { pair.a.display_unit(i) } else { GAP.into() });
                rows.b.push(if taken_b > 0 { pair.b.display_unit(j) } else { GAP.into() });
                i += taken_a as usize;
                j += taken_b as usize;
            }
        }
        rows
    }

    fn view(self) -> impl IntoView + use<> {
        let Self { a, signs, b } = self;
        let rows = format!("{}\n{signs}\n{}", a.concat(), b.concat());
        (!signs.is_empty()).then(|| view! { <pre class="code">{rows}</pre> })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::link::fragment;

    fn html(language: Language, query: &str) -> String {
        page(
            StaticPageRequest { pkg: "/pkg/0".into(), language, origin: "http://x".into(), ..StaticPageRequest::default() },
            CostsLesson::read(query),
        )
    }

    #[test]
    fn usual_words_have_another_sum_under_each_model() {
        let html = html(Language::English, "");
        for sum in ["Sum: 4.", "Sum: 6.", "Sum: 3.", "Points: 1.", "Points: 11."] {
            assert!(html.contains(sum), "{sum}: {html}");
        }
        assert!(html.contains("⇄⇄"), "{html}");
    }

    #[test]
    fn every_language_shows_all_models() {
        for language in Language::ALL {
            for query in ["", "a=a%26b&b=%3Cx%3E", "a=abc&b=xyz", "a=&b=x"] {
                let html = html(language, query);
                assert_eq!(html.matches("<section").count(), MODELS, "{language:?} {query}");
                assert!(
                    !html.contains('{') && !html.contains("*<") && !html.contains("<script") && !html.contains("<x>"),
                    "{language:?}: {html}"
                );
            }
        }
    }

    #[test]
    fn words_without_a_common_piece_are_said_to_have_none() {
        let told = page_texts(Language::English);
        assert!(html(Language::English, "a=abc&b=xyz").contains(told.nothing));
        assert!(!html(Language::English, "").contains(told.nothing));
    }

    #[test]
    fn links_open_the_model_that_the_page_shows() {
        for model in models() {
            let read = fragment::read(model.task, &format!("a=x&b=y&unit=graphemes&fasta=never&costs={}", model.name)).unwrap();
            assert_eq!((read.form.unwrap().job_options(), read.unknown), (model.options, Vec::new()), "{}", model.name);
        }
    }
}
