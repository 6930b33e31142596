//! Explanations beside a dot plot: the selected pair of positions, the meaning of the shades and, for screen readers,
//! the content of the plot.

use explain::dots::{DotPlot, DotPlotFrame};
use leptos::prelude::*;

use super::plot::PlotState;
use crate::model::alignment::rows::visible;
use crate::model::dots::svg::LegendSign;
use crate::model::dots::{DotStatistics, figures, full, line};
use crate::model::text::humanize::{count, grouped, position, range};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::prose;

/// Maximum number of symbols of each text that screen readers read aloud.
const MAX_SPOKEN_SYMBOLS: usize = 40;

/// Renders the selected pair of positions, the legend and, for screen readers, the content of the picture in numbers.
#[component]
pub fn Legend() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let spoken = move || match plot.problem.get() {
        Some(problem) => problem.detail,
        None => plot.dots.with(|dots| dots.as_ref().map(|dots| spoken(dots)).unwrap_or_default()),
    };
    let shades = move || {
        plot.dots.with(|dots| {
            let dots = dots.as_ref()?;
            let full = full(dots);
            let most = if full == 1 { t("one or more").to_owned() } else { tr!("{n} or more", n = grouped(full)) };
            Some(view! {
                <ul class="legend" aria-label=t("Legend")>
                    {(full > 1).then(|| view! { <li><span class="shade one" aria-hidden="true"></span> {t("one dot")}</li> })}
                    <li><span class="shade" aria-hidden="true"></span> {most}</li>
                    {(!dots.inverted_counts.is_empty()).then(|| view! { <li><span class="shade other" aria-hidden="true"></span> {t("on the other strand")}</li> })}
                    {plot.is_aligned().then(|| view! { <li><span class="shade way" aria-hidden="true"></span> {t("the alignment")}</li> })}
                </ul>
                <p class="say">{sentences(dots).join(" ")}</p>
            })
        })
    };
    view! {
        <Place />
        <div class="stack tight">{shades}</div>
        <p class="say" hidden=move || plot.problem.with(Option::is_none)>{move || plot.problem.get().map(|problem| problem.detail)}</p>
        <p class="vh" role="status">{spoken}</p>
    }
}

/// Renders the pair of positions under the pointer, or else the selected pair.
#[component]
fn Place() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let spot = move || plot.hover.get().or(plot.mark.get());
    let title = move || match spot() {
        Some((a, b)) => tr!("*a* {a}, *b* {b}", a = position(a), b = position(b)),
        None => t("Click the plot to see what matches there").to_owned(),
    };
    let found = move || {
        let (symbols, word) = plot.dots.with(|dots| dots.as_ref().map_or((1, 1), |dots| (dots.one_in, dots.frame.word.unwrap_or(1))));
        match spot().map(|spot| plot.count_at(spot)) {
            None => t("Or press Enter for the middle.").to_owned(),
            Some(None) => String::new(),
            Some(Some(0)) if symbols > 1 => t("No dot was found here.").to_owned(),
            Some(Some(0)) => t("No dot here.").to_owned(),
            Some(Some(dots)) if word == 1 => tr!("{dots} here.", dots = count(dots.into(), "equal symbol", "equal symbols")),
            Some(Some(dots)) => tr!("{dots} here.", dots = count(dots.into(), "equal word", "equal words")),
        }
    };
    let go = move |_| {
        if let Some(spot) = plot.mark.get_untracked() {
            plot.show_in_alignment(spot);
        }
    };
    view! {
        <div class="stack tight place">
            <p class="spot num">{move || prose(&title())}</p>
            <p class="note">{found}</p>
            {plot
                .is_aligned()
                .then(|| {
                    view! {
                        <p class="projector-off">
                            <button class="btn small" type="button" disabled=move || plot.mark.with(Option::is_none) on:click=go>
                                {t("Show in the alignment")}
                            </button>
                        </p>
                    }
                })}
        </div>
    }
}

/// Returns the legend for an exported file: each sentence with its sign. `has_way` says whether the path of the
/// alignment is drawn.
pub fn of_file(dots: &DotPlot, has_way: bool) -> Vec<(String, LegendSign)> {
    let full = full(dots);
    let most = if full == 1 { t("one or more").to_owned() } else { tr!("{n} or more", n = grouped(full)) };
    let faint = (full > 1).then(|| (t("one dot").to_owned(), LegendSign::Faint));
    let other = (!dots.inverted_counts.is_empty()).then(|| (t("on the other strand").to_owned(), LegendSign::Other));
    let way = has_way.then(|| (t("the alignment").to_owned(), LegendSign::Way));
    let signs = faint.into_iter().chain([(most, LegendSign::Full)]).chain(other).chain(way);
    signs.chain(sentences(dots).into_iter().map(|says| (says, LegendSign::None))).collect()
}

/// Returns sentences about the meaning of a dot, and about the number of dots that a shade means.
fn sentences(dots: &DotPlot) -> Vec<String> {
    let word = dots.frame.word.unwrap_or(1);
    let what = if word == 1 { t("A dot is one equal symbol.").to_owned() } else { tr!("A dot is a word of {n} equal symbols.", n = word) };
    let line = line(dots);
    let dark = (line > 1).then(|| tr!("On an unbroken match each pixel covers {n} dots.", n = grouped(line)));
    let sampled = (dots.one_in > 1).then(|| {
        tr!("These texts are long: one in {n} pairs of positions was checked, the same share on every line.", n = grouped(dots.one_in))
    });
    [Some(what), dark, sampled].into_iter().flatten().collect()
}

/// Returns sentences that describe the content of the picture in numbers, for screen readers.
fn spoken(dots: &DotPlot) -> String {
    let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, .. } = dots.frame;
    let (a, b) = (range(from_a, to_a), range(from_b, to_b));
    let sight = tr!(
        "Visible: a from {from_a} to {to_a} down, b from {from_b} to {to_b} across.",
        from_a = a.0,
        to_a = a.1,
        from_b = b.0,
        to_b = b.1
    );
    let DotStatistics { dots: all, filled, most, densest_position: (a, b) } = figures(dots);
    let symbols = count(word.unwrap_or(1).into(), "symbol", "symbols");
    let found = match all {
        0 => tr!("No words of {symbols} are equal here.", symbols = symbols),
        all => tr!(
            "{all} equal words of {symbols} were counted, in {filled} of {parts} parts of the picture; the most, {most}, at a {a}, b {b}.",
            all = grouped(all),
            symbols = symbols,
            filled = grouped(filled as u64),
            parts = grouped(width * height),
            most = grouped(most.into()),
            a = position(a),
            b = position(b)
        ),
    };
    let on_other: u64 = dots.inverted_counts.iter().map(|count| u64::from(*count)).sum();
    let inverted = (!dots.inverted_counts.is_empty())
        .then(|| tr!("{n} words are on the other strand: reversed and complemented.", n = grouped(on_other)));
    let read = [&dots.a, &dots.b].iter().all(|symbols| !symbols.is_empty());
    let reads = read.then(|| tr!("a reads {a}, b reads {b}.", a = quoted(&dots.a), b = quoted(&dots.b)));
    [sight, found].into_iter().chain(inverted).chain(reads).collect::<Vec<_>>().join(" ")
}

/// Returns the first [`MAX_SPOKEN_SYMBOLS`] symbols of a text, one after the other, with an ellipsis if there are more.
fn quoted(symbols: &[String]) -> String {
    let few: Vec<String> = symbols.iter().take(MAX_SPOKEN_SYMBOLS).map(|symbol| visible(symbol)).collect();
    let between = if few.iter().any(|symbol| symbol.chars().count() > 4) { " " } else { "" };
    format!("{}{}", few.join(between), if symbols.len() > MAX_SPOKEN_SYMBOLS { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use kernels::run::{NoObserver, Run};
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    fn drawn(a: &str, b: &str, word: u32) -> DotPlot {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let frame =
            DotPlotFrame { to_a: a.len() as u64, to_b: b.len() as u64, width: 3, height: 2, word: Some(word), ..DotPlotFrame::default() };
        explain::dots::count_dots(&pair, &frame, &Run::new(&NoObserver)).unwrap()
    }

    #[test]
    fn plot_is_described_with_its_statistics() {
        let spoken_of = |word| spoken(&drawn("aaabcd", "xxaaxb", word));
        assert_eq!(
            spoken_of(1),
            "Visible: a from 0 to 6 down, b from 0 to 6 across. 7 equal words of 1 symbol were counted, in 2 of 6 parts of the picture; the most, 6, at a 0, b 2. a reads aaabcd, b reads xxaaxb."
        );
        assert!(spoken_of(5).contains("No words of 5 symbols are equal here. "));
        let long = "ab".repeat(21);
        let drawn = drawn(&long, &"\n".repeat(300), 1);
        assert!(!spoken(&drawn).contains("reads"), "300 symbols are not read aloud");
        assert_eq!((quoted(&drawn.a).chars().count(), quoted(&["\n".into(), "x".into()]).as_str()), (41, "↵x"));
    }

    #[test]
    fn legend_explains_the_shades() {
        let dots = drawn("aaabcd", "xxaaxb", 2);
        assert_eq!(sentences(&dots).join(" "), "A dot is a word of 2 equal symbols. On an unbroken match each pixel covers 2 dots.");
        let sampled = DotPlot { one_in: 1088, ..dots };
        assert_eq!(sentences(&sampled).len(), 2);
    }
}
