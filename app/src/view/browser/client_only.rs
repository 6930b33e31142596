//! Views that only a browser draws, such as a result or a run under way: [`client_only`](fn@client_only). The server
//! never renders them and they are never hydrated, so that every visitor downloads less code. They also avoid
//! type-erased views (`AnyView`), which would include the code of hydration.

use leptos::html::Div;
use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::Render;
use wasm_bindgen::JsCast;

/// Draws the value of `what` with `draw`, redraws it whenever the value changes, and draws nothing while it is `None`.
pub fn client_only<T, V>(what: impl Fn() -> Option<T> + 'static, draw: impl Fn(T) -> V + Copy + 'static) -> impl IntoView
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

/// Returns a signal that counts from 0 to `last`, one step per frame of the browser. Large views use it to draw one
/// section after another, so that typing is not delayed until all sections are drawn.
pub fn in_turn(last: u8) -> ReadSignal<u8> {
    let drawn = RwSignal::new(0);
    advance(drawn, last);
    drawn.read_only()
}

fn advance(drawn: RwSignal<u8>, last: u8) {
    // Counts in a separate task after the frame was painted. If sections were drawn within the callback of the frame,
    // they would make one long task.
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
