//! The remark on a score below 0 ([`WhyBelow`]).

use leptos::prelude::*;

use crate::model::points::{AlignedParts, set_scoring};
use crate::page::Page;
use crate::tr::t;

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
