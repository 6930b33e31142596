//! Observes changes of the page's colours: [`on_restyled`]. Drawings on a canvas must be redrawn after such a change,
//! because style sheets do not affect them.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MediaQueryList, MutationObserver, MutationObserverInit};

/// Attributes of the root element that determine the colours.
const ATTRIBUTES: [&str; 3] = ["data-theme", "data-palette", "data-projector"];

/// Media queries of system settings that determine the colours.
const OF_SYSTEM: [&str; 3] = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"];

/// Calls `change` in the frame after a change of theme, palette, projector mode or system colours, until the view is
/// removed.
pub fn on_restyled(change: impl Fn() + Copy + 'static) {
    Effect::new(move |_| {
        let told = Closure::<dyn Fn()>::new(move || request_animation_frame(change));
        let told_of = told.as_ref().unchecked_ref::<js_sys::Function>();
        let observer = MutationObserver::new(told_of).ok();
        if let (Some(observer), Some(root)) = (&observer, document().document_element()) {
            let names: js_sys::Array = ATTRIBUTES.iter().map(|name| wasm_bindgen::JsValue::from(*name)).collect();
            let wanted = MutationObserverInit::new();
            wanted.set_attribute_filter(&names);
            let _ = observer.observe_with_options(&root, &wanted);
        }
        let queries: Vec<MediaQueryList> = OF_SYSTEM.iter().filter_map(|query| window().match_media(query).ok().flatten()).collect();
        for query in &queries {
            let _ = query.add_event_listener_with_callback("change", told_of);
        }
        let kept = StoredValue::new_local((observer, queries, told));
        on_cleanup(move || {
            kept.try_with_value(|(observer, queries, told)| {
                observer.iter().for_each(MutationObserver::disconnect);
                for query in queries {
                    let _ = query.remove_event_listener_with_callback("change", told.as_ref().unchecked_ref());
                }
            });
        });
    });
}
