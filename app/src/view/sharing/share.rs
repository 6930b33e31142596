//! The share dialog ([`ShareDialog`]). Opening the dialog stores nothing on the server.
//!
//! - [`class_tag`]: the class code in the header
//! - [`form_share`]: the dialog of a page with many texts
//! - [`link`]: a finished link: copy, QR code, frame, picture
//! - [`picture`]: the result as a file
//! - [`owned_objects`]: everything that this browser has made on the server

use explain::wire::{CreatedLink, LinkLifetime, MAX_VIEW_BYTES};
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::link::TheLink;
use self::owned_objects::YourLinks;
use crate::backend::http::UploadHandle;
use crate::backend::remote;
use crate::backend::sealed_links;
use crate::backend::tokens::{self, OwnedObject};
use crate::model::form::{FormSide, TextContent};
use crate::model::link::address::{key_of, with_look};
use crate::model::link::class_code::ClassCode;
use crate::model::link::fragment;
use crate::model::link::link_view::LinkView;
use crate::model::problem::Problem;
use crate::model::result::preview::{briefly, form_names};
use crate::model::run::location::ResultLocation;
use crate::model::text::humanize;
use crate::model::visit::PageRoute;
use crate::page::actions::Action;
use crate::page::{Page, ShownResult, jobs};
use crate::tr;
use crate::tr::t;
use crate::view::form::message::Message;
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::icon::{Icon, icon};

pub mod class_tag;
pub mod form_share;
pub mod link;
pub mod owned_objects;
pub mod picture;

/// The signal whether the share dialog is open, which the page provides to its views as a context.
#[derive(Clone, Copy, Debug)]
pub struct ShareOpen(pub RwSignal<bool>);

/// A kind of link to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkKind {
    /// A link whose fragment contains the texts and options. The server stores nothing.
    Fragment,
    /// A link to a result that the server stores.
    Stored,
    /// A class code, which is a short word to type. The server stores the result under it for a day.
    Class,
    /// A private link. The server stores encrypted data that it cannot read, and the key is in the fragment of the
    /// link.
    Private,
}

/// Returns the lifetimes that a link can have, each with its label.
fn lifetimes() -> [(LinkLifetime, &'static str); 3] {
    [(LinkLifetime::Day, t("1 day")), (LinkLifetime::Month, t("30 days")), (LinkLifetime::UntilDeleted, t("when I delete it"))]
}

/// State of the share dialog.
#[derive(Clone, Copy)]
struct ShareState {
    /// The kind of link that the visitor has chosen since the dialog was opened.
    chosen: RwSignal<Option<LinkKind>>,
    /// The kind of the link by which the shown result was opened, if any, as it was when the dialog was opened.
    opened_kind: RwSignal<Option<LinkKind>>,
    /// The chosen kind of link; without a choice, the kind of the opened link or the kind that suits the result.
    kind: Memo<LinkKind>,
    lifetime: RwSignal<LinkLifetime>,
    /// Links to the shown result that were made since the dialog was opened, at most one of each kind.
    made_links: RwSignal<Vec<(LinkKind, CreatedLink)>>,
    working: RwSignal<bool>,
    problem: RwSignal<Option<Problem>>,
    deleted: RwSignal<bool>,
    /// The path of the object that was deleted last.
    deleted_path: RwSignal<Option<String>>,
    /// Whether the link opens the current view and step.
    keeps_view: RwSignal<bool>,
    /// Whether the link opens in projector mode.
    projector: RwSignal<bool>,
    /// The link whose fragment contains the texts; `None` if they are too long.
    in_link: Memo<Option<String>>,
    /// The link of the chosen kind, as soon as it exists.
    link: Memo<Option<String>>,
}

impl ShareState {
    fn new(page: Page) -> Self {
        let (chosen, opened) = (RwSignal::new(None), RwSignal::new(None));
        let made: RwSignal<Vec<(LinkKind, CreatedLink)>> = RwSignal::new(Vec::new());
        let projector = RwSignal::new(false);
        let keeps_view = RwSignal::new(true);
        let look = move || {
            let look = if keeps_view.get() { page.link_view.get() } else { LinkView::default() };
            look.on_projector(projector.get())
        };
        let in_link = Memo::new(move |_| {
            let packed = page.packed().get();
            let address = page.shown.with(|shown| fragment::address(&shown.as_ref()?.form, &look(), packed.as_ref()));
            address.map(whole_address)
        });
        let kind = Memo::new(move |_| {
            // Texts from a private link are put into a link only if the visitor chooses that.
            let is_readable = in_link.with(Option::is_some) && !page.is_private.get();
            let usual = if is_readable { LinkKind::Fragment } else { LinkKind::Stored };
            chosen.get().or(opened.get()).unwrap_or(usual)
        });
        let link = Memo::new(move |_| match kind.get() {
            LinkKind::Fragment => in_link.get(),
            kind => {
                let new = made.with(|made| of_kind(made, kind).map(place_of_page));
                let already = || opened_link(page).filter(|(opened, _)| *opened == kind).map(|(_, place)| place);
                // A class code is typed, so that nothing follows it.
                new.or_else(already).map(|place| whole_address(if kind == LinkKind::Class { place } else { with_look(&place, &look()) }))
            }
        });
        Self { keeps_view, projector, ..Self::of_signals([chosen, opened], made, kind, [in_link, link]) }
    }

    /// Creates the state with the chosen kind and that of the opened link, the links that were made, the kind that is shown, and
    /// the link with the texts and the link of that kind.
    fn of_signals(
        [chosen, opened_kind]: [RwSignal<Option<LinkKind>>; 2],
        made_links: RwSignal<Vec<(LinkKind, CreatedLink)>>,
        kind: Memo<LinkKind>,
        [in_link, link]: [Memo<Option<String>>; 2],
    ) -> Self {
        Self {
            chosen,
            opened_kind,
            kind,
            lifetime: RwSignal::new(LinkLifetime::Month),
            made_links,
            working: RwSignal::new(false),
            problem: RwSignal::new(None),
            deleted: RwSignal::new(false),
            deleted_path: RwSignal::new(None),
            keeps_view: RwSignal::new(true),
            projector: RwSignal::new(false),
            in_link,
            link,
        }
    }

    /// Returns the state of the dialog of a page with many texts. `address` is the link with the texts, and `place` that of the
    /// private link.
    fn of_form(address: RwSignal<Option<String>>, place: RwSignal<Option<String>>) -> Self {
        let (chosen, opened) = (RwSignal::new(None), RwSignal::new(None));
        let made: RwSignal<Vec<(LinkKind, CreatedLink)>> = RwSignal::new(Vec::new());
        let in_link = Memo::new(move |_| address.get());
        let kind = Memo::new(move |_| {
            let usual = if in_link.with(Option::is_some) { LinkKind::Fragment } else { LinkKind::Private };
            chosen.get().or(opened.get()).unwrap_or(usual)
        });
        let link = Memo::new(move |_| match kind.get() {
            LinkKind::Private => place.get().filter(|_| opened.get().is_some() || made.with(|made| !made.is_empty())).map(whole_address),
            LinkKind::Fragment | LinkKind::Stored | LinkKind::Class => in_link.get(),
        });
        Self::of_signals([chosen, opened], made, kind, [in_link, link])
    }

    /// Resets the dialog of a page with many texts.
    fn begin_of_form(self) {
        self.made_links.set(Vec::new());
        self.problem.set(None);
        self.deleted.set(false);
        self.chosen.set(None);
    }

    /// Resets the dialog for the result on the page.
    fn begin(self, page: Page) {
        self.begin_of_form();
        self.projector.set(false);
        self.keeps_view.set(true);
        // In projector mode, a class code is suggested, because a class can type it from the wall.
        self.chosen.set(page.link_view.with(|look| look.projector).then_some(LinkKind::Class));
        self.opened_kind.set(opened_link(page).map(|(kind, _)| kind));
        page.dispatch(Action::WantAddress);
    }

    /// Forgets the object with the path `path`, which was deleted, and lists the others in `yours`.
    fn forget_deleted(self, page: Page, path: String, yours: RwSignal<Vec<OwnedObject>>) {
        page.drop_class_code(&path);
        self.made_links.update(|made| made.retain(|(_, made)| tokens::link_path(&made.url) != path));
        self.deleted_path.set(Some(path));
        yours.set(tokens::list_objects());
    }

    /// Returns the link of the chosen kind that was made since the dialog was opened.
    fn new_link(self) -> Option<CreatedLink> {
        let kind = self.kind.get();
        self.made_links.with(|made| of_kind(made, kind).cloned())
    }
}

/// Returns the path on this server to which a stored link leads; for a class code, the short path to type.
fn place_of_page(stored: &CreatedLink) -> String {
    stored.class_code.as_ref().map_or_else(|| stored.url.clone(), |code| format!("/c/{code}"))
}

fn of_kind(made: &[(LinkKind, CreatedLink)], kind: LinkKind) -> Option<&CreatedLink> {
    made.iter().find(|(of, _)| *of == kind).map(|(_, stored)| stored)
}

/// Returns the kind and the path of the link by which the shown result was opened, if this was a stored result or a
/// private link. The path of a private link includes its key.
fn opened_link(page: Page) -> Option<(LinkKind, String)> {
    match page.shown.with(|shown| shown.as_ref().map(|shown| shown.location.clone()))? {
        ResultLocation::Link(id) => Some((LinkKind::Stored, format!("/r/{id}"))),
        ResultLocation::Here(_) => {
            let location = web_sys::window()?.location();
            let (path, fragment) = (location.pathname().ok()?, location.hash().ok()?);
            let is_private = matches!(PageRoute::of(&path), PageRoute::Sealed(_));
            is_private.then(|| (LinkKind::Private, format!("{path}#{}", key_of(fragment.trim_start_matches('#')))))
        }
        ResultLocation::Job(_) | ResultLocation::Hit(..) | ResultLocation::Offset(..) => None,
    }
}

/// Returns the reason why no private link of the shown result can be made, or `None` if one can be made.
fn not_private(page: Page) -> Option<&'static str> {
    let here = page.shown.with(|shown| {
        shown
            .as_ref()
            .is_some_and(|shown| FormSide::BOTH.iter().all(|which| !matches!(shown.form.side(*which).content, TextContent::Stored { .. })))
    });
    match (sealed_links::is_able(), here) {
        (false, _) => Some(t("Browsers encrypt only on https pages.")),
        (true, false) => Some(t("Only for texts that are on this device.")),
        (true, true) => None,
    }
}

/// Renders the share dialog, which is visible while `open` is true.
#[component]
pub fn ShareDialog(open: RwSignal<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    let dialog = NodeRef::<Dialog>::new();
    let sharing = ShareState::new(page);
    let yours = RwSignal::new(Vec::<OwnedObject>::new());
    let says = Signal::derive(move || stored_before(page, sharing));
    let make = Callback::new(move |()| make(page, sharing, yours));
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            untrack(|| sharing.begin(page));
            yours.set(tokens::list_objects());
            let _ = dialog.show_modal();
        }
    });
    provide_context(sharing);
    view! { <ShareFrame dialog open yours make says kinds=|| view! { <Kinds /> } made=|| view! { <TheLink /> } /> }
}

/// Renders the frame of a share dialog: the choice of the kind of link, `kinds`; the button that makes a link; the link, `made`; and
/// the links of this browser.
#[component]
fn ShareFrame(
    dialog: NodeRef<Dialog>,
    open: RwSignal<bool>,
    yours: RwSignal<Vec<OwnedObject>>,
    make: Callback<()>,
    says: Signal<&'static str>,
    #[prop(into)] kinds: ViewFn,
    #[prop(into)] made: ViewFn,
) -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog node_ref=dialog class="share" aria-labelledby="share-title" on:close=move |_| open.set(false)>
            <header>
                <h2 id="share-title">{t("Share this result")}</h2>
                <button class="btn ghost only" type="button" aria-label=t("Close") on:click=close>
                    {icon(Icon::Cross)}
                </button>
            </header>
            <div class="body">
                {kinds.run()}
                <div hidden=move || sharing.link.with(Option::is_some) || sharing.deleted.get()>
                    <Make make says />
                </div>
                <div hidden=move || sharing.link.with(Option::is_none)>
                    {made.run()}
                </div>
                <div hidden=move || sharing.new_link().is_none()>
                    <Ends yours />
                </div>
                <p class="say" role="status" hidden=move || !sharing.deleted.get()>
                    {move || sharing.deleted.get().then(|| t("The link is deleted, and so is what it showed."))}
                </p>
                {move || sharing.problem.get().map(|problem| view! { <Message problem just_said=true /> })}
                <YourLinks yours />
            </div>
        </dialog>
    }
}

/// Renders the choice of the kind of link.
#[component]
fn Kinds() -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let page = expect_context::<Page>();
    let most = move || {
        // If the browser cannot compress, links contain the plain texts.
        let is_able = page.packed().with(|packed| packed.as_ref().is_none_or(|packed| packed.letters().is_some()));
        humanize::grouped(if is_able { fragment::MAX_FRAGMENT } else { fragment::MAX_PLAIN_FRAGMENT } as u64)
    };
    let in_link = move || match sharing.in_link.get() {
        Some(link) => {
            let n = humanize::grouped(link.len() as u64);
            let cut = (link.len() > fragment::MAX_PLAIN_FRAGMENT).then(|| {
                tr!(
                    "Some mail and chat programs cut links of more than {n} characters.",
                    n = humanize::grouped(fragment::MAX_PLAIN_FRAGMENT as u64)
                )
            });
            let told = tr!("The texts are in the link; nothing is stored. {n} of at most {most} characters.", n = n, most = most());
            [Some(told), cut].into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        None => tr!("Only for texts that are typed and fit into {most} characters.", most = most()),
    };
    let private = move || {
        not_private(page).unwrap_or(t("Encrypted in your browser. The key stays in the link; the server cannot read the texts.")).to_owned()
    };
    let choice = move |kind: LinkKind, title: &'static str, about: Signal<String>| {
        let off = move || match kind {
            LinkKind::Fragment => sharing.in_link.with(Option::is_none),
            LinkKind::Stored | LinkKind::Class => false,
            LinkKind::Private => not_private(page).is_some(),
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
    let stored = t("For large texts. Shows a preview in chats. The server stores both texts until it expires.").to_owned();
    view! {
        <fieldset>
            <legend class="vh">{t("Kind of link")}</legend>
            <div class="kinds">
                {choice(LinkKind::Fragment, t("Link"), Signal::derive(in_link))}
                {choice(LinkKind::Stored, t("Stored result"), stored.into())}
                {choice(LinkKind::Class, t("Class code"), t("A short word to type. Valid for one day.").to_owned().into())}
                {choice(LinkKind::Private, t("Private link"), Signal::derive(private))}
            </div>
        </fieldset>
    }
}

/// Renders the choice of the lifetime and the button "Make the link", which calls `make`. `says` is a sentence about what is
/// stored before.
#[component]
fn Make(make: Callback<()>, says: Signal<&'static str>) -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let choices = lifetimes().map(|(lifetime, label)| {
        view! {
            <label>
                <input type="radio" name="lifetime" prop:checked=move || sharing.lifetime.get() == lifetime on:change=move |_| sharing.lifetime.set(lifetime) />
                {label}
            </label>
        }
    });
    view! {
        <div class="stack">
            <div class="row wide end">
                <fieldset class="field" hidden=move || sharing.kind.get() == LinkKind::Class>
                    <legend class="label">{t("Expires after")}</legend>
                    <div class="seg">{choices.collect_view()}</div>
                </fieldset>
                <p class="note grow">{says}</p>
            </div>
            <div class="row">
                <button class="btn main" type="button" disabled=sharing.working on:click=move |_| make.run(())>
                    {move || if sharing.working.get() { t("Making the link") } else { t("Make the link") }}
                </button>
            </div>
        </div>
    }
}

/// Returns a sentence about the data of the shown result that the server already stores.
fn stored_before(page: Page, sharing: ShareState) -> &'static str {
    let has_link = !sharing.made_links.with(Vec::is_empty) || opened_link(page).is_some();
    let is_job = page.shown.with(|shown| shown.as_ref().is_some_and(|shown| matches!(shown.location, ResultLocation::Job(_))));
    match (has_link, is_job) {
        (true, _) => t("There is a link to this result already. This makes another one."),
        (false, true) => t("The server keeps this result and its texts for a limited time. A link keeps them as long as you choose."),
        (false, false) => t("Nothing is stored until you make the link."),
    }
}

/// Renders the expiry of the new link, and a button that deletes it. `yours` is the list of everything that this
/// browser has made on the server.
#[component]
fn Ends(yours: RwSignal<Vec<OwnedObject>>) -> impl IntoView {
    let (page, sharing) = (expect_context::<Page>(), expect_context::<ShareState>());
    let ends = move || {
        let stored = sharing.new_link()?;
        let until_deleted = || t("It is stored until you delete it.").to_owned();
        Some(stored.expires_at.map_or_else(until_deleted, |at| tr!("It expires on {day}.", day = humanize::day(at))))
    };
    let delete = move |_| {
        let Some(stored) = untrack(|| sharing.new_link()) else { return };
        spawn_local(async move {
            let path = tokens::link_path(&stored.url);
            match tokens::delete(&path).await {
                Ok(()) => {
                    sharing.deleted.set(true);
                    sharing.forget_deleted(page, path, yours);
                }
                Err(problem) => sharing.problem.set(Some(problem)),
            }
        });
    };
    let token = Signal::derive(move || sharing.new_link().map(|stored| stored.delete_token).unwrap_or_default());
    view! {
        <div class="row">
            <button class="btn small warn" type="button" on:click=delete>
                {t("Delete the link now")}
            </button>
            <span class="note">{ends} " " {t("You can delete it from this browser.")}</span>
            <CopyButton text=token label=t("Copy the deletion key") class="btn small" />
        </div>
    }
}

/// Makes a link of the chosen kind and adds it to `yours`, the list of everything that this browser has made on the
/// server. Unless the link is private or the server still has the result's job, the server first computes the result.
fn make(page: Page, sharing: ShareState, yours: RwSignal<Vec<OwnedObject>>) {
    let Some(shown) = page.shown.get_untracked() else { return };
    let kind = sharing.kind.get_untracked();
    sharing.chosen.set(Some(kind));
    sharing.working.set(true);
    sharing.problem.set(None);
    let view = page.link_view.with_untracked(for_class);
    spawn_local(async move {
        let lifetime = sharing.lifetime.get_untracked();
        let made = match kind {
            LinkKind::Private => sealed_links::store(&shown.form, lifetime).await.map(|stored| (stored, None)),
            LinkKind::Class => store(&shown, LinkLifetime::Day, Some(&view)).await,
            LinkKind::Fragment | LinkKind::Stored => store(&shown, lifetime, None).await,
        };
        // The page may show and share another result by now.
        let is_shown = page.shown.with_untracked(|now| now.as_ref().is_some_and(|now| now.serial == shown.serial));
        match made {
            Ok((stored, made_for_it)) => {
                tokens::keep_link(&stored, &about(&shown, kind), made_for_it.as_deref());
                yours.set(tokens::list_objects());
                if let Some(code) = &stored.class_code {
                    let code = ClassCode::new(code.clone(), stored.expires_at, tokens::link_path(&stored.url), &shown.form);
                    page.class_code.set(Some(code));
                }
                if is_shown {
                    sharing.made_links.update(|made| made.push((kind, stored)));
                }
            }
            Err(problem) if is_shown => sharing.problem.set(Some(problem)),
            Err(_) => {}
        }
        sharing.working.set(false);
    });
}

/// Returns the text of the entry for a link of the kind `kind` in the list of everything that this browser has made on
/// the server.
fn about(shown: &ShownResult, kind: LinkKind) -> String {
    let answer = shown.run.answer.as_ref().map(|answer| briefly(answer, shown.symbols, &shown.form.job_options())).unwrap_or_default();
    let name = |which: FormSide| shown.form.side(which).name.clone().unwrap_or_else(|| which.name().to_owned());
    match kind {
        // The entry does not quote the texts, because this browser does not store encrypted texts either.
        LinkKind::Private => tr!("{answer}: {a} and {b}, private", answer = answer, a = name(FormSide::A), b = name(FormSide::B)),
        LinkKind::Fragment | LinkKind::Stored | LinkKind::Class => {
            let [a, b] = form_names(&shown.form);
            tr!("{answer}: {a} and {b}", answer = answer, a = a, b = b)
        }
    }
}

/// Returns the view that a class code opens, as a fragment: `look`, the current view, without projector mode and
/// without answers of a quiz. Returns an empty text if the view is too long.
fn for_class(look: &LinkView) -> String {
    let parts = look.clone().on_projector(false).write();
    let view = parts.into_iter().filter(|part| !part.starts_with("answers=")).collect::<Vec<_>>().join("&");
    if view.len() <= MAX_VIEW_BYTES { view } else { String::new() }
}

/// Stores a result on the server. With `class_view`, the link gets a class code that opens this view. If the result is
/// not that of a job which the server still has, the server computes it first. Returns the link, and the id of the job
/// if there is a new one.
async fn store(shown: &ShownResult, lifetime: LinkLifetime, class_view: Option<&str>) -> Result<(CreatedLink, Option<String>), Problem> {
    let names = || FormSide::BOTH.map(|which| shown.form.side(which).name.clone());
    if let ResultLocation::Job(id) = &shown.location {
        match remote::store(id, lifetime, class_view, names()).await {
            Err(problem) if matches!(problem.status, 404 | 410) => {}
            stored => return stored.map(|stored| (stored, None)),
        }
    }
    let job = jobs::build_job(&shown.form, &UploadHandle::default(), |_| {}).await?;
    let id = remote::submit_and_wait(&job).await?;
    remote::wait_for_end(&id).await?;
    let stored = remote::store(&id, lifetime, class_view, names()).await?;
    Ok((stored, Some(id)))
}

/// Returns the whole address of the path `place` on this server, with scheme and host.
fn whole_address(place: String) -> String {
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    origin + &place
}
