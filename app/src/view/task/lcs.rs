//! The answer of the longest common subsequence: its length, what share that is, the subsequence itself where it is short.

use kernels::alignment::{Edit, Window};
use kernels::event;
use kernels::job::Unit;
use kernels::words::grouped;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page::Shown;
use crate::rows::pictures;
use crate::view::answer::{Answer, Meaning};
use crate::view::composition::composition;
use crate::words;

/// Alignments of up to this many columns show the subsequence as a text.
const SPELLED_COLUMNS: u64 = 400;

/// What a length between texts of these lengths means.
pub fn meaning(length: u64, (a, b): (u64, u64), unit: Unit) -> Meaning {
    let symbols = words::symbols(length, unit);
    let name = symbols.split_once(' ').map_or("symbols", |(_, name)| name).to_owned();
    let says = match length {
        0 if a == 0 || b == 0 => format!("{name}: nothing is common with an empty text."),
        0 => format!("{name}: *a* and *b* have nothing in common."),
        _ if length == a && a == b => format!("{name}: *a* and *b* are equal."),
        _ if length == a => format!("{name}: all of *a* is in *b*, in the same order."),
        _ if length == b => format!("{name}: all of *b* is in *a*, in the same order."),
        _ => format!("{name} are in *a* and *b* in the same order."),
    };
    let aside = match a.max(b) {
        0 => String::new(),
        longer => {
            format!("That is {} of the longer text, {}.", words::percent(length as f64 / longer as f64), words::symbols(longer, unit))
        }
    };
    Meaning { number: grouped(length), says, aside }
}

/// The symbols in the equal columns of a window.
fn spelled(window: &Window, unit: Unit) -> String {
    let mut a = window.a.iter();
    let mut common: Vec<&str> = Vec::new();
    for stretch in &window.stretches {
        let (takes, _) = stretch.edit.takes();
        let part = a.by_ref().take((takes * u64::from(stretch.len)) as usize).map(String::as_str);
        if stretch.edit == Edit::Equal {
            common.extend(part);
        } else {
            part.for_each(drop);
        }
    }
    let between = if unit == Unit::Words { " " } else { "" };
    pictures(&common.join(between))
}

/// The answer of a result.
#[component]
pub fn Lcs(shown: Shown) -> impl IntoView {
    let event::Answer::Lcs { length, alignment } = shown.run.answer? else { return None };
    let unit = shown.form.options.unit;
    let said = meaning(length, shown.symbols, unit);
    let subsequence = RwSignal::new(String::new());
    if let Some(summary) = alignment.filter(|summary| summary.columns <= SPELLED_COLUMNS && length > 0) {
        let at = shown.at;
        spawn_local(async move {
            if let Ok(window) = at.window(0, summary.columns).await {
                subsequence.try_set(spelled(&window, unit));
            }
        });
    }
    let kinds = [Edit::Equal, Edit::Insert, Edit::Delete];
    Some(view! {
        <Answer meaning=said />
        <p class="subsequence seq" hidden=move || subsequence.with(String::is_empty)>
            <span class="vh">"The subsequence: "</span>
            {subsequence}
        </p>
        {alignment.map(|summary| composition(summary, &kinds, &kinds))}
    })
}

#[cfg(test)]
mod tests {
    use kernels::alignment::Alignment;
    use kernels::text::{Pair, Reading};

    use super::*;

    fn text(length: u64, symbols: (u64, u64)) -> String {
        let said = meaning(length, symbols, Unit::Graphemes);
        format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
    }

    #[test]
    fn the_length_and_what_it_means() {
        let kitten = "4 letters are in a and b in the same order. That is 57.1\u{a0}% of the longer text, 7 letters.";
        assert_eq!(text(4, (6, 7)), kitten);
        assert!(text(3, (3, 9)).starts_with("3 letters: all of a is in b"));
        assert!(text(0, (3, 9)).starts_with("0 letters: a and b have nothing in common."));
        assert_eq!(text(0, (0, 0)), "0 letters: nothing is common with an empty text. ");
        assert!(text(5, (5, 5)).contains("are equal"));
    }

    #[test]
    fn the_subsequence_is_what_the_equal_columns_hold() {
        let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &Reading::default()).unwrap();
        let window = "1D1I3=1D1I1=1I".parse::<Alignment>().unwrap().window(&pair, 0, 100);
        assert_eq!(spelled(&window, Unit::Bytes), "ittn");
    }
}
