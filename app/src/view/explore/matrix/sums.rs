//! The origin of a cell's value in its neighbours ([`Sums`]): a sentence, and the sums with the visitor's symbols and
//! numbers.

use explain::matrix::{CellInput, MatrixCell};
use leptos::prelude::*;

use super::pieces;
use super::scene::MatrixScene;
use crate::model::matrix::cell_sentences;
use crate::model::matrix::recurrence::RecurrenceText;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Renders the sums of the cell under the pointer, or else of the selected cell.
#[component]
pub fn Sums() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    // The sums would reveal values while the quiz asks for the cell, or while its inputs are not filled.
    let is_hidden = move |cell: MatrixCell| {
        let waits = || CellInput::ALL.iter().filter_map(|input| input.earlier_cell(cell)).any(|input| !scene.is_value_visible(input));
        !scene.is_value_visible(cell) && (scene.is_asking() || waits())
    };
    let about = move || {
        let cell = scene.explained_cell();
        let (is_first, is_told) = (scene.is_at_start(), scene.is_value_visible(cell));
        let sentence = scene.board.with_value(|board| match (is_told, is_first) {
            (true, _) => cell_sentences::about(board, cell),
            (false, true) => cell_sentences::first_question(board, cell),
            (false, false) => cell_sentences::question(board, cell),
        });
        pieces(&sentence)
    };
    let lines = move || {
        let cell = scene.explained_cell();
        let lines = if is_hidden(cell) || scene.is_at_start() && !scene.is_value_visible(cell) {
            Vec::new()
        } else {
            scene.board.with_value(|board| cell_sentences::lines(board, cell))
        };
        lines.into_iter().map(|line| view! { <Sum line told=scene.is_value_visible(cell) /> }).collect_view()
    };
    let together = move || {
        let cells = scene.cells_in_step();
        (cells > 1 && scene.hover.with(Option::is_none))
            .then(|| view! { <p class="at-once">{cell_sentences::joint_fill_intro(scene.order.get(), cells)}</p> })
    };
    // A cell of the border has one sum. Space for further sums is reserved, so that nothing below moves.
    let most = scene.board.with_value(|board| RecurrenceText::of(&board.matrix)).sums.len();
    let holds = move || scene.held_cell.with(Option::is_some) && !scene.is_asking();
    view! {
        <section class="cell-sums" aria-labelledby="cell-title" class:asking=move || scene.is_asking()>
            <h2 class="vh" id="cell-title">{t("The selected cell")}</h2>
            {together}
            <p class="cellname">{about}</p>
            <ul class="sums" class:none=move || scene.is_at_start() && !scene.is_value_visible(scene.explained_cell()) style=("--most", most.to_string())>{lines}</ul>
            <p class="held" hidden=move || !holds()>
                <button class="btn small" type="button" on:click=move |_| scene.release()>
                    {t("Follow the steps")}
                </button>
                <small>{t("this cell stays while the steps go on")}</small>
            </p>
        </section>
    }
}

/// Returns the arrow from a cell towards the neighbour `input`.
pub(super) fn arrow(input: CellInput) -> Icon {
    match input {
        CellInput::Corner => Icon::Corner,
        CellInput::Above => Icon::Above,
        CellInput::Left => Icon::LeftOf,
        CellInput::TwoBack => Icon::TwoBack,
    }
}

/// Renders one sum of a cell. The sum that gives the value is marked only if `told` is set, that is, if the cell is
/// filled.
#[component]
pub(super) fn Sum(line: cell_sentences::SumLine, told: bool) -> impl IntoView {
    let direction = arrow(line.input);
    let wins = line.wins && told;
    view! {
        <li class:win=wins>
            <span class="dir">{icon(direction)}</span>
            <span class="eqn math">
                {pieces(&[line.from])} <b>{line.equation}</b> " " <span class="res">{line.total.to_string()} {wins.then(|| view! { <span class="vh">{t(", the value")}</span> })}</span>
            </span>
            <span class="why">{pieces(&line.why)}</span>
        </li>
    }
}
