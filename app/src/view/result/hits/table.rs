//! The list of hits as a table ([`Table`]): their positions, and their alignments if the pattern is short.

use kernels::alignment::EditKind;
use kernels::found::Hit;
use kernels::strand::Strand;
use leptos::prelude::*;

use super::list::HitList;
use crate::model::alignment::sign::{class, sign};
use crate::model::search::hit_groups::{HitColumn, HitGroup, HitGrouping, columns, line_of, piece};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::prose;

/// Maximum number of symbols of a hit that the list shows.
const MAX_LISTED_SYMBOLS: u64 = 24;

/// Maximum number of columns of a hit's alignment that the list shows.
const COLUMNS: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
struct HitRow {
    group: HitGroup,
    found: String,
    line: Option<u64>,
    columns: Vec<HitColumn>,
}

/// Renders the current page of hits.
#[component]
pub fn Table(list: HitList) -> impl IntoView {
    let look = list.look;
    let near = look.together == HitGrouping::Neighbours;
    let rows = Memo::new(move |_| rows(list, MAX_LISTED_SYMBOLS));
    let aligned = Memo::new(move |_| look.opens && rows.with(|rows| rows.iter().any(|row| !row.columns.is_empty())));
    let in_lines = Memo::new(move |_| rows.with(|rows| is_in_lines(rows)));
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=t("Table of matches")>
            <table class="figures hits">
                <caption class="vh">{look.title}</caption>
                <thead>
                    <tr>
                        {look.score.map(|score| view! { <th class="r">{score}</th> })}
                        <th hidden=!list.has_records()>{t("Record")}</th>
                        <th>{if list.has_records() { t("In the record").into_any() } else { prose(t("In *b*")).into_any() }}</th>
                        <th hidden=!list.has_strands()>{t("Strand")}</th>
                        <th>{t("Found")}</th>
                        <th class="r" hidden=move || !in_lines.get()>{t("Line")}</th>
                        <th class="r" hidden=!near>{t("Ends")}</th>
                        <th hidden=move || !aligned.get()>{t("Alignment")}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || rows.get().into_iter().map(|row| entry(list, row, aligned, in_lines)).collect_view()}
                </tbody>
            </table>
        </div>
    }
}

/// Returns the rows of the current page. Each shows at most `most` symbols of its hit.
fn rows(list: HitList, most: u64) -> Vec<HitRow> {
    let row = |group: HitGroup| {
        list.hit_page.with(|seen| {
            let (start, end) = (group.best.start, group.best.end);
            let mut found = piece(&seen.passages, start, end.min(start.saturating_add(most)));
            if end - start > most {
                found.push('…');
            }
            let at = seen.hits.iter().position(|hit| *hit == group.best);
            let cigar = at.and_then(|at| seen.cigars.get(at));
            let reverse = group.best.strand == Some(Strand::Reverse);
            let pattern = if reverse { &seen.reverse_pattern } else { &seen.pattern };
            let columns = cigar.map(|cigar| columns(cigar, pattern, &seen.passages, start));
            let columns = columns.filter(|columns| columns.len() <= COLUMNS).unwrap_or_default();
            HitRow { group, found, line: line_of(&seen.passages, start).filter(|_| list.look.verse), columns }
        })
    };
    list.on_page().into_iter().map(row).collect()
}

/// Returns whether the table needs a column for line numbers, because the hits are in more than one line.
fn is_in_lines(rows: &[HitRow]) -> bool {
    rows.iter().any(|row| row.line.is_some_and(|line| line > 1))
}

/// Formats the first and the last position of a hit, relative to its record if the text has several.
fn place(hit: &Hit) -> (String, String) {
    let (start, end) = hit.record.map_or((hit.start, hit.end), |record| (record.start, record.end));
    humanize::range(start, end)
}

/// Returns the current page of hits as lines with cells separated by tabs. The columns are those of the table, except
/// the alignments.
pub fn as_text(list: HitList) -> String {
    let rows = untrack(|| rows(list, u64::MAX));
    let in_lines = is_in_lines(&rows);
    let is_near = list.look.together == HitGrouping::Neighbours;
    let place_head = if list.has_records() { t("In the record").to_owned() } else { t("In *b*").replace('*', "") };
    let head = [
        list.look.score.map(str::to_owned),
        list.has_records().then(|| t("Record").to_owned()),
        Some(place_head),
        list.has_strands().then(|| t("Strand").to_owned()),
        Some(t("Found").to_owned()),
        in_lines.then(|| t("Line").to_owned()),
        is_near.then(|| t("Ends").to_owned()),
    ];
    let cells = |row: &HitRow| {
        let hit = &row.group.best;
        let (start, end) = place(hit);
        [
            list.look.score.map(|_| grouped(hit.distance)),
            list.has_records().then(|| list.record_name(hit)),
            Some(format!("{start}–{end}")),
            list.has_strands().then(|| hit.strand.map_or("", |strand| strand_sign(strand).0).to_owned()),
            Some(row.found.replace(['\t', '\n'], " ")),
            in_lines.then(|| row.line.map(grouped).unwrap_or_default()),
            is_near.then(|| grouped(row.group.ends)),
        ]
    };
    let line = |cells: [Option<String>; 7]| cells.into_iter().flatten().collect::<Vec<_>>().join("\t") + "\n";
    std::iter::once(head).chain(rows.iter().map(cells)).map(line).collect()
}

fn entry(list: HitList, row: HitRow, aligned: Memo<bool>, in_lines: Memo<bool>) -> impl IntoView {
    let look = list.look;
    let group = row.group;
    let (start, end) = place(&group.best);
    let label = if look.opens {
        tr!("{start} to {end}, open its alignment", start = start, end = end)
    } else {
        tr!("{start} to {end}, show it in the text", start = start, end = end)
    };
    let current = move || list.is_current(group.number).then_some("true");
    let go = move |_| if look.opens { list.open(group) } else { list.look_at(group.number) };
    view! {
        <tr aria-current=current>
            {look.score.map(|_| view! { <td class="r"><b>{grouped(group.best.distance)}</b></td> })}
            <td class="record" hidden=!list.has_records()>{list.record_name(&group.best)}</td>
            <td>
                <button class="go num nowrap" type="button" aria-label=label on:click=go>
                    {start} "–" {end}
                </button>
            </td>
            <td hidden=!list.has_strands()>{group.best.strand.map(strand)}</td>
            <td class="seq found">{row.found}</td>
            <td class="r" hidden=move || !in_lines.get()>{row.line.map(grouped)}</td>
            <td class="r" hidden=look.together == HitGrouping::Each>{grouped(group.ends)}</td>
            <td hidden=move || !aligned.get()>{small(row.columns)}</td>
        </tr>
    }
}

/// Returns the sign of a strand, and the name of the strand for screen readers.
fn strand_sign(strand: Strand) -> (&'static str, &'static str) {
    match strand {
        Strand::Forward => ("+", t("as it stands")),
        Strand::Reverse => ("−", t("the reverse complement")),
    }
}

fn strand(strand: Strand) -> impl IntoView {
    let (sign, says) = strand_sign(strand);
    view! {
        <span aria-hidden="true" title=says>
            {sign}
        </span>
        <span class="vh">{says}</span>
    }
}

/// Draws the given columns of a short alignment side by side.
fn small(columns: Vec<HitColumn>) -> impl IntoView {
    let label = humanize::list(&columns.iter().filter(|column| column.edit != EditKind::Equal).map(edit_words).collect::<Vec<_>>());
    let label = if label.is_empty() { t("all equal").to_owned() } else { label };
    let column = |HitColumn { edit, a, b, .. }: HitColumn| {
        let gap = || "–".to_owned();
        view! {
            <span>
                <span class=class(edit)>{a.unwrap_or_else(gap)}</span>
                <span class="sign">{sign(edit)}</span>
                <span class=class(edit)>{b.unwrap_or_else(gap)}</span>
            </span>
        }
    };
    (!columns.is_empty()).then(|| {
        view! {
            <div class="cols" role="img" aria-label=label>
                {columns.into_iter().map(column).collect_view()}
            </div>
        }
    })
}

/// Returns the edit of an alignment column in words.
fn edit_words(column: &HitColumn) -> String {
    let [a_name, b_name] = &column.names;
    match (a_name.as_ref().or(column.a.as_ref()), b_name.as_ref().or(column.b.as_ref())) {
        (Some(a), Some(b)) => tr!("{a} by {b}", a = a, b = b),
        (Some(a), None) => tr!("{a} deleted", a = a),
        (None, Some(b)) => tr!("{b} inserted", b = b),
        (None, None) => String::new(),
    }
}
