//! The column of the selected cell as bit vectors ([`Bits`]). It shows how a computer fills a whole column in a few
//! operations.

use explain::matrix::MatrixCell;
use explain::matrix::bits::{self, ColumnWord};
use leptos::prelude::*;

use super::pieces;
use super::scene::MatrixScene;
use crate::model::matrix::cell_sentences::{self, CellSentencePart};
use crate::model::task::MatrixSentences;
use crate::tr::t;
use crate::view::widgets::symbol;

/// Renders the bit vectors of the column, in the order of their computation.
#[component]
pub fn Bits() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let board = scene.board.get_value();
    let task = board.task();
    let about = MatrixSentences::of(task).bits(board.matrix.costs()).filter(|_| !board.a.is_empty())?;
    let column = move || scene.explained_cell().cell.j.max(1);
    let words = Memo::new(move |_| {
        let all = scene.board.with_value(|board| bits::column(&board.matrix, column()));
        all.into_iter().map(|ColumnWord { name, formula, bits }| (name, formula, bits)).collect::<Vec<_>>()
    });
    let heads = board.a.iter().zip(&board.invisible[0]);
    let heads =
        heads.map(|(symbol, unseen)| view! { <th scope="col">{symbol::symbol(symbol.clone(), unseen.as_deref())}</th> }).collect_view();
    let rows = board.a.len();
    let lines = move || {
        let line = |(name, formula, bits): (&'static str, &'static str, u64)| {
            let cells = (0..rows).map(move |at| {
                let one = bits >> at & 1 == 1;
                view! { <td class:one=one>{u8::from(one)}</td> }
            });
            let kept = matches!(name, "VP" | "VN" | "V" | "D");
            view! {
                <tr class:kept=kept>
                    <th scope="row">{said(name)}</th>
                    {cells.collect_view()}
                    <td class="made">{said(formula)}</td>
                </tr>
            }
        };
        words.get().into_iter().map(line).collect_view()
    };
    // A column that is not filled yet must not be revealed. Its vectors also depend on the previous column.
    let is_hidden = move || {
        let last = scene.board.with_value(|board| board.a.len());
        scene.is_asking() || !scene.is_value_visible(MatrixCell { i: last, j: column() }.into())
    };
    let sentence = move || pieces(&cell_sentences::sentence(about, &[("j", CellSentencePart::Text(column().to_string()))]));
    Some(view! {
        <section class="section projector-off" aria-labelledby="bits-title" hidden=is_hidden>
            <header>
                <h2 id="bits-title">{t("The same column as words of bits")}</h2>
                <span class="note">{t("a prime is the column before; the lowest bit is on the left")}</span>
            </header>
            <div class="stack">
                <p class="say wide">{sentence}</p>
                <div class="scroll" role="region" aria-label=t("Words of the column") tabindex="0">
                    <table class="bits">
                        <thead>
                            <tr>
                                <th><span class="vh">{t("Word")}</span></th>
                                {heads}
                                <th scope="col" class="made">{t("made of")}</th>
                            </tr>
                        </thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
            </div>
        </section>
    })
}

/// Returns the translation of `made`, a description of how a vector is computed, if it consists of words. Returns a
/// formula unchanged.
fn said(made: &'static str) -> &'static str {
    match made {
        "rows whose symbol is the column’s" => t("rows whose symbol is the column’s"),
        "of V′ + U" => t("of V′ + U"),
        "carries" => t("carries"),
        formula => formula,
    }
}
