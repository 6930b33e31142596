//! The five papers whose methods this program runs: the question of each, its idea as a picture, its method on a small
//! input, and its published figures beside measured ones. No script runs in the page. A method to watch is in a frame,
//! which the browser fetches when the frame is opened.
//!
//! - [`pictures`]: the ideas as drawings
//! - [`tables`], `rates`: the published figures; [`chart`]: their comparison with the machine model; `measured`: the
//!   model's predictions for an H200, with the constants of `device`
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts of the page

use leptos::prelude::*;

use super::{StaticPageFrame, StaticPageRequest, document};
use crate::model::lens::draw::HATCH;
use crate::tr;
use crate::tr::{Language, t};
use crate::view::widgets::prose::prose;

pub mod chart;
mod chinese;
mod device;
mod english;
mod french;
mod german;
mod japanese;
mod measured;
pub mod pictures;
mod rates;
mod spanish;
pub mod tables;

/// Path of the page.
pub const PATH: &str = "/papers";

/// Number of papers on the page.
const PAPERS: usize = 5;

/// Renders a section with the heading `title`, whose element id is `id`. A drawing of 640 × 400 units stands beside the
/// text `says`. The text `note` stands below `says`.
fn beside(id: &'static str, title: &'static str, says: String, note: &'static str, drawing: String) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby=id>
            <h2 id=id>{title}</h2>
            <div class="beside">
                <svg class="pic" viewBox="0 0 640 400" role="img" aria-label=says.clone() inner_html=drawing></svg>
                <div class="stack">
                    <p class="say">{says}</p>
                    <p class="note">{prose(note)}</p>
                </div>
            </div>
        </section>
    }
}

/// Texts of the page in one language. In them `*m*` is a name in italics, see [`prose`].
struct PapersTexts {
    about: &'static str,
    /// The question of each paper.
    asks: [&'static str; PAPERS],
    /// The idea of each paper, under its picture.
    ideas: [&'static str; PAPERS],
    /// Labels of the links that show the method of each paper step by step.
    watch: [&'static str; PAPERS],
    /// Remark on a paper without a table of times.
    no_times: &'static str,
    whole: &'static str,
    searches: &'static str,
    searches_note: &'static str,
    subsequences: &'static str,
    subsequences_note: &'static str,
    published: &'static str,
    model: &'static str,
    method: &'static str,
    ours: &'static str,
    speed_up: &'static str,
    core: &'static str,
    chart: &'static str,
    chart_says: &'static str,
    chart_note: &'static str,
    here: &'static str,
    here_says: &'static str,
    here_note: &'static str,
    time_units: &'static str,
    as_predicted: &'static str,
    device_title: &'static str,
    device: &'static str,
    device_what: &'static str,
    /// For each of [`device::SYMBOLS`], its meaning and the way it was measured.
    numbers: [&'static str; 5],
    throughputs: &'static str,
    throughputs_note: &'static str,
    speed_ups: &'static str,
    speed_ups_note: &'static str,
}

fn page_texts(language: Language) -> &'static PapersTexts {
    told_in!(language)
}

/// A paper: its title and authors, as a citation, and its picture.
struct CitedPaper {
    title: &'static str,
    by: &'static str,
    /// The task and the fragment of the address that shows the paper's method step by step.
    live: (&'static str, &'static str),
    picture: fn() -> String,
    /// Id of the table on the page that has the paper's times, if there is one.
    table: Option<&'static str>,
}

/// All papers, in the order of their numbers, 000 to 004 (see [`methods`](kernels::methods)).
const ALL: [CitedPaper; PAPERS] = [
    CitedPaper {
        title: "An Optimal Implementation of the Approximate String Matching on the Hierarchical Memory Machine, with Performance Evaluation on the GPU",
        by: "Duhu Man, Koji Nakano, Yasuaki Ito. IEICE Transactions on Information and Systems E97-D 12, 2014",
        live: ("approximate-search", "a=read&b=the+word+we+write+are+the+world+we+read&view=matrix&lens=slices&step=13"),
        picture: pictures::slices,
        table: Some(tables::SEARCHES),
    },
    CitedPaper {
        title: "Computing the Longest Common Subsequence with Bit-Parallelism on a GPU",
        by: "Katsuya Kawanami, Noriyuki Fujimoto",
        live: ("lcs", "a=TEACHING&b=LEARNING&view=matrix&lens=hirschberg&step=29"),
        picture: pictures::halves,
        table: Some(tables::SUBSEQUENCES),
    },
    CitedPaper {
        title: "A Parallel Computation for Shift-Add Algorithm",
        by: "Kensuke Baba, Hanmei E, Yunqing Yu. DOI Technical Report 230, Kyushu University, 2007",
        live: ("match-count", "a=abbac&b=acbabbaccb&view=matrix&lens=shift-add&step=8"),
        picture: pictures::fields,
        table: None,
    },
    CitedPaper {
        title: "A Parallel Algorithm for Approximate String Matching Based on Hierarchical Memory Machine",
        by: "Duhu Man, Zhan Song, 2015",
        live: ("approximate-search", "a=read&b=the+word+we+write&view=matrix&lens=machine&step=3"),
        picture: pictures::memories,
        table: Some(tables::SEARCHES),
    },
    CitedPaper {
        title: "CUDA-based Parallel Programming",
        by: "Jiyuan Shen, 2015",
        live: ("exact-search", "a=abacabad&b=abacabacabadabacababacabacabad&view=matrix&lens=kmp&step=21"),
        picture: pictures::slide,
        table: None,
    },
];

/// Returns the HTML of the page about the papers.
pub fn page(reader: StaticPageRequest) -> String {
    let told = page_texts(reader.language);
    let frame = StaticPageFrame { reader, title: || t("The papers"), about: told.about, languages_of: Some(PATH), styles: &["lens.css"] };
    document(frame, || text(told).into_any())
}

fn text(told: &'static PapersTexts) -> impl IntoView {
    let cards = ALL.iter().enumerate().map(|(at, paper)| card(told, at, paper)).collect_view();
    view! {
        <svg width="0" height="0" class="defs" aria-hidden="true" inner_html=HATCH></svg>
        <div class="paper-cards">{cards}</div>
        {tables::searches(told)}
        {rates::throughputs(told)}
        {rates::speed_ups(told)}
        {tables::subsequences(told)}
        {chart::section(told)}
        {measured::section(told)}
        {device::table(told)}
    }
}

fn card(told: &'static PapersTexts, at: usize, paper: &'static CitedPaper) -> impl IntoView {
    let CitedPaper { title, by, live: (task, fragment), picture, table } = paper;
    let frame = format!("/embed/{task}#{fragment}");
    let whole = format!("/{task}#{fragment}");
    let times = match table {
        Some(table) => {
            view! { <a href=format!("#{table}")>{if *table == tables::SEARCHES { told.searches } else { told.subsequences }}</a> }
                .into_any()
        }
        None => told.no_times.into_any(),
    };
    view! {
        <article>
            <div class="cited" lang="en">
                <h2>{*title}</h2>
                <p class="by">{*by}</p>
            </div>
            <div class="about">
                <p class="say">{told.asks[at]}</p>
                <p class="note">{times}</p>
            </div>
            <div class="idea">
                <svg class="pic" viewBox="0 0 240 120" aria-hidden="true" inner_html=picture()></svg>
                <p class="note">{prose(told.ideas[at])}</p>
            </div>
            <details>
                <summary>{told.watch[at]}</summary>
                {leptos::html::iframe().attr("loading", "lazy").attr("src", frame).attr("title", told.watch[at])}
                <a href=whole>{told.whole}</a>
            </details>
        </article>
    }
}

/// Formats a published or measured figure with the separators of the current language and with all its decimals.
fn figure(value: f64) -> String {
    let text = value.to_string();
    let (whole, decimals) = text.split_once('.').map_or((text.as_str(), None), |(whole, decimals)| (whole, Some(decimals)));
    let whole = crate::model::text::humanize::grouped(whole.parse().unwrap_or_default());
    let (_, point) = tr::language().marks();
    decimals.map_or(whole.clone(), |decimals| format!("{whole}{point}{decimals}"))
}

/// The format of a table column whose figures are aligned at their decimal points.
#[derive(Clone, Copy, Debug, Default)]
struct DecimalColumn {
    /// Maximum number of decimals of a figure in the column.
    decimals: usize,
}

impl DecimalColumn {
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        Self { decimals: values.into_iter().map(decimals).max().unwrap_or_default() }
    }

    /// Returns the decimals that `value` lacks in comparison with the column, as zeros. The style sheet reserves their
    /// width, so that points are aligned, and never shows them.
    fn room(self, value: f64) -> String {
        let (own, most) = (decimals(value), self.decimals);
        let point = if own == 0 && most > 0 { tr::language().marks().1.to_string() } else { String::new() };
        point + &"0".repeat(most.saturating_sub(own))
    }

    /// Renders a cell of the column with the figure `value` and the CSS class `class`.
    fn cell(self, class: Option<&'static str>, value: f64) -> impl IntoView + use<> {
        view! { <td class=class data-room=self.room(value)>{figure(value)}</td> }
    }
}

/// Returns the number of decimals with which `value` is written.
fn decimals(value: f64) -> usize {
    value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_column_are_aligned_at_the_decimal_point() {
        let of = |language, values: &[f64]| {
            crate::tr::speaking(language, || {
                let column = DecimalColumn::of(values.iter().copied());
                values.iter().map(|value| figure(*value) + &column.room(*value)).collect::<Vec<_>>()
            })
        };
        assert_eq!(of(Language::English, &[1.68, 1.688, 24.0]), ["1.680", "1.688", "24.000"]);
        assert_eq!(of(Language::German, &[1.5, 3.0]), ["1,5", "3,0"]);
        assert_eq!(of(Language::English, &[7.0, 12.0]), ["7", "12"]);
    }

    #[test]
    fn every_paper_is_shown_in_every_language() {
        for language in Language::ALL {
            let html = page(StaticPageRequest { pkg: "/pkg/0".into(), language, ..StaticPageRequest::default() });
            for paper in &ALL {
                assert!(html.contains(paper.title) && html.contains(paper.by), "{}", paper.title);
            }
            assert_eq!(html.matches("<iframe").count(), PAPERS);
            assert!(html.contains(&format!("<html lang=\"{}\"", language.tag())));
            assert!(!html.contains("<script") && !html.contains('{') && !html.contains("*<"), "{html}");
            assert!(html.contains("/pkg/0/lens.css"));
        }
    }

    #[test]
    fn numbers_are_written_in_the_style_of_the_language() {
        let of = |language| crate::tr::speaking(language, || [23.46, 27720.0, 1364.5].map(figure).join(" "));
        assert_eq!(of(Language::English), "23.46 27,720 1,364.5");
        assert_eq!(of(Language::German), "23,46 27.720 1.364,5");
    }

    /// Checks that the texts of all languages have a similar length, so that nothing was left out.
    #[test]
    fn texts_of_all_languages_have_similar_length() {
        let length = |language| {
            let PapersTexts { about, asks, ideas, searches_note, subsequences_note, chart_says, chart_note, device, numbers, .. } =
                page_texts(language);
            let PapersTexts { throughputs_note, speed_ups_note, .. } = page_texts(language);
            let singles =
                [*about, *searches_note, *subsequences_note, *chart_says, *chart_note, *device, *throughputs_note, *speed_ups_note];
            singles.iter().chain(asks).chain(ideas).chain(numbers).map(|text| text.chars().count()).collect::<Vec<_>>()
        };
        let english = length(Language::English);
        for (language, least) in
            [(Language::German, 80), (Language::Spanish, 80), (Language::French, 80), (Language::Japanese, 25), (Language::Chinese, 18)]
        {
            for (here, there) in english.iter().zip(length(language)) {
                assert!(there * 100 >= here * least, "{language:?}: {there} of {here}");
            }
        }
    }
}
