//! Saves the matrix at the current step as a file (SVG, PNG, CSV, TikZ), links to its print sheet, and opens the share
//! dialog.

use explain::matrix::MatrixCell;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scene::MatrixScene;
use crate::backend::files::{save, save_bytes};
use crate::model::link::address::{self, AddressState};
use crate::model::link::link_view::LinkView;
use crate::model::matrix::files::{self, MatrixDrawing};
use crate::model::matrix::{MAX_PRINTED_SYMBOLS, cell_sentences};
use crate::model::text::humanize::grouped;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::sharing::share::ShareOpen;
use crate::view::widgets::canvas::png_of_svg;
use crate::view::widgets::icon::{Icon, icon};

/// A file format of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixFileFormat {
    Svg,
    Png,
    Csv,
    Tikz,
}

impl MatrixFileFormat {
    fn label(self) -> &'static str {
        match self {
            Self::Svg => "SVG",
            Self::Png => "PNG",
            Self::Csv => "CSV",
            Self::Tikz => "TikZ",
        }
    }
}

/// Renders the buttons that save the matrix, and the button that shares it.
#[component]
pub fn Save() -> impl IntoView {
    let scene = expect_context::<MatrixScene>();
    let button = |kind: MatrixFileFormat| {
        view! {
            <button class="btn small projector-off" type="button" on:click=move |_| write(scene, kind)>
                {icon(Icon::Down)}
                {kind.label()}
            </button>
        }
    };
    let kinds: &[MatrixFileFormat] = if scene.board.with_value(|board| board.is_grid()) {
        &[MatrixFileFormat::Svg, MatrixFileFormat::Png, MatrixFileFormat::Csv, MatrixFileFormat::Tikz]
    } else {
        &[MatrixFileFormat::Csv]
    };
    let share = use_context::<ShareOpen>().map(|ShareOpen(share)| {
        view! {
            <button class="btn small projector-off" type="button" aria-haspopup="dialog" on:click=move |_| share.set(true)>
                {icon(Icon::Link)}
                {t("Share this step")}
            </button>
        }
    });
    view! {
        // The print sheet stays available in projector mode, because a teacher hands it out meanwhile.
        <section class="section" aria-label=t("Export the matrix")>
            <div class="row">
                {kinds.iter().map(|&kind| button(kind)).collect_view()}
                <Sheet />
                {share}
            </div>
        </section>
    }
}

/// Renders the link to the print sheet if the texts fit on the sheet. Texts from a private link are not put into an
/// address, so that there is no link then.
#[component]
fn Sheet() -> impl IntoView {
    let (scene, page) = (expect_context::<MatrixScene>(), expect_context::<Page>());
    let fits = scene.board.with_value(|board| board.a.len().max(board.b.len()) <= MAX_PRINTED_SYMBOLS);
    let place = move || {
        let is_told = fits && !page.is_private.get();
        let packed = page.packed().get();
        let place = page.form.with(|form| {
            let shown = AddressState { form, link_view: &LinkView::default(), packed: packed.as_ref(), is_private: !is_told };
            address::of_page("/print", "", &shown)
        });
        place.contains('#').then_some(place)
    };
    move || {
        place().map(|place| {
            view! {
                <a class="btn small" href=place>
                    {icon(Icon::Print)}
                    {t("Print sheet and key")}
                </a>
            }
        })
    }
}

fn write(scene: MatrixScene, kind: MatrixFileFormat) {
    let board = scene.board.get_value();
    let (step, last) = (scene.player.step.get_untracked(), scene.player.last.get_untracked());
    let steps = scene.steps.get_untracked();
    let path = scene.path.get_untracked().filter(|_| step >= last);
    let value = cell_sentences::plain(&[cell_sentences::cell_name(&board, board.answer(), Some(board.matrix.value(board.answer())))]);
    let caption = match step < last {
        true => tr!("Step {step} of {all}. Made by Editscope.", step = grouped(step as u64), all = grouped(last as u64)),
        false => tr!("{value}. Made by Editscope.", value = value),
    };
    let is_told = |cell: MatrixCell| untrack(move || scene.is_value_visible(cell.into()));
    let is_now = |cell: MatrixCell| step > 0 && step < last && steps.step_of(cell) == Some(step);
    let drawn = MatrixDrawing {
        board: &board,
        is_filled: &is_told,
        is_now: &is_now,
        path: path.as_deref(),
        arrows: scene.arrows.get_untracked(),
        caption: &caption,
    };
    match kind {
        MatrixFileFormat::Svg => save_bytes(files::svg::svg(&drawn).as_bytes(), "matrix.svg"),
        MatrixFileFormat::Png => {
            let svg = files::svg::svg(&drawn);
            spawn_local(async move {
                if let Some(picture) = png_of_svg(&svg).await {
                    save(&picture, "matrix.png");
                }
            });
        }
        MatrixFileFormat::Csv => save_bytes(files::csv(&board, &is_told).as_bytes(), "matrix.csv"),
        MatrixFileFormat::Tikz => save_bytes(files::tikz::tikz(&drawn).as_bytes(), "matrix.tex"),
    }
}
