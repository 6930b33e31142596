//! The text with marked hits ([`Verse`]). In an approximate search, the number of edits stands below the end of each
//! match. Of a long text, only the parts around the hits on the current page of the list are shown.

use explain::hit_page::TextPassage;
use leptos::either::Either;
use leptos::prelude::*;

use super::list::HitList;
use crate::model::preferences::positions;
use crate::model::search::hit_groups::{HitGrouping, VerseLine, VerseRun, lines};
use crate::model::text::humanize::grouped;
use crate::tr::t;

/// Renders the lines of the text, each with its line number.
#[component]
pub fn Verse(list: HitList) -> impl IntoView {
    let near = list.look.together == HitGrouping::Neighbours;
    let shown = Memo::new(move |_| {
        let groups = list.groups.get();
        list.hit_page.with(|seen| {
            let ends = if near { seen.hits.as_slice() } else { &[] };
            // Passages of a single-line text are numbered by their positions.
            let one_line = seen.passages.len() > 1 && seen.passages.iter().all(|passage| passage.line == 0);
            let lines = |passage: &TextPassage| {
                let mut lines = lines(passage, &groups, ends);
                if one_line && let [line] = lines.as_mut_slice() {
                    line.number = Some(positions().to_displayed(passage.from));
                }
                lines
            };
            seen.passages.iter().map(lines).collect::<Vec<_>>()
        })
    });
    let label = if near {
        t("The text; the small figures are the numbers of edits of matches that end there")
    } else {
        t("The text with its matches")
    };
    let drawn = move || {
        let passages = shown.get();
        let all = passages.len();
        let passage = |(nth, lines): (usize, Vec<VerseLine>)| {
            let gap = (nth + 1 < all).then(|| view! { <li class="gap" aria-label=t("Text that is left out")>"⋯"</li> });
            view! {
                {lines.into_iter().map(|drawn| line(list, drawn)).collect_view()}
                {gap}
            }
        };
        passages.into_iter().enumerate().map(passage).collect_view()
    };
    view! {
        <ol class="verse" aria-label=label>
            {drawn}
        </ol>
    }
}

fn line(list: HitList, line: VerseLine) -> impl IntoView {
    let ends = line.runs.iter().any(|run| run.end.is_some());
    // Passages of a sequence have the same length and would all wrap with a last line of one or two letters.
    let unbroken = !line.runs.iter().any(|run| run.text.contains(char::is_whitespace));
    view! {
        <li class:hashit=ends>
            <span class="no">{line.number.map(grouped)}</span>
            <span class="t" class:unbroken=unbroken>{line.runs.into_iter().map(|drawn| run(list, drawn)).collect_view()}</span>
        </li>
    }
}

fn run(list: HitList, run: VerseRun) -> impl IntoView {
    let VerseRun { text, deep, starting_group: begins, innermost_group: of, end } = run;
    let letters = match end {
        Some(distance) => Either::Left(view! {
            <ruby>
                {text}
                <rt>{distance}</rt>
            </ruby>
        }),
        None => Either::Right(text),
    };
    if deep == 0 {
        return Either::Left(letters);
    }
    let current = move || of.is_some_and(|number| list.is_current(number));
    let id = begins.map(|number| format!("hit-{number}"));
    Either::Right(view! {
        <span class="hit" class:over={deep > 1} class:begins=begins.is_some() class:current=current id=id>
            {letters}
        </span>
    })
}
