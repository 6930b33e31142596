//! The chosen place with its alignment and the text around it, and the list of all places ([`Places`]).

use explain::worker_protocol::patterns::{PlaceColumn, PlaceLine};
use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlSelectElement;

use super::step;
use crate::model::collection::patterns::answer::PlaceNumber;
use crate::model::collection::patterns::sentences;
use crate::model::text::humanize::{grouped, position};
use crate::page::patterns::PatternPage;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of places that are listed at first, and that are added by each press.
const ROWS: usize = 20;

/// Replaces symbols that have no width by signs.
fn visible(text: &str) -> String {
    text.replace("\r\n", "↵").replace(['\n', '\r'], "↵").replace('\t', "⇥")
}

/// Renders a column of an alignment.
fn column(column: &PlaceColumn) -> impl IntoView + use<> {
    let PlaceColumn { pattern, edit, text } = column;
    let (sign, class) = match edit.as_str() {
        "=" => ("|", ""),
        "I" => ("+", "i"),
        "D" => ("−", "d"),
        _ => ("×", "x"),
    };
    let symbol = |symbol: &str| if symbol.is_empty() { "·".to_owned() } else { visible(symbol) };
    view! {
        <span>
            <span class=class>{symbol(pattern)}</span>
            <span class="sign">{sign}</span>
            <span class=class>{symbol(text)}</span>
        </span>
    }
}

/// Renders a line of the text around a place.
fn line(line: &PlaceLine) -> impl IntoView + use<> {
    let PlaceLine { start, before, marked, after } = line;
    let hit = (!marked.is_empty()).then(|| view! { <span class="hit">{visible(marked)}</span> });
    view! {
        <li>
            <span class="no num">{position(*start)}</span>
            <span class="t">{visible(before)} {hit} {visible(after)}</span>
        </li>
    }
}

/// Renders the chosen place and the list of places.
#[component]
pub fn Places() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let listed = Memo::new(move |_| {
        let only = patterns.view.with(|view| view.only);
        patterns.answer.with(|texts| texts.as_deref().map(|texts| texts.listed(only)).unwrap_or_default())
    });
    // Without a choice, the first place of the list is shown.
    let chosen = Memo::new(move |_| patterns.view.with(|view| view.chosen).or_else(|| listed.with(|listed| listed.first().copied())));
    Effect::new(move |_| {
        patterns.answer.track();
        match chosen.get() {
            Some(place) => patterns.load_place(place),
            None => patterns.place.set(None),
        }
    });
    let most = RwSignal::new(ROWS);
    let with_texts = move |read: &dyn Fn(&crate::model::collection::patterns::answer::SearchedTexts) -> Option<String>| {
        patterns.answer.with(|texts| texts.as_deref().and_then(read))
    };
    let title = move || chosen.get().and_then(|place| with_texts(&|texts| sentences::place_says(texts, place)));
    let columns = move || {
        patterns.place.with(|place| {
            place.as_ref().filter(|(of, _)| Some(*of) == chosen.get()).map(|(_, place)| place.columns.iter().map(column).collect_view())
        })
    };
    let lines = move || {
        patterns.place.with(|place| {
            place.as_ref().filter(|(of, _)| Some(*of) == chosen.get()).map(|(_, place)| place.lines.iter().map(line).collect_view())
        })
    };
    let note = move || {
        let (pattern, _) = chosen.get()?;
        let is_reverse = patterns.answer.with(|texts| {
            let hit = texts.as_deref().and_then(|texts| texts.hit(chosen.get()?));
            hit.and_then(|hit| hit.strand).is_some_and(|strand| strand.sign() == '-')
        });
        with_texts(&|texts| {
            let name = sentences::name(texts, pattern);
            Some(if is_reverse {
                tr!("Above: the reverse complement of {name}, as it lies on this strand. Below: the text.", name = name)
            } else {
                tr!("Above: {name}. Below: the text.", name = name)
            })
        })
    };
    let rows = move || {
        let row = |&(pattern, hit): &PlaceNumber| {
            let texts = patterns.answer.get()?;
            let found = texts.hit((pattern, hit))?;
            let is_chosen = move || (chosen.get() == Some((pattern, hit))).then_some("true");
            let choose = move |_| patterns.look(|view| view.chosen = Some((pattern, hit)));
            let strand = found.strand.map(|strand| if strand.sign() == '-' { "−" } else { "+" });
            Some(view! {
                <tr aria-current=is_chosen>
                    <td>
                        <button class="go" type="button" on:click=choose>
                            {sentences::at_says(&texts, &found)}
                        </button>
                    </td>
                    <td>{sentences::name(&texts, pattern)}</td>
                    <td>{strand}</td>
                    <td class="r">{grouped(found.distance)}</td>
                </tr>
            })
        };
        listed.with(|listed| listed.iter().take(most.get()).map(row).collect_view())
    };
    let only = Memo::new(move |_| patterns.view.with(|view| view.only));
    let filter = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let only = event.target().value().parse().ok();
        most.set(ROWS);
        patterns.look(|view| (view.only, view.chosen) = (only, None));
    };
    let choices = move || {
        let texts = patterns.answer.get()?;
        let choice = |pattern: usize| {
            view! {
                <option value=pattern.to_string() prop:selected=move || only.get() == Some(pattern)>
                    {sentences::name(&texts, pattern)}
                </option>
            }
        };
        Some((0..texts.report.patterns.len()).map(choice).collect_view())
    };
    let is_none = move || chosen.get().is_none();
    view! {
        <section class="section" aria-labelledby="place-title" hidden=is_none>
            <div class="split places">
                <section class="stack">
                    <header class="row apart">
                        <h2 id="place-title" aria-live="polite">{title}</h2>
                        <span class="seg projector-off" role="group" aria-label=t("Other places")>
                            <button type="button" aria-label=t("Previous place") title=t("Previous place (K)") on:click=move |_| step(patterns, -1)>{icon(Icon::Previous)}</button>
                            <button type="button" aria-label=t("Next place") title=t("Next place (J)") on:click=move |_| step(patterns, 1)>{icon(Icon::Next)}</button>
                        </span>
                    </header>
                    <div class="scroll" tabindex="0" role="region" aria-label=t("Alignment")>
                        <div class="cols">{columns}</div>
                    </div>
                    <p class="note">{note}</p>
                    <ol class="verse around">{lines}</ol>
                </section>
                <aside aria-labelledby="places-title">
                    <header class="row apart mb">
                        <h2 id="places-title">{t("Places")}</h2>
                        <span class="select projector-off">
                            <select aria-label=t("Of which pattern") on:change:target=filter>
                                <option value="" prop:selected=move || only.get().is_none()>{t("all patterns")}</option>
                                {choices}
                            </select>
                            {icon(Icon::Chevron)}
                        </span>
                    </header>
                    <table class="figures best hits">
                        <thead>
                            <tr>
                                <th>{t("Place")}</th>
                                <th>{t("Pattern")}</th>
                                <th>{t("Strand")}</th>
                                <th class="r">{t("Edits")}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                    <p class="mt projector-off">
                        {more_button(most, 5 * ROWS, move || listed.with(Vec::len), || more_says(5 * ROWS))}
                    </p>
                </aside>
            </div>
        </section>
    }
}
