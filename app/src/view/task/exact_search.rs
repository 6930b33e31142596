//! The answer of exact search: how often, and where.

use kernels::event;
use kernels::words::grouped;
use leptos::prelude::*;

use crate::page::Shown;
use crate::view::answer::{Answer, Meaning};
use crate::view::facets::found;
use crate::view::hits::{Columns, Hits};
use crate::view::metrics::Checked;

/// What so many occurrences mean, for texts of these lengths.
pub fn meaning(total: u64, (a, b): (u64, u64)) -> Meaning {
    let says = match total {
        0 => "places: *a* does not occur in *b*.",
        1 => "place in *b* holds *a*.",
        _ => "places in *b* hold *a*, overlapping ones too.",
    };
    let aside = match total {
        0 if a > b => "It is longer than *b*.",
        0 => "Approximate search finds the pieces that are nearest to it.",
        _ if a == 0 => "An empty text is at every position.",
        _ => "",
    };
    Meaning { number: grouped(total), says: says.into(), aside: aside.into() }
}

/// The answer of a result.
#[component]
pub fn ExactSearch(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let Some(event::Answer::ExactSearch { total, .. }) = shown.run.answer else { return None };
    let meaning = meaning(total, shown.symbols);
    Some(view! {
        <Answer meaning />
        {found(view! { <Hits shown total columns=Columns { title: "Places", score: None } checked /> })}
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_an_answer() {
        let text = |total, symbols| {
            let said = meaning(total, symbols);
            format!("{} {} {}", said.number, said.says, said.aside)
        };
        assert!(text(0, (6, 600)).starts_with("0 places: *a* does not occur in *b*. Approximate search"));
        assert!(text(0, (6, 3)).ends_with("It is longer than *b*."));
        assert_eq!(text(2, (3, 5)), "2 places in *b* hold *a*, overlapping ones too. ");
        assert_eq!(text(6, (0, 5)), "6 places in *b* hold *a*, overlapping ones too. An empty text is at every position.");
    }
}
