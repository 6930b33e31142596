//! The offer to choose one of several files that were opened for one text, or to compare all of them ([`SeveralFiles`]).

use leptos::html::Button;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use crate::backend::files::archive::DroppedEntries;
use crate::model::form::FormSide;
use crate::model::problem::Problem;
use crate::model::text::humanize::count;
use crate::page::Page;
use crate::page::offered_files::{FileOffer, OfferedFile, choose, compare_all, read_offer};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of files that are listed at first, and that each press adds.
const ROWS: usize = 100;

/// Renders the offer, as long as text `which` has one.
#[component]
pub fn SeveralFiles(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let offered = page.offered_files[which as usize];
    move || offered.get().map(|entries| view! { <Offer which entries=entries.take() /> })
}

/// Renders the offer of dropped files. It ends when the text changes.
#[component]
fn Offer(which: FormSide, entries: DroppedEntries) -> impl IntoView {
    let page = expect_context::<Page>();
    let close = move || page.offered_files[which as usize].set(None);
    Effect::new(move |before: Option<_>| {
        let side = page.form.with(|form| form.side(which).clone());
        if before.is_some_and(|before| before != side) {
            close();
        }
        side
    });
    let offer = RwSignal::new(None::<SendWrapper<FileOffer>>);
    let problem = RwSignal::new(None::<Problem>);
    spawn_local(async move {
        match read_offer(entries).await {
            // The signal is gone if the offer has ended.
            Ok(read) => match &read.files[..] {
                [only] if only.content.is_ok() && offer.try_get_untracked().is_some() => choose(page, which, only),
                _ => drop(offer.try_set(Some(SendWrapper::new(read)))),
            },
            Err(unreadable) => drop(problem.try_set(Some(unreadable))),
        }
    });
    let is_working = RwSignal::new(false);
    let compare = move |_| {
        let Some(all) = offer.get_untracked() else { return };
        is_working.set(true);
        spawn_local(async move {
            let handed = compare_all(page, all.take()).await;
            // The browser may show this page again as it was.
            is_working.try_set(false);
            if let Err(failed) = handed {
                problem.try_set(Some(failed));
            }
        });
    };
    let says = move || match (problem.get(), offer.get()) {
        (Some(problem), _) => format!("{} {}", problem.title, problem.detail),
        (None, None) => t("Files are being read.").into(),
        (None, Some(offer)) => says(&offer, which),
    };
    let is_open = RwSignal::new(false);
    let has_files = Memo::new(move |_| offer.with(|offer| offer.as_ref().is_some_and(|offer| !offer.files.is_empty())));
    let first = NodeRef::<Button>::new();
    // The focus keeps the editor unfolded, and lets a screen reader say the message.
    Effect::new(move |_| {
        if let Some(button) = first.get().filter(|_| has_files.get()) {
            // A hidden button takes no focus.
            request_animation_frame(move || drop(button.focus()));
        }
    });
    view! {
        <div class="read-as several" role="group" aria-label=says>
            <p role="status" class:doubt=move || problem.with(Option::is_some)>{says}</p>
            <div class="row">
                <button class="btn small" type="button" node_ref=first hidden=move || !has_files.get() disabled=is_working on:click=compare>
                    {t("Compare all of them")}
                </button>
                <button
                    class="btn small"
                    type="button"
                    hidden=move || !has_files.get()
                    aria-expanded=move || if is_open.get() { "true" } else { "false" }
                    on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
                >
                    {t("Choose one")}
                </button>
                <button class="btn ghost small only" type="button" aria-label=t("Close") on:click=move |_| { close(); focus_editor(which) }>
                    {icon(Icon::Cross)}
                </button>
            </div>
            {move || offer.get().filter(|_| is_open.get()).map(|offer| view! { <FileChoice which offer=offer.take() /> })}
        </div>
    }
}

/// Moves the focus from the offer, which ends, to the first button of the editor.
fn focus_editor(which: FormSide) {
    request_animation_frame(move || {
        let area = document().get_element_by_id(&format!("text-{}", which.name()));
        let button = area.and_then(|area| area.parent_element()?.query_selector(".file-actions button").ok()?);
        if let Some(button) = button {
            let _ = button.unchecked_into::<HtmlElement>().focus();
        }
    });
}

/// Returns the sentence about the files.
fn says(offer: &FileOffer, which: FormSide) -> String {
    let files = count(offer.files.len() as u64, "file", "files");
    match &offer.archive {
        _ if offer.files.is_empty() => t("No file was found there.").into(),
        Some(archive) => tr!("{archive} has {files}, and {text} is one text.", archive = archive, files = files, text = which.name()),
        None => tr!("These are {files}, and {text} is one text.", files = files, text = which.name()),
    }
}

/// Renders the list of the files. A press opens a file.
#[component]
fn FileChoice(which: FormSide, offer: FileOffer) -> impl IntoView {
    let page = expect_context::<Page>();
    let most = RwSignal::new(ROWS);
    let all = offer.files.len();
    let files = StoredValue::new_local(offer.files);
    let row = move |(number, file): (usize, &OfferedFile)| {
        let reason = file.content.as_ref().err().cloned();
        let open = move |_| {
            files.with_value(|files| choose(page, which, &files[number]));
            focus_editor(which);
        };
        view! {
            <li>
                <button class="btn ghost small" type="button" disabled=reason.is_some() on:click=open>
                    {file.path.clone()}
                </button>
                {reason}
            </li>
        }
    };
    let rows = move || files.with_value(|files| files.iter().enumerate().take(most.get()).map(row).collect_view());
    view! {
        <div class="files" tabindex="0" role="region" aria-label=t("Files")>
            <ul>{rows}</ul>
            {more_button(most, ROWS, move || all, || more_says(ROWS))}
        </div>
    }
}
