//! The button that opens the share dialog of a page with many texts ([`share_button`]).

use leptos::ev;
use leptos::prelude::*;

use crate::page::Page;
use crate::page::form_page::{FormPage, PageForm};
use crate::page::shared_form::SharedForm;
use crate::tr::t;
use crate::view::browser::lazy::lazy;
use crate::view::browser::parts;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::keys::is_shortcut;

/// Renders the button. `about` describes the texts in a few words.
pub fn share_button<F: PageForm>(page: FormPage<F>, about: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    let shared = StoredValue::new(SharedForm::new(page, about));
    let open = shared.with_value(|shared| shared.open);
    let site = expect_context::<Page>();
    // Projector mode hides the button together with the dialog.
    let is_projected = move || site.link_view.with_untracked(|look| look.projector);
    let key = window_event_listener(ev::keydown, move |event| {
        if event.key().eq_ignore_ascii_case("s") && is_shortcut(&event) && !is_projected() {
            open.set(true);
        }
    });
    on_cleanup(move || key.remove());
    // The dialog is created when first opened, and stays.
    let opened = Memo::new(move |before: Option<&bool>| before == Some(&true) || open.get());
    view! {
        <button class="btn" type="button" aria-haspopup="dialog" on:click=move |_| open.set(true)>
            {icon(Icon::Link)}
            {t("Share")}
        </button>
        {lazy(move || opened.get().then(|| shared.get_value()), parts::share_form)}
    }
}
