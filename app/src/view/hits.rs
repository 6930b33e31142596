//! Hits of a search: a page of them with the text around each, and the alignment of the one that was opened.

use kernels::alignment::Summary;
use kernels::ask::Form;
use kernels::found::Hit;
use kernels::job::Unit;
use kernels::words::grouped;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::alignment::AlignmentView;
use super::exports::{Exports, Save};
use super::icon::{Icon, icon};
use super::metrics::{Checked, ThisRun};
use crate::page::{Page, Shown};
use crate::rows::pictures;
use crate::source::{At, sleep};

/// Hits of one page.
const PAGE: u64 = 20;

/// Symbols before and after a hit that are shown.
const AROUND: u64 = 12;

/// Symbols of a hit that are shown; longer ones are cut.
const SHOWN: u64 = 48;

/// What the list is called, and what the hits' distance is called, if it says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Title of the section.
    pub title: &'static str,
    /// Head of the column.
    pub score: Option<&'static str>,
}

/// A hit on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    hit: Hit,
    /// Text before, in and after it, once it is here.
    text: Option<[String; 3]>,
}

/// The parts of `b` that a line shows: before, in and after the hit.
fn ranges(hit: Hit) -> [(u64, u64); 3] {
    let Hit { start, end, .. } = hit;
    let cut = end.min(start + SHOWN);
    [(start.saturating_sub(AROUND), start), (start, cut), (cut, if cut < end { cut } else { end + AROUND })]
}

/// A line's text, made visible.
fn text(hit: Hit, pieces: &[String], unit: Unit) -> [String; 3] {
    let piece = |at: usize| pieces.get(at).map(|piece| pictures(piece)).unwrap_or_default();
    let [mut before, mut inside, mut after] = [piece(0), piece(1), piece(2)];
    if unit == Unit::Words {
        before = before.trim_end().to_owned() + " ";
        inside = inside.trim().to_owned();
        after = format!(" {}", after.trim_start());
    }
    if hit.end > hit.start + SHOWN {
        inside.push('…');
    }
    [before, inside, after]
}

/// The hit whose alignment is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Opened {
    number: u64,
    at: At,
    summary: Summary,
}

/// State of the list. A handle: copying it copies no state.
#[derive(Clone, Copy)]
struct List {
    page: Page,
    at: StoredValue<At>,
    unit: Unit,
    total: u64,
    first: RwSignal<u64>,
    lines: RwSignal<Vec<Line>>,
    opened: RwSignal<Option<Opened>>,
    checked: RwSignal<Checked>,
}

impl List {
    /// Fetches the page that begins with hit number `from`: the hits, then the text around them.
    async fn fetch(self, from: u64) {
        let at = self.at.get_value();
        let hits = match at.hits(from, PAGE).await {
            Ok(hits) => hits,
            Err(problem) => return drop(self.page.problem.try_set(Some(problem))),
        };
        let line = |(number, hit): (u64, Hit)| Line { number, hit, text: None };
        let lines: Vec<Line> = (from..).zip(hits).map(line).collect();
        let wanted = lines.iter().flat_map(|line| ranges(line.hit)).collect();
        if self.first.try_get_untracked() != Some(from) {
            return;
        }
        self.lines.try_set(lines.clone());
        // Hits without the text around them are hits all the same.
        let Ok(pieces) = at.pieces(wanted).await else { return };
        if self.first.try_get_untracked() == Some(from) {
            let unit = self.unit;
            let with = |(line, pieces): (Line, &[String])| Line { text: Some(text(line.hit, pieces, unit)), ..line };
            self.lines.try_set(lines.into_iter().zip(pieces.chunks(3)).map(with).collect());
        }
    }

    fn go_to(self, hit: u64) {
        self.first.set(hit.min(self.total.saturating_sub(1)) / PAGE * PAGE);
    }

    /// Shows the alignment of a hit, and goes there.
    fn open(self, line: &Line) {
        let (number, hit) = (line.number, line.hit);
        let at = self.at.get_value();
        spawn_local(async move {
            match at.open(number, hit).await {
                Ok((at, summary)) => {
                    self.checked.try_set(if at.is_here() { Checked::Walked } else { Checked::Added });
                    self.opened.try_set(Some(Opened { number, at, summary }));
                    sleep(0).await;
                    if let Some(title) = document().get_element_by_id("alignment-title") {
                        title.scroll_into_view();
                    }
                }
                Err(problem) => drop(self.page.problem.try_set(Some(problem))),
            }
        });
    }
}

/// The list, and the alignment of the hit that was opened.
#[component]
pub fn Hits(shown: Shown, total: u64, columns: Columns, checked: RwSignal<Checked>) -> impl IntoView {
    let page = expect_context::<Page>();
    let listed = total > 0 && !shown.form.asked().count_only;
    let list = List {
        page,
        at: StoredValue::new(shown.at.clone()),
        unit: shown.form.options.unit,
        total,
        first: RwSignal::new(0),
        lines: RwSignal::new(Vec::new()),
        opened: RwSignal::new(None),
        checked,
    };
    if listed {
        Effect::new(move |_| {
            let from = list.first.get();
            spawn_local(list.fetch(from));
        });
    }
    let csv = view! { <Save at=shown.at.clone() form=Form::Csv /> };
    let of = shown.clone();
    let opened = move || {
        list.opened.get().map(|opened| {
            let shown = Shown { at: opened.at.clone(), ..of.clone() };
            view! {
                <AlignmentView shown summary=opened.summary checked />
                <Exports at=opened.at />
            }
        })
    };
    view! {
        <section class="section" aria-labelledby="hits-title" hidden=!listed>
            <header>
                <h2 id="hits-title">{columns.title}</h2>
                <div class="row">
                    <Pager list />
                    {csv}
                </div>
            </header>
            <Table list columns />
        </section>
        {opened}
        <section class="section" aria-label="Figures">
            <ThisRun shown checked />
        </section>
    }
}

/// Which hits are shown, and the way to others.
#[component]
fn Pager(list: List) -> impl IntoView {
    let shown = move || {
        let first = list.first.get();
        format!("{} to {} of {}", grouped(first + 1), grouped((first + PAGE).min(list.total)), grouped(list.total))
    };
    let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let digits: String = event.target().value().chars().filter(char::is_ascii_digit).collect();
        if let Ok(hit) = digits.parse::<u64>() {
            list.go_to(hit.saturating_sub(1));
        }
    };
    let few = list.total <= PAGE;
    let at_start = move || list.first.get() == 0;
    let at_end = move || list.first.get() + PAGE >= list.total;
    let back = move |_| list.go_to(list.first.get_untracked().saturating_sub(PAGE));
    let on = move |_| list.go_to(list.first.get_untracked() + PAGE);
    view! {
        <span class="seg" hidden=few>
            <button type="button" aria-label="Previous page" title="Previous page" disabled=at_start on:click=back>
                {icon(Icon::Previous)}
            </button>
            <button type="button" aria-label="Next page" title="Next page" disabled=at_end on:click=on>
                {icon(Icon::Next)}
            </button>
        </span>
        <span class="num small" role="status">
            {shown}
        </span>
        <label class="row small" hidden=few>
            "Go to number "
            <input class="text column" inputmode="numeric" autocomplete="off" on:change:target=go />
        </label>
    }
}

/// The page of hits.
#[component]
fn Table(list: List, columns: Columns) -> impl IntoView {
    let row = move |line: Line| {
        let Hit { start, end, distance } = line.hit;
        let number = line.number;
        let current = move || list.opened.with(|opened| opened.as_ref().is_some_and(|opened| opened.number == number)).then_some("true");
        let [before, inside, after] = line.text.clone().unwrap_or_default();
        let label = format!("{} to {}, open its alignment", grouped(start), grouped(end));
        view! {
            <tr aria-current=current>
                <td>
                    <button class="go num nowrap" type="button" aria-label=label on:click=move |_| list.open(&line)>
                        {grouped(start)} " – " {grouped(end)}
                    </button>
                </td>
                {columns.score.map(|_| view! { <td class="r">{grouped(distance)}</td> })}
                <td class="seq around">{before} <b class="hit">{inside}</b> {after}</td>
            </tr>
        }
    };
    view! {
        <table class="figures hits">
            <caption class="vh">{columns.title}</caption>
            <thead>
                <tr>
                    <th>"In " <var>"b"</var></th>
                    {columns.score.map(|score| view! { <th class="r">{score}</th> })}
                    <th>"Text"</th>
                </tr>
            </thead>
            <tbody>
                <For each=move || list.lines.get() key=|line| (line.number, line.text.is_some()) let:line>
                    {row(line)}
                </For>
            </tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(start: u64, end: u64) -> Hit {
        Hit { start, end, distance: 0 }
    }

    #[test]
    fn a_line_shows_what_stands_around_a_hit() {
        assert_eq!(ranges(hit(20, 23)), [(8, 20), (20, 23), (23, 35)]);
        assert_eq!(ranges(hit(3, 3)), [(0, 3), (3, 3), (3, 15)]);
        assert_eq!(ranges(hit(0, 1_000)), [(0, 0), (0, SHOWN), (SHOWN, SHOWN)]);
    }

    #[test]
    fn words_stand_apart_and_long_hits_are_cut() {
        let pieces = ["the ", "quick brown ", "fox"].map(str::to_owned);
        assert_eq!(text(hit(1, 3), &pieces, Unit::Words), ["the ", "quick brown", " fox"]);
        let pieces = ["a\n", "b\tc", ""].map(str::to_owned);
        assert_eq!(text(hit(0, 100), &pieces, Unit::Chars), ["a↵", "b→c…", ""]);
    }
}
