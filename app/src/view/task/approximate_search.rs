//! The answer of approximate search: how near the nearest pieces of `b` are, or how many are near enough, and all of them.

use kernels::event;
use kernels::words::grouped;
use leptos::prelude::*;

use crate::page::Shown;
use crate::view::answer::{Answer, Meaning};
use crate::view::facets::found;
use crate::view::hits::{Columns, Hits};
use crate::view::metrics::Checked;
use crate::words;

/// What so many hits mean, of which the nearest is at `distance`; `within` edits were asked for, or only the nearest.
pub fn meaning(distance: Option<u64>, total: u64, within: Option<u64>) -> Meaning {
    let edits = |number| words::count(number, "edit", "edits");
    match (distance, within) {
        (None, _) => {
            let within = edits(within.unwrap_or_default());
            let aside = "Allow more edits, or leave the field empty to see the nearest pieces.";
            Meaning { number: "0".into(), says: format!("pieces: *a* does not occur in *b* within {within}."), aside: aside.into() }
        }
        (Some(0), None) => {
            let places = words::count(total, "place", "places");
            Meaning { number: "0".into(), says: "edits: *a* occurs in *b* as it is.".into(), aside: format!("It ends at {places}.") }
        }
        (Some(distance), None) => {
            let unit = if distance == 1 { "edit turns" } else { "edits turn" };
            let says = format!("{unit} *a* into the nearest piece of *b*.");
            let aside = match total {
                1 => "One piece is as near as that.".into(),
                total => format!("{} pieces are as near as that.", grouped(total)),
            };
            Meaning { number: grouped(distance), says, aside }
        }
        (Some(distance), Some(within)) => {
            let unit = if total == 1 { "piece of *b* is" } else { "pieces of *b* are" };
            let aside = match distance {
                0 => "The nearest is *a* itself.".into(),
                distance => format!("The nearest is {} away.", edits(distance)),
            };
            Meaning { number: grouped(total), says: format!("{unit} within {} of *a*.", edits(within)), aside }
        }
    }
}

/// The answer of a result.
#[component]
pub fn ApproximateSearch(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let Some(event::Answer::ApproximateSearch { distance, total, .. }) = shown.run.answer else { return None };
    let meaning = meaning(distance, total, shown.form.asked().max_distance);
    Some(view! {
        <Answer meaning />
        {found(view! { <Hits shown total columns=Columns { title: "Pieces", score: Some("Edits") } checked /> })}
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(distance: Option<u64>, total: u64, within: Option<u64>) -> String {
        let said = meaning(distance, total, within);
        format!("{} {} {}", said.number, said.says, said.aside).replace('*', "")
    }

    #[test]
    fn near_nearest_and_none() {
        assert_eq!(text(Some(1), 1, None), "1 edit turns a into the nearest piece of b. One piece is as near as that.");
        assert_eq!(text(Some(263), 1_200, None), "263 edits turn a into the nearest piece of b. 1,200 pieces are as near as that.");
        assert_eq!(text(Some(0), 2, None), "0 edits: a occurs in b as it is. It ends at 2 places.");
        assert_eq!(text(Some(1), 5, Some(3)), "5 pieces of b are within 3 edits of a. The nearest is 1 edit away.");
        assert_eq!(text(Some(0), 1, Some(0)), "1 piece of b is within 0 edits of a. The nearest is a itself.");
        assert!(text(None, 0, Some(1)).starts_with("0 pieces: a does not occur in b within 1 edit."));
    }
}
