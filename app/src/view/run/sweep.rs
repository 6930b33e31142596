//! The matrix of a run, drawn to scale with its filled part ([`Sweep`]). The drawing shows the order of filling, not
//! exact cells. Engines fill bands of rows, each one step behind the band above it, so that the boundary of the filled
//! part (the front) is slanted.

use std::fmt::Write as _;

use leptos::prelude::*;

use crate::model::form::FormSide;
use crate::model::run::RunPhase;
use crate::model::text::humanize::grouped;
use crate::page::Page;
use crate::tr;
use crate::tr::t;

/// Length of the drawing's longer side, in user units of the SVG.
const MAX_SIDE: f64 = 240.0;

/// Minimum length of the drawing's shorter side, however different the lengths of the texts are, in user units of the
/// SVG.
const MIN_SIDE: f64 = 28.0;

/// Number of stairs in the slanted front (the lower boundary of the filled part).
const STEPS: u32 = 16;

/// Returns the width (for `b`) and the height (for `a`) of the drawing for texts of `a` and `b` symbols.
pub fn size((a, b): (u64, u64)) -> (f64, f64) {
    let scale = MAX_SIDE / a.max(b).max(1) as f64;
    ((b as f64 * scale).max(MIN_SIDE), (a as f64 * scale).max(MIN_SIDE))
}

/// Returns the filled part of a drawing of size `wide` × `high` as a closed SVG path. `fraction` is the share of filled
/// cells. Each stair of the front is a little behind the one on its left.
pub fn filled((wide, high): (f64, f64), fraction: f64) -> String {
    let lag = 0.16;
    // The front moves from the upper edge of the matrix, where nothing is filled, to below the lower edge.
    let front = fraction * (1.0 + lag);
    let mut path = String::from("M0 0");
    let step = wide / f64::from(STEPS);
    for at in 0..STEPS {
        let depth = (front - lag * f64::from(at) / f64::from(STEPS - 1)).clamp(0.0, 1.0) * high;
        let _ = write!(path, "V{depth:.1}H{:.1}", step * f64::from(at + 1));
    }
    path + "V0z"
}

/// Renders the drawing of the matrix, with its sides and its filled part labelled.
#[component]
pub fn Sweep() -> impl IntoView {
    let page = expect_context::<Page>();
    let symbols = Memo::new(move |_| match page.form_facts.get() {
        Some(read) => (read.a.symbols, read.b.symbols),
        None => page.form.with(|form| (form.size(FormSide::A), form.size(FormSide::B))),
    });
    let box_of = move || size(symbols.get());
    let path = move || page.run.with(|run| filled(box_of(), if run.phase == RunPhase::Running { run.fraction() } else { 0.0 }));
    let caption = move || {
        let (a, b) = symbols.get();
        tr!(", {a} × {b}, drawn to scale", a = grouped(a), b = grouped(b))
    };
    view! {
        <figure class="chart sweep">
            <figcaption>
                <b>{t("The matrix")}</b>
                {caption}
            </figcaption>
            <svg viewBox=move || format!("-24 -24 {:.0} {:.0}", box_of().0 + 32.0, box_of().1 + 32.0) role="img" aria-label=t("Filled part of the matrix")>
                <rect class="f-sheet s-edge" width=move || box_of().0 height=move || box_of().1></rect>
                <path class="f-tint s-pine" d=path></path>
                <text class="it" x=move || box_of().0 / 2.0 y="-8" text-anchor="middle">"b"</text>
                <text class="it" x="-10" y=move || box_of().1 / 2.0 text-anchor="middle">"a"</text>
            </svg>
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_to_scale_and_never_vanish() {
        assert_eq!(size((1_000, 500)), (120.0, 240.0));
        assert_eq!(size((1, 1_000_000)), (240.0, MIN_SIDE));
        assert_eq!(size((0, 0)), (MIN_SIDE, MIN_SIDE));
    }

    #[test]
    fn wavefront_begins_at_the_top_and_ends_at_the_bottom() {
        let depths = |fraction: f64| -> Vec<f64> {
            let path = filled((160.0, 100.0), fraction);
            path.split('V').skip(1).filter_map(|part| part.split(['H', 'z']).next()?.parse().ok()).collect()
        };
        assert!(depths(0.0).iter().all(|depth| *depth == 0.0));
        let (last, done) = (depths(1.0), STEPS as usize);
        assert!(last[..done].iter().all(|depth| *depth == 100.0), "{last:?}");
        assert!(depths(0.5)[..done].is_sorted_by(|left, right| left >= right));
    }
}
