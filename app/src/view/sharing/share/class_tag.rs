//! The class code (a short word that leads to a result) in the header, with a menu that shows it large beside its QR
//! code.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::link::Code;
use super::whole_address;
use crate::model::link::class_code::ClassCode;
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::widgets::menu::menu;

/// Draws the class code in the header.
#[inline(never)]
#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn class_tag() -> LazyPart<ClassCode> {
    Ok(|place, code| draw_into(place, move || view! { <ClassTag code /> }))
}

/// Renders the address of a class code. A press shows the code and its QR code large enough for a classroom.
#[component]
fn ClassTag(code: ClassCode) -> impl IntoView {
    let panel = NodeRef::<Div>::new();
    let link = whole_address(code.path());
    let host = web_sys::window().and_then(|window| window.location().host().ok()).unwrap_or_default();
    let label = view! {
        <span class="vh">{t("Class code")} ": "</span>
        <span>
            <span class="host">{host}</span>
            "/c/"
            <b>{code.code.clone()}</b>
        </span>
    };
    let expires = code.expires_at.map(|at| tr!("It expires on {day}.", day = humanize::day(at)));
    let items = view! {
        <div class="class-panel stack">
            <p class="class-code" translate="no">{code.code}</p>
            <Code link=Signal::stored(link) />
            <p class="note">
                {t("Anyone with the code can read both texts. Each student gets a copy to change. Your page stays as it is.")} " " {expires}
            </p>
        </div>
    };
    view! { <span class="class-tag stay" translate="no">{menu("class-code".into(), "btn ghost", panel, label, items)}</span> }
}
