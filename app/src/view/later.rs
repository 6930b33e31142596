//! Views whose code is a part of its own: the browser downloads it when the view is to be drawn for the first time.
//!
//! A part is a function marked `#[wasm_split]` ([`parts`](super::parts)): in the browser it is asynchronous, and its body and all
//! that only the body needs lie in another wasm file. On the server and in tests it is a plain function. It returns how to draw
//! the view, so that whether the view is still wanted can be asked in between. As with [`late`](mod@super::late), the server never
//! draws such a view.

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

/// A view that is drawn. Dropping it takes it away.
pub struct Drawn(#[expect(dead_code, reason = "kept to be dropped")] Box<dyn Any>);

/// Draws a view of a value into an element.
pub type Draw<T> = fn(HtmlElement, T) -> Drawn;

/// What a part returns: how to draw, or that it could not be downloaded.
pub type Part<T> = Result<Draw<T>, SplitLoaderError>;

/// Draws `view` into `place`.
#[cfg(not(feature = "ssr"))]
pub fn draw_into<V>(place: HtmlElement, view: impl FnOnce() -> V + 'static) -> Drawn
where
    V: IntoView + 'static,
    <V as Render>::State: 'static,
{
    Drawn(Box::new(mount_to(place, view)))
}

/// The server never draws a part: what only parts need is not compiled into it.
#[cfg(feature = "ssr")]
pub fn draw_into<V>(_: HtmlElement, _: impl FnOnce() -> V + 'static) -> Drawn {
    Drawn(Box::new(()))
}

/// Where a view will be, once its code is there.
type Slot = Rc<RefCell<Option<Drawn>>>;

/// Draws what `what` says by the part that `load` brings, anew whenever it says something else, and nothing while it says nothing.
/// A part that cannot be downloaded is a problem on the page, and is tried again when the visitor has dealt with that.
pub fn later<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: 'static,
    L: Future<Output = Part<T>> + 'static,
{
    let place = place_of(what, load);
    view! { <div node_ref=place></div> }
}

/// As [`later`], for what stands among its neighbours as if nothing were around it.
pub fn later_among<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: 'static,
    L: Future<Output = Part<T>> + 'static,
{
    let place = place_of(what, load);
    view! { <div class="among" node_ref=place></div> }
}

/// What is drawn goes into this element.
fn place_of<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> NodeRef<Div>
where
    T: 'static,
    L: Future<Output = Part<T>> + 'static,
{
    let page = expect_context::<Page>();
    let place = NodeRef::<Div>::new();
    let lost = RwSignal::new(false);
    Effect::new(move |before: Option<Slot>| {
        drop(before);
        let slot = Slot::default();
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

/// As [`later`], for a view that is drawn once and then takes what changes, so that it keeps its elements: the focus in them, and regions
/// that screen readers listen to. It goes while `what` says nothing.
pub fn later_updated<T, L>(what: impl Fn() -> Option<T> + 'static, load: impl Fn() -> L + Copy + 'static) -> impl IntoView
where
    T: Send + Sync + 'static,
    L: Future<Output = Part<ArcRwSignal<T>>> + 'static,
{
    let drawn = RwSignal::new(None::<ArcRwSignal<T>>);
    Effect::new(move |_| match (what(), drawn.get_untracked()) {
        (None, None) => {}
        (None, Some(_)) => drawn.set(None),
        (Some(next), Some(value)) => value.set(next),
        (Some(first), None) => drawn.set(Some(ArcRwSignal::new(first))),
    });
    later(move || drawn.get(), load)
}
