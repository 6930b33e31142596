//! A shared result as a text that needs no script, [`ResultArticle`]: the answer, its meaning, the beginning of the
//! alignment or the first hits, the run, and both texts. The server renders this article into the page of the result.
//! It is read until hydration, by programs without scripts, and on paper.
//!
//! The views escape every string of a visitor.

use std::sync::Arc;

use explain::difference_filter::EditKinds;
use explain::snapshot::JobSnapshot;
use explain::window::AlignmentWindow;
use kernels::alignment::EditKind;
use kernels::event::TaskAnswer;
use kernels::found::Hit;
use kernels::job::{JobOptions, Task, Unit};
use leptos::prelude::*;

use super::plain_html;
use crate::model::alignment::rows::{AlignmentRow, RowPiece, rows, visible_text};
use crate::model::alignment::sign::sign_of_piece;
use crate::model::points::sentences::said;
use crate::model::result::meaning::AnswerMeaning;
use crate::model::result::meaning::meaning;
use crate::model::result::preview;
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, grouped};
use crate::model::visit::LinkPreview;
use crate::tr;
use crate::tr::{Language, speaking, t};
use crate::view::explore::alignment::edits::{code, in_words, listed_edits};
use crate::view::result::metrics::facts;
use crate::view::widgets::chip::chip;
use crate::view::widgets::prose::prose;

#[cfg(test)]
mod tests;

/// Maximum number of alignment columns in the article.
pub const COLUMNS: u64 = 600;

/// Approximate maximum size of the list of edits in the HTML, in bytes.
const EDITS_BYTES: usize = 20_000;

/// Approximate size of an entry of the list of edits in the HTML, in bytes, without the quoted texts.
const EDIT_BYTES: usize = 220;

/// Maximum number of hits in the article.
pub const HITS: u64 = 12;

/// Maximum number of symbols of each text in the article.
pub const SYMBOLS: u64 = 2_000;

/// Number of symbols of the text shown before and after a hit.
pub const AROUND: u64 = 24;

/// The data of the article about a shared result.
#[derive(Clone, Debug)]
pub struct ResultArticle {
    /// The job and its answer.
    pub snapshot: JobSnapshot,
    /// Names of the texts `a` and `b`.
    pub names: [Option<String>; 2],
    /// Time of sharing, in seconds since 1970.
    pub created_at: u64,
    /// Time of expiry, in seconds since 1970; `None` if the link does not expire.
    pub expires_at: Option<u64>,
    /// The first columns of the alignment, or the columns around the first difference; `None` without an alignment.
    pub window: Option<AlignmentWindow>,
    pub hits: Vec<ArticleHit>,
    /// The beginning of each text.
    pub heads: [String; 2],
    /// API path of the result; files and other parts of the result are below this path.
    pub parts: String,
    /// Address of the result's page if the article is shown in a frame of another site, otherwise `None`.
    pub page: Option<String>,
}

/// A hit with the text around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleHit {
    pub hit: Option<Hit>,
    /// The text before the hit, in the hit, and after the hit.
    pub text: [String; 3],
}

impl ResultArticle {
    /// Renders the article as HTML in `language`.
    pub fn html(self, language: Language) -> String {
        speaking(language, || self.written())
    }

    fn written(self) -> String {
        match self.page.clone() {
            Some(page) => plain_html(framed(self, page)),
            None => plain_html(whole(self)),
        }
    }

    /// Returns the title and the description that other programs show for a link to the result, in the current
    /// language.
    pub fn preview(&self) -> LinkPreview {
        let [a, b] = &self.names;
        preview::link_preview(&self.snapshot, [a.as_deref(), b.as_deref()], [&self.heads[0], &self.heads[1]])
    }

    /// Returns a title for the article: the names of both texts, or the name of the task if a text has no name.
    pub fn title(&self) -> String {
        title(&self.snapshot, &self.names)
    }
}

/// Returns a title for a result: the `names` of both texts, or the name of the task of `snapshot` if a text has no
/// name.
pub fn title(snapshot: &JobSnapshot, names: &[Option<String>; 2]) -> String {
    match names {
        // Equal names are distinguished by the letters `a` and `b` of the texts.
        [Some(a), Some(b)] if a == b => tr!("{a} and {b}", a = format!("a: {a}"), b = format!("b: {b}")),
        [Some(a), Some(b)] => tr!("{a} and {b}", a = a, b = b),
        _ => TaskDescription::of(snapshot.task).title().to_owned(),
    }
}

/// Renders the whole article.
fn whole(article: ResultArticle) -> impl IntoView {
    let shared = tr!("A result shared on {day}.", day = humanize::day(article.created_at));
    let ends = match article.expires_at {
        Some(at) => tr!("The link expires on {day}.", day = humanize::day(at)),
        None => t("The link works until somebody deletes it.").to_owned(),
    };
    let title = article.title();
    let [a, b] = &article.heads;
    let texts = [(0, "a", a), (1, "b", b)].map(|(side, which, head)| {
        let info = if side == 0 { &article.snapshot.a } else { &article.snapshot.b };
        let count = humanize::symbols(info.symbols, article.snapshot.options.unit);
        let name = article.names[side].clone().map(|name| format!("{name}, "));
        let cut = info.symbols > SYMBOLS;
        let first = cut.then(|| tr!("The first {symbols}.", symbols = humanize::symbols(SYMBOLS, article.snapshot.options.unit)));
        view! {
            <div>
                <h3><var>{which}</var> " " {name} {count}</h3>
                <pre class="code">{head.clone()}</pre>
                {first.map(|first| view! { <p class="note">{first}</p> })}
            </div>
        }
    });
    view! {
        <article class="static">
            <div class="lead">
                <p class="note">{shared} " " {ends}</p>
                <h1>{title}</h1>
            </div>
            {answer(&article)}
            {parts(&article)}
            <section class="section" aria-label=t("The two texts")>
                <div class="stack">
                    <h2>{t("The two texts")}</h2>
                    <div class="editions">{texts.collect_view()}</div>
                </div>
            </section>
        </article>
    }
}

/// Renders the answer and the alignment for a frame in another site's page, with a link to the result at `page`.
fn framed(article: ResultArticle, page: String) -> impl IntoView {
    let title = article.title();
    let shown = match &article.window {
        Some(window) => alignment(window, &article.snapshot.options).into_any(),
        None => hits(&article.hits).into_any(),
    };
    view! {
        <article class="static framed">
            <h1>{title}</h1>
            {answer(&article)}
            {shown}
            <p class="note"><a href=page target="_blank" rel="noopener">{t("Open in Editscope")}</a></p>
        </article>
    }
}

/// Renders the answer, a sentence about its meaning, and the summary of the alignment.
fn answer(article: &ResultArticle) -> impl IntoView + use<> {
    let snapshot = &article.snapshot;
    let symbols = (snapshot.a.symbols, snapshot.b.symbols);
    let AnswerMeaning { number, says, aside, rate, .. } = snapshot
        .answer
        .as_ref()
        .map(|answer| meaning(answer, symbols, &snapshot.options).with_line_ends_note(answer, &snapshot.warnings))
        .unwrap_or_default();
    let counted = tr!("Counted in {units}.", units = plural(snapshot.options.unit));
    let legend = snapshot.answer.as_ref().and_then(TaskAnswer::alignment).map(|summary| {
        let mut entries = vec![
            (EditKind::Substitute, summary.mismatches, t("substituted")),
            (EditKind::Insert, summary.insertions, t("inserted")),
            (EditKind::Delete, summary.deletions, t("deleted")),
            (EditKind::Equal, summary.matches, if snapshot.options.ambiguity { t("matching") } else { t("equal") }),
        ];
        if summary.transpositions > 0 {
            entries.push((EditKind::Transpose, summary.transpositions, t("transposed")));
        }
        let entries = entries.into_iter().map(|(edit, count, what)| {
            view! { <li>{chip(edit)} <span><b>{grouped(count)}</b> " " {what}</span></li> }
        });
        view! { <ul class="legend">{entries.collect_view()}</ul> }
    });
    view! {
        <div class="answer">
            <p class="big">{number}</p>
            <p class="say">{prose(&says)} " " <span>{prose(&aside)} " " {counted}</span></p>
            {(!rate.is_empty()).then(|| view! { <p class="note error-rate">{prose(&rate)}</p> })}
        </div>
        {legend}
    }
}

/// Renders the alignment or the hits, followed by the details of the run.
fn parts(article: &ResultArticle) -> impl IntoView + use<> {
    let (heading, note, shown) = match &article.window {
        Some(window) => {
            let [from, end, all] = [window.from, window.from + window.len, window.columns].map(grouped);
            let note = if window.len == window.columns {
                tr!("upper row a, lower row b; {all} columns, counted from 0", all = all)
            } else {
                tr!("upper row a, lower row b; columns {from} to {end} of {all}, counted from 0", from = from, end = end, all = all)
            };
            let all = article.snapshot.answer.as_ref().and_then(TaskAnswer::alignment).map_or(0, |summary| summary.distance());
            let shown = view! { {alignment(window, &article.snapshot.options)} {edits(window, all)} };
            (t("Alignment"), note, shown.into_any())
        }
        None if article.hits.is_empty() => (t("Result"), String::new(), ().into_any()),
        None => {
            let total = article.snapshot.answer.as_ref().and_then(TaskAnswer::hits).unwrap_or(0);
            let shown = article.hits.len() as u64;
            let note = if shown < total {
                tr!("the first {n} of {all}", n = shown, all = grouped(total))
            } else {
                tr!("all {n}", n = grouped(total))
            };
            (t("Matches"), note, hits(&article.hits).into_any())
        }
    };
    view! {
        <section class="section" aria-labelledby="static-parts">
            <header>
                <h2 id="static-parts">{heading}</h2>
                <span class="note">{note}</span>
            </header>
            <div class="split">
                <div class="stack">{shown}</div>
                {computed(article)}
            </div>
        </section>
    }
}

/// Renders the columns in `window` in blocks of ten, which wrap at the width of the page. If the unit is words or lines,
/// they follow one another instead.
fn alignment(window: &AlignmentWindow, options: &JobOptions) -> impl IntoView + use<> {
    let JobOptions { unit, ref matrix, .. } = *options;
    match unit {
        Unit::Words | Unit::Lines => {
            let pieces =
                rows(window, u64::MAX).into_iter().flat_map(|row| row.pieces).map(move |piece| edition(&piece, unit)).collect_view();
            view! { <div class=if unit == Unit::Lines { "edition lines" } else { "edition" }>{pieces}</div> }.into_any()
        }
        Unit::Bytes | Unit::Chars | Unit::Graphemes => {
            let marked = |row: AlignmentRow| if let Some(matrix) = matrix { row.with_matrix(matrix) } else { row };
            let cells = rows(window, 10).into_iter().map(|row| cell(&marked(row))).collect_view();
            view! { <ol class="flow">{cells}</ol> }.into_any()
        }
    }
}

fn cell(row: &AlignmentRow) -> impl IntoView + use<> {
    let wide = row.cell > 1;
    let line = |units: fn(&RowPiece) -> &Vec<String>| {
        let letters = row.pieces.iter().map(|piece| {
            let units = units(piece);
            let gap = units.is_empty();
            let units = if gap { vec!["–".to_owned(); piece.len as usize] } else { units.clone() };
            let text = if wide {
                units.into_iter().map(|unit| view! { <bdi class="u">{unit}</bdi> }).collect_view().into_any()
            } else {
                units.concat().into_any()
            };
            leptos::html::custom(tag(piece.edit, gap)).attr("class", piece.is_similar.then_some("similar")).child(text)
        });
        letters.collect_view()
    };
    let marks = row.pieces.iter().map(|piece| sign_of_piece(piece.edit, piece.is_similar).repeat(piece.len as usize)).collect::<String>();
    let marks = if wide {
        marks.chars().map(|mark| view! { <span class="u">{mark.to_string()}</span> }).collect_view().into_any()
    } else {
        marks.into_any()
    };
    let class = if row.cell > 2 { "wider" } else { "" };
    view! {
        <li class=class>
            <span class="tick">{grouped(row.column)}</span>
            <span>{line(|piece| &piece.a)}</span>
            <span class="marks" aria-hidden="true">{marks}</span>
            <span>{line(|piece| &piece.b)}</span>
        </li>
    }
}

/// Renders a piece of an alignment of words or lines (`unit`): the deleted text, followed by the inserted text.
fn edition(piece: &RowPiece, unit: Unit) -> impl IntoView + use<> {
    let between = if unit == Unit::Words { " " } else { "\n" };
    let part = |tag: &'static str, units: &[String]| {
        let text = units.join(between);
        (!units.is_empty()).then(|| view! { {leptos::html::custom(tag).child(text)} {between} })
    };
    match piece.edit {
        EditKind::Equal => view! { {part("span", &piece.a)} }.into_any(),
        EditKind::Substitute | EditKind::Transpose | EditKind::Insert | EditKind::Delete => {
            view! { {part("del", &piece.a)} {part("ins", &piece.b)} }.into_any()
        }
    }
}

fn tag(edit: EditKind, gap: bool) -> &'static str {
    match (edit, gap) {
        (EditKind::Equal, _) => "span",
        (_, true) => "s",
        (EditKind::Substitute | EditKind::Transpose, false) => "mark",
        (EditKind::Insert, false) => "ins",
        (EditKind::Delete, false) => "del",
    }
}

/// Renders the first edits in `window` in words, up to [`EDITS_BYTES`] of HTML. `all` is the number of edits of the
/// whole alignment.
fn edits(window: &AlignmentWindow, all: u64) -> impl IntoView + use<> {
    let rows: Vec<Arc<AlignmentRow>> = rows(window, u64::MAX).into_iter().map(Arc::new).collect();
    let (said, _) = listed_edits(&rows, EditKinds::ALL, usize::MAX);
    let lens = rows.iter().flat_map(|row| &row.pieces).filter(|piece| piece.edit != EditKind::Equal).map(|piece| match piece.edit {
        // An exchange has two columns.
        EditKind::Transpose => piece.len / 2,
        EditKind::Equal | EditKind::Substitute | EditKind::Insert | EditKind::Delete => piece.len,
    });
    let (mut bytes, mut listed) = (0, 0);
    let said: Vec<_> = said
        .into_iter()
        .zip(lens)
        .take_while(|(edit, len)| {
            bytes += EDIT_BYTES + edit.old.len() + edit.new.len();
            let has_room = bytes <= EDITS_BYTES;
            listed += if has_room { *len } else { 0 };
            has_room
        })
        .map(|(edit, _)| edit)
        .collect();
    let rest = all.saturating_sub(listed);
    let rest =
        (rest > 0).then(|| tr!("Not listed here: {edits}. The files list all of them.", edits = humanize::count(rest, "edit", "edits")));
    let entries = said.into_iter().map(|edit| {
        let [old_name, new_name] = edit.names;
        view! {
            <tr>
                <td>{chip(edit.edit)}</td>
                <td>{in_words(edit.edit, code(edit.old, old_name), code(edit.new, new_name))}</td>
                <td class="r">{grouped(edit.positions.0)}</td>
                <td class="r">{grouped(edit.positions.1)}</td>
            </tr>
        }
    });
    let entries: Vec<_> = entries.collect();
    (!entries.is_empty()).then(|| {
        view! {
            <table class="figures">
                <caption>{t("The first edits")}</caption>
                <thead>
                    <tr>
                        <th><span class="vh">{t("Kind")}</span></th>
                        <th>{t("Description")}</th>
                        <th class="r">{prose(t("at *a*"))}</th>
                        <th class="r">{prose(t("at *b*"))}</th>
                    </tr>
                </thead>
                <tbody>{entries}</tbody>
            </table>
            {rest.map(|rest| view! { <p class="note">{rest}</p> })}
        }
    })
}

/// Renders the first hits with the text around them.
fn hits(hits: &[ArticleHit]) -> impl IntoView + use<> {
    let entries = hits.iter().filter_map(|found| found.hit.map(|hit| (hit, found.text.clone()))).map(|(hit, [before, inside, after])| {
        view! {
            <tr>
                <td>{format!("{}–{}", grouped(hit.start), grouped(hit.end))} {hit.strand.map(|strand| format!(" {}", strand.sign()))}</td>
                <td class="around">{visible_text(&before)} <span class="hit">{visible_text(&inside)}</span> {visible_text(&after)}</td>
                <td class="r">{grouped(hit.distance)}</td>
            </tr>
        }
    });
    view! {
        <table class="figures hits">
            <caption class="vh">{t("Matches")}</caption>
            <thead>
                <tr>
                    <th>{prose(t("In *b*"))}</th>
                    <th>{t("Text")}</th>
                    <th class="r">{t("Unequal")}</th>
                </tr>
            </thead>
            <tbody>{entries.collect_view()}</tbody>
        </table>
    }
}

/// Renders the details of the run and links to the result as files.
fn computed(article: &ResultArticle) -> impl IntoView + use<> {
    let snapshot = &article.snapshot;
    let run = crate::model::run::snapshot::run(snapshot, 0.0);
    let rows = [(t("Task"), format!("{}, {}", TaskDescription::of(snapshot.task).title(), plural(snapshot.options.unit)))]
        .into_iter()
        .chain((snapshot.task == Task::SequenceAlignment).then(|| (t("Points"), said(&snapshot.options.scoring()).replace('*', ""))))
        .chain(options(&snapshot.options).map(|options| (t("Options"), options)))
        .chain(facts(&run, TaskDescription::of(snapshot.task).work_unit))
        .chain([(t("Version"), env!("CARGO_PKG_VERSION").to_owned())]);
    let rows = rows.map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> }).collect_view();
    let aligned = article.window.is_some();
    let formats =
        if aligned { vec![("text", t("Text")), ("cigar", "CIGAR"), ("json", "JSON")] } else { vec![("csv", "CSV"), ("json", "JSON")] };
    let files = formats.into_iter().filter(|(format, _)| *format != "csv" || !article.hits.is_empty()).map(|(format, label)| {
        view! { <a class="btn small" href=format!("{}/export?format={format}", article.parts) download>{label}</a> }
    });
    view! {
        <section aria-label=t("How it was computed")>
            <h2 class="mb">{t("How it was computed")}</h2>
            <dl class="facts">{rows}</dl>
            <div class="row mt">{files.collect_view()}</div>
            <p class="note mt">{t("This page works without JavaScript. With it, you can step through the alignment and edit the texts.")}</p>
        </section>
    }
}

/// Returns the name of a unit in the plural.
fn plural(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => t("bytes"),
        Unit::Chars => t("characters"),
        Unit::Graphemes => t("letters"),
        Unit::Words => t("words"),
        Unit::Lines => t("lines"),
    }
}

/// Returns a list of the options that change the comparison, or `None` if all have their defaults.
fn options(options: &JobOptions) -> Option<String> {
    let flags = [
        (options.case_insensitive, t("case does not count")),
        (options.ignore_whitespace, t("white space does not count")),
        (options.ignore_line_ends, t("line ends and blank lines do not count")),
        (options.ignore_punctuation, t("punctuation does not count")),
        (options.ignore_accents, t("accents do not count")),
        (options.ignore_digits, t("digits do not count")),
        (options.normalize, t("normalised (NFC)")),
        (options.local_minima, t("overlapping matches merged")),
        (options.ambiguity, t("ambiguity codes")),
        (!options.strands.is_forward(), t("both strands")),
    ];
    let numbers = [
        options.max_distance.map(|most| match options.costs.is_levenshtein() {
            true => tr!("at most {edits}", edits = humanize::count(most, "edit", "edits")),
            false => tr!("sum of costs at most {n}", n = grouped(most)),
        }),
        options.max_mismatches.map(|most| tr!("at most {n} unequal", n = grouped(most))),
    ];
    let flags = flags.into_iter().filter(|(on, _)| *on).map(|(_, what)| what.to_owned());
    let said: Vec<String> = flags.chain(numbers.into_iter().flatten()).collect();
    (!said.is_empty()).then(|| humanize::list(&said))
}
