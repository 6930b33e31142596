//! Style sheets that are fetched together with the views that need them. Without its rules, a view would be wider than
//! a phone for a moment, and a drawing that measures itself would take a wrong size.

use leptos::prelude::*;

use crate::backend::pkg;

/// Returns the elements that fetch the style sheets `files`, and a signal whether all rules are in effect. A sheet that
/// cannot be fetched is not waited for.
pub fn sheets<const N: usize>(files: [&'static str; N]) -> (impl IntoView, Signal<bool>) {
    let pkg = pkg();
    let missing = RwSignal::new(if pkg.is_some() { N } else { 0 });
    let links = pkg.map(|pkg| {
        let came = move || missing.update(|missing| *missing = missing.saturating_sub(1));
        let link = |file| view! { <link rel="stylesheet" href=format!("{pkg}/{file}") on:load=move |_| came() on:error=move |_| came() /> };
        files.map(link).collect_view()
    });
    (links, Signal::derive(move || missing.get() == 0))
}
