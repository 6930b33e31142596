//! The answer in one row ([`Headline`]): number and sentence, tabs, and actions.

use explain::worker_protocol::query::{HitPageQuery, WindowQuery};
use kernels::event::TaskAnswer;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::answer;
use super::exports;
use super::tabs::Switch;
use crate::backend::document::composed;
use crate::model::link::link_view::Tab;
use crate::model::result::meaning::quote::{MAX_COLUMNS, TextQuote};
use crate::model::result::meaning::{meaning, text_names};
use crate::page::{Page, ShownResult};
use crate::tr::t;
use crate::view::sharing::share::ShareOpen;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;
use crate::view::widgets::term::GlossaryPanel;

/// Renders the number, the sentence, the tabs, and the buttons *Share* and *Export*.
#[component]
pub fn Headline(#[prop(into)] shown: Signal<ShownResult>) -> impl IntoView {
    let page = expect_context::<Page>();
    let quoted = RwSignal::new(None::<(u32, TextQuote)>);
    Effect::new(move |_| {
        let shown = shown.get();
        spawn_local(async move {
            if let Some(quote) = quote(&shown).await {
                quoted.try_set(Some((shown.serial, quote)));
            }
        });
    });
    let meaning = Memo::new(move |_| {
        shown.with(|shown| {
            let answer = shown.run.answer.as_ref();
            answer
                .map(|answer| {
                    let options = shown.form.job_options();
                    let quote = quoted.get().filter(|(serial, _)| *serial == shown.serial).map(|(_, quote)| quote);
                    meaning(answer, shown.symbols, &options)
                        .with_line_ends_note(answer, shown.run.warnings())
                        .with_visible_difference(answer, &shown.form, composed)
                        .quoting(quote, answer, shown.symbols, &options)
                })
                .unwrap_or_default()
        })
    });
    let names = Memo::new(move |_| shown.with(|shown| text_names(&shown.form)));
    let share = use_context::<ShareOpen>();
    let open_share = move |_| {
        if let Some(ShareOpen(share)) = share {
            share.set(true);
        }
    };
    let glossary = GlossaryPanel::provide();
    let panel = NodeRef::<Div>::new();
    let label = view! { {icon(Icon::Down)} {t("Export")} {icon(Icon::Chevron)} };
    view! {
        <div class="headline">
            // A lens fills the first screen and shows the answer among its counts, so that this copy is for screen
            // readers only.
            <div class:vh=move || page.link_view.with(|look| look.tab == Tab::Matrix)>
                <answer::Answer meaning names />
            </div>
            {glossary.draw()}
            <div class="tools">
                <Switch shown />
                <span class="share-export projector-off">
                    <button class="btn" type="button" aria-haspopup="dialog" on:click=open_share>
                        {icon(Icon::Link)}
                        {t("Share")}
                    </button>
                    {menu::menu_later("exports".into(), "btn", panel, label, move || shown, exports::exports)}
                </span>
            </div>
        </div>
    }
}

/// Returns the part of the text that the sentence of the answer quotes. Returns `None` if the sentence quotes nothing,
/// or if the result is not in this browser.
async fn quote(shown: &ShownResult) -> Option<TextQuote> {
    if !shown.location.is_here() {
        return None;
    }
    let options = shown.form.job_options();
    match shown.run.answer.as_ref()? {
        TaskAnswer::Lcs { length: 1.., alignment: Some(summary) } if summary.columns <= MAX_COLUMNS => {
            TextQuote::of_subsequence(&shown.location.query(WindowQuery { from: 0, len: summary.columns }).await.ok()?, options.unit)
        }
        TaskAnswer::ApproximateSearch { distance: Some(1..), .. } if options.max_distance.is_none() && !options.count_only => {
            TextQuote::of_hit(&shown.location.query(HitPageQuery { from: 0, len: 1, context: 0 }).await.ok()?, options.unit)
        }
        _ => None,
    }
}
