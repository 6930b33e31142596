//! The matrix of a result: every cell with where its value comes from, filled step by step in the order that is chosen; larger ones
//! as a picture.
//!
//! - [`scene`]: what is chosen, and what the controls do
//! - [`grid`]: the table, its arrows and its ribbon
//! - [`deck`], [`orders`]: stepping, and in which order
//! - [`sums`], [`bits`], [`optimal`], [`guess`]: what is said about a cell, a column, the alignments, a guess
//! - [`picture`]: a matrix of up to 2,000 symbols
//! - [`texts`]: both texts as small fields over it
//! - files: [`mod@save`]

use std::sync::Arc;

use explain::matrix::Cell;
use kernels::alignment::Edit;
use kernels::job::Task;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::bits::Bits;
use self::deck::Deck;
use self::grid::Grid;
use self::guess::Guess;
use self::optimal::OptimalAlignments;
use self::orders::Orders;
use self::picture::Picture;
use self::save::Save;
use self::scene::Scene;
use self::sums::Sums;
use super::icon::{Icon, icon};
use super::sign::chip;
use crate::matrix::files::word;
use crate::matrix::say::{self, Piece};
use crate::matrix::{Arrows, Board, Chosen};
use crate::page::{Page, Shown};
use crate::problem::Problem;
use crate::tr::t;
use crate::visit::pkg;

pub mod bits;
pub mod deck;
pub mod grid;
pub mod guess;
pub mod optimal;
pub mod orders;
pub mod picture;
pub mod save;
pub mod scene;
pub mod sums;
pub mod texts;

/// Everything about the matrix of a result, as the address says.
#[component]
pub fn MatrixView(shown: Shown) -> impl IntoView {
    let page = expect_context::<Page>();
    let loaded = RwSignal::new(None::<Result<Arc<Board>, Problem>>);
    spawn_local(async move {
        let sheet = shown.at.matrix().await;
        let board = sheet.and_then(|sheet| Board::new(sheet).map_err(|failure| crate::problem::of_failure(&failure)));
        loaded.try_set(Some(board.map(Arc::new)));
    });
    let chosen = page.look.with_untracked(|look| {
        let parts = Chosen::NAMES.into_iter().filter_map(|name| look.detail(name).map(|value| (name, value)));
        Chosen::read(parts)
    });
    let changed = Callback::new(move |chosen: Chosen| {
        let parts = chosen.write();
        for name in Chosen::NAMES {
            page.remember(name, parts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()));
        }
    });
    // Drawings measure themselves, so that they wait for the rules of their sizes.
    let styled = RwSignal::new(false);
    let styles = pkg().map(|pkg| {
        let ready = move |_| styled.set(true);
        view! { <link rel="stylesheet" href=format!("{pkg}/matrix.css") on:load=ready on:error=move |_| styled.set(true) /> }
    });
    view! {
        {styles}
        {move || match loaded.get().filter(|_| styled.get()) {
            None => EitherOf3::A(view! { <p class="note mt" role="status">{t("Filling the matrix …")}</p> }),
            Some(Err(problem)) => EitherOf3::B(view! { <p class="say mt">{problem.detail}</p> }),
            Some(Ok(board)) => EitherOf3::C(view! { <WholeBoard board chosen=chosen.clone() changed /> }),
        }}
    }
}

/// A board and everything beside it. `changed` hears what somebody chooses.
#[component]
pub fn WholeBoard(board: Arc<Board>, chosen: Chosen, changed: Callback<Chosen>) -> impl IntoView {
    let is_grid = board.is_grid();
    let meaning = say::meaning(board.task());
    let scene = Scene::new(board, chosen);
    provide_context(scene);
    // What was found in the address stands there already.
    Effect::new(move |before: Option<Chosen>| {
        let chosen = scene.chosen();
        if before.is_some_and(|before| before != chosen) {
            changed.run(chosen.clone());
        }
        chosen
    });
    let parts = if is_grid { Either::Left(view! { <Bench /> }) } else { Either::Right(view! { <Picture /> }) };
    view! {
        <section class="section matrix-view" aria-label=t("Matrix")>
            <p class="say wide projector-off">{pieces(&say::sentence(meaning, &[]))}</p>
            {parts}
        </section>
    }
}

/// A matrix that is drawn cell by cell, and what explains it.
#[component]
fn Bench() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let words = scene.board.with_value(|board| board.matrix.last() != Cell::default());
    view! {
        <div class="bench">
            <div class="stack board">
                <Grid />
                <Deck />
                <Choices />
                <Legend />
                <p class="note projector-off" id="grid-help">
                    <kbd>"←"</kbd> " " <kbd>"↑"</kbd> " " <kbd>"→"</kbd> " " <kbd>"↓"</kbd> " " {t("another cell")} ", " <kbd>"Home"</kbd> " "
                    <kbd>"End"</kbd> " " {t("ends of the row")} ", " <kbd>"Space"</kbd> " " {t("play and pause")} ", " <kbd>","</kbd> " "
                    <kbd>"."</kbd> " " {t("a step back and on")}
                </p>
            </div>
            <aside class="stack loose">
                <Guess />
                <Sums />
                <OptimalAlignments />
            </aside>
        </div>
        {words.then(|| view! { <Orders /><Bits /> })}
        <Save />
    }
}

/// Which arrows, and whether the visitor fills the cells.
#[component]
fn Choices() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let choices = Arrows::ALL.map(|arrows| {
        let name = match arrows {
            Arrows::Winning => t("winning"),
            Arrows::Path => t("path only"),
            Arrows::All => t("all inputs"),
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="arrows"
                    value=arrows.name()
                    prop:checked=move || scene.arrows.get() == arrows
                    on:change=move |_| scene.arrows.set(arrows)
                />
                {name}
            </label>
        }
    });
    view! {
        <div class="row wide">
            <fieldset class="row">
                <legend class="vh">{t("Arrows")}</legend>
                <span class="quiet small" aria-hidden="true">{t("Arrows")}</span>
                <div class="seg">{choices.collect_view()}</div>
            </fieldset>
            <label class="check projector-off">
                <input type="checkbox" prop:checked=move || scene.quiz.with(Option::is_some) on:change:target=move |event| scene.set_quiz(event.target().checked()) />
                <span>{t("Hide values and let me predict")}</span>
            </label>
        </div>
    }
}

/// What the colours mean.
#[component]
fn Legend() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let edits: &[Edit] = match scene.board.with_value(|board| board.task()) {
        Task::EditDistance | Task::ApproximateSearch => &[Edit::Equal, Edit::Substitute, Edit::Insert, Edit::Delete],
        Task::Lcs => &[Edit::Equal, Edit::Insert, Edit::Delete],
        Task::MatchCount => &[Edit::Equal, Edit::Substitute],
        Task::ExactSearch => &[Edit::Equal],
    };
    let words = edits.iter().map(|&edit| (edit, word(edit)));
    view! {
        <ul class="legend" aria-label=t("Legend")>
            {words.map(|(edit, word)| view! { <li>{chip(edit)} {word}</li> }).collect_view()}
            <li>{icon(Icon::Corner)} {t("where a value came from")}</li>
            <li><span class="chip any" aria-hidden="true"></span> {t("on some optimal alignment")}</li>
        </ul>
    }
}

/// A sentence with its names, values and symbols in their own letters.
pub(super) fn pieces(sentence: &[Piece]) -> impl IntoView + use<> {
    let parts = sentence.iter().cloned().map(|piece| match piece {
        Piece::Text(text) => text.into_any(),
        Piece::Name(name) => view! { <var>{name}</var> }.into_any(),
        Piece::Symbol(symbol) => view! { <bdi class="m">{symbol}</bdi> }.into_any(),
        Piece::Unseen { shown, name } => view! { <bdi class="m">{shown}</bdi> {format!(" ({name})")} }.into_any(),
        Piece::Cell { name, rest } => view! { <b><var>{name}</var>{rest}</b> }.into_any(),
    });
    parts.collect_view()
}
