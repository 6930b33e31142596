//! The frame of the page that compares many texts. The server renders it.

use leptos::prelude::*;

use crate::tr::t;
use crate::view::browser::dialogs::dialogs;
use crate::view::browser::lazy::lazy;
use crate::view::browser::parts;

/// Renders the frame of the page: its title, and the place for everything else.
#[component]
pub fn CollectionsMain() -> impl IntoView {
    view! {
        <main id="main" class="collections">
            <div class="lead">
                <h1>{t("Compare many texts")}</h1>
                <p class="say wide">
                    {t("The fewest single-symbol changes between every two texts of a collection: which are alike, how much, and where.")}
                </p>
            </div>
            {lazy(|| Some(()), parts::collections)}
        </main>
        {dialogs()}
    }
}
