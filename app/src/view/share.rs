//! The share dialog. Opening it stores nothing.

use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::icon::{Icon, icon};
use super::message::Message;
use crate::fragment;
use crate::page::{Page, Shown};
use crate::problem::Problem;
use crate::source::At;
use crate::source::remote::{self, Stored};
use crate::words;

/// Kinds of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The whole input is in the address.
    Fragment,
    /// The server keeps the result.
    Stored,
}

/// How long a stored result is kept: name on the wire, on the page.
const LIFETIMES: [(&str, &str); 3] = [("1d", "1 day"), ("30d", "30 days"), ("until-deleted", "when I delete it")];

/// State of the dialog.
#[derive(Clone, Copy)]
struct Sharing {
    kind: RwSignal<Kind>,
    lifetime: RwSignal<&'static str>,
    made: RwSignal<Option<Stored>>,
    working: RwSignal<bool>,
    problem: RwSignal<Option<Problem>>,
    deleted: RwSignal<bool>,
}

/// The dialog; `open` is set by the share button.
#[component]
pub fn ShareDialog(open: RwSignal<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    let dialog = NodeRef::<Dialog>::new();
    let text_link = Memo::new(move |_| {
        page.shown.with(|shown| shown.as_ref().and_then(|shown| fragment::address(&shown.form, &page.look.get()))).map(address)
    });
    let sharing = Sharing {
        kind: RwSignal::new(Kind::Stored),
        lifetime: RwSignal::new("30d"),
        made: RwSignal::new(None),
        working: RwSignal::new(false),
        problem: RwSignal::new(None),
        deleted: RwSignal::new(false),
    };
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            sharing.made.set(None);
            sharing.problem.set(None);
            sharing.deleted.set(false);
            sharing.kind.set(if text_link.with_untracked(Option::is_some) { Kind::Fragment } else { Kind::Stored });
            let _ = dialog.show_modal();
        }
    });
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    provide_context(sharing);
    view! {
        <dialog node_ref=dialog aria-labelledby="share-title" on:close=move |_| open.set(false)>
            <header>
                <h2 id="share-title">"Share this result"</h2>
                <button class="btn ghost only" type="button" aria-label="Close" on:click=close>
                    {icon(Icon::Cross)}
                </button>
            </header>
            <div class="body">
                <Kinds text_link />
                <div class="stack" hidden=move || sharing.kind.get() != Kind::Fragment>
                    <div class="field">
                        <label for="text-link">"Link"</label>
                        <LinkRow id="text-link" link=Signal::derive(move || text_link.get().unwrap_or_default()) />
                    </div>
                    <p class="note">"The address bar holds the same link. It needs no server: the texts are in it."</p>
                </div>
                <div class="stack" hidden=move || sharing.kind.get() != Kind::Stored>
                    <StoredLink />
                </div>
                {move || sharing.problem.get().map(|problem| view! { <Message problem /> })}
            </div>
        </dialog>
    }
}

/// The choice of kinds.
#[component]
fn Kinds(text_link: Memo<Option<String>>) -> impl IntoView {
    let sharing = expect_context::<Sharing>();
    let stored = "Short, shows a preview in chats. We keep both texts until it ends.".to_owned();
    let about = move || match text_link.get() {
        Some(link) => format!("Nothing is stored. {} characters long.", kernels::words::grouped(link.len() as u64)),
        None => "Only for texts that are typed and up to about 8,000 characters.".to_owned(),
    };
    let choice = move |kind: Kind, title: &'static str, about: Signal<String>| {
        let off = move || kind == Kind::Fragment && text_link.with(Option::is_none);
        view! {
            <label>
                <input
                    type="radio"
                    name="kind"
                    disabled=off
                    prop:checked=move || sharing.kind.get() == kind
                    on:change=move |_| sharing.kind.set(kind)
                />
                <b>{title}</b>
                <small>{about}</small>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend class="vh">"Kind of link"</legend>
            <div class="kinds two">
                {choice(Kind::Fragment, "Text in the link", Signal::derive(about))}
                {choice(Kind::Stored, "Stored link", stored.into())}
            </div>
        </fieldset>
    }
}

/// Lifetime, "Make the link", then the link in its place.
#[component]
fn StoredLink() -> impl IntoView {
    let sharing = expect_context::<Sharing>();
    let page = expect_context::<Page>();
    let made = move || sharing.made.get();
    view! {
        <div class="stack" hidden=move || made().is_some() || sharing.deleted.get()>
            <div class="row wide end">
                <Lifetimes />
                <p class="note grow">"Nothing is stored until you make the link."</p>
            </div>
            <div class="row">
                <button class="btn main" type="button" disabled=sharing.working on:click=move |_| make(page, sharing)>
                    {move || if sharing.working.get() { "Making the link" } else { "Make the link" }}
                </button>
            </div>
        </div>
        {move || {
            made()
                .map(|stored| {
                    let link = address(stored.url.clone());
                    let ends = stored.expires_at.map_or("It is kept until you delete it.".to_owned(), |at| format!("It ends on {}.", words::day(at)));
                    view! {
                        <div class="field">
                            <label for="stored-link">"Link"</label>
                            <LinkRow id="stored-link" link=link.into() />
                        </div>
                        <div class="row">
                            <button class="btn small warn" type="button" on:click=move |_| delete(sharing)>
                                "Delete the link now"
                            </button>
                            <span class="note">{ends} " The key to delete it is kept in this browser."</span>
                        </div>
                    }
                })
        }}
        <p class="say" role="status" hidden=move || !sharing.deleted.get()>
            {move || sharing.deleted.get().then_some("The link is deleted, and so is what it showed.")}
        </p>
    }
}

/// How long it is kept.
#[component]
fn Lifetimes() -> impl IntoView {
    let sharing = expect_context::<Sharing>();
    let choices = LIFETIMES.map(|(wire, label)| {
        view! {
            <label>
                <input type="radio" name="lifetime" prop:checked=move || sharing.lifetime.get() == wire on:change=move |_| sharing.lifetime.set(wire) />
                {label}
            </label>
        }
    });
    view! {
        <fieldset class="field">
            <legend class="label">"Ends after"</legend>
            <div class="seg">{choices.collect_view()}</div>
        </fieldset>
    }
}

/// A link and a button that copies it.
#[component]
fn LinkRow(id: &'static str, link: Signal<String>) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        if let Some(clipboard) = web_sys::window().map(|window| window.navigator().clipboard()) {
            let _ = clipboard.write_text(&link.get_untracked());
            copied.set(true);
        }
    };
    view! {
        <div class="linkrow">
            <input class="text" id=id readonly prop:value=link />
            <button class="btn main" type="button" on:click=copy>
                {icon(Icon::Copy)}
                {move || if copied.get() { "Copied" } else { "Copy" }}
            </button>
        </div>
    }
}

/// Stores the result; one of this browser is computed by the server first.
fn make(page: Page, sharing: Sharing) {
    let Some(shown) = page.shown.get_untracked() else { return };
    sharing.working.set(true);
    sharing.problem.set(None);
    spawn_local(async move {
        match store(page, &shown, sharing.lifetime.get_untracked()).await {
            Ok(stored) => {
                keep_token(&stored);
                sharing.made.set(Some(stored));
            }
            Err(problem) => sharing.problem.set(Some(problem)),
        }
        sharing.working.set(false);
    });
}

async fn store(page: Page, shown: &Shown, lifetime: &str) -> Result<Stored, Problem> {
    let job = match &shown.at {
        At::Job(id) => id.clone(),
        At::Link(_) | At::Here | At::Hit(..) | At::Offset(..) => {
            let job = page.send(&shown.form).await?;
            remote::submit_and_wait(&job).await?
        }
    };
    remote::store(&job, lifetime).await
}

fn delete(sharing: Sharing) {
    let Some(stored) = sharing.made.get_untracked() else { return };
    spawn_local(async move {
        match remote::delete_stored(&stored.url, &stored.delete_token).await {
            Ok(()) => {
                sharing.made.set(None);
                sharing.deleted.set(true);
            }
            Err(problem) => sharing.problem.set(Some(problem)),
        }
    });
}

/// The key that deletes a stored link stays in this browser, so that its page can offer to delete it.
fn keep_token(stored: &Stored) {
    if let Some(storage) = web_sys::window().and_then(|window| window.local_storage().ok()?) {
        let _ = storage.set_item(&format!("delete {}", stored.url), &stored.delete_token);
    }
}

/// The whole address of a place on this server.
fn address(place: String) -> String {
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    origin + &place
}
