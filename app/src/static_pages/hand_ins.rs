//! A teacher's overview: the scores of links that the students of a class handed in ([`HandIns`]). The page works
//! without scripts and stores nothing. The score is computed from the answers in a link, so that a link cannot claim a
//! false score.
//!
//! - [`links`]: the links of a pasted text and the pages that they lead to
//! - [`score`]: the score of a link

use std::collections::BTreeMap;
use std::fmt::Write as _;

use explain::export::csv::field;
use leptos::prelude::*;

use self::links::{HandInRefusal, MAX_LINKS, PastedLink, PastedLinks};
use self::score::HandInScore;
use super::{StaticPageFrame, StaticPageRequest, document};
use crate::model::text::humanize::{self, count, grouped};
use crate::model::text::markup::escape;
use crate::model::visit::CLASS_SCORES;
use crate::tr;
use crate::tr::{Language, language, speaking, t};

pub mod links;
pub mod score;

/// Maximum number of questions in the list of the questions that most students answered wrongly.
const MAX_HARD: usize = 3;

/// A link that a student handed in, with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandIn {
    pub link: PastedLink,
    /// The score, or the reason why the link has none.
    pub score: Result<HandInScore, HandInRefusal>,
}

/// A text that a teacher pasted, with the scores of its links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandIns {
    pub text: String,
    /// The links with their scores, in the order of the text.
    pub rows: Vec<HandIn>,
    /// Number of lines that have neither a link nor the name of the student whose link follows.
    pub ignored_lines: usize,
    /// Number of links beyond [`MAX_LINKS`], which were not scored.
    pub further_links: usize,
}

impl HandIns {
    /// Combines the pasted `text` and the links found in it, `pasted`, with `scores`, one score for each link.
    pub fn new(text: String, pasted: PastedLinks, scores: Vec<Result<HandInScore, HandInRefusal>>) -> Self {
        let rows = pasted.links.into_iter().zip(scores).map(|(link, score)| HandIn { link, score }).collect();
        Self { text, rows, ignored_lines: pasted.ignored_lines, further_links: pasted.further_links }
    }

    /// Groups the rows that have a score by the title of the exercise. Exercises with the most links come first.
    fn exercises(&self) -> Vec<(&str, Vec<(&HandIn, &HandInScore)>)> {
        let mut exercises: Vec<(&str, Vec<(&HandIn, &HandInScore)>)> = Vec::new();
        for row in &self.rows {
            let Ok(score) = &row.score else { continue };
            match exercises.iter_mut().find(|(title, _)| *title == score.exercise) {
                Some((_, rows)) => rows.push((row, score)),
                None => exercises.push((&score.exercise, vec![(row, score)])),
            }
        }
        exercises.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
        exercises
    }

    /// Returns the line number of an earlier row with the same link as `row`, because `row` may be a copy. Returns
    /// `None` for a link without a wrong answer, because all links like this are equal.
    fn repeats(&self, row: &HandIn) -> Option<usize> {
        row.score.as_ref().ok().filter(|score| score.right() < score.answers.len())?;
        let first = self.rows.iter().find(|other| other.link.address == row.link.address)?;
        (first.link.line < row.link.line).then_some(first.link.line)
    }

    /// Returns the rows as comma-separated values: line, name, exercise, right, questions, wrong, link.
    pub fn csv(&self) -> String {
        let mut out = "line,name,exercise,right,questions,wrong,link\n".to_owned();
        for row in &self.rows {
            let PastedLink { line, name, address, .. } = &row.link;
            let (name, address) = (field(name), field(address));
            let _ = match &row.score {
                Ok(score) => {
                    let wrong = wrong(score);
                    let (right, all) = (score.right(), score.answers.len());
                    writeln!(out, "{line},{name},{},{right},{all},{},{address}", field(&score.exercise), field(&wrong))
                }
                Err(refusal) => writeln!(out, "{line},{name},,,,{},{address}", field(reason(*refusal))),
            };
        }
        out
    }
}

/// Returns the scores as comma-separated values, with texts in `language`. `hand_ins` computes the scores and is called
/// in this language.
pub fn csv(language: Language, hand_ins: impl FnOnce() -> HandIns) -> String {
    speaking(language, || hand_ins().csv())
}

/// Returns the HTML of the page with the scores of a class. `scored` computes the scores if links were pasted, and is
/// called in the language of `reader`.
pub fn page(reader: StaticPageRequest, scored: Option<impl FnOnce() -> HandIns>) -> String {
    let about = speaking(reader.language, || t("Paste the links that your students handed in, and see their scores."));
    let languages_of = scored.is_none().then_some(CLASS_SCORES);
    let frame = StaticPageFrame { reader, title: || t("Class scores"), about, languages_of, styles: &[] };
    document(frame, move || {
        let scored = scored.map(|scored| scored());
        let text = scored.as_ref().map(|scored| scored.text.clone()).unwrap_or_default();
        view! {
            {form(text, scored.is_some())}
            {scored.map(|scored| results(&scored))}
        }
        .into_any()
    })
}

fn form(text: String, has_results: bool) -> impl IntoView {
    let csv = has_results.then(|| view! { <button class="btn" type="submit" name="format" value="csv">{t("Download as CSV")}</button> });
    view! {
        <form class="section hand-ins" method="post" action=CLASS_SCORES>
            <label for="links">{t("One link on each line. A name may stand before the link or in the line above it.")}</label>
            // Leptos does not escape the children of this element.
            <textarea id="links" name="links" rows="8" required=true spellcheck="false" autocomplete="off" placeholder="Ada https://…" inner_html=escape(&text)></textarea>
            <div class="row">
                <button class="btn main" type="submit">{t("Show the scores")}</button>
                {csv}
            </div>
            <p class="note">
                {tr!("The server works out the scores, {n} at a time at most. It stores neither links nor names.", n = MAX_LINKS)}
            </p>
        </form>
    }
}

fn results(scored: &HandIns) -> impl IntoView + use<> {
    let exercises: Vec<_> = scored.exercises().into_iter().map(|(title, rows)| exercise(scored, title, &rows)).collect();
    let refused: Vec<_> = scored.rows.iter().filter_map(|row| Some((&row.link, row.score.as_ref().err()?))).collect();
    let refused = (!refused.is_empty()).then(|| {
        let line = |(link, refusal): &(&PastedLink, &HandInRefusal)| {
            let place = match &*link.name {
                "" => tr!("Line {n}:", n = link.line),
                name => tr!("Line {n}, {name}:", n = link.line, name = name),
            };
            view! { <li>{place} " " {reason(**refusal)}</li> }
        };
        let lines: Vec<_> = refused.iter().map(line).collect();
        view! {
            <section class="section">
                <h2>{t("Links without a score")}</h2>
                <ul>{lines}</ul>
            </section>
        }
    });
    let none = scored.rows.is_empty().then(|| view! { <p class="say" role="alert">{t("There is no link in this text.")}</p> });
    let further = (scored.further_links > 0).then(|| {
        let said = tr!("Only the first {n} links have a score. Paste the others separately.", n = MAX_LINKS);
        view! { <p class="say" role="alert">{said}</p> }
    });
    let ignored = (scored.ignored_lines > 0).then(|| {
        let lines = count(scored.ignored_lines as u64, "line", "lines");
        view! { <p class="note">{tr!("Ignored, because no link follows: {lines}.", lines = lines)}</p> }
    });
    view! {
        {none}
        {further}
        {exercises}
        {refused}
        {ignored}
    }
}

fn exercise(scored: &HandIns, title: &str, rows: &[(&HandIn, &HandInScore)]) -> impl IntoView + use<> {
    let shares = rows.iter().map(|(_, score)| 100.0 * score.right() as f64 / score.answers.len().max(1) as f64);
    let mean = shares.sum::<f64>() / rows.len().max(1) as f64;
    let mean = language().percent(&format!("{mean:.0}"));
    let said = tr!("{links}, {percent} right on average.", links = count(rows.len() as u64, "link", "links"), percent = mean);
    let hard = (rows.len() > 1).then(|| hard(rows)).filter(|hard| !hard.is_empty());
    let hard = hard.map(|hard| {
        let hard: Vec<_> = hard
            .into_iter()
            .map(|(question, wrong)| view! { <li>{question} " (" {tr!("{n} of {all}", n = wrong, all = rows.len())} ")"</li> })
            .collect();
        view! {
            <div>
                <p>{t("Most often wrong on the first try:")}</p>
                <ul>{hard}</ul>
            </div>
        }
    });
    let lines: Vec<_> = rows.iter().map(|(row, score)| line(scored, row, score)).collect();
    view! {
        <section class="section stack">
            <h2>{title.to_owned()}</h2>
            <p class="say">{said}</p>
            {hard}
            <table class="figures">
                <thead>
                    <tr>
                        <th>{t("Name")}</th>
                        <th class="r">{t("Right")}</th>
                        <th class="r">{t("Per cent")}</th>
                        <th>{t("Wrong on the first try")}</th>
                        <th>
                            <span class="vh">{t("Open the link")}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </section>
    }
}

fn line(scored: &HandIns, row: &HandIn, score: &HandInScore) -> impl IntoView + use<> {
    let PastedLink { line, name, address, .. } = &row.link;
    let name = if name.is_empty() { tr!("Line {n}", n = line) } else { name.clone() };
    let (right, all) = (score.right(), score.answers.len());
    let share = language().percent(&format!("{:.0}", 100.0 * right as f64 / all.max(1) as f64));
    let same = scored.repeats(row).map(|line| {
        view! {
            <br />
            <small>{tr!("The same link as in line {n}", n = line)}</small>
        }
    });
    // An address without a scheme would be relative to this site, and an address with another scheme could be a script.
    let is_whole = ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme));
    let address = if is_whole { address.clone() } else { format!("//{address}") };
    view! {
        <tr>
            <th scope="row">{name} {same}</th>
            <td class="r">{tr!("{n} of {all}", n = grouped(right as u64), all = grouped(all as u64))}</td>
            <td class="r">{share}</td>
            <td>{wrong(score)}</td>
            <td>
                <a href=address>{t("Open the link")}</a>
            </td>
        </tr>
    }
}

/// Returns the questions that most students answered wrongly, each with the number of these students. `rows` are the
/// links of one exercise with their scores.
fn hard(rows: &[(&HandIn, &HandInScore)]) -> Vec<(String, usize)> {
    let mut wrong: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (_, score) in rows {
        for (at, answer) in score.answers.iter().enumerate().filter(|(_, answer)| !answer.is_right) {
            *wrong.entry((at, &answer.question)).or_default() += 1;
        }
    }
    let mut wrong: Vec<(String, usize)> = wrong.into_iter().map(|((_, question), times)| (question.to_owned(), times)).collect();
    wrong.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    wrong.truncate(MAX_HARD);
    wrong
}

/// Returns the questions that a student answered wrongly, as a list in words; `–` if there are none.
fn wrong(score: &HandInScore) -> String {
    let wrong: Vec<String> = score.answers.iter().filter(|answer| !answer.is_right).map(|answer| answer.question.clone()).collect();
    if wrong.is_empty() { "–".into() } else { humanize::list(&wrong) }
}

fn reason(refusal: HandInRefusal) -> &'static str {
    match refusal {
        HandInRefusal::NoQuestions => t("This link leads to no page with questions."),
        HandInRefusal::NoAnswers => t("This link has no answers. It may be the link that the class received."),
        HandInRefusal::Private => t("This link is private. The server cannot read its texts."),
        HandInRefusal::Gone => t("This result has expired or was deleted."),
        HandInRefusal::TooLong => t("The texts are too long for questions."),
        HandInRefusal::Damaged => t("This link is incomplete: part of it was cut off."),
    }
}

#[cfg(test)]
mod tests {
    use super::links::LinkTarget;
    use super::*;

    fn scored(text: &str) -> HandIns {
        let pasted = PastedLinks::read(text);
        let score = |link: &PastedLink| match &link.target {
            LinkTarget::Texts { form, link_view: look } => HandInScore::of_form(form, look),
            LinkTarget::Lesson(lesson) => Ok(HandInScore::of_lesson(lesson)),
            LinkTarget::Stored { .. } => Err(HandInRefusal::Gone),
            LinkTarget::Refused(refusal) => Err(*refusal),
        };
        let scores = pasted.links.iter().map(score).collect();
        HandIns::new(text.to_owned(), pasted, scores)
    }

    const MATRIX: &str = "http://x/#a=ab&b=b&view=matrix&ask=on&answers=";

    fn html(language: Language, text: &str) -> String {
        page(StaticPageRequest { language, ..StaticPageRequest::default() }, Some(|| scored(text)))
    }

    #[test]
    fn page_shows_exercises_scores_and_frequent_mistakes() {
        let text = format!("Ada {MATRIX}BB\nBob {MATRIX}BC\nCy {MATRIX}BC\nDee http://x/learn?seed=7&q1=0\nEve http://x/\nFay {MATRIX}BB");
        let html = html(Language::English, &text);
        for part in
            ["ab, b · Row by row · a value", "4 links, 75% right on average.", "The same link as in line 2", "Learn: five questions, set 8"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        let order = ["ab, b · Row by row", "five questions", "Links without a score", "Line 5, Eve:"].map(|part| html.find(part).unwrap());
        assert!(order.is_sorted(), "{order:?}");
        assert!(!html.contains("The same link as in line 1"), "equal right answers are no copy: {html}");
        assert!(html.contains("http://x/#a=ab") && !html.contains("<script"), "{html}");
    }

    #[test]
    fn names_are_escaped_in_html_and_csv() {
        let text = format!("</textarea><b>x</b> {MATRIX}BB\n=1+1 {MATRIX}BB");
        let html = html(Language::English, &text);
        assert!(!html.contains("<b>") && html.matches("</textarea>").count() == 1, "{html}");
        let csv = csv(Language::English, || scored(&text));
        assert!(csv.lines().nth(2).is_some_and(|line| line.starts_with("2,'=1+1,")), "{csv}");
    }

    #[test]
    fn link_of_another_scheme_runs_no_script() {
        let html = html(Language::English, "javascript://x/learn?q2=1&q1=%0aalert(1)");
        assert!(html.contains("href=\"//javascript://x/learn"), "{html}");
    }

    #[test]
    fn text_without_links_is_reported_in_every_language() {
        for language in Language::ALL {
            let html = html(language, "Hello\nWorld");
            let said = speaking(language, || t("There is no link in this text."));
            assert!(html.contains(said), "{html}");
        }
    }
}
