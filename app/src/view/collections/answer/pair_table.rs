//! The list of pairs ([`PairTable`]), which is also the reading order of the map.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::AnswerState;
use super::findings::open_pair;
use super::neighbours::share_bar;
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::collection::pairs::{ListedPair, MAX_LISTED, PairChoices, PairColumn, PairList};
use crate::model::collection::sentences::{self, share_of};
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of rows that are shown at first, and that are added by each press.
const ROWS: usize = 50;

/// Renders the list.
#[component]
pub fn PairTable() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let choices = RwSignal::new(PairChoices::default());
    let most = RwSignal::new(ROWS);
    let list = Memo::new(move |_| state.with(|texts| PairList::new(texts, MAX_LISTED)));
    let shown = Memo::new(move |_| {
        let threshold = state.threshold.get();
        let of = |list: &PairList| {
            choices.with(|choices| state.with(|texts| list.shown(texts, threshold, choices, &|text| state.name(text)))).unwrap_or_default()
        };
        list.with(|list| list.as_ref().map(of).unwrap_or_default())
    });
    let letters = Memo::new(move |_| {
        let mut letters = vec![None; state.with(|texts| texts.len()).unwrap_or(0)];
        state.groups.with(|groups| {
            for group in groups {
                group.members.iter().for_each(|&text| letters[text] = Some(group.letter.clone()));
            }
        });
        letters
    });
    let is_points = Memo::new(move |_| state.measure.get() == Measure::Points);
    let rows = move || {
        let threshold = state.threshold.get();
        let by_nearness = choices.with(|choices| choices.column == PairColumn::Nearness && !choices.is_reversed);
        let mut was_alike = true;
        let row = |(number, pair): (usize, &ListedPair)| {
            let &ListedPair { a, b, nearness } = pair;
            let is_alike = nearness >= threshold.nearness();
            let is_border = by_nearness && was_alike && !is_alike && number > 0;
            was_alike = is_alike;
            let border = is_border.then(|| {
                let says = match threshold {
                    Threshold::Percent(_) | Threshold::Points(_) => tr!("less than {value}", value = state.threshold_says()),
                    Threshold::Edits(_) => tr!("more than {value}", value = state.threshold_says()),
                };
                view! {
                    <tr class="line">
                        <td colspan="7">
                            <span class="cutline">{says}</span>
                        </td>
                    </tr>
                }
            });
            let (value, score, m, n) =
                state.with(|texts| (share_of(texts, a, b), texts.score(a, b), texts.symbols(a), texts.symbols(b))).unwrap_or_default();
            let share = state.bar_of(a, b);
            let letter = letters.with(|letters| letters.get(a).cloned().flatten().filter(|_| is_alike));
            let open = move |_: ev::MouseEvent| open_pair(state, a, b);
            view! {
                {border}
                <tr class:below=!is_alike>
                    <td class="r hide">{grouped(number as u64 + 1)}</td>
                    <th scope="row" class="wide">
                        <button class="go" type="button" on:click=open>
                            {tr!("{a} and {b}", a = state.name(a), b = state.name(b))}
                        </button>
                    </th>
                    <td class="wide">{share_bar(share, value)}</td>
                    <td class="r" hidden=move || is_points.get()>{grouped(score.max(0) as u64)}</td>
                    <td class="r hide">{grouped(m)}</td>
                    <td class="r hide">{grouped(n)}</td>
                    <td hidden=state.is_two.get()>{letter.map(|letter| view! { <span class="gno">{letter}</span> })}</td>
                </tr>
            }
        };
        shown.with(|shown| shown.iter().take(most.get()).enumerate().map(row).collect_view())
    };
    // Points are the only value of a pair.
    let heading = move |column: PairColumn, label: Signal<&'static str>, class: &'static str| {
        let sorted = move || {
            let (chosen, is_reversed) = choices.with(|choices| (choices.column, choices.is_reversed));
            let ascending = (column == PairColumn::Nearness) == is_reversed;
            (chosen == column).then_some(if ascending { "ascending" } else { "descending" })
        };
        let sort = move |_| {
            choices.update(|choices| {
                choices.is_reversed = choices.column == column && !choices.is_reversed;
                choices.column = column;
            });
        };
        view! {
            <th class=class aria-sort=sorted hidden=move || column == PairColumn::Score && is_points.get()>
                <button type="button" on:click=sort>
                    {label}
                    {icon(Icon::Chevron)}
                </button>
            </th>
        }
    };
    let find = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let part = event.target().value();
        most.set(ROWS);
        choices.update(|choices| choices.part = part);
    };
    let only_alike = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let on = event.target().checked();
        most.set(ROWS);
        choices.update(|choices| choices.only_alike = on);
    };
    let headings = move |number: usize| Signal::derive(move || sentences::headings(state.measure.get(), state.costs.get())[number]);
    let all = move || shown.with(Vec::len);
    let note = move || list.with(|list| list.as_ref().and_then(sentences::list_says));
    view! {
        <section class="section" aria-labelledby="pairs-title">
            <header class="row apart">
                <h2 id="pairs-title">{move || count(all() as u64, "pair", "pairs")}</h2>
                <div class="row wide">
                    <input class="text part" placeholder=t("Name contains") aria-label=t("Name contains") on:input:target=find />
                    <label class="check">
                        <input type="checkbox" on:change:target=only_alike />
                        <span>{t("Only alike pairs")}</span>
                    </label>
                </div>
            </header>
            <div class="scroll" tabindex="0" role="region" aria-label=t("Pairs")>
                <table class="figures pairs">
                    <thead>
                        <tr>
                            <th class="r">{t("No.")}</th>
                            {heading(PairColumn::Name, Signal::derive(|| t("Pair")), "")}
                            {heading(PairColumn::Nearness, headings(0), "")}
                            {heading(PairColumn::Score, headings(1), "r")}
                            {heading(PairColumn::Length, Signal::derive(|| t("Length")), "r")}
                            <th class="r">{t("Length")}</th>
                            <th hidden=move || state.is_two.get()>{t("Group")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="note">{note}</p>
            <p class="mt">
                {more_button(most, ROWS, all, || more_says(ROWS))}
            </p>
        </section>
    }
}
