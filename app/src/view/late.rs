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

/// Counts to `last`, one frame after the other, so that what is much to draw is drawn in pieces and nobody who types meanwhile waits
/// for all of it.
pub fn in_turn(last: u8) -> ReadSignal<u8> {
    let drawn = RwSignal::new(0);
    advance(drawn, last);
    drawn.read_only()
}

fn advance(drawn: RwSignal<u8>, last: u8) {
    // After the frame's paint, as a task of its own: drawing within the frame would make its own task the long one.
    request_animation_frame(move || {
        set_timeout(
            move || {
                if drawn.try_update(|drawn| *drawn += 1).is_some() && drawn.get_untracked() < last {
                    advance(drawn, last);
                }
            },
            std::time::Duration::ZERO,
        );
    });
}
