//! Views with separately downloaded code, drawn by [`lazy`](fn@lazy). The browser downloads the code before it draws
//! the view for the first time.
//!
//! A part is a function marked `#[wasm_split]` ([`parts`](crate::view::browser::parts)). In the browser it is
//! asynchronous. Its body, with all code that only the body needs, is in another wasm file. On the server and in tests
//! it is a plain function. It returns a function that draws the view, so that the caller can first check whether the
//! view is still wanted. As with [`client_only`](mod@super::client_only), the server never draws such a view.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use leptos::html::Div;
#[cfg(not(feature = "ssr"))]
use leptos::mount::mount_to;
use leptos::prelude::*;
#[cfg(not(feature = "ssr"))]
use leptos::tachys::view::Render;
use leptos::task::spawn_local;
use leptos::wasm_split::SplitLoaderError;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::model::problem::Problem;
use crate::page::Page;

/// A view that was drawn into an element. Dropping this value removes the view.
pub struct MountedView(#[expect(dead_code, reason = "kept to be dropped")] Box<dyn Any>);

/// A function that draws a view of a value of type `T` into an element.
pub type DrawFunction<T> = fn(HtmlElement, T) -> MountedView;

/// The result of downloading a part: the function that draws its view, or the error of a failed download.
pub type LazyPart<T> = Result<DrawFunction<T>, SplitLoaderError>;

/// Draws `view` into the element `place`.
#[cfg(not(feature = "ssr"))]
pub fn draw_into<V>(place: HtmlElement, view: impl FnOnce() -> V + 'static) -> MountedView
where
    V: IntoView + 'static,
    <V as Render>::State: 'static,
{
    MountedView(Box::new(mount_to(place, view)))
}

/// Does nothing on the server. Never calls the given function, so that the code of parts is not compiled into the
/// server.
#[cfg(feature = "ssr")]
pub fn draw_into<V>(_: HtmlElement, _: impl FnOnce() -> V + 'static) -> MountedView {
    MountedView(Box::new(()))
}

/// A slot for the mounted view of a part (separately downloaded code); `None` until the code is downloaded.
type ViewSlot = Rc<RefCell<Option<MountedView>>>;

/// Draws the value of `what` by the part that `load` downloads. Redraws whenever the value changes, and draws nothing
/// while it is `None`. A failed download becomes a problem on the page, and is repeated once the page no longer shows
/// that problem.
pub fn lazy<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: 'static,
    L: Future<Output = LazyPart<T>> + 'static,
{
    let place = place_of(what, load);
    view! { <div node_ref=place></div> }
}

/// Draws like [`lazy`](fn@lazy), but in an element of the CSS class `among`, which usually has no box of its own in the
/// layout.
pub fn lazy_inline<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: 'static,
    L: Future<Output = LazyPart<T>> + 'static,
{
    let place = place_of(what, load);
    view! { <div class="among" node_ref=place></div> }
}

/// Returns a reference to the element into which the part is drawn. The caller must mount such an element. Parameters
/// are those of [`lazy`](fn@lazy).
fn place_of<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> NodeRef<Div>
where
    T: 'static,
    L: Future<Output = LazyPart<T>> + 'static,
{
    let page = expect_context::<Page>();
    let place = NodeRef::<Div>::new();
    let lost = RwSignal::new(false);
    Effect::new(move |before: Option<ViewSlot>| {
        drop(before);
        let slot = ViewSlot::default();
        let waiting = lost.get() && page.problem.with(Option::is_some);
        let (Some(element), Some(value), Some(owner)) = (place.get(), what(), Owner::current()) else { return slot };
        if waiting {
            return slot;
        }
        let wanted = Rc::downgrade(&slot);
        spawn_local(async move {
            let part = load().await;
            let Some(slot) = wanted.upgrade() else { return };
            match part {
                Ok(draw) => *slot.borrow_mut() = Some(owner.with(|| draw(element.unchecked_into(), value))),
                Err(_) => {
                    page.problem.set(Some(Problem::part_missing()));
                    lost.set(true);
                }
            }
        });
        slot
    });
    place
}

/// Draws the first value of `what` by the part that `load` downloads, and passes later values to the view through a
/// signal instead of redrawing it. The elements of the view survive, and so do the focus and live regions. The view is
/// removed while `what` is `None`.
pub fn later_updated<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: Send + Sync + 'static,
    L: Future<Output = LazyPart<ArcRwSignal<T>>> + 'static,
{
    let drawn = RwSignal::new(None::<ArcRwSignal<T>>);
    Effect::new(move |_| match (what(), drawn.get_untracked()) {
        (None, None) => {}
        (None, Some(_)) => drawn.set(None),
        (Some(next), Some(value)) => value.set(next),
        (Some(first), None) => drawn.set(Some(ArcRwSignal::new(first))),
    });
    lazy(move || drawn.get(), load)
}
