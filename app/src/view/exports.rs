//! "Take it with you": exports of an alignment and of hits.

use kernels::ask::Form;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::icon::{Icon, icon};
use crate::page::Page;
use crate::source::At;

fn label(form: Form) -> &'static str {
    match form {
        Form::Cigar => "CIGAR",
        Form::Text => "Text blocks",
        Form::Json => "JSON",
        Form::Csv => "CSV",
        Form::ProfileCsv => "Scores as CSV",
    }
}

fn file_name(form: Form) -> &'static str {
    match form {
        Form::Cigar => "alignment.cigar",
        Form::Text => "alignment.txt",
        Form::Json => "alignment.json",
        Form::Csv => "hits.csv",
        Form::ProfileCsv => "scores.csv",
    }
}

/// The section, for an alignment.
#[component]
pub fn Exports(at: At) -> impl IntoView {
    view! {
        <section class="section projector-off" aria-labelledby="exports-title">
            <header>
                <h2 id="exports-title">"Take it with you"</h2>
            </header>
            <div class="row">{Form::OF_ALIGNMENT.map(|form| view! { <Save at=at.clone() form /> }).collect_view()}</div>
            <p class="note mt">"Positions count from 0. The number at the right of a row is where the next row starts."</p>
        </section>
    }
}

/// A button that saves a file.
#[component]
pub fn Save(at: At, form: Form) -> impl IntoView {
    let page = expect_context::<Page>();
    match at.export_address(form) {
        Some(address) => Either::Left(view! {
            <a class="btn small" href=address download=file_name(form)>
                {icon(Icon::Down)}
                {label(form)}
            </a>
        }),
        None => {
            let save = move |_| {
                let at = at.clone();
                spawn_local(async move {
                    match at.export(form).await {
                        Ok(bytes) => save(&bytes, file_name(form)),
                        Err(problem) => page.problem.set(Some(problem)),
                    }
                });
            };
            Either::Right(view! {
                <button class="btn small" type="button" on:click=save>
                    {icon(Icon::Down)}
                    {label(form)}
                </button>
            })
        }
    }
}

/// Hands the browser a file.
pub(crate) fn save(bytes: &[u8], name: &str) {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    if let Ok(blob) = web_sys::Blob::new_with_u8_array_sequence(&parts) {
        save_blob(&blob, name);
    }
}

/// Hands the browser a file that is a blob already.
pub(crate) fn save_blob(blob: &web_sys::Blob, name: &str) {
    let Ok(address) = web_sys::Url::create_object_url_with_blob(blob) else { return };
    let link = document().create_element("a").ok().and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok());
    if let Some(link) = link {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    let _ = web_sys::Url::revoke_object_url(&address);
}
