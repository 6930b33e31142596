//! The remark on a score below 0 ([`WhyBelow`]), and the further pieces of a local alignment ([`NextPieces`]).

use kernels::alignment::SymbolRange;
use kernels::event::{LocalPiece, TaskAnswer};
use leptos::prelude::*;

use crate::model::points::{AlignedParts, set_scoring};
use crate::model::text::humanize::{grouped, percent, signed};
use crate::page::{Page, ShownResult};
use crate::tr::t;
use crate::view::widgets::prose::prose;

/// Renders the reason why a score is below 0, and a button that aligns the best pieces instead.
#[component]
pub fn WhyBelow() -> impl IntoView {
    let page = expect_context::<Page>();
    let show = move |_| page.set_options(|options| set_scoring(options, AlignedParts::BestPieces.apply(options.scoring())));
    view! {
        <details class="why below-zero projector-off">
            <summary>{t("Why below 0?")}</summary>
            <p>
                {t("Here differences and gaps cost more than equal symbols earn. No alignment of the same parts does better, so this one is the best. A local alignment looks for the best piece of each text and never goes below 0.")}
            </p>
            <button class="btn small" type="button" on:click=show>
                {t("Show the best piece")}
            </button>
        </details>
    }
}

/// Renders the best pieces of a local alignment, one in each row. The first one is the alignment above.
#[component]
pub fn NextPieces(shown: ShownResult) -> impl IntoView {
    let Some(TaskAnswer::SequenceAlignment { score, a, b, alignment: Some(alignment), scored: Some(scored), next }) = shown.run.answer
    else {
        return None;
    };
    let options = shown.form.job_options();
    let is_short = next.len() as u64 + 1 < u64::from(options.pieces);
    let share = if options.ambiguity { t("Matching") } else { t("Identity") };
    let first = LocalPiece { score, a, b, alignment, scored, cigar: None };
    let rows = std::iter::once(first).chain(next).zip(1..).map(|(piece, number)| row(&piece, number)).collect_view();
    Some(view! {
        <section class="section" aria-labelledby="pieces-title">
            <header>
                <h2 id="pieces-title">{t("The best pieces")}</h2>
            </header>
            <p class="note">{t("Each piece is the best one without the symbol pairs of the pieces above. Alignment and matrix show the first piece.")}</p>
            <table class="figures pieces">
                <caption class="vh">{t("The best pieces")}</caption>
                <thead>
                    <tr>
                        <th class="r">{t("Piece")}</th>
                        <th class="r">{t("Score")}</th>
                        <th class="r">{prose(t("In *a*"))}</th>
                        <th class="r">{prose(t("In *b*"))}</th>
                        <th class="r">{share}</th>
                        <th class="r">{t("Gaps")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            {is_short.then(|| view! { <p class="note">{t("No other piece scores above 0.")}</p> })}
        </section>
    })
}

fn row(piece: &LocalPiece, number: u64) -> impl IntoView + use<> {
    let range = |range: SymbolRange| format!("{}–{}", grouped(range.start), grouped(range.end));
    let identity = percent(piece.alignment.matches as f64 / piece.alignment.columns.max(1) as f64);
    view! {
        <tr>
            <td class="r">{grouped(number)}</td>
            <td class="r">
                <b>{signed(piece.score)}</b>
            </td>
            <td class="r num">{range(piece.a)}</td>
            <td class="r num">{range(piece.b)}</td>
            <td class="r">{identity}</td>
            <td class="r">{grouped(piece.scored.gap_openings)}</td>
        </tr>
    }
}
