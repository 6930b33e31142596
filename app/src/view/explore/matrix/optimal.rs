//! The number of optimal alignments, and one optimal alignment column by column: [`OptimalAlignments`].

use explain::matrix::MatrixCell;
use explain::matrix::big_uint::BigUint;
use explain::matrix::optimal::OptimalPath;
use kernels::alignment::EditKind;
use kernels::job::Task;
use leptos::ev;
use leptos::prelude::*;

use super::pieces;
use super::scene::MatrixScene;
use crate::model::alignment::sign::{class, sign};
use crate::model::matrix::cell_sentences::{self, CellSentencePart, big};
use crate::model::matrix::{MatrixBoard, prefix, scores};
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::symbol::symbol;

/// Renders the number of optimal alignments, and the chosen optimal alignment.
#[component]
pub fn OptimalAlignments() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let board = scene.board.get_value();
    let total = board.optimal_count().cloned().unwrap_or_default();
    let many = total > BigUint::from(1);
    let title = title(&board, &total);
    let drawn = board.clone();
    let of_pieces = board.clone();
    let columns = move || scene.path.get().map(|path| columns(&drawn, &path));
    let pieces_of = move || scene.path.get().and_then(|path| range_note(&of_pieces, &path));
    let through = move || {
        let cell = scene.explained_cell();
        let through = scene.board.with_value(|board| board.optimal_count_through(cell)).unwrap_or_default();
        let all = scene.board.with_value(|board| board.optimal_count().cloned()).unwrap_or_default();
        let values = [
            ("n", CellSentencePart::Text(big(&through.to_string()))),
            ("all", CellSentencePart::Text(big(&all.to_string()))),
            ("cell", scene.board.with_value(|board| cell_sentences::cell_name(board, cell, None))),
        ];
        pieces(&cell_sentences::sentence(t("{n} of {all} lead through {cell}. Shaded cells are on some of them."), &values))
    };
    let only = (total == BigUint::from(1)).then(|| view! { <p class="note">{t("No other alignment is as good.")}</p> });
    // Hidden as long as the visitor has to find the answer.
    view! {
        <section class="stack" aria-labelledby="optimal-title" hidden=move || scene.hides_answer()>
            <h2 id="optimal-title">{title}</h2>
            {many.then(|| view! { <Browse total=total.clone() /> })}
            {columns}
            {pieces_of}
            {only}
            {many.then(|| view! { <p class="note">{through}</p> })}
        </section>
    }
}

/// Returns the heading: the score, and the number of alignments with this score (`total`).
fn title(board: &MatrixBoard, total: &BigUint) -> String {
    let score = board.matrix.value(board.answer());
    let value = u64::from(score.count());
    let decimal = total.to_string();
    let alignments = match decimal.parse::<u64>() {
        Ok(total) => humanize::count(total, "optimal alignment", "optimal alignments"),
        Err(_) => tr!("{n} optimal alignments", n = big(&decimal)),
    };
    let score = match board.task() {
        Task::EditDistance if !board.matrix.costs().is_levenshtein() => tr!("Least sum of costs: {n}", n = humanize::grouped(value)),
        Task::EditDistance => humanize::count(value, "edit", "edits"),
        Task::ApproximateSearch => tr!("{edits} at best", edits = humanize::count(value, "edit", "edits")),
        Task::Lcs => tr!("{n} in common", n = value),
        Task::SequenceAlignment => humanize::points(score.number().unwrap_or_default()),
        Task::MatchCount if total.is_zero() => return t("No offset").into(),
        Task::MatchCount => tr!("{n} of {all} equal at best", n = value, all = board.a.len()),
        Task::ExactSearch => return humanize::count(decimal.parse().unwrap_or_default(), "occurrence", "occurrences"),
    };
    format!("{score}, {alignments}")
}

/// Renders the parts of both texts that the alignment `path` covers, or `None` if it covers both whole texts.
fn range_note(board: &MatrixBoard, path: &OptimalPath) -> Option<impl IntoView + use<>> {
    let (first, last) = (*path.cells.first()?, *path.cells.last()?);
    if board.matrix.scoring().is_none() || (first == MatrixCell::default() && last == board.matrix.last()) {
        return None;
    }
    if path.edits.is_empty() {
        return Some(view! { <p class="note">{t("No piece of both texts scores above 0.").to_owned()}</p> });
    }
    let range = |from: usize, to: usize| format!("{from}–{to}");
    let said = tr!(
        "Symbols {a} of a and {b} of b. Positions count from 0, ends are not included.",
        a = range(first.i, last.i),
        b = range(first.j, last.j)
    );
    Some(view! { <p class="note">{said}</p> })
}

/// Renders buttons for the previous and the next of `total` optimal alignments, and the number of the current one.
#[component]
fn Browse(total: BigUint) -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let step = move |forward: bool| {
        let next = scene.board.with_value(|board| scene.number.with_untracked(|number| board.beside(number, forward)));
        scene.number.set(next);
    };
    let shown = move || {
        let mut number = scene.number.get();
        number.add(&BigUint::from(1));
        number.to_string()
    };
    let all = total.clone();
    let change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let digits: String = event.target().value().chars().filter(char::is_ascii_digit).collect();
        let wanted = digits.parse::<BigUint>().ok().and_then(|number| number.checked_sub(&BigUint::from(1)));
        match wanted.filter(|number| number < &all) {
            Some(number) => scene.number.set(number),
            None => event.target().set_value(&untrack(shown)),
        }
    };
    let decimal = total.to_string();
    let of = tr!("of {all}", all = big(&decimal));
    view! {
        <div class="row" role="group" aria-label=t("Choose an optimal alignment")>
            <span class="seg">
                <button type="button" aria-label=t("Previous alignment") title=t("Previous alignment") on:click=move |_| step(false)>
                    {icon(Icon::Back)}
                </button>
                <button type="button" aria-label=t("Next alignment") title=t("Next alignment") on:click=move |_| step(true)>
                    {icon(Icon::Forward)}
                </button>
            </span>
            <label class="row small">
                {t("Number")} " "
                <input class="text number" inputmode="numeric" autocomplete="off" prop:value=shown on:change:target=change />
            </label>
            <span class="small" title=decimal>{of}</span>
        </div>
    }
}

/// Draws the alignment that `path` describes, with a column for each edit; an exchange is one column of two symbols.
fn columns(board: &MatrixBoard, path: &OptimalPath) -> impl IntoView + use<> {
    let mut points = match board.matrix.scoring() {
        Some(_) => scores::column_points(board, path),
        None => Vec::new(),
    }
    .into_iter();
    let letters = path.cells.windows(2).zip(&path.edits).map(|(step, &edit)| {
        let MatrixCell { i, j } = step[1];
        let (takes_a, takes_b) = edit.consumed_symbols();
        let symbol = |takes: u64, of: &[String], unseen: &[Option<String>], at: usize| match takes {
            1 => symbol(of[at - 1].clone(), unseen[at - 1].as_deref()),
            _ => "–".into_any(),
        };
        let above = symbol(takes_a, &board.a, &board.invisible[0], i);
        let below = symbol(takes_b, &board.b, &board.invisible[1], j);
        let mark = |takes: u64| if edit == EditKind::Equal || takes == 0 { "" } else { class(edit) };
        // An exchange takes two symbols of each text.
        let earlier =
            |of: &[String], unseen: &[Option<String>], at: usize| (edit == EditKind::Transpose).then(|| symbol(1, of, unseen, at - 1));
        let both = |earlier: Option<AnyView>, last: AnyView| match earlier {
            Some(first) => view! { <span>{first} {last}</span> }.into_any(),
            None => last,
        };
        let above = both(earlier(&board.a, &board.invisible[0], i), above);
        let below = both(earlier(&board.b, &board.invisible[1], j), below);
        view! {
            <span>
                <span class=mark(takes_a)>{above}</span>
                <span class="sign">{sign(edit)}</span>
                <span class=mark(takes_b)>{below}</span>
                {points.next().map(|points| view! { <span class="pts">{points}</span> })}
            </span>
        }
    });
    let text = |of: &[String]| prefix(of, of.len(), board.wide);
    let label = tr!("Alignment of {a} and {b}, column by column", a = text(&board.a), b = text(&board.b));
    view! {
        <div class="scroll" role="region" aria-label=label tabindex="0">
            <div class="cols">{letters.collect_view()}</div>
        </div>
    }
}
