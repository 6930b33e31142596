//! The dialogs that every page opens. Their code is downloaded when they first open.

use leptos::prelude::*;

use super::lazy::lazy;
use super::parts;
use crate::view::form::recent::RecentOpen;
use crate::view::widgets::help::HelpOpen;

/// Renders the dialogs of recent comparisons and of help, each from its first opening on.
pub fn dialogs() -> impl IntoView {
    let (HelpOpen(help), RecentOpen(recent)) = (expect_context(), expect_context());
    let helped = Memo::new(move |before: Option<&bool>| before == Some(&true) || help.get());
    let recalled = Memo::new(move |before: Option<&bool>| before == Some(&true) || recent.get());
    view! {
        {lazy(move || recalled.get().then_some(recent), parts::recent)}
        {lazy(move || helped.get().then_some(()), parts::help)}
    }
}
