//! The matrix of a result: every cell with an arrow to the origin of its value, filled step by step in the chosen
//! order. Larger matrices are shown as a picture. The matrix is in the frame of a [lens](super::lens).
//!
//! - [`scene`]: state and actions
//! - [`grid`]: the table with arrows and ribbon (a band along an optimal alignment); [`legend`]: their meanings;
//!   [`links`]: lines between three layers
//! - [`picker`]: the choice of an order or another method
//! - [`sums`], [`rules`], [`bits`], [`optimal`], [`guess`]: explanations of a cell, the recurrence, a column, the
//!   alignments, a guess
//! - [`picture`]: a matrix of up to 2,000 symbols; [`drawing`]: the shapes of the picture
//! - [`mod@save`] saves files

use std::pin::pin;
use std::sync::Arc;

use explain::lens::LensName;
use explain::matrix::MatrixCell;
use explain::worker_protocol::query::MatrixQuery;
use futures::future::{join, select};
use kernels::job::Task;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::bits::Bits;
use self::grid::Grid;
use self::guess::{Guess, Predict};
use self::legend::{Choices, Legend};
use self::optimal::OptimalAlignments;
use self::picture::Picture;
use self::rules::Rules;
use self::save::Save;
use self::scene::MatrixScene;
use self::sums::Sums;
use super::lens::counts::{Counts, NamedCount};
use super::lens::{Lens, hide_answer};
use super::lens_view::picker;
use crate::backend::{language, sleep};
use crate::model::lens::methods::MethodChoice;
use crate::model::link::link_view::LinkView;
use crate::model::matrix::cell_sentences::CellSentencePart;
use crate::model::matrix::{BoardView, MatrixBoard};
use crate::model::problem::Problem;
use crate::model::text::humanize::{count, grouped};
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::lazy;
use crate::view::widgets::keys::name_of;
use crate::view::widgets::sheets::sheets;

pub mod bits;
pub mod drawing;
pub mod grid;
pub mod guess;
pub mod legend;
pub mod links;
pub mod optimal;
pub mod picture;
pub mod rules;
pub mod save;
pub mod scene;
pub mod sums;

/// Maximum time in milliseconds for which the matrix waits until the picker of methods (the choice above it) is loaded.
const METHODS_TIMEOUT_MS: i32 = 1_000;

/// Renders the matrix of a result, with the step and the settings in the address.
#[component]
pub fn MatrixView(shown: ShownResult) -> impl IntoView {
    let page = expect_context::<Page>();
    let loaded = RwSignal::new(None::<Result<Arc<MatrixBoard>, Problem>>);
    spawn_local(async move {
        let (sheet, ()) = join(shown.location.query(MatrixQuery {}), methods(shown.form.task)).await;
        let board = sheet.and_then(|sheet| MatrixBoard::new(sheet).map_err(|failure| crate::model::problem::of_failure(&failure)));
        loaded.try_set(Some(board.map(Arc::new)));
    });
    let chosen = page.link_view.with_untracked(|look| {
        let parts = BoardView::NAMES.into_iter().filter_map(|name| look.detail(name).map(|value| (name, value)));
        BoardView::read(parts)
    });
    let changed = Callback::new(move |chosen: BoardView| {
        let parts = chosen.write();
        for name in BoardView::NAMES {
            page.remember(name, parts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()));
        }
    });
    let (links, styled) = sheets(["matrix.css", "lens.css"]);
    view! {
        {links}
        {move || match loaded.get().filter(|_| styled.get()) {
            None => EitherOf3::A(view! { <p class="note" role="status">{t("Filling the matrix …")}</p> }),
            Some(Err(problem)) => EitherOf3::B(view! { <p class="say mt">{problem.detail}</p> }),
            Some(Ok(board)) => EitherOf3::C(view! { <WholeBoard board chosen=chosen.clone() changed /> }),
        }}
    }
}

/// Waits until the picker of methods for `task` is loaded, at most [`METHODS_TIMEOUT_MS`]. The picker is then drawn
/// together with the matrix and does not push the matrix down later.
async fn methods(task: Task) {
    if LensName::for_task(task).is_empty() {
        return;
    }
    let ready = pin!(join(language::speak_of_methods(), picker::part()));
    select(ready, pin!(sleep(METHODS_TIMEOUT_MS))).await;
}

/// Renders the matrix `board` with its controls and explanations. The view starts in the state `chosen`. `changed` is
/// called with every later state.
#[component]
pub fn WholeBoard(board: Arc<MatrixBoard>, chosen: BoardView, changed: Callback<BoardView>) -> impl IntoView {
    let is_grid = board.is_grid();
    let (is_broad, has_layers) = (board.is_broad(), is_grid && board.has_layers());
    let steps = use_context::<Page>().and_then(|page| page.link_view.with_untracked(LinkView::steps));
    // If only some steps are shown, starts with the first of them.
    let chosen = BoardView { step: chosen.step.or(steps.map(|(first, _)| first)), ..chosen };
    let scene = MatrixScene::new(board, chosen).between(steps);
    provide_context(scene);
    // The initial state came from the address, so that only changes are reported.
    Effect::new(move |before: Option<BoardView>| {
        let chosen = scene.chosen();
        if before.is_some_and(|before| before != chosen) {
            changed.run(chosen.clone());
        }
        chosen
    });
    hide_answer(Signal::derive(move || scene.hides_answer()));
    let parts = if is_grid { Either::Left(view! { <Bench /> }) } else { Either::Right(view! { <Picture /> }) };
    view! {
        <section class="matrix-view" class:broad=is_broad class:layered=has_layers aria-label=t("Matrix")>
            {parts}
        </section>
    }
}

/// Renders a matrix that is small enough to draw every cell, with its explanations.
#[component]
fn Bench() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let words = scene.board.with_value(|board| board.matrix.last() != MatrixCell::default());
    view! {
        <Lens
            player=scene.player
            picker=view! { <Picker /><Predict /> }
            picture=view! { <Grid /> }
            says=view! { <Guess /><Sums /><KeptAnswer at_start=true /> }
            knows=view! { <Filled /><OptimalAlignments /><Rules /><KeptAnswer at_start=false /> }
            more=view! { <Choices /><Legend /><Keys /> }
        />
        {words.then(|| view! { <Bits /> })}
        <Save />
    }
}

/// Renders the picker of methods. The choice of another order of filling changes this view; the choice of another
/// method replaces the matrix.
#[component]
pub(crate) fn Picker() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let page = use_context::<Page>();
    let chosen = Signal::derive(move || MethodChoice::Order(scene.order.get()));
    let choose = Callback::new(move |choice| match (choice, page) {
        (MethodChoice::Order(order), _) => scene.set_order(order),
        (MethodChoice::Lens(_), Some(page)) => picker::leave_for(page, choice),
        (MethodChoice::Lens(_), None) => {}
    });
    let is_kept = Signal::derive(move || scene.hides_answer());
    lazy(move || Some((scene.board.get_value(), chosen, choose, is_kept)), picker::part)
}

/// Renders the number of filled cells, or a remark at the first step.
#[component]
pub(crate) fn Filled() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let (all, whole) = scene.board.with_value(|board| {
        let (m, n, layers) = (board.a.len() as u64, board.b.len() as u64, board.matrix.layers().len() as u64);
        (m * n * layers, (m + 1) * (n + 1) * layers)
    });
    let to_fill = tr!("{cells} to fill, {whole} with the borders", cells = count(all, "cell", "cells"), whole = grouped(whole));
    let counts = vec![
        NamedCount { of: t("cells filled"), now: Memo::new(move |_| scene.filled() as u64), total: Some(Memo::new(move |_| all)) },
        NamedCount {
            of: t("cells in this step"),
            now: Memo::new(move |_| {
                scene.board.with_value(|board| scene.steps.with(|steps| board.nodes_of(steps, scene.player.step.get()).len() as u64))
            }),
            total: None,
        },
    ];
    view! {
        <p class="to-fill" hidden=move || !scene.is_at_start()>{to_fill}</p>
        <div hidden=move || scene.is_at_start()><Counts counts /></div>
    }
}

/// Renders a placeholder for the answer of the task while the answer is hidden: a button that reveals it, and a button
/// that starts the quiz.
#[component]
pub(crate) fn KeptAnswer(
    /// `Some(true)` shows the placeholder at the first step only, `Some(false)` at later steps only, and `None` at all
    /// steps. At the first step, it stands beside the question; later, below the parts that change with each step.
    #[prop(optional, into)]
    at_start: Option<bool>,
) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let is_here = move || at_start.is_none_or(|at_start| scene.is_at_start() == at_start);
    let is_shown = move || scene.hides_answer() && scene.quiz.with(Option::is_none) && is_here();
    let predict = scene.board.with_value(|board| board.is_grid()).then(|| {
        view! {
            <button class="btn" type="button" on:click=move |_| scene.set_quiz(true)>
                {t("Let the class predict")}
            </button>
        }
    });
    view! {
        <div class="row kept-answer" hidden=move || !is_shown()>
            <button class="btn" type="button" on:click=move |_| scene.reveals.set(true)>
                {t("Show the answer")}
            </button>
            {predict}
        </div>
    }
}

/// Renders the list of keys for moving in the grid and playing the steps.
#[component]
fn Keys() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let of_layers = scene.board.with_value(|board| board.has_layers()).then(|| {
        view! { <kbd>"1"</kbd> " " <kbd>"2"</kbd> " " <kbd>"3"</kbd> " " {t("the same cell of another layer")} ", " }
    });
    view! {
        <p class="note keys-of-grid projector-off" id="grid-help">
            <kbd>"←"</kbd> " " <kbd>"↑"</kbd> " " <kbd>"→"</kbd> " " <kbd>"↓"</kbd> " " {t("another cell")} ", " <kbd>{name_of("Home")}</kbd> " "
            <kbd>{name_of("End")}</kbd> " " {t("ends of the row")} ", " {of_layers} <kbd>{name_of("Space")}</kbd> " " {t("play and pause")} ", " <kbd>","</kbd> " "
            <kbd>"."</kbd> " " {t("one step back or forward")} ", " <kbd>{name_of("Esc")}</kbd> " " {t("follow the steps")}
        </p>
    }
}

/// Draws the parts of a sentence about a cell. Names, values and symbols have their own typefaces.
pub(crate) fn pieces(sentence: &[CellSentencePart]) -> impl IntoView + use<> {
    let parts = sentence.iter().cloned().map(|piece| match piece {
        CellSentencePart::Text(text) => text.into_any(),
        CellSentencePart::Strong(text) => view! { <b>{text}</b> }.into_any(),
        CellSentencePart::Name(name) => view! { <var>{name}</var> }.into_any(),
        CellSentencePart::Symbol(symbol) => view! { <bdi class="m">{symbol}</bdi> }.into_any(),
        CellSentencePart::Invisible { shown, name } => view! { <bdi class="m">{shown}</bdi> {format!(" ({name})")} }.into_any(),
        CellSentencePart::Cell { name, rest } => view! { <b><var>{name}</var>{rest}</b> }.into_any(),
    });
    parts.collect_view()
}
