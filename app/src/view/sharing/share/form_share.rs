//! The share dialog of a page with many texts ([`FormShareDialog`]): a link with the texts, or a private link.

use explain::wire::CreatedLink;
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::link::{Code, Hand, LinkRow};
use super::{LinkKind, ShareFrame, ShareState, whole_address};
use crate::backend::latest::RequestCounter;
use crate::backend::sealed_links;
use crate::backend::tokens::{self, OwnedObject};
use crate::model::link::fragment;
use crate::model::text::humanize;
use crate::page::shared_form::SharedForm;
use crate::tr;
use crate::tr::t;

/// Renders the dialog, which is visible while `shared.open` is true.
#[component]
pub fn FormShareDialog(shared: SharedForm) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    // The place of a private link that was made, or by which the page was opened.
    let place = RwSignal::new(None::<String>);
    let address = RwSignal::new(None::<String>);
    let sharing = ShareState::of_form(address, place);
    let yours = RwSignal::new(Vec::<OwnedObject>::new());
    provide_context(sharing);
    let open = shared.open;
    let openings = RequestCounter::new();
    let opening = shared.clone();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            untrack(|| {
                sharing.begin_of_form();
                place.set((opening.opened_link)());
                // Texts from a private link are put into a link only if the visitor chooses that.
                sharing.opened_kind.set((opening.is_private)().then_some(LinkKind::Private));
            });
            yours.set(tokens::list_objects());
            // The link with the texts of before.
            address.set(None);
            let (text_link, turn) = ((opening.text_link)(), openings.begin());
            spawn_local(async move {
                let link = text_link.await.map(whole_address);
                if turn.is_last() {
                    address.set(link);
                }
            });
            let _ = dialog.show_modal();
        }
    });
    let (asked, deleting) = (shared.clone(), shared.clone());
    let make = Callback::new(move |()| {
        sharing.chosen.set(Some(LinkKind::Private));
        sharing.working.set(true);
        sharing.problem.set(None);
        let ((content, made_link), about, lifetime) = ((asked.seal)(), (asked.about)(), sharing.lifetime.get_untracked());
        spawn_local(async move {
            let made = match content.await {
                Ok(bytes) => sealed_links::store_bytes(&bytes, lifetime).await,
                Err(problem) => Err(problem),
            };
            match made {
                Ok((stored, key)) => {
                    tokens::keep_link(&stored, &tr!("{texts}, private", texts = about), None);
                    yours.try_set(tokens::list_objects());
                    if let Some(link) = made_link(&stored.id, &key) {
                        place.try_set(Some(link));
                        sharing
                            .made_links
                            .try_update(|made| made.push((LinkKind::Private, CreatedLink { url: format!("/s/{}", stored.id), ..stored })));
                    }
                }
                Err(problem) => drop(sharing.problem.try_set(Some(problem))),
            }
            sharing.working.try_set(false);
        });
    });
    // The link of a deleted content leads nowhere.
    Effect::new(move |_| {
        let Some(path) = sharing.deleted_path.get() else { return };
        let id = path.trim_start_matches("/s/");
        (deleting.forget_link)(id);
        if place.with_untracked(|place| place.as_ref().is_some_and(|place| place.contains(&format!("={id}.")))) {
            place.set(None);
        }
    });
    let link = Signal::derive(move || sharing.link.get().unwrap_or_default());
    let note = move || match sharing.kind.get() {
        LinkKind::Private => t("Anyone with the whole link can read the texts. The server sees only how large they are."),
        LinkKind::Fragment | LinkKind::Stored | LinkKind::Class => {
            t("Anyone with the link can read the texts. Nothing is stored on the server.")
        }
    };
    let made = move || {
        view! {
            <div class="made">
                <div class="stack">
                    <LinkRow id="share-link" label=t("Link") text=link main=true />
                    <p class="note">{note}</p>
                    <div class="row">
                        <Hand link />
                    </div>
                </div>
                <Code link />
            </div>
        }
    };
    let says = Signal::derive(|| t("Nothing is stored until you make the link."));
    view! { <ShareFrame dialog open yours make says kinds=move || view! { <Kinds address /> } made /> }
}

/// Renders the choice of the kind of link.
#[component]
fn Kinds(address: RwSignal<Option<String>>) -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let most = humanize::grouped(fragment::MAX_FRAGMENT as u64);
    let in_link = move || match address.get() {
        Some(link) => {
            let n = humanize::grouped(link.len() as u64);
            tr!("The texts are in the link; nothing is stored. {n} of at most {most} characters.", n = n, most = most.clone())
        }
        None => tr!("Only for texts that fit into {most} characters.", most = most.clone()),
    };
    let private = if sealed_links::is_able() {
        t("Encrypted in your browser. The key stays in the link; the server cannot read the texts.")
    } else {
        t("Browsers encrypt only on https pages.")
    };
    let choice = move |kind: LinkKind, title: &'static str, about: Signal<String>| {
        let off = move || match kind {
            LinkKind::Private => !sealed_links::is_able(),
            LinkKind::Fragment | LinkKind::Stored | LinkKind::Class => address.with(Option::is_none),
        };
        let choose = move |_| {
            sharing.chosen.set(Some(kind));
            sharing.problem.set(None);
            sharing.deleted.set(false);
        };
        view! {
            <label>
                <input type="radio" name="kind" disabled=off prop:checked=move || sharing.kind.get() == kind on:change=choose />
                <b>{title}</b>
                <small>{about}</small>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend class="vh">{t("Kind of link")}</legend>
            <div class="kinds">
                {choice(LinkKind::Fragment, t("Link"), Signal::derive(in_link))}
                {choice(LinkKind::Private, t("Private link"), private.to_owned().into())}
            </div>
        </fieldset>
    }
}
