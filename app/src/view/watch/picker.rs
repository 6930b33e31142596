//! The lenses of a task: a strip of names with their number of steps, which is the argument, and the matrix before them.

use explain::lens::settings::Settings;
use explain::lens::{Name, Unit, open};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use crate::page::Page;
use crate::source::language;
use crate::tr::t;
use crate::view::later::{Part, draw_into};
use crate::view::refocus;
use crate::watch::{Watched, words};
use crate::words::count;

/// So many of what a step of a lens is.
pub fn steps(unit: Unit, number: usize) -> String {
    let number = number as u64;
    match unit {
        Unit::Step => count(number, "step", "steps"),
        Unit::Round => count(number, "round", "rounds"),
        Unit::Comparison => count(number, "comparison", "comparisons"),
        Unit::TimeUnit => count(number, "time unit", "time units"),
    }
}

/// Id of the button of a lens, or of the matrix.
fn id_of(name: Option<Name>) -> String {
    format!("lens-{}", name.map_or("matrix", Name::name))
}

/// The strip. What is chosen stands in the address.
#[component]
pub fn Lenses(watched: Watched) -> impl IntoView {
    let page = expect_context::<Page>();
    let current = Memo::new(move |_| page.look.with(|look| look.detail("lens").and_then(Name::parse)));
    let choose = move |name: Option<Name>| {
        if current.get_untracked() != name {
            // The strip is drawn anew with the other lens.
            refocus::leave(id_of(name), "");
            page.remember("step", None);
            page.remember("with", None);
            page.remember("lens", name.map(|name| name.name().to_owned()));
        }
    };
    refocus::arrive(&id_of(current.get_untracked()), "");
    let cells = (watched.a.len() * watched.b.len()) as u64;
    let matrix = [(None, t("Every cell"), Some(count(cells, "cell", "cells")))];
    let lenses = watched.offered().map(|name| {
        let lens = watched.task.and_then(|task| open(name, task, &watched.texts, &Settings::usual(name)).ok());
        (Some(name), words::name(name), lens.map(|lens| steps(name.unit(), lens.len())))
    });
    // A lens that has no room for the texts is not offered.
    let entries = matrix.into_iter().chain(lenses).map(|(name, title, steps)| {
        let is_current = move || current.get() == name;
        let has_no_room = steps.is_none();
        view! {
            <button
                type="button"
                id=id_of(name)
                hidden=has_no_room
                aria-current=move || is_current().then_some("true")
                on:click=move |_| choose(name)
            >
                <b>{title}</b>
                <small>{steps}</small>
            </button>
        }
    });
    view! {
        <div class="orders lenses" role="group" aria-label=t("Methods")>
            {entries.collect_view()}
        </div>
    }
}

/// The strip beside the orders of a matrix.
#[inline(never)]
#[wasm_split(watch, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn part() -> Part<Watched> {
    Ok(|place, watched| draw_into(place, move || view! { <LensesLater watched /> }))
}

/// The strip, once its words are there.
#[component]
fn LensesLater(watched: Watched) -> impl IntoView {
    let ready = RwSignal::new(false);
    spawn_local(async move {
        if language::speak_of_methods().await.is_ok() {
            ready.try_set(true);
        }
    });
    view! {
        {super::styles()}
        {move || ready.get().then(|| view! { <Lenses watched=watched.clone() /> })}
    }
}
