//! Views that only a browser draws: a result, a run under way. The server never renders them and nothing of them is hydrated, so
//! that the code for both is left out of what every visitor downloads. For the same reason they avoid erased views, which
//! carry it along.

use leptos::html::Div;
use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::Render;
use wasm_bindgen::JsCast;

/// Draws what `what` says, anew whenever it says something else, and nothing while it says nothing.
pub fn late<T, V>(what: impl Fn() -> Option<T> + 'static, draw: impl Fn(T) -> V + Copy + 'static) -> impl IntoView
where
    T: PartialEq + Send + Sync + 'static,
    V: IntoView + 'static,
    <V as Render>::State: 'static,
{
    let place = NodeRef::<Div>::new();
    Effect::new(move |before: Option<Option<UnmountHandle<_>>>| {
        drop(before);
        let element = place.get()?;
        let value = what()?;
        Some(mount_to(element.unchecked_into(), move || draw(value)))
    });
    view! { <div node_ref=place></div> }
}
