//! The offer to convert a read-only file into editable text.

use leptos::prelude::*;

use super::read_as::read_only;
use crate::model::form::{FormSide, ReadOnlyReason};
use crate::page::Page;
use crate::tr::t;

/// Renders the reason why a short file is read-only, with a button that converts it. Renders nothing for other texts.
#[component]
pub fn ConvertOffer(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let reason = Memo::new(move |_| read_only(page, which));
    let offer = move |reason| {
        let kind = match reason {
            ReadOnlyReason::Crlf => t("Windows line ends (CRLF)."),
            ReadOnlyReason::Cr => t("Line ends of old Macs (CR)."),
            ReadOnlyReason::Encoding => t("Not UTF-8."),
            ReadOnlyReason::Other => "",
        };
        view! {
            <div class="read-as">
                <p>
                    <b>{kind}</b>
                    " "
                    {t("Shown read-only, so that nothing changes by accident.")}
                </p>
                <button class="btn small" type="button" on:click=move |_| page.convert(which)>
                    {t("Convert and edit")}
                </button>
            </div>
        }
    };
    move || reason.get().map(offer)
}
