//! Observes the size of an element, for drawings that depend on it: [`on_resize`].

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlElement, ResizeObserver};

/// Calls `measure` with `element` when it is mounted and whenever its size changes, until the view is removed.
pub fn on_resize<E>(element: NodeRef<E>, measure: impl Fn(&HtmlElement) + Clone + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + Into<HtmlElement> + Clone + 'static,
{
    Effect::new(move |_| {
        let Some(element): Option<HtmlElement> = element.get().map(Into::into) else { return };
        let (measured, measure) = (element.clone(), measure.clone());
        let measure = Closure::<dyn Fn()>::new(move || measure(&measured));
        let Ok(observer) = ResizeObserver::new(measure.as_ref().unchecked_ref()) else { return };
        observer.observe(&element);
        let kept = StoredValue::new_local((observer, measure));
        on_cleanup(move || {
            kept.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
}
