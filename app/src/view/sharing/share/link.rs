//! A finished link ([`TheLink`]) as a text, as a QR code and as HTML for other pages, with the share menu of the
//! operating system and a picture of the result.

use explain::worker_protocol::query::{CodeQuery, QrCode};
use js_sys::{Function, Object, Reflect};
use leptos::html::{Figure, Input};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;

use super::{LinkKind, ShareState, about, picture};
use crate::backend::local;
use crate::model::link::link_view::{LinkView, Tab, range};
use crate::model::text::markup::escape;
use crate::page::Page;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyButton;
use crate::view::widgets::icon::{Icon, icon};

/// Options of a frame in another site's page: the parts that it shows beside the result.
#[derive(Clone, Copy)]
struct EmbedOptions {
    texts: RwSignal<bool>,
    controls: RwSignal<bool>,
    projector: RwSignal<bool>,
    /// The range of steps to show, such as `3-9`, as the visitor typed it. All steps are shown if the text is empty or
    /// not a range.
    steps: RwSignal<String>,
}

impl EmbedOptions {
    fn new() -> Self {
        let off = || RwSignal::new(false);
        Self { texts: RwSignal::new(true), controls: off(), projector: off(), steps: RwSignal::default() }
    }
}

/// Renders the link of the chosen kind with all its forms and options.
#[component]
pub fn TheLink() -> impl IntoView {
    let sharing = expect_context::<ShareState>();
    let page = expect_context::<Page>();
    let link = Signal::derive(move || sharing.link.get().unwrap_or_default());
    let frame = EmbedOptions::new();
    // A view with steps needs controls; an answer does not.
    let steps = Memo::new(move |_| has_steps(&link.get()));
    Effect::new(move |_| frame.controls.set(steps.get()));
    let title = move || page.shown.with(|shown| shown.as_ref().map(|shown| about(shown, LinkKind::Stored))).unwrap_or_default();
    let code = Signal::derive(move || embed(&link.get(), &title(), frame));
    let note = move || match sharing.kind.get() {
        LinkKind::Fragment => t("Anyone with the link can read both texts. Nothing is stored on the server."),
        LinkKind::Class => t("Anyone with the code can read both texts. Each student gets a copy to change. Your page stays as it is."),
        LinkKind::Stored => t("Anyone with the link sees the result and both texts, even without JavaScript."),
        LinkKind::Private => t("Anyone with the whole link can read the texts. The server sees only how large they are."),
    };
    let check = |on: RwSignal<bool>, label: &'static str| {
        view! {
            <label class="check">
                <input type="checkbox" prop:checked=on on:change:target=move |event| on.set(event.target().checked()) />
                <span>{label}</span>
            </label>
        }
    };
    let class_code = move || sharing.new_link().filter(|_| sharing.kind.get() == LinkKind::Class).and_then(|stored| stored.class_code);
    let is_typed = move || sharing.kind.get() == LinkKind::Class;
    view! {
        <div class="made">
            <div class="stack">
                {move || class_code().map(|code| view! { <p class="class-code" translate="no">{code}</p> })}
                <LinkRow id="share-link" label=t("Link") text=link main=true />
                <p class="note">{note}</p>
                <div hidden=move || is_typed() || page.link_view.with(LinkView::is_first)>
                    {check(sharing.keeps_view, t("Open at the view and step I am showing"))}
                </div>
                <div hidden=is_typed>{check(sharing.projector, t("Start in projector mode (large screens only)"))}</div>
                <div class="stack" hidden=move || matches!(sharing.kind.get(), LinkKind::Private | LinkKind::Class)>
                    <LinkRow id="share-frame" label=t("Embed in your own page") text=code main=false />
                    <div class="row wide">
                        {check(frame.texts, t("Show the texts"))} {check(frame.controls, t("Show controls"))}
                        {check(frame.projector, t("Large type"))}
                        <label class="check" hidden=move || !has_steps(&link.get())>
                            <span>{t("Only the steps")}</span>
                            <input
                                class="text column"
                                placeholder="3-9"
                                autocomplete="off"
                                aria-invalid=move || frame.steps.with(|steps| !steps.is_empty() && range(steps).is_none()).then_some("true")
                                on:input:target=move |event| frame.steps.set(event.target().value())
                            />
                        </label>
                    </div>
                </div>
                <div class="row">
                    <picture::Save png=true />
                    <picture::Save png=false />
                    <Hand link />
                </div>
            </div>
            <Code link />
        </div>
    }
}

/// Returns whether a link leads to a view with steps: the matrix or a lens.
fn has_steps(link: &str) -> bool {
    link.split_once('#').is_some_and(|(_, fragment)| LinkView::read(fragment).tab == Tab::Matrix)
}

/// Returns the HTML that shows `link` in a frame of another site's page, with the options `frame`. `title` is the title
/// of the frame.
fn embed(link: &str, title: &str, frame: EmbedOptions) -> String {
    let Some(at) = link.find("://").and_then(|scheme| link[scheme + 3..].find('/').map(|slash| scheme + 3 + slash)) else {
        return String::new();
    };
    let (origin, place) = link.split_at(at);
    let (path, fragment) = place.split_once('#').unwrap_or((place, ""));
    let path = if path == "/" { format!("/{}", kernels::job::Task::ALL[0].name()) } else { path.to_owned() };
    let asked = [(frame.texts.get(), "texts"), (!frame.controls.get(), "controls=off"), (frame.projector.get(), "projector")];
    let mut parts: Vec<&str> = if fragment.is_empty() { Vec::new() } else { vec![fragment] };
    parts.extend(asked.into_iter().filter(|(on, _)| *on).map(|(_, part)| part));
    let steps = frame.steps.with(|steps| range(steps)).filter(|_| has_steps(link)).map(|(from, to)| format!("steps={from}-{to}"));
    parts.extend(steps.as_deref());
    // Some pages ignore the height that the frame reports. The smaller height suffices for the answer of two lines:
    // both text fields, the headline, a row of each text and the link. A matrix with its controls and the sums of a
    // cell needs more.
    let height = if LinkView::read(fragment).tab == Tab::Matrix || frame.projector.get() { 640 } else { 460 };
    let hash = if parts.is_empty() { "" } else { "#" };
    let source = escape(&format!("{origin}/embed{path}{hash}{}", parts.join("&")));
    format!(
        "<iframe src=\"{source}\" title=\"{}\" width=\"100%\" height=\"{height}\" style=\"border:0\" loading=\"lazy\"></iframe>",
        escape(title)
    )
}

/// Renders a field with the id `id` and the name `label` that contains `text`, and a button that copies it. If `main`
/// is set, the button is prominent.
#[component]
pub fn LinkRow(id: &'static str, label: &'static str, text: Signal<String>, main: bool) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <div class="linkrow">
                <input class="text" id=id node_ref=field readonly prop:value=text on:focus:target=|event| event.target().select() />
                <CopyButton text class=if main { "btn main" } else { "btn" } field />
            </div>
        </div>
    }
}

/// Renders a button that opens the share menu of the operating system, if the browser supports it.
#[component]
pub fn Hand(link: Signal<String>) -> impl IntoView {
    let navigator = web_sys::window().map(|window| window.navigator());
    let share = navigator.as_ref().and_then(|navigator| Reflect::get(navigator, &"share".into()).ok()?.dyn_into::<Function>().ok());
    share.zip(navigator).map(|(share, navigator)| {
        let (share, navigator) = (StoredValue::new_local(share), StoredValue::new_local(navigator));
        let hand = move |_| {
            let what = Object::new();
            let _ = Reflect::set(&what, &"title".into(), &document().title().into());
            let _ = Reflect::set(&what, &"url".into(), &link.get_untracked().into());
            share.with_value(|share| navigator.with_value(|navigator| drop(share.call1(navigator, &what))));
        };
        view! {
            <button class="btn small" type="button" on:click=hand>
                {t("Send it")}
            </button>
        }
    })
}

/// Maximum number of letters of the address below a full-screen QR code.
const MAX_ADDRESS: usize = 120;

/// Returns an address without its scheme, shortened if it is long.
fn in_brief(link: &str) -> String {
    let address = link.split_once("://").map_or(link, |(_, address)| address);
    match address.char_indices().nth(MAX_ADDRESS) {
        Some((end, _)) => format!("{}…", &address[..end]),
        None => address.to_owned(),
    }
}

/// Renders the link as a QR code, which is drawn in this browser. If `plain` is set, there is no full-screen button, as
/// for print.
#[component]
pub fn Code(link: Signal<String>, #[prop(optional)] plain: bool) -> impl IntoView {
    let drawn = RwSignal::new(None::<QrCode>);
    let figure = NodeRef::<Figure>::new();
    Effect::new(move |_| {
        let text = link.get();
        drawn.set(None);
        if text.is_empty() {
            return;
        }
        spawn_local(async move {
            let code = local::query_any_result(CodeQuery { text: text.clone() }, &[]).await;
            if link.try_get_untracked() == Some(text) {
                drawn.try_set(code);
            }
        });
    });
    let whole_screen = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        if let Some(figure) = figure.get_untracked() {
            let _ = figure.request_fullscreen();
        }
    };
    // A click anywhere closes the full screen, as Escape does.
    let leave = move |_| {
        if document().fullscreen_element().is_some() {
            document().exit_fullscreen();
        }
    };
    view! {
        <figure class="stack tight code" node_ref=figure hidden=move || drawn.with(Option::is_none) on:click=leave>
            <svg
                class="qr"
                viewBox=move || drawn.with(|drawn| drawn.as_ref().map(|code| format!("-1 -1 {0} {0}", code.size + 2)))
                shape-rendering="crispEdges"
                role="img"
                aria-label=t("QR code of the link")
            >
                <path d=move || drawn.with(|drawn| drawn.as_ref().map(|code| code.path.clone()))></path>
            </svg>
            {(!plain)
                .then(|| {
                    view! {
                        <p class="on-screen" translate="no">{move || link.with(|link| in_brief(link))}</p>
                        <button class="btn ghost only on-screen" type="button" aria-label=t("Close")>
                            {icon(Icon::Cross)}
                        </button>
                        <button class="btn ghost small" type="button" on:click=whole_screen>
                            {t("Show full screen")}
                        </button>
                    }
                })}
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_shows_the_same_view_as_the_link() {
        Owner::new().with(|| {
            let frame = EmbedOptions::new();
            let source = |link: &str| {
                let code = embed(link, "3 edits: \"a\" and <b>", frame);
                assert!(
                    code.ends_with(
                        "title=\"3 edits: &quot;a&quot; and &lt;b&gt;\" width=\"100%\" height=\"460\" style=\"border:0\" loading=\"lazy\"></iframe>"
                    ),
                    "{code}"
                );
                code.split('"').nth(1).map(str::to_owned).unwrap_or_default()
            };
            assert_eq!(source("https://e.example/r/1"), "https://e.example/embed/r/1#texts&amp;controls=off");
            frame.texts.set(false);
            frame.controls.set(true);
            assert_eq!(source("https://e.example/#a=x&b=y"), "https://e.example/embed/edit-distance#a=x&amp;b=y");
            assert_eq!(source("https://e.example/lcs#a=x"), "https://e.example/embed/lcs#a=x");
            assert_eq!(source("https://e.example/r/1"), "https://e.example/embed/r/1");
            frame.texts.set(true);
            frame.controls.set(false);
            frame.steps.set("3-9".into());
            assert_eq!(source("https://e.example/r/1"), "https://e.example/embed/r/1#texts&amp;controls=off", "an alignment has no steps");
            let matrix = embed("https://e.example/#a=x&b=y&view=matrix", "", frame);
            assert!(matrix.contains("view=matrix&amp;texts&amp;controls=off&amp;steps=3-9\""), "{matrix}");
        });
    }
}
