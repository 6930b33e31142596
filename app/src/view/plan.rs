//! The run bar: one sentence about who solves this and why, and the button.

use leptos::prelude::*;

use super::icon::{Icon, icon};
use super::run_button::RunButton;
use crate::model::run::Phase;
use crate::model::run::sentence::{Sentence, unplanned};
use crate::page::Page;
use crate::tr::t;

/// What is over sooner is not spoken of, in milliseconds.
const OVERLOOKED_MS: f64 = 400.0;

/// Sentence and buttons.
#[component]
pub fn RunBar() -> impl IntoView {
    let page = expect_context::<Page>();
    // Who types sees no word of the reading in between, unless it takes its time.
    let said = Memo::new(move |before: Option<&Sentence>| {
        let now = page.now.get();
        page.run.with(|run| match before {
            Some(before) if run.phase == Phase::Reading && now - run.began < OVERLOOKED_MS => before.clone(),
            _ => match page.acts().filter(|_| run.plan.is_some()) {
                Some(acts) => (acts.sentence)(run, now),
                None => unplanned(run),
            },
        })
    });
    let under_way = Memo::new(move |_| page.run.with(|run| run.is_under_way() && run.phase != Phase::Reading) || slow_reading(page));
    let idle = Memo::new(move |_| page.is_blank());
    let share = use_context::<RwSignal<bool>>();
    let open_share = move |_| {
        if let Some(share) = share {
            share.set(true);
        }
    };
    let can_share = move || page.shown.with(Option::is_some);
    view! {
        <section class="runbar" aria-label=t("Plan")>
            <p class="say">
                {move || said.get().before}
                <strong>{move || said.get().bold}</strong>
                {move || said.get().plain}
                <span class="aside">{move || said.get().aside}</span>
                <span class="aside" role="status">{move || page.connection.get().or_else(|| page.remark.get()).map(|remark| format!(" {remark}"))}</span>
            </p>
            <div class="row">
                <button class="btn" type="button" aria-haspopup="dialog" hidden=move || !can_share() on:click=open_share>
                    {icon(Icon::Link)}
                    {t("Share")}
                </button>
                <RunButton under_way idle />
            </div>
        </section>
    }
}

/// The worker solves for longer than anybody overlooks.
fn slow_reading(page: Page) -> bool {
    page.run.with(|run| run.is_under_way() && page.now.get() - run.began > OVERLOOKED_MS)
}
