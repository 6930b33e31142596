//! The answer of the longest common subsequence: its length and its share of the texts. For short texts, also the
//! subsequence itself and its symbols in both texts.

use explain::hit_page::TextPassage;
use explain::window::AlignmentWindow;
use explain::worker_protocol::query::WindowQuery;
use kernels::alignment::EditKind;
use kernels::event;
use kernels::found::Hit;
use kernels::job::Unit;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::alignment::common::{common_text, separator};
use crate::model::alignment::rows::visible_text;
use crate::model::search::hit_groups::{HitGroup, VerseLine, VerseRun, lines};
use crate::page::ShownResult;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::prose::prose;

/// Maximum number of alignment columns for which the subsequence is shown in both texts.
const MARKED_COLUMNS: u64 = 4_000;

/// The subsequence, and both texts with its symbols marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MarkedSubsequence {
    common: String,
    /// The lines of `a` and of `b`, with the symbols of the subsequence marked.
    sides: [Vec<VerseLine>; 2],
}

impl MarkedSubsequence {
    /// Creates the marked texts from `window`, which must hold the whole alignment. `unit` is the kind of the symbols.
    fn new(window: &AlignmentWindow, unit: Unit) -> Self {
        let after = separator(unit);
        let (mut a, mut b) = (0, 0);
        let mut places = [Vec::new(), Vec::new()];
        for stretch in &window.stretches {
            let (takes, len) = (stretch.edit.consumed_symbols(), u64::from(stretch.len));
            if stretch.edit == EditKind::Equal {
                for (start, places) in [a, b].into_iter().zip(&mut places) {
                    let best = Hit::new(start, start + len, 0);
                    places.push(HitGroup { number: places.len() as u64, best, ends: 1 });
                }
            }
            (a, b) = (a + takes.0 * len, b + takes.1 * len);
        }
        let common = common_text(window, unit);
        let [in_a, in_b] = places;
        let side = |letters: &[String], places: &[HitGroup]| {
            let letters = letters.iter().map(|letter| format!("{letter}{after}")).collect();
            lines(&TextPassage { from: 0, line: 0, letters }, places, &[])
        };
        Self { common, sides: [side(&window.a, &in_a), side(&window.b, &in_b)] }
    }
}

/// Draws the lines of a text, in which the subsequence is marked, under the text's `name`.
fn side(name: &'static str, lines: Vec<VerseLine>) -> impl IntoView {
    let run = |run: VerseRun| match run.deep {
        0 => Either::Left(view! { <span class="apart">{run.text}</span> }),
        _ => Either::Right(view! { <span class="hit">{run.text}</span> }),
    };
    let line = move |line: VerseLine| {
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

/// Renders the subsequence of a result.
#[component]
pub fn Lcs(shown: ShownResult) -> impl IntoView {
    let event::TaskAnswer::Lcs { length, alignment } = shown.run.answer? else { return None };
    let unit = shown.form.options.unit;
    let marked = RwSignal::new(MarkedSubsequence::default());
    if let Some(summary) = alignment.filter(|summary| summary.columns <= MARKED_COLUMNS && length > 0) {
        let at = shown.location;
        spawn_local(async move {
            if let Ok(window) = at.query(WindowQuery { from: 0, len: summary.columns }).await {
                marked.try_set(MarkedSubsequence::new(&window, unit));
            }
        });
    }
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
            <div class="stack common" hidden=move || marked.with(|marked| marked.common.is_empty())>
                <p class="subsequence seq">
                    <span class="vh">{t("The subsequence:")} " "</span>
                    {move || marked.with(|marked| visible_text(&marked.common))}
                </p>
                <p class="row">
                    <CopyButton text=common label=t("Copy the subsequence") class="btn small" />
                </p>
                <div class="pair marked">{sides}</div>
            </div>
    })
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    #[test]
    fn subsequence_consists_of_the_equal_columns() {
        let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
        let window = AlignmentWindow::new(&"1D1I3=1D1I1=1I".parse().unwrap(), &pair, 0, 100);
        let MarkedSubsequence { common, sides } = MarkedSubsequence::new(&window, Unit::Bytes);
        let marked = sides.map(|lines| {
            let runs = lines[0].runs.iter().map(|run| if run.deep > 0 { run.text.to_uppercase() } else { run.text.clone() });
            runs.collect::<String>()
        });
        assert_eq!((common.as_str(), marked), ("ittn", ["kITTeN", "sITTiNg"].map(str::to_owned)));
        let of_words = MarkedSubsequence::new(&window, Unit::Words);
        assert_eq!((of_words.common.as_str(), of_words.sides[0][0].runs[1].text.as_str()), ("i t t n", "i t t "));
    }
}
