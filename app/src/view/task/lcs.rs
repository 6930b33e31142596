//! The answer of the longest common subsequence: its length, what share that is, the subsequence itself and where it is in both
//! texts where they are short.

use explain::seen::Passage;
use explain::window::Window;
use kernels::alignment::Edit;
use kernels::event;
use kernels::found::Hit;
use kernels::job::Unit;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::found::{Group, Line, Run, lines};
use crate::page::Shown;
use crate::rows::pictures;
use crate::tr;
use crate::tr::t;
use crate::view::answer::Meaning;
use crate::view::composition::composition;
use crate::view::copy_button::CopyButton;
use crate::view::facets::found;
use crate::view::prose::prose;
use crate::words::{self, grouped};

/// Alignments of up to this many columns show the subsequence in both texts.
const MARKED_COLUMNS: u64 = 4_000;

/// What a length between texts of these lengths means.
pub fn meaning(length: u64, (a, b): (u64, u64), unit: Unit) -> Meaning {
    let name = match (unit, length) {
        (Unit::Bytes, 1) => t("byte"),
        (Unit::Bytes, _) => t("bytes"),
        (Unit::Chars, 1) => t("character"),
        (Unit::Chars, _) => t("characters"),
        (Unit::Graphemes, 1) => t("letter"),
        (Unit::Graphemes, _) => t("letters"),
        (Unit::Words, 1) => t("word"),
        (Unit::Words, _) => t("words"),
        (Unit::Lines, 1) => t("line"),
        (Unit::Lines, _) => t("lines"),
    };
    let says = match length {
        0 if a == 0 || b == 0 => tr!("{symbols}: nothing is common with an empty text.", symbols = name),
        0 => tr!("{symbols}: *a* and *b* have nothing in common.", symbols = name),
        _ if length == a && a == b => tr!("{symbols}: *a* and *b* are equal.", symbols = name),
        _ if length == a => tr!("{symbols}: all of *a* is in *b*, in the same order.", symbols = name),
        _ if length == b => tr!("{symbols}: all of *b* is in *a*, in the same order.", symbols = name),
        _ => tr!("{symbols} are in *a* and *b* in the same order.", symbols = name),
    };
    let aside = match a.max(b) {
        0 => String::new(),
        longer => {
            let share = words::percent(length as f64 / longer as f64);
            tr!("Similarity {share}, that is its length ÷ the longer length, {of}.", share = share, of = words::symbols(longer, unit))
        }
    };
    Meaning { number: grouped(length), says, aside }
}

/// What the subsequence is, and where it is in both texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Marked {
    /// The subsequence.
    common: String,
    /// The lines of both texts, in which it is marked.
    sides: [Vec<Line>; 2],
}

impl Marked {
    /// Of a window that holds the whole alignment.
    fn new(window: &Window, unit: Unit) -> Self {
        let after = match unit {
            Unit::Words => " ",
            Unit::Lines => "\n",
            Unit::Bytes | Unit::Chars | Unit::Graphemes => "",
        };
        let (mut a, mut b) = (0, 0);
        let mut places = [Vec::new(), Vec::new()];
        let mut common = Vec::new();
        for stretch in &window.stretches {
            let (takes, len) = (stretch.edit.takes(), u64::from(stretch.len));
            if stretch.edit == Edit::Equal {
                common.extend(window.a[a as usize..(a + len) as usize].iter().map(String::as_str));
                for (start, places) in [a, b].into_iter().zip(&mut places) {
                    let best = Hit::new(start, start + len, 0);
                    places.push(Group { number: places.len() as u64, best, ends: 1 });
                }
            }
            (a, b) = (a + takes.0 * len, b + takes.1 * len);
        }
        let common = common.join(after);
        let [in_a, in_b] = places;
        let side = |letters: &[String], places: &[Group]| {
            let letters = letters.iter().map(|letter| format!("{letter}{after}")).collect();
            lines(&Passage { from: 0, line: 0, letters }, places, &[])
        };
        Self { common, sides: [side(&window.a, &in_a), side(&window.b, &in_b)] }
    }
}

/// A text with the subsequence marked.
fn side(name: &'static str, lines: Vec<Line>) -> impl IntoView {
    let run = |run: Run| match run.deep {
        0 => Either::Left(view! { <span class="apart">{run.text}</span> }),
        _ => Either::Right(view! { <span class="hit">{run.text}</span> }),
    };
    let line = move |line: Line| {
        view! {
            <li>
                <span class="no">{line.number}</span>
                <span class="t">{line.runs.into_iter().map(run).collect_view()}</span>
            </li>
        }
    };
    view! {
        <figure class="stack tight">
            <figcaption class="small">
                {prose(name)}
            </figcaption>
            <ol class="verse">{lines.into_iter().map(line).collect_view()}</ol>
        </figure>
    }
}

/// The answer of a result.
#[component]
pub fn Lcs(shown: Shown) -> impl IntoView {
    let event::Answer::Lcs { length, alignment } = shown.run.answer? else { return None };
    let unit = shown.form.options.unit;
    let marked = RwSignal::new(Marked::default());
    if let Some(summary) = alignment.filter(|summary| summary.columns <= MARKED_COLUMNS && length > 0) {
        let at = shown.at;
        spawn_local(async move {
            if let Ok(window) = at.window(0, summary.columns).await {
                marked.try_set(Marked::new(&window, unit));
            }
        });
    }
    let kinds = [Edit::Equal, Edit::Insert, Edit::Delete];
    let common = Signal::derive(move || marked.with(|marked| marked.common.clone()));
    let sides = move || {
        marked.with(|marked| {
            let [a, b] = marked.sides.clone();
            view! {
                {side(t("The subsequence in *a*"), a)}
                {side(t("The subsequence in *b*"), b)}
            }
        })
    };
    Some(view! {
        {found(view! {
            <div class="stack" hidden=move || marked.with(|marked| marked.common.is_empty())>
                <p class="subsequence seq">
                    <span class="vh">{t("The subsequence:")} " "</span>
                    {move || marked.with(|marked| pictures(&marked.common))}
                </p>
                <p class="row">
                    <CopyButton text=common label=t("Copy the subsequence") class="btn small" />
                </p>
                <div class="pair marked">{sides}</div>
            </div>
        })}
        {alignment.map(|summary| composition(summary, &kinds, &kinds))}
    })
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, Reading};

    use super::*;

    fn text(length: u64, symbols: (u64, u64)) -> String {
        let said = meaning(length, symbols, Unit::Graphemes);
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn the_length_and_what_it_means() {
        let kitten =
            "4 letters are in a and b in the same order. Similarity 57.1\u{a0}%, that is its length ÷ the longer length, 7 letters.";
        assert_eq!(text(4, (6, 7)), kitten);
        assert!(text(3, (3, 9)).starts_with("3 letters: all of a is in b"));
        assert!(text(0, (3, 9)).starts_with("0 letters: a and b have nothing in common."));
        assert_eq!(text(0, (0, 0)), "0 letters: nothing is common with an empty text. ");
        assert!(text(5, (5, 5)).contains("are equal"));
    }

    #[test]
    fn the_subsequence_is_what_the_equal_columns_hold() {
        let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &Reading::default()).unwrap();
        let window = Window::new(&"1D1I3=1D1I1=1I".parse().unwrap(), &pair, 0, 100);
        let Marked { common, sides } = Marked::new(&window, Unit::Bytes);
        let marked = sides.map(|lines| {
            let runs = lines[0].runs.iter().map(|run| if run.deep > 0 { run.text.to_uppercase() } else { run.text.clone() });
            runs.collect::<String>()
        });
        assert_eq!((common.as_str(), marked), ("ittn", ["kITTeN", "sITTiNg"].map(str::to_owned)));
        let of_words = Marked::new(&window, Unit::Words);
        assert_eq!((of_words.common.as_str(), of_words.sides[0][0].runs[1].text.as_str()), ("i t t n", "i t t "));
    }
}
