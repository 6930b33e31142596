//! Parts of the page whose code is downloaded on demand. A part is a group of views in one wasm file, and each function
//! of this module is the entry to one part.
//!
//! Code that a part shares with the first download stays in the first download. Code that two parts share becomes a
//! further file, which is downloaded with either part.
//!
//! Each function is `#[inline(never)]`. Bodies of functions that may be inlined into another crate are compiled there
//! with everything that they use. Without the attribute, the server would contain machine code of every view that it
//! never draws.

use kernels::job::Task;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use super::lazy::{LazyPart, draw_into};
use crate::backend::offline;
use crate::model::form::FormSide;
use crate::model::problem::{Problem, of_failure};
use crate::model::run::checked::CheckOutcome;
use crate::model::run::sentence;
use crate::page::ShownResult;
use crate::page::actions::{self, ActionTable, PendingActionTable};
use crate::page::shared_form::SharedForm;
use crate::view::collections::CollectionsView;
use crate::view::explore::dots::DotsView;
use crate::view::explore::lens_view::WatchView;
use crate::view::explore::matrix::MatrixView;
use crate::view::form::convert::ConvertOffer;
use crate::view::form::read_as::{self as reading, ReadAsBar};
use crate::view::form::recent::{RecentDialog, RecentList};
use crate::view::form::several_files::SeveralFiles;
use crate::view::result::metrics::MetricsView;
use crate::view::result::task::Other;
use crate::view::result::task::exact_search::Nearest;
use crate::view::run::progress::RunView;
use crate::view::sharing::share::ShareDialog;
use crate::view::sharing::share::form_share::FormShareDialog;
use crate::view::widgets::help::HelpSheet;
use crate::view::widgets::two_lines::TwoLines;
use crate::view::{Result as ResultView, Whole, header};

/// The functions that controls of the page call, and those that write its messages. Their code is downloaded on demand.
static ACTS: ActionTable = ActionTable {
    perform: actions::perform,
    of_failure,
    sentence: sentence::sentence,
    count: reading::count,
    needs_reading_note: reading::needs_note,
    title: crate::view::title,
    title_of_lens: crate::view::explore::lens::title::of_lens,
    spoken_answer: crate::view::spoken_answer,
    short_address: header::short_address,
    check: crate::view::check,
    sheet: actions::sheet,
};

/// Returns [`ACTS`], the functions that controls of the page call. The compiler makes this function the entry of a
/// downloaded part.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
fn acts() -> Result<&'static ActionTable, Problem> {
    Ok(&ACTS)
}

/// Downloads the part with the functions that controls of the page call.
pub fn load_actions() -> PendingActionTable {
    Box::pin(acts())
}

/// Draws the note beside a text on how the text was read, with offers to convert the text and to choose one of several
/// files.
#[inline(never)]
#[wasm_split(read_as, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn read_as() -> LazyPart<FormSide> {
    Ok(|place, which| {
        draw_into(place, move || {
            view! {
                <SeveralFiles which />
                <ReadAsBar which />
                <TwoLines which />
                <ConvertOffer which />
            }
        })
    })
}

/// Draws the answer and whether it was verified.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload_result))]
pub fn result() -> LazyPart<ArcRwSignal<(ShownResult, RwSignal<CheckOutcome>)>> {
    Ok(|place, result| draw_into(place, move || view! { <ResultView result /> }))
}

/// Draws the details of an answer: the panels of its tabs.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn whole() -> LazyPart<(ShownResult, RwSignal<CheckOutcome>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <Whole shown checked /> }))
}

/// Draws the details that are specific to a task other than edit distance.
#[inline(never)]
#[wasm_split(task, wasm_split_path = ::leptos::wasm_split, fallible, preload(preload_task))]
pub fn task() -> LazyPart<(ShownResult, RwSignal<CheckOutcome>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <Other shown checked /> }))
}

/// Draws the part of the text that is most similar to a pattern without hits. It is shown beside the answer in every
/// tab.
#[inline(never)]
#[wasm_split(task, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn nearest() -> LazyPart<ShownResult> {
    Ok(|place, shown| draw_into(place, move || view! { <Nearest shown /> }))
}

/// Draws the dynamic programming matrix of a result, cell by cell.
#[inline(never)]
#[wasm_split(matrix, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn matrix() -> LazyPart<ShownResult> {
    Ok(|place, shown| draw_into(place, move || view! { <MatrixView shown /> }))
}

/// Draws a lens, which shows an algorithm on a result's texts step by step.
#[inline(never)]
#[wasm_split(watch, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn watch() -> LazyPart<ShownResult> {
    Ok(|place, shown| draw_into(place, move || view! { <WatchView shown /> }))
}

/// Draws the dot plot of a result.
#[inline(never)]
#[wasm_split(dots, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn dots() -> LazyPart<ShownResult> {
    Ok(|place, shown| draw_into(place, move || view! { <DotsView shown /> }))
}

/// Draws the measurements of the run that produced a result, such as its time and speed.
#[inline(never)]
#[wasm_split(metrics, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn metrics() -> LazyPart<(ShownResult, RwSignal<CheckOutcome>)> {
    Ok(|place, (shown, checked)| draw_into(place, move || view! { <MetricsView shown checked /> }))
}

/// Draws the progress of a run that has not ended.
#[inline(never)]
#[wasm_split(run, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn run() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <RunView /> }))
}

/// Draws the page that compares many texts.
#[inline(never)]
#[wasm_split(collections, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn collections() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <CollectionsView /> }))
}

/// Draws the help dialog.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn help() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <HelpSheet /> }))
}

/// Draws the dialog with the comparisons that this browser remembers. The signal opens and closes it.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn recent() -> LazyPart<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <RecentDialog open /> }))
}

/// Draws the list of the latest remembered comparisons on the first page. The signal opens the dialog with all of them.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn recent_list() -> LazyPart<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <RecentList open /> }))
}

/// Draws the share dialog. The signal opens and closes it.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn share() -> LazyPart<RwSignal<bool>> {
    Ok(|place, open| draw_into(place, move || view! { <ShareDialog open /> }))
}

/// Draws the share dialog of a page with many texts.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn share_form() -> LazyPart<SharedForm> {
    Ok(|place, shared| draw_into(place, move || view! { <FormShareDialog shared /> }))
}

/// Downloads the views of the result of `task`, because the visitor is about to need them. Also registers the service
/// worker, so that the page works without network later.
pub fn prepare(task: Task) {
    offline::register_soon();
    spawn_local(async move {
        preload_result().await.ok();
        if task != Task::EditDistance {
            preload_task().await.ok();
        }
    });
}
