//! The parts of the page that are downloaded when they are needed, each the entry to its views. What a part and the first view
//! both need stays in the first view; what two parts need becomes a file that either brings along.
//!
//! Each is `#[inline(never)]`: the bodies of functions that may be inlined into another program are compiled with all that they name, so that the
//! server's machine code held every view that it never draws, twice as much as it needs.

use kernels::job::Task;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::convert::ConvertOffer;
use super::dots::DotsView;
use super::help::HelpSheet;
use super::later::{Part, draw_into};
use super::matrix::MatrixView;
use super::metrics::MetricsView;
use super::progress::RunView;
use super::read_as::{self as reading, ReadAsBar};
use super::recent::{RecentDialog, RecentList};
use super::share::ShareDialog;
use super::task::Other;
use super::task::exact_search::Nearest;
use super::two_lines::TwoLines;
use super::watch::WatchView;
use super::{Result as ResultView, Whole, header};
use crate::model::form::Which;
use crate::model::problem::{Problem, of_failure};
use crate::model::run::checked::Checked;
use crate::model::run::sentence;
use crate::page::Shown;
use crate::page::acts::{self, Acts, Loading};
use crate::source::offline;

/// What is done on the page, and what is said of it.
static ACTS: Acts = Acts {
    act: acts::perform,
    of_failure,
    sentence: sentence::sentence,
    count: reading::count,
    needs_reading_note: reading::needs_note,
    title: super::title,
    title_of_lens: super::lens::title::of_lens,
    spoken_answer: super::spoken_answer,
    short_address: header::short_address,
    check: super::check,
    sheet: acts::sheet,
};

/// What is done on the page.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
fn acts() -> Result<&'static Acts, Problem> {
    Ok(&ACTS)
}

/// Fetches what is done on the page.
pub fn load_acts() -> Loading {
    Box::pin(acts())
}

/// How a text was read, and what may be made of it.
#[inline(never)]
#[wasm_split(read_as, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn read_as() -> Part<Which> {
    Ok(|place, which| {
        draw_into(place, move || {
            view! {
                <ReadAsBar which />
                <TwoLines which />
                <ConvertOffer which />
            }
        })
    })
}

/// What the answer is, and whether it was checked.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload_result))]
pub fn result() -> Part<ArcRwSignal<(Shown, RwSignal<Checked>)>> {
    Ok(|place, result| draw_into(place, move || view! { <ResultView result /> }))
}

/// Everything about an answer that is looked at.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn whole() -> Part<(Shown, RwSignal<Checked>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <Whole shown checked /> }))
}

/// What the answer of another task than edit distance consists of.
#[inline(never)]
#[wasm_split(task, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload_task))]
pub fn task() -> Part<(Shown, RwSignal<Checked>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <Other shown checked /> }))
}

/// What is said beside the answer of a search that has found nothing, in every view of it.
#[inline(never)]
#[wasm_split(task, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn nearest() -> Part<Shown> {
    Ok(|place, shown| draw_into(place, move || view! { <Nearest shown /> }))
}

/// The matrix of a result.
#[inline(never)]
#[wasm_split(matrix, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn matrix() -> Part<Shown> {
    Ok(|place, shown| draw_into(place, move || view! { <MatrixView shown /> }))
}

/// A method watched step by step, of a result's texts.
#[inline(never)]
#[wasm_split(watch, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn watch() -> Part<Shown> {
    Ok(|place, shown| draw_into(place, move || view! { <WatchView shown /> }))
}

/// The dot plot of a result.
#[inline(never)]
#[wasm_split(dots, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn dots() -> Part<Shown> {
    Ok(|place, shown| draw_into(place, move || view! { <DotsView shown /> }))
}

/// The figures of the run that a result came from.
#[inline(never)]
#[wasm_split(metrics, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn metrics() -> Part<(Shown, RwSignal<Checked>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <MetricsView shown checked /> }))
}

/// A run under way.
#[inline(never)]
#[wasm_split(run, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn run() -> Part<()> {
    Ok(|place, ()| draw_into(place, || view! { <RunView /> }))
}

/// The sheet of keys.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn help() -> Part<()> {
    Ok(|place, ()| draw_into(place, || view! { <HelpSheet /> }))
}

/// The comparisons that this browser remembers, in a dialog that the signal opens.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn recent() -> Part<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <RecentDialog open /> }))
}

/// The last of them, on the first page.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn recent_list() -> Part<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <RecentList open /> }))
}

/// The share dialog, which the signal opens.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn share() -> Part<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <ShareDialog open /> }))
}

/// Somebody is about to see a result of this task. A page that is used is kept for times without network.
pub fn prepare(task: Task) {
    offline::keep();
    spawn_local(async move {
        preload_result().await.ok();
        if task != Task::EditDistance {
            preload_task().await.ok();
        }
    });
}
