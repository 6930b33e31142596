//! The page: rendered once by the server (feature `ssr`), then hydrated in the browser (feature `hydrate`).
//!
//! ```text
//! typed or opened → form → page → backend::local (worker) | backend::remote (API) → events → run (reducer) → view
//! ```
//!
//! [`shell`] is the document around the page; only the server renders it. [`App`] is the page itself. The server and
//! the browser both render it, and the first page must be the same in both. The document tells the browser where files
//! are: `<meta name="pkg">` has the folder of this build's scripts, because the folder's name contains a hash.
//!
//! - [`model`]: the state of the page, without a browser: forms, addresses, runs, and results as they are shown
//! - [`backend`]: the origin of events and results (worker or API), and the data that the browser remembers
//! - [`page`]: actions of the controls, and execution of the effects that the model returns
//! - [`mod@view`]: the components
//! - `static_pages`: pages without scripts, and a shared result for readers without scripts; compiled for the server
//!   only
//! - [`mod@tr`]: translation into the visitor's language, used by all the others
//!
//! Each module uses only modules above it in this list. All use `tr`, which uses none. A test checks this order.
#![forbid(unsafe_code)]
#![recursion_limit = "256"]
// No other crate draws a view or sends a form. Items that are private to this crate let the compiler drop code that the
// server never calls.
#![expect(unreachable_pub, reason = "within the page the parts of a module are public")]

use leptos::either::{Either, EitherOf3};
use leptos::ev;
use leptos::nonce::use_nonce;
use leptos::prelude::*;

use crate::backend::document;
use crate::model::form::FormState;
use crate::model::preferences;
use crate::model::result::preview;
use crate::model::text::markup::escape;
use crate::model::visit::{self, LinkPreview, PageRoute, PageVisit};
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::{Language, t};
use crate::view::collections::frame::CollectionsMain;
use crate::view::form::recent::RecentOpen;
use crate::view::header::{Header, show_projector};
use crate::view::sharing::framed::Framed;
use crate::view::sharing::share::ShareOpen;
use crate::view::sharing::sheet::PrintPage;
use crate::view::widgets::help::HelpOpen;
use crate::view::widgets::keys::{is_dialog_open, is_shortcut, is_undo};
use crate::view::{Footer, Main};

mod backend;
pub mod model;
mod page;
#[cfg(feature = "ssr")]
pub mod static_pages;
#[cfg(test)]
mod tests;
pub mod tr;
mod view;

/// Renders the whole HTML document around the page. The Leptos context provides the [`PageVisit`], such as address and
/// language of the request. Only the server calls this function. `options` has the folder of the build's scripts and
/// styles.
pub fn shell(options: &LeptosOptions) -> impl IntoView + use<> {
    let pkg = format!("/{}", options.site_pkg_dir);
    let visit = use_context::<PageVisit>().unwrap_or_default();
    provide_context(visit.language);
    // Sites that embed results read the embed code (oEmbed) from this address.
    let oembed = visit.origin.as_ref().filter(|_| visit.article.is_some()).map(|origin| {
        let address = format!("{origin}{}", visit.path).replace(':', "%3A").replace('/', "%2F");
        format!("{origin}/api/v1/oembed?url={address}")
    });
    // The preview picture is a PNG, because programs that preview links do not accept SVG.
    let card = visit.origin.as_ref().zip(visit.path.strip_prefix("/r/")).filter(|_| visit.article.is_some());
    let card = card.map(|(origin, id)| preview::card(origin, id.trim_end_matches('/'), visit.language));
    let is_collections = PageRoute::of(&visit.path) == PageRoute::Collections;
    let preview = if is_collections { LinkPreview::of_collections } else { LinkPreview::of_page };
    let LinkPreview { title, description } = visit.preview.unwrap_or_else(preview);
    view! {
        <!DOCTYPE html>
        <html
            lang=visit.language.tag()
            data-theme=visit.theme
            data-palette=visit.print.then_some("print")
            data-embed=visit::is_embed(&visit.path).then_some("")
        >
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="pkg" content=pkg.clone() />
                // The content of a title is plain text. Leptos would add marker comments between views.
                <title inner_html=escape(&title)></title>
                <meta name="description" content=description.clone() />
                {leptos::html::meta().attr("property", "og:title").attr("content", title)}
                {leptos::html::meta().attr("property", "og:description").attr("content", description)}
                {card.map(previewed)}
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" href=format!("{pkg}/style.css") />
                <link rel="stylesheet" href=format!("{pkg}/searches.css") />
                <link rel="stylesheet" href=format!("{pkg}/alignment.css") />
                <link rel="stylesheet" href=format!("{pkg}/share.css") />
                {is_collections.then(|| view! { <link rel="stylesheet" href=format!("{pkg}/collections.css") /> })}
                {oembed.map(|address| leptos::html::link().attr("rel", "alternate").attr("type", "application/json+oembed").attr("href", address))}
                <script nonce=use_nonce()>{ARRIVES}</script>
                <link rel="modulepreload" href=format!("{pkg}/app.js") />
                <link rel="preload" href=format!("{pkg}/app_bg.wasm") r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
                <link rel="modulepreload" href=format!("{pkg}/later.js") />
                {words_of(visit.language, &pkg)}
                <script type="module" nonce=use_nonce()>{STARTS}</script>
                {visit::is_embed(&visit.path).then(|| view! { <script nonce=use_nonce()>{TELLS_HEIGHT}</script> })}
            </head>
            <body>
                <App />
                <p class="dead" id="dead" role="alert" hidden>
                    {t("The program of this page did not load, so nothing here works. Check the connection and reload the page.")}
                </p>
                <p class="dead" id="stopped" role="alert" hidden>
                    {t("The program of this page has stopped because of an error. Reload the page to continue.")}
                </p>
            </body>
        </html>
    }
}

/// Script that prepares the layout for the view that the address names, such as a matrix, before the first paint.
///
/// Without this script the page would move when the view appears. The server cannot prepare the layout, because the
/// part of an address after `#` is only known in the browser. The page undoes the layout if no such view appears.
const ARRIVES: &str = r#"if (/[#&][abz]=[^&]/.test(location.hash)) {
	document.documentElement.dataset.arrives = "";
	if (/[#&]view=matrix\b/.test(location.hash)) {
		new MutationObserver((_, observer) => {
			const main = document.getElementById("main"), ask = main?.querySelector(".ask");
			main?.classList.add("lens-page");
			ask?.classList.add("folded", "ready");
			if (ask) observer.disconnect();
		}).observe(document, { childList: true, subtree: true });
	}
}"#;

/// Script for pages in a frame: reports the height of the content to the embedding page whenever it changes.
const TELLS_HEIGHT: &str = r#"if (parent !== window) {
	const tell = () => parent.postMessage({ editscope: { height: document.documentElement.offsetHeight } }, "*");
	new ResizeObserver(tell).observe(document.documentElement);
}"#;

/// Script that loads the program of the page and hydrates the document.
///
/// Shows a message if the program fails to load, stops at once or takes longer than 20 seconds, because the form would
/// not react. Shows another message if the program panics later: a panic ends in a trap, after which no function of the
/// program may be called.
const STARTS: &str = r#"const pkg = document.querySelector("meta[name=pkg]").content;
const dead = document.getElementById("dead");
const wait = setTimeout(() => (dead.hidden = false), 20000);
const stops = (error) => {
	if (error instanceof WebAssembly.RuntimeError && dead.hidden) document.getElementById("stopped").hidden = false;
};
addEventListener("error", ({ error }) => stops(error));
addEventListener("unhandledrejection", ({ reason }) => stops(reason));
const read = async ({ href }) => {
	const answer = await fetch(href);
	if (!answer.ok) throw new Error(`${href}: ${answer.status}`);
	return answer.text();
};
try {
	const words = document.getElementById("words");
	const load = async () => {
		const page = await import(`${pkg}/app.js`);
		await page.default({ module_or_path: `${pkg}/app_bg.wasm` });
		return page;
	};
	const [page, texts] = await Promise.all([load(), words ? read(words) : undefined]);
	page.hydrate(texts);
	dead.hidden = true;
} catch (error) {
	dead.hidden = false;
	throw error;
} finally {
	clearTimeout(wait);
}"#;

/// Renders the meta elements that name the preview picture `card` of a link. The picture has 1200 × 630 pixels.
fn previewed(card: String) -> impl IntoView {
    let property = |name: &'static str, content: String| leptos::html::meta().attr("property", name).attr("content", content);
    let large = leptos::html::meta().attr("name", "twitter:card").attr("content", "summary_large_image");
    let size = [("og:image:width", "1200"), ("og:image:height", "630")].map(|(name, pixels)| property(name, pixels.into()));
    (property("og:image", card), size, large)
}

/// Renders a preload link to the catalogue (the translated texts) of `language` in the folder `pkg`. Returns `None` for
/// English, the language of the source.
///
/// The catalogue is a file of the build, so that the browser can cache it. Hydration waits for it, so that the browser
/// renders the same first page as the server.
fn words_of(language: Language, pkg: &str) -> Option<impl IntoView + use<>> {
    let address = format!("{pkg}/words/{}.json", language.tag());
    let link = || leptos::html::link().attr("rel", "preload").attr("id", "words").attr("href", address);
    (language != Language::English).then(|| link().attr("as", "fetch").attr("type", "application/json").attr("crossorigin", "anonymous"))
}

/// Renders the header, the content and the footer. In a frame of another site, renders only the content and a link to
/// the full page.
///
/// A change of the language renders everything again. The state of the page is kept.
#[component]
pub fn App() -> impl IntoView {
    let visit = document::current();
    provide_context(visit.language);
    let page = Page::new(FormState::new(visit.task()), view::browser::parts::load_actions, view::browser::parts::prepare);
    provide_context(page);
    let language = RwSignal::new(visit.language);
    provide_context(language);
    let help = HelpOpen(RwSignal::new(false));
    provide_context(help);
    provide_context(RecentOpen(RwSignal::new(false)));
    provide_context(ShareOpen(RwSignal::new(false)));
    Effect::new(move |_| begin(page, help));
    let framed = visit::is_embed(&visit.path);
    move || {
        language.track();
        let visit = visit.clone();
        let path = visit.path.clone();
        view! {
            {(!framed)
                .then(|| {
                    view! {
                        <a class="skip" href="#main" on:click=skip>
                            {t("Skip to content")}
                        </a>
                        <Header />
                    }
                })}
            {match PageRoute::of(&path) {
                PageRoute::Print => EitherOf3::A(view! { <PrintPage /> }),
                PageRoute::Collections => EitherOf3::B(view! { <CollectionsMain /> }),
                _ => EitherOf3::C(view! { <Main visit /> }),
            }}
            {if framed { Either::Left(view! { <Framed path /> }) } else { Either::Right(view! { <Footer /> }) }}
        }
    }
}

/// Handles a click on the link that skips the header: moves the focus to the content and leaves the address unchanged.
/// Following the link would overwrite the fragment of the address, which holds texts, views and keys.
fn skip(event: ev::MouseEvent) {
    event.prevent_default();
    let main = document().get_element_by_id("main").and_then(|main| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(main).ok());
    if let Some(main) = main {
        let _ = main.set_attribute("tabindex", "-1");
        let _ = main.focus();
        main.scroll_into_view();
    }
}

/// Length in bytes from which parsing the fragment of an address takes noticeable time.
const SLOW_FRAGMENT_BYTES: usize = 2_000;

/// Media query for windows that are wide enough for projector mode (large type, few controls). Pages in a frame are
/// exempt, because the embedding page chooses their width.
const MIN_PROJECTOR_WIDTH: &str = "(min-width: 48rem)";

fn is_wide() -> bool {
    let is_frame = window().location().pathname().is_ok_and(|path| visit::is_embed(&path));
    is_frame || window().match_media(MIN_PROJECTOR_WIDTH).ok().flatten().is_none_or(|query| query.matches())
}

/// Initializes the hydrated page: adopts text typed before hydration, opens the address and registers handlers for keys
/// and history. The key `?` sets `help` to open the help dialog.
fn begin(page: Page, help: HelpOpen) {
    preferences::read_cookies(&document::cookies());
    view::browser::keep_focus::keep_focus();
    view::adopt_typed(page);
    page::address_bar::restore();
    // Hydration was one long task already, so that long texts of a link are parsed in a task of their own.
    if window().location().hash().is_ok_and(|hash| hash.len() > SLOW_FRAGMENT_BYTES) {
        set_timeout(move || page.open_initial_address(), std::time::Duration::ZERO);
    } else {
        page.open_initial_address();
    }
    let keys = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !is_dialog_open() {
            event.prevent_default();
            page.dispatch(Action::Start);
        } else if event.key().eq_ignore_ascii_case("p") && is_shortcut(&event) {
            page.toggle_projector();
        } else if event.key() == "?" && is_shortcut(&event) {
            help.0.set(true);
        } else if event.key().eq_ignore_ascii_case("x") && is_shortcut(&event) {
            page.swap();
        } else if is_undo(&event) && page.can_undo() {
            event.prevent_default();
            page.dispatch(Action::Undo);
        } else if event.key() == "Escape" && page.is_undo_offered.get_untracked() && !is_dialog_open() {
            page.end_offer();
        }
    });
    // A phone that opens an address with projector mode gets the layout for phones.
    let is_wide = RwSignal::new(is_wide());
    let resized = window_event_listener(ev::resize, move |_| {
        let wide = self::is_wide();
        if is_wide.get_untracked() != wide {
            is_wide.set(wide);
        }
    });
    Effect::new(move |_| show_projector(is_wide.get() && page.link_view.with(|look| look.projector)));
    let back = window_event_listener(ev::popstate, move |_| page.open_initial_address());
    let seen = window_event_listener(ev::visibilitychange, move |_| page.dispatch_follow_up(Action::Wake));
    let online = window_event_listener(ev::online, move |_| page.dispatch_follow_up(Action::Online));
    let leaving = window_event_listener(ev::beforeunload, move |_| page.begin_leaving());
    let left = window_event_listener(ev::pagehide, move |_| page.flush_address());
    on_cleanup(move || {
        keys.remove();
        resized.remove();
        back.remove();
        seen.remove();
        online.remove();
        leaving.remove();
        left.remove();
    });
}

/// Hydrates the document that the server rendered. The script `STARTS` calls this function once the wasm module is
/// loaded.
///
/// `texts` is the catalogue (the translated texts) of the document's language as JSON, or `None` for English.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate(texts: Option<String>) {
    // Release builds only tell visitors that the program stopped (`STARTS`).
    #[cfg(debug_assertions)]
    console_error_panic_hook::set_once();
    #[cfg(not(feature = "ssr"))]
    backend::document::speak_as_the_document(texts.as_deref());
    #[cfg(feature = "ssr")]
    drop(texts);
    leptos::mount::hydrate_body(App);
}
