//! The note about data that the server stores for the shown result or a cancelled job: its expiry, and a button to
//! delete it. Only the visitor who created the data sees the note.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use crate::backend::tokens::{self, ObjectRecord};
use crate::model::text::humanize;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};

/// Draws the time at which the server will delete the result with the given id.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn result_storage() -> LazyPart<String> {
    Ok(|place, id| draw_into(place, move || view! { <KeptOnServer id /> }))
}

/// Draws the time at which the server will delete the texts of the cancelled job with the given id.
#[inline(never)]
#[wasm_split(stored, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn cancelled_storage() -> LazyPart<String> {
    Ok(|place, id| draw_into(place, move || view! { <CancelledOnServer id /> }))
}

/// Renders the time at which the server will delete the result `id`. Renders nothing unless this browser sent the job
/// of the result.
#[component]
fn KeptOnServer(id: String) -> impl IntoView {
    let page = expect_context::<Page>();
    let kept = tokens::find_record(&tokens::job_path(&id))?;
    let deleting = RwSignal::new(false);
    let delete = move |_| {
        let id = id.clone();
        deleting.set(true);
        spawn_local(async move {
            page.delete_job(id).await;
            let _ = deleting.try_set(false);
        });
    };
    Some(view! {
        <div class="row mt">
            <span class="note">{storage_sentence(&kept)}</span>
            <button class="btn small" type="button" disabled=deleting on:click=delete>
                {t("Delete now")}
            </button>
        </div>
    })
}

/// Renders the time at which the server will delete the texts of the cancelled job `id`, with a button for the visitor
/// who sent them to delete them earlier.
#[component]
fn CancelledOnServer(id: String) -> impl IntoView {
    let page = expect_context::<Page>();
    let kept = tokens::find_record(&tokens::job_path(&id));
    let said = match kept.as_ref().and_then(|kept| kept.ends.max(kept.uploads_end())) {
        Some(day) => tr!("Your texts stay on the server until {day}.", day = humanize::day(day)),
        None => t("The texts of this job stay on the server for a limited time.").into(),
    };
    let deleting = RwSignal::new(false);
    let delete = move |_| {
        let id = id.clone();
        deleting.set(true);
        spawn_local(async move {
            page.delete_cancelled(id).await;
            let _ = deleting.try_set(false);
        });
    };
    let button = kept.map(|_| {
        view! {
            <button class="btn small" type="button" disabled=deleting on:click=delete>
                {t("Delete now")}
            </button>
        }
    });
    view! {
        <div class="row mt" role="status">
            <span class="note">{said}</span>
            {button}
        </div>
    }
}

fn storage_sentence(kept: &ObjectRecord) -> String {
    let time = humanize::span(kept.keep_seconds);
    match kept.uploads_end() {
        Some(day) => {
            tr!("The server keeps this result for {time} and deletes your texts on {day}.", time = time, day = humanize::day(day))
        }
        None => tr!("The server keeps this result and its texts for {time}.", time = time),
    }
}
