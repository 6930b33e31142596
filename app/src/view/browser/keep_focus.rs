//! Keeps the focus on the page ([`keep_focus`]). If the focused element is removed or hidden, a nearby element receives
//! the focus. Otherwise the focus would fall to the body, and keyboard users would have to start at the top again.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

/// Selector of the elements that preferably receive the focus if they are near a removed element: the button that
/// cancels a run, and the answer. Hidden ones take no focus.
const PREFERRED: &str = "[data-takes-focus]:not([hidden],[hidden] *)";

/// The focused element and its ancestors, from the innermost to the outermost.
type FocusPath = Rc<RefCell<Vec<Element>>>;

/// Starts to restore the focus whenever its element is removed or hidden, for as long as the page is open.
pub fn keep_focus() {
    let path = FocusPath::default();
    let kept = path.clone();
    let focused = window_event_listener(ev::focusin, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        *kept.borrow_mut() = std::iter::successors(target, |element| element.parent_element()).collect();
    });
    let kept = path.clone();
    let left = window_event_listener(ev::focusout, move |event| {
        if event.related_target().is_some() {
            return;
        }
        // Browsers report a loss of focus also just before they remove the focused element. If the element is still
        // there a moment later, the visitor has clicked elsewhere or switched windows.
        let (kept, left) = (kept.clone(), event.target().and_then(|target| target.dyn_into::<Element>().ok()));
        let forget = move || {
            let is_left = kept.borrow().first() == left.as_ref() && left.as_ref().is_some_and(is_visible);
            if is_left && document().active_element() != left {
                kept.borrow_mut().clear();
            }
        };
        set_timeout(forget, std::time::Duration::ZERO);
    });
    let closure = Closure::<dyn Fn()>::new(move || restore(&path));
    let observer = observe(closure.as_ref().unchecked_ref());
    let observer = StoredValue::new_local((observer, closure));
    on_cleanup(move || {
        focused.remove();
        left.remove();
        observer.try_with_value(|(observer, _)| {
            let disconnect =
                observer.as_ref().and_then(|observer| Reflect::get(observer, &"disconnect".into()).ok()?.dyn_into::<Function>().ok());
            disconnect.zip(observer.as_ref()).map(|(disconnect, observer)| disconnect.call0(observer))
        });
    });
}

/// Calls `callback` whenever elements are added, removed or hidden. Returns the observer, or `None` if the browser has
/// none.
fn observe(callback: &Function) -> Option<JsValue> {
    let observer = Reflect::get(&window(), &"MutationObserver".into()).ok()?.dyn_into::<Function>().ok()?;
    let observer = Reflect::construct(&observer, &Array::of1(callback)).ok()?;
    let options = Object::new();
    for name in ["childList", "subtree"] {
        Reflect::set(&options, &name.into(), &true.into()).ok()?;
    }
    Reflect::set(&options, &"attributeFilter".into(), &Array::of1(&JsValue::from_str("hidden"))).ok()?;
    let observe = Reflect::get(&observer, &"observe".into()).ok()?.dyn_into::<Function>().ok()?;
    observe.call2(&observer, &document().body()?.into(), &options).ok()?;
    Some(observer)
}

/// Returns whether `element` is in the document and neither it nor an ancestor has the attribute `hidden`. Ignores
/// elements hidden by style sheets, because checking these would force a layout at each change.
fn is_visible(element: &Element) -> bool {
    element.is_connected() && element.closest("[hidden]").is_ok_and(|hidden| hidden.is_none())
}

/// Moves the focus to a nearby element if the first element of `path`, which had the focus, is gone.
fn restore(path: &FocusPath) {
    if path.borrow().first().is_none_or(is_visible) {
        return;
    }
    let path = path.take();
    let active = document().active_element();
    let is_elsewhere = active.is_some_and(|active| active.tag_name() != "BODY" && active != path[0]);
    if is_elsewhere {
        return;
    }
    let around =
        path.iter().skip(1).filter(|element| !["BODY", "HTML"].contains(&element.tag_name().as_str())).find(|element| is_visible(element));
    let around = around.cloned().or_else(|| document().get_element_by_id("main"));
    let Some(around) = around else { return };
    let preferred = around.query_selector(PREFERRED).ok().flatten().filter(is_visible);
    let Ok(target) = preferred.unwrap_or(around).dyn_into::<HtmlElement>() else { return };
    if target.tab_index() < 0 {
        let _ = target.set_attribute("tabindex", "-1");
    }
    let _ = target.focus();
}
